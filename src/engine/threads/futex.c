/* Futexes: see futex.h.
 *
 * Only one thread runs at a time, so a wait is: read the word, join a queue, park. A wake moves
 * threads from the queue to the line for the baton, and costs no system call. A thread that waits
 * gives the baton directly to the next one.
 *
 * A thread whose wait ends by its timeout or by a signal may find that it was already taken out of
 * the queue: then it was woken. So the result of a futex call depends only on the order in which
 * threads had the baton, and on whether a thread that was still queued timed out or was
 * interrupted.
 *
 * Without the private flag the kernel compares pages. For memory of a single process that is the
 * same, so the engine handles those futexes, too: pthread_join and robust mutexes do not use the
 * flag. On shared memory the kernel handles them.
 *
 * Invariants
 *   (1) A queued thread is parked, or on its way back from there without the baton.
 *   (2) In its bucket a thread comes after all threads that have waited longer for the same word.
 */
#include "engine/threads/futex.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/threads/futex_internal.h"
#include "engine/x86_64/call.h"

enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_REQUEUE = 3,
    FUTEX_CMP_REQUEUE = 4,
    FUTEX_WAKE_OP = 5,
    FUTEX_LOCK_PI = 6,
    FUTEX_UNLOCK_PI = 7,
    FUTEX_TRYLOCK_PI = 8,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAKE_BITSET = 10,
    FUTEX_WAIT_REQUEUE_PI = 11,
    FUTEX_CMP_REQUEUE_PI = 12,
    FUTEX_LOCK_PI2 = 13,
    COMMANDS = 14,
    FUTEX_PRIVATE = 128,
    FUTEX_REALTIME = 256,
    ANY = -1, /* bits */
};

#define BIT(command) (1u << (command))
#define TIMED                                                                                      \
    (BIT(FUTEX_WAIT) | BIT(FUTEX_LOCK_PI) | BIT(FUTEX_WAIT_BITSET) | BIT(FUTEX_WAIT_REQUEUE_PI) |  \
     BIT(FUTEX_LOCK_PI2))
#define CLOCK_CHOSEN (BIT(FUTEX_WAIT_BITSET) | BIT(FUTEX_WAIT_REQUEUE_PI) | BIT(FUTEX_LOCK_PI2))
#define TWO_WORDS                                                                                  \
    (BIT(FUTEX_REQUEUE) | BIT(FUTEX_CMP_REQUEUE) | BIT(FUTEX_WAKE_OP) |                            \
     BIT(FUTEX_WAIT_REQUEUE_PI) | BIT(FUTEX_CMP_REQUEUE_PI))
#define KNOWN (~(~0u << COMMANDS) & ~4u) /* all but FUTEX_FD, which no longer exists */

#define ADDRESSES_END 0x7ffffffff000ul

/* Queues */

enum { BUCKETS = 256 };

struct bucket {
    struct thread *first, *last;
};

static struct {
    struct bucket buckets[BUCKETS];
    u64 turns; /* number of threads ever queued */
    u32 lock_waiters; /* number of threads that wait FOR_LOCK */
    bool gives_way;   /* see RETURNS_MOST */
} futexes;

static struct bucket *futex_bucket_of(struct futex_key key)
{
    u64 mixed = (key.address >> 2) * 0x9e3779b97f4a7c15ul;
    return &futexes.buckets[mixed >> 56];
}

static struct futex_key key_of(const struct thread *t)
{
    return (struct futex_key){t->futex.address, t->futex.shared};
}

static struct thread *same_from(struct thread *t, struct futex_key key)
{
    while (t && (t->futex.address != key.address || t->futex.shared != key.shared))
        t = t->futex.after;
    return t;
}

struct thread *futex_first(struct futex_key key)
{
    return same_from(futex_bucket_of(key)->first, key);
}

struct thread *futex_next(const struct thread *t)
{
    struct thread *next = same_from(t->futex.after, key_of(t));
    invariant(2, !next || t->futex.turn < next->futex.turn);
    return next;
}

