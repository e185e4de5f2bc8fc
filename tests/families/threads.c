/* Threads, futexes, scheduling, timers and clocks, SysV and POSIX queues and semaphores, keys. */
#include "family.h"

#include <linux/futex.h>
#include <mqueue.h>
#include <semaphore.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/times.h>

static int word;

static long futex(int *at, int op, unsigned value, void *limit, int *second, unsigned third)
{
    return syscall(SYS_futex, at, op, value, limit, second, third);
}

static void *wait_on_word(void *arg)
{
    (void)arg;
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST) == 0)
        futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0);
    return NULL;
}

CASE(futex_errors)
{
    struct timespec t = {0, 1000000}, bad = {0, 2000000000};
    R(futex(&word, FUTEX_WAIT, 1, NULL, NULL, 0));
    R(futex(&word, FUTEX_WAIT, 0, &t, NULL, 0));
    R(futex(&word, FUTEX_WAIT, 0, &bad, NULL, 0));
    R(futex((int *)((char *)&word + 1), FUTEX_WAIT, 0, &t, NULL, 0));
    R(futex(nowhere(), FUTEX_WAIT, 0, &t, NULL, 0));
    R(futex(nowhere(), FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0));
    R(futex(nowhere(), FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
    R(futex(nowhere(), FUTEX_WAKE, 1, NULL, NULL, 0));
    R(futex(&word, FUTEX_WAIT, 0, nowhere(), NULL, 0));
    R(futex(&word, 99, 0, NULL, NULL, 0));
    R(futex(&word, FUTEX_WAIT_BITSET, 0, NULL, NULL, 0));
    R(futex(&word, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
    R(futex(&word, FUTEX_WAKE, 5, NULL, NULL, 0));
    R(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, &word, 7));
    R(futex(&word, FUTEX_CMP_REQUEUE, 1, (void *)1, nowhere(), 0));
    R(futex(&word, FUTEX_WAKE_OP, 1, (void *)1, &word, FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 0)));
    say("%d", word);
    R(futex(&word, FUTEX_WAKE_OP, 1, (void *)1, nowhere(), 0));
    R(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
    word = 0;
    R(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
    say("own %d", (word & FUTEX_TID_MASK) == gettid());
    R(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
    R(futex(&word, FUTEX_TRYLOCK_PI, 0, NULL, NULL, 0));
    R(futex(&word, FUTEX_UNLOCK_PI, 0, NULL, NULL, 0));
    say("%d", word);
    word = 1 << 29;
    R(futex(&word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
    R(syscall(SYS_set_robust_list, NULL, 5));
    void *head;
    size_t size;
    R(syscall(SYS_get_robust_list, 0, &head, &size));
    say("%zu", size);
    R(syscall(SYS_get_robust_list, INT_MAX, &head, &size));
}

CASE(futex_wakes)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, wait_on_word, NULL);
    pause_ms(10);
    word = 1;
    futex(&word, FUTEX_WAKE, 2, NULL, NULL, 0);
    futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    for (int i = 0; i < 4; i++)
        R(pthread_join(t[i], NULL));
}

static pthread_mutex_t lock;
static void *dies_with_lock(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    return NULL;
}

CASE(mutexes)
{
    static const int kinds[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
    for (int k = 0; k < 3; k++)
        for (int protocol = 0; protocol < 2; protocol++) {
            pthread_mutexattr_t a;
            pthread_mutexattr_init(&a);
            pthread_mutexattr_settype(&a, kinds[k]);
            pthread_mutexattr_setprotocol(&a, protocol);
            pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
            pthread_mutex_init(&lock, &a);
            pthread_t t;
            pthread_create(&t, NULL, dies_with_lock, NULL);
            pthread_join(t, NULL);
            R(pthread_mutex_lock(&lock));
            R(pthread_mutex_consistent(&lock));
            R(pthread_mutex_trylock(&lock));
            R(pthread_mutex_unlock(&lock));
            struct timespec soon;
            clock_gettime(CLOCK_REALTIME, &soon);
            R(pthread_mutex_timedlock(&lock, &soon));
        }
}

static void *canceled(void *arg)
{
    (void)arg;
    for (;;)
        pause();
    return NULL;
}

CASE(thread_ends)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, canceled, NULL);
    R(pthread_cancel(t));
    R(pthread_join(t, &result));
    say("%d", result == PTHREAD_CANCELED);
    pthread_create(&t, NULL, (void *(*)(void *))getpid, NULL);
    R(pthread_detach(t));
    pause_ms(10);
    R(syscall(SYS_gettid) == getpid());
    R(syscall(SYS_set_tid_address, &word) == getpid());
    char name[32];
    R(pthread_setname_np(pthread_self(), "named"));
    R(pthread_getname_np(pthread_self(), name, sizeof name));
    say("%s", name);
}

CASE(scheduling)
{
    struct sched_param p = {0};
    R(sched_getscheduler(0));
    R(sched_getparam(0, &p));
    R(sched_setscheduler(0, SCHED_BATCH, &p));
    R(sched_getscheduler(0));
    R(sched_setscheduler(0, 99, &p));
    p.sched_priority = 1000;
    R(sched_setscheduler(0, SCHED_FIFO, &p));
    R(sched_get_priority_max(SCHED_FIFO));
    R(sched_get_priority_min(99));
    struct timespec t;
    R(sched_rr_get_interval(0, &t));
    R(sched_rr_get_interval(-1, &t));
    cpu_set_t set;
    R(sched_getaffinity(0, sizeof set, &set));
    R(syscall(SYS_sched_getaffinity, 0, 4, &set));
    CPU_ZERO(&set);
    R(sched_setaffinity(0, sizeof set, &set));
    CPU_SET(0, &set);
    R(sched_setaffinity(0, sizeof set, &set));
    R(sched_getcpu());
    R(sched_yield());
    R(sched_getparam(0, nowhere()));
    R(sched_getparam(INT_MAX, &p));
    char attr[64] = "";
    R(syscall(SYS_sched_getattr, 0, attr, 56, 0));
    R(syscall(SYS_sched_getattr, 0, attr, 8, 0));
    R(syscall(SYS_membarrier, 0, 0, 0) > 0);
    R(syscall(SYS_membarrier, 1 << 20, 0, 0));
    R(syscall(SYS_membarrier, 1 << 3, 0, 0));
}

static volatile int fired;
static void on_timer(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    fired = info->si_value.sival_int + 1000 * (info->si_code == SI_TIMER);
}

CASE(timers)
{
    struct sigaction a = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO};
    sigaction(SIGRTMIN, &a, NULL);
    struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN, .sigev_value.sival_int = 7};
    timer_t t;
    R(timer_create(CLOCK_MONOTONIC, &e, &t));
    struct itimerspec s = {.it_value = {100, 0}}, old;
    R(timer_settime(t, 0, &s, NULL));
    R(timer_gettime(t, &old));
    say("%d", old.it_value.tv_sec > 0);
    s.it_value = (struct timespec){0, 1000000};
    R(timer_settime(t, 0, &s, &old));
    while (!fired)
        pause_ms(1);
    say("%d", fired);
    R(timer_getoverrun(t));
    R(timer_delete(t));
    R(timer_delete(t));
    R(timer_create(999, &e, &t));
    e.sigev_notify = 99;
    R(timer_create(CLOCK_MONOTONIC, &e, &t));
    struct itimerval v = {.it_value = {100, 0}}, w;
    R(setitimer(ITIMER_VIRTUAL, &v, NULL));
    R(getitimer(ITIMER_VIRTUAL, &w));
    say("%d", w.it_value.tv_sec > 50);
    R(setitimer(99, &v, NULL));
    v.it_value.tv_usec = 1000000;
    R(setitimer(ITIMER_REAL, &v, NULL));
    R(setitimer(ITIMER_REAL, nowhere(), NULL));
    R(alarm(100));
    R(alarm(0));
}

CASE(clocks)
{
    struct timespec t;
    for (int c = 0; c < 14; c++) {
        long a = clock_gettime(c, &t), b = clock_getres(c, &t);
        say("clock %d: %ld %ld %ld", c, a, b, b ? 0 : t.tv_nsec);
    }
    R(clock_settime(CLOCK_MONOTONIC, &t));
    R(clock_settime(CLOCK_REALTIME, nowhere()));
    R(clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){0, -1}, NULL));
    R(clock_nanosleep(99, 0, &(struct timespec){0, 1}, NULL));
    R(nanosleep(&(struct timespec){-1, 0}, NULL));
    R(nanosleep(nowhere(), NULL));
    clockid_t c;
    R(clock_getcpuclockid(getpid(), &c));
    R(clock_gettime(c, &t));
    R(clock_getcpuclockid(INT_MAX, &c));
    struct timex x = {0};
    R(adjtimex(&x) >= 0);
    x.modes = 0x8000;
    x.offset = 1 << 30;
    R(clock_adjtime(99, &x));
    R(adjtimex(nowhere()));
    R(settimeofday(NULL, NULL));
    struct timeval bad = {0, 2000000};
    R(settimeofday(&bad, NULL));
    struct tms m;
    R(times(&m) > 0);
    R(times(NULL) > 0);
    R(time(NULL) > 0);
    struct sysinfo i;
    R(sysinfo(&i));
    R(sysinfo(nowhere()));
    char bytes[16];
    R(getrandom(bytes, 16, 0));
    R(getrandom(bytes, 16, 99));
    R(getrandom(nowhere(), 16, 0));
    R(syscall(SYS_syslog, 10, NULL, 0) >= 0);
    R(syscall(SYS_syslog, 99, NULL, 0));
    R(syscall(SYS_getcpu, NULL, NULL, NULL));
    R(syscall(SYS_getcpu, nowhere(), NULL, NULL));
}

