/* Decides when an engine that records takes snapshots.
 *
 * Snapshots are as close together as is cheap: the time that one takes is at most a fiftieth of the
 * time until the next. Time is CPU time of the process, since that is what a replay has to repeat.
 *
 *     at a boundary        when enough time has passed since the last one
 *     before the exit      if enough time has passed to be worthwhile, and it is likely to be cheap
 *     before a death       if enough time has passed to be worthwhile
 *
 * A snapshot is written while the program is stopped: all pages the first time, in slices between
 * which the program runs, and then those that have changed (snapshot_changes.c). No copy of the
 * process is made, which the program might notice, or which might outlive it. If no snapshot is
 * possible (snapshot_hindrance), another boundary is tried a little later.
 *
 * A child of fork inherits its parent's time: its replay begins with its parent's run.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/observer.h"
#include "engine/snapshot/snapshot.h"
#include "engine/threads/thread.h"
#include "engine/track/record.h"
#include "engine/track/track.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/cpu.h"
#include "log/snapshot_state.h"

enum {
    K_PROCESS_TIME = 2, /* clocks */
    K_THREAD_TIME = 3,
    SHARE = 50,         /* snapshots take at most one part in this many of the time */
    EXIT_SHARE = 50,
};

#define MILLISECOND 1000000ul
#define WORTH (50 * MILLISECOND)  /* a replay of less than this needs no snapshot */
#define HINDERED (3 * MILLISECOND)
#define BYTES_PER_NS 3            /* how fast memory is written, roughly */
#define FAULT_NS 1500ul           /* time that the kernel takes to note that a page has changed */

static struct {
    u64 taken;     /* the process's time when the last snapshot was taken, or at its beginning */
    u64 at_fork;   /* the time from there to the last fork */
    u64 inherited; /* the parent's time from its last snapshot to the fork */
    u64 wanted;    /* time until the next one */
    bool known;    /* the cost of a snapshot is known */
    u64 cost;      /* cost of the last one, */
    u64 written;   /* and its size in bytes */
    struct snapshot_changes changes;
} pace;

static u64 pace_clock(u32 clock)
{
    struct k_timespec t = {0};
    kernel_call(__NR_clock_gettime, clock, &t);
    return (u64)t.seconds * 1000000000ul + (u64)t.nanoseconds;
}

static u64 pace_since(void)
{
    return pace_clock(K_PROCESS_TIME) - pace.taken + pace.inherited;
}

/* --- memory ------------------------------------------------------------------------------- */

/* Returns the next number in a line. */
static u64 next_number(const char **at)
{
    u64 number = 0;
    while (**at == ' ')
        (*at)++;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        number = number * 10 + (u64)(**at - '0');
    return number;
}

/* The resident memory in bytes, without files. */
static u64 resident_bytes(void)
{
    char line[128];
    const char *at = line;
    i64 fd = kernel_call(__NR_open, "/proc/self/statm", O_RDONLY | O_CLOEXEC);
    i64 size = kernel_failed(fd) ? -1 : kernel_call(__NR_read, fd, line, sizeof(line) - 1);
    if (!kernel_failed(fd))
        kernel_call(__NR_close, fd);
    line[size > 0 ? size : 0] = 0;
    next_number(&at);
    u64 resident = next_number(&at), of_files = next_number(&at);
    return size > 0 && resident >= of_files ? (resident - of_files) * PAGE_SIZE : ~0ul >> 8;
}

/* --- taking one ---------------------------------------------------------------------------- */

/* The outcome of an attempt. */
struct pace_outcome {
    struct snapshot_extent extent;
    const char *wrong;
    u64 base;        /* number of the snapshot that it refers to, or 0 */
    u64 cost, pause; /* nanoseconds */
};

static void tell_recorder(const struct pace_outcome *o, bool last)
{
    struct replay_position position;
    struct channel_snapshot said = {
        .message = {CHANNEL_SNAPSHOT, sizeof(said)}, .tick = ticks_now(), .pc = cpu->rip,
        .state_at = o->extent.state_at, .state_size = o->extent.state_size, .base = o->base,
        .cost = o->cost, .pause = o->pause, .written = o->extent.state_at / PAGE_SIZE,
        .left = pace.changes.left, .last = last,
    };
    struct text refused = TEXT(said.refused);
    record_save_position(&position);
    said.events_met = position.events_met;
    if (o->wrong)
        text_add(&refused, o->wrong);
    track_send(&said.message, -1);
}

/* Asks the recorder for a file; -1: there is none now, and given->again is when to ask again. */
static i32 ask_for_room(bool last, struct channel_given *given)
{
    struct channel_room room = {{CHANNEL_ROOM, sizeof(room)}, last, 0,
                                pace.changes.number ? pace.written : resident_bytes()};
    i32 fd = -1;
    *given = (struct channel_given){.again = ~0ul};
    if (!track_send(&room.message, -1) ||
        !track_receive(CHANNEL_GIVEN, &given->message, sizeof(*given), &fd))
        return -1;
    return given->error ? -1 : fd;
}

/* Each page that changed since the last snapshot has cost a fault. */
static u64 faults_cost(const struct pace_outcome *o)
{
    bool noted = o->base && pace.changes.way == SNAPSHOT_WAY_KERNEL;
    return noted ? o->extent.state_at / PAGE_SIZE * FAULT_NS : 0;
}

