/* The files in which translations are kept: see kept_file.h.
 *
 * Parts are mapped privately: pages that stay as they are, are shared by all processes that use the
 * file, and those that a process changes become its own. Reading the header and comparing the seal
 * takes some microseconds; summing up the content, which a file without a seal needs, takes about
 * 0.1 ms for each megabyte.
 */
#include "engine/translate/kept_file.h"

#include <asm/stat.h>
#include <linux/fcntl.h>
#include <linux/stat.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"

#define KEPT_MAGIC 0x326e61727462652eul /* changes with the form of the file */

enum {
    HEADER = 4096,
    FILES = CODE_FILES_MOST * sizeof(struct code_file),
    PRIVATE = 0600,
    DISK_LEFT = 64 << 20,
};

#define NOW ((1ul << 30) - 1)  /* UTIME_NOW */
#define OMIT ((1ul << 30) - 2) /* UTIME_OMIT */

_Static_assert(sizeof(struct kept_header) <= HEADER && FILES % PAGE_SIZE == 0, "pages");

/* --- sums ----------------------------------------------------------------------- */

/* Four sums beside each other, so that none waits for the others. */
struct sums {
    u64 lane[4];
};

static void sums_add(struct sums *s, const void *bytes, u64 size)
{
    const u64 *word = bytes;
    for (u64 n = 0; n + 4 <= size / 8; n += 4)
        for (unsigned i = 0; i < 4; i++) {
            u64 mixed = (s->lane[i] ^ word[n + i]) * 0x9e3779b97f4a7c15;
            s->lane[i] = mixed << 31 | mixed >> 33;
        }
}

static u64 sums_end(const struct sums *s)
{
    u64 sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum = (sum ^ s->lane[i]) * 0xff51afd7ed558ccd ^ sum >> 29;
    return sum;
}

static u64 head_sum(const struct kept_header *h)
{
    struct sums s = {{1, 2, 3, 4}};
    const u64 *from = &h->body_sum;
    u64 size = (u64)((const u8 *)(h + 1) - (const u8 *)from);
    sums_add(&s, from, size);
    for (u64 n = size / 32 * 4; n < size / 8; n++)
        s.lane[n % 4] = (s.lane[n % 4] ^ from[n]) * 0x9e3779b97f4a7c15;
    return sums_end(&s);
}

static u64 body_sum(const struct kept_part parts[KEPT_PARTS])
{
    struct sums s = {{5, 6, 7, 8}};
    for (unsigned n = 0; n < KEPT_PARTS; n++)
        sums_add(&s, (const void *)parts[n].at, page_up(parts[n].size));
    return sums_end(&s);
}

/* --- the seal -------------------------------------------------------------------- */

static void seal_of(const struct kept_header *h, u64 ret[2])
{
    ret[0] = 1000000000 + (h->body_sum & 0x1fffffff);
    ret[1] = (h->body_sum >> 32) % 1000000000;
}

static void set_seal(i32 fd, const struct kept_header *h)
{
    u64 times[4] = {0, NOW};
    seal_of(h, times + 2);
    kernel_call(__NR_utimensat, fd, 0, times, 0);
}

void kept_file_used(i32 fd)
{
    u64 times[4] = {0, NOW, 0, OMIT};
    kernel_call(__NR_utimensat, fd, 0, times, 0);
}

