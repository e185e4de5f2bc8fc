/* Passing over quiet stretches (quiet_internal.h): a pass goes on at their end, from a checkpoint
 * or a snapshot on the way, or from where a plain replay comes to. */
#include "session/timeline_internal.h"

static const double WORTH_PASSING = 0.15; /* seconds of replay that justify passing over them */

static u64 ticks_worth_passing(const struct timeline *t)
{
    return (u64)(WORTH_PASSING * t->ticks_per_second);
}

bool timeline_quiet_before(struct timeline *t, const struct plan *plan, struct moment from,
                           struct moment to, struct moment *ret_from, struct moment *ret_to)
{
    return quiet_last(t->quiet, plan, from, to, ticks_worth_passing(t), ret_from, ret_to);
}

/* Exchanges the processes of two replayers. */
static void exchange(struct replayer *a, struct replayer *b)
{
    struct replayer kept = *a;
    *a = *b;
    *b = kept;
}

/* Brings `r` to a later moment. If it is interrupted, `r` stays where it was. */
static struct error *pass_over(struct timeline *t, struct replayer *r, struct moment to)
{
    struct session_progress pass = t->pass;
    struct replayer *other = NULL;
    struct error *err = NULL;
    timeline_approach(t, to);
    if (moment_compare(timeline_before(t, to)->at, replayer_at(r)) < 0)
        err = timeline_leave(t, r);
    if (!err)
        err = timeline_reach(t, to, &other);
    if (other) {
        exchange(r, other);
        timeline_keep_or_drop(t, other);
    } else if (!err) {
        r->stopped.reason = STOPPED_INTERRUPTED;
    }
    t->pass = pass;
    return err;
}

struct error *timeline_pass_quiet(struct timeline *t, struct replayer *r,
                                  const struct timeline_pass *pass, struct moment *end,
                                  bool *ret_passed)
{
    struct moment here = replayer_at(r), from, to;
    *ret_passed = false;
    if (!quiet_first(t->quiet, pass->plan, here, pass->limit, ticks_worth_passing(t), &from, &to))
        return NULL;
    *ret_passed = moment_compare(from, here) <= 0;
    if (!*ret_passed) {
        *end = moment_compare(from, *end) < 0 ? from : *end;
        return NULL;
    }
    struct error *err = pass_over(t, r, to);
    if (err)
        return err;
    r->stopped.count = r->stopped.aside = r->stopped.points = 0;
    r->trace_count = 0;
    pass->plan->flags &= ~(u32)PLAN_PAST_HERE;
    if (r->stopped.reason == STOPPED_LIMIT && pass->seen)
        pass->seen(pass->context, here, &r->stopped);
    return NULL;
}
