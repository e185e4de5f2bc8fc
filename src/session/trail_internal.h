/* The trail: a stretch of execution with all its states, and one process at its end. */
#ifndef SESSION_TRAIL_INTERNAL_H
#define SESSION_TRAIL_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "session/replayer_internal.h"
#include "session/timeline_internal.h"

struct trail;

enum { TRAIL_STATES_LEAST = 256, TRAIL_STATES_MOST = 65536 };

/* Makes a trail of about `states` states up to `end`. NULL and no error: no states can be had, or
 * it was interrupted. */
struct error *trail_create(struct timeline *timeline, struct moment end, u64 states,
                           struct trail **ret);
/* Makes a trail of about `states` states from where `from` stands. `from` does not move. NULL and
 * no error as above. */
struct error *trail_create_ahead(const struct timeline *timeline, struct replayer *from, u64 states,
                                 struct trail **ret);
void trail_destroy(struct trail *t); /* accepts NULL */

/* The number of states, which are numbered from 0. trail_count() is also the index of the end,
 * which is not a state but a process. */
u64 trail_count(const struct trail *t);
struct replayer *trail_end(const struct trail *t);
struct moment trail_moment(const struct trail *t, u64 index);
u32 trail_thread(const struct trail *t, u64 index);
u32 trail_tid(struct trail *t, u64 index); /* 0: not known */
u64 trail_event(const struct trail *t, u64 index);
u64 trail_rsp(const struct trail *t, u64 index);

/* True if the instruction of the state is executed. It is not if a signal or another thread comes
 * first: then no step ends there, and no code breakpoint stops there. */
bool trail_executes(const struct trail *t, u64 index);

/* trail_eventful: something other than plain execution happened there. trail_stores: the state's
 * instruction stored to the range. */
bool trail_eventful(const struct trail *t, u64 index);
bool trail_stores(const struct trail *t, u64 index, u64 address, u64 size);

/* Finds the state, or the end, with this moment. */
bool trail_find(const struct trail *t, struct moment at, u64 *ret);

struct error *trail_read(struct trail *t, u64 index, u64 address, void *to, size_t size,
                         size_t *ret);

/* False: only a process can tell. */
bool trail_registers(const struct trail *t, u64 index, u32 thread, struct control_registers *ret,
                     const u8 **vector);
bool trail_threads(struct trail *t, u64 index, struct control_thread **ret, size_t *ret_count);

#endif
