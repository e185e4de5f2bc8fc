/* Watchpoints: what they are about, what they are to the session, and what is said where one is hit.
 *
 * What lies at one place at all times is a data site, with its condition compiled: the engine does the rest.  Anything else (pointers that
 * are followed, registers, a condition that cannot be compiled) is looked for by a question over time (query/followed.h), and has no
 * data site.
 *
 * A local is watched as long as its frame lives.  The frame's end and its beginning are locations of the watchpoint, too: a movement
 * stops there and says so, and from then on it is known when that was.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_watch_destroy(struct dbg_watch *w)
{
    if (!w)
        return;
    subject_destroy(w->subject);
    subject_destroy(w->condition);
    free(w->code);
    free(w);
}

/* --- making -------------------------------------------------------------------------------------- */

/* Compiled, or looked at where the value has changed. */
static struct error *set_condition(struct dbg *d, struct dbg_watch *w, const char *text)
{
    struct subject *condition = NULL;
    struct values_request request;
    struct error *err = dbg_request(d, &request);
    if (!err && text)
        err = subject_create(d->session, d->source, d->thread, &request, text, &condition);
    if (err)
        return err;
    subject_destroy(w->condition);
    free(w->code);
    w->condition = condition;
    w->code = NULL;
    w->follows = !w->subject->is_fixed;
    if (!condition)
        return NULL;
    err = subject_compile(condition, &w->code, &w->code_size);
    if (err) {
        dbg_say(d, "The condition is looked at at each change, which is slow: %s\n", error_text(err));
        error_destroy(err);
        w->code = NULL;
        w->follows = true;
    }
    return NULL;
}

struct error *dbg_watch_condition(struct dbg *d, struct dbg_breakpoint *p)
{
    return set_condition(d, p->watch, p->condition);
}

struct watch_words {
    char *text;       /* the parts below are in it */
    char *expression, *condition, *thread;
    bool any_store;   /* -w */
    bool location;    /* -l */
};

static struct error *read_words(const char *args, struct watch_words *ret)
{
    *ret = (struct watch_words){0};
    for (bool more = true; more;) {
        more = false;
        if (dbg_take_word(&args, "-w"))
            ret->any_store = more = true;
        if (dbg_take_word(&args, "-l") || dbg_take_word(&args, "-location"))
            ret->location = more = true;
    }
    ret->text = ret->expression = xformat("%s", args);
    ret->condition = dbg_cut_behind(ret->text, "if");
    ret->thread = dbg_cut_behind(ret->text, "thread");
    if (ret->condition && !*ret->condition)
        return error_coded(ERROR_MISUSED, "a condition must follow 'if'");
    return *ret->text ? NULL
                      : error_coded(ERROR_MISUSED,
                                    "say what to watch: an expression, or -l ADDRESS LENGTH");
}

struct error *dbg_integer(struct dbg *d, const char *text, u64 *ret)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = dbg_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, text, &value);
    if (!err)
        err = value_integer(value, (i64 *)ret);
    values_close(evaluation);
    return err;
}

static struct error *check_subject(const struct subject *s)
{
    if (s->missing)
        return error_new("%s has no value here that could be watched: %s", s->expression, s->missing);
    if (subject_is_looked_at(s) && !s->point_count)
        return error_new("%s is in a register, and there are no statements here at which it could be "
                         "compared", s->expression);
    return NULL;
}

static struct error *read_subject(struct dbg *d, const struct watch_words *w, struct subject **ret)
{
    struct subject *s;
    struct error *err = w->location ? dbg_subject_location(d, w->expression, &s)
                                    : dbg_subject(d, w->expression, &s);
    if (err)
        return err;
    err = check_subject(s);
    if (err)
        subject_destroy(s);
    else
        *ret = s;
    return err;
}

