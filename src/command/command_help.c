/* Help of the command line: usage lines, `ebb help [COMMAND]` and `ebb --version`.
 *
 * All text comes from the table of commands (command.h). Paragraphs are wrapped to the width of a
 * terminal; words inside brackets stay together, so that `[-o DIRECTORY]` is never broken.
 */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "command/command_internal.h"

#ifndef EBB_COMMIT /* set by the Makefile */
#define EBB_COMMIT ""
#endif

enum { HELP_WIDTH = 79, HELP_COLUMN = 24 };

char *command_option_spelled(const struct command_option *o, bool as_long)
{
    if (!o->value)
        return as_long ? xformat("--%s", o->name) : xformat("-%c", o->letter);
    if (!as_long)
        return xformat("-%c %s", o->letter, o->value);
    if (o->may_lack_value)
        return xformat("--%s[=%s]", o->name, o->value);
    return xformat("--%s=%s", o->name, o->value);
}

char *command_synopsis(const struct command *c, int form)
{
    char *ret = xformat("ebb %s", c->name);
    for (const struct command_option *o = c->options; o && o->id; o++) {
        if (o->form && o->form != form + 1)
            continue;
        char *spelled = command_option_spelled(o, o->name && (!o->letter || !o->value));
        char *more = xformat("%s [%s]%s", ret, spelled, o->repeats ? "..." : "");
        free(spelled);
        free(ret);
        ret = more;
    }
    if (!*c->operands[form])
        return ret;
    char *whole = xformat("%s %s%s", ret, c->runs_program ? "[--] " : "", c->operands[form]);
    free(ret);
    return whole;
}

/* The length up to a blank outside of brackets: this much stays on one line. */
static size_t word_length(const char *text)
{
    size_t length = 0;
    int depth = 0;
    for (; text[length] && (depth > 0 || text[length] != ' '); length++)
        depth += (text[length] == '[') - (text[length] == ']');
    return length;
}

void command_print_wrapped(FILE *out, const char *text, int column, int indent, int width)
{
    int at = column;
    bool first = true;
    while (*text) {
        int length = (int)word_length(text);
        if (!first && at + 1 + length > width) {
            fprintf(out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            putc(' ', out);
            at++;
        }
        fprintf(out, "%.*s", length, text);
        at += length;
        text += length;
        text += strspn(text, " ");
        first = false;
    }
    putc('\n', out);
}

void command_each_paragraph(const char *text, void (*paragraph)(FILE *out, const char *text),
                            void (*line)(FILE *out, const char *text), FILE *out)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        char *one = xformat("%.*s", (int)length, text);
        if (*one)
            (*one == ' ' ? line : paragraph)(out, one);
        free(one);
        text += length + (text[length] == '\n');
    }
}

static bool after_line; /* lines that are not wrapped are not separated */

static void help_paragraph(FILE *out, const char *text)
{
    putc('\n', out);
    command_print_wrapped(out, text, 0, 0, HELP_WIDTH);
    after_line = false;
}

static void help_line(FILE *out, const char *text)
{
    fprintf(out, "%s%s\n", after_line ? "" : "\n", text);
    after_line = true;
}

static void print_option(const struct command_option *o)
{
    char *spelled = o->name ? command_option_spelled(o, true) : command_option_spelled(o, false);
    char *both = o->letter && o->name ? xformat("-%c, %s", o->letter, spelled)
                                      : xformat("%s", spelled);
    int length = printf("  %s", both);
    if (length + 2 > HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", HELP_COLUMN - length, "");
    command_print_wrapped(stdout, o->help, HELP_COLUMN, HELP_COLUMN, HELP_WIDTH);
    free(both);
    free(spelled);
}

static void print_usage(const struct command *c)
{
    for (int form = 0; form < COMMAND_FORMS && c->operands[form]; form++) {
        char *synopsis = command_synopsis(c, form);
        printf("%s", form ? "       " : "usage: ");
        command_print_wrapped(stdout, synopsis, 7, 11, HELP_WIDTH);
        free(synopsis);
    }
}

int command_help_one(const struct command *c)
{
    after_line = false;
    print_usage(c);
    printf("\n");
    command_print_wrapped(stdout, c->summary, 0, 0, HELP_WIDTH);
    command_each_paragraph(c->about, help_paragraph, help_line, stdout);
    if (c->options)
        printf("\n");
    for (const struct command_option *o = c->options; o && o->id; o++)
        print_option(o);
    if (c->list) {
        printf("\n");
        c->list();
    }
    command_each_paragraph(c->after, help_paragraph, help_line, stdout);
    printf("\nExamples:\n    %s\n    %s\n", c->examples[0], c->examples[1]);
    return complain_if_unwritten();
}

int command_help_all(const struct command *const *all)
{
    printf("ebb: a time-travel debugger for x86-64 Linux programs\n"
           "\n"
           "usage: ebb COMMAND [ARGUMENT]...\n"
           "\n");
    for (; *all; all++)
        printf("  %-8s %s\n", (*all)->name, (*all)->summary);
    printf("\n"
           "'ebb help COMMAND' explains one command; 'ebb --version' prints the version.\n");
    return complain_if_unwritten();
}

int command_version(void)
{
    printf("ebb " EBB_VERSION "%s" EBB_COMMIT "%s\n", *EBB_COMMIT ? " (" : "",
           *EBB_COMMIT ? ")" : "");
    return complain_if_unwritten();
}
