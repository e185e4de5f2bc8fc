/* One machine instruction, decoded as far as a translator needs it.
 *
 * decode() reads bytes and fills a struct insn: how long it is, where its parts are, what it does
 * to control flow, memory, registers and flags. It does not depend on addresses: the same bytes
 * decode in the same way anywhere.
 */
#ifndef ENGINE_DECODE_H
#define ENGINE_DECODE_H

#include "base/registers.h"
#include "base/types.h"

enum { INSN_MAX = 15 };

/* How a translator treats an instruction. */
enum insn_kind {
    INSN_PLAIN,         /* copied; only a rip-relative operand must be changed */
    INSN_JUMP,          /* jmp rel */
    INSN_BRANCH,        /* jcc rel; .condition */
    INSN_COUNTED,       /* loop, loope, loopne, jrcxz, jecxz: rel8, cannot be lengthened */
    INSN_CALL,          /* call rel */
    INSN_RETURN,        /* ret, ret imm16 */
    INSN_JUMP_INDIRECT, /* jmp r/m64 */
    INSN_CALL_INDIRECT, /* call r/m64 */
    INSN_SYSCALL,
    INSN_INT3,
    INSN_INT,           /* int imm8 (int 0x80 among them), int1 */
    INSN_POPF,          /* popf: may set the trap flag */
    INSN_CPUID,
    INSN_RDTSC,         /* rdtsc, rdtscp */
    INSN_RDRAND,        /* rdrand, rdseed */
    INSN_RDPID,
    INSN_XGETBV,
    INSN_FAR,           /* far jmp, call, ret, iret, sysenter, sysret: fault or are interpreted */
    INSN_PRIVILEGED,    /* hlt, in, out, cli, wrmsr ...: copied so that it faults */
    INSN_XBEGIN,        /* xbegin rel: always aborts */
    INSN_XSTATE,        /* xsave*, fxsave, fnstenv, fnsave: store the x87 instruction pointer */
    INSN_INVALID,       /* #UD: invalid or unknown encoding */
    INSN_KINDS
};

enum { /* bits of insn.memory */
    MEMORY_READ = 1,
    MEMORY_WRITE = 2,
    MEMORY_STACK = 4,      /* pushes or pops: implicit access through rsp */
    /* an implicit address in another register: movs, stos, lods, cmps, scas, ins, outs, maskmov,
     * xlat, clzero, the target of movdir64b */
    MEMORY_STRING = 8,
    MEMORY_OFFSET = 16,    /* mov with a 64-bit absolute address (a0..a3) */
    MEMORY_VSIB = 32,      /* gather, scatter */
    MEMORY_NO_ACCESS = 64, /* lea, nop r/m, prefetch: a memory operand that is not accessed */
    MEMORY_BITS = 128, /* bt, bts, btr, btc with a register, which may move the address anywhere */
};

enum insn_encoding {
    ENCODING_LEGACY,
    ENCODING_VEX2,
    ENCODING_VEX3,
    ENCODING_EVEX,
    ENCODING_XOP,
};

enum insn_map { /* opcode maps; those of VEX, EVEX and XOP carry their encoding as well */
    MAP_ONE,
    MAP_0F,
    MAP_0F38,
    MAP_0F3A,
    MAP_5, /* EVEX */
    MAP_6,
    MAP_XOP8,
    MAP_XOP9,
    MAP_XOPA,
    MAP_3DNOW,
};

/* Bits of insn.prefixes: those that are present, whether or not they mean anything here. Of fs and
 * gs only the last, which counts. */
enum {
    PREFIX_66 = 1,
    PREFIX_67 = 2,
    PREFIX_F2 = 4,
    PREFIX_F3 = 8,
    PREFIX_LOCK = 16,
    PREFIX_FS = 32,
    PREFIX_GS = 64,
};

enum insn_partial {
    INSN_COMPLETE,
    INSN_WITH_FLAGS,    /* by decode_quick(), which fills in only a little */
    INSN_WITHOUT_FLAGS, /* not even what flags it uses */
};

struct insn {
    u8 kind; /* enum insn_kind */
    u8 length;
    u8 encoding; /* enum insn_encoding */
    u8 map;      /* enum insn_map */
    u8 opcode;
    u8 prefixes;
    u8 rex; /* 0 if there is none; for VEX, EVEX and XOP their bits, as 0x40 | WRXB */
    u8 modrm;
    u8 sib;
    u8 condition; /* of INSN_BRANCH: low four bits of the opcode; of INSN_COUNTED: opcode & 3 */
    bool has_modrm;
    bool has_memory; /* mod != 3: a memory operand by ModRM (accessed or not) */
    bool rip_relative;
    u8 partial; /* enum insn_partial */
    bool rep; /* a string instruction with a repeat prefix */

    /* Offsets of the parts from the first byte. If a part is missing (by its size or has_modrm),
     * its _at means nothing. */
    u8 prefix_at; /* of the VEX, EVEX or XOP prefix, or of REX */
    u8 opcode_at;
    u8 modrm_at;
    u8 displacement_at;
    u8 displacement_size;
    u8 immediate_at;
    u8 immediate_size; /* all immediates together (enter has two) */

    u8 memory;       /* MEMORY_* */
    /* size of the explicit or implicit memory operand; 0 if it is not fixed (xsave, rep); one
     * element of a gather or scatter */
    u16 memory_size;

    /* General registers in the order of the instruction set, as bits, including implicit ones,
     * address registers and partial uses. A partial write (8 or 16 bits, or a conditional one) also
     * reads. System calls and instructions that always fault read all. */
    u16 registers_read;
    u16 registers_written;

    /* Flags. A shift by CL may or may not write them: it has none in `written`, all in
     * `may_write`. */
    u16 flags_read;
    u16 flags_written;   /* certainly set to a defined value */
    u16 flags_undefined; /* certainly or possibly left undefined */
    u16 flags_may_write; /* both of these, and flags that may be written or kept */

    i64 displacement; /* of memory operand, sign-extended (not the 64-bit offset of a0..a3) */
    i64 immediate;    /* the (first) immediate, sign-extended as the instruction does; the relative
                       * displacement of jumps; the absolute address of MEMORY_OFFSET */
};

/* Decodes the instruction at `bytes`, of which `available` (at least 1) may be read; 40 or more
 * save a copy. Returns its length; 0 if more bytes are needed (never with 15 or more). An encoding
 * that the processor would refuse has kind INSN_INVALID and the length decoded so far (at least
 * 1). */
unsigned decode(const u8 *bytes, unsigned available, struct insn *ret);

/* True if it certainly does not use vector, mask and x87 registers. */
bool decode_general_only(const struct insn *i);

/* The arithmetic flags whose old values are lost after it. */
u16 decode_flags_killed(const struct insn *i);

#endif
