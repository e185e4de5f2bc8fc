/* The full screen: keys, and the command lines that they stand for.
 *
 * Most keys are commands: `s` is step, and `S`, its reverse, is bstep. A colon begins a typed line,
 * with the prompt's completion and history. Both give a line, which is executed as at the prompt;
 * its output is shown among the messages.
 *
 *   keys --:--> typing --Enter--> (a command) --> keys
 *                      --Escape, Ctrl-C--> keys
 *   keys --a key with a command--> (a command) --> keys
 *   keys --q--> (layout off), the prompt
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/debugger/dbg_tui_internal.h"

static const char main_prompt[] = "(ebb) ";

/* --- typing ----------------------------------------------------------------------------------- */

static void begin_typing(struct tui *t, const char *prompt, const char *text)
{
    free(t->typing.prompt);
    t->typing.prompt = xformat("%s", prompt);
    t->typing.on = true;
    t->typing.back = 0;
    typed_line_set(&t->typing.line, text);
}

/* Shows an older or newer line of the history; after the newest comes the line that was being
 * typed. */
static void recall(struct tui *t, bool older)
{
    struct tui_typing *y = &t->typing;
    if (!older && !y->back)
        return;
    size_t back = older ? y->back + 1 : y->back - 1;
    const char *text = back ? dbg_edit_recall(t->d, back - 1) : y->kept;
    if (!text)
        return;
    if (!y->back) {
        free(y->kept);
        y->kept = xformat("%s", y->line.text);
    }
    y->back = back;
    typed_line_set(&y->line, text);
}

static void tui_complete(struct tui *t)
{
    struct typed_line *line = &t->typing.line;
    char *choices, *before = xformat("%.*s", (int)line->cursor, line->text);
    char *more = dbg_complete_tab(t->d, before, (unsigned)screen_width(t->screen), &choices);
    typed_line_insert(line, more, strlen(more));
    if (choices) {
        t->answer = t->scrolled = 0;
        t->fresh = true;
        fputs(choices, stdout);
        tui_messages_collect(t);
    }
    free(choices);
    free(more);
    free(before);
}

/* Returns the line when it is complete; the caller frees it. */
static char *typed_key(struct tui *t, u32 key)
{
    switch (key) {
    case KEY_ENTER:
    case KEY_NEWLINE:
        t->typing.on = false;
        return xformat("%s", t->typing.line.text);
    case KEY_ESCAPE: t->typing.on = false; return NULL;
    case KEY_TAB: tui_complete(t); return NULL;
    case KEY_UP: case KEY_CONTROL('P'): recall(t, true); return NULL;
    case KEY_DOWN: case KEY_CONTROL('N'): recall(t, false); return NULL;
    case KEY_PAGE_UP: tui_messages_scroll(t, t->panes[PANE_MESSAGES].height); return NULL;
    case KEY_PAGE_DOWN: tui_messages_scroll(t, -t->panes[PANE_MESSAGES].height); return NULL;
    case KEY_CONTROL('L'): screen_redraw(t->screen); return NULL;
    default:
        if (key == KEY_BACKSPACE && !t->typing.line.size)
            t->typing.on = false;
        typed_line_key(&t->typing.line, key);
        return NULL;
    }
}

/* --- scrolling -------------------------------------------------------------------------------- */

static void move_cursor(struct tui *t, int lines)
{
    long to = (long)t->cursor + lines;
    t->cursor = to < 1 ? 1 : to > (long)t->view.lines ? t->view.lines : (unsigned)to;
    if (!t->cursor)
        t->cursor = 1;
}

static void scroll_variables(struct tui *t, int lines)
{
    long to = (long)t->first_variable + lines, last = (long)t->view.variables.count - 1;
    t->first_variable = to < 0 || last < 0 ? 0 : (size_t)(to < last ? to : last);
}

static char *choose_frame(struct tui *t, int by)
{
    long to = (long)t->view.selected + by, last = (long)t->view.frames.count - 1;
    to = to < 0 ? 0 : to > last ? last : to;
    return to == (long)t->view.selected || last < 0 ? NULL : xformat("frame %ld", to);
}

static void scroll(struct tui *t, int lines, char **ret_line)
{
    switch (t->focus) {
    case PANE_SOURCE: move_cursor(t, lines); break;
    case PANE_STACK: *ret_line = choose_frame(t, lines); break;
    case PANE_LOCALS: scroll_variables(t, lines); break;
    default: tui_messages_scroll(t, -lines); break;
    }
}

