/* File names: see file_names.h. A list is enough: programs map some hundred files at most, and it
 * is read only to show the address space to a user. */
#include "engine/memory/file_names.h"

#include "engine/base/pool.h"
#include "engine/base/text.h"

struct file_name {
    u64 device, inode;
    const char *path;
    struct file_name *next;
};

static struct {
    struct file_name *first;
    struct file_origin *origins;
} names;

const char *file_names_find(u64 device, u64 inode)
{
    for (const struct file_name *n = names.first; n; n = n->next)
        if (n->device == device && n->inode == inode)
            return n->path;
    return NULL;
}

void file_names_note(u64 device, u64 inode, const char *path)
{
    if (file_names_find(device, inode))
        return;
    struct file_name *n = pool_take(sizeof(*n));
    u64 size = strlen(path) + 1;
    *n = (struct file_name){device, inode, memcpy(pool_take(size), path, size), names.first};
    names.first = n;
}

const struct file_origin *file_origin_find(u64 own_device, u64 own_inode)
{
    const struct file_origin *o = names.origins;
    while (o && (o->own_device != own_device || o->own_inode != own_inode))
        o = o->next;
    return o;
}

/* The latest entry is found first: a file may have another content when it is mapped again. */
void file_origin_note(u64 own_device, u64 own_inode, const struct event_map *map, const char *path)
{
    const struct file_origin *known = file_origin_find(own_device, own_inode);
    if (known && known->map.copy == map->copy && known->map.device == map->device &&
        known->map.inode == map->inode && known->map.file_size == map->file_size &&
        known->map.mtime == map->mtime)
        return;
    struct file_origin *o = pool_take(sizeof(*o));
    u64 size = strlen(path) + 1;
    *o = (struct file_origin){own_device, own_inode, *map, memcpy(pool_take(size), path, size),
                              false, names.origins};
    names.origins = o;
}

void file_origin_renew(const struct event_map *map, const char *path, bool shared)
{
    struct file_origin *known = (struct file_origin *)file_origin_find(map->device, map->inode);
    if (!known) {
        file_origin_note(map->device, map->inode, map, path);
        known = names.origins;
    }
    if (!text_equal(known->path, path)) {
        u64 size = strlen(path) + 1;
        known->path = memcpy(pool_take(size), path, size);
    }
    known->map = *map;
    known->was_shared |= shared;
}
