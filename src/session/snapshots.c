/* Snapshots of a session: see the header.
 *
 * A thread compresses and writes the snapshots that engines gave, one after the other. It uses only
 * its queue.
 */
#include "session/snapshots_internal.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/reader.h"
#include "log/trimmed.h"

enum { JOBS_MOST = 32 };

/* how long closing a session waits for snapshots in the queue */
static const double CLOSING_SECONDS = 0.5;

struct snapshot_job {
    struct snapshot_about about;
    struct snapshot_raw raw;
};

struct snapshots {
    struct replayer_family *family;
    struct snapshot_stored *list; /* the snapshots that existed already */
    size_t count;
    bool *compared; /* of each: a replay has passed it */
    pthread_t writer;
    bool writes; /* the thread was started */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct snapshot_job jobs[JOBS_MOST];
    size_t next_job, job_count; /* jobs done or being done; all jobs */
    bool closing;
    struct timespec closed;
};

static struct moment snapshot_moment(const struct snapshot_stored *s)
{
    return (struct moment){s->about.tick, s->about.pc};
}

/* --- which there are ------------------------------------------------------------------------ */

/* Adds the snapshots of a track up to a moment. A killed recorder may have left snapshots later
 * than its last event. */
static void snapshots_add(struct snapshots *s, struct snapshot_stored *more, size_t count,
                          struct moment end)
{
    struct snapshot_stored *all = xalloc((s->count + count + 1) * sizeof *all);
    u64 met = track_events_met(s->family->events);
    if (s->count)
        memcpy(all, s->list, s->count * sizeof *all);
    for (size_t n = 0; n < count; n++) {
        if (more[n].about.events_met <= met && moment_compare(snapshot_moment(&more[n]), end) <= 0)
            all[s->count++] = more[n];
        else
            free(more[n].path);
    }
    free(more);
    free(s->list);
    s->list = all;
}

/* A forked track begins with its parent's run, and may begin with its parent's snapshots. */
static void snapshots_add_own(struct snapshots *s)
{
    const struct recording *rec = s->family->rec;
    struct moment end = {~0ull, ~0ull};
    struct reader *reader;
    for (u32 track = s->family->track;;) {
        size_t count;
        struct snapshot_stored *own = snapshot_store_list_own(rec, track, &count);
        snapshots_add(s, own, count, end);
        struct error *err = recording_open_track(rec, track, &reader);
        if (err) {
            error_destroy(err);
            return;
        }
        const struct format_file header = *reader_header(reader);
        reader_close(reader);
        if (header.origin != TRACK_FORKED || header.parent >= track)
            return;
        track = header.parent;
        end = (struct moment){header.parent_tick, header.parent_pc};
    }
}

struct snapshots *snapshots_create(struct replayer_family *family)
{
    struct snapshots *s = xalloc(sizeof *s);
    *s = (struct snapshots){.family = family, .lock = PTHREAD_MUTEX_INITIALIZER,
                            .changed = PTHREAD_COND_INITIALIZER};
    if (snapshot_store_on()) {
        size_t count;
        snapshots_add_own(s);
        struct snapshot_stored *kept =
            snapshot_store_list(family->rec->meta.id, family->track, &count);
        snapshots_add(s, kept, count, (struct moment){~0ull, ~0ull});
    }
    s->compared = xalloc(s->count + 1);
    memset(s->compared, 0, s->count + 1);
    return s;
}

/* --- using them ------------------------------------------------------------------------------ */

bool snapshots_before(const struct snapshots *s, struct moment after, struct moment at,
                      struct moment *ret)
{
    bool found = false;
    for (size_t n = 0; n < s->count; n++) {
        struct moment m = snapshot_moment(&s->list[n]);
        if (!s->list[n].path || moment_compare(m, after) <= 0 || moment_compare(m, at) > 0 ||
            (found && moment_compare(m, *ret) <= 0))
            continue;
        *ret = m;
        found = true;
    }
    return found;
}

static struct snapshot_stored *snapshots_find(struct snapshots *s, struct moment at)
{
    for (size_t n = 0; n < s->count; n++)
        if (s->list[n].path && moment_compare(snapshot_moment(&s->list[n]), at) == 0)
            return &s->list[n];
    return NULL;
}

static void snapshots_forget(struct snapshot_stored *s)
{
    free(s->path);
    s->path = NULL;
}

/* Restores the snapshot. The family of the process then owns the reader. */
static struct error *become(struct replayer *r, const struct snapshot_about *about,
                            struct snapshot_reader *reader)
{
    struct moment at = {about->tick, about->pc};
    u64 offset = track_events_offset(r->family->events, about->events_met, at);
    struct error *err = replayer_restore(r, reader, offset);
    if (!err && (moment_compare(replayer_at(r), at) != 0 || r->stopped.event != about->events_met))
        err = error_coded(ERROR_DAMAGED, "the snapshot is of another moment");
    return err;
}

struct replayer *snapshots_restore(struct snapshots *s, struct replayer *first, struct moment at)
{
    struct snapshot_stored *stored = snapshots_find(s, at);
    struct replayer *r = NULL;
    struct snapshot_reader *reader = NULL;
    struct error *err = stored ? snapshot_store_open(stored, &reader)
                               : error_coded(ERROR_NOT_FOUND, "there is none");
    if (!err)
        err = replayer_fork(first, &r);
    if (!err)
        err = become(r, &stored->about, reader);
    else
        snapshot_reader_close(reader);
    if (stored && err)
        snapshots_forget(stored);
    if (err && r) {
        replayer_destroy(r);
        r = NULL;
    }
    error_destroy(err); /* a replay is used instead */
    return r;
}

