/* Areas: what the guest has mapped, and how.
 *
 * A sorted list of ranges, each with its protection as the guest asked for it (the real one may be
 * stricter for a while: code_watch.h).  The engine's own mappings are not in it.  Neighbouring
 * ranges that are alike are joined.
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
    AREA_NOT_FORKED = 128,   /* a child of fork has it not */
    AREA_WIPED_BY_FORK = 256, /* or without what is in it */
    AREA_SEALED = 1024,       /* mseal: it cannot be changed */
    AREA_STAYS = 512,         /* a file that is not expected to change while the guest runs */
};

struct area {
    u64 start;
    u64 end;
    u32 protection; /* PROT_* as the guest has it */
    u32 flags;      /* AREA_* */
    u64 device;     /* of a file mapping */
    u64 inode;
    u64 offset;     /* in the file, of `start` */
};

extern struct areas_versions {
    u64 any;    /* changes whenever the areas do */
    u32 shared; /* another one whenever shared areas may have changed: */
    u64 shared_start, shared_end; /* all within this range, since both were last set to 0 */
} areas_versions;

/* The area that holds `at`; or, for areas_from, the first that ends above it.  NULL: none. Valid
 * until the areas change. */
const struct area *areas_find(u64 at);
const struct area *areas_from(u64 at);

/* Puts a range in place of the areas that were there. */
void areas_set(const struct area *area);
void areas_clear(u64 start, u64 end);
void areas_protect(u64 start, u64 end, u32 protection);
/* Sets and clears flags of what is mapped in the range. */
void areas_mark(u64 start, u64 end, u32 set, u32 clear);
/* Has any area in the range this flag? */
bool areas_any(u64 start, u64 end, u32 flag);
/* Is every byte of the range mapped? */
bool areas_cover(u64 start, u64 end);
/* A free range of `size` (page multiple) with `alignment`, in [low, high): the lowest if `upward`,
 * otherwise the highest. 0: there is none. */
u64 areas_gap(u64 low, u64 high, u64 size, u64 alignment, bool upward);

/* The engine's own and the kernel's: no gap is found there, and the guest may not map there. */
void areas_reserve(u64 start, u64 end);
bool areas_reserved(u64 start, u64 end);
/* The end of what is not reserved, from `at` on and at most to `most`; == `at` if that is. */
u64 areas_unreserved_end(u64 at, u64 most);
/* The end of what is reserved at `at`; == `at` if nothing is. */
u64 areas_reserved_end(u64 at);
/* Is no byte of the range mapped or reserved? */
bool areas_free(u64 start, u64 end);
/* May any byte of the range be fetched as code? */
bool areas_any_executable(u64 start, u64 end);

/* How many bytes from `at` on can be fetched as code (at most `most`); 0 if `at` is not
 * executable. */
u64 areas_fetchable(u64 at, u64 most);

#endif
