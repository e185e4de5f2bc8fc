/* Movements that end with the frame at the latest: `until` without an argument, which leaves a
 * loop, and `advance`.
 *
 * `until` is a `next` that does not go back: if the statement is the last one of a loop, and `next`
 * leads to the loop's beginning, it goes on to the first statement of this frame that lies after
 * the one where it began. A function that calls itself comes to the same places in other frames, so
 * the frame is looked at where it stops.
 */
#include <stdlib.h>

#include "debug/debug_internal.h"

enum { PLACES_MOST = 4096 };

/* The frame that it began in. */
struct past_frame {
    u64 cfa, caller; /* where it returns to; 0: not known */
    u64 pc;
};

static struct error *past_begin(struct debug *d, struct past_frame *ret)
{
    struct error *err = debug_frames(d);
    if (err)
        return err;
    size_t outer = 0, count = debug_shown_frames(d, 64, NULL);
    while (outer < count && d->frames[outer].inlined)
        outer++;
    if (outer >= count)
        return error_coded(ERROR_NOT_FOUND, "there are no frames here");
    *ret = (struct past_frame){.cfa = d->frames[0].cfa, .pc = d->frames[0].pc,
                               .caller = outer + 1 < d->frame_count ? d->frames[outer + 1].pc : 0};
    return NULL;
}

/* The innermost frame now: the one that it began in, one further out (1) or further in (-1). */
static struct error *past_compare(struct debug *d, const struct past_frame *f, u64 *ret_pc,
                                  int *ret)
{
    struct error *err = debug_frames(d);
    if (err || !d->frame_count)
        return err ? err : error_coded(ERROR_NOT_FOUND, "there are no frames here");
    *ret = d->frames[0].cfa > f->cfa ? 1 : d->frames[0].cfa < f->cfa ? -1 : 0;
    *ret_pc = d->frames[0].pc;
    return NULL;
}

static struct error *past_next(struct debug *d, struct session_stop *stop)
{
    struct debug_order o = {.move = MOVE_NEXT, .direction = FORWARD, .count = 1};
    return debug_move_unnoted(d, &o, stop);
}

/* To one of the places in any frame further out or in this one, or out of the frame. `anywhere`:
 * in any frame. */
static struct error *past_run(struct debug *d, const struct past_frame *f, const u64 *pcs,
                              size_t count, bool anywhere, struct session_stop *stop,
                              bool *ret_left)
{
    u64 *all = xalloc((count + 1) * sizeof *all), pc = 0;
    struct error *err;
    int depth = 0;
    bool is_place = false;
    memcpy(all, pcs, count * sizeof *all);
    if (f->caller)
        all[count] = f->caller;
    do {
        struct debug_order o = {.move = MOVE_UNTIL, .direction = FORWARD, .count = 1, .pcs = all,
                                .pc_count = count + (f->caller != 0)};
        err = debug_move_unnoted(d, &o, stop);
        if (err || stop->why != WHY_STEPPED)
            break;
        err = past_compare(d, f, &pc, &depth);
        is_place = false;
        for (size_t i = 0; i < count; i++)
            is_place |= pcs[i] == pc;
        *ret_left = depth > 0 && !is_place;
    } while (!err && !(is_place && (anywhere || depth >= 0)) && !*ret_left);
    free(all);
    return err;
}

/* The starts of lines between two addresses. */
static size_t starts_of_lines(struct symbols *symbols, u64 from, u64 to, u64 *ret)
{
    struct line_place row;
    size_t count = 0;
    unsigned before = 0;
    for (u64 pc = from; pc < to && count < PLACES_MOST && symbols_line(symbols, pc, &row) &&
                        row.end > pc;
         pc = row.end) {
        if (row.line && row.line != before && row.is_stmt && row.start == pc)
            ret[count++] = pc;
        before = row.line;
    }
    return count;
}

/* Where the rows of the pc's line end. */
static u64 end_of_line(struct symbols *symbols, u64 pc, u64 most)
{
    struct line_place first, row;
    if (!symbols_line(symbols, pc, &first))
        return pc + 1;
    for (row = first; row.line == first.line && row.end < most; pc = row.end)
        if (!symbols_line(symbols, row.end, &row) || row.end <= pc)
            break;
    return row.line == first.line ? row.end : row.start;
}

static struct error *past_go(struct debug *d, struct session_stop *stop)
{
    struct past_frame f;
    struct symbols *symbols;
    struct function_info function;
    int depth = 0;
    u64 pc = 0, places[PLACES_MOST];
    bool left = false;
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = past_begin(d, &f);
    if (err || !symbols_function(symbols, f.pc, &function) || !function.has_lines)
        return err ? err : past_next(d, stop);
    u64 end = end_of_line(symbols, f.pc, function.end);
    err = past_next(d, stop);
    if (!err && stop->why == WHY_STEPPED)
        err = past_compare(d, &f, &pc, &depth);
    if (err || stop->why != WHY_STEPPED || depth != 0 || pc < function.start || pc >= end)
        return err;
    size_t count = starts_of_lines(symbols, end, function.end, places);
    err = past_run(d, &f, places, count, false, stop, &left);
    return err || !left || stop->why != WHY_STEPPED ? err : past_next(d, stop);
}

/* For undo it is one movement; one that fails leads nowhere. */
static struct error *past_settle(struct debug *d, struct moment before, struct error *err)
{
    struct session_stop unused;
    if (!err) {
        debug_moved_from(d, before);
        return NULL;
    }
    error_destroy(movement_goto(d->session, before, &unused));
    debug_arrive(d);
    return err;
}

struct error *debug_move_past(struct debug *d, struct session_stop *stop)
{
    struct session_place before;
    session_place(d->session, &before);
    return past_settle(d, before.at, past_go(d, stop));
}

struct error *debug_advance(struct debug *d, const u64 *pcs, size_t count,
                            struct session_stop *stop)
{
    struct session_place before;
    struct past_frame f;
    bool left;
    session_place(d->session, &before);
    struct error *err = past_begin(d, &f);
    return err ? err : past_settle(d, before.at, past_run(d, &f, pcs, count, true, stop, &left));
}
