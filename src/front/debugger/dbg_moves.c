/* Movements: parses a command, lets src/debug make the movement, and prints why and where it
 * stopped.
 *
 * `goto`, `undo`, `redo`, bookmarks and the choice of a track are here, too. docs/movement.md
 * defines where each movement stops.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* --- what is said of a stop ------------------------------------------------------------------- */

void dbg_say_end(struct dbg *d)
{
    struct session_place place;
    char room[32];
    session_place(d->debug->session, &place);
    if (place.start)
        dbg_say(d, session_is_trimmed(d->debug->session)
                       ? "At the beginning of what was kept.\n"
                       : "At the start of the recording.\n");
    if (!place.end)
        return;
    if (place.end_otherwise)
        dbg_say(d, "At the end of the recording: the process %s.\n", place.end_otherwise);
    else if (place.end_signal)
        dbg_say(d, "At the end of the recording: died by %s.\n",
                debug_signal_name(place.end_signal, room));
    else
        dbg_say(d, "At the end of the recording: exited with status %u.\n", place.end_status);
    if (!place.end_otherwise && !place.end_signal)
        dbg_say_panic_hint(d, place.end_status);
}

/* Prints where a track was opened. */
void dbg_say_opened(struct dbg *d)
{
    struct session_place place;
    u64 first = session_first(d->debug->session).tick, last = session_last(d->debug->session).tick;
    session_place(d->debug->session, &place);
    if (d->debug->opens_early && !place.end)
        dbg_say(
            d,
            "Interrupted on the way to the end: this is tick %llu of %llu, %u%% of the recording. "
            "'goto end' goes on.\n",
            (unsigned long long)place.at.tick, (unsigned long long)last,
            last > first
                ? (unsigned)(100.0 * (double)(place.at.tick - first) / (double)(last - first))
                : 0);
    dbg_say_end(d);
    dbg_say_faults(d);
}

static void say_signal(struct dbg *d, const char *before, const struct plan_hit *hit,
                       const char *after)
{
    dbg_say(d, "%s", before);
    dbg_say_signal(d, (u32)hit->address);
    dbg_say(d, "%s", after);
}

static void say_breakpoint(struct dbg *d, const struct debug_stop *s)
{
    struct debug_breakpoint *p = s->breakpoint;
    if (s->has_change) {
        dbg_watch_say(d, s);
    } else if (p->is_panic) {
        dbg_say_panic(d, p);
    } else if (p->type == BREAK_CODE) {
        dbg_say(d, "%s %u, ", p->temporary ? "Temporary breakpoint" : "Breakpoint", p->number);
        json_unsigned(dbg_fields(d), "breakpoint", p->number);
    } else {
        dbg_say_catch(d, p, s->location, &s->hit);
    }
    if (s->is_followed)
        debug_count_hit(d->debug, p);
}

static void say_thread_edge(struct dbg *d, const char *edge)
{
    struct session_place place;
    session_place(d->debug->session, &place);
    dbg_say(d, "At the %s of ", edge);
    dbg_say_thread(d, place.thread);
    dbg_say(d, ".\n");
}

static const char *say_why(struct dbg *d, const struct session_stop *stop)
{
    struct debug_stop s;
    debug_describe_stop(d->debug, stop, &s);
    if (s.breakpoint)
        say_breakpoint(d, &s);
    debug_stop_deinit(&s);
    switch (s.reason) {
    case REASON_SIGNAL:
        say_signal(d, "Signal ", &stop->hit, ".\n");
        break;
    case REASON_START:
    case REASON_END:
    case REASON_GOTO:
        dbg_say_end(d);
        break;
    case REASON_THREAD_START:
        say_thread_edge(d, "start");
        break;
    case REASON_THREAD_END:
        say_thread_edge(d, "end");
        break;
    case REASON_INTERRUPTED:
        dbg_say(d, "Interrupted.\n");
        break;
    default:
        break;
    }
    return debug_reason_name(s.reason);
}

