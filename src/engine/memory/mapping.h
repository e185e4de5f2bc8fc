/* Mappings: chooses their addresses, makes them, updates the areas. */
#ifndef ENGINE_MAPPING_H
#define ENGINE_MAPPING_H

#include "engine/base/kernel_abi.h"
#include "engine/memory/areas.h"

/* The properties of a new mapping, except its address. */
struct mapping {
    u64 size;       /* page multiple */
    u64 protection; /* PROT_* as the guest requested */
    u64 flags;      /* MAP_* */
    i64 fd;
    u64 offset;
    bool zeros;     /* its file is /dev/zero: each mapping is separate memory, as without a file */
    bool stands_in; /* replay: fd provides the contents, but for the guest it has no file */

    /* Facts about the file, set by address_look(). */
    bool from_file;
    u64 device;
    u64 inode;
    u64 alignment; /* page size, also of memory without a file */
};

/* MAP_DROPPABLE is a mapping type of memory that is not shared. */
static inline bool mapping_is_shared(u64 flags)
{
    u64 type = flags & MAP_TYPE;
    return type == MAP_SHARED || type == MAP_SHARED_VALIDATE;
}

enum mapping_place {
    PLACE_MAPPING, /* downward from the end of the range of mappings */
    PLACE_IMAGE,   /* at a low address, while there is room */
    PLACE_32BIT,   /* below 2 GiB, otherwise it fails */
};

/* Returns a free address; 0: none. */
u64 address_place(enum mapping_place kind, u64 size, u64 alignment);

/* The kernel has something in [start, end) that the areas do not know: adds it. */
void address_learn(u64 start, u64 end);

/* A change that failed may have unmapped something: removes from the areas what the kernel no
 * longer has. */
void address_recheck(u64 start, u64 end);

/* True if any byte belongs to the engine, or is outside of the guest's address space. */
bool address_refused(u64 start, u64 size);

/* Finds out what m->fd refers to. */
void address_look(struct mapping *m);

/* Maps at `at`, where nothing may be: -EEXIST if something is. The areas are not updated. */
i64 address_map_new(const struct mapping *m, u64 at);

/* Replay: repeats a recorded mapping at `at`. Limits and free memory are not checked. */
i64 address_map_again(const struct mapping *m, u64 at);

/* Returns the area for the mapping at `at`. (Without address_look(): one without a file.) */
struct area address_describe(const struct mapping *m, u64 at);

/* Updates the areas and code_watch with a new area. */
void address_mapped(const struct area *area);

/* Returns the part of `area` in [start, end). */
struct area address_part(const struct area *area, u64 start, u64 end);

#endif
