/* All hits of a pass (PLAN_TRACE), kept until it ends, up to a maximum number of the newest. */
#ifndef ENGINE_PLAN_TRACE_H
#define ENGINE_PLAN_TRACE_H

#include "log/control.h"

enum { PLAN_TRACE_MOST = 1 << 20 };
#define PLAN_TRACE_ALL (~0ul / 4) /* the pass ends before they are too many */

/* Begins a pass that keeps `most` hits; 0: none, and there will be no file. */
void plan_trace_begin(u64 most);
void plan_trace_add(const struct plan_hit *hit);
/* Returns a file with struct plan_hit[], oldest first, which the caller closes; -1: the pass does
 * not keep hits. */
i32 plan_trace_end(void);

#endif
