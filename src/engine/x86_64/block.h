/* Blocks: a piece of guest code, decoded, that becomes one fragment.
 *
 * A superblock: it runs through conditional branches on their untaken side and through forward
 * jumps, and ends at calls, returns, indirect jumps, system calls, instructions that the engine
 * emulates, and in front of the plan's code sites.
 *
 * A short loop that jumps back to the block's first instruction is unrolled: the block holds it
 * several times, each with a tick counter of its own, because one counter can be updated only every
 * five cycles or so.
 */
#ifndef ENGINE_BLOCK_H
#define ENGINE_BLOCK_H

#include "engine/translate/fragment.h"
#include "engine/x86_64/decode.h"

struct plan_point;

enum {
    BLOCK_INSNS = 96,
    BLOCK_CHECKED_INSNS = 40, /* with checks they are longer */
    BLOCK_BRANCHES = 4,
    BLOCK_EXITS = 16,
};

struct block {
    u32 count;
    u32 limit;   /* most instructions */
    u8 variant;  /* of the fragment that it will be; if it checks data, instructions are fully
                  * decoded */
    bool single; /* stepping: every exit goes to the engine */
    bool checked; /* the bytes are compared before each entry: one straight run of them */
    bool cuts;   /* it ends in front of points, too */
    const struct plan_point *point; /* at the first instruction, to be counted; NULL: none */
    bool site;   /* the plan looks at the first instruction: come to the engine before it */
    u64 cut_at;  /* the site of the plan in front of which it ends; or 0 */
    u64 end;     /* where execution goes on after the last instruction, if it does not jump */
    u32 loop; /* instructions of the loop that is repeated, or 0 */
    u64 page[FRAGMENT_PAGES];
    u32 page_count;
    u16 flags_dead; /* at the first instruction */
    u16 dead[BLOCK_INSNS]; /* variants: the flags that are dead before each that touches memory,
                            * or that has a sum */
    u8 sum[BLOCK_INSNS];   /* VARIANT_SUMS: so many points are counted in front of it */
    bool in_sum[BLOCK_INSNS]; /* VARIANT_SUMS: it is one of them */
    u64 pc[BLOCK_INSNS];
    struct insn insn[BLOCK_INSNS];
};

/* Reads the block at `pc`; false if not even its first instruction can be fetched: *fault is the
 * address. */
bool block_read(struct block *b, u64 pc, u64 *fault);

/* The arithmetic flags that are dead in front of its instruction number `index`. */
u16 block_flags_dead(struct block *b, u32 index);
/* The arithmetic flags whose values at `pc` are never read. The answer depends on the code alone,
 * not on how it is translated. */
u16 block_flags_dead_at(u64 pc);

/* Does this kind of instruction end a block? */
bool block_ends_at(const struct insn *i);

#endif
