/* For the checks of plans: one plan under construction, and what runs it.  Errors end the
 * program. */
#ifndef TESTS_PLAN_REQUEST_H
#define TESTS_PLAN_REQUEST_H

#include <stdlib.h>

#include "base/error.h"
#include "log/recording.h"
#include "session/replayer_internal.h"

enum { REQUEST_SITES = 100000 };

static struct request {
    struct plan plan;
    struct plan_site site[REQUEST_SITES];
} request;

static inline void check(struct error *err)
{
    if (err)
        exit(error_complain(err, 1));
}

static inline void begin(u32 mode, u64 nth, u32 flags)
{
    request.plan = (struct plan){.version = CONTROL_VERSION, .mode = mode, .flags = flags, .nth = nth,
                                 .limit_tick = ~0ul};
}

static inline void add_site(u32 kind, u64 address, u64 size, u32 flags)
{
    request.site[request.plan.sites++] =
        (struct plan_site){.kind = kind, .flags = flags, .address = address, .size = size, .thread = CONTROL_THREAD_ANY};
}

static inline void run(struct replayer *r)
{
    check(replayer_run(r, &request.plan, sizeof(request.plan) + request.plan.sites * sizeof(struct plan_site)));
}

static inline struct replayer *copy_of(struct replayer *r)
{
    struct replayer *copy;
    check(replayer_fork(r, &copy));
    return copy;
}

/* To the next instruction; false: there is none. */
static inline bool step(struct replayer *r, bool past)
{
    begin(PLAN_STOP, 1, past ? PLAN_PAST_HERE : 0);
    add_site(SITE_STEP, 0, 0, 0);
    run(r);
    return r->stopped.reason == STOPPED_HIT;
}

#endif