static void scroll_up(struct tui *t, char **line) { scroll(t, -1, line); }
static void scroll_down(struct tui *t, char **line) { scroll(t, 1, line); }
static void scroll_first(struct tui *t, char **line) { scroll(t, -1000000, line); }
static void scroll_last(struct tui *t, char **line) { scroll(t, 1000000, line); }

static void scroll_page_up(struct tui *t, char **line)
{
    scroll(t, -t->panes[t->focus].height, line);
}

static void scroll_page_down(struct tui *t, char **line)
{
    scroll(t, t->panes[t->focus].height, line);
}

static void scroll_left(struct tui *t, char **line)
{
    (void)line;
    t->left = t->left > 8 ? t->left - 8 : 0;
}

static void scroll_right(struct tui *t, char **line)
{
    (void)line;
    t->left += t->left < 4000 ? 8 : 0;
}

/* --- what other keys do ----------------------------------------------------------------------- */

static void next_pane(struct tui *t, char **line)
{
    (void)line;
    t->focus = (t->focus + 1) % PANE_COUNT;
}

static void show_here(struct tui *t, char **line)
{
    (void)line;
    t->cursor = t->view.line ? t->view.line : 1;
    t->left = 0;
    t->focus = PANE_SOURCE;
    t->scrolled = 0;
}

static void more_messages(struct tui *t, char **line)
{
    (void)line;
    t->tall = !t->tall;
}

static void tui_read_on(struct tui *t, char **line)
{
    (void)line;
    tui_messages_scroll(t, 1 - t->panes[PANE_MESSAGES].height);
}

static void draw_again(struct tui *t, char **line)
{
    (void)line;
    screen_redraw(t->screen);
}

/* Makes a command for the cursor's line. */
static void at_cursor(struct tui *t, const char *command, char **line)
{
    if (t->view.file)
        *line = xformat("%s %s:%u", command, t->view.short_file, t->cursor);
}

static void toggle_break(struct tui *t, char **line)
{
    const struct tui_mark *mark = tui_mark_at(t, t->cursor);
    if (mark)
        *line = xformat("delete %u", mark->number);
    else
        at_cursor(t, "break", line);
}

static void until_cursor(struct tui *t, char **line) { at_cursor(t, "until", line); }
static void buntil_cursor(struct tui *t, char **line) { at_cursor(t, "buntil", line); }

static void type_command(struct tui *t, char **line)
{
    (void)line;
    begin_typing(t, main_prompt, "");
}

static void type_print(struct tui *t, char **line)
{
    (void)line;
    begin_typing(t, main_prompt, "print ");
}

static void type_watch(struct tui *t, char **line)
{
    (void)line;
    begin_typing(t, main_prompt, "watch ");
}

static void type_search(struct tui *t, char **line)
{
    (void)line;
    begin_typing(t, "/", "");
}

static void tui_repeat(struct tui *t, char **line)
{
    *line = dbg_edit_take(t->d, "", main_prompt);
    if (!**line) {
        free(*line);
        *line = NULL;
    }
}

/* --- the keys --------------------------------------------------------------------------------- */

/* The first ones are shown on the screen, as many as fit. */
static const struct tui_key keys[] = {
    {'h', "h", "help tui", NULL, "help"},
    {':', ":", NULL, type_command, "command"},
    {'q', "q", "layout off", NULL, "leave"},
    {'s', "s", "step", NULL, "step"}, {'S', "S", "bstep", NULL, "bstep"},
    {'n', "n", "next", NULL, "next"}, {'N', "N", "previous", NULL, "previous"},
    {'f', "f", "finish", NULL, "finish"}, {'F', "F", "before", NULL, "before"},
    {'c', "c", "continue", NULL, "continue"}, {'C', "C", "bcontinue", NULL, "bcontinue"},
    {'u', "u", "undo", NULL, "undo"}, {'r', "r", "redo", NULL, "redo"},
    {'b', "b", NULL, toggle_break, "break"},
    {'t', "t", NULL, until_cursor, "to cursor"}, {'T', "T", NULL, buntil_cursor, "back to cursor"},
    {'o', "o", "out", NULL, "out"}, {'O', "O", "bout", NULL, "bout"},
    {'i', "i", "stepi", NULL, "stepi"}, {'I', "I", "bstepi", NULL, "bstepi"},
    {'+', "+", "up", NULL, "up"}, {'-', "-", "down", NULL, "down"},
    {'<', "<", "goto start", NULL, "to the start"}, {'>', ">", "goto end", NULL, "to the end"},
    {'p', "p", NULL, type_print, "print"}, {'w', "w", NULL, type_watch, "watch"},
    {'/', "/", NULL, type_search, "search the source"},
    {KEY_TAB, "Tab", NULL, next_pane, "next pane"},
    {' ', "Space", NULL, tui_read_on, "more messages"},
    {'m', "m", NULL, more_messages, "room for messages"},
    {KEY_UP, "Up", NULL, scroll_up, "line up"}, {KEY_DOWN, "Down", NULL, scroll_down, "line down"},
    {KEY_PAGE_UP, "PgUp", NULL, scroll_page_up, "page up"},
    {KEY_PAGE_DOWN, "PgDn", NULL, scroll_page_down, "page down"},
    {KEY_HOME, "Home", NULL, scroll_first, "first line"},
    {KEY_END, "End", NULL, scroll_last, "last line"},
    {KEY_LEFT, "Left", NULL, scroll_left, "source to the right"},
    {KEY_RIGHT, "Right", NULL, scroll_right, "source to the left"},
    {'.', ".", NULL, show_here, "back to the place"},
    {KEY_ENTER, "Enter", NULL, tui_repeat, "the last command again"},
    {KEY_CONTROL('L'), "Ctrl-L", NULL, draw_again, "draw all again"},
    /* Other keys for the same commands. */
    {'?', NULL, "help tui", NULL, NULL}, {'k', NULL, NULL, scroll_up, NULL},
    {'j', NULL, NULL, scroll_down, NULL}, {KEY_NEWLINE, NULL, NULL, tui_repeat, NULL},
};

