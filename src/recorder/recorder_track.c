/* One track that is being recorded.
 *
 * The thread copies stretches of events from the ring into the writer's room, checks them there
 * (the program can overwrite the ring at any time), frees the ring's bytes, and lets the writer
 * compress and write. The ring is the buffer between a program that logs in bursts and the disk.
 * When it is full the program waits; when it is half full, compression is faster and weaker.
 *
 *     draining --(image gone, ring empty)--> closed, with a CHECK if it was killed while computing
 *              --(told to leave)-----------> closed, with a note; the program goes on unrecorded
 *              --(disk, or bad bytes)------> abandoned: the program goes on unrecorded
 *
 * Logged events are in the file after little more than FLUSH_NS, and then survive the death of all
 * processes. The same holds for the position of a program that computes and logs nothing.
 *
 * Invariants
 *   (1) Only the thread uses the fields under "thread" until `stopped`.
 */
#include "recorder/recorder_track_internal.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/cleanup.h"
#include "base/xalloc.h"
#include "log/event.h"
#include "log/packets.h"
#include "log/ring_memory.h"
#include "log/writer.h"

#define FLUSH_NS 50000000ul /* maximum time from the ring to the file */
/* interval between two looks at the position of a program that computes */
#define PLACE_NS 10000000ul

struct recorder_track {
    u32 number;
    int socket, done;
    struct ring_memory memory;
    pthread_t thread;
    bool hung_up, leaving, stopped; /* atomic */
    pid_t pid;
    struct recorder_figures figures; /* each of them is atomic */
    struct recorder_mapped *mapped;

    /* thread */
    struct ring_consumer consumer;
    struct ring_host host;
    struct writer *writer;
    u64 flushed;       /* monotonic time of the last flush */
    struct {
        u16 kind, thread;
        u64 tick, pc;
    } last; /* moment of the last event */
    u64 latest; /* highest tick of all events */
    u64 noted;  /* tick of the position in the file */
    struct error *err;
    char *limit; /* the first note about something that cannot be replayed */
    char *remark; /* the first note on what differs from a native run */
};

static u64 recorder_track_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

static void publish_figures(struct recorder_track *t)
{
    __atomic_store_n(&t->figures.events, writer_events(t->writer), __ATOMIC_RELAXED);
    __atomic_store_n(&t->figures.raw, writer_raw(t->writer), __ATOMIC_RELAXED);
    __atomic_store_n(&t->figures.stored, writer_stored(t->writer), __ATOMIC_RELAXED);
}

static void keep_note(struct recorder_track *t, const struct event_note *note)
{
    if (note->level == NOTE_LIMIT && !t->limit)
        t->limit = xformat("%.*s", (int)note->size, (const char *)(note + 1));
    if (note->level == NOTE_INFO && !t->remark)
        t->remark = xformat("%.*s", (int)note->size, (const char *)(note + 1));
}

/* Notes facts of passing events for other parts of the recorder. */
static void recorder_track_note(struct recorder_track *t, const struct event *e)
{
    if (e->kind == EVENT_MAP)
        recorder_mapped_note(t->mapped, (const struct event_map *)e->payload);
    if (e->kind == EVENT_NOTE)
        keep_note(t, (const struct event_note *)e->payload);
    if (e->kind == EVENT_ENTRY)
        __atomic_store_n(&t->figures.entered, true, __ATOMIC_RELAXED);
    if (e->kind == EVENT_END && ((const struct event_end *)e->payload)->core)
        __atomic_store_n(&t->figures.core, true, __ATOMIC_RELAXED);
}

/* Returns the size of the PAD at `e`, or 0 if it is invalid. */
static u64 pad_size(const struct event *e, u64 left)
{
    return e->size % EVENT_ALIGN || e->size > left ? 0 : e->size;
}

/* Checks `size` bytes copied from the ring. *ret_keep is the number of bytes of whole, valid
 * events; *ret_pad is the size of the PAD after them, if there is one. An incomplete last record is
 * left for the next time, when it is the first and must be whole. */
