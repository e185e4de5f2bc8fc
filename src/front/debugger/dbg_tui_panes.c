/* The layout of the panes, and drawing them.
 *
 *   time                        the first row
 *   source     | stack          beside each other if the terminal is wide enough; otherwise one
 *              | locals         above the other, with a line each for stack and locals
 *   messages                    larger while the last answer is long
 *   keys                        if the terminal is high enough
 *   command                     the last row
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_tui_internal.h"

enum { SIDE_FROM = 96, STACKED_FROM = 11, KEYS_FROM = 14, RULES_FROM = 12, GUTTER = 7 };

static int tui_panes_clamp(int n, int least, int most)
{
    return n < least ? least : n > most ? most : n;
}

/* --- where ------------------------------------------------------------------------------------ */

static bool has_keys(const struct tui *t)
{
    return screen_height(t->screen) >= KEYS_FROM;
}

static bool has_rules(const struct tui *t)
{
    return screen_height(t->screen) >= RULES_FROM;
}

static int message_lines(const struct tui *t)
{
    int height = screen_height(t->screen);
    int usual = height < 14 ? 2 : height < 24 ? 3 : height < 40 ? 5 : 8;
    int most = height / 2 - 1;
    if (t->tall)
        return most > usual ? height - 9 : usual;
    size_t rows = tui_answer_rows(t);
    return tui_panes_clamp((int)(rows < 1000 ? rows : 1000), usual, most > usual ? most : usual);
}

/* Puts each pane below a rule, if there are rules. */
static struct tui_rect below_rule(const struct tui *t, struct tui_rect r)
{
    int rule = has_rules(t);
    return (struct tui_rect){r.x, r.y + rule, r.width, r.height - rule};
}

static void place_beside(struct tui *t, struct tui_rect body)
{
    int side = tui_panes_clamp(body.width * 2 / 5, 34, 80);
    int stack = tui_panes_clamp(body.height / 2, 3, 14);
    int x = body.width - side;
    if ((size_t)stack > t->view.frames.count + 2)
        stack = (int)t->view.frames.count + 2;
    stack = stack < 3 ? 3 : stack;
    struct tui_rect locals = {x, body.y + stack, side, body.height - stack};
    t->panes[PANE_SOURCE] = below_rule(t, (struct tui_rect){0, body.y, x - 1, body.height});
    t->panes[PANE_STACK] = below_rule(t, (struct tui_rect){x, body.y, side, stack});
    t->panes[PANE_LOCALS] = below_rule(t, locals);
}

static void place_below(struct tui *t, struct tui_rect body)
{
    int low = tui_panes_clamp(body.height / 3, 3, 9), half = body.width / 2;
    int y = body.y + body.height - low;
    struct tui_rect source = {0, body.y, body.width, body.height - low};
    t->panes[PANE_SOURCE] = below_rule(t, source);
    t->panes[PANE_STACK] = below_rule(t, (struct tui_rect){0, y, half - 1, low});
    t->panes[PANE_LOCALS] = below_rule(t, (struct tui_rect){half, y, body.width - half, low});
}

static void place_small(struct tui *t, struct tui_rect body)
{
    int y = body.y + body.height;
    struct tui_rect source = {0, body.y, body.width, body.height - 2};
    t->panes[PANE_SOURCE] = below_rule(t, source);
    t->panes[PANE_STACK] = (struct tui_rect){0, y - 2, body.width, 1};
    t->panes[PANE_LOCALS] = (struct tui_rect){0, y - 1, body.width, 1};
}

static void tui_panes_place(struct tui *t)
{
    int width = screen_width(t->screen), height = screen_height(t->screen);
    int bottom = height - 1 - has_keys(t), lines = message_lines(t) + has_rules(t);
    struct tui_rect body = {0, 1, width, bottom - 1 - lines};
    t->panes[PANE_MESSAGES] = below_rule(t, (struct tui_rect){0, bottom - lines, width, lines});
    t->side = width >= SIDE_FROM && body.height >= 8;
    t->small_panes = !t->side && body.height < STACKED_FROM;
    if (t->side)
        place_beside(t, body);
    else if (t->small_panes)
        place_small(t, body);
    else
        place_below(t, body);
}

