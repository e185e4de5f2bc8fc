/* Control: see controlled.h.
 *
 * Invariants
 *   (1) While the engine stands, nothing of the guest changes except by CONTROL_WRITE and
 *       CONTROL_SET_REGISTERS; then the process has permanently left the recording
 *       (track/scratch_log.h).
 *   (2) Each command except STOP is answered exactly once.
 */
#include "engine/plan/controlled.h"

#include "base/assert.h"
#include "engine/base/goal.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/log/observer.h"
#include "engine/memory/mapped_file.h"
#include "engine/memory/pending.h"
#include "engine/plan/controlled_internal.h"
#include "engine/plan/data_watch.h"
#include "engine/plan/plan.h"
#include "engine/plan/plan_points.h"
#include "engine/plan/plan_tally.h"
#include "engine/plan/plan_trace.h"
#include "engine/plan/states.h"
#include "engine/signals/signals.h"
#include "engine/snapshot/snapshot.h"
#include "engine/threads/thread.h"
#include "engine/track/track.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/enter.h"

enum {
    POLL_TICKS = 1 << 20,  /* some milliseconds */
    /* boundaries without that many ticks, at a site that is met all the time */
    POLL_VISITS = 1 << 12,
    RUSAGE_SIZE = 144,
    RUSAGE_MINOR_FAULTS = 64,
};

static struct {
    bool on;
    bool stood;           /* it has stood at the first moment */
    bool restored;        /* restored from a snapshot, and this has not been reported yet */
    bool answered; /* the session waits for no answer; at first it waits without having asked */
    struct event_end end; /* the END event of the program, once it was met */
    /* at the last stop: number of minor faults, and of snapshot pages read */
    u64 faults_before, read_before;
    u64 poll_tick;        /* the tick of the next look at the session's socket, */
    u32 poll_visits;      /* and the boundaries since the last look */
    struct control_command command;
} controlled;

void control_note_answer(void)
{
    invariant(2, !controlled.answered);
    controlled.answered = true;
}

/* --- stopping ------------------------------------------------------------------------- */

static u64 pages_copied(void)
{
    u64 usage[RUSAGE_SIZE / 8] = {0};
    kernel_call(__NR_getrusage, 0, usage);
    u64 faults = usage[RUSAGE_MINOR_FAULTS / 8], since = faults - controlled.faults_before;
    u64 read = pending_read_count(), came = read - controlled.read_before;
    controlled.faults_before = faults;
    controlled.read_before = read;
    return since > came ? since - came : 0;
}

static void say_stopped(u32 reason, u64 events, const char *recorded, const char *happened)
{
    static struct control_stopped s;
    const struct thread *t = thread_self();
    s = (struct control_stopped){
        .message = {CONTROL_STOPPED, sizeof(s)},
        .reason = reason,
        .thread = t->ordinal,
        .tid = thread_number(t),
        .end_status = controlled.end.status,
        .end_signal = controlled.end.signal,
        .end_core = controlled.end.core,
        .condition_failed = plan_pass.condition_failed,
        .tick = cpu ? ticks_now() : 0,
        .pc = cpu ? cpu->rip : 0,
        .event = events,
        .count = plan_pass.count,
        .aside = plan_pass.aside,
        .points = plan_points_counted(),
        .pages_copied = pages_copied(),
    };
    plan_points_left(&s.left_tick, &s.left_pc, &s.left_scope);
    memcpy(s.hits, plan_pass.hits, sizeof(s.hits));
    struct text r = TEXT(s.recorded), h = TEXT(s.happened);
    text_add(&r, recorded);
    text_add(&h, happened);
    i32 file = states_on ? states_end() : plan_tally_on() ? plan_tally_end() : plan_trace_end();
    control_note_answer();
    track_send(&s.message, file);
    if (file >= 0)
        kernel_call(__NR_close, file);
}

/* --- commands ---------------------------------------------------------------------------- */

