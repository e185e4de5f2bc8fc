/* Quiet stretches: see the header.
 *
 * What is known of each stretch is kept as long as the plans watch the same memory.
 */
#include "session/quiet_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/xalloc.h"
#include "log/reader.h"
#include "log/snapshot_store.h"
#include "log/unwritten.h"

enum { SIGNALS = 64 };

enum verdict_of_stretch { STRETCH_UNKNOWN, STRETCH_QUIET, STRETCH_WRITTEN };

struct quiet {
    const struct recording *rec;
    u32 track;
    const struct track_events *events;
    bool loaded;
    struct unwritten_stretch *list; /* by moment */
    size_t count;
    struct unwritten_range *watched; /* the memory that the verdicts are about, */
    size_t watched_count;
    u64 signals;                     /* and the signals, as bits */
    u8 *verdicts; /* enum verdict_of_stretch */
};

struct quiet *quiet_create(const struct recording *rec, u32 track,
                           const struct track_events *events)
{
    struct quiet *q = xalloc(sizeof *q);
    *q = (struct quiet){.rec = rec, .track = track, .events = events};
    return q;
}

void quiet_destroy(struct quiet *q)
{
    if (!q)
        return;
    unwritten_free(q->list, q->count);
    free(q->watched);
    free(q->verdicts);
    free(q);
}

/* --- loading -------------------------------------------------------------------------------- */

/* Puts the stretches of a track that end at `end` or before in front of those of its children. A
 * killed recorder may have left stretches later than its last event. */
static void quiet_add(struct quiet *q, u32 track, struct moment end)
{
    size_t count, kept = 0;
    u64 met = track_events_met(q->events);
    struct unwritten_stretch *more = unwritten_read(q->rec, track, &count);
    struct unwritten_stretch *all = xalloc((q->count + count + 1) * sizeof *all);
    for (size_t n = 0; n < count; n++) {
        struct moment to = {more[n].to_tick, more[n].to_pc};
        bool sound = more[n].events_met <= met && moment_compare(to, end) <= 0 &&
                     more[n].from_tick <= more[n].to_tick &&
                     (!kept || all[kept - 1].to_tick <= more[n].from_tick);
        if (sound)
            all[kept++] = more[n];
        else
            free(more[n].ranges);
    }
    free(more);
    if (q->count)
        memcpy(all + kept, q->list, q->count * sizeof *all);
    free(q->list);
    q->list = all;
    q->count += kept;
}

/* A forked track begins with its parent's run. */
static void quiet_load(struct quiet *q)
{
    struct moment end = {~0ull, ~0ull};
    struct reader *reader;
    q->loaded = true;
    for (u32 track = q->track; snapshot_store_on();) {
        quiet_add(q, track, end);
        struct error *err = recording_open_track(q->rec, track, &reader);
        if (err) {
            error_destroy(err);
            break;
        }
        const struct format_file header = *reader_header(reader);
        reader_close(reader);
        if (header.origin != TRACK_FORKED || header.parent >= track)
            break;
        track = header.parent;
        end = (struct moment){header.parent_tick, header.parent_pc};
    }
    q->verdicts = xalloc(q->count + 1);
}

/* --- plans ---------------------------------------------------------------------------------- */

/* For tests. */
static bool quiet_wanted(const char *how)
{
    const char *wanted = getenv("EBB_SEARCH");
    return wanted && strcmp(wanted, how) == 0;
}

static bool may_pass_over(const struct plan *plan)
{
    const struct plan_site *sites = (const struct plan_site *)(plan + 1);
    u32 stores = 0;
    for (u32 n = 0; n < plan->sites; n++) {
        bool store = sites[n].kind == SITE_STORE && !(sites[n].flags & PLAN_ANY_STORE);
        if (!store && (sites[n].kind != SITE_SIGNAL || sites[n].address - 1 >= SIGNALS))
            return false;
        stores += store;
    }
    return stores && !plan->points && !quiet_wanted("whole");
}

/* Returns what the plan watches: memory, and signals as bits. */
static struct unwritten_range *memory_of(const struct plan *plan, size_t *ret_count,
                                         u64 *ret_signals)
{
    const struct plan_site *sites = (const struct plan_site *)(plan + 1);
    struct unwritten_range *ret = xalloc(plan->sites * sizeof *ret);
    memset(ret, 0, plan->sites * sizeof *ret);
    *ret_count = 0;
    *ret_signals = 0;
    for (u32 n = 0; n < plan->sites; n++) {
        if (sites[n].kind == SITE_SIGNAL)
            *ret_signals |= 1ull << (sites[n].address - 1);
        else
            ret[(*ret_count)++] = (struct unwritten_range){
                sites[n].address, sites[n].address + sites[n].size};
    }
    return ret;
}

