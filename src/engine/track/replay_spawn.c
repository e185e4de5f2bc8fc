/* Calls that make a process or a thread, in a replay: see replay_spawn.h.
 *
 * No process or kernel thread is made. A child of vfork is replayed in its parent's place, since it
 * shared the parent's memory; other children have their own logs.
 */
#include "engine/track/replay_spawn.h"

#include "engine/log/observer.h"
#include "engine/processes/process.h"
#include "engine/signals/signals.h"
#include "engine/track/replay.h"
#include "engine/track/replay_fork.h"
#include "engine/track/replay_output.h"
#include "engine/track/replay_threads.h"
#include "engine/x86_64/call.h"
#include "engine/x86_64/vector.h"

enum { REPLAYED_MOST = 32 };

static struct replayed_parent {
    struct thread *thread; /* the thread on whose block the child runs; NULL: not in use */
    struct process_parent parent; /* its call is logged when the child has ended */
    struct output_state output;
    /* the kernel would save it separately */
    u8 vector[VECTOR_STATE_MAX] __attribute__((aligned(64)));
} replayed[REPLAYED_MOST];

/* Returns the last entry of a thread, which may itself have been a child of vfork; for NULL, a free
 * entry. */
static struct replayed_parent *replayed_of(const struct thread *t)
{
    for (u32 n = REPLAYED_MOST; n > 0; n--)
        if (replayed[n - 1].thread == t)
            return &replayed[n - 1];
    return NULL;
}

/* After the thread's other entries, so that the last is found first. */
static struct replayed_parent *replayed_take(struct thread *t)
{
    struct replayed_parent *own = replayed_of(t);
    for (u32 n = own ? (u32)(own - replayed) + 1 : 0; n < REPLAYED_MOST; n++) {
        if (!replayed[n].thread) {
            replayed[n].thread = t;
            return &replayed[n];
        }
    }
    replay_unable("too many children of vfork at a time");
}

static i64 replay_other_than_vfork(const struct k_clone_args *args)
{
    bool in_memory = args->flags & (K_CLONE_THREAD | K_CLONE_VM);
    if (!in_memory)
        replay_fork_follow();
    i64 pid = replay_feed();
    if (pid > 0 && in_memory)
        replay_thread_create(args, (u32)pid);
    if (pid == 0)
        process_become_forked(args);
    return pid;
}

bool replay_spawned(const struct k_clone_args *args, i64 *result)
{
    struct thread *t = thread_self();
    if (!replay_vfork_begins()) {
        *result = replay_other_than_vfork(args);
        return true;
    }
    struct replayed_parent *p = replayed_take(t);
    output_save(&p->output);
    signals_vfork_begin(args->flags & K_CLONE_SIGHAND);
    process_put_aside(t, &p->parent);
    vector_save(p->vector);
    process_become_child(args);
    process_child_begins(t);
    *result = CALL_DONE;
    return true;
}

bool replay_child_ends(void)
{
    struct thread *t = thread_self();
    struct replayed_parent *p = replayed_of(t);
    if (!p || !replay_vfork_ends(p->parent.call.tick, p->parent.call.pc))
        return false;
    p->thread = NULL;
    process_put_back(t, &p->parent);
    process_parent_goes_on();
    vector_restore(p->vector, vector_shape.kept);
    signals_vfork_end();
    output_restore(&p->output);
    cpu->reg[RAX] = (u64)replay_feed();
    cpu->reg[RCX] = cpu->rip;
    cpu->reg[R11] = cpu->flags;
    t->call.open = false;
    if (observer.call_returned)
        observer.call_returned(&t->call.asked, (i64)cpu->reg[RAX]);
    return true;
}

void replay_child_dies(void)
{
    if (replay_child_ends())
        replay_thread_restart();
}
