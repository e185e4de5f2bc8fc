/* Movements by statements and frames: see source.h, and for where each of them stops the document
 * docs/movement.md.
 *
 *   step, next     counts points: in one pass forward, in two passes backward
 *   finish         stops at the frame's return address, with the right stack pointer; or at a point
 *                  outside of the frame if it was left by a jump
 *   until          sets breakpoints for the duration of the movement
 *   before         finds the call that made the frame (it wrote the return address), then the start
 *                  of the statement with that call
 *
 * nexti is in stepping_insns.c, out in stepping_out.c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/stepping_internal.h"

enum { FRAMES_LEAST = 64, FRAMES_MOST = 256 };

static size_t frames_for(u64 count)
{
    return count < FRAMES_MOST - FRAMES_LEAST ? FRAMES_LEAST + (size_t)count : FRAMES_MOST;
}

static struct error *finish_frame(struct walk *w, size_t index);

/* --- step ------------------------------------------------------------------------------------- */

/* A library that is loaded or unloaded on the way has statements, too: then the stretch is repeated
 * with all of them. Most libraries are loaded soon after the start of a program, so a long movement
 * consists of stretches, of which only one has to be repeated. */
enum { STRETCH = 1 << 20, STRETCH_GROWS = 4 }; /* ticks */

/* A breakpoint with an ignore count is searched from where the movement begins, so the whole
 * movement is one stretch. */
static u64 stretch_end(const struct walk *w, u64 from, u64 ticks)
{
    return breakpoints_ignoring(&w->s->breakpoints) ? 0 : from + ticks;
}

/* Runs one stretch from where the session stands. *left is the number of points still to go. */
static struct error *step_stretch(struct walk *w, u64 end, u64 *left)
{
    bool goes_on = moment_compare(w->s->here.at, w->from) != 0;
    struct point_question q = walk_question(w, NULL, 0);
    struct ahead a = {.points = q.points, .nth = *left, .limit_tick = end, .goes_on = goes_on};
    if (w->resolver_count) {
        a.site = w->resolvers;
        a.more_sites = w->resolver_count - 1;
    }
    struct error *err = walk_ahead(w, &a);
    *left = a.nth;
    return err;
}

/* A step does not stop in functions that a resolver calls. Runs to where the resolver returns. */
static struct error *step_around_resolver(struct walk *w)
{
    struct error *err = walk_frames(w, FRAMES_LEAST);
    return err || !w->frames.count ? err : finish_frame(w, 0);
}

/* True if the movement ended only because the stretch did. */
static bool goes_further(const struct walk *w, u64 end, u64 left)
{
    return end && left && w->stop->why == WHY_STEPPED && w->s->here.at.tick >= end;
}

static struct error *stepping_forward(struct walk *w, u64 count)
{
    struct error *err;
    bool around;
    u64 end, left = count, ticks = STRETCH;
    do {
        end = stretch_end(w, w->s->here.at.tick, ticks);
        err = step_stretch(w, end, &left);
        ticks *= STRETCH_GROWS;
        around = !err && left && w->stop->why == WHY_STEPPED && walk_at_resolver(w);
        if (around)
            err = step_around_resolver(w);
    } while (!err && w->stop->why == WHY_STEPPED && (around || goes_further(w, end, left)));
    return err;
}

static struct error *stepping_backward(struct walk *w, u64 count)
{
    struct point_question q = walk_question(w, NULL, 0);
    struct point_result found;
    struct error *err = w->resolver_count ? walk_search_around(w, count, &found)
                                          : point_search_before(w->s, &q, w->from, count, &found);
    if (err || session_interrupted(w->s))
        return err;
    return walk_back_to(w, &found);
}

struct error *movement_step(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret)
{
    struct walk w;
    struct error *err = walk_begin(&w, src, 0, ret);
    if (!err)
        err = walk_begin_resolvers(&w);
    if (!err)
        err = d == FORWARD ? stepping_forward(&w, count) : stepping_backward(&w, count);
    return walk_end(&w, d, err);
}

/* --- next ------------------------------------------------------------------------------------- */

/* After the end of a stack, and before the first statement of a thread, there are frames that were
 * not known when the movement began. The loop continues with those. */
static struct error *next_forward(struct walk *w, u64 count)
{
    for (;;) {
        struct point_question q = walk_question(w, w->frames.plan, w->frames.plan_count);
        struct ahead a = {.points = q.points, .nth = count, .flags = PLAN_FRAMES_LEAVE};
        struct error *err = walk_ahead(w, &a);
        if (err || w->stop->why != WHY_STEPPED || !a.nth)
            return err;
        count = a.nth;
        err = walk_frames(w, frames_for(count));
        if (err)
            return err;
    }
}