static bool read_boot(char ret[KEPT_BOOT])
{
    memset(ret, 0, KEPT_BOOT);
    i64 fd = kernel_call(__NR_open, "/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (kernel_failed(fd))
        return false;
    i64 got = kernel_call(__NR_read, fd, ret, KEPT_BOOT - 1);
    kernel_call(__NR_close, fd);
    return !kernel_failed(got) && got > 0;
}

/* --- writing --------------------------------------------------------------------- */

static bool write_at(i32 fd, u64 offset, const void *from, u64 size)
{
    for (u64 done = 0; done < size;) {
        i64 got =
            kernel_call(__NR_pwrite64, fd, (const u8 *)from + done, size - done, offset + done);
        if (kernel_failed(got) || !got)
            return false;
        done += (u64)got;
    }
    return true;
}

static bool kept_write_head(i32 fd, struct kept_header *h)
{
    h->magic = KEPT_MAGIC;
    h->head_sum = head_sum(h);
    return write_at(fd, 0, h, sizeof(*h));
}

static u64 files_size(u64 count)
{
    return page_up(count * sizeof(struct code_file));
}

static bool kept_write_all(i32 fd, struct kept_header *h, const struct code_files *files)
{
    u64 offset = HEADER + files_size(h->file_count);
    if (!write_at(fd, HEADER, files->file, h->file_count * sizeof(struct code_file)))
        return false;
    for (unsigned n = 0; n < KEPT_PARTS; n++) {
        u64 size = page_up(h->parts[n].size);
        if (!write_at(fd, offset, (const void *)h->parts[n].at, size))
            return false;
        offset += size;
    }
    return kept_write_head(fd, h);
}

static bool limit_allows(u64 size)
{
    enum { RLIMIT_FSIZE = 1 };
    u64 limit[2];
    return !kernel_call(__NR_prlimit64, 0, RLIMIT_FSIZE, NULL, limit) && limit[0] >= size;
}

/* A single file takes at most half of the folder's room, and a disk is not filled: a recording may
 * need it. */
static bool disk_allows(const char *folder, u64 size)
{
    u64 about[15]; /* struct statfs: the block size is the second word, free blocks the fifth */
    return size <= settings.kept_most / 2 && !kernel_call(__NR_statfs, folder, about) &&
           about[1] * about[4] > size + DISK_LEFT;
}

static void name_draft(struct kept_path *ret, const char *folder)
{
    struct text t = TEXT(ret->text);
    text_add(&t, folder);
    text_add(&t, "/draft.");
    text_add_signed(&t, kernel_call(__NR_getpid));
}

bool kept_file_write(const char *folder, const struct kept_path *path, struct kept_header *h,
                     const struct code_files *files)
{
    struct kept_path draft;
    h->file_count = files->count;
    h->size = HEADER + files_size(h->file_count);
    for (unsigned n = 0; n < KEPT_PARTS; n++)
        h->size += page_up(h->parts[n].size);
    if (!limit_allows(h->size) || !disk_allows(folder, h->size) || !read_boot(h->boot))
        return false;
    name_draft(&draft, folder);
    i64 fd = kernel_call(__NR_open, draft.text, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, PRIVATE);
    if (kernel_failed(fd)) {
        kernel_call(__NR_unlink, draft.text); /* left by a process of the same number that died */
        return false;
    }
    h->body_sum = body_sum(h->parts);
    bool good = kept_write_all((i32)fd, h, files);
    if (good) {
        set_seal((i32)fd, h);
        good = !kernel_call(__NR_rename, draft.text, path->text);
    }
    if (!good)
        kernel_call(__NR_unlink, draft.text);
    kernel_call(__NR_close, fd);
    return good;
}

/* --- reading --------------------------------------------------------------------- */

static bool is_private(const struct stat *s)
{
    return (s->st_mode & S_IFMT) == S_IFREG && !(s->st_mode & 077) &&
           (i64)s->st_uid == kernel_call(__NR_geteuid);
}

static bool kept_is_sealed(const struct stat *s, const struct kept_header *h)
{
    char boot[KEPT_BOOT];
    u64 seal[2];
    seal_of(h, seal);
    return (u64)s->st_mtime == seal[0] && (u64)s->st_mtime_nsec == seal[1] && read_boot(boot) &&
           !memcmp(boot, h->boot, KEPT_BOOT);
}

i32 kept_file_open(const struct kept_path *path, struct kept_header *ret, bool *ret_sealed)
{
    struct stat s;
    i64 fd = kernel_call(__NR_open, path->text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (kernel_failed(fd))
        return -1;
    bool good = !kernel_call(__NR_fstat, fd, &s) && is_private(&s) &&
                kernel_call(__NR_pread64, fd, ret, sizeof(*ret), 0) == sizeof(*ret) &&
                ret->magic == KEPT_MAGIC && ret->head_sum == head_sum(ret) &&
                ret->size == (u64)s.st_size;
    if (good) {
        *ret_sealed = kept_is_sealed(&s, ret);
        return (i32)fd;
    }
    kernel_call(__NR_close, fd);
    return -1;
}

bool kept_file_matches(i32 fd, const struct kept_header *h, const struct code_files *files)
{
    enum { AT_ONCE = 32 };
    struct code_file some[AT_ONCE];
    if (h->file_count != files->count)
        return false;
    for (u64 n = 0; n < h->file_count; n += AT_ONCE) {
        u64 left = h->file_count - n, count = left < AT_ONCE ? left : AT_ONCE;
        u64 size = count * sizeof(some[0]);
        if (kernel_call(__NR_pread64, fd, some, size, HEADER + n * sizeof(some[0])) != (i64)size ||
            memcmp(some, &files->file[n], size))
            return false;
    }
    return true;
}

static bool kept_read_all(i32 fd, u64 to, u64 size, u64 offset)
{
    for (u64 done = 0; done < size;) {
        i64 got = kernel_call(__NR_pread64, fd, to + done, size - done, offset + done);
        if (kernel_failed(got) || !got)
            return false;
        done += (u64)got;
    }
    return true;
}

/* The folder may be on a file system that forbids execution: then code is read. */
static void kept_map_part(i32 fd, const struct kept_part *part, bool is_code, u64 offset)
{
    u64 size = page_up(part->size);
    u32 protection = PROT_READ | PROT_WRITE | (is_code ? PROT_EXEC : 0);
    if (!size)
        return;
    i64 got = kernel_call(__NR_mmap, part->at, size, protection,
                          MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, fd, offset);
    if (kernel_failed(got) && !kept_read_all(fd, part->at, size, offset))
        engine_stop("kept translations cannot be read", NULL);
}

void kept_file_map(i32 fd, const struct kept_header *h)
{
    u64 offset = HEADER + files_size(h->file_count);
    for (unsigned n = 0; n < KEPT_PARTS; n++) {
        kept_map_part(fd, &h->parts[n], n < CODE_CACHE_PARTS, offset);
        offset += page_up(h->parts[n].size);
    }
}

bool kept_file_verify(const struct kept_path *path, struct kept_header *h)
{
    if (body_sum(h->parts) != h->body_sum)
        return false;
    i64 writable = kernel_call(__NR_open, path->text, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (kernel_failed(writable))
        return true;
    if (read_boot(h->boot) && kept_write_head((i32)writable, h))
        set_seal((i32)writable, h);
    kernel_call(__NR_close, writable);
    return true;
}
