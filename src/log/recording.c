/* A recording, as a directory or a packed file: see the header.
 *
 * Removing deletes only the known names of a recording, in a directory whose meta file identifies
 * it as one: a mistyped `ebb rm /home` removes nothing.
 */
#include "log/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/home_directory.h"
#include "base/xalloc.h"
#include "log/copy_store.h"
#include "log/kept_index.h"
#include "log/mapped_list.h"
#include "log/meta.h"
#include "log/pack.h"
#include "log/recording_internal.h"
#include "log/snapshot_store.h"
#include "log/unwritten.h"

#define LATEST "latest"

enum { TEXT_MOST = 64 * 1024 * 1024 };

static void recording_freep(char **text)
{
    free(*text);
}

static void close_dirp(DIR **dir)
{
    if (*dir)
        closedir(*dir);
}

/* Where */

struct error *recording_root(char **ret)
{
    const char *given = getenv("EBB_RECORDINGS");
    if (given && *given) {
        *ret = xformat("%s", given);
        return NULL;
    }
    const char *home = home_directory();
    if (!home)
        return error_new("there is no home directory; set EBB_RECORDINGS or HOME");
    *ret = xformat("%s/.local/share/ebb", home);
    return NULL;
}

/* Makes the directory and its missing parents. */
static struct error *make_directories(const char *path)
{
    _cleanup_(recording_freep) char *copy = xformat("%s/", path);
    for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST)
            return error_errno(errno, "making directory %s", copy);
        *slash = '/';
    }
    return NULL;
}

/* Returns the number N of a name BASE-N; 0 if the name has another form. */
static unsigned long recording_number_of(const char *name, const char *base)
{
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '-')
        return 0;
    const char *digits = name + length + 1;
    if (digits[strspn(digits, "0123456789")] || strlen(digits) > 9)
        return 0;
    return strtoul(digits, NULL, 10);
}

static struct error *next_number(const char *root, const char *base, unsigned long *ret)
{
    _cleanup_(close_dirp) DIR *dir = opendir(root);
    if (!dir)
        return error_errno(errno, "opening directory %s", root);
    unsigned long most = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        unsigned long number = recording_number_of(entry->d_name, base);
        if (number > most)
            most = number;
    }
    *ret = most + 1;
    return NULL;
}

/* Makes `latest` in the root point to `name`, atomically. */
static struct error *point_latest(const char *root, const char *name)
{
    _cleanup_(recording_freep) char *link = xformat("%s/" LATEST, root);
    _cleanup_(recording_freep) char *fresh = xformat("%s/." LATEST ".%d", root, (int)getpid());
    unlink(fresh);
    if (symlink(name, fresh) < 0 || rename(fresh, link) < 0) {
        int number = errno;
        unlink(fresh);
        return error_errno(number, "making link %s", link);
    }
    return NULL;
}

static struct error *make_in_root(const char *base, char **ret)
{
    _cleanup_(recording_freep) char *root = NULL;
    unsigned long number = 0;
    struct error *err = recording_root(&root);
    if (!err)
        err = make_directories(root);
    if (!err)
        err = next_number(root, base, &number);
    if (err)
        return err;
    for (;; number++) {
        _cleanup_(recording_freep) char *name = xformat("%s-%lu", base, number);
        char *path = xformat("%s/%s", root, name);
        if (mkdir(path, 0700) == 0) {
            *ret = path;
            return point_latest(root, name);
        }
        err = errno == EEXIST ? NULL : error_errno(errno, "making directory %s", path);
        free(path);
        if (err)
            return err;
    }
}

static bool is_empty(const char *path)
{
    _cleanup_(close_dirp) DIR *dir = opendir(path);
    if (!dir)
        return false;
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return false;
    return true;
}

static struct error *make_at(const char *output, char **ret)
{
    if (mkdir(output, 0700) < 0) {
        if (errno != EEXIST)
            return error_errno(errno, "cannot make the directory %s", output);
        if (!is_empty(output))
            return error_new("%s already exists and is not an empty directory", output);
        if (chmod(output, 0700) < 0)
            return error_errno(errno, "making %s private", output);
    }
    *ret = xformat("%s", output);
    return NULL;
}

/* Memory */

static struct recording *new_recording(const char *path, int dir)
{
    struct recording *rec = xalloc(sizeof *rec);
    char *absolute = realpath(path, NULL);
    *rec = (struct recording){.path = absolute ? absolute : xformat("%s", path), .dir = dir,
                              .sound = recording_sound_create()};
    return rec;
}

