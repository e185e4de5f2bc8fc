/* Followed values: watch_ask() of watch.h.
 *
 * The stretch is traced. One site is on the value itself; others, which end the pass, are on the
 * pointers that lead to it. Where the pass ends, the value is read again and the sites are laid
 * again. If there is a condition, or the value is too long to be reported with a hit, the pass
 * stops at each event.
 */
#include "query/watch.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/xalloc.h"

struct met {
    struct plan_hit hit;
    bool is_way;
    struct history_state old, new;
};

struct following {
    struct session *s;
    const struct watch *w;
    const struct watch_question *q;
    /* struct plan_site; the first is the value's own, if it is in memory */
    struct list sites;
    bool has_site;
    bool begun;
    struct history_state value; /* the current value */
    /* since the last look: the value was accessed, or a pointer to it changed, by: */
    bool touched, way_changed;
    struct plan_hit hit, way;
    struct list part;           /* struct met: the last events of this part that may be wanted */
    u64 left;                   /* number of events to skip, and the wanted one */
    bool found;
};

static void met_deinit(struct met *e)
{
    history_state_deinit(&e->old);
    history_state_deinit(&e->new);
}

static void drop_events(struct following *f, size_t count)
{
    struct met *events = f->part.items;
    if (!count)
        return;
    for (size_t i = 0; i < count; i++)
        met_deinit(&events[i]);
    memmove(events, events + count, (f->part.count - count) * sizeof *events);
    f->part.count -= count;
}

/* Adds an event; `now` is the value after it. */
static void followed_add_event(struct following *f, const struct plan_hit *hit, bool is_way,
                               const struct history_state *now)
{
    if (f->w->thread != CONTROL_THREAD_ANY && hit->thread != f->w->thread)
        return;
    if (f->part.count >= f->left)
        drop_events(f, f->part.count - f->left + 1);
    struct met *e = list_add(&f->part);
    *e = (struct met){*hit, is_way, history_state_copy(&f->value), history_state_copy(now)};
    if (!hit->after_tick) { /* seen at a step point, but happened before it */
        e->hit.after_tick = hit->tick;
        e->hit.after_pc = hit->pc;
    }
    if (f->q->direction == FORWARD && --f->left == 0)
        f->found = true;
}

/* --- looking ---------------------------------------------------------------------------------- */

static bool wants_stores(const struct following *f)
{
    return f->w->kind != SITE_LOAD;
}

static void lay_value(struct following *f)
{
    const struct history_state *v = &f->value;
    bool told = v->size <= PLAN_VALUE_KEPT && !f->w->condition;
    f->has_site = v->size > 0;
    if (f->has_site)
        *(struct plan_site *)list_add(&f->sites) = (struct plan_site){
            .kind = f->w->kind,
            .address = v->address,
            .size = v->size,
            .thread = CONTROL_THREAD_ANY,
            .flags = (f->w->any_store ? PLAN_ANY_STORE : 0) | (told ? 0 : PLAN_ENDS),
            .not_first = v->not_first,
            .not_last = v->not_last};
}

/* Decides what has happened where the pass stopped. */
static struct error *followed_judge(struct following *f, const struct history_state *now)
{
    enum became_truth truth = BECAME_TRUE;
    bool changed = !history_state_same(&f->value, now);
    bool by_way = f->way_changed && changed && wants_stores(f);
    if (!f->begun || (!f->touched && !by_way))
        return NULL;
    struct error *err = f->w->condition ? subject_holds(f->w->condition, &truth) : NULL;
    /* if the condition is unknown, the user gets a stop */
    if (!err && truth != BECAME_FALSE)
        followed_add_event(f, f->touched ? &f->hit : &f->way, !f->touched, now);
    return err;
}

static struct error *followed_lay(void *context, struct moment at, struct session_sites *ret)
{
    struct following *f = context;
    struct history_state now;
    struct session_noted *noted;
    size_t count;
    (void)at;
    struct error *err = history_state_look(f->s, subject_look, f->w->subject, &now, &noted, &count);
    if (err)
        return err;
    /* an optimized-out value is not known to have changed */
    bool known = !now.gone || !f->begun;
    if (known || f->touched)
        err = followed_judge(f, known ? &now : &f->value);
    f->sites.count = 0;
    f->has_site = false;
    if (known) {
        history_state_deinit(&f->value);
        f->value = now;
        lay_value(f);
    }
    history_state_lay_way(&now, noted, count, &f->sites);
    if (!known)
        history_state_deinit(&now);
    f->begun = true;
    f->touched = f->way_changed = false;
    struct look_points points = subject_points(f->w->subject);
    look_points_lay(&points, &f->sites);
    free(noted);
    *ret = (struct session_sites){
        .sites = f->sites.items, .count = f->sites.count, .enough = f->found};
    return err;
}

