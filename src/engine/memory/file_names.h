/* Names of files that a replay has mapped, by device and inode, to show the address space to a
 * user; and the fields of their MAP events, for snapshots. */
#ifndef ENGINE_FILE_NAMES_H
#define ENGINE_FILE_NAMES_H

#include "base/types.h"
#include "log/format.h"

void file_names_note(u64 device, u64 inode, const char *path);
/* NULL: not known. */
const char *file_names_find(u64 device, u64 inode);

/* The file of the recording for which a file here stands: fields of the MAP event, by its own
 * device and inode. NULL: not known. */
struct file_origin {
    u64 own_device, own_inode;
    struct event_map map;
    const char *path;
    bool was_shared; /* recording: it was mapped shared */
    struct file_origin *next;
};
void file_origin_note(u64 own_device, u64 own_inode, const struct event_map *map, const char *path);
/* The same while recording: replaces what is known about the file. */
void file_origin_renew(const struct event_map *map, const char *path, bool shared);
const struct file_origin *file_origin_find(u64 own_device, u64 own_inode);

#endif
