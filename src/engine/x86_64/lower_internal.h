/* What the files of lowering share: the fragment that is being made. */
#ifndef ENGINE_LOWER_INTERNAL_H
#define ENGINE_LOWER_INTERNAL_H

#include "engine/x86_64/block.h"
#include "engine/x86_64/emit.h"
#include "engine/x86_64/lower.h"

enum { LOWER_MARKS = BLOCK_INSNS * 4, LOWER_CHECKS = BLOCK_CHECKED_INSNS * 3 };

enum exit_kind {
    TO_LINK,
    TO_TICKS,
    TO_TICKS_RCX,
    TO_TICKS_STORE,
    TO_EMULATE,
    TO_POINT, /* a point of the plan that is due */
    TO_CHAIN,
    TO_DATA,       /* all registers are in place */
    TO_DATA_RCX,   /* rcx is borrowed, and the check was a coarse one */
    TO_DATA_STACK, /* rcx is borrowed: rsp has come near watched memory */
};

/* A jump out of the body, whose stub is not written yet. */
struct exit {
    u32 jump_at;
    u8 kind; /* enum exit_kind */
    bool ticked;
    u8 insn;    /* data: its number in the block */
    u8 mask;    /* data: the bits of the map to test */
    i8 stack;   /* data: the address is rsp + stack, not an operand, if by_stack */
    bool by_stack;
    u8 size;    /* data: size, if the fine map is used; otherwise 0 */
    u32 resume; /* data: where to continue */
    /* data: the place after the instruction, if the engine may execute it and continue there;
     * otherwise 0 */
    u32 behind;
    u64 pc; /* target of a link, otherwise the rip to set */
};

struct lowering {
    struct emitter e;
    const struct block *block;
    struct fragment *fragment;
    u8 *start;
    u64 pc; /* of the current instruction */
    u32 counter; /* the number of the tick counter */
    bool use_loop; /* `loop` is fast (AMD): decrement and jump in one; for all fragments */
    u32 exit_count;
    u32 first_check; /* of the current instruction, among the exits */
    u32 mark_count;
    u32 sums;         /* of points, so far */
    i32 ahead_points; /* points counted minus points met */
    u32 ahead_count;
    struct tally_stretch *tally; /* the current one */
    struct exit exit[BLOCK_EXITS + 8 + LOWER_CHECKS];
    struct mark mark[LOWER_MARKS];
    struct points_ahead ahead[2 * BLOCK_INSNS];
};

struct exit *lower_note_exit(struct lowering *l, u32 jump_at, enum exit_kind kind, u64 pc);

/* Data sites (lower_data.c). lower_data_check: before the block's instruction number n, tests
 * whether the memory that it accesses may be watched. The others come after it: they note where it
 * ends, and test, if it may have moved rsp to another stack, whether something there is watched. */
void lower_data_check(struct lowering *l, u32 n);
void lower_data_behind(struct lowering *l, u32 n);
void lower_data_guard(struct lowering *l, u32 n);
void lower_data_stub(struct lowering *l, const struct exit *x);

#endif
