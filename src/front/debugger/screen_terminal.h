/* The terminal below a screen: entered, left, and always restored. See screen.h. */
#ifndef FRONT_SCREEN_TERMINAL_H
#define FRONT_SCREEN_TERMINAL_H

#include "base/error.h"
#include "base/types.h"

struct error *screen_terminal_enter(void);
void screen_terminal_leave(void); /* harmless if it was not entered */

void screen_terminal_write(const char *bytes, size_t size);
char *screen_terminal_printed(void); /* as screen_printed() */
/* true if it was continued after a suspension since the last call */
bool screen_terminal_came_back(void);

#endif
