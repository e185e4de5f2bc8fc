/* Control: the messages between a session and an engine that replays for it.
 *
 * Version 8. Any change to a message, a plan or a table raises it. Engine and ebb belong to the
 * same build; the welcome has the version.
 *
 * A session starts one engine per track. The welcome (log/channel.h) has CHANNEL_CONTROLLED set
 * and, instead of a ring, an attached file with all events of the track, one after the other. The
 * engine maps it, so that each copy of the process has its own position in it. From then on the
 * track's socket carries commands, each answered once, in order.
 *
 *     ebb                                   engine
 *                                     <--   CONTROL_STOPPED (START): at its first instruction
 *     CONTROL_RUN, plan               -->   runs
 *                                     <--   CONTROL_STOPPED
 *     CONTROL_FORK, a socket attached -->   copies itself; the copy is at the same moment and
 *                                     <--   CONTROL_FORKED      listens on that socket
 *     CONTROL_READ and other questions -->
 *                                     <--   CONTROL_DATA
 *
 * While an engine runs, any message on its socket (CONTROL_STOP is meant for this) stops it at the
 * next boundary, with reason INTERRUPTED; a hang-up ends it. CONTROL_STOP itself is not answered:
 * the CONTROL_STOPPED answers the RUN. STOP and STOPPED may cross; an engine that is not running
 * ignores a CONTROL_STOP.
 *
 * Moments. An engine that stands at (tick, pc) has not executed the instruction at pc. External
 * events at this moment (a signal, the end of a slice) have not happened yet either.
 *
 * At the end of the track an engine answers questions as before; a RUN stops at once, again with
 * END.
 *
 * Freestanding: constants and structs.
 */
#ifndef LOG_CONTROL_H
#define LOG_CONTROL_H

#include "base/registers.h"
#include "base/types.h"
#include "log/channel.h"

enum { CONTROL_VERSION = 8 };

/* Numbers continue those of enum channel_message_kind. */
enum control_kind {
    CONTROL_RUN = 32,       /* struct control_run, then the plan, or with the plan attached */
    CONTROL_STOP = 33,      /* struct channel_message; not answered */
    CONTROL_FORK = 34,      /* struct channel_message; attached: the copy's end of a new socket;
                             * answered by FORKED */
    CONTROL_READ = 35,      /* struct control_read; answered by DATA */
    CONTROL_REGISTERS = 36, /* struct control_ask; DATA: struct control_registers, then
                             * vector state */
    CONTROL_THREADS = 37,   /* struct control_ask; DATA: struct control_thread[] */
    CONTROL_AREAS = 38,     /* struct control_ask; DATA: struct control_area[], in a file if it is
                             * long */
    CONTROL_WRITE = 39,     /* struct control_read, then bytes; DATA without bytes. The copy leaves
                             * the recording */
    CONTROL_SET_REGISTERS = 40, /* struct control_ask, struct control_registers, vector state if it
                                 * has one; DATA without bytes */
    CONTROL_STATES = 41,    /* struct control_states; answered by STOPPED, attached: struct states
                             * (below) */
    CONTROL_POINTS = 42,    /* struct control_points, attached: struct point_table
                             * (log/point_table.h); DATA without bytes */
    CONTROL_SNAPSHOT = 43,  /* struct control_keep, attached: an empty file for the state;
                               DATA: struct control_snapshot; or EAGAIN, and why not */
    CONTROL_RESTORE = 44,   /* struct control_restore, attached: such a file; answered by STOPPED,
                               with LIMIT where that was taken, or with UNABLE */
    CONTROL_COMPARE = 45,   /* struct control_restore, attached: such a file; DATA: the first
                               difference, or nothing; or EAGAIN: it cannot be told */
    CONTROL_STOPPED = 64,   /* struct control_stopped */
    CONTROL_FORKED = 65,    /* struct control_forked */
    CONTROL_DATA = 66,      /* struct control_data, then bytes, or bytes in the attached file */
};

/* `size` of a message is that of its struct; bytes after it in the packet are not counted. A packet
 * has at most this size; longer data is in an attached file (memfd). */
enum { CONTROL_MESSAGE_MOST = 64 * 1024, CONTROL_DATA_MOST = CONTROL_MESSAGE_MOST - 64 };

enum { CONTROL_THREAD_ANY = 0xffffffffu };

struct control_ask {
    struct channel_message message;
    u32 thread; /* its ordinal in the log; CONTROL_THREAD_ANY: the one that runs */
    u32 unused;
};

struct control_read {
    struct channel_message message;
    u64 address;
    u64 size; /* READ: at most CONTROL_DATA_MOST */
};

