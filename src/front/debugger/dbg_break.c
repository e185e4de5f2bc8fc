/* The commands that make breakpoints, and that change and list breakpoints, watchpoints and
 * catchpoints. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* maximum number of places printed when a breakpoint is made; 'info breakpoints' has all */
enum { PLACES_SAID = 5 };

static const char *const type_names[] = {
    [BREAK_CODE] = "breakpoint", [BREAK_STORE] = "watchpoint", [BREAK_LOAD] = "read watchpoint",
    [BREAK_ACCESS] = "access watchpoint", [BREAK_SYSCALL] = "catch syscall",
    [BREAK_SIGNAL] = "catch signal", [BREAK_FORK] = "catch fork", [BREAK_EXEC] = "catch exec",
    [BREAK_EXIT] = "catch exit",
};

/* --- making ----------------------------------------------------------------------------------- */

static void say_places(struct dbg *d, const struct debug_breakpoint *p, size_t most)
{
    struct symbols *symbols;
    const struct debug_location *locations = p->locations.items;
    struct error *err = debug_symbols(d->debug, &symbols);
    for (size_t i = 0; i < p->locations.count && i < most && !err; i++) {
        struct line_place line;
        struct code_place place = debug_location_place(&locations[i]);
        char *where = symbols_describe(symbols, locations[i].address);
        dbg_say(d, "%s%s", i ? ", " : "", where);
        if (symbols_place_line(symbols, &place, &line)) {
            char *file = dbg_short_path(d, line.file);
            dbg_say(d, " at %s:%u", file, line.line);
            free(file);
        }
        free(where);
    }
    if (p->locations.count > most)
        dbg_say(d, " and %zu more places", p->locations.count - most);
    error_destroy(err);
}

