/* A track written and read again: complete, cut at every byte, and with every bit inverted.
 *
 * The rule for damage: the reader returns a beginning of what was written, and reports that
 * something is missing.
 *
 * unit: src/log/writer.c src/log/reader.c src/log/event.c src/log/crc32c.c src/base/assert.c src/base/error.c src/base/complain.c src/base/xalloc.c -lzstd
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/types.h"
#include "log/crc32c.h"
#include "log/event.h"
#include "log/reader.h"
#include "log/writer.h"

static int failures, dir;

static void report(const char *name, bool right, const char *why)
{
    if (right)
        printf("ok log_file: %s\n", name);
    else
        printf("FAIL log_file: %s: %s\n", name, why);
    failures += !right;
}

static u64 seed = 88172645463325252;

static u64 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Fills `room` with event `number` of a track, with about `bytes` bytes of memory in it. */
static u64 make_event(u8 *room, u64 number, u64 bytes)
{
    struct event *e = (struct event *)room;
    *e = (struct event){.kind = number ? EVENT_SYSCALL : EVENT_START, .tick = number, .pc = draw(),
                        .time = number * 100 + 1};
    u64 at = number ? sizeof(struct event_syscall) : sizeof(struct event_start);
    memset(e->payload, 0, at);
    if (!number)
        *(struct event_start *)e->payload = (struct event_start){.realtime = 5000,
                                                                 .frequency = 500000000};
    struct event_piece *piece = (struct event_piece *)(e->payload + at);
    *piece = (struct event_piece){.address = draw(), .size = (u32)bytes};
    memset(piece + 1, 0, format_padded(bytes));
    for (u64 i = 0; i < bytes; i += 3)
        ((u8 *)(piece + 1))[i] = (u8)draw();
    e->size = (u32)(sizeof *e + at + sizeof *piece + format_padded(bytes));
    return e->size;
}

/* Writes `count` events with up to `most` bytes in each, and stores them in *all. Makes a chunk
 * every `flush` events. */
static struct error *write_track(const char *name, u64 count, u64 most, u64 flush, u8 **all,
                                 u64 *all_size)
{
    struct writer *w;
    struct format_file header = {.track = 3, .parent = TRACK_NONE, .pid = 42};
    unlinkat(dir, name, 0);
    struct error *err = writer_open(dir, name, &header, &w);
    *all = malloc(count * (most + 256) + 1);
    *all_size = 0;
    for (u64 i = 0; !err && i < count; i++) {
        u64 size = make_event(writer_room(w), i, most ? draw() % most : 0);
        memcpy(*all + *all_size, writer_room(w), size);
        *all_size += size;
        err = writer_commit(w, size, i % 2);
        if (!err && flush && i % flush == flush - 1)
            err = writer_flush(w);
    }
    return err ? err : writer_close(w);
}

enum outcome { WHOLE, CUT, DAMAGED, WRONG };

/* Reads the file; WRONG if it returns something that was never written. */
static enum outcome read_track(const char *name, const u8 *all, u64 all_size, u64 *read)
{
    struct reader *r;
    const struct event *e;
    *read = 0;
    struct error *err = reader_open(dir, name, &r);
    if (err) {
        error_destroy(err);
        return DAMAGED;
    }
    enum outcome outcome = WHOLE;
    while (!(err = reader_next(r, &e)) && e) {
        if (e->size > all_size - *read || memcmp(e, all + *read, e->size) != 0) {
            outcome = WRONG;
            break;
        }
        *read += e->size;
    }
    if (err)
        outcome = DAMAGED;
    else if (outcome == WHOLE && reader_cut(r))
        outcome = CUT;
    error_destroy(err);
    reader_close(r);
    return outcome;
}

static const struct round_trip {
    const char *name;
    u64 count, most, flush;
} round_trips[] = {
    {"one event", 1, 0, 0},
    {"small events", 5000, 64, 0},
    {"a chunk each", 50, 500, 1},
    {"large events", 100, 100000, 0},
    {"the largest events", 20, EVENT_SIZE_MOST - 256, 0},
};

static void check_round_trips(void)
{
    for (const struct round_trip *t = round_trips; t < round_trips + countof(round_trips); t++) {
        u8 *all;
        u64 size, read;
        struct error *err = write_track("track", t->count, t->most, t->flush, &all, &size);
        enum outcome outcome = err ? WRONG : read_track("track", all, size, &read);
        report(t->name, outcome == WHOLE && read == size, err ? error_text(err) : "read wrongly");
        free(all);
    }
}

