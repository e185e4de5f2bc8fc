/* The reason of a stop, and the breakpoint that caused it. */
#include "base/assert.h"
#include "debug/debug_internal.h"

static enum debug_reason reason_of_breakpoint(const struct debug_stop *s)
{
    const struct debug_breakpoint *p = s->breakpoint;
    if (p->is_panic)
        return REASON_PANIC;
    if (p->watch)
        return s->change.kind == CHANGE_OF_DATA ? REASON_WATCHPOINT : REASON_FRAME;
    return p->type == BREAK_CODE ? REASON_BREAKPOINT : REASON_CATCHPOINT;
}

static enum debug_reason reason_of_stop(const struct debug *d, const struct session_stop *stop)
{
    switch (stop->why) {
    case WHY_BREAKPOINT:
        return debug_is_signal_stop(d, stop->breakpoint) ? REASON_SIGNAL : REASON_BREAKPOINT;
    case WHY_START:
        return REASON_START;
    case WHY_END:
        return REASON_END;
    case WHY_THREAD_START:
        return REASON_THREAD_START;
    case WHY_THREAD_END:
        return REASON_THREAD_END;
    case WHY_INTERRUPTED:
        return REASON_INTERRUPTED;
    case WHY_ARRIVED:
        return REASON_GOTO;
    default:
        return REASON_STEP;
    }
}

/* A followed watchpoint was hit, on the way or where the movement ended. */
static void describe_followed(struct debug *d, struct debug_stop *ret)
{
    ret->breakpoint =
        d->followed_breakpoint ? debug_breakpoints_find(d, d->followed_breakpoint) : NULL;
    if (!ret->breakpoint)
        return;
    ret->is_followed = ret->has_change = true;
    ret->hit = d->followed.hit;
    ret->hit.written = ret->hit.written || d->followed.is_way;
    debug_followed_change(d, ret->breakpoint, &ret->change);
}

void debug_describe_stop(struct debug *d, const struct session_stop *stop, struct debug_stop *ret)
{
    struct debug_breakpoint *p = debug_breakpoints_of_location(d, stop->breakpoint);
    bool stopped = stop->why == WHY_BREAKPOINT;
    *ret = (struct debug_stop){.reason = REASON_STEP};
    /* or the last step of the movement met the watchpoint */
    if (p && (stopped || (p->watch && stop->breakpoint_count))) {
        ret->breakpoint = p;
        ret->location = stop->breakpoint;
        ret->hit = *session_stop_hit(stop, stop->breakpoint);
        ret->has_change = p->watch;
        if (p->watch)
            debug_watch_change(d, p, stop->breakpoint, &ret->hit, &ret->change);
    } else {
        describe_followed(d, ret);
    }
    ret->reason = stopped && ret->breakpoint ? reason_of_breakpoint(ret) : reason_of_stop(d, stop);
}

void debug_stop_deinit(struct debug_stop *s)
{
    if (s->has_change)
        debug_change_deinit(&s->change);
}

const char *debug_reason_name(enum debug_reason reason)
{
    static const char *const names[] = {
        [REASON_STEP] = "step",
        [REASON_BREAKPOINT] = "breakpoint",
        [REASON_WATCHPOINT] = "watchpoint",
        [REASON_FRAME] = "frame",
        [REASON_CATCHPOINT] = "catchpoint",
        [REASON_PANIC] = "panic",
        [REASON_SIGNAL] = "signal",
        [REASON_START] = "start",
        [REASON_END] = "end",
        [REASON_THREAD_START] = "thread-start",
        [REASON_THREAD_END] = "thread-end",
        [REASON_INTERRUPTED] = "interrupted",
        [REASON_GOTO] = "goto",
    };
    assert(reason < countof(names));
    return names[reason];
}
