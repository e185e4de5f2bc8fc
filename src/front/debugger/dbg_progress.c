/* How far a movement has got, for one that takes longer than half a second.
 *
 * What lies ahead of a movement that looks for something is not known, only where it must end: at
 * the end of the run, or, backward, at its start.  Backward, intervals are searched from the
 * nearest to the farthest, each of them forward; what counts is what has been searched in all, and
 * the bar fills from the right.  The share never falls: a pass over what was searched before, to
 * land on what was found, leaves it where it is.
 */
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "front/debugger/dbg_internal.h"

static const double PATIENCE = 0.5, PAUSE = 0.05; /* seconds before it is shown, and between */
enum { BAR_MOST = 40, BAR_LEAST = 5, TEXT_WIDTH = 68 };

static struct session *volatile moving;
static volatile sig_atomic_t interrupted;

/* Handlers of signals come here. */
void dbg_interrupt(void)
{
    interrupted = 1;
    if (moving)
        session_interrupt(moving);
}

bool dbg_interrupted(void)
{
    return interrupted;
}

double dbg_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void dbg_begin_moving(struct dbg *d, enum dbg_course course)
{
    struct session_place place = {0};
    if (d->session)
        session_place(d->session, &place);
    d->motion = (struct dbg_motion){
        .course = course, .origin = place.at.tick, .began = dbg_seconds_now(), .on = true,
    };
    interrupted = 0;
    moving = d->session;
}

/* A session that is being opened can be interrupted, too. */
void dbg_moving_begun(void *context, struct session *s)
{
    (void)context;
    moving = s;
    if (s && interrupted)
        session_interrupt(s);
}

void dbg_end_moving(struct dbg *d)
{
    moving = NULL;
    if (d->motion.shown && !d->tui)
        fputs("\r\033[K", stderr);
    d->motion.on = false;
}

/* --- how much of how much --------------------------------------------------------------------- */

static u64 dbg_progress_distance(u64 a, u64 b)
{
    return a > b ? a - b : 0;
}

/* Leaves d->motion.done and .all, in ticks. */
static void dbg_progress_measure(struct dbg *d, const struct session_progress *p)
{
    struct dbg_motion *m = &d->motion;
    u64 done, all;
    if (m->course == COURSE_FORWARD) {
        all = dbg_progress_distance(session_last(d->session).tick, m->origin);
        done = dbg_progress_distance(p->at.tick, m->origin);
    } else if (m->course == COURSE_BACKWARD) {
        all = dbg_progress_distance(m->origin, session_first(d->session).tick);
        done = dbg_progress_distance(m->origin, p->goal.tick) +
               dbg_progress_distance(p->at.tick, p->from.tick);
    } else {
        all = dbg_progress_distance(p->goal.tick, p->from.tick);
        done = dbg_progress_distance(p->at.tick, p->from.tick);
    }
    m->all = all;
    if (done > m->done || m->course == COURSE_TO)
        m->done = done;
    if (m->done > all)
        m->done = all;
}

unsigned dbg_motion_percent(const struct dbg_motion *m)
{
    return m->all ? (unsigned)(100.0 * (double)m->done / (double)m->all) : 0;
}

/* "0.32 of 1.5 billion ticks back to the start": to be freed. */
char *dbg_motion_words(const struct dbg_motion *m)
{
    static const struct { double ticks; const char *name; } units[] = {
        {1e12, "trillion "}, {1e9, "billion "}, {1e6, "million "}, {1e3, "thousand "}, {1, ""},
    };
    static const char *const where[] = {
        [COURSE_FORWARD] = " on to the end", [COURSE_BACKWARD] = " back to the start",
        [COURSE_TO] = "",
    };
    size_t i = 0;
    while (i + 1 < countof(units) && (double)m->all < units[i].ticks)
        i++;
    return xformat("%.3g of %.3g %sticks%s", (double)m->done / units[i].ticks,
                   (double)m->all / units[i].ticks, units[i].name, where[m->course]);
}

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

/* Full on the side that the movement comes from. */
static void dbg_progress_draw_bar(const struct dbg_motion *m, unsigned width)
{
    bool fine = dbg_speaks_utf8(), from_right = m->course == COURSE_BACKWARD;
    unsigned full = (unsigned)((double)width * dbg_motion_percent(m) / 100);
    for (unsigned i = 0; i < width; i++) {
        bool on = from_right ? i >= width - full : i < full;
        fputs(on ? (fine ? "━" : "=") : fine ? "─" : "-", stderr);
    }
}

static void draw(const struct dbg_motion *m)
{
    static const char hint[] = " (Ctrl-C stops)";
    int width = (int)dbg_terminal_width();
    int bar = width > TEXT_WIDTH + BAR_LEAST ? width - TEXT_WIDTH : 0;
    bar = bar < BAR_MOST ? bar : BAR_MOST;
    char *words = dbg_motion_words(m);
    int room = width - bar - (int)sizeof " 100%  ";
    bool hints = moving && room > (int)(strlen(words) + strlen(hint));
    fputc('\r', stderr);
    dbg_progress_draw_bar(m, (unsigned)bar);
    fprintf(stderr, " %3u%%  %.*s%s\033[K", dbg_motion_percent(m), room > 0 ? room : 0, words,
            hints ? hint : "");
    free(words);
}

/* The session calls it: see session_options. */
void dbg_progress(void *context, const struct session_progress *p)
{
    struct dbg *d = context;
    struct dbg_motion *m = &d->motion;
    double now = dbg_seconds_now();
    if (!d->at_prompt || d->json || !m->on || now - m->began < PATIENCE || now - m->drawn < PAUSE)
        return;
    if (!d->session && m->course != COURSE_TO)
        return;
    dbg_progress_measure(d, p);
    m->drawn = now;
    m->shown = true;
    if (d->tui)
        dbg_tui_progress(d, p);
    else
        draw(m);
}
