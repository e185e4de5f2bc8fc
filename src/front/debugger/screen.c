/* The cells of the screen: see the header.
 *
 * There are two arrays of cells: what the terminal shows, and what it should show. screen_show()
 * writes the runs of cells that differ. A short equal stretch between two runs is written, too,
 * since that takes fewer bytes than moving the cursor.
 */
#include "front/debugger/screen.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/xalloc.h"
#include "front/debugger/screen_terminal.h"
#include "front/debugger/utf8.h"

enum { TAB = 8, GAP = 4, LARGEST = 1000 };

struct cell {
    u32 character; /* 0: the second half of a wide one */
    u32 style;
};

struct screen {
    int width, height, cursor_x, cursor_y;
    bool colour, fine, stale;
    struct cell *wanted, *shown;
};

/* With colours, and without: SGR parameters. */
static const char *const looks[STYLE_COUNT][2] = {
    [STYLE_PLAIN] = {"0", "0"},         [STYLE_BOLD] = {"0;1", "0;1"},
    [STYLE_DIM] = {"0;2", "0;2"},       [STYLE_HERE] = {"0;7", "0;7"},
    [STYLE_CURSOR] = {"0;4", "0;4"},    [STYLE_TITLE] = {"0;34", "0"},
    [STYLE_FOCUS] = {"0;1;34", "0;1"},  [STYLE_BREAK] = {"0;1;31", "0;1"},
    [STYLE_NAME] = {"0;33", "0"},       [STYLE_PLACE] = {"0;32", "0"},
    [STYLE_ERROR] = {"0;31", "0;1"},    [STYLE_CHANGED] = {"0;1;35", "0;1"},
    [STYLE_PAST] = {"0;36", "0;1"},     [STYLE_MARK] = {"0;1;33", "0;1"},
};

/* --- characters ------------------------------------------------------------------------------- */

/* A character that the terminal cannot show becomes a question mark. */
u32 screen_decode(const char **text, int *ret_columns)
{
    u32 c = utf8_decode(text);
    int columns = wcwidth((wchar_t)c);
    if (columns < 0) {
        c = c < ' ' || c == 0x7f ? '.' : '?';
        columns = 1;
    }
    *ret_columns = columns;
    return c;
}

/* --- drawing ---------------------------------------------------------------------------------- */

static bool screen_is_inside(const struct screen *s, int x, int y)
{
    return x >= 0 && y >= 0 && x < s->width && y < s->height;
}

static struct cell *cell_at(struct screen *s, struct cell *cells, int x, int y)
{
    return &cells[(size_t)y * (size_t)s->width + (size_t)x];
}

static void screen_put(struct screen *s, int x, int y, u32 character, enum style style)
{
    if (screen_is_inside(s, x, y))
        *cell_at(s, s->wanted, x, y) = (struct cell){character, style};
}

void screen_clear(struct screen *s)
{
    for (int y = 0; y < s->height; y++)
        for (int x = 0; x < s->width; x++)
            screen_put(s, x, y, ' ', STYLE_PLAIN);
    s->cursor_x = -1;
}

/* Half of a wide character at an edge becomes a blank. */
static void put_columns(struct screen *s, int x, int y, int width, int at, u32 c, int columns,
                        enum style style)
{
    bool whole = at >= 0 && at + columns <= width;
    for (int i = 0; i < columns; i++)
        if (at + i >= 0 && at + i < width)
            screen_put(s, x + at + i, y, !whole ? ' ' : i ? 0 : c, style);
}

int screen_text(struct screen *s, int x, int y, int width, enum style style, int skip,
                const char *text)
{
    int at = -skip; /* column of the next character, relative to x */
    if (x + width > s->width)
        width = s->width - x;
    while (*text && at < width) {
        int columns;
        if (*text == '\t') {
            text++;
            for (int n = TAB - (at + skip) % TAB; n > 0; n--, at++)
                put_columns(s, x, y, width, at, ' ', 1, style);
            continue;
        }
        u32 c = screen_decode(&text, &columns);
        if (!columns)
            continue; /* it would combine with the one before */
        put_columns(s, x, y, width, at, c, columns, style);
        at += columns;
    }
    return at < 0 ? 0 : at < width ? at : width > 0 ? width : 0;
}

void screen_fill(struct screen *s, int x, int y, int width, enum style style,
                 const char *character)
{
    const char *at = character;
    int columns;
    u32 c = screen_decode(&at, &columns);
    for (int i = 0; i < width; i++)
        screen_put(s, x + i, y, c, style);
}

void screen_style(struct screen *s, int x, int y, int width, enum style style)
{
    for (int i = x; i < x + width; i++)
        if (screen_is_inside(s, i, y))
            cell_at(s, s->wanted, i, y)->style = style;
}

