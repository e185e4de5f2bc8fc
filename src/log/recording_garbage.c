/* Removes what crashed processes left: see recording_collect in recording.h.
 *
 * A recorder holds a lock on the directory of its recording as long as it lives, so locked
 * directories are not touched. A new directory without a meta file may belong to a recorder that is
 * about to take the lock. So only older ones are considered, and only if they contain nothing but
 * files of a recording.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/copy_store.h"
#include "log/kept_index.h"
#include "log/mapped_list.h"
#include "log/recording_internal.h"
#include "log/snapshot_store.h"

enum { OLD_SECONDS = 60 };

static DIR *garbage_list(int dir, const char *name)
{
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);
    if (!list && fd >= 0)
        close(fd);
    return list;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* True if all names in the directory `name` of `dir` belong to ebb. */
static bool holds_only(int dir, const char *name, bool (*ours)(const char *), const char *besides)
{
    DIR *list = garbage_list(dir, name);
    bool only = list != NULL;
    for (struct dirent *entry; list && (entry = readdir(list));)
        only &= is_dots(entry->d_name) || ours(entry->d_name) ||
                (besides && strcmp(entry->d_name, besides) == 0);
    if (list)
        closedir(list);
    return only;
}

static void unlink_all(int dir, const char *name, bool (*ours)(const char *))
{
    DIR *list = garbage_list(dir, name);
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (ours(entry->d_name))
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

/* Removes an unfinished recording: a directory that never got a meta file. */
static bool remove_beginning(int root, const char *name, int dir)
{
    struct stat st, files;
    if (fstat(dir, &st) < 0 || st.st_mtim.tv_sec + OLD_SECONDS > time(NULL) ||
        fstatat(dir, "files", &files, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISDIR(files.st_mode) ||
        !holds_only(dir, ".", recording_names_log, "files") ||
        !holds_only(dir, "files", recording_names_copy, NULL))
        return false;
    unlink_all(dir, "files", recording_names_copy);
    unlink_all(dir, ".", recording_names_log);
    return unlinkat(dir, "files", AT_REMOVEDIR) == 0 && unlinkat(root, name, AT_REMOVEDIR) == 0;
}

/* True for an incomplete copy, which has no line in the index. */
static bool is_half_made(int dir, const char *name)
{
    u64 size;
    if (strstr(name, ".new"))
        return true;
    if (name[0] < '0' || name[0] > '9')
        return false;
    struct error *err = kept_index_size(dir, (u32)strtoul(name, NULL, 10), &size);
    bool half = err != NULL;
    error_destroy(err);
    return half;
}

static u64 tidy_recording(int dir)
{
    u64 count = unlinkat(dir, "meta.new", 0) == 0;
    DIR *own = garbage_list(dir, ".");
    for (struct dirent *entry; own && (entry = readdir(own));)
        if ((snapshot_store_names(entry->d_name) || page_file_names(entry->d_name)) &&
            strstr(entry->d_name, ".new"))
            count += unlinkat(dirfd(own), entry->d_name, 0) == 0;
    if (own)
        closedir(own);
    DIR *list = garbage_list(dir, "files");
    for (struct dirent *entry; list && (entry = readdir(list));)
        if (recording_names_copy(entry->d_name) && is_half_made(dir, entry->d_name))
            count += unlinkat(dirfd(list), entry->d_name, 0) == 0;
    if (list)
        closedir(list);
    return count;
}

/* `.latest.PID` of point_latest. */
static bool remove_link(int root, const char *name)
{
    int pid = 0, length = 0;
    if (sscanf(name, ".latest.%d%n", &pid, &length) != 1 || name[length] || pid <= 0 ||
        kill(pid, 0) == 0 || errno != ESRCH)
        return false;
    return unlinkat(root, name, 0) == 0;
}

static u64 collect_entry(int root, const char *name)
{
    struct stat st;
    if (name[0] == '.')
        return remove_link(root, name);
    int dir = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    u64 count = 0;
    if (dir >= 0 && flock(dir, LOCK_EX | LOCK_NB) == 0)
        count = fstatat(dir, "meta", &st, AT_SYMLINK_NOFOLLOW) == 0
                    ? tidy_recording(dir) : remove_beginning(root, name, dir);
    if (dir >= 0)
        close(dir);
    return count;
}

struct error *recording_collect(struct recording_garbage *ret)
{
    char *root;
    struct copy_store_figures store = {0};
    *ret = (struct recording_garbage){0};
    struct error *err = recording_root(&root);
    if (err)
        return err;
    DIR *list = garbage_list(AT_FDCWD, root);
    if (!list && errno != ENOENT)
        err = error_errno(errno, "opening directory %s", root);
    for (struct dirent *entry; list && (entry = readdir(list));)
        ret->leftovers += collect_entry(dirfd(list), entry->d_name);
    if (list)
        closedir(list);
    copy_store_collect(&store);
    ret->contents = store.files;
    ret->bytes = store.bytes;
    free(root);
    return err;
}
