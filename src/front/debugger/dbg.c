/* One command, from its line to its answer.
 *
 * A line is split into the command's name and the rest. The name is looked up in the table
 * (dbg_table.c), the command's function is called, and its answer is printed when it has returned.
 * Lines come from the prompt, from -c options, from files (`source`), and from breakpoints that
 * have commands.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { SOURCES_DEEP = 16 };

static void dbg_say_bytes(void *context, const char *bytes, size_t size)
{
    struct dbg *d = context;
    if (d->answer.text)
        fwrite(bytes, 1, size, d->answer.text);
}

static void dbg_take_note(void *context, const char *note)
{
    dbg_say_note(context, note);
}

struct debug_client dbg_client(struct dbg *d)
{
    return (struct debug_client){.say = dbg_say_bytes,
                                 .note = dbg_take_note,
                                 .progress = dbg_progress,
                                 .moved = dbg_progress_over,
                                 .context = d};
}

/* The name ends at a character that cannot be in it: `x/4x`, `p*head`. */
static size_t name_length(const char *line)
{
    size_t length = 0;
    while (isalnum((u8)line[length]) || line[length] == '-' || line[length] == '_')
        length++;
    return length;
}

const struct dbg_command *dbg_command_of(const char *line)
{
    const struct dbg_command *c = NULL;
    line += strspn(line, " \t");
    size_t length = name_length(line);
    struct error *err = length ? dbg_find_command(line, length, &c) : NULL;
    error_destroy(err);
    return err ? NULL : c;
}

struct error *dbg_run_line(struct dbg *d, const char *line)
{
    const struct dbg_command *c;
    struct error *err = NULL;
    line += strspn(line, " \t");
    size_t length = name_length(line);
    if (!*line || *line == '#')
        return NULL;
    if (*line == '!' || *line == '|') { /* shell and pipe */
        char *spelled = xformat("%s %s", *line == '!' ? "shell" : "pipe", line + 1);
        err = dbg_run_line(d, spelled);
        free(spelled);
        return err;
    }
    if (length && dbg_user_run(d, line, length, &err))
        return err;
    if (!length)
        return error_coded(ERROR_NOT_FOUND, "there is no command '%s'; 'help' lists them", line);
    if ((err = dbg_find_command(line, length, &c)) || (err = dbg_hook(d, "hook", c->name)))
        return err;
    const char *args = line + length + strspn(line + length, " \t");
    char *rest = xformat("%s", args);
    size_t end = strlen(rest);
    while (end > 0 && isspace((u8)rest[end - 1]))
        rest[--end] = '\0';
    err = c->run(d, c, rest);
    free(rest);
    return err ? err : dbg_hook(d, "hookpost", c->name);
}

bool dbg_obey(struct dbg *d, const char *line)
{
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return true;
    if (d->settings.echo && !d->json)
        printf("%s %s\n", d->obeys_due ? ">>" : ">", line);
    struct dbg_answer outer = d->answer; /* of `source`, which executes other lines */
    bool had_copy = session_scratch(d->debug->session);
    dbg_answer_begin(d);
    struct error *err = dbg_run_line(d, line);
    dbg_say_copy(d, had_copy);
    bool worked = !err;
    dbg_answer_end(d, line, err);
    d->answer = outer;
    d->failed |= !worked;
    return worked;
}

/* Executes the commands of breakpoints. After a command that moves, the rest is dropped, since it
 * was meant for the place that was left; the breakpoint reached there may bring its own. */
bool dbg_obey_due(struct dbg *d)
{
    bool worked = true;
    while (d->debug->due.count && !d->quit) {
        struct list due = d->debug->due;
        struct session_place before, after;
        d->debug->due = LIST(char *);
        d->obeys_due = true;
        session_place(d->debug->session, &before);
        for (size_t i = 0; i < due.count && !d->debug->due.count && !d->quit; i++) {
            worked &= dbg_obey(d, ((char **)due.items)[i]);
            session_place(d->debug->session, &after);
            if (moment_compare(before.at, after.at) != 0)
                break;
        }
        d->obeys_due = false;
        debug_strings_deinit(&due);
    }
    return worked;
}

char *dbg_input_file_next(struct dbg_input *in, const char *prompt)
{
    char *line = NULL;
    size_t room = 0;
    (void)prompt;
    ssize_t length = getline(&line, &room, in->file);
    if (length < 0) {
        free(line);
        return NULL;
    }
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        line[--length] = '\0';
    return line;
}

/* At the prompt an empty line repeats the last command, if that makes sense. */
struct error *dbg_read_input(struct dbg *d, struct dbg_input *in, bool stops)
{
    char *line;
    bool works = true;
    int deep = 0;
    for (const struct dbg_input *at = d->input; at; at = at->before)
        deep++;
    if (deep >= SOURCES_DEEP)
        return error_coded(ERROR_MISUSED,
                           "command files are nested too deeply: a file probably reads itself");
    in->before = d->input;
    d->input = in;
    while (!d->quit && works && (line = in->next(in, "(ebb) "))) {
        works = dbg_obey(d, line);
        works = (dbg_obey_due(d) && works) || !stops;
        free(line);
    }
    d->input = in->before;
    return works ? NULL
                 : error_coded(ERROR_MISUSED, "a command failed, so those after it were not run");
}

struct error *dbg_source_file(struct dbg *d, const char *path, bool stops)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return error_errno(errno, "cannot read %s", path);
    struct dbg_input in = {.next = dbg_input_file_next, .file = file};
    struct error *err = dbg_read_input(d, &in, stops);
    fclose(file);
    return err;
}
