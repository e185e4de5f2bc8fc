/* A line on the terminal that shows how a long recording grows.
 *
 * It appears after some seconds, is updated each second, and is removed at the end. It is not shown
 * while the program uses the terminal without echo or line mode, as editors and pagers do.
 */
#include "front/cli/growth.h"

#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/wall_clock.h"
#include "front/cli/figures.h"

#define SECOND 1000000000ul

enum { FIRST_SECONDS = 3 };

static const char erase[] = "\r\033[K";

void growth_init(struct growth *g, bool quiet, pid_t group)
{
    *g = (struct growth){.wanted = !quiet && isatty(STDERR_FILENO),
                         .quiet = quiet,
                         .group = group,
                         .began = wall_clock_now()};
}

int growth_wait(const struct growth *g)
{
    return g->wanted ? 1000 : -1;
}

static void growth_put(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; /* the terminal is gone */
}

/* True if the terminal is in line mode with echo, and this process may write to it. */
static bool is_free(const struct growth *g)
{
    struct termios t;
    return tcgetattr(STDERR_FILENO, &t) == 0 && (t.c_lflag & ICANON) && (t.c_lflag & ECHO) &&
           tcgetpgrp(STDERR_FILENO) == g->group;
}

void growth_show(struct growth *g, u64 bytes)
{
    u64 now = wall_clock_now();
    if (!g->wanted || now - g->began < FIRST_SECONDS * SECOND || now - g->last < SECOND ||
        !is_free(g))
        return;
    char line[128], size[FIGURES_ROOM], time[FIGURES_ROOM];
    snprintf(line, sizeof line, "%sebb: recording, %s, %s\r", erase,
             figures_time(time, now - g->began), figures_bytes(size, bytes));
    growth_put(line);
    g->last = now;
    g->shown = true;
}

void growth_clear(struct growth *g)
{
    if (g->shown)
        growth_put(erase);
    g->shown = false;
}
