/* Source lines, settings (`set`, `show`), and small commands: skip, source, quit.
 *
 * gdb settings with which scripts commonly begin are accepted if ebb always behaves that way.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* --- source text ------------------------------------------------------------------------------ */

void dbg_say_source(struct dbg *d, const char *file, unsigned line, unsigned before, unsigned after)
{
    struct symbols *symbols;
    struct error *err = debug_symbols(d->debug, &symbols);
    unsigned first = line > before ? line - before : 1;
    if (err || d->tui) { /* the screen shows the source anyway */
        error_destroy(err);
        return;
    }
    for (unsigned n = first; n <= line + after; n++) {
        const char *text = symbols_source_line(symbols, file, n);
        if (!text)
            break;
        dbg_colour(d, n == line ? "1" : "2");
        dbg_say(d, "%s %4u  %s", n == line ? "->" : "  ", n, text);
        dbg_colour(d, "");
        dbg_say(d, "\n");
    }
}

/* --- skip ------------------------------------------------------------------------------------- */

/* skip FILE|FUNCTION, skip delete FILE|FUNCTION */
struct error *dbg_skip(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    bool delete = debug_take_word(&args, "delete");
    if (!debug_take_word(&args, "function"))
        debug_take_word(&args, "file");
    const struct frame *f = debug_frame(d->debug);
    const char *what = *args ? args : !delete && f && f->function ? f->function : "";
    if (!*what)
        return error_coded(ERROR_MISUSED, "say which file or function to skip");
    struct error *err = debug_skip(d->debug, what, !delete);
    if (err)
        return err;
    dbg_say(d,
            delete ? "%s is stepped into again\n" : "%s is crossed as one operation from now on\n",
            what);
    return NULL;
}

/* --- settings --------------------------------------------------------------------------------- */

const char dbg_setting_words[] =
    "var print checkpoints checkpoint-memory checkpoint-spacing checkpoint-reach "
    "disassembly-flavor context listsize colour color echo past-main call-limit confirm "
    "pagination width height";

static struct error *read_switch(const char *text, bool *ret)
{
    bool on = strcmp(text, "on") == 0 || strcmp(text, "1") == 0;
    if (!on && strcmp(text, "off") != 0 && strcmp(text, "0") != 0)
        return error_coded(ERROR_MISUSED, "'%s' is neither on nor off", text);
    *ret = on;
    return NULL;
}

static struct error *read_lines(const char *text, u64 least, u32 *ret)
{
    u64 n;
    struct error *err = debug_number(text, "number of lines", &n);
    if (!err && (n > 10000 || n < least))
        err = error_coded(ERROR_MISUSED, "the number of lines is too large");
    if (!err)
        *ret = (u32)n;
    return err;
}

static struct error *read_flavor(const char *text, bool *ret)
{
    if (strcmp(text, "att") != 0 && strcmp(text, "intel") != 0)
        return error_coded(ERROR_MISUSED, "disassembly-flavor is 'intel' or 'att', and not '%s'",
                           text);
    *ret = *text == 'a';
    return NULL;
}

/* --- what is kept of the run (docs/commands.md) ----------------------------------------------- */

enum { CHECKPOINTS_MOST = 4096 };

static struct error *set_keeping(struct dbg *d, const char *name, const char *text)
{
    struct session_keeping k;
    struct error *err = NULL;
    u64 number = 0;
    session_keeping(d->debug->session, &k);
    if (strcmp(name, "checkpoints") == 0) {
        err = debug_number(text, "number of checkpoints", &number);
        if (!err && (number < 4 || number > CHECKPOINTS_MOST))
            err = error_coded(ERROR_MISUSED, "there can be 4 to %d checkpoints", CHECKPOINTS_MOST);
        k.processes = (u32)number;
    } else if (strcmp(name, "checkpoint-memory") == 0) {
        k.memory = 0;
        err = strcmp(text, "auto") == 0 ? NULL : debug_size(text, &k.memory);
    } else if (strcmp(name, "checkpoint-spacing") == 0) {
        k.spacing = 0;
        err = strcmp(text, "auto") == 0 ? NULL : debug_seconds(text, &k.spacing);
    } else {
        k.reach = 0;
        err = strcmp(text, "all") == 0 ? NULL : debug_seconds(text, &k.reach);
    }
    if (!err)
        debug_keep(d->debug, &k);
    return err;
}

