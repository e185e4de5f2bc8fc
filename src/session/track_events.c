/* All events of a track: see the header.
 *
 * The events are in an unnamed temporary file, which disappears when the last process that has it
 * mapped is gone. An index has a mark every MARK_EVERY events; a search walks from the mark before
 * its target.
 *
 * Events are counted in two ways. An engine counts the events that it meets: all but notes and
 * execs, from the START of the program on. Users see the numbers of `ebb dump`: all events of the
 * track itself. The notes that log/lineage.c inserts for the engine count in neither way.
 */
#include "session/track_events_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/list.h"
#include "base/xalloc.h"
#include "log/event.h"
#include "log/lineage.h"

enum { MARK_EVERY = 1024, BUFFER = 1 << 20 };

/* The counts before the event at `offset`. */
struct event_mark {
    u64 offset;
    u64 before; /* offset of the preceding event */
    u64 met;
    u64 number; /* the number that users see; 0 before the track itself begins */
    u64 stamp;  /* the latest */
};

/* Events that are looked up by kind: offsets, with the numbers that users see (0: in an ancestor's
 * track). */
struct event_list {
    struct track_event_at *list;
    size_t count, room;
};

/* The life of a thread. The number of a thread that has ended may be given to another. */
struct thread_life {
    u32 thread;
    bool began, ended;
    struct moment begin, end; /* see track_events_begins() */
};

struct track_events {
    int fd;
    u64 size;
    const u8 *bytes;
    struct event_mark *marks;
    size_t mark_count, mark_room;
    struct event_mark end;
    u64 own;        /* offset of the first event of the track itself */
    u64 own_number; /* its number */
    u64 realtime, frequency, start_stamp;
    struct event_list signals, maps;
    struct list lives; /* struct thread_life */
    struct moment last;
    u16 last_kind; /* of the last event that is not a note */
    bool cut_off;  /* the end is where the recording was cut off (NOTE_TRIMMED) */
    bool trimmed;  /* the track begins where the recording was cut, at: */
    struct moment begins;
};

/* --- making it --------------------------------------------------------------------------- */

struct sink {
    int fd;
    u8 *buffer;
    size_t used;
};

static struct error *sink_flush(struct sink *k)
{
    for (size_t at = 0; at < k->used;) {
        ssize_t n = write(k->fd, k->buffer + at, k->used - at);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "writing events to a temporary file");
        at += n > 0 ? (size_t)n : 0;
    }
    k->used = 0;
    return NULL;
}

static struct error *sink_add(struct sink *k, const struct event *e)
{
    struct error *err = k->used + e->size > BUFFER ? sink_flush(k) : NULL;
    if (err)
        return err;
    memcpy(k->buffer + k->used, e, e->size);
    k->used += e->size;
    return NULL;
}

static int open_temporary(void)
{
    const char *const places[] = {getenv("TMPDIR"), "/var/tmp", "/tmp"};
    for (size_t i = 0; i < countof(places); i++) {
        int fd = places[i] ? open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
        if (fd >= 0)
            return fd;
    }
    return memfd_create("ebb-events", MFD_CLOEXEC);
}

static void add_mark(struct track_events *t)
{
    if (t->mark_count == t->mark_room) {
        t->mark_room = t->mark_room ? t->mark_room * 2 : 64;
        struct event_mark *longer = xalloc(t->mark_room * sizeof *longer);
        if (t->mark_count)
            memcpy(longer, t->marks, t->mark_count * sizeof *longer);
        free(t->marks);
        t->marks = longer;
    }
    t->marks[t->mark_count++] = t->end;
}

static void event_list_add(struct event_list *l, u64 offset, u64 number)
{
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 16;
        struct track_event_at *longer = xalloc(l->room * sizeof *longer);
        if (l->count)
            memcpy(longer, l->list, l->count * sizeof *longer);
        free(l->list);
        l->list = longer;
    }
    l->list[l->count++] = (struct track_event_at){offset, number};
}

static bool is_for_engine(const struct event *e)
{
    u32 level = e->kind == EVENT_NOTE ? ((const struct event_note *)e->payload)->level : NOTE_INFO;
    return level == NOTE_QUIET || level == NOTE_SHOWN;
}

