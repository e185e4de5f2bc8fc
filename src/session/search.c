/* Searching: see the header.
 *
 * Forward: one pass of the present process stops at the hit.
 *
 * Backward: hits are counted in parts of the track, from the nearest part to the farthest (the
 * header has the rule), until enough are found. Two processes count the halves of a long part at
 * the same time. A part is counted in pieces. Each piece leaves a
 * checkpoint and a count, so that going to the hit replays at most one piece. The engine remembers
 * the last hits of a piece; only an earlier hit takes another pass over the piece.
 *
 * Stretches in which the watched memory was not written are passed over (quiet_internal.h). Parts
 * before the first one that is written are not run.
 *
 * Counts are kept and used again as long as the breakpoints are the same. An interval that is known
 * to contain no hit is skipped in both directions. A search for something else may also have found
 * an interval to be empty.
 *
 * Invariants
 *   (1) Intervals may overlap: each is correct on its own.
 */
#include "session/search_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "session/session_internal.h"

enum { PIECES = 8, INTERVALS_MOST = 1024, HALVES_LEAST = 64 /* ticks */ };

static const double WORTH_HALVES = 0.3; /* seconds of replay that justify another process */

/* --- counts -------------------------------------------------------------------------------- */

void counts_deinit(struct counts *c)
{
    free(c->list);
    *c = (struct counts){0};
}

void counts_use(struct counts *c, u64 version)
{
    if (c->version != version)
        c->count = 0;
    c->version = version;
}

static bool search_same_moment(struct moment a, struct moment b)
{
    return moment_compare(a, b) == 0;
}

static const struct interval *counts_ending(const struct counts *c, struct moment to)
{
    for (size_t i = c->count; i-- > 0;)
        if (search_same_moment(c->list[i].to, to))
            return &c->list[i];
    return NULL;
}

/* Returns an interval without hits that contains `at`. */
static const struct interval *counts_empty(const struct counts *c, struct moment at)
{
    for (size_t i = 0; i < c->count; i++)
        if (!c->list[i].count && moment_compare(c->list[i].from, at) <= 0 &&
            moment_compare(at, c->list[i].to) < 0)
            return &c->list[i];
    return NULL;
}

/* Returns an interval without hits that contains the instruction just before `at`. */
static const struct interval *counts_empty_before(const struct counts *c, struct moment at)
{
    for (size_t i = c->count; i-- > 0;)
        if (!c->list[i].count && moment_compare(c->list[i].from, at) < 0 &&
            moment_compare(at, c->list[i].to) <= 0)
            return &c->list[i];
    return NULL;
}

static void counts_add(struct counts *c, struct interval add)
{
    invariant(1, moment_compare(add.from, add.to) <= 0 && add.kept <= add.count);
    if (c->count == INTERVALS_MOST)
        c->count = 0; /* they are counted again when needed */
    if (c->count == c->room) {
        c->room = c->room ? c->room * 2 : 32;
        struct interval *longer = xalloc(c->room * sizeof *longer);
        if (c->count)
            memcpy(longer, c->list, c->count * sizeof *longer);
        free(c->list);
        c->list = longer;
    }
    c->list[c->count++] = add;
}

void counts_note_empty(struct counts *c, struct moment from, struct moment to)
{
    counts_add(c, (struct interval){.from = from, .to = to});
}

/* --- parts --------------------------------------------------------------------------------- */

enum { EXPECTED_GROWS = 16, EXPECTED_MORE = 4096 };

struct search_parts search_parts_before(struct session *s, struct moment at, struct moment bound,
                                        u64 expected)
{
    return (struct search_parts){.timeline = &s->timeline, .bound = bound, .to = at,
                                 .expected = expected};
}

/* A bound without a pc is the first instruction of its tick. */
static bool parts_any(const struct search_parts *p)
{
    return p->bound.pc ? moment_compare(p->bound, p->to) < 0 : p->bound.tick < p->to.tick;
}

bool search_parts_next(struct search_parts *p)
{
    struct moment before = p->to.pc ? (struct moment){p->to.tick, p->to.pc - 1}
                                    : (struct moment){p->to.tick - 1, ~0ull};
    if (!parts_any(p))
        return false;
    p->from = p->bound;
    if (!p->done || p->to.tick - p->bound.tick > p->done) {
        before.tick -= p->done;
        timeline_approach(p->timeline, before);
        struct moment at = timeline_before(p->timeline, before)->at;
        p->from = moment_compare(at, p->bound) < 0 ? p->bound : at;
    }
    if (p->expected && p->to.tick - p->from.tick > p->expected)
        p->from = (struct moment){p->to.tick - p->expected, 0};
    return true;
}