static void enqueue(struct thread *t, struct futex_key key, enum futex_kind kind)
{
    struct bucket *b = futex_bucket_of(key);
    struct futex_waiter *w = &t->futex;
    assert(!w->queued);
    w->turn = ++futexes.turns;
    w->address = key.address;
    w->shared = key.shared;
    w->kind = (u8)kind;
    w->queued = true;
    w->after = NULL;
    w->before = b->last;
    *(b->last ? &b->last->futex.after : &b->first) = t;
    b->last = t;
    futexes.lock_waiters += kind == FUTEX_FOR_LOCK;
}

static void dequeue(struct thread *t)
{
    struct bucket *b = futex_bucket_of(key_of(t));
    struct futex_waiter *w = &t->futex;
    assert(w->queued);
    *(w->before ? &w->before->futex.after : &b->first) = w->after;
    *(w->after ? &w->after->futex.before : &b->last) = w->before;
    w->queued = false;
    futexes.lock_waiters -= w->kind == FUTEX_FOR_LOCK;
}

/* A thread that wakes another runs on, and may take the lock again before the other one runs. If a
 * lock is released and taken again at once, and is held whenever its holder waits for something
 * else, the other thread would never get it (natively, a matter of luck). So now and then the waker
 * yields. */
enum { RETURNS_MOST = 64 };

void futex_rouse(struct thread *t)
{
    invariant(1, !thread_holds(t));
    if (t->futex.returns >= RETURNS_MOST) {
        t->futex.returns = 0;
        futexes.gives_way = true;
    }
    dequeue(t);
    thread_wake(t);
}

void futex_move(struct thread *t, struct futex_key to, enum futex_kind kind)
{
    invariant(1, !thread_holds(t));
    dequeue(t);
    enqueue(t, to, kind);
}

bool futex_any_for_lock(void)
{
    return futexes.lock_waiters != 0;
}

void futex_forget(struct thread *t)
{
    if (t->futex.queued)
        dequeue(t);
}

void futex_forked(void)
{
    memset(futexes.buckets, 0, sizeof(futexes.buckets));
    futexes.lock_waiters = 0;
    futex_forget_vectors();
    assert(!thread_self()->futex.queued);
}

enum thread_roused futex_wait_in(struct futex_key key, enum futex_kind kind,
                                 const struct thread_deadline *deadline)
{
    struct thread *t = thread_self();
    enqueue(t, key, kind);
    enum thread_roused roused = thread_park(deadline);
    if (!t->futex.queued)
        return THREAD_WOKEN;
    assert(roused != THREAD_WOKEN);
    dequeue(t);
    return roused;
}

/* Waiting and waking */

i64 futex_check_value(u64 address, u32 expected)
{
    u32 word;
    if (!guest_read(&word, gaddr(address), sizeof(word)))
        return -EFAULT;
    return word == expected ? 0 : -EAGAIN;
}

static i64 futex_wait(struct futex_key key, u32 value, u32 bits,
                      const struct thread_deadline *deadline)
{
    i64 failed = bits ? futex_check_value(key.address, value) : -EINVAL;
    if (failed)
        return failed;
    struct futex_waiter *w = &thread_self()->futex;
    w->returns = w->address == key.address ? w->returns + 1 : 0;
    w->bits = bits;
    switch (futex_wait_in(key, FUTEX_FOR_WAKE, deadline)) {
    case THREAD_LATE:
        return -ETIMEDOUT;
    case THREAD_INTERRUPTED:
        return -EINTR;
    default:
        return 0;
    }
}

/* Wakes at least one, like the kernel. */
i64 futex_wake(struct futex_key key, i32 most, u32 bits)
{
    i64 woken = 0;
    if (!bits)
        return -EINVAL;
    for (struct thread *t = futex_first(key), *next; t; t = next) {
        next = futex_next(t);
        if (t->futex.kind != FUTEX_FOR_WAKE)
            return -EINVAL;
        if (!(t->futex.bits & bits))
            continue;
        futex_rouse(t);
        if (++woken >= most)
            return woken;
    }
    return woken + futex_wake_vectors(key, most > woken ? most - woken : 1);
}

