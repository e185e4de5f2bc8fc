/* until, buntil and first: to where a location is executed, a condition becomes true, or a value changes.
 *
 * What is known to lie at fixed places is a breakpoint of the session for the time of the movement: the engine compares, and all other
 * breakpoints have their say on the way.  What has to be looked at (pointers that are followed, registers) is found by a question over
 * time first; then the way there is made, unless something stops it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

struct dbg_goal {
    struct subject *subject;
    u8 *code; /* plain bytecode of a condition; NULL: none */
    size_t code_size;
    struct list locations;          /* u32: numbers in the session, while it moves */
    u32 bounds[SUBJECT_BOUNDS]; /* the same, of the frame */
    enum { NOT_REACHED, REACHED, FRAME_ENDED, FRAME_NOT_BEGUN, HELD } outcome;
    char *old, *new; /* of a value */
    struct moment at; /* of the instruction that did it; tick 0: not known */
    u32 thread;
};

void dbg_goal_destroy(struct dbg_goal *g)
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

/* --- what X is ----------------------------------------------------------------------------------- */

/* LINE, FILE:LINE, FILE:FUNCTION, *ADDRESS, +N, -N. */
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

static struct error *dbg_until_locate(struct dbg *d, const char *text, u64 **ret, size_t *ret_count)
{
    struct symbols *symbols;
    struct code_place *places;
    const struct frame *f = dbg_frame(d);
    struct error *err = dbg_symbols(d, &symbols);
    if (!err)
        err = symbols_locate(symbols, text, f ? &f->place : NULL, &places, ret_count);
    if (err)
        return err;
    *ret = xalloc(*ret_count * sizeof **ret);
    for (size_t i = 0; i < *ret_count; i++)
        (*ret)[i] = places[i].pc;
    free(places);
    return NULL;
}

static void dbg_until_compile(struct dbg_goal *g)
{
    struct error *err = subject_compile(g->subject, &g->code, &g->code_size);
    if (!err && !became_is_plain(g->code, g->code_size)) {
        free(g->code);
        g->code = NULL;
    }
    error_destroy(err);
}

static struct error *make_goal(struct dbg *d, const char *text, struct dbg_goal **ret)
{
    struct subject *s;
    struct error *err = dbg_subject(d, text, &s);
    if (!err && s->missing && !s->is_condition) {
        err = error_new("%s has no value here: %s", text, s->missing);
        subject_destroy(s);
    }
    if (err)
        return err;
    *ret = xalloc(sizeof **ret);
    **ret = (struct dbg_goal){.subject = s, .locations = LIST(u32)};
    if (s->is_condition)
        dbg_until_compile(*ret);
    return NULL;
}

struct error *dbg_read_goal(struct dbg *d, const char *text, u64 **ret_pcs, size_t *ret_count,
                            struct dbg_goal **ret)
{
    if (!*text)
        return error_new("say which location (a line, FILE:LINE, a function, *ADDRESS), condition "
                         "or value");
    if (looks_like_location(text))
        return dbg_until_locate(d, text, ret_pcs, ret_count);
    struct error *none = looks_like_name(text) ? dbg_until_locate(d, text, ret_pcs, ret_count)
                                               : error_new("none");
    if (!none)
        return NULL;
    error_destroy(none);
    struct error *err = make_goal(d, text, ret);
    return err && looks_like_name(text) ? error_within(err, "%s is no location", text) : err;
}

/* --- at fixed places ------------------------------------------------------------------------------- */

struct adding {
    struct dbg *d;
    struct dbg_goal *g;
    struct error *err;
};

static void dbg_until_add(struct adding *a, const struct breakpoint *b, u32 *ret)
{
    if (!a->err)
        a->err = session_add_breakpoint(a->d->session, b, ret);
}

static void dbg_until_add_place(void *context, u64 address, u64 size)
{
    struct adding *a = context;
    u32 number = 0;
    struct breakpoint b = {.kind = SITE_STORE, .flags = PLAN_BECOMES, .address = address, .size = size,
                           .thread = CONTROL_THREAD_ANY, .condition = a->g->code,
                           .condition_size = (u32)a->g->code_size};
    dbg_until_add(a, &b, &number);
    if (number)
        *(u32 *)list_add(&a->g->locations) = number;
}

static void add_value(struct adding *a)
{
    const struct subject *s = a->g->subject;
    u32 number = 0;
    struct breakpoint b = {.kind = SITE_STORE, .address = s->address, .size = s->size,
                           .not_first = s->not_first, .not_last = s->not_last,
                           .thread = CONTROL_THREAD_ANY};
    dbg_until_add(a, &b, &number);
    if (number)
        *(u32 *)list_add(&a->g->locations) = number;
}

