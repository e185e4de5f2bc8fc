/* Movements: turns the user's commands into movements of the session; undo and redo.
 *
 * One movement of the user may take several of the session. A breakpoint may wait for a library, so
 * the session stops whenever one is loaded. A condition that could not be compiled is evaluated at
 * each stop. So the list for undo and redo is kept here.
 *
 * After a stop that is not reported to the user, a movement that looks for breakpoints (continue)
 * is repeated from there. Any other movement leads to a place that does not depend on breakpoints.
 * That place is found from where the movement began, with breakpoints ignored; then the session
 * travels there.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"
#include "session/goal_words.h"

bool debug_is_signal_stop(const struct debug *d, u32 location)
{
    for (u32 i = 0; i < DEBUG_SIGNALS; i++)
        if (location && d->signal_breakpoints[i] == location)
            return true;
    return false;
}

/* True if its commands begin with `silent`. */
static bool has_silent_commands(const struct debug_breakpoint *p)
{
    return p->commands.count && strcmp(((char **)p->commands.items)[0], "silent") == 0;
}

/* True if all breakpoints that caused the stop are silent. */
bool debug_stop_is_silent(struct debug *d, const struct session_stop *stop)
{
    bool silent = stop->why == WHY_BREAKPOINT && stop->breakpoint_count > 0;
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints) && silent; i++) {
        const struct debug_breakpoint *p = debug_breakpoints_of_location(d, stop->breakpoints[i]);
        silent = p && has_silent_commands(p);
    }
    return silent;
}

void debug_count_hit(struct debug *d, struct debug_breakpoint *p)
{
    p->hits += p->ignore + 1;
    p->ignore = 0;
    for (size_t n = has_silent_commands(p); n < p->commands.count; n++)
        debug_strings_add(&d->due, ((char **)p->commands.items)[n]);
}

void debug_count_hits(struct debug *d, const struct session_stop *stop)
{
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints); i++) {
        struct debug_breakpoint *p = debug_breakpoints_of_location(d, stop->breakpoints[i]);
        if (!p)
            continue;
        debug_count_hit(d, p);
        if (p->temporary)
            debug_breakpoints_remove(d, p);
        else if (p->stops_left && --p->stops_left == 0)
            debug_breakpoint_enable(d, p, false);
        else
            debug_breakpoint_unsettle(d, p); /* its ignore count is used up */
    }
}

static struct error *debug_moves_make(struct debug *d, struct debug_order *o,
                                      struct session_stop *stop)
{
    switch (o->move) {
    case MOVE_STEP: return movement_step(d->source, o->direction, o->count, stop);
    case MOVE_NEXT: return movement_next(d->source, o->direction, o->count, stop);
    case MOVE_CONTINUE: return movement_continue(d->session, o->direction, o->count, stop);
    case MOVE_FINISH: return movement_finish(d->source, o->direction, o->count, stop, &o->function);
    case MOVE_STEPI:
        return movement_stepi(d->session, o->direction, d->thread, o->count,
                              (struct session_range){0, 0}, stop);
    case MOVE_NEXTI: return movement_nexti(d->source, o->direction, o->count, stop);
    case MOVE_UNTIL:
        return o->goal ? debug_goal_go(d, o->goal, o->direction, stop)
                       : movement_until(d->source, o->direction, o->pcs, o->pc_count, stop);
    case MOVE_FIRST: return debug_goal_first(d, o->goal, stop);
    default: return movement_out(d->source, o->direction, stop);
    }
}

/* A movement under way. */
struct way {
    struct moment from;
    /* the selected thread, and the inlined functions not yet entered, at the start */
    u32 thread, inlined;
    bool goes_on;            /* continues after a stop that is not reported */
    bool known;              /* it is known where the movement leads if no breakpoint stops it: */
    struct moment to;
    struct session_stop end; /* what is reported there */
    u64 function;
};

static bool looks_for_breakpoints(const struct debug_order *o)
{
    return o->move == MOVE_CONTINUE || o->move == MOVE_UNTIL || o->move == MOVE_FIRST;
}

/* Finds where the movement ends without breakpoints. The session then stands where it stood
 * before. */
static struct error *find_end(struct debug *d, struct debug_order *o, struct way *w)
{
    struct session_place stood, end;
    struct session_stop unused;
    session_place(d->session, &stood);
    u32 thread = d->thread, inlined = source_stands_before(d->source, CONTROL_THREAD_ANY);
    struct error *err = movement_goto(d->session, w->from, &unused);
    source_stand_before(d->source, w->inlined);
    d->thread = w->thread;
    session_heed(d->session, (struct session_heed){.thread = CONTROL_THREAD_ANY, .nothing = true});
    if (!err && !debug_interrupted())
        err = debug_moves_make(d, o, &w->end);
    session_heed(d->session, (struct session_heed){.thread = CONTROL_THREAD_ANY});
    session_place(d->session, &end);
    w->to = end.at;
    w->function = o->function;
    w->known = !err && !debug_interrupted();
    struct error *back = movement_goto(d->session, stood.at, &unused);
    source_stand_before(d->source, inlined);
    d->thread = thread;
    if (err)
        error_destroy(back);
    return err ? err : back;
}

