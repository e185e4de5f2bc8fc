/* Prints what the program printed while it is replayed. */
#ifndef ENGINE_REPLAY_OUTPUT_H
#define ENGINE_REPLAY_OUTPUT_H

#include "base/types.h"

struct call;

enum { OUTPUT_FOLLOWED = 1024 }; /* descriptors */
struct output_state {
    u8 shown_as[OUTPUT_FOLLOWED]; /* the engine's descriptor that stands for it, or 0 */
};

void output_start(void);
/* The replay of a forked process begins with its parent's run, which is not shown. */
void output_quiet(bool quiet);
bool output_is_quiet(void);
/* A child of vfork has its own descriptors. */
void output_save(struct output_state *ret);
void output_restore(const struct output_state *state);

/* A call was fed: if it wrote to the recorded standard output or error, the bytes are printed; if
 * it changed which descriptors those are, that is noted. */
void output_after_call(const struct call *call, i64 result);
/* The second half of that, for a call that did not fail. */
void output_follow(const struct call *call, u64 result);

#endif