/* --- rules ------------------------------------------------------------------------------------ */

static void draw_rule(struct tui *t, struct tui_rect r, enum tui_pane pane, const char *title)
{
    bool fine = screen_fine(t->screen), focus = t->focus == pane;
    enum style style = focus ? STYLE_FOCUS : STYLE_TITLE;
    if (!has_rules(t))
        return;
    const char *stroke = focus ? (fine ? "━" : "=") : fine ? "─" : "-";
    screen_fill(t->screen, r.x, r.y - 1, r.width, style, stroke);
    int room = r.width - 5 > 0 ? r.width - 5 : 0;
    screen_text(t->screen, r.x + 1, r.y - 1, 1, style, 0, " ");
    int used = screen_text(t->screen, r.x + 2, r.y - 1, room, style, 0, title);
    screen_text(t->screen, r.x + 2 + used, r.y - 1, 1, style, 0, " ");
}

static void draw_divider(struct tui *t, const struct tui_rect *right, int rows)
{
    for (int y = right->y - has_rules(t); y < right->y - has_rules(t) + rows; y++)
        screen_fill(t->screen, right->x - 1, y, 1, STYLE_TITLE, screen_fine(t->screen) ? "│" : "|");
}

/* --- source ----------------------------------------------------------------------------------- */

/* Keeps the cursor's line visible, with some lines around it. */
static void scroll_source(struct tui *t)
{
    unsigned height = (unsigned)t->panes[PANE_SOURCE].height, margin = height / 5;
    unsigned last = t->view.lines > height ? t->view.lines - height + 1 : 1;
    if (t->cursor < t->top + margin || t->cursor + margin >= t->top + height) {
        bool near = t->cursor + height > t->top && t->cursor < t->top + 2 * height;
        if (!near)
            t->top = t->cursor > height / 2 ? t->cursor - height / 2 : 1;
        else if (t->cursor < t->top + margin)
            t->top = t->cursor > margin ? t->cursor - margin : 1;
        else
            t->top = t->cursor + margin + 1 - height;
    }
    t->top = t->top > last ? last : t->top ? t->top : 1;
}

static void draw_source_line(struct tui *t, int y, unsigned line)
{
    struct tui_rect r = t->panes[PANE_SOURCE];
    bool fine = screen_fine(t->screen), here = line == t->view.line;
    const struct tui_mark *mark = tui_mark_at(t, line);
    const char *text = tui_source_line(t, line);
    char number[16];
    snprintf(number, sizeof number, "%5u ", line % 100000);
    if (here)
        screen_fill(t->screen, r.x, y, r.width, STYLE_HERE, " ");
    enum style style = here ? STYLE_HERE : STYLE_PLAIN;
    screen_text(t->screen, r.x + 1, y, GUTTER - 1, here ? STYLE_HERE : STYLE_DIM, 0, number);
    screen_text(t->screen, r.x + GUTTER, y, r.width - GUTTER, style, t->left, text ? text : "");
    if (line == t->cursor && !here)
        screen_style(t->screen, r.x + 1, y, r.width - 1, STYLE_CURSOR);
    if (here)
        screen_text(t->screen, r.x + 1, y, 1, STYLE_HERE, 0, fine ? "→" : ">");
    if (mark)
        screen_text(t->screen, r.x, y, 1, here ? STYLE_HERE : STYLE_BREAK, 0,
                    mark->disabled ? (fine ? "○" : "o") : fine ? "●" : "B");
}

static void draw_code(struct tui *t)
{
    struct tui_rect r = t->panes[PANE_SOURCE];
    char *const *all = t->view.code.items;
    for (size_t i = 0; i < t->view.code.count && i < (size_t)r.height; i++)
        screen_text(t->screen, r.x, r.y + (int)i, r.width, i ? STYLE_PLAIN : STYLE_HERE, t->left,
                    all[i]);
}

