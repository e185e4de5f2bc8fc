/* One engine process that replays for a session: commands and answers.
 *
 * Every replayer of a session is a copy of the first, made by CONTROL_FORK, or a copy of a copy;
 * all are children of ebb. A replayer's process runs only inside a call of these functions, or
 * between replayer_run_beside() and replayer_run_end().
 *
 * If an engine dies, does not answer, or finds that the replay differs from the recording, the call
 * returns an error. Only replayer_destroy() may be called after that.
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
    struct point_tables tables; /* the tables that plans name by their id */
    int errors;   /* a file with what engines printed to stderr */
    int wake;     /* an eventfd: written to end the run */
    volatile sig_atomic_t interrupted;
    bool heedless; /* ignore interruptions, because a movement is being taken back */
    /* Called now and then while a process runs, with the seconds it has run so far; may be NULL. */
    void (*waiting)(void *context, const struct replayer *r, double seconds);
    void *waiting_context;
    /* Runs while ebb waits for another one: its requests are answered meanwhile; or NULL. */
    struct replayer *beside;
    pid_t *dying;  /* killed, not reaped yet */
    size_t dying_count, dying_room;
    /* The total work so far. Tests compare it with the cost of a question. */
    u64 ticks_run, copies_made;
    /* restored snapshots, by number: engines may request their pages */
    struct snapshot_reader **restored;
    size_t restored_count;
    u32 first_pid;    /* pid of the first engine; it and its copies know their first thread by it */
    u32 recorded_pid; /* the pid that the program had in the recording */
};

struct error *replayer_family_init(struct replayer_family *f, const struct recording *rec,
                                   u32 track,
                                  u32 recorded_pid);
void replayer_family_deinit(struct replayer_family *f); /* returns when all processes are gone */

/* Async-signal-safe. */
void replayer_family_interrupt(struct replayer_family *f);
void replayer_family_calm(struct replayer_family *f); /* clears an interruption */

struct replayer {
    struct replayer_family *family;
    pid_t pid;
    int socket;
    bool lost;
    u64 points; /* id of the table of points that the engine has; 0: none */
    /* approximate number of pages that only this process has, copied since it was made */
    u64 pages;
    struct control_stopped stopped; /* where the process stands, and what the last run met */
    struct plan_hit *trace; /* all hits of a PLAN_TRACE, oldest first; valid until the next run */
    size_t trace_count;
    struct plan_tally *tally; /* of a PLAN_TALLY; valid until the next run */
    size_t tally_count;
};

static inline struct moment replayer_at(const struct replayer *r)
{
    return (struct moment){r->stopped.tick, r->stopped.pc};
}

/* Starts the first replayer, which stands at the program's first instruction. */
struct error *replayer_start(struct replayer_family *f, struct replayer **ret);
void replayer_destroy(struct replayer *r); /* accepts NULL */
void replayer_destroyp(struct replayer **r);

struct error *replayer_fork(struct replayer *r, struct replayer **ret);

/* Runs the process and stores the result in r->stopped. Its reason is HIT, LIMIT, END or
 * INTERRUPTED; all other reasons are returned as errors. */
struct error *replayer_run(struct replayer *r, const struct plan *plan, size_t size);
struct error *replayer_run_to(struct replayer *r, struct moment limit);
/* The same in two steps, between which others of the family may run. At most one runs beside. */
struct error *replayer_run_beside(struct replayer *r, const struct plan *plan, size_t size);
struct error *replayer_run_end(struct replayer *r, u32 mode);

/* Runs by single instructions. *ret_fd is a file of struct states. */
struct error *replayer_states(struct replayer *r, struct moment limit, u64 most, int *ret_fd);

/* Writes the process's state to an unnamed file, ret->fd. The process stays where it is. After an
 * error it stays usable: no snapshot is possible at this moment, or its pages have more than `most`
 * bytes. */
struct error *replayer_snapshot(struct replayer *r, u64 most, struct snapshot_raw *ret);
/* Restores a state into a process that stands at the start. `offset` is the offset of the next
 * event. The family keeps the reader: the process and its copies get pages from it when they touch
 * them. */
struct error *replayer_restore(struct replayer *r, struct snapshot_reader *reader, u64 offset);

/* Compares a process with a snapshot of the moment that it stands at. *ret is the first difference,
 * to be freed; NULL: there is none, or it cannot be told here. */
struct error *replayer_compare(struct replayer *r, const struct snapshot_raw *raw, char **ret);

struct error *replayer_read(struct replayer *r, u64 address, void *to, size_t size, size_t *ret);
struct error *replayer_write(struct replayer *r, u64 address, const void *from, size_t size);
/* Returns the answer to a control_ask; the caller frees it. */
struct error *replayer_ask(struct replayer *r, u32 kind, u32 thread, void **ret, size_t *ret_size);
struct error *replayer_set_registers(struct replayer *r, u32 thread,
                                     const struct control_registers *to,
                                     const u8 *vector);

#endif