/* Returns the time until the next attempt. */
static u64 take_snapshot(bool last)
{
    struct snapshot_changes *changes = &pace.changes;
    struct channel_given given;
    u64 before = pace_clock(K_THREAD_TIME);
    i32 fd = ask_for_room(last, &given);
    if (fd < 0)
        return given.again;
    snapshot_changes_choose(changes, given.way);
    struct pace_outcome o = {.base = changes->number == given.base ? given.base : 0};
    struct snapshot_wish wish = {given.most_pages, o.base != 0, given.slice};
    o.wrong = snapshot_write_changes(fd, &wish, changes, &o.extent);
    kernel_call(__NR_close, fd);
    o.pause = pace_clock(K_THREAD_TIME) - before;
    o.cost = o.pause + faults_cost(&o);
    tell_recorder(&o, last);
    if (!o.wrong)
        changes->number = given.number;
    if (!o.wrong && !changes->left) {
        pace.taken = pace_clock(K_PROCESS_TIME);
        pace.inherited = 0;
    }
    u64 bound = o.cost * SHARE;
    pace.known = true;
    pace.cost = o.cost;
    pace.written = o.extent.state_at;
    u64 wait = track.exact || bound < track.snapshots ? track.snapshots : bound;
    pace.wanted = changes->left ? pace_since() + wait : wait;
    return wait;
}

/* --- when ---------------------------------------------------------------------------------- */

static u64 pace_worth(void)
{
    return track.exact && track.snapshots < WORTH ? track.snapshots : WORTH;
}

/* The cost of the first snapshot is roughly proportional to the size of memory. */
static u64 first_wanted(void)
{
    u64 bytes = resident_bytes();
    u64 guess = (bytes < SNAPSHOT_SLICE ? bytes : SNAPSHOT_SLICE) / BYTES_PER_NS * SHARE;
    return track.exact || guess < track.snapshots ? track.snapshots : guess;
}

static void pace_at_boundary(void)
{
    u64 since = pace_since();
    if (!pace.known && since >= pace.wanted)
        pace.wanted = first_wanted();
    if (!track.snapshots)
        record_ask_snapshot_in(~0ul);
    else if (since < pace.wanted)
        record_ask_snapshot_in(pace.wanted - since);
    else if (since - pace.inherited < pace_worth()) /* many children end soon */
        record_ask_snapshot_in(pace_worth() - (since - pace.inherited));
    else if (snapshot_hindrance())
        record_ask_snapshot_in(track.exact && track.snapshots < HINDERED ? 0 : HINDERED);
    else
        record_ask_snapshot_in(take_snapshot(false));
}

/* Estimates the cost of a snapshot here. */
static u64 likely_cost(void)
{
    const struct snapshot_changes *c = &pace.changes;
    return c->number ? pace.cost + c->left * PAGE_SIZE / BYTES_PER_NS
                     : resident_bytes() / BYTES_PER_NS;
}

/* The process ends anyway, and its parent waits for that: a snapshot is taken only if it is
 * cheap. */
static bool is_worth_before_exit(void)
{
    u64 all = pace_clock(K_PROCESS_TIME);
    return all - pace.taken >= pace_worth() &&
           (track.exact || likely_cost() * EXIT_SHARE <= all);
}

static void take_last_snapshot(void)
{
    const struct pace_outcome none = {.wrong = snapshot_hindrance()};
    if (none.wrong)
        tell_recorder(&none, true);
    else
        take_snapshot(true);
}

/* The system call has begun and changed nothing yet, so the snapshot shows the program just before
 * the call. */
static void pace_before_exit(void)
{
    struct thread_call *call = &thread_self()->call;
    if (!call->open || !is_worth_before_exit())
        return;
    cpu->rip -= SYSCALL_LENGTH;
    call->open = false;
    take_last_snapshot();
    call->open = true;
    cpu->rip += SYSCALL_LENGTH;
}

static void pace_before_death(void)
{
    if (pace_since() >= pace_worth())
        take_last_snapshot();
}

/* The child's own time begins at 0. */
static void pace_forked(void)
{
    pace.taken = 0;
    pace.inherited = pace.at_fork;
    snapshot_changes_forked(&pace.changes);
    record_ask_snapshot_in(pace_worth());
}

static void pace_snapshot(enum observer_snapshot where)
{
    const struct thread *t = thread_self();
    if (where == SNAPSHOT_FORKS) {
        pace.at_fork = pace_since();
    } else if (where == SNAPSHOT_FORKED) {
        pace_forked();
    } else if (!t->in_vfork && !t->apart && track.snapshots) {
        if (where == SNAPSHOT_AT_BOUNDARY)
            pace_at_boundary();
        else if (where == SNAPSHOT_BEFORE_DEATH)
            pace_before_death();
        else
            pace_before_exit();
    } else {
        record_ask_snapshot_in(HINDERED);
    }
}

void snapshot_pace_start(void)
{
    if (log_owner != &log_record || !track.snapshots)
        return;
    pace.wanted = track.snapshots;
    observer.snapshot = pace_snapshot;
    record_ask_snapshot_in(pace.wanted);
}