/* The table of points for later plans; copies of the process have it, too. */
struct control_points {
    struct channel_message message;
    u64 size; /* of the file */
};

struct control_data {
    struct channel_message message;
    u32 error;    /* 0, or an errno */
    u32 attached; /* 1: the bytes are in the file */
    u64 size;     /* number of bytes; READ: as many as could be read */
};

/* A state in the form of log/snapshot_state.h, in a file: the pages, followed by the state. */
struct control_snapshot {
    u64 state_at, state_size;
};

struct control_keep {
    struct channel_message message;
    u64 most_pages; /* a snapshot with more pages is refused */
};

struct control_restore {
    struct channel_message message;
    struct control_snapshot snapshot;
    u64 event; /* offset of the next event in the file of all events */
    u32 asks;  /* 1: the file has only the state; pages are requested (CHANNEL_PAGES) */
    u32 number;
    u64 pages;
};

struct control_forked {
    struct channel_message message;
    u32 error; /* 0, or an errno: there is no copy */
    u32 pid;   /* of the copy */
};

/* The general registers in the order of the instruction set (RAX ... of base/registers.h). Dead
 * flags are 0, so that the state at a moment does not depend on how it was reached. */
struct control_registers {
    u64 reg[GENERAL_REGISTERS];
    u64 rip;
    u64 flags;
    u64 fs_base, gs_base;
    u64 orig_rax;     /* the number of the call it is in, or -1 */
    /* after this struct: an xsave image in standard format; at least 512 + 64 bytes */
    u32 vector_size;
    u32 unused;
    u64 vector_features; /* bits of XCR0 that the image contains */
};

struct control_thread {
    u32 thread; /* ordinal */
    u32 tid;    /* id in the recording */
    u32 runs;   /* 1: the current thread; others wait in a call, or for their turn */
    u32 unused;
    char name[16]; /* set by PR_SET_NAME, or the program's */
};

struct control_area {
    u64 start, end;
    u32 protection; /* PROT_* as the program set it */
    u32 flags;      /* CONTROL_AREA_* */
    u64 offset;
    u64 device, inode;
    /* of the file, truncated if too long; "[stack]", "[heap]", "[vdso]"; empty: none */
    char path[256];
};
enum { CONTROL_AREA_SHARED = 1, CONTROL_AREA_FILE = 2 };

/* --- plans --------------------------------------------------------------------------------
 *
 * A plan is a struct plan, `sites` times struct plan_site, `frames` times struct plan_frame, then
 * bytecode. One without sites and points runs to its limit.
 *
 * A hit is an event that matches a site and for which the site's condition holds. Hits at the
 * moment of the start count, unless PLAN_PAST_HERE is set: then events exactly there were already
 * met. */

enum plan_mode {
    PLAN_STOP = 0,  /* stop at the nth hit */
    PLAN_COUNT = 1, /* run to the limit, and remember the last hits */
    /* the same; attached to STOPPED: struct plan_hit[], all hits in order, at most the last nth */
    PLAN_TRACE = 2,
    /* run to the limit, without sites or points; attached to STOPPED: struct plan_tally[] */
    PLAN_TALLY = 3,
};

/* How often an instruction was executed. One that faulted counts, and counts again if it was
 * repeated. */
struct plan_tally {
    u64 pc, count;
};

enum plan_flags {
    PLAN_PAST_HERE = 1,
    /* PLAN_TRACE: stop at the nth hit, so that none is lost; all hits of one instruction are
     * kept */
    PLAN_FIRST = 8,
};

struct plan {
    u32 version; /* CONTROL_VERSION */
    u32 mode;    /* enum plan_mode */
    u32 flags;   /* PLAN_* */
    u32 sites;
    u64 nth;     /* PLAN_STOP, PLAN_TRACE: at least 1 */
    /* stop before executing this instruction; pc 0: the first of the tick; tick ~0: no limit */
    u64 limit_tick, limit_pc;
    u32 bytecode_size;
    u32 frames;
    u64 points;        /* id of the last table sent (CONTROL_POINTS); 0: no points are counted */
    /* PLAN_STOP: stop at the nth point that counts, independent of sites; 0: do not */
    u64 points_nth;
    u32 points_thread; /* ordinal: count only points of this thread; or CONTROL_THREAD_ANY */
    u32 unused;
};

