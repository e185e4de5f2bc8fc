/* Copies: what a replay uses in place of files and segments that the program mapped shared.
 *
 * Every file that was mapped shared, every System V segment and every piece of unnamed shared
 * memory is a file in memory here. All its mappings in this process share it: what is written
 * through one is seen through the others. No other process has it.
 */
#ifndef ENGINE_MAPPED_COPY_H
#define ENGINE_MAPPED_COPY_H

#include "engine/memory/areas.h"

/* The file that it stands for, as named in the recording. */
struct mapped_copy_name {
    u64 device, inode;
};

/* Devices that stand for memory without a file; no file has them. */
#define MAPPED_COPY_SEGMENT ~0ul
#define MAPPED_COPY_NAMELESS ~1ul

bool mapped_copy_exists(struct mapped_copy_name name);
/* True if there are so few copies that more may be made without need. */
bool mapped_copy_cheap(void);

/* Returns a descriptor for mappings of the copy. A new copy has `size` zeros. */
i32 mapped_copy_open(struct mapped_copy_name name, u64 size);
/* The same, with the current bytes of `from`. */
i32 mapped_copy_of_file(struct mapped_copy_name name, i32 from);
/* Makes a copy for memory that was never mapped before. */
i32 mapped_copy_nameless(u64 size);

/* Returns the descriptor of the copy that an area shows; -1: none. */
i32 mapped_copy_behind(const struct area *a);
/* The same, also for an area that shows one privately. */
i32 mapped_copy_file(const struct area *a);
/* mapped_copy_last_nameless: the last number given to unnamed memory. The other function sets it;
 * there must be no copies yet. */
u64 mapped_copy_last_nameless(void);
void mapped_copy_begin_again(u64 last_nameless);
/* True if the area shows a copy; returns its file. */
bool mapped_copy_shown(const struct area *a, struct mapped_copy_name *ret);

#endif
