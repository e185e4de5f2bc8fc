/* Processes: fork, vfork, execve, exit. */
#ifndef ENGINE_PROCESS_H
#define ENGINE_PROCESS_H

#include "engine/base/kernel_abi.h"

/* Keeps a descriptor of the engine's own file, for execve.  Once, at the start.  `started_as`: AT_EXECFN. */
void process_start(const char *started_as);

i64 process_fork(void);
i64 process_vfork(void);
i64 process_clone(u64 flags, u64 stack, u64 parent_tid, u64 child_tid, u64 tls);
i64 process_clone3(struct gaddr args, u64 size);
i64 process_execve(struct gaddr path, struct gaddr argv, struct gaddr envp);
i64 process_execveat(i64 fd, struct gaddr path, struct gaddr argv, struct gaddr envp, u64 flags);
/* Prints the stats if asked for. */
/* Replay: a child of vfork runs in its parent's place.  Is the call that it makes its end, or was it
 * killed?  Then the parent goes on. */
bool process_replay_child_ends(void);
/* The same when a signal ends it; returns if there is no such child. */
void process_replay_child_dies(void);

_Noreturn void process_exit_group(int status);

/* Does a debugger that is itself a guest trace this process?  The tracer is noted at the start. */
void process_note_tracer(void);
bool process_is_debugged(void);

/* Keeps every signal from the calling kernel thread for a moment in which no handler may
 * run; the mask to restore. */
u64 process_block_signals(void);
void process_restore_signals(u64 mask);

#endif