static bool is_keeping(const char *name)
{
    return strcmp(name, "checkpoints") == 0 || strcmp(name, "checkpoint-memory") == 0 ||
           strcmp(name, "checkpoint-spacing") == 0 || strcmp(name, "checkpoint-reach") == 0;
}

static void show_seconds(struct dbg *d, const char *name, double seconds, const char *none)
{
    if (seconds > 0)
        dbg_say(d, "%s is %g s\n", name, seconds);
    else
        dbg_say(d, "%s is %s\n", name, none);
}

/* True: it was such a setting. */
static bool show_keeping(struct dbg *d, const char *name)
{
    struct session_keeping k;
    bool all = !*name;
    session_keeping(d->debug->session, &k);
    if (all || strcmp(name, "checkpoints") == 0)
        dbg_say(d, "checkpoints is %u\n", k.processes);
    bool memory = all || strcmp(name, "checkpoint-memory") == 0;
    if (memory && k.memory)
        dbg_say(d, "checkpoint-memory is %.0fM\n", (double)k.memory / (1 << 20));
    else if (memory)
        dbg_say(d, "checkpoint-memory is auto\n");
    if (all || strcmp(name, "checkpoint-spacing") == 0)
        show_seconds(d, "checkpoint-spacing", k.spacing, "auto");
    if (all || strcmp(name, "checkpoint-reach") == 0)
        show_seconds(d, "checkpoint-reach", k.reach, "all");
    return all || is_keeping(name);
}

