/* A copy of the process that may be written to, and is thrown away: calling functions, trying
 * values.
 *
 * The copy leaves the recording with the first write; no checkpoint is ever made of it, and
 * nothing that it does can be seen from where the session stands.
 */
#include <string.h>

#include "session/session_internal.h"

bool session_scratch(const struct session *s)
{
    return s->scratch != NULL;
}

void session_scratch_drop(struct session *s)
{
    replayer_destroy(s->scratch);
    s->scratch = NULL;
}

static struct error *scratch_make(struct session *s)
{
    struct replayer *r;
    if (s->scratch)
        return NULL;
    struct error *err = session_present(s, &r);
    return err ? err : replayer_fork(r, &s->scratch);
}

struct error *session_write(struct session *s, u64 address, const void *from, size_t size)
{
    struct error *err = scratch_make(s);
    return err ? err : replayer_write(s->scratch, address, from, size);
}

struct error *session_set_registers(struct session *s, u32 thread,
                                    const struct control_registers *to,
                                    const u8 *vector)
{
    struct error *err = scratch_make(s);
    return err ? err : replayer_set_registers(s->scratch, thread, to, vector);
}

/* The plan has code breakpoints only: the rest is about what was recorded. */
static void plan_scratch(struct session *s, u64 steps, struct pass_plan *ret)
{
    struct plan_site step = {.kind = SITE_STEP, .thread = CONTROL_THREAD_ANY};
    breakpoints_plan(&s->breakpoints, CHOOSE_ALL, &step, steps ? 1 : 0, ret);
    struct plan_site *sites = (struct plan_site *)(ret->plan + 1);
    const u8 *bytecode = (const u8 *)(sites + ret->plan->sites);
    u32 kept = 0;
    for (u32 i = 0; i < ret->plan->sites; i++) {
        bool stays = sites[i].kind == SITE_CODE || sites[i].kind == SITE_STEP;
        if (stays) {
            sites[kept] = sites[i];
            ret->numbers[kept++] = ret->numbers[i];
        }
    }
    memmove(sites + kept, bytecode, ret->plan->bytecode_size);
    ret->plan->sites = kept;
    ret->size = sizeof *ret->plan + kept * sizeof *sites + ret->plan->bytecode_size;
    ret->plan->flags = PLAN_PAST_HERE;
}

struct error *session_scratch_run(struct session *s, u64 steps, struct session_stop *ret,
                                  u32 *ret_signal)
{
    struct pass_plan plan;
    struct error *err = scratch_make(s);
    if (err)
        return err;
    replayer_family_calm(&s->family);
    plan_scratch(s, steps, &plan);
    *ret = (struct session_stop){.why = WHY_END};
    *ret_signal = 0;
    struct control_stopped *stopped = &s->scratch->stopped;
    for (u64 left = steps ? steps : 1; !err && left > 0; left--) {
        err = replayer_run(s->scratch, plan.plan, plan.size);
        if (!err && (stopped->reason != STOPPED_HIT || plan.numbers[stopped->hits[0].site]))
            break;
    }
    if (!err && stopped->reason == STOPPED_HIT) {
        ret->hit = stopped->hits[0];
        ret->breakpoint = plan.numbers[ret->hit.site];
        ret->why = ret->breakpoint ? WHY_BREAKPOINT : WHY_STEPPED;
        ret->breakpoints[0] = ret->breakpoint;
        ret->breakpoint_count = ret->breakpoint != 0;
    } else if (!err && stopped->reason == STOPPED_INTERRUPTED) {
        ret->why = WHY_INTERRUPTED;
    } else if (!err) {
        *ret_signal = stopped->end_signal;
    }
    pass_plan_deinit(&plan);
    return err;
}
