/* The futex call itself: what every operation answers, alone and with threads that wait.
 *
 * variants: static
 * settings: yes
 */
#include "check.h"
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

enum { MOST = 8, ODD_OWNER = 0x3ffffffe };

static uint32_t word, second, lock;

static long futex(uint32_t *at, int op, uint32_t value, uintptr_t limit, uint32_t *other,
                  uint32_t third)
{
    long result = syscall(SYS_futex, at, op, value, limit, other, third);
    return result < 0 ? -errno : result;
}

static int tid(void)
{
    return syscall(SYS_gettid);
}

/* How many wait there: they are moved to where they are. */
static long waiting(uint32_t *at, int private)
{
    return futex(at, FUTEX_REQUEUE | private, 0, INT_MAX, at, 0);
}

static void wait_until_waiting(uint32_t *at, int private, long wanted)
{
    while (waiting(at, private) != wanted)
        usleep(500);
}

static void wait_until(volatile int *what, int wanted)
{
    while (__atomic_load_n(what, __ATOMIC_SEQ_CST) != wanted)
        usleep(500);
}

static struct timespec from_now(clockid_t clock, long milliseconds)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += milliseconds * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* Alone */

static void alone(int private)
{
    struct timespec brief = {0, 2000000}, bad = {0, 1000000000}, negative = {-1, 0}, past = {1, 0};
    uint32_t *odd = (uint32_t *)((char *)&word + 1), *nowhere = (uint32_t *)64;
    const struct {
        const char *name;
        uint32_t *at;
        int op;
        uint32_t value;
        uintptr_t limit;
        uint32_t *other;
        uint32_t third;
    } rows[] = {
        {"wait, another value", &word, FUTEX_WAIT, 1},
        {"wait, unaligned", odd, FUTEX_WAIT, 0},
        {"wait, no memory", nowhere, FUTEX_WAIT, 0},
        {"wait, time-out", &word, FUTEX_WAIT, 0, (uintptr_t)&brief},
        {"wait, another value in time", &word, FUTEX_WAIT, 1, (uintptr_t)&brief},
        {"wait, bad limit", &word, FUTEX_WAIT, 0, (uintptr_t)&bad},
        {"wait, negative limit", &word, FUTEX_WAIT, 0, (uintptr_t)&negative},
        {"wait, no limit there", &word, FUTEX_WAIT, 0, 64},
        {"wait bits, none", &word, FUTEX_WAIT_BITSET, 0, 0, NULL, 0},
        {"wait bits, past", &word, FUTEX_WAIT_BITSET, 0, (uintptr_t)&past, NULL, 1},
        {"wait bits, past by the clock", &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0,
         (uintptr_t)&past, NULL, 1},
        {"wake, nobody", &word, FUTEX_WAKE, 1},
        {"wake, unaligned", odd, FUTEX_WAKE, 1},
        {"wake bits, none", &word, FUTEX_WAKE_BITSET, 1, 0, NULL, 0},
        {"requeue, nobody", &word, FUTEX_REQUEUE, 1, 1, &second},
        {"requeue, negative", &word, FUTEX_REQUEUE, -1, 1, &second},
        {"requeue, negative too", &word, FUTEX_REQUEUE, 1, (uint32_t)-1, &second},
        {"requeue, unaligned", &word, FUTEX_REQUEUE, 1, 1, odd},
        {"compare and requeue, same", &word, FUTEX_CMP_REQUEUE, 1, 1, &second, 0},
        {"compare and requeue, other", &word, FUTEX_CMP_REQUEUE, 1, 1, &second, 1},
        {"unlock, not ours", &word, FUTEX_UNLOCK_PI},
        {"unlock, no memory", nowhere, FUTEX_UNLOCK_PI},
        {"lock, no memory", nowhere, FUTEX_LOCK_PI},
        {"lock, bad limit", &word, FUTEX_LOCK_PI, 0, (uintptr_t)&bad},
        {"wait to be moved, same word", &word, FUTEX_WAIT_REQUEUE_PI, 0, 0, &word},
        {"wait to be moved, another value", &word, FUTEX_WAIT_REQUEUE_PI, 1, 0, &second},
        {"wait to be moved, past", &word, FUTEX_WAIT_REQUEUE_PI, 0, (uintptr_t)&past, &second},
        {"move, same word", &word, FUTEX_CMP_REQUEUE_PI, 1, 1, &word, 0},
        {"move, wake two", &word, FUTEX_CMP_REQUEUE_PI, 2, 1, &second, 0},
        {"move, nobody", &word, FUTEX_CMP_REQUEUE_PI, 1, 1, &second, 0},
        {"unknown", &word, 77},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        printf("%s: %ld\n", rows[i].name,
               futex(rows[i].at, rows[i].op | private, rows[i].value, rows[i].limit, rows[i].other,
                     rows[i].third));
    CHECK(word == 0 && second == 0);
}

static void operations(int private)
{
    for (int op = 0; op < 6; op++)
        for (int comparison = 0; comparison < 7; comparison++)
            for (int shift = 0; shift < 2; shift++) {
                second = 0xfffffff5;
                uint32_t packed = FUTEX_OP(op | shift * 8, 9, comparison, 0xff5);
                long result = futex(&word, FUTEX_WAKE_OP | private, 1, 1, &second, packed);
                printf("%d %d %d: %ld %08x\n", op, comparison, shift, result, second);
            }
    second = 0;
    printf("no memory: %ld\n", futex(&word, FUTEX_WAKE_OP | private, 1, 1, (uint32_t *)64, 0));
}

static void locks_alone(int private)
{
    struct timespec past = {1, 0};
    uint32_t me = tid();
    printf("lock: %ld", futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0));
    CHECK(lock == me);
    printf(" %ld", futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0));
    printf(" %ld", futex(&lock, FUTEX_TRYLOCK_PI | private, 0, 0, NULL, 0));
    printf(" %ld", futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0));
    CHECK(lock == 0);
    printf(" %ld", futex(&lock, FUTEX_TRYLOCK_PI | private, 0, 0, NULL, 0));
    printf(" %ld\n", futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0));
    lock = FUTEX_OWNER_DIED;
    printf("died: %ld", futex(&lock, FUTEX_LOCK_PI | private, 0, (uintptr_t)&past, NULL, 0));
    CHECK(lock == (FUTEX_OWNER_DIED | me));
    printf(" %ld\n", futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0));
    CHECK(lock == 0);
    lock = ODD_OWNER;
    printf("unknown owner: %ld", futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0));
    lock = ODD_OWNER;
    printf(" %ld\n", futex(&lock, FUTEX_TRYLOCK_PI | private, 0, 0, NULL, 0));
    lock = 0;
}

