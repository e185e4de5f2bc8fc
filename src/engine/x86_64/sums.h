/* Sums of points (plan_sums.h), and counts of all instructions (plan_tally.h): where in a block
 * they are counted. */
#ifndef ENGINE_SUMS_H
#define ENGINE_SUMS_H

struct block;
struct lowering;

/* The block has been read: finds its points, and the places for their sums. */
void sums_place(struct block *b);

/* VARIANT_TALLY: a stretch begins before the block's instruction number n, if one does. */
void sums_begin_tally(struct lowering *l, unsigned n);

/* Before the block's instruction number n: adds the sum, and notes what was counted ahead. */
void sums_lower(struct lowering *l, unsigned n);

#endif
