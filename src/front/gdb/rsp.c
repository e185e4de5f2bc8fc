/* The server of one client: its start and end, and the table of packets.
 *
 * Clients are not trusted: numbers are checked where they are used, a malformed packet gets an
 * error, and an unknown one an empty answer.
 */
#include "front/gdb/rsp.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

bool rsp_starts(const char *text, const char *with, const char **rest)
{
    size_t length = strlen(with);
    if (strncmp(text, with, length) != 0)
        return false;
    *rest = text + length;
    return true;
}

void rsp_ok(struct rsp *r)
{
    reply_text(&r->reply, "OK");
}

void rsp_fail(struct rsp *r, int number)
{
    reply_clear(&r->reply);
    reply_text(&r->reply, "E%02x", number & 0xff);
}

/* gdb shows the text of an error that begins with a dot. The text must not contain characters that
 * have a meaning in frames. */
void rsp_error(struct rsp *r, struct error *err)
{
    reply_clear(&r->reply);
    reply_text(&r->reply, "E.");
    for (const char *p = error_text(err); *p; p++)
        reply_bytes(&r->reply, strchr("#$}*", *p) || (u8)*p < ' ' ? " " : p, 1);
    error_destroy(err);
}

void rsp_say_bytes(struct rsp *r, const char *bytes, size_t size)
{
    enum { MOST = WIRE_PACKET_MOST / 4 };
    for (size_t at = 0; at < size && r->link; at += MOST) {
        struct reply out = {0};
        reply_text(&out, "O");
        reply_hex(&out, bytes + at, size - at < MOST ? size - at : MOST);
        link_send(r->link, out.bytes, out.size);
        reply_deinit(&out);
    }
}

void rsp_say(struct rsp *r, const char *text)
{
    rsp_say_bytes(r, text, strlen(text));
}

static double rsp_seconds_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* Shows the progress of opening to a user at a terminal, as long as no client is connected. */
static void show_opening(struct rsp *r, struct moment at, struct moment goal)
{
    if (!r->opening_since)
        r->opening_since = rsp_seconds_now();
    if (!isatty(STDERR_FILENO) || rsp_seconds_now() - r->opening_since < 1 || at.tick >= goal.tick)
        return;
    fprintf(stderr, "\rebb: going to the end of the run: %.0f%%\033[K",
            100.0 * (double)at.tick / (double)goal.tick);
    r->opening_shown = true;
}

static void hide_opening(struct rsp *r)
{
    if (r->opening_shown)
        fputs("\r\033[K", stderr);
    r->opening_shown = false;
}

static void show_progress(void *context, const struct session_progress *p)
{
    struct rsp *r = context;
    if (r->link)
        link_progress(r->link);
    else
        show_opening(r, p->at, p->goal);
}

static void say_opened_early(const struct rsp *r)
{
    struct session_place place;
    u64 last = session_last(r->session).tick;
    session_place(r->session, &place);
    if (debug_interrupted() && !place.end && !place.start)
        fprintf(stderr,
                "ebb: interrupted on the way to the end: this is %.0f%% of the recording; in gdb "
                "'ebb goto end' goes on\n",
                last ? 100.0 * (double)place.at.tick / (double)last : 0);
}

struct error *rsp_open_track(struct rsp *r, u32 track, bool at_start, struct session **ret,
                             struct rsp_facts *ret_facts)
{
    struct session_options options = {
        .track = track,
        .at_start = at_start,
        .progress = show_progress,
        .begun = r->link ? NULL : debug_moving_begun,
        .context = r,
    };
    *ret_facts = (struct rsp_facts){0};
    struct error *err = rsp_facts_read(r->rec, track, ret_facts);
    if (!err)
        err = session_open(r->rec, &options, ret);
    if (!r->link)
        debug_moving_begun(NULL, NULL);
    if (err)
        rsp_facts_deinit(ret_facts);
    return err;
}

struct error *rsp_choose_track(struct rsp *r, u32 track, bool at_start)
{
    struct rsp_facts facts;
    struct session *s;
    struct error *err = rsp_open_track(r, track, at_start, &s, &facts);
    if (err)
        return err;
    if (r->model)
        rsp_model_deinit(r);
    session_close(r->session);
    rsp_facts_deinit(&r->facts);
    r->session = s;
    r->facts = facts;
    r->phantom = 0;
    r->has_original = r->begins_program = r->before_fork = false;
    debug_sites_forget(&r->sites);
    rsp_moved(r);
    r->general = CONTROL_THREAD_ANY;
    return NULL;
}

