/* A movement by statements or frames that is under way, and what the files of such movements
 * share. */
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
    struct base_frames frames; /* frames of the thread where the movement began */
    u32 thread;
    u64 rsp;
    struct moment from;
    struct session_stop *stop;
    /* Entries of resolvers that a step goes around (stepping_resolvers.c). */
    struct plan_site *resolvers;
    u32 resolver_count;
    struct goroutine_hold goroutine; /* the one that the thread runs; address 0: none */
};

/* Called at the beginning and at the end of a movement. walk_begin notes the start; walk_end,
 * called also after an error, notes where the session is then. */
struct error *walk_begin(struct walk *w, struct source *src, size_t frames,
                         struct session_stop *stop);
struct error *walk_end(struct walk *w, enum session_direction direction, struct error *err);

/* Makes a question in which points count relative to frames[0]. */
struct point_question walk_question(const struct walk *w, const struct plan_frame *frames,
                                    u32 count);

/* Runs to the nth point or to one of the movement's own sites, unless a breakpoint comes first. nth
 * becomes the number of points still missing. The run also ends at the first point in frames that
 * were not known; the caller then takes these with walk_frames() and goes on with the rest. */
struct ahead {
    struct pass_points points;
    u64 nth;
    u64 limit_tick; /* stop at the start of this tick; 0: no limit */
    /* continues from the limit of an earlier run, so that sites at the current instruction are
     * still to be met */
    bool goes_on;
    u32 flags; /* PLAN_FRAMES_LEAVE */
    const struct plan_site *site; /* NULL: none */
    u32 more_sites; /* after it */
    const u8 *condition; /* the condition of the last site; NULL: none */
    size_t condition_size;
};
struct error *walk_ahead(struct walk *w, struct ahead *a);

/* stepping_goroutine.c: walk_hold_goroutine is called after the frames were taken.
 * walk_ahead_following runs until the movement ends, also if the goroutine gets another stack or
 * thread. */
void walk_hold_goroutine(struct walk *w, const struct frame *frames, size_t count);
typedef struct error *walk_run(struct walk *w, struct ahead *a);
struct error *walk_ahead_following(struct walk *w, struct ahead *a, walk_run *run);

/* Takes the frames of the current moment. */
struct error *walk_frames(struct walk *w, size_t most);
/* Returns the address of the innermost frame; 0: not known. */
struct error *walk_frame_here(struct source *src, u64 *ret);

/* Goes back to the moment, unless a breakpoint lies in between. `process` (taken over; may be NULL)
 * stands there. */
struct error *walk_back(struct walk *w, struct moment to, enum session_why why,
                        struct replayer *process);

/* The nth point before `from` in the frame with this index, in this scope of it or outside of the
 * frame. */
struct frame_search {
    size_t index;
    u32 scope;
    struct moment from;
    u64 nth;
    bool stays; /* search only this frame; the outcome is POINT_BEGUN if it has too few points */
};
struct error *walk_find_before(struct walk *w, struct frame_search f, struct point_result *ret);
/* Goes back to that point, or to the start if there is none, unless a breakpoint lies in
 * between. */
struct error *walk_go_before(struct walk *w, struct frame_search f);
struct error *walk_back_to(struct walk *w, const struct point_result *found);

/* Finds the last of these events before the moment; found.any: there is one. */
struct error *walk_last(struct walk *w, const struct plan_site *sites, u32 count,
                        struct moment from, struct found *ret);
/* The same, but ignores events before `since`. */
struct error *walk_last_since(struct walk *w, const struct plan_site *sites, u32 count,
                              struct moment from, struct moment since, struct found *ret);

/* Returns the calls of a function or, with `behind`, the addresses after them. The caller frees the
 * list. */
struct plan_point *walk_call_points(struct walk *w, const struct points_function *f, bool behind,
                                    u32 *ret_count);

/* stepping_resolvers.c: walk_begin_resolvers finds the resolvers. walk_at_resolver is true if the
 * session stands at the entry of one. */
struct error *walk_begin_resolvers(struct walk *w);
bool walk_at_resolver(const struct walk *w);
/* Finds the nth point before the beginning of the movement, without points in calls of
 * resolvers. */
struct error *walk_search_around(struct walk *w, u64 count, struct point_result *ret);

/* source.c: */
struct points *source_points(struct source *src);

#endif