static void draw_source(struct tui *t)
{
    struct tui_rect r = t->panes[PANE_SOURCE];
    const struct tui_view *v = &t->view;
    const char *function = v->function ? v->function : "??";
    const char *file = v->short_file;
    if (file && (int)(strlen(file) + strlen(function)) + 16 > r.width && strrchr(file, '/'))
        file = strrchr(file, '/') + 1;
    char *title = v->file ? xformat("%s:%u in %s", file, v->line, function)
                : file ? xformat("%s:%u in %s (no source)", file, v->line, function)
                       : xformat("%s (no source)", function);
    draw_rule(t, r, PANE_SOURCE, title);
    free(title);
    if (!v->file) {
        draw_code(t);
        return;
    }
    scroll_source(t);
    for (int y = 0; y < r.height && t->top + (unsigned)y <= v->lines; y++)
        draw_source_line(t, r.y + y, t->top + (unsigned)y);
}

/* --- stack and locals ------------------------------------------------------------------------- */

/* Returns the first row of a list so that the wanted row is visible. */
static size_t first_row(size_t first, size_t count, size_t height, size_t wanted)
{
    if (wanted < first)
        first = wanted;
    else if (wanted >= first + height)
        first = wanted + 1 - height;
    return first + height > count ? (count > height ? count - height : 0) : first;
}

static void draw_stack(struct tui *t)
{
    struct tui_rect r = t->panes[PANE_STACK];
    char *const *all = t->view.frames.items;
    size_t count = t->view.frames.count, height = (size_t)r.height;
    if (!t->small_panes)
        draw_rule(t, r, PANE_STACK, "calls");
    if (t->small_panes && count) {
        char *line = xformat("%s%s", all[t->view.selected < count ? t->view.selected : 0],
                             count > 1 ? " ..." : "");
        screen_text(t->screen, r.x, r.y, r.width,
                    t->focus == PANE_STACK ? STYLE_FOCUS : STYLE_NAME, 0, line);
        free(line);
        return;
    }
    t->first_frame = first_row(t->first_frame, count, height, t->view.selected);
    for (size_t i = 0; i < height && t->first_frame + i < count; i++) {
        bool here = t->first_frame + i == t->view.selected;
        if (here)
            screen_fill(t->screen, r.x, r.y + (int)i, r.width, STYLE_HERE, " ");
        screen_text(t->screen, r.x, r.y + (int)i, r.width, here ? STYLE_HERE : STYLE_PLAIN, 0,
                    all[t->first_frame + i]);
    }
}

static int draw_variable(struct tui *t, struct tui_rect r, const struct tui_variable *v)
{
    int x = screen_text(t->screen, r.x, r.y, r.width, STYLE_NAME, 0, v->name);
    x += screen_text(t->screen, r.x + x, r.y, r.width - x, STYLE_PLAIN, 0, " = ");
    enum style style = v->changed ? STYLE_CHANGED : STYLE_PLAIN;
    return x + screen_text(t->screen, r.x + x, r.y, r.width - x, style, 0, v->value);
}

static void draw_locals(struct tui *t)
{
    struct tui_rect r = t->panes[PANE_LOCALS];
    const struct tui_variable *all = t->view.variables.items;
    size_t count = t->view.variables.count, height = (size_t)r.height;
    if (!t->small_panes)
        draw_rule(t, r, PANE_LOCALS, "variables");
    if (!count)
        screen_text(t->screen, r.x, r.y, r.width, STYLE_DIM, 0, t->view.no_variables);
    if (t->small_panes) { /* as many as fit in the line */
        int x = 0;
        for (size_t i = t->first_variable; i < count && x < r.width; i++)
            x += 2 + draw_variable(t, (struct tui_rect){r.x + x, r.y, r.width - x, 1}, &all[i]);
        return;
    }
    if (t->first_variable + height > count)
        t->first_variable = count > height ? count - height : 0;
    for (size_t i = 0; i < height && t->first_variable + i < count; i++)
        draw_variable(t, (struct tui_rect){r.x, r.y + (int)i, r.width, 1},
                      &all[t->first_variable + i]);
}

