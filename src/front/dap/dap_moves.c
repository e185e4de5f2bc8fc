/* Movements, and the reports to the client about where they stopped.
 *
 * The response is sent as soon as it is clear that the movement will be made; the event `stopped`
 * says where it ended. The ends of a recording are ordinary stops.
 */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"

/* --- what a stop was -------------------------------------------------------------------------- */

/* A stop in the protocol's terms. */
struct told {
    const char *reason;
    char *description; /* the caller frees it; NULL: none */
};

static void set_exception(struct dap *s, char *id, char *description, bool is_end)
{
    free(s->exception.id);
    free(s->exception.description);
    s->exception = (struct dap_exception){id, description, is_end};
}

static char *end_description(struct dap *s)
{
    struct session_place place;
    char room[32];
    session_place(s->debug->session, &place);
    if (place.start)
        return xformat("At the start of the recording");
    if (place.end_otherwise)
        return xformat("At the end of the recording: the process %s", place.end_otherwise);
    if (place.end_signal)
        return xformat("At the end of the recording: died by %s",
                       debug_signal_name(place.end_signal, room));
    return xformat("At the end of the recording: exited with status %u", place.end_status);
}

static struct told tell_end(struct dap *s)
{
    struct session_place place;
    char room[32];
    session_place(s->debug->session, &place);
    if (place.end && place.end_signal && !place.end_otherwise) {
        set_exception(s, xformat("%s", debug_signal_name(place.end_signal, room)),
                      debug_signal_text(s->debug, place.end_signal), true);
        return (struct told){"exception", end_description(s)};
    }
    if (place.start)
        return (struct told){"entry", end_description(s)};
    return (struct told){"pause", end_description(s)};
}

static struct told tell_watch(struct dap *s, struct debug_breakpoint *p, u32 location,
                              const struct plan_hit *hit, bool is_followed)
{
    struct debug_change c = {0};
    char *text;
    if (is_followed)
        debug_followed_change(s->debug, p, &c);
    else
        debug_watch_change(s->debug, p, location, hit, &c);
    if (c.kind == CHANGE_FRAME_ENDED)
        text = xformat("%s: its frame has ended", c.what ? c.what : p->what);
    else if (c.kind == CHANGE_FRAME_BEGINS)
        text = xformat("%s: its frame begins here", c.what ? c.what : p->what);
    else if (c.old && c.new &&strcmp(c.old, c.new) != 0)
        text = xformat("%s: %s -> %s", c.what ? c.what : p->what, c.old, c.new);
    else
        text = xformat("%s: %s", c.what ? c.what : p->what, c.new ? c.new : "first written");
    debug_change_deinit(&c);
    return (struct told){"data breakpoint", text};
}

static struct told tell_breakpoint(struct dap *s, struct debug_breakpoint *p, u32 location,
                                   const struct plan_hit *hit)
{
    static const char *const reasons[] = {
        [DAP_LINE] = "breakpoint",
        [DAP_FUNCTION] = "function breakpoint",
        [DAP_INSTRUCTION] = "instruction breakpoint",
        [DAP_DATA] = "data breakpoint",
        [DAP_EXCEPTION] = "exception",
    };
    const struct dap_breakpoint *b = dap_breakpoint_of(s, p->number);
    if (p->watch)
        return tell_watch(s, p, location, hit, false);
    if (p->is_panic) {
        char *message = debug_panic_message(s->debug);
        set_exception(s, xformat("panic"), message ? message : xformat("a panic of Rust"), false);
        return (struct told){"exception", xformat("Panic: %s", s->exception.description)};
    }
    if (b && b->kind == DAP_EXCEPTION) {
        const char *end = strchr(b->key, '\n');
        set_exception(s, xformat("%.*s", (int)(end ? end - b->key : 0), b->key),
                      xformat("in %s", p->what), false);
        return (struct told){"exception", xformat("Paused on %s", s->exception.id)};
    }
    return (struct told){b ? reasons[b->kind] : "breakpoint", NULL};
}

