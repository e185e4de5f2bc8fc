/* The report to the client when a movement has ended: where, why, and the registers that it will
 * ask for next. */
#include <signal.h>
#include <string.h>

#include "front/gdb/rsp_internal.h"

static u32 signal_for_client(const struct rsp *r, u32 signal)
{
    return r->is_lldb ? signal : signal_number_to_gdb(signal);
}

static bool is_of_data(const struct debug_site *p)
{
    return p &&
           (p->tag == BREAKPOINT_WRITE || p->tag == BREAKPOINT_READ || p->tag == BREAKPOINT_ACCESS);
}

/* A complete step may also have executed a store to watched memory, or end where a signal comes;
 * that is reported. gdb itself finds breakpoints on code. */
static const struct debug_site *hit_breakpoint(const struct rsp *r)
{
    bool stepped = r->stop.why == WHY_STEPPED && r->stop.breakpoint_count;
    if (r->stop.why != WHY_BREAKPOINT && !stepped)
        return NULL;
    const struct debug_site *p = debug_sites_find(&r->sites, r->stop.breakpoint);
    return stepped && !is_of_data(p) && !(p && p->tag == BREAKPOINT_SIGNAL) ? NULL : p;
}

/* Returns the signal of the stop, by kernel number. */
static u32 stop_signal(const struct rsp *r, const struct session_place *place)
{
    const struct debug_site *p = hit_breakpoint(r);
    if (r->stop_signal)
        return r->stop_signal;
    if (p && p->tag == BREAKPOINT_SIGNAL)
        return (u32)p->address;
    if (r->stop.why == WHY_INTERRUPTED)
        return SIGINT;
    bool at_death = place->end && place->end_signal && !r->stop_repeats_end;
    if (at_death && (r->stop.why == WHY_END || !r->stop_is_movement))
        return place->end_signal;
    return SIGTRAP;
}

/* The client's watchpoint is reported before a breakpoint at the same moment, since gdb finds
 * breakpoints by the pc. */
static const struct debug_site *telling_breakpoint(const struct rsp *r)
{
    bool any = r->stop.why == WHY_BREAKPOINT || r->stop.why == WHY_STEPPED;
    for (u32 i = 0; any && i < r->stop.breakpoint_count && i < countof(r->stop.breakpoints); i++) {
        const struct debug_site *p = debug_sites_find(&r->sites, r->stop.breakpoints[i]);
        if (is_of_data(p))
            return p;
    }
    return hit_breakpoint(r);
}

static void add_data(struct rsp *r, const struct debug_site *p, const char *word)
{
    u64 address = r->stop.hit.address;
    if (address < p->address || address - p->address >= p->size)
        address = p->address;
    reply_text(&r->reply, "%s:%llx;", word, (unsigned long long)address);
}

static void add_fork(struct rsp *r)
{
    u32 pid = (u32)r->stop.hit.address;
    bool vfork = r->vfork_events && rsp_facts_is_vfork(&r->facts, pid);
    r->phantom = pid;
    r->vfork_due = vfork;
    reply_text(&r->reply, vfork ? "vfork:p%x.%x;" : "fork:p%x.%x;", pid, pid);
}

static void add_hit(struct rsp *r, const struct debug_site *p)
{
    unsigned long long number = (unsigned long long)r->stop.hit.address;
    switch (p->tag) {
    case BREAKPOINT_SOFT:
        return reply_text(&r->reply, "%s", r->swbreak ? "swbreak:;" : "");
    case BREAKPOINT_HARD:
        return reply_text(&r->reply, "%s", r->hwbreak ? "hwbreak:;" : "");
    case BREAKPOINT_WRITE:
        return add_data(r, p, "watch");
    case BREAKPOINT_READ:
        return add_data(r, p, "rwatch");
    case BREAKPOINT_ACCESS:
        return add_data(r, p, "awatch");
    case BREAKPOINT_CALL:
        return reply_text(&r->reply, "syscall_entry:%llx;", number);
    case BREAKPOINT_RETURN:
        return reply_text(&r->reply, "syscall_return:%llx;", number);
    case BREAKPOINT_FORK:
        return add_fork(r);
    default:
        return;
    }
}

/* An end by a signal is reported as that signal. Only if the client then continues is it told that
 * the recording has ended. */
static void add_reason(struct rsp *r, const struct session_place *place)
{
    const struct debug_site *p = telling_breakpoint(r);
    if (p)
        add_hit(r, p);
    else if (r->stop_signal) /* a signal of the copy: the recording has not ended here */
        return;
    else if (r->stop.why == WHY_START || r->stop.why == WHY_THREAD_START)
        reply_text(&r->reply, "replaylog:begin;");
    else if (r->stop.why == WHY_THREAD_END ||
             (r->stop.why == WHY_END && (!place->end_signal || r->stop_repeats_end)))
        reply_text(&r->reply, "replaylog:end;");
}

static const char *lldb_reason(const struct rsp *r, u32 signal)
{
    const struct debug_site *p = telling_breakpoint(r);
    if (p && p->tag <= BREAKPOINT_HARD)
        return "breakpoint";
    if (p && p->tag < BREAKPOINT_Z_TYPES)
        return "watchpoint";
    if (r->stop.why == WHY_STEPPED)
        return "trace";
    return signal == SIGTRAP ? "trap" : "signal";
}

static void add_for_lldb(struct rsp *r, u32 signal)
{
    if (r->lists_threads) {
        reply_text(&r->reply, "threads:");
        rsp_threads_list(r, &r->reply);
        reply_text(&r->reply, ";");
    }
    reply_text(&r->reply, "reason:%s;", lldb_reason(r, signal));
}

void rsp_stop_reply(struct rsp *r)
{
    struct session_place place;
    session_place(r->session, &place);
    u32 signal = stop_signal(r, &place);
    reply_text(&r->reply, "T%02x", signal_for_client(r, signal) & 0xff);
    add_reason(r, &place);
    reply_text(&r->reply, "thread:");
    rsp_threads_name(r, &r->reply, rsp_threads_tid(r, r->stop_thread));
    reply_text(&r->reply, ";");
    if (r->is_lldb)
        add_for_lldb(r, signal);
    bool other = r->stop_thread != CONTROL_THREAD_ANY;
    u32 thread = other ? r->stop_thread : place.thread;
    rsp_registers_expedite(r, &r->reply, thread);
    r->general = r->selected = thread; /* the client assumes this without being told */
}
