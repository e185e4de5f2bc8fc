/* The files of a recording: see the header.
 *
 * A file is read in full once to check that it is what was recorded. Programs map a file piece by
 * piece, so the result is remembered with the times of the inode: as long as these are the same, so
 * is the content.
 */
#include "log/recording_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/known_hashes.h"
#include "log/kept_copy.h"
#include "log/kept_index.h"
#include "log/pack.h"
#include "log/recording_internal.h"

enum { LIST_MOST = 64 * 1024 * 1024 };

/* Files that were verified */

struct sound {
    struct mapped_file_about about; /* without a path */
    dev_t device;
    ino_t inode;
    struct timespec changed;
    int taken; /* the decompressed copy; 0: the file itself was verified */
};

struct recording_sound {
    struct sound *files;
    size_t count;
};

struct recording_sound *recording_sound_create(void)
{
    struct recording_sound *s = xalloc(sizeof *s);
    *s = (struct recording_sound){0};
    return s;
}

void recording_sound_destroy(struct recording_sound *s)
{
    for (size_t i = 0; s && i < s->count; i++)
        if (s->files[i].taken)
            close(s->files[i].taken);
    if (s)
        free(s->files);
    free(s);
}

static bool recording_file_is_sound(const struct recording_sound *s,
                                    const struct mapped_file_about *about, const struct stat *st)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct sound *f = &s->files[i];
        if (mapped_file_same(&f->about, about) && f->device == st->st_dev &&
            f->inode == st->st_ino && f->changed.tv_sec == st->st_ctim.tv_sec &&
            f->changed.tv_nsec == st->st_ctim.tv_nsec)
            return true;
    }
    return false;
}

static void remember_sound(struct recording_sound *s, const struct mapped_file_about *about,
                           const struct stat *st)
{
    struct sound *longer = xalloc((s->count + 1) * sizeof *longer);
    if (s->count)
        memcpy(longer, s->files, s->count * sizeof *longer);
    longer[s->count] = (struct sound){*about, st->st_dev, st->st_ino, st->st_ctim, 0};
    longer[s->count++].about.path = NULL;
    free(s->files);
    s->files = longer;
}

/* The list of the directory */

static struct error *read_list(const struct recording *rec, struct mapped_list *ret)
{
    struct error *err = NULL;
    *ret = (struct mapped_list){0};
    int fd = openat(rec->dir, MAPPED_LIST, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    struct stat st;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size < LIST_MOST) {
        char *text = xalloc((size_t)st.st_size + 1); /* one that is empty needs a byte, too */
        ssize_t got = read(fd, text, (size_t)st.st_size);
        err = mapped_list_read(ret, text, got < 0 ? 0 : (size_t)got);
        free(text);
    }
    if (fd >= 0)
        close(fd);
    return err;
}

/* Files of this machine */

static struct error *changed(const struct mapped_file_about *about)
{
    return error_new("%s has changed since it was recorded; put back the file that was there then, "
                     "or record again and keep what it needs with 'ebb pack'", about->path);
}

/* There is no hash (the recorder was killed, or the file was replaced at once). Then the inode's
 * change time decides: it is set by the kernel, not by users. */
static bool unchanged_since(const struct recording *rec, const struct mapped_file_about *about,
                            const struct stat *st)
{
    enum { MARGIN_SECONDS = 1 };
    u64 mtime = (u64)st->st_mtim.tv_sec * 1000000000u + (u64)st->st_mtim.tv_nsec;
    return st->st_dev == about->device && st->st_ino == about->inode && mtime == about->mtime &&
           (u64)st->st_ctim.tv_sec + MARGIN_SECONDS < rec->meta.started / 1000000000u;
}

static struct error *check_here(const struct recording *rec, const struct mapped_file_about *about,
                                int fd, const struct stat *st)
{
    u64 hash, size;
    if (!S_ISREG(st->st_mode) || (u64)st->st_size != about->size)
        return changed(about);
    if (!about->hashed)
        return unchanged_since(rec, about, st) ? NULL : changed(about);
    int error = known_hashes_file(fd, &hash, &size);
    if (error)
        return error_errno(error, "reading %s", about->path);
    return size == about->size && hash == about->hash ? NULL : changed(about);
}

static struct error *open_here(const struct recording *rec, const struct mapped_file_about *about,
                               int *ret)
{
    int fd = open(about->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 && errno == ENOENT)
        return error_new("%s, which the recorded program had mapped, is gone; put it back, or "
                         "replay a recording that was packed with 'ebb pack'", about->path);
    if (fd < 0 || fstat(fd, &st) < 0)
        return error_errno(errno, "opening %s, which the recorded program had mapped", about->path);
    struct error *err = NULL;
    if (!recording_file_is_sound(rec->sound, about, &st)) {
        err = check_here(rec, about, fd, &st);
        if (!err)
            remember_sound(rec->sound, about, &st);
    }
    if (err)
        close(fd);
    else
        *ret = fd;
    return err;
}

/* Copies */

/* Returns another descriptor with its own offset; -1 without /proc. */
static int recording_file_again(int fd)
{
    char *name = xformat("/proc/self/fd/%d", fd);
    int again = open(name, O_RDONLY | O_CLOEXEC);
    free(name);
    return again;
}