/* `reason`: the reason was already printed. */
void dbg_say_stop(struct dbg *d, u32 thread_before, const char *reason,
                  const struct session_stop *stop)
{
    struct session_place place;
    session_place(d->debug->session, &place);
    if (debug_stop_is_silent(d->debug, stop)) {
        long began = ftell(d->answer.text);
        json_string(dbg_fields(d), "reason", reason ? reason : say_why(d, stop));
        fseek(d->answer.text, began, SEEK_SET);
        debug_count_hits(d->debug, stop);
        return;
    }
    if (place.thread != thread_before) {
        dbg_say(d, "Now in ");
        dbg_say_thread(d, place.thread);
        dbg_say(d, ".\n");
    }
    json_string(dbg_fields(d), "reason", reason ? reason : say_why(d, stop));
    if (!d->is_lent)
        dbg_say_here(d);
    if (stop->why == WHY_BREAKPOINT)
        debug_count_hits(d->debug, stop);
    dbg_say_displays(d);
}

/* --- moving ----------------------------------------------------------------------------------- */

static struct error *carry_out(struct dbg *d, struct debug_order *o)
{
    struct session_place before;
    struct session_stop stop = {0};
    session_place(d->debug->session, &before);
    struct error *err = debug_move(d->debug, o, &stop);
    if (err)
        return err;
    enum session_direction way = o->move == MOVE_FIRST ? FORWARD : o->direction;
    const char *reason = o->goal ? dbg_goal_say(d, o->goal, way, &stop) : NULL;
    dbg_say_stop(d, before.thread, reason, &stop);
    if (o->move == MOVE_FINISH && o->direction == FORWARD && stop.why == WHY_STEPPED && o->function)
        dbg_say_returned(d, o->function);
    return err;
}

static struct error *read_goal(struct dbg *d, const char *args, struct debug_order *o)
{
    struct error *err = debug_read_goal(d->debug, args, &o->pcs, &o->pc_count, &o->goal);
    if (!err && o->move == MOVE_FIRST && !o->goal)
        err = error_coded(ERROR_MISUSED,
                          "first needs a condition: a comparison or a logical expression");
    return err;
}

static struct error *read_order(struct dbg *d, const struct dbg_command *c, const char *args,
                                struct debug_order *o)
{
    *o = (struct debug_order){
        .move = (enum debug_move)(c->which & ~MOVE_BACKWARD),
        .direction = c->which & MOVE_BACKWARD ? BACKWARD : FORWARD,
        .count = 1,
    };
    struct error *err = debug_check_thread(d->debug, o->move);
    if (!err && (o->move == MOVE_UNTIL || o->move == MOVE_FIRST))
        err = read_goal(d, args, o);
    else if (!err && o->move == MOVE_OUT)
        err = debug_no_arguments(args);
    else if (!err)
        err = debug_count(args, &o->count);
    if (!err && o->move == MOVE_FINISH && debug_frame(d->debug))
        o->count += debug_frames_inside(d->debug); /* out of the frame that is looked at */
    return err;
}

/* until without an argument, and advance LOCATION. */
static struct error *dbg_move_past(struct dbg *d, const char *location)
{
    struct session_place before;
    struct session_stop stop = {0};
    struct debug_goal *goal = NULL;
    u64 *pcs = NULL;
    size_t count = 0;
    session_place(d->debug->session, &before);
    struct error *err = debug_check_thread(d->debug, MOVE_NEXT);
    if (!err && location)
        err = debug_read_goal(d->debug, location, &pcs, &count, &goal);
    if (!err && goal)
        err = error_coded(ERROR_MISUSED, "advance needs a location; 'until' takes conditions, too");
    if (!err)
        err = location ? debug_advance(d->debug, pcs, count, &stop)
                       : debug_move_past(d->debug, &stop);
    debug_goal_destroy(goal);
    free(pcs);
    if (!err)
        dbg_say_stop(d, before.thread, NULL, &stop);
    return err;
}

struct error *dbg_advance(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    return dbg_move_past(d, args);
}

struct error *dbg_move(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_order o;
    if (c->which == MOVE_UNTIL && !*args)
        return dbg_move_past(d, NULL);
    struct error *err = read_order(d, c, args, &o);
    if (!err)
        err = carry_out(d, &o);
    debug_order_deinit(&o);
    return err;
}

