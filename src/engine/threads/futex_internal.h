/* Shared by the futex files: words, and the queues of their waiters. */
#ifndef ENGINE_FUTEX_INTERNAL_H
#define ENGINE_FUTEX_INTERNAL_H

#include "engine/threads/futex.h"

/* The private flag is part of the key: a wake with it does not reach waiters without it. */
struct futex_key {
    u64 address;
    bool shared;
};

enum futex_kind {     /* t->futex.kind: what a thread waits for */
    FUTEX_FOR_WAKE,   /* to be woken */
    FUTEX_FOR_LOCK,   /* to own the lock: the word has its owner's id */
    FUTEX_FOR_MOVE,   /* to be moved to the queue of a lock, or to own it at once */
};

/* Bits of lock words (linux/futex.h). */
#define FUTEX_HAS_WAITERS 0x80000000u
#define FUTEX_OWNER_DIED 0x40000000u
#define FUTEX_OWNER 0x3fffffffu

bool futex_any_for_lock(void); /* true if any thread waits for a lock */

/* The first in a queue, and the next one there; NULL: none. */
struct thread *futex_first(struct futex_key key);
struct thread *futex_next(const struct thread *t);

/* Ends t's wait: it leaves the queue and joins the line for the baton. */
void futex_rouse(struct thread *t);
/* Moves t to the end of another queue, where it waits for something else. */
void futex_move(struct thread *t, struct futex_key to, enum futex_kind kind);

/* Waits in the queue of `key`. THREAD_WOKEN if a thread ended the wait, whatever else happened;
 * otherwise the thread has left the queue. */
enum thread_roused futex_wait_in(struct futex_key key, enum futex_kind kind,
                                 const struct thread_deadline *deadline);

/* Checks that the word is still what the caller saw: 0, -EAGAIN or -EFAULT. */
i64 futex_check_value(u64 address, u32 expected);

/* futex_locks.c: the _PI operations. */
i64 futex_lock(struct futex_key key, const struct thread_deadline *deadline);
i64 futex_try_lock(struct futex_key key);
i64 futex_unlock(struct futex_key key);
i64 futex_wait_to_lock(struct futex_key key, struct futex_key lock, u32 value,
                       const struct thread_deadline *deadline);
i64 futex_move_to_lock(struct futex_key from, struct futex_key lock, i32 wake, i32 most);
/* Every lock that t owns and others wait for goes to the first waiter. */
void futex_locks_thread_ends(const struct thread *t);

/* futex_vector.c: wakes threads that wait for this word among others; returns how many. */
i64 futex_wake_vectors(struct futex_key key, i64 most);
void futex_forget_vectors(void);

/* futex.c, for futex_ends.c */
bool futex_word_is_private(u64 address);
i64 futex_wake(struct futex_key key, i32 most, u32 bits);

#endif
