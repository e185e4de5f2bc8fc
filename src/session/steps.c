/* Steps: by instructions, forward and backward.
 *
 * A step back does not run a process. It uses the trail, a stretch of execution with all its
 * states, which grows while the user keeps stepping back. A step on the trail only looks at the
 * next state. Processes search, as for all other movements, only where the states cannot tell
 * whether a breakpoint stops (a condition, a load).
 *
 * Forward, the present process runs; on the trail, the next state is already known. If the
 * user keeps stepping forward, the session makes a trail that begins here.
 */
#include "session/movement_internal.h"

enum {
    TRAIL_GROWS = 4,
    /* states looked through before passes take over the search */
    STATES_TRIED = 4 * TRAIL_STATES_MOST,
    TRAILS_SEARCHED = 2,
    STATES_SEARCHED = 4096, /* states in the second trail: some milliseconds */
    STEPS_BEFORE_TRAIL = 8, /* steps forward by a process */
    STEPS_WITHOUT_TRAIL = 128, /* steps after a trail that could not be made, or did not help */
};

struct stepping {
    enum session_direction direction;
    u32 thread;
    u64 left;
    struct session_range range;
    struct session_stop *stop;
};

/* --- on the trail ------------------------------------------------------------------------- */

static bool is_step(const struct stepping *g, struct moment at, u32 thread)
{
    bool inside = g->range.start < g->range.end && at.pc >= g->range.start && at.pc < g->range.end;
    return !inside && (g->thread == CONTROL_THREAD_ANY || g->thread == thread);
}

enum verdict { NO_HIT, SURE_HIT, UNSURE };

/* Judges a code breakpoint at a state. */
static enum verdict judge_code(const struct session *s, const struct breakpoint *b, u64 index)
{
    struct moment at = trail_moment(s->trail, index);
    bool last = index == trail_count(s->trail); /* the trail has no registers for this state */
    if (b->site.address != at.pc || !trail_executes(s->trail, index))
        return NO_HIT;
    if (!last && !plan_site_fits(&b->site, trail_thread(s->trail, index), at.tick, at.pc,
                                 trail_rsp(s->trail, index)))
        return NO_HIT;
    return b->site.condition_size || b->ignore || last ? UNSURE : SURE_HIT;
}

/* Judges any other breakpoint by what the state's instruction did. */
static enum verdict judge_event(const struct session *s, const struct breakpoint *b, u64 index)
{
    switch (b->site.kind) {
    case SITE_CODE:
        return NO_HIT;
    case SITE_STORE:
        return trail_stores(s->trail, index, b->site.address, b->site.size) ? UNSURE : NO_HIT;
    case SITE_LOAD:
    case SITE_ACCESS:
        return UNSURE;
    default:
        return trail_eventful(s->trail, index) ? UNSURE : NO_HIT;
    }
}

/* Returns the thread to judge by. A state knows the thread of its instruction. An event between two
 * states (the return of a call, a signal) belongs to the first one, whose thread may be another. */
static u32 thread_judged(const struct session *s, u64 index, bool code)
{
    return code ? trail_thread(s->trail, index) : CONTROL_THREAD_ANY;
}

static enum verdict steps_judge(const struct session *s, u64 index, bool code, u32 *ret_number)
{
    enum verdict ret = NO_HIT;
    for (size_t i = 0; i < s->breakpoints.count; i++) {
        const struct breakpoint_entry *e = &s->breakpoints.list[i];
        if (e->b.disabled || (e->b.site.kind == SITE_CODE) != code ||
            !breakpoints_heeds(&s->breakpoints, &e->b, thread_judged(s, index, code)))
            continue;
        enum verdict v = code ? judge_code(s, &e->b, index) : judge_event(s, &e->b, index);
        if (v == SURE_HIT && ret == NO_HIT)
            *ret_number = e->number;
        if (v > ret)
            ret = v;
    }
    return ret;
}

