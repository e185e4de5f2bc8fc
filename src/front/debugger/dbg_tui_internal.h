/* The full screen: what is on it, and what the files dbg_tui*.c share.
 *
 *   dbg_tui.c         keys, and the lines they stand for
 *   dbg_tui_view.c    what there is to show at this moment: frames, variables, breakpoints
 *   dbg_tui_panes.c   where the panes are, and drawing them
 *   dbg_tui_time.c    the time bar
 *   dbg_tui_messages.c  what commands have printed
 *
 * A command is carried out as at the prompt; then the view is made anew, and all is drawn.
 * Scrolling draws only.
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
    bool changed;  /* since the last stop in this function */
};

struct tui_mark { /* a breakpoint in the file that is shown */
    unsigned line;
    u32 number;
    bool disabled;
};

/* Valid until a command is carried out. */
struct tui_view {
    char *file;             /* of the source that is shown; NULL: there is none */
    char *short_file;
    unsigned line, lines;   /* where one stands, 0: not in this file; how many there are */
    char *function;
    struct list code;       /* char *: without source, the instructions that are next */
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
    size_t back;            /* in the history; 0: the line itself */
    char *kept;             /* what was typed before the history was looked at */
};

struct tui {
    struct dbg *d;
    struct screen *screen;
    struct tui_view view;
    struct tui_rect panes[PANE_COUNT];
    bool small_panes;       /* stack and locals have one line each */
    bool side;              /* they are beside the source */
    enum tui_pane focus;
    unsigned top, cursor;   /* lines of the source */
    int left;               /* columns that are scrolled out */
    size_t first_variable, first_frame;
    struct list messages;   /* char *: lines, with the codes of dbg_colour */
    size_t answer;          /* lines of the last answer */
    size_t scrolled;        /* messages: rows from the end */
    bool fresh;             /* the last answer was not drawn yet */
    bool tall;              /* the user wants more of them */
    u64 count;              /* typed in front of a key; 0: none */
    char *found;            /* what was last searched for */
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
void tui_messages_scroll(struct tui *t, int rows); /* positive: to older ones */
void tui_messages_settle(struct tui *t);
size_t tui_answer_rows(const struct tui *t);

/* dbg_tui.c */
struct tui_key {
    u32 key;
    const char *name;    /* as it is shown */
    const char *command; /* what it stands for, or NULL */
    void (*act)(struct tui *t, char **ret_line);
    const char *about;
};
const struct tui_key *tui_keys(size_t *ret_count);

#endif
