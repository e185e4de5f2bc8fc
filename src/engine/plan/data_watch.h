/* Data sites of the plan: memory that is watched for writes or reads.
 *
 * Translated code of a checked variant (fragment.h, x86_64/lower_data.c) enters the engine before
 * an instruction that may access watched memory (data_map.h). Here the exact addresses are known.
 * An instruction that really does is executed alone:
 *
 *   data_watch_before()   the old bytes are kept
 *   (it is executed)
 *   data_watch_after()    changes and reads are judged
 *
 * What the engine writes for the guest (results of system calls, signal frames, futex words) and
 * what mapping calls change is noted as it happens, through guest_observer, and judged at the next
 * boundary.
 *
 * Unmapped memory counts as zeros.
 */
#ifndef ENGINE_DATA_WATCH_H
#define ENGINE_DATA_WATCH_H

#include "base/types.h"

struct touch;

/* A pass begins, with the sites of plan_parts: fragments get the variant that these need. Returns
 * NULL, or why it is not possible. */
const char *data_watch_begin(void);
void data_watch_end(void);

/* EXIT_DATA: true if the instruction at cpu->rip is really about to access watched memory. */
bool data_watch_concerned(void);

/* Called around an instruction that is executed alone. True if it must be judged. */
bool data_watch_before(void);
/* The same for a plain instruction that is known to make only this access. */
bool data_watch_before_touch(const struct touch *touch);
/* `executed`: as far as a fault allowed. */
void data_watch_after(bool executed);

/* The kernel is about to write for the guest at unknown addresses: all watched memory is compared
 * at the next boundary. In a replay the engine itself writes, and knows where. */
void data_watch_expect_any(void);

/* At a boundary: judges what the engine did since the last one. */
void data_watch_settle(void);

/* Before fragments run: if the stack is near watched memory, its accesses are checked from now
 * on. */
void data_watch_mind_stack(void);

#endif
