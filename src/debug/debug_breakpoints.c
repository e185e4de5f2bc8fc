/* Breakpoints: what stops a movement, and its locations in the session.
 *
 * A breakpoint of the user has locations, which are breakpoints of the session: a function may have
 * several addresses, a system call is caught before and after. Locations are set when something is
 * about to move (debug_breakpoints_settle), and stay: addresses do not change within a track. A
 * location that does not exist yet is looked up again whenever modules were loaded or unloaded. An
 * internal breakpoint detects that, at the function by which the dynamic linker informs debuggers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "debug/debug_internal.h"
#include "log/syscall_table.h"

enum { PLACES_MOST = 4096 };

struct debug_breakpoint *debug_breakpoints_find(struct debug *d, u32 number)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (all[i]->number == number)
            return all[i];
    return NULL;
}

struct debug_breakpoint *debug_breakpoints_of_location(struct debug *d, u32 location)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count && location; i++) {
        const struct debug_location *locations = all[i]->locations.items;
        for (size_t n = 0; n < all[i]->locations.count; n++)
            if (locations[n].number == location)
                return all[i];
    }
    return NULL;
}

struct debug_breakpoint *debug_breakpoints_add(struct debug *d, u32 type, const char *what)
{
    const struct frame *f = debug_frame(d);
    struct debug_breakpoint *p = xalloc(sizeof *p);
    *p = (struct debug_breakpoint){
        .number = ++d->last_breakpoint,
        .type = type,
        .what = xformat("%s", what),
        .thread = CONTROL_THREAD_ANY,
        .locations = LIST(struct debug_location),
        .commands = LIST(char *),
        .numbers = LIST(u64),
    };
    if (f && f->place.file) {
        p->file = xformat("%s", f->place.file);
        p->line = f->place.line;
    } else {
        p->file = debug_current_file(d);
    }
    *(struct debug_breakpoint **)list_add(&d->breakpoints) = p;
    return p;
}

static void debug_breakpoints_remove_locations(struct debug *d, struct debug_breakpoint *p)
{
    struct debug_location *locations = p->locations.items;
    for (size_t i = 0; i < p->locations.count; i++) {
        if (locations[i].number)
            error_destroy(session_remove_breakpoint(d->session, locations[i].number));
        locations[i].number = 0;
    }
}

/* The breakpoint has changed: removes its locations from the session, to be set anew. */
void debug_breakpoint_unsettle(struct debug *d, struct debug_breakpoint *p)
{
    debug_breakpoints_remove_locations(d, p);
    p->checks_here = p->has_failed = false;
}

static void point_destroy(struct debug_breakpoint *p)
{
    list_deinit(&p->locations);
    list_deinit(&p->numbers);
    debug_strings_deinit(&p->commands);
    free(p->what);
    watch_destroy(p->watch);
    free(p->condition);
    free(p->file);
    free(p);
}

void debug_breakpoints_remove(struct debug *d, struct debug_breakpoint *p)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    size_t kept = 0;
    debug_breakpoints_remove_locations(d, p);
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (all[i] != p)
            all[kept++] = all[i];
    d->breakpoints.count = kept;
    point_destroy(p);
}

/* Forgets all locations: another track has other addresses. */
void debug_breakpoints_forget(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct debug_location *locations = all[i]->locations.items;
        for (size_t n = 0; n < all[i]->locations.count; n++)
            locations[n].number = 0;
        if (all[i]->type == BREAK_CODE)
            all[i]->locations.count = 0;
        all[i]->version = 0;
        all[i]->checks_here = false;
    }
    memset(d->signal_breakpoints, 0, sizeof d->signal_breakpoints);
    d->loader_breakpoint = 0;
}

void debug_breakpoints_withdraw(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        debug_breakpoints_remove_locations(d, all[i]);
    for (u32 i = 0; i < DEBUG_SIGNALS; i++) {
        if (d->signal_breakpoints[i])
            error_destroy(session_remove_breakpoint(d->session, d->signal_breakpoints[i]));
        d->signal_breakpoints[i] = 0;
    }
    if (d->loader_breakpoint)
        error_destroy(session_remove_breakpoint(d->session, d->loader_breakpoint));
    d->loader_breakpoint = 0;
}

void debug_breakpoints_deinit(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        point_destroy(all[i]);
    list_deinit(&d->breakpoints);
}