static struct error *add_locations(struct dbg *d, struct dbg_goal *g)
{
    struct adding a = {.d = d, .g = g};
    struct breakpoint b;
    if (g->code)
        became_places(g->code, g->code_size, dbg_until_add_place, &a);
    else
        add_value(&a);
    for (int n = 0; n < SUBJECT_BOUNDS; n++)
        if (subject_bound(g->subject, n, &b))
            dbg_until_add(&a, &b, &g->bounds[n]);
    return a.err;
}

static void dbg_until_remove_locations(struct dbg *d, struct dbg_goal *g)
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

static bool is_ours(const struct dbg_goal *g, u32 number)
{
    const u32 *locations = g->locations.items;
    for (size_t i = 0; i < g->locations.count; i++)
        if (locations[i] == number)
            return true;
    return false;
}

static void dbg_until_take_value(struct dbg_goal *g, const struct plan_hit *hit)
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

/* Which of what stopped it is ours; the rest is the user's. */
static void take_stop(struct dbg_goal *g, enum session_direction direction, struct session_stop *stop)
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
            dbg_until_take_value(g, hit);
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

static struct error *go_by_locations(struct dbg *d, struct dbg_goal *g, enum session_direction direction,
                                 struct session_stop *stop)
{
    bool holds = false;
    struct error *err = add_locations(d, g);
    if (!err)
        err = session_continue(d->session, direction, 1, stop);
    if (!err && stop->why == WHY_BREAKPOINT)
        take_stop(g, direction, stop);
    dbg_until_remove_locations(d, g);
    if (!err && stop->why == WHY_START && g->code) {
        err = subject_holds(g->subject, &holds);
        g->outcome = holds ? HELD : NOT_REACHED;
    }
    return err;
}

/* --- by a question --------------------------------------------------------------------------------- */

struct until_answer {
    bool found, at_start, interrupted;
    struct moment at, after, reached;
    u32 thread;
};

