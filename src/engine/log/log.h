/* The log and its owner.
 *
 * The log contains the events that the guest cannot compute itself. One owner at a time decides how
 * they are handled:
 *
 *   track/unrecorded.c   nothing: the kernel answers (`ebb exec`, or a recorder that is gone)
 *   track/record.c       the kernel answers, and the answer is recorded
 *   track/replay.c       the log answers, and the kernel is not asked
 *   track/scratch_log.c      a changed copy of a replaying process, which has left the log
 *
 * The rest of the engine reports to the owner through the functions of this header, and does not
 * know which owner it is. An owner leaves out functions that it does not need.
 *
 * All functions need the baton.
 */
#ifndef ENGINE_LOG_H
#define ENGINE_LOG_H

#include "engine/base/kernel_abi.h"
#include "engine/base/stop.h"
#include "log/format.h"

struct call;
struct clock_answer;
struct loader_request;
struct mapping;
struct signals_inherited;
struct text;
struct thread;

/* How a system call is handled. */
enum log_answer {
    LOG_MAKE,     /* make it */
    LOG_ANSWERED, /* the result is already known */
    LOG_LATER,    /* nothing was done; cpu says where the guest continues */
};

/* A file that is to be mapped: its descriptor, and its identity when it was recorded. */
struct log_file {
    i32 fd;
    u64 device, inode, size;
    u64 mapped; /* bytes of the mapping */
    bool kept; /* a copy that the recording holds */
};

/* A System V segment. */
struct log_segment {
    u64 address, size, id;
    u64 changed; /* seconds since 1970: the last change of its owner or mode */
};

/* The answer that the log has for a system call. */
struct log_answered {
    i64 result;
    bool has_reached; /* for a call that failed half way: */
    u64 reached;      /* everything below was done */
};

/* A signal. */
struct log_signal {
    const struct k_siginfo *info;
    u32 fate;         /* enum event_signal_fate */
    bool synchronous; /* the instruction at cpu->rip raised it */
    u64 handler;      /* 0: none */
    u64 frame;        /* rsp in the handler; 0: none, or there is no room for a frame */
};

/* A thread that stopped running: where, and why (enum event_switch_reason). */
struct log_switch {
    u32 ordinal, reason;
    u64 pc;
};

struct log_owner {
    /* Properties of the run. */
    bool live;         /* threads, signals and slices come from the kernel, not from the log */
    bool owns_clocks;  /* the engine provides clocks, random numbers and the core's number */
    bool sees_end;     /* signals that end the program come to the engine first */
    bool sees_stores;  /* memory that the kernel writes by itself cannot be mapped */
    bool sees_bytes;   /* bytes copied between files must pass through the guest's memory */
    bool direct_calls; /* translated code may make simple calls by itself */
    bool lends;        /* calls may be made while the baton is lent */
    bool outlasts_end; /* the guest can continue after the end of the log */

    /* The image begins: its arguments, and which signals it ignores and blocks. */
    void (*start)(struct loader_request *request, struct signals_inherited *inherited);

    /* Around a system call of the guest: before it is made, when its result is known, and when the
     * registers have the result. `result` is the guest's, or CALL_AGAIN or CALL_DONE. */
    enum log_answer (*call_begins)(const struct call *call, i64 *result);
    void (*call_ends)(const struct call *call, i64 result);
    void (*call_returns)(const struct call *call, i64 result);
    /* A handler passes its call to the kernel: one that may wait, and one that never does. */
    i64 (*pass)(const struct call *call);
    i64 (*pass_now)(const struct call *call);
    /* The engine has changed guest memory in a call that will wait. */
    void (*wrote)(struct gaddr at, u64 size);
    /* For a call that is made again: true if the log has its result, which must not be requested
     * twice. */
    bool (*answered)(struct log_answered *ret);
    /* The call is about to fail; everything below `end` was done. */
    void (*reached)(u64 end);

    /* The program is loaded; cpu has its first instruction. */
    void (*entered)(void);

    /* A signal is about to be delivered, is ignored, or ends the program. */
    void (*signal)(const struct log_signal *s);
    /* Faults, in the signal handler. stack_fault: an address is not mapped; true if it is now.
     * fault: the guest will be told of the one in t->fault_info, unless something else is put
     * there. */
    bool (*stack_fault)(u64 address);
    void (*fault)(struct thread *t);
    /* sigsuspend: true if the log has the answer, with the signal that ended the wait. */
    bool (*wait_ended)(void);
    /* A signal would end the guest: true if it continues nevertheless. */
    bool (*outlives)(u32 signal);

