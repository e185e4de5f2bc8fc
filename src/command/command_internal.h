/* What the files of this folder share. */
#ifndef COMMAND_INTERNAL_H
#define COMMAND_INTERNAL_H

#include <stdio.h>

#include "command/command.h"

/* The option as a user writes it: "-o DIRECTORY", "--chaos[=SEED]"; to be freed. */
char *command_option_spelled(const struct command_option *o, bool as_long);

/* Prints `text` in lines of at most `width` columns; all but the first begin with `indent` blanks,
 * the first stands at `column`. */
void command_print_wrapped(FILE *out, const char *text, int column, int indent, int width);

/* Calls `paragraph` for each paragraph of the text, and `line` for each line that is not
 * wrapped. */
void command_each_paragraph(const char *text, void (*paragraph)(FILE *out, const char *text),
                            void (*line)(FILE *out, const char *text), FILE *out);

/* What is said of the form's usage: "ebb record [-q] ... PROGRAM [ARGUMENT]..."; to be freed. */
char *command_synopsis(const struct command *c, int form);

#endif