/* Updates the mark for the event and moves past it. */
static void pass(const struct track_events *t, struct event_mark *m, const struct event *e)
{
    m->met = event_count_met(m->met, e);
    if (m->offset >= t->own && !is_for_engine(e))
        m->number++;
    if (e->time)
        m->stamp = e->time;
    m->before = m->offset;
    m->offset += e->size;
}

/* Returns the latest thread with that number. */
static struct thread_life *life_of(struct track_events *t, u32 thread)
{
    struct thread_life *all = t->lives.items;
    for (size_t n = t->lives.count; n-- > 0;)
        if (all[n].thread == thread)
            return &all[n];
    return NULL;
}

static struct thread_life *new_life(struct track_events *t, u32 thread, bool began,
                                    struct moment at)
{
    struct thread_life *life = list_add(&t->lives);
    *life = (struct thread_life){.thread = thread, .began = began, .begin = at};
    return life;
}

/* The first thread that gives its turn away is the one that the track began with. */
static void note_switch(struct track_events *t, const struct event *e)
{
    const struct event_switch *s = (const struct event_switch *)e->payload;
    struct moment at = {e->tick, e->pc};
    struct thread_life *from = life_of(t, e->thread);
    if (!from)
        from = new_life(t, e->thread, false, (struct moment){0, 0});
    if (s->reason == SWITCH_EXIT) {
        from->ended = true;
        from->end = at;
    }
    const struct thread_life *to = life_of(t, s->to);
    if (!to || to->ended)
        new_life(t, s->to, true, at);
}

static void track_events_note_event(struct track_events *t, const struct event *e, bool own,
                                    u64 count)
{
    if (own && t->own == ~0ull) {
        t->own = t->end.offset;
        t->own_number = t->end.offset ? 1 : 0; /* the START of a forked track is not counted */
        t->end.number = t->own_number;
    }
    if (count % MARK_EVERY == 0)
        add_mark(t);
    if (count == 0 && e->kind == EVENT_START) {
        const struct event_start *start = (const struct event_start *)e->payload;
        t->realtime = start->realtime;
        t->frequency = start->frequency;
        t->start_stamp = e->time;
    }
    if (e->kind == EVENT_SIGNAL || e->kind == EVENT_MAP)
        event_list_add(e->kind == EVENT_MAP ? &t->maps : &t->signals, t->end.offset,
                       own ? t->end.number : 0);
    if (e->kind == EVENT_SWITCH)
        note_switch(t, e);
    if (e->tick || e->pc)
        t->last = (struct moment){e->tick, e->pc};
    if (e->kind != EVENT_NOTE)
        t->last_kind = e->kind;
    else
        t->cut_off = ((const struct event_note *)e->payload)->level == NOTE_TRIMMED;
    if (e->kind == EVENT_TRIMMED) {
        const struct event_trimmed *trimmed = (const struct event_trimmed *)e->payload;
        t->trimmed = true;
        t->begins = (struct moment){trimmed->tick, trimmed->pc};
    }
    pass(t, &t->end, e);
}

static struct error *expand(struct track_events *t, struct lineage *l)
{
    struct sink sink = {.fd = t->fd, .buffer = xalloc(BUFFER)};
    const struct event *e;
    struct error *err;
    u64 count = 0;
    while (!(err = lineage_next(l, &e)) && e && !(err = sink_add(&sink, e)))
        track_events_note_event(t, e, lineage_own(l), count++);
    if (!err)
        err = sink_flush(&sink);
    free(sink.buffer);
    t->size = t->end.offset;
    if (!err && t->size == 0)
        err = error_coded(ERROR_UNAVAILABLE, "the track has no events");
    return err;
}

struct error *track_events_create(const struct recording *rec, u32 track, struct track_events **ret)
{
    struct track_events *t = xalloc(sizeof *t);
    *t = (struct track_events){
        .fd = open_temporary(), .own = ~0ull, .lives = LIST(struct thread_life)};
    struct lineage *l = NULL;
    struct error *err = t->fd < 0 ? error_errno(errno, "making a temporary file") : NULL;
    if (!err)
        err = lineage_open(rec, track, true, &l);
    if (!err)
        err = expand(t, l);
    lineage_close(l);
    if (!err) {
        void *bytes = mmap(NULL, t->size, PROT_READ, MAP_SHARED, t->fd, 0);
        t->bytes = bytes == MAP_FAILED ? NULL : bytes;
        if (!t->bytes)
            err = error_errno(errno, "mapping the events");
    }
    if (err) {
        track_events_destroy(t);
        return err;
    }
    *ret = t;
    return NULL;
}

