/* Points: what stops a movement, and what it is to the session.
 *
 * A point of the user's has sites, breakpoints of the session: a function may be at several places,
 * a system call is caught twice.  Sites come into being when something is about to move
 * (dbg_points_settle), and stay: addresses are the same all over a track, so a place that was found
 * once is good for all its moments.  A location that is nowhere yet is looked up again whenever
 * modules have come or gone; for that the place where the dynamic linker tells debuggers so is a
 * breakpoint of ours.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "front/debugger/dbg_internal.h"
#include "log/syscall_table.h"

enum { PLACES_MOST = 4096 };

void dbg_default_signals(struct dbg *d)
{
    static const u8 everyday[] = {14, 17, 23, 24, 26, 27, 28, 29, 32, 33}; /* as gdb has it */
    for (u32 i = 1; i < DBG_SIGNALS; i++)
        d->signal_stops[i] = true;
    for (size_t i = 0; i < countof(everyday); i++)
        d->signal_stops[everyday[i]] = false;
}

struct dbg_point *dbg_points_find(struct dbg *d, u32 number)
{
    struct dbg_point **all = d->points.items;
    for (size_t i = 0; i < d->points.count; i++)
        if (all[i]->number == number)
            return all[i];
    return NULL;
}

struct dbg_point *dbg_points_of_site(struct dbg *d, u32 site)
{
    struct dbg_point **all = d->points.items;
    for (size_t i = 0; i < d->points.count && site; i++) {
        const struct dbg_site *sites = all[i]->sites.items;
        for (size_t n = 0; n < all[i]->sites.count; n++)
            if (sites[n].number == site)
                return all[i];
    }
    return NULL;
}

struct dbg_point *dbg_points_add(struct dbg *d, u32 type, const char *what)
{
    const struct frame *f = dbg_frame(d);
    struct dbg_point *p = xalloc(sizeof *p);
    *p = (struct dbg_point){
        .number = ++d->last_point, .type = type, .what = xformat("%s", what),
        .thread = CONTROL_THREAD_ANY, .sites = LIST(struct dbg_site), .commands = LIST(char *),
    };
    if (f && f->place.file) {
        p->file = xformat("%s", f->place.file);
        p->line = f->place.line;
    } else {
        p->file = dbg_current_file(d);
    }
    *(struct dbg_point **)list_add(&d->points) = p;
    return p;
}

static void dbg_points_remove_sites(struct dbg *d, struct dbg_point *p)
{
    struct dbg_site *sites = p->sites.items;
    for (size_t i = 0; i < p->sites.count; i++) {
        if (sites[i].number)
            error_destroy(session_remove_breakpoint(d->session, sites[i].number));
        sites[i].number = 0;
    }
}

/* It has changed: what the session has of it is made anew. */
void dbg_point_unsettle(struct dbg *d, struct dbg_point *p)
{
    dbg_points_remove_sites(d, p);
    p->checks_here = p->has_failed = false;
}

static void point_destroy(struct dbg_point *p)
{
    list_deinit(&p->sites);
    dbg_strings_deinit(&p->commands);
    free(p->what);
    dbg_watch_destroy(p->watch);
    free(p->condition);
    free(p->file);
    free(p);
}

void dbg_points_remove(struct dbg *d, struct dbg_point *p)
{
    struct dbg_point **all = d->points.items;
    size_t kept = 0;
    dbg_points_remove_sites(d, p);
    for (size_t i = 0; i < d->points.count; i++)
        if (all[i] != p)
            all[kept++] = all[i];
    d->points.count = kept;
    point_destroy(p);
}

/* Addresses of another track are others. */
void dbg_points_forget(struct dbg *d)
{
    struct dbg_point **all = d->points.items;
    for (size_t i = 0; i < d->points.count; i++) {
        struct dbg_site *sites = all[i]->sites.items;
        for (size_t n = 0; n < all[i]->sites.count; n++)
            sites[n].number = 0;
        if (all[i]->type == POINT_BREAK)
            all[i]->sites.count = 0;
        all[i]->version = 0;
        all[i]->checks_here = false;
    }
    memset(d->signal_sites, 0, sizeof d->signal_sites);
    d->loader_site = 0;
}