static i64 queue_length(struct futex_key key)
{
    i64 length = 0;
    for (const struct thread *t = futex_first(key); t; t = futex_next(t))
        length++;
    return length;
}

static i64 requeue(struct futex_key from, struct futex_key to, i32 wake, i32 most)
{
    i64 count = 0, all = queue_length(from); /* the queue may be the same one */
    for (struct thread *t = futex_first(from), *next; count < all && count - wake < most;
         t = next) {
        next = futex_next(t);
        if (t->futex.kind != FUTEX_FOR_WAKE)
            return -EINVAL;
        if (++count <= wake)
            futex_rouse(t);
        else
            futex_move(t, to, FUTEX_FOR_WAKE);
    }
    return count;
}

/* FUTEX_WAKE_OP: the operation is packed as 4 bits each for the operation and the comparison, and
 * 12 bits each for their operands. */

enum { OP_SET, OP_ADD, OP_OR, OP_ANDN, OP_XOR, OP_SHIFT = 8, OPS = 5, COMPARISONS = 6 };

static i32 signed_bits(u32 packed, int shift)
{
    return (i32)(packed << (20 - shift)) >> 20;
}

static u32 operate(u32 op, u32 old, u32 operand)
{
    switch (op) {
    case OP_SET:
        return operand;
    case OP_ADD:
        return old + operand;
    case OP_OR:
        return old | operand;
    case OP_ANDN:
        return old & ~operand;
    default:
        return old ^ operand;
    }
}

static bool futex_compare(u32 comparison, i32 a, i32 b)
{
    const bool results[COMPARISONS] = {a == b, a != b, a < b, a <= b, a > b, a >= b};
    return results[comparison];
}

static i64 update_word(u64 address, u32 op, u32 operand, u32 *ret_old)
{
    u32 word, seen;
    if (op >= OPS)
        return -ENOSYS;
    if (!guest_read(&word, gaddr(address), sizeof(word)))
        return -EFAULT;
    do {
        seen = word;
        if (!guest_swap_u32(gaddr(address), &word, operate(op, seen, operand)))
            return -EFAULT;
    } while (word != seen);
    *ret_old = seen;
    return 0;
}

static i64 wake_op(struct futex_key key, struct futex_key second, i32 most, i32 second_most,
                   u32 packed)
{
    u32 op = packed >> 28, comparison = packed >> 24 & 15, old;
    u32 operand = (u32)signed_bits(packed, 12);
    if (op & OP_SHIFT)
        operand = 1u << (operand & 31);
    i64 failed = update_word(second.address, op & ~(u32)OP_SHIFT, operand, &old);
    if (failed)
        return failed;
    if (comparison >= COMPARISONS)
        return -ENOSYS;
    i64 woken = futex_wake(key, most, (u32)ANY);
    if (woken < 0 || !futex_compare(comparison, (i32)old, signed_bits(packed, 0)))
        return woken;
    i64 more = futex_wake(second, second_most, (u32)ANY);
    return more < 0 ? more : woken + more;
}

/* Time limits */

enum { CLOCK_MONOTONIC = 1, BILLION = 1000000000 };

static void from_now(struct k_timespec *t)
{
    struct k_timespec now = {0, 0};
    kernel_call(__NR_clock_gettime, CLOCK_MONOTONIC, &now);
    t->nanoseconds += now.nanoseconds;
    i64 carry = t->nanoseconds >= BILLION;
    t->nanoseconds -= carry * BILLION;
    if (__builtin_add_overflow(t->seconds, now.seconds + carry, &t->seconds))
        t->seconds = INT64_MAX;
}

/* Returns 1 if there is one, 0 if not, or -errno. */
static i64 read_deadline(u32 command, const u64 args[6], struct thread_deadline *ret)
{
    if (!args[3] || !(BIT(command) & TIMED))
        return 0;
    if (!guest_read(&ret->at, gaddr(args[3]), sizeof(ret->at)))
        return -EFAULT;
    if (ret->at.seconds < 0 || (u64)ret->at.nanoseconds >= BILLION)
        return -EINVAL;
    ret->realtime = command == FUTEX_LOCK_PI || (args[1] & FUTEX_REALTIME);
    if (command == FUTEX_WAIT)
        from_now(&ret->at);
    return 1;
}