/* Opens a packed recording; takes ownership of `fd`, which is not a directory. */
static struct error *recording_open_packed(const char *path, int fd, struct recording **ret)
{
    _cleanup_(recording_destroyp) struct recording *rec = new_recording(path, -1);
    if (!pack_recognise(fd)) {
        close(fd);
        return error_coded(ERROR_DAMAGED, "%s is not a recording", path);
    }
    struct error *err = pack_open(fd, rec->path, &rec->pack);
    if (err)
        return err;
    *ret = take(rec);
    return NULL;
}

static struct error *open_place(const char *path, struct recording **ret)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) < 0)
        return errno == ENOENT ? error_coded(ERROR_NOT_FOUND, "there is no recording %s", path)
                               : error_errno(errno, "opening recording %s", path);
    if (!S_ISDIR(st.st_mode))
        return recording_open_packed(path, fd, ret);
    *ret = new_recording(path, fd);
    return NULL;
}

void recording_destroy(struct recording *rec)
{
    if (!rec)
        return;
    if (rec->dir >= 0)
        close(rec->dir);
    pack_close(rec->pack);
    meta_deinit(&rec->meta);
    recording_sound_destroy(rec->sound);
    free(rec->path);
    free(rec);
}

void recording_destroyp(struct recording **rec)
{
    recording_destroy(*rec);
}

struct error *recording_create(const char *output, const char *base, struct recording **ret)
{
    _cleanup_(recording_freep) char *path = NULL;
    _cleanup_(recording_destroyp) struct recording *rec = NULL;
    struct error *err = output ? make_at(output, &path) : make_in_root(base, &path);
    if (!err)
        err = open_place(path, &rec);
    if (err)
        return err;
    /* locked until this process ends, so that recording_collect leaves it alone */
    flock(rec->dir, LOCK_EX | LOCK_NB);
    if (mkdirat(rec->dir, "files", 0700) < 0)
        return error_errno(errno, "making %s/files", rec->path);
    rec->meta.status = -1;
    if (getrandom(rec->meta.id, sizeof rec->meta.id, 0) != sizeof rec->meta.id)
        return error_new("there are no random numbers");
    *ret = take(rec);
    return NULL;
}

struct error *recording_text(const struct recording *rec, const char *name, char **ret)
{
    if (rec->pack) {
        const struct pack_item *item = pack_part(rec->pack, name);
        return item ? pack_text(rec->pack, item, ret)
                    : error_coded(ERROR_NOT_FOUND, "%s has no %s", rec->path, name);
    }
    int fd = openat(rec->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > TEXT_MOST) {
        if (fd >= 0)
            close(fd);
        return error_coded(ERROR_NOT_FOUND, "%s has no %s", rec->path, name);
    }
    char *text = xalloc((size_t)st.st_size + 1);
    ssize_t got = read(fd, text, (size_t)st.st_size);
    close(fd);
    text[got < 0 ? 0 : got] = '\0';
    *ret = text;
    return NULL;
}

/* Returns DIR/meta as a string; the caller frees it. */
static struct error *read_meta(const struct recording *rec, char **ret)
{
    struct error *err = recording_text(rec, "meta", ret);
    if (!err || rec->pack)
        return err;
    error_destroy(err);
    return error_coded(ERROR_DAMAGED, "%s is not a recording", rec->path);
}

static bool is_packed(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool ret = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && pack_recognise(fd);
    if (fd >= 0)
        close(fd);
    return ret;
}

/* A damaged recording counts, as long as it is recognizable as one. */
static bool is_recording(const char *path)
{
    _cleanup_(recording_destroyp) struct recording *rec = NULL;
    _cleanup_(recording_freep) char *text = NULL;
    struct stat st;
    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return is_packed(path);
    struct error *err = open_place(path, &rec);
    if (!err)
        err = read_meta(rec, &text);
    bool ret = !err && meta_recognise(text);
    error_destroy(err);
    return ret;
}

/* A file of this name in the current directory that is not a recording does not hide one in the
 * root. */
static struct error *locate_by_name(const char *name, const char *root, char **ret)
{
    struct stat st;
    char *there = xformat("%s/%s", root, name);
    bool here = stat(name, &st) == 0;
    if (is_recording(name) || is_recording(there)) {
        *ret = is_recording(name) ? xformat("%s", name) : xformat("%s", there);
        free(there);
        return NULL;
    }
    struct error *err;
    if (stat(there, &st) == 0)
        err = error_coded(ERROR_DAMAGED, "%s is not a recording%s", there,
                          here ? ", nor is what has that name here" : "");
    else if (here)
        err = error_coded(ERROR_DAMAGED,
                          "./%s is not a recording, and there is no recording %s in %s; 'ebb ls' "
                          "lists the recordings", name, name, root);
    else
        err = error_coded(ERROR_NOT_FOUND,
                          "there is no recording %s, neither here nor in %s; 'ebb ls' lists them",
                          name, root);
    free(there);
    return err;
}

