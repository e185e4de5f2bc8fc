/* The session: a recording as a place to move in.
 *
 * A session stands at a moment of one track.  Movements change the moment, forward or backward;
 * looking does not.  Between two calls nothing moves.
 *
 *   session.c      opening, closing, looking
 *   movement.h     all movements
 *   search.c       the nth hit after or before: passes, and what they counted
 *   timeline.c     which checkpoints are kept, how to be somewhere else
 *   trail.c        the last stretch of execution with all its states: small steps back
 *   replayer.c     one engine process: commands and answers
 *   breakpoints.c  what stops a movement: a set with a version
 *   scratch.c      a copy of the process that may be written to and is thrown away
 *   scratch_call.c functions that are called in it
 *   trace.c        every hit in a stretch (trace.h)
 *   track_signals.c signals as the log has them; which stop by default
 *   fault_runtime.c is the program one of those that live with faults?
 *   track_events.c the events of the track: what engines replay from, and which event was when
 *
 * Errors of the session leave it where it was.  A divergence is an error whose text has both
 * sides.
 *
 * Not thread-safe, but for session_interrupt().
 */
#ifndef SESSION_H
#define SESSION_H

#include "base/error.h"
#include "base/types.h"
#include "log/control.h"
#include "log/recording.h"

struct session;

struct moment {
    u64 tick;
    u64 pc; /* 0, in a goal: the first instruction of the tick */
};

static inline int moment_compare(struct moment a, struct moment b)
{
    return a.tick != b.tick ? (a.tick < b.tick ? -1 : 1) : a.pc < b.pc ? -1 : a.pc > b.pc;
}

/* A pass that is under way: from where it began to where it may end, and where it is, about. */
struct session_progress {
    struct moment from, at, goal;
};

struct session_options {
    u32 track;
    bool at_start;         /* else: at the end, or the crash */
    u32 most_processes;    /* bound on checkpoints; 0: 64 */
    u64 most_memory;       /* bound on what they cost; 0: a quarter of what is free */
    /* Called several times a second during a long movement; may be NULL. */
    void (*progress)(void *context, const struct session_progress *p);
    /* From here on session_interrupt() ends the way to the end of the track: the session then
     * stands where it has got to.  Called with NULL if it is not opened after all.  May be NULL. */
    void (*begun)(void *context, struct session *s);
    void *context;
};

/* `rec` is lent until session_close. */
struct error *session_open(const struct recording *rec, const struct session_options *options,
                           struct session **ret);
void session_close(struct session *s); /* accepts NULL; every process is gone when it returns */

/* --- where we are -------------------------------------------------------------------- */

struct session_place {
    struct moment at;
    u32 thread, tid;   /* whose moment it is: ordinal, and id in the recording */
    bool start, end;   /* nothing lies before it; after it */
    u32 end_status, end_signal; /* if `end`, */
    const char *end_otherwise;  /* unless it ended otherwise: that, in words */
    u64 time;          /* nanoseconds since 1970 at the event before; 0: not known */
    u64 event;         /* number of events met */
};
void session_place(const struct session *s, struct session_place *ret);
struct moment session_first(const struct session *s);
struct moment session_last(const struct session *s); /* of the track */
u32 session_track(const struct session *s);
u32 session_pid(const struct session *s); /* of the process in the recording */

/* Does the track begin at a moment of its run, since the recording was trimmed? */
bool session_is_trimmed(const struct session *s);

/* --- trimming ------------------------------------------------------------------------- */

struct session_trimmed {
    struct moment from, to; /* what was kept; it may begin a little earlier than was asked for */
    u64 events;             /* in its log */
    struct recording *into; /* to be destroyed; NULL after an error */
};
/* Makes a recording of the track between two moments: `output` if given, or BASE-N in the root. */
struct error *session_trim(struct session *s, struct moment from, struct moment to,
                           const char *output, const char *base, struct session_trimmed *ret);

/* --- signals, as the log has them ------------------------------------------------------- */

