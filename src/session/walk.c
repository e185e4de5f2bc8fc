/* The building blocks of movements by statements: see stepping_internal.h.
 *
 *                 finding                               landing
 *   forward       the present runs, points counted      where it stops
 *   backward      copies count, then one stops there    that copy, unless a breakpoint lies nearer:
 *                 those were looked for, too
 */
#include <stdlib.h>

#include "base/xalloc.h"
#include "session/stepping_internal.h"

enum { FRAMES_AGAIN = 64, INLINED_MOST = 32 };

/* --- around a movement ------------------------------------------------------------------------ */

struct error *walk_frames(struct walk *w, size_t most)
{
    struct frame *frames;
    base_frames_deinit(&w->frames);
    w->frames = (struct base_frames){0};
    struct control_area *areas;
    size_t count, area_count;
    struct error *err = source_frames(w->src, w->thread, most, &frames, &count, NULL);
    if (err)
        return err;
    err = session_areas(w->s, &areas, &area_count);
    if (!err) {
        base_frames_init(&w->frames, w->points, w->symbols, frames, count, areas, area_count);
        base_frames_stand_before(&w->frames, w->symbols, source_stands_before(w->src, w->thread));
        free(areas);
    }
    if (count)
        w->rsp = frames[0].reg[DWARF_RSP];
    if (!err)
        walk_hold_goroutine(w, frames, count);
    free(frames);
    return err;
}

struct error *walk_frame_here(struct source *src, u64 *ret)
{
    struct frame *frames;
    size_t count;
    struct error *err = source_frames(src, CONTROL_THREAD_ANY, INLINED_MOST, &frames, &count, NULL);
    *ret = 0;
    if (err)
        return err;
    for (size_t n = 0; n < count && !*ret; n++)
        *ret = frames[n].inlined ? 0 : frames[n].cfa;
    free(frames);
    return NULL;
}

struct error *walk_begin(struct walk *w, struct source *src, size_t frames,
                         struct session_stop *stop)
{
    struct session *s = source_session(src);
    *w = (struct walk){.src = src, .s = s, .points = source_points(src), .thread = s->here.thread,
                       .from = s->here.at, .stop = stop};
    *stop = (struct session_stop){.why = WHY_STEPPED};
    session_begin(s);
    struct error *err = source_symbols(src, &w->symbols);
    if (err)
        return err;
    points_use(w->points, w->symbols, w->from.pc);
    return frames ? walk_frames(w, frames) : NULL;
}

struct error *walk_end(struct walk *w, enum session_direction direction, struct error *err)
{
    base_frames_deinit(&w->frames);
    free(w->resolvers);
    if (!err)
        err = movement_keep_in_life(w->s, direction, w->thread, w->from, w->stop);
    if (err) {
        movement_return(w->s, w->from);
        return err;
    }
    if (direction == BACKWARD && session_interrupted(w->s)) {
        movement_return(w->s, w->from);
        *w->stop = (struct session_stop){.why = WHY_INTERRUPTED};
    }
    session_moved(w->s, w->from);
    return NULL;
}

struct point_question walk_question(const struct walk *w, const struct plan_frame *frames,
                                    u32 count)
{
    return (struct point_question){.points = {
        .points = w->points->list, .point_count = w->points->count,
        .scopes = w->points->scopes, .scope_count = w->points->scope_count,
        .frames = frames, .frame_count = count, .thread = w->thread,
    }};
}

/* --- forward ---------------------------------------------------------------------------------- */

static void walk_describe(struct walk *w, const struct replayer *r, const struct pass_plan *plan)
{
    const struct control_stopped *at = &r->stopped;
    struct found found = {.any = true};
    *w->stop = (struct session_stop){.why = WHY_STEPPED};
    for (u64 n = 0; n < at->count && n < PLAN_HITS_KEPT; n++)
        if (plan->numbers[at->hits[n].site] && at->hits[n].tick == at->hits[0].tick &&
            at->hits[n].pc == at->hits[0].pc)
            found.hits[found.kept++] = at->hits[n];
    if (found.kept && (at->reason == STOPPED_HIT || at->reason == STOPPED_POINT))
        movement_describe(w->stop, &found, plan);
    else if (at->reason == STOPPED_END)
        w->stop->why = WHY_END;
    else if (at->reason == STOPPED_INTERRUPTED)
        w->stop->why = WHY_INTERRUPTED;
}