static struct sound *find_taken(const struct recording_sound *s, u32 copy)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->files[i].taken && s->files[i].about.copy == copy)
            return &s->files[i];
    return NULL;
}

/* The copy is decompressed once, and kept for later requests. */
static struct error *open_compressed(const struct recording *rec,
                                     const struct mapped_file_about *about, int *ret)
{
    const struct sound *known = find_taken(rec->sound, about->copy);
    int fd = known ? recording_file_again(known->taken) : -1;
    if (fd >= 0) {
        *ret = fd;
        return NULL;
    }
    struct error *err = kept_copy_open(rec->dir, about->copy, &fd);
    if (err)
        return error_within(err, "the copy of %s", about->path);
    int again = known ? -1 : recording_file_again(fd);
    if (again >= 0) {
        remember_sound(rec->sound, about, &(struct stat){0});
        rec->sound->files[rec->sound->count - 1].taken = fd;
        fd = again;
    }
    *ret = fd;
    return NULL;
}

static struct error *open_copy(const struct recording *rec, const struct mapped_file_about *about,
                               int *ret)
{
    char *name = xformat("files/%u", about->copy);
    int fd = openat(rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat st;
    struct error *err = NULL;
    if (fd < 0 && errno == ENOENT) {
        free(name);
        return open_compressed(rec, about, ret);
    }
    if (fd < 0 || fstat(fd, &st) < 0)
        err = error_errno(errno, "opening %s, the copy of %s", name, about->path);
    else if (!recording_file_is_sound(rec->sound, about, &st))
        err = kept_index_check(rec->dir, about->copy, fd);
    free(name);
    if (!err) {
        remember_sound(rec->sound, about, &st);
        *ret = fd;
    } else if (fd >= 0) {
        close(fd);
    }
    return err;
}

/* Packed */

static struct error *recording_file_open_packed(const struct recording *rec,
                                                const struct pack_item *item,
                                                const char *path, int *ret)
{
    if (!item)
        return error_new("%s is not in %s", path, rec->path);
    return pack_extract(rec->pack, item, ret);
}

/* Asking */

struct error *recording_file_mapped(const struct recording *rec,
                                    const struct mapped_file_about *about, int *ret)
{
    if (rec->pack)
        return recording_file_open_packed(rec, pack_mapped(rec->pack, about), about->path, ret);
    if (about->copy)
        return open_copy(rec, about, ret);
    struct mapped_list list;
    struct error *err = read_list(rec, &list);
    const struct mapped_file_about *known = mapped_list_find(&list, about);
    if (!err)
        err = open_here(rec, known ? known : about, ret);
    mapped_list_deinit(&list);
    return err;
}

struct error *recording_file_fetch(const struct recording *rec, const struct channel_fetch *fetch,
                                   int *ret)
{
    struct mapped_file_about about = {
        .copy = fetch->copy, .size = fetch->size, .device = fetch->device, .inode = fetch->inode,
        .mtime = fetch->mtime, .path = xformat("%.*s", CHANNEL_FETCH_PATH - 1, fetch->path),
    };
    struct error *err = recording_file_mapped(rec, &about, ret);
    free(about.path);
    return err;
}

static struct error *open_any(const char *path, int *ret)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_errno(errno, "opening %s", path);
    *ret = fd;
    return NULL;
}

struct error *recording_file(const struct recording *rec, const char *path, int *ret)
{
    if (rec->pack)
        return recording_file_open_packed(rec, pack_named(rec->pack, path), path, ret);
    struct mapped_list list;
    struct error *err = read_list(rec, &list);
    const struct mapped_file_about *known = mapped_list_named(&list, path);
    if (!err)
        err = known ? recording_file_mapped(rec, known, ret) : open_any(path, ret);
    mapped_list_deinit(&list);
    return err;
}

bool recording_file_packed(const struct recording *rec, const char *path)
{
    return rec->pack && pack_named(rec->pack, path);
}

/* Checking */

/* A recorder that was killed may have left out the last lines. */
static struct error *check_listed(const struct recording *rec, const struct mapped_list *list,
                                  const struct mapped_file_about *about)
{
    if (rec->meta.state != RECORDING_ENDED || !*about->path || mapped_list_find(list, about))
        return NULL;
    return error_new(MAPPED_LIST " is damaged: it does not have %s", about->path);
}

static struct error *check_file(const struct recording *rec, const struct mapped_list *list,
                                const struct mapped_file_about *about)
{
    int fd = -1;
    if (rec->pack)
        return pack_mapped(rec->pack, about) ? NULL
                                             : error_new("%s is not in %s", about->path, rec->path);
    struct error *err = check_listed(rec, list, about);
    if (!err && about->copy)
        err = open_copy(rec, about, &fd);
    if (fd >= 0)
        close(fd);
    return err;
}

struct error *recording_files_check(const struct recording *rec, const struct mapped_list *mapped)
{
    struct mapped_list list = {0};
    struct error *err = rec->pack ? NULL : read_list(rec, &list);
    for (size_t i = 0; i < mapped->count && !err; i++)
        err = check_file(rec, &list, &mapped->files[i]);
    mapped_list_deinit(&list);
    return err;
}
