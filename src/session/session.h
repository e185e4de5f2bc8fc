/* The session: a recording as a place to move in.
 *
 * A session stands at a moment of one track.  Movements change the moment, forward or backward;
 * looking does not.  Between two calls nothing moves.
 *
 *   session.c      opening, closing, looking
 *   movement.h     all movements
 *   search.c       finds the nth hit after or before a moment, by passes that count
 *   timeline.c     which checkpoints are kept, how another moment is reached
 *   trail.c        the last stretch of execution with all its states: small steps back
 *   replayer.c     one engine process: commands and answers
 *   breakpoints.c  what stops a movement: a set with a version
 *   scratch.c      a copy of the process that may be written to and is thrown away
 *   scratch_call.c functions that are called in it
 *   trace.c        every hit in a stretch (trace.h)
 *   tally.c        how often each instruction was executed in a stretch (tally.h)
 *   track_signals.c signals as the log has them; which stop by default
 *   fault_runtime.c does the program's runtime use faults in normal operation?
 *   track_events.c the events of the track: what engines replay from, and which event was when
 *
 * After an error the session stands where it was. A divergence is an error whose text shows what
 * was recorded and what was replayed.
 *
 * Not thread-safe, except for session_interrupt().
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

/* A pass that is under way: where it began, where it may end, and about where it is now. */
struct session_progress {
    struct moment from, at, goal;
};

struct session_options {
    u32 track;
    bool at_start;         /* otherwise at the end, or at the crash */
    u32 most_processes;    /* the maximum number of checkpoints; 0: 64 */
    u64 most_memory;       /* the maximum memory of checkpoints; 0: a quarter of the free memory */
    /* Called several times a second during a long movement; may be NULL. */
    void (*progress)(void *context, const struct session_progress *p);
    /* Called when session_interrupt() starts to work: it then ends the first run to the end of the
     * track, and the session stands where the run has got to. Called with NULL if opening fails
     * after that. May be NULL. */
    void (*begun)(void *context, struct session *s);
    void *context;
};

/* The caller keeps `rec` open until session_close. */
struct error *session_open(const struct recording *rec, const struct session_options *options,
                           struct session **ret);
void session_close(struct session *s); /* accepts NULL; every process is gone when it returns */

/* --- where we are -------------------------------------------------------------------- */

struct session_place {
    struct moment at;
    u32 thread, tid;   /* the thread that runs at this moment: ordinal, and id in the recording */
    bool start, end;   /* the first moment of the track; the last */
    u32 end_status, end_signal; /* if `end`, */
    /* how the track ended, in words, if neither by exit nor by a signal */
    const char *end_otherwise;
    u64 time;          /* time of the preceding event, nanoseconds since 1970; 0: not known */
    u64 event;         /* number of events so far */
};
void session_place(const struct session *s, struct session_place *ret);
struct moment session_first(const struct session *s);
struct moment session_last(const struct session *s); /* the last moment of the track */
u32 session_track(const struct session *s);
u32 session_pid(const struct session *s); /* the pid in the recording */

/* True if the recording was trimmed, so that the track begins in the middle of its run. */
bool session_is_trimmed(const struct session *s);

/* --- trimming ------------------------------------------------------------------------- */

struct session_trimmed {
    /* the part that was kept; it may begin a little earlier than requested */
    struct moment from, to;
    u64 events;             /* number of events in the new log */
    struct recording *into; /* the caller destroys it; NULL after an error */
};
/* Makes a recording of the track between two moments, named `output` or, by default, BASE-N in the
 * root. */
struct error *session_trim(struct session *s, struct moment from, struct moment to,
                           const char *output, const char *base, struct session_trimmed *ret);

/* --- signals, as the log has them ------------------------------------------------------- */

struct session_signal {
    struct moment at;
    u32 thread;      /* ordinal */
    u64 event; /* the number that `ebb dump` shows; 0: the event is in the track of an ancestor */
    u32 signal;
    bool raised;     /* a fault, raised by the instruction at the moment */
    bool handled;    /* by `handler` */
    u64 handler;
    u8 info[128];    /* siginfo_t */
};
/* Returns the signal that is about to be delivered at this moment; false: there is none. */
bool session_signal_here(const struct session *s, struct session_signal *ret);