/* The call */

bool futex_word_is_private(u64 address)
{
    const struct area *area = areas_find(address);
    return area && !(area->flags & (AREA_SHARED | AREA_SHM));
}

static u32 command_of(const u64 args[6])
{
    return (u32)args[1] & ~(u32)(FUTEX_PRIVATE | FUTEX_REALTIME);
}

bool futex_is_ours(const u64 args[6])
{
    u32 command = command_of(args);
    if (command >= COMMANDS || !(BIT(command) & KNOWN))
        return false;
    if (args[1] & FUTEX_PRIVATE)
        return true;
    return futex_word_is_private(args[0]) &&
           (!(BIT(command) & TWO_WORDS) || futex_word_is_private(args[4]));
}

static i64 bad_address(u64 address)
{
    if (address % sizeof(u32))
        return -EINVAL;
    return address >= ADDRESSES_END ? -EFAULT : 0;
}

static i64 check_addresses(u32 command, const u64 args[6])
{
    i64 failed = bad_address(args[0]);
    if (!failed && (BIT(command) & TWO_WORDS))
        failed = bad_address(args[4]);
    return failed;
}

static i64 move_waiters(u32 command, const u64 args[6], struct futex_key key,
                        struct futex_key second)
{
    i32 wake = (i32)args[2], most = (i32)args[3];
    if (wake < 0 || most < 0)
        return -EINVAL;
    if (command == FUTEX_CMP_REQUEUE_PI && (key.address == second.address || wake != 1))
        return -EINVAL;
    i64 failed = command == FUTEX_REQUEUE ? 0 : futex_check_value(key.address, (u32)args[5]);
    if (failed)
        return failed;
    return command == FUTEX_CMP_REQUEUE_PI ? futex_move_to_lock(key, second, wake, most)
                                           : requeue(key, second, wake, most);
}

static i64 futex_run(u32 command, const u64 args[6], const struct thread_deadline *deadline)
{
    bool shared = !(args[1] & FUTEX_PRIVATE);
    struct futex_key key = {args[0], shared}, second = {args[4], shared};
    u32 value = (u32)args[2], bits = (u32)args[5];
    switch (command) {
    case FUTEX_WAIT:
        return futex_wait(key, value, (u32)ANY, deadline);
    case FUTEX_WAIT_BITSET:
        return futex_wait(key, value, bits, deadline);
    case FUTEX_WAKE:
        return futex_wake(key, (i32)value, (u32)ANY);
    case FUTEX_WAKE_BITSET:
        return futex_wake(key, (i32)value, bits);
    case FUTEX_WAKE_OP:
        return wake_op(key, second, (i32)value, (i32)args[3], bits);
    case FUTEX_LOCK_PI:
    case FUTEX_LOCK_PI2:
        return futex_lock(key, deadline);
    case FUTEX_TRYLOCK_PI:
        return futex_try_lock(key);
    case FUTEX_UNLOCK_PI:
        return futex_unlock(key);
    case FUTEX_WAIT_REQUEUE_PI:
        return futex_wait_to_lock(key, second, value, deadline);
    default:
        return move_waiters(command, args, key, second);
    }
}

i64 futex_call(const u64 args[6])
{
    u32 command = command_of(args);
    struct thread_deadline deadline;
    i64 limited = read_deadline(command, args, &deadline);
    if (limited < 0)
        return limited;
    if ((args[1] & FUTEX_REALTIME) && !(BIT(command) & CLOCK_CHOSEN))
        return -ENOSYS;
    i64 failed = check_addresses(command, args);
    if (failed)
        return failed;
    i64 result = futex_run(command, args, limited ? &deadline : NULL);
    if (futexes.gives_way) {
        futexes.gives_way = false; /* before the other thread asks */
        thread_yield();
    }
    return result;
}