/* Threads that wait */

static pthread_t threads[MOST];
static int ended, order[MOST];
static volatile int handled;

struct wish {
    int op;
    uint32_t bits, *other;
    struct timespec *limit;
};

static void *waits(void *arg)
{
    const struct wish *w = arg;
    long result = futex(&word, w->op, 0, (uintptr_t)w->limit, w->other, w->bits);
    int at = __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
    order[at] = w->bits;
    return (void *)result;
}

static void start(int n, struct wish *wish)
{
    CHECK(pthread_create(&threads[n], NULL, waits, wish) == 0);
}

static long result_of(int n)
{
    void *result;
    CHECK(pthread_join(threads[n], &result) == 0);
    return (long)result;
}

/* They are woken in the order in which they began to wait. */
static void in_order(int private)
{
    struct wish wishes[5];
    ended = 0;
    for (int i = 0; i < 5; i++) {
        wishes[i] = (struct wish){FUTEX_WAIT_BITSET | private, 1u << i};
        start(i, &wishes[i]);
        wait_until_waiting(&word, private, i + 1);
    }
    printf("other flag: %ld\n", futex(&word, FUTEX_WAKE | (private ^ FUTEX_PRIVATE_FLAG), 1, 0,
                                      NULL, 0));
    printf("no such bits: %ld\n", futex(&word, FUTEX_WAKE_BITSET | private, 9, 0, NULL, 32));
    printf("two bits: %ld\n", futex(&word, FUTEX_WAKE_BITSET | private, 1, 0, NULL, 8 | 16));
    wait_until(&ended, 1);
    printf("none at all: %ld\n", futex(&word, FUTEX_WAKE | private, 0, 0, NULL, 0));
    wait_until(&ended, 2);
    printf("one: %ld\n", futex(&word, FUTEX_WAKE | private, 1, 0, NULL, 0));
    wait_until(&ended, 3);
    printf("all: %ld\n", futex(&word, FUTEX_WAKE | private, INT_MAX, 0, NULL, 0));
    for (int i = 0; i < 5; i++)
        CHECK(result_of(i) == 0);
    printf("%d %d %d\n", order[0], order[1], order[2]);
}