static void watch_plan(struct quiet *q, const struct plan *plan)
{
    size_t count;
    u64 signals;
    struct unwritten_range *memory = memory_of(plan, &count, &signals);
    if (!q->watched || count != q->watched_count || signals != q->signals ||
        memcmp(memory, q->watched, count * sizeof *memory) != 0)
        memset(q->verdicts, STRETCH_UNKNOWN, q->count);
    free(q->watched);
    q->watched = memory;
    q->watched_count = count;
    q->signals = signals;
}

/* --- looking -------------------------------------------------------------------------------- */

static bool find_quiet(const struct quiet *q, const struct unwritten_stretch *s)
{
    for (size_t n = 0; n < q->watched_count; n++) {
        const struct unwritten_range *w = &q->watched[n];
        if (w->end <= w->start || !unwritten_has(s, w->start, w->end - w->start))
            return false;
    }
    return !track_events_signalled(q->events, q->signals, s->from_tick, s->to_tick);
}

static bool is_quiet(struct quiet *q, size_t index)
{
    u8 *verdict = &q->verdicts[index];
    if (*verdict == STRETCH_UNKNOWN)
        *verdict = find_quiet(q, &q->list[index]) ? STRETCH_QUIET : STRETCH_WRITTEN;
    return *verdict == STRETCH_QUIET;
}

static bool goes_on(const struct quiet *q, size_t index)
{
    const struct unwritten_stretch *s = &q->list[index];
    return index + 1 < q->count && s[0].to_tick == s[1].from_tick && s[0].to_pc == s[1].from_pc;
}

/* The first stretch that ends at the tick or later. */
static size_t quiet_index(const struct quiet *q, u64 tick)
{
    size_t low = 0, high = q->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->list[middle].to_tick < tick)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Clips the joined stretches from `first` to `last`. */
static bool clip_quiet(const struct quiet *q, size_t first, size_t last, struct moment from,
                       struct moment to, u64 least, struct moment *ret_from,
                       struct moment *ret_to)
{
    struct moment begin = {q->list[first].from_tick + 1, 0}, end = {q->list[last].to_tick, 0};
    *ret_from = moment_compare(begin, from) < 0 ? from : begin;
    *ret_to = moment_compare(to, end) < 0 ? to : end;
    return moment_compare(*ret_from, *ret_to) < 0 && ret_to->tick - ret_from->tick >= least;
}

static bool begin_looking(struct quiet *q, const struct plan *plan, u64 *least)
{
    if (!may_pass_over(plan))
        return false;
    if (!q->loaded)
        quiet_load(q);
    watch_plan(q, plan);
    if (quiet_wanted("skip"))
        *least = 1;
    return q->count > 0;
}

bool quiet_first(struct quiet *q, const struct plan *plan, struct moment from, struct moment to,
                 u64 least, struct moment *ret_from, struct moment *ret_to)
{
    if (!begin_looking(q, plan, &least))
        return false;
    for (size_t n = quiet_index(q, from.tick); n < q->count && q->list[n].from_tick < to.tick;
         n++) {
        size_t first = n;
        if (!is_quiet(q, n))
            continue;
        while (goes_on(q, n) && q->list[n].to_tick <= to.tick && is_quiet(q, n + 1))
            n++;
        if (clip_quiet(q, first, n, from, to, least, ret_from, ret_to))
            return true;
    }
    return false;
}

bool quiet_last(struct quiet *q, const struct plan *plan, struct moment from, struct moment to,
                u64 least, struct moment *ret_from, struct moment *ret_to)
{
    if (!begin_looking(q, plan, &least))
        return false;
    size_t n = quiet_index(q, to.tick);
    for (n = n < q->count ? n + 1 : n; n-- > 0 && q->list[n].to_tick > from.tick;) {
        size_t last = n;
        if (!is_quiet(q, n))
            continue;
        while (n > 0 && goes_on(q, n - 1) && q->list[n].from_tick >= from.tick &&
               is_quiet(q, n - 1))
            n--;
        if (clip_quiet(q, n, last, from, to, least, ret_from, ret_to))
            return true;
    }
    return false;
}
