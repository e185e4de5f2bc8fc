/* The command line: the options and operands of every command, described once.
 *
 * A command is a `struct command`: its options, its operands and its help. Each front end defines
 * the commands it offers; src/all_commands.c lists them. Everything that concerns options uses this
 * description:
 *
 *   command_read.c        parses a command line with getopt_long, and reports mistakes
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

/* The kind of a value or operand, which decides what a shell offers for it. */
enum command_kind {
    NAMES_ANYTHING, NAMES_WORD, NAMES_FILE, NAMES_FOLDER, NAMES_RECORDING, NAMES_PROGRAM,
    NAMES_COMMAND, NAMES_NOTHING,
};

struct command_option {
    int id;              /* chosen by the command; a row with id 0 ends a table */
    char letter;         /* 0: none */
    const char *name;    /* NULL: none */
    const char *value;   /* name of the value; NULL: the option takes none */
    bool may_lack_value; /* the value is optional and must be joined: --chaos=SEED */
    bool repeats;
    enum command_kind kind;
    const char *words;   /* NAMES_WORD: the possible values, separated by blanks */
    const char *help;
    int form;            /* 0: for all forms of the command; N: only for the Nth */
};

enum { COMMAND_FORMS = 2 };

struct command {
    const char *name;
    int (*run)(const struct command *c, int argc, char **argv); /* argv[0] is the command's name */
    const char *operands[COMMAND_FORMS]; /* of each form; NULL: there is no such form */
    enum command_kind operand_kind;
    bool runs_program;   /* options end at the first operand */
    const struct command_option *options; /* NULL: none */
    const char *summary; /* one line */
    const char *about;   /* text before the options; NULL: nothing */
    void (*list)(void);  /* prints text after the options; may be NULL */
    const char *after;   /* the rest of the text; NULL: nothing */
    const char *examples[2]; /* command lines that work unchanged */
};

/* Parses the options of a command line and calls `take` for each, which returns 0 or a status after
 * a complaint. *ret_operands is the index of the first operand: operands are at the end of argv,
 * which may be reordered. Returns 0, or a status after a complaint. */
typedef int command_take(void *context, int id, const char *value);
int command_read(const struct command *c, int argc, char **argv, command_take *take, void *context,
                 int *ret_operands);

/* Complains about one operand too many, and returns a status. */
int command_one_too_many(const struct command *c, const char *operand);

/* The commands; the table ends with NULL. */
const struct command *command_find(const struct command *const *all, const char *name);
int command_unknown(const struct command *const *all, const char *name); /* a status */

/* Runs a command, whose name is argv[0], or explains it if that is what its first argument asks
 * for. What comes later may belong to the program that is to run. Returns a status. */
int command_start(const struct command *c, int argc, char **argv);
bool command_asks_for_help(int argc, char **argv);

/* Each prints and returns a status. */
int command_help_all(const struct command *const *all);
int command_help_one(const struct command *c);
int command_version(void);
/* NULL: the page of ebb itself */
int command_manual(const struct command *const *all, const struct command *c);
int command_completion(const struct command *const *all, const char *shell);

#endif
