/* The loop of every guest thread: translate, enter, see why it came back. */
#ifndef ENGINE_DISPATCH_H
#define ENGINE_DISPATCH_H

/* What the settings ask for, before the first thread runs. */
void dispatch_start(void);

#endif
