/* The prompt's commands for other front ends (debug/interpreter.h): executes one line and returns
 * the output. */
#include <stdlib.h>
#include <string.h>

#include "debug/interpreter.h"
#include "front/debugger/dbg_internal.h"

struct interpreter {
    struct dbg d;
    bool is_over;              /* the debugger is the caller's */
    struct debug_client owner; /* the owner's client, while a command is executed */
};

/* Commands that make sense only where lines are typed one after the other. */
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

struct interpreter *interpreter_over(struct debug *d)
{
    struct interpreter *i = xalloc(sizeof *i);
    *i = (struct interpreter){
        .is_over = true,
        .d = {.is_lent = true, .debug = d, .settings = {.context = 2, .listsize = 10}},
    };
    return i;
}

void interpreter_destroy(struct interpreter *i)
{
    if (!i)
        return;
    if (!i->is_over)
        debug_close(i->d.debug);
    list_deinit(&i->d.thread_names);
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

/* Messages during a command become part of its answer; progress is reported to the owner. */
static void interpreter_say(void *context, const char *bytes, size_t size)
{
    struct interpreter *i = context;
    struct debug_client own = dbg_client(&i->d);
    own.say(own.context, bytes, size);
}

static void interpreter_note(void *context, const char *note)
{
    struct interpreter *i = context;
    struct debug_client own = dbg_client(&i->d);
    own.note(own.context, note);
}

static void interpreter_progress(void *context, const struct session_progress *p)
{
    struct interpreter *i = context;
    if (i->owner.progress)
        i->owner.progress(i->owner.context, p);
}

static void interpreter_moved(void *context)
{
    struct interpreter *i = context;
    if (i->owner.moved)
        i->owner.moved(i->owner.context);
}

static void interpreter_listen(struct interpreter *i)
{
    struct debug_client client = {.say = interpreter_say,
                                  .note = interpreter_note,
                                  .progress = interpreter_progress,
                                  .moved = interpreter_moved,
                                  .context = i};
    i->owner = debug_listen(i->d.debug, &client);
}

struct error *interpreter_obey(struct interpreter *i, const char *line, char **ret_text)
{
    if (i->is_over)
        interpreter_listen(i);
    struct error *err;
    *ret_text = dbg_capture_line(&i->d, line, &err);
    if (i->is_over)
        debug_listen(i->d.debug, &i->owner);
    debug_strings_deinit(&i->d.debug->due); /* there is no prompt to execute them */
    i->d.debug->due = LIST(char *);
    return err;
}
