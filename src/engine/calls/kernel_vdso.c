/* The kernel's vDSO, moved to the guest's part of the address space.
 *
 * The kernel puts it, and the data pages that it reads just before it, somewhere at random. They
 * are moved, piece by piece and without changing their distances, to the top of the guest's
 * mappings, and the guest runs the code there on the translator like any other. If the kernel
 * refuses (sealed mappings), or with the setting `random` (the vDSO's clock would be the real one),
 * the guest gets no vDSO and its libc makes system calls instead.
 *
 * A guest that is recorded or replayed gets the engine's own vDSO (own_vdso.c), and the kernel's
 * stays where it is, for the engine's use.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/calls/clocks.h"
#include "engine/calls/kernel_clocks.h"
#include "engine/calls/own_vdso.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/kernel_maps.h"

enum { PIECES_MOST = 8 };

struct vdso_piece {
    u64 start;
    u64 end;
    bool code;
};

struct pieces {
    struct vdso_piece at[PIECES_MOST];
    unsigned count;
};

static bool collect(void *context, const struct kernel_mapping *mapping)
{
    struct pieces *pieces = context;
    bool code = text_equal(mapping->name, "[vdso]");
    if (code || text_starts(mapping->name, "[vvar"))
        pieces->at[pieces->count++] = (struct vdso_piece){mapping->start, mapping->end, code};
    return pieces->count < PIECES_MOST;
}

static bool kernel_vdso_move(const struct vdso_piece *piece, u64 to)
{
    u64 size = piece->end - piece->start;
    i64 got = kernel_call(__NR_mremap, piece->start, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to);
    return (u64)got == to;
}

static void note_area(const struct vdso_piece *piece, u64 at)
{
    struct area area = {
        .start = at,
        .end = at + (piece->end - piece->start),
        .protection = piece->code ? PROT_READ | PROT_EXEC : PROT_READ,
        .flags = AREA_VDSO,
    };
    areas_set(&area);
}

/* True if all pieces are adjacent, data before code. */
static bool lie_together(const struct pieces *pieces, u64 kernel_vdso)
{
    if (!pieces->count)
        return false;
    for (unsigned i = 1; i < pieces->count; i++)
        if (pieces->at[i].start != pieces->at[i - 1].end)
            return false;
    const struct vdso_piece *last = &pieces->at[pieces->count - 1];
    return last->code && last->start == kernel_vdso;
}

static u64 move_all(u64 kernel_vdso)
{
    struct pieces pieces = {.count = 0};
    if (!kernel_vdso || kernel_maps_each(collect, &pieces) || !lie_together(&pieces, kernel_vdso))
        return 0;
    u64 first = pieces.at[0].start;
    u64 size = pieces.at[pieces.count - 1].end - first;
    u64 to = areas_gap(LAYOUT_MAPPINGS_FIRST, layout.mappings_end, size, PAGE_SIZE, false);
    if (!to)
        return 0;
    for (unsigned i = 0; i < pieces.count; i++) {
        u64 at = to + (pieces.at[i].start - first);
        if (!kernel_vdso_move(&pieces.at[i], at))
            return 0; /* the part that was moved stays there, unused */
        note_area(&pieces.at[i], at);
    }
    return to + (kernel_vdso - first);
}

u64 clocks_map_vdso(u64 kernel_vdso)
{
    if (settings.random)
        return 0;
    if (!log_owner->owns_clocks && !settings.own_vdso)
        return move_all(kernel_vdso);
    kernel_clocks_start(kernel_vdso);
    return own_vdso_map();
}
