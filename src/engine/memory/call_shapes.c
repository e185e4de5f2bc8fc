/* Finds the memory that calls are about to map or unmap: see call_shapes.h. */
#include "engine/memory/call_shapes.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/memory/areas.h"
#include "engine/x86_64/call.h"
#include "log/syscall_table.h"

enum { K_MREMAP_FIXED = 2 };

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

/* True if the end of the heap moves down. */
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

/* Extends the range to cover both ranges and what is between. */
static void add_target(const u64 *a, u64 *start, u64 *end)
{
    if (!(a[3] & K_MREMAP_FIXED))
        return;
    if (a[4] < *start)
        *start = a[4];
    if (a[4] + a[2] > *end)
        *end = page_up(a[4] + a[2]);
}

bool call_replaces(const struct call *call, u64 *start, u64 *end)
{
    const u64 *a = call->args;
    u32 effects = syscall_traits_of(call->number)->effects;
    *start = a[0];
    *end = page_up(a[0] + a[1]);
    if (effects & EFFECT_MOVES)
        add_target(a, start, end);
    if (effects & (EFFECT_DROPS | EFFECT_MOVES))
        return true;
    if (effects & EFFECT_MAPS)
        return is_fixed(call);
    if (effects & EFFECT_DETACHES)
        return area_around(a[0], start, end);
    return (effects & EFFECT_BREAK) && a[0] && brk_gives_back(a[0], start, end);
}

bool call_brought(const struct call *call, i64 result, u64 *start, u64 *end)
{
    const u64 *a = call->args;
    u32 effects = syscall_traits_of(call->number)->effects;
    if (kernel_failed(result))
        return false;
    *start = (u64)result;
    if (effects & EFFECT_MAPS) {
        *end = page_up((u64)result + a[1]);
        return !is_fixed(call);
    }
    if (effects & EFFECT_MOVES) {
        if ((u64)result == a[0])
            *start += page_up(a[1]);
        *end = page_up((u64)result + a[2]);
        return !(a[3] & K_MREMAP_FIXED) && *start < *end;
    }
    return (effects & EFFECT_ATTACHES) && area_around((u64)result, start, end);
}
