/* The command line: what each command of ebb does.
 *
 * A command gets the arguments from its own name on and returns the status ebb ends with.
 * The table of commands is in main.c.
 */
#ifndef FRONT_CLI_H
#define FRONT_CLI_H

struct cli_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage;      /* what follows "ebb " */
    const char *summary;    /* one line */
    void (*explain)(void);  /* prints the rest of the help, if there is any */
};

/* ebb exec: does not return if all goes well. */
int cli_exec(int argc, char **argv);
void cli_exec_explain(void);

/* Help on all commands (the table ends with an empty name), or on one. */
int cli_help_all(const struct cli_command *commands);
int cli_help_one(const struct cli_command *command);

int cli_version(void);

#endif