static void moved(int private)
{
    struct wish wish = {FUTEX_WAIT | private};
    for (int i = 0; i < 6; i++)
        start(i, &wish);
    wait_until_waiting(&word, private, 6);
    printf("compare: %ld\n", futex(&word, FUTEX_CMP_REQUEUE | private, 1, 2, &second, 1));
    printf("one woken, two moved: %ld\n",
           futex(&word, FUTEX_CMP_REQUEUE | private, 1, 2, &second, 0));
    printf("there: %ld %ld\n", waiting(&word, private), waiting(&second, private));
    printf("both words: %ld\n", futex(&word, FUTEX_WAKE_OP | private, 1, 1, &second,
                                      FUTEX_OP(FUTEX_OP_ADD, 1, FUTEX_OP_CMP_EQ, 0)));
    printf("first word: %ld\n", futex(&word, FUTEX_WAKE_OP | private, 1, 1, &second,
                                      FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0)));
    printf("the rest: %ld %ld\n", futex(&word, FUTEX_WAKE | private, INT_MAX, 0, NULL, 0),
           futex(&second, FUTEX_WAKE | private, INT_MAX, 0, NULL, 0));
    for (int i = 0; i < 6; i++)
        CHECK(result_of(i) == 0);
    CHECK(second == 0);
}

/* A limit of an hour does not end the wait; a short one does. */
static void timed(int private)
{
    struct timespec hour = {3600, 0}, brief = {0, 3000000};
    struct timespec soon = from_now(CLOCK_MONOTONIC, 5), clock = from_now(CLOCK_REALTIME, 5);
    struct wish wishes[] = {
        {FUTEX_WAIT | private, 0, NULL, &hour},
        {FUTEX_WAIT | private, 0, NULL, &brief},
        {FUTEX_WAIT_BITSET | private, 1, NULL, &soon},
        {FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME | private, 1, NULL, &clock},
    };
    for (int i = 0; i < 4; i++)
        start(i, &wishes[i]);
    for (int i = 1; i < 4; i++)
        printf("limit %d: %ld\n", i, result_of(i));
    wait_until_waiting(&word, private, 1);
    printf("woken: %ld", futex(&word, FUTEX_WAKE | private, 9, 0, NULL, 0));
    printf(" %ld\n", result_of(0));
}

/* Signals */

static void handler(int signal)
{
    (void)signal;
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
}

static void interrupted(int private, int flags, struct timespec *limit)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    struct wish wish = {FUTEX_WAIT | private, 0, NULL, limit};
    sigaction(SIGUSR1, &action, NULL);
    handled = 0;
    start(0, &wish);
    wait_until_waiting(&word, private, 1);
    CHECK(pthread_kill(threads[0], SIGUSR1) == 0);
    wait_until(&handled, 1);
    if ((flags & SA_RESTART) && !limit) {
        wait_until_waiting(&word, private, 1);
        CHECK(futex(&word, FUTEX_WAKE | private, 1, 0, NULL, 0) == 1);
    }
    printf("interrupted: %ld\n", result_of(0));
}

/* Locks */

static void *locks(void *arg)
{
    const struct wish *w = arg;
    long result = futex(&lock, w->op, 0, (uintptr_t)w->limit, NULL, 0);
    if (result == 0) {
        CHECK((lock & FUTEX_TID_MASK) == (uint32_t)tid());
        __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
        CHECK(futex(&lock, FUTEX_UNLOCK_PI | (w->op & FUTEX_PRIVATE_FLAG), 0, 0, NULL, 0) == 0);
    }
    return (void *)result;
}

static void start_lock(int n, struct wish *wish)
{
    CHECK(pthread_create(&threads[n], NULL, locks, wish) == 0);
}

static void wait_for_waiters(void)
{
    while (!(__atomic_load_n(&lock, __ATOMIC_SEQ_CST) & FUTEX_WAITERS))
        usleep(500);
    usleep(2000);
}

static void locked(int private)
{
    struct timespec soon = from_now(CLOCK_REALTIME, 5), later = from_now(CLOCK_REALTIME, 3600000);
    struct wish wishes[] = {
        {FUTEX_LOCK_PI | private, 0, NULL, &soon},
        {FUTEX_TRYLOCK_PI | private},
        {FUTEX_LOCK_PI | private, 0, NULL, &later},
        {FUTEX_LOCK_PI | private},
    };
    ended = 0;
    CHECK(futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0) == 0);
    for (int i = 0; i < 4; i++)
        start_lock(i, &wishes[i]);
    printf("late: %ld, at once: %ld\n", result_of(0), result_of(1));
    wait_for_waiters();
    struct sigaction action = {.sa_handler = handler};
    sigaction(SIGUSR1, &action, NULL);
    handled = 0;
    CHECK(pthread_kill(threads[2], SIGUSR1) == 0 && pthread_kill(threads[3], SIGUSR1) == 0);
    wait_until(&handled, 2);
    CHECK(ended == 0);
    printf("unlock: %ld", futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0));
    printf(", then %ld %ld\n", result_of(2), result_of(3));
    CHECK(ended == 2 && lock == 0);
}

