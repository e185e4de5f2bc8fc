/* The source-level face of a session: the current place in the program's own words.
 *
 * Its symbols follow the session: modules come and go as it moves.  The movements that are about
 * statements and frames are in movement.h.  A struct source borrows its session.
 */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include "session/session.h"
#include "symbols/symbols.h"

struct source;

void source_create(struct session *s, struct source **ret);
void source_destroy(struct source *src); /* accepts NULL; before its session */
struct session *source_session(struct source *src);

/* Symbols for the present moment; valid until the session moves. */
struct error *source_symbols(struct source *src, struct symbols **ret);

/* Frames of a thread (CONTROL_THREAD_ANY: the one whose moment it is), innermost first; to be
 * freed. */
struct error *source_frames(struct source *src, u32 thread, size_t most, struct frame **ret,
                            size_t *ret_count, const char **ret_why);

/* The same, as far as they are asked for (symbols.h); valid until the session moves. */
struct error *source_unwinding(struct source *src, u32 thread, struct unwinding **ret);

/* The session stands at a breakpoint on a function into which others are inlined at this place:
 * so many of those are not entered yet, for frames and for movements. It holds for this moment. */
void source_stand_before(struct source *src, u32 inlined);
u32 source_stands_before(struct source *src, u32 thread);

#endif
