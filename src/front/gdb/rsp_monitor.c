/* monitor: ebb's own commands, for a client that does not have them.
 *
 * A client does not notice that such a command has moved the session. ebb.py tells gdb; a user can
 * type `maintenance flush register-cache`.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum { COMMAND_MOST = 4096 };

/* Seconds since the run was started. */
static double seconds_of(const struct rsp *r, u64 time)
{
    u64 started = r->rec->meta.started;
    return time > started ? (double)(time - started) / 1e9 : 0;
}

static void say_end(const struct session_place *place, struct reply *out)
{
    if (!place->end)
        return;
    if (place->end_otherwise)
        reply_text(out, ", at the end: the process %s", place->end_otherwise);
    else if (place->end_signal)
        reply_text(out, ", at the end: died by %s", signal_number_name(place->end_signal));
    else
        reply_text(out, ", at the end: exited with status %u", place->end_status);
}

/* ebb.py also reads "thread TID" and "tick". */
static void say_where(struct rsp *r, struct reply *out)
{
    struct session_place place;
    session_place(r->session, &place);
    u64 first = session_first(r->session).tick, last = session_last(r->session).tick;
    double share = last > first ? 100.0 * (double)(place.at.tick - first) / (double)(last - first)
                                : 100.0;
    reply_text(out, "track %u, thread %u, tick %llu:0x%llx of %llu (%.1f%%), event %llu",
               session_track(r->session), place.tid, (unsigned long long)place.at.tick,
               (unsigned long long)place.at.pc, (unsigned long long)last, share,
               (unsigned long long)place.event);
    if (place.time)
        reply_text(out, ", %.6fs", seconds_of(r, place.time));
    if (place.start)
        reply_text(out, ", at the start");
    say_end(&place, out);
    if (session_scratch(r->session))
        reply_text(out, ", in a copy that was changed");
    reply_text(out, "\n");
}

static struct error *where(struct rsp *r, const char *args, struct reply *out)
{
    (void)args;
    say_where(r, out);
    return NULL;
}

/* A movement by a monitor command can be interrupted like any other. */
static struct error *move_by(struct rsp *r, const char *args, struct reply *out,
                             struct error *(*go)(struct rsp *, const char *))
{
    if (session_scratch(r->session))
        session_scratch_drop(r->session);
    if (!link_begin_movement(r->link, r->session))
        return error_coded(ERROR_INTERRUPTED, "interrupted");
    struct error *err = go(r, args);
    link_end_movement(r->link, true);
    rsp_moved(r);
    if (!err)
        say_where(r, out);
    return err;
}

static struct error *do_goto(struct rsp *r, const char *args)
{
    struct session_stop stop;
    struct session_place before;
    struct moment at;
    if (!*args)
        return error_coded(ERROR_MISUSED, "goto needs to know where: 'monitor help' says how");
    session_place(r->session, &before);
    struct error *err = rsp_model_find_moment(r, args, &at);
    if (!err)
        err = movement_goto(r->session, at, &stop);
    if (!err)
        rsp_model_moved(r, before.at);
    return err;
}

static struct error *do_undo(struct rsp *r, const char *args)
{
    (void)args;
    return rsp_model_undo(r, false);
}

static struct error *do_redo(struct rsp *r, const char *args)
{
    (void)args;
    return rsp_model_undo(r, true);
}

static struct error *rsp_monitor_go(struct rsp *r, const char *args, struct reply *out)
{
    return move_by(r, args, out, do_goto);
}

static struct error *undo(struct rsp *r, const char *args, struct reply *out)
{
    return move_by(r, args, out, do_undo);
}

static struct error *redo(struct rsp *r, const char *args, struct reply *out)
{
    return move_by(r, args, out, do_redo);
}

static struct error *rsp_monitor_bookmarks(struct rsp *r, const char *args, struct reply *out)
{
    bool moved;
    (void)args;
    return rsp_model_obey(r, "info bookmarks", out, &moved);
}

/* Tracks. */

