/* Watchpoints: what they are about, what they are to the session, and how long they live.
 *
 * What lies at one place at all times is a data site, with its condition compiled: the engine does
 * the rest. Anything else (pointers that are followed, registers, a condition that cannot be
 * compiled) is looked for by a question over time (query/followed.h), and has no data site.
 *
 * A local is watched as long as its frame lives. The frame's end and its beginning are locations of
 * the watchpoint, too: a movement stops there and says so, and from then on it is known when that
 * was.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

void debug_watch_destroy(struct debug_watch *w)
{
    if (!w)
        return;
    subject_destroy(w->subject);
    subject_destroy(w->condition);
    free(w->code);
    free(w);
}

/* --- making ----------------------------------------------------------------------------------- */

/* Compiled, or looked at where the value has changed. */
static struct error *set_condition(struct debug *d, struct debug_watch *w, const char *text)
{
    struct subject *condition = NULL;
    struct values_request request;
    struct error *err = debug_request(d, &request);
    if (!err && text)
        err = subject_create(d->session, d->source, d->thread, &request, text, &condition);
    if (err)
        return err;
    subject_destroy(w->condition);
    free(w->code);
    w->condition = condition;
    w->code = NULL;
    w->follows = !w->subject->is_fixed;
    if (!condition)
        return NULL;
    err = subject_compile(condition, &w->code, &w->code_size);
    if (err) {
        debug_say(d, "The condition is evaluated by ebb at each change, which is slow: %s\n",
                  error_text(err));
        error_destroy(err);
        w->code = NULL;
        w->follows = true;
    }
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

static struct debug_breakpoint *make_breakpoint(struct debug *d, const struct debug_watch_order *o,
                                                struct debug_watch *w)
{
    struct session_place place;
    char *what = xformat("%s%s", o->is_location ? "-l " : "", o->expression);
    struct debug_breakpoint *p = debug_breakpoints_add(d, o->type, what);
    free(what);
    session_place(d->session, &place);
    w->any_store = o->any_store;
    w->alive_from = w->alive_to = place.at;
    p->watch = w;
    p->thread = o->thread;
    p->condition = o->condition ? xformat("%s", o->condition) : NULL;
    return p;
}

struct error *debug_watch_add(struct debug *d, const struct debug_watch_order *order,
                              struct debug_breakpoint **ret)
{
    struct debug_watch *w = xalloc(sizeof *w);
    *w = (struct debug_watch){0};
    struct error *err = read_subject(d, order, &w->subject);
    if (!err)
        err = check_kind(w->subject, order->type);
    if (!err)
        err = set_condition(d, w, order->condition);
    if (err)
        debug_watch_destroy(w);
    else
        *ret = make_breakpoint(d, order, w);
    return err;
}

/* --- the session's part ----------------------------------------------------------------------- */

u32 debug_watch_kind(const struct debug_breakpoint *p)
{
    return p->type == BREAK_STORE ? SITE_STORE : p->type == BREAK_LOAD ? SITE_LOAD : SITE_ACCESS;
}

static struct error *debug_watch_add_location(struct debug *d, struct debug_breakpoint *p, u32 role,
                                        struct breakpoint *b)
{
    const struct debug_watch *w = p->watch;
    u32 number = 0;
    struct moment to = w->end.tick     ? w->end
                       : w->begin.tick ? (struct moment){~0ull, ~0ull}
                                       : (struct moment){0, 0};
    b->site.from_tick = w->begin.tick;
    b->site.from_pc = w->begin.pc;
    b->site.to_tick = to.tick;
    b->site.to_pc = to.pc;
    struct error *err = session_add_breakpoint(d->session, b, &number);
    if (!err)
        *(struct debug_location *)list_add(&p->locations) = (struct debug_location){
            .address = b->site.address, .number = number, .role = role};
    return err;
}

static struct error *add_data_location(struct debug *d, struct debug_breakpoint *p)
{
    const struct debug_watch *w = p->watch;
    const struct subject *s = w->subject;
    struct breakpoint b = {
        .site.kind = debug_watch_kind(p),
        .site.flags = w->any_store ? PLAN_ANY_STORE : 0,
        .site.address = s->address,
        .site.size = s->size,
        .site.not_first = s->not_first,
        .site.not_last = s->not_last,
        .site.thread = p->thread,
        .condition = w->code,
        .site.condition_size = w->code ? (u32)w->code_size : 0,
        .ignore = p->ignore,
    };
    return debug_watch_add_location(d, p, LOCATION_OF_DATA, &b);
}

/* The current moment may have been reached by `goto`: did the frame end, or begin, on the way? */
static struct error *know_life(struct debug *d, struct debug_watch *w)
{
    struct session_place place;
    struct moment call;
    bool found = false, interrupted = false;
    struct error *err = NULL;
    session_place(d->session, &place);
    if (!w->end.tick && moment_compare(w->alive_to, place.at) < 0) {
        err = subject_frame_end(w->subject, w->alive_to, place.at, &found, &w->end, &interrupted);
        if (!err && !found && !interrupted)
            w->alive_to = place.at;
    } else if (!w->begin.tick && moment_compare(place.at, w->alive_from) < 0) {
        err = subject_frame_begin(w->subject, w->alive_from, place.at, &found, &w->begin, &call,
                                  &interrupted);
        if (!err && !found && !interrupted)
            w->alive_from = place.at;
    }
    return !err && interrupted
               ? error_coded(ERROR_INTERRUPTED,
                             "interrupted, before it was known whether the frame of %s "
                             "lives here",
                             w->subject->expression)
               : err;
}

struct error *debug_watch_settle(struct debug *d, struct debug_breakpoint *p)
{
    struct debug_watch *w = p->watch;
    struct breakpoint b;
    const struct debug_location *locations = p->locations.items;
    struct moment begin = w->begin, end = w->end;
    bool local = subject_is_local(w->subject);
    struct error *err = local ? know_life(d, w) : NULL;
    bool same = !moment_compare(begin, w->begin) && !moment_compare(end, w->end);
    if (err || (p->locations.count && locations[0].number && same))
        return err;
    debug_breakpoint_unsettle(d, p);
    p->locations.count = 0;
    if (!w->follows)
        err = add_data_location(d, p);
    if (!err && !w->end.tick && subject_bound(w->subject, SUBJECT_ENDS, &b))
        err = debug_watch_add_location(d, p, LOCATION_OF_END, &b);
    if (!err && !w->begin.tick && subject_bound(w->subject, SUBJECT_BEGINS, &b))
        err = debug_watch_add_location(d, p, LOCATION_OF_BEGINNING, &b);
    return err;
}

/* A movement that heeds breakpoints came here without a stop at an end of the frame. */
void debug_watches_moved(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    struct session_place place;
    session_place(d->session, &place);
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct debug_watch *w = all[i]->watch;
        if (!w || all[i]->disabled)
            continue;
        if (!w->end.tick && moment_compare(w->alive_to, place.at) < 0)
            w->alive_to = place.at;
        if (!w->begin.tick && moment_compare(place.at, w->alive_from) < 0)
            w->alive_from = place.at;
    }
}

/* Another track is open: locals were of the one before. */
void debug_watches_rebind(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = d->breakpoints.count; i-- > 0;) {
        struct debug_watch *w = all[i]->watch;
        if (!w)
            continue;
        if (subject_is_local(w->subject) || (w->condition && subject_is_local(w->condition))) {
            debug_say(d, "Watchpoint %u was about a frame of the other track; it is deleted.\n",
                    all[i]->number);
            debug_breakpoints_remove(d, all[i]);
            continue;
        }
        error_destroy(subject_rebind(w->subject, d->session, d->source));
        if (w->condition)
            error_destroy(subject_rebind(w->condition, d->session, d->source));
        all[i]->locations.count = 0;
    }
}
