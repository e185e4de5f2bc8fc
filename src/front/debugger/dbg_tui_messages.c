/* The output of commands, as lines that can be scrolled. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_tui_internal.h"

enum { MESSAGES_MOST = 5000 };

void tui_messages_add(struct tui *t, const char *line)
{
    if (t->messages.count >= MESSAGES_MOST) {
        char **all = t->messages.items;
        size_t half = t->messages.count / 2;
        for (size_t i = 0; i < half; i++)
            free(all[i]);
        memmove(all, all + half, (t->messages.count - half) * sizeof *all);
        t->messages.count -= half;
    }
    debug_strings_add(&t->messages, line);
    t->answer++;
}

void tui_messages_collect(struct tui *t)
{
    char *text = screen_printed(t->screen), *at = text;
    while (at && *at) {
        char *end = at + strcspn(at, "\n");
        bool last = !*end;
        *end = '\0';
        tui_messages_add(t, at);
        at = last ? end : end + 1;
    }
    free(text);
}

/* --- rows ------------------------------------------------------------------------------------- */

static const char *behind_code(const char *code)
{
    size_t length = 2 + strcspn(code + 2, "m");
    return code + length + (code[length] == 'm');
}

static int columns_of(const char *text)
{
    int sum = 0, columns;
    while (*text) {
        if (text[0] == '\033' && text[1] == '[') {
            text = behind_code(text);
            continue;
        }
        bool tab = *text == '\t';
        screen_decode(&text, &columns);
        sum += tab ? 8 - sum % 8 : columns;
    }
    return sum;
}

/* A line that is too long continues in the next row. */
static size_t rows_of(const struct tui *t, const char *line)
{
    int width = screen_width(t->screen), columns = columns_of(line);
    return columns > width ? (size_t)((columns + width - 1) / width) : 1;
}

static size_t rows_from(const struct tui *t, size_t first)
{
    char *const *all = t->messages.items;
    size_t rows = 0;
    for (size_t i = first; i < t->messages.count; i++)
        rows += rows_of(t, all[i]);
    return rows;
}

size_t tui_answer_rows(const struct tui *t)
{
    return rows_from(t, t->messages.count > t->answer ? t->messages.count - t->answer : 0);
}

void tui_messages_scroll(struct tui *t, int rows)
{
    size_t height = (size_t)t->panes[PANE_MESSAGES].height, all = rows_from(t, 0);
    size_t most = all > height ? all - height : 0;
    if (rows < 0)
        t->scrolled = t->scrolled > (size_t)-rows ? t->scrolled - (size_t)-rows : 0;
    else
        t->scrolled = t->scrolled + (size_t)rows < most ? t->scrolled + (size_t)rows : most;
}

/* A long answer is shown from its beginning. */
void tui_messages_settle(struct tui *t)
{
    size_t height = (size_t)t->panes[PANE_MESSAGES].height, rows = tui_answer_rows(t);
    if (t->fresh)
        t->scrolled = rows > height ? rows - height : 0;
    t->fresh = false;
}

/* --- drawing ---------------------------------------------------------------------------------- */

/* The style for a code of dbg_colour. */
static enum style style_of(const char *code, size_t length)
{
    static const struct { const char *code; enum style style; } rows[] = {
        {"1", STYLE_BOLD}, {"2", STYLE_DIM}, {"31", STYLE_ERROR}, {"32", STYLE_PLACE},
        {"33", STYLE_NAME},
    };
    for (size_t i = 0; i < countof(rows); i++)
        if (strlen(rows[i].code) == length && strncmp(rows[i].code, code, length) == 0)
            return rows[i].style;
    return STYLE_PLAIN;
}

/* Draws a line that contains codes, piece by piece; its first `skip` columns are left out. */
static void draw_line(struct tui *t, struct tui_rect r, int skip, const char *line)
{
    enum style style = STYLE_PLAIN;
    int x = -skip;
    while (*line && x < r.width) {
        const char *code = strstr(line, "\033[");
        char *piece = code ? xformat("%.*s", (int)(code - line), line) : xformat("%s", line);
        int at = x > 0 ? x : 0;
        screen_text(t->screen, r.x + at, r.y, r.width - at, style, at - x, piece);
        x += columns_of(piece);
        free(piece);
        if (!code)
            return;
        style = style_of(code + 2, strcspn(code + 2, "m"));
        line = behind_code(code);
    }
}

void tui_draw_messages(struct tui *t)
{
    struct tui_rect r = t->panes[PANE_MESSAGES];
    char *const *all = t->messages.items;
    long total = (long)rows_from(t, 0), bottom = total - (long)t->scrolled;
    long top = bottom > r.height ? bottom - r.height : 0, row = 0;
    for (size_t i = 0; i < t->messages.count && row < bottom; i++) {
        long rows = (long)rows_of(t, all[i]);
        for (long n = 0; n < rows; n++, row++)
            if (row >= top && row < bottom)
                draw_line(t, (struct tui_rect){r.x, r.y + (int)(row - top), r.width, 1},
                          (int)n * r.width, all[i]);
    }
}
