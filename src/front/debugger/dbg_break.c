/* The commands that make breakpoints, and that change and list breakpoints, watchpoints and
 * catchpoints. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { PLACES_SAID = 5 }; /* where a breakpoint is made; 'info breakpoints' has them all */

static const char *const type_names[] = {
    [BREAKPOINT_BREAK] = "breakpoint", [BREAKPOINT_STORE] = "watchpoint", [BREAKPOINT_LOAD] = "read watchpoint",
    [BREAKPOINT_ACCESS] = "access watchpoint", [BREAKPOINT_SYSCALL] = "catch syscall",
    [BREAKPOINT_SIGNAL] = "catch signal", [BREAKPOINT_FORK] = "catch fork", [BREAKPOINT_EXEC] = "catch exec",
    [BREAKPOINT_EXIT] = "catch exit",
};

/* --- making ----------------------------------------------------------------------------------- */

struct error *dbg_read_thread(const char *text, u32 *ret)
{
    u64 n;
    struct error *err = dbg_number(text, "thread", &n);
    if (!err && n >= CONTROL_THREAD_ANY)
        err = error_new("'%s' is no thread", text);
    if (!err)
        *ret = (u32)n;
    return err;
}

/* At one of the places at least; a location that is nowhere yet is not asked. */
static struct error *check_condition(struct dbg *d, const struct dbg_breakpoint *p, const char *condition)
{
    struct evaluation *evaluation;
    const struct dbg_location *locations = p->locations.items;
    bool is_code = p->type == BREAKPOINT_BREAK;
    struct error *err = p->watch || (is_code && !p->locations.count) ? NULL : dbg_evaluation(d, &evaluation);
    if (err || p->watch || (is_code && !p->locations.count))
        return err;
    struct code_place first = {0};
    if (is_code)
        first = dbg_location_place(&locations[0]);
    err = values_check(evaluation, condition, first);
    for (size_t i = 1; i < p->locations.count && err && is_code; i++) {
        error_destroy(err);
        err = values_check(evaluation, condition, dbg_location_place(&locations[i]));
    }
    values_close(evaluation);
    return err;
}

static struct error *say_if_slow(struct dbg *d, const struct dbg_breakpoint *p)
{
    struct evaluation *evaluation;
    const struct dbg_location *location = p->locations.items;
    u8 *code = NULL;
    size_t size;
    if (p->type != BREAKPOINT_BREAK || !p->locations.count)
        return NULL;
    struct error *err = dbg_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_compile(evaluation, p->condition, dbg_location_place(location), &code, &size);
    values_close(evaluation);
    free(code);
    if (err) {
        dbg_say(d, "The condition is looked at at each stop, which is slow: %s\n", error_text(err));
        error_destroy(err);
    }
    return NULL;
}

