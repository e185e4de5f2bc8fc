/* Searches over the run that concern one breakpoint or one frame: every hit of a breakpoint, and
 * the entry of a frame. The user's other breakpoints do not stop them. */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

enum { ENTRIES_MOST = 100000 };

/* Disables all breakpoints except `keep`, and adds those that were enabled to *ret. */
static void disable_others(struct debug *d, const struct debug_breakpoint *keep, struct list *ret)
{
    struct debug_breakpoint *const *all = d->breakpoints.items;
    *ret = LIST(struct debug_breakpoint *);
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        if (all[i] == keep || all[i]->disabled)
            continue;
        *(struct debug_breakpoint **)list_add(ret) = all[i];
        debug_breakpoint_enable(d, all[i], false);
    }
}

static void enable_again(struct debug *d, struct list *disabled)
{
    struct debug_breakpoint **all = disabled->items;
    for (size_t i = 0; i < disabled->count; i++)
        debug_breakpoint_enable(d, all[i], true);
    list_deinit(disabled);
}

static bool is_hit(struct debug *d, const struct debug_breakpoint *p,
                   const struct session_stop *stop)
{
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints); i++)
        if (debug_breakpoints_of_location(d, stop->breakpoints[i]) == p)
            return true;
    return false;
}

struct error *debug_each_hit(struct debug *d, struct debug_breakpoint *p,
                             bool (*visit)(void *context, u64 number), void *context)
{
    struct debug_standing here;
    struct session_stop stop = {0};
    struct list disabled;
    u64 number = 0;
    debug_standing_keep(d, &here);
    disable_others(d, p, &disabled);
    struct error *err = movement_goto(d->session, session_first(d->session), &stop);
    debug_arrive(d);
    for (bool goes_on = !err; goes_on;) {
        struct debug_order o = {.move = MOVE_CONTINUE, .direction = FORWARD, .count = 1};
        err = debug_move_unnoted(d, &o, &stop);
        goes_on = !err && stop.why == WHY_BREAKPOINT;
        if (!err && stop.why == WHY_INTERRUPTED)
            err = error_coded(ERROR_INTERRUPTED, "interrupted after %llu hits",
                              (unsigned long long)number);
        if (goes_on && is_hit(d, p, &stop))
            goes_on = visit(context, ++number);
    }
    enable_again(d, &disabled);
    struct error *back = debug_standing_return(d, &here);
    if (err)
        error_destroy(back);
    return err ? err : back;
}

/* --- the entry of a frame --------------------------------------------------------------------- */

/* Goes forward to where the function's body begins in the frame with this address. */
static struct error *go_to_body(struct debug *d, u64 body, u64 cfa, struct moment most,
                                struct session_stop *stop)
{
    struct error *err = NULL;
    for (unsigned n = 0; n < ENTRIES_MOST && !err; n++) {
        struct session_place place;
        u64 *pcs = xalloc(sizeof *pcs);
        *pcs = body;
        struct debug_order o = {
            .move = MOVE_UNTIL, .direction = FORWARD, .count = 1, .pcs = pcs, .pc_count = 1};
        err = debug_move_unnoted(d, &o, stop);
        debug_order_deinit(&o);
        session_place(d->session, &place);
        if (!err && (stop->why == WHY_INTERRUPTED || moment_compare(place.at, most) > 0))
            return error_coded(ERROR_NOT_FOUND, "the entry of the frame was not found");
        if (!err)
            err = debug_frames(d);
        if (!err && place.at.pc == body && d->frame_count && d->frames[0].cfa == cfa)
            return NULL;
    }
    return err ? err : error_coded(ERROR_NOT_FOUND, "the entry of the frame was not found");
}

static struct error *go_to_entry(struct debug *d, const struct frame *f, struct moment from,
                                 struct session_stop *stop)
{
    struct symbols *symbols;
    struct function_info info;
    struct debug_order o = {
        .move = MOVE_FINISH, .direction = BACKWARD, .count = 1 + debug_frames_inside(d)};
    u64 cfa = f->cfa;
    bool is_inlined = f->inlined;
    struct error *err = debug_symbols(d, &symbols);
    bool is_known = !err && symbols_function(symbols, f->pc - f->called, &info) && info.body;
    if (!err)
        err = debug_move_unnoted(d, &o, stop);
    bool has_come = !err && stop->why == WHY_STEPPED;
    if (err || is_inlined || !is_known || !has_come)
        return err;
    return go_to_body(d, info.body, cfa, from, stop);
}

struct error *debug_frame_entry(struct debug *d, struct session_stop *stop)
{
    struct session_place before;
    struct session_stop unused;
    struct list disabled;
    const struct frame *chosen = debug_frame(d);
    struct error *err = chosen ? debug_check_thread(d, MOVE_FINISH)
                               : error_coded(ERROR_NOT_FOUND, "there are no frames here");
    if (err)
        return err;
    struct frame f = *chosen;
    session_place(d->session, &before);
    disable_others(d, NULL, &disabled);
    err = go_to_entry(d, &f, before.at, stop);
    enable_again(d, &disabled);
    if (!err) {
        debug_moved_from(d, before.at);
        return NULL;
    }
    error_destroy(movement_goto(d->session, before.at, &unused));
    debug_arrive(d);
    return err;
}
