/* A terminal drawn on as a whole: cells with a character and a style each, of which only those are
 * written that have changed.
 *
 * While it is open, the terminal shows its alternate screen and hands over each key as it is
 * struck; what the program prints in the meantime, on stdout and on stderr, is kept in a file in
 * memory, to be shown later. The terminal, stdout and stderr are restored however the program ends
 * or is suspended, by screen_close() or by a signal; output that has not been shown is printed
 * then.
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
/* Takes the terminal's size anew; everything is drawn again if it differs, or if the program was
 * suspended in between. */
void screen_fit(struct screen *s);
int screen_width(const struct screen *s);
int screen_height(const struct screen *s);
bool screen_fine(const struct screen *s); /* it has more than ASCII */

/* Drawing becomes visible at screen_show(). */
void screen_clear(struct screen *s);
/* Columns that it took; at most `width`.  A tab goes to the next multiple of eight of the text,
 * whose first `skip` columns are left out. */
int screen_text(struct screen *s, int x, int y, int width, enum style style, int skip,
                const char *text);
void screen_fill(struct screen *s, int x, int y, int width, enum style style,
                 const char *character);
/* Of what is there. */
void screen_style(struct screen *s, int x, int y, int width, enum style style);
void screen_cursor(struct screen *s, int x, int y); /* x < 0: there is none */
void screen_show(struct screen *s);
void screen_redraw(struct screen *s); /* next time, everything */

/* What was printed since the last call: to be freed; NULL: nothing. */
char *screen_printed(struct screen *s);

/* One character of UTF-8, and how many columns it takes; moves on. */
u32 screen_decode(const char **text, int *ret_columns);

#endif
