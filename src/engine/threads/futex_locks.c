/* Priority-inheritance futexes: the word has the id of the lock's owner, and the lock is handed to
 * a waiter.
 *
 * Threads on the engine have no priorities, so nothing is inherited: the lock goes to waiters in
 * the order of waiting.
 *
 * Invariant
 *   (1) While threads wait for a lock, its word names an owner and has the bit for waiters.
 */
#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/stop.h"
#include "engine/log/log.h"
#include "engine/memory/guest_memory.h"
#include "engine/threads/futex_internal.h"
#include "engine/x86_64/call.h"

/* What the word of a lock must contain while threads wait for it; the guest may overwrite it. */
static bool says_waiter(u32 word)
{
    return (word & FUTEX_OWNER) && (word & FUTEX_HAS_WAITERS);
}

static bool futex_lock_read_word(u64 address, u32 *ret)
{
    return guest_read(ret, gaddr(address), sizeof(*ret));
}

/* True if `owner` waits, through other locks and their owners, for t. */
static bool waits_for(const struct thread *owner, const struct thread *t)
{
    u32 word;
    for (u32 steps = threads.count; owner && steps; steps--) {
        if (owner == t)
            return true;
        if (!owner->futex.queued || owner->futex.kind != FUTEX_FOR_LOCK ||
            !futex_lock_read_word(owner->futex.address, &word))
            return false;
        owner = thread_find(word & FUTEX_OWNER);
    }
    return false;
}

/* Returns the new word when t wants the lock; or -errno. */
static i64 wanted_word(const struct thread *t, struct futex_key lock, u32 word, bool others)
{
    const struct thread *first = futex_first(lock);
    u32 owner = word & FUTEX_OWNER;
    if (owner == thread_number(t))
        return -EDEADLK;
    if (first && (first->futex.kind != FUTEX_FOR_LOCK || !owner))
        return -EINVAL;
    if (!owner)
        return (word & FUTEX_OWNER_DIED) | thread_number(t) | (others ? FUTEX_HAS_WAITERS : 0);
    if (!thread_find(owner))
        return -ESRCH;
    return word | FUTEX_HAS_WAITERS;
}

/* Returns 1 if t owns the lock now, 0 if it has to wait; or -errno. */
static i64 futex_lock_take(const struct thread *t, struct futex_key lock, bool others)
{
    u32 word, seen;
    i64 new;
    if (!futex_lock_read_word(lock.address, &word))
        return -EFAULT;
    do {
        new = wanted_word(t, lock, word, others);
        if (new < 0)
            return new;
        seen = word;
        if (!guest_swap_u32(gaddr(lock.address), &word, (u32)new))
            return -EFAULT;
    } while (word != seen);
    bool owned = word & FUTEX_OWNER;
    invariant(1, !owned || says_waiter((u32)new));
    log_wrote(gaddr(lock.address), sizeof(u32));
    return !owned;
}

i64 futex_lock(struct futex_key key, const struct thread_deadline *deadline)
{
    struct thread *t = thread_self();
    u32 word;
    i64 taken = futex_lock_take(t, key, false);
    if (taken)
        return taken < 0 ? taken : 0;
    if (futex_lock_read_word(key.address, &word) && waits_for(thread_find(word & FUTEX_OWNER), t))
        return -EDEADLK;
    switch (futex_wait_in(key, FUTEX_FOR_LOCK, deadline)) {
    case THREAD_LATE:
        return -ETIMEDOUT;
    case THREAD_INTERRUPTED:
        return CALL_AGAIN; /* never EINTR */
    default:
        return 0;
    }
}

i64 futex_try_lock(struct futex_key key)
{
    i64 taken = futex_lock_take(thread_self(), key, false);
    return taken < 0 ? taken : taken ? 0 : -EAGAIN;
}

/* Writes the next owner of the lock, or none, into the word; false if it could not be written. */
static bool futex_lock_hand_on(struct futex_key key, struct thread *next, u32 word, u32 flags)
{
    u32 new = next ? thread_number(next) | FUTEX_HAS_WAITERS | flags : 0, seen;
    invariant(1, !next || says_waiter(new));
    do {
        seen = word;
        if (!guest_swap_u32(gaddr(key.address), &word, new))
            return false;
    } while (word != seen);
    log_wrote(gaddr(key.address), sizeof(u32));
    if (next)
        futex_rouse(next);
    return true;
}

i64 futex_unlock(struct futex_key key)
{
    struct thread *next = futex_first(key);
    u32 word;
    if (!futex_lock_read_word(key.address, &word))
        return -EFAULT;
    if ((word & FUTEX_OWNER) != thread_number(thread_self()))
        return -EPERM;
    if (next && next->futex.kind != FUTEX_FOR_LOCK)
        return -EINVAL;
    return futex_lock_hand_on(key, next, word, 0) ? 0 : -EFAULT;
}

/* Condition variables with such locks: a waiter owns the lock when it wakes up. */

i64 futex_wait_to_lock(struct futex_key key, struct futex_key lock, u32 value,
                       const struct thread_deadline *deadline)
{
    struct thread *t = thread_self();
    i64 failed = key.address == lock.address ? -EINVAL : futex_check_value(key.address, value);
    if (failed)
        return failed;
    t->futex.target = lock.address;
    switch (futex_wait_in(key, FUTEX_FOR_MOVE, deadline)) {
    case THREAD_LATE:
        return -ETIMEDOUT;
    /* if restarted, the call of a thread that was moved would return EAGAIN */
    case THREAD_INTERRUPTED:
        return t->futex.kind == FUTEX_FOR_LOCK ? -EAGAIN : CALL_AGAIN;
    default:
        return 0;
    }
}

static bool moves_to(const struct thread *t, struct futex_key lock)
{
    return t->futex.kind == FUTEX_FOR_MOVE && t->futex.target == lock.address;
}

static i64 move_one(struct thread *t, struct futex_key lock, bool others)
{
    if (!moves_to(t, lock))
        return -EINVAL;
    i64 taken = futex_lock_take(t, lock, others);
    if (taken == 1)
        futex_rouse(t);
    else if (taken == 0)
        futex_move(t, lock, FUTEX_FOR_LOCK);
    return taken;
}

i64 futex_move_to_lock(struct futex_key from, struct futex_key lock, i32 wake, i32 most)
{
    i64 count = 0;
    for (struct thread *t = futex_first(from), *next; t && count - wake < most; t = next) {
        next = futex_next(t);
        i64 taken = move_one(t, lock, most > 0);
        if (taken < 0)
            return taken;
        count++;
    }
    return count;
}

/* The end of an owner */

/* The owner of a lock that others wait for is named in its word. */
static bool owned_by(const struct thread *waiter, const struct thread *t, u32 *ret_word)
{
    return waiter->futex.queued && waiter->futex.kind == FUTEX_FOR_LOCK &&
           futex_lock_read_word(waiter->futex.address, ret_word) &&
           (*ret_word & FUTEX_OWNER) == thread_number(t);
}

void futex_locks_thread_ends(const struct thread *t)
{
    u32 word;
    for (struct thread *w = thread_next(NULL); w && futex_any_for_lock(); w = thread_next(w)) {
        if (!owned_by(w, t, &word))
            continue;
        struct futex_key key = {w->futex.address, w->futex.shared};
        futex_lock_hand_on(key, futex_first(key), word, FUTEX_OWNER_DIED);
    }
}
