/* What the files of this folder share. */
#ifndef COMMAND_INTERNAL_H
#define COMMAND_INTERNAL_H

#include <stdio.h>

#include "command/command.h"

/* Returns the option in the user's syntax: "-o DIRECTORY", "--chaos[=SEED]"; the caller frees
 * it. */
char *command_option_spelled(const struct command_option *o, bool as_long);

/* Prints `text` in lines of at most `width` columns. The first begins at `column`, all others are
 * indented by `indent` blanks. */
void command_print_wrapped(FILE *out, const char *text, int column, int indent, int width);

/* Calls `paragraph` for each paragraph of the text, and `line` for each line that is not
 * wrapped. */
void command_each_paragraph(const char *text, void (*paragraph)(FILE *out, const char *text),
                            void (*line)(FILE *out, const char *text), FILE *out);

/* Returns the usage of a form: "ebb record [-q] ... PROGRAM [ARGUMENT]..."; the caller frees it. */
char *command_synopsis(const struct command *c, int form);

#endif