/* Describes all code breakpoints at a state where one surely hits. */
static void describe_code(const struct session *s, u64 index, u32 number, struct session_stop *stop)
{
    struct moment at = trail_moment(s->trail, index);
    *stop = (struct session_stop){.why = WHY_BREAKPOINT, .breakpoint = number};
    stop->hit = (struct plan_hit){.tick = at.tick, .pc = at.pc,
                                  .thread = trail_thread(s->trail, index)};
    for (size_t i = 0; i < s->breakpoints.count; i++) {
        const struct breakpoint_entry *e = &s->breakpoints.list[i];
        bool code = !e->b.disabled && e->b.site.kind == SITE_CODE;
        if (code && judge_code(s, &e->b, index) == SURE_HIT &&
            stop->breakpoint_count < countof(stop->breakpoints))
            stop->breakpoints[stop->breakpoint_count++] = e->number;
    }
}

enum progress { ARRIVED, AT_EDGE, TOO_HARD };

/* Moves along the trail as far as its states decide. *index is the state that was reached. */
static enum progress steps_walk(const struct session *s, struct stepping *g, u64 *index)
{
    while (g->left > 0) {
        bool forward = g->direction == FORWARD;
        u32 number = 0;
        if (*index == (forward ? trail_count(s->trail) : 0))
            return AT_EDGE;
        u64 executed = forward ? *index : *index - 1, next = forward ? *index + 1 : *index - 1;
        if (steps_judge(s, executed, false, &number) != NO_HIT)
            return TOO_HARD;
        bool counts = trail_executes(s->trail, next) &&
                      is_step(g, trail_moment(s->trail, next), trail_thread(s->trail, next));
        enum verdict v = counts && g->left == 1 ? NO_HIT : steps_judge(s, next, true, &number);
        if (v == UNSURE)
            return TOO_HARD;
        *index = next;
        g->left -= counts;
        if (v == SURE_HIT) {
            describe_code(s, next, number, g->stop);
            return ARRIVED;
        }
    }
    g->stop->why = WHY_STEPPED;
    return ARRIVED;
}

/* Makes a trail of about `states` states that ends here. The old one stays if that is not
 * possible. */
static struct error *open_trail(struct session *s, u64 states)
{
    struct trail *trail;
    struct error *err = trail_create(&s->timeline, s->here.at, states, &trail);
    if (err || !trail)
        return err;
    trail_destroy(s->trail);
    s->trail = trail;
    return NULL;
}

static u64 steps_smaller(u64 a, u64 b)
{
    return a < b ? a : b;
}

/* Makes a longer trail each time, as long as the user keeps stepping back. */
static struct error *open_next_trail(struct session *s)
{
    struct error *err = open_trail(s, s->trail_states);
    s->trail_states = steps_smaller(s->trail_states * TRAIL_GROWS, TRAIL_STATES_MOST);
    return err;
}

static bool is_on_trail(const struct session *s, u64 *ret_index)
{
    return s->trail && trail_find(s->trail, s->here.at, ret_index);
}

/* A client that steps back over a call in many small movements (gdb's `reverse-next`) reaches the
 * edge of the trail in one of them, and will want the states before it next. So one more trail is
 * searched before passes take over; they begin there. */
struct error *steps_search_trail(struct session *s, struct session_stop *stop, bool *ret)
{
    struct stepping g = {BACKWARD, CONTROL_THREAD_ANY, ~0ull, {0, 0}, stop};
    u64 index;
    *ret = false;
    for (int trails = 1; is_on_trail(s, &index); trails++) {
        enum progress p = steps_walk(s, &g, &index);
        if (p == TOO_HARD)
            break;
        session_stand_on_trail(s, index);
        *ret = p == ARRIVED;
        if (*ret || trails == TRAILS_SEARCHED || session_interrupted(s))
            break;
        struct error *err = open_trail(s, steps_smaller(s->trail_states, STATES_SEARCHED));
        if (err)
            return err;
    }
    return NULL;
}

/* --- with processes ------------------------------------------------------------------------ */

static void plan_step(struct session *s, const struct stepping *g, bool alone, struct search *ret)
{
    struct plan_site site = {.kind = SITE_STEP, .thread = g->thread, .address = g->range.start,
                             .size = g->range.start < g->range.end
                                         ? g->range.end - g->range.start : 0};
    struct breakpoints none = {0};
    *ret = (struct search){.nth = g->left, .from = s->here.at, .bound = {~0ull, 0}};
    breakpoints_plan(alone ? &none : &s->breakpoints, CHOOSE_ALL, &site, 1, &ret->plan);
}

