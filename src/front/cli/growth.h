/* A line on the terminal that shows how a long recording grows. */
#ifndef FRONT_GROWTH_H
#define FRONT_GROWTH_H

#include <sys/types.h>

#include "base/types.h"

struct growth {
    bool wanted; /* stderr is a terminal, and --quiet was not given */
    bool quiet;  /* print nothing */
    bool shown;  /* the line is on the terminal */
    pid_t group; /* the foreground process group while the line is shown */
    u64 began, last;
};

void growth_init(struct growth *g, bool quiet, pid_t group);

/* The maximum time to sleep before the next update: milliseconds, or -1. */
int growth_wait(const struct growth *g);

/* Shows the size if an update is due. */
void growth_show(struct growth *g, u64 bytes);

/* Removes the line. Called before anything else is printed. */
void growth_clear(struct growth *g);

#endif
