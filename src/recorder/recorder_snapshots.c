/* Snapshots that the recorded processes take: see the header.
 *
 * A process writes its pages to a file in memory while it is stopped. A thread here compresses them
 * and writes the snapshot beside the tracks, under a temporary name until it is complete. One
 * snapshot is processed at a time: a process that asks meanwhile is told to ask again later, unless
 * it is about to end.
 *
 * If the snapshots take too much room, some are removed. Those of the last seconds stay, and the
 * last one of each process; of the others, the one whose removal leaves the smallest gap is
 * removed. So far from the end they are spaced evenly.
 *
 * Invariants
 *   (1) `stored` is ordered by when they were taken.
 */
#include "recorder/recorder_snapshots_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "log/packets.h"
#include "log/snapshot_file.h"
#include "log/snapshot_store.h"

enum {
    WAITING_MOST = 4, /* maximum number of jobs, including those of ended processes */
    PAGE = 4096,
    FREE_SHARE = 10,  /* at most this fraction of the free disk */
    REST = 4,         /* the thread rests this many times as long as it has worked */
    MEMORY_SHARE = 4, /* at most this fraction of the available memory for one snapshot */
};

#define SECOND 1000000000ull
static const u64 BYTES_MOST = 1ull << 30;
static const u64 LAST_SECONDS = 3 * SECOND;    /* younger ones stay */
static const u64 FREE_LEAST = 256ull << 20;    /* disk space that is left for the log */
static const u64 BUSY_AGAIN = SECOND / 50, FULL_AGAIN = 5 * SECOND;

struct recorder_snapshot_job {
    u32 track;
    bool last;
    u64 time;
    struct snapshot_about about;
    struct snapshot_raw raw;
};

struct stored_snapshot {
    u32 track;
    bool last;
    u64 time;
    u64 bytes;
    char *name;
};

struct given_room {
    u32 track;
    int fd;
};

struct recorder_snapshots {
    const struct recording *rec;
    u64 began;
    u64 bytes_most;
    bool exact;
    struct list given; /* struct given_room */
    u64 cost;          /* total time that snapshots took from the processes, in nanoseconds */
    char *why;         /* why the last attempt failed */

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t more;
    struct recorder_snapshot_job jobs[WAITING_MOST];
    size_t job_count; /* the first job is being processed */
    struct list stored; /* struct stored_snapshot */
    u64 bytes;
    u64 rests_until;  /* the thread rests until then */
    bool ended, running;
    pthread_t thread;
};

/* Nanoseconds of a monotonic clock. */
static u64 steady_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * SECOND + (u64)now.tv_nsec;
}

/* --- room ----------------------------------------------------------------------------------- */

static u64 free_disk(const struct recorder_snapshots *s)
{
    struct statvfs st;
    return fstatvfs(s->rec->dir, &st) < 0 ? 0 : (u64)st.f_bavail * st.f_frsize;
}

/* Returns the number after the given word in a file; `unless` if there is none. */
static u64 number_in(const char *path, const char *word, u64 unless)
{
    char line[128];
    unsigned long long number = unless;
    size_t length = strlen(word);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, word, length) == 0 && sscanf(line + length, "%llu", &number) == 1)
            break;
    if (f)
        fclose(f);
    return number;
}

/* Returns the available memory in bytes, or a guess if the kernel does not tell. A container may
 * have less than the machine. */
static u64 available_memory(void)
{
    u64 free = number_in("/proc/meminfo", "MemAvailable:", 1 << 20) << 10;
    u64 most = number_in("/sys/fs/cgroup/memory.max", "", ~0ull);
    u64 used = number_in("/sys/fs/cgroup/memory.current", "", 0);
    u64 left = most == ~0ull ? most : most > used ? most - used : 0;
    return left < free ? left : free;
}

struct recorder_snapshots *recorder_snapshots_create(const struct recording *rec, u64 bytes,
                                                     bool exact)
{
    struct recorder_snapshots *s = xalloc(sizeof *s);
    *s = (struct recorder_snapshots){.rec = rec, .began = steady_now(),
                                     .bytes_most = bytes, .exact = exact,
                                     .given = LIST(struct given_room),
                                     .stored = LIST(struct stored_snapshot)};
    u64 share = free_disk(s) / FREE_SHARE;
    if (!bytes)
        s->bytes_most = share < BYTES_MOST ? share : BYTES_MOST;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->more, NULL);
    return s;
}

