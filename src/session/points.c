/* Points and frames: see the header.
 *
 * Inlined code is looked up only for functions on the stack. Points of other frames are identified
 * by their address alone.
 */
#include "session/points_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* --- points ---------------------------------------------------------------------------------- */

void points_init(struct points *p)
{
    *p = (struct points){.functions = LIST(struct points_function)};
}

static void forget_functions(struct points *p)
{
    struct points_function *f = p->functions.items;
    for (size_t n = 0; n < p->functions.count; n++)
        free(f[n].ranges);
    list_deinit(&p->functions);
}

void points_deinit(struct points *p)
{
    forget_functions(p);
    free(p->list);
    free(p->scopes);
}

struct plan_point plan_point_of(u64 pc, const struct cfa_rule *rule)
{
    return (struct plan_point){.pc = pc, .rule = rule->known, .reg = rule->reg,
                               .offset = rule->offset};
}

/* Copies points. Points in detours are included only for movements that begin in a detour. */
static void points_take(struct points *p, const struct step_point *from, size_t count)
{
    p->list = xalloc((count + 1) * sizeof *p->list);
    p->count = 0;
    for (size_t n = 0; n < count; n++)
        if (!from[n].detour || p->detours)
            p->list[p->count++] = plan_point_of(from[n].pc, &from[n].cfa);
}

void points_use(struct points *p, struct symbols *symbols, u64 pc)
{
    size_t count;
    bool detours = symbols_is_detour(symbols, pc);
    const struct step_point *from = symbols_step_points(symbols, &count);
    u32 number = symbols_points_number(symbols);
    if (p->list && p->number == number && p->detours == detours)
        return;
    forget_functions(p);
    free(p->list);
    p->detours = detours;
    points_take(p, from, count);
    p->number = number;
}

void points_join(struct points *p, struct symbols *symbols)
{
    struct points before = *p;
    size_t count, at = 0;
    const struct step_point *from = symbols_step_points(symbols, &count);
    p->list = xalloc((before.count + count + 1) * sizeof *p->list);
    p->count = 0;
    for (size_t n = 0; n < before.count || at < count;) {
        if (at == count || (n < before.count && before.list[n].pc <= from[at].pc)) {
            at += at < count && before.list[n].pc == from[at].pc;
            p->list[p->count++] = before.list[n++];
        } else {
            if (!from[at].detour || p->detours)
                p->list[p->count++] = plan_point_of(from[at].pc, &from[at].cfa);
            at++;
        }
    }
    p->number = 0; /* not those of one moment */
    free(before.list);
}