static struct told tell_stop(struct dap *s, const struct session_stop *stop)
{
    struct debug_breakpoint *p = debug_breakpoints_of_location(s->debug, stop->breakpoint);
    const struct plan_hit *hit = session_stop_hit(stop, stop->breakpoint);
    if (p && stop->why == WHY_BREAKPOINT)
        return tell_breakpoint(s, p, stop->breakpoint, hit);
    if (p && p->watch && stop->breakpoint_count) /* met by the last step */
        return tell_watch(s, p, stop->breakpoint, hit, false);
    struct debug_breakpoint *followed =
        s->debug->followed_breakpoint
            ? debug_breakpoints_find(s->debug, s->debug->followed_breakpoint)
            : NULL;
    if (followed && stop->why == WHY_BREAKPOINT)
        return tell_watch(s, followed, 0, NULL, true);
    switch (stop->why) {
    case WHY_BREAKPOINT:
        if (debug_is_signal_stop(s->debug, stop->breakpoint)) {
            char room[32];
            u32 number = (u32)stop->hit.address;
            set_exception(s, xformat("%s", debug_signal_name(number, room)),
                          debug_signal_text(s->debug, number), false);
            return (struct told){"exception", xformat("Signal %s", s->exception.description)};
        }
        return (struct told){"breakpoint", NULL};
    case WHY_START:
    case WHY_END:
        return tell_end(s);
    case WHY_THREAD_START:
        return (struct told){"step", xformat("At the start of thread %u", s->debug->thread)};
    case WHY_THREAD_END:
        return (struct told){"step", xformat("At the end of thread %u", s->debug->thread)};
    case WHY_INTERRUPTED:
        return (struct told){"pause", xformat("Interrupted")};
    case WHY_ARRIVED: {
        struct session_place place;
        session_place(s->debug->session, &place);
        return (struct told){"goto", place.start || place.end ? end_description(s) : NULL};
    }
    default:
        return (struct told){"step", NULL};
    }
}

static void write_hit_ids(struct dap *s, struct json *j, const struct session_stop *stop)
{
    bool some = false;
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints); i++) {
        const struct debug_breakpoint *p =
            debug_breakpoints_of_location(s->debug, stop->breakpoints[i]);
        const struct dap_breakpoint *b = p ? dap_breakpoint_of(s, p->number) : NULL;
        if (!b)
            continue;
        if (!some)
            json_open(j, "hitBreakpointIds", '[');
        some = true;
        json_unsigned(j, NULL, b->id);
    }
    if (some)
        json_close(j, ']');
}

void dap_stopped(struct dap *s, const struct session_stop *stop, const char *reason,
                 const char *description)
{
    struct session_place place;
    set_exception(s, NULL, NULL, false);
    struct told t = stop ? tell_stop(s, stop) : (struct told){.reason = reason};
    session_place(s->debug->session, &place);
    if (description) {
        free(t.description);
        t.description = xformat("%s", description);
    }
    struct json *j = dap_event(s, "stopped");
    json_string(j, "reason", reason ? reason : t.reason);
    if (t.description) {
        json_string(j, "description", t.description);
        json_string(j, "text", t.description);
    }
    json_unsigned(j, "threadId", place.thread + 1);
    json_bool(j, "allThreadsStopped", true);
    if (stop && stop->why == WHY_BREAKPOINT)
        write_hit_ids(s, j, stop);
    dap_moment(j, "moment", place.at);
    dap_event_end(s);
    free(t.description);
}

/* Reports where the recording was opened. */
void dap_say_opened(struct dap *s)
{
    struct session_place place;
    session_place(s->debug->session, &place);
    struct session_stop stop = {.why = place.end ? WHY_END : WHY_START};
    if (place.start || place.end)
        dap_stopped(s, &stop, NULL, NULL);
    else
        dap_stopped(s, NULL, "pause", "Interrupted on the way to the end of the recording");
    struct session_faults faults;
    session_handled_faults(s->debug->session, &faults);
    char *text = place.end && faults.count ? session_faults_text(&faults, "goto event") : NULL;
    if (text)
        dap_output(s, "console", "%s", text);
    free(text);
}

struct error *dap_exception_info(struct dap *s, const struct json_value *args)
{
    i64 thread;
    struct error *err = dap_integer(args, "threadId", &thread);
    if (err)
        return err;
    if (!s->exception.id)
        return error_coded(ERROR_NOT_FOUND, "this stop was not an exception");
    struct json *j = dap_body(s);
    json_string(j, "exceptionId", s->exception.id);
    json_string(j, "description", s->exception.description);
    json_string(j, "breakMode", s->exception.is_end ? "unhandled" : "always");
    return NULL;
}

/* --- moving ----------------------------------------------------------------------------------- */

/* Movements by statements are of the thread that runs, whatever thread was selected. */
void dap_begin_move(struct dap *s)
{
    struct session_place place;
    session_place(s->debug->session, &place);
    dap_forget_views(s);
    dap_targets_forget(s);
    debug_choose_thread(s->debug, place.thread);
    s->returned = 0;
}

