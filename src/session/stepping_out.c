/* out and bout: move past the end, or before the start, of the innermost block or loop around the
 * statement.
 *
 * The block is treated like an inlined function: a separate scope that `next` and `previous` step
 * over. Debug information has blocks that contain variables. A loop is found by the jump that
 * closes it, from its end back to its start.
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/stepping_internal.h"

struct code_part {
    struct list ranges; /* struct session_range */
    u64 size;           /* 0: there is none */
};

static bool holds(const struct code_part *p, u64 pc)
{
    const struct session_range *r = p->ranges.items;
    for (size_t n = 0; n < p->ranges.count; n++)
        if (pc >= r[n].start && pc < r[n].end)
            return true;
    return false;
}

static void add_range(struct code_part *p, u64 start, u64 end)
{
    *(struct session_range *)list_add(&p->ranges) = (struct session_range){start, end};
    p->size += end - start;
}

/* Finds the innermost block of the scope that contains the pc. Inner blocks come later in the
 * list. */
static void stepping_out_find_block(const struct points_function *f, u32 scope, u64 pc,
                                    struct code_part *ret)
{
    const struct scope_range *r = f->ranges;
    u64 die = 0;
    for (size_t n = 0; n < f->range_count; n++)
        if (r[n].block && r[n].scope == scope && pc >= r[n].start && pc < r[n].end)
            die = r[n].die;
    for (size_t n = 0; die && n < f->range_count; n++)
        if (r[n].block && r[n].die == die)
            add_range(ret, r[n].start, r[n].end);
}

/* `continue` jumps to the same place, so the last branch that does so closes the loop. */
static u64 end_of_loop(const struct instruction *code, size_t count, u64 start)
{
    u64 end = 0;
    for (size_t n = 0; n < count; n++)
        if (code[n].kind == INSTRUCTION_JUMP && code[n].target == start && start <= code[n].pc)
            end = code[n].pc + code[n].length;
    return end;
}

static void find_loop(struct symbols *symbols, const struct points_function *f, u64 pc,
                      struct code_part *ret)
{
    struct instruction *code;
    size_t count;
    struct session_range best = {0, 0};
    symbols_instructions(symbols, f->start, f->end, &code, &count);
    for (size_t n = 0; n < count; n++) {
        u64 start = code[n].target;
        if (code[n].kind != INSTRUCTION_JUMP || start < f->start || start > code[n].pc ||
            pc < start)
            continue;
        u64 end = end_of_loop(code, count, start);
        if (pc >= end)
            continue;
        if (!best.end || end - start < best.end - best.start)
            best = (struct session_range){start, end};
    }
    free(code);
    if (best.end)
        add_range(ret, best.start, best.end);
}

static void find_part(struct walk *w, const struct points_function *f, u64 pc,
                      struct code_part *ret)
{
    struct code_part block = {.ranges = LIST(struct session_range)}, loop = block;
    stepping_out_find_block(f, w->frames.list[0].plan.scope, pc, &block);
    find_loop(w->symbols, f, pc, &loop);
    bool is_loop = loop.size && (!block.size || loop.size <= block.size);
    *ret = is_loop ? loop : block;
    list_deinit(is_loop ? &block.ranges : &loop.ranges);
}

/* Copies the program's points and makes the part a scope of its own. */
static void stepping_out_divide(struct walk *w, const struct code_part *part, struct points *ret)
{
    const struct points *whole = w->points;
    u32 scope = w->frames.list[0].plan.scope, added = whole->scope_count ? whole->scope_count : 1;
    *ret = *whole;
    ret->list = xalloc((whole->count + 1) * sizeof *ret->list);
    ret->scopes = xalloc((added + 1) * sizeof *ret->scopes);
    ret->scope_count = added + 1;
    for (u32 n = 0; n < whole->count; n++) {
        ret->list[n] = whole->list[n];
        if (ret->list[n].scope == scope && holds(part, ret->list[n].pc))
            ret->list[n].scope = (u16)added;
    }
    ret->scopes[0] = 0;
    if (whole->scope_count)
        memcpy(ret->scopes, whole->scopes, whole->scope_count * sizeof *ret->scopes);
    ret->scopes[added] = scope;
}

/* Outer frames of the same function may be in the part, too. */
static void divide_frames(struct walk *w, const struct code_part *part, u32 added)
{
    u32 scope = w->frames.list[0].plan.scope;
    for (u32 n = 1; n < w->frames.plan_count; n++) {
        struct base_frame *f = &w->frames.list[n];
        if (f->plan.scope == scope && holds(part, f->pc - f->called))
            f->plan.scope = w->frames.plan[n].scope = added;
    }
}

static struct error *go_ahead(struct walk *w, size_t index)
{
    struct point_question q = walk_question(w, w->frames.plan + index,
                                            w->frames.plan_count - (u32)index);
    return walk_ahead(w, &(struct ahead){.points = q.points, .nth = 1, .flags = PLAN_FRAMES_LEAVE});
}

static struct error *go_back(struct walk *w, size_t index)
{
    return walk_go_before(w, (struct frame_search){
        .index = index, .scope = w->frames.list[index].plan.scope, .from = w->from, .nth = 1});
}

static struct error *leave_part(struct walk *w, enum session_direction d,
                                const struct code_part *part)
{
    struct points *whole = w->points, divided;
    stepping_out_divide(w, part, &divided);
    divide_frames(w, part, divided.scope_count - 1);
    w->points = &divided;
    struct error *err = d == FORWARD ? go_ahead(w, 0) : go_back(w, 0);
    w->points = whole;
    free(divided.list);
    free(divided.scopes);
    return err;
}

/* The whole function is the block: goes to its caller, or to the function into which it was
 * inlined. */
static struct error *leave_function(struct walk *w, enum session_direction d)
{
    struct base_frames *b = &w->frames;
    size_t index = b->list[0].inlined ? 0 : 1;
    if (index >= b->plan_count)
        return error_coded(ERROR_UNAVAILABLE, "there is no block around this place to leave");
    if (!index)
        b->list[0].plan.scope = b->plan[0].scope =
            symbols_scope_parent(w->symbols, b->list[0].plan.scope);
    return d == FORWARD ? go_ahead(w, index) : go_back(w, index);
}

struct error *movement_out(struct source *src, enum session_direction d, struct session_stop *ret)
{
    struct walk w;
    struct error *err = walk_begin(&w, src, 64, ret);
    if (!err && !w.frames.count)
        err = error_coded(ERROR_NOT_FOUND, "there is no frame here");
    if (!err) {
        struct code_part part = {.ranges = LIST(struct session_range)};
        const struct points_function *f = points_function(w.points, w.symbols, w.from.pc);
        if (f)
            find_part(&w, f, w.from.pc, &part);
        err = part.size ? leave_part(&w, d, &part) : leave_function(&w, d);
        list_deinit(&part.ranges);
    }
    return walk_end(&w, d, err);
}
