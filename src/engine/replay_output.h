/* What the program printed, printed again while it is replayed. */
#ifndef ENGINE_REPLAY_OUTPUT_H
#define ENGINE_REPLAY_OUTPUT_H

#include "base/types.h"

struct call;

void output_start(void);
/* A call has been fed: if it wrote to what was standard output or error, that is written again; if it
 * changed which descriptors those are, that is remembered. */
void output_after_call(const struct call *call, i64 result);

#endif
