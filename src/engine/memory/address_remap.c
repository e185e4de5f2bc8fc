/* mremap and remap_file_pages: mappings that move, grow and shrink.
 *
 * The engine does in steps what the kernel does in one call, because the engine chooses the new
 * address: the mapping stays if there is room, and otherwise moves with MREMAP_FIXED. The kernel
 * accepts only a single mapping for this, so the protection of pages protected by code_watch is
 * restored first.
 */
#include "engine/memory/address.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/log/log.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/kernel_maps.h"
#include "engine/memory/mapping.h"
#include "engine/memory/memory_limits.h"
#include "engine/memory/pending.h"

enum { REMAP_FLAGS = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP };

struct remap {
    u64 at, old_size, new_size; /* page multiples */
    u64 flags;
    u64 to;
};

static i64 kernel_remap(const struct remap *r)
{
    return kernel_call(__NR_mremap, r->at, r->old_size, r->new_size, r->flags, r->to);
}

/* In a replay, what was one mapping of the kernel may be several here, each of which moves
 * separately. The last one grows. */
struct remap_range {
    u64 at, end; /* the remaining range */
    u64 piece;   /* the end of the mapping at `at` */
};

static bool find_piece(void *context, const struct kernel_mapping *m)
{
    struct remap_range *p = context;
    if (p->at < m->start || p->at >= m->end)
        return true;
    p->piece = m->end < p->end ? m->end : p->end;
    return false;
}

static i64 remap_piece(const struct remap *r, u64 from, u64 to)
{
    u64 size = r->old_size < r->new_size ? r->old_size : r->new_size;
    struct remap piece = {from, to - from, to - from, r->flags | MREMAP_MAYMOVE | MREMAP_FIXED,
                          r->to + (from - r->at)};
    if (to == r->at + size)
        piece.new_size += r->new_size - size;
    if (piece.to == piece.at) /* it stays and grows */
        piece.flags = 0;
    return piece.to == piece.at && piece.new_size == piece.old_size ? (i64)piece.to
                                                                    : kernel_remap(&piece);
}

static i64 remap_pieces(const struct remap *r)
{
    u64 size = r->old_size < r->new_size ? r->old_size : r->new_size;
    struct remap_range p = {r->at, r->at + size, 0};
    while (p.at < p.end) {
        p.piece = p.end;
        kernel_maps_each(find_piece, &p);
        i64 got = remap_piece(r, p.at, p.piece);
        if (kernel_failed(got))
            return got;
        p.at = p.piece;
    }
    if (r->new_size < r->old_size && !(r->flags & MREMAP_DONTUNMAP))
        kernel_call(__NR_munmap, r->at + size, r->old_size - size);
    return (i64)r->to;
}

/* The area at the end of a moved range grows with it. */
static void copy_areas(const struct remap *r)
{
    u64 size = r->old_size < r->new_size ? r->old_size : r->new_size;
    u64 end = r->at + size;
    for (u64 at = r->at; at < end;) {
        const struct area *a = areas_from(at);
        if (!a || a->start >= end)
            break;
        struct area part = address_part(a, at, end);
        at = part.end;
        part.start += r->to - r->at;
        part.end += r->to - r->at;
        if (at == end)
            part.end = r->to + r->new_size;
        part.flags &= ~(u32)(AREA_BRK | AREA_STACK);
        address_mapped(&part);
    }
}

/* An old size of 0 makes a second view of a shared mapping. */
static void copy_view(const struct remap *r)
{
    const struct area *a = areas_find(r->at);
    if (!a)
        return;
    struct area view = address_part(a, r->at, ~0ul);
    view.start = r->to;
    view.end = r->to + r->new_size;
    address_mapped(&view);
}

static i64 remap_move(const struct remap *r)
{
    code_watch_changed(r->to, r->to + r->new_size);
    pending_fill(r->to, r->to + r->new_size);
    i64 got = kernel_remap(r);
    if (kernel_failed(got) && !log_owner->live && r->old_size)
        got = remap_pieces(r);
    if (kernel_failed(got)) {
        address_recheck(r->to, r->to + r->new_size);
        return got;
    }
    areas_clear(r->to, r->to + r->new_size);
    if (r->old_size)
        copy_areas(r);
    else
        copy_view(r);
    if (r->old_size && !(r->flags & MREMAP_DONTUNMAP))
        areas_clear(r->at, r->at + r->old_size);
    return got;
}

