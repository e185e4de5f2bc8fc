/* The store of snapshots in the user's cache: see the header.
 *
 * The name of a file has its track and moment, so a listing needs no file to be opened. Reading a
 * snapshot updates the time of its file; when the store grows beyond its limit, the least recently
 * used files are removed.
 */
#include "log/snapshot_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/list.h"
#include "base/user_cache.h"
#include "base/xalloc.h"
#include "log/pack.h"

#define SUFFIX ".snap"
static const u64 BOUND = 1ull << 30;

/* --- where and how much -------------------------------------------------------------------- */

/* Returns the limit; 0: nothing is kept. */
static u64 snapshot_store_bound(void)
{
    return user_cache_bound("EBB_SNAPSHOTS", BOUND);
}

bool snapshot_store_on(void)
{
    return snapshot_store_bound() > 0;
}

/* The caller frees it; NULL: there is no home directory. */
static char *snapshot_store_root(void)
{
    return snapshot_store_on() ? user_cache_path("snapshots") : NULL;
}

char *snapshot_store_path(u64 *ret_most)
{
    *ret_most = snapshot_store_bound();
    return snapshot_store_root();
}

static char *folder_of(const u8 id[16])
{
    char text[33], *root = snapshot_store_root();
    for (unsigned n = 0; n < 16; n++)
        sprintf(text + 2 * n, "%02x", id[n]);
    char *ret = root ? xformat("%s/%s", root, text) : NULL;
    free(root);
    return ret;
}

static bool is_snapshot(const char *name)
{
    size_t length = strlen(name);
    return *name != '.' && length > strlen(SUFFIX) &&
           strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

char *snapshot_store_name(const struct snapshot_about *about)
{
    return xformat("track-%u-%llu-%llx" SUFFIX, about->track, (unsigned long long)about->tick,
                   (unsigned long long)about->pc);
}

bool snapshot_store_names(const char *name)
{
    struct snapshot_about about = {0};
    unsigned long long tick, pc;
    if (sscanf(name, "track-%u-%llu-%llx" SUFFIX, &about.track, &tick, &pc) != 3)
        return false;
    about.tick = tick;
    about.pc = pc;
    char *proper = snapshot_store_name(&about);
    size_t length = strlen(proper);
    bool is = strncmp(name, proper, length) == 0 &&
              (!name[length] || strcmp(name + length, ".new") == 0);
    free(proper);
    return is;
}

/* --- looking -------------------------------------------------------------------------------- */

/* True if the file is what its name says, and complete as far as its size tells. */
static bool look_into(int fd, u64 at, u64 size, struct snapshot_stored *ret)
{
    struct error *err = snapshot_file_about(fd, at, &ret->about, &ret->size);
    bool good = !err && ret->size == size;
    ret->at = at;
    error_destroy(err);
    return good;
}

static bool look_at(const char *path, struct snapshot_stored *ret)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return false;
    bool good = fstat(fd, &st) == 0 && look_into(fd, 0, (u64)st.st_size, ret);
    close(fd);
    return good;
}

static int by_moment(const void *a, const void *b)
{
    const struct snapshot_about *x = &((const struct snapshot_stored *)a)->about;
    const struct snapshot_about *y = &((const struct snapshot_stored *)b)->about;
    return x->tick != y->tick ? (x->tick < y->tick ? -1 : 1) : x->pc < y->pc ? -1 : x->pc > y->pc;
}

static bool is_wanted(const struct snapshot_stored *s, const u8 id[16], u32 track)
{
    return memcmp(s->about.id, id, 16) == 0 && (track == ~0u || s->about.track == track);
}

static void sort_found(struct list *found)
{
    if (found->count)
        qsort(found->items, found->count, sizeof(struct snapshot_stored), by_moment);
}

static void list_folder(const char *folder, const u8 id[16], u32 track,
                        const struct recording *rec, struct list *found)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        struct snapshot_stored one = {.own = rec != NULL, .rec = rec};
        if (!is_snapshot(entry->d_name))
            continue;
        char *path = xformat("%s/%s", folder, entry->d_name);
        if (look_at(path, &one) && is_wanted(&one, id, track)) {
            one.path = path;
            *(struct snapshot_stored *)list_add(found) = one;
        } else {
            free(path);
        }
    }
    if (dir)
        closedir(dir);
}

