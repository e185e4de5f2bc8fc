/* What a client wants to be stopped by: breakpoints, watchpoints, catchpoints, signals.
 *
 * gdb takes its breakpoints out at every stop and puts them in again before it goes on.  Here
 * that only marks them; what is then really different is told to the session when something is
 * about to run.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "front/gdb/wire.h"

enum { CONDITION_MOST = 64 * 1024 };

static const u32 kinds[] = {
    [BREAKPOINT_SOFT] = SITE_CODE, [BREAKPOINT_HARD] = SITE_CODE, [BREAKPOINT_WRITE] = SITE_STORE,
    [BREAKPOINT_READ] = SITE_LOAD, [BREAKPOINT_ACCESS] = SITE_ACCESS, [BREAKPOINT_CALL] = SITE_CALL,
    [BREAKPOINT_RETURN] = SITE_RETURN, [BREAKPOINT_SIGNAL] = SITE_SIGNAL,
    [BREAKPOINT_FORK] = SITE_FORK,
    [BREAKPOINT_EXEC] = SITE_EXEC,
};

static bool is_like(const struct rsp_breakpoint *p, const struct rsp_breakpoint *q)
{
    return p->type == q->type && p->address == q->address && p->size == q->size;
}

static bool rsp_breakpoints_is_same(const struct rsp_breakpoint *p, const struct rsp_breakpoint *q)
{
    return is_like(p, q) && p->condition_size == q->condition_size &&
           (!p->condition_size || memcmp(p->condition, q->condition, p->condition_size) == 0);
}

/* Takes the condition. */
static void want(struct rsp *r, const struct rsp_breakpoint *wanted)
{
    struct rsp_breakpoints *all = &r->breakpoints;
    for (size_t i = 0; i < all->count; i++) {
        if (rsp_breakpoints_is_same(&all->list[i], wanted)) {
            all->list[i].wanted = true;
            free(wanted->condition);
            return;
        }
    }
    if (all->count == all->room) {
        size_t room = 2 * all->room + 16;
        struct rsp_breakpoint *list = xalloc(room * sizeof *list);
        if (all->count)
            memcpy(list, all->list, all->count * sizeof *list);
        free(all->list);
        all->list = list;
        all->room = room;
    }
    all->list[all->count] = *wanted;
    all->list[all->count++].wanted = true;
}

static void unwant_like(struct rsp *r, const struct rsp_breakpoint *like)
{
    for (size_t i = 0; i < r->breakpoints.count; i++)
        if (is_like(&r->breakpoints.list[i], like))
            r->breakpoints.list[i].wanted = false;
}

static void unwant_type(struct rsp *r, u32 type)
{
    for (size_t i = 0; i < r->breakpoints.count; i++)
        if (r->breakpoints.list[i].type == type)
            r->breakpoints.list[i].wanted = false;
}

/* `TYPE,ADDRESS,KIND`, and what follows. */
static bool parse_breakpoint(const char **at, struct rsp_breakpoint *ret)
{
    u64 type;
    *ret = (struct rsp_breakpoint){0};
    if (!wire_number(at, &type) || type >= BREAKPOINT_Z_TYPES || *(*at)++ != ',' ||
        !wire_number(at, &ret->address) || *(*at)++ != ',' || !wire_number(at, &ret->size))
        return false;
    ret->type = (u32)type;
    bool is_code = type == BREAKPOINT_SOFT || type == BREAKPOINT_HARD;
    return is_code || (ret->size > 0 && ret->size <= ~ret->address);
}

/* `X LENGTH , BYTES`; several are alternatives. */
static bool parse_condition(const char **at, struct rsp_breakpoint *ret)
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

/* Commands to be run at the target (`;cmds:`) are not offered, and so do not come. */
void rsp_insert_breakpoint(struct rsp *r, const char *args)
{
    struct rsp_breakpoint breakpoint;
    if (!parse_breakpoint(&args, &breakpoint) || (*args && *args != ';'))
        return rsp_fail(r, EINVAL);
    if (r->in_phantom)
        return rsp_ok(r);
    unwant_like(r, &breakpoint);
    const char *at = args + (*args == ';');
    if (*at != 'X')
        want(r, &breakpoint);
    while (*at == 'X') {
        struct rsp_breakpoint one = breakpoint;
        if (!parse_condition(&at, &one))
            return rsp_fail(r, EINVAL);
        want(r, &one);
        at += *at == ';';
    }
    rsp_ok(r);
}

