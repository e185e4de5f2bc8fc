/* Completion scripts for bash, zsh and fish.
 *
 * A script is generated from the table of commands: after `ebb` it offers the commands, after a
 * command its options, and values and operands by their kind. Recordings are listed by `ebb ls
 * --names`.
 */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "command/command_internal.h"
#include "log/channel.h"

/* The completion for a kind in each shell. */

static const char *bash_kind(enum command_kind kind)
{
    switch (kind) {
    case NAMES_FILE:      return "_ebb_files -f";
    case NAMES_FOLDER:    return "_ebb_files -d";
    case NAMES_RECORDING: return "_ebb_words \"$(ebb ls --names 2>/dev/null)\"; _ebb_files -f more";
    case NAMES_PROGRAM:   return "_ebb_program";
    case NAMES_COMMAND:   return "_ebb_words \"$_ebb_commands\"";
    default:              return ":";
    }
}

static const char *zsh_kind(enum command_kind kind)
{
    switch (kind) {
    case NAMES_FILE:      return "_files";
    case NAMES_FOLDER:    return "_files -/";
    case NAMES_RECORDING: return "_ebb_recordings";
    case NAMES_PROGRAM:   return "_normal";
    case NAMES_COMMAND:   return "_ebb_commands";
    default:              return " ";
    }
}

/* --- bash --------------------------------------------------------------------------------- */

static void bash_options(const struct command *c)
{
    for (const struct command_option *o = c->options; o && o->id; o++) {
        if (o->letter)
            printf("-%c ", o->letter);
        if (o->name)
            printf("--%s%s ", o->name, o->value && !o->may_lack_value ? "=" : "");
    }
}

static void bash_value(const struct command *c, const struct command_option *o)
{
    if (!o->value || o->may_lack_value)
        return;
    printf("        %s:", c->name);
    if (o->letter)
        printf("-%c%s", o->letter, o->name ? "|" : "");
    if (o->letter && o->name)
        printf("%s:", c->name);
    if (o->name)
        printf("--%s", o->name);
    if (o->words)
        printf(") _ebb_words '%s'; return ;;\n", o->words);
    else
        printf(") %s; return ;;\n", bash_kind(o->kind));
}

static void completion_bash(const struct command *const *all)
{
    printf("# Completion of ebb for bash; made by 'ebb help --completion=bash'.\n"
           "_ebb_commands='");
    for (const struct command *const *c = all; *c; c++)
        printf("%s%s", c == all ? "" : " ", (*c)->name);
    printf("'\n"
           "_ebb_words() { COMPREPLY+=($(compgen -W \"$1\" -- \"$cur\")); }\n"
           "_ebb_files() { compopt -o filenames 2>/dev/null; COMPREPLY+=($(compgen $1 -- "
           "\"$cur\")); }\n"
           "_ebb_program() {\n"
           "    local i=2\n"
           "    while [[ $i -lt $COMP_CWORD && ${COMP_WORDS[i]} == -* ]]; do ((i++)); done\n"
           "    if declare -F _command_offset >/dev/null; then _command_offset $i\n"
           "    else COMPREPLY+=($(compgen -c -f -- \"$cur\")); fi\n"
           "}\n"
           "_ebb() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} options=\n"
           "    COMPREPLY=()\n"
           "    if [[ $COMP_CWORD -eq 1 ]]; then\n"
           "        _ebb_words \"$_ebb_commands --help --version\"; return\n"
           "    fi\n"
           "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
           "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    case ${COMP_WORDS[1]}:$prev in\n");
    for (const struct command *const *c = all; *c; c++)
        for (const struct command_option *o = (*c)->options; o && o->id; o++)
            bash_value(*c, o);
    printf("    esac\n"
           "    case ${COMP_WORDS[1]} in\n");
    for (const struct command *const *c = all; *c; c++) {
        printf("        %s) options='", (*c)->name);
        bash_options(*c);
        printf("--help'; [[ $cur == -* ]] || { %s; } ;;\n", bash_kind((*c)->operand_kind));
    }
    printf("    esac\n"
           "    [[ $cur != -* ]] || _ebb_words \"$options\"\n"
           "    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
           "}\n"
           "complete -F _ebb ebb\n");
}

/* --- zsh ---------------------------------------------------------------------------------- */