struct snapshot_stored *snapshot_store_list(const u8 id[16], u32 track, size_t *ret_count)
{
    struct list found = LIST(struct snapshot_stored);
    char *folder = folder_of(id);
    list_folder(folder, id, track, NULL, &found);
    free(folder);
    sort_found(&found);
    *ret_count = found.count;
    return found.items;
}

static void list_packed(const struct recording *rec, u32 track, struct list *found)
{
    for (size_t n = 0; n < pack_count(rec->pack); n++) {
        const struct pack_item *item = pack_item(rec->pack, n);
        struct snapshot_stored one = {.own = true, .rec = rec};
        if (item->kind == PACK_PART && is_snapshot(item->name) &&
            look_into(pack_descriptor(rec->pack), item->at, item->stored, &one) &&
            is_wanted(&one, rec->meta.id, track)) {
            one.path = xformat("%s", rec->path);
            *(struct snapshot_stored *)list_add(found) = one;
        }
    }
}

struct snapshot_stored *snapshot_store_list_own(const struct recording *rec, u32 track,
                                                size_t *ret_count)
{
    struct list found = LIST(struct snapshot_stored);
    if (rec->pack)
        list_packed(rec, track, &found);
    else
        list_folder(rec->path, rec->meta.id, track, rec, &found);
    sort_found(&found);
    *ret_count = found.count;
    return found.items;
}

void snapshot_store_list_free(struct snapshot_stored *list, size_t count)
{
    for (size_t n = 0; n < count; n++)
        free(list[n].path);
    free(list);
}

/* Removes a snapshot from the store if it is damaged or another one than expected; otherwise marks
 * it as used. */
static struct error *snapshot_store_used(const struct snapshot_stored *s, int fd,
                                         const struct snapshot_about *about, struct error *err)
{
    if (!err && memcmp(about, &s->about, sizeof *about) != 0)
        err = error_coded(ERROR_DAMAGED, "%s is another snapshot", s->path);
    if (err && !s->own)
        unlink(s->path);
    else if (!s->own)
        futimens(fd, NULL);
    close(fd);
    return err;
}

static struct error *open_stored(const struct snapshot_stored *s, int *ret)
{
    *ret = open(s->path, O_RDONLY | O_CLOEXEC | (s->own ? 0 : O_NOFOLLOW));
    return *ret < 0 ? error_errno(errno, "opening %s", s->path) : NULL;
}

