/* Calls that make a process or a thread, in a replay. */
#ifndef ENGINE_REPLAY_SPAWN_H
#define ENGINE_REPLAY_SPAWN_H

#include "engine/base/kernel_abi.h"

/* The guest makes such a call: *result is its result, or CALL_DONE if a child of vfork begins in
 * place of its parent. Always returns true. */
bool replay_spawned(const struct k_clone_args *args, i64 *result);

/* True if the call of a child of vfork is its end, or the child was killed there. Then the parent
 * continues after its vfork. */
bool replay_child_ends(void);
/* The same when a signal ends the child; returns if there is no such child. */
void replay_child_dies(void);

#endif
