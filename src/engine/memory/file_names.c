/* File names: see file_names.h.  A list; programs map some hundred files at most, and it is read when somebody looks. */
#include "engine/memory/file_names.h"

#include "engine/base/pool.h"
#include "engine/base/text.h"

struct file_name {
    u64 device, inode;
    const char *path;
    struct file_name *next;
};

static struct file_name *names;

const char *file_names_find(u64 device, u64 inode)
{
    for (const struct file_name *n = names; n; n = n->next)
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
    *n = (struct file_name){device, inode, memcpy(pool_take(size), path, size), names};
    names = n;
}
