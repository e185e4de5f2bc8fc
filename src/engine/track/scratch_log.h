/* A copy of a replaying process that a debugger has changed: it has permanently left its log.
 *
 * The guest runs on from where it was put. Calls that only concern its own memory and state are
 * made; those with effects outside of the process are refused.
 */
#ifndef ENGINE_SCRATCH_LOG_H
#define ENGINE_SCRATCH_LOG_H

/* The process leaves the log, if it has not done so yet. */
void scratch_begin(void);

#endif
