/* Searching for points: the nth that counts after or before a moment. */
#ifndef SESSION_POINT_SEARCH_INTERNAL_H
#define SESSION_POINT_SEARCH_INTERNAL_H

#include "session/points_internal.h"
#include "session/session_internal.h"

/* Backward: only points of frames[0] count, if there is one, since it began. */
struct point_question {
    struct pass_points points;
    const struct plan_site *beginnings; /* of frames[0] */
    u32 beginning_count;
};

enum point_outcome {
    POINT_FOUND, /* `process` stands there */
    POINT_BEGUN, /* the frame began at `at`: so many are missing */
    POINT_LEFT,  /* at `at` there is a point of the frame in `scope`, outside of the base's */
    POINT_NONE,  /* it was there from the start on */
};

struct point_result {
    enum point_outcome outcome;
    struct moment at;
    bool from_outside; /* POINT_BEGUN: by a signal; what lies there was not executed then */
    u32 scope;
    u64 missing;
    struct replayer *process; /* to be destroyed or taken */
};

/* The nth point before the moment.  If the search is interrupted, POINT_NONE. */
struct error *point_search_before(struct session *s, const struct point_question *q,
                                  struct moment from, u64 nth, struct point_result *ret);

/* Is there one from one moment to another? */
struct error *point_search_any(struct session *s, const struct point_question *q,
                               struct moment from, struct moment to, bool *ret);

#endif