/* Prints text for single quotes, in the description part of a specification. */
static void print_quoted(const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* Prints only the first sentence or clause. */
static void print_brief(const char *text, const char *escaped)
{
    char brief[64];
    snprintf(brief, sizeof brief, "%.*s", (int)strcspn(text, ";:."), text);
    print_quoted(brief, escaped);
}

static void zsh_option(const struct command_option *o)
{
    for (int as_long = 0; as_long < 2; as_long++) {
        if (as_long ? !o->name : !o->letter)
            continue;
        printf("                '%s", o->repeats ? "*" : "");
        if (as_long)
            printf("--%s%s", o->name, !o->value ? "" : o->may_lack_value ? "=-" : "=");
        else
            printf("-%c", o->letter);
        printf("[");
        print_brief(o->help, "[]:\\");
        printf("]");
        if (o->value)
            printf(":%s%s:", o->may_lack_value ? ":" : "", o->value);
        if (o->value && o->words)
            printf("(%s)", o->words);
        else if (o->value)
            printf("%s", zsh_kind(o->kind));
        printf("' \\\n");
    }
}

static void completion_zsh(const struct command *const *all)
{
    printf("#compdef ebb\n"
           "# Completion of ebb for zsh; made by 'ebb help --completion=zsh'.\n"
           "_ebb_recordings() {\n"
           "    local -a names\n"
           "    names=(${(f)\"$(ebb ls --names 2>/dev/null)\"})\n"
           "    _alternative 'recordings:recording:compadd -a names' 'files:file:_files'\n"
           "}\n"
           "_ebb_commands() {\n"
           "    local -a commands\n"
           "    commands=(\n");
    for (const struct command *const *c = all; *c; c++) {
        printf("        '%s:", (*c)->name);
        print_quoted((*c)->summary, ":\\");
        printf("'\n");
    }
    printf("    )\n"
           "    _describe command commands\n"
           "}\n"
           "_ebb() {\n"
           "    local curcontext=$curcontext state line\n"
           "    _arguments -C '1:command:_ebb_commands' '*::argument:->rest'\n"
           "    [[ $state == rest ]] || return\n"
           "    case $line[1] in\n");
    for (const struct command *const *c = all; *c; c++) {
        printf("        %s)\n            _arguments -s%s \\\n", (*c)->name,
               (*c)->runs_program ? " -A '-*'" : "");
        for (const struct command_option *o = (*c)->options; o && o->id; o++)
            zsh_option(o);
        printf("                '--help[explain the command]' \\\n                '*:%s:%s' ;;\n",
               *(*c)->operands[0] ? "operand" : "", zsh_kind((*c)->operand_kind));
    }
    printf("    esac\n"
           "}\n"
           "_ebb \"$@\"\n");
}

/* --- fish --------------------------------------------------------------------------------- */

static void fish_option(const struct command *c, const struct command_option *o)
{
    printf("complete -c ebb -n '__fish_seen_subcommand_from %s'", c->name);
    if (o->letter)
        printf(" -s %c", o->letter);
    if (o->name)
        printf(" -l %s", o->name);
    if (o->value && !o->may_lack_value)
        printf(" -r");
    if (o->words)
        printf(" -f -a '%s'", o->words);
    else if (o->kind == NAMES_FILE)
        printf(" -F");
    else if (o->kind == NAMES_FOLDER)
        printf(" -f -a '(__fish_complete_directories)'");
    else if (o->value)
        printf(" -f");
    printf(" -d '");
    print_brief(o->help, "");
    printf("'\n");
}

static void completion_fish(const struct command *const *all)
{
    printf("# Completion of ebb for fish; made by 'ebb help --completion=fish'.\n"
           "complete -c ebb -f\n");
    for (const struct command *const *c = all; *c; c++) {
        printf("complete -c ebb -n __fish_use_subcommand -a %s -d '", (*c)->name);
        print_quoted((*c)->summary, "");
        printf("'\n");
        for (const struct command_option *o = (*c)->options; o && o->id; o++)
            fish_option(*c, o);
        if ((*c)->operand_kind == NAMES_RECORDING)
            printf("complete -c ebb -n '__fish_seen_subcommand_from %s' -F "
                   "-a '(ebb ls --names 2>/dev/null)'\n", (*c)->name);
        else if ((*c)->operand_kind == NAMES_PROGRAM)
            printf("complete -c ebb -n '__fish_seen_subcommand_from %s' "
                   "-a '(__fish_complete_subcommand --fcs-skip=2)'\n", (*c)->name);
        else if ((*c)->operand_kind == NAMES_COMMAND)
            for (const struct command *const *other = all; *other; other++)
                printf("complete -c ebb -n '__fish_seen_subcommand_from %s' -a %s\n", (*c)->name,
                       (*other)->name);
    }
}

int command_completion(const struct command *const *all, const char *shell)
{
    static const struct {
        const char *shell;
        void (*print)(const struct command *const *all);
    } rows[] = {{"bash", completion_bash}, {"zsh", completion_zsh}, {"fish", completion_fish}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].shell, shell) == 0) {
            rows[i].print(all);
            return complain_if_unwritten();
        }
    }
    return complain(CHANNEL_EXIT_USAGE, "--completion is bash, zsh or fish, not '%s'", shell);
}
