/* Formats sizes and times for users. */
#ifndef FRONT_FIGURES_H
#define FRONT_FIGURES_H

#include "base/types.h"

enum { FIGURES_ROOM = 32 };

/* Each fills `room`, of FIGURES_ROOM bytes, and returns it. */
const char *figures_bytes(char *room, u64 bytes); /* 12.3 MB */
const char *figures_time(char *room, u64 ns);     /* 1.24 s, 3:07 min */
const char *figures_date(char *room, u64 ns);     /* 2026-03-01 12:59:03, local time */
const char *figures_clock(char *room, u64 ns);    /* 12:59:03.123456, local */

#endif
