/* The loop of every guest thread: translate, enter, handle the exit. */
#ifndef ENGINE_DISPATCH_H
#define ENGINE_DISPATCH_H

/* Applies the settings, before the first thread runs. */
void dispatch_start(void);

#endif
