/* Tallies: how often each instruction was executed in a stretch of the track. The session does not
 * move.
 */
#ifndef SESSION_TALLY_H
#define SESSION_TALLY_H

#include "session/session.h"

struct session_tally {
    struct plan_tally *counts; /* by pc; the caller frees them */
    size_t count;
    bool interrupted;      /* by session_interrupt(): */
    struct moment reached; /* what came before this moment was counted */
};
/* Counts what is executed at or after `from` and before `to`; the end of the track is included. */
struct error *session_tally(struct session *s, struct moment from, struct moment to,
                            struct session_tally *ret);

#endif
