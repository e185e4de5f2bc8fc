/* Recording: what the program cannot compute itself, written to the ring at the moment it happens.
 *
 * All functions need the baton, and do nothing unless log_mode is LOG_RECORD.  If ebb is gone the program goes on,
 * unrecorded.
 */
#ifndef ENGINE_RECORD_H
#define ENGINE_RECORD_H

#include "engine/base/kernel_abi.h"
#include "engine/start/loader.h"
#include "engine/track/log_mode.h"
#include "log/syscall_table.h"

struct call;
struct mapping;

/* The track's first event: all that replay needs to build the same first stack. */
struct signals_inherited;
void record_start(const struct loader_request *request, const struct signals_inherited *inherited);

struct record_moment {
    u64 tick, pc, hash, time;
};

/* A system call of the guest's: begin before it is made, end when its result is known.  The moment is that of begin. */
struct record_call {
    struct record_moment at;
    struct call_made made;
    struct aside *aside; /* memory to be compared; NULL: what the call writes is known */
};
void record_call_begin(struct record_call *ret, const struct call *call);
void record_call_end(struct record_call *c, i64 result);
void record_call_drop(struct record_call *c); /* it has not happened */

/* A signal from outside is about to be delivered to its handler, or to end the program (enum event_signal_fate). */
void record_signal(const struct k_siginfo *info, u32 fate);

/* A child of vfork was killed between two calls, and could not say where it stood. */
void record_killed(void);

/* The answers of an instruction or vDSO function that asks a clock or the processor (EVENT_CLOCK). */
void record_clock(u32 source, const u64 *values, u32 count);

/* The engine has changed guest memory in the middle of a call that is going to wait. */
void record_write(struct gaddr at, u64 size);

/* A file was mapped at `at`. */
void record_map(const struct mapping *m, u64 at);

/* Bytes of shared memory that another process has changed (a piece of EVENT_SHARED); and when that is all. */
void record_shared(bool in_call, u32 kind, u64 at, const void *bytes, u64 size);
void record_shared_end(void);
/* A System V segment was attached: with what is in it. */
void record_segment(u64 at, u64 size, u64 id);

/* Something that the user should know about the recording. */
void record_note(u32 level, const char *text);

/* Another thread begins to run: who ran before, where it stopped and why (enum event_switch_reason). */
struct thread;
struct record_switch {
    u32 ordinal, reason;
    u64 pc;
};
void record_switch(const struct record_switch *out, const struct thread *to);

/* The child of a vfork begins here, in the same memory and the same log; what it does comes before the
 * event of the call itself. */
void record_vfork(u64 flags);
/* In the child of a fork: a track of its own. */
void record_forked(u64 parent_tick, u64 parent_pc);

/* At a boundary: is a hash of memory due? */
void record_boundary(void);

/* The process ends. */
void record_end(int status, int signal);

/* An execve is about to be made, and will succeed unless something odd happens; an event of the call follows then. */
void record_exec(void);

/* The moment of an execve that is about to succeed, for the next image's hello. */
struct track_origin_info;
void record_describe_exec(struct track_origin_info *ret);

#endif
