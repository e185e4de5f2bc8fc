/* Decides when an engine that records takes snapshots.
 *
 * Snapshots are as close together as is cheap: the time that one takes is at most a fiftieth of the
 * time until the next. Time is CPU time of the process, since that is what a replay has to repeat.
 *
 *     at a boundary        when enough time has passed since the last one
 *     before the exit      if enough time has passed to be worthwhile, and it is likely to be cheap
 *     before a death       if enough time has passed to be worthwhile
 *
 * A snapshot is written while the program is stopped. No copy of the process is made, which the
 * program might notice, or which might outlive it. If no snapshot is possible (snapshot_hindrance),
 * another boundary is tried a little later.
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

enum {
    K_PROCESS_TIME = 2, /* clocks */
    K_THREAD_TIME = 3,
    SHARE = 50,         /* snapshots take at most one part in this many of the time */
    EXIT_SHARE = 25,
};

#define MILLISECOND 1000000ul
#define WORTH (50 * MILLISECOND)  /* a replay of less than this needs no snapshot */
#define HINDERED (3 * MILLISECOND)
#define BYTES_PER_NS 1            /* how fast memory is written, roughly */

static struct {
    u64 taken;     /* the process's time when the last one was taken, or at its beginning */
    u64 at_fork;   /* the time from there to the last fork */
    u64 inherited; /* the parent's time from its last snapshot to the fork */
    u64 wanted;    /* time until the next one */
    bool known;    /* the cost of a snapshot is known */
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

/* --- one of them --------------------------------------------------------------------------- */

static void tell_recorder(const struct snapshot_extent *extent, const char *wrong, u64 cost,
                          bool last)
{
    struct replay_position position;
    struct channel_snapshot said = {
        .message = {CHANNEL_SNAPSHOT, sizeof(said)}, .tick = ticks_now(), .pc = cpu->rip,
        .state_at = extent->state_at, .state_size = extent->state_size, .cost = cost, .last = last,
    };
    struct text refused = TEXT(said.refused);
    record_save_position(&position);
    said.events_met = position.events_met;
    if (wrong)
        text_add(&refused, wrong);
    track_send(&said.message, -1);
}

/* Requests a file; -1 if it is too early, and `*again` is when to ask again. */
static i32 ask_for_room(bool last, u64 *most_pages, u64 *again)
{
    struct channel_room room = {{CHANNEL_ROOM, sizeof(room)}, last, 0};
    struct channel_given given = {0};
    i32 fd = -1;
    *again = ~0ul;
    if (!track_send(&room.message, -1) ||
        !track_receive(CHANNEL_GIVEN, &given.message, sizeof(given), &fd))
        return -1;
    *most_pages = given.most_pages;
    *again = given.again;
    return given.error ? -1 : fd;
}

/* Returns the time until the next attempt. */
static u64 take_snapshot(bool last)
{
    struct snapshot_extent extent = {0, 0};
    u64 most_pages, again, before = pace_clock(K_THREAD_TIME);
    i32 fd = ask_for_room(last, &most_pages, &again);
    if (fd < 0)
        return again;
    const char *wrong = snapshot_write(fd, most_pages, &extent);
    kernel_call(__NR_close, fd);
    u64 cost = pace_clock(K_THREAD_TIME) - before;
    tell_recorder(&extent, wrong, cost, last);
    if (!wrong) {
        pace.taken = pace_clock(K_PROCESS_TIME);
        pace.inherited = 0;
    }
    u64 bound = cost * SHARE;
    pace.known = true;
    pace.wanted = track.exact || bound < track.snapshots ? track.snapshots : bound;
    return pace.wanted;
}

/* --- when ---------------------------------------------------------------------------------- */

static u64 pace_worth(void)
{
    return track.exact && track.snapshots < WORTH ? track.snapshots : WORTH;
}

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

/* The first snapshot costs roughly as much as memory is large. */
static u64 first_wanted(void)
{
    u64 guess = resident_bytes() / BYTES_PER_NS * SHARE;
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

/* The process ends anyway, and its parent waits for that: a snapshot is taken only if it is
 * cheap. */
static bool is_worth_before_exit(void)
{
    u64 all = pace_clock(K_PROCESS_TIME);
    return all - pace.taken >= pace_worth() &&
           (track.exact || resident_bytes() / BYTES_PER_NS * EXIT_SHARE <= all);
}

static void take_last_snapshot(void)
{
    const struct snapshot_extent none = {0, 0};
    const char *wrong = snapshot_hindrance();
    if (wrong)
        tell_recorder(&none, wrong, 0, true);
    else
        take_snapshot(true);
}

/* In the system call, which has changed nothing yet: the snapshot is as if the program were before
 * it. */
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
