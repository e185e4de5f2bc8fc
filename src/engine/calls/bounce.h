/* Bounce: calls that wait while other threads run have the kernel write into engine memory.
 *
 * What they wrote is copied to the guest when their thread has the baton again: no guest memory
 * changes while another thread runs, so what a recorded thread reads is what its replay reads.
 */
#ifndef ENGINE_BOUNCE_H
#define ENGINE_BOUNCE_H

#include "base/types.h"

struct call;

/* Makes a call that may wait, with the baton given away.  The kernel's result, or that of
 * engine_make_call(). */
i64 bounce_pass(const struct call *call);

#endif
