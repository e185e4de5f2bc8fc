/* Movement: continue and goto, forward and backward.  Steps are in steps.c.
 *
 * Most breakpoints stop at their first hit, and one search finds the nearest hit of all of them
 * together. A breakpoint with an ignore count stops at a later hit, independently of the others: it
 * is a separate source of stops, and the sources are merged by moment.
 *
 *                 search              landing
 *   forward       the present runs    where it stops; with several sources, the nearest hit
 *   backward      copies run          the hit's own moment, from the nearest checkpoint
 *
 * A movement that fails, and a backward one that is interrupted, ends where it began.
 */
#include "session/movement_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { HISTORY_MOST = 4096 }; /* at least this many entries are kept */

static const struct moment FAR = {~0ull, 0};

/* --- around movements ---------------------------------------------------------------------- */

bool session_interrupted(const struct session *s)
{
    return s->family.interrupted && !s->family.heedless;
}

void session_interrupt(struct session *s)
{
    replayer_family_interrupt(&s->family);
}

void session_begin(struct session *s)
{
    session_check(s);
    session_scratch_drop(s);
    timeline_refill_stop(&s->timeline);
    replayer_family_calm(&s->family);
    counts_use(&s->counts, s->breakpoints.version);
    s->timeline.retained = s->here.at;
}

static void movement_remember(struct session *s, struct moment at)
{
    if (s->history_count == s->history_room) {
        s->history_room = s->history_room ? s->history_room * 2 : 64;
        struct moment *longer = xalloc(s->history_room * sizeof *longer);
        if (s->history_count)
            memcpy(longer, s->history, s->history_count * sizeof *longer);
        free(s->history);
        s->history = longer;
    }
    /* trimmed rarely, so that a client that steps many times does not pay for it at each step */
    if (s->history_count == 2 * HISTORY_MOST) {
        s->history_count = HISTORY_MOST;
        memmove(s->history, s->history + HISTORY_MOST, HISTORY_MOST * sizeof *s->history);
    }
    s->history[s->history_count++] = at;
}

void session_moved(struct session *s, struct moment from)
{
    session_check(s);
    if (moment_compare(from, s->here.at) == 0)
        return;
    s->history_count = s->history_at; /* movements that were undone can no longer be redone */
    movement_remember(s, from);
    s->history_at = s->history_count;
}

struct error *movement_depart(struct session *s, struct replayer *r)
{
    struct checkpoint *before = timeline_before(&s->timeline, replayer_at(r));
    if (r->stopped.reason == STOPPED_END ||
        timeline_seconds(&s->timeline, r->stopped.tick - before->at.tick) < 0.02)
        return NULL;
    return timeline_leave(&s->timeline, r);
}

struct error *movement_go(struct session *s, struct moment to)
{
    struct replayer *r;
    u64 index;
    /* only a process knows how the program ended */
    bool ends = moment_compare(to, session_last(s)) >= 0;
    if (!ends && s->trail && trail_find(s->trail, to, &index)) {
        session_stand_on_trail(s, index);
        return NULL;
    }
    struct error *err = timeline_reach(&s->timeline, to, &r);
    if (!err && r)
        session_stand(s, r);
    return err;
}

void movement_return(struct session *s, struct moment to)
{
    if (s->present && s->present->lost) {
        replayer_destroy(s->present);
        s->present = NULL;
    }
    if (s->present && moment_compare(replayer_at(s->present), to) == 0) {
        session_stand(s, s->present);
        return;
    }
    s->family.heedless = true;
    struct error *err = movement_go(s, to);
    s->family.heedless = false;
    if (err) { /* the next request will report the error */
        error_destroy(err);
        session_stand_without_process(s, to);
    }
}

/* --- sources of stops ---------------------------------------------------------------------- */

/* A set of breakpoints whose nth hit is the source's next candidate for a stop. */
struct stop_source {
    struct search search;
    struct counts counts; /* the source's own counts; unused if it shares the session's */
    bool known;
    struct found found;
    struct moment at;
};