/* Describes why a run with both steps and breakpoints ended. */
static void describe_run(struct session *s, const struct stepping *g, const struct search *q,
                         const struct found *found)
{
    struct session_stop *stop = g->stop;
    if (found->any && !(found->kept == 1 && found->hits[0].site == 0 && !q->plan.numbers[0])) {
        struct found others = *found;
        others.kept = 0;
        for (u32 i = 0; i < found->kept; i++)
            if (q->plan.numbers[found->hits[i].site])
                others.hits[others.kept++] = found->hits[i];
        if (others.kept)
            movement_describe(stop, &others, &q->plan);
    }
    if (found->any && is_step(g, s->here.at, s->here.thread))
        stop->why = WHY_STEPPED;
    else if (!found->any)
        stop->why = session_interrupted(s) ? WHY_INTERRUPTED : WHY_END;
}

/* One pass stops at the end of the step or at an earlier breakpoint. */
static struct error *run_one_pass(struct session *s, struct stepping *g, bool alone)
{
    struct search q;
    struct found found;
    plan_step(s, g, alone, &q);
    struct error *err = search_forward(s, &q, &found);
    if (!err)
        describe_run(s, g, &q, &found);
    pass_plan_deinit(&q.plan);
    return err;
}

/* First a copy finds where the step ends. Then the present process runs there, unless a breakpoint
 * stops it. */
static struct error *run_two_passes(struct session *s, struct stepping *g)
{
    struct search q;
    struct found found;
    struct moment end;
    plan_step(s, g, true, &q);
    struct error *err = search_ahead(s, &q, &found, &end);
    pass_plan_deinit(&q.plan);
    if (err)
        return err;
    g->stop->why = found.any ? WHY_STEPPED : WHY_END;
    if (session_interrupted(s)) {
        g->stop->why = WHY_INTERRUPTED;
        return NULL;
    }
    return movement_run_ahead(s, found.any ? end : (struct moment){~0ull, 0}, 1, g->stop);
}

/* Makes a trail ahead of here. The present process is kept until the trail replaces it. */
static struct error *open_trail_ahead(struct session *s)
{
    struct replayer *r;
    struct trail *trail = NULL;
    u64 index, states = s->steps_ahead.states;
    struct error *err = session_present(s, &r);
    if (!err)
        err = trail_create_ahead(&s->timeline, r, states, &trail);
    if (err || !trail) {
        s->steps_ahead.states = TRAIL_STATES_LEAST;
        s->steps_ahead.pause = STEPS_WITHOUT_TRAIL;
        return err;
    }
    s->steps_ahead.states = steps_smaller(states * TRAIL_GROWS, TRAIL_STATES_MOST);
    trail_destroy(s->trail);
    s->trail = trail;
    if (trail_find(trail, s->here.at, &index))
        session_stand_on_trail(s, index);
    return NULL;
}

/* True if the client has come here by many small steps. */
static bool wants_trail_ahead(struct session *s)
{
    if (moment_compare(s->here.at, s->steps_ahead.to) != 0)
        s->steps_ahead.count = s->steps_ahead.states = s->steps_ahead.pause = 0;
    if (!s->steps_ahead.states)
        s->steps_ahead.states = TRAIL_STATES_LEAST;
    s->steps_ahead.count++;
    if (s->steps_ahead.pause > 0)
        s->steps_ahead.pause--;
    return s->steps_ahead.count > STEPS_BEFORE_TRAIL && !s->steps_ahead.pause;
}

/* Steps as far as the trail has states. *ret: the step is complete. */
static void step_on_trail(struct session *s, struct stepping *g, bool *ret)
{
    u64 index;
    *ret = false;
    if (s->present || !is_on_trail(s, &index) || index == trail_count(s->trail))
        return;
    enum progress p = steps_walk(s, g, &index);
    session_stand_on_trail(s, index);
    *ret = p == ARRIVED;
    if (p == TOO_HARD)
        s->steps_ahead.pause = STEPS_WITHOUT_TRAIL;
}

