/* Copies: see mapped_copy.h.
 *
 * A copy is found by the file that it stands for when something is mapped, and by its own inode,
 * which is in the areas, when something mapped changes. Copies that are no longer mapped are
 * dropped when room is needed.
 *
 * Unsharing gives a forked replay its own copies. Shared mappings of a copy are mapped again in
 * place. Private ones, which show the copy where the program has not written to them, are rebuilt
 * at another address: their modified pages are copied, and the result is moved over the old
 * mapping.
 *
 * Invariants
 *   (1) An area with AREA_FILE and the device and inode of a copy shows that copy, shared or
 *       privately.
 *   (2) The first `count` of copies[], which has room for `room`, are in use, each with a
 *       descriptor of its own.
 */
#include "engine/memory/mapped_copy.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_file.h"

enum {
    ROOM_FIRST = 1024,
    CHEAP_MOST = 16,
    FDS_FIRST = 16, /* above the descriptors that the replay prints to */
    K_MFD_CLOEXEC = 1,
    K_SEEK_DATA = 3,
    K_SEEK_HOLE = 4,
    K_FALLOC_KEEP_SIZE = 1,
    K_FALLOC_PUNCH_HOLE = 2,
    K_RLIMIT_NOFILE = 7,
};

struct mapped_copy {
    struct mapped_copy_name name;
    u64 own_device, own_inode;
    i32 fd;
};

static struct {
    struct mapped_copy *copies;
    u32 count, room;
    u64 last_nameless;    /* used as an inode */
    u8 buffer[64 * 1024]; /* of copy_range() */
} mapped;

/* --- making and finding them ------------------------------------------------------------- */

static struct mapped_copy *mapped_copy_find(struct mapped_copy_name name)
{
    for (u32 n = 0; n < mapped.count; n++)
        if (mapped.copies[n].name.device == name.device &&
            mapped.copies[n].name.inode == name.inode)
            return &mapped.copies[n];
    return NULL;
}

bool mapped_copy_exists(struct mapped_copy_name name)
{
    return mapped_copy_find(name);
}

bool mapped_copy_cheap(void)
{
    return mapped.count < CHEAP_MOST;
}

static bool shows(const struct area *a, const struct mapped_copy *copy)
{
    return (a->flags & AREA_FILE) && a->inode == copy->own_inode && a->device == copy->own_device;
}

static bool is_mapped(const struct mapped_copy *copy)
{
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        if (shows(a, copy))
            return true;
    return false;
}

static void drop_unmapped(void)
{
    for (u32 n = mapped.count; n > 0; n--) {
        invariant(2, mapped.copies[n - 1].fd >= FDS_FIRST);
        if (is_mapped(&mapped.copies[n - 1]))
            continue;
        kernel_call(__NR_close, mapped.copies[n - 1].fd);
        mapped.copies[n - 1] = mapped.copies[--mapped.count];
    }
}

static void allow_more_descriptors(void)
{
    u64 limit[2];
    if (kernel_call(__NR_prlimit64, 0, K_RLIMIT_NOFILE, NULL, limit))
        return;
    limit[0] = limit[1];
    kernel_call(__NR_prlimit64, 0, K_RLIMIT_NOFILE, limit, NULL);
}

static i64 mapped_copy_make_file(u64 size)
{
    i64 low = kernel_call(__NR_memfd_create, "ebb", K_MFD_CLOEXEC);
    if (kernel_failed(low))
        return low;
    i64 fd = kernel_call(__NR_fcntl, low, F_DUPFD_CLOEXEC, FDS_FIRST);
    kernel_call(__NR_close, low);
    if (!kernel_failed(fd))
        kernel_call(__NR_ftruncate, fd, size);
    return fd;
}

static i32 make_file_or_end(u64 size)
{
    i64 fd = mapped_copy_make_file(size);
    if (fd == -EMFILE) {
        allow_more_descriptors();
        fd = mapped_copy_make_file(size);
    }
    if (kernel_failed(fd))
        log_unable("no memory can be made for what the program mapped shared");
    return (i32)fd;
}

static void know_file(struct mapped_copy *copy, i32 fd)
{
    struct k_stat st = {0};
    kernel_call(__NR_fstat, fd, &st);
    copy->fd = fd;
    copy->own_device = st.device;
    copy->own_inode = st.inode;
}

static u64 bytes_for(u32 copies_count)
{
    return page_up(copies_count * sizeof(struct mapped_copy));
}

/* Doubles the room, unless dropping has freed much: searching for unmapped copies takes long. */
static void mapped_copy_make_room(void)
{
    drop_unmapped();
    if (mapped.room && mapped.count <= mapped.room / 2)
        return;
    u32 more = mapped.room ? 2 * mapped.room : ROOM_FIRST;
    struct mapped_copy *longer = pool_map(bytes_for(more), PAGE_SIZE);
    if (mapped.room) {
        memcpy(longer, mapped.copies, mapped.count * sizeof(*mapped.copies));
        pool_unmap(mapped.copies, bytes_for(mapped.room));
    }
    mapped.copies = longer;
    mapped.room = more;
}

