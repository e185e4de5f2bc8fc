/* until, buntil and first: go to where a location is executed, a condition becomes true, or a value
 * changes.
 *
 * A goal on memory at fixed addresses becomes a breakpoint of the session for the duration of the
 * movement: the engine compares, and other breakpoints can stop the movement on the way. Goals that
 * must be evaluated again and again (followed pointers, registers) are found by a question over
 * time first. Then the session goes there, unless a breakpoint stops it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

void debug_goal_destroy(struct debug_goal *g)
{
    if (!g)
        return;
    subject_destroy(g->subject);
    list_deinit(&g->locations);
    free(g->code);
    free(g->old);
    free(g->new);
    free(g);
}

/* --- what X is -------------------------------------------------------------------------------- */

/* True for LINE, FILE:LINE, FILE:FUNCTION, *ADDRESS, +N, -N. */
static bool looks_like_location(const char *text)
{
    const char *colon = strchr(text, ':');
    if (isdigit((u8)*text) || ((*text == '+' || *text == '-') && isdigit((u8)text[1])))
        return text[1 + strspn(text + 1, "0123456789")] == '\0';
    if (*text == '*')
        return isdigit((u8)text[1]);
    return colon && colon[1] != ':' && colon > text && !strpbrk(text, " ?=");
}

static bool looks_like_name(const char *text)
{
    return (isalpha((u8)*text) || *text == '_' || *text == '~') &&
           !strstr(text, "->") && !strpbrk(text, ".=!&|+[]");
}

struct error *debug_locate(struct debug *d, const char *text, u64 **ret, size_t *ret_count)
{
    struct symbols *symbols;
    struct code_place *places;
    const struct frame *f = debug_frame(d);
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = error_default(symbols_locate(symbols, text, f ? &f->place : NULL, &places, ret_count),
                            ERROR_NOT_FOUND);
    if (err)
        return err;
    *ret = xalloc(*ret_count * sizeof **ret);
    for (size_t i = 0; i < *ret_count; i++)
        (*ret)[i] = places[i].pc;
    free(places);
    return NULL;
}

static void debug_until_compile(struct debug_goal *g)
{
    struct error *err = subject_compile(g->subject, &g->code, &g->code_size);
    if (!err && !became_is_plain(g->code, g->code_size)) {
        free(g->code);
        g->code = NULL;
    }
    error_destroy(err);
}

static struct error *make_goal(struct debug *d, const char *text, bool location,
                               struct debug_goal **ret)
{
    struct subject *s;
    struct error *err = location ? debug_subject_location(d, text, &s) : debug_subject(d, text, &s);
    if (!err && s->missing && !s->is_condition) {
        err = error_coded(ERROR_UNAVAILABLE, "%s has no value here: %s", text, s->missing);
        subject_destroy(s);
    }
    if (err)
        return err;
    *ret = xalloc(sizeof **ret);
    **ret = (struct debug_goal){.subject = s, .locations = LIST(u32)};
    if (s->is_condition)
        debug_until_compile(*ret);
    return NULL;
}

struct error *debug_read_goal(struct debug *d, const char *text, u64 **ret_pcs, size_t *ret_count,
                            struct debug_goal **ret)
{
    if (!*text)
        return error_coded(
            ERROR_MISUSED,
            "say which location (a line, FILE:LINE, a function, *ADDRESS), condition "
            "or value");
    if (debug_take_word(&text, "-l") || debug_take_word(&text, "-location"))
        return make_goal(d, text, true, ret);
    if (looks_like_location(text))
        return debug_locate(d, text, ret_pcs, ret_count);
    struct error *none = looks_like_name(text) ? debug_locate(d, text, ret_pcs, ret_count)
                                               : error_coded(ERROR_NOT_FOUND, "none");
    if (!none)
        return NULL;
    error_destroy(none);
    struct error *err = make_goal(d, text, false, ret);
    return err && looks_like_name(text) ? error_within(err, "%s is not a location", text) : err;
}

