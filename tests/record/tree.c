/* Processes that make processes, in the ways there are; the argument says which (and the next, how
 * deep).  What is printed is always the same, in the same order, and nothing waits for a clock.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void fail(const char *what)
{
    perror(what);
    _exit(99);
}

static void say(const char *text)
{
    if (write(1, text, strlen(text)) != (ssize_t)strlen(text))
        fail("write");
}

static pid_t make(void)
{
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    return pid;
}

static int await(pid_t pid)
{
    int status;
    if (waitpid(pid, &status, 0) != pid)
        fail("waitpid");
    return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void say_end(pid_t pid)
{
    char text[64];
    snprintf(text, sizeof text, "ended %d\n", await(pid));
    say(text);
}

/* Each forks the next and waits for it. */
static _Noreturn void nested(int depth)
{
    char text[64];
    snprintf(text, sizeof text, "depth %d\n", depth);
    say(text);
    if (depth == 0)
        _exit(1);
    pid_t pid = make();
    if (pid == 0)
        nested(depth - 1);
    _exit(await(pid) + 1);
}

static void many(void)
{
    for (int i = 0; i < 12; i++) {
        pid_t pid = make();
        if (pid == 0) {
            char text[64];
            snprintf(text, sizeof text, "child %d, pid %s\n", i,
                     getpid() > 0 ? "there" : "not there");
            say(text);
            _exit(i);
        }
        say_end(pid);
    }
}

/* Children that live at the same time, each with a pipe to the next. */
static void chain(void)
{
    int in = -1;
    pid_t pids[6];
    for (int i = 0; i < 6; i++) {
        int ends[2];
        if (pipe(ends) < 0)
            fail("pipe");
        pids[i] = make();
        if (pids[i] == 0) {
            int sum = i;
            if (in >= 0 && read(in, &sum, sizeof sum) != sizeof sum)
                fail("read");
            sum += 10 * i;
            if (write(ends[1], &sum, sizeof sum) != sizeof sum)
                fail("write");
            _exit(0);
        }
        close(ends[1]);
        if (in >= 0)
            close(in);
        in = ends[0];
    }
    int sum = 0;
    if (read(in, &sum, sizeof sum) != sizeof sum)
        fail("read");
    printf("sum %d\n", sum);
    fflush(stdout);
    for (int i = 0; i < 6; i++)
        say_end(pids[i]);
}

/* A daemon that goes on when all others have ended: the end of the pipe tells it. */
static void daemon_outlives(void)
{
    int ends[2];
    char byte;
    if (pipe(ends) < 0)
        fail("pipe");
    pid_t pid = make();
    if (pid == 0) {
        setsid();
        if (make() != 0)
            _exit(0);
        close(ends[1]);
        if (read(ends[0], &byte, 1) != 0)
            fail("read");
        _exit(5); /* nobody waits for it, so it prints nothing */
    }
    close(ends[0]);
    say_end(pid);
    say("parent\n");
}

/* Killed while it makes calls (by 9) or computes. */
static void killed(int signal, int calls)
{
    int ends[2];
    char byte;
    if (pipe(ends) < 0)
        fail("pipe");
    pid_t pid = make();
    if (pid == 0) {
        if (write(ends[1], "r", 1) != 1)
            fail("write");
        for (volatile unsigned n = 0;; n++)
            if (calls)
                getppid();
    }
    if (read(ends[0], &byte, 1) != 1)
        fail("read");
    for (volatile unsigned n = 0; n < 300000; n++)
        continue;
    kill(pid, signal);
    say_end(pid);
}

/* After much that was recorded. */
static void late(void)
{
    for (int i = 0; i < 40000; i++)
        getppid();
    pid_t pid = make();
    if (pid == 0)
        _exit(8);
    say_end(pid);
}

/* Many children of one that has much to do, before and in between. */
static void row(void)
{
    for (int i = 0; i < 40; i++) {
        for (int n = 0; n < 50; n++)
            getppid();
        pid_t pid = make();
        if (pid == 0)
            _exit(i);
        if (await(pid) != i)
            fail("a child");
    }
}

/* Each has a child before and one after that which goes on like itself. */
static void deep(int depth)
{
    for (int i = 0; i < 3 && depth > 0; i++) {
        pid_t pid = make();
        if (pid == 0 && i == 1)
            deep(depth - 1);
        if (pid == 0)
            _exit(i);
        if (await(pid) != i)
            fail("a child");
    }
}

/* A replay compares what is in registers at a system call. */
static void show(int value)
{
    lseek(-1, value, SEEK_SET);
}

static void add_some(int *sum)
{
    for (int n = 0; n < 1000; n++)
        show(__atomic_add_fetch(sum, 1, __ATOMIC_SEQ_CST));
}

/* What is in memory that all of them share: each adds to what it finds, the parent too, while its
 * child lives and after its end. */
static void sharing(void)
{
    enum { PAGE = 4096 };
    int *sum = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (sum == MAP_FAILED)
        fail("mmap");
    for (int i = 0; i < 6; i++) {
        pid_t pid = make();
        if (pid == 0) {
            add_some(sum);
            sum[1] = i;
            _exit(i);
        }
        add_some(sum);
        if (await(pid) != i || sum[1] != i || *sum != 2000 * (i + 1))
            fail("the sum");
    }
}

/* Children that start late enough for another process to interfere. */
static void slow(void)
{
    for (volatile unsigned n = 0; n < 150000000; n++)
        continue;
    for (int i = 0; i < 3; i++) {
        pid_t pid = make();
        if (pid == 0)
            _exit(i);
        say_end(pid);
    }
}