/* gdb settings with which scripts begin, and that always have the wanted value here. */
static bool is_foreign(const char *name)
{
    static const char *const names[] = {
        "confirm", "pagination", "width", "height", "style", "debuginfod", "history", "verbose",
        "auto-load", "osabi", "architecture", "charset", "breakpoint", "can-use-hw-watchpoints",
        "non-stop", "max-value-size", "python", "prompt", "editing",
    };
    for (size_t i = 0; i < countof(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* gdb settings that make no sense in a recording, or that have another name. */
static const char *setting_instead(const char *name)
{
    static const char ran[] = "the program has run already, with its arguments and environment";
    static const char all[] = "the threads of a recording run as they did: 'thread N' selects one";
    static const struct { const char *name, *instead; } rows[] = {
        {"args", ran}, {"env", ran}, {"environment", ran}, {"cwd", ran},
        {"disable-randomization", ran}, {"exec-wrapper", ran},
        {"scheduler-locking", all}, {"schedule-multiple", all},
        {"follow-fork-mode", "'track N' opens another process"},
        {"detach-on-fork", "'track N' opens another process"},
        {"step-mode", "'stepi' goes by instructions"},
        {"disassemble-next-line", "'display/i $pc' shows the instruction at each stop"},
        {"logging", "'pipe COMMAND | tee FILE' keeps what a command says"},
        {"language", "expressions are in the language of the frame"},
        {"substitute-path", "sources are looked for where they were: 'info source'"},
        {"solib-search-path", "the recording knows its files: 'info sharedlibrary'"},
        {"sysroot", "the recording knows its files: 'info sharedlibrary'"},
        {"record", "this is a recording already"},
        {"exec-direction", "each movement has a backward twin: 'help moving'"},
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].instead;
    return NULL;
}

struct error *dbg_set(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct dbg_settings *s = &d->settings;
    struct error *err = NULL;
    (void)c;
    const char *whole = args;
    if (debug_take_word(&args, "backtrace") && strncmp(args, "past-main", 9) != 0)
        return error_coded(ERROR_NOT_FOUND,
                           "there is no setting 'backtrace %s': 'backtrace N' limits it", args);
    if (debug_take_word(&args, "var") || debug_take_word(&args, "variable"))
        return *args ? dbg_evaluate_silently(d, args)
                     : error_coded(ERROR_MISUSED, "say what to set: set var NAME = VALUE");
    if (debug_take_word(&args, "print") || debug_take_word(&args, "p") ||
        debug_take_word(&args, "pr"))
        return dbg_set_print(d, args);
    char *name = debug_next_word(&args);
    if (!name)
        return error_coded(ERROR_MISUSED, "set what? One of: %s", dbg_setting_words);
    if (strcmp(name, "context") == 0)
        err = read_lines(args, 0, &s->context);
    else if (strcmp(name, "listsize") == 0)
        err = read_lines(args, 1, &s->listsize);
    else if (strcmp(name, "disassembly-flavor") == 0)
        err = read_flavor(args, &s->att);
    else if (strcmp(name, "colour") == 0 || strcmp(name, "color") == 0)
        err = read_switch(args, &s->colour);
    else if (strcmp(name, "echo") == 0)
        err = read_switch(args, &s->echo);
    else if (is_keeping(name))
        err = set_keeping(d, name, args);
    else if (strcmp(name, "past-main") == 0)
        err = read_switch(args, &d->debug->settings.past_main);
    else if (strcmp(name, "call-limit") == 0)
        err = read_lines(args, 0, &d->debug->settings.call_limit);
    else if (setting_instead(name))
        err = error_coded(ERROR_NOT_FOUND, "there is no setting '%s' here: %s", name,
                          setting_instead(name));
    else if (strchr(whole, '=') || *whole == '$')
        err = dbg_evaluate_silently(d, whole);
    else if (!is_foreign(name))
        err = error_coded(ERROR_NOT_FOUND, "there is no setting '%s': settings are %s", name,
                          dbg_setting_words);
    free(name);
    return err;
}

struct error *dbg_show(struct dbg *d, const struct dbg_command *c, const char *args)
{
    const struct dbg_settings *s = &d->settings;
    const struct { const char *name; u32 value; bool is_switch; } rows[] = {
        {"context", s->context, false}, {"listsize", s->listsize, false},
        {"colour", s->colour, true}, {"echo", s->echo, true},
        {"past-main", d->debug->settings.past_main, true},
        {"call-limit", d->debug->settings.call_limit, false},
    };
    bool some = false;
    (void)c;
    if (debug_take_word(&args, "user"))
        return dbg_show_user(d, args);
    if (debug_take_word(&args, "print") || debug_take_word(&args, "p") ||
        debug_take_word(&args, "pr"))
        return dbg_show_print(d, args);
    if (!*args || strcmp(args, "disassembly-flavor") == 0) {
        some = true;
        dbg_say(d, "disassembly-flavor is %s\n", s->att ? "att" : "intel");
    }
    some |= show_keeping(d, args);
    for (size_t i = 0; i < countof(rows); i++) {
        if (*args && strcmp(args, rows[i].name) != 0)
            continue;
        some = true;
        if (rows[i].is_switch)
            dbg_say(d, "%s is %s\n", rows[i].name, rows[i].value ? "on" : "off");
        else
            dbg_say(d, "%s is %u\n", rows[i].name, rows[i].value);
    }
    const char *instead = setting_instead(args);
    if (some)
        return NULL;
    if (instead)
        return error_coded(ERROR_NOT_FOUND, "there is no setting '%s' here: %s", args, instead);
    return error_coded(ERROR_NOT_FOUND, "there is no setting '%s'; settings are %s", args,
                       dbg_setting_words);
}

/* --- small ones ------------------------------------------------------------------------------- */

struct error *dbg_source(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    return *args ? dbg_source_file(d, args, true)
                 : error_coded(ERROR_MISUSED, "say which file of commands to read");
}

struct error *dbg_quit(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    struct error *err = debug_no_arguments(args);
    if (!err)
        d->quit = true;
    return err;
}
