/* The front of a recording: see recorder.h.
 *
 * It ignores what the terminal and the program send to the whole group, and passes on to the
 * recorder what is meant for the program.  If it is killed the recorder goes on to the program's
 * end; if the recorder is killed, the front ends and the program goes on, unrecorded.
 */
#include "recorder/recorder_front_internal.h"

#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "log/engine_start.h"

/* Of the terminal's signals the program has its own. */
static void pass_on(pid_t recorder, const siginfo_t *info)
{
    if (info->si_code != SI_KERNEL || info->si_signo == SIGCONT)
        kill(recorder, info->si_signo);
}

static int recorder_front_wait(pid_t recorder)
{
    sigset_t mask;
    int status;
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    sigaddset(&mask, SIGTERM);
    sigaddset(&mask, SIGHUP);
    sigaddset(&mask, SIGCONT);
    for (;;) {
        siginfo_t info;
        if (waitpid(recorder, &status, WNOHANG) == recorder)
            return status;
        if (sigwaitinfo(&mask, &info) > 0 && info.si_signo != SIGCHLD)
            pass_on(recorder, &info);
    }
}

bool recorder_front_divide(struct recorder_front *ret, int *ret_wait_status)
{
    pid_t front = getpid();
    engine_take_signals();
    pid_t recorder = fork();
    if (recorder > 0) {
        *ret_wait_status = recorder_front_wait(recorder);
        return false;
    }
    *ret = (struct recorder_front){.pid = recorder == 0 ? front : 0, .group = getpgrp()};
    return true;
}

/* What we say on the terminal does not stop us, although we are in its background now. */
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