/* --- at fixed places -------------------------------------------------------------------------- */

struct adding {
    struct debug *d;
    struct debug_goal *g;
    struct error *err;
};

static void debug_until_add(struct adding *a, const struct breakpoint *b, u32 *ret)
{
    if (!a->err)
        a->err = session_add_breakpoint(a->d->session, b, ret);
}

static void debug_until_add_place(void *context, u64 address, u64 size)
{
    struct adding *a = context;
    u32 number = 0;
    struct breakpoint b = {.site = {.kind = SITE_STORE, .flags = PLAN_BECOMES, .address = address,
                                    .size = size, .thread = CONTROL_THREAD_ANY,
                                    .condition_size = (u32)a->g->code_size},
                           .condition = a->g->code};
    debug_until_add(a, &b, &number);
    if (number)
        *(u32 *)list_add(&a->g->locations) = number;
}

static void add_value(struct adding *a)
{
    const struct subject *s = a->g->subject;
    u32 number = 0;
    struct breakpoint b = {.site.kind = SITE_STORE,
                           .site.address = s->address,
                           .site.size = s->size,
                           .site.not_first = s->not_first,
                           .site.not_last = s->not_last,
                           .site.thread = CONTROL_THREAD_ANY};
    debug_until_add(a, &b, &number);
    if (number)
        *(u32 *)list_add(&a->g->locations) = number;
}

static struct error *add_locations(struct debug *d, struct debug_goal *g)
{
    struct adding a = {.d = d, .g = g};
    struct breakpoint b;
    if (g->code)
        became_places(g->code, g->code_size, debug_until_add_place, &a);
    else
        add_value(&a);
    for (int n = 0; n < SUBJECT_BOUNDS; n++)
        if (subject_bound(g->subject, n, &b))
            debug_until_add(&a, &b, &g->bounds[n]);
    return a.err;
}

static void debug_until_remove_locations(struct debug *d, struct debug_goal *g)
{
    const u32 *locations = g->locations.items;
    for (size_t i = 0; i < g->locations.count; i++)
        error_destroy(session_remove_breakpoint(d->session, locations[i]));
    g->locations.count = 0;
    for (int n = 0; n < SUBJECT_BOUNDS; n++) {
        if (g->bounds[n])
            error_destroy(session_remove_breakpoint(d->session, g->bounds[n]));
        g->bounds[n] = 0;
    }
}

static bool is_ours(const struct debug_goal *g, u32 number)
{
    const u32 *locations = g->locations.items;
    for (size_t i = 0; i < g->locations.count; i++)
        if (locations[i] == number)
            return true;
    return false;
}

/* Takes the value that a local got when it was first written. */
static void debug_until_take_first(struct debug_goal *g, const struct history_state *state)
{
    free(g->old);
    free(g->new);
    g->old = NULL;
    g->new = subject_text(g->subject, state);
    g->is_first = true;
}

static void debug_until_take_value(struct debug_goal *g, const struct plan_hit *hit)
{
    struct subject *s = g->subject;
    struct history_state state = {.address = s->address, .size = s->size};
    if (s->is_condition || hit->value_size != s->size)
        return;
    state.bytes = (u8 *)hit->old;
    g->old = subject_text(s, &state);
    state.bytes = (u8 *)hit->new;
    g->new = subject_text(s, &state);
}

