/* Bounce: in calls that wait while other threads run, the kernel writes into engine memory.
 *
 * The output is copied to the guest when the thread has the baton again. So no guest memory changes
 * while another thread runs, and a replayed thread reads the same as the recorded one.
 */
#ifndef ENGINE_BOUNCE_H
#define ENGINE_BOUNCE_H

#include "base/types.h"

struct call;

/* Makes a call that may wait, without the baton. Returns the kernel's result, or that of
 * engine_make_call(). */
i64 bounce_pass(const struct call *call);

#endif
