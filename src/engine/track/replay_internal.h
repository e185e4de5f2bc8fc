/* What the files of replaying share: the next event, meeting it, and what is said if it does not
 * fit. */
#ifndef ENGINE_REPLAY_INTERNAL_H
#define ENGINE_REPLAY_INTERNAL_H

#include "engine/log/log.h"

struct call;

/* replay.c: verdicts */
_Noreturn void replay_conclude(u32 verdict, const char *recorded, const char *happened);
_Noreturn void replay_diverge(const struct event *e, const char *happened);
_Noreturn void replay_diverge_number(const struct event *e, const char *happened, u64 number);

/* replay.c: the next event that must be met; NULL at the end of the log, where the second
 * concludes. */
const struct event *replay_next(void);
const struct event *replay_next_or_end(void);
void replay_met(const struct event *e);
void replay_met_fault(const struct event *e); /* a synchronous signal, which does not count */
/* The event's moment and registers are those of now, at `pc`. */
void replay_expect_state(const struct event *e, u64 pc);
const u8 *replay_event_end(const struct event *e);
/* Writes what pieces say to the guest's memory; and those of the DATA events that carry them on. */
void replay_apply_pieces(const u8 *at, const u8 *end);
void replay_apply_data(bool more);
void replay_end(int status, int signal);

/* replay_begin.c */
extern struct replay_state {
    u64 events_met;
    char limit[256];  /* what the recorder said it could not catch */
    u64 mapped_at;    /* where the last MAP was */
    bool logs_faults; /* the log has synchronous signals and an ENTRY (START_FAULTS) */
} replay;
void replay_entered(void);
void replay_start(struct loader_request *request, struct signals_inherited *inherited);

/* replay_calls.c */
enum log_answer replay_call_begins(const struct call *call, i64 *result);
void replay_call_ends(const struct call *call, i64 result);
void replay_call_returns(const struct call *call, i64 result);
i64 replay_pass(const struct call *call);
bool replay_wait_ended(void);
/* The thread that ran has ended: goes on as the one that the log says. */
void replay_leave(void);
/* The answer of the call that is being made. */
bool replay_answered(struct log_answered *ret);
/* The log goes on with another thread: so does the replay, until it comes back to this one. */
void replay_switch_thread(const struct event *e);
/* What other processes wrote into memory that was theirs too. */
void replay_write_shared(const struct event *e);
/* Does the event come from outside, at a moment of its own? */
bool replay_from_outside(const struct event *e);

/* replay_outside.c */
void replay_expect_signal(void);
bool replay_outside_due(void);
u32 replay_signal_due(void);
bool replay_execs_now(void);
/* One event from outside, if it is due; otherwise sets or clears the goal, and is false. */
bool replay_meet(void);
void replay_boundary(void);
/* A signal is about to be delivered, or ends the program: a fault is held against its event. */
void replay_signal(const struct log_signal *s);
bool replay_clock(u32 source, const u64 *args, struct clock_answer *ret);

/* replay_faults.c */
void replay_raise_limits(void);
/* How far stacks grow from now on. */
void replay_limit_stack(u64 bytes);
/* The same, asked; false: a page is closed for the fault that comes next. */
bool replay_fault_state(u64 *ret_stack_limit);
bool replay_stack_fault(u64 address);
/* A signal that an instruction raised, for which the replay must prepare: with the second, in
 * front of it. */
bool replay_faults_at(const struct event *e);
void replay_close_page(const struct event *e);
void replay_fault(struct thread *t);

/* replay_maps.c */
bool replay_map(const struct mapping *m, struct log_file *ret);
bool replay_segment(struct log_segment *ret);

#endif
