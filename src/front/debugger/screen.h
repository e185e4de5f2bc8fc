/* A full-screen terminal: cells with a character and a style each. Only changed cells are written.
 *
 * While it is open, the terminal shows its alternate screen and delivers each key at once. Output
 * to stdout and stderr is kept in a memory file, to be shown later. The terminal, stdout and stderr
 * are restored by screen_close(), and also when a signal ends or suspends the program; output that
 * has not been shown is printed then.
 *
 * There is one terminal, so there is one screen.  Hosted; knows nothing of debugging.
 */
#ifndef FRONT_SCREEN_H
#define FRONT_SCREEN_H

#include "base/error.h"
#include "base/types.h"

enum style {
    STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_HERE, STYLE_CURSOR, STYLE_TITLE, STYLE_FOCUS,
    STYLE_BREAK, STYLE_NAME, STYLE_PLACE, STYLE_ERROR, STYLE_CHANGED, STYLE_PAST, STYLE_MARK,
    STYLE_COUNT,
};

struct screen;

struct error *screen_open(struct screen **ret);
void screen_close(struct screen *s); /* accepts NULL */

void screen_set_colour(struct screen *s, bool colour);
/* Updates the size of the terminal. Everything is drawn again if it has changed, or if the program
 * was suspended. */
void screen_fit(struct screen *s);
int screen_width(const struct screen *s);
int screen_height(const struct screen *s);
bool screen_fine(const struct screen *s); /* true if it can show more than ASCII */

/* Drawing becomes visible at screen_show(). */
void screen_clear(struct screen *s);
/* Returns the number of columns used, at most `width`. A tab goes to the next multiple of eight
 * columns of the text, whose first `skip` columns are left out. */
int screen_text(struct screen *s, int x, int y, int width, enum style style, int skip,
                const char *text);
void screen_fill(struct screen *s, int x, int y, int width, enum style style,
                 const char *character);
/* Changes the style of existing cells. */
void screen_style(struct screen *s, int x, int y, int width, enum style style);
void screen_cursor(struct screen *s, int x, int y); /* x < 0: no cursor */
void screen_show(struct screen *s);
void screen_redraw(struct screen *s); /* draws everything next time */

/* Returns the output since the last call, which the caller frees; NULL: none. */
char *screen_printed(struct screen *s);

/* Decodes one UTF-8 character and its number of columns; moves *text past it. */
u32 screen_decode(const char **text, int *ret_columns);

#endif