/* Faults that the program handled itself. Recordings of older engines do not note them. */
struct session_faults {
    u64 count;
    struct session_signal first, last; /* valid unless `count` is 0 */
};
void session_handled_faults(const struct session *s, struct session_faults *ret);
/* Describes the faults for the user and says how to go there. `go` is the front end's command that
 * takes the number of an event. The caller frees the text. */
char *session_faults_text(const struct session_faults *f, const char *go);

/* session_signal_stops: true if the signal stops movements by default. Everyday signals do not.
 * Faults do not if the program has a runtime that uses them in normal operation;
 * session_fault_runtime returns its name, or NULL. */
bool session_signal_stops(const struct session *s, u32 signal);
const char *session_fault_runtime(const struct session *s);

/* --- what stops a movement ------------------------------------------------------------ */

/* A breakpoint of any kind. */
struct breakpoint {
    struct plan_site site; /* as in a plan; its `condition` is set when the plan is made */
    const u8 *condition;   /* an agent expression of site.condition_size bytes; copied */
    u64 ignore; /* number of hits to ignore before it stops, counted anew in each movement */
    bool disabled;
};

/* Numbers are never used again. */
struct error *session_add_breakpoint(struct session *s, const struct breakpoint *b,
                                     u32 *ret_number);
struct error *session_remove_breakpoint(struct session *s, u32 number);
struct error *session_enable_breakpoint(struct session *s, u32 number, bool enabled);

/* Which events stop movements from now on: those of one thread (CONTROL_THREAD_ANY: all threads),
 * only those of data breakpoints, or none at all. */
struct session_heed {
    u32 thread;
    bool data_only, nothing;
};
void session_heed(struct session *s, struct session_heed heed);

/* --- movements -------------------------------------------------------------------------- */

enum session_direction { FORWARD, BACKWARD };

enum session_why {
    WHY_BREAKPOINT,  /* `breakpoint`, `hit` */
    WHY_STEPPED,     /* the movement was made as requested */
    WHY_START,       /* the start of the recording */
    WHY_END,
    WHY_THREAD_START, /* the first instruction of the thread that moved */
    WHY_THREAD_END,   /* the last instruction of the thread that moved */
    WHY_INTERRUPTED,
    WHY_ARRIVED,     /* movement_goto */
};

struct session_stop {
    enum session_why why;
    u32 breakpoint;      /* its number; the first if there are several at one moment */
    u32 breakpoints[8];  /* all breakpoints met at this moment, up to 8 */
    u32 breakpoint_count;
    struct plan_hit hit;
    u32 hit_count;       /* how many entries are valid in */
    struct session_hit {
        u32 breakpoint;
        struct plan_hit hit;
    } hits[PLAN_HITS_KEPT];
};
/* Returns the hit of this breakpoint, or `hit` if its own is not known. */
const struct plan_hit *session_stop_hit(const struct session_stop *stop, u32 breakpoint);

/* Finds the moment of an event, of a time of the original run (nanoseconds since 1970), or of a
 * share of the track's ticks (0 to 1). */
struct error *session_moment_of_event(struct session *s, u64 number, struct moment *ret);
struct error *session_moment_of_time(struct session *s, u64 time, struct moment *ret);
struct moment session_moment_of_share(const struct session *s, double share);

/* Ends the movement that is under way. May be called from a signal handler or another thread. A
 * forward movement stops where it is, a backward one returns to where it began. */
void session_interrupt(struct session *s);

/* Adds denser checkpoints before the current moment, a little at a time, while the user is idle.
 * Returns false when there is nothing left to do. Front ends call it while they wait for input, and
 * poll their input between two calls. */
bool session_idle(struct session *s);

/* --- looking ------------------------------------------------------------------------------ */

/* Reads as many bytes as are readable from the address on. It is not an error if there are none. */
struct error *session_read(struct session *s, u64 address, void *to, size_t size, size_t *ret);

/* Returns the registers of a thread. *vector (ret->vector_size bytes) is valid until the next call
 * of the session. */
struct error *session_registers(struct session *s, u32 thread, struct control_registers *ret,
                                const u8 **vector);