/* --- places ----------------------------------------------------------------------------------- */

static void debug_breakpoints_add_location(struct debug_breakpoint *p, u64 address, u32 inside)
{
    struct debug_location *locations = p->locations.items;
    for (size_t i = 0; i < p->locations.count; i++)
        if (locations[i].address == address)
            return;
    if (p->locations.count < PLACES_MOST)
        *(struct debug_location *)list_add(&p->locations) =
            (struct debug_location){.address = address, .inside = inside};
}

/* Adds the locations that exist now. An error if there are none and never were. */
struct error *debug_breakpoint_resolve(struct debug *d, struct debug_breakpoint *p)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    struct line_place here = {.file = p->file, .line = p->line};
    struct error *err = debug_symbols(d, &symbols);
    if (err || (p->version == symbols_version(symbols) && p->version))
        return err;
    p->version = symbols_version(symbols);
    err = error_default(symbols_locate(symbols, p->what, &here, &places, &count), ERROR_NOT_FOUND);
    for (size_t i = 0; i < count && !err; i++)
        debug_breakpoints_add_location(p, places[i].pc, places[i].inside);
    if (!err)
        free(places);
    p->pending = p->locations.count == 0;
    if (err && p->locations.count) {
        error_destroy(err);
        err = NULL;
    }
    return err;
}

static void resolve_fixed(struct debug_breakpoint *p)
{
    if (p->locations.count)
        return;
    for (u64 call = 0; call < SYSCALL_NUMBERS && p->type == BREAK_EXIT; call++)
        if (syscall_has(call, EFFECT_EXITS))
            ((struct debug_location *)list_add(&p->locations))->address = call;
    const u64 *numbers = p->numbers.items;
    for (size_t i = 0; i < p->numbers.count; i++) {
        *(struct debug_location *)list_add(&p->locations) =
            (struct debug_location){.address = numbers[i]};
        if (p->type == BREAK_SYSCALL) /* before and after the call */
            *(struct debug_location *)list_add(&p->locations) =
                (struct debug_location){.address = numbers[i], .is_return = true};
    }
}

/* --- the session's part ----------------------------------------------------------------------- */

static bool debug_breakpoints_compile(struct debug *d, struct debug_breakpoint *p,
                                    const struct debug_location *location, u8 **ret,
                                    size_t *ret_size)
{
    struct evaluation *evaluation;
    struct error *err = debug_evaluation(d, &evaluation);
    if (!err) {
        err =
            values_compile(evaluation, p->condition, debug_location_place(location), ret, ret_size);
        values_close(evaluation);
    }
    error_destroy(err);
    return !err;
}

static struct error *settle_location(struct debug *d, struct debug_breakpoint *p, size_t index)
{
    struct debug_location *location = (struct debug_location *)p->locations.items + index;
    u8 *code = NULL;
    size_t size = 0;
    if (p->condition && !p->checks_here)
        p->checks_here = p->type != BREAK_CODE ||
                         !debug_breakpoints_compile(d, p, location, &code, &size);
    struct breakpoint b = {
        .site.kind = debug_site_kind(p->type, location->is_return),
        .site.address = location->address,
        .site.thread = p->thread,
        .condition = code,
        .site.condition_size = (u32)size,
        .ignore = p->ignore,
    };
    struct error *err = session_add_breakpoint(d->session, &b, &location->number);
    free(code);
    return err;
}

static struct error *settle_breakpoint(struct debug *d, struct debug_breakpoint *p)
{
    struct error *err = NULL;
    if (p->disabled) {
        debug_breakpoints_remove_locations(d, p);
        return NULL;
    }
    if (p->watch)
        return debug_watch_settle(d, p);
    if (p->type == BREAK_CODE)
        error_destroy(debug_breakpoint_resolve(d, p)); /* the location may not exist yet */
    else
        resolve_fixed(p);
    for (size_t i = 0; i < p->locations.count && !err; i++)
        if (!((struct debug_location *)p->locations.items)[i].number)
            err = settle_location(d, p, i);
    return err;
}

