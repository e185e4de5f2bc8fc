/* Touches: which memory an instruction reads and writes.
 *
 * Given the instruction and the registers before it, the ranges of memory that it may read and
 * write. Nearly always that is exact. If a mask that is not examined decides (EVEX), or if a search
 * ends early, it is more, never less. Accesses by the kernel (system calls) and instructions that
 * always fault (far transfers) are not covered.
 */
#ifndef ENGINE_TOUCHES_H
#define ENGINE_TOUCHES_H

#include "engine/x86_64/decode.h"

enum { TOUCHES_MOST = 32, TOUCH_VECTORS = 32, TOUCH_VECTOR_SIZE = 64 };

enum { TOUCH_READ = 1, TOUCH_WRITE = 2 };

struct touch {
    u64 start;
    u64 size; /* at least 1; start + size may be 2^64, which wraps to 0 */
    u32 how;  /* TOUCH_* */
};

struct touches {
    u32 count;
    struct touch touch[TOUCHES_MOST];
};

/* Vector registers and masks, for instructions whose addresses are in them. */
struct touch_vectors {
    u8 reg[TOUCH_VECTORS][TOUCH_VECTOR_SIZE];
    u64 mask[8];
};

struct touch_state {
    const u64 *reg; /* 16, in the order of the instruction set */
    u64 rip;        /* of the instruction */
    u64 flags;
    u64 fs_base, gs_base;
    u64 save_size;  /* maximum size that xsave writes */
    const struct touch_vectors *vectors; /* if touches_need_vectors() */
};

/* True if the vector registers are needed. */
bool touches_need_vectors(const struct insn *i);

/* Returns the `ret->count` ranges that `i`, decoded from `bytes`, accesses. A repeated string
 * instruction accesses as many elements as rcx says. */
void touches_of(const struct insn *i, const u8 *bytes, const struct touch_state *s,
                struct touches *ret);

/* Returns the address of the memory operand by ModRM, including its segment's base. */
u64 touches_address(const struct insn *i, const struct touch_state *s);

/* How an instruction's address can be found with only general registers: not by a vector, not as a
 * repeated string, and with a fixed size of at most 64 bytes. `how`: everything that it does
 * (TOUCH_*). */
enum touch_form {
    TOUCH_FORM_NONE,    /* no access */
    TOUCH_FORM_OPERAND, /* only its memory operand by ModRM */
    TOUCH_FORM_STACK,   /* only pushes or pops */
    TOUCH_FORM_OTHER,
};
enum touch_form touches_form(const struct insn *i, u32 *how);

/* An operand that is computed often: its address is a sum. */
struct touch_operand {
    u64 offset; /* a constant, and */
    u8 base, index, scale; /* registers, or TOUCH_NO_REGISTER; the index shifted by `scale` */
    u16 size;
    u32 how;
};
enum { TOUCH_NO_REGISTER = 16 };

/* For the instruction at `rip`; false if it accesses anything else. */
bool touches_operand(const struct insn *i, u64 rip, struct touch_operand *ret);

static inline u64 touches_sum(const struct touch_operand *o, const u64 reg[GENERAL_REGISTERS])
{
    u64 base = o->base == TOUCH_NO_REGISTER ? 0 : reg[o->base];
    u64 index = o->index == TOUCH_NO_REGISTER ? 0 : reg[o->index];
    return o->offset + base + (index << o->scale);
}

#endif
