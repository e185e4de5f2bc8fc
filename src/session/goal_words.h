/* The ways in which a user can name a moment, for `goto`.
 *
 *     1234            the first instruction of a tick
 *     1234:0x401000   a tick and a pc
 *     start, end      of the recording
 *     40%             a share of the track's ticks
 *     event 17        the event with this number
 *     12.5s           time since the start of the original run
 *     -1s, +0.2s      original run's time relative to here
 */
#ifndef SESSION_GOAL_WORDS_H
#define SESSION_GOAL_WORDS_H

#include "base/error.h"
#include "base/types.h"
#include "session/session.h"

/* Finds the moment that `words` names. `started` is when the run began, in nanoseconds since
 * 1970. */
struct error *goal_words_find(struct session *s, u64 started, const char *words,
                              struct moment *ret);

#endif
