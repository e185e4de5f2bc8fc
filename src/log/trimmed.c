/* Tracks that were trimmed: see the header. */
#include "log/trimmed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/pack.h"
#include "log/reader.h"
#include "log/snapshot_store.h"

/* The event follows those of loading, or there is none. */
bool trimmed_about(const struct recording *rec, u32 track, struct snapshot_about *ret)
{
    struct reader *reader;
    const struct event *e;
    bool entered = false, found = false;
    struct error *err = recording_open_track(rec, track, &reader);
    if (err) {
        error_destroy(err);
        return false;
    }
    while (!entered && !(err = reader_next(reader, &e)) && e)
        entered = e->kind == EVENT_ENTRY || e->kind == EVENT_SYSCALL;
    if (!err && entered && !(err = reader_next(reader, &e)) && e && e->kind == EVENT_TRIMMED) {
        const struct event_trimmed *t = (const struct event_trimmed *)e->payload;
        *ret = (struct snapshot_about){.track = track, .tick = t->tick, .pc = t->pc,
                                       .events_met = t->events_met};
        memcpy(ret->id, rec->meta.id, sizeof ret->id);
        found = true;
    }
    error_destroy(err);
    reader_close(reader);
    return found;
}

static struct error *trimmed_open_file(const struct recording *rec, const char *name, int *ret)
{
    if (rec->pack) {
        const struct pack_item *item = pack_part(rec->pack, name);
        return item ? pack_extract(rec->pack, item, ret)
                    : error_coded(ERROR_NOT_FOUND, "it is not there");
    }
    *ret = openat(rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return *ret < 0 ? error_errno(errno, "opening %s/%s", rec->path, name) : NULL;
}

/* Reads one of the two forms. */
static struct error *trimmed_get(const struct recording *rec, const struct snapshot_about *about,
                                 struct snapshot_reader **reader, struct snapshot_raw *raw)
{
    struct snapshot_about found = {0};
    char *name = snapshot_store_name(about);
    int fd = -1;
    struct error *err = trimmed_open_file(rec, name, &fd);
    if (!err)
        err = reader ? snapshot_reader_open(fd, 0, &found, reader)
                     : snapshot_file_read(fd, 0, &found, raw);
    if (!err && memcmp(&found, about, sizeof found) != 0) {
        if (reader)
            snapshot_reader_close(*reader);
        else
            close(raw->fd);
        err = error_coded(ERROR_DAMAGED, "it is another snapshot");
    }
    if (fd >= 0)
        close(fd);
    if (err)
        err = error_within(err, "%s begins at a snapshot that cannot be read (%s)", rec->path,
                           name);
    free(name);
    return err;
}

struct error *trimmed_open(const struct recording *rec, const struct snapshot_about *about,
                           struct snapshot_reader **ret)
{
    return trimmed_get(rec, about, ret, NULL);
}

struct error *trimmed_read(const struct recording *rec, const struct snapshot_about *about,
                           struct snapshot_raw *ret)
{
    return trimmed_get(rec, about, NULL, ret);
}