/* Sets *ret if only breakpoints whose hit conditions do not hold caused the stop. */
static struct error *is_uncounted(struct dap *s, const struct session_stop *stop, bool *ret)
{
    *ret = stop->why == WHY_BREAKPOINT && stop->breakpoint_count > 0;
    struct error *err = NULL;
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints) && *ret && !err;
         i++) {
        const struct debug_breakpoint *p =
            debug_breakpoints_of_location(s->debug, stop->breakpoints[i]);
        struct dap_breakpoint *b = p ? dap_breakpoint_of(s, p->number) : NULL;
        bool counts = true;
        if (b)
            err = dap_hit_counts(s, b, &counts);
        *ret = !counts;
    }
    return err;
}

/* A step does not end at a breakpoint whose hit condition does not hold. */
static void enable_counting(struct dap *s, bool enabled)
{
    struct dap_breakpoint **all = s->breakpoints.items;
    for (size_t i = 0; i < s->breakpoints.count; i++) {
        struct debug_breakpoint *p = all[i]->hit_condition && all[i]->number && !all[i]->is_logger
                                         ? debug_breakpoints_find(s->debug, all[i]->number)
                                         : NULL;
        if (p)
            debug_breakpoint_enable(s->debug, p, enabled);
    }
}

static struct error *move_counting(struct dap *s, struct debug_order *o, struct session_stop *stop)
{
    struct session_place before;
    session_place(s->debug->session, &before);
    bool is_uncounting = o->move != MOVE_CONTINUE;
    struct error *err = NULL;
    if (is_uncounting)
        enable_counting(s, false);
    for (bool goes_on = true; goes_on && !err;) {
        *stop = (struct session_stop){0};
        err = debug_move_unnoted(s->debug, o, stop);
        goes_on = false;
        if (!err && !is_uncounting && !dap_wire_wants_end(s->wire))
            err = is_uncounted(s, stop, &goes_on);
    }
    if (is_uncounting)
        enable_counting(s, true);
    if (!err)
        debug_moved_from(s->debug, before.at);
    return err;
}

struct error *dap_carry_out(struct dap *s, struct debug_order *o)
{
    struct session_stop stop = {0};
    dap_answer(s);
    struct error *err = move_counting(s, o, &stop);
    if (err)
        return err;
    bool has_left = o->move == MOVE_FINISH && o->direction == FORWARD && stop.why == WHY_STEPPED;
    s->returned = has_left ? o->function : 0;
    dap_stopped(s, &stop, NULL, NULL);
    debug_count_hits(s->debug, &stop);
    debug_strings_deinit(&s->debug->due); /* commands of breakpoints: there is no prompt */
    s->debug->due = LIST(char *);
    return NULL;
}

static struct error *check_mover(struct dap *s, const struct json_value *args)
{
    i64 id;
    u32 thread;
    struct session_place place;
    session_place(s->debug->session, &place);
    struct error *err = dap_integer(args, "threadId", &id);
    if (!err)
        err = dap_check_thread(s, id, &thread);
    if (!err && thread != place.thread)
        err =
            error_coded(ERROR_MISUSED,
                        "thread %u does not run at this moment, thread %u does: only that one can "
                        "step here",
                        thread, place.thread);
    return err;
}

struct error *dap_move(struct dap *s, const struct json_value *args)
{
    int which = s->request->which;
    const char *granularity = json_member_text(args, "granularity", "statement");
    bool by_instruction = strcmp(granularity, "instruction") == 0;
    struct debug_order o = {
        .move = (enum debug_move)(which & ~DAP_BACKWARD),
        .direction = which & DAP_BACKWARD ? BACKWARD : FORWARD,
        .count = 1,
    };
    struct error *err = o.move == MOVE_CONTINUE ? NULL : check_mover(s, args);
    if (err)
        return err;
    if (by_instruction && o.move == MOVE_NEXT)
        o.move = MOVE_NEXTI;
    else if (by_instruction && o.move == MOVE_STEP)
        o.move = MOVE_STEPI;
    if (which == MOVE_CONTINUE)
        json_bool(dap_body(s), "allThreadsContinued", true);
    dap_begin_move(s);
    err = dap_carry_out(s, &o);
    debug_order_deinit(&o);
    return err;
}

/* The movement to pause has already ended when this request is handled. */
struct error *dap_pause(struct dap *s, const struct json_value *args)
{
    (void)s, (void)args;
    return NULL;
}

