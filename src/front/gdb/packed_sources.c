/* The sources of a packed recording: see the header. */
#include "front/gdb/packed_sources.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/xalloc.h"
#include "log/pack.h"

/* A pack can come from anywhere: none of its names may lead outside of the directory. */
static bool stays_inside(const char *name)
{
    if (name[0] != '/')
        return false;
    for (const char *at = name; (at = strstr(at, "/..")); at += 3)
        if (at[3] == '/' || !at[3])
            return false;
    return true;
}

/* Makes all parent directories of the file. */
static void make_way(char *path)
{
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

static void packed_sources_write_file(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return;
    bool whole = write(fd, bytes, size) == (ssize_t)size;
    if (close(fd) != 0 || !whole)
        unlink(path);
}

static void packed_sources_unpack_item(struct pack *pack, const struct pack_item *item,
                                       const char *directory)
{
    char *text, *path = xformat("%s%s", directory, item->name);
    struct error *err = pack_text(pack, item, &text);
    if (!err) {
        make_way(path);
        packed_sources_write_file(path, text, item->size);
        free(text);
    }
    error_destroy(err);
    free(path);
}

void packed_sources_unpack(const struct recording *rec, const char *directory)
{
    for (size_t i = 0; rec->pack && i < pack_count(rec->pack); i++) {
        const struct pack_item *item = pack_item(rec->pack, i);
        if (item->kind == PACK_SOURCE && stays_inside(item->name))
            packed_sources_unpack_item(rec->pack, item, directory);
    }
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    remove(path);
    return 0;
}

void packed_sources_remove(const char *directory)
{
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
