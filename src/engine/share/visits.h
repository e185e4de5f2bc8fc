/* Visits: a recorded process writes into the memory of another one (process_vm_writev,
 * /proc/PID/mem).
 *
 * Nothing but the guest's own code and calls may change its memory while it runs, or its replay
 * would differ.  So the visitor waits until the other process runs no guest code: it waits in a
 * system call, or has come to a boundary and seen that it is wanted there.  The visitor has the
 * kernel write then, and leaves a note of the ranges; before the guest runs on, its own engine logs
 * what lies there now (EVENT_SHARED).
 *
 *   here --visits_rests--> away --visits_begin, of another process--> visited --visits_end--> away
 *        <--visits_runs---
 *
 * A process that is stopped by a signal is visited where it is.  The place of each process is in
 * the group's memory (share_group.h).
 */
#ifndef ENGINE_VISITS_H
#define ENGINE_VISITS_H

#include "base/types.h"

/* No thread of this process runs guest code from here on; one does again.  `in_call`: it is in a
 * system call. */
void visits_rests(void);
void visits_runs(bool in_call);
/* The same, but nothing is logged yet: a boundary or another visits_runs comes first. */
void visits_returns(void);
/* Between two blocks: lets visitors in, and logs what they wrote. */
void visits_boundary(void);
/* The process ends. */
void visits_leave(void);

/* A visit to the process that the thread belongs to; NULL: it is not recorded, or is gone. */
struct share_place *visits_begin(u32 tid);
/* What was written there, and the end of the visit. */
void visits_wrote(struct share_place *to, u64 at, u64 size);
void visits_end(struct share_place *to);

#endif
