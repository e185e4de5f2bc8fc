/* nexti and its reverse: steps by instructions, over calls.
 *
 * Each instruction is a separate movement, since only the current instruction tells what to do:
 * forward, whether it is a call; backward, whether a call has just returned to it.
 */
#include "log/syscall_table.h"
#include "session/stepping_internal.h"

enum { INLINED_MOST = 32 };

/* --- forward ---------------------------------------------------------------------------------- */

/* Runs to where the call returns. If it never does, to the first statement of this frame or of one
 * further out. */
static struct error *cross_call(struct walk *w, const struct instruction *call)
{
    struct plan_site site = {.kind = SITE_CODE, .address = call->pc + call->length,
                             .thread = w->thread, .stack_least = w->rsp, .stack_most = w->rsp};
    struct plan_frame outermost = {.cfa = w->rsp + 1, .stack_end = ~0ull};
    bool known = w->frames.plan_count;
    struct point_question q =
        walk_question(w, known ? w->frames.plan : &outermost, known ? w->frames.plan_count : 1);
    return walk_ahead(w, &(struct ahead){.points = q.points, .nth = 1, .flags = PLAN_FRAMES_LEAVE,
                                         .site = &site});
}

static struct error *cross_call_here(struct source *src, const struct instruction *call,
                                     struct session_stop *ret)
{
    struct walk w;
    struct error *err = walk_begin(&w, src, 64, ret);
    if (!err)
        err = cross_call(&w, call);
    return walk_end(&w, FORWARD, err);
}

/* Sets *ret if this is the first instruction of a signal handler that was entered unexpectedly. */
static struct error *entered_handler(struct source *src, bool *ret)
{
    struct frame *frames;
    size_t count;
    struct error *err = source_frames(src, CONTROL_THREAD_ANY, 8, &frames, &count, NULL);
    *ret = false;
    if (err)
        return err;
    size_t outer = 0;
    while (outer < count && frames[outer].inlined)
        outer++;
    if (outer + 1 < count)
        *ret = frames[outer + 1].signal && frames[0].cfa == frames[0].reg[DWARF_RSP] + 8;
    free(frames);
    return NULL;
}

static bool goes_straight(const struct instruction *i, u64 pc)
{
    return pc == i->pc + i->length || (i->target && pc == i->target);
}

static struct error *step_plainly(struct source *src, const struct instruction *i,
                                  struct session_stop *ret)
{
    struct session *s = source_session(src);
    bool handler = false;
    struct error *err =
        movement_stepi(s, FORWARD, s->here.thread, 1, (struct session_range){0, 0}, ret);
    if (err || ret->why != WHY_STEPPED || goes_straight(i, s->here.at.pc))
        return err;
    err = entered_handler(src, &handler);
    return err || !handler ? err : movement_finish(src, FORWARD, 1, ret, NULL);
}

static struct error *one_ahead(struct source *src, struct session_stop *ret)
{
    struct session *s = source_session(src);
    struct symbols *symbols;
    struct error *err = source_symbols(src, &symbols);
    struct instruction i = {.pc = s->here.at.pc};
    if (err)
        return err;
    if (!symbols_instruction(symbols, s->here.at.pc, &i))
        return movement_stepi(s, FORWARD, s->here.thread, 1, (struct session_range){0, 0}, ret);
    if (i.kind == INSTRUCTION_CALL)
        return cross_call_here(src, &i, ret);
    return step_plainly(src, &i, ret);
}

/* --- backward --------------------------------------------------------------------------------- */

/* The instruction before the current one, and where it led. */
struct step_back {
    struct moment to;
    u64 rsp, cfa;
    enum { BACK_PLAIN, BACK_RETURN, BACK_SIGNAL, BACK_JUMP } kind;
    /* the ended handler was entered by a signal before the instruction there was executed */
    bool untried;
};

/* Finds the kind of the instruction. An indirect jump within a frame counts as plain: it is a
 * switch or a tail call. */
static struct error *classify(struct source *src, struct step_back *b)
{
    struct session *s = source_session(src);
    struct symbols *symbols;
    struct control_registers r;
    const u8 *vector;
    struct instruction i;
    u64 cfa;
    b->kind = BACK_PLAIN;
    struct error *err = source_symbols(src, &symbols);
    if (!err)
        err = session_registers(s, s->here.thread, &r, &vector);
    if (err || !symbols_instruction(symbols, r.rip, &i))
        return err;
    if (i.kind == INSTRUCTION_RETURN)
        b->kind = BACK_RETURN;
    else if (i.kind == INSTRUCTION_PLAIN && syscall_has(r.reg[RAX], EFFECT_SIGRETURN) &&
             r.rip + i.length != b->to.pc)
        b->kind = BACK_SIGNAL;
    if (i.kind != INSTRUCTION_JUMP || i.target)
        return NULL;
    err = walk_frame_here(src, &cfa);
    if (!err && cfa && b->cfa && cfa != b->cfa)
        b->kind = BACK_JUMP;
    return err;
}