/* If hits are as dense further back, the rest lies within the new expected distance, which has a
 * margin. */
void search_parts_pass(struct search_parts *p, struct moment from, u64 found, u64 wanted)
{
    u64 ticks = p->to.tick - from.tick;
    u64 most = p->expected > ~0ull / EXPECTED_GROWS ? p->expected : p->expected * EXPECTED_GROWS;
    double likely = found ? 1.25 * (double)wanted / (double)found * (double)ticks : 1e18;
    if (p->expected)
        p->expected = likely + EXPECTED_MORE < (double)most ? (u64)likely + EXPECTED_MORE : most;
    p->done += ticks;
    p->to = from;
}

/* --- counting ------------------------------------------------------------------------------ */

static struct moment moment_of(const struct plan_hit *hit)
{
    return (struct moment){hit->tick, hit->pc};
}

static u32 kept_of(const struct control_stopped *stopped)
{
    return stopped->count < PLAN_HITS_KEPT ? (u32)stopped->count : PLAN_HITS_KEPT;
}

/* Called for each piece that was counted; the context is a struct counts. */
static void search_note_piece(void *context, struct moment from,
                              const struct control_stopped *stopped)
{
    struct interval i = {from, {stopped->tick, stopped->pc}, stopped->count, kept_of(stopped),
                         {{0}}};
    if (stopped->reason == STOPPED_INTERRUPTED)
        return;
    memcpy(i.hits, stopped->hits, sizeof i.hits);
    counts_add(context, i);
}

/* A process that counted up to a checkpoint has translated the code before it. It replaces the
 * checkpoint's process. */
static void search_retire(struct session *s, struct replayer *r)
{
    struct timeline *t = &s->timeline;
    if (!r->lost && search_same_moment(timeline_before(t, replayer_at(r))->at, replayer_at(r)))
        timeline_keep(t, r);
    else
        replayer_destroy(r);
}

/* The process has counted up to `upper`, unless it was interrupted. */
static struct error *search_check_arrival(const struct session *s, const struct replayer *r,
                                          struct moment upper)
{
    if (r->stopped.reason == STOPPED_INTERRUPTED || search_same_moment(replayer_at(r), upper))
        return NULL;
    return error_coded(
        ERROR_DIVERGED, "track %u: the replay came to %llu:0x%llx in place of %llu:0x%llx",
        s->family.track, (unsigned long long)r->stopped.tick, (unsigned long long)r->stopped.pc,
        (unsigned long long)upper.tick, (unsigned long long)upper.pc);
}

/* A part that takes long is counted in two halves at the same time, if there are two processors and
 * a place to begin in the middle. For tests: $EBB_SEARCH is `serial`, or `halves` for all parts
 * (and see quiet_internal.h). */
static bool search_middle(const struct session *s, const struct search_parts *part,
                          struct moment *ret)
{
    const struct timeline *t = &s->timeline;
    const char *wanted = getenv("EBB_SEARCH");
    u64 ticks = part->to.tick - part->from.tick;
    if (wanted && strcmp(wanted, "halves") == 0) {
        *ret = (struct moment){part->from.tick + ticks / 2, 0};
        return ticks >= HALVES_LEAST;
    }
    if ((wanted && strcmp(wanted, "serial") == 0) || sysconf(_SC_NPROCESSORS_ONLN) < 2)
        return false;
    return timeline_seconds(t, ticks) >= WORTH_HALVES &&
           timeline_middle(t, part->from, part->to, ret);
}

/* A search that finds enough hits in the part will come back to the start of the part, so a
 * checkpoint is left there. */
static struct error *search_reach(struct session *s, struct moment at, struct replayer **ret)
{
    struct error *err = timeline_reach(&s->timeline, at, ret);
    if (!err && *ret)
        err = timeline_leave_if_far(&s->timeline, *ret);
    if (err && *ret)
        replayer_destroyp(ret);
    return err;
}

