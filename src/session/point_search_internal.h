/* Searching for points: finds the nth point that counts after or before a moment. */
#ifndef SESSION_POINT_SEARCH_INTERNAL_H
#define SESSION_POINT_SEARCH_INTERNAL_H

#include "session/points_internal.h"
#include "session/session_internal.h"

/* Which points are searched for. Backward, if frames[0] exists, only points of that frame count,
 * and only since the frame began. */
struct point_question {
    struct pass_points points;
    const struct plan_site *beginnings; /* the events with which frames[0] may have begun */
    u32 beginning_count;
};

enum point_outcome {
    POINT_FOUND, /* `process` stands at the point */
    POINT_BEGUN, /* the frame began at `at`; `missing` points were not found in it */
    POINT_LEFT,  /* at `at` the frame has a point in `scope`, outside of the base's scope */
    POINT_NONE,  /* not found: the frame existed since the start of the track */
};

struct point_result {
    enum point_outcome outcome;
    struct moment at;
    bool from_outside; /* POINT_BEGUN: by a signal, before the instruction at `at` was executed */
    u32 scope;
    u64 missing;
    struct replayer *process; /* the caller destroys or keeps it */
};

/* Finds the nth point before the moment. If the search is interrupted, the outcome is
 * POINT_NONE. */
struct error *point_search_before(struct session *s, const struct point_question *q,
                                  struct moment from, u64 nth, struct point_result *ret);

/* Sets *ret to true if a point lies between the two moments. */
struct error *point_search_any(struct session *s, const struct point_question *q,
                               struct moment from, struct moment to, bool *ret);

#endif
