/* The loop of every guest thread: see dispatch.h.
 *
 * A boundary is the place between two blocks: the guest's whole state is in cpu and the last
 * transfer has been counted. There signals are delivered, slices end, and requested stops happen.
 */
#include "engine/run/dispatch.h"

#include "engine/base/goal.h"
#include "engine/base/settings.h"
#include "engine/base/stats.h"
#include "engine/base/stop.h"
#include "engine/base/ticks.h"
#include "engine/calls/own_vdso.h"
#include "engine/calls/syscalls.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/plan/controlled.h"
#include "engine/plan/data_pass.h"
#include "engine/plan/data_watch.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_points.h"
#include "engine/plan/standing_watch.h"
#include "engine/plan/states.h"
#include "engine/run/entries.h"
#include "engine/run/inspect.h"
#include "engine/share/share.h"
#include "engine/signals/signals.h"
#include "engine/threads/slice.h"
#include "engine/threads/thread.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/fragment.h"
#include "engine/translate/kept.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/enter.h"
#include "engine/x86_64/machine.h"

enum {
    SEGV_MAPERR = 1,
    SEGV_ACCERR = 2,
    TRAP_TRACE = 2,
};

#define LONG (1ul << 26)       /* ticks, for a single thread */
#define CONTROLLED (1ul << 20) /* the same under a session: some milliseconds */

/* How the last exit can be made faster next time. */
struct shortcut {
    struct link *link; /* leads to the current target */
    bool publish;      /* an indirect jump looked for the target */
    u32 generation;
};

/* --- stopping at a moment ---------------------------------------------------------- */

static void stop_if_there(void)
{
    if (goal_reached(goal.tick, goal.pc))
        inspect_stop();
}

static struct {
    struct fragment *behind_marker; /* the last result of behind_marker() */
    /* If blocks are not linked, the engine counts ticks itself: no counter runs out. */
    u64 grant_end;
} dispatch;

void dispatch_start(void)
{
    if (settings.stop)
        goal = (struct goal){stop_if_there, true, settings.stop_tick, settings.stop_pc.at};
    observer.damage = code_cache_damage;
    standing_watch_start();
}

/* A session may have sent a message, and the owner of the log wants to know where the guest is. */
static u64 longest(void)
{
    return log_owner->runs_on ? log_owner->runs_on() : control_on() ? CONTROLLED : LONG;
}

static bool runs_in_slices(void)
{
    return threads.count > 1 || share_member;
}

/* The number of ticks that may pass before the next boundary. */
static u64 budget(void)
{
    u64 most = longest();
    if (log_owner->live && runs_in_slices())
        most = slice_grant();
    u64 points = plan_points_ticks();
    most = points < most ? points : most;
    if (!goal.set)
        return most;
    u64 left = goal.tick - ticks_now();
    return left < most ? left : most;
}

/* --- running ------------------------------------------------------------------------ */

static struct fragment *fetch_fault(u64 fault)
{
    if (own_vdso_vsyscall())
        return NULL;
    signals_raise(SIG_SEGV, areas_find(fault) ? SEGV_ACCERR : SEGV_MAPERR, fault);
    return NULL;
}

static struct fragment *find_or_translate(void)
{
    struct fragment *f = fragment_find(cpu->rip);
    if (f && translate_stale(f)) {
        code_watch_differs(f->pc, f->pc + f->copy_size);
        f = NULL;
    }
    if (f)
        return f;
    if (kept_due() && threads.count == 1 && !thread_self()->in_vfork) {
        kept_meet();
        if ((f = fragment_find(cpu->rip)))
            return f;
    }
    u64 fault;
    f = translate(gaddr(cpu->rip), &fault);
    return f ? f : fetch_fault(fault);
}

static u64 enter_at(u32 address)
{
    syscalls_update_direct();
    cpu->entry = address;
    return engine_enter(cpu);
}

/* Returns the fragment after a marker of the engine's vDSO, if that was translated. */
static struct fragment *behind_marker(void)
{
    struct fragment *last = dispatch.behind_marker;
    if (!last || !last->live || last->pc != cpu->rip || last->variant != fragments.variant)
        last = dispatch.behind_marker = fragment_find(cpu->rip);
    return last && !last->copy ? last : NULL;
}

