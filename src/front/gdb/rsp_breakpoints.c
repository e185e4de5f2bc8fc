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
    [POINT_SOFT] = SITE_CODE,    [POINT_HARD] = SITE_CODE,     [POINT_WRITE] = SITE_STORE,
    [POINT_READ] = SITE_LOAD,    [POINT_ACCESS] = SITE_ACCESS, [POINT_CALL] = SITE_CALL,
    [POINT_RETURN] = SITE_RETURN, [POINT_SIGNAL] = SITE_SIGNAL, [POINT_FORK] = SITE_FORK,
    [POINT_EXEC] = SITE_EXEC,
};

static bool is_like(const struct rsp_point *p, const struct rsp_point *q)
{
    return p->type == q->type && p->address == q->address && p->size == q->size;
}

static bool rsp_points_is_same(const struct rsp_point *p, const struct rsp_point *q)
{
    return is_like(p, q) && p->condition_size == q->condition_size &&
           (!p->condition_size || memcmp(p->condition, q->condition, p->condition_size) == 0);
}

/* Takes the condition. */
static void want(struct rsp *r, const struct rsp_point *wanted)
{
    struct rsp_points *all = &r->points;
    for (size_t i = 0; i < all->count; i++) {
        if (rsp_points_is_same(&all->list[i], wanted)) {
            all->list[i].wanted = true;
            free(wanted->condition);
            return;
        }
    }
    if (all->count == all->room) {
        size_t room = 2 * all->room + 16;
        struct rsp_point *list = xalloc(room * sizeof *list);
        if (all->count)
            memcpy(list, all->list, all->count * sizeof *list);
        free(all->list);
        all->list = list;
        all->room = room;
    }
    all->list[all->count] = *wanted;
    all->list[all->count++].wanted = true;
}

static void unwant_like(struct rsp *r, const struct rsp_point *like)
{
    for (size_t i = 0; i < r->points.count; i++)
        if (is_like(&r->points.list[i], like))
            r->points.list[i].wanted = false;
}

static void unwant_type(struct rsp *r, u32 type)
{
    for (size_t i = 0; i < r->points.count; i++)
        if (r->points.list[i].type == type)
            r->points.list[i].wanted = false;
}

/* `TYPE,ADDRESS,KIND`, and what follows. */
static bool parse_point(const char **at, struct rsp_point *ret)
{
    u64 type;
    *ret = (struct rsp_point){0};
    if (!wire_number(at, &type) || type >= POINT_Z_TYPES || *(*at)++ != ',' ||
        !wire_number(at, &ret->address) || *(*at)++ != ',' || !wire_number(at, &ret->size))
        return false;
    ret->type = (u32)type;
    bool is_code = type == POINT_SOFT || type == POINT_HARD;
    return is_code || (ret->size > 0 && ret->size <= ~ret->address);
}

/* `X LENGTH , BYTES`; several are alternatives. */
static bool parse_condition(const char **at, struct rsp_point *ret)
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
void rsp_insert_point(struct rsp *r, const char *args)
{
    struct rsp_point point;
    if (!parse_point(&args, &point) || (*args && *args != ';'))
        return rsp_fail(r, EINVAL);
    if (r->in_phantom)
        return rsp_ok(r);
    unwant_like(r, &point);
    const char *at = args + (*args == ';');
    if (*at != 'X')
        want(r, &point);
    while (*at == 'X') {
        struct rsp_point one = point;
        if (!parse_condition(&at, &one))
            return rsp_fail(r, EINVAL);
        want(r, &one);
        at += *at == ';';
    }
    rsp_ok(r);
}

void rsp_remove_point(struct rsp *r, const char *args)
{
    struct rsp_point point;
    if (!parse_point(&args, &point))
        return rsp_fail(r, EINVAL);
    if (!r->in_phantom)
        unwant_like(r, &point);
    rsp_ok(r);
}

static void want_call(struct rsp *r, u64 number)
{
    want(r, &(struct rsp_point){.type = POINT_CALL, .address = number});
    want(r, &(struct rsp_point){.type = POINT_RETURN, .address = number});
}

/* `0`: none, `1`: all, `1;NUMBER;NUMBER...`: those. */
void rsp_catch_calls(struct rsp *r, const char *args)
{
    bool all = strcmp(args, "1") == 0, none = strcmp(args, "0") == 0;
    if (!all && !none && strncmp(args, "1;", 2) != 0)
        return rsp_fail(r, EINVAL);
    unwant_type(r, POINT_CALL);
    unwant_type(r, POINT_RETURN);
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

/* Those that gdb lets pass by itself: alarms, children and other everyday things. */
void rsp_points_default_signals(struct rsp *r)
{
    static const u8 everyday[] = {14, 17, 23, 24, 26, 27, 28, 29, 32, 33};
    memset(r->pass, 0, sizeof r->pass);
    for (size_t i = 0; i < countof(everyday); i++)
        r->pass[everyday[i]] = true;
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
    unwant_type(r, POINT_SIGNAL);
    for (u32 signal = 1; signal < RSP_SIGNALS; signal++)
        if (r->facts.signal_came[signal] && !r->pass[signal])
            want(r, &(struct rsp_point){.type = POINT_SIGNAL, .address = signal});
}

/* A client that knows of forks wants to be told of each. */
static void want_processes(struct rsp *r)
{
    unwant_type(r, POINT_FORK);
    if (r->facts.forks && (r->fork_events || r->vfork_events))
        want(r, &(struct rsp_point){.type = POINT_FORK});
}

static struct error *settle_one(struct rsp *r, struct rsp_point *p)
{
    struct error *err = NULL;
    if (p->wanted && !p->number) {
        struct breakpoint b = {
            .kind = kinds[p->type], .address = p->address, .size = p->size,
            .thread = CONTROL_THREAD_ANY,
            .condition = p->condition, .condition_size = p->condition_size,
        };
        err = session_add_breakpoint(r->session, &b, &p->number);
    } else if (!p->wanted && p->number) {
        err = session_remove_breakpoint(r->session, p->number);
        p->number = 0;
    }
    return err;
}

static void drop_unwanted(struct rsp_points *all)
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

struct error *rsp_points_settle(struct rsp *r)
{
    struct error *err = NULL;
    want_signals(r);
    want_processes(r);
    for (size_t i = 0; i < r->points.count && !err; i++)
        err = settle_one(r, &r->points.list[i]);
    drop_unwanted(&r->points);
    for (size_t i = 0; i < r->points.count && !err; i++)
        invariant(3, r->points.list[i].wanted && r->points.list[i].number);
    return err;
}

const struct rsp_point *rsp_points_find(const struct rsp *r, u32 number)
{
    for (size_t i = 0; i < r->points.count; i++)
        if (r->points.list[i].number == number)
            return &r->points.list[i];
    return NULL;
}

void rsp_points_forget(struct rsp *r)
{
    for (size_t i = 0; i < r->points.count; i++)
        r->points.list[i].number = 0;
}

void rsp_points_clear(struct rsp *r)
{
    for (size_t i = 0; i < r->points.count; i++)
        r->points.list[i].wanted = false;
    for (size_t i = 0; i < r->points.count; i++)
        error_destroy(settle_one(r, &r->points.list[i]));
    drop_unwanted(&r->points);
}

void rsp_points_deinit(struct rsp *r)
{
    for (size_t i = 0; i < r->points.count; i++)
        free(r->points.list[i].condition);
    free(r->points.list);
    r->points = (struct rsp_points){0};
}
