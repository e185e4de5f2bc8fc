/* Snapshots on disk: written and read again, with equal pages and pages of zeros; cut short, and
 * with bits inverted.
 *
 * The rule for damage: a read returns what was written, or an error.
 *
 * unit: src/log/snapshot_file.c src/log/snapshot_reader.c src/log/page_file.c src/log/content_hash.c src/log/crc32c.c src/base/error.c src/base/assert.c src/base/complain.c src/base/xalloc.c -lzstd
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/snapshot_file.h"

enum { PAGE = 4096, PAGES = 100, STATE = 5000, ALL = PAGES * PAGE + STATE };

static int failures;
static u64 seed = 88172645463325252;
static u8 wanted[ALL];

static void report(const char *name, bool right, const char *why)
{
    printf("%s snapshot_file: %s%s%s\n", right ? "ok" : "FAIL", name, right ? "" : ": ", right ? "" : why);
    failures += !right;
}

static u64 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

/* Makes pages of noise, text and zeros, some of them twice. */
static void make_content(void)
{
    for (unsigned n = 0; n < PAGES; n++) {
        u8 *page = wanted + n * PAGE;
        switch (n % 4) {
        case 0:
            for (unsigned i = 0; i < PAGE; i++)
                page[i] = (u8)draw();
            break;
        case 1:
            memset(page, 'a' + (int)(n % 20), PAGE);
            break;
        case 2:
            memcpy(page, wanted + draw() % n * PAGE, PAGE);
            break;
        default:
            memset(page, 0, PAGE);
        }
    }
    for (unsigned i = 0; i < STATE; i++)
        wanted[PAGES * PAGE + i] = (u8)(i / 7);
}

static int file_of(const void *bytes, size_t size)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    return fd;
}

/* 1: the result is what was written, 0: an error, -1: something else. */
static int outcome(int fd)
{
    static u8 got[ALL];
    struct snapshot_about about;
    struct snapshot_raw raw;
    struct error *err = snapshot_file_read(fd, 0, &about, &raw);
    if (err) {
        error_destroy(err);
        return 0;
    }
    bool right = raw.state_at == PAGES * PAGE && raw.state_size == STATE &&
                 pread(raw.fd, got, ALL, 0) == ALL && memcmp(got, wanted, ALL) == 0 &&
                 about.tick == 123 && about.pc == 456 && about.events_met == 789 && about.track == 7 &&
                 about.id[3] == 33;
    close(raw.fd);
    return right ? 1 : -1;
}

/* One whose pages are elsewhere: their places come back. */
static void placed(const struct snapshot_about *about)
{
    struct page_place places[PAGES], *again = NULL;
    u64 count = 0, size = 0;
    struct snapshot_about told;
    struct snapshot_raw raw;
    for (unsigned n = 0; n < PAGES; n++)
        places[n] = n % 7 ? (struct page_place){1 + n / 30, n * (n % 3)} : (struct page_place){0, 0};
    int fd = memfd_create("placed", MFD_CLOEXEC);
    bool right = !snapshot_file_write_placed(fd, about, wanted, STATE, places, PAGES) &&
                 !snapshot_file_places(fd, 0, &again, &count) && count == PAGES &&
                 memcmp(again, places, sizeof places) == 0;
    report("places", right, "they are others");
    right = !snapshot_file_about(fd, 0, &told, &size) && size == (u64)lseek(fd, 0, SEEK_END);
    report("a header with places", right, "it is wrong");
    struct error *err = snapshot_file_read(fd, 0, &told, &raw);
    report("no pages, no snapshot", err, "it was read");
    error_destroy(err);
    free(again);
    close(fd);
}

int main(void)
{
    make_content();
    struct snapshot_about about = {.track = 7, .tick = 123, .pc = 456, .events_met = 789}, again;
    struct snapshot_raw raw = {file_of(wanted, ALL), PAGES * PAGE, STATE};
    about.id[3] = 33;
    int fd = memfd_create("test", MFD_CLOEXEC);
    report("written", !snapshot_file_write(fd, &about, &raw), "an error");
    report("read again", outcome(fd) == 1, "it is another one");
    u64 size = (u64)lseek(fd, 0, SEEK_END), told = 0;
    lseek(fd, 0, SEEK_SET);
    bool known = !snapshot_file_about(fd, 0, &again, &told);
    report("its header", known && told == size && again.tick == 123, "it is wrong");
    report("alike and zero pages once", size < 34 * PAGE, "it is too long");
    u8 *bytes = malloc(size);
    if (pread(fd, bytes, size, 0) != (ssize_t)size)
        abort();
    int wrong = 0, unnoticed = 0;
    for (unsigned n = 0; n < 400; n++) {
        u64 at = n < 130 ? n : draw() % size;
        bytes[at] ^= (u8)(1 << draw() % 8);
        int damaged = file_of(bytes, size), got = outcome(damaged);
        wrong += got < 0;
        unnoticed += got > 0;
        close(damaged);
        pread(fd, bytes + at, 1, (off_t)at);
    }
    report("turned bits", !wrong && !unnoticed, "one was not noticed");
    wrong = 0;
    for (u64 cut = 0; cut < size; cut += 1 + draw() % 3000) {
        int damaged = file_of(bytes, cut);
        wrong += outcome(damaged) != 0;
        close(damaged);
    }
    report("cut short", !wrong, "it was not noticed");
    placed(&about);
    return failures != 0;
}