u64 snapshot_store_page_bytes(const struct recording *rec)
{
    u64 bytes = 0;
    struct stat st;
    for (size_t n = 0; rec->pack && n < pack_count(rec->pack); n++)
        if (page_file_names(pack_item(rec->pack, n)->name))
            bytes += pack_item(rec->pack, n)->stored;
    DIR *dir = rec->pack ? NULL : opendir(rec->path);
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (page_file_names(entry->d_name) &&
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            bytes += (u64)st.st_size;
    if (dir)
        closedir(dir);
    return bytes;
}

/* Opens a page file of a recording. */
static struct error *snapshot_store_open_pages(void *context, u32 file, int *ret, u64 *ret_at)
{
    const struct recording *rec = context;
    char *name = page_file_name(file);
    const struct pack_item *item = rec && rec->pack ? pack_part(rec->pack, name) : NULL;
    if (item)
        *ret = fcntl(pack_descriptor(rec->pack), F_DUPFD_CLOEXEC, 0);
    else
        *ret = rec ? openat(rec->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
    *ret_at = item ? item->at : 0;
    struct error *err = *ret < 0 ? error_coded(ERROR_DAMAGED, "%s cannot be opened", name) : NULL;
    free(name);
    return err;
}

/* A snapshot whose pages are read when they are needed, or one that was read as a whole. */
struct stored_content {
    struct snapshot_reader *reader;
    struct snapshot_raw raw;
};

static struct error *open_content(const struct snapshot_stored *s, bool whole,
                                  struct stored_content *ret)
{
    struct snapshot_about about = {0};
    struct stored_content got = {.raw.fd = -1};
    struct page_source source = {snapshot_store_open_pages, (void *)s->rec};
    int fd;
    struct error *err = open_stored(s, &fd);
    if (err)
        return err;
    err = whole ? snapshot_file_read_from(fd, s->at, &source, &about, &got.raw)
                : snapshot_reader_open_from(fd, s->at, &source, &about, &got.reader);
    err = snapshot_store_used(s, fd, &about, err);
    if (!err) {
        *ret = got;
        return NULL;
    }
    snapshot_reader_close(got.reader);
    if (got.raw.fd >= 0)
        close(got.raw.fd);
    return err;
}

struct error *snapshot_store_open(const struct snapshot_stored *s, struct snapshot_reader **ret)
{
    struct stored_content got;
    struct error *err = open_content(s, false, &got);
    if (!err)
        *ret = got.reader;
    return err;
}

struct error *snapshot_store_read(const struct snapshot_stored *s, struct snapshot_raw *ret)
{
    struct stored_content got;
    struct error *err = open_content(s, true, &got);
    if (!err)
        *ret = got.raw;
    return err;
}

/* --- keeping -------------------------------------------------------------------------------- */

struct stored_file {
    char *path;
    struct timespec used;
    u64 size;
};

static void gather_files(const char *folder, struct list *files)
{
    DIR *dir = opendir(folder);
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat st;
        char *path = xformat("%s/%s", folder, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            lstat(path, &st) == 0 && S_ISREG(st.st_mode))
            *(struct stored_file *)list_add(files) =
                (struct stored_file){path, st.st_mtim, (u64)st.st_size};
        else
            free(path);
    }
    if (dir)
        closedir(dir);
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct stored_file *)a)->used;
    const struct timespec *y = &((const struct stored_file *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec ? -1 : 1)
           : x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Removes the least recently used files until the others fit. */
static void keep_within(u64 bound)
{
    struct list files = LIST(struct stored_file);
    char *root = snapshot_store_root();
    DIR *dir = root ? opendir(root) : NULL;
    u64 total = 0;
    for (const struct dirent *entry; dir && (entry = readdir(dir));) {
        char *folder = xformat("%s/%s", root, entry->d_name);
        if (*entry->d_name != '.')
            gather_files(folder, &files);
        free(folder);
    }
    if (dir)
        closedir(dir);
    struct stored_file *all = files.items;
    if (files.count)
        qsort(all, files.count, sizeof *all, by_use);
    for (size_t n = 0; n < files.count; n++)
        total += all[n].size;
    for (size_t n = 0; n < files.count; n++) {
        if (total > bound && unlink(all[n].path) == 0) {
            total -= all[n].size;
            *strrchr(all[n].path, '/') = '\0';
            rmdir(all[n].path); /* fails unless it was the last one */
        }
        free(all[n].path);
    }
    list_deinit(&files);
    free(root);
}

static struct error *add_to(const char *folder, const struct snapshot_about *about,
                            const struct snapshot_raw *raw, char **ret)
{
    char *new = xformat("%s/.new-XXXXXX", folder);
    char *name = snapshot_store_name(about), *path = xformat("%s/%s", folder, name);
    int fd = mkostemp(new, O_CLOEXEC);
    struct error *err = fd < 0 ? error_errno(errno, "making a file in %s", folder)
                               : snapshot_file_write(fd, about, raw);
    if (!err && rename(new, path) < 0)
        err = error_errno(errno, "renaming %s", new);
    if (err && fd >= 0)
        unlink(new);
    if (fd >= 0)
        close(fd);
    free(new);
    free(name);
    if (err)
        free(path);
    else
        *ret = path;
    return err;
}

struct error *snapshot_store_add(const struct snapshot_about *about, const struct snapshot_raw *raw,
                                 char **ret, u64 *ret_size)
{
    struct stat st;
    char *folder = folder_of(about->id);
    bool there = folder && user_cache_make(folder);
    struct error *err = there ? NULL : error_new("there is no place for snapshots");
    if (!err)
        err = add_to(folder, about, raw, ret);
    free(folder);
    if (err)
        return err;
    *ret_size = stat(*ret, &st) == 0 ? (u64)st.st_size : 0;
    keep_within(snapshot_store_bound());
    return NULL;
}

void snapshot_store_remove(const u8 id[16])
{
    struct list files = LIST(struct stored_file);
    char *folder = folder_of(id);
    if (folder)
        gather_files(folder, &files);
    for (size_t n = 0; n < files.count; n++) {
        unlink(((struct stored_file *)files.items)[n].path);
        free(((struct stored_file *)files.items)[n].path);
    }
    if (folder)
        rmdir(folder);
    list_deinit(&files);
    free(folder);
}
