/* Trimming: a recording of a part of a track.
 *
 * The part that is kept begins at a snapshot. An engine has to load the program before it can
 * restore the snapshot. So the new log has what the program was started with, then a note that the
 * track was trimmed, then earlier facts that readers need (mapped files, existing threads), and
 * then the events themselves. It ends with a CHECK at the last moment, so that a replay ends
 * exactly there.
 *
 * Copies of mapped files are taken from the whole recording, and share its disk blocks where the
 * file system can do that.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "log/trimmed.h"
#include "log/writer.h"
#include "session/session_internal.h"

enum { EARLIER_MOST = 24 }; /* maximum number of tries to take a snapshot at an earlier moment */

struct trimming {
    struct session *s;
    struct recording *into;
    struct snapshot_about about;
    struct snapshot_raw raw;
    struct moment to;
    bool to_end;
    u64 first, end; /* offsets of the events that are kept */
    struct list context; /* const struct event * */
    struct list known;   /* u32: threads that have already begun */
    struct writer *writer;
    u64 written;
};

/* --- where it begins and ends --------------------------------------------------------------- */

/* Finds the last moment to keep. The end of a program that died has the moment of the instruction
 * that it died at, and comes after it. */
static struct error *trimming_find_end(struct trimming *t, struct moment to)
{
    struct replayer *r;
    if (moment_compare(to, t->s->timeline.last) >= 0)
        to = (struct moment){~0ull, ~0ull};
    struct error *err = timeline_reach(&t->s->timeline, to, &r);
    if (err || !r)
        return err ? err : error_errno(EINTR, "interrupted");
    t->to = replayer_at(r);
    t->to_end = r->stopped.reason == STOPPED_END;
    t->end = track_events_offset(t->s->family.events, r->stopped.event, t->to);
    timeline_keep_or_drop(&t->s->timeline, r);
    return NULL;
}

/* Takes a snapshot. False: none is possible at this moment, and *err says why; or there was an
 * error. */
static bool trimming_take(struct trimming *t, struct moment from, struct error **err)
{
    struct replayer *r;
    *err = timeline_reach(&t->s->timeline, from, &r);
    if (!*err && !r)
        *err = error_errno(EINTR, "interrupted");
    if (*err)
        return false;
    *err = replayer_snapshot(r, ~0ull, &t->raw);
    bool taken = !*err;
    t->about.tick = r->stopped.tick;
    t->about.pc = r->stopped.pc;
    t->about.events_met = r->stopped.event;
    timeline_keep_or_drop(&t->s->timeline, r);
    return taken;
}

/* Finds a moment for the snapshot: `from`, or the nearest possible one before it. */
static struct error *trimming_find_beginning(struct trimming *t, struct moment from)
{
    struct moment first = session_first(t->s);
    struct error *err = NULL;
    u64 earlier = 1;
    for (unsigned n = 0; n < EARLIER_MOST; n++) {
        error_destroy(err);
        if (trimming_take(t, from, &err))
            break;
        if (moment_compare(from, first) <= 0)
            break;
        from = from.tick > first.tick + earlier ? (struct moment){from.tick - earlier, 0} : first;
        earlier *= 2;
    }
    if (err)
        return error_within(err, "the recording cannot begin there");
    t->first = track_events_offset(t->s->family.events, t->about.events_met,
                                   (struct moment){t->about.tick, t->about.pc});
    return NULL;
}

/* --- events --------------------------------------------------------------------------------- */

static struct error *trimming_put(struct trimming *t, const struct event *e)
{
    memcpy(writer_room(t->writer), e, e->size);
    t->written++;
    return writer_commit(t->writer, e->size, false);
}

/* True if the thread begins with this event. */
static bool trimming_begins_thread(struct trimming *t, u32 thread)
{
    const u32 *known = t->known.items;
    for (size_t n = 0; n < t->known.count; n++)
        if (known[n] == thread)
            return false;
    *(u32 *)list_add(&t->known) = thread;
    return true;
}

/* True for an event before the beginning that readers need. */
static bool trimming_is_context(struct trimming *t, const struct event *e)
{
    if (e->kind == EVENT_MAP)
        return true;
    if (e->kind != EVENT_SWITCH)
        return false;
    const struct event_switch *s = (const struct event_switch *)e->payload;
    bool from = trimming_begins_thread(t, e->thread), to = trimming_begins_thread(t, s->to);
    return from || to || s->reason == SWITCH_EXIT;
}