static struct error *check_kind(const struct subject *s, u32 type)
{
    bool loads = type != BREAKPOINT_STORE;
    if (loads && subject_is_looked_at(s))
        return error_new("%s is in a register, of which it is not known when it is read", s->expression);
    if (loads && !s->in_memory && !s->is_fixed)
        return error_new("%s is computed, and lies nowhere that it could be read", s->expression);
    return NULL;
}

static void say_made(struct dbg *d, const struct dbg_breakpoint *p)
{
    const struct subject *s = p->watch->subject;
    dbg_say(d, "Watchpoint %u: %s", p->number, p->what);
    if (subject_is_looked_at(s))
        dbg_say(d, ", in a register: it is compared at each statement");
    else if (!s->is_fixed)
        dbg_say(d, ", wherever it leads");
    else if (strncmp(p->what, "-l ", 3) != 0 || s->type)
        dbg_say(d, ", %llu byte%s at 0x%llx", (unsigned long long)s->size, s->size == 1 ? "" : "s",
                (unsigned long long)s->address);
    char *call = dbg_cover_call(s), *keeping = dbg_keeping(d, s);
    dbg_say(d, "%s%s\n", *call ? "," : "", call);
    if (keeping)
        dbg_say(d, "T%s.\n", keeping + 1);
    free(call);
    free(keeping);
    json_unsigned(dbg_fields(d), "number", p->number);
}

static void make_breakpoint(struct dbg *d, u32 type, const struct watch_words *words,
                       struct dbg_watch *w, u32 thread)
{
    struct session_place place;
    char *what = xformat("%s%s", words->location ? "-l " : "", words->expression);
    struct dbg_breakpoint *p = dbg_breakpoints_add(d, type, what);
    free(what);
    session_place(d->session, &place);
    w->any_store = words->any_store;
    w->alive_from = w->alive_to = place.at;
    p->watch = w;
    p->thread = thread;
    p->condition = words->condition ? xformat("%s", words->condition) : NULL;
    say_made(d, p);
}

/* watch, rwatch, awatch: `which` is the type of the breakpoint. */
struct error *dbg_watch(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct watch_words words;
    struct dbg_watch *w = xalloc(sizeof *w);
    u32 thread = CONTROL_THREAD_ANY;
    *w = (struct dbg_watch){0};
    struct error *err = read_words(args, &words);
    if (!err && words.thread)
        err = dbg_read_thread(words.thread, &thread);
    if (!err)
        err = read_subject(d, &words, &w->subject);
    if (!err)
        err = check_kind(w->subject, (u32)c->which);
    if (!err)
        err = set_condition(d, w, words.condition);
    if (err)
        dbg_watch_destroy(w);
    else
        make_breakpoint(d, (u32)c->which, &words, w, thread);
    free(words.text);
    return err;
}

/* --- the session's part ------------------------------------------------------------------------------ */

u32 dbg_watch_kind(const struct dbg_breakpoint *p)
{
    return p->type == BREAKPOINT_STORE ? SITE_STORE : p->type == BREAKPOINT_LOAD ? SITE_LOAD : SITE_ACCESS;
}

static struct error *dbg_watch_add_location(struct dbg *d, struct dbg_breakpoint *p, u32 role,
                                        struct breakpoint *b)
{
    const struct dbg_watch *w = p->watch;
    u32 number = 0;
    b->from = w->begin;
    b->to = w->end.tick ? w->end : w->begin.tick ? (struct moment){~0ull, ~0ull} : (struct moment){0, 0};
    struct error *err = session_add_breakpoint(d->session, b, &number);
    if (!err)
        *(struct dbg_location *)list_add(&p->locations) = (struct dbg_location){
            .address = b->address, .number = number, .role = role};
    return err;
}

static struct error *add_data_location(struct dbg *d, struct dbg_breakpoint *p)
{
    const struct dbg_watch *w = p->watch;
    const struct subject *s = w->subject;
    struct breakpoint b = {
        .kind = dbg_watch_kind(p), .flags = w->any_store ? PLAN_ANY_STORE : 0, .address = s->address,
        .size = s->size, .not_first = s->not_first, .not_last = s->not_last, .thread = p->thread,
        .condition = w->code, .condition_size = w->code ? (u32)w->code_size : 0, .ignore = p->ignore,
    };
    return dbg_watch_add_location(d, p, LOCATION_OF_DATA, &b);
}