/* --- the last rows ---------------------------------------------------------------------------- */

static void draw_keys(struct tui *t, int y)
{
    size_t count;
    const struct tui_key *keys = tui_keys(&count);
    int x = 0, width = screen_width(t->screen);
    if (t->d->debug->motion.on && t->d->shows_motion) {
        screen_text(t->screen, 0, y, width, STYLE_BOLD, 0, "Ctrl-C stops");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        int room = (int)(strlen(keys[i].name) + strlen(keys[i].about)) + 3;
        if (x + room > width)
            break;
        x += screen_text(t->screen, x, y, width - x, STYLE_BOLD, 0, keys[i].name) + 1;
        x += screen_text(t->screen, x, y, width - x, STYLE_DIM, 0, keys[i].about) + 2;
    }
}

/* If the cursor is at the end of a long line, the end is shown. */
static void draw_command(struct tui *t, int y)
{
    int width = screen_width(t->screen);
    const struct typed_line *line = &t->typing.line;
    if (!t->typing.on && !has_keys(t)) {
        draw_keys(t, y);
        return;
    }
    if (!t->typing.on) {
        char *text = t->count ? xformat("%llu", (unsigned long long)t->count) : xformat("%s", "");
        screen_text(t->screen, 0, y, width, STYLE_BOLD, 0, text);
        screen_text(t->screen, (int)strlen(text), y, width, STYLE_DIM, 0,
                    t->count ? " times" : "(ebb)");
        free(text);
        return;
    }
    int x = screen_text(t->screen, 0, y, width, STYLE_BOLD, 0, t->typing.prompt), at = 0;
    for (const char *c = line->text; c < line->text + line->cursor;) {
        int columns;
        screen_decode(&c, &columns);
        at += columns;
    }
    int skip = at >= width - x ? at - (width - x) + 1 : 0;
    screen_text(t->screen, x, y, width - x, STYLE_PLAIN, skip, line->text);
    screen_cursor(t->screen, x + at - skip, y);
}

static void draw_too_small(struct tui *t)
{
    char *text = xformat("Too small: %dx%d at least.", TUI_LEAST_WIDTH, TUI_LEAST_HEIGHT);
    int width = screen_width(t->screen), height = screen_height(t->screen);
    for (int y = 0, at = 0; y < height && at < (int)strlen(text); y++, at += width)
        screen_text(t->screen, 0, y, width, STYLE_BOLD, at, text);
    free(text);
}

void tui_draw(struct tui *t)
{
    struct screen *s = t->screen;
    screen_set_colour(s, t->d->settings.colour);
    screen_fit(s);
    screen_clear(s);
    if (screen_width(s) < TUI_LEAST_WIDTH || screen_height(s) < TUI_LEAST_HEIGHT) {
        draw_too_small(t);
        screen_show(s);
        return;
    }
    tui_panes_place(t);
    tui_draw_time(t);
    draw_source(t);
    draw_stack(t);
    draw_locals(t);
    if (t->side)
        draw_divider(t, &t->panes[PANE_STACK], t->panes[PANE_SOURCE].height + has_rules(t));
    else if (!t->small_panes)
        draw_divider(t, &t->panes[PANE_LOCALS], t->panes[PANE_LOCALS].height + has_rules(t));
    tui_messages_settle(t);
    draw_rule(t, t->panes[PANE_MESSAGES], PANE_MESSAGES,
              t->scrolled ? "messages: Space for more" : "messages");
    tui_draw_messages(t);
    if (has_keys(t))
        draw_keys(t, screen_height(s) - 2);
    draw_command(t, screen_height(s) - 1);
    screen_show(s);
}
