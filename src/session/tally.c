/* Tallies: see tally.h. One pass; the counts of its pieces are added up. */
#include "session/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/session_internal.h"

struct tallying {
    struct replayer *r;
    struct plan_tally *counts; /* sorted */
    size_t count;
};

static int tally_compare(const void *a, const void *b)
{
    const struct plan_tally *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Merges the sorted counts of a piece with those of the pieces before it. */
static void tally_merge(struct tallying *t, const struct plan_tally *more, size_t more_count)
{
    struct plan_tally *sum = xalloc((t->count + more_count + 1) * sizeof *sum);
    size_t count = 0, i = 0, n = 0;
    while (i < t->count || n < more_count) {
        bool mine = n == more_count || (i < t->count && t->counts[i].pc <= more[n].pc);
        bool both = mine && n < more_count && t->counts[i].pc == more[n].pc;
        sum[count] = mine ? t->counts[i++] : more[n++];
        if (both)
            sum[count].count += more[n++].count;
        count++;
    }
    free(t->counts);
    t->counts = sum;
    t->count = count;
}

static void tally_take_piece(void *context, struct moment from,
                             const struct control_stopped *stopped)
{
    struct tallying *t = context;
    (void)from;
    (void)stopped;
    qsort(t->r->tally, t->r->tally_count, sizeof *t->r->tally, tally_compare);
    tally_merge(t, t->r->tally, t->r->tally_count);
}

static struct error *tally_run(struct session *s, struct tallying *t, struct moment to,
                               struct session_tally *ret)
{
    struct moment far = {~0ull, 0};
    bool to_end = moment_compare(to, session_last(s)) >= 0;
    struct plan plan = {.version = CONTROL_VERSION, .mode = PLAN_TALLY, .nth = 1};
    struct error *err = timeline_run(&s->timeline, t->r,
                                     &(struct timeline_pass){.plan = &plan,
                                                             .size = sizeof plan,
                                                             .limit = to_end ? far : to,
                                                             .seen = tally_take_piece,
                                                             .context = t});
    if (!err) {
        ret->interrupted = t->r->stopped.reason == STOPPED_INTERRUPTED;
        ret->reached = replayer_at(t->r);
    }
    if (t->r->lost)
        replayer_destroy(t->r);
    else
        timeline_keep_or_drop(&s->timeline, t->r);
    return err;
}

struct error *session_tally(struct session *s, struct moment from, struct moment to,
                            struct session_tally *ret)
{
    struct tallying t = {0};
    *ret = (struct session_tally){.reached = from};
    session_begin(s);
    struct error *err = timeline_reach(&s->timeline, from, &t.r);
    if (!err && t.r)
        err = tally_run(s, &t, to, ret);
    else if (!err)
        ret->interrupted = true;
    if (err) {
        free(t.counts);
        return err;
    }
    ret->counts = t.counts;
    ret->count = t.count;
    return NULL;
}