static struct error *ask_change(struct dbg *d, struct dbg_goal *g, struct moment from, struct moment to,
                                enum session_direction direction, struct until_answer *ret)
{
    struct history_answer a;
    char *key = subject_key(g->subject);
    struct history_question q = {.look = subject_look, .context = g->subject, .key = key,
                                 .points = subject_points(g->subject), .from = from, .to = to,
                                 .order = direction, .most = 1};
    struct error *err = history_ask(d->history, &q, &a);
    free(key);
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

static struct error *ask_became(struct dbg *d, struct dbg_goal *g, struct moment from, struct moment to,
                                enum session_direction direction, struct until_answer *ret)
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

static struct error *dbg_until_ask(struct dbg *d, struct dbg_goal *g, struct moment from,
                                   struct moment to,
                                   enum session_direction direction, struct until_answer *ret)
{
    return g->subject->is_condition ? ask_became(d, g, from, to, direction, ret)
                                    : ask_change(d, g, from, to, direction, ret);
}

/* Is the frame's end, or its beginning, on the way to *to?  Then it is where to go. */
static struct error *heed_frame(struct dbg_goal *g, struct moment here, enum session_direction direction,
                                struct moment *to, bool *ret_interrupted)
{
    bool found = false;
    struct moment bound = *to;
    struct error *err = direction == FORWARD
        ? subject_frame_end(g->subject, here, *to, &found, &bound, ret_interrupted)
        : subject_frame_begin(g->subject, here, *to, &found, &bound, ret_interrupted);
    if (err || !found || moment_compare(bound, *to) == 0)
        return err;
    g->outcome = direction == FORWARD ? FRAME_ENDED : FRAME_NOT_BEGUN;
    *to = bound;
    return NULL;
}

static struct error *dbg_until_find_target(struct dbg *d, struct dbg_goal *g,
                                           enum session_direction direction,
                                           struct moment *ret, struct until_answer *a)
{
    struct session_place place;
    struct moment first = session_first(d->session), last = session_last(d->session);
    bool forward = direction == FORWARD;
    session_place(d->session, &place);
    struct error *err = dbg_until_ask(d, g, forward ? place.at : first, forward ? last : place.at,
                                      direction, a);
    if (err || a->interrupted)
        return err;
    *ret = a->found ? (forward ? a->after : a->at) : forward ? last : first;
    g->outcome = a->found ? REACHED : !forward && a->at_start ? HELD : NOT_REACHED;
    g->at = a->at;
    g->thread = a->thread;
    return heed_frame(g, place.at, direction, ret, &a->interrupted);
}

static struct error *go_by_question(struct dbg *d, struct dbg_goal *g, enum session_direction direction,
                                    struct session_stop *stop)
{
    struct until_answer a = {0};
    struct moment to;
    struct error *err = dbg_until_find_target(d, g, direction, &to, &a);
    if (err)
        return err;
    if (a.interrupted) {
        err = direction == FORWARD ? session_goto(d->session, a.reached, stop) : NULL;
        stop->why = WHY_INTERRUPTED;
        return err;
    }
    err = session_travel(d->session, to, stop);
    if (!err && stop->why != WHY_ARRIVED)
        g->outcome = NOT_REACHED; /* something else came before */
    else if (!err)
        stop->why = g->outcome == NOT_REACHED || g->outcome == HELD
                        ? (direction == FORWARD ? WHY_END : WHY_START) : WHY_STEPPED;
    return err;
}

/* --- moving ------------------------------------------------------------------------------------------ */

struct error *dbg_goal_go(struct dbg *d, struct dbg_goal *g, enum session_direction direction,
                          struct session_stop *stop)
{
    g->outcome = NOT_REACHED;
    return g->code || (g->subject->is_fixed && !g->subject->is_condition)
               ? go_by_locations(d, g, direction, stop) : go_by_question(d, g, direction, stop);
}

/* To the first moment of all at which it held; of a local's, while its frame lived. */
struct error *dbg_goal_first(struct dbg *d, struct dbg_goal *g, struct session_stop *stop)
{
    struct session_place place;
    struct until_answer a = {0};
    struct moment from = session_first(d->session), to = session_last(d->session);
    if (!g->subject->is_condition)
        return error_new("first needs a condition: a comparison or a logical expression");
    session_place(d->session, &place);
    struct error *err = dbg_subject_life(d, g->subject, place.at, &from, &to, &a.interrupted);
    if (!err && !a.interrupted)
        err = ask_became(d, g, from, to, FORWARD, &a);
    if (err)
        return err;
    stop->why = WHY_INTERRUPTED;
    if (a.interrupted)
        return NULL;
    if (!a.found && !a.at_start)
        return error_new("%s does not hold at any moment", g->subject->expression);
    err = session_goto(d->session, a.at_start ? from : a.after, stop);
    g->outcome = a.at_start ? HELD : REACHED;
    g->at = a.at;
    g->thread = a.thread;
    if (!err && stop->why != WHY_INTERRUPTED)
        stop->why = WHY_STEPPED;
    return err;
}

/* --- what is said ------------------------------------------------------------------------------------- */

/* `alone`: nothing else stopped here that would tell the same. */
static void say_reached(struct dbg *d, const struct dbg_goal *g, enum session_direction direction,
                        bool alone)
{
    const char *what = g->subject->expression;
    if (g->subject->is_condition) {
        dbg_say(d, direction == FORWARD ? "%s has become true.\n" : "%s becomes true here.\n", what);
    } else if (g->old && g->new) {
        dbg_say(d, "%s  %s -> %s\n", what, g->old, g->new);
        if (alone)
            json_string(dbg_fields(d), "old", g->old);
        if (alone)
            json_string(dbg_fields(d), "new", g->new);
    } else {
        dbg_say(d, direction == FORWARD ? "%s has changed.\n" : "%s changes here.\n", what);
    }
    if (g->at.tick && alone)
        dbg_say_doer(d, g->at, g->thread);
}

static void say_frame(struct dbg *d, const struct dbg_goal *g)
{
    char *frame = dbg_subject_frame(g->subject);
    dbg_say(d, "%c%s %s.\n", toupper((u8)frame[0]), frame + 1,
            g->outcome == FRAME_ENDED ? "has ended" : "has not begun yet");
    free(frame);
}

/* What it came to; the reason for JSON, or NULL: what stopped it is said elsewhere. */
const char *dbg_goal_say(struct dbg *d, const struct dbg_goal *g, enum session_direction direction,
                         const struct session_stop *stop)
{
    const char *what = g->subject->expression;
    bool condition = g->subject->is_condition, is_end = stop->why == WHY_START || stop->why == WHY_END;
    switch (g->outcome) {
    case REACHED:
        say_reached(d, g, direction, stop->why == WHY_STEPPED);
        return stop->why == WHY_STEPPED ? "until" : NULL;
    case FRAME_ENDED:
    case FRAME_NOT_BEGUN:
        say_frame(d, g);
        return stop->why == WHY_STEPPED ? "frame" : NULL;
    case HELD:
        dbg_say(d, "%s has held since %s.\n", what,
                subject_is_local(g->subject) ? "the beginning of its frame" : "the start");
        return stop->why == WHY_STEPPED ? "until" : NULL;
    default:
        if (is_end)
            dbg_say(d, "%s does not %s %s.\n", what, condition ? "become true" : "change",
                    direction == FORWARD ? "any more" : "before");
        return NULL;
    }
}