static struct error *next_backward(struct walk *w, u32 scope, u64 count)
{
    return walk_go_before(w, (struct frame_search){.scope = scope, .from = w->from, .nth = count});
}

static u32 scope_here(const struct walk *w)
{
    return w->frames.count ? w->frames.list[0].plan.scope : 0;
}

struct error *movement_next(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret)
{
    struct walk w;
    struct error *err = walk_begin(&w, src, frames_for(count), ret);
    if (!err)
        err = d == FORWARD ? next_forward(&w, count) : next_backward(&w, scope_here(&w), count);
    return walk_end(&w, d, err);
}

/* --- finish ----------------------------------------------------------------------------------- */

/* The frame that `finish` leaves: the nth outward. An inlined function counts as a frame. */
struct finish_target {
    size_t index;
    u32 scope;    /* if inlined: the scope to leave */
    bool inlined;
};

static struct error *stepping_find_target(const struct walk *w, u64 count,
                                          struct finish_target *ret)
{
    u64 left = count;
    for (size_t n = 0; n < w->frames.count; n++) {
        const struct base_frame *f = &w->frames.list[n];
        u32 scope = f->plan.scope;
        for (u32 depth = 0; depth < f->inlined && left; depth++) {
            *ret = (struct finish_target){n, scope, true};
            scope = symbols_scope_parent(w->symbols, scope);
            left--;
        }
        if (!left)
            return NULL;
        *ret = (struct finish_target){n, 0, false};
        if (--left == 0)
            return NULL;
    }
    return error_coded(ERROR_NOT_FOUND, "there are only %llu frames",
                       (unsigned long long)(count - left));
}

static bool stepping_is_within(const struct walk *w, const struct points_function *f, u32 scope,
                               u64 pc)
{
    u32 at = scope_at(f->ranges, f->range_count, pc);
    while (at && at != scope)
        at = symbols_scope_parent(w->symbols, at);
    return at == scope;
}

static bool is_of_function(const struct points_function *f, u64 pc)
{
    for (size_t n = 0; n < f->range_count; n++)
        if (pc >= f->ranges[n].start && pc < f->ranges[n].end)
            return true;
    return false;
}

/* Adds the instructions of a part of the function that do not belong to the scope. */
static void add_instructions(struct walk *w, const struct points_function *f,
                             const struct scope_range *part, u32 scope, struct list *to)
{
    struct instruction *code;
    size_t count;
    symbols_instructions(w->symbols, part->start, part->end, &code, &count);
    for (size_t n = 0; n < count; n++) {
        struct cfa_rule rule = {0};
        if (stepping_is_within(w, f, scope, code[n].pc))
            continue;
        symbols_cfa_rule(w->symbols, code[n].pc, &rule);
        *(struct plan_point *)list_add(to) = plan_point_of(code[n].pc, &rule);
    }
    free(code);
}

/* Points for leaving an inlined function: all instructions of the function outside of the inlined
 * scope, and all statements outside of the function. Statements inside the scope get the scope
 * LEFT_SCOPE, so that they count only in frames further out. */
enum { LEFT_SCOPE = 1, LEFT_SCOPES = 2 };

static struct plan_point *points_outside(struct walk *w, size_t index, u32 scope, u32 *ret_count)
{
    const struct base_frame *b = &w->frames.list[index];
    const struct points_function *f = points_function(w->points, w->symbols, b->pc - b->called);
    struct list found = LIST(struct plan_point);
    for (u32 n = 0; n < w->points->count; n++) {
        struct plan_point p = w->points->list[n];
        p.scope = stepping_is_within(w, f, scope, p.pc) ? LEFT_SCOPE : 0;
        if (p.scope || !is_of_function(f, p.pc))
            *(struct plan_point *)list_add(&found) = p;
    }
    for (size_t n = 0; n < f->range_count; n++)
        if (!f->ranges[n].scope && !f->ranges[n].block)
            add_instructions(w, f, &f->ranges[n], scope, &found);
    *ret_count = (u32)found.count;
    return found.items;
}

static struct plan_site return_site(const struct walk *w, size_t index)
{
    const struct base_frame *f = &w->frames.list[index];
    if (f->handler && index + 1 < w->frames.count) {
        const struct base_frame *outer = f + 1;
        return (struct plan_site){.kind = SITE_CODE, .address = outer->pc, .thread = w->thread,
                                  .stack_least = outer->rsp, .stack_most = outer->rsp};
    }
    return (struct plan_site){.kind = SITE_CODE, .address = f->plan.return_pc, .thread = w->thread,
                              .stack_least = f->plan.cfa, .stack_most = f->plan.stack_end};
}

