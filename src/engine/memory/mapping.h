/* Mappings: choosing their places, making them, keeping the areas. */
#ifndef ENGINE_MAPPING_H
#define ENGINE_MAPPING_H

#include "engine/base/kernel_abi.h"
#include "engine/memory/areas.h"

/* What a mapping is to be, but for its place. */
struct mapping {
    u64 size;       /* page multiple */
    u64 protection; /* as the guest has it */
    u64 flags;      /* MAP_* */
    i64 fd;
    u64 offset;
    bool zeros;     /* its file is /dev/zero: each mapping is memory of its own, like one without
                     * a file */
    bool stands_in; /* replay: fd provides the contents, but to the guest it has no file */

    /* Of the file, by address_look(). */
    bool from_file;
    u64 device;
    u64 inode;
    u64 alignment; /* of its pages in memory; for memory without a file as well */
};

/* MAP_DROPPABLE is a type, too, of memory that is not shared. */
static inline bool mapping_is_shared(u64 flags)
{
    u64 type = flags & MAP_TYPE;
    return type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
}

enum mapping_place {
    PLACE_MAPPING, /* downward from the end of the range of mappings */
    PLACE_IMAGE,   /* low, while there is room */
    PLACE_32BIT,   /* below 2 GiB or not at all */
};

/* A free place; 0: none. */
u64 address_place(enum mapping_place kind, u64 size, u64 alignment);

/* The kernel has something in [start, end) that the areas do not know: from now on they do. */
void address_learn(u64 start, u64 end);

/* A change that failed may have removed what was there: the areas lose what the kernel has not. */
void address_recheck(u64 start, u64 end);

/* Is any byte the engine's, or outside of what the guest can have? */
bool address_refused(u64 start, u64 size);

/* Finds out what m->fd refers to, if anything. */
void address_look(struct mapping *m);

/* Maps at `at`, where nothing may be: -EEXIST if something is.  The areas are not told. */
i64 address_map_new(const struct mapping *m, u64 at);

/* Replay: the mapping as it was made when that was recorded, at `at`. Limits and the amount of free
 * memory are not checked. */
i64 address_map_again(const struct mapping *m, u64 at);

/* The area that the mapping is, at `at`.  (Without address_look(): one without a file.) */
struct area address_describe(const struct mapping *m, u64 at);

/* A range is now what `area` says: tells the areas, and code_watch. */
void address_mapped(const struct area *area);

/* The part of `area` in [start, end). */
struct area address_part(const struct area *area, u64 start, u64 end);

#endif
