/* The store of file contents that recordings share: see the header.
 *
 * All functions work relative to the open directory of the store. A recorder writes a copy into its
 * recording first, and then links it into the store. If the store already has the content, a link
 * to it replaces the copy.
 */
#include "log/copy_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/recording.h"

enum { NAME_ROOM = 128, SETTLED_SECONDS = 2 };

/* Opens the directory of the store, and creates it if `make` is set; -1: there is none. */
static int open_root_store(bool make)
{
    char *root;
    struct error *err = recording_root(&root);
    if (err) {
        error_destroy(err);
        return -1;
    }
    char *path = xformat("%s/" COPY_STORE, root), *stats = xformat("%s/stat", path);
    if (make && (mkdir(path, 0700) == 0 || errno == EEXIST))
        mkdir(stats, 0700);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    free(stats);
    free(path);
    free(root);
    return fd;
}

int copy_store_open(int dir)
{
    struct stat there, here;
    int store = open_root_store(true);
    if (store >= 0 && fstat(store, &there) == 0 && fstat(dir, &here) == 0 &&
        there.st_dev == here.st_dev && there.st_uid == geteuid())
        return store;
    if (store >= 0)
        close(store);
    return -1;
}

static void copy_store_name(const struct kept_content *c, char *ret)
{
    snprintf(ret, NAME_ROOM, "%016llx-%08x-%llu.zst", (unsigned long long)c->hash, c->crc,
             (unsigned long long)c->size);
}

static bool read_name(const char *name, struct kept_content *ret)
{
    unsigned long long hash, size;
    unsigned crc;
    char proper[NAME_ROOM];
    if (sscanf(name, "%16llx-%8x-%llu.zst", &hash, &crc, &size) != 3)
        return false;
    *ret = (struct kept_content){.size = size, .hash = hash, .crc = crc};
    copy_store_name(ret, proper);
    return strcmp(proper, name) == 0;
}

static void name_stat(const struct stat *st, char *ret)
{
    snprintf(ret, NAME_ROOM, "stat/%llx-%llx-%llx-%llx.%lx-%llx.%lx",
             (unsigned long long)st->st_dev, (unsigned long long)st->st_ino,
             (unsigned long long)st->st_size, (unsigned long long)st->st_mtim.tv_sec,
             (unsigned long)st->st_mtim.tv_nsec, (unsigned long long)st->st_ctim.tv_sec,
             (unsigned long)st->st_ctim.tv_nsec);
}

/* A file that was just written may be written again without a change of its time. */
static bool has_settled(const struct stat *st)
{
    time_t now = time(NULL);
    return st->st_mtim.tv_sec + SETTLED_SECONDS < now && st->st_ctim.tv_sec + SETTLED_SECONDS < now;
}

bool copy_store_know(int store, const struct stat *st, struct kept_content *ret)
{
    char key[NAME_ROOM], name[NAME_ROOM];
    if (store < 0 || !has_settled(st))
        return false;
    name_stat(st, key);
    ssize_t length = readlinkat(store, key, name, sizeof name - 1);
    if (length <= 0)
        return false;
    name[length] = '\0';
    return read_name(name, ret) && ret->size == (u64)st->st_size;
}

void copy_store_learn(int store, const struct stat *st, const struct kept_content *content)
{
    char key[NAME_ROOM], name[NAME_ROOM];
    if (store < 0 || !has_settled(st) || content->size != (u64)st->st_size)
        return;
    name_stat(st, key);
    copy_store_name(content, name);
    if (symlinkat(name, store, key) < 0)
        errno = 0; /* already known, or with another time */
}

bool copy_store_take(int store, const struct kept_content *content, int dir, const char *name)
{
    char object[NAME_ROOM];
    copy_store_name(content, object);
    return store >= 0 && linkat(store, object, dir, name, 0) == 0;
}

void copy_store_put(int store, const struct kept_content *content, int dir, const char *name)
{
    char object[NAME_ROOM];
    copy_store_name(content, object);
    if (store < 0 || linkat(dir, name, store, object, 0) == 0 || errno != EEXIST)
        return;
    char *fresh = xformat("%s.new", name);
    if (linkat(store, object, dir, fresh, 0) == 0 && renameat(dir, fresh, dir, name) < 0)
        unlinkat(dir, fresh, 0);
    free(fresh);
}

/* Garbage */

/* Calls `visit` for every content. */
static void visit_contents(int store,
                           void (*visit)(int store, const char *name, const struct stat *st,
                                         void *context),
                           void *context)
{
    struct kept_content content;
    struct stat st;
    int own = openat(store, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (read_name(entry->d_name, &content) &&
            fstatat(store, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
            visit(store, entry->d_name, &st, context);
    if (dir)
        closedir(dir);
}

static void add_shared(int store, const char *name, const struct stat *st, void *context)
{
    (void)store;
    (void)name;
    if (st->st_nlink > 2)
        *(u64 *)context += (u64)st->st_blocks * 512;
}

u64 copy_store_shared(void)
{
    u64 bytes = 0;
    int store = open_root_store(false);
    if (store < 0)
        return 0;
    visit_contents(store, add_shared, &bytes);
    close(store);
    return bytes;
}

static void collect_content(int store, const char *name, const struct stat *st, void *context)
{
    struct copy_store_figures *ret = context;
    if (st->st_nlink > 1 || unlinkat(store, name, 0) < 0)
        return;
    ret->files++;
    ret->bytes += (u64)st->st_blocks * 512;
}

static void collect_stats(int store)
{
    char name[NAME_ROOM];
    struct stat st;
    int own = openat(store, "stat", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = own < 0 ? NULL : fdopendir(own);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        ssize_t length = readlinkat(own, entry->d_name, name, sizeof name - 1);
        if (length <= 0)
            continue;
        name[length] = '\0';
        if (fstatat(store, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
            unlinkat(own, entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

/* Removes an empty store. A recorder that has it open then keeps its copies to itself. */
static void remove_if_empty(int store)
{
    char *root;
    if (unlinkat(store, "stat", AT_REMOVEDIR) < 0)
        return;
    struct error *err = recording_root(&root);
    if (!err) {
        char *path = xformat("%s/" COPY_STORE, root);
        if (rmdir(path) < 0)
            mkdirat(store, "stat", 0700);
        free(path);
        free(root);
    }
    error_destroy(err);
}

void copy_store_collect(struct copy_store_figures *ret)
{
    int store = open_root_store(false);
    if (store < 0)
        return;
    visit_contents(store, collect_content, ret);
    collect_stats(store);
    remove_if_empty(store);
    close(store);
}
