/* Loops on one line, which a client steps over.
 *
 * gdb makes a `reverse-next` from single steps back, and a `next` from a step over the line's
 * instructions and two more movements for each call. With a loop of many rounds on one line it
 * looks at each instruction, or at each call, and answers in the same way every time. So after a
 * few of these the server takes several of gdb's steps at once, as `vCont;r` of the protocol does
 * forward. The rule: a stop is left out only if gdb would not stop there.
 *
 *     start          first instruction of the line: gdb ends a step back here, so it is told
 *     (start, end)   in the frame of the line: gdb goes on, so it is not told
 *     elsewhere      another line, or the last instruction of a function that the line called:
 *                    gdb is told. If it steps over calls, and nothing of its interest happened in
 *                    this one, the server goes on from the call instruction, as gdb would.
 *
 * ebb.py says that a command steps by lines, and over calls or not (`qebb.lines`), because
 * `reverse-stepi 1000` sends the same packets; and which instructions gdb takes for a line.  What
 * it said holds until the user sees a stop.
 *
 * A line is left to gdb if it has breakpoints, parts of inlined functions, or both calls and
 * returns (of a function that calls itself).
 */
#include <errno.h>
#include <stdlib.h>

#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum {
    LINES_MOST = 1024,
    STEPS_SEEN = 8, /* in one line, before several are taken at once */
    CALLS_MOST = 16,
};

/* `qebb.lines:KIND[;START,END]...` */
void rsp_lines_tell(struct rsp *r, const char *args)
{
    u64 kind;
    rsp_lines_forget(r);
    if (!wire_number(&args, &kind) || kind > LINES_OVER_CALLS)
        return rsp_fail(r, EINVAL);
    while (*args == ';' && r->lines.ranges.count < LINES_MOST) {
        struct session_range range;
        args++;
        if (!wire_number(&args, &range.start) || *args++ != ',' || !wire_number(&args, &range.end))
            return rsp_fail(r, EINVAL);
        *(struct session_range *)list_add(&r->lines.ranges) = range;
    }
    if (*args)
        return rsp_fail(r, EINVAL);
    r->lines.kind = (u32)kind;
    rsp_ok(r);
}

void rsp_lines_forget(struct rsp *r)
{
    list_deinit(&r->lines.ranges);
    list_deinit(&r->lines.calls);
    r->lines = (struct rsp_lines){.ranges = LIST(struct session_range),
                                  .calls = LIST(struct instruction)};
}

/* --- one line --------------------------------------------------------------------------------- */

static bool lines_has(const struct session_range *range, u64 pc)
{
    return pc >= range->start && pc < range->end;
}

static bool lines_find(const struct rsp *r, u64 pc, struct session_range *ret)
{
    const struct session_range *all = r->lines.ranges.items;
    for (size_t i = 0; i < r->lines.ranges.count; i++)
        if (lines_has(&all[i], pc)) {
            *ret = all[i];
            return true;
        }
    return false;
}

static bool has_client_breakpoint(const struct rsp *r, const struct session_range *line)
{
    const struct debug_site *sites = r->sites.items;
    for (size_t i = 0; i < r->sites.count; i++)
        if (sites[i].wanted && sites[i].type == BREAK_CODE &&
            (lines_has(line, sites[i].address) || sites[i].address == line->end))
            return true;
    return false;
}

/* Is all of it in one function, as far as functions are inlined? */
static bool is_one_scope(struct symbols *symbols, const struct session_range *line)
{
    struct scope_range *ranges;
    size_t count;
    symbols_scopes(symbols, line->start, &ranges, &count);
    bool same = count > 0;
    for (size_t i = 0; i < count && same; i++) {
        bool begins = ranges[i].start > line->start && ranges[i].start < line->end;
        bool ends = ranges[i].end > line->start && ranges[i].end < line->end;
        same = ranges[i].block || (!begins && !ends);
    }
    free(ranges);
    return same;
}

