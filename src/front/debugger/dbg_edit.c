/* The prompt's line, with libedit: editing, completion, and a history that is saved.
 *
 * libedit asks for one character at a time; Ctrl-C discards the line.
 */
#include <histedit.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "front/debugger/dbg_internal.h"
#include "front/debugger/utf8.h"

enum { HISTORY_MOST = 1000 };

struct edit {
    struct dbg_input input; /* first: other files know only this part */
    struct dbg *d;
    EditLine *el;
    History *history;
    char *history_file;
    char *last;      /* the last command, repeated by an empty line */
    const char *prompt;
    bool dropped;    /* by Ctrl-C */
};

static char *show_prompt(EditLine *el)
{
    struct edit *e;
    el_get(el, EL_CLIENTDATA, &e);
    return (char *)e->prompt;
}

/* Reads one character of one or more bytes; false: there is none. */
static bool read_character(wchar_t *ret)
{
    char bytes[8] = {0};
    const char *at = bytes;
    if (read(STDIN_FILENO, bytes, 1) != 1)
        return false;
    u8 first = (u8)bytes[0];
    int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    for (int i = 1; i <= more && read(STDIN_FILENO, bytes + i, 1) == 1; i++) {
        /* the rest of the character */
    }
    *ret = bytes[0] ? (wchar_t)utf8_decode(&at) : 0;
    return true;
}

/* A Ctrl-D that was typed before libedit took over the terminal arrives as a zero. libedit would
 * take it for the terminal's quote key, which is not set. */
static int get_character(EditLine *el, wchar_t *ret)
{
    struct edit *e;
    el_get(el, EL_CLIENTDATA, &e);
    for (;;) {
        enum dbg_wake wake = dbg_wait(e->d);
        if (wake == WAKE_INTERRUPT) {
            e->dropped = true;
            *ret = L'\n';
            return 1;
        }
        if (wake == WAKE_CHANGED)
            el_resize(el);
        else if (wake == WAKE_GONE || !read_character(ret))
            return 0;
        else if (*ret)
            return 1;
    }
}

/* --- completion ------------------------------------------------------------------------------- */

static unsigned char dbg_edit_complete(EditLine *el, int key)
{
    struct edit *e;
    const LineInfo *info = el_line(el);
    unsigned char result = CC_ERROR;
    (void)key;
    el_get(el, EL_CLIENTDATA, &e);
    char *line = xformat("%.*s", (int)(info->cursor - info->buffer), info->buffer), *choices;
    char *more = dbg_complete_tab(e->d, line, dbg_terminal_width(), &choices);
    if (*more)
        result = el_insertstr(el, more) == 0 ? CC_REFRESH : CC_ERROR;
    if (choices) {
        printf("\n%s", choices);
        fflush(stdout);
        result = CC_REDISPLAY;
    }
    free(choices);
    free(more);
    free(line);
    return result;
}

/* --- history ---------------------------------------------------------------------------------- */

/* $XDG_STATE_HOME/ebb/history, readable only by its owner. */
static char *history_path(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *base = state && *state == '/' ? xformat("%s", state)
               : home && *home ? xformat("%s/.local/state", home) : NULL;
    if (!base)
        return NULL;
    for (char *at = base + 1; *at; at++) { /* parents first */
        if (*at != '/')
            continue;
        *at = '\0';
        mkdir(base, 0700);
        *at = '/';
    }
    mkdir(base, 0700);
    char *folder = xformat("%s/ebb", base);
    mkdir(folder, 0700);
    char *path = xformat("%s/history", folder);
    free(base);
    free(folder);
    return path;
}

static void open_history(struct edit *e)
{
    HistEvent event;
    e->history = history_init();
    history(e->history, &event, H_SETSIZE, HISTORY_MOST);
    history(e->history, &event, H_SETUNIQUE, 1);
    e->history_file = history_path();
    if (e->history_file)
        history(e->history, &event, H_LOAD, e->history_file);
    el_set(e->el, EL_HIST, history, e->history);
}