struct error *snapshots_begin(struct snapshots *s, struct replayer *origin, struct replayer **ret)
{
    const struct replayer_family *f = s->family;
    struct snapshot_about about;
    struct snapshot_reader *reader;
    struct replayer *r = NULL;
    if (!trimmed_about(f->rec, f->track, &about))
        return error_coded(ERROR_DAMAGED, "the snapshot that it begins with is not named");
    struct error *err = trimmed_open(f->rec, &about, &reader);
    if (err)
        return err;
    err = replayer_fork(origin, &r);
    if (!err)
        err = become(r, &about, reader);
    else
        snapshot_reader_close(reader);
    if (!err) {
        *ret = r;
        return NULL;
    }
    replayer_destroy(r);
    return error_within(err, "the snapshot that it begins with cannot be used here");
}

/* --- comparing with them --------------------------------------------------------------------- */

/* All of it is expanded and compared: about 8 ns for each byte of the file, measured. */
static double seconds_to_compare(const struct snapshot_stored *s)
{
    return 0.0005 + (double)s->size * 1e-8;
}

bool snapshots_on_way(const struct snapshots *s, struct moment from, struct moment to,
                      double seconds, struct moment *ret)
{
    bool found = false;
    for (size_t n = 0; n < s->count; n++) {
        struct moment m = snapshot_moment(&s->list[n]);
        if (!s->list[n].path || s->compared[n] || moment_compare(m, from) <= 0 ||
            moment_compare(m, to) >= 0 || seconds_to_compare(&s->list[n]) > seconds ||
            (found && moment_compare(m, *ret) <= 0))
            continue;
        *ret = m;
        found = true;
    }
    return found;
}

static struct error *snapshots_say_difference(struct snapshots *s, struct moment at,
                                              const char *difference)
{
    struct moment before = {0, 0}, since;
    char from[64] = "the beginning";
    if (at.tick && snapshots_before(s, before, (struct moment){at.tick, at.pc - 1}, &since))
        snprintf(from, sizeof from, "the snapshot at %llu:0x%llx", (unsigned long long)since.tick,
                 (unsigned long long)since.pc);
    return error_coded(ERROR_DIVERGED,
                       "track %u: the replay is not what the snapshot at %llu:0x%llx says: %s; "
                       "interval: from %s; `ebb replay --verify` tells which is wrong",
                       s->family->track, (unsigned long long)at.tick, (unsigned long long)at.pc,
                       difference, from);
}

struct error *snapshots_compare(struct snapshots *s, struct replayer *r)
{
    struct snapshot_stored *stored = snapshots_find(s, replayer_at(r));
    struct snapshot_raw raw;
    char *difference = NULL;
    if (!stored)
        return NULL;
    s->compared[stored - s->list] = true;
    if (stored->about.events_met != r->stopped.event)
        return NULL; /* something happened at this moment that the replay has not come to */
    struct error *err = snapshot_store_read(stored, &raw);
    if (err) {
        error_destroy(err);
        snapshots_forget(stored);
        return NULL;
    }
    err = replayer_compare(r, &raw, &difference);
    close(raw.fd);
    if (!err && difference) {
        snapshots_forget(stored);
        err = snapshots_say_difference(s, replayer_at(r), difference);
    }
    free(difference);
    return err;
}

/* --- keeping them ---------------------------------------------------------------------------- */

static void snapshots_write_one(const struct snapshot_job *job)
{
    char *path = NULL;
    u64 size;
    error_destroy(snapshot_store_add(&job->about, &job->raw, &path, &size));
    free(path);
    close(job->raw.fd);
}

/* True if the session was closed so long ago that no further snapshot is begun. */
static bool snapshots_late(const struct snapshots *s)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double since = (double)(now.tv_sec - s->closed.tv_sec) +
                   (double)(now.tv_nsec - s->closed.tv_nsec) * 1e-9;
    return s->closing && since > CLOSING_SECONDS;
}

static void *snapshots_write(void *context)
{
    struct snapshots *s = context;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->next_job == s->job_count && !s->closing)
            pthread_cond_wait(&s->changed, &s->lock);
        if (s->next_job == s->job_count || (s->next_job > 0 && snapshots_late(s)))
            break;
        struct snapshot_job job = s->jobs[s->next_job++];
        pthread_mutex_unlock(&s->lock);
        snapshots_write_one(&job);
        pthread_mutex_lock(&s->lock);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Starts the thread with all signals blocked: the other threads take them. */
static bool start_writer(struct snapshots *s)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    s->writes = s->writes || pthread_create(&s->writer, NULL, snapshots_write, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return s->writes;
}

bool snapshots_keep(struct snapshots *s, struct replayer *r, u64 most)
{
    struct snapshot_job job = {.about = {.track = s->family->track, .tick = r->stopped.tick,
                                         .pc = r->stopped.pc, .events_met = r->stopped.event}};
    if (!snapshot_store_on() || s->job_count == JOBS_MOST || snapshots_find(s, replayer_at(r)))
        return false;
    memcpy(job.about.id, s->family->rec->meta.id, sizeof job.about.id);
    struct error *err = replayer_snapshot(r, most, &job.raw);
    if (err || !start_writer(s)) {
        if (!err)
            close(job.raw.fd);
        error_destroy(err);
        return false;
    }
    pthread_mutex_lock(&s->lock);
    s->jobs[s->job_count++] = job;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    return true;
}

void snapshots_destroy(struct snapshots *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->lock);
    s->closing = true;
    clock_gettime(CLOCK_MONOTONIC, &s->closed);
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (s->writes)
        pthread_join(s->writer, NULL);
    for (size_t n = s->next_job; n < s->job_count; n++)
        close(s->jobs[n].raw.fd);
    snapshot_store_list_free(s->list, s->count);
    free(s->compared);
    free(s);
}