/* Returns the events that may have entered the function that has just ended. */
static u32 beginnings_of(struct symbols *symbols, const struct step_back *b, u32 thread,
                         struct plan_site ret[BEGINNINGS_MOST])
{
    u64 calls[CALLS_BEFORE_MOST];
    u32 count = b->kind == BACK_RETURN ? (u32)symbols_calls_before(symbols, b->to.pc, calls) : 0;
    for (u32 n = 0; n < count; n++)
        ret[n] = (struct plan_site){.kind = SITE_CODE, .address = calls[n], .thread = thread,
                                    .stack_least = b->rsp, .stack_most = b->rsp};
    if (b->kind == BACK_SIGNAL || b->kind == BACK_JUMP)
        ret[count++] = (struct plan_site){.kind = SITE_SIGNAL, .address = ~0ull, .thread = thread,
                                          .stack_least = b->rsp, .stack_most = b->rsp};
    return count;
}

/* Finds the last call that the frame made. */
static struct error *last_call(struct walk *w, struct point_result *ret)
{
    const struct points_function *f = points_function(w->points, w->symbols, w->from.pc);
    u32 count = 0;
    *ret = (struct point_result){.outcome = POINT_NONE};
    struct plan_point *calls = f ? walk_call_points(w, f, false, &count) : NULL;
    struct error *err = NULL;
    if (count && w->frames.count) {
        struct plan_frame frame = w->frames.list[0].plan;
        frame.scope = 0;
        struct point_question q = {.points = {.points = calls,
                                              .point_count = count,
                                              .frames = &frame,
                                              .frame_count = 1,
                                              .thread = w->thread}};
        err = point_search_before(w->s, &q, w->from, 1, ret);
    }
    replayer_destroy(ret->process);
    ret->process = NULL;
    free(calls);
    return err;
}

/* Finds what entered the function or handler that has just ended: a call or a signal. If it was
 * left by a jump, such as longjmp or an exception, that is the last call that the frame made. */
static struct error *find_beginning(struct walk *w, struct step_back *b, struct moment *ret)
{
    struct plan_site sites[BEGINNINGS_MOST];
    struct found found = {0};
    struct point_result call = {.outcome = POINT_NONE};
    u32 count = beginnings_of(w->symbols, b, w->thread, sites);
    struct error *err = count ? walk_last(w, sites, count, w->from, &found) : NULL;
    if (!err && (b->kind == BACK_JUMP || (b->kind == BACK_RETURN && !found.any)))
        err = last_call(w, &call);
    if (found.any) {
        *ret = (struct moment){found.hits[0].tick, found.hits[0].pc};
        b->untried = sites[found.hits[0].site].kind == SITE_SIGNAL && !found.hits[0].written;
    }
    if (call.outcome == POINT_FOUND && (!found.any || moment_compare(call.at, *ret) > 0)) {
        *ret = call.at;
        b->untried = false;
    }
    return err;
}

/* Goes from the end of a call or handler back to the call, or to the interrupted instruction. The
 * session stands at the last instruction of the call or handler; b->to is the one after it. */
static struct error *cross_back(struct source *src, struct step_back *b, struct session_stop *ret)
{
    struct walk w;
    struct moment at = source_session(src)->here.at;
    struct error *err = movement_go(source_session(src), b->to);
    if (err)
        return err;
    err = walk_begin(&w, src, INLINED_MOST, ret);
    if (!err)
        err = find_beginning(&w, b, &at);
    if (!err && !session_interrupted(w.s))
        err = walk_back(&w, at, WHY_STEPPED, NULL);
    return walk_end(&w, BACKWARD, err);
}

/* If a handler begins here, goes to the instruction that the signal interrupted. *ret_untried: that
 * instruction was not executed. */