static i64 move_to_own_place(struct remap *r)
{
    r->to = address_place(PLACE_MAPPING, r->new_size, PAGE_SIZE);
    if (!r->to)
        return -ENOMEM;
    r->flags |= MREMAP_MAYMOVE | MREMAP_FIXED;
    return remap_move(r);
}

static i64 resize_in_place(const struct remap *r)
{
    struct remap here = *r;
    here.flags = 0;
    here.to = r->at;
    i64 got = kernel_remap(&here);
    if (kernel_failed(got) && !log_owner->live)
        got = remap_pieces(&here);
    if (kernel_failed(got))
        return got;
    if (r->new_size < r->old_size)
        areas_clear(r->at + r->new_size, r->at + r->old_size);
    const struct area *last = areas_find(r->at + r->old_size - 1);
    if (r->new_size > r->old_size && last) {
        struct area grown = *last;
        grown.end = r->at + r->new_size;
        address_mapped(&grown);
    }
    return got;
}

/* Moves it to the recorded address. A call that failed changed nothing, and is not repeated. */
static i64 remap_again(struct remap *r, u64 to)
{
    r->to = to;
    if (to == r->at && r->old_size)
        return resize_in_place(r);
    r->flags |= MREMAP_MAYMOVE | MREMAP_FIXED;
    return remap_move(r);
}

static bool sound(const struct remap *r)
{
    if ((r->flags & ~(u64)REMAP_FLAGS) || (r->at & ~PAGE_MASK) || !r->new_size)
        return false;
    if ((r->flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && !(r->flags & MREMAP_MAYMOVE))
        return false;
    if ((r->flags & MREMAP_DONTUNMAP) && r->old_size != r->new_size)
        return false;
    if (!(r->flags & MREMAP_FIXED))
        return true;
    bool apart = r->to + r->new_size <= r->at || r->at + r->old_size <= r->to;
    return !(r->to & ~PAGE_MASK) && !address_refused(r->to, r->new_size) && apart;
}

i64 address_mremap(u64 at, u64 old_size, u64 new_size, u64 flags, u64 new_at)
{
    struct remap r = {at, page_up(old_size), page_up(new_size), flags, new_at};
    struct log_answered known;
    bool again = log_answered(&known);
    if (!again && !sound(&r))
        return -EINVAL;
    if (r.new_size > LAYOUT_USER_END)
        return -ENOMEM;
    if (!again && (address_refused(at, r.old_size) || !areas_find(at)))
        return -EFAULT;
    if (!again && (areas_any(at, at + r.old_size, AREA_SEALED) ||
                   ((flags & MREMAP_FIXED) && areas_any(r.to, r.to + r.new_size, AREA_SEALED))))
        return -EPERM;
    const struct area *first = areas_find(at);
    u64 kept = flags & MREMAP_DONTUNMAP ? 0 : r.old_size;
    if (!again && first && r.new_size > kept &&
        !memory_limits_allow(r.new_size - kept, first->protection, first->flags & AREA_SHARED))
        return -ENOMEM;
    code_watch_changed(at, at + r.old_size);
    code_watch_release(at, at + r.old_size);
    pending_fill(at, at + r.old_size);
    log_release(at, at + r.old_size);

    if (again)
        return remap_again(&r, (u64)known.result);
    if (flags & MREMAP_FIXED)
        return remap_move(&r);
    if ((flags & MREMAP_DONTUNMAP) || !r.old_size)
        return flags & MREMAP_MAYMOVE ? move_to_own_place(&r) : -EINVAL;
    if (r.new_size <= r.old_size)
        return resize_in_place(&r);
    u64 end = at + r.old_size;
    bool room = !address_refused(end, r.new_size - r.old_size) && areas_free(end, at + r.new_size);
    i64 got = room ? resize_in_place(&r) : -ENOMEM;
    return got == -ENOMEM && (flags & MREMAP_MAYMOVE) ? move_to_own_place(&r) : got;
}

i64 address_remap_file_pages(u64 at, u64 size, u64 protection, u64 page, u64 flags)
{
    u64 start = page_down(at), rounded = page_down(size);
    bool any = rounded && !address_refused(start, rounded);
    if (!any && rounded)
        return -EINVAL;
    if (any)
        code_watch_changed(start, start + rounded);
    i64 result = kernel_call(__NR_remap_file_pages, at, size, protection, page, flags);
    const struct area *a = areas_find(start);
    if (result || !any || !a)
        return result;
    struct area view = address_part(a, start, ~0ul);
    view.end = start + rounded;
    view.offset = page * PAGE_SIZE;
    address_mapped(&view);
    return 0;
}