static struct mapped_copy *mapped_copy_make(struct mapped_copy_name name, u64 size)
{
    if (mapped.count == mapped.room)
        mapped_copy_make_room();
    invariant(2, mapped.count < mapped.room);
    struct mapped_copy *copy = &mapped.copies[mapped.count++];
    copy->name = name;
    know_file(copy, make_file_or_end(size));
    return copy;
}

i32 mapped_copy_open(struct mapped_copy_name name, u64 size)
{
    struct mapped_copy *known = mapped_copy_find(name);
    if (!known)
        return mapped_copy_make(name, size)->fd;
    if (!is_mapped(known)) { /* the name may now stand for something else */
        kernel_call(__NR_ftruncate, known->fd, 0);
        kernel_call(__NR_ftruncate, known->fd, size);
    }
    return known->fd;
}

i32 mapped_copy_nameless(u64 size)
{
    struct mapped_copy_name name = {MAPPED_COPY_NAMELESS, ++mapped.last_nameless};
    return mapped_copy_make(name, size)->fd;
}

static void copy_range(i32 to, i32 from, u64 at, u64 end)
{
    while (at < end) {
        u64 part = end - at < sizeof(mapped.buffer) ? end - at : sizeof(mapped.buffer);
        i64 got = kernel_call(__NR_pread64, from, mapped.buffer, part, at);
        if (got <= 0 || kernel_call(__NR_pwrite64, to, mapped.buffer, got, at) != got)
            log_unable("no memory is left for a copy of what the program mapped shared");
        at += (u64)got;
    }
}

/* Finds the next range from `at` on that is not a hole; the whole file, if that is not known. */
static bool next_data(i32 fd, u64 size, u64 *at, u64 *end)
{
    i64 start = kernel_call(__NR_lseek, fd, *at, K_SEEK_DATA);
    if (start == -ENXIO || *at >= size)
        return false;
    *at = kernel_failed(start) ? *at : (u64)start;
    i64 hole = kernel_call(__NR_lseek, fd, *at, K_SEEK_HOLE);
    *end = kernel_failed(hole) ? size : (u64)hole;
    return *end > *at;
}

/* Parts that were never written stay holes, since files of gigabytes may be nearly empty. */
static void copy_data(i32 to, i32 from, u64 size)
{
    for (u64 at = 0, end; next_data(from, size, &at, &end); at = end)
        copy_range(to, from, at, end);
}

static u64 mapped_copy_size_of(i32 fd)
{
    struct k_stat st = {0};
    kernel_call(__NR_fstat, fd, &st);
    return (u64)st.size;
}

/* An existing copy gets the file's content, too. */
i32 mapped_copy_of_file(struct mapped_copy_name name, i32 from)
{
    u64 size = mapped_copy_size_of(from);
    i32 fd = mapped_copy_open(name, size);
    if (mapped_copy_size_of(fd) < size)
        kernel_call(__NR_ftruncate, fd, size);
    kernel_call(__NR_fallocate, fd, K_FALLOC_KEEP_SIZE | K_FALLOC_PUNCH_HOLE, 0, size);
    copy_data(fd, from, size);
    return fd;
}

/* --- changing what is mapped ----------------------------------------------------------------- */

static const struct mapped_copy *mapped_copy_of_area(const struct area *a)
{
    for (u32 n = 0; n < mapped.count; n++)
        if (shows(a, &mapped.copies[n]))
            return &mapped.copies[n];
    return NULL;
}

bool mapped_copy_shown(const struct area *a, struct mapped_copy_name *ret)
{
    const struct mapped_copy *copy = mapped_copy_of_area(a);
    if (copy)
        *ret = copy->name;
    return copy;
}

i32 mapped_copy_behind(const struct area *a)
{
    const struct mapped_copy *copy = mapped_copy_of_area(a);
    return copy && (a->flags & AREA_SHARED) ? copy->fd : -1;
}

i32 mapped_copy_file(const struct area *a)
{
    const struct mapped_copy *copy = mapped_copy_of_area(a);
    return copy ? copy->fd : -1;
}

u64 mapped_copy_last_nameless(void)
{
    return mapped.last_nameless;
}

void mapped_copy_begin_again(u64 last_nameless)
{
    drop_unmapped();
    invariant(2, mapped.count == 0);
    mapped.last_nameless = last_nameless;
}

bool mapped_file_write(u64 address, const void *bytes, u64 size)
{
    const struct area *a = areas_find(address);
    const struct mapped_copy *copy = a && (a->flags & AREA_SHARED) ? mapped_copy_of_area(a) : NULL;
    if (!copy)
        return false;
    for (const struct area *other = areas_from(0); other; other = areas_from(other->end))
        if (shows(other, copy))
            code_watch_changed(other->start, other->end);
    u64 offset = a->offset + (address - a->start);
    return kernel_call(__NR_pwrite64, copy->fd, bytes, size, offset) == (i64)size;
}

