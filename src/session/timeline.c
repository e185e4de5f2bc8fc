/* Timeline: see the header.
 *
 * To go forward, a process runs. To go back, the nearest checkpoint before the target is copied and
 * the copy runs forward. The rest of this file decides which checkpoints to keep.
 *
 * A checkpoint's value is the gap that its removal would leave, divided by its distance from the
 * current moment, since short movements are more common than long ones. If there are too many
 * checkpoints, the least valuable is dropped. So checkpoints are dense near the current moment and
 * thin out exponentially. They are limited by the number of processes and by their memory: pages
 * that were copied because the process that ran on has written to them.
 *
 * A checkpoint also costs time for the process that runs on: each page that it writes to is copied
 * once more. The spacing of checkpoints on a long run grows until that is a small part of the run.
 *
 * Invariants
 *   (1) The list is sorted by moment, without two at one moment; list[0] stands at the start and
 *       is never given away.
 *
 * Checkpoints contain no breakpoints; each pass gets them in its plan.
 */
#include "session/timeline_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/assert.h"
#include "base/xalloc.h"

enum {
    PROCESSES = 64,
    PROCESSES_LEAST = 4,
    PAGE = 4096,
    PAGES_OF_A_PROCESS = 128, /* for page tables and the engine's own data */
    NEAR = 2000,              /* distances up to this many ticks count as zero */
    FIRST_CHUNK = 1000000,    /* ticks, used until the program's speed is known */
};

/* cost of a page fault that copies: 2.5 to 3.1 us, measured */
static const double PAGE_SECONDS = 3e-6;
static const double SPACING_LEAST = 0.05, SPACING_MOST = 4.0;
static const double WORTH_A_COPY = 0.01;    /* seconds of replay that justify a copy on the way */
/* seconds of replay that justify keeping a process that exists anyway */
static const double WORTH_KEEPING = 0.002;
static const double SLICE = 0.02;           /* of refilling */
/* seconds of replay that justify restoring a snapshot */
static const double WORTH_RESTORING = 0.15;
/* The largest snapshot that is written. Writing it must cost little compared with the replay that
 * it saves. */
static const double SNAPSHOT_LEAST = 64e6, SNAPSHOT_RATE = 100e6; /* bytes; and bytes per second */
/* share of a run's time that may be spent on its snapshots */
static const double COMPARING_SHARE = 0.025; /* of a run, for comparing it with snapshots */
static const double SNAPSHOTS_SHARE = 0.1;

static double timeline_seconds_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* --- bounds -------------------------------------------------------------------------------- */

