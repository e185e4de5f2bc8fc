/* The commands of ebb's own prompt, for front ends whose users type elsewhere: `ebb history x` in
 * gdb is answered as at the prompt.
 *
 * front/debugger/interpreter.c has it.  Front ends do not see one another, so it is declared here.
 */
#ifndef DEBUG_INTERPRETER_H
#define DEBUG_INTERPRETER_H

#include "debug/debug.h"

struct interpreter;

/* On a session that is lent, and stays the caller's. */
struct interpreter *interpreter_create(struct recording *rec, struct session *s);
/* On a debugger of the caller's, which it stays: both see the same breakpoints and frames.  What
 * the caller wants to hear of movements, it hears. */
struct interpreter *interpreter_over(struct debug *d);
void interpreter_destroy(struct interpreter *i); /* accepts NULL */
struct debug *interpreter_debug(struct interpreter *i);

/* Does a line begin with a command that may be given here; does that move? */
bool interpreter_knows(const char *line, bool *ret_moves);

/* What the command said, to be freed; with an error, too, if *ret_failed. */
char *interpreter_obey(struct interpreter *i, const char *line, bool *ret_failed);

#endif