CASE(messages)
{
    struct {
        long type;
        char text[32];
    } m = {3, "a message"}, got = {0, ""};
    int q = msgget(IPC_PRIVATE, 0600);
    R(msgsnd(q, &m, 10, 0));
    m.type = 5;
    R(msgsnd(q, &m, 10, IPC_NOWAIT));
    m.type = 0;
    R(msgsnd(q, &m, 10, 0));
    R(msgrcv(q, &got, 32, 5, 0));
    say("%ld %s", got.type, got.text);
    R(msgrcv(q, &got, 2, 0, 0));
    R(msgrcv(q, &got, 2, 0, MSG_NOERROR));
    R(msgrcv(q, &got, 32, 0, IPC_NOWAIT));
    struct msqid_ds d;
    R(msgctl(q, IPC_STAT, &d));
    say("%d", (int)d.msg_qnum);
    pid_t child = CHILD({
        m.type = 1;
        pause_ms(10);
        msgsnd(q, &m, 10, 0);
    });
    R(msgrcv(q, &got, 32, 0, 0));
    reap("child", child);
    R(msgsnd(q, nowhere(), 10, 0));
    R(msgctl(q, IPC_RMID, NULL));
    R(msgrcv(q, &got, 32, 0, 0) == -1);
    R(msgget(0x12345, 0600));
}

