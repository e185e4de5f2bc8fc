/* Tallies: see plan_tally.h.
 *
 * Invariants
 *   (1) Stretches are in the order of their addresses in the cache, until all are dropped.
 *   (2) Between two passes all words are 0.
 */
#include "engine/plan/plan_tally.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/plan/controlled_internal.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/fragment.h"
#include "log/control.h"

enum { LEAST = 16 * PAGE_SIZE };

/* A growing array in the engine's memory. */
struct growing {
    void *items;
    u64 room; /* bytes */
};

static struct {
    bool on;
    struct growing stretches, pcs; /* struct tally_stretch, u64 */
    u64 stretch_count, pc_count;
    struct plan_tally *slots; /* by pc; pc 0: empty */
    u64 size, used;           /* size: a power of 2, or 0 */
} tally;

static void tally_make_room(struct growing *g, u64 size)
{
    if (size <= g->room)
        return;
    u64 room = g->room ? g->room : LEAST;
    while (room < size)
        room *= 2;
    void *larger = pool_map(room, PAGE_SIZE);
    memcpy(larger, g->items, g->room);
    if (g->room)
        pool_unmap(g->items, g->room);
    *g = (struct growing){larger, room};
}

/* --- the table by pc -------------------------------------------------------------------------- */

static struct plan_tally *tally_slot(u64 pc)
{
    u64 at = (pc * 0x9e3779b97f4a7c15) >> 20 & (tally.size - 1);
    while (tally.slots[at].pc && tally.slots[at].pc != pc)
        at = (at + 1) & (tally.size - 1);
    return &tally.slots[at];
}

static void tally_enlarge(void)
{
    struct plan_tally *old = tally.slots;
    u64 old_size = tally.size;
    tally.size = old_size ? 2 * old_size : LEAST / sizeof(*old);
    tally.slots = pool_map(tally.size * sizeof(*old), PAGE_SIZE);
    for (u64 n = 0; n < old_size; n++)
        if (old[n].pc)
            *tally_slot(old[n].pc) = old[n];
    if (old_size)
        pool_unmap(old, old_size * sizeof(*old));
}

void plan_tally_count(u64 pc, i64 times)
{
    if (2 * tally.used >= tally.size)
        tally_enlarge();
    struct plan_tally *slot = tally_slot(pc);
    tally.used += !slot->pc;
    slot->pc = pc;
    slot->count += (u64)times;
}

/* --- stretches -------------------------------------------------------------------------------- */

static struct tally_stretch *plan_tally_add(const u64 *pcs, u32 count, u32 begin, u32 word)
{
    u64 first = tally.pc_count;
    tally_make_room(&tally.stretches, (tally.stretch_count + 1) * sizeof(struct tally_stretch));
    tally_make_room(&tally.pcs, (first + count) * sizeof(*pcs));
    memcpy((u64 *)tally.pcs.items + first, pcs, count * sizeof(*pcs));
    tally.pc_count += count;
    struct tally_stretch *s = (struct tally_stretch *)tally.stretches.items + tally.stretch_count;
    invariant(1, !tally.stretch_count || s[-1].begin < begin);
    tally.stretch_count++;
    *s = (struct tally_stretch){.begin = begin, .word = word, .count = count, .first = first};
    return s;
}

static void tally_count_all(const struct tally_stretch *s, u32 from, u32 to, i64 times)
{
    const u64 *pcs = (const u64 *)tally.pcs.items + s->first;
    for (u32 n = from; n < to; n++)
        plan_tally_count(pcs[n], times);
}

static void tally_gather(void)
{
    const struct tally_stretch *s = tally.stretches.items;
    for (u64 n = 0; n < tally.stretch_count; n++) {
        u64 *word = (u64 *)(u64)s[n].word;
        if (*word)
            tally_count_all(&s[n], 0, s[n].count, (i64)*word);
        *word = 0;
    }
}

static void plan_tally_drop(void)
{
    invariant(2, tally.on || !tally.used);
    tally_gather();
    tally.stretch_count = tally.pc_count = 0;
}

/* The instructions up to the one that faulted were executed or tried, the others were not. */
static void plan_tally_fault(u32 address, u64 pc)
{
    const struct tally_stretch *all = tally.stretches.items;
    u64 low = 0, high = tally.stretch_count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (all[middle].begin <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return;
    const struct tally_stretch *s = &all[low - 1];
    const u64 *pcs = (const u64 *)tally.pcs.items + s->first;
    u32 n = 0;
    while (n < s->count && pcs[n] != pc)
        n++;
    if (n == s->count)
        return;
    if (address >= s->added)
        tally_count_all(s, n + 1, s->count, -1);
    else
        tally_count_all(s, 0, n + 1, 1);
}

/* --- a pass ----------------------------------------------------------------------------------- */

bool plan_tally_on(void)
{
    return tally.on;
}

void plan_tally_begin(void)
{
    code_sites.tally_add = plan_tally_add;
    code_sites.tally_fault = plan_tally_fault;
    code_sites.tally_drop = plan_tally_drop;
    tally.on = true;
    fragments_use(VARIANT_TALLY);
}

i32 plan_tally_end(void)
{
    u64 count = 0;
    tally_gather();
    for (u64 n = 0; n < tally.size; n++)
        if (tally.slots[n].pc && tally.slots[n].count)
            tally.slots[count++] = tally.slots[n];
    i32 fd = control_file(tally.slots, count * sizeof(*tally.slots));
    if (tally.size)
        pool_unmap(tally.slots, tally.size * sizeof(*tally.slots));
    tally.slots = NULL;
    tally.size = tally.used = 0;
    tally.on = false;
    return fd;
}
