/* Points of a plan: see plan_points.h.
 *
 * The table is a mapped file of the session. Copies of this process share its pages, so it is made
 * once and never copied.
 *
 * Invariant
 *   (1) Translations of the variant are made for the current table. It stays while a plan without
 *       points runs, since the next plan is likely to use the same table.
 */
#include "engine/plan/plan_points.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/memory/guest_memory.h"
#include "engine/plan/plan_internal.h"
#include "engine/plan/plan_sums.h"
#include "engine/plan/plan_tally.h"
#include "engine/threads/thread.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/fragment.h"
#include "engine/x86_64/cpu.h"
#include "log/point_table.h"

#define MANY (1ul << 62)

enum {
    SLOTS_MOST = 1 << 25,
    FRAMES_MOST = 256,
    SUMS_LEAST = 1 << 16, /* ticks: for a shorter pass it is not worthwhile to translate twice */
};

/* --- the table ------------------------------------------------------------------------------ */

static struct {
    const struct point_table *table; /* NULL: none yet */
    u64 size;
    const u32 *scopes; /* parents */
    /* the table for which there may be translations; NULL: there are none */
    const struct point_table *used;
} points;

static const struct plan_point *plan_point_at(u64 pc)
{
    if (!points.table)
        return NULL;
    const struct plan_point *p = point_table_slot(points.table, pc);
    return p->pc ? p : NULL;
}

static bool plan_points_is_whole(const struct point_table *t, u64 size)
{
    return size >= sizeof(*t) && t->id && t->slots && t->slots <= SLOTS_MOST &&
           !(t->slots & (t->slots - 1)) && t->scopes <= SLOTS_MOST &&
           size == point_table_size(t->slots, t->scopes);
}

/* A scope comes after its parent, so there are no cycles. A search for a missing point ends at a
 * free slot. */
static bool plan_points_is_sound(const struct point_table *t)
{
    const struct plan_point *slot = point_table_slots(t);
    const u32 *scope = point_table_scopes(t);
    bool sound = true, some_free = false;
    for (u32 n = 0; n < t->slots; n++) {
        sound &= !slot[n].scope || slot[n].scope < t->scopes;
        some_free |= !slot[n].pc;
    }
    for (u32 n = 1; n < t->scopes; n++)
        sound &= scope[n] < n;
    return sound && some_free;
}

static void drop_translations(void)
{
    fragments_drop_variants(VARIANT_POINTS | VARIANT_SUMS);
    plan_sums_forget();
    points.used = NULL;
}