/* True for events between the program's start and its first instruction. */
static bool trimming_is_of_loading(const struct event *e)
{
    return e->kind == EVENT_START || e->kind == EVENT_DATA || e->kind == EVENT_MAP ||
           e->kind == EVENT_ENTRY;
}

static struct error *trimming_put_trimmed(struct trimming *t, const struct event *entry)
{
    u64 room[(sizeof(struct event) + sizeof(struct event_trimmed)) / sizeof(u64)];
    struct event *e = (struct event *)room;
    struct event_trimmed payload = {.tick = t->about.tick, .pc = t->about.pc,
                                    .events_met = t->about.events_met,
                                    .context = (u32)t->context.count};
    *e = (struct event){.size = sizeof room, .kind = EVENT_TRIMMED, .tick = entry->tick,
                        .pc = entry->pc};
    memcpy(e->payload, &payload, sizeof payload);
    struct error *err = trimming_put(t, e);
    const struct event **context = t->context.items;
    for (size_t n = 0; n < t->context.count && !err; n++)
        err = trimming_put(t, context[n]);
    return err;
}

/* Writes everything before the first event that is kept. */
static struct error *trimming_put_beginning(struct trimming *t)
{
    const struct event *e, *entry = NULL;
    struct error *err = NULL;
    for (u64 at = 0; at < t->first && !err; at += e->size) {
        e = track_events_at(t->s->family.events, &(struct track_event_at){.offset = at});
        if (entry && trimming_is_context(t, e))
            *(const struct event **)list_add(&t->context) = e;
        else if (!entry && trimming_is_of_loading(e))
            err = trimming_put(t, e);
        if (!entry && e->kind == EVENT_ENTRY)
            entry = e;
    }
    if (!err && !entry)
        err = error_coded(ERROR_UNREPLAYABLE,
                          "the recording is of a version that cannot be trimmed");
    return err ? err : trimming_put_trimmed(t, entry);
}

static bool trimming_is_ours(const struct event *e)
{
    u32 level = e->kind == EVENT_NOTE ? ((const struct event_note *)e->payload)->level : NOTE_INFO;
    return level == NOTE_QUIET || level == NOTE_SHOWN || e->kind == EVENT_TRIMMED;
}

/* Writes a CHECK without a hash at the last moment, and a note that the recording went on. */
static struct error *trimming_put_end(struct trimming *t)
{
    static const char text[16] = "trimmed";
    u64 room[(sizeof(struct event) + sizeof(struct event_check)) / sizeof(u64)] = {0};
    struct event *e = (struct event *)room;
    *e = (struct event){.size = sizeof room, .kind = EVENT_CHECK, .tick = t->to.tick,
                        .pc = t->to.pc};
    struct error *err = trimming_put(t, e);
    if (err)
        return err;
    struct event_note note = {.level = NOTE_TRIMMED, .size = (u32)strlen(text)};
    *e = (struct event){.size = sizeof *e + sizeof note + 8, .kind = EVENT_NOTE,
                        .tick = t->to.tick, .pc = t->to.pc};
    memcpy(e->payload, &note, sizeof note);
    memcpy(e->payload + sizeof note, text, 8);
    return trimming_put(t, e);
}

static struct error *trimming_write_track(struct trimming *t)
{
    struct format_file header = {.track = 0, .parent = TRACK_NONE, .origin = TRACK_FIRST,
                                 .pid = session_pid(t->s)};
    const struct event *e;
    char *name = recording_track_name(0);
    u64 size;
    track_events_file(t->s->family.events, &size);
    memcpy(header.recording, t->into->meta.id, sizeof header.recording);
    struct error *err = writer_open(t->into->dir, name, &header, &t->writer);
    free(name);
    if (err)
        return err;
    err = trimming_put_beginning(t);
    u64 end = t->to_end ? size : t->end;
    for (u64 at = t->first; at < end && !err; at += e->size) {
        e = track_events_at(t->s->family.events, &(struct track_event_at){.offset = at});
        if (!trimming_is_ours(e))
            err = trimming_put(t, e);
    }
    if (!err && !t->to_end)
        err = trimming_put_end(t);
    if (err) {
        writer_destroy(t->writer);
        return err;
    }
    return writer_close(t->writer);
}

/* --- the rest ------------------------------------------------------------------------------- */

