/* Areas: the guest's mappings and their properties.
 *
 * A sorted list of ranges, each with the protection that the guest requested (the real one may
 * temporarily be stricter: code_watch.h). The engine's own mappings are not in it. Neighbouring
 * ranges with the same properties are joined.
 */
#ifndef ENGINE_AREAS_H
#define ENGINE_AREAS_H

#include "base/types.h"

enum {
    AREA_SHARED = 1,
    AREA_FILE = 2,
    AREA_STACK = 4,
    AREA_BRK = 8,
    AREA_GROWSDOWN = 16,
    AREA_SHM = 32,
    AREA_VDSO = 64,
    AREA_NOT_FORKED = 128,   /* a child of fork does not have it */
    AREA_WIPED_BY_FORK = 256, /* a child of fork has it without its content */
    AREA_SEALED = 1024,       /* mseal: it cannot be changed */
    AREA_STAYS = 512,         /* a file that is not expected to change while the guest runs */
};

struct area {
    u64 start;
    u64 end;
    u32 protection; /* PROT_* as the guest set it */
    u32 flags;      /* AREA_* */
    u64 device;     /* of a file mapping */
    u64 inode;
    u64 offset;     /* file offset of `start` */
};

extern struct areas_versions {
    u64 any;    /* changes whenever the areas do */
    u32 shared; /* changes whenever shared areas may have changed: */
    u64 shared_start, shared_end; /* all changes within this range, since both were last set to 0 */
} areas_versions;

/* Returns the area that contains `at`; areas_from: the first that ends above it. NULL: none. Valid
 * until the areas change. */
const struct area *areas_find(u64 at);
const struct area *areas_from(u64 at);

/* Replaces all areas in the range. */
void areas_set(const struct area *area);
void areas_clear(u64 start, u64 end);
void areas_protect(u64 start, u64 end, u32 protection);
/* Sets and clears flags of everything mapped in the range. */
void areas_mark(u64 start, u64 end, u32 set, u32 clear);
/* True if any area in the range has this flag. */
bool areas_any(u64 start, u64 end, u32 flag);
/* True if every byte of the range is mapped. */
bool areas_cover(u64 start, u64 end);
/* Finds a free range of `size` (a multiple of pages) with `alignment`, in [low, high): the lowest
 * if `upward`, otherwise the highest. 0: there is none. */
u64 areas_gap(u64 low, u64 high, u64 size, u64 alignment, bool upward);

/* Reserves ranges of the engine and the kernel: no gap is found there, and the guest may not map
 * there. */
void areas_reserve(u64 start, u64 end);
bool areas_reserved(u64 start, u64 end);
/* Returns the end of the unreserved range at `at`, at most `most`; `at` itself if it is
 * reserved. */
u64 areas_unreserved_end(u64 at, u64 most);
/* Returns the end of the reserved range at `at`; `at` itself if it is not reserved. */
u64 areas_reserved_end(u64 at);
/* True if no byte of the range is mapped or reserved. */
bool areas_free(u64 start, u64 end);
/* True if any byte of the range is executable. */
bool areas_any_executable(u64 start, u64 end);

/* The number of bytes from `at` on that can be fetched as code (at most `most`); 0 if `at` is not
 * executable. */
u64 areas_fetchable(u64 at, u64 most);

#endif