void track_events_destroy(struct track_events *t)
{
    if (!t)
        return;
    if (t->bytes)
        munmap((void *)t->bytes, t->size);
    if (t->fd >= 0)
        close(t->fd);
    free(t->marks);
    list_deinit(&t->lives);
    free(t->signals.list);
    free(t->maps.list);
    free(t);
}

/* --- looking ------------------------------------------------------------------------------ */

int track_events_file(const struct track_events *t, u64 *ret_size)
{
    *ret_size = t->size;
    return t->fd;
}

struct moment track_events_last(const struct track_events *t)
{
    return t->last;
}

bool track_events_trimmed(const struct track_events *t, struct moment *ret)
{
    *ret = t->begins;
    return t->trimmed;
}

const char *track_events_end(const struct track_events *t)
{
    if (t->last_kind == EVENT_END)
        return NULL;
    if (t->cut_off)
        return "went on; the recording was trimmed here";
    return t->last_kind == EVENT_EXEC ? "executed another program"
                                      : "was killed, or its log is cut";
}

static const struct event *event_at(const struct track_events *t, u64 offset)
{
    return offset < t->size ? (const struct event *)(t->bytes + offset) : NULL;
}

const struct track_event_at *track_events_signals(const struct track_events *t, size_t *ret_count)
{
    *ret_count = t->signals.count;
    return t->signals.list;
}

const struct track_event_at *track_events_maps(const struct track_events *t, size_t *ret_count)
{
    *ret_count = t->maps.count;
    return t->maps.list;
}

const struct event *track_events_at(const struct track_events *t, const struct track_event_at *at)
{
    return event_at(t, at->offset);
}

static u64 time_of(const struct track_events *t, u64 stamp)
{
    if (!t->frequency || stamp < t->start_stamp)
        return t->realtime;
    u64 passed = stamp - t->start_stamp;
    return t->realtime + (u64)((unsigned __int128)passed * 1000000000u / t->frequency);
}

typedef bool (*mark_test)(const struct track_events *t, const struct event_mark *m, u64 wanted);

/* Returns the last place for which `test` is true. `test` must be true for all earlier places. */
static struct event_mark seek(const struct track_events *t, mark_test test, u64 wanted)
{
    size_t low = 0, high = t->mark_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (test(t, &t->marks[middle], wanted))
            low = middle;
        else
            high = middle;
    }
    struct event_mark m = t->marks[low];
    const struct event *e;
    while ((e = event_at(t, m.offset))) {
        struct event_mark after = m;
        pass(t, &after, e);
        if (!test(t, &after, wanted))
            break;
        m = after;
    }
    return m;
}

static bool has_met_no_more(const struct track_events *t, const struct event_mark *m, u64 wanted)
{
    (void)t;
    return m->met <= wanted;
}

static bool has_number_at_most(const struct track_events *t, const struct event_mark *m, u64 wanted)
{
    return m->offset <= t->own || m->number <= wanted;
}

static bool is_no_later(const struct track_events *t, const struct event_mark *m, u64 wanted)
{
    return m->offset == 0 || time_of(t, m->stamp) <= wanted;
}

static bool has_met_fewer(const struct track_events *t, const struct event_mark *m, u64 wanted)
{
    (void)t;
    return m->met < wanted;
}

/* Engines do not count faults: those at or after `at` are still to come. */
void track_events_place(const struct track_events *t, u64 met, struct moment at, u64 *ret_number,
                        u64 *ret_time)
{
    struct event_mark m = seek(t, has_met_fewer, met);
    const struct event *e;
    while ((e = event_at(t, m.offset)) && m.met < met)
        pass(t, &m, e);
    while ((e = event_at(t, m.offset)) && !event_is_met(e) &&
           !(event_is_fault(e) && moment_compare((struct moment){e->tick, e->pc}, at) >= 0))
        pass(t, &m, e);
    *ret_number = m.number;
    *ret_time = m.stamp ? time_of(t, m.stamp) : 0;
}