static struct error *trimming_write_snapshot(struct trimming *t)
{
    char *name = snapshot_store_name(&t->about);
    int fd = openat(t->into->dir, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    struct error *err = fd < 0 ? error_errno(errno, "making %s/%s", t->into->path, name)
                               : snapshot_file_write(fd, &t->about, &t->raw);
    if (fd >= 0)
        close(fd);
    free(name);
    return err;
}

static struct error *copy_bytes(int from, int to)
{
    ssize_t n;
    while ((n = copy_file_range(from, NULL, to, NULL, 1 << 30, 0)) > 0) {
        /* more */
    }
    char buffer[1 << 16];
    while (n < 0 && (n = read(from, buffer, sizeof buffer)) > 0)
        n = write(to, buffer, (size_t)n) == n ? -1 : 0;
    return n < 0 ? error_errno(errno, "copying a mapped file") : NULL;
}

/* Shares the file's blocks, or copies it where that is not possible. */
static struct error *trimming_add_file(int from, int to, const char *name)
{
    if (linkat(from, name, to, name, 0) == 0)
        return NULL;
    int in = openat(from, name, O_RDONLY | O_CLOEXEC);
    int out = openat(to, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    struct error *err = in < 0 || out < 0 ? error_errno(errno, "copying %s", name)
                                          : copy_bytes(in, out);
    if (in >= 0)
        close(in);
    if (out >= 0)
        close(out);
    return err;
}

static struct error *trimming_add_files(struct trimming *t)
{
    int from = openat(t->s->rec->dir, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int to = openat(t->into->dir, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = from < 0 ? NULL : fdopendir(from);
    struct error *err = dir && to >= 0 ? NULL : error_errno(errno, "opening the mapped files");
    for (const struct dirent *entry; !err && (entry = readdir(dir));)
        if (entry->d_name[0] != '.')
            err = trimming_add_file(from, to, entry->d_name);
    if (dir)
        closedir(dir);
    else if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    return err;
}

static char *copied(const char *text)
{
    return text ? xformat("%s", text) : NULL;
}

static void trimming_fill_meta(struct trimming *t)
{
    const struct recording_meta *was = &t->s->rec->meta;
    struct recording_meta *m = &t->into->meta;
    size_t count = 0;
    while (was->arguments && was->arguments[count])
        count++;
    m->arguments = xalloc((count + 1) * sizeof *m->arguments);
    for (size_t n = 0; n < count; n++)
        m->arguments[n] = copied(was->arguments[n]);
    m->arguments[count] = NULL;
    m->state = RECORDING_ENDED;
    m->program = copied(was->program);
    m->directory = copied(was->directory);
    m->started = was->started;
    m->ended = was->ended ? was->ended : was->started;
    m->status = t->to_end ? was->status : -1;
    m->signal = t->to_end ? was->signal : 0;
    m->core = t->to_end && was->core;
    m->tracks = 1;
    m->kernel = copied(was->kernel);
    m->cpu = copied(was->cpu);
    m->features = copied(was->features);
    m->recorder = copied(was->recorder);
}

static struct error *trimming_write(struct trimming *t)
{
    memcpy(t->about.id, t->into->meta.id, sizeof t->about.id);
    struct error *err = trimming_write_track(t);
    if (!err)
        err = trimming_write_snapshot(t);
    if (!err)
        err = trimming_add_files(t);
    trimming_fill_meta(t);
    return err ? err : recording_save(t->into);
}

struct error *session_trim(struct session *s, struct moment from, struct moment to,
                           const char *output, const char *base, struct session_trimmed *ret)
{
    struct trimming t = {.s = s, .context = LIST(const struct event *), .known = LIST(u32)};
    if (s->rec->pack)
        return error_coded(ERROR_MISUSED,
                           "%s is packed: trim the recording that it was made from, and pack that",
                           s->rec->path);
    if (moment_compare(from, to) >= 0)
        return error_coded(ERROR_MISUSED, "the part to keep is empty: it begins at tick %llu and "
                           "ends at tick %llu", (unsigned long long)from.tick,
                           (unsigned long long)to.tick);
    struct error *err = trimming_find_end(&t, to);
    if (!err)
        err = trimming_find_beginning(&t, from);
    if (err)
        return err;
    err = recording_create(output, base, &t.into);
    if (!err)
        err = trimming_write(&t);
    if (err && t.into)
        error_destroy(recording_remove(t.into));
    close(t.raw.fd);
    list_deinit(&t.context);
    list_deinit(&t.known);
    *ret = (struct session_trimmed){.from = {t.about.tick, t.about.pc}, .to = t.to,
                                    .events = t.written, .into = err ? NULL : t.into};
    if (err)
        recording_destroy(t.into);
    return err;
}
