/* Snapshots: states reached from one are those that are reached from the start.
 *
 *   snapshots RECORDING SEED COUNT [TRACK]
 *   snapshots RECORDING own SEED COUNT
 *   snapshots RECORDING fresh        a session that is to begin with those of the recording
 *   snapshots RECORDING sessions     two sessions, one after the other, with the store
 *   snapshots RECORDING store SEED COUNT [TRACK]   puts snapshots of moments all over the
 *                                    run into the store
 *   snapshots RECORDING trimmed OTHER [TRACK]   a part of the recording has the same states
 *   snapshots RECORDING spoil WHAT   changes those in the store: memory, register, mask, area
 *
 * At COUNT random moments of the track, a process that came there from the start is compared with
 * one that was made from its snapshot, stored and read again; then both run on to later moments
 * and to the end, and are compared there: registers and vector registers of all threads, names
 * and ids, areas, all memory, how the program ended.
 *
 * `own`: the same with COUNT of the snapshots that the recording has itself, of all its tracks.
 *
 * The second of two sessions must replay much less than the first, stand at the same end and give
 * the same answers at moments on the way.
 *
 * Says what differs on stderr, with the seed, and ends with 1; else prints figures and ends with 0.
 */
#include <stdarg.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/content_hash.h"
#include "log/snapshot_state.h"
#include "session/movement.h"
#include "session/session_internal.h"

static struct replayer_family family;
static struct replayer *first;
static u64 seed, random_state;

struct figures {
    unsigned taken, refused, compared, waiting, raw_pages, stored_pages;
} figures;

static void stop(struct error *err, const char *what)
{
    fprintf(stderr, "seed %llu: %s: %s\n", (unsigned long long)seed, what, err ? error_text(err) : "");
    exit(1);
}

static void check(struct error *err, const char *what)
{
    if (err)
        stop(err, what);
}

static u64 draw(u64 below)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return below ? (random_state >> 33) % below : 0;
}

/* --- states ---------------------------------------------------------------------------------- */

struct text {
    char *bytes;
    size_t size, room;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
    va_list list;
    if (t->room < t->size + 4096)
        t->bytes = realloc(t->bytes, t->room = 2 * t->room + 65536);
    va_start(list, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, t->room - t->size, format, list);
    va_end(list);
}

static void add_registers(struct text *t, struct replayer *r, u32 thread)
{
    void *bytes;
    size_t size;
    check(replayer_ask(r, CONTROL_REGISTERS, thread, &bytes, &size), "registers");
    const struct control_registers *regs = bytes;
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        add(t, " %llx", (unsigned long long)regs->reg[n]);
    add(t, " %llx %llx %llx %llx\n", (unsigned long long)regs->rip, (unsigned long long)regs->flags,
        (unsigned long long)regs->fs_base, (unsigned long long)regs->gs_base);
    add(t, "  vectors %llx\n", (unsigned long long)content_hash(regs + 1, size - sizeof *regs));
    free(bytes);
}

