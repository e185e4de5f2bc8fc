/* The newer calls about futexes: futex_wait, futex_wake and futex_requeue, which are futex() with
 * other arguments, and futex_waitv, with which a thread waits for several words at once.
 *
 * Such a thread is in a separate queue, and a wake searches all these queues. There are few.
 */
#include "engine/base/kernel.h"
#include "engine/memory/guest_memory.h"
#include "engine/threads/futex_internal.h"
#include "engine/x86_64/call.h"

enum {
    FUTEX2_U32 = 2,
    FUTEX2_PRIVATE = 128,
    WORDS_MOST = 128,
    K_CLOCK_REALTIME = 0,
    K_CLOCK_MONOTONIC = 1,
    K_FUTEX_CMP_REQUEUE = 4,
    K_FUTEX_WAIT_BITSET = 9,
    K_FUTEX_WAKE_BITSET = 10,
    K_FUTEX_PRIVATE = 128,
    K_FUTEX_REALTIME = 256,
    BILLION = 1000000000,
};

/* struct futex_waitv */
struct futex_word {
    u64 value, address;
    u32 flags, reserved;
};

struct futex_vector {
    const struct futex_word *words;
    u32 count;
    i32 woken; /* index of the woken one; -1: none yet */
    struct thread *thread;
    struct futex_vector *next;
};

static struct futex_vector *vectors; /* of waiting threads */

/* For words of other sizes, and for memory nodes, the kernel decides. */
static bool flags_are_ours(u64 flags)
{
    return (flags & ~(u64)FUTEX2_PRIVATE) == FUTEX2_U32;
}

static bool word_is_ours(const struct futex_word *w)
{
    return flags_are_ours(w->flags) &&
           ((w->flags & FUTEX2_PRIVATE) || futex_word_is_private(w->address));
}

static u64 private_flag(u64 flags)
{
    return flags & FUTEX2_PRIVATE ? K_FUTEX_PRIVATE : 0;
}

bool futex_wait_again(const u64 args[6], u64 ret[6])
{
    u64 clock = args[5] == K_CLOCK_REALTIME ? K_FUTEX_REALTIME : 0;
    bool sound = !(args[1] >> 32) && args[2] && !(args[2] >> 32) && flags_are_ours((u32)args[3]) &&
                 (!args[4] || (u32)args[5] <= K_CLOCK_MONOTONIC);
    ret[0] = args[0];
    ret[1] = K_FUTEX_WAIT_BITSET | private_flag(args[3]) | (args[4] ? clock : 0);
    ret[2] = args[1];
    ret[3] = args[4];
    ret[4] = 0;
    ret[5] = args[2];
    return sound && futex_is_ours(ret);
}

bool futex_wake_again(const u64 args[6], u64 ret[6])
{
    bool sound = args[1] && !(args[1] >> 32) && (i32)args[2] > 0 && flags_are_ours((u32)args[3]);
    ret[0] = args[0];
    ret[1] = K_FUTEX_WAKE_BITSET | private_flag(args[3]);
    ret[2] = args[2];
    ret[3] = ret[4] = 0;
    ret[5] = args[1];
    return sound && futex_is_ours(ret);
}

bool futex_requeue_again(const u64 args[6], u64 ret[6])
{
    struct futex_word pair[2];
    if (!args[0] || args[1] || !guest_read(pair, gaddr(args[0]), sizeof(pair)))
        return false;
    bool sound = flags_are_ours(pair[0].flags) && pair[0].flags == pair[1].flags &&
                 !pair[0].reserved && !pair[1].reserved && !(pair[0].value >> 32);
    ret[0] = pair[0].address;
    ret[1] = K_FUTEX_CMP_REQUEUE | private_flag(pair[0].flags);
    ret[2] = args[2];
    ret[3] = args[3];
    ret[4] = pair[1].address;
    ret[5] = pair[0].value;
    return sound && futex_is_ours(ret);
}

/* --- several words ---------------------------------------------------------------------- */

static i32 index_of(const struct futex_vector *v, struct futex_key key)
{
    for (u32 n = 0; n < v->count; n++)
        if (v->words[n].address == key.address &&
            !(v->words[n].flags & FUTEX2_PRIVATE) == key.shared)
            return (i32)n;
    return -1;
}

i64 futex_wake_vectors(struct futex_key key, i64 most)
{
    i64 woken = 0;
    for (struct futex_vector *v = vectors; v && woken < most; v = v->next) {
        if (v->woken >= 0 || !v->thread->futex.queued || (v->woken = index_of(v, key)) < 0)
            continue;
        futex_rouse(v->thread);
        woken++;
    }
    return woken;
}

void futex_forget_vectors(void)
{
    vectors = NULL;
}

static void leave_vectors(const struct futex_vector *own)
{
    struct futex_vector **at = &vectors;
    while (*at && *at != own)
        at = &(*at)->next;
    if (*at)
        *at = own->next;
}

static i64 wait_for_any(const struct futex_word *words, u32 count,
                        const struct thread_deadline *deadline)
{
    for (u32 n = 0; n < count; n++) {
        i64 failed = futex_check_value(words[n].address, (u32)words[n].value);
        if (failed)
            return failed;
    }
    struct thread *t = thread_self();
    struct futex_vector own = {words, count, -1, t, vectors};
    vectors = &own;
    enum thread_roused roused =
        futex_wait_in((struct futex_key){(u64)t, false}, FUTEX_FOR_WAKE, deadline);
    leave_vectors(&own);
    if (own.woken >= 0)
        return own.woken;
    return roused == THREAD_LATE ? -ETIMEDOUT : -EINTR;
}

bool futex_wait_vector(const u64 args[6], i64 *result)
{
    struct futex_word words[WORDS_MOST];
    struct thread_deadline deadline;
    u32 count = (u32)args[1];
    if (args[2] || !count || count > WORDS_MOST ||
        !guest_read(words, gaddr(args[0]), count * sizeof(*words)))
        return false;
    for (u32 n = 0; n < count; n++)
        if (!word_is_ours(&words[n]) || words[n].reserved || words[n].value >> 32 ||
            words[n].address % 4)
            return false;
    if (args[3]) {
        if (!guest_read(&deadline.at, gaddr(args[3]), sizeof(deadline.at)) ||
            deadline.at.seconds < 0 || (u64)deadline.at.nanoseconds >= BILLION ||
            (u32)args[4] > K_CLOCK_MONOTONIC)
            return false;
        deadline.realtime = (u32)args[4] == K_CLOCK_REALTIME;
    }
    *result = wait_for_any(words, count, args[3] ? &deadline : NULL);
    return true;
}