static struct error *go_to_end(struct debug *d, struct debug_order *o, struct way *w,
                               struct session_stop *stop)
{
    struct error *err = w->known ? NULL : find_end(d, o, w);
    o->function = 0;
    *stop = (struct session_stop){.why = WHY_INTERRUPTED};
    if (err || debug_interrupted())
        return err;
    err = movement_travel(d->session, w->to, stop);
    if (err || stop->why != WHY_ARRIVED)
        return err;
    *stop = w->end;
    o->function = w->function;
    return o->direction == FORWARD ? movement_meet(d->session, stop) : NULL;
}

static struct error *debug_moves_go(struct debug *d, struct debug_order *o, struct way *w,
                                    struct session_stop *stop)
{
    return w->goes_on && !looks_for_breakpoints(o) ? go_to_end(d, o, w, stop)
                                                   : debug_moves_make(d, o, stop);
}

/* Moves, and lets followed watchpoints stop the movement. */
static struct error *go_heeding(struct debug *d, struct debug_order *o, struct way *w,
                                struct session_stop *stop)
{
    struct session_place before;
    debug_followed_forget(d);
    if (!debug_follows(d) || o->move == MOVE_FIRST)
        return debug_moves_go(d, o, w, stop);
    if (o->move == MOVE_CONTINUE)
        return debug_follow_continue(d, o->direction, stop);
    session_place(d->session, &before);
    struct error *err = debug_moves_go(d, o, w, stop);
    return err || stop->why == WHY_INTERRUPTED ? err : debug_follow_between(d, before.at, stop);
}

/* Sets *ret if the stop is not reported to the user: modules were loaded or unloaded, or no
 * condition holds. */
static struct error *is_silent(struct debug *d, const struct session_stop *stop, bool *ret)
{
    bool all = stop->why == WHY_BREAKPOINT && stop->breakpoint_count > 0;
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints) && all; i++) {
        bool holds = true;
        struct debug_breakpoint *p = debug_breakpoints_of_location(d, stop->breakpoints[i]);
        if (stop->breakpoints[i] == d->loader_breakpoint)
            holds = false;
        else if (p && p->checks_here) {
            struct error *err = debug_breakpoint_holds(d, p, &holds);
            if (err)
                return err;
        }
        all = !holds;
    }
    *ret = all;
    return NULL;
}

static bool has_silent_stops(const struct debug *d)
{
    struct debug_breakpoint *const *all = d->breakpoints.items;
    bool some = d->loader_breakpoint != 0 || debug_follows(d);
    for (size_t i = 0; i < d->breakpoints.count && !some; i++)
        some = all[i]->checks_here;
    return some;
}

/* True if a movement with a known end has reached it. */
static bool is_at_end(struct debug *d, const struct debug_order *o, const struct way *w)
{
    struct session_place place;
    session_place(d->session, &place);
    return !looks_for_breakpoints(o) && w->known && moment_compare(place.at, w->to) == 0;
}

/* Continues the movement after silent stops. */
static struct error *debug_moves_go_on(struct debug *d, struct debug_order *o, struct way *w,
                                       struct session_stop *stop)
{
    u64 left = o->count;
    bool each = has_silent_stops(d) && o->move == MOVE_CONTINUE;
    if (each)
        o->count = 1;
    for (;;) {
        bool silent = false;
        struct error *err = debug_breakpoints_settle(d);
        if (!err)
            err = go_heeding(d, o, w, stop);
        if (err)
            return err;
        debug_breakpoints_arrive(d, stop);
        err = is_silent(d, stop, &silent);
        if (err)
            return err;
        if (silent && is_at_end(d, o, w)) {
            *stop = w->end;
            return NULL;
        }
        w->goes_on = silent;
        if (silent && !debug_interrupted())
            continue;
        if (!each || stop->why != WHY_BREAKPOINT || --left == 0)
            return NULL;
    }
}

static void debug_moves_remember(struct list *moments, struct moment at)
{
    *(struct moment *)list_add(moments) = at;
}

/* Called after each movement. If it failed, the session is where it was. */
static struct error *settle_failed(struct debug *d, struct moment before, struct error *err)
{
    struct session_place place;
    struct session_stop stop;
    session_place(d->session, &place);
    if (moment_compare(before, place.at) != 0)
        error_destroy(movement_goto(d->session, before, &stop));
    debug_arrive(d);
    return err;
}

