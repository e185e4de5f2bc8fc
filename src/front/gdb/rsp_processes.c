/* Processes that the client knows besides that of r->session, and switching between tracks: at a
 * fork to the child's track, at an exec to that of the next program, and back.
 *
 * A fork is reported with the pid of the child, which gdb detaches at once, follows, or keeps (`set
 * detach-on-fork off`). Until gdb has decided, the child is the *phantom*: no session is opened for
 * it, and reads go to its parent, which stands just after the fork. A child that is kept becomes a
 * separate process with the next movement, and gets a session when the client selects it. There is
 * one current process; selecting another swaps the state that belongs to a process.
 *
 * A child of vfork is in its parent's track until it executes a program. So it can be followed only
 * to that program.
 *
 * An exec is reported by the stop reply `exec`, in both directions: gdb then loads the symbols of
 * that program, sets its breakpoints again, and continues in the same direction.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"
#include "log/reader.h"

struct rsp_process {
    struct rsp_process *next;
    u32 pid;
    struct session *session; /* NULL: not opened yet */
    struct rsp_facts facts;
    struct list sites;
    bool begins_program; /* a child of vfork whose exec was not reported yet */
};

static void process_destroy(struct rsp_process *p)
{
    session_close(p->session);
    rsp_facts_deinit(&p->facts);
    debug_sites_deinit(&p->sites);
    free(p);
}

static struct rsp_process **find_process(struct rsp *r, u32 pid)
{
    struct rsp_process **at = &r->others;
    while (*at && (*at)->pid != pid)
        at = &(*at)->next;
    return at;
}

bool rsp_processes_has(struct rsp *r, u32 pid)
{
    return pid && (pid == r->phantom || *find_process(r, pid));
}

void rsp_processes_clear(struct rsp *r)
{
    while (r->others) {
        struct rsp_process *next = r->others->next;
        process_destroy(r->others);
        r->others = next;
    }
    r->phantom = 0;
    r->vfork_due = r->begins_program = false;
}

/* A phantom that the client has not detached before something moves is kept. */
void rsp_processes_keep(struct rsp *r)
{
    if (!r->phantom)
        return;
    struct rsp_process *p = xalloc(sizeof *p);
    *p = (struct rsp_process){
        .next = r->others, .pid = r->phantom, .sites = LIST(struct debug_site)};
    r->others = p;
    r->phantom = 0;
    r->in_phantom = false;
}

/* A client that has kept a child passes its fork again, in either direction. gdb fails if a process
 * that it knows is reported again. */
bool rsp_processes_pass_fork(struct rsp *r, bool step)
{
    const struct debug_site *p =
        r->stop.why == WHY_BREAKPOINT ? debug_sites_find(&r->sites, r->stop.breakpoint) : NULL;
    if (!p || p->tag != BREAKPOINT_FORK || !*find_process(r, (u32)r->stop.hit.address))
        return false;
    if (step)
        r->stop.why = WHY_STEPPED;
    return !step;
}

/* --- turning --------------------------------------------------------------------------------- */

/* The replay of a forked track begins with its parent's program; the client starts after the
 * fork. */
static struct error *go_behind_fork(struct session *s, struct moment birth)
{
    struct session_range none = {0, 0};
    struct session_stop stop;
    struct error *err = movement_goto(s, birth, &stop);
    return err ? err : movement_stepi(s, FORWARD, CONTROL_THREAD_ANY, 1, none, &stop);
}

static struct error *process_open(struct rsp *r, struct rsp_process *p)
{
    u32 track = rsp_facts_child(r->rec, session_track(r->session), p->pid);
    if (track == TRACK_NONE)
        track = rsp_facts_child(r->rec, TRACK_NONE, p->pid);
    if (track == TRACK_NONE)
        return error_coded(ERROR_UNAVAILABLE,
                           "process %u, made by vfork, executed no program: what it did is in its "
                           "parent's track, just before this moment",
                           p->pid);
    struct error *err = rsp_open_track(r, track, true, &p->session, &p->facts);
    p->begins_program = !err && !p->facts.forked;
    if (!err && p->facts.forked)
        err = go_behind_fork(p->session, p->facts.birth);
    if (err) {
        session_close(p->session);
        p->session = NULL;
        rsp_facts_deinit(&p->facts);
    }
    return err;
}