static u64 free_pages(void)
{
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *f = fopen("/proc/meminfo", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
            break;
    if (f)
        fclose(f);
    return kilobytes ? kilobytes / 4 : (4ull << 30) / PAGE;
}

static u64 timeline_distance(u64 a, u64 b)
{
    return a < b ? b - a : a - b;
}

static bool is_at(struct moment a, struct moment b)
{
    return moment_compare(a, b) == 0;
}

static u64 next_tick(const struct timeline *t, size_t i)
{
    u64 last = t->last.tick > t->list[i].at.tick ? t->last.tick : t->list[i].at.tick;
    return i + 1 < t->count ? t->list[i + 1].at.tick : last;
}

/* The gap that dropping list[i] would leave, divided by its distance. */
static double worth(const struct timeline *t, size_t i)
{
    u64 gap = next_tick(t, i) - t->list[i - 1].at.tick;
    return (double)gap / (double)(timeline_distance(t->here.tick, t->list[i].at.tick) + NEAR);
}

static void remove_at(struct timeline *t, size_t i)
{
    invariant(1, i > 0 && i < t->count);
    replayer_destroy(t->list[i].process);
    t->count--;
    memmove(t->list + i, t->list + i + 1, (t->count - i) * sizeof *t->list);
}

static u64 pages_held(const struct timeline *t)
{
    u64 sum = 0;
    for (size_t i = 0; i < t->count; i++)
        sum += t->list[i].pages + PAGES_OF_A_PROCESS;
    return sum;
}

/* Drops the least valuable checkpoint; false if none may be dropped. */
static bool drop_least(struct timeline *t)
{
    size_t least = 0;
    for (size_t i = 1; i < t->count; i++)
        if (!is_at(t->list[i].at, t->retained) && (!least || worth(t, i) < worth(t, least)))
            least = i;
    if (least)
        remove_at(t, least);
    return least != 0;
}

/* Drops checkpoints out of reach, except the first. */
static void drop_far(struct timeline *t)
{
    double ticks = t->reach * t->ticks_per_second;
    for (size_t i = t->reach > 0 ? t->count : 0; i-- > 1;)
        if ((double)timeline_distance(t->here.tick, t->list[i].at.tick) > ticks &&
            !is_at(t->list[i].at, t->retained))
            remove_at(t, i);
}

static void thin(struct timeline *t)
{
    drop_far(t);
    while ((t->count > t->most_processes || pages_held(t) > t->most_pages) && drop_least(t)) {
        /* repeat until the rest fits */
    }
}

/* --- the list ------------------------------------------------------------------------------ */

struct checkpoint *timeline_before(const struct timeline *t, struct moment at)
{
    size_t i = t->count - 1;
    while (i > 0 && moment_compare(t->list[i].at, at) > 0)
        i--;
    return &t->list[i];
}

static void insert(struct timeline *t, size_t i, struct checkpoint c)
{
    if (t->count == t->room) {
        t->room = t->room ? t->room * 2 : 32;
        struct checkpoint *longer = xalloc(t->room * sizeof *longer);
        if (t->count)
            memcpy(longer, t->list, t->count * sizeof *longer);
        free(t->list);
        t->list = longer;
    }
    memmove(t->list + i + 1, t->list + i, (t->count - i) * sizeof *t->list);
    t->list[i] = c;
    t->count++;
}

static void timeline_keep_checkpoint(struct timeline *t, struct replayer *r, u64 pages)
{
    struct checkpoint c = {r, replayer_at(r), pages};
    size_t i = t->count;
    while (i > 0 && moment_compare(t->list[i - 1].at, c.at) > 0)
        i--;
    invariant(1, i > 0 || t->count == 0);
    if (i > 0 && is_at(t->list[i - 1].at, c.at)) {
        if (t->origin == t->list[i - 1].process)
            t->origin = r;
        replayer_destroy(t->list[i - 1].process);
        t->list[i - 1] = c;
    } else {
        insert(t, i, c);
    }
    for (size_t n = 1; n < t->count; n++)
        invariant(1, moment_compare(t->list[n - 1].at, t->list[n].at) < 0);
    thin(t);
}

void timeline_keep(struct timeline *t, struct replayer *r)
{
    if (r->stopped.reason == STOPPED_END || r->lost)
        replayer_destroy(r);
    else
        timeline_keep_checkpoint(t, r, r->pages);
}

double timeline_seconds(const struct timeline *t, u64 ticks)
{
    return (double)ticks / t->ticks_per_second;
}

void timeline_keep_or_drop(struct timeline *t, struct replayer *r)
{
    if (!r)
        return;
    struct checkpoint *before = timeline_before(t, replayer_at(r));
    if (r->lost || timeline_seconds(t, r->stopped.tick - before->at.tick) < WORTH_KEEPING)
        replayer_destroy(r);
    else
        timeline_keep(t, r);
}

/* The machine allows no more processes or has no more memory: lowers the limit. */
static void make_do(struct timeline *t)
{
    size_t fewer = t->count > 8 ? t->count - t->count / 4 : t->count;
    if (fewer < t->most_processes)
        t->most_processes = fewer < PROCESSES_LEAST ? PROCESSES_LEAST : fewer;
    thin(t);
}

static struct error *copy(struct timeline *t, struct replayer *r, struct replayer **ret)
{
    double from = timeline_seconds_now();
    struct error *err = replayer_fork(r, ret);
    if (err)
        return err;
    t->fork_seconds = t->fork_seconds * 0.75 + (timeline_seconds_now() - from) * 0.25;
    return NULL;
}

/* Copies a checkpoint for a movement that needs it. If that fails, drops others and tries again. */
static struct error *copy_surely(struct timeline *t, struct moment at, struct replayer **ret)
{
    struct replayer *from = timeline_before(t, at)->process;
    struct error *err = copy(t, from, ret);
    if (!err || from->lost)
        return err;
    error_destroy(err);
    make_do(t);
    return copy(t, timeline_before(t, at)->process, ret);
}

struct error *timeline_leave(struct timeline *t, struct replayer *r)
{
    struct replayer *left;
    struct error *err = copy(t, r, &left);
    if (!err) {
        timeline_keep_checkpoint(t, left, 0);
        return NULL;
    }
    if (r->lost)
        return err;
    error_destroy(err);
    make_do(t);
    return NULL;
}

struct error *timeline_leave_if_far(struct timeline *t, struct replayer *r)
{
    struct checkpoint *before = timeline_before(t, replayer_at(r));
    if (timeline_seconds(t, r->stopped.tick - before->at.tick) <
        WORTH_KEEPING + 2 * t->fork_seconds)
        return NULL;
    return timeline_leave(t, r);
}

/* --- running ------------------------------------------------------------------------------- */

/* Updates speed and spacing from what a run took. */
static void learn(struct timeline *t, u64 ticks, double seconds, u64 pages)
{
    if (seconds <= 0 || ticks < NEAR)
        return;
    double rate = (double)ticks / seconds;
    t->ticks_per_second = t->measured ? t->ticks_per_second * 0.75 + rate * 0.25 : rate;
    t->measured += ticks;
    double price = t->fork_seconds + (double)pages * PAGE_SECONDS;
    if (t->spacing_is_set)
        return;
    if (price > seconds * 0.2 && t->spacing < SPACING_MOST)
        t->spacing *= 1.5;
    else if (price < seconds * 0.05 && t->spacing > SPACING_LEAST)
        t->spacing /= 1.5;
}

/* Returns where the next chunk ends: at the start of a tick, or at the limit. */
static struct moment chunk_end(const struct timeline *t, struct moment from, struct moment limit,
                               u64 chunk)
{
    (void)t;
    if (limit.tick <= from.tick || limit.tick - from.tick <= chunk + chunk / 4)
        return limit;
    return (struct moment){from.tick + chunk, 0};
}

static u64 chunk_of(const struct timeline *t, struct moment from, const struct timeline_pass *pass)
{
    if (!t->measured)
        return FIRST_CHUNK;
    u64 chunk = (u64)(t->spacing * t->ticks_per_second);
    if (pass->pieces && pass->limit.tick > from.tick) {
        u64 piece = (pass->limit.tick - from.tick) / pass->pieces;
        u64 least = (u64)((WORTH_A_COPY + t->fork_seconds * 5) * t->ticks_per_second);
        piece = piece > least ? piece : least;
        chunk = pass->limit.tick != ~0ull ? piece : chunk;
    }
    return chunk > NEAR ? chunk : NEAR;
}

static void begin_pass(struct timeline *t, const struct replayer *r, struct moment goal)
{
    struct moment at = replayer_at(r);
    t->pass = (struct session_progress){at, at, goal.tick == ~0ull ? t->last : goal};
}

static void tell_progress(struct timeline *t, struct moment at)
{
    t->pass.at = at;
    if (t->progress)
        t->progress(t->context, &t->pass);
}

/* A running process does not report where it is. Its position is estimated from the measured
 * speed. */
static void guess_progress(void *context, const struct replayer *r, double seconds)
{
    struct timeline *t = context;
    struct moment at = replayer_at(r);
    at.tick += (u64)(seconds * t->ticks_per_second);
    tell_progress(t, moment_compare(at, t->pass.goal) < 0 ? at : t->pass.goal);
}

/* The checkpoint where the run began now holds the pages that were overwritten since then. */
static void charge(struct timeline *t, struct moment from, u64 pages)
{
    struct checkpoint *c = timeline_before(t, from);
    if (is_at(c->at, from))
        c->pages += pages;
}

static struct error *run_chunk(struct timeline *t, struct replayer *r,
                               const struct timeline_pass *pass,
                               struct moment goal)
{
    struct moment from = replayer_at(r);
    pass->plan->limit_tick = goal.tick;
    pass->plan->limit_pc = goal.pc;
    double began = timeline_seconds_now();
    struct error *err = replayer_run(r, pass->plan, pass->size);
    if (err)
        return err;
    learn(t, r->stopped.tick - from.tick, timeline_seconds_now() - began, r->stopped.pages_copied);
    charge(t, from, r->stopped.pages_copied);
    if (pass->seen)
        pass->seen(pass->context, from, &r->stopped);
    return NULL;
}

static bool timeline_is_over(const struct replayer *r, struct moment limit)
{
    return r->stopped.reason != STOPPED_LIMIT || moment_compare(replayer_at(r), limit) >= 0;
}

/* Subtracts what one part of the run has met from the plan. */
static void take_off(struct plan *plan, const struct control_stopped *stopped)
{
    plan->flags &= ~(u32)PLAN_PAST_HERE;
    if (plan->mode != PLAN_STOP)
        return;
    plan->nth -= stopped->count;
    if (!plan->points_nth)
        return;
    plan->points_nth -= stopped->points;
    plan->flags |= PLAN_POINTS_GO_ON;
}

/* The run ends a chunk at a snapshot, to be compared with it, if that takes little against the way
 * since `since`. */
static struct moment stop_at_snapshot(const struct timeline *t, const struct replayer *r,
                                      u64 since, struct moment goal)
{
    struct moment at;
    u64 end = goal.tick < t->last.tick ? goal.tick : t->last.tick;
    double seconds = t->measured && end > since ? timeline_seconds(t, end - since) : 0;
    return snapshots_on_way(t->snapshots, replayer_at(r), goal, seconds * COMPARING_SHARE, &at)
               ? at : goal;
}

struct error *timeline_run(struct timeline *t, struct replayer *r, const struct timeline_pass *pass)
{
    u64 chunk = chunk_of(t, replayer_at(r), pass), compared = r->stopped.tick;
    bool passed;
    begin_pass(t, r, pass->limit);
    for (;;) {
        struct moment end = chunk_end(t, replayer_at(r), pass->limit, chunk);
        struct error *err = timeline_pass_quiet(t, r, pass, &end, &passed);
        if (err || (passed && timeline_is_over(r, pass->limit)))
            return err;
        if (passed) {
            compared = r->stopped.tick;
            if (pass->moves)
                t->here = replayer_at(r);
            tell_progress(t, replayer_at(r));
            continue;
        }
        struct moment goal = stop_at_snapshot(t, r, compared, end);
        err = run_chunk(t, r, pass, goal);
        if (err || timeline_is_over(r, pass->limit))
            return err;
        if (!is_at(goal, end)) {
            compared = r->stopped.tick;
            err = snapshots_compare(t->snapshots, r);
        }
        if (err)
            return err;
        take_off(pass->plan, &r->stopped);
        if (pass->moves)
            t->here = replayer_at(r);
        tell_progress(t, replayer_at(r));
        err = timeline_leave(t, r);
        if (err)
            return err;
        if (!pass->pieces)
            chunk = chunk_of(t, replayer_at(r), pass);
    }
}

/* --- two at a time -------------------------------------------------------------------------- */

static struct moment tick_within(struct moment from, struct moment to, u64 part, u64 parts)
{
    return (struct moment){from.tick + (to.tick - from.tick) / parts * part, 0};
}

bool timeline_middle(const struct timeline *t, struct moment from, struct moment to,
                     struct moment *ret)
{
    struct moment least = tick_within(from, to, 1, 4), half = tick_within(from, to, 2, 4);
    struct moment most = tick_within(from, to, 3, 4);
    if (to.tick <= from.tick || to.tick - from.tick < NEAR)
        return false;
    struct moment before = timeline_before(t, half)->at, after = timeline_before(t, most)->at;
    if (snapshots_before(t->snapshots, moment_compare(before, least) > 0 ? before : least, half,
                         ret))
        return true;
    *ret = moment_compare(before, least) > 0 ? before : after;
    return moment_compare(*ret, least) > 0 || snapshots_before(t->snapshots, half, most, ret);
}

enum { BOTH_PIECES = 4 };

/* One of two processes, and the pieces that it has run. */
struct half {
    struct replayer *process;
    struct moment from, to;
    struct moment began[BOTH_PIECES];
    struct control_stopped met[BOTH_PIECES];
};

static void set_half_limit(const struct half *h, u64 piece, struct plan *plan)
{
    struct moment goal = tick_within(h->from, h->to, piece + 1, BOTH_PIECES);
    if (piece + 1 == BOTH_PIECES)
        goal = h->to;
    plan->limit_tick = goal.tick;
    plan->limit_pc = goal.pc;
}

/* A piece has been run; false: the run ends here. */
static bool note_half(struct timeline *t, struct half *h, u64 piece, struct moment began)
{
    h->began[piece] = began;
    h->met[piece] = h->process->stopped;
    charge(t, began, h->process->stopped.pages_copied);
    return !timeline_is_over(h->process, h->to);
}

/* One piece of each. *ret_goes_on: neither has ended early. */
static struct error *run_halves(struct timeline *t, struct half *far, struct half *near, u64 piece,
                                const struct timeline_pass *pass, bool *ret_goes_on)
{
    struct moment far_at = replayer_at(far->process), near_at = replayer_at(near->process);
    set_half_limit(near, piece, pass->plan);
    struct error *err = replayer_run_beside(near->process, pass->plan, pass->size);
    if (err)
        return err;
    set_half_limit(far, piece, pass->plan);
    err = replayer_run(far->process, pass->plan, pass->size);
    if (err) {
        near->process->lost = true; /* it still runs */
        return err;
    }
    err = replayer_run_end(near->process, pass->plan->mode);
    if (err)
        return err;
    bool far_goes_on = note_half(t, far, piece, far_at);
    *ret_goes_on = note_half(t, near, piece, near_at) && far_goes_on;
    return NULL;
}

static void tell_pieces(const struct half *h, u64 pieces, const struct timeline_pass *pass)
{
    for (u64 n = 0; n < pieces; n++)
        pass->seen(pass->context, h->began[n], &h->met[n]);
}

struct error *timeline_run_both(struct timeline *t, struct replayer *far, struct replayer *near,
                                const struct timeline_pass *pass)
{
    struct half *halves = xalloc(2 * sizeof *halves);
    struct error *err = NULL;
    bool goes_on = true;
    u64 pieces = 0;
    halves[0].process = far;
    halves[0].from = replayer_at(far);
    halves[0].to = halves[1].from = replayer_at(near);
    halves[1].process = near;
    halves[1].to = pass->limit;
    begin_pass(t, far, pass->limit);
    while (!err && goes_on && pieces < BOTH_PIECES) {
        err = run_halves(t, &halves[0], &halves[1], pieces, pass, &goes_on);
        if (err)
            break;
        pieces++;
        tell_progress(t, tick_within(halves[0].from, halves[1].to, pieces, BOTH_PIECES));
        if (goes_on)
            err = timeline_leave(t, far);
        if (!err && goes_on)
            err = timeline_leave(t, near);
    }
    if (!err && moment_compare(replayer_at(far), halves[0].to) == 0) {
        tell_pieces(&halves[0], pieces, pass);
        tell_pieces(&halves[1], pieces, pass);
    }
    free(halves);
    return err;
}

/* --- getting somewhere --------------------------------------------------------------------- */

static struct error *run_measured(struct timeline *t, struct replayer *r, struct moment to)
{
    struct moment from = replayer_at(r);
    double began = timeline_seconds_now();
    struct error *err = replayer_run_to(r, to);
    if (!err)
        learn(t, r->stopped.tick - from.tick, timeline_seconds_now() - began,
              r->stopped.pages_copied);
    return err;
}

/* Runs half of the distance, then half of the rest, and so on, and leaves a copy at each of these
 * places. */
static struct error *run_trail(struct timeline *t, struct replayer *r, struct moment to)
{
    double least = WORTH_A_COPY + 2 * t->fork_seconds;
    begin_pass(t, r, to);
    while (to.tick > r->stopped.tick) {
        u64 half = (to.tick - r->stopped.tick) / 2;
        if ((t->measured && timeline_seconds(t, half) < least) || half < NEAR)
            break;
        u64 step = t->measured ? half : (half < FIRST_CHUNK ? half : FIRST_CHUNK);
        struct error *err = run_measured(t, r, (struct moment){r->stopped.tick + step, 0});
        if (err || r->stopped.reason != STOPPED_LIMIT)
            return err;
        tell_progress(t, replayer_at(r));
        err = timeline_leave(t, r);
        if (err)
            return err;
    }
    return run_measured(t, r, to);
}

struct error *timeline_reach(struct timeline *t, struct moment to, struct replayer **ret)
{
    struct replayer *r;
    timeline_approach(t, to);
    struct error *err = copy_surely(t, to, &r);
    if (err)
        return err;
    if (moment_compare(replayer_at(r), to) < 0)
        err = run_trail(t, r, to);
    bool interrupted = !err && r->stopped.reason == STOPPED_INTERRUPTED &&
                       moment_compare(replayer_at(r), to) < 0;
    if (err || interrupted) {
        replayer_destroy(r);
        r = NULL;
    }
    *ret = r;
    return err;
}

/* --- snapshots ------------------------------------------------------------------------------- */

void timeline_approach(struct timeline *t, struct moment to)
{
    struct moment at;
    struct replayer *r = NULL;
    for (;;) {
        struct checkpoint *before = timeline_before(t, to);
        if (!snapshots_before(t->snapshots, before->at, to, &at) ||
            timeline_seconds(t, at.tick - before->at.tick) < WORTH_RESTORING)
            return;
        r = snapshots_restore(t->snapshots, t->origin, at);
        if (r)
            break; /* this snapshot cannot be used; there may be another */
    }
    timeline_keep(t, r);
}

/* Keeps a snapshot at the last tick, from which the end is only a few instructions away. */
static struct moment keep_last_snapshot(struct timeline *t, u64 most)
{
    struct moment at = {t->last.tick, 0};
    struct replayer *r = NULL;
    struct error *err = timeline_reach(t, at, &r);
    if (!err && r && r->stopped.reason == STOPPED_LIMIT)
        snapshots_keep(t->snapshots, r, most);
    error_destroy(err); /* a movement that goes there will report the error */
    if (r)
        timeline_keep_or_drop(t, r);
    return at;
}

/* Snapshots are dense near the end, where users begin to look, and nowhere far apart. */
void timeline_keep_snapshots(struct timeline *t, struct moment from)
{
    double length = timeline_seconds(t, t->last.tick - from.tick), began = timeline_seconds_now();
    if (!snapshot_store_on() || length < 2 * WORTH_RESTORING)
        return;
    u64 most = (u64)(SNAPSHOT_LEAST + SNAPSHOT_RATE * length);
    struct moment behind = keep_last_snapshot(t, most);
    for (size_t i = t->count; i-- > 1;) {
        struct checkpoint *c = &t->list[i];
        double away = timeline_seconds(t, t->last.tick - c->at.tick);
        double apart = away / 3 < length / 16 ? away / 3 : length / 16;
        if (timeline_seconds_now() - began > SNAPSHOTS_SHARE * length ||
            moment_compare(c->at, from) <= 0)
            return;
        if (moment_compare(c->at, behind) >= 0 || c->process->lost ||
            timeline_seconds(t, behind.tick - c->at.tick) <
                (apart > WORTH_RESTORING ? apart : WORTH_RESTORING))
            continue;
        if (snapshots_keep(t->snapshots, c->process, most))
            behind = c->at;
        if (c->process->lost)
            remove_at(t, i);
    }
}

/* --- while the user thinks ----------------------------------------------------------------- */

/* How far the filler has come is not lost: a movement that interrupts it may go back past here. */
void timeline_refill_stop(struct timeline *t)
{
    struct replayer *r = t->filler;
    t->filler = NULL;
    if (r && !r->lost && r->stopped.reason == STOPPED_LIMIT)
        timeline_keep_or_drop(t, r);
    else
        replayer_destroy(r);
}

/* The minimum interval, and the minimum distance, for which a checkpoint is made this far from the
 * current moment. */
static u64 short_enough(const struct timeline *t, u64 away)
{
    u64 least = (u64)((WORTH_A_COPY + 4 * t->fork_seconds) * t->ticks_per_second);
    return away / 2 > least ? away / 2 : least;
}

/* Finds the nearest interval before t->here that is longer than its distance; false: checkpoints
 * are dense enough. */
static bool find_sparse(const struct timeline *t, u64 *ret_from, u64 *ret_to)
{
    u64 to = t->here.tick;
    for (size_t i = t->count; i-- > 0;) {
        u64 from = t->list[i].at.tick;
        if (from >= t->here.tick)
            continue;
        if (to - from > 2 * short_enough(t, t->here.tick - to)) {
            *ret_from = from;
            *ret_to = to;
            return true;
        }
        to = from;
    }
    return false;
}

/* True if there is room for one more checkpoint, or if one of little value can be replaced. */
static bool has_room(const struct timeline *t)
{
    if (t->count + 1 < t->most_processes && pages_held(t) < t->most_pages)
        return true;
    for (size_t i = 1; i < t->count; i++)
        if (worth(t, i) < 0.5)
            return true;
    return false;
}

static void aim_filler(struct timeline *t)
{
    u64 at = t->filler->stopped.tick;
    t->filler_goal = at + (t->filler_end - at) / 2;
}

static bool begin_refill(struct timeline *t)
{
    u64 from;
    size_t count = t->count;
    if (!has_room(t) || !find_sparse(t, &from, &t->filler_end))
        return false;
    timeline_approach(t, (struct moment){t->filler_end - 1, ~0ull});
    if (t->count != count)
        return true;
    struct error *err = copy(t, timeline_before(t, (struct moment){from, ~0ull})->process,
                             &t->filler);
    if (err) {
        error_destroy(err);
        make_do(t);
        t->filler = NULL;
        return false;
    }
    aim_filler(t);
    return true;
}

/* The filler has come half of the way: it becomes a checkpoint, and a copy goes on if the rest is
 * long. */
static struct error *arrive_filler(struct timeline *t)
{
    u64 rest = t->filler_end - t->filler->stopped.tick;
    if (rest > 2 * short_enough(t, t->here.tick - t->filler_end) && has_room(t)) {
        aim_filler(t);
        return timeline_leave(t, t->filler);
    }
    timeline_keep(t, t->filler);
    t->filler = NULL;
    return NULL;
}

bool timeline_refill(struct timeline *t)
{
    if (!t->filler)
        return begin_refill(t);
    u64 slice = (u64)(SLICE * t->ticks_per_second) + NEAR;
    u64 left = t->filler_goal - t->filler->stopped.tick;
    struct moment to = {left > slice ? t->filler->stopped.tick + slice : t->filler_goal, 0};
    struct error *err = run_measured(t, t->filler, to);
    bool well = !err && t->filler->stopped.reason == STOPPED_LIMIT;
    if (well && t->filler->stopped.tick >= t->filler_goal)
        err = arrive_filler(t);
    if (well && !err)
        return true;
    error_destroy(err); /* a movement that goes there will meet the error and report it */
    timeline_refill_stop(t);
    return false;
}

/* --- what is kept, by the user's wish ------------------------------------------------------- */

void timeline_keeping(const struct timeline *t, struct session_keeping *ret)
{
    *ret = (struct session_keeping){
        .processes = (u32)t->most_processes,
        .memory = t->memory_is_set ? t->most_pages * PAGE : 0,
        .spacing = t->spacing_is_set ? t->spacing : 0,
        .reach = t->reach,
    };
}

void timeline_keep_by(struct timeline *t, const struct session_keeping *k)
{
    t->most_processes = k->processes < PROCESSES_LEAST ? PROCESSES_LEAST : k->processes;
    t->memory_is_set = k->memory > 0;
    t->most_pages = t->memory_is_set ? k->memory / PAGE : free_pages() / 4;
    t->spacing_is_set = k->spacing > 0;
    if (t->spacing_is_set)
        t->spacing = k->spacing;
    t->reach = k->reach;
    timeline_refill_stop(t); /* the rules for refilling have changed */
    thin(t);
}

/* --- beginning and end --------------------------------------------------------------------- */

/* A trimmed track begins at a snapshot, which is the only way to reach its start. */
static struct error *timeline_begin(struct timeline *t)
{
    struct moment at;
    struct replayer *r = t->origin;
    if (track_events_trimmed(t->family->events, &at)) {
        struct error *err = snapshots_begin(t->snapshots, t->origin, &r);
        if (err)
            return err;
    }
    timeline_keep_checkpoint(t, r, r->pages);
    t->here = t->list[0].at;
    return NULL;
}

struct error *timeline_init(struct timeline *t, struct replayer_family *family,
                            const struct session_options *options)
{
    *t = (struct timeline){
        .family = family,
        .most_processes = options->most_processes ? options->most_processes : PROCESSES,
        .most_pages = options->most_memory ? options->most_memory / PAGE : free_pages() / 4,
        .retained = {~0ull, ~0ull},
        .last = track_events_last(family->events),
        .ticks_per_second = 1e8,
        .fork_seconds = 0.001,
        .spacing = SPACING_LEAST,
        .progress = options->progress,
        .context = options->context,
    };
    if (t->most_processes < PROCESSES_LEAST)
        t->most_processes = PROCESSES_LEAST;
    t->snapshots = snapshots_create(family);
    t->quiet = quiet_create(family->rec, family->track, family->events);
    family->waiting = guess_progress;
    family->waiting_context = t;
    struct error *err = replayer_start(family, &t->origin);
    return err ? err : timeline_begin(t);
}

void timeline_deinit(struct timeline *t)
{
    snapshots_destroy(t->snapshots);
    quiet_destroy(t->quiet);
    replayer_destroy(t->filler);
    if (!t->count || t->list[0].process != t->origin)
        replayer_destroy(t->origin);
    for (size_t i = 0; i < t->count; i++)
        replayer_destroy(t->list[i].process);
    free(t->list);
}