struct stop_sources {
    struct stop_source *list;
    size_t count;
    enum session_direction direction;
};

static struct moment landing_of(const struct plan_hit *hit, const struct pass_plan *plan,
                                enum session_direction direction)
{
    u32 kind = ((const struct plan_site *)(plan->plan + 1))[hit->site].kind;
    bool data = kind == SITE_STORE || kind == SITE_LOAD || kind == SITE_ACCESS;
    return direction == FORWARD && data ? (struct moment){hit->after_tick, hit->after_pc}
                                        : (struct moment){hit->tick, hit->pc};
}

static void movement_add_source(struct session *s, struct stop_sources *all, u32 choice, u64 nth,
                                struct moment bound)
{
    struct stop_source *src = &all->list[all->count++];
    *src = (struct stop_source){.search = {.nth = nth, .from = s->here.at, .bound = bound}};
    breakpoints_plan(&s->breakpoints, choice, NULL, 0, &src->search.plan);
    bool shared = choice == CHOOSE_PROMPT && breakpoints_heeds_all(&s->breakpoints);
    src->search.counts = shared ? &s->counts : &src->counts;
}

/* A library may have been loaded in the middle of a movement, which adds breakpoints. */
static void sources_init(struct session *s, struct stop_sources *all,
                         enum session_direction direction, struct moment bound)
{
    counts_use(&s->counts, s->breakpoints.version);
    *all = (struct stop_sources){xalloc((s->breakpoints.count + 1) * sizeof *all->list), 0,
                                 direction};
    if (breakpoints_any(&s->breakpoints, CHOOSE_PROMPT))
        movement_add_source(s, all, CHOOSE_PROMPT, 1, bound);
    for (size_t i = 0; i < s->breakpoints.count; i++) {
        const struct breakpoint_entry *e = &s->breakpoints.list[i];
        if (e->b.ignore && breakpoints_any(&s->breakpoints, e->number))
            movement_add_source(s, all, e->number, e->b.ignore + 1, bound);
    }
}

static void sources_deinit(struct stop_sources *all)
{
    for (size_t i = 0; i < all->count; i++) {
        pass_plan_deinit(&all->list[i].search.plan);
        counts_deinit(&all->list[i].counts);
    }
    free(all->list);
}

static struct error *ask_source(struct session *s, struct stop_source *src,
                                enum session_direction direction)
{
    struct moment stood;
    if (src->known)
        return NULL;
    struct error *err = direction == BACKWARD ? search_backward(s, &src->search, &src->found)
                                              : search_ahead(s, &src->search, &src->found, &stood);
    if (err || session_interrupted(s))
        return err;
    src->known = true;
    if (src->found.any)
        src->at = landing_of(&src->found.hits[0], &src->search.plan, direction);
    return NULL;
}

static bool is_nearer(enum session_direction direction, struct moment a, struct moment b)
{
    return direction == FORWARD ? moment_compare(a, b) < 0 : moment_compare(a, b) > 0;
}

/* Returns the source with the nearest candidate, NULL if no source has one. */
static struct error *nearest_source(struct session *s, struct stop_sources *all,
                                    struct stop_source **ret)
{
    *ret = NULL;
    for (size_t i = 0; i < all->count; i++) {
        struct stop_source *src = &all->list[i];
        struct error *err = ask_source(s, src, all->direction);
        if (err)
            return err;
        if (src->known && src->found.any && (!*ret || is_nearer(all->direction, src->at,
                                                                (*ret)->at)))
            *ret = src;
    }
    return NULL;
}

static void add_breakpoint(struct session_stop *stop, u32 number)
{
    for (u32 i = 0; i < stop->breakpoint_count; i++)
        if (stop->breakpoints[i] == number)
            return;
    if (number && stop->breakpoint_count < countof(stop->breakpoints))
        stop->breakpoints[stop->breakpoint_count++] = number;
}

