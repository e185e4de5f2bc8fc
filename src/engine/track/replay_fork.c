/* Forks in a replay: see replay_fork.h.
 *
 * A copy is a child of ebb, like the checkpoints of a session (controlled.c).
 *
 * The parent does not run while its copy still shares memory with it: it waits for a GO, which the
 * verifier sends when the copy is READY.
 *
 * Invariant
 *   (1) All events before the fork's own have been met when the process is copied: what comes next
 *       is the answer, in either track.
 */
#include "engine/track/replay_fork.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/stats.h"
#include "engine/memory/mapped_file.h"
#include "engine/track/event_source.h"
#include "engine/track/replay.h"
#include "engine/track/track.h"

enum { K_PR_SET_PDEATHSIG = 1, STDERR = 2 };

void replay_fork_start(void)
{
    kernel_call(__NR_prctl, K_PR_SET_PDEATHSIG, SIG_KILL);
}

/* Asks ebb; true if the engine may copy itself. Then *ret is the copy's stderr. */
static bool replay_fork_ask(u64 tick, u64 pc, i32 *ret)
{
    struct channel_fork fork = {{CHANNEL_FORK, sizeof(fork)}, tick, pc};
    struct channel_leave leave = {0};
    if (!track_send(&fork.message, -1) ||
        !track_receive(CHANNEL_LEAVE, &leave.message, sizeof(leave), ret))
        replay_unable("ebb does not say whether to follow a fork");
    return leave.copy && *ret >= 0;
}

/* The copy first gets its own line, so that later failures are its own. */
static void become_copy(u64 tick, u64 pc, i32 errors)
{
    struct track_origin_info origin = {TRACK_FORKED, track.number, tick, pc};
    struct channel_message ready = {CHANNEL_READY, sizeof(ready)};
    kernel_call(__NR_dup2, errors, STDERR);
    kernel_call(__NR_close, errors);
    replay_fork_start(); /* that is not inherited */
    stats_copied();
    track_close();
    if (!track_open(&origin))
        for (;;)
            kernel_call(__NR_exit_group, CHANNEL_EXIT_OURS);
    event_source_start();
    memory_unshare();
    track_send(&ready, -1);
}

static void let_copy_go(i64 pid)
{
    bool failed = kernel_failed(pid);
    struct channel_forked forked = {{CHANNEL_FORKED, sizeof(forked)}, failed ? (u32)-pid : 0,
                                    failed ? 0 : (u32)pid};
    struct channel_message go;
    i32 none;
    track_send(&forked.message, -1);
    if (!failed && !track_receive(CHANNEL_GO, &go, sizeof(go), &none))
        replay_unable("ebb does not say when to go on after a fork");
}

void replay_fork_follow(void)
{
    const struct event *e;
    i32 errors = -1;
    if (!track.in_tree || !replay_process_is_made(&e))
        return;
    u64 tick = e->tick, pc = e->pc;
    if (!replay_fork_ask(tick, pc, &errors))
        return;
    invariant(1, e == event_source_peek());
    i64 pid = kernel_call(__NR_clone, K_CLONE_PARENT, 0, 0, 0, 0);
    if (pid == 0) {
        become_copy(tick, pc, errors);
        return;
    }
    kernel_call(__NR_close, errors);
    let_copy_go(pid);
}
