/* Outside: memory that is shared with processes that are not recorded.
 *
 * Memory that existed before the recording began may be written by processes outside of it, at
 * unknown times. So a few pages of such memory are compared whenever this process has waited:
 * changes that no recorded process made are logged, and replayed as if they had happened then. What
 * such processes write while this process runs is not known; that is noted once, with a name.
 *
 * All functions need the baton of the group.
 */
#ifndef ENGINE_SHARE_OUTSIDE_H
#define ENGINE_SHARE_OUTSIDE_H

#include "base/types.h"

/* The process has mapped a file shared, or attached a segment: checks whether it existed before. */
void share_outside_file(i64 fd, u64 device, u64 inode, const char *path);
void share_outside_segment(u64 id, u64 changed_seconds);
/* The mapping was logged with a copy of the file, which may have changed since. */
void share_outside_mapped(u64 start, u64 size);

/* The views are made again. The other function: one of them shows such memory. */
void share_outside_forget(void);
void share_outside_watch(u64 device, u64 inode, u64 start, u64 end);
bool share_outside_watches(void); /* any */

/* Called before the baton is given away, and when it is back and the changes of members were
 * logged. */
void share_outside_keep(void);
void share_outside_look(bool in_call);
/* Called after the changes were logged. */
void share_outside_tell(void);

#endif
