/* PROCMAP_QUERY: one line of /proc/self/maps, asked for by an address (Linux 6.11).
 *
 * The areas say which mapping is meant, where it begins and ends, and what is allowed there.  The
 * kernel, asked about its own mapping at that place, adds the file, the name and the build id.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/kernel_maps.h"
#include "engine/proc/proc_files.h"
#include "engine/proc/proc_files_internal.h"

struct k_map_query {
    u64 size, flags, address;
    u64 start, end, rights, page_size, offset, inode;
    u32 major, minor;
    u32 name_size, build_size;
    u64 name, build;
};

enum {
    QUERY_READABLE = 1,
    QUERY_WRITABLE = 2,
    QUERY_EXECUTABLE = 4,
    QUERY_SHARED = 8,
    QUERY_OR_NEXT = 16,
    QUERY_FILE_BACKED = 32,
    QUERY_FLAGS = 63,
    QUERY_RIGHTS = 15,
    QUERY_LEAST = 24, /* bytes: up to the address */
    QUERY_NAME_MOST = 4096,
    QUERY_BUILD_MOST = 64,
};

static i64 query_read(u64 at, struct k_map_query *ret)
{
    u64 size;
    *ret = (struct k_map_query){0};
    if (!guest_read_u64(gaddr(at), &size))
        return -EFAULT;
    if (size > PAGE_SIZE)
        return -E2BIG;
    if (size < QUERY_LEAST)
        return -EINVAL;
    u64 known = size < sizeof(*ret) ? size : sizeof(*ret);
    if (!guest_read(ret, gaddr(at), known))
        return -EFAULT;
    for (u8 byte = 0; known < size; known++)
        if (!guest_read(&byte, gaddr(at + known), 1) || byte)
            return byte ? -E2BIG : -EFAULT;
    if ((ret->flags & ~(u64)QUERY_FLAGS) || !ret->name_size != !ret->name ||
        !ret->build_size != !ret->build)
        return -EINVAL;
    return 0;
}

static u64 query_rights(const struct area *a)
{
    return (a->protection & PROT_READ ? QUERY_READABLE : 0) |
           (a->protection & PROT_WRITE ? QUERY_WRITABLE : 0) |
           (a->protection & PROT_EXEC ? QUERY_EXECUTABLE : 0) |
           (a->flags & AREA_SHARED ? QUERY_SHARED : 0);
}

static bool query_fits(const struct area *a, u64 flags)
{
    u64 wanted = flags & QUERY_RIGHTS;
    return (query_rights(a) & wanted) == wanted &&
           (!(flags & QUERY_FILE_BACKED) || (a->flags & (AREA_FILE | AREA_SHM)));
}

static const struct area *query_find(const struct k_map_query *q)
{
    const struct area *a = areas_from(q->address);
    if (!(q->flags & QUERY_OR_NEXT))
        return a && a->start <= q->address && query_fits(a, q->flags) ? a : NULL;
    while (a && !query_fits(a, q->flags))
        a = areas_from(a->end);
    return a;
}

/* What the kernel says of its first mapping in the area: a stack begins where it has grown to. */
static i64 query_kernel(u64 request, u64 at, struct k_map_query *k, char *name, u8 *build)
{
    *k = (struct k_map_query){
        .size = sizeof(*k),
        .flags = QUERY_OR_NEXT,
        .address = at,
        .name_size = QUERY_NAME_MOST,
        .name = (u64)name,
        .build_size = build ? QUERY_BUILD_MOST : 0,
        .build = (u64)build,
    };
    i64 fd = kernel_call(__NR_open, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (kernel_failed(fd))
        return fd;
    i64 result = kernel_call(__NR_ioctl, fd, request, k);
    kernel_call(__NR_close, fd);
    return result;
}

static i64 query_write(u64 at, struct k_map_query *q, const char *name, const u8 *build, u32 built)
{
    u32 named = name[0] ? (u32)strlen(name) + 1 : 0;
    if ((q->name_size && named > q->name_size) || (q->build_size && built > q->build_size))
        return -ENAMETOOLONG;
    q->name_size = q->name_size ? named : 0;
    q->build_size = q->build_size ? built : 0;
    bool good = (!q->name_size || guest_write(gaddr(q->name), name, named)) &&
                (!q->build_size || guest_write(gaddr(q->build), build, built)) &&
                guest_write(gaddr(at), q, q->size < sizeof(*q) ? q->size : sizeof(*q));
    return good ? 0 : -EFAULT;
}

i64 proc_files_query(u64 request, u64 at)
{
    char name[QUERY_NAME_MOST];
    u8 build[QUERY_BUILD_MOST];
    struct k_map_query q, k;
    i64 failed = query_read(at, &q);
    if (failed)
        return failed;
    const struct area *a = query_find(&q);
    if (!a)
        return -ENOENT;
    failed = query_kernel(request, a->start, &k, name, q.build_size ? build : NULL);
    if (failed)
        return failed;
    if (k.start >= a->end)
        return -ENOENT;
    struct kernel_mapping m = {.start = k.start, .name = k.name_size ? name : ""};
    q.start = k.start > a->start ? k.start : a->start;
    q.end = a->end;
    q.rights = query_rights(a);
    q.page_size = k.page_size;
    q.offset = k.offset + (k.inode ? q.start - k.start : 0);
    q.inode = k.inode;
    q.major = k.major;
    q.minor = k.minor;
    return query_write(at, &q, proc_files_area_name(a, &m), build, k.build_size);
}
