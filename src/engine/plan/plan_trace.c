/* All hits of a pass: see plan_trace.h.
 *
 * Hits are appended, oldest first. When there are twice as many as wanted, the older half is
 * dropped. So nothing is moved more than once, and the newest are always adjacent.
 */
#include "engine/plan/plan_trace.h"

#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/plan/controlled_internal.h"

static struct {
    struct plan_hit *kept;
    u64 count, room; /* of hits */
    u64 most;
} trace;

static void plan_trace_make_room(void)
{
    u64 more = trace.room ? 2 * trace.room : 4 * PAGE_SIZE / sizeof(*trace.kept);
    struct plan_hit *larger = pool_map(page_up(more * sizeof(*trace.kept)), PAGE_SIZE);
    memcpy(larger, trace.kept, trace.count * sizeof(*trace.kept));
    if (trace.room)
        pool_unmap(trace.kept, page_up(trace.room * sizeof(*trace.kept)));
    trace.kept = larger;
    trace.room = more;
}

static void plan_trace_forget_older(void)
{
    if (trace.count <= trace.most)
        return;
    memmove(trace.kept, trace.kept + trace.count - trace.most, trace.most * sizeof(*trace.kept));
    trace.count = trace.most;
}

void plan_trace_begin(u64 wanted)
{
    trace.most = wanted;
    trace.count = 0;
}

void plan_trace_add(const struct plan_hit *hit)
{
    if (!trace.most)
        return;
    if (trace.count >= 2 * trace.most)
        plan_trace_forget_older();
    if (trace.count == trace.room)
        plan_trace_make_room();
    trace.kept[trace.count++] = *hit;
}

i32 plan_trace_end(void)
{
    if (!trace.most)
        return -1;
    plan_trace_forget_older();
    i32 fd = control_file(trace.kept, trace.count * sizeof(*trace.kept));
    if (trace.room)
        pool_unmap(trace.kept, page_up(trace.room * sizeof(*trace.kept)));
    trace.kept = NULL;
    trace.count = trace.room = trace.most = 0;
    return fd;
}
