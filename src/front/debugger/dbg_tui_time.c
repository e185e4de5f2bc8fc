/* The time bar: the current position in the run, checkpoints, bookmarks, and the progress of a
 * movement.
 *
 *    43.1% ━━━━━┿━━━◆━━┿┿●──────────── tick 18281 of 42400, thread 0
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_tui_internal.h"

enum { BAR_LEAST = 12 };

struct bar {
    struct tui *t;
    int x, width;
    u64 first, last;
};

static int tui_time_column_of(const struct bar *b, u64 tick)
{
    if (b->last <= b->first || tick <= b->first)
        return 0;
    double share = (double)(tick - b->first) / (double)(b->last - b->first);
    return share < 1 ? (int)(share * (b->width - 1) + 0.5) : b->width - 1;
}

static void tui_time_put(const struct bar *b, u64 tick, enum style style, const char *fine,
                         const char *plain)
{
    screen_fill(b->t->screen, b->x + tui_time_column_of(b, tick), 0, 1, style,
                screen_fine(b->t->screen) ? fine : plain);
}

static void draw_checkpoints(const struct bar *b, u64 here)
{
    struct session_checkpoint *list;
    size_t count;
    session_checkpoints(b->t->d->debug->session, &list, &count);
    for (size_t i = 1; i < count; i++) { /* the first is at the start */
        bool past = list[i].at.tick <= here;
        tui_time_put(b, list[i].at.tick, past ? STYLE_PAST : STYLE_DIM, past ? "┿" : "┼", "+");
    }
    free(list);
}

static void draw_bookmarks(const struct bar *b)
{
    const struct debug_bookmark *all = b->t->d->debug->bookmarks.items;
    for (size_t i = 0; i < b->t->d->debug->bookmarks.count; i++)
        if (all[i].track == session_track(b->t->d->debug->session))
            tui_time_put(b, all[i].at.tick, STYLE_MARK, "◆", "*");
}

/* The position of the current pass. */
static void draw_motion(const struct bar *b)
{
    bool back = b->t->d->debug->motion.course == COURSE_BACKWARD;
    tui_time_put(b, b->t->progress.at.tick, STYLE_CHANGED, back ? "◀" : "▶", back ? "<" : ">");
}

static void tui_time_draw_bar(const struct bar *b, u64 here)
{
    bool fine = screen_fine(b->t->screen);
    int past = tui_time_column_of(b, here);
    screen_fill(b->t->screen, b->x, 0, past, STYLE_PAST, fine ? "━" : "=");
    screen_fill(b->t->screen, b->x + past, 0, b->width - past, STYLE_DIM, fine ? "─" : "-");
    draw_checkpoints(b, here);
    draw_bookmarks(b);
    tui_time_put(b, here, STYLE_BOLD, "●", "@");
    if (b->t->d->debug->motion.on && b->t->d->shows_motion)
        draw_motion(b);
}

/* Returns the text after the bar, shorter if there is less room; the caller frees it. */
static char *words(const struct tui *t, const struct bar *b)
{
    const struct session_place *place = &t->view.place;
    int width = screen_width(t->screen);
    if (t->d->debug->motion.on && t->d->shows_motion) {
        char *distance = debug_motion_words(&t->d->debug->motion);
        char *all = width < 70
                        ? xformat("%u%%", debug_motion_percent(&t->d->debug->motion))
                        : xformat("%u%%, %s", debug_motion_percent(&t->d->debug->motion), distance);
        free(distance);
        return all;
    }
    const char *edge = place->start ? " (start)" : place->end ? " (end)" : "";
    if (width < 60)
        return xformat("tick %llu%s", (unsigned long long)place->at.tick, edge);
    if (width < 100)
        return xformat("tick %llu of %llu%s", (unsigned long long)place->at.tick,
                       (unsigned long long)b->last, edge);
    return xformat("tick %llu of %llu%s, thread %u, track %u", (unsigned long long)place->at.tick,
                   (unsigned long long)b->last, edge, t->d->debug->thread,
                   session_track(t->d->debug->session));
}

void tui_draw_time(struct tui *t)
{
    struct bar b = {
        .t = t,
        .first = session_first(t->d->debug->session).tick,
        .last = session_last(t->d->debug->session).tick,
    };
    u64 here = t->view.place.at.tick, behind = here > b.first ? here - b.first : 0;
    double share = b.last > b.first ? 100.0 * (double)behind / (double)(b.last - b.first) : 100;
    char *percent = xformat(share < 99.95 ? "%5.1f%% " : "%4.0f%%  ", share), *text = words(t, &b);
    int width = screen_width(t->screen), taken = (int)(strlen(percent) + strlen(text)) + 1;
    screen_fill(t->screen, 0, 0, width, STYLE_PLAIN, " ");
    b.x = screen_text(t->screen, 0, 0, width, STYLE_BOLD, 0, percent);
    b.width = width - taken > BAR_LEAST ? width - taken : width - b.x;
    tui_time_draw_bar(&b, here);
    screen_text(t->screen, b.x + b.width + 1, 0, width, STYLE_PLAIN, 0, text);
    free(percent);
    free(text);
}
