/* help: an overview by subject, all commands of a subject, one command.
 *
 * All text comes from the table of commands (dbg_table.c). tests/suites/88-help checks the form of
 * each text, and runs the examples.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

const char dbg_help_words[] = "all moving time stops values places debugger tui";

/* A name without a command is skipped; a command that is listed nowhere is shown at the end. */
static const struct help_subject {
    const char *name, *about, *commands;
} subjects[] = {
    {"moving", "Movements, forward and backward",
     "step bstep next previous finish before until buntil advance out bout continue "
     "bcontinue stepi bstepi nexti bnexti play bplay"},
    {"time", "Moments of the run and what changed between them",
     "goto undo redo first history changes ask calls trace profile coverage events bookmark "
     "track"},
    {"stops", "Breakpoints, watchpoints and catchpoints",
     "break tbreak watch rwatch awatch catch tcatch delete disable enable condition ignore "
     "commands rbreak clear save handle skip"},
    {"values", "Variables, memory and types",
     "print printf output call display undisplay x find ptype whatis"},
    {"places", "Source, calls, threads and other facts",
     "list search reverse-search backtrace frame up down up-silently down-silently select-frame "
     "faas thread taas tfaas goroutine info disassemble"},
    {"debugger", "The debugger itself",
     "layout set show with source define document alias if while loop_break loop_continue echo "
     "shell pipe cd pwd apropos help quit"},
};

static bool next_name(const char **names, const char **ret, size_t *ret_length)
{
    *names += strspn(*names, " ");
    *ret = *names;
    *ret_length = strcspn(*names, " ");
    *names += *ret_length;
    return *ret_length > 0;
}

static const struct dbg_command *command_named(const char *name, size_t length)
{
    size_t count;
    const struct dbg_command *all = dbg_commands(&count);
    for (size_t i = 0; i < count; i++)
        if (strlen(all[i].name) == length && strncmp(all[i].name, name, length) == 0)
            return &all[i];
    return NULL;
}

static bool is_named_in(const char *names, const char *name)
{
    const char *at;
    size_t length;
    while (next_name(&names, &at, &length))
        if (strlen(name) == length && strncmp(at, name, length) == 0)
            return true;
    return false;
}

static bool has_subject(const char *name)
{
    for (size_t i = 0; i < countof(subjects); i++)
        if (is_named_in(subjects[i].commands, name))
            return true;
    return false;
}

static void help_say_heading(struct dbg *d, const char *text)
{
    dbg_colour(d, "1");
    dbg_say(d, "%s", text);
    dbg_colour(d, "");
    dbg_say(d, "\n");
}

static void dbg_help_say_summary(struct dbg *d, const struct dbg_command *c)
{
    dbg_say(d, "  %-12s %s\n", c->name, c->summary);
}

static void say_subject(struct dbg *d, const struct help_subject *s)
{
    const char *names = s->commands, *name;
    size_t length;
    help_say_heading(d, s->about);
    while (next_name(&names, &name, &length)) {
        const struct dbg_command *c = command_named(name, length);
        if (c)
            dbg_help_say_summary(d, c);
    }
}

static void say_all(struct dbg *d)
{
    size_t count, others = 0;
    const struct dbg_command *all = dbg_commands(&count);
    for (size_t i = 0; i < countof(subjects); i++)
        say_subject(d, &subjects[i]);
    for (size_t i = 0; i < count; i++) {
        if (has_subject(all[i].name))
            continue;
        if (!others++)
            help_say_heading(d, "Others");
        dbg_help_say_summary(d, &all[i]);
    }
}

/* Prints only the names, in lines of limited width. */
static void say_names(struct dbg *d, const char *names)
{
    enum { WIDTH = 76 };
    const char *name;
    size_t length, column = 0;
    while (next_name(&names, &name, &length)) {
        if (!command_named(name, length))
            continue;
        if (column + length + 2 > WIDTH) {
            dbg_say(d, "\n");
            column = 0;
        }
        dbg_say(d, "%s%.*s", column ? " " : "    ", (int)length, name);
        column += length + (column ? 1 : 4);
    }
    dbg_say(d, "\n");
}

static void say_overview(struct dbg *d)
{
    for (size_t i = 0; i < countof(subjects); i++) {
        dbg_colour(d, "1");
        dbg_say(d, "%s", subjects[i].name);
        dbg_colour(d, "");
        dbg_say(d, ": %c%s\n", tolower((u8)subjects[i].about[0]), subjects[i].about + 1);
        say_names(d, subjects[i].commands);
    }
    dbg_say(
        d,
        "'help COMMAND' explains a command and has examples; 'help SUBJECT' and 'help all' have\n"
        "a sentence for each command. Most commands have gdb's names and abbreviations too.\n"
        "Tab completes words. An empty line repeats the last movement.\n");
}

static void say_command(struct dbg *d, const struct dbg_command *c)
{
    help_say_heading(d, c->usage);
    if (*c->others)
        dbg_say(d, "Also: %s\n", c->others);
    dbg_say(d, "\n%c%s.\n%s\n", toupper((u8)c->summary[0]), c->summary + 1, c->more);
    const char *second = strchr(c->examples, '\n');
    int first = second ? (int)(second - c->examples) : (int)strlen(c->examples);
    dbg_say(d, "%s:\n    %.*s\n", second ? "Examples" : "Example", first, c->examples);
    if (second)
        dbg_say(d, "    %s\n", second + 1);
}

struct error *dbg_help(struct dbg *d, const struct dbg_command *c, const char *args)
{
    size_t length = strcspn(args, " \t");
    if (!*args) {
        say_overview(d);
        return NULL;
    }
    if (strcmp(args, "all") == 0) {
        say_all(d);
        return NULL;
    }
    if (strcmp(args, "tui") == 0) {
        dbg_tui_help(d);
        return NULL;
    }
    for (size_t i = 0; i < countof(subjects); i++) {
        if (strcmp(args, subjects[i].name) != 0)
            continue;
        say_subject(d, &subjects[i]);
        return NULL;
    }
    if (dbg_user_help(d, args))
        return NULL;
    struct error *err = dbg_find_command(args, length, &c);
    if (!err)
        say_command(d, c);
    return err;
}

static bool is_about(const struct dbg_command *c, const char *word)
{
    return strcasestr(c->name, word) || strcasestr(c->summary, word) || strcasestr(c->more, word);
}

struct error *dbg_apropos(struct dbg *d, const struct dbg_command *c, const char *args)
{
    size_t count, said = 0;
    const struct dbg_command *all = dbg_commands(&count);
    (void)c;
    if (!*args)
        return error_coded(ERROR_MISUSED, "say which word to look for");
    for (size_t i = 0; i < count; i++)
        if (is_about(&all[i], args)) {
            dbg_help_say_summary(d, &all[i]);
            said++;
        }
    return said ? NULL : error_coded(ERROR_NOT_FOUND, "no command is about '%s'", args);
}
