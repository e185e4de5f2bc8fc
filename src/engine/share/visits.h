/* Visits: a recorded process writes into the memory of another one (process_vm_writev,
 * /proc/PID/mem).
 *
 * While a guest runs, only its own code and calls may change its memory, or its replay would
 * differ. So the visitor waits until the other process runs no guest code: it waits in a system
 * call, or is at a boundary and has noticed the visitor. Then the visitor lets the kernel write,
 * and notes the ranges. Before the guest continues, its own engine logs their content
 * (EVENT_SHARED).
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

/* visits_rests: no thread of this process runs guest code from here on. visits_runs: one does
 * again; `in_call`: it is in a system call. */
void visits_rests(void);
void visits_runs(bool in_call);
/* The same as visits_runs, but nothing is logged yet: a boundary or another visits_runs comes
 * first. */
void visits_returns(void);
/* Between two blocks: lets visitors in, and logs what they wrote. */
void visits_boundary(void);
/* The process ends. */
void visits_leave(void);

/* Begins a visit to the process of this thread; NULL: it is not recorded, or is gone. */
struct share_place *visits_begin(u32 tid);
/* visits_wrote notes what was written there; visits_end ends the visit. */
void visits_wrote(struct share_place *to, u64 at, u64 size);
void visits_end(struct share_place *to);

#endif
