/* A data site from the start of a program to its end, in any mode: the setting
 * watch=SIZE:0xADDRESS. */
#ifndef ENGINE_STANDING_WATCH_H
#define ENGINE_STANDING_WATCH_H

#include "base/types.h"

/* Watches the memory that the setting names, if it is set. Called before the first instruction. */
void standing_watch_start(void);

#endif