static void walk_make_plan(const struct walk *w, const struct ahead *a, bool alone,
                           struct pass_plan *ret)
{
    struct breakpoints none = {0};
    breakpoints_plan(alone ? &none : &w->s->breakpoints, CHOOSE_ALL, a->site,
                     a->site ? 1 + a->more_sites : 0, ret);
    if (a->condition)
        pass_plan_add_condition(ret, a->more_sites, a->condition, a->condition_size);
    pass_plan_add_points(ret, &w->s->family.tables, &a->points);
    ret->plan->points_nth = a->nth;
    ret->plan->flags = a->flags | (a->goes_on ? 0 : PLAN_PAST_HERE);
}

static struct error *run_once(struct walk *w, struct replayer *r, struct ahead *a, bool alone)
{
    struct pass_plan plan;
    walk_make_plan(w, a, alone, &plan);
    struct error *err =
        timeline_run(&w->s->timeline, r,
                     &(struct timeline_pass){.plan = plan.plan,
                                             .size = plan.size,
                                             .limit = {a->limit_tick ? a->limit_tick : ~0ull, 0},
                                             .moves = !alone});
    if (!err) {
        a->nth = plan.plan->points_nth - r->stopped.points;
        walk_describe(w, r, &plan);
    }
    pass_plan_deinit(&plan);
    return err;
}

/* True if the movement counts all points of the program. Then points of new libraries count,
 * too. */
static bool counts_all(const struct walk *w, const struct ahead *a)
{
    return a->points.points == w->points->list;
}

static void count_all(const struct walk *w, struct ahead *a)
{
    a->points.points = w->points->list;
    a->points.point_count = w->points->count;
    a->points.scopes = w->points->scopes;
    a->points.scope_count = w->points->scope_count;
}

static struct error *run_on(struct walk *w, struct replayer *r, struct ahead *a)
{
    struct error *err = run_once(w, r, a, false);
    if (!err)
        session_stand(w->s, r);
    return err;
}

/* With a breakpoint that has an ignore count, a copy first finds where the movement ends. Then the
 * present process runs there, unless a breakpoint stops it. */
static struct error *run_twice(struct walk *w, struct replayer *r, struct ahead *a)
{
    struct replayer *copy;
    struct error *err = replayer_fork(r, &copy);
    if (err)
        return err;
    err = run_once(w, copy, a, true);
    struct moment end = replayer_at(copy);
    bool ends = copy->stopped.reason == STOPPED_END;
    replayer_destroy(copy);
    if (err || session_interrupted(w->s))
        return err;
    return movement_run_ahead(w->s, ends ? (struct moment){~0ull, 0} : end, 1, w->stop);
}

static struct error *run_from_here(struct walk *w, struct ahead *a)
{
    struct replayer *r;
    struct error *err = session_present(w->s, &r);
    if (!err)
        err = movement_depart(w->s, r);
    if (err)
        return err;
    return breakpoints_ignoring(&w->s->breakpoints) ? run_twice(w, r, a) : run_on(w, r, a);
}

/* A library that is loaded or unloaded on the way has statements, too. Then the run is repeated
 * with all of them. */
