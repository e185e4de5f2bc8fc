/* Processes that share memory with their maker (CLONE_VM): whose signal handlers they have, their
 * threads and children, and their ends. */
#include "family.h"

enum { STACK = 65536, THREAD = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD };

static char stacks[3][STACK] __attribute__((aligned(16)));
static volatile int got, begun, ended;

static void first(int signal)
{
    (void)signal;
    got = 1;
}

static void second(int signal)
{
    (void)signal;
    got = 2;
}

static pid_t make(int which, int (*run)(void *), int flags)
{
    return clone(run, stacks[which] + STACK, flags, NULL, NULL, NULL, (void *)&ended);
}

static void try_child(const char *name, int (*run)(void *), int flags)
{
    pid_t child = make(0, run, flags | SIGCHLD);
    if (child < 0)
        say("%s: none, %s", name, strerrorname_np(errno));
    else
        reap(name, child);
}

/* --- handlers --------------------------------------------------------------------------------- */

static int sets_handlers(void *unused)
{
    (void)unused;
    struct sigaction old;
    sigaction(SIGUSR1, NULL, &old);
    say("child: %s", old.sa_handler == first ? "the maker's" : "another");
    signal(SIGUSR1, second);
    signal(SIGUSR2, SIG_IGN);
    return 7;
}

static int sends_signals(void *unused)
{
    (void)unused;
    kill(getpid(), SIGUSR1);
    say("child got %d", got);
    got = 0;
    kill(getppid(), SIGUSR1);
    return 3;
}

static void with_handlers(const char *name, int flags)
{
    signal(SIGUSR1, first);
    signal(SIGUSR2, first);
    try_child(name, sets_handlers, flags);
    got = 0;
    raise(SIGUSR1);
    say("%s: %d", name, got);
    got = 0;
    raise(SIGUSR2);
    say("%s: %d", name, got);
    got = 0;
    try_child(name, sends_signals, flags);
    say("%s: maker got %d", name, got);
}

CASE(clone_handlers)
{
    with_handlers("memory", CLONE_VM);
    with_handlers("memory and handlers", CLONE_VM | CLONE_SIGHAND);
    with_handlers("waiting", CLONE_VM | CLONE_VFORK);
    with_handlers("waiting, with handlers", CLONE_VM | CLONE_VFORK | CLONE_SIGHAND);
    with_handlers("handlers alone", CLONE_SIGHAND);
    with_handlers("nothing", 0);
}

static int aborts(void *unused)
{
    (void)unused;
    abort();
}

static int faults(void *unused)
{
    (void)unused;
    *(volatile int *)8 = 1;
    return 0;
}

CASE(clone_deaths)
{
    try_child("abort", aborts, CLONE_VM);
    try_child("fault", faults, CLONE_VM);
    try_child("waiting, abort", aborts, CLONE_VM | CLONE_VFORK);
    try_child("with handlers, fault", faults, CLONE_VM | CLONE_VFORK | CLONE_SIGHAND);
    signal(SIGSEGV, SIG_IGN);
    try_child("ignored, fault", faults, CLONE_VM);
}

/* --- threads and children --------------------------------------------------------------------- */

static int ends_at_once(void *unused)
{
    (void)unused;
    begun = 1;
    return 0;
}

static int spins(void *unused)
{
    (void)unused;
    begun = 1;
    while (begun >= 0) {
    }
    return 0;
}

static int sleeps(void *unused)
{
    (void)unused;
    begun = 1;
    while (begun >= 0)
        pause();
    return 0;
}

static void make_thread(int which, int (*run)(void *))
{
    begun = 0;
    OK(make(which, run, THREAD | CLONE_CHILD_CLEARTID));
    while (!begun)
        sched_yield();
}

static int has_thread(void *unused)
{
    (void)unused;
    ended = 1;
    make_thread(1, ends_at_once);
    while (ended)
        sched_yield();
    say("its thread has ended");
    return 4;
}

static int exits_with_threads(void *unused)
{
    (void)unused;
    make_thread(1, spins);
    make_thread(2, sleeps);
    _exit(11);
}

static int stays_with_threads(void *unused)
{
    make_thread(1, spins);
    make_thread(2, sleeps);
    ended = 2;
    return sleeps(unused);
}

static int execs_with_threads(void *unused)
{
    (void)unused;
    make_thread(1, sleeps);
    execl("/bin/false", "false", NULL);
    return 9;
}

static int aborts_with_threads(void *unused)
{
    (void)unused;
    make_thread(1, sleeps);
    abort();
}

CASE(clone_threads)
{
    try_child("one", has_thread, CLONE_VM);
    try_child("exit", exits_with_threads, CLONE_VM);
    try_child("exec", execs_with_threads, CLONE_VM);
    try_child("abort", aborts_with_threads, CLONE_VM);
    for (int i = 0; i < 3; i++) { /* often while the thread that spins runs */
        pid_t child = make(0, stays_with_threads, CLONE_VM | SIGCHLD);
        while (ended != 2)
            sched_yield();
        ended = 0;
        pause_ms(3);
        R(kill(child, SIGKILL));
        reap("killed", child);
    }
}

static int has_children(void *unused)
{
    (void)unused;
    reap("fork", CHILD(_exit(6)));
    pid_t child = vfork();
    if (!child)
        kill(getpid(), SIGTERM);
    reap("vfork, killed", child);
    child = vfork();
    if (!child)
        _exit(5);
    reap("vfork", child);
    child = vfork();
    if (!child) {
        execl("/bin/false", "false", NULL);
        _exit(9);
    }
    reap("vfork, exec", child);
    reap("clone", make(1, ends_at_once, CLONE_VM | SIGCHLD));
    return 2;
}

CASE(clone_children)
{
    try_child("memory", has_children, CLONE_VM);
    try_child("memory and handlers", has_children, CLONE_VM | CLONE_SIGHAND);
}
