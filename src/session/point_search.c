/* Searching for points: see the header.
 *
 * Passes count points without noting where they are.  So a search backward counts piece by piece,
 * from the nearest part to the farthest (search_internal.h), until a piece holds enough; a second
 * pass over that piece stops at the right one.
 *
 * What is known of a piece:
 *
 *     from ......... began ............. left ......... to
 *                    the call of the     a point outside of
 *                    base's frame        the base's scope
 *
 * Points before the later of these two moments do not belong to the base's frame and scope.
 *
 * The same passes look for breakpoints, which saves a second search if there are none. Once a
 * breakpoint is found, the movement is likely to end there, so parts further back are counted
 * without breakpoints.
 */
#include "session/point_search_internal.h"

#include <stdlib.h>

struct counted_piece {
    struct moment from, to;
    u64 points;
    struct moment began, left; /* pc 0: not in this piece */
    /* the frame began with a signal, and the instruction at `began` was not executed before it */
    bool began_outside;
    u64 before_began;          /* number of points before `began` */
    u32 left_scope;
};

/* The result of counting one part. */
struct counted {
    struct list pieces;    /* oldest first */
    const struct plan_site *beginnings; /* the question's `beginnings` */
    struct counts *counts; /* of breakpoints, if the pass also looks for them; NULL: it does not */
    bool met;              /* a breakpoint was met */
};

static void note_breakpoints(struct counted *c, struct moment from,
                             const struct control_stopped *stopped)
{
    if (!c->counts)
        return;
    if (stopped->aside)
        c->met = true;
    else
        counts_note_empty(c->counts, from, (struct moment){stopped->tick, stopped->pc});
}

/* A timeline_seen function; its context is a struct counted. */
static void point_search_note_piece(void *context, struct moment from,
                                    const struct control_stopped *stopped)
{
    struct counted *c = context;
    if (stopped->reason == STOPPED_INTERRUPTED)
        return;
    note_breakpoints(c, from, stopped);
    struct counted_piece *p = list_add(&c->pieces);
    *p = (struct counted_piece){
        .from = from, .to = {stopped->tick, stopped->pc}, .points = stopped->points,
        .left = {stopped->left_tick, stopped->left_pc}, .left_scope = stopped->left_scope,
    };
    if (!stopped->count)
        return;
    p->began = (struct moment){stopped->hits[0].tick, stopped->hits[0].pc};
    p->before_began = stopped->hits[0].points;
    p->began_outside =
        c->beginnings[stopped->hits[0].site].kind == SITE_SIGNAL && !stopped->hits[0].written;
    if (moment_compare(p->left, p->began) > 0)
        p->began.pc = 0;
    else
        p->left.pc = 0;
}

/* The number of points in the piece that belong to the base's frame and scope. */
static u64 piece_points(const struct counted_piece *p)
{
    return p->began.pc ? p->points - p->before_began : p->points;
}

/* Makes a plan with the question's points. Breakpoints do not stop it. */
static void make_plan_among(struct session *s, const struct point_question *q,
                            const struct breakpoints *set, struct pass_plan *ret)
{
    breakpoints_plan(set, CHOOSE_PROMPT, q->beginnings, q->beginning_count, ret);
    struct plan_site *sites = (struct plan_site *)(ret->plan + 1);
    for (u32 n = q->beginning_count; n < ret->plan->sites; n++)
        sites[n].flags |= PLAN_ASIDE;
    pass_plan_add_points(ret, &s->family.tables, &q->points);
}

static void point_search_make_plan(struct session *s, const struct point_question *q,
                                   struct pass_plan *ret)
{
    make_plan_among(s, q, &(struct breakpoints){0}, ret);
}

/* Brings a process to the nth point of the piece. */
static struct error *stand_at(struct session *s, const struct point_question *q,
                              const struct counted_piece *p, u64 number, struct replayer **ret)
{
    struct pass_plan plan;
    struct replayer *r;
    struct point_question alone = {.points = q->points};
    struct moment start = p->began.pc ? p->began : p->left.pc ? p->left : p->from;
    *ret = NULL;
    struct error *err = timeline_reach(&s->timeline, start, &r);
    if (err || !r)
        return err;
    point_search_make_plan(s, &alone, &plan);
    plan.plan->points_nth = number;
    plan.plan->flags = p->left.pc ? PLAN_PAST_HERE : 0;
    plan.plan->limit_tick = p->to.tick;
    plan.plan->limit_pc = p->to.pc;
    err = replayer_run(r, plan.plan, plan.size);
    pass_plan_deinit(&plan);
    if (!err && r->stopped.reason == STOPPED_POINT) {
        *ret = r;
        return NULL;
    }
    if (!err && r->stopped.reason != STOPPED_INTERRUPTED)
        err = error_coded(ERROR_DIVERGED, "track %u: a statement that was counted did not occur "
                          "again in the replay", s->family.track);
    replayer_destroy(r);
    return err;
}