/* Removes the goal's own breakpoints from the stop; the rest are the user's. */
static void take_stop(struct debug_goal *g, enum session_direction direction,
                      struct session_stop *stop)
{
    u32 kept = 0;
    bool bound = false;
    for (u32 i = 0; i < stop->breakpoint_count; i++) {
        u32 number = stop->breakpoints[i];
        if (is_ours(g, number)) {
            const struct plan_hit *hit = session_stop_hit(stop, number);
            g->outcome = REACHED;
            g->at = (struct moment){hit->tick, hit->pc};
            g->thread = hit->thread;
            debug_until_take_value(g, hit);
        } else if (number == g->bounds[SUBJECT_ENDS] || number == g->bounds[SUBJECT_BEGINS]) {
            bound = true;
        } else {
            stop->breakpoints[kept++] = number;
        }
    }
    if (bound && g->outcome == NOT_REACHED)
        g->outcome = direction == FORWARD ? FRAME_ENDED : FRAME_NOT_BEGUN;
    stop->breakpoint_count = kept;
    stop->breakpoint = kept ? stop->breakpoints[0] : 0;
    if (kept)
        stop->hit = *session_stop_hit(stop, stop->breakpoint);
    else if (g->outcome != NOT_REACHED)
        stop->why = WHY_STEPPED;
}

/* Ends the cover where the frame ends. */
static void bound_cover(struct debug *d, struct debug_goal *g)
{
    struct session_place place;
    session_place(d->session, &place);
    g->cover.to_return = g->outcome == FRAME_ENDED;
    g->cover.from_call = !g->cover.to_return;
    if (g->cover.to_return)
        g->cover.to = place.at;
    else
        g->cover.from = place.at;
}

struct until_answer {
    bool found, at_start, interrupted;
    struct moment at, after, reached;
    u32 thread;
};

static struct error *ask_became(struct debug *d, struct debug_goal *g, struct moment from,
                                struct moment to, enum session_direction direction,
                                struct until_answer *ret)
{
    struct became_answer a;
    struct became_question q = {.holds = subject_holds, .context = g->subject, .bytecode = g->code,
                                .points = subject_points(g->subject), .bytecode_size = g->code_size,
                                .from = from, .to = to, .direction = direction};
    struct error *err = became_ask(d->session, &q, &a);
    if (!err)
        *ret = (struct until_answer){a.found, a.at_start, a.interrupted, a.at, a.after, a.reached,
                                     a.thread};
    return err;
}

static struct error *go_by_locations(struct debug *d, struct debug_goal *g,
                                     enum session_direction direction, struct session_stop *stop)
{
    struct until_answer start = {0};
    struct session_place place;
    session_place(d->session, &place);
    g->cover =
        (struct debug_cover){.from = direction == FORWARD ? place.at : session_first(d->session),
                             .from_here = direction == FORWARD,
                             .to = direction == FORWARD ? session_last(d->session) : place.at,
                             .to_here = direction == BACKWARD};
    struct error *err = add_locations(d, g);
    if (!err)
        err = movement_continue(d->session, direction, 1, stop);
    if (!err && stop->why == WHY_BREAKPOINT)
        take_stop(g, direction, stop);
    if (!err && (g->outcome == FRAME_ENDED || g->outcome == FRAME_NOT_BEGUN))
        bound_cover(d, g);
    debug_until_remove_locations(d, g);
    if (!err && g->outcome == REACHED && g->old)
        err = subject_is_first_write(g->subject, g->at, &g->is_first);
    if (!err && stop->why == WHY_START && g->code) {
        err = ask_became(d, g, g->cover.from, g->cover.from, FORWARD, &start);
        g->outcome = !err && start.at_start ? HELD : NOT_REACHED;
    }
    return err;
}

/* --- by a question ---------------------------------------------------------------------------- */

static struct error *ask_change(struct debug *d, struct debug_goal *g, struct moment from,
                                struct moment to, enum session_direction direction,
                                struct until_answer *ret)
{
    struct history_answer a;
    struct subject_stretch stretch = {.from = from, .to = to, .order = direction, .most = 1};
    struct error *err = subject_history(g->subject, d->history, &stretch, &a);
    if (err)
        return err;
    *ret = (struct until_answer){.found = a.count > 0, .interrupted = a.interrupted,
                                 .reached = a.reached};
    if (a.count) {
        ret->at = a.changes[0].at;
        ret->after = a.changes[0].after;
        ret->thread = a.changes[0].thread;
        g->old = subject_text(g->subject, &a.changes[0].old);
        g->new = subject_text(g->subject, &a.changes[0].new);
    }
    return NULL;
}