static const char *check_stretch(struct recorder_track *t, const u8 *bytes, u64 size, u64 *ret_keep,
                                 u64 *ret_pad)
{
    u64 at = 0;
    const char *wrong = NULL;
    *ret_pad = 0;
    while (at < size) {
        const struct event *e = (const struct event *)(bytes + at);
        if (at > 0 && e->size > size - at)
            break;
        if (e->kind == EVENT_PAD) {
            *ret_pad = pad_size(e, size - at);
            wrong = *ret_pad ? NULL : "it is padded wrongly";
            break;
        }
        wrong = event_malformed(e, size - at);
        if (wrong)
            break;
        recorder_track_note(t, e);
        t->last.kind = e->kind;
        t->last.thread = e->thread;
        t->last.tick = e->tick;
        t->last.pc = e->pc;
        t->latest = e->tick > t->latest ? e->tick : t->latest;
        at += e->size;
    }
    *ret_keep = at;
    return wrong;
}

/* Takes one stretch out of the ring; *ret: there was one. */
static struct error *take_stretch(struct recorder_track *t, bool *ret)
{
    const u8 *bytes;
    u64 there = ring_readable(&t->consumer, &bytes), keep, pad;
    *ret = there > 0;
    if (t->consumer.damaged)
        return error_new("the program wrote over its log");
    if (!there)
        return NULL;
    u64 size = there < CHUNK_RAW_WANTED ? there : CHUNK_RAW_WANTED;
    u8 *room = writer_room(t->writer);
    memcpy(room, bytes, size);
    const char *wrong = check_stretch(t, room, size, &keep, &pad);
    bool hurry = there > t->consumer.size / 2;
    if (!wrong)
        ring_advance(&t->consumer, &t->host, keep + pad);
    struct error *err = writer_commit(t->writer, keep, hurry);
    publish_figures(t);
    if (!err && wrong)
        err = error_new("the program wrote over its log: after %llu events, %s",
                        (unsigned long long)writer_events(t->writer), wrong);
    return err;
}

static struct error *recorder_track_flush(struct recorder_track *t)
{
    struct error *err = writer_flush(t->writer);
    t->flushed = recorder_track_now();
    publish_figures(t);
    return err;
}

/* A CHECK without a hash of memory: it only says that the program was there. */
union here_event {
    struct event event;
    u8 bytes[sizeof(struct event) + sizeof(struct event_check)];
};

/* True if the program is known to have run on since its last event. */
static bool came_further(struct recorder_track *t, union here_event *ret)
{
    struct ring_here here = {0};
    bool there = ring_last_here(t->memory.shared, &here);
    if (!there || here.tick <= t->latest || !writer_events(t->writer))
        return false;
    memset(ret, 0, sizeof *ret);
    ret->event.size = sizeof *ret;
    ret->event.kind = EVENT_CHECK;
    ret->event.thread = (u16)here.thread;
    ret->event.tick = here.tick;
    ret->event.pc = here.pc;
    ret->event.hash = here.hash;
    return true;
}

/* Notes in the file how far the program is known to have come, in case all processes are killed.
 * Returns for how long that need not be done again. */
static u64 note_place(struct recorder_track *t)
{
    union here_event here;
    if (!came_further(t, &here) || here.event.tick == t->noted)
        return FLUSH_NS;
    if (!writer_pending(t->writer)) {
        writer_tail(t->writer, &here.event);
        t->noted = here.event.tick;
    }
    return PLACE_NS;
}

/* The program has logged its last event: the next thing to happen is that its image is gone. */
static void wait_for_end(struct recorder_track *t, u64 ns)
{
    u32 *waits = &t->memory.shared->consumer_waits;
    __atomic_store_n(waits, 1, __ATOMIC_SEQ_CST);
    if (!__atomic_load_n(&t->hung_up, __ATOMIC_SEQ_CST) &&
        !__atomic_load_n(&t->leaving, __ATOMIC_SEQ_CST))
        t->host.wait(t->host.context, waits, 1, ns);
    __atomic_store_n(waits, 0, __ATOMIC_RELAXED);
}

/* There is nothing to take right now. Events in the ring have come since the last look, so the time
 * of the last look decides when the next flush is due. */
static struct error *rest(struct recorder_track *t)
{
    u64 passed = recorder_track_now() - t->flushed;
    struct error *err = NULL;
    if (passed >= FLUSH_NS) {
        err = recorder_track_flush(t);
        passed = 0;
    }
    if (err)
        return err;
    u64 place = note_place(t), flush = FLUSH_NS - passed;
    if (__atomic_load_n(&t->memory.shared->producer_done, __ATOMIC_ACQUIRE))
        wait_for_end(t, flush);
    else
        ring_wait_for_bytes(&t->consumer, &t->host, RING_WAKE_BYTES,
                            place < flush ? place : flush);
    return NULL;
}

