/* A line on the terminal that shows a long recording grow. */
#ifndef FRONT_GROWTH_H
#define FRONT_GROWTH_H

#include <sys/types.h>

#include "base/types.h"

struct growth {
    bool wanted; /* stderr is a terminal, and --quiet was not given */
    bool quiet;  /* nothing is to be said */
    bool shown;  /* our line stands there */
    pid_t group; /* whose terminal it is while the line is shown */
    u64 began, last;
};

void growth_init(struct growth *g, bool quiet, pid_t group);

/* How long to sleep at most before the next look: milliseconds, or -1. */
int growth_wait(const struct growth *g);

/* Shows `bytes` if it is time. */
void growth_show(struct growth *g, u64 bytes);

/* Takes the line away, before anything else is said. */
void growth_clear(struct growth *g);

#endif
