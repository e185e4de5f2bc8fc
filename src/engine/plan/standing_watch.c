/* A standing watch: see the header.
 *
 * Plans belong to sessions, which replay. But a plan only needs translated code, not a log: here
 * the engine itself begins one without an end, while a program is recorded or merely run. Its hits
 * are only counted.
 */
#include "engine/plan/standing_watch.h"

#include "engine/base/goal.h"
#include "engine/base/settings.h"
#include "engine/base/stats.h"
#include "engine/base/stop.h"
#include "engine/log/observer.h"
#include "engine/plan/controlled.h"
#include "engine/plan/data_watch.h"
#include "engine/plan/plan.h"
#include "log/control.h"

static void (*check_next)(void); /* for another setting */

static void standing_watch_check(void)
{
    data_watch_settle();
    if (check_next)
        check_next();
}

static u64 count_of_changes(void)
{
    return plan_pass.count;
}

void standing_watch_start(void)
{
    struct {
        struct plan plan;
        struct plan_site site;
    } p = {
        .plan = {.version = CONTROL_VERSION, .mode = PLAN_COUNT, .sites = 1, .limit_tick = ~0ul},
        .site = {.kind = SITE_STORE, .address = settings.watch_at, .size = settings.watch_size,
                 .thread = CONTROL_THREAD_ANY},
    };
    if (!settings.watch_size || control_on())
        return;
    const char *why = plan_begin(&p, sizeof(p));
    if (why)
        engine_stop("the setting watch", why);
    observer.any_call = data_watch_expect_any;
    stats_sources.changes = count_of_changes;
    check_next = goal.check;
    goal.check = standing_watch_check;
}
