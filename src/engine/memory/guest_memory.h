/* Reading and writing the guest's memory from engine code, where it may not be there. */
#ifndef ENGINE_GUEST_MEMORY_H
#define ENGINE_GUEST_MEMORY_H

#include "base/types.h"
#include "engine/x86_64/enter.h"

/* False if any byte could not be read or written (those before it may have been). */
bool guest_read(void *to, struct gaddr from, size_t size);
bool guest_write(struct gaddr to, const void *from, size_t size);

/* As one step, also for other processes: if the word is *expected it becomes `new`.  *expected
 * becomes what it was. False if it could not be read and written. */
bool guest_swap_u32(struct gaddr at, u32 *expected, u32 new);

/* A terminated string of at most size - 1 bytes; its length, -EFAULT or -ENAMETOOLONG. */
i64 guest_read_string(char *to, struct gaddr from, size_t size);

/* One to eight bytes, as a number, the lowest first. */
static inline bool guest_read_number(struct gaddr from, u64 size, u64 *ret)
{
    if (size & (size - 1)) {
        *ret = 0;
        return guest_read(ret, from, size);
    }
    struct guest_number got = guest_load(gaddr_pointer(from), size);
    if (got.missing)
        return false;
    *ret = got.number;
    return true;
}

static inline bool guest_read_u64(struct gaddr from, u64 *ret)
{
    return guest_read_number(from, sizeof(*ret), ret);
}

#endif