void movement_describe(struct session_stop *stop, const struct found *found,
                       const struct pass_plan *plan)
{
    stop->why = WHY_BREAKPOINT;
    if (!stop->breakpoint_count) {
        stop->hit = found->hits[0];
        stop->breakpoint = plan->numbers[found->hits[0].site];
    }
    for (u32 i = 0; i < found->kept; i++) {
        add_breakpoint(stop, plan->numbers[found->hits[i].site]);
        if (stop->hit_count < countof(stop->hits))
            stop->hits[stop->hit_count++] =
                (struct session_hit){plan->numbers[found->hits[i].site], found->hits[i]};
    }
}

const struct plan_hit *session_stop_hit(const struct session_stop *stop, u32 breakpoint)
{
    for (u32 i = 0; i < stop->hit_count; i++)
        if (stop->hits[i].breakpoint == breakpoint)
            return &stop->hits[i].hit;
    return &stop->hit;
}

/* All candidates at the same moment are one event. Describes it in `stop` and moves these sources
 * on. */
static void describe_and_pass(struct stop_sources *all, struct moment at, struct session_stop *stop)
{
    *stop = (struct session_stop){.why = WHY_BREAKPOINT};
    for (size_t i = 0; i < all->count; i++) {
        struct stop_source *src = &all->list[i];
        if (!src->known || !src->found.any || moment_compare(src->at, at))
            continue;
        movement_describe(stop, &src->found, &src->search.plan);
        src->search.nth++;
        src->known = false;
    }
}

/* Finds the nth event of all sources. Leaves stop->why unchanged if there are fewer. */
static struct error *merge(struct session *s, struct stop_sources *all, u64 nth,
                           struct session_stop *stop,
                           struct moment *ret_at)
{
    if (all->count == 1) {
        all->list[0].search.nth += nth - 1;
        nth = 1;
    }
    for (; nth > 0; nth--) {
        struct stop_source *nearest;
        struct error *err = nearest_source(s, all, &nearest);
        if (err || !nearest || session_interrupted(s))
            return err;
        *ret_at = nearest->at;
        struct session_stop met;
        describe_and_pass(all, *ret_at, &met);
        if (nth == 1)
            *stop = met;
    }
    return NULL;
}

struct error *movement_stop_before(struct session *s, struct moment bound, u64 nth,
                                   struct session_stop *stop, struct moment *ret_at)
{
    struct stop_sources all;
    sources_init(s, &all, BACKWARD, bound);
    struct error *err = merge(s, &all, nth, stop, ret_at);
    sources_deinit(&all);
    return err;
}

static void describe_bound(struct session *s, const struct replayer *r, struct session_stop *stop)
{
    if (session_interrupted(s) && r->stopped.reason == STOPPED_INTERRUPTED)
        stop->why = WHY_INTERRUPTED;
    else if (r->stopped.reason == STOPPED_END)
        stop->why = WHY_END;
}

/* Runs the present process to the moment. */
static struct error *run_to(struct session *s, struct moment to, struct session_stop *stop)
{
    struct plan plan = {.version = CONTROL_VERSION, .nth = 1};
    struct replayer *r;
    struct error *err = session_present(s, &r);
    if (!err)
        err = movement_depart(s, r);
    if (!err)
        err = timeline_run(&s->timeline, r, &(struct timeline_pass){
            .plan = &plan, .size = sizeof plan, .limit = to, .moves = true});
    if (err)
        return err;
    session_stand(s, r);
    describe_bound(s, r, stop);
    return NULL;
}