/* Returns 0 or an errno; *again is when to ask again. */
static int why_no_room(struct recorder_snapshots *s, bool last, u64 *again)
{
    pthread_mutex_lock(&s->lock);
    size_t waiting = s->job_count + s->given.count;
    u64 now = steady_now(), rest = s->rests_until > now ? s->rests_until - now : 0;
    pthread_mutex_unlock(&s->lock);
    *again = s->exact ? 0 : rest > BUSY_AGAIN ? rest : BUSY_AGAIN;
    if (waiting >= (last || s->exact ? WAITING_MOST : 1) || (rest && !last && !s->exact))
        return EAGAIN;
    *again = FULL_AGAIN;
    return free_disk(s) < FREE_LEAST ? ENOSPC : 0;
}

static int take_given(struct recorder_snapshots *s, u32 track)
{
    struct given_room *all = s->given.items;
    for (size_t n = 0; n < s->given.count; n++) {
        if (all[n].track != track)
            continue;
        int fd = all[n].fd;
        all[n] = all[--s->given.count];
        return fd;
    }
    return -1;
}

void recorder_snapshots_give(struct recorder_snapshots *s, u32 track, int socket,
                             const struct channel_room *ask)
{
    struct channel_given given = {0};
    recorder_snapshots_forget(s, track);
    given.error = (u32)why_no_room(s, ask->last, &given.again);
    given.most_pages = available_memory() / MEMORY_SHARE / PAGE;
    int fd = given.error ? -1 : memfd_create("ebb-snapshot", MFD_CLOEXEC);
    if (!given.error && fd < 0)
        given.error = ENOMEM;
    packet_send(socket, &given.message, CHANNEL_GIVEN, sizeof given, fd);
    if (fd >= 0)
        *(struct given_room *)list_add(&s->given) = (struct given_room){track, fd};
}

void recorder_snapshots_forget(struct recorder_snapshots *s, u32 track)
{
    int fd = take_given(s, track);
    if (fd >= 0)
        close(fd);
}

/* --- storing -------------------------------------------------------------------------------- */

static struct error *write_snapshot(const struct recorder_snapshots *s,
                                    const struct recorder_snapshot_job *job, const char *name,
                                    u64 *ret_bytes)
{
    struct stat st;
    char *new = xformat("%s.new", name);
    int fd = openat(s->rec->dir, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct error *err = fd < 0 ? error_errno(errno, "making %s", new)
                               : snapshot_file_write(fd, &job->about, &job->raw);
    if (!err && (fstat(fd, &st) < 0 || renameat(s->rec->dir, new, s->rec->dir, name) < 0))
        err = error_errno(errno, "making %s", name);
    if (err && fd >= 0)
        unlinkat(s->rec->dir, new, 0);
    if (fd >= 0)
        close(fd);
    free(new);
    if (!err)
        *ret_bytes = (u64)st.st_size;
    return err;
}

/* The time between the neighbours of the same track. */
static u64 gap_around(const struct recorder_snapshots *s, size_t index)
{
    const struct stored_snapshot *all = s->stored.items;
    u64 before = 0, after = all[index].time;
    for (size_t n = 0; n < s->stored.count; n++) {
        if (all[n].track != all[index].track)
            continue;
        if (n < index)
            before = all[n].time;
        else if (n > index) {
            after = all[n].time;
            break;
        }
    }
    return after - (before ? before : s->began);
}

/* Finds the snapshot that is needed least. `harsh`: even those that normally stay. */
static bool find_victim(const struct recorder_snapshots *s, bool harsh, size_t *ret)
{
    const struct stored_snapshot *all = s->stored.items;
    u64 least = ~0ull, newest = s->stored.count ? all[s->stored.count - 1].time : 0;
    for (size_t n = 0; n < s->stored.count; n++) {
        u64 gap = gap_around(s, n);
        if ((!harsh && (all[n].last || newest - all[n].time < LAST_SECONDS)) || gap >= least)
            continue;
        least = gap;
        *ret = n;
    }
    return least != ~0ull;
}

static void remove_stored(struct recorder_snapshots *s, size_t index)
{
    struct stored_snapshot *all = s->stored.items;
    unlinkat(s->rec->dir, all[index].name, 0);
    s->bytes -= all[index].bytes;
    free(all[index].name);
    memmove(all + index, all + index + 1, (s->stored.count - index - 1) * sizeof *all);
    s->stored.count--;
}

static void thin(struct recorder_snapshots *s)
{
    size_t victim;
    while (s->bytes > s->bytes_most &&
           (find_victim(s, false, &victim) || find_victim(s, true, &victim)))
        remove_stored(s, victim);
}

static void note_stored(struct recorder_snapshots *s, const struct recorder_snapshot_job *job,
                        char *name, u64 bytes)
{
    const struct stored_snapshot *all = s->stored.items;
    invariant(1, !s->stored.count || all[s->stored.count - 1].time <= job->time);
    *(struct stored_snapshot *)list_add(&s->stored) =
        (struct stored_snapshot){job->track, job->last, job->time, bytes, name};
    s->bytes += bytes;
    thin(s);
}

/* The CPU time of this thread, in nanoseconds. */
static u64 thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (u64)now.tv_sec * SECOND + (u64)now.tv_nsec;
}

