/* Steps around resolvers.
 *
 * The resolver of an IFUNC is called by the dynamic linker, where steps do not stop
 * (docs/movement.md). The resolver's own step points are excluded by address. Functions that it
 * calls may also be called from elsewhere. So the calls of resolvers are found, and points between
 * such a call and its return are left out. There are few: each resolver is called once for each
 * file that binds its function.
 *
 *          e ...... resolver ...... r             points in between are not counted
 */
#include <stdlib.h>

#include "session/stepping_internal.h"

/* A call of a resolver. */
struct resolver_call {
    struct moment entered, returned;
    u64 points; /* number of points counted between entry and return */
};

/* Returns sites at the entries of resolvers; the caller frees *ret. */
static u32 resolver_sites(const struct walk *w, struct plan_site **ret)
{
    u64 *entries;
    size_t count;
    symbols_resolvers(w->symbols, &entries, &count);
    *ret = xalloc((count + 1) * sizeof **ret);
    for (size_t n = 0; n < count; n++)
        (*ret)[n] =
            (struct plan_site){.kind = SITE_CODE, .address = entries[n], .thread = w->thread};
    free(entries);
    return (u32)count;
}

/* Sets *ret if a resolver is on the stack where the session stands. */
static struct error *is_in_resolver(struct walk *w, bool *ret)
{
    enum { FRAMES_LOOKED_AT = 64 };
    struct frame *frames;
    size_t count;
    *ret = false;
    struct error *err = source_frames(w->src, w->thread, FRAMES_LOOKED_AT, &frames, &count, NULL);
    if (err)
        return err;
    for (size_t n = 0; n < count && !*ret; n++)
        *ret = symbols_is_resolver(w->symbols, frames[n].pc - frames[n].called);
    free(frames);
    return NULL;
}

struct error *walk_begin_resolvers(struct walk *w)
{
    bool inside = false;
    w->resolver_count = resolver_sites(w, &w->resolvers);
    struct error *err = w->resolver_count ? is_in_resolver(w, &inside) : NULL;
    if (inside)
        w->resolver_count = 0; /* a movement that begins in a resolver does not skip it */
    return err;
}

bool walk_at_resolver(const struct walk *w)
{
    for (u32 n = 0; n < w->resolver_count; n++)
        if (w->resolvers[n].address == w->s->here.at.pc)
            return true;
    return false;
}

/* --- backward --------------------------------------------------------------------------------- */

/* Runs from the entry of a resolver to its return, with a pass that counts points. */
static struct error *follow_call(struct walk *w, const struct plan_site *back,
                                 struct resolver_call *c)
{
    struct pass_plan plan;
    struct replayer *r;
    struct breakpoints none = {0};
    struct point_question q = walk_question(w, NULL, 0);
    struct error *err = timeline_reach(&w->s->timeline, c->entered, &r);
    if (err || !r)
        return err;
    breakpoints_plan(&none, CHOOSE_ALL, back, 1, &plan);
    pass_plan_add_points(&plan, &w->s->family.tables, &q.points);
    plan.plan->points_nth = ~0ull;
    plan.plan->limit_tick = ~0ull;
    err = replayer_run(r, plan.plan, plan.size);
    c->points = r->stopped.points;
    c->returned = replayer_at(r);
    pass_plan_deinit(&plan);
    replayer_destroy(r);
    return err;
}

/* Goes to the entry of the call to look at its frame. The session stays there. */
static struct error *look_at_call(struct walk *w, struct moment entered, struct resolver_call *ret)
{
    *ret = (struct resolver_call){.entered = entered, .returned = entered};
    struct error *err = movement_go(w->s, entered);
    if (!err && !session_interrupted(w->s))
        err = walk_frames(w, 8);
    if (err || session_interrupted(w->s) || !w->frames.count)
        return err;
    const struct plan_frame *f = &w->frames.list[0].plan;
    struct plan_site back = {.kind = SITE_CODE, .address = f->return_pc, .thread = w->thread,
                             .stack_least = f->cfa, .stack_most = f->cfa};
    return follow_call(w, &back, ret);
}

/* Finds the last call of a resolver before the moment, if it had not returned by then. Nearly
 * always no resolver is on the stack, so the search over the whole run is not needed. */
static struct error *find_around(struct walk *w, struct moment at, bool *ret,
                                 struct resolver_call *ret_call)
{
    struct found found;
    bool inside = false;
    *ret = false;
    struct error *err = movement_go(w->s, at);
    if (!err && !session_interrupted(w->s))
        err = is_in_resolver(w, &inside);
    if (err || session_interrupted(w->s) || !inside)
        return err;
    err = walk_last(w, w->resolvers, w->resolver_count, at, &found);
    if (err || session_interrupted(w->s) || !found.any)
        return err;
    err = look_at_call(w, (struct moment){found.hits[0].tick, found.hits[0].pc}, ret_call);
    *ret = !err && moment_compare(ret_call->returned, at) > 0;
    return err;
}

/* Counts the points since the last call of a resolver. A search for more points than exist ends
 * where that call began. */
static struct error *count_since(struct walk *w, struct point_question *q, struct moment from,
                                 u64 *ret)
{
    const u64 endless = ~0ull >> 2;
    struct point_result r;
    struct error *err = point_search_before(w->s, q, from, endless, &r);
    replayer_destroy(r.process);
    *ret = endless - r.missing;
    return err;
}

/* The calls of resolvers are the `beginnings` of the question. A search ends at the last call, and
 * continues before it without the points in it. */
static struct error *search_around(struct walk *w, u64 count, struct point_result *ret)
{
    struct point_question q = walk_question(w, NULL, 0);
    struct moment from = w->from;
    q.beginnings = w->resolvers;
    q.beginning_count = w->resolver_count;
    for (;;) {
        struct resolver_call call;
        bool inside = false;
        u64 since = 0;
        struct error *err = point_search_before(w->s, &q, from, count, ret);
        if (err || session_interrupted(w->s))
            return err;
        if (ret->outcome == POINT_FOUND)
            err = find_around(w, ret->at, &inside, &call);
        else if (ret->outcome == POINT_BEGUN)
            err = look_at_call(w, ret->at, &call);
        if (err || session_interrupted(w->s) ||
            (ret->outcome == POINT_FOUND ? !inside : ret->outcome != POINT_BEGUN))
            return err;
        replayer_destroy(ret->process);
        ret->process = NULL;
        if (inside)
            err = count_since(w, &q, from, &since);
        if (err)
            return err;
        count = (inside ? count - since : ret->missing) + call.points;
        from = call.entered;
    }
}

struct error *walk_search_around(struct walk *w, u64 count, struct point_result *ret)
{
    struct error *err = search_around(w, count, ret);
    struct error *back = movement_go(w->s, w->from);
    if (err)
        error_destroy(back);
    return err ? err : back;
}
