/* The list of mapped files: see the header. */
#include "log/mapped_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "log/crc32c.h"
#include "log/meta.h"

char *mapped_list_line(const struct mapped_file_about *a)
{
    char *path = meta_escape(a->path), hash[17] = "-";
    if (a->hashed)
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)a->hash);
    char *rest = xformat("%u %s %llu %llu %llu %llu %s\n", a->copy, hash,
                         (unsigned long long)a->size, (unsigned long long)a->device,
                         (unsigned long long)a->inode, (unsigned long long)a->mtime, path);
    char *line = xformat("%08x %s", crc32c(rest, strlen(rest)), rest);
    free(path);
    free(rest);
    return line;
}

void mapped_list_add(struct mapped_list *list, const struct mapped_file_about *about)
{
    if (!(list->count & (list->count - 1))) { /* full only at powers of two */
        struct mapped_file_about *longer =
            xalloc((list->count ? 2 * list->count : 1) * sizeof *longer);
        if (list->count)
            memcpy(longer, list->files, list->count * sizeof *longer);
        free(list->files);
        list->files = longer;
    }
    list->files[list->count] = *about;
    list->files[list->count++].path = xformat("%s", about->path);
}

/* `line` is null-terminated and has no checksum. */
static bool read_fields(struct mapped_list *list, const char *line)
{
    struct mapped_file_about a = {0};
    unsigned long long size, device, inode, mtime;
    char hash[17];
    int path = 0;
    if (sscanf(line, "%u %16s %llu %llu %llu %llu %n", &a.copy, hash, &size, &device, &inode,
               &mtime, &path) != 6 || !path || !line[path])
        return false;
    a.hashed = strlen(hash) == 16;
    a.hash = a.hashed ? strtoull(hash, NULL, 16) : 0;
    a.size = size;
    a.device = device;
    a.inode = inode;
    a.mtime = mtime;
    a.path = meta_unescape(line + path, strlen(line + path));
    mapped_list_add(list, &a);
    free(a.path);
    return true;
}

/* `length` includes the newline. */
static bool mapped_list_read_line(struct mapped_list *list, const char *line, size_t length)
{
    enum { BEFORE = 9 }; /* the checksum and a space */
    char crc[BEFORE + 1];
    if (length <= BEFORE)
        return false;
    snprintf(crc, sizeof crc, "%08x ", crc32c(line + BEFORE, length - BEFORE));
    if (memcmp(crc, line, BEFORE) != 0)
        return false;
    char *copy = xformat("%.*s", (int)(length - BEFORE - 1), line + BEFORE);
    bool right = read_fields(list, copy);
    free(copy);
    return right;
}

/* The last line may be incomplete, if the recorder was killed. */
struct error *mapped_list_read(struct mapped_list *list, const char *text, size_t size)
{
    const char *end, *all = text + size;
    unsigned line = 1;
    for (; (end = memchr(text, '\n', (size_t)(all - text))); text = end + 1, line++)
        if (!mapped_list_read_line(list, text, (size_t)(end + 1 - text)))
            return error_new(MAPPED_LIST " is damaged in line %u", line);
    return NULL;
}

void mapped_list_deinit(struct mapped_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->files[i].path);
    free(list->files);
    *list = (struct mapped_list){0};
}

const struct mapped_file_about *mapped_list_find(const struct mapped_list *list,
                                                 const struct mapped_file_about *wanted)
{
    for (size_t i = 0; i < list->count; i++)
        if (mapped_file_same(&list->files[i], wanted) &&
            strcmp(list->files[i].path, wanted->path) == 0)
            return &list->files[i];
    return NULL;
}

const struct mapped_file_about *mapped_list_named(const struct mapped_list *list, const char *path)
{
    const struct mapped_file_about *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct mapped_file_about *a = &list->files[i];
        if (strcmp(a->path, path) == 0 && (!found || (!found->copy && !found->hashed)))
            found = a;
    }
    return found;
}
