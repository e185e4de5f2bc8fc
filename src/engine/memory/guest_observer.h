/* Who must know what happens to the guest's memory besides its own instructions.
 *
 * The engine writes on the guest's behalf through guest_memory.h, and makes or feeds its system calls in syscalls.c; both tell the
 * observer first, if there is one.
 */
#ifndef ENGINE_GUEST_OBSERVER_H
#define ENGINE_GUEST_OBSERVER_H

#include "base/types.h"

struct call;

struct guest_observer {
    void (*will_write)(u64 at, u64 size);
    void (*call_begins)(const struct call *call); /* rip is behind it */
    void (*call_ended)(const struct call *call, i64 result);
};

extern const struct guest_observer *guest_observer; /* NULL: nobody */

/* What a call that shapes memory is about to put in another's place, or to take away; false: nothing. */
bool call_replaces(const struct call *call, u64 *start, u64 *end);
/* What it has put where nothing was. */
bool call_brought(const struct call *call, i64 result, u64 *start, u64 *end);

#endif