void screen_cursor(struct screen *s, int x, int y)
{
    s->cursor_x = x;
    s->cursor_y = y;
}

/* --- showing ---------------------------------------------------------------------------------- */

static bool screen_same(struct cell a, struct cell b)
{
    return a.character == b.character && a.style == b.style;
}

/* Writes the cells from x to end, with as few changes of style as possible. */
static void show_cells(struct screen *s, FILE *out, int x, int y, int end)
{
    u32 style = STYLE_COUNT;
    fprintf(out, "\033[%d;%dH", y + 1, x + 1);
    for (; x < end; x++) {
        const struct cell *c = cell_at(s, s->wanted, x, y);
        char bytes[4];
        if (c->style != style) {
            style = c->style;
            fprintf(out, "\033[%sm", looks[style][!s->colour]);
        }
        if (c->character)
            fwrite(bytes, 1, utf8_encode(c->character, bytes), out);
        *cell_at(s, s->shown, x, y) = *c;
    }
}

/* Writes the runs of cells that differ, including short equal stretches between them. */
static void show_row(struct screen *s, FILE *out, int y)
{
    for (int x = 0; x < s->width; x++) {
        if (screen_same(*cell_at(s, s->wanted, x, y), *cell_at(s, s->shown, x, y)))
            continue;
        int begin = x, last = x;
        while (begin > 0 && !cell_at(s, s->wanted, begin, y)->character)
            begin--;
        for (; x < s->width && x - last <= GAP; x++)
            if (!screen_same(*cell_at(s, s->wanted, x, y), *cell_at(s, s->shown, x, y)))
                last = x;
        while (last + 1 < s->width && !cell_at(s, s->wanted, last + 1, y)->character)
            last++;
        show_cells(s, out, begin, y, last + 1);
        x = last;
    }
}

void screen_show(struct screen *s)
{
    char *bytes;
    size_t size;
    FILE *out = open_memstream(&bytes, &size);
    if (!out)
        abort(); /* memory is out */
    if (s->stale) {
        fputs("\033[0m\033[2J", out);
        for (size_t i = 0; i < (size_t)s->width * (size_t)s->height; i++)
            s->shown[i] = (struct cell){' ', STYLE_PLAIN};
        s->stale = false;
    }
    fputs("\033[?25l", out);
    for (int y = 0; y < s->height; y++)
        show_row(s, out, y);
    fputs("\033[0m", out);
    if (s->cursor_x >= 0)
        fprintf(out, "\033[%d;%dH\033[?25h", s->cursor_y + 1, s->cursor_x + 1);
    fclose(out);
    screen_terminal_write(bytes, size);
    free(bytes);
}

void screen_redraw(struct screen *s)
{
    s->stale = true;
}

/* --- opening, closing, the size --------------------------------------------------------------- */

static void take_size(int *width, int *height)
{
    struct winsize size;
    bool known = ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row;
    *width = !known ? 80 : size.ws_col < LARGEST ? size.ws_col : LARGEST;
    *height = !known ? 24 : size.ws_row < LARGEST ? size.ws_row : LARGEST;
}

void screen_fit(struct screen *s)
{
    int width, height;
    take_size(&width, &height);
    if (screen_terminal_came_back())
        s->stale = true;
    if (width == s->width && height == s->height)
        return;
    size_t bytes = (size_t)width * (size_t)height * sizeof(struct cell);
    free(s->wanted);
    free(s->shown);
    s->wanted = xalloc(bytes);
    s->shown = xalloc(bytes);
    s->width = width;
    s->height = height;
    s->stale = true;
    screen_clear(s);
}

struct error *screen_open(struct screen **ret)
{
    struct error *err = screen_terminal_enter();
    if (err)
        return err;
    struct screen *s = xalloc(sizeof *s);
    *s = (struct screen){.fine = strcmp(nl_langinfo(CODESET), "UTF-8") == 0, .stale = true};
    screen_fit(s);
    *ret = s;
    return NULL;
}

void screen_close(struct screen *s)
{
    if (!s)
        return;
    screen_terminal_leave();
    free(s->wanted);
    free(s->shown);
    free(s);
}

void screen_set_colour(struct screen *s, bool colour)
{
    s->stale |= colour != s->colour;
    s->colour = colour;
}

int screen_width(const struct screen *s)
{
    return s->width;
}

int screen_height(const struct screen *s)
{
    return s->height;
}

bool screen_fine(const struct screen *s)
{
    return s->fine;
}

char *screen_printed(struct screen *s)
{
    (void)s;
    return screen_terminal_printed();
}
