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

/* ebb record: the status of the program. */
int cli_record(int argc, char **argv);
void cli_record_explain(void);

/* ebb replay --verify, --run: 0 if everything came out as recorded, 3 if not. */
int cli_replay(int argc, char **argv);

/* ebb ls, info, dump, rm: what recordings there are, and what is in one. */
int cli_ls(int argc, char **argv);
void cli_ls_explain(void);
int cli_info(int argc, char **argv);
void cli_info_explain(void);
int cli_dump(int argc, char **argv);
void cli_dump_explain(void);
int cli_rm(int argc, char **argv);
void cli_rm_explain(void);

/* ebb pack: a recording in one file. */
int cli_pack(int argc, char **argv);
void cli_pack_explain(void);

/* Help on all commands (the table ends with an empty name), or on one. */
int cli_help_all(const struct cli_command *commands);
int cli_help_one(const struct cli_command *command);

int cli_version(void);

#endif
