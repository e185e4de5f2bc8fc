/* The client's breakpoints, watchpoints, catchpoints and signals.
 *
 * They are sites of the model (debug.h), with the protocol's types as tags. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum { CONDITION_MOST = 64 * 1024 };

static const u32 types[] = {
    [BREAKPOINT_SOFT] = BREAK_CODE,      [BREAKPOINT_HARD] = BREAK_CODE,
    [BREAKPOINT_WRITE] = BREAK_STORE,    [BREAKPOINT_READ] = BREAK_LOAD,
    [BREAKPOINT_ACCESS] = BREAK_ACCESS,  [BREAKPOINT_CALL] = BREAK_SYSCALL,
    [BREAKPOINT_RETURN] = BREAK_SYSCALL, [BREAKPOINT_SIGNAL] = BREAK_SIGNAL,
    [BREAKPOINT_FORK] = BREAK_FORK,
};

static struct debug_site rsp_site_of(u32 tag, u64 address)
{
    return (struct debug_site){
        .type = types[tag], .is_return = tag == BREAKPOINT_RETURN, .tag = tag, .address = address};
}

static void rsp_want(struct rsp *r, u32 tag, u64 address)
{
    struct debug_site site = rsp_site_of(tag, address);
    debug_sites_want(&r->sites, &site);
}

/* Parses `TYPE,ADDRESS,KIND`. */
static bool parse_breakpoint(const char **at, struct debug_site *ret)
{
    u64 tag;
    if (!wire_number(at, &tag) || tag >= BREAKPOINT_Z_TYPES || *(*at)++ != ',')
        return false;
    *ret = rsp_site_of((u32)tag, 0);
    if (!wire_number(at, &ret->address) || *(*at)++ != ',' || !wire_number(at, &ret->size))
        return false;
    return ret->type == BREAK_CODE || (ret->size > 0 && ret->size <= ~ret->address);
}

/* Parses `X LENGTH , BYTES`; several are alternatives. */
static bool parse_condition(const char **at, struct debug_site *ret)
{
    u64 size;
    (*at)++;
    if (!wire_number(at, &size) || **at != ',' || size > CONDITION_MOST)
        return false;
    (*at)++;
    ret->condition = xalloc(size + 1);
    ret->condition_size = (u32)size;
    if (wire_unhex(*at, ret->condition, size) != (long)size) {
        free(ret->condition);
        return false;
    }
    *at += 2 * size;
    return true;
}

/* Commands to be run at the target (`;cmds:`) are not offered, so clients do not send them. */
void rsp_insert_breakpoint(struct rsp *r, const char *args)
{
    struct debug_site breakpoint;
    if (!parse_breakpoint(&args, &breakpoint) || (*args && *args != ';'))
        return rsp_fail(r, EINVAL);
    if (r->in_phantom)
        return rsp_ok(r);
    debug_sites_unwant(&r->sites, &breakpoint);
    const char *at = args + (*args == ';');
    if (*at != 'X')
        debug_sites_want(&r->sites, &breakpoint);
    while (*at == 'X') {
        struct debug_site one = breakpoint;
        if (!parse_condition(&at, &one))
            return rsp_fail(r, EINVAL);
        debug_sites_want(&r->sites, &one);
        at += *at == ';';
    }
    rsp_ok(r);
}

void rsp_remove_breakpoint(struct rsp *r, const char *args)
{
    struct debug_site breakpoint;
    if (!parse_breakpoint(&args, &breakpoint))
        return rsp_fail(r, EINVAL);
    if (!r->in_phantom)
        debug_sites_unwant(&r->sites, &breakpoint);
    rsp_ok(r);
}

static void want_call(struct rsp *r, u64 number)
{
    rsp_want(r, BREAKPOINT_CALL, number);
    rsp_want(r, BREAKPOINT_RETURN, number);
}

/* `0`: none, `1`: all, `1;NUMBER;NUMBER...`: these. */
void rsp_catch_calls(struct rsp *r, const char *args)
{
    bool all = strcmp(args, "1") == 0, none = strcmp(args, "0") == 0;
    if (!all && !none && strncmp(args, "1;", 2) != 0)
        return rsp_fail(r, EINVAL);
    debug_sites_unwant_tag(&r->sites, BREAKPOINT_CALL);
    debug_sites_unwant_tag(&r->sites, BREAKPOINT_RETURN);
    if (all)
        want_call(r, ~0ull);
    for (const char *at = args + 1; !all && !none && *at;) {
        u64 number;
        if (*at++ != ';' || !wire_number(&at, &number))
            return rsp_fail(r, EINVAL);
        want_call(r, number);
    }
    rsp_ok(r);
}

/* Used until the client sets signals: gdb does at once, LLDB may not. */
void rsp_breakpoints_default_signals(struct rsp *r)
{
    for (u32 signal = 0; signal < RSP_SIGNALS; signal++)
        r->pass[signal] = !session_signal_stops(r->session, signal);
}

void rsp_pass_signals(struct rsp *r, const char *args)
{
    bool pass[RSP_SIGNALS] = {0};
    while (*args) {
        u64 number;
        if (!wire_number(&args, &number) || (*args && *args++ != ';'))
            return rsp_fail(r, EINVAL);
        u32 signal = r->is_lldb ? (u32)number : signal_number_of_gdb((u32)number);
        if (signal < RSP_SIGNALS)
            pass[signal] = true;
    }
    memcpy(r->pass, pass, sizeof pass);
    rsp_ok(r);
}

/* Signals that never occur in the track need no breakpoint. */
static void want_signals(struct rsp *r)
{
    debug_sites_unwant_tag(&r->sites, BREAKPOINT_SIGNAL);
    for (u32 signal = 1; signal < RSP_SIGNALS; signal++)
        if (r->facts.signal_came[signal] && !r->pass[signal])
            rsp_want(r, BREAKPOINT_SIGNAL, signal);
}

/* A client that supports forks wants each to be reported. */
static void want_processes(struct rsp *r)
{
    debug_sites_unwant_tag(&r->sites, BREAKPOINT_FORK);
    if (r->facts.forks && (r->fork_events || r->vfork_events))
        rsp_want(r, BREAKPOINT_FORK, 0);
}

struct error *rsp_breakpoints_settle(struct rsp *r, bool signals)
{
    if (signals)
        want_signals(r);
    want_processes(r);
    return debug_sites_settle(&r->sites, r->session);
}

void rsp_breakpoints_leave_code(struct rsp *r)
{
    for (u32 type = 0; type < BREAKPOINT_Z_TYPES; type++)
        debug_sites_unwant_tag(&r->sites, type);
}
