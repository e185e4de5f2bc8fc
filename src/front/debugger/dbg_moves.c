/* Movements: what a command asks for, in the session's words, and what is said afterwards.
 *
 * One movement of the user may take several of the session: a breakpoint may wait for a library
 * that is not there yet, so that each arrival of one is looked at; and a condition that could not
 * be compiled is looked at at each stop.  So where one has been, for undo and redo, is kept here.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"
#include "session/goal_words.h"

/* --- what is said of a stop ------------------------------------------------------------------- */

void dbg_say_end(struct dbg *d)
{
    struct session_place place;
    char room[32];
    session_place(d->session, &place);
    if (place.start)
        dbg_say(d, "At the start of the recording.\n");
    if (!place.end)
        return;
    if (place.end_otherwise)
        dbg_say(d, "At the end of the recording: the process %s.\n", place.end_otherwise);
    else if (place.end_signal)
        dbg_say(d, "At the end of the recording: died by %s.\n",
                dbg_signal_name(place.end_signal, room));
    else
        dbg_say(d, "At the end of the recording: exited with status %u.\n", place.end_status);
    if (!place.end_otherwise && !place.end_signal)
        dbg_say_panic_hint(d, place.end_status);
}

/* Where a track was opened. */
void dbg_say_opened(struct dbg *d)
{
    struct session_place place;
    u64 first = session_first(d->session).tick, last = session_last(d->session).tick;
    session_place(d->session, &place);
    if (d->opens_early && !place.end)
        dbg_say(d, "Interrupted on the way to the end: this is tick %llu of %llu, %u%% of the recording. "
                   "'goto end' goes on.\n", (unsigned long long)place.at.tick, (unsigned long long)last,
                last > first ? (unsigned)(100.0 * (double)(place.at.tick - first) / (double)(last - first)) : 0);
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

static const char *say_hit(struct dbg *d, struct dbg_breakpoint *p, u32 location, const struct plan_hit *hit)
{
    if (p->is_panic) {
        dbg_say_panic(d, p);
        return "panic";
    }
    if (p->type == BREAKPOINT_BREAK) {
        dbg_say(d, "%s %u, ", p->temporary ? "Temporary breakpoint" : "Breakpoint", p->number);
        json_unsigned(dbg_fields(d), "breakpoint", p->number);
        return "breakpoint";
    }
    if (p->watch)
        return dbg_watch_say(d, p, location, hit);
    dbg_say_catch(d, p, location, hit);
    return "catchpoint";
}

static bool is_signal_breakpoint(const struct dbg *d, u32 location)
{
    for (u32 i = 0; i < DBG_SIGNALS; i++)
        if (location && d->signal_breakpoints[i] == location)
            return true;
    return false;
}

static void say_thread_edge(struct dbg *d, const char *edge)
{
    struct session_place place;
    session_place(d->session, &place);
    dbg_say(d, "At the %s of ", edge);
    dbg_say_thread(d, place.thread);
    dbg_say(d, ".\n");
}

static const char *say_why(struct dbg *d, const struct session_stop *stop)
{
    struct dbg_breakpoint *p = dbg_breakpoints_of_location(d, stop->breakpoint);
    if (p && stop->why == WHY_BREAKPOINT)
        return say_hit(d, p, stop->breakpoint, session_stop_hit(stop, stop->breakpoint));
    bool passed = p && p->watch && stop->breakpoint_count; /* by the last step */
    if (passed)
        dbg_watch_say(d, p, stop->breakpoint, session_stop_hit(stop, stop->breakpoint));
    const char *followed = passed ? NULL : dbg_followed_say(d);
    if (followed && stop->why == WHY_BREAKPOINT)
        return followed;
    switch (stop->why) {
    case WHY_BREAKPOINT:
        if (!is_signal_breakpoint(d, stop->breakpoint))
            return "breakpoint";
        say_signal(d, "Signal ", &stop->hit, ".\n");
        return "signal";
    case WHY_START:
    case WHY_END:
        dbg_say_end(d);
        return stop->why == WHY_START ? "start" : "end";
    case WHY_THREAD_START:
        say_thread_edge(d, "start");
        return "thread-start";
    case WHY_THREAD_END:
        say_thread_edge(d, "end");
        return "thread-end";
    case WHY_INTERRUPTED:
        dbg_say(d, "Interrupted.\n");
        return "interrupted";
    case WHY_ARRIVED:
        dbg_say_end(d);
        return "goto";
    default:
        return "step";
    }
}

/* Do its commands begin with `silent`? */
static bool has_silent_commands(const struct dbg_breakpoint *p)
{
    return p->commands.count && strcmp(((char **)p->commands.items)[0], "silent") == 0;
}

/* All breakpoints that stopped it want nothing to be said. */
static bool is_stop_unsaid(struct dbg *d, const struct session_stop *stop)
{
    bool silent = stop->why == WHY_BREAKPOINT && stop->breakpoint_count > 0;
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints) && silent; i++) {
        const struct dbg_breakpoint *p = dbg_breakpoints_of_location(d, stop->breakpoints[i]);
        silent = p && has_silent_commands(p);
    }
    return silent;
}

