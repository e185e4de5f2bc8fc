/* Gives a client access to the debugger in src/debug, besides its own.
 *
 * gdb has its own breakpoints, frames and commands. What it lacks (goals of until, history,
 * bookmarks, watches that follow pointers, undo of user commands) is done by src/debug on the same
 * session, by commands of ebb's prompt: `ebb history x` is `monitor history x`.
 *
 * Breakpoints made by these commands stop only movements made by them: they are removed from the
 * session after the command, as the client's own are before it.
 *
 * For undo, ebb.py reports each stop that gdb shows (rsp_model_stopped): one movement of gdb takes
 * many packets, and undo takes all of them back.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debug/interpreter.h"
#include "front/gdb/rsp_internal.h"

static struct interpreter *model_of(struct rsp *r)
{
    if (!r->model)
        r->model = interpreter_create(r->rec, r->session);
    struct debug *d = interpreter_debug(r->model);
    debug_use(d, r->session);
    if (r->general != CONTROL_THREAD_ANY)
        debug_choose_thread(d, r->general);
    return r->model;
}

static struct moment rsp_moment_of(const struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    return place.at;
}

/* Sets the level of the client's selected frame, for the next command only. */
void rsp_model_frame(struct rsp *r, const char *args)
{
    r->model_frame = (u32)strtoul(args, NULL, 16);
    rsp_ok(r);
}

static void choose_frame(struct rsp *r, struct debug *d)
{
    struct error *err = r->model_frame ? debug_frames(d) : NULL;
    if (!err && r->model_frame && r->model_frame < debug_shown_frames(d, r->model_frame + 1, NULL))
        debug_choose_frame(d, r->model_frame);
    error_destroy(err);
    r->model_frame = 0;
}

bool rsp_model_knows(const char *line)
{
    bool moves;
    return interpreter_knows(line, &moves);
}

struct error *rsp_model_obey(struct rsp *r, const char *line, struct reply *out, bool *ret_moved)
{
    bool moves = false;
    char *text;
    struct moment before = rsp_moment_of(r);
    interpreter_knows(line, &moves);
    struct error *err = moves ? rsp_breakpoints_settle(r, false) : NULL;
    if (err)
        return err;
    if (moves && session_scratch(r->session))
        session_scratch_drop(r->session);
    if (!link_begin_movement(r->link, r->session))
        return error_coded(ERROR_INTERRUPTED, "interrupted");
    struct interpreter *i = model_of(r);
    choose_frame(r, interpreter_debug(i));
    err = interpreter_obey(i, line, &text);
    debug_breakpoints_withdraw(interpreter_debug(i));
    link_end_movement(r->link, moves);
    *ret_moved = moment_compare(before, rsp_moment_of(r)) != 0;
    if (*ret_moved)
        rsp_moved(r);
    r->model_stood = rsp_moment_of(r);
    if (!err)
        reply_text(out, "%s", text);
    free(text);
    return err;
}

struct error *rsp_model_find_moment(struct rsp *r, const char *words, struct moment *ret)
{
    return debug_find_moment(interpreter_debug(model_of(r)), words, ret);
}

struct error *rsp_model_symbols(struct rsp *r, struct symbols **ret)
{
    return debug_symbols(interpreter_debug(model_of(r)), ret);
}

/* --- undo ------------------------------------------------------------------------------------- */

/* Called for a stop that the user sees: undo can return to the moment before. */
void rsp_model_stopped(struct rsp *r, const char *args)
{
    struct moment here = rsp_moment_of(r);
    struct debug *d = interpreter_debug(model_of(r));
    if (*args)
        return rsp_fail(r, EINVAL);
    rsp_lines_forget(r);
    if (r->tells_stops && moment_compare(here, r->model_stood) != 0)
        debug_moved_from(d, r->model_stood);
    r->tells_stops = true;
    r->model_stood = here;
    rsp_ok(r);
}

/* A movement by such a command is one of the user's, too. */
void rsp_model_moved(struct rsp *r, struct moment before)
{
    if (moment_compare(before, rsp_moment_of(r)) != 0)
        debug_moved_from(interpreter_debug(model_of(r)), before);
    r->model_stood = rsp_moment_of(r);
}

/* For a client that does not report what its user sees: undoes the last packet. */
struct error *rsp_model_undo(struct rsp *r, bool again)
{
    struct session_stop stop;
    if (!r->tells_stops)
        return again ? movement_redo(r->session) : movement_undo(r->session);
    struct debug *d = interpreter_debug(model_of(r));
    struct error *err = again ? debug_redo(d, 1, &stop) : debug_undo(d, 1, &stop);
    r->model_stood = rsp_moment_of(r);
    return err;
}

void rsp_model_deinit(struct rsp *r)
{
    interpreter_destroy(r->model);
    r->model = NULL;
}
