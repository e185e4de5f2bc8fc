/* Forks in a replay: a replay of many tracks continues in both processes after a fork.
 *
 * The replay copies itself there. The copy opens the child's track and takes its next event, the
 * fork's result in the child, from there; the original continues with the parent's track.
 * log/channel.h has their messages to ebb.
 */
#ifndef ENGINE_REPLAY_FORK_H
#define ENGINE_REPLAY_FORK_H

/* The replay is one of many: it ends with ebb, which may be killed without notice. */
void replay_fork_start(void);

/* In a call that may make a process: if it does, and ebb wants it, returns in both processes. */
void replay_fork_follow(void);

#endif