static int by_ordinal(const void *a, const void *b)
{
    const struct control_thread *x = a, *y = b;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void add_threads(struct text *t, struct replayer *r)
{
    struct control_thread *list;
    size_t size;
    check(replayer_ask(r, CONTROL_THREADS, CONTROL_THREAD_ANY, (void **)&list, &size), "threads");
    qsort(list, size / sizeof *list, sizeof *list, by_ordinal);
    for (size_t n = 0; n < size / sizeof *list; n++) {
        add(t, "thread %u tid %u runs %u name %.16s:", list[n].thread, list[n].tid, list[n].runs,
            list[n].name);
        add_registers(t, r, list[n].thread);
    }
    figures.waiting += size / sizeof *list > 1;
    free(list);
}

static u64 hash_of(struct replayer *r, u64 start, u64 end)
{
    static u8 bytes[CONTROL_DATA_MOST];
    struct content_hash h;
    content_hash_init(&h);
    while (start < end) {
        size_t got = 0, part = end - start < sizeof bytes ? end - start : sizeof bytes;
        check(replayer_read(r, start, bytes, part, &got), "memory");
        content_hash_add(&h, bytes, got);
        if (got < part) { /* the rest of the page cannot be read */
            u64 next = (start + got + 4096) & ~4095ull;
            content_hash_add(&h, &start, sizeof start);
            content_hash_add(&h, &got, sizeof got);
            start = next;
        } else {
            start += got;
        }
    }
    return content_hash_result(&h);
}

static void add_areas(struct text *t, struct replayer *r)
{
    enum { LARGE = 256 << 20 };
    struct control_area *list;
    size_t size;
    check(replayer_ask(r, CONTROL_AREAS, CONTROL_THREAD_ANY, (void **)&list, &size), "areas");
    for (size_t n = 0; n < size / sizeof *list; n++) {
        const struct control_area *a = &list[n];
        add(t, "area %llx-%llx %x %x %llx %s", (unsigned long long)a->start,
            (unsigned long long)a->end, a->protection, a->flags, (unsigned long long)a->offset, a->path);
        if (a->end - a->start <= LARGE)
            add(t, " %llx", (unsigned long long)hash_of(r, a->start, a->end));
        add(t, "\n");
    }
    free(list);
}

static struct text describe(struct replayer *r)
{
    struct text t = {0};
    add(&t, "reason %u thread %u tid %u tick %llu pc %llx event %llu end %u %u\n",
        r->stopped.reason == STOPPED_END, r->stopped.thread, r->stopped.tid,
        (unsigned long long)r->stopped.tick, (unsigned long long)r->stopped.pc,
        (unsigned long long)r->stopped.event, r->stopped.end_status, r->stopped.end_signal);
    add_threads(&t, r);
    add_areas(&t, r);
    return t;
}

static void compare(struct replayer *a, struct replayer *b, const char *where)
{
    struct text x = describe(a), y = describe(b);
    figures.compared++;
    if (strcmp(x.bytes, y.bytes) != 0) {
        char *p = x.bytes, *q = y.bytes;
        while (strcspn(p, "\n") == strcspn(q, "\n") && memcmp(p, q, strcspn(p, "\n")) == 0) {
            p += strcspn(p, "\n") + 1;
            q += strcspn(q, "\n") + 1;
        }
        fprintf(stderr, "%.*s\n%.*s\n", (int)strcspn(p, "\n"), p, (int)strcspn(q, "\n"), q);
        stop(NULL, where);
    }
    free(x.bytes);
    free(y.bytes);
}

/* --- snapshots ------------------------------------------------------------------------------- */

/* Stores the snapshot in a file and restores it; NULL: no snapshot is possible here. */
static struct replayer *restored(struct replayer *r)
{
    struct snapshot_raw raw;
    struct snapshot_reader *again;
    struct snapshot_about about = {.track = family.track, .tick = r->stopped.tick,
                                   .pc = r->stopped.pc, .events_met = r->stopped.event}, read;
    struct replayer *ret;
    struct error *err = replayer_snapshot(r, ~0ull, &raw);
    if (err) {
        if (r->lost)
            stop(err, "taking a snapshot");
        if (getenv("SNAPSHOTS_SAY"))
            fprintf(stderr, "refused: %s\n", error_text(err));
        error_destroy(err);
        figures.refused++;
        return NULL;
    }
    int file = memfd_create("snapshot", MFD_CLOEXEC);
    check(snapshot_file_write(file, &about, &raw), "writing");
    check(snapshot_reader_open(file, 0, &read, &again), "reading");
    figures.raw_pages += (unsigned)(raw.state_at / 4096);
    figures.stored_pages += (unsigned)(lseek(file, 0, SEEK_END) / 4096);
    figures.taken++;
    check(replayer_fork(first, &ret), "copying the start");
    check(replayer_restore(ret, again,
                           track_events_offset(family.events, read.events_met, replayer_at(r))), "restoring");
    close(file);
    close(raw.fd);
    return ret;
}

/* Runs on for some ticks, or to the end. */
static void run_on(struct replayer *r, u64 ticks)
{
    check(replayer_run_to(r, (struct moment){ticks == ~0ull ? ticks : r->stopped.tick + ticks, 0}), "running");
}

static void try_at(struct moment at, u64 length)
{
    struct replayer *plain, *from;
    check(replayer_fork(first, &plain), "copying the start");
    check(replayer_run_to(plain, at), "running");
    if (plain->stopped.reason == STOPPED_END || !(from = restored(plain))) {
        replayer_destroy(plain);
        return;
    }
    if (draw(2)) /* which reads all pages: otherwise the run does it */
        compare(plain, from, "at the snapshot");
    for (unsigned n = 0; n < 2 && plain->stopped.reason != STOPPED_END; n++) {
        u64 on = draw(2) ? draw(200) : draw(length / 4 + 1);
        run_on(plain, on);
        run_on(from, on);
        if (draw(2))
            compare(plain, from, "some way behind the snapshot");
    }
    if (plain->stopped.reason != STOPPED_END && draw(2)) { /* a snapshot of what came from one */
        struct replayer *second = restored(from);
        if (second)
            compare(plain, second, "at a snapshot of a snapshot");
        if (second)
            replayer_destroy(from);
        from = second ? second : from;
    }
    run_on(plain, ~0ull);
    run_on(from, ~0ull);
    compare(plain, from, "at the end");
    replayer_destroy(plain);
    replayer_destroy(from);
}

/* --- those in the recording ------------------------------------------------------------------ */

static struct replayer *restored_own(const struct snapshot_stored *s, struct moment at)
{
    struct snapshot_reader *reader;
    struct replayer *ret;
    check(snapshot_store_open(s, &reader), "reading");
    check(replayer_fork(first, &ret), "copying the start");
    check(replayer_restore(ret, reader,
                           track_events_offset(family.events, s->about.events_met, at)),
          "restoring");
    figures.taken++;
    return ret;
}

static void try_own(const struct snapshot_stored *s, u64 length)
{
    struct moment at = {s->about.tick, s->about.pc};
    struct replayer *plain, *from;
    if (moment_compare(at, track_events_last(family.events)) > 0)
        return; /* it was killed, and what came before that is not known */
    check(replayer_fork(first, &plain), "copying the start");
    check(replayer_run_to(plain, at), "running");
    from = restored_own(s, at);
    if (draw(2))
        compare(plain, from, "at the snapshot");
    for (unsigned n = 0; n < 2 && plain->stopped.reason != STOPPED_END; n++) {
        u64 on = draw(2) ? draw(200) : draw(length / 4 + 1);
        run_on(plain, on);
        run_on(from, on);
        compare(plain, from, "some way after the snapshot");
    }
    run_on(plain, ~0ull);
    run_on(from, ~0ull);
    compare(plain, from, "at the end");
    replayer_destroy(plain);
    replayer_destroy(from);
}

/* COUNT of each track, the last one among them. */
static void own_of_track(struct recording *rec, u32 track, u64 count)
{
    size_t there;
    struct snapshot_stored *list = snapshot_store_list_own(rec, track, &there);
    if (there) {
        check(replayer_family_init(&family, rec, track, 4242), "events");
        check(replayer_start(&family, &first), "starting");
        u64 length = track_events_last(family.events).tick - first->stopped.tick;
        for (u64 n = 0; n < count && n < there; n++)
            try_own(&list[n + 1 < count ? draw(there) : there - 1], length);
        replayer_destroy(first);
        replayer_family_deinit(&family);
    }
    snapshot_store_list_free(list, there);
}

static int own(struct recording *rec, u64 count)
{
    u32 *tracks;
    size_t track_count;
    check(recording_tracks(rec, &tracks, &track_count), "tracks");
    for (size_t n = 0; n < track_count; n++)
        own_of_track(rec, tracks[n], count);
    printf("%u snapshots, %u states compared, %u with several threads\n", figures.taken,
           figures.compared, figures.waiting);
    return 0;
}

/* --- sessions -------------------------------------------------------------------------------- */

/* What a session has to say of its end and of some moments; *ret_ticks is what it took to open. */
static struct text session_says(struct recording *rec, u64 *ret_ticks)
{
    struct session *s;
    struct session_options options = {0};
    struct session_stop stopped;
    struct replayer *r;
    struct text all = {0};
    check(session_open(rec, &options, &s), "opening a session");
    *ret_ticks = s->family.ticks_run;
    for (unsigned n = 0; n < 5; n++) {
        check(session_present(s, &r), "the present");
        struct text t = describe(r);
        add(&all, "%u: %llx\n", n, (unsigned long long)content_hash(t.bytes, t.size));
        free(t.bytes);
        check(movement_goto(s, session_moment_of_share(s, 0.2 * (n + 0.5)), &stopped), "going");
    }
    session_close(s);
    return all;
}

static int sessions(struct recording *rec)
{
    u64 before, after;
    struct text x = session_says(rec, &before), y = session_says(rec, &after);
    printf("%llu ticks, then %llu\n", (unsigned long long)before, (unsigned long long)after);
    if (strcmp(x.bytes, y.bytes) != 0)
        fprintf(stderr, "the answers differ\n%s%s", x.bytes, y.bytes);
    else if (after > before / 4)
        fprintf(stderr, "the second session replayed %llu ticks, the first %llu\n",
                (unsigned long long)after, (unsigned long long)before);
    else
        return 0;
    return 1;
}

/* Describes a session's end and some moments; *ret_ticks is the number of ticks needed to open
 * it. */

static int store(struct recording *rec, u64 count, u32 track)
{
    check(replayer_family_init(&family, rec, track, 4242), "events");
    check(replayer_start(&family, &first), "starting");
    u64 from = first->stopped.tick, length = track_events_last(family.events).tick - from;
    unsigned stored = 0;
    for (u64 n = 0; n < count; n++) {
        struct replayer *r;
        struct snapshot_raw raw;
        u64 size;
        char *path;
        check(replayer_fork(first, &r), "copying the start");
        u64 tick = from + length * (n + 1) / (count + 1) + draw(length / (4 * count) + 1);
        check(replayer_run_to(r, (struct moment){tick, 0}), "running");
        struct snapshot_about about = {.track = track, .tick = r->stopped.tick,
                                       .pc = r->stopped.pc, .events_met = r->stopped.event};
        memcpy(about.id, rec->meta.id, sizeof about.id);
        struct error *err = r->stopped.reason == STOPPED_LIMIT
                                ? replayer_snapshot(r, ~0ull, &raw) : error_new("the end");
        if (!err) {
            check(snapshot_store_add(&about, &raw, &path, &size), "storing");
            close(raw.fd);
            free(path);
            stored++;
        }
        error_destroy(err);
        replayer_destroy(r);
    }
    replayer_destroy(first);
    replayer_family_deinit(&family);
    recording_destroy(rec);
    printf("%u stored\n", stored);
    return 0;
}

/* The first record of a kind in the state. */
static void *record_of(u8 *state, u64 size, u32 kind)
{
    for (u64 at = 0; at < size; at += ((struct snapshot_record *)(state + at))->size)
        if (((struct snapshot_record *)(state + at))->kind == kind)
            return state + at;
    stop(NULL, "there is no such record");
    return NULL;
}

/* What a replay would have to find wrong; the file is whole. */
static void spoil_one(const struct snapshot_stored *s, const char *what)
{
    struct snapshot_raw raw;
    u64 size;
    char *path;
    check(snapshot_store_read(s, &raw), "reading");
    u8 *bytes = mmap(NULL, raw.state_at + raw.state_size, PROT_READ | PROT_WRITE, MAP_SHARED,
                     raw.fd, 0), *state = bytes + raw.state_at;
    struct snapshot_thread *thread = record_of(state, raw.state_size, SNAPSHOT_THREAD);
    struct snapshot_pages *pages = record_of(state, raw.state_size, SNAPSHOT_PAGES);
    if (strcmp(what, "memory") == 0)
        bytes[(pages->first + pages->count - 1) * SNAPSHOT_PAGE + 100] ^= 1;
    else if (strcmp(what, "register") == 0)
        thread->reg[12] ^= 1ull << 40;
    else if (strcmp(what, "mask") == 0)
        thread->mask ^= 1 << 20;
    else if (strcmp(what, "area") == 0)
        ((struct snapshot_area *)record_of(state, raw.state_size, SNAPSHOT_AREA))->protection ^= 2;
    if (s->own) {
        int fd = open(s->path, O_WRONLY | O_TRUNC);
        check(snapshot_file_write(fd, &s->about, &raw), "storing");
        close(fd);
        return;
    }
    check(snapshot_store_add(&s->about, &raw, &path, &size), "storing");
    printf("%s\n", path);
}

static int spoil(struct recording *rec, const char *what)
{
    size_t count;
    struct snapshot_stored *list = snapshot_store_list(rec->meta.id, 0, &count);
    if (!count) /* in the recording, the last one stays right */
        list = snapshot_store_list_own(rec, 0, &count);
    for (size_t n = 0; n < count; n++)
        if (!list[n].own || n + 1 < count)
            spoil_one(&list[n], what);
    return count == 0;
}

/* Changes the snapshot in a way that a replay must detect; the file stays valid. */
static int fresh(struct recording *rec)
{
    struct session *s;
    struct session_options options = {0};
    check(session_open(rec, &options, &s), "opening a session");
    u64 ran = s->family.ticks_run, all = track_events_last(s->family.events).tick;
    if (!session_idle(s))
        stop(NULL, "nothing is prepared while the user looks");
    session_close(s);
    printf("%llu of %llu ticks\n", (unsigned long long)ran, (unsigned long long)all);
    return ran > all / 4;
}

/* The session must have replayed less than a quarter of the run to reach its end, and prepares
 * steps back meanwhile. */

static struct text state_at(struct session *s, struct moment at)
{
    struct session_stop stopped;
    struct replayer *r;
    check(movement_goto(s, at, &stopped), "going");
    check(session_present(s, &r), "the present");
    return describe(r);
}

/* A recording that was trimmed has the same states, as far as it goes. */
static int trimmed(struct recording *rec, struct recording *other, u32 track)
{
    struct session *whole, *part;
    struct session_options options = {.track = track, .at_start = true};
    check(session_open(rec, &options, &whole), "opening the whole");
    options.track = 0;
    check(session_open(other, &options, &part), "opening a part");
    struct moment first = session_first(part), last = session_last(part);
    if (!session_is_trimmed(part) || session_is_trimmed(whole) || moment_compare(first, last) >= 0)
        stop(NULL, "it is not trimmed");
    for (unsigned n = 0; n <= 6; n++) {
        struct moment at = {first.tick + (last.tick - first.tick) * n / 6, 0};
        at = n == 0 ? first : n == 6 ? last : at;
        struct text x = state_at(whole, at), y = state_at(part, at);
        /* the first line tells whether it is the end */
        if (strcmp(strchr(x.bytes, '\n'), strchr(y.bytes, '\n')) != 0) {
            fprintf(stderr, "%.600s\n%.600s\n", x.bytes, y.bytes);
            stop(NULL, "states differ");
        }
        free(x.bytes);
        free(y.bytes);
    }
    session_close(part);
    session_close(whole);
    puts("7 states are the same");
    return 0;
}

int main(int argc, char **argv)
{
    struct recording *rec, *other;
    if (argc >= 4 && strcmp(argv[2], "trimmed") == 0) {
        check(recording_open(argv[1], &rec), "opening");
        check(recording_open(argv[3], &other), "opening");
        return trimmed(rec, other, argc > 4 ? (u32)strtoul(argv[4], NULL, 10) : 0);
    }
    if (argc > 4 && strcmp(argv[2], "store") == 0) {
        check(recording_open(argv[1], &rec), "opening");
        seed = random_state = strtoull(argv[3], NULL, 10);
        return store(rec, strtoull(argv[4], NULL, 10), argc > 5 ? (u32)strtoul(argv[5], NULL, 10) : 0);
    }
    if (argc == 4 && strcmp(argv[2], "spoil") == 0) {
        check(recording_open(argv[1], &rec), "opening");
        return spoil(rec, argv[3]);
    }
    if (argc == 3 && strcmp(argv[2], "fresh") == 0) {
        check(recording_open(argv[1], &rec), "opening");
        return fresh(rec);
    }
    if (argc == 3 && strcmp(argv[2], "sessions") == 0) {
        check(recording_open(argv[1], &rec), "opening");
        return sessions(rec);
    }
    if (argc == 5 && strcmp(argv[2], "own") == 0) {
        seed = random_state = strtoull(argv[3], NULL, 10);
        check(recording_open(argv[1], &rec), "opening");
        return own(rec, strtoull(argv[4], NULL, 10));
    }
    if (argc < 4)
        return 2;
    seed = random_state = strtoull(argv[2], NULL, 10);
    u64 count = strtoull(argv[3], NULL, 10);
    u32 track = argc > 4 ? (u32)strtoul(argv[4], NULL, 10) : 0;
    check(recording_open(argv[1], &rec), "opening");
    check(replayer_family_init(&family, rec, track, 4242), "events");
    check(replayer_start(&family, &first), "starting");
    u64 from = first->stopped.tick, length = track_events_last(family.events).tick - from;
    for (u64 n = 0; n < count; n++) {
        u64 tick = from + draw(length + 1);
        try_at((struct moment){n + 1 == count ? from + length : tick, 0}, length);
    }
    replayer_destroy(first);
    replayer_family_deinit(&family);
    recording_destroy(rec);
    printf("%u snapshots, %u refused, %u states compared, %u with several threads; %u pages as %u\n",
           figures.taken, figures.refused, figures.compared, figures.waiting, figures.raw_pages,
           figures.stored_pages);
    return 0;
}