static struct error *debug_until_ask(struct debug *d, struct debug_goal *g, struct moment from,
                                   struct moment to,
                                   enum session_direction direction, struct until_answer *ret)
{
    return g->subject->is_condition ? ask_became(d, g, from, to, direction, ret)
                                    : ask_change(d, g, from, to, direction, ret);
}

/* Sets the part of the run after or before the current moment; for a local, from its first
 * write. */
static struct error *find_bounds(struct debug *d, struct debug_goal *g,
                                 enum session_direction direction)
{
    struct session_place place;
    struct debug_cover *c = &g->cover;
    session_place(d->session, &place);
    *c = (struct debug_cover){.from = session_first(d->session), .to = session_last(d->session)};
    struct error *err = debug_cover(d, g->subject, place.at, false, c);
    if (direction == FORWARD && moment_compare(c->from, place.at) <= 0) {
        c->from = place.at;
        c->from_here = true;
        c->from_call = c->from_write = false;
    } else if (direction == BACKWARD) {
        c->to = place.at;
        c->to_here = true;
    }
    return err;
}

/* The first write of a local in its frame gives it its value. A condition that holds then has
 * become true by this write. */
static struct error *judge_first_write(struct debug *d, struct debug_goal *g,
                                       enum session_direction direction, struct until_answer *a)
{
    struct debug_cover *c = &g->cover;
    struct history_state state;
    struct moment after = {c->write.after_tick, c->write.after_pc};
    bool counts = !g->subject->is_condition;
    if (!c->from_write || (direction == BACKWARD && moment_compare(c->to, after) < 0))
        return NULL;
    struct until_answer there = {0};
    struct error *err = counts ? NULL : ask_became(d, g, after, after, FORWARD, &there);
    if (err || !(counts || there.at_start))
        return err;
    *a = (struct until_answer){.found = true, .at = {c->write.tick, c->write.pc}, .after = after,
                               .thread = c->write.thread};
    if (!counts)
        return NULL;
    err = subject_state_at(g->subject, after, &state);
    if (err)
        return err;
    debug_until_take_first(g, &state);
    history_state_deinit(&state);
    return NULL;
}

static struct error *ask_within(struct debug *d, struct debug_goal *g,
                                enum session_direction direction, struct until_answer *a)
{
    struct debug_cover *c = &g->cover;
    struct error *err = direction == FORWARD ? judge_first_write(d, g, direction, a) : NULL;
    if (!err && !a->found && !debug_cover_is_empty(c))
        err = debug_until_ask(d, g, c->from, c->to, direction, a);
    if (!err && !a->found && !a->interrupted && direction == BACKWARD)
        err = judge_first_write(d, g, direction, a);
    return err;
}

/* If the frame ends on the way to *to, *to becomes that moment. */
static struct error *heed_end(struct debug_goal *g, struct moment here, struct moment *to,
                              bool *ret_interrupted)
{
    bool found = false;
    struct moment bound = *to;
    struct error *err = subject_frame_end(g->subject, here, *to, &found, &bound, ret_interrupted);
    if (err || !found || moment_compare(bound, *to) == 0)
        return err;
    g->outcome = FRAME_ENDED;
    g->cover.to_return = true;
    *to = g->cover.to = bound;
    return NULL;
}