/* A snapshot that cannot be written does not harm the recording. */
static void store_one(struct recorder_snapshots *s, const struct recorder_snapshot_job *job)
{
    u64 bytes = 0, began = thread_time();
    char *name = snapshot_store_name(&job->about);
    struct error *err = write_snapshot(s, job, name, &bytes);
    close(job->raw.fd);
    pthread_mutex_lock(&s->lock);
    s->rests_until = steady_now() + (thread_time() - began) * REST;
    if (!err)
        note_stored(s, job, name, bytes);
    else
        free(name);
    pthread_mutex_unlock(&s->lock);
    error_destroy(err);
}

static void *recorder_snapshots_run(void *argument)
{
    struct recorder_snapshots *s = argument;
    setpriority(PRIO_PROCESS, 0, 10); /* applies to this thread only */
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->job_count && !s->ended)
            pthread_cond_wait(&s->more, &s->lock);
        if (!s->job_count)
            break;
        struct recorder_snapshot_job job = s->jobs[0];
        pthread_mutex_unlock(&s->lock);
        store_one(s, &job);
        pthread_mutex_lock(&s->lock);
        s->job_count--;
        memmove(s->jobs, s->jobs + 1, s->job_count * sizeof *s->jobs);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Checks the message against the file: the program may have overwritten the engine's data. */
static bool is_possible(const struct channel_snapshot *said, int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && said->state_at % PAGE == 0 && said->state_size &&
           said->state_at <= (u64)st.st_size &&
           said->state_size <= (u64)st.st_size - said->state_at;
}

void recorder_snapshots_take(struct recorder_snapshots *s, u32 track,
                             const struct channel_snapshot *said)
{
    int fd = take_given(s, track);
    s->cost += said->cost;
    free(s->why);
    s->why = said->refused[0] ? xformat("%.*s", CHANNEL_REFUSED_TEXT, said->refused) : NULL;
    if (fd < 0)
        return;
    if (said->refused[0] || !is_possible(said, fd)) {
        close(fd);
        return;
    }
    struct recorder_snapshot_job job = {
        .track = track, .last = said->last, .time = steady_now(),
        .about = {.track = track, .tick = said->tick, .pc = said->pc,
                  .events_met = said->events_met},
        .raw = {fd, said->state_at, said->state_size},
    };
    memcpy(job.about.id, s->rec->meta.id, sizeof job.about.id);
    pthread_mutex_lock(&s->lock);
    if (!s->running)
        s->running = pthread_create(&s->thread, NULL, recorder_snapshots_run, s) == 0;
    bool kept = s->running && s->job_count < WAITING_MOST;
    if (kept)
        s->jobs[s->job_count++] = job;
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
    if (!kept)
        close(fd);
}

u64 recorder_snapshots_stored(struct recorder_snapshots *s)
{
    pthread_mutex_lock(&s->lock);
    u64 bytes = s->bytes;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}

void recorder_snapshots_finish(struct recorder_snapshots *s, struct recording_meta *meta)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->ended = true;
    pthread_cond_signal(&s->more);
    pthread_mutex_unlock(&s->lock);
    if (s->running)
        pthread_join(s->thread, NULL);
    for (size_t n = 0; n < s->given.count; n++)
        close(((struct given_room *)s->given.items)[n].fd);
    for (size_t n = 0; n < s->stored.count; n++)
        free(((struct stored_snapshot *)s->stored.items)[n].name);
    meta->snapshot_ns = s->cost;
    free(meta->snapshot_why);
    meta->snapshot_why = s->why;
    list_deinit(&s->given);
    list_deinit(&s->stored);
    pthread_cond_destroy(&s->more);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