struct error *rsp_create(struct recording *rec, u32 track, bool at_start, struct rsp **ret)
{
    struct rsp *r = xalloc(sizeof *r);
    *r = (struct rsp){.rec = rec,
                      .sites = LIST(struct debug_site),
                      .general = CONTROL_THREAD_ANY,
                      .resumed = CONTROL_THREAD_ANY,
                      .selected = CONTROL_THREAD_ANY};
    struct error *err = rsp_choose_track(r, track, at_start);
    hide_opening(r);
    if (err) {
        rsp_destroy(r);
        return err;
    }
    say_opened_early(r);
    *ret = r;
    return NULL;
}

void rsp_destroy(struct rsp *r)
{
    if (!r)
        return;
    rsp_files_close(r);
    rsp_processes_clear(r);
    debug_sites_deinit(&r->sites);
    rsp_threads_forget(r);
    rsp_ahead_forget(r);
    rsp_lines_forget(r);
    rsp_model_deinit(r);
    rsp_lent_deinit(r);
    rsp_facts_deinit(&r->facts);
    session_close(r->session);
    reply_deinit(&r->reply);
    reply_deinit(&r->document);
    free(r);
}

/* The smaller packets. */

static void why_stopped(struct rsp *r, const char *args)
{
    (void)args;
    if (r->attached)
        rsp_stop_reply(r);
    else
        reply_text(&r->reply, "W00");
}

static void rsp_extended(struct rsp *r, const char *args)
{
    (void)args;
    rsp_ok(r);
}

static void let_go(struct rsp *r, u32 pid)
{
    struct error *err;
    if (rsp_processes_let_go(r, pid, &err))
        return err ? rsp_error(r, err) : rsp_ok(r);
    if (pid != rsp_shown_pid(r))
        return rsp_fail(r, ESRCH);
    r->attached = false;
    debug_sites_clear(&r->sites, r->session);
    rsp_ok(r);
}

static void detach(struct rsp *r, const char *args)
{
    u64 pid = rsp_shown_pid(r);
    const char *at = args + (*args == ';');
    if (*args == ';' && !wire_number(&at, &pid))
        return rsp_fail(r, EINVAL);
    let_go(r, (u32)pid);
}

/* `;PID`. Nothing is killed: the program has already run, and its recording stays. */
static void kill_process(struct rsp *r, const char *args)
{
    u64 pid;
    if (*args++ != ';' || !wire_number(&args, &pid) || *args)
        return rsp_fail(r, EINVAL);
    let_go(r, (u32)pid);
}

/* gdb expects no answer and disconnects; LLDB waits for the end. */
static void kill_all(struct rsp *r, const char *args)
{
    (void)args;
    if (r->is_lldb)
        link_send(r->link, "X09", 3);
    r->over = true;
}

/* `run`: goes to the beginning. */
static void run_again(struct rsp *r, const char *args)
{
    struct session_stop stop;
    (void)args;
    struct error *err = movement_goto(r->session, session_first(r->session), &stop);
    if (err)
        return rsp_error(r, err);
    r->attached = true;
    rsp_moved(r);
    rsp_stop_reply(r);
}

/* Attaches to the process of this track, or of another. */
static void rsp_attach(struct rsp *r, const char *args)
{
    u64 pid = 0;
    struct error *err = NULL;
    if (!wire_number(&args, &pid))
        return rsp_fail(r, EINVAL);
    if (pid != session_pid(r->session)) {
        u32 child = rsp_facts_child(r->rec, TRACK_NONE, (u32)pid);
        err = child == TRACK_NONE
                  ? error_coded(ERROR_NOT_FOUND, "the recording has no process %u", (u32)pid)
                  : rsp_choose_track(r, child, false);
    }
    if (err)
        return rsp_error(r, err);
    r->attached = true;
    rsp_stop_reply(r);
}

static void vcont_kinds(struct rsp *r, const char *args)
{
    (void)args;
    reply_text(&r->reply, "vCont;c;C;s;S;t;r");
}