/* The file as bytes. */
static u8 *load(const char *name, u64 *size)
{
    struct stat st;
    int fd = openat(dir, name, O_RDONLY);
    fstat(fd, &st);
    u8 *bytes = malloc((size_t)st.st_size + 1);
    *size = (u64)read(fd, bytes, (size_t)st.st_size);
    close(fd);
    return bytes;
}

static void store(const char *name, const u8 *bytes, u64 size)
{
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (write(fd, bytes, size) != (ssize_t)size)
        report("writing", false, "it fails");
    close(fd);
}

static void check_cuts(const u8 *file, u64 file_size, const u8 *all, u64 size)
{
    u64 bad = 0, before = 0, read, falls = 0;
    for (u64 cut = 0; cut < file_size; cut++) {
        store("damaged", file, cut);
        enum outcome outcome = read_track("damaged", all, size, &read);
        bad += outcome == WHOLE || outcome == WRONG ||
               (cut >= sizeof(struct format_file) && outcome != CUT);
        falls += read < before;
        before = read;
    }
    report("cut at every byte", bad == 0, "a cut file was taken for whole");
    report("a longer file gives no less", falls == 0 && before == size, "it does");
}

static void check_flips(const u8 *file, u64 file_size, const u8 *all, u64 size)
{
    u64 bad = 0, read;
    u8 *copy = malloc(file_size);
    memcpy(copy, file, file_size);
    for (u64 bit = 0; bit < 8 * file_size; bit++) {
        copy[bit / 8] ^= 1 << bit % 8;
        store("damaged", copy, file_size);
        enum outcome outcome = read_track("damaged", all, size, &read);
        bad += outcome == WHOLE || outcome == WRONG;
        copy[bit / 8] ^= 1 << bit % 8;
    }
    free(copy);
    report("every bit turned over", bad == 0, "it was not noticed");
}

/* Inserted, removed and swapped bytes; garbage; nothing. */
static void check_foreign(const u8 *file, u64 file_size, const u8 *all, u64 size)
{
    u64 bad = 0, read;
    u8 *copy = malloc(2 * file_size);
    for (int i = 0; i < 2000; i++) {
        u64 length = file_size, from = draw() % file_size, to = draw() % file_size;
        memcpy(copy, file, file_size);
        u64 run = 1 + draw() % 64;
        if (from + run > file_size || to + run > file_size)
            continue;
        memmove(copy + to, copy + from, run);
        if (i % 3 == 0)
            for (u64 k = 0; k < run; k++)
                copy[to + k] = (u8)draw();
        if (i % 3 == 1)
            length -= run;
        store("damaged", copy, length);
        enum outcome outcome = read_track("damaged", all, size, &read);
        bad += outcome == WRONG || (outcome == WHOLE && memcmp(copy, file, file_size) != 0);
    }
    memcpy(copy, file, file_size);
    memcpy(copy + file_size, file, file_size);
    store("damaged", copy, 2 * file_size);
    bad += read_track("damaged", all, size, &read) != DAMAGED;
    free(copy);
    report("bytes moved and replaced", bad == 0, "it was not noticed");
}

static void check_damage(void)
{
    u8 *all;
    u64 size, file_size;
    struct error *err = write_track("track", 12, 40, 4, &all, &size);
    if (err) {
        report("damage", false, error_text(err));
        return;
    }
    u8 *file = load("track", &file_size);
    check_cuts(file, file_size, all, size);
    check_flips(file, file_size, all, size);
    check_foreign(file, file_size, all, size);
    free(file);
    free(all);
}