/* What the stop means for the breakpoint: it is counted, it may be a temporary one, it may have
 * commands. */
static void count_hit(struct dbg *d, const struct session_stop *stop)
{
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints); i++) {
        struct dbg_breakpoint *p = dbg_breakpoints_of_location(d, stop->breakpoints[i]);
        if (!p)
            continue;
        p->hits += p->ignore + 1;
        p->ignore = 0;
        for (size_t n = has_silent_commands(p); n < p->commands.count; n++)
            dbg_strings_add(&d->due, ((char **)p->commands.items)[n]);
        if (p->temporary)
            dbg_breakpoints_remove(d, p);
        else
            dbg_breakpoint_unsettle(d, p); /* its ignore count is used up */
    }
}

/* `reason`: it has been said why already. */
void dbg_say_stop(struct dbg *d, u32 thread_before, const char *reason,
                  const struct session_stop *stop)
{
    struct session_place place;
    session_place(d->session, &place);
    if (is_stop_unsaid(d, stop)) {
        long began = ftell(d->answer.text);
        json_string(dbg_fields(d), "reason", reason ? reason : say_why(d, stop));
        fseek(d->answer.text, began, SEEK_SET);
        count_hit(d, stop);
        return;
    }
    if (place.thread != thread_before) {
        dbg_say(d, "Now in ");
        dbg_say_thread(d, place.thread);
        dbg_say(d, ".\n");
    }
    json_string(dbg_fields(d), "reason", reason ? reason : say_why(d, stop));
    dbg_say_here(d);
    if (stop->why == WHY_BREAKPOINT)
        count_hit(d, stop);
    dbg_say_displays(d);
}

/* --- moving ----------------------------------------------------------------------------------- */

struct move_order {
    enum dbg_move move;
    enum session_direction direction;
    u64 count;
    u64 *pcs; /* until */
    size_t pc_count;
    struct dbg_goal *goal; /* until, first; NULL: the places */
    u64 function; /* finish: what returned */
};

static struct error *dbg_moves_go(struct dbg *d, struct move_order *o, struct session_stop *stop)
{
    switch (o->move) {
    case MOVE_STEP: return source_step(d->source, o->direction, o->count, stop);
    case MOVE_NEXT: return source_next(d->source, o->direction, o->count, stop);
    case MOVE_CONTINUE: return session_continue(d->session, o->direction, o->count, stop);
    case MOVE_FINISH: return source_finish(d->source, o->direction, o->count, stop, &o->function);
    case MOVE_STEPI:
        return session_step(d->session, o->direction, d->thread, o->count,
                            (struct session_range){0, 0}, stop);
    case MOVE_NEXTI: return source_nexti(d->source, o->direction, o->count, stop);
    case MOVE_UNTIL:
        return o->goal ? dbg_goal_go(d, o->goal, o->direction, stop)
                       : source_until(d->source, o->direction, o->pcs, o->pc_count, stop);
    case MOVE_FIRST: return dbg_goal_first(d, o->goal, stop);
    default: return source_out(d->source, o->direction, stop);
    }
}

/* Watchpoints that are followed have their say. */
static struct error *go_heeding(struct dbg *d, struct move_order *o, struct session_stop *stop)
{
    struct session_place before;
    dbg_followed_forget(d);
    if (!dbg_follows(d) || o->move == MOVE_FIRST)
        return dbg_moves_go(d, o, stop);
    if (o->move == MOVE_CONTINUE)
        return dbg_follow_continue(d, o->direction, stop);
    session_place(d->session, &before);
    struct error *err = dbg_moves_go(d, o, stop);
    return err || stop->why == WHY_INTERRUPTED ? err : dbg_follow_between(d, before.at, stop);
}

