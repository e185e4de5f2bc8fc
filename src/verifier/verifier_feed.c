/* Feeds a track to a replaying engine: see the header.
 *
 * The reader checks every byte before it is fed, so the engine meets only well-formed events. If
 * the reader finds an error, the engine is fed up to there and told that this is the end: its
 * verdict then does not cover the whole track, and the error says so.
 *
 * An engine that starts from a snapshot is fed the events that it needs to load the program, and
 * then those after the snapshot.
 */
#include "verifier/verifier_feed_internal.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/event.h"
#include "log/packets.h"
#include "log/ring_memory.h"
#include "verifier/verifier_parts_internal.h"

enum { RING_SIZE = 4 << 20 };

struct verifier_feed {
    int socket;
    struct ring_memory memory;
    struct ring_producer producer;
    struct ring_host host;
    struct lineage *events;
    const struct verifier_cut *from, *to;
    pthread_t thread;
    struct error *err;
};

/* False: the engine is gone; the reason is reported elsewhere. */
static bool feed_event(struct verifier_feed *f, const struct event *e)
{
    void *room = ring_reserve(&f->producer, &f->host, e->size);
    if (!room)
        return false;
    memcpy(room, e, e->size);
    ring_publish(&f->producer, &f->host);
    return true;
}

/* Tells the engine whether to show the program's output. The snapshot may say something else. */
static bool feed_shown(struct verifier_feed *f, u32 level)
{
    u64 room[(sizeof(struct event) + sizeof(struct event_note)) / sizeof(u64)];
    struct event *e = (struct event *)room;
    struct event_note note = {.level = level};
    *e = (struct event){.size = sizeof room, .kind = EVENT_NOTE};
    memcpy(e->payload, &note, sizeof note);
    return feed_event(f, e);
}

/* True for events that an engine needs before it can restore a snapshot. */
static bool is_of_loading(const struct event *e)
{
    return e->kind == EVENT_START || e->kind == EVENT_DATA || e->kind == EVENT_MAP ||
           e->kind == EVENT_NOTE || e->kind == EVENT_ENTRY;
}

/* Faults raised before the snapshot's moment do not count as met, but are past. */
static bool feed_is_past(const struct event *e, const struct snapshot_about *at)
{
    return event_is_fault(e) && (e->tick != at->tick ? e->tick < at->tick : e->pc < at->pc);
}

/* Feeds up to the snapshot at which the interval begins; *ret is then the first event after it. */
static bool feed_beginning(struct verifier_feed *f, const struct event **ret)
{
    const struct snapshot_about *at = &f->from->stored->about;
    const struct event *e;
    bool loading = true;
    u64 met = 0;
    u32 level = NOTE_SHOWN;
    while (!(f->err = lineage_next(f->events, &e)) && e) {
        if (met == at->events_met && !feed_is_past(e, at))
            break;
        u32 said = e->kind == EVENT_NOTE ? ((const struct event_note *)e->payload)->level : 0;
        level = said == NOTE_QUIET || said == NOTE_SHOWN ? said : level;
        met = event_count_met(met, e);
        if (!loading)
            continue;
        if (!is_of_loading(e))
            f->err = error_new("the log does not say where loading ends");
        if (f->err || !feed_event(f, e))
            return false;
        loading = e->kind != EVENT_ENTRY;
    }
    *ret = e;
    return !f->err && feed_shown(f, level);
}

static void *feed(void *argument)
{
    struct verifier_feed *f = argument;
    const struct event *e = NULL;
    bool fed = !f->from || feed_beginning(f, &e);
    if (fed && e)
        fed = feed_event(f, e);
    while (fed && !(f->err = lineage_next(f->events, &e)) && e)
        fed = feed_event(f, e);
    if (!fed && !f->err)
        return NULL;
    if (!f->err && lineage_cut(f->events))
        f->err = error_new("%s", lineage_cut(f->events));
    ring_finish(&f->producer, &f->host);
    return NULL;
}

static bool feed_bound(int socket, const struct verifier_cut *cut)
{
    struct channel_bound bound = {.given = cut != NULL};
    if (cut) {
        const struct snapshot_about *about = &cut->stored->about;
        bound.state_at = cut->raw.state_at;
        bound.state_size = cut->raw.state_size;
        bound.tick = about->tick;
        bound.pc = about->pc;
        bound.events = about->events_met;
    }
    return packet_send(socket, &bound.message, CHANNEL_BOUND, sizeof bound,
                       cut ? cut->raw.fd : -1);
}

static struct error *verifier_feed_begin(struct verifier_feed *f, u32 track, u32 flags)
{
    struct channel_welcome welcome = {
        .version = CHANNEL_VERSION, .track = track, .flags = flags, .ring_size = RING_SIZE,
    };
    struct error *err = ring_memory_init(&f->memory, RING_SIZE);
    if (err)
        return err;
    ring_producer_init(&f->producer, f->memory.shared);
    f->host = ring_memory_host(&f->socket);
    if (!packet_send(f->socket, &welcome.message, CHANNEL_WELCOME, sizeof welcome, f->memory.fd))
        return error_new("the engine ended as soon as it was started");
    if ((flags & CHANNEL_INTERVAL) &&
        (!feed_bound(f->socket, f->from) || !feed_bound(f->socket, f->to)))
        return error_new("the engine ended as soon as it was started");
    int error = pthread_create(&f->thread, NULL, feed, f);
    return error ? error_errno(error, "starting a thread") : NULL;
}

struct error *verifier_feed_create(struct lineage *events, u32 track, u32 flags, int socket,
                                   const struct verifier_cut *from, const struct verifier_cut *to,
                                   struct verifier_feed **ret)
{
    struct verifier_feed *f = xalloc(sizeof *f);
    *f = (struct verifier_feed){.socket = socket, .memory.fd = -1, .events = events,
                                .from = from, .to = to};
    struct error *err = verifier_feed_begin(f, track, flags);
    if (!err) {
        *ret = f;
        return NULL;
    }
    ring_memory_deinit(&f->memory);
    close(socket);
    free(f);
    return err;
}

int verifier_feed_socket(const struct verifier_feed *f)
{
    return f->socket;
}

struct error *verifier_feed_destroy(struct verifier_feed *f)
{
    if (!f)
        return NULL;
    shutdown(f->socket, SHUT_RDWR); /* makes the thread notice that the reader is gone */
    pthread_join(f->thread, NULL);
    struct error *err = f->err;
    ring_memory_deinit(&f->memory);
    close(f->socket);
    free(f);
    return err;
}
