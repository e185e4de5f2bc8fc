/* Snapshots that the recorded processes take: see the header.
 *
 * While it is stopped, a process writes pages to a file in memory: all of them, or those that have
 * changed since its last snapshot (its *base*, whose number both sides know). A thread of the
 * recorder finds the pages that are new to the recording, compresses them into a page file
 * (recorder_pages.c) and writes the snapshot next to the tracks, under another name until it is
 * complete. It processes one snapshot at a time. A process that asks for room meanwhile is told to
 * ask again later, unless it is about to end.
 *
 * A process writes its first snapshot in slices, so that it is never stopped for long. The pages of
 * a slice are stored, but no snapshot file: only the next slice refers to them. If a process
 * changes its pages as fast as it writes slices, it writes the rest at once.
 *
 * Files in memory are used again, because writing to one that already has its pages is twice as
 * fast. If a process is about to write more than the file has room for, it is told to ask again,
 * and the thread enlarges the file meanwhile.
 *
 * If the snapshots take too much room, some are removed. Those of the last seconds stay, and the
 * last one of each process; of the others, the one whose removal leaves the smallest gap is
 * removed. So far from the end they are spaced evenly. Pages that other snapshots refer to stay.
 *
 * Invariants
 *   (1) `stored` is ordered by the time at which the snapshots were taken.
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
#include "log/snapshot_state.h"
#include "log/snapshot_store.h"
#include "log/unwritten.h"
#include "recorder/recorder_pages_internal.h"
#include "recorder/recorder_state_internal.h"

enum {
    WAITING_MOST = 4, /* maximum number of jobs, including those of ended processes */
    PAGE = 4096,
    FREE_SHARE = 10,  /* at most this fraction of the free disk */
    UNWRITTEN_SHARE = 16, /* at most this fraction of their room says what was not written */
    REST = 4,         /* the thread rests this many times as long as it has worked */
    MEMORY_SHARE = 4, /* at most this fraction of the available memory for one snapshot */
    ROOM_WAITS_MOST = 5,
    SPARE_BYTES = SNAPSHOT_SLICE, /* size of a file in memory that is kept for the next one */
    SPARE_BYTES_MOST = 128 << 20, /* maximum size to which it is enlarged */
};

#define SECOND 1000000000ull
static const u64 BYTES_MOST = 1ull << 30;
static const u64 LAST_SECONDS = 3 * SECOND;    /* younger ones stay */
static const u64 FREE_LEAST = 256ull << 20;    /* disk space that is left for the log */
static const u64 BUSY_AGAIN = SECOND / 50, FULL_AGAIN = 5 * SECOND;

struct recorder_snapshot_job {
    u32 track;
    bool last, slice;
    u64 number, base;
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
    u64 number;
};

/* The last snapshot of a living process. */
struct snapshot_base {
    u32 track;
    bool ended;    /* the process has ended since */
    u64 number;    /* the number that its next snapshot may refer to; 0: none */
    bool whole;    /* no more slices: there was a complete snapshot, or slices did not help */
    u64 left;      /* number of pages that the last slice left out */
    u64 stored;    /* the number of the state below; 0: there is none */
    struct snapshot_about about; /* of it */
    struct stored_state state; /* used only by the thread; holds references to its pages */
};

struct recorder_snapshots {
    const struct recording *rec;
    u64 began;
    u64 bytes_most;
    bool exact;
    struct list given; /* struct given_room */
    u64 last_number;
    u32 way;           /* enum snapshot_way */
    u64 slice;         /* maximum number of pages of a slice; 0: there are no slices */
    bool slices_always; /* write every snapshot in slices, not only the first */
    u64 cost;          /* total time that snapshots took from the processes, in nanoseconds */
    u64 pause;         /* the longest time that a process was stopped for one */
    u64 written;       /* number of pages that processes wrote */
    char *why;         /* why the last attempt failed */

