/* Replaying: the log in place of the kernel.
 *
 * The engine always knows the next event.  If it is one that came from outside (a signal, a check),
 * its moment is the goal: the program runs exactly there.  If it is an answer (to a system call, a
 * clock), the program must come and ask for it.  Whatever does not fit is a divergence: it is
 * reported, and the replay ends.
 */
#ifndef ENGINE_REPLAY_H
#define ENGINE_REPLAY_H

#include "engine/log/log.h"

extern const struct log_owner log_replay;

/* In place of handing the call that is being made to the kernel: the memory that it wrote, and its
 * result. */
i64 replay_feed(void);
/* Before it is fed: has the call made another process, in the log?  Then *ret is the call's
 * event, valid until it is met. */
bool replay_process_is_made(const struct event **ret);

u64 replay_events_met(void);

/* A mapped file of the recording, from ebb; its descriptor, or -errno. */
i64 replay_fetch(const struct event_map *map, const char *path);

/* What a snapshot needs of a replay besides: how far it is, how far stacks grow, and what the
 * recorder could not catch. */
struct replay_position {
    u64 events_met, stack_limit;
    char limit[256];
};
/* False: an instruction is about to be given a fault, and the replay has prepared for that. */
bool replay_save_position(struct replay_position *ret);
/* Goes on from there, with the event at this offset. */
void replay_restore_position(const struct replay_position *p, u64 offset);

/* Did a child of vfork begin here in the recording? And does the log continue with its parent,
 * which made the call at this moment? */
bool replay_vfork_begins(void);
bool replay_vfork_ends(u64 tick, u64 pc);

/* The part of the track that was to be replayed is over: the verdict.  NULL: the guest is what the
 * snapshot there says; or the first difference. */
_Noreturn void replay_end_interval(const char *difference);

/* Cannot go on, for a reason that is not a divergence. */
_Noreturn void replay_unable(const char *why);

#endif
