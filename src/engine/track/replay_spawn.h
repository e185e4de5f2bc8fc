/* Calls that make a process or a thread, in a replay. */
#ifndef ENGINE_REPLAY_SPAWN_H
#define ENGINE_REPLAY_SPAWN_H

#include "engine/base/kernel_abi.h"

/* The guest makes such a call: *result is the guest's, or CALL_DONE where a child of vfork begins
 * in the place of its parent.  Always true. */
bool replay_spawned(const struct k_clone_args *args, i64 *result);

/* Is the call that a child of vfork makes its end, or was the child killed there?  Then the parent
 * goes on after its vfork. */
bool replay_child_ends(void);
/* The same when a signal ends the child; returns if there is no such child. */
void replay_child_dies(void);

#endif