struct error *walk_ahead(struct walk *w, struct ahead *a)
{
    struct symbols *symbols;
    const struct ahead asked = *a;
    const struct goroutine_hold goroutine = w->goroutine;
    u32 thread = w->thread;
    bool all = counts_all(w, a);
    struct moment from = w->s->here.at;
    u32 known = symbols_points_number(w->symbols);
    struct error *err = walk_ahead_following(w, a, run_from_here);
    if (err || session_interrupted(w->s))
        return err;
    err = source_symbols(w->src, &symbols);
    if (err || session_interrupted(w->s) || !all || symbols_points_number(symbols) == known)
        return err;
    points_join(w->points, symbols);
    *a = asked;
    w->goroutine = goroutine;
    w->thread = thread;
    count_all(w, a);
    err = movement_go(w->s, from);
    return err ? err : walk_ahead_following(w, a, run_from_here);
}

/* --- backward --------------------------------------------------------------------------------- */

/* Looks for the nearest breakpoint not before `to`. If there is one, the session goes there. */
static struct error *stop_on_the_way(struct walk *w, struct moment to, bool *ret)
{
    struct session_stop stop = {.why = WHY_STEPPED};
    struct moment at;
    *ret = false;
    if (!breakpoints_any(&w->s->breakpoints, CHOOSE_ALL))
        return NULL;
    struct error *err = movement_stop_before(w->s, to, 1, &stop, &at);
    if (err || session_interrupted(w->s) || stop.why != WHY_BREAKPOINT)
        return err;
    err = movement_go(w->s, at);
    if (err || session_interrupted(w->s))
        return err;
    *w->stop = stop;
    *ret = true;
    return NULL;
}

struct error *walk_back(struct walk *w, struct moment to, enum session_why why,
                        struct replayer *process)
{
    bool stopped;
    struct error *err = stop_on_the_way(w, to, &stopped);
    if (err || stopped || session_interrupted(w->s)) {
        replayer_destroy(process);
        return err;
    }
    w->stop->why = why;
    if (!process)
        return movement_go(w->s, to);
    session_stand(w->s, process);
    return NULL;
}

/* Returns the innermost scope that contains both scopes. */
static u32 common_scope(const struct walk *w, u32 a, u32 b)
{
    while (a != b) {
        if (a > b)
            a = w->points->scopes[a];
        else
            b = w->points->scopes[b];
    }
    return a;
}

static struct error *search_in_frame(struct walk *w, const struct frame_search *f,
                                     struct point_result *ret)
{
    struct plan_site beginnings[BEGINNINGS_MOST];
    struct plan_frame base = w->frames.list[f->index].plan;
    base.scope = f->scope;
    struct point_question q = walk_question(w, &base, 1);
    q.beginnings = beginnings;
    q.beginning_count = base_frame_beginnings(&w->frames, f->index, w->symbols, w->thread,
                                              beginnings);
    return point_search_before(w->s, &q, f->from, f->nth, ret);
}

/* Used when no frames are left: any point counts. */
static struct error *search_anywhere(struct walk *w, const struct frame_search *f,
                                     struct point_result *ret)
{
    struct point_question q = walk_question(w, NULL, 0);
    return point_search_before(w->s, &q, f->from, f->nth, ret);
}

/* Continues the search in the caller. The call itself may be the start of a statement of the
 * caller. Returns true if that is the wanted point. */
static bool go_outside(struct walk *w, struct frame_search *f, bool executed)
{
    f->index++;
    f->scope = f->index < w->frames.count ? w->frames.list[f->index].plan.scope : 0;
    const struct plan_point *p = points_at(w->points, f->from.pc);
    return p && executed && f->index < w->frames.count && p->scope == f->scope && --f->nth == 0;
}

/* Continues the search in the innermost scope that contains both the current one and that of the
 * point. Returns true if the point is in that scope and is the wanted one. */
static bool leave_scope(struct walk *w, struct frame_search *f, u32 scope)
{
    f->scope = common_scope(w, f->scope, scope);
    return f->scope == scope && --f->nth == 0;
}

/* The first function of a stack made by makecontext() was not called. Before its first statement,
 * other code ran with other frames; the search continues there. */
