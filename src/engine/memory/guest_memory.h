/* Reads and writes guest memory that may be unmapped, from engine code. */
#ifndef ENGINE_GUEST_MEMORY_H
#define ENGINE_GUEST_MEMORY_H

#include "base/types.h"
#include "engine/x86_64/enter.h"

/* False if any byte could not be read or written (those before it may have been). */
bool guest_read(void *to, struct gaddr from, size_t size);
bool guest_write(struct gaddr to, const void *from, size_t size);

/* Atomic, also for other processes: if the word is *expected it becomes `new`. *expected becomes
 * the old value. False if it could not be read and written. */
bool guest_swap_u32(struct gaddr at, u32 *expected, u32 new);

/* Reads a null-terminated string of at most size - 1 bytes. Returns its length, -EFAULT or
 * -ENAMETOOLONG. */
i64 guest_read_string(char *to, struct gaddr from, size_t size);

/* Reads one to eight bytes as a little-endian number. */
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
