/* Decodes common instructions quickly, just enough to copy or follow them.
 *
 * Most instructions are copied unchanged, and only their length is needed. For those of the first
 * two opcode maps, with at most a REX and one other prefix, a table gives it in a fraction of the
 * time of decode().
 */
#ifndef ENGINE_DECODE_QUICK_H
#define ENGINE_DECODE_QUICK_H

#include "engine/x86_64/decode.h"

enum { QUICK_READ = 24 }; /* bytes that must be readable */

/* What an opcode can be, by prefix (none, 66, F3, F2), map (one byte, 0F) and opcode; made by
 * tools/quick-x86_64.c. */
struct quick_form {
    u8 kind;      /* enum insn_kind */
    u8 size;      /* size of the immediate, and QUICK_* */
    u8 memory; /* the values of ModRM.reg, as bits, for which this is valid with a memory operand */
    u8 registers; /* the same for a register */
    u8 flags[8];  /* by ModRM.reg, a quick_flag_use */
};

enum {
    QUICK_BARE = 0x10, /* no ModRM */
    QUICK_MODRM = 0x20,
    QUICK_WIDE = 0x40, /* twice the immediate's size with REX.W */
    QUICK_SIZE = 0x0f,
};

enum { QUICK_ONE, QUICK_0F, QUICK_66_0F, QUICK_F3_0F, QUICK_F2_0F, QUICK_SPACES };

/* Flags that are read, and those whose old values are lost afterwards. */
struct quick_flag_use {
    u16 read;
    u16 killed;
};

enum { QUICK_FLAGS_MOST = 64 }; /* number 0: not known */

extern const struct quick_form quick_forms[QUICK_SPACES][256];
extern const struct quick_flag_use quick_flag_uses[QUICK_FLAGS_MOST];

/* Fills in kind, length, rip_relative (false), flags_read and flags_written, and for jumps,
 * branches, calls and returns also condition, immediate and immediate_size; `partial` says if the
 * flags are known. Returns the length; 0 if decode() is needed. */
unsigned decode_quick(const u8 *bytes, struct insn *ret);

#endif
