/* Every track, as many at a time as there are cores.
 *
 * Each is replayed by a process of its own, quietly; what that has to complain about goes to a
 * file in memory.  Lines are printed in the order of the tracks: a track's complaints, to stderr,
 * and its verdict, to stdout, wait until those before it have been told.
 *
 *     waiting --start--> running --reap--> done --tell_finished--> told
 */
#include "front/cli/replay_all.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/xalloc.h"
#include "front/cli/replay_track.h"
#include "log/channel.h"
#include "session/engine_start.h"

struct job {
    u32 track;
    pid_t pid; /* 0: not started, or no more */
    int said;  /* what it wrote to stderr */
    bool done;
    int status;
};

struct jobs {
    const struct recording *rec;
    const char *settings;
    struct job *list;
    size_t count, started, running, told, failed;
    int status;
};

/* The worst of two statuses: a divergence before anything else, success after. */
static int worse(int a, int b)
{
    if (a == CHANNEL_EXIT_DIVERGED || b == CHANNEL_EXIT_DIVERGED)
        return CHANNEL_EXIT_DIVERGED;
    return a > b ? a : b;
}

static size_t cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) < 0 || CPU_COUNT(&set) < 1)
        return 1;
    return (size_t)CPU_COUNT(&set);
}

/* A worker goes with its parent, and takes the engine with it (replay_track.c passes TERM on). */
static _Noreturn void work(const struct jobs *jobs, const struct job *job, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(CHANNEL_EXIT_OURS);
    dup2(job->said, STDERR_FILENO);
    _exit(replay_track(jobs->rec, job->track, true, jobs->settings));
}

static void finish(struct jobs *jobs, struct job *job, int status)
{
    job->done = true;
    job->pid = 0;
    job->status = status;
    jobs->status = worse(jobs->status, status);
}

static void start(struct jobs *jobs, struct job *job)
{
    pid_t parent = getpid();
    job->said = memfd_create("said", MFD_CLOEXEC);
    job->pid = job->said < 0 ? -1 : fork();
    if (job->pid == 0)
        work(jobs, job, parent);
    if (job->pid > 0)
        jobs->running++;
    else
        finish(jobs, job, complain(CHANNEL_EXIT_OURS, "track %u: cannot start a process: %s",
                                   job->track, strerror(errno)));
}

/* Waits for one to end. */
static void reap(struct jobs *jobs)
{
    int wait_status;
    pid_t pid = waitpid(-1, &wait_status, 0);
    for (size_t i = 0; i < jobs->started && pid > 0; i++) {
        if (jobs->list[i].pid != pid)
            continue;
        jobs->running--;
        finish(jobs, &jobs->list[i], engine_exit_status(wait_status));
    }
}

static void pass_on(int from)
{
    char bytes[4096];
    ssize_t got;
    off_t at = 0;
    while ((got = pread(from, bytes, sizeof bytes, at)) > 0) {
        fwrite(bytes, 1, (size_t)got, stderr);
        at += got;
    }
}

static void tell(struct jobs *jobs, struct job *job)
{
    printf("track %u: %s\n", job->track, job->status == 0 ? "reproduced" : "not reproduced");
    fflush(stdout);
    if (job->said >= 0) {
        pass_on(job->said);
        close(job->said);
    }
    jobs->failed += job->status != 0;
    jobs->told++;
}

static void tell_finished(struct jobs *jobs)
{
    while (jobs->told < jobs->started && jobs->list[jobs->told].done)
        tell(jobs, &jobs->list[jobs->told]);
}

static void run(struct jobs *jobs, size_t most)
{
    while (jobs->told < jobs->count) {
        while (jobs->running < most && jobs->started < jobs->count)
            start(jobs, &jobs->list[jobs->started++]);
        if (jobs->running)
            reap(jobs);
        tell_finished(jobs);
    }
}

int replay_all(const struct recording *rec, const u32 *tracks, size_t count,
               const char *settings)
{
    struct jobs jobs = {.rec = rec, .settings = settings, .count = count};
    jobs.list = xalloc(count * sizeof *jobs.list);
    for (size_t i = 0; i < count; i++)
        jobs.list[i] = (struct job){.track = tracks[i], .said = -1};
    fflush(NULL); /* or each of them would print it */
    run(&jobs, cores());
    free(jobs.list);
    if (jobs.failed)
        printf("%zu of %zu tracks not reproduced\n", jobs.failed, count);
    else
        printf("%zu track%s, all reproduced\n", count, count == 1 ? "" : "s");
    int unwritten = complain_if_unwritten();
    return jobs.status ? jobs.status : unwritten;
}
