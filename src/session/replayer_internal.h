/* One engine process that replays for a session: commands and answers.
 *
 * Every replayer of a session is a copy of the first, made by CONTROL_FORK, or a copy of a copy;
 * all are children of ebb.  A replayer stands, except in a call of these functions.
 *
 * An engine that dies, does not answer or finds that the replay is not the recording becomes an
 * error, and is of no more use: then only replayer_destroy may follow.
 */
#ifndef SESSION_REPLAYER_INTERNAL_H
#define SESSION_REPLAYER_INTERNAL_H

#include <signal.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/types.h"
#include "log/control.h"
#include "log/recording.h"
#include "log/snapshot_file.h"
#include "session/point_tables_internal.h"
#include "session/session.h"
#include "session/track_events_internal.h"

struct replayer;

/* What all replayers of a session share. */
struct replayer_family {
    const struct recording *rec;
    u32 track;
    struct track_events *events;
    struct point_tables tables; /* which plans name */
    int errors;   /* a file: what engines said on stderr */
    int wake;     /* eventfd: set to end the run */
    volatile sig_atomic_t interrupted;
    bool heedless; /* runs are not to be interrupted: a movement is being taken back */
    /* Called now and then while a process runs, with how long it has; may be NULL. */
    void (*waiting)(void *context, const struct replayer *r, double seconds);
    void *waiting_context;
    pid_t *dying;  /* killed, not reaped yet */
    size_t dying_count, dying_room;
    /* The work done so far, for tests that compare it with the cost of a question. */
    u64 ticks_run, copies_made;
    u32 first_pid;    /* of the first engine, by which it and its copies know their first thread */
    u32 recorded_pid; /* and what that was called in the recording */
};

struct error *replayer_family_init(struct replayer_family *f, const struct recording *rec,
                                   u32 track,
                                  u32 recorded_pid);
void replayer_family_deinit(struct replayer_family *f); /* all processes are gone when it returns */

/* Async-signal-safe. */
void replayer_family_interrupt(struct replayer_family *f);
void replayer_family_calm(struct replayer_family *f); /* forgets it */

struct replayer {
    struct replayer_family *family;
    pid_t pid;
    int socket;
    bool lost;
    u64 points; /* id of the table that it has; 0: none */
    u64 pages; /* it has of its own, about: copied since it was made */
    struct control_stopped stopped; /* where it stands, and what the last run met */
    struct plan_hit *trace;         /* of a PLAN_TRACE: all of it, oldest first; until the next
                                     * run */
    size_t trace_count;
};

static inline struct moment replayer_at(const struct replayer *r)
{
    return (struct moment){r->stopped.tick, r->stopped.pc};
}

/* The first: stands at the first instruction. */
struct error *replayer_start(struct replayer_family *f, struct replayer **ret);
void replayer_destroy(struct replayer *r); /* accepts NULL */
void replayer_destroyp(struct replayer **r);

struct error *replayer_fork(struct replayer *r, struct replayer **ret);

/* Runs; r->stopped tells the rest.  Reasons are HIT, LIMIT, END and INTERRUPTED; the others are
 * errors. */
struct error *replayer_run(struct replayer *r, const struct plan *plan, size_t size);
struct error *replayer_run_to(struct replayer *r, struct moment limit);

/* By single instructions; *ret_fd is a file with struct states. */
struct error *replayer_states(struct replayer *r, struct moment limit, u64 most, int *ret_fd);

/* Its state, in a file without a name that *ret->fd is; the process stands as before.  An error
 * that leaves it so: there can be none at this moment, or its pages are more than `most` bytes. */
struct error *replayer_snapshot(struct replayer *r, u64 most, struct snapshot_raw *ret);
/* Becomes that state: a process that stands at the start.  `offset` is of the next event. */
struct error *replayer_restore(struct replayer *r, const struct snapshot_raw *raw, u64 offset);

struct error *replayer_read(struct replayer *r, u64 address, void *to, size_t size, size_t *ret);
struct error *replayer_write(struct replayer *r, u64 address, const void *from, size_t size);
/* The answer to a control_ask, to be freed. */
struct error *replayer_ask(struct replayer *r, u32 kind, u32 thread, void **ret, size_t *ret_size);
struct error *replayer_set_registers(struct replayer *r, u32 thread,
                                     const struct control_registers *to,
                                     const u8 *vector);

#endif
