/* An interval of a track: see the header.
 *
 * At its first boundary the engine restores the snapshot with which the interval begins. From then
 * on it replays as usual. Where the interval ends it compares its state with the snapshot there.
 *
 * A copy that follows a fork of the program replays another track, which has no such bounds.
 */
#include "engine/snapshot/interval.h"

#include "engine/base/goal.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/snapshot/snapshot.h"
#include "engine/track/replay.h"
#include "engine/track/track.h"
#include "engine/x86_64/cpu.h"

struct interval_bound {
    bool given;
    i32 fd;
    struct snapshot_extent extent;
    u64 tick, pc, events;
};

static struct {
    u32 track;
    struct interval_bound from, to;
    struct snapshot_difference difference;
} interval;

static void interval_take(struct interval_bound *ret)
{
    struct channel_bound bound = {0};
    i32 fd = -1;
    if (!track_receive(CHANNEL_BOUND, &bound.message, sizeof(bound), &fd) ||
        (bound.given && fd < 0))
        replay_unable("ebb does not say where the interval begins and ends");
    *ret = (struct interval_bound){bound.given, fd, {bound.state_at, bound.state_size},
                                   bound.tick, bound.pc, bound.events};
}

/* Does not return: the guest continues from the snapshot. */
static void interval_begin(void)
{
    const char *wrong = snapshot_check(interval.from.fd, &interval.from.extent);
    if (wrong)
        replay_unable(wrong);
    interval.from.given = false;
    snapshot_restore(interval.from.fd, &interval.from.extent, &(struct snapshot_given){0}, 0);
}

static bool interval_has_end(void)
{
    return interval.to.given && track.number == interval.track;
}

static void interval_end(void)
{
    const char *wrong = snapshot_compare(interval.to.fd, &interval.to.extent,
                                         &interval.difference);
    if (wrong && !interval.difference.told)
        replay_unable(wrong);
    replay_end_interval(wrong);
}

/* At the snapshot's moment, once all events before it were met: some may have the same moment. */
static void interval_end_if_due(void)
{
    const struct interval_bound *b = &interval.to;
    if (!interval_has_end() || !goal_reached(b->tick, b->pc))
        return;
    if (ticks_now() != b->tick || cpu->rip != b->pc || replay_events_met() > b->events)
        replay_end_interval("the replay does not come to its moment");
    if (replay_events_met() == b->events)
        interval_end();
}

static void interval_boundary(void)
{
    const struct interval_bound *b = &interval.to;
    if (interval.from.given)
        interval_begin();
    goal.set = false; /* unless the log has one */
    do
        interval_end_if_due();
    while (log_meet());
    if (!interval_has_end() || goal_reached(b->tick, b->pc))
        return;
    if (goal.set && (goal.tick < b->tick || (goal.tick == b->tick && goal.pc <= b->pc)))
        return;
    goal.set = true;
    goal.tick = b->tick;
    goal.pc = b->pc;
}

void interval_start(void)
{
    interval_take(&interval.from);
    interval_take(&interval.to);
    interval.track = track.number;
    goal.check = interval_boundary;
}
