/* The loop of every guest thread: translate, enter, see why it came back. */
#ifndef ENGINE_DISPATCH_H
#define ENGINE_DISPATCH_H

_Noreturn void dispatch_run(void);

#endif