/* --- hits ------------------------------------------------------------------------------------- */

/* Takes a hit of the value that needs no look: the hit has its bytes. */
static void take_told(struct following *f, const struct plan_hit *hit)
{
    struct history_state now = history_state_copy(&f->value);
    memcpy(now.bytes, hit->new, now.size);
    memcpy(f->value.bytes, hit->old, now.size); /* there may have been loads before */
    followed_add_event(f, hit, false, &now);
    history_state_deinit(&f->value);
    f->value = now;
}

static bool followed_take(void *context, const struct plan_hit *hits, size_t count)
{
    struct following *f = context;
    const struct plan_site *sites = f->sites.items;
    for (size_t i = 0; i < count && !f->found; i++) {
        bool of_value = f->has_site && hits[i].site == 0;
        if (of_value && !(sites[0].flags & PLAN_ENDS)) {
            take_told(f, &hits[i]);
        } else if (of_value) {
            f->touched = true;
            f->hit = hits[i];
        } else {
            f->way_changed = true;
            f->way = hits[i];
        }
    }
    return !f->found;
}

static bool followed_end_part(void *context, struct moment from, struct moment to)
{
    struct following *f = context;
    (void)from;
    (void)to;
    if (f->q->direction == FORWARD)
        return true;
    f->begun = false;
    f->found = f->part.count >= f->left;
    if (!f->found) {
        f->left -= f->part.count;
        drop_events(f, f->part.count);
    }
    return !f->found;
}

/* A step point at the end of the stretch belongs to the next stretch, unless the movement ends
 * exactly there. */
static struct error *look_at_end(struct following *f, struct session_trace *t)
{
    struct look_points points = subject_points(f->w->subject);
    bool interrupted, is_point = false;
    for (size_t n = 0; n < points.count; n++)
        is_point |= points.pcs[n] == f->q->to.pc;
    if (!is_point || f->found || f->q->direction == BACKWARD)
        return NULL;
    f->way_changed = true;
    f->way = (struct plan_hit){.tick = f->q->to.tick, .pc = f->q->to.pc, .thread = points.thread};
    t->from = f->q->to;
    return session_trace(f->s, t, &interrupted);
}

/* --- answers ---------------------------------------------------------------------------------- */

static void take_answer(struct following *f, struct watch_answer *ret)
{
    struct met *events = f->part.items;
    size_t chosen = f->q->direction == FORWARD ? f->part.count - 1 : f->part.count - f->left;
    struct met *e = &events[chosen];
    ret->found = true;
    ret->hit = e->hit;
    ret->is_way = e->is_way;
    ret->old = e->old;
    ret->new = e->new;
    *e = (struct met){0};
}

static struct watch_question within_life(const struct watch *w, struct watch_question q)
{
    if (w->begin.tick && moment_compare(q.from, w->begin) < 0)
        q.from = w->begin;
    if (w->end.tick && moment_compare(w->end, q.to) < 0)
        q.to = w->end;
    return q;
}

struct error *watch_ask(const struct watch *w, const struct watch_question *asked,
                        struct watch_answer *ret)
{
    struct session *s = w->subject->session;
    struct watch_question q = within_life(w, *asked);
    struct following f = {.s = s,
                          .w = w,
                          .q = &q,
                          .sites = LIST(struct plan_site),
                          .part = LIST(struct met),
                          .left = q.nth};
    *ret = (struct watch_answer){0};
    if (moment_compare(q.from, q.to) > 0)
        return NULL;
    struct session_trace t = {.from = q.from,
                              .to = q.to,
                              .lay = followed_lay,
                              .take = followed_take,
                              .part = followed_end_part,
                              .direction = w->subject->point_count ? FORWARD : q.direction,
                              .context = &f,
                              .reached = &ret->reached};
    struct error *err = session_trace(s, &t, &ret->interrupted);
    if (!err && !ret->interrupted)
        err = look_at_end(&f, &t);
    if (!err && f.found)
        take_answer(&f, ret);
    drop_events(&f, f.part.count);
    list_deinit(&f.part);
    list_deinit(&f.sites);
    history_state_deinit(&f.value);
    return err;
}

void watch_answer_deinit(struct watch_answer *a)
{
    history_state_deinit(&a->old);
    history_state_deinit(&a->new);
}
