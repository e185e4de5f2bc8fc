/* Replaying: the log in place of the kernel.
 *
 * The engine always knows the next event. If it is an external event (a signal, a check), its
 * moment is the goal: the program runs exactly there. If it is an answer (of a system call, a
 * clock), the program must ask for it. Anything that does not match is a divergence: it is
 * reported, and the replay ends.
 */
#ifndef ENGINE_REPLAY_H
#define ENGINE_REPLAY_H

#include "engine/log/log.h"

extern const struct log_owner log_replay;

/* Instead of passing the current call to the kernel: writes the recorded memory, and returns the
 * recorded result. */
i64 replay_feed(void);
/* Before it is fed: true if the call has made another process, according to the log. Then *ret is
 * the call's event, valid until it is met. */
bool replay_process_is_made(const struct event **ret);

u64 replay_events_met(void);

/* Gets a mapped file of the recording from ebb; returns its descriptor, or -errno. */
i64 replay_fetch(const struct event_map *map, const char *path);

/* What a snapshot also needs of a replay: its position, how far stacks grow, and what the recorder
 * could not record. */
struct replay_position {
    u64 events_met, stack_limit;
    char limit[256];
};
/* False: an instruction is about to get a fault, for which the replay has prepared. */
bool replay_save_position(struct replay_position *ret);
/* Continues from there, with the event at this offset. */
void replay_restore_position(const struct replay_position *p, u64 offset);

/* replay_vfork_begins: true if a child of vfork began here in the recording. The other: true if the
 * log continues with its parent, which made the call at this moment. */
bool replay_vfork_begins(void);
bool replay_vfork_ends(u64 tick, u64 pc);

/* The part of the track that was to be replayed has ended: sends the verdict. NULL: the guest is
 * equal to the snapshot there; otherwise the first difference. */
_Noreturn void replay_end_interval(const char *difference);

/* The replay cannot continue, for a reason that is not a divergence. */
_Noreturn void replay_unable(const char *why);

#endif