struct packet_row {
    const char *name;
    void (*handle)(struct rsp *r, const char *args); /* what follows the name */
    bool detached_too;
};

/* The first row that matches is used; longer names come before their beginnings. */
static const struct packet_row rows[] = {
    {"qSupported", rsp_query, true},
    {"vCont?", vcont_kinds, true},
    {"vCont;", rsp_vcont, false},
    {"vFile:", rsp_file, true},
    {"vAttach;", rsp_attach, true},
    {"vAttachOrWait;", rsp_attach, true},
    {"vKill", kill_process, false},
    {"vRun", run_again, true},
    {"vCtrlC", rsp_extended, false},
    {"bc", rsp_backward, false},
    {"bs", rsp_backward, false},
    {"?", why_stopped, true},
    {"!", rsp_extended, true},
    {"D", detach, true},
    {"k", kill_all, true},
    {"R", run_again, true},
    {"H", rsp_select, true},
    {"T", rsp_alive, false},
    {"g", rsp_read_registers, false},
    {"G", rsp_write_registers, false},
    {"p", rsp_read_register, false},
    {"P", rsp_write_register, false},
    {"m", rsp_read_memory, false},
    {"x", rsp_read_binary, false},
    {"M", rsp_write_memory, false},
    {"X", rsp_write_binary, false},
    {"Z", rsp_insert_breakpoint, false},
    {"z", rsp_remove_breakpoint, true},
    {"c", rsp_continue, false},
    {"C", rsp_continue, false},
    {"s", rsp_step, false},
    {"S", rsp_step, false},
    {"q", rsp_query, true},
    {"Q", rsp_set, true},
};

/* Queries are passed on with their names. */
static bool keeps_name(const struct packet_row *row)
{
    return row->handle == rsp_query || row->handle == rsp_set || row->handle == rsp_backward;
}

static void handle(struct rsp *r, const char *packet)
{
    invariant(1, r->session);
    if (rsp_lldb(r, packet) || rsp_processes_before(r, packet))
        return;
    for (const struct packet_row *row = rows; row < rows + countof(rows); row++) {
        const char *args;
        if (!rsp_starts(packet, row->name, &args))
            continue;
        if (!r->attached && !row->detached_too)
            return rsp_fail(r, ESRCH);
        return row->handle(r, keeps_name(row) ? packet : args);
    }
}

static void rsp_answer(struct rsp *r, const struct link_packet *p)
{
    reply_clear(&r->reply);
    r->end = p->bytes + p->size;
    if (p->kind == LINK_OVERSIZED)
        rsp_fail(r, E2BIG);
    else if (p->kind == LINK_DAMAGED)
        rsp_fail(r, EBADMSG);
    else
        handle(r, p->bytes);
    if (!r->over)
        link_send(r->link, r->reply.bytes ? r->reply.bytes : "", r->reply.size);
}

static bool idle(void *context)
{
    struct rsp *r = context;
    return session_idle(r->session);
}

/* Resets everything that a previous client had set. */
static void rsp_begin(struct rsp *r)
{
    r->attached = true;
    r->over = r->is_lldb = r->is_gdb = r->hides_pid = r->multiprocess = r->swbreak = r->hwbreak =
        false;
    r->fork_events = r->vfork_events = r->exec_events = r->lists_threads = r->backward = false;
    r->tells_stops = false;
    r->general = r->resumed = r->selected = CONTROL_THREAD_ANY;
    r->tls_module_at = 0;
    rsp_breakpoints_default_signals(r);
}

static void rsp_end(struct rsp *r)
{
    debug_sites_clear(&r->sites, r->session);
    rsp_lent_deinit(r);
    rsp_files_close(r);
    if (session_scratch(r->session))
        session_scratch_drop(r->session);
    r->has_original = false;
    rsp_processes_clear(r);
}

void rsp_serve(struct rsp *r, struct client_link *l)
{
    r->link = l;
    rsp_begin(r);
    struct link_packet *p;
    while (!r->over && (p = link_next(r->link, idle, r))) {
        rsp_answer(r, p);
        free(p);
    }
    rsp_end(r);
    link_close(r->link);
    r->link = NULL;
}