/* Swaps the state that belongs to a process. A copy that was made of it is dropped. */
static void exchange(struct rsp *r, struct rsp_process *p)
{
    struct rsp_process was = {.next = p->next,
                              .pid = session_pid(r->session),
                              .session = r->session,
                              .facts = r->facts,
                              .sites = r->sites,
                              .begins_program = r->begins_program};
    if (session_scratch(r->session))
        session_scratch_drop(r->session);
    r->session = p->session;
    r->facts = p->facts;
    r->sites = p->sites;
    r->begins_program = p->begins_program;
    *p = was;
    r->tls_module_at = 0;
    r->resumed = CONTROL_THREAD_ANY;
    rsp_moved(r);
}

static struct error *turn_to(struct rsp *r, u32 pid)
{
    struct rsp_process *p = *find_process(r, pid);
    struct error *err = p->session ? NULL : process_open(r, p);
    if (!err)
        exchange(r, p);
    return err;
}

/* `pPID.TID`: selects the process, if it is another that the client knows. */
static struct error *turn_to_named(struct rsp *r, const char *name)
{
    u64 pid = 0;
    if (!name || *name++ != 'p' || !wire_number(&name, &pid) || pid == rsp_shown_pid(r))
        return NULL;
    return *find_process(r, (u32)pid) ? turn_to(r, (u32)pid) : NULL;
}

static bool is_movement(const char *packet)
{
    return strncmp(packet, "vCont;", 6) == 0 || strcmp(packet, "bc") == 0 ||
           strcmp(packet, "bs") == 0 || (*packet && strchr("cCsS", *packet));
}

/* In vCont the first action that names a process counts. */
static const char *process_of(const char *packet)
{
    const char *colon = strncmp(packet, "vCont;", 6) == 0 ? strchr(packet, ':') : NULL;
    if (colon)
        return colon + 1;
    return *packet == 'H' && packet[1] ? packet + 2 : NULL;
}

/* The protocol reports the end of a vfork when the parent continues: until then gdb has no
 * breakpoints in it. Here it has already ended, since the fork is reported when it returns. */
static bool tell_vfork_done(struct rsp *r, const char *packet)
{
    const char *name = process_of(packet);
    u64 pid = 0;
    bool child = name && *name++ == 'p' && wire_number(&name, &pid) && pid == r->phantom;
    bool tell = r->vfork_due && is_movement(packet) && !child;
    if (is_movement(packet))
        r->vfork_due = false;
    if (!tell)
        return false;
    reply_text(&r->reply, "T05vforkdone:;thread:");
    rsp_threads_name(r, &r->reply, rsp_threads_tid(r, CONTROL_THREAD_ANY));
    reply_text(&r->reply, ";");
    return true;
}

static void tell_exec(struct rsp *r)
{
    reply_text(&r->reply, "T05exec:");
    reply_hex(&r->reply, session_program(r->session), strlen(session_program(r->session)));
    reply_text(&r->reply, ";thread:");
    rsp_threads_name(r, &r->reply, rsp_threads_tid(r, CONTROL_THREAD_ANY));
    reply_text(&r->reply, ";");
}

static void tell_stop_again(struct rsp *r, struct error *err)
{
    rsp_say(r, "ebb: ");
    rsp_say(r, error_text(err));
    rsp_say(r, "\n");
    error_destroy(err);
    rsp_moved(r);
    rsp_stop_reply(r);
}

/* Called before a packet is handled; true if that is done here. */
bool rsp_processes_before(struct rsp *r, const char *packet)
{
    if (!r->attached || (!r->phantom && !r->others && !r->vfork_due && !r->begins_program))
        return false;
    if (tell_vfork_done(r, packet))
        return true;
    bool moves = is_movement(packet), breaks = *packet == 'Z' && r->in_phantom;
    u32 phantom = r->phantom;
    if (moves || breaks)
        rsp_processes_keep(r);
    struct error *err = breaks ? turn_to(r, phantom) : turn_to_named(r, process_of(packet));
    if (err && moves)
        return tell_stop_again(r, err), true;
    if (err)
        return rsp_error(r, err), true;
    if (!moves || !r->begins_program)
        return false;
    r->begins_program = false;
    rsp_breakpoints_leave_code(r);
    tell_exec(r);
    return true;
}