static void crash(void)
{
    pid_t pid = make();
    if (pid == 0) {
        say("crashing\n");
        abort();
    }
    say_end(pid);
}

static void spawned(void)
{
    char *args[] = {"sh", "-c", "echo spawned; exit 3", NULL}, *none[] = {"none", NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, 0);
    for (int i = 0; i < 3; i++) {
        if (posix_spawnp(&pid, "sh", &actions, NULL, args, environ) != 0)
            fail("posix_spawn");
        say_end(pid);
    }
    if (posix_spawn(&pid, "/no/such/program", NULL, NULL, none, environ) == 0)
        say("it was started\n");
}

/* Memory that a child is not to have, or to have empty. */
static void advised(void)
{
    enum { PAGE = 4096 };
    char *at = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        fail("mmap");
    memset(at, 7, 4 * PAGE);
    if (madvise(at, PAGE, MADV_WIPEONFORK) || madvise(at + 2 * PAGE, PAGE, MADV_DONTFORK))
        fail("madvise");
    pid_t pid = make();
    if (pid == 0) {
        bool gone = write(1, at + 2 * PAGE, 1) < 0;
        for (volatile unsigned n = 0; n < 50000; n++) /* time for a check of memory */
            continue;
        _exit(at[0] + 10 * at[PAGE] + (gone ? 100 : 0));
    }
    say_end(pid);
}

/* vfork: one that executes, one that exits, one that cannot execute, one that forks, and some that
 * die. */
static volatile int shared;

static void vforked(void)
{
    for (int i = 0; i < 8; i++) {
        pid_t pid = vfork();
        if (pid < 0)
            fail("vfork");
        if (pid == 0) {
            shared += 100;
            if (i == 0)
                execl("/bin/sh", "sh", "-c", "echo executed; exit 4", NULL);
            if (i == 2)
                execl("/no/such/program", "none", NULL);
            if (i == 3) {
                pid_t forked = fork();
                if (forked == 0) {
                    say("forked by a child of vfork\n");
                    _exit(6);
                }
                _exit(await(forked) + 1);
            }
            if (i == 4)
                abort();
            if (i == 5)
                *(volatile int *)8 = 1;
            if (i > 5)
                kill(getpid(), i == 6 ? SIGTERM : SIGKILL);
            _exit(i + 40);
        }
        say_end(pid);
    }
    printf("shared %d\n", shared);
}

/* Threads */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int stop;

static void *busy(void *unused)
{
    while (!stop) {
        pthread_mutex_lock(&lock);
        shared++;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return unused;
}

static void *double_it(void *number)
{
    return (void *)(2 * (long)number);
}

/* A child with threads of its own, whose numbers begin after the parent's. */
static void *forks(void *unused)
{
    for (int i = 0; i < 4; i++) {
        pid_t pid = make();
        if (pid == 0) {
            pthread_t threads[2];
            long sum = 0;
            for (long n = 0; n < 2; n++)
                if (pthread_create(&threads[n], NULL, double_it, (void *)(n + 1)) != 0)
                    fail("pthread_create");
            for (int n = 0; n < 2; n++) {
                void *result;
                pthread_join(threads[n], &result);
                sum += (long)result;
            }
            _exit((int)sum + i);
        }
        say_end(pid);
    }
    return unused;
}

static void threads_fork(void)
{
    pthread_t others[2], forking;
    for (int i = 0; i < 2; i++)
        if (pthread_create(&others[i], NULL, busy, NULL) != 0)
            fail("pthread_create");
    if (pthread_create(&forking, NULL, forks, NULL) != 0)
        fail("pthread_create");
    pthread_join(forking, NULL);
    forks(NULL);
    stop = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(others[i], NULL);
}

/* In a handler, with a signal that the child ends by. */
static void in_handler(int signal)
{
    (void)signal;
    pid_t pid = make();
    if (pid == 0) {
        kill(getpid(), SIGTERM);
        _exit(0);
    }
    say_end(pid);
}

static void handler_forks(void)
{
    signal(SIGUSR1, in_handler);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "nested")) {
        pid_t pid = make();
        if (pid == 0)
            nested(8);
        say_end(pid);
    } else if (!strcmp(what, "many")) {
        many();
    } else if (!strcmp(what, "chain")) {
        chain();
    } else if (!strcmp(what, "daemon")) {
        daemon_outlives();
    } else if (!strcmp(what, "killed")) {
        killed(SIGKILL, 1);
        killed(SIGKILL, 0);
        killed(SIGTERM, 0);
        killed(SIGTERM, 1);
    } else if (!strcmp(what, "late")) {
        late();
    } else if (!strcmp(what, "row")) {
        row();
    } else if (!strcmp(what, "deep")) {
        deep(argc > 2 ? atoi(argv[2]) : 5);
    } else if (!strcmp(what, "sharing")) {
        sharing();
    } else if (!strcmp(what, "slow")) {
        slow();
    } else if (!strcmp(what, "crash")) {
        crash();
    } else if (!strcmp(what, "spawned")) {
        spawned();
    } else if (!strcmp(what, "advised")) {
        advised();
    } else if (!strcmp(what, "vforked")) {
        vforked();
    } else if (!strcmp(what, "threads")) {
        threads_fork();
    } else if (!strcmp(what, "handler")) {
        handler_forks();
    } else {
        return 98;
    }
    printf("done\n");
    return 0;
}