/* Returns true if the piece decides the search, and sets *ret. False: the search goes on further
 * back. */
static bool ends_in(const struct counted_piece *p, u64 *wanted, struct point_result *ret)
{
    u64 points = piece_points(p);
    if (*wanted <= points) {
        *ret = (struct point_result){.outcome = POINT_FOUND};
        return true;
    }
    *wanted -= points;
    if (p->began.pc)
        *ret = (struct point_result){.outcome = POINT_BEGUN,
                                     .at = p->began,
                                     .from_outside = p->began_outside,
                                     .missing = *wanted};
    else if (p->left.pc)
        *ret = (struct point_result){.outcome = POINT_LEFT, .at = p->left, .scope = p->left_scope,
                                     .missing = *wanted};
    return p->began.pc || p->left.pc;
}

/* Looks through the pieces of one part, newest first. */
static struct error *look_through(struct session *s, const struct point_question *q,
                                  const struct list *pieces, u64 *wanted, bool *ret_ends,
                                  struct point_result *ret)
{
    const struct counted_piece *p = pieces->items;
    *ret_ends = false;
    for (size_t n = pieces->count; n-- > 0 && !*ret_ends;) {
        *ret_ends = ends_in(&p[n], wanted, ret);
        if (!*ret_ends || ret->outcome != POINT_FOUND)
            continue;
        struct error *err = stand_at(s, q, &p[n], piece_points(&p[n]) - *wanted + 1,
                                     &ret->process);
        if (err)
            return err;
        if (ret->process)
            ret->at = replayer_at(ret->process);
    }
    return NULL;
}

/* Most movements are short, so the first part is small. Later parts grow with the estimated
 * distance to the wanted point. */
enum { EXPECTED_LEAST = 4096 }; /* ticks */

static u64 points_of(const struct list *pieces)
{
    const struct counted_piece *p = pieces->items;
    u64 points = 0;
    for (size_t n = 0; n < pieces->count; n++)
        points += p[n].points;
    return points;
}

static struct error *count_part(struct session *s, const struct point_question *q,
                                const struct search_parts *part, bool breakpoints,
                                struct counted *ret)
{
    struct pass_plan plan;
    *ret = (struct counted){.pieces = LIST(struct counted_piece), .beginnings = q->beginnings};
    if (breakpoints)
        make_plan_among(s, q, &s->breakpoints, &plan);
    else
        point_search_make_plan(s, q, &plan);
    ret->counts = breakpoints ? &s->counts : NULL;
    struct error *err = search_count(s, &plan, part, point_search_note_piece, ret);
    pass_plan_deinit(&plan);
    return err;
}

struct error *point_search_before(struct session *s, const struct point_question *q,
                                  struct moment from, u64 nth, struct point_result *ret)
{
    struct moment first = session_first(s);
    u64 expected = nth / 2 > EXPECTED_LEAST ? nth / 2 : EXPECTED_LEAST;
    struct search_parts part = search_parts_before(s, from, first, expected);
    struct error *err = NULL;
    bool ends = false, breakpoints = breakpoints_heeds_all(&s->breakpoints);
    counts_use(&s->counts, s->breakpoints.version);
    *ret = (struct point_result){.outcome = POINT_NONE, .at = first};
    while (!err && !ends && search_parts_next(&part)) {
        struct counted counted;
        const struct list *pieces = &counted.pieces;
        err = count_part(s, q, &part, breakpoints, &counted);
        breakpoints &= !counted.met;
        if (!err && !session_interrupted(s))
            err = look_through(s, q, pieces, &nth, &ends, ret);
        if (pieces->count)
            search_parts_pass(&part, ((struct counted_piece *)pieces->items)[0].from,
                              points_of(pieces), nth);
        list_deinit(&counted.pieces);
        if (session_interrupted(s)) {
            ends = true;
            replayer_destroy(ret->process);
            *ret = (struct point_result){.outcome = POINT_NONE, .at = first};
        }
    }
    if (ret->outcome == POINT_NONE)
        ret->missing = nth;
    return err;
}

struct error *point_search_any(struct session *s, const struct point_question *q,
                               struct moment from, struct moment to, bool *ret)
{
    struct pass_plan plan;
    struct replayer *r;
    *ret = false;
    struct error *err = timeline_reach(&s->timeline, from, &r);
    if (err || !r)
        return err;
    point_search_make_plan(s, q, &plan);
    plan.plan->points_nth = 1;
    plan.plan->flags = PLAN_PAST_HERE;
    plan.plan->limit_tick = to.tick;
    plan.plan->limit_pc = to.pc;
    err = replayer_run(r, plan.plan, plan.size);
    *ret = !err && r->stopped.reason == STOPPED_POINT;
    pass_plan_deinit(&plan);
    replayer_destroy(r);
    return err;
}
