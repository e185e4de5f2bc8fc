/* Which memory the calls that shape it change: see guest_observer.h. */
#include "engine/memory/guest_observer.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/memory/areas.h"
#include "engine/x86_64/call.h"

enum { K_MREMAP_FIXED = 2 };

const struct guest_observer *guest_observer;

static bool is_fixed(const struct call *call)
{
    return call->args[3] & (MAP_FIXED | MAP_FIXED_NOREPLACE);
}

static bool area_around(u64 at, u64 *start, u64 *end)
{
    const struct area *a = areas_find(at);
    *start = at;
    *end = a ? a->end : at;
    return a;
}

/* The end of the heap moves down. */
static bool brk_gives_back(u64 to, u64 *start, u64 *end)
{
    for (const struct area *a = areas_from(to); a; a = areas_from(a->end))
        if (a->flags & AREA_BRK) {
            *start = to > a->start ? to : a->start;
            *end = a->end;
            return *start < *end;
        }
    return false;
}

bool call_replaces(const struct call *call, u64 *start, u64 *end)
{
    const u64 *a = call->args;
    *start = a[0];
    *end = page_up(a[0] + a[1]);
    switch (call->number) {
    case __NR_munmap:
    case __NR_madvise:
    case __NR_remap_file_pages:
        return true;
    case __NR_mremap:
        if (a[3] & K_MREMAP_FIXED && a[4] < *start) /* both, and what is between */
            *start = a[4];
        if (a[3] & K_MREMAP_FIXED && a[4] + a[2] > *end)
            *end = page_up(a[4] + a[2]);
        return true;
    case __NR_mmap:
        return is_fixed(call);
    case __NR_shmdt:
        return area_around(a[0], start, end);
    case __NR_brk:
        return a[0] && brk_gives_back(a[0], start, end);
    default:
        return false;
    }
}

bool call_brought(const struct call *call, i64 result, u64 *start, u64 *end)
{
    const u64 *a = call->args;
    if (kernel_failed(result))
        return false;
    *start = (u64)result;
    switch (call->number) {
    case __NR_mmap:
        *end = page_up((u64)result + a[1]);
        return !is_fixed(call);
    case __NR_mremap:
        if ((u64)result == a[0])
            *start += page_up(a[1]);
        *end = page_up((u64)result + a[2]);
        return !(a[3] & K_MREMAP_FIXED) && *start < *end;
    case __NR_shmat:
        return area_around((u64)result, start, end);
    default:
        return false;
    }
}