/* With a single source, the present process itself searches for the hit. */
static struct error *run_one(struct session *s, struct stop_source *src, struct session_stop *stop)
{
    struct found found;
    struct replayer *r;
    struct error *err = session_present(s, &r);
    if (!err)
        err = movement_depart(s, r);
    if (!err)
        err = search_forward(s, &src->search, &found);
    if (err)
        return err;
    if (found.any)
        movement_describe(stop, &found, &src->search.plan);
    else if (s->present)
        describe_bound(s, s->present, stop);
    if (session_interrupted(s) && !found.any)
        stop->why = WHY_INTERRUPTED;
    return NULL;
}

struct error *movement_run_ahead(struct session *s, struct moment bound, u64 nth,
                                 struct session_stop *stop)
{
    struct stop_sources all;
    struct moment at = bound;
    struct error *err;
    sources_init(s, &all, FORWARD, bound);
    if (all.count == 1) {
        all.list[0].search.nth += nth - 1;
        err = run_one(s, &all.list[0], stop);
    } else {
        err = merge(s, &all, nth, stop, &at);
        if (!err && session_interrupted(s))
            stop->why = WHY_INTERRUPTED;
        else if (!err)
            err = run_to(s, at, stop);
    }
    sources_deinit(&all);
    return err;
}

/* --- continue ------------------------------------------------------------------------------ */

static struct error *continue_backward(struct session *s, struct moment bound, u64 nth,
                                       struct session_stop *ret)
{
    struct moment at = bound;
    *ret = (struct session_stop){.why = WHY_START};
    struct error *err = movement_stop_before(s, bound, nth, ret, &at);
    if (!err && !session_interrupted(s))
        err = movement_go(s, at);
    if (!err && session_interrupted(s) && moment_compare(s->here.at, at))
        *ret = (struct session_stop){.why = WHY_INTERRUPTED};
    return err;
}

static struct error *continue_to_start(struct session *s, u64 nth, struct session_stop *stop)
{
    bool found = false;
    struct error *err = NULL;
    if (nth == 1 && breakpoints_any(&s->breakpoints, CHOOSE_ALL))
        err = steps_search_trail(s, stop, &found);
    return err || found ? err : continue_backward(s, session_first(s), nth, stop);
}

struct error *movement_continue(struct session *s, enum session_direction direction, u64 nth,
                                struct session_stop *ret)
{
    struct moment from = s->here.at;
    struct session_stop stop = {.why = WHY_END};
    struct error *err = NULL;
    session_begin(s);
    if (nth == 0)
        nth = 1;
    if (direction == FORWARD)
        err = movement_run_ahead(s, FAR, nth, &stop);
    else
        err = continue_to_start(s, nth, &stop);
    if (err) {
        movement_return(s, from);
        return err;
    }
    if (direction == BACKWARD && stop.why == WHY_INTERRUPTED)
        movement_return(s, from);
    session_moved(s, from);
    *ret = stop;
    return NULL;
}

struct error *movement_travel(struct session *s, struct moment to, struct session_stop *ret)
{
    struct moment from = s->here.at;
    struct session_stop stop = {.why = WHY_ARRIVED};
    session_begin(s);
    bool forward = moment_compare(from, to) <= 0;
    struct error *err =
        forward ? movement_run_ahead(s, to, 1, &stop) : continue_backward(s, to, 1, &stop);
    if (err) {
        movement_return(s, from);
        return err;
    }
    if (stop.why == WHY_START || stop.why == WHY_END)
        stop.why = WHY_ARRIVED;
    session_moved(s, from);
    *ret = stop;
    return NULL;
}

static bool some_code_here(const struct session *s)
{
    for (size_t i = 0; i < s->breakpoints.count; i++)
        if (s->breakpoints.list[i].b.site.kind == SITE_CODE &&
            s->breakpoints.list[i].b.site.address == s->here.at.pc)
            return true;
    return false;
}