const struct tui_key *tui_keys(size_t *ret_count)
{
    size_t named = 0;
    while (named < countof(keys) && keys[named].name)
        named++;
    *ret_count = named;
    return keys;
}

void dbg_tui_help(struct dbg *d)
{
    size_t count;
    const struct tui_key *all = tui_keys(&count);
    dbg_say(d,
            "'layout src', or ebb replay --tui, shows source, calls, variables and time. Keys:\n");
    for (size_t i = 0; i < count; i++) {
        bool last = i % 3 == 2 || i + 1 == count;
        dbg_say(d, last ? "  %-6s %s\n" : "  %-6s %-19s", all[i].name, all[i].about);
    }
    dbg_say(d,
            "A number before a key is its count: 5n is 'next 5'. After ':' any command can be\n"
            "typed, with Tab and the history as at the prompt; Escape leaves it. Up, Down, PgUp,\n"
            "PgDn, Home and End are for the pane that Tab chose. Ctrl-C stops a movement, Ctrl-D\n"
            "ends ebb. On the time bar, diamonds are bookmarks and crosses are checkpoints.\n"
            "Example: layout src, then 5n\n");
}

/* Returns the line for a key; NULL: the key only changed the screen. */
static char *key_line(struct tui *t, const struct tui_key *k)
{
    char *line = NULL;
    const struct dbg_command *c = NULL;
    if (k->act) {
        k->act(t, &line);
        return line;
    }
    struct error *err = dbg_find_command(k->command, strcspn(k->command, " "), &c);
    bool counts = !err && c->argument == TAKES_COUNT && t->count > 1;
    error_destroy(err);
    return counts ? xformat("%s %llu", k->command, (unsigned long long)t->count)
                  : xformat("%s", k->command);
}

static char *plain_key(struct tui *t, u32 key)
{
    char *line = NULL;
    if (key < 0x80 && isdigit((int)key) && (key != '0' || t->count)) {
        t->count = t->count % 100000000 * 10 + (key - '0');
        return NULL;
    }
    for (size_t i = 0; i < countof(keys); i++) {
        if (keys[i].key != key)
            continue;
        line = key_line(t, &keys[i]);
        break;
    }
    t->count = 0;
    if (line)
        dbg_edit_note(t->d, line);
    return line;
}

/* --- searching -------------------------------------------------------------------------------- */

/* Searches from the line after the cursor, wrapping around; an empty text repeats the last
 * search. */
static void tui_search(struct tui *t, const char *text)
{
    if (*text) {
        free(t->found);
        t->found = xformat("%s", text);
    }
    for (unsigned i = 1; i <= t->view.lines && t->found; i++) {
        unsigned line = (t->cursor - 1 + i) % t->view.lines + 1;
        const char *source = tui_source_line(t, line);
        if (source && strstr(source, t->found)) {
            t->cursor = line;
            return;
        }
    }
    char *complaint = t->found ? xformat("'%s' is not in this file", t->found)
                               : xformat("say what to search for");
    tui_messages_add(t, complaint);
    free(complaint);
}

/* --- the loop --------------------------------------------------------------------------------- */