/* Where one stands may have been come to by `goto`: did the frame end, or begin, on the way? */
static struct error *know_life(struct dbg *d, struct dbg_watch *w)
{
    struct session_place place;
    struct moment call;
    bool found = false, interrupted = false;
    struct error *err = NULL;
    session_place(d->session, &place);
    if (!w->end.tick && moment_compare(w->alive_to, place.at) < 0) {
        err = subject_frame_end(w->subject, w->alive_to, place.at, &found, &w->end, &interrupted);
        if (!err && !found && !interrupted)
            w->alive_to = place.at;
    } else if (!w->begin.tick && moment_compare(place.at, w->alive_from) < 0) {
        err = subject_frame_begin(w->subject, w->alive_from, place.at, &found, &w->begin, &call,
                                  &interrupted);
        if (!err && !found && !interrupted)
            w->alive_from = place.at;
    }
    return !err && interrupted
               ? error_coded(ERROR_INTERRUPTED,
                             "interrupted, before it was known whether the frame of %s "
                             "lives here",
                             w->subject->expression)
               : err;
}

struct error *dbg_watch_settle(struct dbg *d, struct dbg_breakpoint *p)
{
    struct dbg_watch *w = p->watch;
    struct breakpoint b;
    const struct dbg_location *locations = p->locations.items;
    struct moment begin = w->begin, end = w->end;
    bool local = subject_is_local(w->subject);
    struct error *err = local ? know_life(d, w) : NULL;
    bool same = !moment_compare(begin, w->begin) && !moment_compare(end, w->end);
    if (err || (p->locations.count && locations[0].number && same))
        return err;
    dbg_breakpoint_unsettle(d, p);
    p->locations.count = 0;
    if (!w->follows)
        err = add_data_location(d, p);
    if (!err && !w->end.tick && subject_bound(w->subject, SUBJECT_ENDS, &b))
        err = dbg_watch_add_location(d, p, LOCATION_OF_END, &b);
    if (!err && !w->begin.tick && subject_bound(w->subject, SUBJECT_BEGINS, &b))
        err = dbg_watch_add_location(d, p, LOCATION_OF_BEGINNING, &b);
    return err;
}

/* A movement that heeds breakpoints came here without a stop at an end of the frame. */
void dbg_watches_moved(struct dbg *d)
{
    struct dbg_breakpoint **all = d->breakpoints.items;
    struct session_place place;
    session_place(d->session, &place);
    for (size_t i = 0; i < d->breakpoints.count; i++) {
        struct dbg_watch *w = all[i]->watch;
        if (!w || all[i]->disabled)
            continue;
        if (!w->end.tick && moment_compare(w->alive_to, place.at) < 0)
            w->alive_to = place.at;
        if (!w->begin.tick && moment_compare(place.at, w->alive_from) < 0)
            w->alive_from = place.at;
    }
}

/* Another track is open: locals were of the one before. */
void dbg_watches_rebind(struct dbg *d)
{
    struct dbg_breakpoint **all = d->breakpoints.items;
    for (size_t i = d->breakpoints.count; i-- > 0;) {
        struct dbg_watch *w = all[i]->watch;
        if (!w)
            continue;
        if (subject_is_local(w->subject) || (w->condition && subject_is_local(w->condition))) {
            dbg_say(d, "Watchpoint %u was about a frame of the other track; it is deleted.\n",
                    all[i]->number);
            dbg_breakpoints_remove(d, all[i]);
            continue;
        }
        error_destroy(subject_rebind(w->subject, d->session, d->source));
        if (w->condition)
            error_destroy(subject_rebind(w->condition, d->session, d->source));
        all[i]->locations.count = 0;
    }
}
