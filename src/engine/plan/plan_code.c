/* Code sites: which addresses have one, and the translations for them.
 *
 * A fragment never runs through an address with a code site: blocks end before one, and a fragment
 * that begins there enters the engine before its first instruction (EXIT_SITE). So only fragments
 * that contain such an address must be translated again when a plan has other sites than the one
 * before.
 *
 * There are two tables of addresses, for the old plan and the new one, which are swapped.
 */
#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/plan/plan_internal.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/fragment.h"

struct slot {
    u64 pc; /* 0: empty; no code is there */
    u32 first; /* site in the plan */
};

struct table {
    struct slot *slots;
    u32 size;  /* a power of 2, at least twice the number of entries; 0: no table */
    u32 count;
    u64 room;  /* bytes */
};

static struct {
    struct table tables[2], *table;
} code = {.table = &code.tables[0]};

static struct slot *plan_code_find(const struct table *t, u64 pc)
{
    u32 at = (u32)((pc * 0x9e3779b97f4a7c15) >> 32) & (t->size - 1);
    while (t->slots[at].pc && t->slots[at].pc != pc)
        at = (at + 1) & (t->size - 1);
    return &t->slots[at];
}

static bool plan_code_holds(const struct table *t, u64 pc)
{
    return t->count && plan_code_find(t, pc)->pc == pc;
}

static bool plan_code_at(u64 pc)
{
    return plan_code_holds(code.table, pc);
}

u32 plan_code_first(u64 pc)
{
    const struct slot *s = code.table->count ? plan_code_find(code.table, pc) : NULL;
    return s && s->pc == pc ? s->first : PLAN_NO_SITE;
}

static void make_empty(struct table *t, u32 wanted)
{
    t->size = 16;
    while (t->size < 2 * wanted)
        t->size *= 2;
    t->count = 0;
    u64 room = page_up(t->size * sizeof(struct slot));
    if (room > t->room) {
        if (t->room)
            pool_unmap(t->slots, t->room);
        t->slots = pool_map(room, PAGE_SIZE);
        t->room = room;
    }
    memset(t->slots, 0, t->size * sizeof(struct slot));
}

/* From the last site to the first, so that lists have the order of the plan. */
static void plan_code_fill(struct table *t)
{
    for (u32 n = plan_parts.head.sites; n-- > 0;) {
        const struct plan_site *site = &plan_parts.site[n];
        if (site->kind != SITE_CODE || !site->address)
            continue;
        struct slot *s = plan_code_find(t, site->address);
        plan_parts.next[n] = s->pc ? s->first : PLAN_NO_SITE;
        t->count += !s->pc;
        *s = (struct slot){site->address, n};
    }
}

/* The engine must also be entered where frames of the plan return. */
static void add_address(struct table *t, u64 pc)
{
    if (!pc || plan_code_holds(t, pc))
        return;
    *plan_code_find(t, pc) = (struct slot){pc, PLAN_NO_SITE};
    t->count++;
}

static void fill_frames(struct table *t)
{
    for (u32 n = 0; n < plan_parts.head.frames; n++)
        add_address(t, plan_parts.frame[n].return_pc);
}

/* Drops fragments for addresses that are in one table but not in the other. */
static void drop_difference(const struct table *from, const struct table *other)
{
    for (u32 n = 0; from->count && n < from->size; n++) {
        u64 pc = from->slots[n].pc;
        if (pc && !plan_code_holds(other, pc))
            fragments_drop_with(pc);
    }
}

static u32 count_code_sites(void)
{
    u32 count = 0;
    for (u32 n = 0; n < plan_parts.head.sites; n++)
        count += plan_parts.site[n].kind == SITE_CODE;
    return count;
}

void plan_code_install(void)
{
    u32 wanted = count_code_sites() + plan_parts.head.frames;
    struct table *old = code.table;
    if (!wanted && !old->count)
        return;
    code.table = old == &code.tables[0] ? &code.tables[1] : &code.tables[0];
    make_empty(code.table, wanted);
    plan_code_fill(code.table);
    fill_frames(code.table);
    invariant(1, code.table->count <= wanted);
    code_sites.code_at = plan_code_at;
    drop_difference(old, code.table);
    drop_difference(code.table, old);
}