/* Points: addresses that translated code counts itself, without entering the engine. They are the
 * starts of statements. A session sends them to a process only once, since there are many. With
 * frames, a point counts depending on the frame that executes it. Frames are those of the thread at
 * the current moment, innermost first; the first is the base.
 *
 * A point's frame is identified by its canonical frame address (CFA). If it is below the base's, or
 * on another stack, the base has called it. Within one frame there are scopes, functions that were
 * inlined into each other: 0 is the function itself. A scope that does not enclose the base's scope
 * also counts as called by the base.
 *
 *   PLAN_FRAMES_LEAVE    forward: points in the base and outside of it count. The frame outside, or
 *                        the one that the base returns to, becomes the base. If no frame is known,
 *                        or the last one has returned, a pass that counts to an nth point ends with
 *                        the next point (STOPPED_POINT, with fewer points): only the session can
 *                        say whose frame that is.
 *                        Without the flag only points of the base itself count. The count starts
 *                        anew at a point of the same frame outside of its scope:
 *                        control_stopped.left_* have the last such point.
 *   PLAN_POINTS_GO_ON    the base is what it was when the last pass of this process ended
 */
enum { PLAN_FRAMES_LEAVE = 2, PLAN_POINTS_GO_ON = 4 }; /* more plan_flags */

enum plan_cfa_rule {
    CFA_UNKNOWN = 0, /* the point counts in every frame */
    CFA_REGISTER = 1, /* register (DWARF's number) plus offset */
    CFA_MEMORY = 2,  /* the value in memory at that address */
};

struct plan_point {
    u64 pc;
    u8 rule; /* enum plan_cfa_rule */
    u8 reg;
    u16 scope;
    i32 offset;
};

struct plan_frame {
    u64 cfa;
    u64 stack_end; /* addresses from here on belong to another stack; ~0: not known */
    u64 return_pc; /* 0: none */
    u32 scope;
    u32 unused;
};

enum plan_site_kind {
    SITE_CODE = 0,     /* about to execute the instruction at `address` */
    SITE_STEP = 1,     /* about to execute any instruction whose pc is not in [address, address +
                        * size) */
    SITE_STORE = 2,    /* a byte of the range was written, and has another value (PLAN_ANY_STORE: or
                        * the same) */
    SITE_LOAD = 3,     /* a byte of the range was read */
    SITE_ACCESS = 4,   /* either (written: with whatever value) */
    SITE_CALL = 5,     /* about to make system call `address` (~0: any) */
    SITE_RETURN = 6,   /* system call `address` (~0: any) has been made */
    SITE_SIGNAL = 7,   /* signal `address` (~0: any) is about to be delivered */
    SITE_FORK = 8,     /* a process was made: fork, vfork, clone without a thread */
    SITE_EXEC = 9,     /* about to become another program */
    SITE_SWITCH = 10,  /* another thread has begun to run */
    SITE_THREAD = 11,  /* a thread was made */
};

/* The position of a hit is before the event at a CODE, STEP, CALL, SIGNAL or EXEC site, and after
 * it otherwise. For STORE, LOAD and ACCESS, `at` of the hit is the moment of the instruction that
 * made the access (where backward movements stop), and `after` is where forward movements stop. */

enum plan_site_flags {
    PLAN_ANY_STORE = 1,
    PLAN_ENDS = 2,    /* PLAN_TRACE: stop at a hit of this site */
    /* the condition must become true: it was false when it was last evaluated by a site with the
     * same condition (the same bytes of the bytecode), or where the pass began. Memory that is not
     * mapped counts as zeros in it. */
    PLAN_BECOMES = 4,
    /* its hits do not count as hits of the plan: only their number is reported, in
     * control_stopped.aside */
    PLAN_ASIDE = 8,
    /* CODE: the hit has registers: `address` is rsp, after_tick the word there (0: unreadable),
     * after_pc rax; `old` has rdi and rsi, `new` rdx and rcx */
    PLAN_REGISTERS = 16,
    /* CODE: only if the plan has no code site at the address on top of the stack */
    PLAN_NEW_RETURN = 32,
};

struct plan_site {
    u32 kind;
    u32 flags;
    u64 address, size;
    u32 thread;         /* ordinal, or CONTROL_THREAD_ANY */
    /* STORE: bits of the first and the last byte whose change does not count: neighbours of a
     * bit-field */
    u8 not_first, not_last;
    u16 unused;
    u64 stack_least;    /* only if rsp is at least this (frame rule) */
    u64 stack_most;     /* and at most this; 0: no limit */
    u32 condition;      /* offset in the bytecode */
    u32 condition_size; /* 0: always */
    /* only between these moments, both included; to_tick 0: always */
    u64 from_tick, from_pc, to_tick, to_pc;
};

/* True if a site may hit at this place, apart from its condition. The engine asks at each hit, the
 * session for states that it has kept. */