static size_t first_from(const struct points *p, u64 pc)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (p->list[middle].pc < pc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct plan_point *points_at(const struct points *p, u64 pc)
{
    size_t n = first_from(p, pc);
    return n < p->count && p->list[n].pc == pc ? &p->list[n] : NULL;
}

static void take_scopes(struct points *p, struct symbols *symbols)
{
    u32 count = symbols_scope_count(symbols);
    if (count == p->scope_count)
        return;
    free(p->scopes);
    p->scopes = xalloc(count * sizeof *p->scopes);
    p->scope_count = count;
    for (u32 n = 0; n < count; n++)
        p->scopes[n] = symbols_scope_parent(symbols, n);
}

const struct points_function *points_function(struct points *p, struct symbols *symbols, u64 pc)
{
    struct points_function *f = p->functions.items;
    struct function_info info;
    for (size_t n = 0; n < p->functions.count; n++)
        if (pc >= f[n].start && pc < f[n].end)
            return &f[n];
    if (!symbols_function(symbols, pc, &info))
        return NULL;
    f = list_add(&p->functions);
    *f = (struct points_function){.start = info.start, .end = info.end, .entry = info.entry};
    symbols_scopes(symbols, pc, &f->ranges, &f->range_count);
    /* some points are in parts of the function that lie elsewhere */
    for (size_t k = 0; k < f->range_count; k++)
        for (size_t n = first_from(p, f->ranges[k].start);
             n < p->count && p->list[n].pc < f->ranges[k].end; n++)
            p->list[n].scope = (u16)scope_at(f->ranges, f->range_count, p->list[n].pc);
    take_scopes(p, symbols);
    return f;
}

/* --- frames ---------------------------------------------------------------------------------- */

static u64 stack_end(const struct control_area *areas, size_t count, u64 address)
{
    for (size_t n = 0; n < count; n++)
        if (address >= areas[n].start && address < areas[n].end)
            return areas[n].end;
    return ~0ull;
}

static void points_add_frame(struct base_frame *ret, struct points *p, struct symbols *symbols,
                             const struct frame *f)
{
    u64 at = f->pc - f->called;
    const struct points_function *function = points_function(p, symbols, at);
    *ret = (struct base_frame){.pc = f->pc, .called = f->called, .rsp = f->reg[DWARF_RSP],
                               .plan = {.cfa = f->cfa}};
    if (!function)
        return;
    ret->function = function->entry;
    ret->plan.scope = scope_at(function->ranges, function->range_count, at);
    for (u32 scope = ret->plan.scope; scope; scope = symbols_scope_parent(symbols, scope))
        ret->inlined++;
}

/* True if the frame is the outermost one of a stack and contains no point. Such a frame is not used
 * as a base. The return address that makecontext() stores there is in no function. */
static bool never_returns(const struct base_frame *f, struct symbols *symbols)
{
    struct line_place place;
    return !(f->plan.return_pc && f->function) && !symbols_line(symbols, f->pc - f->called, &place);
}

static void points_make_plan(struct base_frames *b, struct symbols *symbols)
{
    b->plan = xalloc((b->count + 1) * sizeof *b->plan);
    for (size_t n = 0; n < b->count; n++)
        b->plan[n] = b->list[n].plan;
    b->plan_count = (u32)b->count;
    while (b->plan_count && never_returns(&b->list[b->plan_count - 1], symbols))
        b->plan_count--;
}

void base_frames_init(struct base_frames *b, struct points *p, struct symbols *symbols,
                      const struct frame *frames, size_t count, const struct control_area *areas,
                      size_t area_count)
{
    *b = (struct base_frames){.list = xalloc((count + 1) * sizeof *b->list)};
    struct base_frame *inner = NULL;
    for (size_t n = 0; n < count; n++) {
        if (frames[n].inlined || frames[n].tail)
            continue;
        if (inner && !inner->plan.return_pc)
            inner->plan.return_pc = frames[n].pc;
        if (frames[n].signal) {
            if (inner)
                inner->handler = true;
            continue;
        }
        inner = &b->list[b->count++];
        points_add_frame(inner, p, symbols, &frames[n]);
        inner->plan.stack_end = stack_end(areas, area_count, inner->plan.cfa - 8);
    }
    points_make_plan(b, symbols);
}

void base_frames_stand_before(struct base_frames *b, struct symbols *symbols, u32 inlined)
{
    struct base_frame *f = b->list;
    for (; b->count && inlined && f->inlined; inlined--, f->inlined--)
        f->plan.scope = symbols_scope_parent(symbols, f->plan.scope);
    if (b->plan_count)
        b->plan[0] = f->plan;
}

void base_frames_deinit(struct base_frames *b)
{
    free(b->list);
    free(b->plan);
}

u32 base_frame_beginnings(const struct base_frames *b, size_t index, struct symbols *symbols,
                          u32 thread, struct plan_site ret[BEGINNINGS_MOST])
{
    const struct base_frame *f = &b->list[index];
    u64 calls[CALLS_BEFORE_MOST];
    if (f->handler && index + 1 < b->count) {
        u64 rsp = b->list[index + 1].rsp;
        ret[0] = (struct plan_site){.kind = SITE_SIGNAL, .address = ~0ull, .thread = thread,
                                    .stack_least = rsp, .stack_most = rsp};
        return 1;
    }
    u32 count = f->plan.return_pc
                    ? (u32)symbols_calls_before(symbols, f->plan.return_pc, calls) : 0;
    for (u32 n = 0; n < count; n++)
        ret[n] = (struct plan_site){.kind = SITE_CODE, .address = calls[n], .thread = thread,
                                    .stack_least = f->plan.cfa, .stack_most = f->plan.cfa};
    return count;
}
