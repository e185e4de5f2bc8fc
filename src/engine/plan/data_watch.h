/* Data sites of the plan: memory that is watched for being written, or read.
 *
 * Translated code of a checked variant (fragment.h, x86_64/lower_data.c) comes to the engine before
 * an instruction that may touch what is watched (data_map.h).  Here it is known exactly.  An
 * instruction that does is executed alone:
 *
 *   data_watch_before()   what was there is kept
 *   (it is executed)
 *   data_watch_after()    what has changed, or was read, is judged
 *
 * What the engine writes in the guest's place (answers of system calls, signal frames, futex words)
 * and what mapping calls change is kept as it happens, through guest_observer, and judged at the
 * next boundary.
 *
 * Memory that is not there counts as zeros.
 */
#ifndef ENGINE_DATA_WATCH_H
#define ENGINE_DATA_WATCH_H

#include "base/types.h"

struct touch;

/* A pass begins, with the sites of plan_parts: fragments are of the variant that they need.
 * NULL, or why it cannot be. */
const char *data_watch_begin(void);
void data_watch_end(void);

/* EXIT_DATA: is the instruction at cpu->rip really about to touch what is watched? */
bool data_watch_concerned(void);

/* Around an instruction that is executed alone.  True if it is to be judged. */
bool data_watch_before(void);
/* The same of a plain instruction that is known to touch this and nothing else. */
bool data_watch_before_touch(const struct touch *touch);
/* `executed`: as far as a fault let it. */
void data_watch_after(bool executed);

/* The kernel is about to write for the guest, no matter where: of everything watched it is seen at
 * the next boundary whether it has changed.  In a replay the engine writes itself, and knows. */
void data_watch_expect_any(void);

/* At a boundary: judges what the engine did since the last. */
void data_watch_settle(void);

/* Before fragments run: if the stack is near something watched, its accesses are checked from
 * now on. */
void data_watch_mind_stack(void);

#endif