struct session_signal {
    struct moment at;
    u32 thread;      /* ordinal */
    u64 event;       /* the number that `ebb dump` shows; 0: of an ancestor's track */
    u32 signal;
    bool raised;     /* by the instruction at the moment: a fault */
    bool handled;    /* by `handler` */
    u64 handler;
    u8 info[128];    /* siginfo_t */
};
/* The one that is about to be taken at this moment; false: there is none. */
bool session_signal_here(const struct session *s, struct session_signal *ret);

/* Faults that the program handled itself.  Logs of older engines have none. */
struct session_faults {
    u64 count;
    struct session_signal first, last; /* unless `count` is 0 */
};
void session_handled_faults(const struct session *s, struct session_faults *ret);
/* For people, lines that say how to go there; `go` is the front end's command that takes the number
 * of an event.  To be freed. */
char *session_faults_text(const struct session_faults *f, const char *go);

/* Does the signal stop movements unless the user says otherwise?  Everyday ones do not, and faults
 * do not if the program has a runtime that uses them in normal operation: its name, or NULL. */
bool session_signal_stops(const struct session *s, u32 signal);
const char *session_fault_runtime(const struct session *s);

/* --- what stops a movement ------------------------------------------------------------ */

/* A breakpoint of any kind. */
struct breakpoint {
    struct plan_site site; /* as plans have it; its `condition` is the plan's */
    const u8 *condition;   /* agent expression of site.condition_size bytes, copied */
    u64 ignore;          /* hits to be passed before it stops: of each movement */
    bool disabled;
};

/* Numbers are never given twice. */
struct error *session_add_breakpoint(struct session *s, const struct breakpoint *b,
                                     u32 *ret_number);
struct error *session_remove_breakpoint(struct session *s, u32 number);
struct error *session_enable_breakpoint(struct session *s, u32 number, bool enabled);

/* Which events stop movements from now on: those of one thread (CONTROL_THREAD_ANY: of all of
 * them), only what breakpoints on data are about, or none at all. */
struct session_heed {
    u32 thread;
    bool data_only, nothing;
};
void session_heed(struct session *s, struct session_heed heed);

/* --- movements -------------------------------------------------------------------------- */

enum session_direction { FORWARD, BACKWARD };

enum session_why {
    WHY_BREAKPOINT,  /* `breakpoint`, `hit` */
    WHY_STEPPED,     /* as far as was asked */
    WHY_START,       /* of the recording */
    WHY_END,
    WHY_THREAD_START, /* of the thread that moved: its first instruction */
    WHY_THREAD_END,   /* its last one */
    WHY_INTERRUPTED,
    WHY_ARRIVED,     /* movement_goto */
};

struct session_stop {
    enum session_why why;
    u32 breakpoint;      /* number; the first of several at one moment */
    u32 breakpoints[8];  /* all of them at this moment, up to 8 */
    u32 breakpoint_count;
    struct plan_hit hit;
    u32 hit_count;       /* what is known of the others: as many of */
    struct session_hit {
        u32 breakpoint;
        struct plan_hit hit;
    } hits[PLAN_HITS_KEPT];
};
/* What the breakpoint's own hit was; `hit` if it is not known. */
const struct plan_hit *session_stop_hit(const struct session_stop *stop, u32 breakpoint);

/* The moment of an event; of a time of the original run, nanoseconds since 1970; a share of the
 * track's ticks, 0 to 1. */
struct error *session_moment_of_event(struct session *s, u64 number, struct moment *ret);
struct error *session_moment_of_time(struct session *s, u64 time, struct moment *ret);
struct moment session_moment_of_share(const struct session *s, double share);

/* May come from a signal handler or another thread: ends the movement that is under way.  A
 * forward one stops where it has got to, a backward one returns to where it began. */
void session_interrupt(struct session *s);

/* While the user thinks: adds finer checkpoints before the current moment, a little at a time.
 * Returns false when there is nothing to do. Front ends call it while they wait for input (poll
 * their input with no wait in between). */
bool session_idle(struct session *s);

/* --- looking ------------------------------------------------------------------------------ */

/* As many bytes as can be read from the address on; 0 is no error. */
struct error *session_read(struct session *s, u64 address, void *to, size_t size, size_t *ret);

/* Registers of a thread; *vector (of ret->vector_size bytes) is valid until the next call of the
 * session. */