static u64 pass_code_site(void)
{
    const struct fragment *f = &fragments.all[cpu->exit_data];
    cpu->rip = f->pc;
    bool counted = f->counts && !cpu->point_left;
    bool due = counted ? plan_at_counted_instruction() : plan_at_instruction();
    return due ? EXIT_ALARM : enter_at(f->after_site);
}

/* Most sites turn out to have no hit, and are passed without a boundary: no tick has passed. */
static u64 pass_sites(u64 reason)
{
    while (reason == EXIT_SITE || reason == EXIT_DATA)
        reason = reason == EXIT_SITE ? pass_code_site() : data_pass();
    return reason;
}

/* Returns the entry that skips sites already met at this moment. */
static u32 dispatch_entry_of(const struct fragment *f)
{
    return f->after_site && plan_judged_here() ? f->after_site : f->body;
}

/* A program may read the clock so often that it returns at once, without a boundary: no tick has
 * passed, and the door tests for signals. In a replay the answer may have revealed a goal. */
static u64 dispatch_enter(struct fragment *f)
{
    bool met = f->sums_first && plan_judged_here();
    u64 reason = enter_at(dispatch_entry_of(f));
    if (met && reason != EXIT_ALARM) /* something has run */
        plan_points_met_before();
    while (reason == EXIT_EMULATE && settings.link && log_owner->live) {
        enum own_vdso_outcome outcome = own_vdso_call();
        if (outcome == OWN_VDSO_NOT_AT)
            break;
        f = outcome == OWN_VDSO_ANSWERED ? behind_marker() : NULL;
        reason = f ? enter_at(f->body) : EXIT_ALARM;
    }
    return pass_sites(reason);
}

/* At the boundary another thread may have run, and may have dropped the link's fragment or linked
 * it. */
static bool can_link(const struct link *l, const struct fragment *to)
{
    const struct fragment *from = &fragments.all[l->fragment];
    return from->live && !from->copy && !l->to && from->variant == to->variant;
}

/* Chaos: true for code that is new in the run; after each visit another thread may run. A replay
 * has the setting too, but its switches are in the log. */
static bool dispatch_is_new(const struct fragment *f)
{
    return settings.chaos && log_owner->live && f->visits < CHAOS_VISITS;
}

/* Counts a visit; true if other threads had the baton because of it. */
static bool unsettled(struct fragment *f)
{
    if (!dispatch_is_new(f))
        return false;
    if (!slice_ends_by_chance(f->visits++))
        return false;
    thread_yield();
    return true;
}

static void take_shortcut(const struct shortcut *s, struct fragment *f)
{
    if (!settings.link || f->copy || s->generation != fragments.generation)
        return;
    if (dispatch_is_new(f))
        return;
    if (s->publish)
        fragment_publish(f);
    else if (s->link && can_link(s->link, f))
        fragment_link(s->link, f);
}

/* Handles the exit, up to the next boundary. */
static struct shortcut after_exit(u64 reason, bool single)
{
    struct shortcut s = {.generation = fragments.generation};
    switch (reason) {
    case EXIT_LINK: {
        struct link *l = &fragments.links[cpu->exit_data];
        cpu->rip = l->target;
        if (l->ticked)
            ticks_add(1);
        if (!single)
            s.link = l;
        break;
    }
    case EXIT_LOOKUP:
        ticks_add(1);
        stats.lookups_missed++;
        s.publish = !single;
        break;
    case EXIT_SYSCALL:
        stats.system_calls++;
        syscalls_run();
        break;
    case EXIT_CALL_FAILED:
        stats.system_calls++;
        syscalls_failed();
        break;
    case EXIT_EMULATE:
        machine_emulate();
        break;
    case EXIT_FAULT:
        signals_fault(&thread_self()->fault_info);
        break;
    case EXIT_TICKS:
        cpu->rip = fragments.all[cpu->exit_data].pc;
        break;
    case EXIT_CALL_MADE:
    case EXIT_ALARM:
    case EXIT_RETRY:
    case EXIT_DATA_TOUCHED:
        break;
    default:
        engine_stop("unknown exit from translated code", NULL);
    }
    return s;
}

/* Executes exactly one instruction. */
static u64 dispatch_step(void)
{
    u64 fault;
    struct fragment *f = translate_single(gaddr(cpu->rip), &fault);
    if (!f) {
        fetch_fault(fault);
        return EXIT_ALARM;
    }
    u64 trap = cpu->flags & FLAG_TF;
    cpu->flags &= ~(u64)FLAG_TF;
    u64 reason = enter_at(f->body);
    cpu->flags |= trap;
    return reason;
}