/* Is this a stop that the user need not hear of: modules came or went, or no condition holds? */
static struct error *is_silent(struct dbg *d, const struct session_stop *stop, bool *ret)
{
    bool all = stop->why == WHY_BREAKPOINT && stop->breakpoint_count > 0;
    for (u32 i = 0; i < stop->breakpoint_count && i < countof(stop->breakpoints) && all; i++) {
        bool holds = true;
        struct dbg_breakpoint *p = dbg_breakpoints_of_location(d, stop->breakpoints[i]);
        if (stop->breakpoints[i] == d->loader_breakpoint)
            holds = false;
        else if (p && p->checks_here) {
            struct error *err = dbg_breakpoint_holds(d, p, &holds);
            if (err)
                return err;
        }
        all = !holds;
    }
    *ret = all;
    return NULL;
}

/* What a movement by statements asks in its midst. */
static bool passes_silently(void *context, const struct session_stop *stop)
{
    struct dbg *d = context;
    bool silent = false;
    dbg_breakpoints_arrive(d, stop);
    struct error *err = is_silent(d, stop, &silent);
    if (!err && silent && !dbg_interrupted())
        err = dbg_breakpoints_settle(d);
    bool fails = err || dbg_interrupted();
    error_destroy(err);
    return silent && !fails;
}

static bool has_silent_stops(const struct dbg *d)
{
    struct dbg_breakpoint *const *all = d->breakpoints.items;
    bool some = d->loader_breakpoint != 0 || dbg_follows(d);
    for (size_t i = 0; i < d->breakpoints.count && !some; i++)
        some = all[i]->checks_here;
    return some;
}

/* After a silent stop the movement goes on, for those that look for breakpoints.  The others have asked on their
 * way (passes_silently). */
static struct error *go_on(struct dbg *d, struct move_order *o, struct session_stop *stop)
{
    u64 left = o->count;
    bool each = has_silent_stops(d) && o->move == MOVE_CONTINUE;
    if (each)
        o->count = 1;
    for (;;) {
        bool silent = false;
        struct error *err = dbg_breakpoints_settle(d);
        if (!err)
            err = go_heeding(d, o, stop);
        if (err)
            return err;
        dbg_breakpoints_arrive(d, stop);
        err = is_silent(d, stop, &silent);
        if (err)
            return err;
        if (silent && !dbg_interrupted())
            continue;
        if (!each || stop->why != WHY_BREAKPOINT || --left == 0)
            return NULL;
    }
}

static void dbg_moves_remember(struct list *moments, struct moment at)
{
    *(struct moment *)list_add(moments) = at;
}

/* However it ended: if it failed, the session is where it was. */
static struct error *settle_failed(struct dbg *d, struct moment before, struct error *err)
{
    struct session_place place;
    struct session_stop stop;
    session_place(d->session, &place);
    if (moment_compare(before, place.at) != 0)
        error_destroy(session_goto(d->session, before, &stop));
    dbg_arrive(d);
    return err;
}

/* Without a word, and without undo. */
static struct error *move_once(struct dbg *d, struct move_order *o, struct session_stop *stop)
{
    struct session_place before;
    session_place(d->session, &before);
    dbg_begin_moving(d, o->direction == BACKWARD ? COURSE_BACKWARD : COURSE_FORWARD);
    source_on_stop(d->source, passes_silently, d);
    struct error *err = go_on(d, o, stop);
    dbg_end_moving(d);
    if (err)
        return settle_failed(d, before.at, err);
    if (stop->why == WHY_INTERRUPTED && o->direction == BACKWARD)
        err = settle_failed(d, before.at, NULL);
    if (o->move != MOVE_FIRST)
        dbg_watches_moved(d);
    return err;
}

struct error *dbg_move_quietly(struct dbg *d, bool over, enum session_direction direction,
                               struct session_stop *ret)
{
    struct move_order o = {.move = over ? MOVE_NEXT : MOVE_STEP, .direction = direction, .count = 1};
    *ret = (struct session_stop){0};
    return move_once(d, &o, ret);
}

void dbg_moves_moved(struct dbg *d, struct moment before)
{
    dbg_moves_remember(&d->undo, before);
    d->redo.count = 0;
}

