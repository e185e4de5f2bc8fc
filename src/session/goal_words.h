/* Moments as people name them: where `goto` is to go.
 *
 *     1234            a tick: its first instruction
 *     1234:0x401000   a tick and a pc
 *     start, end      of the recording
 *     40%             of the track's ticks
 *     event 17        by its number
 *     12.5s           by the clock of the original run, since it was started
 *     -1s, +0.2s      by that clock, from here
 */
#ifndef SESSION_GOAL_WORDS_H
#define SESSION_GOAL_WORDS_H

#include "base/error.h"
#include "base/types.h"
#include "session/session.h"

/* `started`: when the run was, nanoseconds since 1970. */
struct error *goal_words_find(struct session *s, u64 started, const char *words,
                              struct moment *ret);

#endif
