/* Makes breakpoints on code, and changes breakpoints of every kind. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* Checks the condition at the breakpoint's locations; one of them must accept it. A location that
 * does not exist yet is not checked. */
static struct error *check_condition(struct debug *d, const struct debug_breakpoint *p,
                                     const char *condition)
{
    struct evaluation *evaluation;
    const struct debug_location *locations = p->locations.items;
    bool is_code = p->type == BREAK_CODE;
    struct error *err =
        p->watch || (is_code && !p->locations.count) ? NULL : debug_evaluation(d, &evaluation);
    if (err || p->watch || (is_code && !p->locations.count))
        return err;
    struct code_place first = {0};
    if (is_code)
        first = debug_location_place(&locations[0]);
    err = values_check(evaluation, condition, first);
    for (size_t i = 1; i < p->locations.count && err && is_code; i++) {
        error_destroy(err);
        err = values_check(evaluation, condition, debug_location_place(&locations[i]));
    }
    values_close(evaluation);
    return err;
}

struct error *debug_breakpoint_slow(struct debug *d, const struct debug_breakpoint *p)
{
    struct evaluation *evaluation;
    const struct debug_location *location = p->locations.items;
    u8 *code = NULL;
    size_t size;
    if (p->type != BREAK_CODE || !p->locations.count || !p->condition)
        return NULL;
    struct error *err = debug_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_compile(evaluation, p->condition, debug_location_place(location), &code, &size);
    values_close(evaluation);
    free(code);
    return err;
}

/* True if the location may appear later: only the name of a function or a place in a file can. */
static bool may_come(const char *what)
{
    return *what && *what != '*' && *what != '+' && *what != '-' && !isdigit((u8)*what);
}

void debug_break_take_back(struct debug *d, struct debug_breakpoint *p)
{
    debug_breakpoints_remove(d, p);
    d->last_breakpoint--;
}

struct error *debug_break_add(struct debug *d, const struct debug_break_order *order,
                              struct debug_breakpoint **ret, struct error **ret_pending)
{
    *ret_pending = NULL;
    if (order->condition && !*order->condition)
        return error_coded(ERROR_MISUSED, "a condition must follow 'if'");
    struct debug_breakpoint *p = debug_breakpoints_add(d, BREAK_CODE, order->location);
    p->thread = order->thread;
    p->temporary = order->temporary;
    p->condition = order->condition ? xformat("%s", order->condition) : NULL;
    struct error *missing = debug_breakpoint_resolve(d, p);
    struct error *err = missing && !may_come(order->location) ? missing : NULL;
    if (!err && order->condition)
        err = check_condition(d, p, order->condition);
    if (err) {
        if (missing != err)
            error_destroy(missing);
        debug_break_take_back(d, p);
        return err;
    }
    *ret_pending = missing;
    *ret = p;
    return NULL;
}

struct error *debug_fixed_location(struct debug *d, const char *text, char **ret)
{
    u64 address;
    if (*text == '*' && !isdigit((u8)text[1])) {
        struct error *err = debug_address_of(d, text + 1, &address);
        if (!err)
            *ret = xformat("*0x%llx", (unsigned long long)address);
        return err;
    }
    *ret = xformat("%s", text);
    return NULL;
}

void debug_breakpoint_enable(struct debug *d, struct debug_breakpoint *p, bool enabled)
{
    p->disabled = !enabled;
    debug_breakpoint_unsettle(d, p);
}

struct error *debug_breakpoint_condition(struct debug *d, struct debug_breakpoint *p,
                                         const char *condition)
{
    struct error *err = condition ? check_condition(d, p, condition) : NULL;
    if (err)
        return err;
    free(p->condition);
    p->condition = condition ? xformat("%s", condition) : NULL;
    debug_breakpoint_unsettle(d, p);
    return p->watch ? debug_watch_condition(d, p) : NULL;
}

void debug_breakpoint_ignore(struct debug *d, struct debug_breakpoint *p, u64 count)
{
    p->ignore = count;
    debug_breakpoint_unsettle(d, p);
}

bool debug_is_watch(const struct debug_breakpoint *p)
{
    return p->type == BREAK_STORE || p->type == BREAK_LOAD || p->type == BREAK_ACCESS;
}