struct error *debug_move_unnoted(struct debug *d, struct debug_order *o, struct session_stop *stop)
{
    struct session_place before;
    session_place(d->session, &before);
    debug_begin_moving(d, o->direction == BACKWARD ? COURSE_BACKWARD : COURSE_FORWARD);
    struct way w = {.from = before.at, .thread = d->thread,
                    .inlined = source_stands_before(d->source, CONTROL_THREAD_ANY)};
    struct error *err = debug_moves_go_on(d, o, &w, stop);
    debug_end_moving(d);
    if (err)
        return settle_failed(d, before.at, err);
    if (stop->why == WHY_INTERRUPTED && o->direction == BACKWARD)
        err = settle_failed(d, before.at, NULL);
    if (o->move != MOVE_FIRST)
        debug_watches_moved(d);
    return err;
}

void debug_moved_from(struct debug *d, struct moment before)
{
    debug_moves_remember(&d->undo, before);
    d->redo.count = 0;
}

struct error *debug_move(struct debug *d, struct debug_order *o, struct session_stop *stop)
{
    struct session_place before;
    session_place(d->session, &before);
    struct error *err = debug_move_unnoted(d, o, stop);
    if (!err)
        debug_moved_from(d, before.at);
    return err;
}

/* Movements by statements are only possible in the thread that runs at this moment. */
struct error *debug_check_thread(struct debug *d, enum debug_move move)
{
    struct session_place place;
    session_place(d->session, &place);
    if (move == MOVE_CONTINUE || move == MOVE_STEPI || move == MOVE_UNTIL || move == MOVE_FIRST ||
        d->thread == place.thread)
        return NULL;
    return error_coded(
        ERROR_MISUSED,
        "thread %u is looked at, but it is thread %u that runs here: move with stepi, "
        "until or continue, or go back to it with 'thread %u'",
        d->thread, place.thread, place.thread);
}

/* The number of frames that a movement must leave to reach the selected one. The kernel's frame
 * between a handler and the interrupted code does not count, nor does a function that ended with a
 * tail call, since it returns together with the function that it jumped to. */
u64 debug_frames_inside(const struct debug *d)
{
    u64 count = 0;
    if (d->auto_selected)
        return 0;
    for (size_t n = 0; n < d->selected; n++)
        count += !d->frames[n].signal && !d->frames[n].tail;
    return count - (d->frames[d->selected].tail && count);
}

void debug_order_deinit(struct debug_order *o)
{
    free(o->pcs);
    debug_goal_destroy(o->goal);
}

/* --- to a moment ------------------------------------------------------------------------------ */

struct error *debug_find_moment(struct debug *d, const char *words, struct moment *ret)
{
    struct session_place place;
    const struct debug_bookmark *b = debug_bookmark_find(d, words);
    session_place(d->session, &place);
    if (!b && debug_row_named(d, words))
        return debug_find_row(d, words, ret);
    if (!b && debug_output_named(words))
        return debug_find_output(d, words, ret);
    if (b && b->track != session_track(d->session))
        return error_coded(ERROR_NOT_FOUND, "bookmark %s is in track %u; 'track %u' goes there",
                           b->name, b->track, b->track);
    if (!b && strcmp(words, "here") != 0)
        return goal_words_find(d->session, d->rec->meta.started, words, ret);
    *ret = b ? b->at : place.at;
    return NULL;
}

static struct error *debug_moves_jump(struct debug *d, struct moment to, struct session_stop *stop)
{
    *stop = (struct session_stop){.why = WHY_ARRIVED};
    debug_followed_forget(d);
    debug_begin_moving(d, COURSE_TO);
    struct error *err = movement_goto(d->session, to, stop);
    debug_end_moving(d);
    if (!err)
        debug_arrive(d);
    return err;
}

struct error *debug_goto(struct debug *d, struct moment to, struct session_stop *stop)
{
    struct session_place before;
    session_place(d->session, &before);
    struct error *err = debug_moves_jump(d, to, stop);
    if (!err)
        debug_moved_from(d, before.at);
    return err;
}

/* Goes to the last moment of `from`, and adds the moment that was left to `to`. */
static struct error *debug_moves_exchange(struct debug *d, struct list *from, struct list *to,
                                          u64 count, const char *done, struct session_stop *stop)
{
    struct session_place before;
    if (!from->count)
        return error_coded(ERROR_NOT_FOUND, "there is no movement that can be %s", done);
    if (count > from->count)
        return error_coded(ERROR_NOT_FOUND, "only %zu movement%s can be %s", from->count,
                           from->count == 1 ? "" : "s", done);
    const struct moment *moments = from->items;
    session_place(d->session, &before);
    struct error *err = debug_moves_jump(d, moments[from->count - count], stop);
    for (struct moment at = before.at; !err && count > 0; count--) {
        debug_moves_remember(to, at);
        at = moments[--from->count];
    }
    return err;
}

struct error *debug_undo(struct debug *d, u64 count, struct session_stop *stop)
{
    return debug_moves_exchange(d, &d->undo, &d->redo, count, "undone", stop);
}

struct error *debug_redo(struct debug *d, u64 count, struct session_stop *stop)
{
    return debug_moves_exchange(d, &d->redo, &d->undo, count, "made again", stop);
}