/* Drains up to `end`, a count of bytes: later events are not recorded. */
static struct error *drain_to(struct recorder_track *t, u64 end)
{
    bool some = true;
    struct error *err = NULL;
    while (!err && some && (i64)(end - t->consumer.read) > 0)
        err = take_stretch(t, &some);
    return err;
}

/* The process lives, but the recording ends: says so in its track. */
static struct error *leave(struct recorder_track *t)
{
    static const char text[] = "the recording was ended here, and the process went on";
    enum { LENGTH = sizeof text - 1, SIZE = sizeof(struct event) + sizeof(struct event_note) +
                                            ((LENGTH + 7) & ~7) };
    const struct event event = {.size = SIZE, .kind = EVENT_NOTE, .thread = t->last.thread,
                                .tick = t->last.tick, .pc = t->last.pc};
    const struct event_note note = {.level = NOTE_LEFT, .size = LENGTH};
    struct error *err = drain_to(t, __atomic_load_n(&t->memory.shared->written, __ATOMIC_ACQUIRE));
    ring_abandon(&t->consumer, &t->host);
    if (err || !writer_events(t->writer))
        return err;
    u8 *room = memset(writer_room(t->writer), 0, SIZE);
    memcpy(room, &event, sizeof event);
    memcpy(room + sizeof event, &note, sizeof note);
    memcpy(room + sizeof event + sizeof note, text, LENGTH);
    return writer_commit(t->writer, SIZE, false);
}

/* The image is gone. If it did not log its end it was killed, perhaps after its last event. */
static struct error *note_death(struct recorder_track *t)
{
    union here_event here;
    bool ended = t->last.kind == EVENT_END || t->last.kind == EVENT_EXEC;
    if (ended || !came_further(t, &here))
        return NULL;
    memcpy(writer_room(t->writer), &here, sizeof here);
    return writer_commit(t->writer, sizeof here, false);
}

static struct error *drain(struct recorder_track *t)
{
    for (;;) {
        bool last = __atomic_load_n(&t->hung_up, __ATOMIC_ACQUIRE), some;
        if (!last && __atomic_load_n(&t->leaving, __ATOMIC_ACQUIRE))
            return leave(t);
        struct error *err = take_stretch(t, &some);
        if (err)
            return err;
        if (some)
            continue;
        if (last)
            return note_death(t);
        err = rest(t);
        if (err)
            return err;
    }
}

/* After an error, valid events are written if possible; without a last chunk the track counts as
 * cut off. */
static struct error *recorder_track_finish(struct recorder_track *t)
{
    struct error *err = drain(t);
    if (!err) {
        err = writer_flush(t->writer);
        publish_figures(t);
        if (!err)
            return writer_close(t->writer);
    } else {
        ring_abandon(&t->consumer, &t->host);
        error_destroy(writer_flush(t->writer));
        publish_figures(t);
    }
    writer_destroy(t->writer);
    return err;
}

static void *recorder_track_run(void *argument)
{
    struct recorder_track *t = argument;
    t->err = recorder_track_finish(t);
    t->writer = NULL;
    __atomic_store_n(&t->stopped, true, __ATOMIC_RELEASE);
    u64 one = 1;
    if (write(t->done, &one, sizeof one) < 0)
        return NULL; /* the counter is full, so it is already signalled */
    return NULL;
}

static struct error *recorder_track_open_file(const struct recording *rec,
                                              const struct channel_hello *hello, u32 number,
                                              struct writer **ret)
{
    struct format_file header = {
        .track = number,
        .parent = hello->parent,
        .origin = hello->origin,
        .parent_tick = hello->parent_tick,
        .parent_pc = hello->parent_pc,
        .pid = hello->pid,
    };
    memcpy(header.recording, rec->meta.id, sizeof header.recording);
    char *name = recording_track_name(number);
    struct error *err = writer_open(rec->dir, name, &header, ret);
    free(name);
    return err;
}

static struct error *recorder_track_begin(struct recorder_track *t, const struct recording *rec,
                                          const struct channel_hello *hello,
                                          const struct recorder_pace *pace, u64 ring_size)
{
    struct channel_welcome welcome = {
        .version = CHANNEL_VERSION, .track = t->number, .ring_size = ring_size,
        .snapshots = pace->apart, .flags = pace->exact ? CHANNEL_EXACT : 0,
    };
    struct error *err = ring_memory_init(&t->memory, ring_size);
    if (!err)
        err = recorder_track_open_file(rec, hello, t->number, &t->writer);
    if (err)
        return err;
    ring_consumer_init(&t->consumer, t->memory.shared);
    t->host = ring_memory_host(&t->socket);
    publish_figures(t);
    t->figures.ring = t->memory.bytes;
    packet_send(t->socket, &welcome.message, CHANNEL_WELCOME, sizeof welcome, t->memory.fd);
    close(t->memory.fd);
    t->memory.fd = -1;
    int error = pthread_create(&t->thread, NULL, recorder_track_run, t);
    return error ? error_errno(error, "starting a thread") : NULL;
}