static struct error *carry_out(struct dbg *d, struct move_order *o)
{
    struct session_place before;
    struct session_stop stop = {0};
    session_place(d->session, &before);
    struct error *err = move_once(d, o, &stop);
    if (err)
        return err;
    dbg_moves_moved(d, before.at);
    enum session_direction way = o->move == MOVE_FIRST ? FORWARD : o->direction;
    const char *reason = o->goal ? dbg_goal_say(d, o->goal, way, &stop) : NULL;
    dbg_say_stop(d, before.thread, reason, &stop);
    if (o->move == MOVE_FINISH && o->direction == FORWARD && stop.why == WHY_STEPPED && o->function)
        dbg_say_returned(d, o->function);
    return err;
}

static struct error *read_goal(struct dbg *d, const char *args, struct move_order *o)
{
    struct error *err = dbg_read_goal(d, args, &o->pcs, &o->pc_count, &o->goal);
    if (!err && o->move == MOVE_FIRST && !o->goal)
        err = error_coded(ERROR_MISUSED,
                          "first needs a condition: a comparison or a logical expression");
    return err;
}

/* Statements are those of the thread whose moment it is. */
static struct error *check_thread(struct dbg *d, const struct move_order *o)
{
    struct session_place place;
    session_place(d->session, &place);
    if (o->move == MOVE_CONTINUE || o->move == MOVE_STEPI || o->move == MOVE_UNTIL ||
        o->move == MOVE_FIRST || d->thread == place.thread)
        return NULL;
    return error_new("thread %u is looked at, but it is thread %u that runs here: move with stepi, "
                     "until or continue, or go back to it with 'thread %u'",
                     d->thread, place.thread, place.thread);
}

struct error *dbg_check_running(struct dbg *d)
{
    struct move_order o = {.move = MOVE_STEP};
    return check_thread(d, &o);
}

/* How many frames are to be left before the one that is looked at.  What the kernel put between
 * a handler and what it interrupted is not counted, nor is a function that is over: it has no
 * return but that of the one that it jumped to. */
static u64 frames_inside(const struct dbg *d)
{
    u64 count = 0;
    if (d->auto_selected)
        return 0;
    for (size_t n = 0; n < d->selected; n++)
        count += !d->frames[n].signal && !d->frames[n].tail;
    return count - (d->frames[d->selected].tail && count);
}

static struct error *read_order(struct dbg *d, const struct dbg_command *c, const char *args, struct move_order *o)
{
    *o = (struct move_order){
        .move = c->which & ~MOVE_BACKWARD,
        .direction = c->which & MOVE_BACKWARD ? BACKWARD : FORWARD,
        .count = 1,
    };
    struct error *err = check_thread(d, o);
    if (!err && (o->move == MOVE_UNTIL || o->move == MOVE_FIRST))
        err = read_goal(d, args, o);
    else if (!err && o->move == MOVE_OUT)
        err = dbg_no_arguments(args);
    else if (!err)
        err = dbg_count(args, &o->count);
    if (!err && o->move == MOVE_FINISH && dbg_frame(d))
        o->count += frames_inside(d); /* out of the frame that is looked at */
    return err;
}

static void order_deinit(struct move_order *o)
{
    free(o->pcs);
    dbg_goal_destroy(o->goal);
}

struct error *dbg_move(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct move_order o;
    struct error *err = read_order(d, c, args, &o);
    if (!err)
        err = carry_out(d, &o);
    order_deinit(&o);
    return err;
}

struct error *dbg_move_unseen(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct move_order o;
    struct session_stop stop = {0};
    struct error *err = read_order(d, c, args, &o);
    if (!err)
        err = move_once(d, &o, &stop);
    if (!err && stop.why == WHY_INTERRUPTED)
        err = error_new("interrupted");
    order_deinit(&o);
    return err;
}

/* --- to a moment ------------------------------------------------------------------------------ */