struct error *movement_meet(struct session *s, struct session_stop *ret)
{
    struct moment at, here = s->here.at;
    struct search q = {.nth = 1, .from = here, .bound = {here.tick, here.pc + 1}, .here_too = true};
    struct found found, met = {.any = true};
    if (!some_code_here(s))
        return NULL;
    session_begin(s);
    breakpoints_plan(&s->breakpoints, CHOOSE_PROMPT, NULL, 0, &q.plan);
    const struct plan_site *sites = (const struct plan_site *)(q.plan.plan + 1);
    struct error *err = search_ahead(s, &q, &found, &at);
    for (u32 i = 0; !err && found.any && i < found.kept; i++)
        if (sites[found.hits[i].site].kind == SITE_CODE)
            met.hits[met.kept++] = found.hits[i];
    if (met.kept) {
        *ret = (struct session_stop){.why = WHY_BREAKPOINT};
        movement_describe(ret, &met, &q.plan);
    }
    pass_plan_deinit(&q.plan);
    return err;
}

/* --- goto ---------------------------------------------------------------------------------- */

static struct moment movement_clamp(const struct session *s, struct moment to)
{
    struct moment first = session_first(s), last = session_last(s);
    if (moment_compare(to, first) < 0)
        return first;
    return moment_compare(to, last) > 0 ? last : to;
}

/* True if running forward from here is at least as good as starting from a checkpoint. */
static bool is_best_from_here(const struct session *s, struct moment to)
{
    return s->present && moment_compare(s->here.at, to) <= 0 &&
           moment_compare(timeline_before(&s->timeline, to)->at, s->here.at) <= 0;
}

static struct error *go_anywhere(struct session *s, struct moment to, struct session_stop *stop)
{
    u64 index;
    if (s->trail && trail_find(s->trail, to, &index)) {
        session_stand_on_trail(s, index);
        return NULL;
    }
    if (is_best_from_here(s, to))
        return run_to(s, to, stop);
    struct error *err = movement_go(s, to);
    if (!err && session_interrupted(s) && moment_compare(s->here.at, to) < 0)
        stop->why = WHY_INTERRUPTED;
    return err;
}

struct error *movement_goto(struct session *s, struct moment to, struct session_stop *ret)
{
    struct moment from = s->here.at;
    struct session_stop stop = {.why = WHY_ARRIVED};
    session_begin(s);
    to = movement_clamp(s, to);
    struct error *err = go_anywhere(s, to, &stop);
    if (err) {
        movement_return(s, from);
        return err;
    }
    if (stop.why == WHY_END)
        stop.why = WHY_ARRIVED;
    session_moved(s, from);
    *ret = stop;
    return NULL;
}

struct error *session_moment_of_event(struct session *s, u64 number, struct moment *ret)
{
    return track_events_find(s->family.events, number, ret);
}

/* --- undo ---------------------------------------------------------------------------------- */

/* Goes to the moment in the history entry and stores the moment left there in its place. */
static struct error *swap_with(struct session *s, size_t index)
{
    struct moment to = s->history[index], from = s->here.at;
    session_begin(s);
    struct session_stop stop = {.why = WHY_ARRIVED};
    struct error *err = go_anywhere(s, to, &stop);
    if (!err && moment_compare(s->here.at, to))
        err = error_coded(ERROR_INTERRUPTED, "interrupted");
    if (err) {
        movement_return(s, from);
        return err;
    }
    s->history[index] = from;
    return NULL;
}

struct error *movement_undo(struct session *s)
{
    if (s->history_at == 0)
        return error_coded(ERROR_NOT_FOUND, "there is no movement to undo");
    struct error *err = swap_with(s, s->history_at - 1);
    if (!err)
        s->history_at--;
    return err;
}

struct error *movement_redo(struct session *s)
{
    if (s->history_at == s->history_count)
        return error_coded(ERROR_NOT_FOUND, "there is no movement to redo");
    struct error *err = swap_with(s, s->history_at);
    if (!err)
        s->history_at++;
    return err;
}

/* --- while the user thinks ----------------------------------------------------------------- */

bool session_idle(struct session *s)
{
    replayer_family_calm(&s->family);
    return timeline_refill(&s->timeline);
}
