/* The front of a recording: see recorder.h.
 *
 * It ignores signals that the terminal and the program send to the whole group, and passes signals
 * that are meant for the program on to the recorder. If the front is killed, the recorder continues
 * to the program's end. If the recorder is killed, the front ends and the program continues
 * unrecorded.
 *
 * A signal that was sent only to the front is forwarded to the program; one that was sent to the
 * whole group has already reached the program. The kernel does not tell which it was. So a third
 * process, the witness, is in the group, does nothing, and reports the signals that it gets.
 */
#include "recorder/recorder_front_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "log/engine_start.h"

enum {
    WITNESS_WAIT_MS = 200, /* how much later than the front's the witness's signal may come */
    WITNESS_FRESH_NS = 500 * 1000 * 1000,
};

void recorder_front_signals(sigset_t *ret)
{
    sigemptyset(ret);
    sigaddset(ret, SIGINT);
    sigaddset(ret, SIGQUIT);
    sigaddset(ret, SIGTERM);
    sigaddset(ret, SIGHUP);
}

/* The witness */

struct witness_report {
    int signal;
    u64 time;
};

/* The signals that the witness got; fd -1: there is no witness. */
struct witness {
    int reports;
    u64 seen[NSIG]; /* when, by signal */
};

static _Noreturn void witness_run(pid_t front, int reports)
{
    sigset_t mask;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != front)
        _exit(0);
    if (reports != 0 && dup2(reports, 0) < 0)
        _exit(0);
    close_range(1, ~0u, 0); /* ebb may hold a pipe of the caller, which must end with ebb */
    recorder_front_signals(&mask);
    for (siginfo_t info;;) {
        if (sigwaitinfo(&mask, &info) < 0)
            continue;
        struct witness_report report = {info.si_signo, wall_clock_now()};
        if (write(0, &report, sizeof report) < 0 && errno == EPIPE)
            _exit(0);
    }
}

static void witness_start(struct witness *w)
{
    int ends[2];
    pid_t front = getpid();
    *w = (struct witness){.reports = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return;
    pid_t pid = fork();
    if (pid == 0)
        witness_run(front, ends[1]);
    close(ends[1]);
    if (pid > 0)
        w->reports = ends[0];
    else
        close(ends[0]);
}

static void witness_hear(struct witness *w)
{
    struct witness_report report;
    while (w->reports >= 0 && read(w->reports, &report, sizeof report) == sizeof report)
        if (report.signal > 0 && report.signal < NSIG)
            w->seen[report.signal] = report.time;
}

/* True if the whole group got the signal that the front has just got. */
static bool witness_saw(struct witness *w, int signal)
{
    witness_hear(w);
    if (w->reports >= 0 && !w->seen[signal]) {
        poll(&(struct pollfd){.fd = w->reports, .events = POLLIN}, 1, WITNESS_WAIT_MS);
        witness_hear(w);
    }
    u64 seen = w->seen[signal], now = wall_clock_now();
    w->seen[signal] = 0;
    return seen && (now < seen || now - seen < WITNESS_FRESH_NS);
}

/* The front */

/* Tells the recorder of each signal, and whether the program already has it. */
static void pass_on(pid_t recorder, const siginfo_t *info, struct witness *w)
{
    if (info->si_signo == SIGCONT) {
        kill(recorder, SIGCONT);
        return;
    }
    bool all = info->si_code == SI_KERNEL || witness_saw(w, info->si_signo);
    sigqueue(recorder, info->si_signo, (union sigval){.sival_int = all});
}

static int recorder_front_wait(pid_t recorder, struct witness *w)
{
    sigset_t mask;
    int status;
    recorder_front_signals(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGCONT);
    for (;;) {
        siginfo_t info;
        if (waitpid(recorder, &status, WNOHANG) == recorder)
            return status;
        if (sigwaitinfo(&mask, &info) > 0 && info.si_signo != SIGCHLD)
            pass_on(recorder, &info, w);
    }
}

bool recorder_front_divide(struct recorder_front *ret, int *ret_wait_status)
{
    pid_t front = getpid();
    struct witness witness;
    sigset_t mask;
    engine_take_signals();
    recorder_front_signals(&mask);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    *ret = (struct recorder_front){.group = getpgrp()};
    void *place = mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ret->place = place == MAP_FAILED ? NULL : place;
    pid_t recorder = fork();
    if (recorder > 0) {
        witness_start(&witness);
        *ret_wait_status = recorder_front_wait(recorder, &witness);
        return false;
    }
    ret->pid = recorder == 0 ? front : 0;
    return true;
}

/* The recorder ends itself by an interrupt if that ended the program. */
bool recorder_front_lost(int wait_status, int *by)
{
    *by = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    return *by && *by != SIGINT;
}

void recorder_front_tell(const struct recorder_front *front, const char *path)
{
    if (front->place)
        snprintf(front->place, PATH_MAX, "%s", path);
}

bool recorder_front_says_all(const struct recorder_front *front,
                             const struct signalfd_siginfo *info)
{
    bool told = info->ssi_code == SI_QUEUE && front->pid && info->ssi_pid == (u32)front->pid;
    return told ? info->ssi_int : info->ssi_code == SI_KERNEL;
}

/* Writing to the terminal must not stop the recorder, which is in a background group now. */
void recorder_front_leave_group(const struct recorder_front *front)
{
    if (!front->pid)
        return;
    setpgid(0, 0);
    signal(SIGTTOU, SIG_IGN);
}

void recorder_front_stop(struct recorder_front *front)
{
    front->stopped = true;
    if (!front->pid)
        raise(SIGSTOP);
    else if (getppid() == front->pid)
        kill(front->pid, SIGSTOP);
}

bool recorder_front_continued(struct recorder_front *front)
{
    bool was = front->stopped;
    front->stopped = false;
    return was;
}
