/* The engine's own file descriptors, kept high and hidden from the guest.
 *
 * High, but not too high: the kernel copies its table up to the highest open number at
 * every fork.  Close-on-exec descriptors need nothing at execve; the others are told to the
 * next engine by number.
 *
 * Those in kept[0 .. count) are open.
 *
 * Invariant
 *   (1) `lowest` is the smallest of kept[0 .. count), or NONE if there are none.
 */
#include "engine/base/descriptors.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"

enum {
    KEPT_MOST = 48,
    NUMBERS_END = 1024, /* where the guest may have that many */
    NUMBERS_ROOM = 24,
    RLIMIT_NOFILE = 7,
    NONE = 0x7fffffff,
};

struct kept_descriptor {
    i32 fd;
    i32 *place;
};

static struct {
    struct kept_descriptor kept[KEPT_MOST];
    unsigned count;
    i32 lowest; /* none of ours is below */
} descriptors = {.lowest = NONE};

static struct kept_descriptor *descriptors_find(i32 fd)
{
    for (unsigned i = 0; i < descriptors.count; i++)
        if (descriptors.kept[i].fd == fd) {
            invariant(1, fd >= descriptors.lowest);
            return &descriptors.kept[i];
        }
    return NULL;
}

static void find_lowest(void)
{
    descriptors.lowest = NONE;
    for (unsigned i = 0; i < descriptors.count; i++)
        if (descriptors.kept[i].fd < descriptors.lowest)
            descriptors.lowest = descriptors.kept[i].fd;
}

bool descriptors_owned(i64 fd)
{
    return fd >= descriptors.lowest && descriptors_find((i32)fd);
}

/* The lowest number that we would take: near the end of what the guest may open. */
static u64 first_number(void)
{
    u64 limit[2] = {NUMBERS_END, NUMBERS_END};
    kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, NULL, limit);
    u64 end = limit[0] < NUMBERS_END ? limit[0] : NUMBERS_END;
    return end > 2 * NUMBERS_ROOM ? end - NUMBERS_ROOM : end / 2;
}

static i64 copy_high(i32 fd, bool close_on_exec)
{
    return kernel_call(__NR_fcntl, fd, close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, first_number());
}

i64 descriptors_keep(i32 fd, bool close_on_exec, i32 *place)
{
    if (descriptors.count == KEPT_MOST)
        return -EMFILE;
    i64 high = copy_high(fd, close_on_exec);
    if (kernel_failed(high))
        return high;
    kernel_call(__NR_close, fd);
    descriptors.kept[descriptors.count++] = (struct kept_descriptor){(i32)high, place};
    find_lowest();
    invariant(1, descriptors.lowest <= high);
    if (place)
        *place = (i32)high;
    return high;
}

void descriptors_drop(i32 fd)
{
    struct kept_descriptor *k = descriptors_find(fd);
    if (!k)
        return;
    kernel_call(__NR_close, fd);
    *k = descriptors.kept[--descriptors.count];
    find_lowest();
}

i64 descriptors_yield(i32 fd)
{
    struct kept_descriptor *k = descriptors_find(fd);
    if (!k)
        return 0;
    i64 flags = kernel_call(__NR_fcntl, fd, F_GETFD);
    i64 high = copy_high(fd, flags & FD_CLOEXEC);
    if (kernel_failed(high))
        return high;
    k->fd = (i32)high;
    if (k->place)
        *k->place = (i32)high;
    find_lowest();
    return 0; /* the old number is the guest's now, who is about to close it by dup2 */
}

/* The smallest of ours in [first, last]; NONE if there is none. */
static u64 next_kept(u64 first, u64 last)
{
    u64 next = NONE;
    for (unsigned i = 0; i < descriptors.count; i++) {
        u64 fd = (u64)descriptors.kept[i].fd;
        if (fd >= first && fd <= last && fd < next)
            next = fd;
    }
    return next;
}

i64 descriptors_close_range(u64 first, u64 last, u64 flags)
{
    first = (u32)first;
    last = (u32)last;
    u64 ours = next_kept(first, last);
    while (first <= last && ours != NONE) {
        if (first < ours) {
            i64 result = kernel_call(__NR_close_range, first, ours - 1, flags);
            if (kernel_failed(result))
                return result;
        }
        first = ours + 1;
        ours = next_kept(first, last);
        if (first > last)
            return 0;
    }
    return kernel_call(__NR_close_range, first, last, flags);
}
