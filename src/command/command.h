/* The command line: what every command of ebb takes, described once.
 *
 * A command is a `struct command`: its options, its operands and its help.  Each front end defines
 * the commands it offers; src/main.c lists them.  Everything that speaks about options reads this
 * description:
 *
 *   command_read.c        reads a command line with getopt_long, and names mistakes
 *   command_help.c        usage lines and `ebb help`
 *   command_manual.c      manual pages: `ebb help --manual [COMMAND]`
 *   command_completion.c  completion for bash, zsh and fish: `ebb help --completion SHELL`
 *   recording_choice.c    options that commands about a recording share
 *
 * In a text each line is a paragraph, which is wrapped when it is shown. A line that begins with a
 * blank is not wrapped.
 */
#ifndef COMMAND_H
#define COMMAND_H

#include <stdbool.h>

/* What a value or an operand names: what a shell offers for it. */
enum command_kind {
    NAMES_ANYTHING, NAMES_WORD, NAMES_FILE, NAMES_FOLDER, NAMES_RECORDING, NAMES_PROGRAM,
    NAMES_COMMAND, NAMES_NOTHING,
};

struct command_option {
    int id;              /* the command's own; the row with id 0 ends a table */
    char letter;         /* 0: none */
    const char *name;    /* NULL: none */
    const char *value;   /* how the value is called; NULL: the option takes none */
    bool may_lack_value; /* then a value is joined: --chaos=SEED */
    bool repeats;
    enum command_kind kind;
    const char *words;   /* NAMES_WORD: the values there are, with a blank between them */
    const char *help;
    int form;            /* 0: of all forms of the command; N: only of the Nth */
};

enum { COMMAND_FORMS = 2 };

struct command {
    const char *name;
    int (*run)(const struct command *c, int argc, char **argv); /* argv[0] is the name */
    const char *operands[COMMAND_FORMS]; /* of each form; NULL: there is no such form */
    enum command_kind operand_kind;
    bool runs_program;   /* options end at the first operand */
    const struct command_option *options; /* NULL: none */
    const char *summary; /* one line */
    const char *about;   /* before the options; NULL: nothing */
    void (*list)(void);  /* prints lines after the options; may be NULL */
    const char *after;   /* the rest; NULL: nothing */
    const char *examples[2]; /* command lines that work as they are */
};

/* Reads the options of a command line and hands each to `take`, which returns 0 or a status after
 * a complaint.  *ret_operands is the index of the first operand: they stand at the end of argv,
 * which may be rearranged.  0, or a status after a complaint. */
typedef int command_take(void *context, int id, const char *value);
int command_read(const struct command *c, int argc, char **argv, command_take *take, void *context,
                 int *ret_operands);

/* A status after a complaint that an operand is one too many. */
int command_one_too_many(const struct command *c, const char *operand);

/* The commands; the table ends with NULL. */
const struct command *command_find(const struct command *const *all, const char *name);
int command_unknown(const struct command *const *all, const char *name); /* a status */

/* Each prints and returns a status. */
int command_help_all(const struct command *const *all);
int command_help_one(const struct command *c);
int command_version(void);
int command_manual(const struct command *const *all, const struct command *c); /* NULL: of ebb */
int command_completion(const struct command *const *all, const char *shell);

#endif