    pthread_mutex_t lock; /* protects what follows */
    pthread_cond_t more;
    struct recorder_snapshot_job jobs[WAITING_MOST];
    size_t job_count; /* the first job is being processed */
    u64 bytes;        /* total size of snapshots and page files */
    struct list bases; /* struct snapshot_base *; only the thread removes elements */
    int spare;        /* a file in memory for the next snapshot, or -1 */
    u64 spare_wanted; /* requested size of that file; 0: no process waits for it */
    unsigned room_waits; /* how often a process was told to ask again for it */
    u64 rests_until;  /* the thread rests until then */
    bool ended, running;
    pthread_t thread;

    struct list stored; /* used only by the thread: struct stored_snapshot */
    u64 own_bytes;      /* their total size without page files, */
    u64 unwritten_bytes; /* and with the files that say what was not written: these bytes */
    struct recorder_pages *pages;
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

/* For tests: $EBB_SNAPSHOT_WAY. */
static u32 wanted_way(void)
{
    static const char *const names[] = {
        [SNAPSHOT_WAY_ANY] = "any", [SNAPSHOT_WAY_KERNEL] = "kernel",
        [SNAPSHOT_WAY_HASH] = "hash", [SNAPSHOT_WAY_FULL] = "full",
    };
    const char *given = getenv("EBB_SNAPSHOT_WAY");
    for (u32 n = 0; given && n < sizeof names / sizeof *names; n++)
        if (strcmp(given, names[n]) == 0)
            return n;
    return SNAPSHOT_WAY_ANY;
}

/* There are no slices if the user has set the interval. For tests: $EBB_SNAPSHOT_SLICE pages. */
static u64 wanted_slice(bool exact)
{
    const char *given = getenv("EBB_SNAPSHOT_SLICE");
    return given ? strtoull(given, NULL, 10) : exact ? 0 : SNAPSHOT_SLICE / PAGE;
}

struct recorder_snapshots *recorder_snapshots_create(const struct recording *rec, u64 bytes,
                                                     bool exact)
{
    struct recorder_snapshots *s = xalloc(sizeof *s);
    *s = (struct recorder_snapshots){.rec = rec, .began = steady_now(),
                                     .bytes_most = bytes, .exact = exact,
                                     .given = LIST(struct given_room),
                                     .stored = LIST(struct stored_snapshot),
                                     .bases = LIST(struct snapshot_base *),
                                     .spare = -1, .way = wanted_way(),
                                     .slice = wanted_slice(exact),
                                     .slices_always = getenv("EBB_SNAPSHOT_SLICE") != NULL,
                                     .pages = recorder_pages_create(rec)};
    u64 share = free_disk(s) / FREE_SHARE;
    if (!bytes)
        s->bytes_most = share < BYTES_MOST ? share : BYTES_MOST;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->more, NULL);
    return s;
}

/* With the lock. */
static struct snapshot_base *find_base(const struct recorder_snapshots *s, u32 track)
{
    struct snapshot_base **all = s->bases.items;
    for (size_t n = 0; n < s->bases.count; n++)
        if (all[n]->track == track)
            return all[n];
    return NULL;
}

/* Sets the snapshot that the track may refer to next, and the number of pages that it left out. */
static void set_base(struct recorder_snapshots *s, u32 track, u64 number, u64 left)
{
    struct snapshot_base *base = find_base(s, track);
    if (!base && number) {
        base = xalloc(sizeof *base);
        *base = (struct snapshot_base){.track = track};
        *(struct snapshot_base **)list_add(&s->bases) = base;
    }
    if (!base)
        return;
    bool in_vain = base->left && left + s->slice / 4 > base->left;
    if (number)
        base->whole = left ? base->whole || in_vain : !s->slices_always;
    base->number = number;
    base->left = left;
}

