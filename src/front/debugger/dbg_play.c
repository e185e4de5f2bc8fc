/* play and bplay: step through statements at a given rate.
 *
 * Each step is a movement like any other, so breakpoints, watchpoints and signals end it. `undo`
 * takes back the whole playback. A step that takes longer than the rate allows delays the following
 * ones; none is skipped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* statements in a second */
static const double RATE_DEFAULT = 2, RATE_LEAST = 0.01, RATE_MOST = 1e6;

struct play_order {
    enum session_direction direction;
    bool over;  /* steps over calls */
    double rate;
    u64 most;   /* maximum number of statements; 0: no limit */
};

/* A statement that was reached, for JSON. */
struct play_step {
    struct moment at;
    char *file, *function;
    unsigned line;
};

struct playing {
    struct play_order order;
    struct list steps; /* struct play_step */
    char *function;    /* function shown last; NULL: none */
    u64 done;
    bool by_key;       /* a key has ended it */
};

/* --- what is asked ---------------------------------------------------------------------------- */

/* "5/s", "0.5/s" or "5"; false: not a rate. */
static bool read_rate(const char *word, double *ret)
{
    char *end;
    double rate = strtod(word, &end);
    bool is_rate = end != word && (!*end || strcmp(end, "/s") == 0) && isfinite(rate);
    if (is_rate)
        *ret = rate;
    return is_rate;
}

static struct error *take_play_word(struct play_order *o, const char *word)
{
    if (strcmp(word, "next") == 0) {
        o->over = true;
        return NULL;
    }
    if (!read_rate(word, &o->rate))
        return error_coded(ERROR_MISUSED,
                           "'%s' is not a rate: use statements per second, as in 5/s or 0.5/s",
                           word);
    if (o->rate < RATE_LEAST || o->rate > RATE_MOST)
        return error_coded(ERROR_MISUSED, "a rate must be between %g/s and %.0f/s", RATE_LEAST,
                           RATE_MOST);
    return NULL;
}

/* [next] [RATE] [for N] */
static struct error *read_play(const char *args, struct play_order *o)
{
    struct error *err = NULL;
    char *text = xformat("%s", args);
    const char *count = debug_cut_behind(text, "for"), *at = text;
    if (count)
        err = debug_number(count, "number of statements", &o->most);
    if (!err && count && !o->most)
        err = error_coded(ERROR_MISUSED, "the number of statements must be at least 1");
    for (char *word; !err && (word = debug_next_word(&at)); free(word))
        err = take_play_word(o, word);
    free(text);
    return err;
}

/* --- showing ---------------------------------------------------------------------------------- */

static void keep_step(struct dbg *d, struct playing *p)
{
    struct session_place place;
    const struct frame *f = debug_frame(d->debug);
    struct play_step *step = list_add(&p->steps);
    session_place(d->debug->session, &place);
    *step = (struct play_step){.at = place.at};
    if (f && f->place.file) {
        step->file = xformat("%s", f->place.file);
        step->line = f->place.line;
    }
    if (f && f->function)
        step->function = xformat("%s", f->function);
}

/* Prints only the line; also the function if it has changed. */
static void say_step(struct dbg *d, struct playing *p)
{
    const struct frame *f = debug_frame(d->debug);
    const char *function = f && f->function ? f->function : "??";
    if (!f || !f->place.file || !p->function || strcmp(function, p->function) != 0) {
        if (f)
            dbg_say_frame(d, d->debug->selected, false);
        free(p->function);
        p->function = xformat("%s", function);
    }
    f = debug_frame(d->debug);
    if (f && f->place.file)
        dbg_say_source(d, f->place.file, f->place.line, 0, 0);
    dbg_say_displays(d);
}

static void show_step(struct dbg *d, struct playing *p)
{
    say_step(d, p);
    if (d->json)
        keep_step(d, p);
    else
        dbg_answer_flush(d);
    if (d->tui)
        dbg_tui_show(d);
}

static void json_steps(struct dbg *d, const struct playing *p)
{
    struct json *j = dbg_fields(d);
    const struct play_step *all = p->steps.items;
    json_unsigned(j, "played", p->done);
    json_open(j, "steps", '[');
    for (size_t i = 0; i < p->steps.count; i++) {
        json_open(j, NULL, '{');
        json_unsigned(j, "tick", all[i].at.tick);
        json_hex(j, "pc", all[i].at.pc);
        json_string(j, "file", all[i].file);
        if (all[i].file)
            json_unsigned(j, "line", all[i].line);
        else
            json_string(j, "line", NULL);
        json_string(j, "function", all[i].function);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void playing_deinit(struct playing *p)
{
    struct play_step *all = p->steps.items;
    for (size_t i = 0; i < p->steps.count; i++) {
        free(all[i].file);
        free(all[i].function);
    }
    list_deinit(&p->steps);
    free(p->function);
}

/* --- playing ---------------------------------------------------------------------------------- */

/* True if the step ended for another reason than reaching the statement. */
static bool is_stopped(const struct dbg *d, const struct session_stop *stop)
{
    return stop->why != WHY_STEPPED || stop->breakpoint_count || d->debug->followed_breakpoint;
}

static struct error *play_one(struct dbg *d, const struct play_order *order,
                              struct session_stop *stop)
{
    struct debug_order o = {
        .move = order->over ? MOVE_NEXT : MOVE_STEP, .direction = order->direction, .count = 1};
    *stop = (struct session_stop){0};
    return debug_move_unnoted(d->debug, &o, stop);
}

static struct error *play_on(struct dbg *d, struct playing *p, struct session_stop *stop)
{
    double began = debug_seconds_now();
    for (;;) {
        struct error *err = play_one(d, &p->order, stop);
        if (err)
            return err;
        p->done += stop->why == WHY_STEPPED || stop->why == WHY_BREAKPOINT;
        if (is_stopped(d, stop) || (p->order.most && p->done >= p->order.most))
            return NULL;
        show_step(d, p);
        enum dbg_pause ended = dbg_pause(d, began + (double)p->done / p->order.rate);
        p->by_key = ended == PAUSE_KEY;
        if (ended == PAUSE_INTERRUPTED)
            stop->why = WHY_INTERRUPTED;
        if (ended != PAUSE_OVER)
            return NULL;
    }
}

struct error *dbg_play(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct playing p = {.order = {.direction = c->which ? BACKWARD : FORWARD, .rate = RATE_DEFAULT},
                        .steps = LIST(struct play_step)};
    struct session_place before;
    struct session_stop stop = {0};
    struct error *err = read_play(args, &p.order);
    if (!err)
        err = debug_check_thread(d->debug, MOVE_STEP);
    if (err)
        return err;
    session_place(d->debug->session, &before);
    if (!d->edit)
        dbg_wait_begin(); /* Ctrl-C ends the playback, not ebb */
    dbg_wait_calm();
    err = play_on(d, &p, &stop);
    if (!d->edit)
        dbg_wait_end();
    if (p.done || !err)
        debug_moved_from(d->debug, before.at);
    if (!err) {
        if (d->json)
            json_steps(d, &p);
        if (p.by_key)
            dbg_say(d, "Stopped by a key.\n");
        dbg_say_stop(d, before.thread, p.by_key ? "interrupted" : NULL, &stop);
    }
    playing_deinit(&p);
    return err;
}
