/* All hits of a pass: see plan_trace.h.
 *
 * They are appended, oldest first.  When there are twice as many as wanted, the older half goes; so nothing is
 * moved more than once, and the newest are always next to each other.
 */
#include "engine/plan/plan_trace.h"

#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/plan/controlled_internal.h"

static struct plan_hit *kept;
static u64 count, room; /* of hits */
static u64 most;

static void plan_trace_make_room(void)
{
    u64 more = room ? 2 * room : 4 * PAGE_SIZE / sizeof(*kept);
    struct plan_hit *larger = pool_map(page_up(more * sizeof(*kept)), PAGE_SIZE);
    memcpy(larger, kept, count * sizeof(*kept));
    if (room)
        pool_unmap(kept, page_up(room * sizeof(*kept)));
    kept = larger;
    room = more;
}

static void plan_trace_forget_older(void)
{
    if (count <= most)
        return;
    memmove(kept, kept + count - most, most * sizeof(*kept));
    count = most;
}

void plan_trace_begin(u64 wanted)
{
    most = wanted;
    count = 0;
}

void plan_trace_add(const struct plan_hit *hit)
{
    if (!most)
        return;
    if (count >= 2 * most)
        plan_trace_forget_older();
    if (count == room)
        plan_trace_make_room();
    kept[count++] = *hit;
}

i32 plan_trace_end(void)
{
    if (!most)
        return -1;
    plan_trace_forget_older();
    i32 fd = control_file(kept, count * sizeof(*kept));
    if (room)
        pool_unmap(kept, page_up(room * sizeof(*kept)));
    kept = NULL;
    count = room = most = 0;
    return fd;
}
