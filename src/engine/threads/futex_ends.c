/* Futexes: the locks that a thread holds at its end.
 *
 * The guest keeps a list of the robust locks that it holds. The engine does here what the kernel
 * would do with the list, since the waiters are in the engine's queues. Words on shared memory are
 * treated in the same way, but the kernel wakes their waiters.
 */
#include "engine/base/kernel.h"
#include "engine/memory/guest_memory.h"
#include "engine/threads/futex_internal.h"

enum {
    FUTEX_WAKE = 1,
    LOCKS_MOST = 2048, /* the kernel's limit for a list */
    INHERITS = 1,      /* bit of a list's pointers */
};

struct robust_head {
    u64 first;
    i64 word_offset; /* offset from a pointer of the list to the lock's word */
    u64 pending;     /* the lock that was being taken or released */
};

static void wake_one(u64 address)
{
    if (futex_word_is_private(address))
        futex_wake((struct futex_key){address, true}, 1, ~0u);
    else
        kernel_call(__NR_futex, address, FUTEX_WAKE, 1);
}

/* False if its word is not mapped. */
static bool owner_died(const struct thread *t, u64 address, bool inherits, bool pending)
{
    u32 word, seen;
    if (address % sizeof(u32) || !guest_read(&word, gaddr(address), sizeof(word)))
        return false;
    if (pending && !inherits && !word) { /* released, but no waiter was woken yet */
        wake_one(address);
        return true;
    }
    do {
        if ((word & FUTEX_OWNER) != thread_number(t))
            return true;
        seen = word;
        if (!guest_swap_u32(gaddr(address), &word,
                            (seen & FUTEX_HAS_WAITERS) | FUTEX_OWNER_DIED))
            return false;
    } while (word != seen);
    if (!inherits && (word & FUTEX_HAS_WAITERS))
        wake_one(address);
    return true;
}

void futex_each_robust(const struct thread *t, void (*visit)(u64 word))
{
    enum { VISITED_MOST = 16 };
    struct robust_head head;
    u64 list = t->robust_list.at;
    if (!list || !guest_read(&head, t->robust_list, sizeof(head)))
        return;
    u64 entry = head.first & ~(u64)INHERITS;
    for (int i = 0; i < VISITED_MOST && entry && entry != list; i++) {
        visit(entry + (u64)head.word_offset);
        if (!guest_read_u64(gaddr(entry), &entry))
            break;
        entry &= ~(u64)INHERITS;
    }
    if (head.pending)
        visit((head.pending & ~(u64)INHERITS) + (u64)head.word_offset);
}

static void end_robust_locks(const struct thread *t)
{
    struct robust_head head;
    u64 list = t->robust_list.at;
    if (!list || !guest_read(&head, t->robust_list, sizeof(head)))
        return;
    u64 offset = (u64)head.word_offset, pending = head.pending & ~(u64)INHERITS;
    u64 entry = head.first;
    for (int i = 0; i < LOCKS_MOST && (entry & ~(u64)INHERITS) != list; i++) {
        u64 at = entry & ~(u64)INHERITS, next;
        bool more = guest_read_u64(gaddr(at), &next); /* a lock that was released may change */
        if (at != pending && !owner_died(t, at + offset, entry & INHERITS, false))
            return;
        if (!more)
            return;
        entry = next;
    }
    if (pending)
        owner_died(t, pending + offset, head.pending & INHERITS, true);
}

void futex_process_ends(const struct thread *t)
{
    end_robust_locks(t);
}

void futex_thread_ends(struct thread *t)
{
    u32 zero = 0;
    futex_locks_thread_ends(t);
    end_robust_locks(t);
    if (t->clear_tid.at && guest_write(t->clear_tid, &zero, sizeof(zero)))
        wake_one(t->clear_tid.at);
}