    /* Another thread runs from here on; a thread has ended (and is no longer in the list). */
    void (*switched)(const struct log_switch *out, const struct thread *to);
    void (*thread_ended)(void);

    /* No thread of this process can run until one returns; one runs again. `in_call`: it is in a
     * system call. */
    void (*rests)(void);
    void (*runs)(bool in_call);
    /* The guest continues at cpu->rip. Returns the maximum number of ticks until the next call of
     * this function. */
    u64 (*runs_on)(void);
    /* A call makes a process or thread: true if the kernel must not make it. */
    bool (*spawned)(const struct k_clone_args *args, i64 *result);
    /* forks: a fork is about to be made. made: it has made this process. */
    void (*forks)(void);
    void (*made)(u32 pid);
    /* In the child of a fork that was made at this moment of its parent. */
    void (*forked)(u64 parent_tick, u64 parent_pc);
    /* A child of vfork begins; such a child was killed between two calls. */
    void (*vforked)(u64 flags);
    void (*vfork_killed)(void);
    /* An execve is about to be made; returns what the next image must know about this one. */
    void (*execs)(void);
    void (*describe_exec)(struct text *ret);
    /* The process ends. */
    void (*ends)(int status, int signal);

    /* A file is to be mapped. file_to_map: true if *ret is to be mapped in its place (without a
     * descriptor: zeros). file_mapped: it was mapped at `at`. */
    bool (*file_to_map)(const struct mapping *m, struct log_file *ret);
    void (*file_mapped)(const struct mapping *m, u64 at);
    /* The same for System V segments. */
    bool (*segment_to_attach)(struct log_segment *ret);
    void (*segment_attached)(const struct log_segment *segment);
    /* Shared memory without a file is made: true if its id is *id. */
    bool (*name_shared)(u64 *id);
    /* Memory that the owner may have protected. write_fault: true if the fault was due to the
     * owner's protection. release: the kernel is about to write there; true if it was protected,
     * and is not any more. opened: another unit made it writable. */
    bool (*write_fault)(u64 address);
    bool (*release)(u64 start, u64 end);
    void (*opened)(u64 start, u64 end);
    /* Shared memory that other processes changed: a piece (enum event_piece_kind), and the last of
     * them. */
    void (*shared)(bool in_call, u32 kind, u64 at, const void *bytes, u64 size);
    void (*shared_end)(void);

    /* A clock is read. clock_known: true if the log has the answer. clock_asked: it was read, with
     * this answer. */
    bool (*clock_known)(u32 source, const u64 *args, struct clock_answer *ret);
    void (*clock_asked)(u32 source, const struct clock_answer *answer);

    /* The guest is between two blocks. */
    void (*boundary)(void);
    /* A note for the user about the recording (enum event_note_level). */
    void (*note)(u32 level, const char *text);

    /* External events at this moment. outside_due: whether there are any. signal_due: the signal,
     * or 0. meet: handles one of them, true if there was one. execs_now: whether the execve that is
     * about to be made will succeed. */
    bool (*outside_due)(void);
    u32 (*signal_due)(void);
    bool (*meet)(void);
    bool (*execs_now)(void);
    u64 (*events_met)(void);
    /* The run cannot continue, for a reason that is neither the guest's nor the log's. */
    void (*unable)(const char *why);
};

extern const struct log_owner *log_owner;

/* Changes the owner. */
void log_own(const struct log_owner *owner);

/* A function that an owner left out does nothing. */

static inline void log_start(struct loader_request *request, struct signals_inherited *inherited)
{
    if (log_owner->start)
        log_owner->start(request, inherited);
}

static inline enum log_answer log_call_begins(const struct call *call, i64 *result)
{
    return log_owner->call_begins ? log_owner->call_begins(call, result) : LOG_MAKE;
}

static inline void log_call_ends(const struct call *call, i64 result)
{
    if (log_owner->call_ends)
        log_owner->call_ends(call, result);
}

static inline void log_call_returns(const struct call *call, i64 result)
{
    if (log_owner->call_returns)
        log_owner->call_returns(call, result);
}

static inline void log_wrote(struct gaddr at, u64 size)
{
    if (log_owner->wrote)
        log_owner->wrote(at, size);
}

static inline bool log_answered(struct log_answered *ret)
{
    return log_owner->answered && log_owner->answered(ret);
}

static inline void log_reached(u64 end)
{
    if (log_owner->reached)
        log_owner->reached(end);
}

static inline bool log_stack_fault(u64 address)
{
    return log_owner->stack_fault && log_owner->stack_fault(address);
}

static inline void log_fault(struct thread *t)
{
    if (log_owner->fault)
        log_owner->fault(t);
}

static inline void log_entered(void)
{
    if (log_owner->entered)
        log_owner->entered();
}