/* Returns the id of the process that made the socket, as seen here: in its own pid namespace it has
 * another number. */
static pid_t pid_of(int socket, const struct channel_hello *hello)
{
    struct ucred maker;
    socklen_t size = sizeof maker;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 && maker.pid > 0)
        return maker.pid;
    return (pid_t)hello->pid;
}

struct error *recorder_track_create(const struct recording *rec, const struct channel_hello *hello,
                                    u32 number, int socket, u64 ring_size, int done,
                                    struct recorder_mapped *mapped,
                                    const struct recorder_pace *pace, struct recorder_track **ret)
{
    struct recorder_track *t = xalloc(sizeof *t);
    *t = (struct recorder_track){.number = number, .socket = socket, .done = done, .memory.fd = -1,
                                .mapped = mapped, .pid = pid_of(socket, hello)};
    struct error *err = recorder_track_begin(t, rec, hello, pace, ring_size);
    if (!err) {
        *ret = t;
        return NULL;
    }
    if (t->memory.shared)
        t->memory.shared->consumer_gone = 1;
    recorder_track_refuse(socket, ENOSPC);
    writer_destroy(t->writer);
    ring_memory_deinit(&t->memory);
    free(t);
    return err;
}

void recorder_track_refuse(int socket, int error)
{
    struct channel_welcome welcome = {.version = CHANNEL_VERSION, .error = (u32)error};
    packet_send(socket, &welcome.message, CHANNEL_WELCOME, sizeof welcome, -1);
    close(socket);
}

u32 recorder_track_number(const struct recorder_track *t)
{
    return t->number;
}

int recorder_track_socket(const struct recorder_track *t)
{
    return t->socket;
}

pid_t recorder_track_pid(const struct recorder_track *t)
{
    return t->pid;
}

static void set_and_wake(struct recorder_track *t, bool *flag)
{
    __atomic_store_n(flag, true, __ATOMIC_RELEASE);
    __atomic_store_n(&t->memory.shared->consumer_waits, 0, __ATOMIC_SEQ_CST);
    t->host.wake(t->host.context, &t->memory.shared->consumer_waits);
}

void recorder_track_hang_up(struct recorder_track *t)
{
    set_and_wake(t, &t->hung_up);
}

void recorder_track_leave(struct recorder_track *t)
{
    set_and_wake(t, &t->leaving);
}

bool recorder_track_stopped(const struct recorder_track *t)
{
    return __atomic_load_n(&t->stopped, __ATOMIC_ACQUIRE);
}

struct error *recorder_track_error(struct recorder_track *t)
{
    struct error *err = t->err;
    invariant(1, recorder_track_stopped(t));
    t->err = NULL;
    return err;
}

char *recorder_track_limit(struct recorder_track *t)
{
    invariant(1, recorder_track_stopped(t));
    return take(t->limit);
}

char *recorder_track_remark(struct recorder_track *t)
{
    invariant(1, recorder_track_stopped(t));
    return take(t->remark);
}

struct recorder_figures recorder_track_figures(const struct recorder_track *t)
{
    return (struct recorder_figures){
        .events = __atomic_load_n(&t->figures.events, __ATOMIC_RELAXED),
        .raw = __atomic_load_n(&t->figures.raw, __ATOMIC_RELAXED),
        .stored = __atomic_load_n(&t->figures.stored, __ATOMIC_RELAXED),
        .entered = __atomic_load_n(&t->figures.entered, __ATOMIC_RELAXED),
        .core = __atomic_load_n(&t->figures.core, __ATOMIC_RELAXED),
        .ring = t->figures.ring,
    };
}

void recorder_track_destroy(struct recorder_track *t)
{
    if (!t)
        return;
    pthread_join(t->thread, NULL);
    invariant(1, recorder_track_stopped(t));
    error_destroy(t->err);
    ring_memory_deinit(&t->memory);
    close(t->socket);
    free(t);
}
