/* The engine's own file descriptors, kept high and hidden from the guest.
 *
 * To the guest their numbers are not open: EBADF, skipped by close_range and by a listing of
 * /proc/self/fd. If the guest puts its own descriptor there (dup2), the engine's moves away.
 */
#ifndef ENGINE_DESCRIPTORS_H
#define ENGINE_DESCRIPTORS_H

#include "base/types.h"

/* Moves `fd` to a high number (the old one is closed), close-on-exec if requested. Returns the new
 * number or -errno. If `place` is given, it always has the current number, also after it had to
 * move. */
i64 descriptors_keep(i32 fd, bool close_on_exec, i32 *place);
/* Closes one that was kept. */
void descriptors_drop(i32 fd);

bool descriptors_owned(i64 fd);

/* Until descriptors_narrow() the engine can open a few files even if the guest has reached its
 * limit, as far as the hard limit leaves room. */
void descriptors_widen(u64 ret_before[2]);
void descriptors_narrow(const u64 before[2]);

/* Called before the guest puts something at this number. Returns 0 or -errno. */
i64 descriptors_yield(i32 fd);
/* In a child of fork that shares its parent's table (CLONE_FILES): the kept descriptors belong to
 * the parent. */
void descriptors_shared(void);
/* The guest's limit on open files has changed: moves the engine's out of the way. */
void descriptors_limited(void);
i64 descriptors_close_range(u64 first, u64 last, u64 flags);

#endif