/* Handles a typed line: returns the command to execute, or NULL. */
static char *take_typed(struct tui *t, char *text, const char *prompt)
{
    char *line = NULL;
    if (strcmp(t->typing.prompt, "/") == 0)
        tui_search(t, text);
    else
        line = dbg_edit_take(t->d, text, prompt);
    free(text);
    if (line && !*line && strcmp(prompt, main_prompt) == 0) {
        free(line);
        line = NULL;
    }
    return line;
}

static char *obey_key(struct tui *t, u32 key, const char *prompt)
{
    if (!t->typing.on)
        return plain_key(t, key);
    char *text = typed_key(t, key);
    return text ? take_typed(t, text, prompt) : NULL;
}

/* False: there are no more keys. */
static bool next_key(struct tui *t, u32 *ret)
{
    enum dbg_wake wake = dbg_wait(t->d);
    *ret = wake == WAKE_KEY ? key_read(STDIN_FILENO) : KEY_NONE;
    if (wake == WAKE_INTERRUPT)
        *ret = t->typing.on ? KEY_ESCAPE : KEY_NONE;
    bool ends = *ret == KEY_CONTROL('D') && (!t->typing.on || !t->typing.line.size);
    return wake != WAKE_GONE && *ret != KEY_GONE && !ends;
}

static void begin_answer(struct tui *t, const char *prompt, const char *line)
{
    const char *mark = strcmp(prompt, main_prompt) == 0 ? "> " : prompt;
    char *echo = xformat("\033[1m%s%s\033[m", mark, line);
    t->answer = t->scrolled = 0;
    t->fresh = true;
    tui_messages_add(t, echo);
    free(echo);
}

char *dbg_tui_next(struct dbg *d, const char *prompt)
{
    struct tui *t = d->tui;
    char *line = NULL;
    u32 key;
    dbg_wait_calm();
    tui_messages_collect(t);
    tui_view_update(t);
    if (strcmp(prompt, main_prompt) != 0)
        begin_typing(t, prompt, "");
    while (!line) {
        tui_draw(t);
        if (!next_key(t, &key))
            return NULL;
        line = obey_key(t, key, prompt);
        if (!line && !t->typing.on && strcmp(prompt, main_prompt) != 0)
            line = xformat("end"); /* ends the lines of `commands` */
    }
    begin_answer(t, prompt, line);
    return line;
}

void dbg_tui_show(struct dbg *d)
{
    tui_messages_collect(d->tui);
    tui_view_update(d->tui);
    tui_draw(d->tui);
}

void dbg_tui_progress(struct dbg *d, const struct session_progress *p)
{
    d->tui->progress = *p;
    tui_draw(d->tui);
}

/* --- opening and closing ---------------------------------------------------------------------- */

static struct error *open_screen(struct dbg *d)
{
    struct screen *screen;
    if (!d->edit)
        return error_coded(ERROR_MISUSED, "the full screen needs a terminal, and a prompt on it");
    if (d->tui)
        return NULL;
    struct error *err = screen_open(&screen);
    if (err)
        return err;
    struct tui *t = xalloc(sizeof *t);
    *t = (struct tui){.d = d, .screen = screen, .messages = LIST(char *), .top = 1, .cursor = 1};
    t->view = (struct tui_view){
        .code = LIST(char *), .frames = LIST(char *), .variables = LIST(struct tui_variable),
        .marks = LIST(struct tui_mark),
    };
    typed_line_init(&t->typing.line);
    d->tui = t;
    return NULL;
}

void dbg_tui_close(struct dbg *d)
{
    struct tui *t = d->tui;
    if (!t)
        return;
    screen_close(t->screen);
    tui_view_deinit(&t->view);
    debug_strings_deinit(&t->messages);
    typed_line_deinit(&t->typing.line);
    free(t->typing.prompt);
    free(t->typing.kept);
    free(t->found);
    free(t);
    d->tui = NULL;
}

struct error *dbg_layout(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    if (strcmp(args, "off") == 0 || strcmp(args, "disable") == 0) {
        if (!d->tui)
            return error_coded(ERROR_NOT_FOUND,
                               "there is no full screen to leave; 'layout src' opens one");
        dbg_tui_close(d);
        dbg_say_here(d);
        return NULL;
    }
    if (*args && strcmp(args, "src") != 0 && strcmp(args, "enable") != 0)
        return error_coded(ERROR_NOT_FOUND,
                           "there is no layout '%s': it is 'layout src' or 'layout off'", args);
    struct error *err = open_screen(d);
    if (err)
        return err;
    dbg_say_end(d);
    dbg_say_here(d);
    return NULL;
}
