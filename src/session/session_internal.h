/* What the files of the session share.
 *
 * Invariants
 *   (1) Between two public calls s->present, unless it is NULL, stands exactly at s->here; if it
 *       is NULL, the trail shows here, or a process can be made that does.
 *   (2) s->trail is about a stretch that here lies in, or there is none.
 */
#ifndef SESSION_SESSION_INTERNAL_H
#define SESSION_SESSION_INTERNAL_H

#include "base/error.h"
#include "base/list.h"
#include "base/types.h"
#include "session/breakpoints_internal.h"
#include "session/replayer_internal.h"
#include "session/search_internal.h"
#include "session/session.h"
#include "session/timeline_internal.h"
#include "session/trace.h"
#include "session/trail_internal.h"

struct session {
    const struct recording *rec;
    struct replayer_family family;
    struct timeline timeline;
    struct breakpoints breakpoints;
    struct counts counts;
    struct replayer *present;
    struct session_here {
        struct moment at;
        u32 thread, tid;
        u64 event; /* as an engine counts */
        u32 end_status, end_signal;
    } here;
    struct trail *trail;
    u64 trail_states; /* the next trail is to have */
    struct {
        struct moment to;  /* where the last one led */
        u64 count;         /* one after the other */
        u64 states;        /* the next trail ahead is to have */
        u64 pause;         /* steps before one is tried again */
    } steps_ahead;         /* single steps forward: steps.c */
    struct life_edge {
        u32 thread;
        bool known;
        struct moment at;
    } life_edges[2]; /* by enum session_direction: the last that was come to (thread_life.c) */
    struct replayer *scratch;
    i64 scratch_shown; /* how much of what engines printed has been asked for */
    /* memory of the copy's own: scratch_call.c */
    struct scratch_room { u64 start, used; } scratch_room;
    struct replayer *shown; /* looking shows it instead of here: trace.c */
    const struct session_patch *patches;
    size_t patch_count;
    bool notes_reads, notes_paused;
    struct list noted; /* struct session_noted */
    struct moment *history; /* where movements led */
    size_t history_count, history_room, history_at;
    void *registers; /* lent by session_registers */
    char *program;
    const char *fault_runtime; /* or NULL */
    u64 first_stack; /* the stack pointer that the program began with */
    u32 pid;
    bool end_known;
    u64 end_event; /* met there, whichever way it is reached: a crash's own is among them */
};

/* Takes `r` as the present; what was before is kept if it is worth it. */
void session_stand(struct session *s, struct replayer *r);

/* Here is `at`, but there is no process: what asks next makes one, or says why it cannot. */
void session_stand_without_process(struct session *s, struct moment at);

/* Asserts the invariants above; between two movements. */
void session_check(const struct session *s);

/* Goes to a state of the trail. */
void session_stand_on_trail(struct session *s, u64 index);

/* A process that stands here and may run: s->present, made if need be. */
struct error *session_present(struct session *s, struct replayer **ret);

/* Around each movement.  session_moved notes where it began, if it led anywhere. */
void session_begin(struct session *s);
void session_moved(struct session *s, struct moment from);
bool session_interrupted(const struct session *s);

/* The copy, made if there is none. */
struct error *scratch_make(struct session *s);
/* Output up to now does not belong to a copy. */
void scratch_pass_output(struct session *s);

/* Puts what patches say into bytes that were read, or are to be.  True if they say all of it:
 * nothing need be read. */
bool session_patched(const struct session *s, u64 address, void *to, size_t size);

/* fault_runtime.c: looks for it. */
const char *session_find_fault_runtime(const struct session *s);

#endif
