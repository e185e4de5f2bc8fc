/* What the files of replaying share: the next event, meeting it, and reporting differences. */
#ifndef ENGINE_REPLAY_INTERNAL_H
#define ENGINE_REPLAY_INTERNAL_H

#include "engine/log/log.h"

struct call;

/* replay.c: verdicts */
_Noreturn void replay_conclude(u32 verdict, const char *recorded, const char *happened);
_Noreturn void replay_diverge(const struct event *e, const char *happened);
_Noreturn void replay_diverge_number(const struct event *e, const char *happened, u64 number);

/* replay.c: returns the next event that must be met; NULL at the end of the log, where the second
 * function concludes. */
const struct event *replay_next(void);
const struct event *replay_next_or_end(void);
void replay_met(const struct event *e);
void replay_met_fault(const struct event *e); /* a synchronous signal, which is not counted */
/* Checks that the event's moment and registers are the current ones, at `pc`. */
void replay_expect_state(const struct event *e, u64 pc);
const u8 *replay_event_end(const struct event *e);
/* Writes pieces to guest memory; and those of the DATA events that continue them. */
void replay_apply_pieces(const u8 *at, const u8 *end);
void replay_apply_data(bool more);
void replay_end(int status, int signal);

/* replay_begin.c */
extern struct replay_state {
    u64 events_met;
    char limit[256];  /* the recorder's note about what it could not record */
    u64 mapped_at;    /* address of the last MAP */
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
/* The running thread has ended: continues as the one that the log names. */
void replay_leave(void);
/* Returns the result of the current call. */
bool replay_answered(struct log_answered *ret);
/* The log continues with another thread: so does the replay, until it returns to this one. */
void replay_switch_thread(const struct event *e);
/* Writes what other processes wrote into shared memory. */
void replay_write_shared(const struct event *e);
/* True for an external event, which has its own moment. */
bool replay_from_outside(const struct event *e);

/* replay_outside.c */
void replay_expect_signal(void);
bool replay_outside_due(void);
u32 replay_signal_due(void);
bool replay_execs_now(void);
/* Handles one external event, if it is due; otherwise sets or clears the goal, and returns
 * false. */
bool replay_meet(void);
void replay_boundary(void);
/* A signal is about to be delivered, or ends the program: a fault is compared with its event. */
void replay_signal(const struct log_signal *s);
bool replay_clock(u32 source, const u64 *args, struct clock_answer *ret);

/* replay_faults.c */
void replay_raise_limits(void);
/* Sets how far stacks grow from now on. */
void replay_limit_stack(u64 bytes);
/* Returns the same; false: a page is inaccessible for the next fault. */
bool replay_fault_state(u64 *ret_stack_limit);
bool replay_stack_fault(u64 address);
/* For a signal that an instruction raised: true if the replay must prepare for it. The second
 * function does so, before the instruction. */
bool replay_faults_at(const struct event *e);
void replay_close_page(const struct event *e);
void replay_fault(struct thread *t);

/* replay_maps.c */
bool replay_map(const struct mapping *m, struct log_file *ret);
bool replay_segment(struct log_segment *ret);

#endif