static struct error *debug_until_find_target(struct debug *d, struct debug_goal *g,
                                           enum session_direction direction,
                                           struct moment *ret, struct until_answer *a)
{
    struct session_place place;
    bool forward = direction == FORWARD;
    const struct debug_cover *c = &g->cover;
    struct error *err = find_bounds(d, g, direction);
    a->interrupted = c->interrupted;
    if (!err && !a->interrupted)
        err = ask_within(d, g, direction, a);
    if (err || a->interrupted)
        return err;
    session_place(d->session, &place);
    g->at = a->at;
    g->thread = a->thread;
    g->outcome = a->found ? REACHED : a->at_start && !forward ? HELD : NOT_REACHED;
    *ret = forward ? session_last(d->session) : session_first(d->session);
    if (a->found)
        *ret = forward ? a->after : a->at;
    else if (g->outcome == HELD)
        *ret = c->from;
    else if (!forward && c->from_call) {
        *ret = c->call;
        g->outcome = FRAME_NOT_BEGUN;
    }
    return forward ? heed_end(g, place.at, ret, &a->interrupted) : NULL;
}

static struct error *go_by_question(struct debug *d, struct debug_goal *g,
                                    enum session_direction direction, struct session_stop *stop)
{
    struct until_answer a = {0};
    struct moment to;
    struct error *err = debug_until_find_target(d, g, direction, &to, &a);
    if (err)
        return err;
    if (a.interrupted) {
        err = direction == FORWARD ? movement_goto(d->session, a.reached, stop) : NULL;
        stop->why = WHY_INTERRUPTED;
        return err;
    }
    err = movement_travel(d->session, to, stop);
    if (!err && stop->why != WHY_ARRIVED)
        g->outcome = NOT_REACHED; /* another breakpoint came first */
    else if (!err)
        stop->why = g->outcome == NOT_REACHED || g->outcome == HELD
                        ? (direction == FORWARD ? WHY_END : WHY_START) : WHY_STEPPED;
    return err;
}

/* --- moving ----------------------------------------------------------------------------------- */

struct error *debug_goal_go(struct debug *d, struct debug_goal *g, enum session_direction direction,
                          struct session_stop *stop)
{
    g->outcome = NOT_REACHED;
    bool fixed =
        g->subject->is_condition ? g->code && !subject_is_local(g->subject) : g->subject->is_fixed;
    return fixed ? go_by_locations(d, g, direction, stop) : go_by_question(d, g, direction, stop);
}

/* A condition that holds at the very first moment counts as having become true there, not later. */
static struct error *ask_from_start(struct debug *d, struct debug_goal *g, struct until_answer *ret)
{
    const struct debug_cover *c = &g->cover;
    struct error *err = ask_became(d, g, c->from, c->from, FORWARD, ret);
    if (err || ret->interrupted || ret->at_start)
        return err;
    return ask_became(d, g, c->from, c->to, FORWARD, ret);
}

/* Goes to the first moment at which the condition held; for locals, while the frame existed. */
struct error *debug_goal_first(struct debug *d, struct debug_goal *g, struct session_stop *stop)
{
    struct session_place place;
    struct until_answer a = {0};
    struct debug_cover *c = &g->cover;
    *c = (struct debug_cover){.from = session_first(d->session), .to = session_last(d->session)};
    if (!g->subject->is_condition)
        return error_coded(ERROR_MISUSED,
                           "first needs a condition: a comparison or a logical expression");
    session_place(d->session, &place);
    struct error *err = debug_cover(d, g->subject, place.at, true, c);
    a.interrupted = c->interrupted;
    if (!err && !debug_cover_is_empty(c))
        err = ask_from_start(d, g, &a);
    if (err)
        return err;
    stop->why = WHY_INTERRUPTED;
    if (a.interrupted)
        return NULL;
    if (!a.found && !a.at_start) {
        char *cover = debug_cover_text(d, g->subject, c);
        err = error_coded(ERROR_NOT_FOUND, "%s does not hold at any moment: %s",
                          g->subject->expression, cover);
        free(cover);
        return err;
    }
    err = movement_goto(d->session, a.at_start ? c->from : a.after, stop);
    g->outcome = a.at_start ? HELD : REACHED;
    g->at = a.at;
    g->thread = a.thread;
    if (!err && stop->why != WHY_INTERRUPTED)
        stop->why = WHY_STEPPED;
    return err;
}

/* --- what is said ----------------------------------------------------------------------------- */