static struct error *settle_signals(struct debug *d)
{
    struct error *err = NULL;
    for (u32 i = 1; i < DEBUG_SIGNALS && !err; i++) {
        struct breakpoint b = {
            .site.kind = SITE_SIGNAL, .site.address = i, .site.thread = CONTROL_THREAD_ANY};
        if (d->signal_stops[i] && !d->signal_breakpoints[i]) {
            err = session_add_breakpoint(d->session, &b, &d->signal_breakpoints[i]);
        } else if (!d->signal_stops[i] && d->signal_breakpoints[i]) {
            err = session_remove_breakpoint(d->session, d->signal_breakpoints[i]);
            d->signal_breakpoints[i] = 0;
        }
    }
    return err;
}

static bool some_pending(const struct debug *d)
{
    struct debug_breakpoint *const *all = d->breakpoints.items;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (all[i]->pending && !all[i]->disabled)
            return true;
    return false;
}

/* glibc and musl call this function when they have loaded or unloaded a module. */
static struct error *settle_loader(struct debug *d)
{
    static const char *const names[] = {"_dl_debug_state", "dl_debug_state"};
    struct symbols *symbols;
    struct code_place *places = NULL;
    size_t count = 0;
    if (!some_pending(d) == !d->loader_breakpoint)
        return NULL;
    if (d->loader_breakpoint) {
        struct error *err = session_remove_breakpoint(d->session, d->loader_breakpoint);
        d->loader_breakpoint = 0;
        return err;
    }
    struct error *err = debug_symbols(d, &symbols);
    for (size_t i = 0; i < countof(names) && !err && !count; i++)
        error_destroy(symbols_locate(symbols, names[i], NULL, &places, &count));
    struct breakpoint b = {.site.kind = SITE_CODE, .site.thread = CONTROL_THREAD_ANY};
    if (!err && count) {
        b.site.address = places[0].pc;
        err = session_add_breakpoint(d->session, &b, &d->loader_breakpoint);
    }
    free(places);
    return err;
}

/* True if all locations of a breakpoint are set in the session. A watchpoint may have none for
 * now. */
static bool is_settled(const struct debug_breakpoint *p)
{
    const struct debug_location *locations = p->locations.items;
    size_t there = 0;
    for (size_t i = 0; i < p->locations.count; i++)
        there += locations[i].number != 0;
    return p->watch || there == (p->disabled ? 0 : p->locations.count);
}

struct error *debug_breakpoints_settle(struct debug *d)
{
    struct debug_breakpoint **all = d->breakpoints.items;
    struct error *err = settle_signals(d);
    for (size_t i = 0; i < d->breakpoints.count && !err; i++)
        err = settle_breakpoint(d, all[i]);
    if (err)
        return err;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        invariant(3, all[i]->number <= d->last_breakpoint && is_settled(all[i]) &&
                     (i == 0 || all[i - 1]->number < all[i]->number));
    return settle_loader(d);
}

struct code_place debug_location_place(const struct debug_location *location)
{
    return (struct code_place){.pc = location->address, .inside = location->inside};
}

void debug_breakpoints_arrive(struct debug *d, const struct session_stop *stop)
{
    u32 inside = 0;
    struct debug_breakpoint *p = debug_breakpoints_of_location(d, stop->breakpoint);
    bool here = p && stop->why == WHY_BREAKPOINT;
    const struct debug_location *locations = here ? p->locations.items : NULL;
    for (size_t n = 0; here && n < p->locations.count; n++)
        if (locations[n].number == stop->breakpoint)
            inside = locations[n].inside;
    source_stand_before(d->source, inside);
    debug_arrive(d);
}

/* Evaluates the condition at the current place. A condition that cannot be evaluated, such as a bad
 * pointer, is false. One that depends on an optimized-out value counts as true. The user is told of
 * both once. */
struct error *debug_breakpoint_holds(struct debug *d, struct debug_breakpoint *p, bool *ret)
{
    struct evaluation *evaluation;
    struct value *value;
    d->selected = 0; /* a condition is evaluated in the innermost frame */
    struct error *err = debug_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, p->condition, &value);
    if (!err)
        err = value_truth(value, ret);
    if (err) {
        *ret = values_uses(evaluation) & VALUES_GONE;
        if (!p->has_failed)
            debug_say(d, "The condition of breakpoint %u %s: %s\n", p->number,
                    *ret ? "cannot be told here, so it stops" : "counts as false here",
                    error_text(err));
        p->has_failed = true;
        error_destroy(err);
    }
    values_close(evaluation);
    session_scratch_drop(d->session); /* drops the copy in which the condition called functions */
    return NULL;
}