static inline bool plan_site_fits(const struct plan_site *s, u32 thread, u64 tick, u64 pc, u64 rsp)
{
    bool begun = tick != s->from_tick ? tick > s->from_tick : pc >= s->from_pc;
    bool over = tick != s->to_tick ? tick > s->to_tick : pc > s->to_pc;
    return (s->thread == CONTROL_THREAD_ANY || s->thread == thread) &&
           (!s->to_tick || (begun && !over)) &&
           rsp >= s->stack_least && (!s->stack_most || rsp <= s->stack_most);
}

/* Conditions are agent expressions as in gdb's manual (appendix "The GDB Agent Expression
 * Mechanism"), with registers numbered as in gdb on amd64. The condition is true if the top of the
 * stack at `end` is not 0. A fault, an unknown opcode or too many steps make it false and raise
 * `condition_failed`. */

enum { PLAN_HITS_KEPT = 4, PLAN_VALUE_KEPT = 16 };

struct plan_hit {
    u64 tick, pc;             /* `at` */
    u64 after_tick, after_pc; /* STORE, LOAD, ACCESS */
    u32 site;                 /* index in the plan */
    u32 thread;               /* ordinal */
    u64 points;               /* points counted before it */
    /* data: the first byte of the site that was accessed; CALL, RETURN, SIGNAL: the number; FORK:
     * the pid */
    u64 address;
    u32 value_size;           /* size of old and new: the bytes of the site from its start */
    /* data: 1: a store, 0: a load; SIGNAL: 1: raised by the instruction there, which was attempted,
     * 0: from outside */
    u32 written;
    u8 old[PLAN_VALUE_KEPT], new[PLAN_VALUE_KEPT];
};

enum stop_reason {
    STOPPED_START = 0,
    STOPPED_HIT = 1,
    STOPPED_LIMIT = 2,
    STOPPED_END = 3,
    STOPPED_INTERRUPTED = 4,
    STOPPED_DIVERGED = 5, /* see the texts below; the engine cannot be used any more */
    STOPPED_UNABLE = 6,
    STOPPED_POINT = 7, /* the nth point */
};

struct control_run {
    struct channel_message message;
    u32 attached; /* 1: the plan is in the file */
    u32 plan_size;
};

struct control_stopped {
    struct channel_message message;
    u32 reason;   /* enum stop_reason */
    u32 thread;   /* ordinal of the current thread */
    u32 tid;
    u32 end_status, end_signal, end_core; /* END: as in struct event_end */
    u32 condition_failed; /* number of times that a condition could not be evaluated */
    u32 unused;
    u64 tick, pc;
    u64 event;    /* number of events met */
    u64 count;    /* hits */
    u64 aside;    /* hits of sites with PLAN_ASIDE */
    u64 points;   /* counted */
    /* the last time that a point of the base's frame was outside of its scope; tick 0: not in this
     * pass */
    u64 left_tick, left_pc;
    u32 left_scope, left_unused;
    /* minor faults of the process since the last stop: the cost of copy-on-write */
    u64 pages_copied;
    /* the last hits, newest first; min(count, PLAN_HITS_KEPT) */
    struct plan_hit hits[PLAN_HITS_KEPT];
    char recorded[512], happened[512];    /* DIVERGED: both sides; UNABLE: `happened` says why */
};

/* --- states ---------------------------------------------------------------------------------
 *
 * CONTROL_STATES runs to a moment by single instructions and keeps the state before each: the
 * registers, and the bytes that the instruction (or the call, or the signal frame) overwrote. With
 * these a session can show each of those moments without a process that stands there. At most the
 * newest `most` states are kept, and only those since the last call that changed mappings. */

struct control_states {
    struct channel_message message;
    u64 limit_tick, limit_pc;
    u64 most;
};

struct states {
    u64 count;        /* of struct state, oldest first */
    u64 first_state;  /* offsets in the file */
    u64 first_undo;
    u64 first_vector; /* images of vector registers, each `vector_size` long */
    u64 vector_size;
    u64 vector_features;
    u64 size;         /* of the whole */
};

struct state {
    u64 tick, pc;
    u32 thread;
    /* index of its image; shared with the state before if the instruction changed no vector
     * register */
    u32 vector;
    struct control_registers registers;
    u64 undo; /* offset (from first_undo) of struct state_undo[]: what this instruction overwrote */
    u32 undo_count;
    u32 event;       /* 0, or enum plan_site_kind: a CALL, SIGNAL, ... happened here */
    u64 event_number;
};

struct state_undo {
    u64 address;
    u32 size;
    u32 unused;
    /* followed by the old bytes, padded to a multiple of 8 */
};

#endif
