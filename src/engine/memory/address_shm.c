/* System V shared memory: shmat at an address that the engine chooses, and shmdt.
 *
 * The engine chooses the address of a segment like that of every other mapping. In a replay a copy
 * in memory stands in for the segment (mapped_copy.h).
 */
#include "engine/memory/address.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/log/log.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/mapped_copy.h"
#include "engine/memory/mapping.h"
#include "engine/memory/memory_limits.h"
#include "engine/memory/pending.h"

enum {
    K_IPC_STAT = 2,
    K_SHM_RDONLY = 010000,
    K_SHM_RND = 020000,
    K_SHM_REMAP = 040000,
    K_SHM_EXEC = 0100000,
    TRIES = 16,
};

/* struct shmid64_ds as the kernel fills it. */
struct k_shmid {
    u8 permissions[48];
    u64 size;
    u64 attached, detached, changed; /* seconds since 1970 */
    u64 rest[5];
};

/* The size of the segment, a multiple of pages; 0 if the kernel does not tell. */
static u64 segment_size(i64 id)
{
    struct k_shmid status;
    i64 result = kernel_call(__NR_shmctl, id, K_IPC_STAT, &status);
    return kernel_failed(result) ? 0 : page_up(status.size);
}

static i64 attach_anywhere(i64 id, u64 size, u64 flags)
{
    for (int i = 0; i < TRIES; i++) {
        u64 at = address_place(PLACE_MAPPING, size, PAGE_SIZE);
        if (!at)
            return -ENOMEM;
        i64 got = kernel_call(__NR_shmat, id, at, flags & ~(u64)K_SHM_REMAP);
        if (got != -EINVAL)
            return got;
        address_learn(at, at + size);
    }
    return -ENOMEM;
}

static struct area shm_area(u64 at, u64 size, u64 flags)
{
    struct area a = {.start = at, .end = at + size, .flags = AREA_SHARED | AREA_SHM};
    a.protection = PROT_READ;
    if (!(flags & K_SHM_RDONLY))
        a.protection |= PROT_WRITE;
    if (flags & K_SHM_EXEC)
        a.protection |= PROT_EXEC;
    return a;
}

static void note_attached(i64 id, u64 at, u64 size, u64 flags)
{
    struct area a = shm_area(at, size, flags);
    a.device = MAPPED_COPY_SEGMENT;
    a.inode = (u64)id;
    address_mapped(&a);
    struct k_shmid status = {0};
    kernel_call(__NR_shmctl, id, K_IPC_STAT, &status);
    log_segment_attached(&(struct log_segment){at, size, (u64)id, status.changed});
}

/* Attaches the replay's own copy, at the recorded address. */
static i64 attach_again(const struct log_segment *segment, u64 flags)
{
    struct mapped_copy_name name = {MAPPED_COPY_SEGMENT, segment->id};
    struct mapping m = {
        .size = segment->size,
        .flags = MAP_SHARED,
        .fd = mapped_copy_open(name, segment->size),
    };
    struct area a = shm_area(segment->address, segment->size, flags);
    address_look(&m);
    a.flags |= AREA_FILE;
    a.device = m.device;
    a.inode = m.inode;
    code_watch_changed(a.start, a.end);
    pending_fill(a.start, a.end);
    u64 how = MAP_SHARED | MAP_FIXED;
    i64 got = kernel_call(__NR_mmap, a.start, m.size, code_watch_kernel_protection(a.protection),
                          how, m.fd, 0);
    if (!kernel_failed(got))
        address_mapped(&a);
    return got;
}

i64 address_shmat(i64 id, u64 at, u64 flags)
{
    struct log_segment segment;
    if (log_segment_to_attach(&segment))
        return attach_again(&segment, flags);
    u64 size = segment_size((i32)id), how = flags & ~(u64)K_SHM_EXEC;
    u64 place = flags & K_SHM_RND ? page_down(at) : at;
    if (!size) /* no such segment, or no access: the kernel returns the error */
        return kernel_call(__NR_shmat, id, LAYOUT_MAPPINGS_FIRST, how);
    if (place ? address_refused(place, size) : (flags & K_SHM_REMAP) != 0)
        return -EINVAL;
    if (!memory_limits_allow(size, PROT_READ, true))
        return -ENOMEM;
    if (place) {
        code_watch_changed(page_down(place), page_down(place) + size);
        pending_fill(place, page_down(place) + size);
    }
    i64 got = place ? kernel_call(__NR_shmat, id, place, how) : attach_anywhere(id, size, how);
    if (!kernel_failed(got))
        note_attached((i32)id, (u64)got, size, flags);
    return got;
}

/* Returns what is left of the segment that was attached at `at`, from `from` on: parts of it, even
 * the first, may have been unmapped. NULL: nothing. */
static const struct area *segment_part(u64 at, u64 from, const struct area *first)
{
    for (const struct area *a = areas_from(from); a; a = areas_from(a->end))
        if ((a->flags & AREA_SHM) && a->start >= at && a->start - at == a->offset &&
            (!first || (a->inode == first->inode && a->device == first->device)))
            return a;
    return NULL;
}

static void detach_part(u64 start, u64 end)
{
    if (!log_owner->live)
        kernel_call(__NR_munmap, start, end - start);
    areas_clear(start, end);
}

i64 address_shmdt(u64 at)
{
    const struct area *a = segment_part(at, at, NULL);
    struct area first = a ? *a : (struct area){0};
    for (; a; a = segment_part(at, a->end, &first))
        code_watch_changed(a->start, a->end);
    i64 result = log_owner->live ? kernel_call(__NR_shmdt, at) : first.end ? 0 : -EINVAL;
    if (result)
        return result;
    u64 from = at;
    while (first.end && (a = segment_part(at, from, &first))) {
        from = a->end;
        detach_part(a->start, a->end);
    }
    return 0;
}
