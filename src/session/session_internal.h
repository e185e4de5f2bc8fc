/* What the files of the session share.
 *
 * Invariants
 *   (1) Between two public calls s->present, unless it is NULL, stands exactly at s->here; if it
 *       is NULL, the trail shows here, or a process can be made that does.
 *   (2) s->trail, unless it is NULL, covers a stretch that contains s->here.
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
        u64 event; /* number of events met, as an engine counts them */
        u32 end_status, end_signal;
    } here;
    struct trail *trail;
    u64 trail_states; /* number of states that the next trail is to have */
    struct {
        struct moment to;  /* where the last step forward led */
        u64 count;         /* number of consecutive steps */
        u64 states;        /* number of states that the next trail ahead is to have */
        u64 pause;         /* steps until a trail is tried again */
    } steps_ahead;         /* single steps forward, see steps.c */
    struct life_edge {
        u32 thread;
        bool known;
        struct moment at;
    } life_edges[2]; /* by enum session_direction: the edge that was reached last (thread_life.c) */
    struct replayer *scratch;
    i64 scratch_shown; /* how much of the engines' output has been returned */
    /* memory that only the copy has: scratch_call.c */
    struct scratch_room { u64 start, used; } scratch_room;
    /* if set, looking shows this process instead of the present one: trace.c */
    struct replayer *shown;
    const struct session_patch *patches;
    size_t patch_count;
    bool notes_reads, notes_paused;
    struct list noted; /* struct session_noted */
    struct moment *history; /* the moments that movements led to */
    size_t history_count, history_room, history_at;
    void *registers; /* returned by session_registers, freed at its next call */
    char *program;
    const char *fault_runtime; /* or NULL */
    u64 first_stack; /* the stack pointer with which the program began */
    u32 pid;
    bool end_known;
    u64 end_event; /* number of events met at the end, including the signal of a crash */
};

/* Makes `r` the present process. The previous one is kept as a checkpoint if that is worthwhile. */
void session_stand(struct session *s, struct replayer *r);

/* Sets the current moment without a process. The next request makes one, or reports why it
 * cannot. */
void session_stand_without_process(struct session *s, struct moment at);

/* Asserts the invariants above. Called between two movements. */
void session_check(const struct session *s);

/* Goes to a state of the trail. */
void session_stand_on_trail(struct session *s, u64 index);

/* Returns a process that stands here and may run: s->present, made if necessary. */
struct error *session_present(struct session *s, struct replayer **ret);

/* Called at the beginning and the end of each movement. session_moved notes where it began, if the
 * session has moved. */
void session_begin(struct session *s);
void session_moved(struct session *s, struct moment from);
bool session_interrupted(const struct session *s);

/* Makes the copy unless there is one. */
struct error *scratch_make(struct session *s);
/* Skips output that was printed before the copy was made. */
void scratch_pass_output(struct session *s);

/* Overwrites bytes that were read, or are about to be read, with those of the patches. Returns true
 * if the patches cover the whole range, so that nothing needs to be read. */
bool session_patched(const struct session *s, u64 address, void *to, size_t size);

/* fault_runtime.c: finds the runtime's name. */
const char *session_find_fault_runtime(const struct session *s);

#endif
