/* Tallies (PLAN_TALLY): how often each instruction is executed in a pass.
 *
 * The variant VARIANT_TALLY has the blocks of a plain replay. Each stretch of a block, up to a
 * branch, increments a word of its own (x86_64/sums.h); the engine notes which instructions the
 * stretch has. Instructions that run alone, near the limit of a pass, and what a fault changes are
 * counted in a table by pc. When the pass ends, or when all translations are dropped, the words are
 * added to that table.
 */
#ifndef ENGINE_PLAN_TALLY_H
#define ENGINE_PLAN_TALLY_H

#include "base/types.h"

/* Begins to count; the plan has been taken. */
void plan_tally_begin(void);
bool plan_tally_on(void);
/* Adds to the count of an instruction. */
void plan_tally_count(u64 pc, i64 times);
/* Ends the pass; returns a file of struct plan_tally[], in no order; -1: there is none. */
i32 plan_tally_end(void);

#endif