static struct error *rsp_monitor_tracks(struct rsp *r, const char *args, struct reply *out)
{
    u32 *list;
    size_t count;
    (void)args;
    struct error *err = recording_tracks(r->rec, &list, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++) {
        char *about = track_about(r->rec, list[i]);
        reply_text(out, "%c %u: %s\n", list[i] == session_track(r->session) ? '*' : ' ', list[i],
                   about);
        free(about);
    }
    free(list);
    return NULL;
}

/* Without an argument, shows the current track. */
static struct error *track(struct rsp *r, const char *args, struct reply *out)
{
    char *end;
    unsigned long number = strtoul(args, &end, 10);
    if (*args && (*end || !isdigit((u8)*args) || number >= TRACK_NONE))
        return error_coded(ERROR_MISUSED, "a track is a number; 'monitor tracks' lists them");
    if (*args && number != session_track(r->session)) {
        struct error *err = track_about_check(r->rec, (u32)number);
        if (!err)
            err = rsp_choose_track(r, (u32)number, false);
        if (!err)
            rsp_processes_clear(r);
        if (err)
            return err;
    }
    reply_text(out, "track %u, pid %u, program %s\n", session_track(r->session),
               session_pid(r->session), session_program(r->session));
    return NULL;
}

static struct error *rsp_monitor_checkpoints(struct rsp *r, const char *args, struct reply *out)
{
    struct session_checkpoint *list;
    size_t count;
    (void)args;
    session_checkpoints(r->session, &list, &count);
    for (size_t i = 0; i < count; i++)
        reply_text(out, "tick %llu:0x%llx, process %u, %.1f MB of its own\n",
                   (unsigned long long)list[i].at.tick, (unsigned long long)list[i].at.pc,
                   list[i].pid, (double)list[i].memory / 1e6);
    if (!count)
        reply_text(out, "there are no checkpoints\n");
    free(list);
    return NULL;
}

/* For a client without commands to go back. */
static struct error *direction(struct rsp *r, const char *args, struct reply *out)
{
    size_t length = strlen(args);
    if (length && strncmp(args, "backward", length) == 0)
        r->backward = true;
    else if (length && strncmp(args, "forward", length) == 0)
        r->backward = false;
    else if (length)
        return error_coded(ERROR_MISUSED, "a direction is forward or backward");
    reply_text(out, "the client's movements go %s\n", r->backward ? "backward" : "forward");
    return NULL;
}

/* Faults that the program handled itself: for the first message of ebb.py, and whether they
 * stop. */
static struct error *rsp_monitor_faults(struct rsp *r, const char *args, struct reply *out)
{
    struct session_faults f;
    const char *runtime = session_fault_runtime(r->session);
    (void)args;
    session_handled_faults(r->session, &f);
    char *text = session_faults_text(&f, r->is_lldb ? "monitor goto event" : "ebb goto event");
    reply_text(out, "%s", f.count ? text : "the program handled no faults\n");
    if (runtime)
        reply_text(out, "%s uses faults in normal operation\n", runtime);
    free(text);
    return NULL;
}

/* For ebb.py: tells whether the client may use the files of this machine. */
static struct error *files(struct rsp *r, const char *args, struct reply *out)
{
    (void)args;
    reply_text(out, r->facts.files_changed ? "changed\n" : "as recorded\n");
    return NULL;
}

static struct error *help(struct rsp *r, const char *args, struct reply *out);

static const struct monitor_command {
    const char *name;
    struct error *(*run)(struct rsp *r, const char *args, struct reply *out);
    const char *usage, *summary; /* no usage: another name for the one before */
} commands[] = {
    {"where", where, "where", "the moment: track, thread, tick, share of the run, time"},
    {"info", where, NULL, NULL},
    {"goto", rsp_monitor_go, "goto MOMENT",
     "TICK, TICK:PC, start, end, 40%, event N, 12.5s, -1s, +0.2s or a bookmark"},
    {"undo", undo, "undo", "back to where the last movement began"},
    {"redo", redo, "redo", "the movement that was undone"},
    {"bookmarks", rsp_monitor_bookmarks, "bookmarks", "list them"},
    {"tracks", rsp_monitor_tracks, "tracks", "the process images of the recording"},
    {"track", track, "track [N]", "go to another of them, or say which this is"},
    {"faults", rsp_monitor_faults, "faults", "faults that the program handled itself"},
    {"checkpoints", rsp_monitor_checkpoints, "checkpoints",
     "the moments that are kept as processes"},
    {"direction", direction, "direction [DIR]",
     "backward: what the client sends as continue or stepi goes back; forward: as usual"},
    {"help", help, "help", "this"},
    {"files", files, NULL, NULL},
};