void dbg_points_deinit(struct dbg *d)
{
    struct dbg_point **all = d->points.items;
    for (size_t i = 0; i < d->points.count; i++)
        point_destroy(all[i]);
    list_deinit(&d->points);
}

/* --- places ----------------------------------------------------------------------------------- */

static void dbg_points_add_site(struct dbg_point *p, u64 address)
{
    struct dbg_site *sites = p->sites.items;
    for (size_t i = 0; i < p->sites.count; i++)
        if (sites[i].address == address)
            return;
    if (p->sites.count < PLACES_MOST)
        ((struct dbg_site *)list_add(&p->sites))->address = address;
}

/* Adds what is there now.  An error if the location is nowhere, and never was. */
struct error *dbg_point_resolve(struct dbg *d, struct dbg_point *p)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    struct line_place here = {.file = p->file, .line = p->line};
    struct error *err = dbg_symbols(d, &symbols);
    if (err || (p->version == symbols_version(symbols) && p->version))
        return err;
    p->version = symbols_version(symbols);
    err = symbols_locate(symbols, p->what, &here, &places, &count);
    for (size_t i = 0; i < count && !err; i++)
        dbg_points_add_site(p, places[i].pc);
    if (!err)
        free(places);
    p->pending = p->sites.count == 0;
    if (err && p->sites.count) {
        error_destroy(err);
        err = NULL;
    }
    return err;
}

static void resolve_fixed(struct dbg_point *p)
{
    if (p->sites.count)
        return;
    for (u64 call = 0; call < SYSCALL_NUMBERS && p->type == POINT_EXIT; call++)
        if (syscall_has(call, EFFECT_EXITS))
            ((struct dbg_site *)list_add(&p->sites))->address = call;
    if (p->type == POINT_SYSCALL) /* about to be made, and made */
        ((struct dbg_site *)list_add(&p->sites))->address = p->address;
    if (p->type != POINT_EXIT)
        ((struct dbg_site *)list_add(&p->sites))->address = p->address;
}

/* --- the session's part ----------------------------------------------------------------------- */

static const u32 kinds[] = {
    [POINT_BREAK] = SITE_CODE, [POINT_SYSCALL] = SITE_CALL, [POINT_SIGNAL] = SITE_SIGNAL,
    [POINT_FORK] = SITE_FORK, [POINT_EXEC] = SITE_EXEC, [POINT_EXIT] = SITE_CALL,
};

static bool dbg_points_compile(struct dbg *d, struct dbg_point *p, u64 pc, u8 **ret,
                               size_t *ret_size)
{
    struct evaluation *evaluation;
    struct error *err = dbg_evaluation(d, &evaluation);
    if (!err) {
        err = values_compile(evaluation, p->condition, pc, ret, ret_size);
        values_close(evaluation);
    }
    error_destroy(err);
    return !err;
}

static struct error *settle_site(struct dbg *d, struct dbg_point *p, size_t index)
{
    struct dbg_site *site = (struct dbg_site *)p->sites.items + index;
    u8 *code = NULL;
    size_t size = 0;
    if (p->condition && !p->checks_here)
        p->checks_here = p->type != POINT_BREAK ||
                         !dbg_points_compile(d, p, site->address, &code, &size);
    bool is_return = p->type == POINT_SYSCALL && index == 1;
    struct breakpoint b = {
        .kind = is_return ? SITE_RETURN : kinds[p->type],
        .address = site->address, .thread = p->thread,
        .condition = code, .condition_size = (u32)size, .ignore = p->ignore,
    };
    struct error *err = session_add_breakpoint(d->session, &b, &site->number);
    free(code);
    return err;
}

