/* Shows the progress of a movement that takes longer than half a second.
 *
 * debug_motion.c says how progress is measured. Backward, the bar fills from the right.
 */
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "front/debugger/dbg_internal.h"

/* seconds before it is first shown, and between updates */
static const double PATIENCE = 0.5, PAUSE = 0.05;
enum { BAR_MOST = 40, BAR_LEAST = 5, TEXT_WIDTH = 68 };

/* --- how much of how much --------------------------------------------------------------------- */

/* --- on the prompt's terminal ----------------------------------------------------------------- */

unsigned dbg_terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

bool dbg_speaks_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The bar is full on the side from which the movement comes. */
static void dbg_progress_draw_bar(const struct debug_motion *m, unsigned width)
{
    bool fine = dbg_speaks_utf8(), from_right = m->course == COURSE_BACKWARD;
    unsigned full = (unsigned)((double)width * debug_motion_percent(m) / 100);
    for (unsigned i = 0; i < width; i++) {
        bool on = from_right ? i >= width - full : i < full;
        fputs(on ? (fine ? "━" : "=") : fine ? "─" : "-", stderr);
    }
}

static void draw(const struct debug_motion *m)
{
    static const char hint[] = " (Ctrl-C stops)";
    int width = (int)dbg_terminal_width();
    int bar = width > TEXT_WIDTH + BAR_LEAST ? width - TEXT_WIDTH : 0;
    bar = bar < BAR_MOST ? bar : BAR_MOST;
    char *words = debug_motion_words(m);
    int room = width - bar - (int)sizeof " 100%  ";
    bool hints = room > (int)(strlen(words) + strlen(hint));
    fputc('\r', stderr);
    dbg_progress_draw_bar(m, (unsigned)bar);
    fprintf(stderr, " %3u%%  %.*s%s\033[K", debug_motion_percent(m), room > 0 ? room : 0, words,
            hints ? hint : "");
    free(words);
}

void dbg_progress(void *context, const struct session_progress *p)
{
    struct dbg *d = context;
    const struct debug_motion *m = &d->debug->motion;
    double now = debug_seconds_now();
    if (!d->at_prompt || d->json || now - m->began < PATIENCE || now - d->motion_drawn < PAUSE)
        return;
    d->motion_drawn = now;
    d->shows_motion = true;
    if (d->tui)
        dbg_tui_progress(d, p);
    else
        draw(m);
}

void dbg_progress_over(void *context)
{
    struct dbg *d = context;
    if (d->shows_motion && !d->tui)
        fputs("\r\033[K", stderr);
    d->shows_motion = false;
}