/* --- letting go ------------------------------------------------------------------------------- */

/* The client detaches from a process; true if others are left. If it is the current one, another
 * becomes current. */
bool rsp_processes_let_go(struct rsp *r, u32 pid, struct error **ret)
{
    struct rsp_process **at = find_process(r, pid);
    *ret = NULL;
    if (r->phantom && pid == r->phantom) {
        r->phantom = 0;
        return true;
    }
    if (!*at) {
        rsp_processes_keep(r); /* it follows the child of a fork */
        if (pid != rsp_shown_pid(r) || !r->others)
            return false;
        u32 next = r->others->pid;
        *ret = turn_to(r, next);
        at = find_process(r, pid);
    }
    if (!*ret && *at) {
        struct rsp_process *gone = *at;
        *at = gone->next;
        process_destroy(gone);
    }
    return true;
}

/* --- over an exec ---------------------------------------------------------------------------- */

/* Finds the track of the next program of the same process, which begins where this track ended. */
static u32 next_program(struct rsp *r)
{
    bool ended = r->stop.why == WHY_END && r->facts.execs;
    return ended ? rsp_facts_exec(r->rec, session_track(r->session)) : TRACK_NONE;
}

/* Finds the program that executed this one. A child of vfork was in its parent's track before. */
static u32 program_before(struct rsp *r)
{
    struct session_place place;
    u32 pid, track;
    session_place(r->session, &place);
    if (r->stop.why != WHY_START || !place.start ||
        !rsp_facts_executed_by(r->rec, session_track(r->session), &track, &pid))
        return TRACK_NONE;
    if (pid == session_pid(r->session))
        return track;
    char *why = xformat("ebb: process %u was made by vfork. What it did before this program is in "
                        "track %u, of process %u, which the stop reply 'exec' cannot name: 'ebb "
                        "track %u' goes there.\n", session_pid(r->session), track, pid, track);
    rsp_say(r, why);
    free(why);
    return TRACK_NONE;
}

/* Before the fork, parent and child are the same process: the client is told, and stays where it
 * is. */
static void tell_before_fork(struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    bool before = r->facts.forked && moment_compare(place.at, r->facts.birth) < 0;
    if (before && !r->before_fork) {
        char *text =
            xformat("ebb: this is before the fork: what process %u shares with its parent, "
                    "whose own is track %u.\n",
                    session_pid(r->session), r->facts.parent);
        rsp_say(r, text);
        free(text);
    }
    r->before_fork = before;
}

struct error *rsp_processes_follow_exec(struct rsp *r, enum session_direction direction, bool *ret)
{
    *ret = false;
    if (!r->stop_signal)
        tell_before_fork(r);
    if (!r->exec_events || r->stop_signal)
        return NULL;
    u32 track = direction == FORWARD ? next_program(r) : program_before(r);
    if (track == TRACK_NONE)
        return NULL;
    struct error *err = rsp_choose_track(r, track, direction == FORWARD);
    if (err)
        return err;
    rsp_breakpoints_leave_code(r);
    tell_exec(r);
    *ret = true;
    return NULL;
}

/* --- threads --------------------------------------------------------------------------------- */

static void list_thread(struct reply *to, u32 pid, u32 tid, bool xml)
{
    reply_text(to, xml ? "<thread id=\"p%x.%x\"></thread>\n" : ",p%x.%x", pid, tid);
}

void rsp_processes_threads(struct rsp *r, struct reply *to, bool xml)
{
    if (r->phantom && r->multiprocess)
        list_thread(to, r->phantom, r->phantom, xml);
    for (const struct rsp_process *p = r->others; p && r->multiprocess; p = p->next) {
        struct control_thread *list = NULL;
        size_t count = 0;
        struct error *err = p->session ? session_threads(p->session, &list, &count) : NULL;
        error_destroy(err);
        for (size_t i = 0; i < count; i++)
            list_thread(to, p->pid, list[i].tid, xml);
        if (!count)
            list_thread(to, p->pid, p->pid, xml);
        free(list);
    }
}