static struct error *steps_forward(struct session *s, struct stepping *g)
{
    bool made, wants = g->left == 1 && wants_trail_ahead(s);
    step_on_trail(s, g, &made);
    if (!made && wants && !s->steps_ahead.pause) {
        struct error *err = open_trail_ahead(s);
        if (session_interrupted(s))
            g->stop->why = WHY_INTERRUPTED;
        if (err || session_interrupted(s))
            return err;
        step_on_trail(s, g, &made);
    }
    if (made)
        return NULL;
    bool alone = !breakpoints_any(&s->breakpoints, CHOOSE_ALL);
    if (alone || (g->left == 1 && !breakpoints_ignoring(&s->breakpoints)))
        return run_one_pass(s, g, alone);
    return run_two_passes(s, g);
}

/* Finds where the step ends without breakpoints. Counting each instruction is slow. */
static struct error *find_step(struct session *s, struct stepping *g, struct found *ret)
{
    struct search q;
    struct counts counts = {0};
    plan_step(s, g, true, &q);
    q.counts = &counts;
    q.bound = session_first(s);
    q.expected = g->left / 4 + 16;
    struct error *err = search_backward(s, &q, ret);
    pass_plan_deinit(&q.plan);
    counts_deinit(&counts);
    return err;
}

/* Makes a step that the trail cannot decide, by counting passes. */
static struct error *search_step(struct session *s, struct stepping *g)
{
    struct found found;
    struct error *err = find_step(s, g, &found);
    if (err || session_interrupted(s))
        return err;
    struct moment at = found.any ? (struct moment){found.hits[0].tick, found.hits[0].pc}
                                 : session_first(s);
    struct moment step = at;
    *g->stop = (struct session_stop){.why = found.any ? WHY_STEPPED : WHY_START};
    err = movement_stop_before(s, at, 1, g->stop, &at);
    if (!err && !session_interrupted(s))
        err = movement_go(s, at);
    if (!err && found.any && moment_compare(at, step) == 0)
        g->stop->why = WHY_STEPPED;
    return err;
}

static struct error *steps_backward(struct session *s, struct stepping *g)
{
    u64 tried = 0;
    struct error *err = NULL;
    while (!err && !session_interrupted(s)) {
        u64 index;
        bool inside = is_on_trail(s, &index);
        if (moment_compare(s->here.at, session_first(s)) <= 0) {
            g->stop->why = WHY_START;
            return NULL;
        }
        if (!inside || index == 0) {
            if (tried < STATES_TRIED)
                err = open_next_trail(s);
            if (err || session_interrupted(s))
                break;
            inside = is_on_trail(s, &index) && index > 0;
        }
        if (!inside)
            return search_step(s, g);
        u64 from = index;
        enum progress p = steps_walk(s, g, &index);
        tried += from - index;
        if (index != from)
            session_stand_on_trail(s, index);
        if (p == ARRIVED)
            return NULL;
        if (p == TOO_HARD || tried >= STATES_TRIED)
            return search_step(s, g);
    }
    return err;
}

struct error *steps_one(struct session *s, enum session_direction direction, u32 thread,
                        struct session_stop *ret)
{
    struct stepping g = {direction, thread, 1, {0, 0}, ret};
    *ret = (struct session_stop){.why = WHY_END};
    return direction == FORWARD ? steps_forward(s, &g) : steps_backward(s, &g);
}

struct error *movement_stepi(struct session *s, enum session_direction direction, u32 thread,
                             u64 count,
                             struct session_range range, struct session_stop *ret)
{
    struct moment from = s->here.at;
    struct session_stop stop = {.why = WHY_END};
    struct stepping g = {direction, thread, count ? count : 1, range, &stop};
    if (movement_at_edge_of_life(s, direction, thread)) {
        *ret =
            (struct session_stop){.why = direction == FORWARD ? WHY_THREAD_END : WHY_THREAD_START};
        return NULL;
    }
    session_begin(s);
    struct error *err = direction == FORWARD ? steps_forward(s, &g) : steps_backward(s, &g);
    if (!err)
        err = movement_keep_in_life(s, direction, thread, from, &stop);
    if (err) {
        movement_return(s, from);
        return err;
    }
    if (direction == BACKWARD && session_interrupted(s)) {
        movement_return(s, from);
        stop = (struct session_stop){.why = WHY_INTERRUPTED};
    }
    session_moved(s, from);
    if (direction == FORWARD)
        s->steps_ahead.to = s->here.at;
    *ret = stop;
    return NULL;
}
