/* Parses a command line with getopt_long, using a table made from the command's.
 *
 * getopt_long prints nothing here. Its messages name neither the command nor a remedy, so this file
 * finds the mistake and reports it in ebb's words.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/list.h"
#include "base/nearest_word.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "command/command_internal.h"
#include "log/channel.h"
#include "log/engine_start.h"

enum { LONG_ONLY = 256 }; /* getopt_long returns this plus the row's index for long options */

static size_t option_count(const struct command *c)
{
    size_t count = 0;
    while (c->options && c->options[count].id)
        count++;
    return count;
}

static int wants_value(const struct command_option *o)
{
    return !o->value ? no_argument : o->may_lack_value ? optional_argument : required_argument;
}

/* A leading ":" distinguishes a missing value from an unknown option. "+" ends options at the first
 * operand. */
static char *letters_of(const struct command *c)
{
    char *ret = xalloc(3 * option_count(c) + 3), *at = ret;
    if (c->runs_program)
        *at++ = '+';
    *at++ = ':';
    for (const struct command_option *o = c->options; o && o->id; o++) {
        if (!o->letter)
            continue;
        *at++ = o->letter;
        if (o->value)
            *at++ = ':';
    }
    *at = '\0';
    return ret;
}

static struct option *names_of(const struct command *c)
{
    size_t count = option_count(c);
    struct option *ret = xalloc((count + 1) * sizeof *ret), *at = ret;
    for (size_t i = 0; i < count; i++)
        if (c->options[i].name)
            *at++ = (struct option){c->options[i].name, wants_value(&c->options[i]), NULL,
                                    LONG_ONLY + (int)i};
    *at = (struct option){NULL, 0, NULL, 0};
    return ret;
}

static const struct command_option *option_of(const struct command *c, int code)
{
    if (code >= LONG_ONLY)
        return &c->options[code - LONG_ONLY];
    for (const struct command_option *o = c->options; o && o->id; o++)
        if (o->letter && o->letter == code)
            return o;
    return NULL;
}

/* Finds the long options that begin with the word. */
static bool is_ambiguous(const struct command *c, const char *name, size_t length, char **ret)
{
    char *list = xformat("%s", "");
    size_t count = 0;
    for (const struct command_option *o = c->options; o && o->id; o++) {
        if (!o->name || strncmp(o->name, name, length) != 0)
            continue;
        char *more = xformat("%s%s--%s", list, count ? ", " : "", o->name);
        free(list);
        list = more;
        count++;
    }
    *ret = list;
    return count > 1;
}

static int complain_of_unknown(const struct command *c, const char *word, size_t length)
{
    struct nearest_word n;
    char *typed = xformat("%.*s", (int)length, word);
    nearest_word_begin(&n, typed + 2);
    for (const struct command_option *o = c->options; o && o->id; o++)
        if (o->name)
            nearest_word_consider(&n, o->name);
    if (n.best)
        complain(0, "%s has no option '%s'; did you mean '--%s'? See 'ebb help %s'", c->name, typed,
                 n.best, c->name);
    else
        complain(0, "%s has no option '%s'; see 'ebb help %s'", c->name, typed, c->name);
    free(typed);
    return CHANNEL_EXIT_USAGE;
}

/* getopt_long returned '?': the word before optind, or a letter in it, is wrong. */
static int complain_of_option(const struct command *c, char **argv)
{
    const char *word = argv[optind - 1];
    const struct command_option *o = optopt ? option_of(c, optopt) : NULL;
    if (o)
        return complain(CHANNEL_EXIT_USAGE, "--%s takes no value; see 'ebb help %s'", o->name,
                        c->name);
    if (optopt)
        return complain(CHANNEL_EXIT_USAGE, "%s has no option '-%c'; see 'ebb help %s'", c->name,
                        optopt, c->name);
    size_t length = (size_t)(strchrnul(word, '=') - word);
    char *list;
    bool ambiguous = is_ambiguous(c, word + 2, length - 2, &list);
    int status = CHANNEL_EXIT_USAGE;
    if (ambiguous)
        complain(0, "'%.*s' is short for several options: %s", (int)length, word, list);
    else
        status = complain_of_unknown(c, word, length);
    free(list);
    return status;
}

static int complain_of_missing_value(const struct command *c)
{
    const struct command_option *o = option_of(c, optopt);
    char *spelled = command_option_spelled(o, o->name != NULL);
    complain(0, "%s: the option needs a value: %s; see 'ebb help %s'", c->name, spelled, c->name);
    free(spelled);
    return CHANNEL_EXIT_USAGE;
}

int command_read(const struct command *c, int argc, char **argv, command_take *take, void *context,
                 int *ret_operands)
{
    char *letters = letters_of(c);
    struct option *names = names_of(c);
    int status = 0, code;
    optind = 0; /* GNU's way to start again */
    opterr = 0;
    while (!status && (code = getopt_long(argc, argv, letters, names, NULL)) >= 0) {
        if (code == '?')
            status = complain_of_option(c, argv);
        else if (code == ':')
            status = complain_of_missing_value(c);
        else
            status = take(context, option_of(c, code)->id, optarg);
    }
    *ret_operands = optind;
    free(names);
    free(letters);
    return status;
}

int command_one_too_many(const struct command *c, const char *operand)
{
    return complain(CHANNEL_EXIT_USAGE, "%s does not take '%s'; see 'ebb help %s'", c->name,
                    operand, c->name);
}

const struct command *command_find(const struct command *const *all, const char *name)
{
    for (; *all; all++)
        if (strcmp((*all)->name, name) == 0)
            return *all;
    return NULL;
}

bool command_asks_for_help(int argc, char **argv)
{
    return argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0);
}

int command_start(const struct command *c, int argc, char **argv)
{
    if (command_asks_for_help(argc, argv))
        return command_help_one(c);
    engine_take_limits();
    return c->run(c, argc, argv);
}

int command_unknown(const struct command *const *all, const char *name)
{
    struct nearest_word n;
    nearest_word_begin(&n, name);
    for (; *all; all++)
        nearest_word_consider(&n, (*all)->name);
    if (n.best)
        return complain(CHANNEL_EXIT_USAGE, "there is no command '%s'; did you mean 'ebb %s'? "
                        "'ebb help' lists all commands", name, n.best);
    return complain(CHANNEL_EXIT_USAGE, "there is no command '%s'; 'ebb help' lists all commands",
                    name);
}