static inline void log_signal(const struct log_signal *s)
{
    if (log_owner->signal)
        log_owner->signal(s);
}

static inline bool log_wait_ended(void)
{
    return log_owner->wait_ended && log_owner->wait_ended();
}

static inline bool log_outlives(u32 signal)
{
    return log_owner->outlives && log_owner->outlives(signal);
}

static inline void log_switched(const struct log_switch *out, const struct thread *to)
{
    if (log_owner->switched)
        log_owner->switched(out, to);
}

static inline void log_thread_ended(void)
{
    if (log_owner->thread_ended)
        log_owner->thread_ended();
}

static inline bool log_spawned(const struct k_clone_args *args, i64 *result)
{
    return log_owner->spawned && log_owner->spawned(args, result);
}

static inline void log_made(u32 pid)
{
    if (log_owner->made)
        log_owner->made(pid);
}

static inline void log_forked(u64 parent_tick, u64 parent_pc)
{
    if (log_owner->forked)
        log_owner->forked(parent_tick, parent_pc);
}

static inline void log_vforked(u64 flags)
{
    if (log_owner->vforked)
        log_owner->vforked(flags);
}

static inline void log_vfork_killed(void)
{
    if (log_owner->vfork_killed)
        log_owner->vfork_killed();
}

static inline void log_execs(void)
{
    if (log_owner->execs)
        log_owner->execs();
}

static inline void log_describe_exec(struct text *ret)
{
    if (log_owner->describe_exec)
        log_owner->describe_exec(ret);
}

static inline void log_ends(int status, int signal)
{
    if (log_owner->ends)
        log_owner->ends(status, signal);
}

static inline bool log_file_to_map(const struct mapping *m, struct log_file *ret)
{
    return log_owner->file_to_map && log_owner->file_to_map(m, ret);
}

static inline void log_file_mapped(const struct mapping *m, u64 at)
{
    if (log_owner->file_mapped)
        log_owner->file_mapped(m, at);
}

static inline bool log_segment_to_attach(struct log_segment *ret)
{
    return log_owner->segment_to_attach && log_owner->segment_to_attach(ret);
}

static inline void log_segment_attached(const struct log_segment *segment)
{
    if (log_owner->segment_attached)
        log_owner->segment_attached(segment);
}

static inline bool log_name_shared(u64 *id)
{
    return log_owner->name_shared && log_owner->name_shared(id);
}

static inline void log_shared(bool in_call, u32 kind, u64 at, const void *bytes, u64 size)
{
    if (log_owner->shared)
        log_owner->shared(in_call, kind, at, bytes, size);
}

static inline void log_shared_end(void)
{
    if (log_owner->shared_end)
        log_owner->shared_end();
}

static inline bool log_clock_known(u32 source, const u64 *args, struct clock_answer *ret)
{
    return log_owner->clock_known && log_owner->clock_known(source, args, ret);
}

static inline void log_clock_asked(u32 source, const struct clock_answer *answer)
{
    if (log_owner->clock_asked)
        log_owner->clock_asked(source, answer);
}

static inline void log_boundary(void)
{
    if (log_owner->boundary)
        log_owner->boundary();
}

static inline void log_note(u32 level, const char *text)
{
    if (log_owner->note)
        log_owner->note(level, text);
}

static inline bool log_outside_due(void)
{
    return log_owner->outside_due && log_owner->outside_due();
}

static inline u32 log_signal_due(void)
{
    return log_owner->signal_due ? log_owner->signal_due() : 0;
}

static inline bool log_meet(void)
{
    return log_owner->meet && log_owner->meet();
}

static inline bool log_execs_now(void)
{
    return log_owner->execs_now && log_owner->execs_now();
}

static inline u64 log_events_met(void)
{
    return log_owner->events_met ? log_owner->events_met() : 0;
}

static inline void log_rests(void)
{
    if (log_owner->rests)
        log_owner->rests();
}

static inline void log_runs(bool in_call)
{
    if (log_owner->runs)
        log_owner->runs(in_call);
}

static inline void log_forks(void)
{
    if (log_owner->forks)
        log_owner->forks();
}

static inline bool log_write_fault(u64 address)
{
    return log_owner->write_fault && log_owner->write_fault(address);
}

static inline bool log_release(u64 start, u64 end)
{
    return log_owner->release && log_owner->release(start, end);
}

static inline void log_opened(u64 start, u64 end)
{
    if (log_owner->opened)
        log_owner->opened(start, end);
}

static inline _Noreturn void log_unable(const char *why)
{
    if (log_owner->unable)
        log_owner->unable(why);
    engine_stop(why, NULL);
}

#endif
