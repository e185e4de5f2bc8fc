/* Manual pages, with the man macros of groff and mandoc. */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/version.h"
#include "base/xalloc.h"
#include "command/command_internal.h"

/* Escapes backslashes and hyphens, which are special in groff, and a dot or quote at the beginning
 * of a line. */
static void print_escaped(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else
            putc(*text, out);
    }
}

static void manual_paragraph(FILE *out, const char *text)
{
    fputs(".PP\n", out);
    print_escaped(out, text);
    putc('\n', out);
}

static void manual_line(FILE *out, const char *text)
{
    fputs(".br\n.nf\n", out);
    print_escaped(out, text);
    fputs("\n.fi\n", out);
}

static void manual_head(const char *page, const char *summary)
{
    printf(".TH %s 1 \"\" \"ebb " EBB_VERSION "\" \"ebb\"\n.SH NAME\n%s \\- ", page, page);
    print_escaped(stdout, summary);
    printf("\n.SH SYNOPSIS\n");
}

static void manual_option(const struct command_option *o)
{
    printf(".TP\n.B ");
    for (int as_long = 0; as_long < 2; as_long++) {
        if (as_long ? !o->name : !o->letter)
            continue;
        char *spelled = command_option_spelled(o, as_long);
        if (as_long && o->letter)
            printf(", ");
        print_escaped(stdout, spelled);
        free(spelled);
    }
    printf("\n");
    print_escaped(stdout, o->help);
    printf("\n");
}

static void manual_one(const struct command *c)
{
    char *page = xformat("ebb-%s", c->name);
    manual_head(page, c->summary);
    free(page);
    for (int form = 0; form < COMMAND_FORMS && c->operands[form]; form++) {
        char *synopsis = command_synopsis(c, form);
        if (form)
            printf(".br\n");
        print_escaped(stdout, synopsis);
        printf("\n");
        free(synopsis);
    }
    if (c->about)
        printf(".SH DESCRIPTION\n");
    command_each_paragraph(c->about, manual_paragraph, manual_line, stdout);
    if (c->options)
        printf(".SH OPTIONS\n");
    for (const struct command_option *o = c->options; o && o->id; o++)
        manual_option(o);
    if (c->list) {
        printf(".PP\n.nf\n");
        c->list();
        printf(".fi\n");
    }
    if (c->after)
        printf(".SH NOTES\n");
    command_each_paragraph(c->after, manual_paragraph, manual_line, stdout);
    printf(".SH EXAMPLES\n.nf\n");
    for (int n = 0; n < 2; n++) {
        print_escaped(stdout, c->examples[n]);
        printf("\n");
    }
    printf(".fi\n");
    printf(".SH SEE ALSO\n.BR ebb (1)\n");
}

static void manual_all(const struct command *const *all)
{
    manual_head("ebb", "a time-travel debugger for x86-64 Linux programs");
    printf("ebb COMMAND [ARGUMENT]...\n.SH DESCRIPTION\n");
    print_escaped(stdout, "ebb records a run of an unmodified program once and moves through it in "
                          "both directions. It needs no performance counters, no ptrace, no root "
                          "and no special compiler.");
    printf("\n.SH COMMANDS\n");
    for (const struct command *const *c = all; *c; c++) {
        printf(".TP\n.BR ebb\\-%s (1)\n", (*c)->name);
        print_escaped(stdout, (*c)->summary);
        printf("\n");
    }
    printf(".SH ENVIRONMENT\n.TP\n.B EBB_RECORDINGS\n");
    print_escaped(stdout, "the folder of recordings; the default is ~/.local/share/ebb");
    printf("\n.TP\n.B EBB_SNAPSHOTS\n");
    print_escaped(stdout, "how many bytes of snapshots the cache may hold, with K, M or G; the "
                          "default is 1G, and off turns them off");
    printf("\n.TP\n.B EBB_TRANSLATIONS\n");
    print_escaped(stdout, "how many bytes of translations the cache may hold; the default is 256M, "
                          "and off turns them off");
    printf("\n.TP\n.B EBB_GDB\nthe gdb that ebb gdb starts\n");
    printf(".SH EXIT STATUS\n");
    print_escaped(stdout, "0 on success, 2 if the command line is wrong, 125 if ebb itself failed. "
                          "The page of a command lists the others.");
    printf("\n");
}

int command_manual(const struct command *const *all, const struct command *c)
{
    if (c)
        manual_one(c);
    else
        manual_all(all);
    return complain_if_unwritten();
}