struct error *dbg_move_unseen(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_order o;
    struct session_stop stop = {0};
    struct error *err = read_order(d, c, args, &o);
    if (!err)
        err = debug_move_unnoted(d->debug, &o, &stop);
    if (!err && stop.why == WHY_INTERRUPTED)
        err = error_coded(ERROR_INTERRUPTED, "interrupted");
    debug_order_deinit(&o);
    return err;
}

/* --- to a moment ------------------------------------------------------------------------------ */

/* The pc was not executed in that tick: the session stands at the next instruction. */
static void say_missed(struct dbg *d, struct moment wanted)
{
    struct session_place place;
    session_place(d->debug->session, &place);
    if (wanted.pc && moment_compare(place.at, wanted))
        dbg_say(d, "There is no moment %llu:%#llx; this is the %s one.\n",
                (unsigned long long)wanted.tick, (unsigned long long)wanted.pc,
                moment_compare(place.at, wanted) < 0 ? "last" : "next");
}

/* Prints where a jump has led. */
static void say_jump(struct dbg *d, u32 thread_before, struct moment to,
                     const struct session_stop *stop)
{
    if (stop->why == WHY_ARRIVED)
        say_missed(d, to);
    dbg_say_stop(d, thread_before, NULL, stop);
}

/* "event 17" is the moment of that event in the log, not the 17th event from here. */
static bool names_event(const char *words)
{
    size_t word = strlen("event"), digits;
    if (strncmp(words, "event", word) != 0 || words[word] != ' ')
        return false;
    words += word + strspn(words + word, " ");
    digits = strspn(words, "0123456789");
    return digits && !words[digits];
}

/* Finds a moment, also as the answer of a question. */
static struct error *goto_find(struct dbg *d, const char *args, struct moment *ret)
{
    struct ask_question *q;
    if (debug_bookmark_find(d->debug, args) || names_event(args))
        return debug_find_moment(d->debug, args, ret);
    struct error *err = ask_parse_goto(args, &q);
    if (!err)
        err = q ? debug_ask_moment(d->debug, q, ret) : debug_find_moment(d->debug, args, ret);
    ask_question_destroy(q);
    return err;
}

struct error *dbg_goto(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct session_place before;
    struct session_stop stop;
    struct moment to;
    (void)c;
    if (!*args)
        return error_coded(
            ERROR_MISUSED,
            "goto needs to know where: TICK, TICK:PC, start, end, 40%%, event N, 12.5s, "
            "-1s, +0.2s or a bookmark");
    session_place(d->debug->session, &before);
    struct error *err = goto_find(d, args, &to);
    if (!err)
        err = debug_goto(d->debug, to, &stop);
    if (!err)
        say_jump(d, before.thread, to, &stop);
    return err;
}

struct error *dbg_undo(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct session_place before;
    struct session_stop stop;
    u64 count;
    struct error *err = debug_count(args, &count);
    session_place(d->debug->session, &before);
    if (!err)
        err = c->which == UNDO ? debug_undo(d->debug, count, &stop)
                               : debug_redo(d->debug, count, &stop);
    if (!err)
        dbg_say_stop(d, before.thread, NULL, &stop);
    return err;
}

struct error *dbg_bookmark(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    if (debug_take_word(&args, "-d")) {
        struct error *err = debug_bookmark_remove(d->debug, args);
        if (!err)
            dbg_say(d, "Removed bookmark %s\n", args);
        return err;
    }
    struct error *err = debug_bookmark_add(d->debug, args);
    if (!err)
        dbg_say(d, "%s is this moment: 'goto %s' comes back\n", args, args);
    return err;
}

struct error *dbg_track(struct dbg *d, const struct dbg_command *c, const char *args)
{
    u64 n = session_track(d->debug->session);
    (void)c;
    struct error *err = *args ? debug_number(args, "track number", &n) : NULL;
    if (!err)
        err = debug_check_track(d->debug, n);
    if (!err && n != session_track(d->debug->session)) {
        err = debug_open_track(d->debug, (u32)n, false);
        if (!err)
            dbg_say_opened(d);
    }
    if (err)
        return err;
    dbg_say(d, "track %u, process %u, program %s\n", session_track(d->debug->session),
            session_pid(d->debug->session), session_program(d->debug->session));
    json_unsigned(dbg_fields(d), "track", n);
    dbg_say_here(d);
    return NULL;
}