static void say_places(struct dbg *d, const struct dbg_breakpoint *p, size_t most)
{
    struct symbols *symbols;
    const struct dbg_location *locations = p->locations.items;
    struct error *err = dbg_symbols(d, &symbols);
    for (size_t i = 0; i < p->locations.count && i < most && !err; i++) {
        struct line_place line;
        struct code_place place = dbg_location_place(&locations[i]);
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

static void json_places(struct dbg *d, const struct dbg_breakpoint *p)
{
    struct symbols *symbols;
    struct json *j = dbg_fields(d);
    const struct dbg_location *locations = p->locations.items;
    struct error *err = dbg_symbols(d, &symbols);
    json_unsigned(j, "number", p->number);
    json_bool(j, "pending", p->pending);
    json_open(j, "locations", '[');
    for (size_t i = 0; i < p->locations.count && !err; i++) {
        struct line_place line;
        struct code_place place = dbg_location_place(&locations[i]);
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

/* Only the name of a function or a place in a file may still come. */
static bool may_come(const char *what)
{
    return *what && *what != '*' && *what != '+' && *what != '-' && !isdigit((u8)*what);
}

void dbg_break_take_back(struct dbg *d, struct dbg_breakpoint *p)
{
    dbg_breakpoints_remove(d, p);
    d->last_breakpoint--;
}

struct error *dbg_break_add(struct dbg *d, const char *what, const char *condition,
                            const char *thread, bool temporary)
{
    u32 ordinal = CONTROL_THREAD_ANY;
    struct error *err = thread ? dbg_read_thread(thread, &ordinal) : NULL;
    if (!err && condition && !*condition)
        err = error_coded(ERROR_MISUSED, "a condition must follow 'if'");
    if (err)
        return err;
    struct dbg_breakpoint *p = dbg_breakpoints_add(d, BREAKPOINT_BREAK, what);
    p->thread = ordinal;
    p->temporary = temporary;
    p->condition = condition ? xformat("%s", condition) : NULL;
    err = dbg_breakpoint_resolve(d, p);
    if (err && !may_come(what)) {
        dbg_break_take_back(d, p);
        return err;
    }
    struct error *wrong = condition ? check_condition(d, p, condition) : NULL;
    if (wrong) {
        error_destroy(err);
        dbg_break_take_back(d, p);
        return wrong;
    }
    dbg_say(d, "%s %u ", temporary ? "Temporary breakpoint" : "Breakpoint", p->number);
    if (err)
        dbg_say(d, "is pending: %s, but a library may bring it", error_text(err));
    else
        dbg_say(d, "at ");
    error_destroy(err);
    say_places(d, p, PLACES_SAID);
    dbg_say(d, "\n");
    json_places(d, p);
    return p->condition ? say_if_slow(d, p) : NULL;
}

struct error *dbg_fixed_location(struct dbg *d, const char *text, char **ret)
{
    u64 address;
    if (*text == '*' && !isdigit((u8)text[1])) {
        struct error *err = dbg_address_of(d, text + 1, &address);
        if (!err)
            *ret = xformat("*0x%llx", (unsigned long long)address);
        return err;
    }
    *ret = xformat("%s", text);
    return NULL;
}

/* break [LOCATION] [thread N] [if CONDITION] */
struct error *dbg_break(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char *text = xformat("%s", args);
    char *condition = dbg_cut_behind(text, "if");
    char *thread = dbg_cut_behind(text, "thread");
    struct session_place place;
    session_place(d->session, &place);
    const struct frame *f = dbg_frame(d);
    char *what = NULL;
    struct error *err = NULL;
    if (*text)
        err = dbg_fixed_location(d, text, &what);
    else
        what = xformat("*0x%llx", (unsigned long long)(f ? f->pc : place.at.pc));
    if (!err)
        err = dbg_break_add(d, what, condition, thread, c->which);
    free(what);
    free(text);
    return err;
}

/* --- changing --------------------------------------------------------------------------------- */

static struct error *find_breakpoint(struct dbg *d, const char *word, struct dbg_breakpoint **ret)
{
    u64 n;
    struct error *err = word ? dbg_number(word, "number of a breakpoint", &n)
                             : error_coded(ERROR_MISUSED, "say which breakpoint: its number");
    if (!err && (n > ~0u || !(*ret = dbg_breakpoints_find(d, (u32)n))))
        err = error_coded(ERROR_NOT_FOUND,
                          "there is no breakpoint %s; 'info breakpoints' lists them", word);
    return err;
}

static void change(struct dbg *d, struct dbg_breakpoint *p, int how)
{
    if (how == DO_DELETE)
        return dbg_breakpoints_remove(d, p);
    p->disabled = how == DO_DISABLE;
    dbg_breakpoint_unsettle(d, p);
}

struct error *dbg_breakpoints_change(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct error *err = NULL;
    dbg_take_word(&args, "breakpoints");
    if (!*args) {
        struct dbg_breakpoint **all = d->breakpoints.items;
        for (size_t i = d->breakpoints.count; i-- > 0;)
            change(d, all[i], c->which);
        return NULL;
    }
    while (*args && !err) {
        struct dbg_breakpoint *p;
        char *word = dbg_next_word(&args);
        err = find_breakpoint(d, word, &p);
        if (!err)
            change(d, p, c->which);
        free(word);
    }
    return err;
}

struct error *dbg_condition(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct dbg_breakpoint *p;
    (void)c;
    char *word = dbg_next_word(&args);
    struct error *err = find_breakpoint(d, word, &p);
    free(word);
    if (!err && *args)
        err = check_condition(d, p, args);
    if (err)
        return err;
    free(p->condition);
    p->condition = *args ? xformat("%s", args) : NULL;
    dbg_breakpoint_unsettle(d, p);
    if (p->watch)
        err = dbg_watch_condition(d, p);
    if (err)
        return err;
    if (!p->condition)
        dbg_say(d, "Breakpoint %u has no condition now\n", p->number);
    return p->condition ? say_if_slow(d, p) : NULL;
}

struct error *dbg_ignore(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct dbg_breakpoint *p;
    u64 count;
    (void)c;
    char *word = dbg_next_word(&args);
    struct error *err = find_breakpoint(d, word, &p);
    free(word);
    if (!err)
        err = *args ? dbg_number(args, "count", &count) : error_new("say how many hits to pass");
    if (err)
        return err;
    p->ignore = count;
    dbg_breakpoint_unsettle(d, p);
    dbg_say(d, "Breakpoint %u passes %llu hit%s before it stops\n", p->number,
            (unsigned long long)count, count == 1 ? "" : "s");
    return NULL;
}

/* The lines up to `end` come from wherever this one came from. */
struct error *dbg_breakpoint_commands(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct dbg_breakpoint *p = NULL;
    char *line;
    (void)c;
    struct dbg_breakpoint **all = d->breakpoints.items;
    struct error *err = NULL;
    if (*args)
        err = find_breakpoint(d, args, &p);
    else if (d->breakpoints.count)
        p = all[d->breakpoints.count - 1];
    else
        err = error_coded(ERROR_NOT_FOUND, "there is no breakpoint that commands could be for");
    if (!d->input)
        return err ? err : error_new("commands need lines to follow, up to 'end'");
    struct list read = LIST(char *);
    while ((line = d->input->next(d->input, "> "))) {
        const char *text = line + strspn(line, " \t");
        bool last = strcmp(text, "end") == 0;
        if (!last && *text)
            dbg_strings_add(&read, text);
        free(line);
        if (last)
            break;
    }
    if (err) {
        dbg_strings_deinit(&read);
        return err;
    }
    dbg_strings_deinit(&p->commands);
    p->commands = read;
    return NULL;
}

/* --- listing ---------------------------------------------------------------------------------- */

static void say_breakpoint(struct dbg *d, const struct dbg_breakpoint *p)
{
    dbg_say(d, "%-3u %-17s %s %s ", p->number, type_names[p->type], p->temporary ? "once" : "keep",
            p->disabled ? "off" : "on ");
    if (p->type == BREAKPOINT_BREAK && !p->locations.count)
        dbg_say(d, "%s (pending)", p->what);
    else if (p->type == BREAKPOINT_BREAK)
        say_places(d, p, p->locations.count);
    else
        dbg_say(d, "%s", p->what);
    dbg_say(d, "\n");
    if (p->condition)
        dbg_say(d, "    stops only if %s\n", p->condition);
    if (p->thread != CONTROL_THREAD_ANY)
        dbg_say(d, "    stops only in thread %u\n", p->thread);
    if (p->ignore)
        dbg_say(d, "    passes %llu hits first\n", (unsigned long long)p->ignore);
    if (p->hits)
        dbg_say(d, "    was hit %llu time%s\n", (unsigned long long)p->hits,
                p->hits == 1 ? "" : "s");
    for (size_t i = 0; i < p->commands.count; i++)
        dbg_say(d, "        %s\n", ((char **)p->commands.items)[i]);
}

static bool is_watch(const struct dbg_breakpoint *p)
{
    return p->type == BREAKPOINT_STORE || p->type == BREAKPOINT_LOAD || p->type == BREAKPOINT_ACCESS;
}

static struct error *list_breakpoints(struct dbg *d, const char *args, bool watches_alone)
{
    struct dbg_breakpoint **all = d->breakpoints.items;
    size_t shown = 0;
    struct error *err = dbg_no_arguments(args);
    if (err)
        return err;
    for (size_t i = 0; i < d->breakpoints.count; i++)
        if (!watches_alone || is_watch(all[i])) {
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
