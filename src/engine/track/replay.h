/* Replaying: the log in place of the kernel.
 *
 * The engine always knows the next event.  If it is one that came from outside (a signal, a check), its moment is the goal: the
 * program runs exactly there.  If it is an answer (to a system call, a clock), the program must come and ask for it.  Whatever
 * does not fit is a divergence: it is reported, and the replay ends.
 */
#ifndef ENGINE_REPLAY_H
#define ENGINE_REPLAY_H

#include "engine/base/kernel_abi.h"
#include "engine/start/loader.h"
#include "engine/track/log_mode.h"

struct call;
struct event;
struct mapping;

/* Opens the line to ebb, takes the track's first event: what the program was started with comes from there. */
struct signals_inherited;
void replay_start(struct loader_request *request, struct signals_inherited *inherited);

/* A system call of the guest's.  False: it failed then, and is to be fed whatever kind it is. */
bool replay_call_begin(const struct call *call);
/* Its event was left for later: now it comes. */
void replay_call_again(const struct call *call);
/* In place of handing it to the kernel: the memory that it wrote, and its result. */
i64 replay_feed(void);
/* Before it is fed: has the call made another process, in the log?  Then *ret is the call's event, valid until it is met. */
bool replay_process_is_made(const struct event **ret);
/* The call has been answered by the engine itself: is it the same answer? */
void replay_call_end(i64 result);
/* Is the call one that the engine answers again by itself (or in part), instead of the log alone? */
bool replay_redoes(const struct call *call);
/* sigsuspend and kin: the signal that ended the wait, if the next event is one. */
void replay_expect_signal(void);

/* The values of the next answer; `asked`: the first is part of the question, and known. */
void replay_clock(u32 source, u64 *values, u32 count, bool asked);

/* The file that was mapped there, open, and which it was then. */
struct replayed_file {
    i32 fd;
    u64 device, inode, size;
    bool kept; /* it is a copy that the recording keeps */
};
void replay_map(const struct mapping *m, struct replayed_file *ret);

/* The segment that was attached in the call that is being made. */
struct replayed_segment {
    u64 address, size, id;
};
void replay_segment(struct replayed_segment *ret);

/* At a boundary: delivers what is due, sets the goal. */
void replay_boundary(void);
/* One event from outside, if it is due; else sets or clears the goal, and is false. */
bool replay_meet(void);
u64 replay_events_met(void);
/* Is an event from outside due at this moment; and if it is a signal, which? 0: none. */
bool replay_outside_due(void);
u32 replay_signal_due(void);
/* An execve is about to be made: will it succeed? */
bool replay_execs_now(void);

/* The thread that ran has ended: goes on as the one that the log says. */
_Noreturn void replay_leave(void);

/* A child of vfork began here in the recording?  And does the log go on with its parent, who made the
 * call at this moment? */
bool replay_vfork_begins(void);
bool replay_vfork_ends(u64 tick, u64 pc);

/* The program is about to end. */
_Noreturn void replay_end(int status, int signal);

/* Cannot go on, for a reason that is not a divergence. */
_Noreturn void replay_unable(const char *why);

#endif
