/* Page files: written, read again, shrunk; cut short, and with bits inverted. And the recorder's
 * pages: each content is stored once, and frames that nothing refers to are removed.
 *
 * The rule for damage: a read returns what was written, or an error.
 *
 * unit: src/recorder/recorder_pages.c src/log/page_file.c src/log/content_hash.c src/log/crc32c.c src/base/error.c src/base/assert.c src/base/complain.c src/base/xalloc.c -lzstd
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/recorder_pages_internal.h"

enum { PAGE = 4096, PAGES = 70 };

static int failures;
static u64 seed = 88172645463325252;
static u8 wanted[PAGES][PAGE];
static const u8 id[16] = "a recording";

static void report(const char *name, bool right)
{
    printf("%s page_file: %s\n", right ? "ok" : "FAIL", name);
    failures += !right;
}

static u64 draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static void make_pages(void)
{
    for (unsigned n = 0; n < PAGES; n++)
        for (unsigned i = 0; i < PAGE; i++)
            wanted[n][i] = n % 3 ? (u8)draw() : (u8)(n + 1);
}

/* How many pages of the file are as they were; -1: one is wrong. */
static int readable(int dir, const char *name)
{
    struct page_reader *r;
    int count = 0;
    struct error *err = page_reader_open(openat(dir, name, O_RDONLY), 0, id, 1, &r);
    if (err) {
        error_destroy(err);
        return 0;
    }
    for (u32 n = 0; n < PAGES && count >= 0; n++) {
        const u8 *frame;
        err = page_reader_frame(r, n, &frame);
        if (!err)
            count = memcmp(frame + n % PAGE_FILE_FRAME * PAGE, wanted[n], PAGE) == 0 ? count + 1 : -1;
        error_destroy(err);
    }
    page_reader_close(r);
    return count;
}

static u64 size_of(int dir, const char *name)
{
    struct stat st;
    return fstatat(dir, name, &st, 0) == 0 ? (u64)st.st_size : 0;
}

static void damage(int dir)
{
    static u8 whole[PAGES * PAGE + 4096];
    int from = openat(dir, "pages-1", O_RDONLY);
    ssize_t size = read(from, whole, sizeof whole);
    bool right = true;
    close(from);
    for (unsigned n = 0; n < 60; n++) {
        int fd = openat(dir, "damaged", O_RDWR | O_CREAT | O_TRUNC, 0600);
        size_t at = draw() % (size_t)size, end = n % 2 ? (size_t)size : at;
        u8 bit = (u8)(1 << draw() % 8);
        whole[at] ^= n % 2 ? bit : 0;
        right = right && write(fd, whole, end) == (ssize_t)end && readable(dir, "damaged") >= 0 &&
                readable(dir, "damaged") < PAGES;
        whole[at] ^= n % 2 ? bit : 0;
        close(fd);
    }
    unlinkat(dir, "damaged", 0);
    report("damage is noticed", right);
}

static void one_file(int dir)
{
    struct page_writer *w;
    u64 bytes = 0, less = 0;
    bool keep[PAGES] = {[PAGE_FILE_FRAME + 3] = true, [PAGES - 1] = true};
    struct error *err = page_writer_create(dir, id, 1, &w);
    for (unsigned n = 0; n < PAGES && !err; n++)
        err = page_writer_add(w, wanted[n]);
    if (!err)
        err = page_writer_finish(w, &bytes);
    report("written", !err && bytes == size_of(dir, "pages-1"));
    report("read again", readable(dir, "pages-1") == PAGES);
    damage(dir);
    err = page_file_shrink(dir, id, 1, keep, &less);
    report("shrunk", !err && less < bytes / 10 && less == size_of(dir, "pages-1"));
    for (unsigned n = 0; n < PAGES; n++)
        if (!keep[n])
            memset(wanted[n], 0, PAGE);
    report("what is left of it", readable(dir, "pages-1") ==
                                     PAGE_FILE_FRAME + (PAGES - 1) % PAGE_FILE_FRAME + 1);
    report("names", page_file_names("pages-1") && page_file_names("pages-12.new") &&
                        !page_file_names("pages-") && !page_file_names("pages-01") &&
                        !page_file_names("pages-1.zst"));
    unlinkat(dir, "pages-1", 0);
    make_pages();
}

static bool put_all(struct recorder_pages *p, struct page_place *ret)
{
    struct error *err = NULL;
    for (unsigned n = 0; n < PAGES && !err; n++)
        err = recorder_pages_put(p, wanted[n], &ret[n]);
    if (!err)
        err = recorder_pages_commit(p);
    return !err;
}

static void all_files(int dir)
{
    static const u8 zeros[PAGE];
    struct recording rec = {.dir = dir};
    struct page_place first[PAGES], second[PAGES], zero;
    memcpy(rec.meta.id, id, sizeof id);
    struct recorder_pages *p = recorder_pages_create(&rec);
    memcpy(wanted[5], wanted[4], PAGE);
    report("put", put_all(p, first) && !recorder_pages_put(p, zeros, &zero));
    recorder_pages_hold(p, first, PAGES);
    report("zeros have no place", zero.file == 0);
    report("once within a snapshot", first[5].number == first[4].number);
    wanted[9][100] ^= 1;
    report("put again", put_all(p, second));
    recorder_pages_hold(p, second, PAGES);
    report("once between snapshots", second[8].file == 1 && second[8].number == first[8].number);
    report("what is new", second[9].file == 2 && second[9].number == 0);
    u64 both = recorder_pages_bytes(p);
    recorder_pages_release(p, first, PAGES);
    report("what others refer to stays",
           recorder_pages_bytes(p) == size_of(dir, "pages-1") + size_of(dir, "pages-2") &&
               recorder_pages_bytes(p) > both / 2);
    wanted[9][100] ^= 1;
    report("cancelled", !recorder_pages_put(p, wanted[20], &zero) && zero.file == 1);
    recorder_pages_cancel(p);
    recorder_pages_release(p, second, PAGES);
    report("nothing is left", recorder_pages_bytes(p) == 0 && !size_of(dir, "pages-1") &&
                                  !size_of(dir, "pages-2"));
    report("put once more", put_all(p, first) && first[0].file == 3);
    recorder_pages_hold(p, first, PAGES);
    recorder_pages_release(p, first, PAGES);
    report("and removed", recorder_pages_bytes(p) == 0);
    recorder_pages_destroy(p);
}

int main(void)
{
    char folder[] = "/tmp/ebb-pages.XXXXXX";
    int dir = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
    if (dir < 0)
        return 1;
    make_pages();
    one_file(dir);
    all_files(dir);
    close(dir);
    report("nothing stays", rmdir(folder) == 0);
    return failures != 0;
}