static struct dbg_bookmark *dbg_moves_find_bookmark(struct dbg *d, const char *name)
{
    struct dbg_bookmark *all = d->bookmarks.items;
    for (size_t i = 0; i < d->bookmarks.count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

struct error *dbg_find_moment(struct dbg *d, const char *words, struct moment *ret)
{
    struct session_place place;
    const struct dbg_bookmark *b = dbg_moves_find_bookmark(d, words);
    session_place(d->session, &place);
    if (b && b->track != session_track(d->session))
        return error_new("bookmark %s is in track %u; 'track %u' goes there", b->name, b->track,
                         b->track);
    if (!b && strcmp(words, "here") != 0)
        return goal_words_find(d->session, d->rec->meta.started, words, ret);
    *ret = b ? b->at : place.at;
    return NULL;
}

/* A pc that was not come to in that tick: it stands at what comes next. */
static void say_missed(struct dbg *d, struct moment wanted)
{
    struct session_place place;
    session_place(d->session, &place);
    if (wanted.pc && moment_compare(place.at, wanted))
        dbg_say(d, "There is no moment %llu:%#llx; this is the %s one.\n", (unsigned long long)wanted.tick,
                (unsigned long long)wanted.pc, moment_compare(place.at, wanted) < 0 ? "last" : "next");
}

static struct error *dbg_moves_jump(struct dbg *d, struct moment to)
{
    struct session_place before;
    struct session_stop stop = {.why = WHY_ARRIVED};
    session_place(d->session, &before);
    dbg_followed_forget(d);
    dbg_begin_moving(d, COURSE_TO);
    struct error *err = session_goto(d->session, to, &stop);
    dbg_end_moving(d);
    if (err)
        return err;
    dbg_arrive(d);
    if (stop.why == WHY_ARRIVED)
        say_missed(d, to);
    dbg_say_stop(d, before.thread, NULL, &stop);
    return NULL;
}

struct error *dbg_goto(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct session_place before;
    struct moment to;
    (void)c;
    if (!*args)
        return error_new("goto needs to know where: TICK, TICK:PC, start, end, 40%%, event N, 12.5s, "
                         "-1s, +0.2s or a bookmark");
    session_place(d->session, &before);
    struct error *err = dbg_find_moment(d, args, &to);
    if (!err)
        err = dbg_moves_jump(d, to);
    if (err)
        return err;
    dbg_moves_moved(d, before.at);
    return NULL;
}

struct error *dbg_undo(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct list *from = c->which == UNDO ? &d->undo : &d->redo;
    struct list *to = c->which == UNDO ? &d->redo : &d->undo;
    const char *done = c->which == UNDO ? "undone" : "made again";
    struct session_place before;
    u64 count;
    struct error *err = dbg_count(args, &count);
    if (!err && !from->count)
        err = error_new("there is no movement that can be %s", done);
    if (!err && count > from->count)
        err = error_new("only %zu movement%s can be %s", from->count, from->count == 1 ? "" : "s",
                        done);
    if (err)
        return err;
    const struct moment *moments = from->items;
    session_place(d->session, &before);
    err = dbg_moves_jump(d, moments[from->count - count]);
    for (struct moment at = before.at; !err && count > 0; count--) {
        dbg_moves_remember(to, at);
        at = moments[--from->count];
    }
    return err;
}

struct error *dbg_bookmark(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct session_place place;
    (void)c;
    if (!*args || strpbrk(args, " \t") || !(isalpha((u8)*args) || *args == '_'))
        return error_coded(ERROR_MISUSED,
                           "a bookmark needs a name, one word that begins with a letter");
    if (strcmp(args, "here") == 0 || strcmp(args, "start") == 0 || strcmp(args, "end") == 0)
        return error_coded(ERROR_MISUSED, "'%s' is a moment already; a bookmark needs another name",
                           args);
    session_place(d->session, &place);
    struct dbg_bookmark *b = dbg_moves_find_bookmark(d, args);
    if (!b) {
        b = list_add(&d->bookmarks);
        b->name = xformat("%s", args);
    }
    b->track = session_track(d->session);
    b->at = place.at;
    dbg_say(d, "%s is this moment: 'goto %s' comes back\n", args, args);
    return NULL;
}

static struct error *check_track(struct dbg *d, u64 track)
{
    u32 *list;
    size_t count;
    bool found = false;
    struct error *err = recording_tracks(d->rec, &list, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        found |= list[i] == track;
    free(list);
    return found ? NULL
                 : error_coded(ERROR_NOT_FOUND, "there is no track %llu; 'info tracks' lists them",
                               (unsigned long long)track);
}

struct error *dbg_track(struct dbg *d, const struct dbg_command *c, const char *args)
{
    u64 n = session_track(d->session);
    (void)c;
    struct error *err = *args ? dbg_number(args, "track", &n) : NULL;
    if (!err)
        err = check_track(d, n);
    if (!err && n != session_track(d->session)) {
        err = dbg_open_track(d, (u32)n, false);
        if (!err)
            dbg_say_opened(d);
    }
    if (err)
        return err;
    dbg_say(d, "track %u, process %u, program %s\n", session_track(d->session),
            session_pid(d->session), session_program(d->session));
    json_unsigned(dbg_fields(d), "track", n);
    dbg_say_here(d);
    return NULL;
}