/* Finds a recording by a path, or a name here or in the root; NULL is `latest`. */
static struct error *recording_locate(const char *name, char **ret)
{
    struct stat st;
    if (name && strchr(name, '/')) {
        *ret = xformat("%s", name);
        return NULL;
    }
    if (name && !*name)
        return error_new("the name of the recording is empty");
    _cleanup_(recording_freep) char *root = NULL;
    struct error *err = recording_root(&root);
    if (err && name && is_recording(name)) { /* it is in the current directory */
        error_destroy(err);
        *ret = xformat("%s", name);
        return NULL;
    }
    if (err || name)
        return err ? err : locate_by_name(name, root, ret);
    *ret = xformat("%s/%s", root, LATEST);
    if (stat(*ret, &st) < 0) {
        free(take(*ret));
        return error_coded(ERROR_NOT_FOUND, "there is no recording in %s yet; 'ebb record PROGRAM' "
                           "makes one", root);
    }
    return NULL;
}

static struct error *recording_open_named(const char *name, struct recording **ret)
{
    _cleanup_(recording_freep) char *path = NULL;
    struct error *err = recording_locate(name, &path);
    return err ? err : open_place(path, ret);
}

struct error *recording_open(const char *name, struct recording **ret)
{
    _cleanup_(recording_destroyp) struct recording *rec = NULL;
    _cleanup_(recording_freep) char *text = NULL;
    struct error *err = recording_open_named(name, &rec);
    if (!err)
        err = read_meta(rec, &text);
    if (err)
        return err;
    err = meta_parse(text, &rec->meta);
    if (err)
        return error_within(err, "opening recording %s", rec->path);
    *ret = take(rec);
    return NULL;
}

/* Saving */

static struct error *recording_write_file(int fd, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        ssize_t n = write(fd, text, left);
        if (n < 0 && errno != EINTR)
            return error_errno(errno, "writing it");
        if (n > 0) {
            text += n;
            left -= (size_t)n;
        }
    }
    return NULL;
}

