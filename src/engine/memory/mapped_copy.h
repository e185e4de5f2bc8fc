/* Copies: what a replay has in place of the files and segments that the program mapped shared.
 *
 * Every file that was mapped shared, every System V segment and every piece of shared memory
 * without a name is a file in memory here, which all its mappings in this process share: what is
 * written through one is seen through the others. Nobody else has it.
 */
#ifndef ENGINE_MAPPED_COPY_H
#define ENGINE_MAPPED_COPY_H

#include "engine/memory/areas.h"

/* What it stands for, as the recording names it. */
struct mapped_copy_name {
    u64 device, inode;
};

/* Names of memory without a file: nothing else has such devices. */
#define MAPPED_COPY_SEGMENT ~0ul
#define MAPPED_COPY_NAMELESS ~1ul

bool mapped_copy_exists(struct mapped_copy_name name);
/* Are there so few that more may be made without need? */
bool mapped_copy_cheap(void);

/* A descriptor for mappings of the copy, made of zeros and of `size` if it is new. */
i32 mapped_copy_open(struct mapped_copy_name name, u64 size);
/* The same, its bytes being now those of `from`. */
i32 mapped_copy_of_file(struct mapped_copy_name name, i32 from);
/* One for memory that was never mapped before. */
i32 mapped_copy_nameless(u64 size);

/* The descriptor of the copy that an area shows; -1: it shows none. */
i32 mapped_copy_behind(const struct area *a);
/* The same for an area that shows one privately, too. */
i32 mapped_copy_file(const struct area *a);
/* The last number that memory without a name was given; and which it is to be, with no copies at
 * all: nothing is mapped. */
u64 mapped_copy_last_nameless(void);
void mapped_copy_begin_again(u64 last_nameless);
/* Does the area show a copy?  Then of which file. */
bool mapped_copy_shown(const struct area *a, struct mapped_copy_name *ret);

#endif