static void json_places(struct dbg *d, const struct debug_breakpoint *p)
{
    struct symbols *symbols;
    struct json *j = dbg_fields(d);
    const struct debug_location *locations = p->locations.items;
    struct error *err = debug_symbols(d->debug, &symbols);
    json_unsigned(j, "number", p->number);
    json_bool(j, "pending", p->pending);
    json_open(j, "locations", '[');
    for (size_t i = 0; i < p->locations.count && !err; i++) {
        struct line_place line;
        struct code_place place = debug_location_place(&locations[i]);
        json_open(j, NULL, '{');
        json_hex(j, "pc", locations[i].address);
        if (symbols_place_line(symbols, &place, &line)) {
            json_string(j, "file", line.file);
            json_unsigned(j, "line", line.line);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
    error_destroy(err);
}

/* Tells the user if the condition is slow, and why. */
static void say_if_slow(struct dbg *d, const struct debug_breakpoint *p)
{
    struct error *slow = debug_breakpoint_slow(d->debug, p);
    if (slow)
        dbg_say(d, "The condition is evaluated by ebb at each stop, which is slow: %s\n",
                error_text(slow));
    error_destroy(slow);
}

struct error *dbg_break_at(struct dbg *d, const struct debug_break_order *order)
{
    struct debug_breakpoint *p;
    struct error *pending, *err = debug_break_add(d->debug, order, &p, &pending);
    if (err)
        return err;
    dbg_say(d, "%s %u ", order->temporary ? "Temporary breakpoint" : "Breakpoint", p->number);
    if (pending)
        dbg_say(d, "is pending: %s, but a library may bring it", error_text(pending));
    else
        dbg_say(d, "at ");
    error_destroy(pending);
    say_places(d, p, PLACES_SAID);
    dbg_say(d, "\n");
    json_places(d, p);
    say_if_slow(d, p);
    conveniences_define_integer(d->debug->conveniences, "bpnum", p->number);
    return NULL;
}

/* break [LOCATION] [thread N] [if CONDITION] */
struct error *dbg_break(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char *text = xformat("%s", args), *what = NULL;
    struct debug_break_order order = {.condition = debug_cut_behind(text, "if"),
                                      .temporary = c->which,
                                      .thread = CONTROL_THREAD_ANY};
    const char *thread = debug_cut_behind(text, "thread");
    struct session_place place;
    session_place(d->debug->session, &place);
    const struct frame *f = debug_frame(d->debug);
    struct error *err = thread ? debug_read_thread(thread, &order.thread) : NULL;
    if (!err && *text)
        err = debug_fixed_location(d->debug, text, &what);
    else if (!err)
        what = xformat("*0x%llx", (unsigned long long)(f ? f->pc : place.at.pc));
    order.location = what;
    if (!err)
        err = dbg_break_at(d, &order);
    free(what);
    free(text);
    return err;
}

/* --- changing --------------------------------------------------------------------------------- */

static struct error *find_breakpoint(struct dbg *d, const char *word, struct debug_breakpoint **ret)
{
    u64 n;
    struct error *err = word ? debug_number(word, "breakpoint number", &n)
                             : error_coded(ERROR_MISUSED, "say which breakpoint: its number");
    if (!err && (n > ~0u || !(*ret = debug_breakpoints_find(d->debug, (u32)n))))
        err = error_coded(ERROR_NOT_FOUND,
                          "there is no breakpoint %s; 'info breakpoints' lists them", word);
    return err;
}

/* What is to become of breakpoints. */
struct break_change {
    int how;        /* DO_DELETE, DO_ENABLE, DO_DISABLE */
    bool temporary; /* enabled: it is deleted when it stops */
    u64 stops;      /* enabled: it is disabled after so many; 0: never */
};

static void change(struct dbg *d, struct debug_breakpoint *p, const struct break_change *c)
{
    if (c->how == DO_DELETE) {
        debug_breakpoints_remove(d->debug, p);
        return;
    }
    debug_breakpoint_enable(d->debug, p, c->how == DO_ENABLE);
    if (c->temporary || c->stops) {
        p->temporary = c->temporary;
        p->stops_left = c->stops;
    }
}

/* enable once, enable delete, enable count N */
static struct error *read_stops(const char **args, struct break_change *c)
{
    struct error *err = NULL;
    if (c->how != DO_ENABLE)
        return NULL;
    bool once = debug_take_word(args, "once"), count = !once && debug_take_word(args, "count");
    c->temporary = !once && !count && debug_take_word(args, "delete");
    c->stops = once;
    if (!count)
        return NULL;
    char *word = debug_next_word(args);
    err = word ? debug_number(word, "count", &c->stops)
               : error_coded(ERROR_MISUSED, "say how often they are to stop: enable count N");
    free(word);
    return err;
}

struct error *dbg_breakpoints_change(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct break_change to = {.how = c->which};
    if (debug_take_word(&args, "display"))
        return c->which == DO_DELETE
                   ? dbg_undisplay(d, c, args)
                   : error_coded(ERROR_MISUSED, "a display is there or not: 'undisplay NUMBER'");
    debug_take_word(&args, "breakpoints");
    struct error *err = read_stops(&args, &to);
    if (!err && !*args) {
        struct debug_breakpoint **all = d->debug->breakpoints.items;
        for (size_t i = d->debug->breakpoints.count; i-- > 0;)
            change(d, all[i], &to);
        return NULL;
    }
    while (*args && !err) {
        struct debug_breakpoint *p;
        char *word = debug_next_word(&args);
        err = find_breakpoint(d, word, &p);
        if (!err)
            change(d, p, &to);
        free(word);
    }
    return err;
}

struct error *dbg_condition(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_breakpoint *p;
    (void)c;
    char *word = debug_next_word(&args);
    struct error *err = find_breakpoint(d, word, &p);
    free(word);
    if (!err)
        err = debug_breakpoint_condition(d->debug, p, *args ? args : NULL);
    if (err)
        return err;
    if (!p->condition)
        dbg_say(d, "Breakpoint %u has no condition now\n", p->number);
    say_if_slow(d, p);
    return NULL;
}

struct error *dbg_ignore(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_breakpoint *p;
    u64 count;
    (void)c;
    char *word = debug_next_word(&args);
    struct error *err = find_breakpoint(d, word, &p);
    free(word);
    if (!err)
        err = *args
                  ? debug_number(args, "count", &count)
                  : error_coded(ERROR_MISUSED, "say how many hits to ignore: ignore NUMBER COUNT");
    if (err)
        return err;
    debug_breakpoint_ignore(d->debug, p, count);
    dbg_say(d, "Breakpoint %u ignores %llu hit%s before it stops\n", p->number,
            (unsigned long long)count, count == 1 ? "" : "s");
    return NULL;
}

/* The lines up to `end` come from the same input as the command. */
struct error *dbg_breakpoint_commands(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_breakpoint *p = NULL;
    (void)c;
    struct debug_breakpoint **all = d->debug->breakpoints.items;
    struct error *err = NULL;
    if (*args)
        err = find_breakpoint(d, args, &p);
    else if (d->debug->breakpoints.count)
        p = all[d->debug->breakpoints.count - 1];
    else
        err = error_coded(ERROR_NOT_FOUND,
                          "there is no breakpoint to attach commands to; set one with 'break'");
    struct list read = LIST(char *);
    struct error *no_lines = dbg_read_block(d, &read, NULL);
    if (err)
        error_destroy(no_lines);
    else
        err = no_lines;
    if (err) {
        debug_strings_deinit(&read);
        return err;
    }
    debug_strings_deinit(&p->commands);
    p->commands = read;
    return NULL;
}

/* --- listing ---------------------------------------------------------------------------------- */

static void say_breakpoint(struct dbg *d, const struct debug_breakpoint *p)
{
    dbg_say(d, "%-3u %-17s %s %s ", p->number, type_names[p->type], p->temporary ? "once" : "keep",
            p->disabled ? "off" : "on ");
    if (p->type == BREAK_CODE && !p->locations.count)
        dbg_say(d, "%s (pending)", p->what);
    else if (p->type == BREAK_CODE)
        say_places(d, p, p->locations.count);
    else
        dbg_say(d, "%s", p->what);
    dbg_say(d, "\n");
    if (p->condition)
        dbg_say(d, "    stops only if %s\n", p->condition);
    if (p->thread != CONTROL_THREAD_ANY)
        dbg_say(d, "    stops only in thread %u\n", p->thread);
    if (p->stops_left)
        dbg_say(d, "    is disabled after %llu more stop%s\n", (unsigned long long)p->stops_left,
                p->stops_left == 1 ? "" : "s");
    if (p->ignore)
        dbg_say(d, "    ignores %llu hits first\n", (unsigned long long)p->ignore);
    if (p->hits)
        dbg_say(d, "    was hit %llu time%s\n", (unsigned long long)p->hits,
                p->hits == 1 ? "" : "s");
    for (size_t i = 0; i < p->commands.count; i++)
        dbg_say(d, "        %s\n", ((char **)p->commands.items)[i]);
}

static struct error *list_breakpoints(struct dbg *d, const char *args, bool watches_alone)
{
    struct debug_breakpoint **all = d->debug->breakpoints.items;
    size_t shown = 0;
    struct debug_breakpoint *only = NULL;
    struct error *err = *args ? find_breakpoint(d, args, &only) : NULL;
    if (err)
        return err;
    for (size_t i = 0; i < d->debug->breakpoints.count; i++)
        if ((!watches_alone || debug_is_watch(all[i])) && (!only || only == all[i])) {
            say_breakpoint(d, all[i]);
            shown++;
        }
    if (!shown)
        dbg_say(d, watches_alone ? "There are no watchpoints.\n"
                                 : "There are no breakpoints, watchpoints or catchpoints.\n");
    return NULL;
}

struct error *dbg_info_breakpoints(struct dbg *d, const char *args)
{
    return list_breakpoints(d, args, false);
}

struct error *dbg_info_watches(struct dbg *d, const char *args)
{
    return list_breakpoints(d, args, true);
}