u64 track_events_offset(const struct track_events *t, u64 met, struct moment at)
{
    struct event_mark m = seek(t, has_met_fewer, met);
    const struct event *e;
    while ((e = event_at(t, m.offset)) && m.met < met)
        pass(t, &m, e);
    u64 ret = m.offset;
    while ((e = event_at(t, m.offset)) && !event_is_met(e)) {
        bool past = event_is_fault(e) && moment_compare((struct moment){e->tick, e->pc}, at) < 0;
        pass(t, &m, e);
        ret = past ? m.offset : ret;
    }
    return ret;
}

u64 track_events_met(const struct track_events *t)
{
    return t->end.met;
}

bool track_events_interrupt(const struct track_events *t, u64 met, struct moment at)
{
    struct event_mark m = seek(t, has_met_no_more, met);
    const struct event *e;
    while ((e = event_at(t, m.offset)) && e->tick == at.tick && e->pc == at.pc) {
        if ((e->kind == EVENT_SIGNAL && !event_is_fault(e)) || e->kind == EVENT_SWITCH)
            return true;
        if (e->kind != EVENT_CHECK && e->kind != EVENT_SHARED && e->kind != EVENT_NOTE)
            return false;
        pass(t, &m, e);
    }
    return false;
}

static const struct thread_life *find_life(const struct track_events *t, u32 thread,
                                           struct moment at)
{
    const struct thread_life *all = t->lives.items, *found = NULL;
    for (size_t n = 0; n < t->lives.count; n++)
        if (all[n].thread == thread && (!found || moment_compare(all[n].begin, at) <= 0))
            found = &all[n]; /* the first thread may still wait for its first turn */
    return found;
}

bool track_events_begins(const struct track_events *t, u32 thread, struct moment at,
                         struct moment *ret)
{
    const struct thread_life *life = find_life(t, thread, at);
    if (!life || !life->began)
        return false;
    *ret = life->begin;
    return true;
}

bool track_events_ends(const struct track_events *t, u32 thread, struct moment at,
                       struct moment *ret)
{
    const struct thread_life *life = find_life(t, thread, at);
    if (!life || !life->ended)
        return false;
    *ret = life->end;
    return true;
}

struct error *track_events_find(const struct track_events *t, u64 number, struct moment *ret)
{
    if (number >= t->end.number || number < t->own_number)
        return error_coded(ERROR_NOT_FOUND, "the track has events %llu to %llu",
                           (unsigned long long)t->own_number,
                           (unsigned long long)t->end.number - 1);
    struct event_mark m = seek(t, has_number_at_most, number);
    const struct event *e = event_at(t, m.offset);
    while (e && is_for_engine(e)) {
        pass(t, &m, e);
        e = event_at(t, m.offset);
    }
    *ret = e ? (struct moment){e->tick, e->pc} : t->last;
    return NULL;
}

struct moment track_events_at_time(const struct track_events *t, u64 time)
{
    struct event_mark m = seek(t, is_no_later, time);
    const struct event *e = event_at(t, m.before);
    return (struct moment){e->tick, e->pc};
}

u8 *track_events_piece(const struct track_events *t, u32 kind, size_t *ret_size)
{
    u8 *ret = xalloc(1);
    size_t size = 0;
    const struct event *e;
    for (u64 at = 0; (e = event_at(t, at)) && (e->kind == EVENT_START || e->kind == EVENT_DATA ||
                                               e->kind == EVENT_NOTE); at += e->size) {
        if (e->kind == EVENT_NOTE)
            continue;
        for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));) {
            if (p->kind != kind)
                continue;
            u8 *longer = xalloc(size + p->size + 1);
            memcpy(longer, ret, size);
            memcpy(longer + size, p + 1, p->size);
            free(ret);
            ret = longer;
            size += p->size;
        }
    }
    *ret_size = size;
    return ret;
}

/* Files that were only opened come before it. A script names its interpreter, which is then the
 * program. */
char *track_events_program(const struct track_events *t)
{
    const struct event *e;
    for (u64 at = 0; (e = event_at(t, at)); at += e->size) {
        const struct event_map *map = (const struct event_map *)e->payload;
        if (e->kind == EVENT_MAP && map->size)
            return xformat("%.*s", (int)map->path_size, (const char *)(map + 1));
    }
    size_t size;
    char *ret = (char *)track_events_piece(t, PIECE_PATH, &size);
    ret[size] = '\0';
    return ret;
}
