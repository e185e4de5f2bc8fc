/* Blocks: a piece of guest code, decoded, that becomes one fragment.
 *
 * A superblock: it continues on the untaken side of conditional branches and through forward jumps,
 * and ends at calls, returns, indirect jumps, system calls, instructions that the engine emulates,
 * and before the plan's code sites.
 *
 * A short loop that jumps back to the block's first instruction is unrolled: the block contains it
 * several times, each with its own tick counter, because one counter can be updated only every five
 * cycles or so.
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
    u8 variant;  /* of its future fragment; if that checks data, instructions are fully decoded */
    bool single; /* stepping: every exit goes to the engine */
    bool checked; /* the bytes are compared before each entry: one contiguous run */
    bool cuts;   /* it also ends before points */
    /* the point at the first instruction, to be counted; NULL: none */
    const struct plan_point *point;
    bool site;   /* the plan has a site at the first instruction: enter the engine before it */
    u64 cut_at;  /* the address of the plan's site before which it ends; or 0 */
    u64 end;     /* where execution continues after the last instruction, if it does not jump */
    u32 loop; /* number of instructions of the repeated loop, or 0 */
    u64 page[FRAGMENT_PAGES];
    u32 page_count;
    u16 flags_dead; /* at the first instruction */
    /* variants: the dead flags before each instruction that accesses memory, or that has a sum */
    u16 dead[BLOCK_INSNS];
    u8 sum[BLOCK_INSNS];   /* VARIANT_SUMS: number of points counted before it */
    bool in_sum[BLOCK_INSNS]; /* VARIANT_SUMS: it is one of them */
    u64 pc[BLOCK_INSNS];
    struct insn insn[BLOCK_INSNS];
};

/* Reads the block at `pc`; false if not even its first instruction can be fetched: *fault is the
 * address. */
bool block_read(struct block *b, u64 pc, u64 *fault);

/* The arithmetic flags that are dead before its instruction number `index`. */
u16 block_flags_dead(struct block *b, u32 index);
/* The arithmetic flags whose values at `pc` are never read. The result depends only on the code,
 * not on how it is translated. */
u16 block_flags_dead_at(u64 pc);

/* True if this kind of instruction ends a block. */
bool block_ends_at(const struct insn *i);

#endif