CASE(semaphores)
{
    int s = semget(IPC_PRIVATE, 2, 0600);
    R(semctl(s, 0, SETVAL, 2));
    struct sembuf o[2] = {{0, -1, 0}, {1, 1, SEM_UNDO}};
    R(semop(s, o, 2));
    R(semctl(s, 0, GETVAL));
    R(semctl(s, 1, GETVAL));
    unsigned short all[2];
    R(semctl(s, 0, GETALL, all));
    say("%d %d", all[0], all[1]);
    o[0].sem_op = -9;
    o[0].sem_flg = IPC_NOWAIT;
    R(semop(s, o, 1));
    struct timespec t = {0, 1000000};
    o[0].sem_flg = 0;
    R(semtimedop(s, o, 1, &t));
    o[0].sem_num = 99;
    R(semop(s, o, 1));
    R(semop(s, nowhere(), 1));
    R(semctl(s, 9, GETVAL));
    R(semctl(s, 0, GETPID) == getpid());
    R(semctl(s, 0, IPC_RMID));
    sem_t *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(p, 1, 0);
    pid_t child = CHILD({
        pause_ms(10);
        sem_post(p);
    });
    R(sem_wait(p));
    reap("child", child);
    R(sem_trywait(p));
}

CASE(queues)
{
    char name[64], bytes[64] = "";
    snprintf(name, sizeof name, "/family.%d", getpid());
    struct mq_attr a = {.mq_maxmsg = 4, .mq_msgsize = 16};
    mqd_t q = mq_open(name, O_RDWR | O_CREAT | O_NONBLOCK, 0600, &a);
    say("open %d", q >= 0);
    R(mq_send(q, "low", 3, 1));
    R(mq_send(q, "high", 4, 9));
    R(mq_send(q, bytes, 17, 1));
    unsigned priority;
    R(mq_receive(q, bytes, 64, &priority));
    say("%s %u", bytes, priority);
    R(mq_receive(q, bytes, 4, &priority));
    R(mq_getattr(q, &a));
    say("%ld %ld", a.mq_curmsgs, a.mq_flags);
    R(mq_unlink(name));
    R(mq_unlink(name));
    R(mq_receive(q, bytes, 64, NULL));
    R(mq_receive(q, bytes, 64, NULL));
}

CASE(keys)
{
    long k = syscall(SYS_add_key, "user", "family", "payload", 7, -2);
    say("key %d", k > 0);
    char bytes[16] = "";
    R(syscall(SYS_keyctl, 11, k, bytes, 16));
    say("%s", bytes);
    R(syscall(SYS_keyctl, 99, k));
    R(syscall(SYS_keyctl, 3, k));
    R(syscall(SYS_request_key, "user", "none", NULL, 0));
    R(syscall(SYS_add_key, "bad", "x", "y", 1, -2));
}

CASE(refused)
{
    char attr[128] = "";
    R(syscall(SYS_bpf, 999, attr, 128));
    R(syscall(SYS_bpf, 0, nowhere(), 128));
    R(syscall(SYS_perf_event_open, nowhere(), 0, -1, -1, 0));
    R(syscall(SYS_landlock_create_ruleset, NULL, 0, 1) > 0 || errno == ENOSYS || errno == EOPNOTSUPP);
    R(syscall(SYS_landlock_add_rule, -1, 1, attr, 0));
    R(unshare(0x1));
    R(unshare(CLONE_FILES));
    R(unshare(CLONE_FS));
    R(setns(0, 0));
    R(setns(-1, 0));
    R(syscall(SYS_fsopen, "none", 0));
    R(syscall(SYS_open_tree, AT_FDCWD, "/none", 0));
    R(syscall(SYS_move_mount, -1, "", -1, "", 0));
    R(syscall(SYS_pivot_root, "/none", "/none"));
    R(syscall(SYS_mount, "none", "/none", "none", 0, NULL));
    R(syscall(SYS_umount2, "/none", 0));
    R(syscall(SYS_modify_ldt, 0, attr, 128));
    R(syscall(SYS_modify_ldt, 99, attr, 128));
    R(syscall(SYS_restart_syscall));
}