static struct error *back_to_signal(struct source *src, struct session_stop *ret, bool *ret_moved,
                                    bool *ret_untried)
{
    struct walk w;
    struct found found = {0};
    struct session *s = source_session(src);
    struct plan_site signal = {.kind = SITE_SIGNAL, .address = ~0ull, .thread = s->here.thread};
    struct moment from = s->here.at;
    struct error *err =
        movement_stepi(s, BACKWARD, s->here.thread, 1, (struct session_range){0, 0}, ret);
    struct moment before = s->here.at;
    if (!err)
        err = movement_go(s, from);
    if (err)
        return err;
    err = walk_begin(&w, src, 0, ret);
    if (!err)
        err = walk_last(&w, &signal, 1, from, &found);
    struct moment at = {found.hits[0].tick, found.hits[0].pc};
    *ret_moved = found.any && moment_compare(at, before) >= 0;
    *ret_untried = *ret_moved && !found.hits[0].written;
    if (!err && *ret_moved && !session_interrupted(w.s))
        err = walk_back(&w, at, WHY_STEPPED, NULL);
    return walk_end(&w, BACKWARD, err);
}

/* Steps back one instruction. If that instruction ended a call or a handler, goes on back to what
 * entered it. */
static struct error *back_over_calls(struct source *src, struct step_back *b,
                                     struct session_stop *ret)
{
    struct session *s = source_session(src);
    struct control_registers r;
    const u8 *vector;
    struct error *err = session_registers(s, s->here.thread, &r, &vector);
    *b = (struct step_back){.to = s->here.at, .rsp = r.reg[RSP]};
    if (!err)
        err = walk_frame_here(src, &b->cfa);
    if (!err)
        err = movement_stepi(s, BACKWARD, s->here.thread, 1, (struct session_range){0, 0}, ret);
    if (!err && ret->why == WHY_STEPPED)
        err = classify(src, b);
    if (!err && ret->why == WHY_STEPPED && b->kind != BACK_PLAIN)
        err = cross_back(src, b, ret);
    return err;
}

/* Makes one step back. At the start of a handler the step first goes to the interrupted code. */
static struct error *one_back(struct source *src, struct session_stop *ret)
{
    bool perhaps, moved = false, untried = false;
    *ret = (struct session_stop){.why = WHY_STEPPED};
    struct error *err = entered_handler(src, &perhaps);
    if (!err && perhaps)
        err = back_to_signal(src, ret, &moved, &untried);
    for (bool goes_on = !moved || untried; !err && goes_on && ret->why == WHY_STEPPED;) {
        struct step_back b;
        err = back_over_calls(src, &b, ret);
        goes_on = b.untried;
    }
    return err;
}

/* --- both ------------------------------------------------------------------------------------- */

static struct error *stepping_insns_repeat(struct source *src, enum session_direction d, u64 count,
                                           struct session_stop *ret)
{
    struct session *s = source_session(src);
    struct moment from = s->here.at;
    struct error *err = NULL;
    for (*ret = (struct session_stop){.why = WHY_STEPPED};
         count > 0 && !err && ret->why == WHY_STEPPED; count--)
        err = d == FORWARD ? one_ahead(src, ret) : one_back(src, ret);
    if (err || (d == BACKWARD && ret->why == WHY_INTERRUPTED))
        movement_return(s, from);
    return err;
}

/* Repeats the movement, whose end is now known, so that breakpoints can stop it. */
static struct error *go_among_breakpoints(struct source *src, enum session_direction d,
                                          struct moment to, struct session_stop *ret)
{
    struct walk w;
    enum session_why why = ret->why;
    struct error *err = walk_begin(&w, src, 0, ret);
    if (d == BACKWARD && !err)
        err = walk_back(&w, to, why, NULL);
    else if (!err)
        err = movement_run_ahead(w.s, why == WHY_END ? (struct moment){~0ull, 0} : to, 1, ret);
    if (d == FORWARD && !err && ret->why == WHY_STEPPED && why == WHY_THREAD_END)
        ret->why = why;
    return walk_end(&w, d, err);
}

/* nexti takes several steps that end at breakpoints without reporting them. So its end is found
 * without breakpoints first. */
struct error *movement_nexti(struct source *src, enum session_direction d, u64 count,
                             struct session_stop *ret)
{
    struct session *s = source_session(src);
    struct moment from = s->here.at;
    if (!breakpoints_any(&s->breakpoints, CHOOSE_ALL))
        return stepping_insns_repeat(src, d, count, ret);
    struct session_heed kept = s->breakpoints.heed;
    s->breakpoints.heed.nothing = true;
    struct error *err = stepping_insns_repeat(src, d, count, ret);
    s->breakpoints.heed = kept;
    struct moment to = s->here.at;
    if (err || ret->why == WHY_INTERRUPTED)
        return err;
    movement_return(s, from);
    return go_among_breakpoints(src, d, to, ret);
}
