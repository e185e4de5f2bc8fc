/* Reads and writes guest memory that may be unmapped.
 *
 * Everything goes through guest_copy(), which the signal handler stops at a fault. If a page is
 * only protected by the engine, the handler makes it writable and the copy continues.
 */
#include "engine/memory/guest_memory.h"

#include <asm/errno.h>

#include "engine/log/observer.h"

bool guest_read(void *to, struct gaddr from, size_t size)
{
    return guest_copy(to, gaddr_pointer(from), size) == 0;
}

bool guest_write(struct gaddr to, const void *from, size_t size)
{
    if (observer.will_write)
        observer.will_write(to.at, size);
    return guest_copy(gaddr_pointer(to), from, size) == 0;
}

bool guest_swap_u32(struct gaddr at, u32 *expected, u32 new)
{
    if (observer.will_write)
        observer.will_write(at.at, sizeof(new));
    return guest_compare_swap(gaddr_pointer(at), expected, new) == 0;
}

/* Strings are read in aligned pieces, none of which extends into a page that may be missing. */
enum { PIECE = 128 };

static size_t piece_size(u64 at, size_t room)
{
    size_t size = PIECE - at % PIECE;
    return size < room ? size : room;
}

i64 guest_read_string(char *to, struct gaddr from, size_t size)
{
    for (size_t done = 0; done < size;) {
        size_t piece = piece_size(from.at + done, size - done);
        if (!guest_read(to + done, gaddr(from.at + done), piece))
            return -EFAULT;
        for (size_t end = done + piece; done < end; done++) {
            if (to[done] == '\0')
                return (i64)done;
        }
    }
    return -ENAMETOOLONG;
}