static const struct point_table *map_table(i32 file, u64 size)
{
    void *place = size ? pool_try_map(page_up(size), PAGE_SIZE) : NULL;
    if (!place)
        return NULL;
    i64 got =
        kernel_call(__NR_mmap, place, page_up(size), PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    if (!kernel_failed(got))
        return place;
    pool_unmap(place, page_up(size));
    return NULL;
}

static void unmap_table(const struct point_table *t, u64 size)
{
    pool_unmap((void *)t, page_up(size));
}

u32 plan_points_take(i32 file, u64 size)
{
    const struct point_table *t = map_table(file, size);
    if (!t)
        return ENOMEM;
    if (!plan_points_is_whole(t, size) || !plan_points_is_sound(t)) {
        unmap_table(t, size);
        return EINVAL;
    }
    if (points.table) {
        drop_translations();
        unmap_table(points.table, points.size);
    }
    points.table = t;
    code_sites.point_at = plan_point_at;
    code_sites.point_translated = plan_sums_note_point;
    points.size = size;
    points.scopes = point_table_scopes(t);
    return 0;
}

const char *plan_points_check(u64 id, const struct plan_frame *frame, u32 frames)
{
    if (!points.table || points.table->id != id)
        return "the points of the plan did not come";
    for (u32 n = 0; n < frames; n++)
        if (frame[n].scope && frame[n].scope >= points.table->scopes)
            return "the plan has a scope that is nowhere";
    return NULL;
}

/* --- frames ----------------------------------------------------------------------------------- */

static struct {
    bool on;
    u32 flags;
    u32 thread;
    u64 nth;
    u32 frame_count;
    struct plan_frame frames[FRAMES_MOST];
    struct plan_frame base; /* cfa 0: none, all frames count */
    u32 outer;              /* index of the first frame outside of the base */
    bool parked;            /* another thread runs, whose points do not count: */
    u64 left;               /* then this is the value of cpu->point_left */
    /* no frame is known, or the last one has returned: the base is the frame of the next point, */
    bool adrift;
    bool found;             /* which has come */
    u64 left_tick, left_pc;
    u32 left_scope;
} now;

static bool leaves(void)
{
    return now.flags & PLAN_FRAMES_LEAVE;
}

/* Returns the first frame outside of the base that is on another stack: the one that a handler on
 * its own stack has interrupted. */
static u32 other_stack(void)
{
    u32 n = now.outer;
    while (n < now.frame_count &&
           (now.frames[n].stack_end == now.base.stack_end || now.frames[n].stack_end == ~0ul))
        n++;
    return n;
}

/* A handler on its own stack may be left by a jump to the interrupted stack, so the engine checks
 * both stacks. */
static void widen_bounds(const struct plan_frame *other)
{
    u64 base = other->cfa < now.base.cfa ? other->cfa : now.base.cfa;
    u64 end = other->stack_end > now.base.stack_end ? other->stack_end : now.base.stack_end;
    cpu->point_base = cpu->scoped_base = base;
    cpu->point_above = cpu->scoped_above = 0;
    cpu->point_outer = end;
}

/* Adds what was counted in sums. */
static void settle(void)
{
    for (unsigned n = 0; n < TICK_COUNTERS; n++) {
        cpu->point_left -= cpu->point_sum[n];
        cpu->point_sum[n] = 0;
    }
}

/* Where all points count, those of other threads are counted elsewhere. */
static void plan_points_park(bool parked)
{
    if (parked == now.parked)
        return;
    settle();
    now.parked = parked;
    if (parked)
        now.left = cpu->point_left;
    cpu->point_left = parked ? MANY : now.left;
}

static u64 points_left(void)
{
    settle();
    return now.parked ? now.left : cpu->point_left;
}

/* Sets the bounds that translated code compares with (plan_points.h). A base in a scope can leave
 * the scope at any point, so the engine checks all points of its frame. */
static void set_bounds(u32 running)
{
    bool counts = now.thread == CONTROL_THREAD_ANY || now.thread == running;
    u64 base = now.base.cfa;
    if (code_sites.all_points) {
        plan_points_park(!counts);
        return;
    }
    if (counts && now.adrift) {
        cpu->point_base = cpu->scoped_base = cpu->point_above = cpu->scoped_above = 0;
        cpu->point_outer = ~0ul;
        return;
    }
    if (!counts || !base) {
        cpu->point_base = cpu->scoped_base = counts ? 0 : ~0ul;
        cpu->point_above = cpu->scoped_above = ~0ul;
        return;
    }
    cpu->point_base = base;
    cpu->scoped_base = now.base.scope ? base : base + 1;
    cpu->point_above = now.base.scope ? base - 1 : base;
    cpu->scoped_above = now.base.scope ? base - 1 : base;
    cpu->point_outer = leaves() ? now.base.stack_end - 1 : base;
    u32 other = leaves() ? other_stack() : now.frame_count;
    if (other < now.frame_count)
        widen_bounds(&now.frames[other]);
}

static void take_base(u32 index)
{
    now.base = index < now.frame_count ? now.frames[index] : (struct plan_frame){0};
    now.outer = index + 1;
}

/* Two frames may have the same return address: a function that only calls itself, or one on another
 * stack. */
static void leave_base(void)
{
    u64 rsp = cpu->reg[RSP];
    while (now.base.cfa && cpu->rip == now.base.return_pc && rsp >= now.base.cfa &&
           rsp <= now.base.stack_end) {
        take_base(now.outer);
        now.adrift = !now.base.cfa;
    }
}

/* The base was left without a return: by longjmp or an exception. */
static void leave_base_for(u64 cfa, u32 scope)
{
    while (now.outer < now.frame_count && now.frames[now.outer].cfa < cfa)
        now.outer++;
    if (now.outer < now.frame_count && now.frames[now.outer].cfa == cfa)
        take_base(now.outer);
    else
        now.base = (struct plan_frame){.cfa = cfa, .stack_end = now.base.stack_end, .scope = scope};
}

/* Returns the innermost scope that contains both: scopes come after their parents. */
static u32 plan_points_common_scope(u32 a, u32 b)
{
    while (a != b) {
        if (a > b)
            a = points.scopes[a];
        else
            b = points.scopes[b];
    }
    return a;
}

static void leave_scope_for(u32 common, u32 scope)
{
    if (leaves()) {
        now.base.scope = common;
        return;
    }
    cpu->point_left = MANY;
    now.left_tick = ticks_now();
    now.left_pc = cpu->rip;
    now.left_scope = scope;
}

/* --- counting --------------------------------------------------------------------------------- */

static u64 dwarf_register(u8 number)
{
    return cpu->reg[register_of_dwarf(number % GENERAL_REGISTERS)];
}

static u64 plan_points_frame_address(const struct plan_point *p)
{
    u64 at = dwarf_register(p->reg) + (u64)(i64)p->offset, word;
    if (p->rule == CFA_REGISTER)
        return at;
    return p->rule == CFA_MEMORY && guest_read_u64(gaddr(at), &word) ? word : now.base.cfa;
}

/* True if the point counts for the base, if there is one. */
static bool concerns_base(const struct plan_point *p)
{
    u64 cfa = plan_points_frame_address(p);
    now.found |= now.adrift;
    now.adrift = false;
    if (now.found)
        return true;
    if (!now.base.cfa)
        return true;
    u32 other = leaves() ? other_stack() : now.frame_count;
    if (other < now.frame_count && cfa >= now.frames[other].cfa &&
        cfa < now.frames[other].stack_end)
        take_base(other);
    if (cfa < now.base.cfa || cfa >= now.base.stack_end)
        return false;
    if (cfa > now.base.cfa) {
        if (!leaves())
            return false;
        leave_base_for(cfa, p->scope);
    }
    u32 common = plan_points_common_scope(now.base.scope, p->scope);
    bool inside = common == now.base.scope;
    if (!inside)
        leave_scope_for(common, p->scope);
    return common == p->scope && (inside || leaves());
}

void plan_points_meet(bool counted)
{
    u32 running = thread_self()->ordinal;
    if (!now.on || (now.thread != CONTROL_THREAD_ANY && now.thread != running))
        return;
    if (leaves())
        leave_base();
    const struct plan_point *p = plan_point_at(cpu->rip);
    if (p && !counted && concerns_base(p))
        cpu->point_left--;
    set_bounds(running);
}

void plan_points_met_before(void)
{
    if (plan_tally_on())
        plan_tally_count(cpu->rip, -1);
    else
        cpu->point_sum[0]--;
}

bool plan_points_due(void)
{
    return now.on && now.nth && (points_left() == 0 || now.found);
}

u64 plan_points_counted(void)
{
    return now.on ? (now.nth ? now.nth : MANY) - points_left() : 0;
}

void plan_points_left(u64 *ret_tick, u64 *ret_pc, u32 *ret_scope)
{
    *ret_tick = now.left_tick;
    *ret_pc = now.left_pc;
    *ret_scope = now.left_scope;
}

void plan_points_note_thread(u32 ordinal)
{
    if (now.on)
        set_bounds(ordinal);
}

bool plan_points_on(void)
{
    return now.on;
}

/* If points count differently than in the last plan that had some, its translations become
 * useless. */
void plan_points_install(void)
{
    const struct plan *head = &plan_parts.head;
    now.on = head->points != 0;
    if (!now.on)
        return;
    bool all = !head->frames && !(head->flags & PLAN_FRAMES_LEAVE);
    if (all != code_sites.all_points)
        drop_translations();
    code_sites.all_points = all;
    now.flags = head->flags;
    now.thread = head->points_thread;
    now.nth = head->mode == PLAN_STOP ? head->points_nth : 0;
    now.left_tick = now.left_pc = now.left_scope = 0;
    now.found = false;
    if (!(head->flags & PLAN_POINTS_GO_ON)) {
        now.frame_count = head->frames < FRAMES_MOST ? head->frames : FRAMES_MOST;
        memcpy(now.frames, plan_parts.frame, now.frame_count * sizeof(now.frames[0]));
        take_base(0);
        now.adrift = leaves() && !now.base.cfa;
    }
    now.parked = false;
    settle();
    cpu->point_left = now.nth ? now.nth : MANY;
    set_bounds(thread_self()->ordinal);
}

/* --- sums ------------------------------------------------------------------------------------- */

static bool is_near(void)
{
    return now.nth && !plan_sums_ticks(points_left());
}

static bool is_short(void)
{
    u64 limit = plan_parts.head.limit_tick, tick = ticks_now();
    return limit < tick || limit - tick < SUMS_LEAST;
}

u8 plan_points_variant(u8 for_data)
{
    invariant(1, points.table && (!points.used || points.used == points.table));
    points.used = points.table;
    if (code_sites.all_points && !for_data && !is_near() && !is_short())
        return VARIANT_SUMS;
    return for_data | VARIANT_POINTS;
}

void plan_points_approach(void)
{
    if (fragments.variant == VARIANT_SUMS && is_near())
        fragments_use(VARIANT_POINTS);
}

u64 plan_points_ticks(void)
{
    return fragments.variant == VARIANT_SUMS && now.nth ? plan_sums_ticks(points_left()) : ~0ul;
}
