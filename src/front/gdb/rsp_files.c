/* vFile: files that the client can read: those of the recording by their original names, and files
 * of /proc as they would have been.
 *
 * A client may request any file, but gets only those that the program of this track had mapped, and
 * their debug information; of a packed recording, what was packed. A name counts by what it
 * resolves to, through symbolic links and `..`. Clients read sources themselves.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "front/gdb/debug_file.h"
#include "front/gdb/library_name.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"
#include "log/recording_file.h"

enum { FILEIO_WRITE_FLAGS = 3, FILEIO_UNKNOWN = 9999 };

/* The protocol has its own errno values; these are the same everywhere. */
static int protocol_errno(int number)
{
    return number > 0 && number <= EROFS ? number : FILEIO_UNKNOWN;
}

static void file_fail(struct rsp *r, int number)
{
    reply_clear(&r->reply);
    reply_text(&r->reply, "F-1,%x", protocol_errno(number));
}

static bool rsp_files_read_name(const char **at, char *room, size_t size)
{
    size_t length = strcspn(*at, ",");
    if (length / 2 >= size)
        return false;
    long got = 0;
    for (; got < (long)length / 2; got++)
        if (wire_unhex(*at + 2 * got, room + got, 1) != 1)
            return false;
    room[got] = '\0';
    *at += length;
    return length % 2 == 0 && strlen(room) == (size_t)got && got > 0;
}

static int free_slot(const struct rsp *r)
{
    for (int i = 0; i < RSP_FILES_MOST; i++)
        if (!r->files[i].used)
            return i;
    return -1;
}

/* A generated file keeps the content that it had when it was opened. */
static bool open_made(struct rsp *r, const char *path, int slot)
{
    struct reply text = {0};
    if (!proc_text(r, path, &text)) {
        reply_deinit(&text);
        return false;
    }
    r->files[slot].fd = -1;
    r->files[slot].bytes = text.bytes;
    r->files[slot].size = text.size;
    return true;
}

/* Finds a file of the recording by its original name. */
static bool find_recorded(struct rsp *r, const char *path, int *ret)
{
    struct error *err = recording_file(r->rec, path, ret);
    error_destroy(err);
    return !err;
}

/* Iterates over the mapped files; *at is 0 at first. */
static const char *next_mapped(const struct rsp *r, size_t *at)
{
    const struct rsp_facts *f = &r->facts;
    if (*at >= f->mapped_size)
        return NULL;
    const char *ret = f->mapped + *at;
    *at += strlen(ret) + 1;
    return ret;
}

static bool is_mapped(const struct rsp *r, const char *path)
{
    const char *name;
    for (size_t at = 0; (name = next_mapped(r, &at));)
        if (strcmp(name, path) == 0)
            return true;
    return false;
}

/* Finds the first available mapped file with the name, or with this as its DT_SONAME. */
static bool find_mapped(struct rsp *r, const char *name, bool itself, int *ret)
{
    const char *mapped;
    for (size_t at = 0; (mapped = next_mapped(r, &at));) {
        int fd;
        if ((!itself && !library_name_fits(mapped, name)) || !find_recorded(r, mapped, &fd))
            continue;
        if (!itself || library_name_is_own(fd, name)) {
            *ret = fd;
            return true;
        }
        close(fd);
    }
    return false;
}

/* The dynamic linker's name for a library may differ from that of its file. Debug files, which
 * clients try under many names, are found only by their own name. */
static bool find_library(struct rsp *r, const char *path, int *ret)
{
    if (debug_file_has_name(path))
        return false;
    return find_mapped(r, path, false, ret) || find_mapped(r, path, true, ret);
}

static bool explains_mapped(struct rsp *r, int fd, const char *path)
{
    const char *mapped;
    bool ret = debug_file_is_shared(fd, path);
    for (size_t at = 0; !ret && (mapped = next_mapped(r, &at));) {
        int of;
        if (!find_recorded(r, mapped, &of))
            continue;
        ret = debug_file_is_of(fd, path, of);
        close(of);
    }
    return ret;
}

/* The name has no symbolic links, so the file there is the one requested. */
static bool find_debug(struct rsp *r, const char *path, int *ret)
{
    struct stat st;
    int fd = debug_file_has_name(path)
                 ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    if (fd < 0)
        return false;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !explains_mapped(r, fd, path)) {
        close(fd);
        return false;
    }
    *ret = fd;
    return true;
}

/* Returns 0 or an errno: the name does not exist, or leads outside of the recording. */
static int find_file(struct rsp *r, const char *path, int *ret)
{
    char real[PATH_MAX];
    bool packed = r->rec->pack, leads = path[0] == '/' && !packed && realpath(path, real);
    bool recorded = path[0] == '/' && (packed || is_mapped(r, path));
    if (recorded && find_recorded(r, path, ret))
        return 0;
    if (leads && is_mapped(r, real) ? find_recorded(r, real, ret)
                                    : leads && find_debug(r, real, ret))
        return 0;
    if (find_library(r, path, ret))
        return 0;
    return leads && !recorded && !is_mapped(r, real) ? EACCES : ENOENT;
}

static int open_recorded(struct rsp *r, const char *path, int slot)
{
    struct stat st;
    int fd, error = find_file(r, path, &fd);
    if (error)
        return error;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        close(fd);
        return ENOENT;
    }
    r->files[slot].fd = fd;
    r->files[slot].bytes = NULL;
    r->files[slot].size = (size_t)st.st_size;
    return 0;
}

static int open_slot(struct rsp *r, const char *path, int slot)
{
    int error = open_made(r, path, slot) ? 0 : open_recorded(r, path, slot);
    r->files[slot].used = !error;
    return error;
}