/* Lists threads in the order in which they were started; the caller frees the list. */
struct error *session_threads(struct session *s, struct control_thread **ret, size_t *ret_count);
struct error *session_areas(struct session *s, struct control_area **ret, size_t *ret_count);
/* Returns the auxiliary vector that the program got, as pairs of u64; the caller frees it. */
struct error *session_auxv(struct session *s, u8 **ret, size_t *ret_size);
/* Returns the absolute path of the program's file when it was recorded; valid as long as the
 * session. */
const char *session_program(const struct session *s);

struct session_checkpoint {
    struct moment at;
    u32 pid;
    u64 memory; /* approximate memory that only this checkpoint uses, in bytes */
};
/* How many checkpoints are kept, with how much memory, and where. More checkpoints make steps back
 * faster and use more memory. The settings can be changed at any time. */
struct session_keeping {
    u32 processes;  /* at least 4 */
    u64 memory;     /* bytes; 0: a quarter of the free memory */
    /* seconds of replay between two checkpoints of a long run; 0: chosen by their cost */
    double spacing;
    /* checkpoints farther from the present than this are dropped, in seconds of replay; 0: none
     * are */
    double reach;
};
void session_keeping(const struct session *s, struct session_keeping *ret);
void session_keep(struct session *s, const struct session_keeping *k);

/* The caller frees the list. */
void session_checkpoints(const struct session *s, struct session_checkpoint **ret,
                         size_t *ret_count);

/* --- a copy to play with ------------------------------------------------------------------
 *
 * The first write makes a copy of the process. From then on looking shows the copy, and
 * session_scratch_run() runs it, without the log: calls that depend on the outside world are
 * refused, while memory and output to the terminal work. Any movement drops the copy. */
struct error *session_write(struct session *s, u64 address, const void *from, size_t size);
struct error *session_set_registers(struct session *s, u32 thread,
                                    const struct control_registers *to, const u8 *vector);
bool session_scratch(const struct session *s);
/* Runs the copy until a code breakpoint, a signal or, if `steps` is not 0, that many
 * instructions. */
struct error *session_scratch_run(struct session *s, u64 steps, struct session_stop *ret,
                                  u32 *ret_signal);
void session_scratch_drop(struct session *s);
/* Returns what the copy printed since the last call; the caller frees it. A null terminator follows
 * that is not counted. */
char *session_scratch_output(struct session *s, size_t *ret_size);
/* Maps memory with all permissions for the copy, at an address that the program does not use.
 * Registers do not change. */
struct error *session_scratch_map(struct session *s, u64 address, u64 size);
/* Returns the address of the program's first instruction, which is not executed again. */
struct error *session_entry(struct session *s, u64 *ret);

/* Allocates memory in the copy, aligned to 16 bytes. It lasts as long as the copy. */
struct error *session_scratch_allocate(struct session *s, u64 size, u64 *ret_address);

/* Calls a function in the copy, on a separate stack. After it has returned, the copy has the
 * function's effects on memory, and its registers from before the call. Breakpoints do not stop the
 * function. If it does not return, the copy is as it was before the call. */
enum { SCRATCH_CALL_INTEGERS = 6, SCRATCH_CALL_VECTORS = 8 };
struct scratch_call {
    u64 function;
    u32 thread; /* ordinal of the thread whose thread-local variables the function sees */
    u64 integers[SCRATCH_CALL_INTEGERS];
    u8 vectors[SCRATCH_CALL_VECTORS][XMM_SIZE];
    u32 vector_count;
    const u8 *stack; /* arguments passed in memory */
    size_t stack_size;
    double seconds;  /* time limit; 0: none */
};
enum scratch_outcome { CALL_RETURNED, CALL_DIED, CALL_EXITED, CALL_INTERRUPTED, CALL_TOO_LONG };
struct scratch_called {
    enum scratch_outcome outcome;
    u32 signal, status;     /* CALL_DIED, CALL_EXITED */
    u64 pc;                 /* where the function was, if it did not return */
    struct control_registers registers;
    u8 vectors[2][XMM_SIZE]; /* xmm0, xmm1 */
    u8 stack[2][ST_SIZE];    /* st0, st1 */
};
struct error *session_scratch_call(struct session *s, const struct scratch_call *call,
                                   struct scratch_called *ret);

#endif
