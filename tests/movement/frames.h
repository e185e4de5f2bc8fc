/* Frames: activations of functions, as docs/movement.md defines them, derived from the walk alone.
 *
 * A frame begins when a call has written its return address, and lasts as long as the stack pointer
 * is below its value before that call. A frame ends by a return, or by a jump that raises the stack
 * pointer: a longjmp, an exception, a setcontext. Such a jump is complete at the next return or
 * indirect jump after the stack pointer was set; the frames that it left end then.
 *
 * A signal makes two frames: one of the kernel (hidden: no function), and the handler's inside it.
 *
 * A thread may have several stacks, each in an area of its own. The first frame on a stack is its
 * root. A stack that the thread leaves is suspended. If the thread returns to it only to start it
 * anew, the frames on it ended when it was left. The same holds for a handler's stack to which the
 * thread never returns.
 */
#ifndef MOVEMENT_FRAMES_H
#define MOVEMENT_FRAMES_H

#include "walk.h"

enum { FRAME_NONE = 0xffffffffu };
#define NEVER (~(size_t)0)

struct activation {
    u32 parent;    /* the frame that ran when it began; FRAME_NONE: of a thread's first */
    u32 thread, stack;
    u64 cfa;
    u64 interrupted; /* by a signal: the stack pointer before it */
    size_t begin;  /* the first instant in it */
    size_t end;    /* the first of the thread that is no longer in it; NEVER */
    size_t caller; /* the instant that made it; of a signal from outside the last before it */
    struct moment call; /* and the moment at which it was made */
    bool hidden;   /* no function: of a signal, or the first of a stack */
    bool by_signal;
    bool made;     /* by makecontext: no call made it */
};

struct frames {
    const struct walk *walk;
    struct list all;   /* struct activation */
    u32 *of;           /* the frame of each instant */
    bool *jumping;     /* and whether its stack pointer is already another's */
    struct list *instants_of; /* per thread: size_t, its instants */
    u32 threads;
};

void frames_find(const struct walk *w, struct frames *ret);
void frames_deinit(struct frames *f);

static inline const struct activation *frame_number(const struct frames *f, u32 n)
{
    return (const struct activation *)f->all.items + n;
}

/* The first instant of the thread at or after `from`; NEVER. */
size_t frames_next_instant(const struct frames *f, u32 thread, size_t from);
/* The last of the thread before; NEVER. */
size_t frames_last_instant(const struct frames *f, u32 thread, size_t before);

#endif