static void close_history(struct edit *e)
{
    HistEvent event;
    if (e->history_file) {
        mode_t before = umask(077);
        history(e->history, &event, H_SAVE, e->history_file);
        umask(before);
    }
    history_end(e->history);
    free(e->history_file);
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool repeats(const char *line)
{
    const struct dbg_command *c;
    struct error *err = dbg_find_command(line, strcspn(line, " \t/"), &c);
    bool does = !err && c->flags & REPEATS;
    error_destroy(err);
    return does;
}

/* `list`, `x` and similar commands continue: only the name is repeated. */
static char *again(const char *last)
{
    size_t length = strcspn(last, " \t");
    bool goes_on = strncmp(last, "l", 1) == 0 || strncmp(last, "x", 1) == 0;
    return goes_on ? xformat("%.*s", (int)length, last) : xformat("%s", last);
}

static void dbg_edit_remember(struct edit *e, const char *line)
{
    HistEvent event;
    history(e->history, &event, H_ENTER, line);
    dbg_edit_note(e->d, line);
}

/* Returns the command for a typed line. Takes ownership of the line. */
static char *take_line(struct edit *e, char *line, const char *prompt)
{
    line[strcspn(line, "\r\n")] = '\0';
    if (strcmp(prompt, "(ebb) ") != 0)
        return line;
    if (line[strspn(line, " \t")]) {
        dbg_edit_remember(e, line);
        return line;
    }
    free(line);
    return e->last && repeats(e->last) ? again(e->last) : xformat("%s", "");
}

char *dbg_edit_take(struct dbg *d, const char *text, const char *prompt)
{
    return take_line(d->edit, xformat("%s", text), prompt);
}

void dbg_edit_note(struct dbg *d, const char *line)
{
    free(d->edit->last);
    d->edit->last = xformat("%s", line);
}

const char *dbg_edit_recall(struct dbg *d, size_t back)
{
    HistEvent event;
    int found = history(d->edit->history, &event, H_FIRST);
    for (; back > 0 && found >= 0; back--)
        found = history(d->edit->history, &event, H_NEXT);
    return found >= 0 ? event.str : NULL;
}

static char *edit_next(struct dbg_input *in, const char *prompt)
{
    struct edit *e = (struct edit *)in;
    int length = 0;
    e->prompt = prompt;
    if (e->d->tui)
        return dbg_tui_next(e->d, prompt);
    for (;;) {
        e->dropped = false;
        dbg_wait_calm();
        const char *text = el_gets(e->el, &length);
        if (e->dropped)
            continue;
        if (!text || length <= 0) {
            putchar('\n');
            return NULL;
        }
        return take_line(e, xformat("%.*s", length, text), prompt);
    }
}

struct dbg_input *dbg_edit_open(struct dbg *d)
{
    struct edit *e = xalloc(sizeof *e);
    memset(e, 0, sizeof *e);
    e->input.next = edit_next;
    e->d = d;
    e->prompt = "(ebb) ";
    dbg_wait_begin();
    e->el = el_init("ebb", stdin, stdout, stderr);
    el_set(e->el, EL_CLIENTDATA, e);
    el_set(e->el, EL_PROMPT, show_prompt);
    el_set(e->el, EL_EDITOR, "emacs");
    el_set(e->el, EL_GETCFN, get_character);
    el_set(e->el, EL_ADDFN, "ebb-complete", "Complete a word", dbg_edit_complete);
    el_set(e->el, EL_BIND, "^I", "ebb-complete", NULL);
    el_set(e->el, EL_BIND, "^R", "em-inc-search-prev", NULL);
    open_history(e);
    d->edit = e;
    el_source(e->el, NULL); /* ~/.editrc */
    return &e->input;
}

void dbg_edit_close(struct dbg_input *in)
{
    struct edit *e = (struct edit *)in;
    dbg_tui_close(e->d);
    e->d->edit = NULL;
    close_history(e);
    el_end(e->el);
    dbg_wait_end();
    free(e->last);
    free(e);
}