static struct error *count_both(struct session *s, const struct timeline_pass *pass,
                                struct moment from, struct moment middle)
{
    struct replayer *far = NULL, *near = NULL;
    struct error *err = search_reach(s, from, &far);
    if (!err && far)
        err = search_reach(s, middle, &near);
    if (err || !near) {
        replayer_destroy(far);
        return err;
    }
    middle = replayer_at(near);
    err = timeline_run_both(&s->timeline, far, near, pass);
    if (!err)
        err = search_check_arrival(s, far, middle);
    if (!err && far->stopped.reason != STOPPED_INTERRUPTED)
        err = search_check_arrival(s, near, pass->limit);
    search_retire(s, near);
    search_retire(s, far);
    return err;
}

static struct error *count_one(struct session *s, const struct timeline_pass *pass,
                               struct moment from)
{
    struct replayer *r = NULL;
    struct error *err = search_reach(s, from, &r);
    if (err || !r)
        return err;
    err = timeline_run(&s->timeline, r, pass);
    if (!err)
        err = search_check_arrival(s, r, pass->limit);
    search_retire(s, r);
    return err;
}

struct error *search_count(struct session *s, struct pass_plan *plan,
                           const struct search_parts *part, timeline_seen *seen, void *context)
{
    struct moment middle;
    struct timeline_pass pass = {.plan = plan->plan, .size = plan->size, .limit = part->to,
                                 .pieces = PIECES, .seen = seen, .context = context};
    plan->plan->mode = PLAN_COUNT;
    plan->plan->flags = 0;
    plan->plan->nth = 1;
    return search_middle(s, part, &middle) ? count_both(s, &pass, part->from, middle)
                                           : count_one(s, &pass, part->from);
}

/* --- backward ------------------------------------------------------------------------------ */

/* The number of hits that are not before `from`. The position of some hits is after their event, so
 * it may be the moment where the search began. */
static u32 hits_too_late(const struct interval *i, struct moment from)
{
    u32 n = 0;
    while (n < i->kept && moment_compare(moment_of(&i->hits[n]), from) >= 0)
        n++;
    return n;
}

/* Takes hits[index] and all other hits of the same moment. */
static void take_found(struct found *ret, const struct plan_hit *hits, u32 kept, u32 index)
{
    ret->any = true;
    ret->kept = 0;
    ret->hits[ret->kept++] = hits[index];
    for (u32 i = 0; i < kept; i++)
        if (i != index && search_same_moment(moment_of(&hits[i]), moment_of(&hits[index])))
            ret->hits[ret->kept++] = hits[i];
}

/* Finds the hit that is `deep` hits before the last one of the interval, if need be by a pass that
 * stops there. */
static struct error *search_locate(struct session *s, struct search *q, const struct interval *i,
                                   u64 deep, struct found *ret)
{
    if (deep < i->kept) {
        take_found(ret, i->hits, i->kept, (u32)deep);
        return NULL;
    }
    struct replayer *r;
    struct error *err = timeline_reach(&s->timeline, i->from, &r);
    if (err || !r)
        return err;
    struct plan *plan = q->plan.plan;
    plan->mode = PLAN_STOP;
    plan->flags = 0;
    plan->nth = i->count - deep;
    plan->limit_tick = i->to.tick;
    plan->limit_pc = i->to.pc;
    err = replayer_run(r, plan, q->plan.size);
    if (!err && r->stopped.reason == STOPPED_HIT)
        take_found(ret, r->stopped.hits, kept_of(&r->stopped), 0);
    else if (!err && r->stopped.reason != STOPPED_INTERRUPTED)
        err = error_coded(ERROR_DIVERGED, "track %u: an event that was counted did not occur "
                          "again in the replay", s->family.track);
    replayer_destroy(r);
    return err;
}

/* An interval that was counted for a search with an earlier bound may have hits before this
 * bound. */
static void forget_if_before(struct moment bound, struct found *found)
{
    if (found->any && moment_compare(moment_of(&found->hits[0]), bound) < 0)
        *found = (struct found){0};
}

/* Replaces the first moment of a tick by the exact one. */
static struct error *search_exact(struct session *s, struct moment *at)
{
    struct replayer *r;
    struct error *err = timeline_reach(&s->timeline, *at, &r);
    if (err || !r)
        return err;
    *at = replayer_at(r);
    timeline_keep_or_drop(&s->timeline, r);
    return NULL;
}

/* *ret: the part ends with a quiet stretch, which was passed over. Otherwise the part begins after
 * the last quiet stretch in it. */
