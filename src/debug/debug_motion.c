/* The progress of a movement, and interrupting it.
 *
 * It is not known how far a search has to go, only where it must end: at the end of the run or,
 * backward, at its start. A backward search goes through intervals from the nearest to the
 * farthest, each of them forward; progress is the total that was searched. The share never falls: a
 * second pass over an interval, to go to what was found there, does not change it.
 */
#include <signal.h>
#include <time.h>

#include "debug/debug_internal.h"

static struct session *volatile moving;
static volatile sig_atomic_t interrupted;

/* Called by signal handlers, and by threads that listen to a client. */
void debug_interrupt(void)
{
    struct session *s = moving;
    interrupted = 1;
    if (s)
        session_interrupt(s);
}

void debug_attend(struct session *s)
{
    interrupted = 0;
    moving = s;
}

bool debug_interrupted(void)
{
    return interrupted;
}

double debug_seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void debug_begin_moving(struct debug *d, enum debug_course course)
{
    struct session_place place = {0};
    if (d->session)
        session_place(d->session, &place);
    d->motion = (struct debug_motion){
        .course = course, .origin = place.at.tick, .began = debug_seconds_now(), .on = true,
    };
    debug_attend(d->session);
}

/* Lets debug_interrupt() end the opening of a session, too. */
void debug_moving_begun(void *context, struct session *s)
{
    (void)context;
    moving = s;
    if (s && interrupted)
        session_interrupt(s);
}

void debug_end_moving(struct debug *d)
{
    moving = NULL;
    d->motion.on = false;
    if (d->client.moved)
        d->client.moved(d->client.context);
}

static u64 debug_progress_distance(u64 a, u64 b)
{
    return a > b ? a - b : 0;
}

/* Computes d->motion.done and .all, in ticks. */
static void debug_progress_measure(struct debug *d, const struct session_progress *p)
{
    struct debug_motion *m = &d->motion;
    u64 done, all;
    if (m->course == COURSE_FORWARD) {
        all = debug_progress_distance(session_last(d->session).tick, m->origin);
        done = debug_progress_distance(p->at.tick, m->origin);
    } else if (m->course == COURSE_BACKWARD) {
        all = debug_progress_distance(m->origin, session_first(d->session).tick);
        done = debug_progress_distance(m->origin, p->goal.tick) +
               debug_progress_distance(p->at.tick, p->from.tick);
    } else {
        all = debug_progress_distance(p->goal.tick, p->from.tick);
        done = debug_progress_distance(p->at.tick, p->from.tick);
    }
    m->all = all;
    if (done > m->done || m->course == COURSE_TO)
        m->done = done;
    if (m->done > all)
        m->done = all;
}

unsigned debug_motion_percent(const struct debug_motion *m)
{
    return m->all ? (unsigned)(100.0 * (double)m->done / (double)m->all) : 0;
}

/* Returns "0.32 of 1.5 billion ticks back to the start"; the caller frees it. */
char *debug_motion_words(const struct debug_motion *m)
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

double debug_motion_rest(const struct debug_motion *m)
{
    double passed = debug_seconds_now() - m->began;
    return m->done ? passed * ((double)m->all - (double)m->done) / (double)m->done : -1;
}

/* Called by the session: see session_options. */
void debug_progress(void *context, const struct session_progress *p)
{
    struct debug *d = context;
    if (!d->client.progress || !d->motion.on || (!d->session && d->motion.course != COURSE_TO))
        return;
    debug_progress_measure(d, p);
    d->client.progress(d->client.context, p);
}