static void file_open(struct rsp *r, const char *args)
{
    char path[PATH_MAX];
    u64 flags, mode;
    int slot = free_slot(r);
    if (!rsp_files_read_name(&args, path, sizeof path) || *args++ != ',' ||
        !wire_number(&args, &flags) || *args++ != ',' || !wire_number(&args, &mode))
        return file_fail(r, EINVAL);
    if (flags & FILEIO_WRITE_FLAGS)
        return file_fail(r, EROFS);
    if (slot < 0)
        return file_fail(r, EMFILE);
    int error = open_slot(r, path, slot);
    if (error)
        return file_fail(r, error);
    reply_text(&r->reply, "F%x", slot);
}

static int parse_slot(const struct rsp *r, const char **args)
{
    u64 slot;
    return wire_number(args, &slot) && slot < RSP_FILES_MOST && r->files[slot].used ? (int)slot
                                                                                    : -1;
}

static void close_slot(struct rsp *r, int slot)
{
    if (!r->files[slot].used)
        return;
    if (r->files[slot].fd >= 0)
        close(r->files[slot].fd);
    free(r->files[slot].bytes);
    r->files[slot].used = false;
}

static void file_close(struct rsp *r, const char *args)
{
    int slot = parse_slot(r, &args);
    if (slot < 0)
        return file_fail(r, EBADF);
    close_slot(r, slot);
    reply_text(&r->reply, "F0");
}

void rsp_files_close(struct rsp *r)
{
    for (int i = 0; i < RSP_FILES_MOST; i++)
        close_slot(r, i);
}

static ssize_t read_slot(const struct rsp *r, int slot, u8 *to, u64 count, u64 offset)
{
    if (r->files[slot].fd >= 0)
        return pread(r->files[slot].fd, to, count, (off_t)offset);
    if (offset >= r->files[slot].size)
        return 0;
    if (count > r->files[slot].size - offset)
        count = r->files[slot].size - offset;
    memcpy(to, r->files[slot].bytes + offset, count);
    return (ssize_t)count;
}

static void file_pread(struct rsp *r, const char *args)
{
    u64 count, offset;
    int slot = parse_slot(r, &args);
    if (slot < 0)
        return file_fail(r, EBADF);
    if (*args++ != ',' || !wire_number(&args, &count) || *args++ != ',' ||
        !wire_number(&args, &offset) || offset > LONG_MAX)
        return file_fail(r, EINVAL);
    if (count > WIRE_PACKET_MOST / 2 - 32)
        count = WIRE_PACKET_MOST / 2 - 32;
    u8 *room = xalloc(count + 1);
    ssize_t got = read_slot(r, slot, room, count, offset);
    if (got < 0) {
        file_fail(r, errno);
    } else {
        reply_text(&r->reply, "F%zx;", (size_t)got);
        reply_binary(&r->reply, room, (size_t)got);
    }
    free(room);
}

/* The protocol's struct stat: big-endian, 64 bytes. */
static void put_big(u8 *at, u64 value, int size)
{
    for (int i = size - 1; i >= 0; i--, value >>= 8)
        at[i] = (u8)value;
}

static void put_stat(struct rsp *r, u64 size)
{
    enum { REGULAR = 0100444 };
    u8 st[64] = {0};
    put_big(st + 8, REGULAR, 4);
    put_big(st + 12, 1, 4);  /* links */
    put_big(st + 28, size, 8);
    put_big(st + 36, 4096, 8);
    put_big(st + 44, (size + 511) / 512, 8);
    reply_text(&r->reply, "F%zx;", sizeof st);
    reply_binary(&r->reply, st, sizeof st);
}

static void file_fstat(struct rsp *r, const char *args)
{
    int slot = parse_slot(r, &args);
    if (slot < 0)
        return file_fail(r, EBADF);
    put_stat(r, r->files[slot].size);
}

static void file_stat(struct rsp *r, const char *args)
{
    char path[PATH_MAX];
    int slot = free_slot(r);
    if (slot < 0 || !rsp_files_read_name(&args, path, sizeof path))
        return file_fail(r, EINVAL);
    int error = open_slot(r, path, slot);
    if (error)
        return file_fail(r, error);
    put_stat(r, r->files[slot].size);
    close_slot(r, slot);
}

static void file_readlink(struct rsp *r, const char *args)
{
    char path[PATH_MAX];
    struct reply to = {0};
    if (!rsp_files_read_name(&args, path, sizeof path))
        return file_fail(r, EINVAL);
    if (proc_text_link(r, path, &to)) {
        reply_text(&r->reply, "F%zx;", to.size);
        reply_binary(&r->reply, to.bytes, to.size);
    } else {
        file_fail(r, EINVAL);
    }
    reply_deinit(&to);
}

static void file_setfs(struct rsp *r, const char *args)
{
    (void)args;
    reply_text(&r->reply, "F0");
}

static void file_refuse(struct rsp *r, const char *args)
{
    (void)args;
    file_fail(r, EROFS);
}

static const struct {
    const char *name;
    void (*handle)(struct rsp *r, const char *args);
} operations[] = {
    {"open:", file_open},   {"close:", file_close}, {"pread:", file_pread},
    {"fstat:", file_fstat}, {"stat:", file_stat},   {"lstat:", file_stat},
    {"readlink:", file_readlink}, {"setfs:", file_setfs},
    {"pwrite:", file_refuse}, {"unlink:", file_refuse},
};

void rsp_file(struct rsp *r, const char *args)
{
    for (size_t i = 0; i < countof(operations); i++) {
        const char *rest;
        if (rsp_starts(args, operations[i].name, &rest))
            return operations[i].handle(r, rest);
    }
}
