/* The prompt's commands for other front ends (debug/interpreter.h): one line, and what is said. */
#include <stdlib.h>
#include <string.h>

#include "debug/interpreter.h"
#include "front/debugger/dbg_internal.h"

struct interpreter {
    struct dbg d;
};

/* What means something only where lines are typed one after the other. */
static const char *const only_typed[] = {
    "quit", "layout", "tui", "commands", "source", "play", "bplay", "track", "shell", "define",
    "document", "if", "while", "alias", "pipe", "cd", "save",
};

struct interpreter *interpreter_create(struct recording *rec, struct session *s)
{
    struct interpreter *i = xalloc(sizeof *i);
    *i = (struct interpreter){.d = {.is_lent = true, .settings = {.context = 2, .listsize = 10}}};
    struct debug_client client = dbg_client(&i->d);
    i->d.debug = debug_over(rec, s, &client);
    return i;
}

void interpreter_destroy(struct interpreter *i)
{
    if (!i)
        return;
    debug_close(i->d.debug);
    free(i);
}

struct debug *interpreter_debug(struct interpreter *i)
{
    return i->d.debug;
}

bool interpreter_knows(const char *line, bool *ret_moves)
{
    const struct dbg_command *c = dbg_command_of(line);
    for (size_t n = 0; c && n < countof(only_typed); n++)
        if (strcmp(c->name, only_typed[n]) == 0)
            return false;
    *ret_moves = c && c->flags & MOVES;
    return c;
}

char *interpreter_obey(struct interpreter *i, const char *line, bool *ret_failed)
{
    char *text = dbg_capture_line(&i->d, line, ret_failed);
    debug_strings_deinit(&i->d.debug->due); /* there is nowhere to obey them */
    i->d.debug->due = LIST(char *);
    return text;
}