static struct error *finish_frame(struct walk *w, size_t index)
{
    struct plan_site site = return_site(w, index);
    if (!site.address)
        return error_coded(ERROR_UNAVAILABLE,
                           "this is the outermost frame: it has no caller to return to");
    u32 count = w->frames.plan_count > index ? w->frames.plan_count - (u32)index : 1;
    struct plan_frame *outside = xalloc(count * sizeof *outside);
    memcpy(outside, w->frames.plan + index, count * sizeof *outside);
    outside[0] = w->frames.list[index].plan;
    outside[0].cfa++; /* only frames further out count */
    outside[0].scope = 0;
    outside[0].return_pc = 0;
    struct point_question q = walk_question(w, outside, count);
    struct error *err = walk_ahead(w, &(struct ahead){
        .points = q.points, .nth = 1, .flags = PLAN_FRAMES_LEAVE, .site = &site});
    free(outside);
    return err;
}

/* Runs to an instruction of the frame outside of the inlined scope, or to a statement which shows
 * that the frame itself is gone. */
static struct error *leave_inlined(struct walk *w, const struct finish_target *t)
{
    u32 count;
    struct plan_frame frame = w->frames.list[t->index].plan;
    struct plan_point *points = points_outside(w, t->index, t->scope, &count);
    struct plan_site site = return_site(w, t->index);
    static const u32 scopes[LEFT_SCOPES] = {0, 0};
    frame.scope = 0;
    struct error *err = walk_ahead(w, &(struct ahead){
        .points = {.points = points, .point_count = count, .frames = &frame, .frame_count = 1,
                   .scopes = scopes, .scope_count = LEFT_SCOPES, .thread = w->thread},
        .nth = 1, .flags = PLAN_FRAMES_LEAVE, .site = &site});
    free(points);
    return err;
}

/* True if the session still stands in that frame. A handler may be followed at once by another one
 * with the same frame address. */
static struct error *is_in_frame(struct walk *w, size_t index, bool *ret)
{
    const struct base_frame *f = &w->frames.list[index];
    struct plan_site beginnings[BEGINNINGS_MOST];
    struct found again = {0};
    u64 cfa;
    struct error *err = walk_frame_here(w->src, &cfa);
    *ret = !err && cfa == f->plan.cfa;
    if (!*ret || !f->handler)
        return err;
    u32 count = base_frame_beginnings(&w->frames, index, w->symbols, w->thread, beginnings);
    err = walk_last(w, beginnings, count, w->s->here.at, &again);
    *ret = !again.any ||
           moment_compare((struct moment){again.hits[0].tick, again.hits[0].pc}, w->from) < 0;
    return err;
}

/* Finishes an inlined function. If its frame was left by a jump, goes back and finishes the whole
 * frame instead. */
static struct error *finish_inlined(struct walk *w, const struct finish_target *t)
{
    bool inside;
    struct error *err = leave_inlined(w, t);
    if (err || w->stop->why != WHY_STEPPED ||
        w->s->here.at.pc == w->frames.list[t->index].plan.return_pc)
        return err;
    err = is_in_frame(w, t->index, &inside);
    if (err || inside || session_interrupted(w->s))
        return err;
    err = movement_go(w->s, w->from);
    return err ? err : finish_frame(w, t->index);
}

/* --- before ----------------------------------------------------------------------------------- */


/* Sets *ret if a signal handler ran in the thread between the two moments. It counts as a call made
 * by the instruction that it interrupted. */
static struct error *has_handled(struct walk *w, struct moment from, struct moment to, bool *ret)
{
    struct plan_site signal = {.kind = SITE_SIGNAL, .address = ~0ull, .thread = w->thread};
    struct found found;
    struct error *err = walk_last_since(w, &signal, 1, to, from, &found);
    *ret = !err && found.any;
    return err;
}

/* Sets *ret if the frame made a call that returned between the two moments. */
static struct error *has_called(struct walk *w, size_t index, struct moment from, struct moment to,
                                bool *ret)
{
    const struct base_frame *b = &w->frames.list[index];
    const struct points_function *f = points_function(w->points, w->symbols, b->pc - b->called);
    struct plan_frame frame = b->plan;
    u32 count;
    *ret = false;
    if (!f)
        return NULL;
    frame.scope = 0;
    struct plan_point *points = walk_call_points(w, f, true, &count);
    struct error *err = NULL;
    if (count)
        err = point_search_any(w->s, &(struct point_question){.points = {
                  .points = points, .point_count = count, .frames = &frame, .frame_count = 1,
                  .thread = w->thread}}, from, to, ret);
    free(points);
    return err;
}

/* Finds the start of the statement in which the frame was when it made its call, or the call
 * itself. If `executed` is false, a signal from outside came before the instruction at `call` was
 * executed. */