static struct error *help(struct rsp *r, const char *args, struct reply *out)
{
    bool moved;
    if (*args) {
        char *line = xformat("help %s", args);
        struct error *err = rsp_model_obey(r, line, out, &moved);
        free(line);
        return err;
    }
    for (size_t i = 0; i < countof(commands); i++)
        if (commands[i].usage)
            reply_text(out, "%-15s %s\n", commands[i].usage, commands[i].summary);
    reply_text(out, "%-15s %s\n", "COMMAND",
               "any command of ebb's prompt: until, history, changes, watch, "
               "bookmark, print ...; 'help COMMAND' explains one, 'help all' lists them");
    return NULL;
}

/* Finds the first command whose name begins with the word. */
static const struct monitor_command *rsp_monitor_find_command(const char *word, size_t length)
{
    for (size_t i = 0; i < countof(commands); i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, word, length) == 0)
            return &commands[i];
    for (size_t i = 0; i < countof(commands); i++)
        if (length && strncmp(commands[i].name, word, length) == 0)
            return &commands[i];
    return NULL;
}

/* Executes a command of the prompt. ebb.py reads where the movement has led. */
static struct error *interpret(struct rsp *r, const char *line, struct reply *out)
{
    bool moved = false;
    struct error *err = rsp_model_obey(r, line, out, &moved);
    if (!err && moved)
        say_where(r, out);
    return err;
}

static bool is_exact(const struct monitor_command *c, size_t length)
{
    return strlen(c->name) == length;
}

static struct error *run_command(struct rsp *r, char *line, struct reply *out)
{
    size_t end = strlen(line);
    while (end > 0 && isspace((u8)line[end - 1]))
        line[--end] = '\0';
    line += strspn(line, " \t");
    size_t length = strcspn(line, " \t");
    const struct monitor_command *c = rsp_monitor_find_command(line, length);
    const char *rest = line + length + strspn(line + length, " \t");
    bool asks_more = c && c->run == where && *rest; /* info BREAKPOINTS */
    if (length && (!c || !is_exact(c, length) || asks_more) && rsp_model_knows(line))
        return interpret(r, line, out);
    if (!c && length)
        return error_coded(ERROR_NOT_FOUND, "there is no command '%.*s'; 'monitor help' lists them",
                           (int)length, line);
    return c ? c->run(r, rest, out) : help(r, rest, out);
}

/* LLDB shows text that arrives as console output, but not the decoded answer. */
static void answer_lldb(struct rsp *r, const struct reply *out)
{
    char *text = xformat("%.*s", (int)out->size, out->size ? out->bytes : "");
    rsp_say(r, text);
    rsp_ok(r);
    free(text);
}

/* gdb does not show the text of an error here, so it is printed as output. */
void rsp_monitor(struct rsp *r, const char *args)
{
    char line[COMMAND_MOST];
    struct reply out = {0};
    long size = wire_unhex(args, line, sizeof line - 1);
    if (size < 0 || strlen(args) != 2 * (size_t)size || memchr(line, 0, (size_t)size))
        return rsp_fail(r, EINVAL);
    line[size] = '\0';
    struct error *err = run_command(r, line, &out);
    if (err) {
        reply_clear(&out);
        reply_text(&out, "ebb: %s\n", error_text(err));
        error_destroy(err);
    }
    if (r->is_lldb)
        answer_lldb(r, &out);
    else if (out.size)
        reply_hex(&r->reply, out.bytes, out.size);
    else
        rsp_ok(r);
    reply_deinit(&out);
}
