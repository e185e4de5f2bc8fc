/* The window: a stretch of execution with all its states, and one process at its end. */
#ifndef SESSION_TRAIL_INTERNAL_H
#define SESSION_TRAIL_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "session/replayer_internal.h"
#include "session/timeline_internal.h"

struct window;

enum { WINDOW_STATES_LEAST = 256, WINDOW_STATES_MOST = 65536 };

/* About so many states up to `end`.  NULL and no error: there are none to be had, or it was
 * interrupted. */
struct error *window_create(struct timeline *t, struct moment end, u64 states, struct window **ret);
void window_destroy(struct window *w); /* accepts NULL */

/* States are numbered from 0; window_count() is the number of the end, which is no state but a
 * process. */
u64 window_count(const struct window *w);
struct replayer *window_end(const struct window *w);
struct moment window_moment(const struct window *w, u64 index);
u32 window_thread(const struct window *w, u64 index);
u32 window_tid(struct window *w, u64 index); /* 0: not known */
u64 window_event(const struct window *w, u64 index);
u64 window_rsp(const struct window *w, u64 index);

/* Is its instruction executed?  Not where a signal or another thread comes first: then no step
 * ends there, nor does a code breakpoint stop. */
bool window_executes(const struct window *w, u64 index);

/* Did something happen there but plain execution?  Did it store to the range? */
bool window_eventful(const struct window *w, u64 index);
bool window_stores(const struct window *w, u64 index, u64 address, u64 size);

/* Is there a state, or the end, of this moment? */
bool window_find(const struct window *w, struct moment at, u64 *ret);

struct error *window_read(struct window *w, u64 index, u64 address, void *to, size_t size,
                          size_t *ret);

/* False: it takes a process. */
bool window_registers(const struct window *w, u64 index, u32 thread, struct control_registers *ret,
                      const u8 **vector);
bool window_threads(struct window *w, u64 index, struct control_thread **ret, size_t *ret_count);

#endif
