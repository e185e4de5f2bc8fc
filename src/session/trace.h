/* Tracing: every hit of some sites in a stretch of the track, by passes that leave the present
 * where it is.
 *
 * What a question depends on may change with time: where `p->next->v` lies is another matter after
 * p has changed.  So sites are laid by a function that can look at the moment from which on they
 * are to hold; a hit of a site with PLAN_ENDS is where it is called again.
 *
 * Forward, the stretch is one.  Backward it is taken in parts, from the newest to the oldest;
 * within a part hits come in the order in which they happened all the same, since programs only run
 * forward.
 */
#ifndef SESSION_TRACE_H
#define SESSION_TRACE_H

#include "session/session.h"

struct session_sites {
    const struct plan_site *sites; /* lent until the next call; conditions are offsets in: */
    size_t count;
    const u8 *bytecode;
    size_t bytecode_size;
    bool enough; /* nothing more is to be looked for */
};

struct session_trace {
    struct moment from, to; /* what happened after `from`, up to `to` */
    enum session_direction direction;

    /* Where each part begins, and where a hit with PLAN_ENDS has happened: until it returns,
     * looking shows `at`. */
    struct error *(*lay)(void *context, struct moment at, struct session_sites *ret);
    /* Hits since it was last called, in the order in which they happened.  False: it is enough. */
    bool (*take)(void *context, const struct plan_hit *hits, size_t count);
    /* A part has been run through; may be NULL.  False: it is enough. */
    bool (*part)(void *context, struct moment from, struct moment to);
    void *context;
    struct moment *reached; /* may be NULL; gets how far the last part came */
};

/* *ret_interrupted: it was ended by session_interrupt(). */
struct error *session_trace(struct session *s, const struct session_trace *t,
                            bool *ret_interrupted);

/* --- memory as it was not ------------------------------------------------------------------
 *
 * Until it is called with none, session_read() shows these bytes in place of what is there. */
struct session_patch {
    u64 address;
    const u8 *bytes; /* lent */
    size_t size;
};
void session_pretend(struct session *s, const struct session_patch *patches, size_t count);

/* From now on what session_read() is asked for is noted, until session_reads_noted(); *ret to be
 * freed.  They may overlap. */
struct session_noted {
    u64 address, size;
};
void session_note_reads(struct session *s);
/* False: what is read now is not part of it; true: it is again. */
void session_note_resume(struct session *s, bool notes);
void session_reads_noted(struct session *s, struct session_noted **ret, size_t *ret_count);

#endif
