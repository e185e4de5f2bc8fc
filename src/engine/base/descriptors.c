/* The engine's own file descriptors, kept high and hidden from the guest.
 *
 * If the hard limit leaves room they are above the guest's own limit, so that the guest can open as
 * many files as it may. They are not too high, since the kernel copies its table up to the highest
 * open number at every fork. Close-on-exec descriptors need nothing at execve; the next engine is
 * told the numbers of the others.
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
    NUMBERS_END = 1024, /* if the guest may have that many */
    NUMBERS_ROOM = 24,
    ABOVE_MOST = 4096, /* higher limits are rarely reached, and tables of that many are big */
    RLIMIT_NOFILE = 7,
    NONE = 0x7fffffff,
};

struct kept_descriptor {
    i32 fd;
    i32 *place;
    bool others; /* belongs to another process with the same table, which closes it */
};

static struct {
    struct kept_descriptor kept[KEPT_MOST];
    unsigned count;
    i32 lowest; /* none of the engine's is below */
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

/* The lowest number that the engine would take if it must be one that the guest could have: near
 * the end of those. */
static u64 first_number(u64 end)
{
    if (end > NUMBERS_END)
        end = NUMBERS_END;
    return end > 2 * NUMBERS_ROOM ? end - NUMBERS_ROOM : end / 2;
}

static i64 copy_from(i32 fd, bool close_on_exec, u64 lowest)
{
    return kernel_call(__NR_fcntl, fd, close_on_exec ? F_DUPFD_CLOEXEC : F_DUPFD, lowest);
}

void descriptors_widen(u64 ret_before[2])
{
    ret_before[0] = ret_before[1] = 0;
    kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, NULL, ret_before);
    u64 higher[2] = {ret_before[0] + KEPT_MOST, ret_before[1]};
    if (higher[0] <= higher[1])
        kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, higher, NULL);
}

void descriptors_narrow(const u64 before[2])
{
    if (before[1])
        kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, before, NULL);
}

/* Copies it above the guest's limit, which is raised meanwhile. */
static i64 copy_above(i32 fd, bool close_on_exec, const u64 limit[2])
{
    u64 higher[2] = {limit[0] + KEPT_MOST, limit[1]};
    kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, higher, NULL);
    i64 high = copy_from(fd, close_on_exec, limit[0]);
    kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, limit, NULL);
    return high;
}

static i64 copy_high(i32 fd, bool close_on_exec)
{
    u64 limit[2] = {NUMBERS_END, NUMBERS_END};
    kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, NULL, limit);
    if (limit[0] <= ABOVE_MOST && limit[1] >= limit[0] + KEPT_MOST)
        return copy_above(fd, close_on_exec, limit);
    return copy_from(fd, close_on_exec, first_number(limit[0]));
}

i64 descriptors_keep(i32 fd, bool close_on_exec, i32 *place)
{
    if (descriptors.count == KEPT_MOST)
        return -EMFILE;
    i64 high = copy_high(fd, close_on_exec);
    if (kernel_failed(high))
        return high;
    kernel_call(__NR_close, fd);
    descriptors.kept[descriptors.count++] = (struct kept_descriptor){(i32)high, place, false};
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
    if (k->others) {
        k->place = NULL;
        return;
    }
    kernel_call(__NR_close, fd);
    *k = descriptors.kept[--descriptors.count];
    find_lowest();
}

/* Moves it to another number. The old one stays open. */
static i64 move_kept(struct kept_descriptor *k)
{
    i64 flags = kernel_call(__NR_fcntl, k->fd, F_GETFD);
    i64 high = copy_high(k->fd, flags & FD_CLOEXEC);
    if (kernel_failed(high))
        return high;
    k->fd = (i32)high;
    if (k->place)
        *k->place = (i32)high;
    find_lowest();
    return 0;
}

i64 descriptors_yield(i32 fd)
{
    struct kept_descriptor *k = descriptors_find(fd);
    /* the old number is now the guest's, which is about to replace it by dup2 */
    return k ? move_kept(k) : 0;
}

void descriptors_shared(void)
{
    for (unsigned i = 0; i < descriptors.count; i++)
        descriptors.kept[i].others = true;
}

/* Descriptors above a lowered limit stay open: they are not in the way there. */
void descriptors_limited(void)
{
    u64 limit[2] = {NUMBERS_END, NUMBERS_END};
    kernel_call(__NR_prlimit64, 0, RLIMIT_NOFILE, NULL, limit);
    for (unsigned i = 0; i < descriptors.count; i++) {
        i32 before = descriptors.kept[i].fd;
        if ((u64)before < limit[0] && !descriptors.kept[i].others &&
            !move_kept(&descriptors.kept[i]))
            kernel_call(__NR_close, before);
    }
}

/* Returns the smallest of the engine's in [first, last]; NONE if there is none. */
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