void rsp_remove_breakpoint(struct rsp *r, const char *args)
{
    struct rsp_breakpoint breakpoint;
    if (!parse_breakpoint(&args, &breakpoint))
        return rsp_fail(r, EINVAL);
    if (!r->in_phantom)
        unwant_like(r, &breakpoint);
    rsp_ok(r);
}

static void want_call(struct rsp *r, u64 number)
{
    want(r, &(struct rsp_breakpoint){.type = BREAKPOINT_CALL, .address = number});
    want(r, &(struct rsp_breakpoint){.type = BREAKPOINT_RETURN, .address = number});
}

/* `0`: none, `1`: all, `1;NUMBER;NUMBER...`: those. */
void rsp_catch_calls(struct rsp *r, const char *args)
{
    bool all = strcmp(args, "1") == 0, none = strcmp(args, "0") == 0;
    if (!all && !none && strncmp(args, "1;", 2) != 0)
        return rsp_fail(r, EINVAL);
    unwant_type(r, BREAKPOINT_CALL);
    unwant_type(r, BREAKPOINT_RETURN);
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

/* As long as the client says nothing about signals: gdb does at once, LLDB may not. */
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

/* Signals that never come need no breakpoint. */
static void want_signals(struct rsp *r)
{
    unwant_type(r, BREAKPOINT_SIGNAL);
    for (u32 signal = 1; signal < RSP_SIGNALS; signal++)
        if (r->facts.signal_came[signal] && !r->pass[signal])
            want(r, &(struct rsp_breakpoint){.type = BREAKPOINT_SIGNAL, .address = signal});
}

/* A client that knows of forks wants to be told of each. */
static void want_processes(struct rsp *r)
{
    unwant_type(r, BREAKPOINT_FORK);
    if (r->facts.forks && (r->fork_events || r->vfork_events))
        want(r, &(struct rsp_breakpoint){.type = BREAKPOINT_FORK});
}

static struct error *settle_one(struct rsp *r, struct rsp_breakpoint *p)
{
    struct error *err = NULL;
    if (p->wanted && !p->number) {
        struct breakpoint b = {
            .site.kind = kinds[p->type], .site.address = p->address, .site.size = p->size,
            .site.thread = CONTROL_THREAD_ANY,
            .condition = p->condition, .site.condition_size = p->condition_size,
        };
        err = session_add_breakpoint(r->session, &b, &p->number);
    } else if (!p->wanted && p->number) {
        err = session_remove_breakpoint(r->session, p->number);
        p->number = 0;
    }
    return err;
}

static void drop_unwanted(struct rsp_breakpoints *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].wanted || all->list[i].number)
            all->list[kept++] = all->list[i];
        else
            free(all->list[i].condition);
    }
    all->count = kept;
}

struct error *rsp_breakpoints_settle(struct rsp *r, bool signals)
{
    struct error *err = NULL;
    if (signals)
        want_signals(r);
    want_processes(r);
    for (size_t i = 0; i < r->breakpoints.count && !err; i++)
        err = settle_one(r, &r->breakpoints.list[i]);
    drop_unwanted(&r->breakpoints);
    for (size_t i = 0; i < r->breakpoints.count && !err; i++)
        invariant(3, r->breakpoints.list[i].wanted && r->breakpoints.list[i].number);
    return err;
}

const struct rsp_breakpoint *rsp_breakpoints_find(const struct rsp *r, u32 number)
{
    for (size_t i = 0; i < r->breakpoints.count; i++)
        if (r->breakpoints.list[i].number == number)
            return &r->breakpoints.list[i];
    return NULL;
}

void rsp_breakpoints_leave_code(struct rsp *r)
{
    for (u32 type = 0; type < BREAKPOINT_Z_TYPES; type++)
        unwant_type(r, type);
}

void rsp_breakpoints_forget(struct rsp *r)
{
    for (size_t i = 0; i < r->breakpoints.count; i++)
        r->breakpoints.list[i].number = 0;
}

void rsp_breakpoints_clear(struct rsp *r)
{
    for (size_t i = 0; i < r->breakpoints.count; i++)
        r->breakpoints.list[i].wanted = false;
    for (size_t i = 0; i < r->breakpoints.count; i++)
        error_destroy(settle_one(r, &r->breakpoints.list[i]));
    drop_unwanted(&r->breakpoints);
}

void rsp_breakpoints_deinit(struct rsp *r)
{
    for (size_t i = 0; i < r->breakpoints.count; i++)
        free(r->breakpoints.list[i].condition);
    free(r->breakpoints.list);
    r->breakpoints = (struct rsp_breakpoints){0};
}