struct error *recording_replace_text(const struct recording *rec, const char *name,
                                     const char *text)
{
    struct error *err = NULL;
    _cleanup_(recording_freep) char *new = xformat("%s.new", name);
    if (rec->pack)
        return error_coded(ERROR_UNAVAILABLE, "%s is packed", rec->path);
    int fd = openat(rec->dir, new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        err = error_errno(errno, "making it");
    if (!err)
        err = recording_write_file(fd, text);
    if (fd >= 0 && close(fd) < 0 && !err)
        err = error_errno(errno, "writing it");
    if (!err && renameat(rec->dir, new, rec->dir, name) < 0)
        err = error_errno(errno, "making it");
    if (!err)
        return NULL;
    unlinkat(rec->dir, new, 0);
    return error_within(err, "%s/%s", rec->path, name);
}

struct error *recording_save(struct recording *rec)
{
    _cleanup_(recording_freep) char *text = meta_print(&rec->meta);
    return recording_replace_text(rec, "meta", text);
}

/* Tracks and sizes */

char *recording_track_name(u32 track)
{
    return xformat("track-%u.log", track);
}

static bool is_track(const char *name, u32 *ret)
{
    char rest;
    unsigned number;
    if (sscanf(name, "track-%9u.lo%c", &number, &rest) != 2 || rest != 'g')
        return false;
    _cleanup_(recording_freep) char *proper = recording_track_name(number);
    *ret = number;
    return strcmp(proper, name) == 0;
}

/* Opens a separate stream over the directory, or one in it. */
static DIR *list_directory(const struct recording *rec, const char *name)
{
    int fd = openat(rec->dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

static int compare_numbers(const void *a, const void *b)
{
    u32 x = *(const u32 *)a, y = *(const u32 *)b;
    return x < y ? -1 : x > y;
}

/* Makes room for one more item; `items` has `count` items of `size` bytes. */
static void *grow(void *items, size_t count, size_t size)
{
    if (count & (count - 1)) /* full only at powers of two */
        return items;
    void *larger = xalloc((count ? 2 * count : 1) * size);
    if (count)
        memcpy(larger, items, count * size);
    free(items);
    return larger;
}

/* A list of numbers. */
struct numbers {
    u32 *list;
    size_t count;
};

static void add_if_track(struct numbers *n, const char *name)
{
    u32 number;
    if (!is_track(name, &number))
        return;
    n->list = grow(n->list, n->count, sizeof *n->list);
    n->list[n->count++] = number;
}

static struct error *list_tracks(const struct recording *rec, struct numbers *ret)
{
    for (size_t i = 0; rec->pack && i < pack_count(rec->pack); i++)
        if (pack_item(rec->pack, i)->kind == PACK_PART)
            add_if_track(ret, pack_item(rec->pack, i)->name);
    if (rec->pack)
        return NULL;
    _cleanup_(close_dirp) DIR *dir = list_directory(rec, ".");
    if (!dir)
        return error_errno(errno, "opening directory %s", rec->path);
    for (struct dirent *entry; (entry = readdir(dir));)
        add_if_track(ret, entry->d_name);
    return NULL;
}

struct error *recording_tracks(const struct recording *rec, u32 **ret, size_t *ret_count)
{
    struct numbers numbers = {0};
    struct error *err = list_tracks(rec, &numbers);
    if (err)
        return err;
    if (numbers.count)
        qsort(numbers.list, numbers.count, sizeof *numbers.list, compare_numbers);
    *ret = numbers.list;
    *ret_count = numbers.count;
    return NULL;
}

static struct error *open_reader(const struct recording *rec, const char *name,
                                 struct reader **ret)
{
    if (!rec->pack)
        return reader_open(rec->dir, name, ret);
    const struct pack_item *item = pack_part(rec->pack, name);
    if (!item)
        return error_new("there is no %s in it", name);
    return reader_open_part(pack_descriptor(rec->pack), item->at, item->stored, name, ret);
}

struct error *recording_open_track(const struct recording *rec, u32 track, struct reader **ret)
{
    _cleanup_(recording_freep) char *name = recording_track_name(track);
    struct reader *r;
    struct error *err = open_reader(rec, name, &r);
    if (err)
        return err;
    const struct format_file *header = reader_header(r);
    if (header->track != track ||
        memcmp(header->recording, rec->meta.id, sizeof rec->meta.id) != 0) {
        reader_close(r);
        return error_new("%s belongs to another recording", name);
    }
    *ret = r;
    return NULL;
}

/* Copies of large files with holes have holes, too. Small files may be stored without counted
 * blocks. */
static u64 on_disk(const struct stat *st)
{
    u64 size = (u64)st->st_size, blocks = (u64)st->st_blocks * 512;
    return blocks < size && size >= 1 << 20 ? blocks : size;
}

/* A file with more than `most_links` links is shared with another recording, and is not counted. */
static u64 directory_size(const struct recording *rec, const char *name, nlink_t most_links)
{
    _cleanup_(close_dirp) DIR *dir = list_directory(rec, name);
    u64 size = 0;
    struct stat st;
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode) && st.st_nlink <= most_links)
            size += on_disk(&st);
    return size;
}

u64 recording_size(const struct recording *rec)
{
    if (rec->pack)
        return pack_size(rec->pack);
    return directory_size(rec, ".", ~(nlink_t)0) + directory_size(rec, "files", ~(nlink_t)0);
}

u64 recording_size_own(const struct recording *rec)
{
    enum { OWN = 2 }; /* its own name and the one in the store */
    return rec->pack ? pack_size(rec->pack)
                     : directory_size(rec, ".", OWN) + directory_size(rec, "files", OWN);
}

/* Listing */

static int compare_starts(const void *a, const void *b)
{
    const struct recording *x = *(struct recording *const *)a, *y = *(struct recording *const *)b;
    if (x->meta.started != y->meta.started)
        return x->meta.started < y->meta.started ? -1 : 1;
    return strcmp(x->path, y->path);
}

static bool may_be_recording(const char *root, const char *name)
{
    struct stat st;
    _cleanup_(recording_freep) char *meta = xformat("%s/%s/meta", root, name);
    if (name[0] == '.' || strcmp(name, LATEST) == 0)
        return false;
    size_t length = strlen(name), suffix = strlen(RECORDING_SUFFIX);
    return lstat(meta, &st) == 0 ||
           (length > suffix && strcmp(name + length - suffix, RECORDING_SUFFIX) == 0);
}

struct error *recording_list(void (*broken)(struct error *err), struct recording ***ret,
                             size_t *ret_count)
{
    _cleanup_(recording_freep) char *root = NULL;
    *ret = NULL;
    *ret_count = 0;
    struct error *err = recording_root(&root);
    if (err)
        return err;
    _cleanup_(close_dirp) DIR *dir = opendir(root);
    if (!dir)
        return errno == ENOENT ? NULL : error_errno(errno, "opening directory %s", root);
    for (struct dirent *entry; (entry = readdir(dir));) {
        struct recording *rec;
        if (!may_be_recording(root, entry->d_name))
            continue;
        _cleanup_(recording_freep) char *path = xformat("%s/%s", root, entry->d_name);
        err = recording_open(path, &rec);
        if (err) {
            broken(err);
            continue;
        }
        *ret = grow(*ret, *ret_count, sizeof **ret);
        (*ret)[(*ret_count)++] = rec;
    }
    if (*ret_count)
        qsort(*ret, *ret_count, sizeof **ret, compare_starts);
    return NULL;
}

/* Removing */

static void remove_files(const struct recording *rec, const char *name, bool (*ours)(const char *))
{
    _cleanup_(close_dirp) DIR *dir = list_directory(rec, name);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (ours(entry->d_name))
            unlinkat(dirfd(dir), entry->d_name, 0);
}

bool recording_names_copy(const char *name)
{
    const char *rest = name + strspn(name, "0123456789");
    return *rest == '\0' || strcmp(rest, ".zst") == 0 || strcmp(rest, ".zst.new") == 0 ||
           strcmp(name, strchr(KEPT_INDEX, '/') + 1) == 0 ||
           strcmp(name, strchr(MAPPED_LIST, '/') + 1) == 0;
}

bool recording_names_log(const char *name)
{
    u32 number;
    return is_track(name, &number) || snapshot_store_names(name) || page_file_names(name) ||
           unwritten_names(name) ||
           strcmp(name, "meta.new") == 0 ||
           strcmp(name, RECORDING_MARKS) == 0 || strcmp(name, RECORDING_MARKS ".new") == 0;
}

static void ignore(struct error *err)
{
    error_destroy(err);
}

/* After a removal: if `latest` points nowhere, makes it point to the newest recording left. */
static void mend_latest(void)
{
    _cleanup_(recording_freep) char *root = NULL;
    struct error *err = recording_root(&root);
    if (err) {
        error_destroy(err);
        return;
    }
    _cleanup_(recording_freep) char *link = xformat("%s/" LATEST, root);
    struct stat st;
    if (lstat(link, &st) < 0 || stat(link, &st) == 0)
        return;
    struct recording **list;
    size_t count;
    err = recording_list(ignore, &list, &count);
    if (!err && count)
        err = point_latest(root, strrchr(list[count - 1]->path, '/') + 1);
    else if (!err)
        unlink(link);
    error_destroy(err);
    for (size_t i = 0; i < count; i++)
        recording_destroy(list[i]);
    free(list);
}

static struct error *remove_packed(const char *path)
{
    _cleanup_(recording_freep) char *file = realpath(path, NULL); /* `latest` is a link */
    if (!file || unlink(file) < 0)
        return error_errno(errno, "removing %s", path);
    mend_latest();
    return NULL;
}

struct error *recording_remove(const struct recording *rec)
{
    snapshot_store_remove(rec->meta.id);
    if (rec->pack)
        return remove_packed(rec->path);
    remove_files(rec, "files", recording_names_copy);
    remove_files(rec, ".", recording_names_log);
    unlinkat(rec->dir, "files", AT_REMOVEDIR);
    struct stat st;
    if (fstatat(rec->dir, "files", &st, AT_SYMLINK_NOFOLLOW) == 0)
        return error_new("%s/files contains a file that does not belong to the recording",
                         rec->path);
    unlinkat(rec->dir, "meta", 0); /* last, so that an incomplete removal can be repeated */
    if (rmdir(rec->path) < 0)
        return error_errno(errno, "removing %s", rec->path);
    mend_latest();
    copy_store_collect(&(struct copy_store_figures){0});
    return NULL;
}

/* Removes snapshots that sessions have left in the cache, if the recording can be identified. */
static void forget_snapshots(const char *path)
{
    _cleanup_(recording_destroyp) struct recording *rec = NULL;
    struct error *err = recording_open(path, &rec);
    if (!err)
        snapshot_store_remove(rec->meta.id);
    error_destroy(err);
}

struct error *recording_remove_named(const char *name)
{
    _cleanup_(recording_destroyp) struct recording *rec = NULL;
    _cleanup_(recording_freep) char *text = NULL, *path = NULL;
    struct error *err = recording_locate(name, &path);
    if (!err)
        forget_snapshots(path);
    if (!err && is_packed(path))
        return remove_packed(path);
    if (!err)
        err = open_place(path, &rec);
    if (!err)
        err = read_meta(rec, &text);
    if (err)
        return err;
    if (!meta_recognise(text))
        return error_coded(ERROR_DAMAGED, "%s is not a recording", rec->path);
    return recording_remove(rec);
}
