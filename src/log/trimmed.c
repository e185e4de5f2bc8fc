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

/* The event comes after those of loading, or not at all. */
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

static struct error *trimmed_open(const struct recording *rec, const char *name, int *ret)
{
    if (rec->pack) {
        const struct pack_item *item = pack_part(rec->pack, name);
        return item ? pack_extract(rec->pack, item, ret) : error_new("it is not there");
    }
    *ret = openat(rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    return *ret < 0 ? error_errno(errno, "opening %s/%s", rec->path, name) : NULL;
}

struct error *trimmed_read(const struct recording *rec, const struct snapshot_about *about,
                           struct snapshot_raw *ret)
{
    struct snapshot_about found;
    char *name = snapshot_store_name(about);
    int fd = -1;
    struct error *err = trimmed_open(rec, name, &fd);
    if (!err)
        err = snapshot_file_read(fd, 0, &found, ret);
    if (!err && memcmp(&found, about, sizeof found) != 0) {
        close(ret->fd);
        err = error_new("it is another snapshot");
    }
    if (fd >= 0)
        close(fd);
    if (err)
        err = error_within(err, "%s begins at a snapshot that cannot be read (%s)", rec->path,
                           name);
    free(name);
    return err;
}