static struct error *settle_point(struct dbg *d, struct dbg_point *p)
{
    struct error *err = NULL;
    if (p->disabled) {
        dbg_points_remove_sites(d, p);
        return NULL;
    }
    if (p->watch)
        return dbg_watch_settle(d, p);
    if (p->type == POINT_BREAK)
        error_destroy(dbg_point_resolve(d, p)); /* it may be pending */
    else
        resolve_fixed(p);
    for (size_t i = 0; i < p->sites.count && !err; i++)
        if (!((struct dbg_site *)p->sites.items)[i].number)
            err = settle_site(d, p, i);
    return err;
}

static struct error *settle_signals(struct dbg *d)
{
    struct error *err = NULL;
    for (u32 i = 1; i < DBG_SIGNALS && !err; i++) {
        struct breakpoint b = {.kind = SITE_SIGNAL, .address = i, .thread = CONTROL_THREAD_ANY};
        if (d->signal_stops[i] && !d->signal_sites[i]) {
            err = session_add_breakpoint(d->session, &b, &d->signal_sites[i]);
        } else if (!d->signal_stops[i] && d->signal_sites[i]) {
            err = session_remove_breakpoint(d->session, d->signal_sites[i]);
            d->signal_sites[i] = 0;
        }
    }
    return err;
}

static bool some_pending(const struct dbg *d)
{
    struct dbg_point *const *all = d->points.items;
    for (size_t i = 0; i < d->points.count; i++)
        if (all[i]->pending && !all[i]->disabled)
            return true;
    return false;
}

/* glibc and musl call this function when they have loaded or unloaded something. */
static struct error *settle_loader(struct dbg *d)
{
    static const char *const names[] = {"_dl_debug_state", "dl_debug_state"};
    struct symbols *symbols;
    struct code_place *places = NULL;
    size_t count = 0;
    if (!some_pending(d) == !d->loader_site)
        return NULL;
    if (d->loader_site) {
        struct error *err = session_remove_breakpoint(d->session, d->loader_site);
        d->loader_site = 0;
        return err;
    }
    struct error *err = dbg_symbols(d, &symbols);
    for (size_t i = 0; i < countof(names) && !err && !count; i++)
        error_destroy(symbols_locate(symbols, names[i], NULL, &places, &count));
    struct breakpoint b = {.kind = SITE_CODE, .thread = CONTROL_THREAD_ANY};
    if (!err && count) {
        b.address = places[0].pc;
        err = session_add_breakpoint(d->session, &b, &d->loader_site);
    }
    free(places);
    return err;
}

/* Has the session all sites of a point?  One on data may have none for now. */
static bool is_settled(const struct dbg_point *p)
{
    const struct dbg_site *sites = p->sites.items;
    size_t there = 0;
    for (size_t i = 0; i < p->sites.count; i++)
        there += sites[i].number != 0;
    return p->watch || there == (p->disabled ? 0 : p->sites.count);
}

struct error *dbg_points_settle(struct dbg *d)
{
    struct dbg_point **all = d->points.items;
    struct error *err = settle_signals(d);
    for (size_t i = 0; i < d->points.count && !err; i++)
        err = settle_point(d, all[i]);
    if (err)
        return err;
    for (size_t i = 0; i < d->points.count; i++)
        invariant(3, all[i]->number <= d->last_point && is_settled(all[i]) &&
                     (i == 0 || all[i - 1]->number < all[i]->number));
    return settle_loader(d);
}

/* Its condition, where one stands now.  What leads nowhere for now is false, and said once. */
struct error *dbg_point_holds(struct dbg *d, struct dbg_point *p, bool *ret)
{
    struct evaluation *evaluation;
    struct value *value;
    d->selected = 0; /* a condition is about the innermost frame */
    struct error *err = dbg_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, p->condition, &value);
    if (!err)
        err = value_truth(value, ret);
    if (err) {
        *ret = false;
        if (!p->has_failed)
            dbg_say(d, "The condition of breakpoint %u counts as false here: %s\n", p->number, error_text(err));
        p->has_failed = true;
        error_destroy(err);
    }
    values_close(evaluation);
    return NULL;
}
