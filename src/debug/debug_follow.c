/* Watchpoints that follow pointers: their events are found by questions over time.
 *
 * A `continue` first finds the nearest event and then goes there, so that other breakpoints can
 * stop it on the way. Any other movement is made first; if there was an event on the way, the
 * movement ends there instead.
 */
#include <stdlib.h>

#include "debug/debug_internal.h"

bool debug_follows(const struct debug *d)
{
    struct debug_breakpoint *const *all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (all[i]->watch && all[i]->watch->follows && !all[i]->disabled)
            return true;
    return false;
}

void debug_followed_forget(struct debug *d)
{
    d->followed_breakpoint = 0;
    watch_answer_deinit(&d->followed);
    d->followed = (struct watch_answer){0};
}

static struct moment landing(const struct watch_answer *a, enum session_direction direction)
{
    return direction == FORWARD ? (struct moment){a->hit.after_tick, a->hit.after_pc}
                                : (struct moment){a->hit.tick, a->hit.pc};
}

/* Finds the nearest event of all followed watchpoints in (from, to]. d->followed_breakpoint is 0 if
 * there is none. */
static struct error *find_nearest(struct debug *d, struct moment from, struct moment to,
                                  enum session_direction direction)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    debug_followed_forget(d);
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct watch_question q = {from, to, direction, all[i]->ignore + 1};
        struct watch_answer a;
        if (!all[i]->watch || !all[i]->watch->follows || all[i]->disabled)
            continue;
        struct error *err = watch_ask(all[i]->watch, &q, &a);
        if (err)
            return err;
        if (a.found || a.interrupted) {
            debug_followed_forget(d);
            d->followed = a;
            d->followed_breakpoint = a.found ? all[i]->number : 0;
        }
        if (a.interrupted)
            return NULL;
        if (a.found && direction == FORWARD)
            to = landing(&a, direction);
        else if (a.found)
            from = landing(&a, direction);
    }
    return NULL;
}

static struct error *stop_interrupted(struct debug *d, enum session_direction direction,
                                      struct session_stop *stop)
{
    struct moment reached = d->followed.reached;
    debug_followed_forget(d);
    struct error *err = direction == FORWARD ? movement_goto(d->session, reached, stop) : NULL;
    stop->why = WHY_INTERRUPTED;
    return err;
}

/* For continue: finds the event first, then goes there. */
struct error *debug_follow_continue(struct debug *d, enum session_direction direction,
                                  struct session_stop *stop)
{
    struct session_place place;
    bool forward = direction == FORWARD;
    session_place(d->session, &place);
    struct error *err = find_nearest(d, forward ? place.at : session_first(d->session),
                                     forward ? session_last(d->session) : place.at, direction);
    if (err)
        return err;
    if (d->followed.interrupted)
        return stop_interrupted(d, direction, stop);
    if (!d->followed_breakpoint)
        return movement_continue(d->session, direction, 1, stop);
    err = movement_travel(d->session, landing(&d->followed, direction), stop);
    if (!err && stop->why == WHY_ARRIVED)
        *stop = (struct session_stop){.why = WHY_BREAKPOINT, .hit = d->followed.hit};
    else
        debug_followed_forget(d); /* another breakpoint came first */
    return err;
}

/* For any other movement, after it was made: looks for an event on the way. */
struct error *debug_follow_between(struct debug *d, struct moment from, struct session_stop *stop)
{
    struct session_place place;
    struct session_stop there;
    session_place(d->session, &place);
    enum session_direction direction = moment_compare(from, place.at) <= 0 ? FORWARD : BACKWARD;
    bool forward = direction == FORWARD;
    struct error *err =
        find_nearest(d, forward ? from : place.at, forward ? place.at : from, direction);
    if (err || !d->followed_breakpoint)
        return err;
    if (moment_compare(landing(&d->followed, direction), place.at) == 0)
        return NULL; /* the event is exactly here: both are reported */
    err = movement_goto(d->session, landing(&d->followed, direction), &there);
    if (!err)
        *stop = (struct session_stop){.why = WHY_BREAKPOINT, .hit = d->followed.hit};
    return err;
}