/* The accesses of the instruction are judged before its fault, which comes after them. */
static u64 step_watched(void)
{
    if (states_on)
        states_before();
    bool watched = data_watch_before();
    u64 reason = dispatch_step();
    if (watched && reason == EXIT_FAULT)
        data_watch_after(true);
    after_exit(reason, true);
    if (watched && reason != EXIT_FAULT)
        data_watch_after(reason != EXIT_ALARM && reason != EXIT_RETRY);
    return reason;
}

static void step_alone(void)
{
    step_watched();
}

static void step_with_trap(void)
{
    u64 reason = step_watched();
    if (reason != EXIT_FAULT && reason != EXIT_ALARM)
        signals_raise(SIG_TRAP, TRAP_TRACE, cpu->rip);
}

/* Executes one instruction of a program that may trace itself. */
static void step_as_it_is(void)
{
    if (cpu->flags & FLAG_TF)
        step_with_trap();
    else
        step_alone();
}

/* Delivers a fault that waits for the plan; true if there was one. If the pass stops first, it
 * still waits. */
static bool fault_delivered(void)
{
    u32 signal = signals_fault_waits();
    if (signal && !plan_at_signal(signal))
        signals_deliver_fault();
    return signal;
}

static bool goal_is_near(void)
{
    return goal.set && ticks_now() >= goal.tick;
}

/* Between two ticks the pc only grows: single steps meet the goal's pc, or pass it. The plan may
 * also need them. */
static void pursue_goal(void)
{
    for (;;) {
        goal.check();
        if (fault_delivered())
            continue;
        if (!goal_is_near() && !plan_steps() && !states_on)
            return;
        if (!plan_pass.runs || !plan_at_instruction())
            step_as_it_is();
    }
}

static bool grant_used_up(void)
{
    return runs_in_slices() && ticks_now() >= dispatch.grant_end;
}

static void dispatch_grant(void)
{
    u64 ticks = budget();
    ticks_grant(ticks);
    dispatch.grant_end = ticks_now() + ticks;
}

/* `used_up`: the granted ticks were used; `renew`: the grant must be computed again. */
static void boundary(bool used_up, bool renew)
{
    struct thread *t = thread_self();
    bool over = used_up && (!runs_in_slices() || slice_over(share_member && share_wanted()));
    if (over && threads.count > 1)
        thread_yield();
    if (over && share_member)
        share_yield();
    cpu->alarm = 0; /* from here on the door stays closed for a signal that has not been handled */
    if (t->signal_waiting && log_owner->live)
        signals_deliver();
    log_boundary();
    if (goal.check)
        pursue_goal();
    if (over)
        code_watch_age();
    if (used_up || renew || goal.set || fragments.variant == VARIANT_SUMS)
        dispatch_grant();
}

_Noreturn void engine_run(void)
{
    struct shortcut s = {0};
    u64 reason = EXIT_TICKS;
    u32 threads_seen = 0;
    u64 turns_seen = 0;
    bool member_seen = false;
    for (;;) {
        bool used_up = reason == EXIT_TICKS || grant_used_up();
        bool renew = threads_seen != threads.count || turns_seen != threads.turns ||
                     member_seen != share_member;
        u64 rip = cpu->rip;
        boundary(used_up, renew);
        threads_seen = threads.count;
        turns_seen = threads.turns;
        member_seen = share_member;
        if (cpu->flags & FLAG_TF) {
            s = (struct shortcut){0};
            if (!plan_pass.runs || !plan_at_instruction())
                step_with_trap();
            continue;
        }
        if (cpu->rip != rip)
            s = (struct shortcut){0};
        data_watch_mind_stack();
        struct fragment *f = find_or_translate();
        if (!f) {
            s = (struct shortcut){0};
            continue;
        }
        if (unsettled(f)) {
            s = (struct shortcut){0};
            continue;
        }
        take_shortcut(&s, f);
        entries_note(f->pc);
        reason = dispatch_enter(f);
        if (reason == EXIT_RETRY || reason == EXIT_DATA_TOUCHED) {
            plan_note_executed();
            step_alone();
        }
        s = after_exit(reason, false);
    }
}
