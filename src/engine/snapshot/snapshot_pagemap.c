/* The kernel's facts about pages: see snapshot_internal.h.
 *
 * /proc/self/pagemap has eight bytes for each page. They are read in stretches, since pages are
 * looked up one after the other.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/snapshot/snapshot_internal.h"

bool snapshot_pagemap_open(struct snapshot_pagemap *map)
{
    map->fd = (i32)kernel_call(__NR_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    map->count = 0;
    return map->fd >= 0;
}

bool snapshot_pagemap_entry(struct snapshot_pagemap *map, u64 page, u64 *ret)
{
    u64 number = page / PAGE_SIZE;
    if (number - map->first >= map->count) {
        i64 got = kernel_call(__NR_pread64, map->fd, map->entry, sizeof(map->entry),
                              number * sizeof(u64));
        map->first = number;
        map->count = got > 0 ? (u64)got / sizeof(u64) : 0;
        if (!map->count)
            return false;
    }
    *ret = map->entry[number - map->first];
    return true;
}

void snapshot_pagemap_close(struct snapshot_pagemap *map)
{
    if (map->fd >= 0)
        kernel_call(__NR_close, map->fd);
}