/* Events whose parts extend beyond them, in a file whose checksums are right. */
static const struct malformed {
    const char *name;
    u16 kind;
    u32 payload;    /* bytes */
    u32 word[8];    /* the first of them */
    bool good;
} malformed[] = {
    {"syscall", EVENT_SYSCALL, 16, {0}, true},
    {"short syscall", EVENT_SYSCALL, 8, {0}, false},
    {"arguments that do not fit", EVENT_SYSCALL, 16, {1, 6u << 16}, false},
    {"arguments", EVENT_SYSCALL, 64, {1, 6u << 16}, true},
    {"seven arguments", EVENT_SYSCALL, 72, {1, 7u << 16}, false},
    {"piece", EVENT_DATA, 32, {0, 0, 0, 0, 8, 0}, true},
    {"piece with a header alone", EVENT_DATA, 16, {0}, false},
    {"piece too large", EVENT_DATA, 32, {0, 0, 0, 0, 9, 0}, false},
    {"piece as large as can be", EVENT_DATA, 32, {0, 0, 0, 0, 0xffffffff, 0}, false},
    {"shared", EVENT_SHARED, 32, {0, 1, 0, 0, 8, 0}, true},
    {"shared piece too large", EVENT_SHARED, 32, {0, 1, 0, 0, 9, 0}, false},
    {"short shared", EVENT_SHARED, 0, {0}, false},
    {"clock", EVENT_CLOCK, 16, {0, 1}, true},
    {"clock with too many values", EVENT_CLOCK, 16, {0, 2}, false},
    {"clock with far too many", EVENT_CLOCK, 16, {0, 0x20000001}, false},
    {"short map", EVENT_MAP, 64, {0}, false},
    {"note", EVENT_NOTE, 16, {0, 8}, true},
    {"note too long", EVENT_NOTE, 16, {0, 0xfffffff8}, false},
    {"second start", EVENT_START, 56, {0}, false},
    {"pad in a file", EVENT_PAD, 0, {0}, false},
    {"unknown kind", 999, 8, {0}, false},
    {"unknown kind that may be passed over", EVENT_OPTIONAL | 999, 8, {0}, true},
    {"short end", EVENT_END, 8, {0}, false},
};

static void check_malformed(void)
{
    for (const struct malformed *m = malformed; m < malformed + countof(malformed); m++) {
        struct writer *w;
        struct reader *r;
        const struct event *e;
        unlinkat(dir, "bad", 0);
        struct error *err = writer_open(dir, "bad", &(struct format_file){0}, &w);
        u64 size = make_event(writer_room(w), 0, 0);
        struct event *second = (struct event *)(writer_room(w) + size);
        memset(second, 0, 256);
        second->size = (u32)sizeof *second + m->payload;
        second->kind = m->kind;
        memcpy(second->payload, m->word, sizeof m->word);
        writer_commit(w, size + second->size, false);
        writer_close(w);
        err = reader_open(dir, "bad", &r);
        if (!err)
            err = reader_next(r, &e);
        bool first = !err && e;
        if (first)
            err = reader_next(r, &e);
        report(m->name, first && !err == m->good, err ? error_text(err) : "it was taken");
        error_destroy(err);
        reader_close(r);
    }
}

/* 5000 ns at a stamp of 1, then 2 ns for each of 100 a number. */
static void check_time(void)
{
    struct reader *r;
    const struct event *e;
    u8 *all;
    u64 size;
    write_track("track", 10, 10, 0, &all, &size);
    bool right = !reader_open(dir, "track", &r);
    for (u64 i = 0; right && i < 10; i++)
        right = !reader_next(r, &e) && e && reader_number(r) == i && reader_time(r) == 5000 + 200 * i;
    report("times", right, "they are wrong");
    reader_close(r);
    free(all);
}

static void check_opening(void)
{
    static const char *const names[] = {"nosuch", ".", "fifo"};
    struct reader *r;
    mkfifoat(dir, "fifo", 0600);
    bool right = true;
    for (size_t i = 0; i < countof(names); i++) {
        struct error *err = reader_open(dir, names[i], &r);
        right &= err != NULL;
        error_destroy(err);
    }
    report("what is no file", right, "it was opened");
}

int main(void)
{
    char path[] = "/tmp/ebb-unit.XXXXXX";
    if (!mkdtemp(path) || (dir = open(path, O_RDONLY | O_DIRECTORY)) < 0) {
        printf("skip log_file: no directory to write to\n");
        return 0;
    }
    static const u8 zeros[100000];
    bool same = true;
    for (u64 n = 0; n <= sizeof zeros; n = 3 * n + 1)
        same &= crc32c_zeros(crc32c("abc", 3), n) == crc32c_more(crc32c("abc", 3), zeros, n);
    report("crc32c of zeros", same && crc32c_zeros(0, 0) == 0, "it is another");
    report("crc32c", crc32c("123456789", 9) == 0xe3069283 && crc32c("", 0) == 0, "it is another");
    check_round_trips();
    check_damage();
    check_malformed();
    check_time();
    check_opening();
    static const char *const made[] = {"track", "damaged", "bad", "fifo"};
    for (size_t i = 0; i < countof(made); i++)
        unlinkat(dir, made[i], 0);
    rmdir(path);
    return failures != 0;
}