static struct error *find_statement(struct walk *w, size_t index, struct moment call, bool executed,
                                    struct moment *ret)
{
    struct point_result start;
    const struct base_frame *f = &w->frames.list[index];
    const struct plan_point *p = points_at(w->points, call.pc);
    *ret = call;
    if (p && executed && p->scope == f->plan.scope)
        return NULL;
    struct error *err = walk_find_before(w, (struct frame_search){
        index, f->plan.scope, call, 1, true}, &start);
    replayer_destroy(start.process);
    if (err || start.outcome != POINT_FOUND)
        return err;
    bool called = false;
    err = has_called(w, index, start.at, call, &called);
    if (!err && !called)
        err = has_handled(w, start.at, call, &called);
    if (!err && !called)
        *ret = start.at;
    return err;
}

static struct error *before_frame(struct walk *w, size_t index)
{
    struct plan_site calls[BEGINNINGS_MOST];
    struct found found;
    u32 count = base_frame_beginnings(&w->frames, index, w->symbols, w->thread, calls);
    if (!count)
        return error_coded(ERROR_UNAVAILABLE, "this is the outermost frame: it has no caller");
    struct error *err = walk_last(w, calls, count, w->from, &found);
    if (err || session_interrupted(w->s))
        return err;
    if (!found.any)
        return error_coded(ERROR_UNAVAILABLE, "the call of this frame is not in the recording");
    struct moment at = {found.hits[0].tick, found.hits[0].pc};
    bool executed = calls[found.hits[0].site].kind != SITE_SIGNAL || found.hits[0].written;
    if (index + 1 < w->frames.count)
        err = find_statement(w, index + 1, at, executed, &at);
    if (err || session_interrupted(w->s))
        return err;
    return walk_back(w, at, WHY_STEPPED, NULL);
}

/* An inlined function was not called: the wanted statement is the last one outside of it. */
static struct error *before_inlined(struct walk *w, const struct finish_target *t)
{
    return walk_go_before(w, (struct frame_search){
        .index = t->index, .scope = symbols_scope_parent(w->symbols, t->scope), .from = w->from,
        .nth = 1});
}

/* True if the frame returned normally: not left by a jump such as longjmp, and not stopped on the
 * way. */
static bool returned(const struct walk *w, const struct finish_target *t)
{
    const struct base_frame *f = &w->frames.list[t->index];
    return !t->inlined && !f->handler && w->stop->why == WHY_STEPPED &&
           w->s->here.at.pc == f->plan.return_pc;
}

struct error *movement_finish(struct source *src, enum session_direction d, u64 count,
                              struct session_stop *ret, u64 *ret_function)
{
    struct walk w;
    struct finish_target t = {0};
    struct error *err = walk_begin(&w, src, count + FRAMES_LEAST, ret);
    if (!err)
        err = stepping_find_target(&w, count, &t);
    if (!err && d == FORWARD)
        err = t.inlined ? finish_inlined(&w, &t) : finish_frame(&w, t.index);
    else if (!err)
        err = t.inlined ? before_inlined(&w, &t) : before_frame(&w, t.index);
    if (ret_function)
        *ret_function = !err && returned(&w, &t) ? w.frames.list[t.index].function : 0;
    return walk_end(&w, d, err);
}

/* --- until ---------------------------------------------------------------------------------- */

/* A stop at a temporary place is not reported as a breakpoint, unless a breakpoint of the user is
 * there too. */
static void name_stop(const struct list *numbers, struct session_stop *stop)
{
    const u32 *ours = numbers->items;
    u32 kept = 0;
    bool arrived = false;
    for (u32 i = 0; i < stop->breakpoint_count; i++) {
        bool is_ours = false;
        for (size_t n = 0; n < numbers->count; n++)
            is_ours |= ours[n] == stop->breakpoints[i];
        arrived |= is_ours;
        if (!is_ours)
            stop->breakpoints[kept++] = stop->breakpoints[i];
    }
    stop->breakpoint_count = kept;
    stop->breakpoint = kept ? stop->breakpoints[0] : 0;
    if (arrived && !kept)
        stop->why = WHY_STEPPED;
}

struct error *movement_until(struct source *src, enum session_direction d, const u64 *pcs,
                             size_t count, struct session_stop *ret)
{
    struct list numbers = LIST(u32);
    struct session *s = source_session(src);
    struct error *err = NULL;
    for (size_t n = 0; n < count && !err; n++) {
        struct breakpoint b = {
            .site = {.kind = SITE_CODE, .address = pcs[n], .thread = s->here.thread}};
        err = session_add_breakpoint(s, &b, list_add(&numbers));
        numbers.count -= err != NULL;
    }
    if (!err)
        err = movement_continue(s, d, 1, ret);
    if (!err && ret->why == WHY_BREAKPOINT)
        name_stop(&numbers, ret);
    for (size_t n = 0; n < numbers.count; n++)
        error_destroy(session_remove_breakpoint(s, ((u32 *)numbers.items)[n]));
    list_deinit(&numbers);
    return err;
}