static void *owns_and_ends(void *arg)
{
    const struct wish *w = arg;
    CHECK(futex(&lock, w->op, 0, 0, NULL, 0) == 0);
    ended = 1;
    wait_for_waiters();
    return NULL;
}

static void owner_ends(int private)
{
    struct wish wish = {FUTEX_LOCK_PI | private};
    ended = 0;
    CHECK(pthread_create(&threads[0], NULL, owns_and_ends, &wish) == 0);
    wait_until(&ended, 1);
    printf("from the dead: %ld", futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0));
    printf(" %d\n", (lock & FUTEX_OWNER_DIED) != 0 && (lock & FUTEX_TID_MASK) == (uint32_t)tid());
    CHECK(pthread_join(threads[0], NULL) == 0);
    CHECK(futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0) == 0 && lock == 0);
}

/* Each has one lock and wants the other's. */
static void *wants_both(void *arg)
{
    const struct wish *w = arg;
    int private = w->op & FUTEX_PRIVATE_FLAG;
    CHECK(futex(&second, FUTEX_LOCK_PI | private, 0, 0, NULL, 0) == 0);
    ended = 1;
    long result = futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0);
    CHECK(futex(&second, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0) == 0);
    if (result == 0)
        CHECK(futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0) == 0);
    return (void *)result;
}

static void deadlock(int private)
{
    struct wish wish = {private};
    ended = 0;
    CHECK(futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0) == 0);
    CHECK(pthread_create(&threads[0], NULL, wants_both, &wish) == 0);
    wait_until(&ended, 1);
    wait_for_waiters();
    printf("deadlock: %ld", futex(&second, FUTEX_LOCK_PI | private, 0, 0, NULL, 0));
    CHECK(futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0) == 0);
    printf(" %ld\n", result_of(0));
    second = 0;
}

static void *waits_to_lock(void *arg)
{
    const struct wish *w = arg;
    int private = w->op & FUTEX_PRIVATE_FLAG;
    __atomic_fetch_add(&handled, 1, __ATOMIC_SEQ_CST);
    long result = futex(&word, w->op, 0, (uintptr_t)w->limit, &lock, 0);
    if (result == 0) {
        CHECK((lock & FUTEX_TID_MASK) == (uint32_t)tid());
        __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
        CHECK(futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0) == 0);
    }
    return (void *)result;
}

static void start_movers(struct wish *wish)
{
    ended = handled = 0;
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, waits_to_lock, wish) == 0);
    wait_until(&handled, 3);
}

/* How many were moved to the lock. */
static long move(int private, int most)
{
    long result = futex(&word, FUTEX_CMP_REQUEUE_PI | private, 1, most, &lock, 0);
    CHECK(result >= 0 || result == -EAGAIN);
    return result < 0 ? 0 : result;
}

static void moved_to_lock(int private)
{
    struct wish wish = {FUTEX_WAIT_REQUEUE_PI | private};
    long moved = 0;
    CHECK(futex(&lock, FUTEX_LOCK_PI | private, 0, 0, NULL, 0) == 0);
    start_movers(&wish);
    long plain;
    while ((plain = futex(&word, FUTEX_WAKE | private, 1, 0, NULL, 0)) == 0)
        usleep(500); /* the first may need a moment to begin */
    printf("no plain wake: %ld\n", plain);
    printf("another lock: %ld\n", futex(&word, FUTEX_CMP_REQUEUE_PI | private, 1, 9, &second, 0));
    while (moved < 3)
        moved += move(private, INT_MAX);
    CHECK(ended == 0);
    CHECK(futex(&lock, FUTEX_UNLOCK_PI | private, 0, 0, NULL, 0) == 0);
    for (int i = 0; i < 3; i++)
        CHECK(result_of(i) == 0);
    CHECK(ended == 3 && lock == 0);

    start_movers(&wish); /* and now the lock is free */
    for (moved = 0; moved < 3;)
        moved += move(private, 0);
    for (int i = 0; i < 3; i++)
        CHECK(result_of(i) == 0);
    CHECK(lock == 0);
    puts("moved");
}

int main(void)
{
    struct timespec hour = {3600, 0};
    for (int private = 0; private <= FUTEX_PRIVATE_FLAG; private += FUTEX_PRIVATE_FLAG) {
        alone(private);
        operations(private);
        locks_alone(private);
        in_order(private);
        moved(private);
        timed(private);
        interrupted(private, 0, NULL);
        interrupted(private, SA_RESTART, NULL);
        interrupted(private, SA_RESTART, &hour);
        interrupted(private, 0, &hour);
        locked(private);
        owner_ends(private);
        deadlock(private);
        moved_to_lock(private);
    }
    return done();
}
