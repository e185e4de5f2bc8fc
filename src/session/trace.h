/* Tracing: finds every hit of some sites in a stretch of the track. The session does not move.
 *
 * The sites of a question may change with time: the address of `p->next->v` is another one after p
 * has changed. So a function (`lay`) sets the sites, and can look at the moment from which they are
 * valid. It is called again at each hit of a site with PLAN_ENDS.
 *
 * Forward, the stretch is traced as a whole. Backward, it is traced in parts, from the newest to
 * the oldest. Within a part, hits are still reported in the order in which they happened, since
 * programs only run forward.
 */
#ifndef SESSION_TRACE_H
#define SESSION_TRACE_H

#include "session/session.h"

struct session_sites {
    const struct plan_site *sites; /* valid until the next call; their conditions are offsets in: */
    size_t count;
    const u8 *bytecode;
    size_t bytecode_size;
    bool enough; /* the search can end */
};

struct session_trace {
    struct moment from, to; /* hits after `from`, up to `to` */
    enum session_direction direction;

    /* Sets the sites where each part begins, and where a hit with PLAN_ENDS has happened. Until it
     * returns, looking shows the moment `at`. */
    struct error *(*lay)(void *context, struct moment at, struct session_sites *ret);
    /* Gets the hits since the last call, in the order in which they happened. Returns false to end
     * the trace. */
    bool (*take)(void *context, const struct plan_hit *hits, size_t count);
    /* Called when a part has been traced; may be NULL. Returns false to end the trace. */
    bool (*part)(void *context, struct moment from, struct moment to);
    void *context;
    struct moment *reached; /* may be NULL; gets how far the last part was traced */
};

/* *ret_interrupted: session_interrupt() ended it. */
struct error *session_trace(struct session *s, const struct session_trace *t,
                            bool *ret_interrupted);

/* --- memory as it was not ------------------------------------------------------------------
 *
 * session_read() shows these bytes in place of the memory's content, until this is called with
 * none. */
struct session_patch {
    u64 address;
    const u8 *bytes; /* lent */
    size_t size;
};
void session_pretend(struct session *s, const struct session_patch *patches, size_t count);

/* Starts noting the memory that session_read() is asked for, until session_reads_noted() returns
 * the list. The caller frees *ret. Entries may overlap. */
struct session_noted {
    u64 address, size;
};
void session_note_reads(struct session *s);
/* False: stops noting for a while; true: goes on. */
void session_note_resume(struct session *s, bool notes);
void session_reads_noted(struct session *s, struct session_noted **ret, size_t *ret_count);

#endif