struct error *dap_restart_frame(struct dap *s, const struct json_value *args)
{
    i64 frame;
    struct session_stop stop = {0};
    struct error *err = dap_integer(args, "frameId", &frame);
    if (!err)
        err = dap_choose_frame(s, frame);
    if (!err)
        err = debug_check_thread(s->debug, MOVE_FINISH);
    if (err)
        return err;
    dap_forget_views(s);
    s->returned = 0;
    dap_answer(s);
    err = debug_frame_entry(s->debug, &stop);
    if (!err)
        dap_stopped(s, NULL, "restart", "At the entry of the frame");
    return err;
}

/* --- to a line -------------------------------------------------------------------------------- */

void dap_targets_forget(struct dap *s)
{
    struct dap_goto_target *all = s->targets.items;
    for (size_t i = 0; i < s->targets.count; i++)
        free(all[i].location);
    list_deinit(&s->targets);
    s->targets = LIST(struct dap_goto_target);
}

static void write_target(struct dap *s, struct json *j, const char *label, const char *location,
                         i64 line, enum session_direction direction)
{
    struct dap_goto_target *t = list_add(&s->targets);
    *t = (struct dap_goto_target){xformat("%s", location), direction};
    json_open(j, NULL, '{');
    json_unsigned(j, "id", s->targets.count);
    json_string(j, "label", label);
    json_signed(j, "line", line);
    json_close(j, '}');
}

struct error *dap_goto_targets(struct dap *s, const struct json_value *args)
{
    struct code_place *places;
    size_t count;
    i64 line;
    const char *path = dap_source_path(s, json_member(args, "source"));
    struct error *err = path ? dap_integer(args, "line", &line)
                             : error_coded(ERROR_MISUSED, "'source' has no path");
    if (!err)
        err = dap_locate_line(s, path, line + 1 - s->first_line, &places, &count);
    if (err)
        return err;
    i64 real = places[0].file ? (i64)places[0].line - 1 + s->first_line : line;
    free(places);
    char *location = dap_line_location(s, path, line + 1 - s->first_line);
    struct json *j = dap_body(s);
    json_open(j, "targets", '[');
    write_target(s, j, "the next time this line runs", location, real, FORWARD);
    write_target(s, j, "the last time this line ran", location, real, BACKWARD);
    json_close(j, ']');
    free(location);
    return NULL;
}

static struct error *go_to_location(struct dap *s, const char *location,
                                    enum session_direction direction)
{
    struct symbols *symbols;
    struct code_place *places;
    struct debug_order o = {.move = MOVE_UNTIL, .direction = direction, .count = 1};
    struct error *err = debug_symbols(s->debug, &symbols);
    if (!err)
        err = symbols_locate(symbols, location, NULL, &places, &o.pc_count);
    if (err)
        return err;
    o.pcs = xalloc(o.pc_count * sizeof *o.pcs);
    for (size_t i = 0; i < o.pc_count; i++)
        o.pcs[i] = places[i].pc;
    free(places);
    dap_begin_move(s);
    err = dap_carry_out(s, &o);
    debug_order_deinit(&o);
    return err;
}

struct error *dap_goto(struct dap *s, const struct json_value *args)
{
    i64 id;
    const struct dap_goto_target *all = s->targets.items;
    struct error *err = dap_integer(args, "targetId", &id);
    if (!err && (id < 1 || (u64)id > s->targets.count))
        err = error_coded(ERROR_NOT_FOUND, "there is no target %lld now", (long long)id);
    if (err)
        return err;
    char *location = xformat("%s", all[id - 1].location);
    err = go_to_location(s, location, all[id - 1].direction);
    free(location);
    return err;
}

/* Run to cursor, in both directions. */
struct error *dap_run_to_line(struct dap *s, const struct json_value *args)
{
    i64 line;
    const char *path = dap_source_path(s, json_member(args, "source"));
    const char *direction = json_member_text(args, "direction", "forward");
    struct error *err = path ? dap_integer(args, "line", &line)
                             : error_coded(ERROR_MISUSED, "'source' has no path");
    bool is_back = strcmp(direction, "backward") == 0;
    if (!err && !is_back && strcmp(direction, "forward") != 0)
        err = error_coded(ERROR_MISUSED, "'direction' is forward or backward");
    if (err)
        return err;
    char *location = dap_line_location(s, path, line + 1 - s->first_line);
    err = go_to_location(s, location, is_back ? BACKWARD : FORWARD);
    free(location);
    return err;
}
