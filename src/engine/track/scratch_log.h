/* A copy of a replaying process that a debugger has changed: it has left its log, for good.
 *
 * The guest runs on from where it was put.  Calls that concern only its own memory and its own
 * questions are made; those that would reach out of the process are refused.
 */
#ifndef ENGINE_SCRATCH_LOG_H
#define ENGINE_SCRATCH_LOG_H

/* The process leaves the log, if it has not done so yet. */
void scratch_begin(void);

#endif