static struct error *search_pass_over(struct session *s, const struct search *q,
                                      struct search_parts *p, bool *ret)
{
    struct moment from, to;
    struct error *err = NULL;
    *ret = false;
    if (!timeline_quiet_before(&s->timeline, q->plan.plan, p->bound, p->to, &from, &to) ||
        moment_compare(to, p->from) <= 0)
        return NULL;
    if (moment_compare(to, p->to) < 0)
        err = search_exact(s, &to);
    bool ends = moment_compare(to, p->to) >= 0;
    if (!err && ends)
        err = search_exact(s, &from);
    if (err || session_interrupted(s))
        return err;
    *ret = ends;
    *(ends ? &p->to : &p->from) = ends ? from : to;
    return NULL;
}

struct error *search_backward(struct session *s, struct search *q, struct found *ret)
{
    struct search_parts p = search_parts_before(s, q->from, q->bound, q->expected);
    u64 wanted = q->nth;
    *ret = (struct found){0};
    while (search_parts_next(&p)) {
        const struct interval *i = counts_ending(q->counts, p.to);
        if (!i)
            i = counts_empty_before(q->counts, p.to);
        if (!i) {
            bool passed;
            struct error *err = search_pass_over(s, q, &p, &passed);
            if (!err && passed)
                continue;
            if (!err && !session_interrupted(s))
                err = search_count(s, &q->plan, &p, search_note_piece, q->counts);
            if (err || session_interrupted(s))
                return err;
            i = counts_ending(q->counts, p.to);
        }
        if (!i)
            return error_coded(ERROR_LOST, "track %u: nothing lies before %llu:0x%llx",
                               s->family.track, (unsigned long long)p.to.tick,
                               (unsigned long long)p.to.pc);
        u32 late = hits_too_late(i, q->from);
        if (i->count - late >= wanted) {
            struct error *err = search_locate(s, q, i, late + wanted - 1, ret);
            forget_if_before(q->bound, ret);
            return err;
        }
        wanted -= i->count - late;
        search_parts_pass(&p, i->from, i->count, wanted);
    }
    return NULL;
}

/* --- forward ------------------------------------------------------------------------------- */

/* Skips intervals without hits, as far as there are checkpoints. */
static struct error *skip_empty(struct session *s, struct search *q, bool *ret_skipped)
{
    const struct interval *i;
    *ret_skipped = false;
    while (q->counts && (i = counts_empty(q->counts, s->here.at))) {
        struct moment to = moment_compare(i->to, q->bound) < 0 ? i->to : q->bound;
        struct checkpoint *c = timeline_before(&s->timeline, to);
        if (moment_compare(c->at, s->here.at) <= 0)
            return NULL;
        struct replayer *r;
        struct error *err = timeline_reach(&s->timeline, c->at, &r);
        if (err || !r)
            return err;
        session_stand(s, r);
        *ret_skipped = true;
    }
    return NULL;
}

static struct error *run_ahead(struct session *s, struct search *q, struct replayer *r,
                               bool past_here,
                               bool moves, struct found *ret)
{
    struct plan *plan = q->plan.plan;
    plan->mode = PLAN_STOP;
    plan->flags = past_here ? PLAN_PAST_HERE : 0;
    plan->nth = q->nth;
    *ret = (struct found){0};
    struct error *err = timeline_run(&s->timeline, r, &(struct timeline_pass){
        .plan = plan, .size = q->plan.size, .limit = q->bound, .moves = moves});
    if (!err && r->stopped.reason == STOPPED_HIT)
        take_found(ret, r->stopped.hits, kept_of(&r->stopped), 0);
    return err;
}

struct error *search_forward(struct session *s, struct search *q, struct found *ret)
{
    struct replayer *r;
    bool skipped;
    *ret = (struct found){0};
    struct error *err = skip_empty(s, q, &skipped);
    if (!err && session_interrupted(s))
        return NULL;
    if (!err)
        err = session_present(s, &r);
    if (!err)
        err = run_ahead(s, q, r, !skipped, true, ret);
    if (!err)
        session_stand(s, r);
    return err;
}

struct error *search_ahead(struct session *s, struct search *q, struct found *ret,
                           struct moment *ret_at)
{
    struct replayer *r, *copy;
    struct error *err = session_present(s, &r);
    if (!err)
        err = replayer_fork(r, &copy);
    if (err)
        return err;
    err = run_ahead(s, q, copy, !q->here_too, false, ret);
    *ret_at = replayer_at(copy);
    replayer_destroy(copy);
    return err;
}