/* Returns a file in memory, positioned at its start. */
static int room_take(struct recorder_snapshots *s)
{
    pthread_mutex_lock(&s->lock);
    int fd = s->spare;
    s->spare = -1;
    pthread_mutex_unlock(&s->lock);
    if (fd < 0)
        return memfd_create("ebb-snapshot", MFD_CLOEXEC);
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static void room_give_back(struct recorder_snapshots *s, int fd)
{
    struct stat st;
    bool good = fstat(fd, &st) == 0 &&
                (st.st_size <= SPARE_BYTES || ftruncate(fd, SPARE_BYTES) == 0);
    pthread_mutex_lock(&s->lock);
    good = good && s->spare < 0;
    if (good)
        s->spare = fd;
    pthread_mutex_unlock(&s->lock);
    if (!good)
        close(fd);
}

/* In the thread: enlarges the file for a process that will ask again. */
static void room_prepare(struct recorder_snapshots *s, u64 bytes)
{
    int fd = room_take(s);
    if (fd < 0)
        return;
    if (fallocate(fd, 0, 0, (off_t)bytes) < 0) {
        close(fd);
        return;
    }
    pthread_mutex_lock(&s->lock);
    int other = s->spare;
    s->spare = fd;
    pthread_mutex_unlock(&s->lock);
    if (other >= 0)
        close(other);
}

static void *recorder_snapshots_run(void *argument);

/* With the lock. */
static bool start_thread(struct recorder_snapshots *s)
{
    if (!s->running)
        s->running = pthread_create(&s->thread, NULL, recorder_snapshots_run, s) == 0;
    pthread_cond_signal(&s->more);
    return s->running;
}

/* With the lock: true if there is too little room and waiting for more is worthwhile. */
static bool room_is_coming(struct recorder_snapshots *s, u64 bytes)
{
    struct stat st;
    u64 wanted = bytes < SPARE_BYTES_MOST ? bytes : SPARE_BYTES_MOST;
    u64 has = s->spare >= 0 && fstat(s->spare, &st) == 0 ? (u64)st.st_size : 0;
    if (wanted <= has || wanted < SPARE_BYTES / 4 || s->room_waits++ == ROOM_WAITS_MOST) {
        s->room_waits = 0;
        return false;
    }
    s->spare_wanted = wanted;
    return start_thread(s);
}

/* Returns 0 or an errno; *again is when to ask again. */
static int why_no_room(struct recorder_snapshots *s, const struct channel_room *ask, u64 slice,
                       u64 *again)
{
    bool patient = !ask->last && !s->exact;
    u64 bytes = slice && slice * PAGE < ask->bytes ? slice * PAGE : ask->bytes;
    pthread_mutex_lock(&s->lock);
    size_t waiting = s->job_count + s->given.count;
    u64 now = steady_now(), rest = s->rests_until > now ? s->rests_until - now : 0;
    bool busy = waiting >= (patient ? 1 : WAITING_MOST) || (rest && patient);
    bool coming = !busy && patient && room_is_coming(s, bytes);
    pthread_mutex_unlock(&s->lock);
    *again = s->exact ? 0 : rest > BUSY_AGAIN ? rest : BUSY_AGAIN;
    if (busy || coming)
        return EAGAIN;
    *again = FULL_AGAIN;
    return free_disk(s) < FREE_LEAST ? ENOSPC : 0;
}

static int take_given(struct recorder_snapshots *s, u32 track, u64 *ret_number)
{
    struct given_room *all = s->given.items;
    for (size_t n = 0; n < s->given.count; n++) {
        if (all[n].track != track)
            continue;
        int fd = all[n].fd;
        *ret_number = all[n].number;
        all[n] = all[--s->given.count];
        return fd;
    }
    return -1;
}

static void forget_given(struct recorder_snapshots *s, u32 track)
{
    u64 number;
    int fd = take_given(s, track, &number);
    if (fd >= 0)
        room_give_back(s, fd);
}

/* With the lock: pages that may be written at a time; 0: all of them. A snapshot that would be
 * hardly larger than a slice is written at once. */
static u64 slice_for(const struct recorder_snapshots *s, const struct snapshot_base *base,
                     const struct channel_room *ask)
{
    if (ask->last || (base && base->whole))
        return 0;
    bool hardly = base && base->number ? base->left < s->slice / 2
                                       : ask->bytes / PAGE < s->slice + s->slice / 2;
    return hardly && !s->slices_always ? 0 : s->slice;
}

void recorder_snapshots_give(struct recorder_snapshots *s, u32 track, int socket,
                             const struct channel_room *ask)
{
    struct channel_given given = {.way = s->way, .number = ++s->last_number};
    forget_given(s, track);
    given.most_pages = available_memory() / MEMORY_SHARE / PAGE;
    pthread_mutex_lock(&s->lock);
    const struct snapshot_base *base = find_base(s, track);
    given.base = base ? base->number : 0;
    given.slice = slice_for(s, base, ask);
    pthread_mutex_unlock(&s->lock);
    given.error = (u32)why_no_room(s, ask, given.slice, &given.again);
    int fd = given.error ? -1 : room_take(s);
    if (!given.error && fd < 0)
        given.error = ENOMEM;
    packet_send(socket, &given.message, CHANNEL_GIVEN, sizeof given, fd);
    if (fd >= 0)
        *(struct given_room *)list_add(&s->given) = (struct given_room){track, fd, given.number};
}

void recorder_snapshots_forget(struct recorder_snapshots *s, u32 track)
{
    forget_given(s, track);
    pthread_mutex_lock(&s->lock);
    struct snapshot_base *base = find_base(s, track);
    if (base)
        base->ended = true;
    pthread_mutex_unlock(&s->lock);
}

/* --- storing -------------------------------------------------------------------------------- */

static struct error *write_snapshot(const struct recorder_snapshots *s,
                                    const struct recorder_snapshot_job *job,
                                    const struct stored_state *state, const char *name,
                                    u64 *ret_bytes)
{
    struct stat st;
    char *new = xformat("%s.new", name);
    int fd = openat(s->rec->dir, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    struct error *err = fd < 0 ? error_errno(errno, "making %s", new)
                               : snapshot_file_write_placed(fd, &job->about, state->bytes,
                                                            state->size, state->places,
                                                            state->pages);
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

/* Returns the time between its neighbours in the same track. */
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

/* Releases the pages that it refers to. */
static void release_stored(struct recorder_snapshots *s, const char *name)
{
    struct page_place *places = NULL;
    u64 count = 0;
    int fd = openat(s->rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct error *err = fd < 0 ? error_errno(errno, "opening %s", name)
                               : snapshot_file_places(fd, 0, &places, &count);
    if (!err) /* otherwise they stay */
        recorder_pages_release(s->pages, places, count);
    error_destroy(err);
    free(places);
    if (fd >= 0)
        close(fd);
}

/* The snapshot is removed before its pages, so that a snapshot on disk always has its pages. */
static void remove_stored(struct recorder_snapshots *s, size_t index)
{
    struct stored_snapshot *all = s->stored.items;
    char *gone = xformat("%s.new", all[index].name);
    if (renameat(s->rec->dir, all[index].name, s->rec->dir, gone) == 0) {
        release_stored(s, gone);
        unlinkat(s->rec->dir, gone, 0);
    }
    free(gone);
    s->own_bytes -= all[index].bytes;
    free(all[index].name);
    memmove(all + index, all + index + 1, (s->stored.count - index - 1) * sizeof *all);
    s->stored.count--;
}

static void count_bytes(struct recorder_snapshots *s)
{
    u64 bytes = s->own_bytes + recorder_pages_bytes(s->pages);
    pthread_mutex_lock(&s->lock);
    s->bytes = bytes;
    pthread_mutex_unlock(&s->lock);
}

static void thin_stored(struct recorder_snapshots *s)
{
    size_t victim;
    count_bytes(s);
    while (s->bytes > s->bytes_most &&
           (find_victim(s, false, &victim) || find_victim(s, true, &victim))) {
        remove_stored(s, victim);
        count_bytes(s);
    }
}

static void note_stored(struct recorder_snapshots *s, const struct recorder_snapshot_job *job,
                        char *name, u64 bytes)
{
    const struct stored_snapshot *all = s->stored.items;
    invariant(1, !s->stored.count || all[s->stored.count - 1].time <= job->time);
    *(struct stored_snapshot *)list_add(&s->stored) =
        (struct stored_snapshot){job->track, job->last, job->time, bytes, name};
    s->own_bytes += bytes;
}

/* --- bases ---------------------------------------------------------------------------------- */

/* Releases the pages that the base refers to. */
static void clear_base(struct recorder_snapshots *s, struct snapshot_base *base)
{
    recorder_pages_release(s->pages, base->state.places, base->state.pages);
    recorder_state_deinit(&base->state);
    base->stored = 0;
}

/* With the lock. */
static bool has_job(const struct recorder_snapshots *s, u32 track)
{
    for (size_t n = 0; n < s->job_count; n++)
        if (s->jobs[n].track == track)
            return true;
    return false;
}

/* Returns the base of a process that has ended, or any base; NULL: there is none. */
static struct snapshot_base *take_ended_base(struct recorder_snapshots *s, bool any)
{
    struct snapshot_base **all = s->bases.items, *ret = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t n = 0; n < s->bases.count && !ret; n++) {
        if (!any && (!all[n]->ended || has_job(s, all[n]->track)))
            continue;
        ret = all[n];
        all[n] = all[--s->bases.count];
    }
    pthread_mutex_unlock(&s->lock);
    return ret;
}

static void clear_bases(struct recorder_snapshots *s, bool all)
{
    for (struct snapshot_base *base; (base = take_ended_base(s, all));) {
        clear_base(s, base);
        free(base);
    }
}

/* Makes the state that of the base. */
static void replace_base(struct recorder_snapshots *s, struct snapshot_base *base,
                         const struct recorder_snapshot_job *job, struct stored_state *state)
{
    recorder_pages_hold(s->pages, state->places, state->pages);
    clear_base(s, base);
    free(state->bytes);
    state->bytes = NULL;
    base->state = *state;
    base->stored = job->number;
    base->about = job->about;
}

/* Writes what was not written since the base. A failure only makes searches slower. */
static void note_unwritten(struct recorder_snapshots *s, const struct snapshot_about *from,
                           const struct recorder_snapshot_job *job,
                           const struct stored_state *state)
{
    const struct snapshot_about *to = &job->about;
    const struct unwritten_stretch stretch = {from->tick, from->pc, to->tick, to->pc,
                                              to->events_met, state->unwritten,
                                              state->unwritten_count};
    u64 bytes = 0;
    if (!state->unwritten_count || s->unwritten_bytes > s->bytes_most / UNWRITTEN_SHARE)
        return;
    error_destroy(unwritten_append(s->rec->dir, s->rec->meta.id, job->track, &stretch, &bytes));
    s->unwritten_bytes += bytes;
    s->own_bytes += bytes;
}

/* The CPU time of this thread, in nanoseconds. */
static u64 thread_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (u64)now.tv_sec * SECOND + (u64)now.tv_nsec;
}

/* Puts the pages of a snapshot into page files and holds references to them. */
static struct error *make_stored(struct recorder_snapshots *s,
                                 const struct recorder_snapshot_job *job, char *name)
{
    u64 bytes = 0;
    struct stored_state state;
    pthread_mutex_lock(&s->lock);
    struct snapshot_base *base = find_base(s, job->track); /* only this thread removes it */
    pthread_mutex_unlock(&s->lock);
    if (!base || (job->base && base->stored != job->base))
        return error_new("the snapshot before it is missing");
    struct error *err =
        recorder_state_make(&job->raw, job->base ? &base->state : NULL, s->pages, &state);
    if (err)
        return err;
    if (!job->slice)
        err = write_snapshot(s, job, &state, name, &bytes);
    if (!err && !job->slice) {
        recorder_pages_hold(s->pages, state.places, state.pages);
        note_stored(s, job, name, bytes);
    }
    if (!err && job->base)
        note_unwritten(s, &base->about, job, &state);
    replace_base(s, base, job, &state);
    clear_bases(s, false);
    thin_stored(s);
    return err;
}

/* If a snapshot cannot be written, the recording goes on, and the track's next one has all
 * pages. */
static void store_one(struct recorder_snapshots *s, const struct recorder_snapshot_job *job)
{
    u64 began = thread_time();
    char *name = snapshot_store_name(&job->about);
    struct error *err = make_stored(s, job, name);
    room_give_back(s, job->raw.fd);
    pthread_mutex_lock(&s->lock);
    s->rests_until = steady_now() + (thread_time() - began) * REST;
    if (err)
        set_base(s, job->track, 0, 0);
    pthread_mutex_unlock(&s->lock);
    if (err || job->slice)
        free(name);
    error_destroy(err);
}

static void *recorder_snapshots_run(void *argument)
{
    struct recorder_snapshots *s = argument;
    setpriority(PRIO_PROCESS, 0, 10); /* applies to this thread only */
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (!s->job_count && !s->ended && !s->spare_wanted)
            pthread_cond_wait(&s->more, &s->lock);
        if (!s->job_count && s->ended)
            break;
        if (!s->job_count) {
            u64 wanted = s->spare_wanted;
            pthread_mutex_unlock(&s->lock);
            room_prepare(s, wanted);
            pthread_mutex_lock(&s->lock);
            s->spare_wanted = 0;
            continue;
        }
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
    u64 number = 0;
    int fd = take_given(s, track, &number);
    s->cost += said->cost;
    s->written += said->written;
    s->pause = said->pause > s->pause ? said->pause : s->pause;
    free(s->why);
    s->why = said->refused[0] ? xformat("%.*s", CHANNEL_REFUSED_TEXT, said->refused) : NULL;
    if (fd < 0)
        return;
    if (said->refused[0] || !is_possible(said, fd)) {
        room_give_back(s, fd);
        return;
    }
    struct recorder_snapshot_job job = {
        .track = track, .last = said->last, .slice = said->left != 0, .number = number,
        .base = said->base, .time = steady_now(),
        .about = {.track = track, .tick = said->tick, .pc = said->pc,
                  .events_met = said->events_met},
        .raw = {fd, said->state_at, said->state_size},
    };
    memcpy(job.about.id, s->rec->meta.id, sizeof job.about.id);
    pthread_mutex_lock(&s->lock);
    bool kept = s->job_count < WAITING_MOST && start_thread(s);
    if (kept) {
        s->jobs[s->job_count++] = job;
        set_base(s, track, number, said->left);
    }
    pthread_mutex_unlock(&s->lock);
    if (!kept)
        room_give_back(s, fd);
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
    clear_bases(s, true);
    thin_stored(s);
    for (size_t n = 0; n < s->given.count; n++)
        close(((struct given_room *)s->given.items)[n].fd);
    if (s->spare >= 0)
        close(s->spare);
    for (size_t n = 0; n < s->stored.count; n++)
        free(((struct stored_snapshot *)s->stored.items)[n].name);
    meta->snapshot_ns = s->cost;
    meta->snapshot_pause = s->pause;
    meta->snapshot_pages = s->written;
    free(meta->snapshot_why);
    meta->snapshot_why = s->why;
    list_deinit(&s->given);
    list_deinit(&s->stored);
    list_deinit(&s->bases);
    recorder_pages_destroy(s->pages);
    pthread_cond_destroy(&s->more);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
