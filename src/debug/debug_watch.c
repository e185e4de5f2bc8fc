/* Watchpoints: watches (query/watch.h) that have a breakpoint number. Their sites are locations of
 * the breakpoint. */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* --- making ----------------------------------------------------------------------------------- */

/* Compiles the condition; if that fails, it is evaluated where the value has changed. */
static struct error *set_condition(struct debug *d, struct watch *w, const char *text)
{
    struct subject *condition = NULL;
    struct values_request request;
    struct error *err = debug_request(d, &request);
    if (!err && text)
        err = subject_create(d->session, d->source, d->thread, &request, text, &condition);
    if (err)
        return err;
    struct error *slow = watch_set_condition(w, condition);
    if (slow)
        debug_say(d, "The condition is evaluated by ebb at each change, which is slow: %s\n",
                  error_text(slow));
    error_destroy(slow);
    return NULL;
}

struct error *debug_watch_condition(struct debug *d, struct debug_breakpoint *p)
{
    return set_condition(d, p->watch, p->condition);
}

static struct error *check_subject(const struct subject *s)
{
    if (s->missing)
        return error_coded(ERROR_UNAVAILABLE, "%s has no value here that could be watched: %s",
                           s->expression, s->missing);
    if (subject_is_looked_at(s) && !s->point_count)
        return error_coded(
            ERROR_UNAVAILABLE,
            "%s is in a register, and this code has no line information to compare it "
            "at each statement",
            s->expression);
    return NULL;
}

static struct error *read_subject(struct debug *d, const struct debug_watch_order *o,
                                  struct subject **ret)
{
    struct subject *s;
    struct error *err = o->is_location ? debug_subject_location(d, o->expression, &s)
                                       : debug_subject(d, o->expression, &s);
    if (err)
        return err;
    err = check_subject(s);
    if (err)
        subject_destroy(s);
    else
        *ret = s;
    return err;
}

static struct error *check_kind(const struct subject *s, u32 type)
{
    bool loads = type != BREAK_STORE;
    if (loads && subject_is_looked_at(s))
        return error_coded(ERROR_UNAVAILABLE,
                           "%s is in a register, so ebb cannot tell when it is read; 'watch' stops "
                           "when it changes",
                           s->expression);
    if (loads && !s->in_memory && !s->is_fixed)
        return error_coded(
            ERROR_UNAVAILABLE,
            "%s is computed and has no memory, so it cannot be read; 'watch' stops when it changes",
            s->expression);
    return NULL;
}

static struct watch *make_watch(struct debug *d, const struct debug_watch_order *o,
                                struct subject *s)
{
    struct session_place place;
    session_place(d->session, &place);
    return watch_create(&(struct watch_order){.subject = s,
                                              .kind = debug_site_kind(o->type, false),
                                              .thread = o->thread,
                                              .any_store = o->any_store,
                                              .at = place.at});
}

static struct debug_breakpoint *make_breakpoint(struct debug *d, const struct debug_watch_order *o,
                                                struct watch *w)
{
    char *what = xformat("%s%s", o->is_location ? "-l " : "", o->expression);
    struct debug_breakpoint *p = debug_breakpoints_add(d, o->type, what);
    free(what);
    p->watch = w;
    p->thread = o->thread;
    p->condition = o->condition ? xformat("%s", o->condition) : NULL;
    return p;
}

struct error *debug_watch_add(struct debug *d, const struct debug_watch_order *order,
                              struct debug_breakpoint **ret)
{
    struct subject *subject;
    struct error *err = read_subject(d, order, &subject);
    if (err)
        return err;
    struct watch *w = make_watch(d, order, subject);
    err = check_kind(w->subject, order->type);
    if (!err)
        err = set_condition(d, w, order->condition);
    if (err)
        watch_destroy(w);
    else
        *ret = make_breakpoint(d, order, w);
    return err;
}

/* --- the session's part ----------------------------------------------------------------------- */

static struct error *add_site(struct debug *d, struct debug_breakpoint *p, struct watch_site *s)
{
    u32 number = 0;
    if (s->role == WATCH_DATA)
        s->breakpoint.ignore = p->ignore;
    struct error *err = session_add_breakpoint(d->session, &s->breakpoint, &number);
    if (!err)
        *(struct debug_location *)list_add(&p->locations) = (struct debug_location){
            .address = s->breakpoint.site.address, .number = number, .role = s->role};
    return err;
}

struct error *debug_watch_settle(struct debug *d, struct debug_breakpoint *p)
{
    struct watch_site sites[WATCH_SITES];
    struct session_place place;
    const struct debug_location *locations = p->locations.items;
    bool changed;
    session_place(d->session, &place);
    struct error *err = watch_know_life(p->watch, place.at, &changed);
    if (err || (p->locations.count && locations[0].number && !changed))
        return err;
    debug_breakpoint_unsettle(d, p);
    p->locations.count = 0;
    size_t count = watch_list_sites(p->watch, sites);
    for (size_t i = 0; i < count && !err; i++)
        err = add_site(d, p, &sites[i]);
    return err;
}

/* A movement that breakpoints could stop came here without a stop at an end of the frame. */
void debug_watches_moved(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    struct session_place place;
    session_place(d->session, &place);
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (all[i]->watch && !all[i]->disabled)
            watch_moved(all[i]->watch, place.at);
}

/* Another track was opened: watchpoints on locals belonged to the previous one. */
void debug_watches_rebind(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = d->breakpoints.count; i-- > 0;) {
        if (!all[i]->watch)
            continue;
        if (watch_rebind(all[i]->watch, d->session, d->source)) {
            all[i]->locations.count = 0;
            continue;
        }
        debug_say(d, "Watchpoint %u was about a frame of the other track; it is deleted.\n",
                  all[i]->number);
        debug_breakpoints_remove(d, all[i]);
    }
}