static const char *begin_attached(const struct control_run *run, i32 fd)
{
    u64 size = page_up(run->plan_size);
    void *place = size ? pool_try_map(size, PAGE_SIZE) : NULL;
    if (!place || fd < 0)
        return "the plan did not come";
    i64 got = kernel_call(__NR_mmap, place, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
    const char *wrong =
        kernel_failed(got) ? "the plan cannot be read" : plan_begin(place, run->plan_size);
    pool_unmap(place, size);
    return wrong;
}

static const char *controlled_begin_pass(const struct control_command *c)
{
    const struct control_run *run = &c->run;
    if (run->attached)
        return begin_attached(run, c->fd);
    if (c->size < sizeof(*run) || run->plan_size > c->size - sizeof(*run))
        return "the plan is cut short";
    return plan_begin(run + 1, run->plan_size);
}

/* Returns true if the pass begins. */
static bool controlled_run(const struct control_command *c)
{
    const char *wrong = controlled_begin_pass(c);
    track_forget_stop();
    if (wrong)
        say_stopped(STOPPED_UNABLE, 0, "", wrong);
    return !wrong;
}

/* Runs a pass without sites, by single instructions. */
static bool run_with_states(const struct control_command *c)
{
    const struct control_states *ask = &c->states;
    struct plan plan = {.version = CONTROL_VERSION,
                        .limit_tick = ask->limit_tick,
                        .limit_pc = ask->limit_pc,
                        .nth = 1};
    if (c->size < sizeof(*ask) || plan_begin(&plan, sizeof(plan))) {
        say_stopped(STOPPED_UNABLE, 0, "", "the question about states is cut short");
        return false;
    }
    states_begin(ask->most);
    return true;
}

static void say_forked(i64 pid)
{
    struct control_forked forked = {.message = {CONTROL_FORKED, sizeof(forked)}};
    control_note_answer();
    forked.error = kernel_failed(pid) ? (u32)-pid : 0;
    forked.pid = kernel_failed(pid) ? 0 : (u32)pid;
    track_send(&forked.message, -1);
}

/* The parent of the copy is the engine's parent, so that ebb notices its end and no copy waits for
 * another. The copy itself answers, on its parent's line, once it has its own copies of shared
 * memory. */
static void fork_copy(i32 socket)
{
    i64 pid = socket < 0 ? -EBADF : kernel_call(__NR_clone, K_CLONE_PARENT, 0, 0, 0, 0);
    if (pid == 0) {
        memory_unshare();
        say_forked(kernel_call(__NR_getpid));
        track_adopt(socket);
        controlled.faults_before = 0;
        return;
    }
    if (socket >= 0)
        kernel_call(__NR_close, socket);
    if (kernel_failed(pid))
        say_forked(pid);
    else
        control_note_answer(); /* the copy answers */
}

/* Restores a snapshot; the answer is sent when the engine stands there. */
static void restore_snapshot(const struct control_command *c)
{
    struct snapshot_extent extent = {c->restore.snapshot.state_at, c->restore.snapshot.state_size};
    const char *wrong = c->fd < 0 || c->size < sizeof(c->restore) ? "the snapshot did not come"
                        : log_owner->outlasts_end || threads.count != 1
                            ? "the process is not at its beginning"
                            : snapshot_check(c->fd, &extent);
    if (wrong) {
        say_stopped(STOPPED_UNABLE, 0, "", wrong);
        return;
    }
    controlled.restored = true;
    struct snapshot_given given = {c->restore.asks, c->restore.number, c->restore.pages};
    snapshot_restore(c->fd, &extent, &given, c->restore.event);
}

/* Executes one command; true if the guest must run. */
static bool controlled_obey(void)
{
    struct control_command *c = &controlled.command;
    c->fd = -1;
    c->size = track_receive_any(&c->message, sizeof(c->bytes), &c->fd);
    if (!c->size)
        for (;;)
            kernel_call(__NR_exit_group, 0); /* the session is gone */
    invariant(2, controlled.answered);
    controlled.answered = c->message.kind == CONTROL_STOP;
    bool runs = false;
    i32 fd = c->fd;
    switch (c->message.kind) {
    case CONTROL_RUN:
        runs = controlled_run(c);
        break;
    case CONTROL_STATES:
        runs = run_with_states(c);
        break;
    case CONTROL_FORK:
        fork_copy(fd);
        return false;
    case CONTROL_STOP:
        break;
    case CONTROL_RESTORE:
        restore_snapshot(c);
        break;
    default:
        control_answer(c);
    }
    if (fd >= 0)
        kernel_call(__NR_close, fd);
    return runs;
}

static void stand(u32 reason, u64 events, const char *recorded, const char *happened)
{
    u64 tick = cpu ? ticks_now() : 0, pc = cpu ? cpu->rip : 0;
    plan_end();
    say_stopped(reason, events, recorded, happened);
    while (!controlled_obey()) {
    }
    bool unchanged = !cpu || (tick == ticks_now() && pc == cpu->rip);
    invariant(1, unchanged || log_owner->outlasts_end);
}

/* A copy that was changed has left the recorded run, so the end of the recording does not apply: it
 * runs on from where it was put. */
static void control_conclude(u32 reason, u64 events, const char *recorded, const char *happened)
{
    for (;;) {
        stand(reason, events, recorded, happened);
        if (reason == STOPPED_END && log_owner->outlasts_end) {
            controlled.end = (struct event_end){0};
            engine_run();
        }
    }
}

static void control_ended(const struct event_end *e)
{
    controlled.end = *e;
}

static void control_copy_faulted(u32 signal)
{
    controlled.end = (struct event_end){.signal = signal};
    stand(STOPPED_END, 0, "", "the copy has died");
    controlled.end = (struct event_end){0};
}

/* --- running ----------------------------------------------------------------------------- */

static bool interrupted(void)
{
    u64 now = ticks_now();
    if (now < controlled.poll_tick && ++controlled.poll_visits < POLL_VISITS)
        return false;
    controlled.poll_tick = now + POLL_TICKS;
    controlled.poll_visits = 0;
    return track_heard();
}

static bool at_limit(void)
{
    return goal_reached(plan_pass.limit_tick, plan_pass.limit_pc);
}

/* True if the event that led here is a hit: then everything at this moment is met, too. */
static bool arrived_at_hit(void)
{
    if (!plan_at_boundary())
        return false;
    u32 signal = signals_fault_waits();
    if (!signal)
        signal = log_signal_due();
    if (signal)
        plan_at_signal(signal);
    else if (!log_outside_due())
        plan_at_instruction();
    return true;
}

/* Returns why the pass ends here; STOPPED_START: it does not. */
static u32 why_stop(void)
{
    if (plan_pass.due)
        return plan_pass.point_due ? STOPPED_POINT : STOPPED_HIT;
    if (at_limit())
        return STOPPED_LIMIT;
    if (arrived_at_hit())
        return STOPPED_HIT;
    return interrupted() ? STOPPED_INTERRUPTED : STOPPED_START;
}

static void stand_if_due(void)
{
    if (controlled.restored) {
        controlled.restored = false;
        stand(STOPPED_LIMIT, log_events_met(), "", "");
    }
    if (!controlled.stood) {
        controlled.stood = true;
        stand(STOPPED_START, log_events_met(), "", "");
    }
    plan_note_thread();
    for (u32 why; (why = why_stop()) != STOPPED_START;)
        stand(why, log_events_met(), "", "");
}

/* Sets the nearer one of the log's goal and the plan's limit. */
static void set_limit(bool set, u64 tick, u64 pc)
{
    u64 limit = plan_pass.limit_tick, limit_pc = plan_pass.limit_pc;
    if (set && (tick < limit || (tick == limit && pc <= limit_pc)))
        return;
    goal.set = limit != ~0ul;
    goal.tick = limit;
    goal.pc = limit_pc;
}

static void control_boundary(void)
{
    goal.set = false; /* unless the log has one */
    do {
        data_watch_settle();
        stand_if_due();
        if (states_on)
            states_note();
    } while (log_meet());
    plan_points_approach();
    set_limit(goal.set, goal.tick, goal.pc);
}

bool control_on(void)
{
    return controlled.on;
}

void control_start(void)
{
    controlled.on = true;
    goal.check = control_boundary;
    observer.concluded = control_conclude;
    observer.ended = control_ended;
    observer.copy_died = control_copy_faulted;
}
