/* The observer: events that a plan needs, besides the code and data sites in translated code.
 *
 * Plans, standing watches, kept states and the session's controller attach by setting the members
 * that they need; NULL means that none of them needs it. The lower parts of the engine know nothing
 * else about plans.
 */
#ifndef ENGINE_OBSERVER_H
#define ENGINE_OBSERVER_H

#include "base/types.h"

struct call;
struct event_end;

enum observer_snapshot {
    SNAPSHOT_AT_BOUNDARY,
    SNAPSHOT_BEFORE_EXIT, /* rip is after the system call that ends the process */
    SNAPSHOT_BEFORE_DEATH,
    SNAPSHOT_FORKS,       /* no snapshot here: a fork is about to be made; this is the child */
    SNAPSHOT_FORKED,
};

struct observer {
    /* The engine is about to write to guest memory for the guest. */
    void (*will_write)(u64 at, u64 size);

    /* For a system call in a replay: true if the engine must stop before it. The others: it begins
     * (rip is after it), has ended, and has returned. */
    bool (*stands_before_call)(const struct call *call);
    void (*call_begins)(const struct call *call);
    void (*call_ended)(const struct call *call, i64 result);
    void (*call_returned)(const struct call *call, i64 result);
    /* A system call in any run: what it changes is not known. */
    void (*any_call)(void);

    /* True if the engine must stop before this signal. The second: true if faults wait for that
     * question at a boundary. */
    bool (*stands_before_signal)(u32 signal);
    bool (*holds_faults)(void);

    /* A replay has ended, or cannot continue; how the program ended. Does not return. */
    void (*concluded)(u32 reason, u64 events, const char *recorded, const char *happened);
    void (*ended)(const struct event_end *end);
    /* Names the part of the engine's memory that the guest has overwritten, or returns NULL. `all`:
     * also checks that take some microseconds. */
    const char *(*damage)(bool all);
    /* A recorded program is at a moment at which a snapshot may be taken. */
    void (*snapshot)(enum observer_snapshot where);
    /* The process is about to end or to run another program; nothing has been given up yet. */
    void (*leaves)(void);
    /* This is the child of a fork, with its own memory. */
    void (*forked)(void);
    /* A signal would end a copy that has left the log. */
    void (*copy_died)(u32 signal);
};

extern struct observer observer;

#endif