/* For a private mapping of a file without a copy: bytes beyond the smaller of both sizes are zero
 * until they are written, or an access faults, which is in the log. */
static void renew_behind(const struct area *a, u64 size)
{
    u64 kept = page_up(size), from = kept > a->offset ? a->start + (kept - a->offset) : a->start;
    if (from >= a->end)
        return;
    code_watch_changed(from, a->end);
    if (kernel_failed(kernel_call(__NR_mmap, from, a->end - from,
                                  code_watch_kernel_protection(a->protection),
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0)))
        log_unable("memory after the end of a file cannot be mapped");
}

void mapped_file_resize(u64 address, u64 size, u64 before)
{
    const struct area *a = areas_find(address);
    const struct mapped_copy *copy = a ? mapped_copy_of_area(a) : NULL;
    if (copy)
        kernel_call(__NR_ftruncate, copy->fd, size);
    else if (a && (a->flags & AREA_FILE) && !(a->flags & AREA_SHARED) && size != before)
        renew_behind(a, size < before ? size : before);
}

/* --- unsharing -------------------------------------------------------------------------------- */

static i32 duplicate(i32 from)
{
    u64 size = mapped_copy_size_of(from);
    i32 to = make_file_or_end(size);
    copy_data(to, from, size);
    return to;
}

static void map_or_end(u64 at, const struct area *a, u64 flags, i32 fd)
{
    u64 size = a->end - a->start;
    if (kernel_failed(kernel_call(__NR_mmap, at, size, PROT_READ | PROT_WRITE, flags | MAP_FIXED,
                                  fd, a->offset)))
        log_unable("memory that the program mapped shared cannot be mapped again");
}

enum { PAGEMAP_PRESENT_BITS = 3, PAGEMAP_BITS_AT = 62 };
#define PAGEMAP_FILE (1ul << 61)

/* True if the program has written to this page of a private mapping. Without /proc, a page that
 * equals the file's is taken for unwritten. */
static bool page_is_own(i32 pagemap, u64 page, i32 file, u64 offset)
{
    static u8 of_file[PAGE_SIZE], of_program[PAGE_SIZE];
    u64 entry;
    if (kernel_call(__NR_pread64, pagemap, &entry, sizeof(entry), page / PAGE_SIZE * 8) == 8)
        return (entry >> PAGEMAP_BITS_AT & PAGEMAP_PRESENT_BITS) && !(entry & PAGEMAP_FILE);
    if (!guest_read(of_program, gaddr(page), PAGE_SIZE))
        return false;
    memset(of_file, 0, PAGE_SIZE);
    kernel_call(__NR_pread64, file, of_file, PAGE_SIZE, offset);
    return memcmp(of_file, of_program, PAGE_SIZE) != 0;
}

/* Replaces a private mapping of `from` by one of `to`, keeping its modified pages. */
static void rebuild_private(const struct area *a, i32 from, i32 to, i32 pagemap)
{
    u64 size = a->end - a->start;
    u8 *beside = pool_try_map(size, PAGE_SIZE);
    if (!beside)
        log_unable("no memory is left for a copy of what the program mapped");
    map_or_end((u64)beside, a, MAP_PRIVATE, to);
    kernel_call(__NR_mprotect, a->start, size, PROT_READ);
    for (u64 page = a->start; page < a->end; page += PAGE_SIZE)
        if (page_is_own(pagemap, page, from, a->offset + (page - a->start)))
            guest_write(gaddr((u64)beside + (page - a->start)), (void *)page, PAGE_SIZE);
    kernel_call(__NR_mremap, beside, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, a->start);
    pool_unmap(beside, size);
}

/* Updates the area: another file, and the same protection. */
static void show_again(struct area a, const struct mapped_copy *now)
{
    a.device = now->own_device;
    a.inode = now->own_inode;
    kernel_call(__NR_mprotect, a.start, a.end - a.start,
                code_watch_kernel_protection(a.protection));
    areas_set(&a);
    code_watch_apply(a.start, a.end, a.protection);
}

static void unshare(struct mapped_copy *copy, i32 pagemap)
{
    struct mapped_copy old = *copy;
    know_file(copy, duplicate(old.fd));
    u64 from = 0;
    for (const struct area *found; (found = areas_from(from));) {
        struct area a = *found;
        from = a.end;
        if (!shows(&a, &old))
            continue;
        if (a.flags & AREA_SHARED)
            map_or_end(a.start, &a, MAP_SHARED, copy->fd);
        else
            rebuild_private(&a, old.fd, copy->fd, pagemap);
        show_again(a, copy);
    }
    invariant(1, !is_mapped(&old));
    kernel_call(__NR_close, old.fd);
}

void memory_unshare(void)
{
    i64 pagemap = kernel_call(__NR_open, "/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    drop_unmapped();
    for (u32 n = 0; n < mapped.count; n++)
        unshare(&mapped.copies[n], (i32)pagemap);
    if (!kernel_failed(pagemap))
        kernel_call(__NR_close, pagemap);
}
