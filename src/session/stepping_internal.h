/* A movement by statements or frames under way, and what the files of such movements share. */
#ifndef SESSION_STEPPING_INTERNAL_H
#define SESSION_STEPPING_INTERNAL_H

#include "session/movement_internal.h"
#include "session/point_search_internal.h"
#include "session/source.h"
#include "symbols/goroutines.h"

struct walk {
    struct source *src;
    struct session *s;
    struct symbols *symbols;
    struct points *points;
    struct base_frames frames; /* of the thread, where it began */
    u32 thread;
    u64 rsp;
    struct moment from;
    struct session_stop *stop;
    /* Entries of resolvers that a step goes around (stepping_resolvers.c). */
    struct plan_site *resolvers;
    u32 resolver_count;
    struct goroutine_hold goroutine; /* that the thread runs; address 0: none */
};

/* Around a movement: the first notes its start; the second, called in every case, notes where the
 * session is then. */
struct error *walk_begin(struct walk *w, struct source *src, size_t frames,
                         struct session_stop *stop);
struct error *walk_end(struct walk *w, enum session_direction direction, struct error *err);

/* Which points count, for frames[0] in the first place. */
struct point_question walk_question(const struct walk *w, const struct plan_frame *frames,
                                    u32 count);

/* Runs to the nth point, or to the site of its own, unless a breakpoint comes first; nth becomes
 * what is left of it.  To one before the nth, if that is the first in frames that were not known:
 * walk_frames() takes those, to go on with the rest. */
struct ahead {
    struct pass_points points;
    u64 nth;
    u64 limit_tick; /* not beyond the start of this tick; 0: as far as it takes */
    bool goes_on;   /* from the limit of another one, which has met nothing of what lies there */
    u32 flags; /* PLAN_FRAMES_LEAVE */
    const struct plan_site *site; /* NULL: none */
    u32 more_sites; /* after it */
    const u8 *condition; /* of the last of them; NULL: none */
    size_t condition_size;
};
struct error *walk_ahead(struct walk *w, struct ahead *a);

/* stepping_goroutine.c: after the frames were taken; runs until the movement ends, wherever the
 * goroutine goes meanwhile. */
void walk_hold_goroutine(struct walk *w, const struct frame *frames, size_t count);
typedef struct error *walk_run(struct walk *w, struct ahead *a);
struct error *walk_ahead_following(struct walk *w, struct ahead *a, walk_run *run);

/* Those of the moment at which the session stands. */
struct error *walk_frames(struct walk *w, size_t most);
/* The address of the innermost of them; 0: not known. */
struct error *walk_frame_here(struct source *src, u64 *ret);

/* Back to the moment, unless a breakpoint lies in between; `process` (taken; may be NULL) stands
 * there. */
struct error *walk_back(struct walk *w, struct moment to, enum session_why why,
                        struct replayer *process);

/* The nth point before the moment in the frame of that index, in that scope of it, or outside. */
struct frame_search {
    size_t index;
    u32 scope;
    struct moment from;
    u64 nth;
    bool stays; /* only in this frame: POINT_BEGUN otherwise */
};
struct error *walk_find_before(struct walk *w, struct frame_search f, struct point_result *ret);
/* Back to it, or to the start if there is none, unless a breakpoint lies in between. */
struct error *walk_go_before(struct walk *w, struct frame_search f);
struct error *walk_back_to(struct walk *w, const struct point_result *found);

/* The last of these events before the moment; found.any: there is one. */
struct error *walk_last(struct walk *w, const struct plan_site *sites, u32 count,
                        struct moment from, struct found *ret);
/* The same, of those that are not before `since`. */
struct error *walk_last_since(struct walk *w, const struct plan_site *sites, u32 count,
                              struct moment from, struct moment since, struct found *ret);

/* The calls of a function, or the addresses after them; to be freed. */
struct plan_point *walk_call_points(struct walk *w, const struct points_function *f, bool behind,
                                    u32 *ret_count);

/* stepping_resolvers.c: finds the resolvers; does the session stand at the entry of one? */
struct error *walk_begin_resolvers(struct walk *w);
bool walk_at_resolver(const struct walk *w);
/* The nth point before the movement's beginning, without those in calls of resolvers. */
struct error *walk_search_around(struct walk *w, u64 count, struct point_result *ret);

/* source.c: */
struct points *source_points(struct source *src);

#endif