struct error *session_registers(struct session *s, u32 thread, struct control_registers *ret,
                                const u8 **vector);
/* In the order in which they were started; to be freed. */
struct error *session_threads(struct session *s, struct control_thread **ret, size_t *ret_count);
struct error *session_areas(struct session *s, struct control_area **ret, size_t *ret_count);
/* The auxiliary vector as the program got it, pairs of u64; to be freed. */
struct error *session_auxv(struct session *s, u8 **ret, size_t *ret_size);
/* The program's file, absolute, as it was recorded; valid as long as the session. */
const char *session_program(const struct session *s);

struct session_checkpoint {
    struct moment at;
    u32 pid;
    u64 memory; /* bytes of its own, about */
};
/* How many checkpoints there may be, how much memory of their own, and where: what small steps back
 * cost, and what going far back costs, against memory.  It can be changed at any time. */
struct session_keeping {
    u32 processes;  /* at least 4 */
    u64 memory;     /* bytes; 0: a quarter of what is free */
    double spacing; /* seconds of replay between two on a long way; 0: by what they cost */
    double reach;   /* seconds of replay: those farther from the present are not kept; 0: all are */
};
void session_keeping(const struct session *s, struct session_keeping *ret);
void session_keep(struct session *s, const struct session_keeping *k);

/* To be freed. */
void session_checkpoints(const struct session *s, struct session_checkpoint **ret,
                         size_t *ret_count);

/* --- a copy to play with ------------------------------------------------------------------
 *
 * The first write makes a copy of the process; from then on looking shows the copy, and
 * session_scratch_run() runs it, without the log: calls that ask the world are refused, memory
 * and output to the terminal work.  Any movement throws it away. */
struct error *session_write(struct session *s, u64 address, const void *from, size_t size);
struct error *session_set_registers(struct session *s, u32 thread,
                                    const struct control_registers *to, const u8 *vector);
bool session_scratch(const struct session *s);
/* Runs the copy until a code breakpoint, a signal or (with `steps`) so many instructions.  */
struct error *session_scratch_run(struct session *s, u64 steps, struct session_stop *ret,
                                  u32 *ret_signal);
void session_scratch_drop(struct session *s);
/* What the copy printed since this was asked last; to be freed.  It ends with a 0 that is not
 * counted. */
char *session_scratch_output(struct session *s, size_t *ret_size);
/* Memory for the copy, all rights, at an address where the program has none. Registers do not
 * change. */
struct error *session_scratch_map(struct session *s, u64 address, u64 size);
/* The program's first instruction, which nothing executes any more. */
struct error *session_entry(struct session *s, u64 *ret);

/* Memory of the copy's own, aligned to 16 bytes, which stays as long as the copy does. */
struct error *session_scratch_allocate(struct session *s, u64 size, u64 *ret_address);

/* A function called in the copy, on a stack of its own. Where it returns, the copy has its effects
 * on memory, and the registers from before; breakpoints do not stop it. If it does not return, the
 * copy is as it was before the call. */
enum { SCRATCH_CALL_INTEGERS = 6, SCRATCH_CALL_VECTORS = 8 };
struct scratch_call {
    u64 function;
    u32 thread; /* ordinal: whose thread-local variables it sees */
    u64 integers[SCRATCH_CALL_INTEGERS];
    u8 vectors[SCRATCH_CALL_VECTORS][XMM_SIZE];
    u32 vector_count;
    const u8 *stack; /* arguments in memory */
    size_t stack_size;
    double seconds;  /* the longest that it may take; 0: no limit */
};
enum scratch_outcome { CALL_RETURNED, CALL_DIED, CALL_EXITED, CALL_INTERRUPTED, CALL_TOO_LONG };
struct scratch_called {
    enum scratch_outcome outcome;
    u32 signal, status;     /* CALL_DIED, CALL_EXITED */
    u64 pc;                 /* where it was, if it did not return */
    struct control_registers registers;
    u8 vectors[2][XMM_SIZE]; /* xmm0, xmm1 */
    u8 stack[2][ST_SIZE];    /* st0, st1 */
};
struct error *session_scratch_call(struct session *s, const struct scratch_call *call,
                                   struct scratch_called *ret);

#endif
