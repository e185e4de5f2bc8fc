/* Damages the events of a track, keeps the checksums right, and passes the result to everything
 * that reads events.
 *
 *     log_fuzz TRACK ROUNDS SEED
 *
 * Unit tests cover damage that checksums detect; this program tests deliberately wrong events.
 * Meant to be compiled with a sanitizer: it fails by crashing.
 *
 * sources: src/log/reader.c src/log/event.c src/log/crc32c.c src/log/syscall_table.c
 *          src/log/syscall_rows.c src/log/syscall_words.c src/log/siginfo_text.c src/log/syscall_text.c
 *          src/log/syscall_text_structs.c src/front/cli/event_text.c src/front/cli/call_text.c
 *          src/base/json_text.c src/base/error.c src/base/complain.c src/base/xalloc.c
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/types.h"
#include "front/cli/event_text.h"
#include "log/crc32c.h"
#include "log/reader.h"

static u64 seed;
static u8 original[CHUNK_RAW_MOST], damaged[CHUNK_RAW_MOST];
static u64 offsets[CHUNK_RAW_MOST / 40];
static u64 size, count;

static u64 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Loads as many events of the track as fit in a chunk. */
static bool load(const char *path)
{
    struct reader *r;
    const struct event *e;
    struct error *err = reader_open(AT_FDCWD, path, &r);
    while (!err && !(err = reader_next(r, &e)) && e && size + e->size <= sizeof original) {
        memcpy(original + size, e, e->size);
        offsets[count++] = size;
        size += e->size;
    }
    if (!err)
        reader_close(r);
    else
        error_complain(err, 1);
    return !err && count > 0;
}

/* Damages one field, mostly near the start of an event, where the lengths are. */
static void damage_once(void)
{
    static const u64 values[] = {0, 1, 7, 8, 0x7fffffff, 0x80000000, 0xffffffff, -1ul, 1ul << 63,
                                 0xfffffffffffffff8, 4096, 131072};
    u64 at = offsets[draw() % count] + 8 * (draw() % 16), width = 1ul << draw() % 4;
    u64 value = draw() % 3 ? values[draw() % countof(values)] : draw();
    at += draw() % 8 / width * width;
    if (at + width <= size)
        memcpy(damaged + at, &value, width);
}

/* Writes a track whose only chunk is the content of `damaged`. */
static void store(int fd)
{
    struct format_file header = {.version = FORMAT_VERSION, .parent = TRACK_NONE};
    struct format_chunk chunk = {.magic = CHUNK_MAGIC, .raw_size = (u32)size, .stored_size = (u32)size};
    memcpy(header.magic, FORMAT_MAGIC, sizeof header.magic);
    header.crc = crc32c(&header, offsetof(struct format_file, crc));
    chunk.first_tick = ((struct event *)damaged)->tick;
    chunk.crc = crc32c(damaged, size);
    chunk.header_crc = crc32c(&chunk, offsetof(struct format_chunk, header_crc));
    if (ftruncate(fd, 0) < 0 || pwrite(fd, &header, sizeof header, 0) < 0 ||
        pwrite(fd, &chunk, sizeof chunk, sizeof header) < 0 ||
        pwrite(fd, damaged, size, sizeof header + sizeof chunk) < 0)
        exit(2);
}

/* Runs everything that reads events; returns how many events it saw. */
static u64 read_all(const char *path, FILE *out)
{
    struct reader *r;
    const struct event *e;
    struct error *err = reader_open(AT_FDCWD, path, &r);
    if (err)
        exit(error_complain(err, 2));
    u64 seen = 0;
    for (; !(err = reader_next(r, &e)) && e; seen++) {
        struct json j = {.out = out};
        event_print(out, e);
        json_open(&j, NULL, '{');
        event_print_json(&j, e);
        json_close(&j, '}');
    }
    error_destroy(err);
    reader_close(r);
    return seen;
}

int main(int argc, char **argv)
{
    if (argc != 4 || !load(argv[1]))
        return 2;
    char path[64];
    int fd = memfd_create("track", 0);
    FILE *out = fopen("/dev/null", "w");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    seed = strtoull(argv[3], NULL, 10) * 2 + 1;
    u64 rounds = strtoull(argv[2], NULL, 10), seen = 0;
    for (u64 i = 0; i < rounds; i++) {
        memcpy(damaged, original, size);
        for (u64 n = 1 + draw() % 4; n > 0; n--)
            damage_once();
        store(fd);
        seen += read_all(path, out);
    }
    printf("%llu rounds, %llu events read\n", (unsigned long long)rounds, (unsigned long long)seen);
    return seen == 0;
}
