/* The commands of ebb's own prompt, for other front ends: `ebb history x` in gdb is answered as at
 * the prompt.
 *
 * front/debugger/interpreter.c implements it. Front ends do not include one another, so it is
 * declared here.
 */
#ifndef DEBUG_INTERPRETER_H
#define DEBUG_INTERPRETER_H

#include "debug/debug.h"

struct interpreter;

/* Makes an interpreter on a session that the caller keeps. */
struct interpreter *interpreter_create(struct recording *rec, struct session *s);
/* Makes an interpreter on the caller's debugger, which the caller keeps: both see the same
 * breakpoints and frames. The caller's client functions are still called during movements. */
struct interpreter *interpreter_over(struct debug *d);
void interpreter_destroy(struct interpreter *i); /* accepts NULL */
struct debug *interpreter_debug(struct interpreter *i);

/* True if the line begins with a command that is allowed here; *ret_moves: the command moves. */
bool interpreter_knows(const char *line, bool *ret_moves);

/* Runs the command.  *ret_text is what it said, to be freed, also if it failed. */
struct error *interpreter_obey(struct interpreter *i, const char *line, char **ret_text);

#endif