/* Its calls are kept. */
static bool is_usable(struct rsp *r, struct symbols *symbols, const struct session_range *line)
{
    struct instruction *all;
    size_t count, returns = 0;
    u64 end = line->start;
    r->lines.calls.count = 0;
    symbols_instructions(symbols, line->start, line->end, &all, &count);
    for (size_t i = 0; i < count; i++) {
        returns += all[i].kind == INSTRUCTION_RETURN;
        end = all[i].pc + all[i].length;
        if (all[i].kind == INSTRUCTION_CALL)
            *(struct instruction *)list_add(&r->lines.calls) = all[i];
    }
    free(all);
    return end == line->end && (!returns || !r->lines.calls.count) &&
           r->lines.calls.count <= CALLS_MOST && is_one_scope(symbols, line);
}

/* The client has begun another step in the line: are several to be taken at once? */
static bool is_loop(struct rsp *r, const struct session_range *line)
{
    struct symbols *symbols;
    struct rsp_lines *l = &r->lines;
    if (l->line.start != line->start || l->line.end != line->end) {
        l->line = *line;
        l->seen = 0;
    }
    if (++l->seen < STEPS_SEEN || has_client_breakpoint(r, line))
        return false;
    if (l->seen == STEPS_SEEN) {
        struct error *err = rsp_model_symbols(r, &symbols);
        l->usable = !err && is_usable(r, symbols, line);
        error_destroy(err);
    }
    return l->usable;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* To where one of the line's calls begins or ends: the thread comes to `pc` with this stack.  If
 * anything else stops it, the session is where it was. */
static struct error *go_over_call(struct rsp *r, enum session_direction direction, u32 thread,
                                  u64 pc, u64 stack, bool *ret_crossed)
{
    struct breakpoint b = {.site = {.kind = SITE_CODE, .address = pc, .size = 1, .thread = thread,
                                    .stack_least = stack, .stack_most = stack}};
    struct session_place before;
    struct session_stop stop;
    u32 number;
    *ret_crossed = false;
    session_place(r->session, &before);
    struct error *err = session_add_breakpoint(r->session, &b, &number);
    if (err)
        return err;
    err = movement_continue(r->session, direction, 1, &stop);
    error_destroy(session_remove_breakpoint(r->session, number));
    *ret_crossed = !err && stop.why == WHY_BREAKPOINT && stop.breakpoint_count == 1 &&
                   stop.breakpoint == number;
    if (err || *ret_crossed)
        return err;
    r->lines.usable = false;
    return movement_goto(r->session, before.at, &stop);
}

static struct error *read_stack(struct rsp *r, u32 thread, u64 *ret_rsp, u64 *ret_word)
{
    struct control_registers registers;
    const u8 *vector;
    size_t got = 0;
    struct error *err = session_registers(r->session, thread, &registers, &vector);
    if (err)
        return err;
    *ret_rsp = registers.reg[RSP];
    err = session_read(r->session, *ret_rsp, ret_word, sizeof *ret_word, &got);
    if (got != sizeof *ret_word)
        *ret_word = 0;
    return err;
}

/* The session stands at the last instruction of a function.  If the line called it: to the call. */
static struct error *go_back_over_call(struct rsp *r, u32 thread, bool *ret_crossed)
{
    const struct instruction *calls = r->lines.calls.items;
    struct session_place place;
    struct symbols *symbols;
    struct instruction here;
    u64 stack, back;
    *ret_crossed = false;
    session_place(r->session, &place);
    struct error *err = rsp_model_symbols(r, &symbols);
    if (err || !symbols_instruction(symbols, place.at.pc, &here) ||
        here.kind != INSTRUCTION_RETURN || place.thread != thread)
        return err;
    err = read_stack(r, thread, &stack, &back);
    for (size_t i = 0; i < r->lines.calls.count && !err; i++)
        if (calls[i].pc + calls[i].length == back)
            return go_over_call(r, BACKWARD, thread, calls[i].pc, stack + 8, ret_crossed);
    return err;
}

/* --- movements -------------------------------------------------------------------------------- */

static u64 pc_here(const struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    return place.at.pc;
}

static bool has_only_stepped(const struct session_stop *stop)
{
    return stop->why == WHY_STEPPED && !stop->breakpoint_count;
}

static struct error *lines_back(struct rsp *r, u32 thread, struct session_range line)
{
    struct session_range inside = {line.start + 1, line.end};
    bool crossed;
    do {
        struct error *err = movement_stepi(r->session, BACKWARD, thread, 1, inside, &r->stop);
        crossed = false;
        if (!err && has_only_stepped(&r->stop) && r->lines.kind == LINES_OVER_CALLS &&
            pc_here(r) != line.start)
            err = go_back_over_call(r, thread, &crossed);
        if (err)
            return err;
    } while (crossed && pc_here(r) != line.start);
    return NULL;
}

static struct error *enable_calls(struct rsp *r, const u32 *numbers, u32 count, bool enabled)
{
    struct error *err = NULL;
    for (u32 i = 0; i < count && !err; i++)
        err = session_enable_breakpoint(r->session, numbers[i], enabled);
    return err;
}

/* Which call of the line stopped it; NULL: something else did. */
static const struct instruction *stopped_at_call(const struct rsp *r, const u32 *numbers, u32 count)
{
    const struct instruction *calls = r->lines.calls.items;
    for (u32 i = 0; i < count; i++)
        if (r->stop.why == WHY_BREAKPOINT && r->stop.breakpoint_count == 1 &&
            r->stop.breakpoint == numbers[i])
            return &calls[i];
    return NULL;
}

/* The breakpoints on the calls of the line are set. */
static struct error *lines_go_ahead(struct rsp *r, u32 thread, struct session_range line,
                                    const u32 *numbers, u32 count)
{
    const struct instruction *call;
    bool crossed;
    do {
        u64 stack, unused;
        struct error *err = movement_stepi(r->session, FORWARD, thread, 1, line, &r->stop);
        crossed = false;
        call = err ? NULL : stopped_at_call(r, numbers, count);
        if (!call)
            return err;
        err = enable_calls(r, numbers, count, false); /* a function may call itself */
        if (!err)
            err = read_stack(r, thread, &stack, &unused);
        if (!err)
            err = go_over_call(r, FORWARD, thread, call->pc + call->length, stack, &crossed);
        if (!err && crossed)
            err = enable_calls(r, numbers, count, true);
        if (err)
            return err;
        r->stop = (struct session_stop){.why = WHY_STEPPED};
    } while (crossed && lines_has(&line, pc_here(r)));
    return crossed ? NULL : movement_stepi(r->session, FORWARD, thread, 1, line, &r->stop);
}

static struct error *lines_ahead(struct rsp *r, u32 thread, struct session_range line)
{
    const struct instruction *calls = r->lines.calls.items;
    u32 numbers[CALLS_MOST], count = 0;
    struct error *err = NULL;
    for (size_t i = 0; i < r->lines.calls.count && !err; i++) {
        struct breakpoint b = {.site = {.kind = SITE_CODE, .address = calls[i].pc, .size = 1,
                                        .thread = thread}};
        err = session_add_breakpoint(r->session, &b, &numbers[count]);
        count += !err;
    }
    if (!err)
        err = lines_go_ahead(r, thread, line, numbers, count);
    while (count > 0)
        error_destroy(session_remove_breakpoint(r->session, numbers[--count]));
    return err;
}

struct error *rsp_lines_step(struct rsp *r, enum session_direction direction, u32 thread,
                             struct session_range range, bool *ret_made)
{
    struct session_place place;
    session_place(r->session, &place);
    *ret_made = false;
    if (r->lines.kind == LINES_NONE || place.thread != thread)
        return NULL;
    if (direction == FORWARD && (range.start >= range.end || r->lines.kind != LINES_OVER_CALLS))
        return NULL;
    if (direction == BACKWARD && !lines_find(r, place.at.pc, &range))
        return NULL;
    if (!is_loop(r, &range) || (direction == FORWARD && !r->lines.calls.count))
        return NULL;
    *ret_made = true;
    return direction == FORWARD ? lines_ahead(r, thread, range) : lines_back(r, thread, range);
}
