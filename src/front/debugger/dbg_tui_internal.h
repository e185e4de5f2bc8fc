/* The full screen: what is on it, and what the files dbg_tui*.c share.
 *
 *   dbg_tui.c         keys, and the lines they stand for
 *   dbg_tui_view.c    the contents at this moment: frames, variables, breakpoints
 *   dbg_tui_panes.c   where the panes are, and drawing them
 *   dbg_tui_time.c    the time bar
 *   dbg_tui_messages.c  the output of commands
 *
 * A command is executed as at the prompt; then the view is updated and everything is drawn.
 * Scrolling only draws.
 */
#ifndef FRONT_DBG_TUI_INTERNAL_H
#define FRONT_DBG_TUI_INTERNAL_H

#include "front/debugger/dbg_internal.h"
#include "front/debugger/screen.h"
#include "front/debugger/typed_line.h"

enum { TUI_LEAST_WIDTH = 40, TUI_LEAST_HEIGHT = 10 };

enum tui_pane { PANE_SOURCE, PANE_STACK, PANE_LOCALS, PANE_MESSAGES, PANE_COUNT };

struct tui_rect { int x, y, width, height; };

struct tui_variable {
    char *name, *value;
    bool changed;  /* changed since the last stop in this function */
};

struct tui_mark { /* a breakpoint in the displayed file */
    unsigned line;
    u32 number;
    bool disabled;
};

/* Valid until the next command. */
struct tui_view {
    char *file;             /* the displayed source file; NULL: there is none */
    char *short_file;
    unsigned line, lines;   /* the current line, 0: not in this file; number of lines */
    char *function;
    struct list code;       /* char *: the next instructions, if there is no source */
    struct list frames;     /* char * */
    size_t selected;
    struct list variables;  /* struct tui_variable */
    const char *no_variables;
    struct list marks;      /* struct tui_mark */
    struct session_place place;
};

struct tui_typing {
    bool on;
    char *prompt;
    struct typed_line line;
    size_t back;            /* position in the history; 0: the typed line itself */
    char *kept;             /* the line that was being typed before the history was used */
};

struct tui {
    struct dbg *d;
    struct screen *screen;
    struct tui_view view;
    struct tui_rect panes[PANE_COUNT];
    bool small_panes;       /* stack and locals have one line each */
    bool side;              /* stack and locals are beside the source */
    enum tui_pane focus;
    unsigned top, cursor;   /* lines of the source */
    int left;               /* number of columns scrolled to the left */
    size_t first_variable, first_frame;
    struct list messages;   /* char *: lines, with the codes of dbg_colour */
    size_t answer;          /* lines of the last answer */
    size_t scrolled;        /* messages: rows scrolled up from the end */
    bool fresh;             /* the last answer has not been drawn yet */
    bool tall;              /* the user wants the messages larger */
    u64 count;              /* number typed before a key; 0: none */
    char *found;            /* the last search text */
    struct tui_typing typing;
    struct session_progress progress;
};

/* dbg_tui_view.c */
void tui_view_update(struct tui *t);
void tui_view_deinit(struct tui_view *v);
const struct tui_mark *tui_mark_at(const struct tui *t, unsigned line);
const char *tui_source_line(const struct tui *t, unsigned line); /* NULL: none */

/* dbg_tui_panes.c */
void tui_draw(struct tui *t);

/* dbg_tui_time.c */
void tui_draw_time(struct tui *t);

/* dbg_tui_messages.c */
void tui_messages_collect(struct tui *t);
void tui_messages_add(struct tui *t, const char *line);
void tui_draw_messages(struct tui *t);
void tui_messages_scroll(struct tui *t, int rows); /* positive: towards older ones */
void tui_messages_settle(struct tui *t);
size_t tui_answer_rows(const struct tui *t);

/* dbg_tui.c */
struct tui_key {
    u32 key;
    const char *name;    /* as displayed */
    const char *command; /* the command for it, or NULL */
    void (*act)(struct tui *t, char **ret_line);
    const char *about;
};
const struct tui_key *tui_keys(size_t *ret_count);

#endif