static struct error *go_elsewhere(struct walk *w, struct frame_search *f, u64 missing,
                                  struct point_result *ret)
{
    struct error *err = NULL;
    struct moment from = f->from;
    if (missing < f->nth) {
        f->nth -= missing;
        err = search_in_frame(w, f, ret);
        replayer_destroy(ret->process);
        from = ret->at;
    }
    if (err || session_interrupted(w->s))
        return err;
    *f = (struct frame_search){.index = w->frames.count, .from = from, .nth = 1};
    err = search_anywhere(w, f, ret);
    if (err || missing == 1 || ret->outcome != POINT_FOUND)
        return err;
    replayer_destroy(ret->process);
    from = ret->at;
    err = movement_go(w->s, from);
    if (err || session_interrupted(w->s))
        return err;
    err = walk_frames(w, FRAMES_AGAIN);
    if (err)
        return err;
    u32 scope = w->frames.count ? w->frames.list[0].plan.scope : 0;
    err = walk_find_before(
        w, (struct frame_search){.scope = scope, .from = from, .nth = missing - 1}, ret);
    return err ? err : movement_go(w->s, w->from);
}

struct error *walk_find_before(struct walk *w, struct frame_search f, struct point_result *ret)
{
    for (;;) {
        bool inside = f.index < w->frames.count;
        struct error *err = NULL;
        if (inside && !w->frames.list[f.index].plan.cfa)
            *ret = (struct point_result){.outcome = POINT_NONE, .missing = f.nth};
        else
            err = inside ? search_in_frame(w, &f, ret) : search_anywhere(w, &f, ret);
        if (!err && ret->outcome == POINT_NONE && inside && !f.stays)
            return go_elsewhere(w, &f, ret->missing, ret);
        bool goes_on = ret->outcome == POINT_LEFT || (ret->outcome == POINT_BEGUN && !f.stays);
        if (err || !goes_on)
            return err;
        f.from = ret->at;
        f.nth = ret->missing;
        if (ret->outcome == POINT_LEFT ? leave_scope(w, &f, ret->scope)
                                       : go_outside(w, &f, !ret->from_outside)) {
            ret->outcome = POINT_FOUND;
            return NULL;
        }
    }
}

struct error *walk_back_to(struct walk *w, const struct point_result *found)
{
    enum session_why why = found->outcome == POINT_FOUND ? WHY_STEPPED : WHY_START;
    return walk_back(w, found->at, why, found->process);
}

struct error *walk_go_before(struct walk *w, struct frame_search f)
{
    struct point_result found;
    struct error *err = walk_find_before(w, f, &found);
    return err || session_interrupted(w->s) ? err : walk_back_to(w, &found);
}

struct error *walk_last(struct walk *w, const struct plan_site *sites, u32 count,
                        struct moment from, struct found *ret)
{
    return walk_last_since(w, sites, count, from, session_first(w->s), ret);
}

struct error *walk_last_since(struct walk *w, const struct plan_site *sites, u32 count,
                              struct moment from, struct moment since, struct found *ret)
{
    struct counts counts = {0};
    struct breakpoints none = {0};
    struct search q = {.counts = &counts, .nth = 1, .from = from, .bound = since};
    breakpoints_plan(&none, CHOOSE_ALL, sites, count, &q.plan);
    struct error *err = search_backward(w->s, &q, ret);
    pass_plan_deinit(&q.plan);
    counts_deinit(&counts);
    return err;
}

struct plan_point *walk_call_points(struct walk *w, const struct points_function *f, bool behind,
                                    u32 *ret_count)
{
    struct list found = LIST(struct plan_point);
    struct instruction *code;
    size_t count;
    symbols_instructions(w->symbols, f->start, f->end, &code, &count);
    for (size_t n = 0; n < count; n++) {
        struct cfa_rule rule = {0};
        u64 pc = code[n].pc + (behind ? code[n].length : 0);
        if (code[n].kind != INSTRUCTION_CALL || pc >= f->end)
            continue;
        symbols_cfa_rule(w->symbols, pc, &rule);
        *(struct plan_point *)list_add(&found) = plan_point_of(pc, &rule);
    }
    free(code);
    *ret_count = (u32)found.count;
    return found.items;
}
