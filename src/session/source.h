/* The source-level view of a session: the current place in terms of the program's source.
 *
 * Its symbols follow the session: modules are loaded and unloaded as it moves. The movements that
 * are about statements and frames are in movement.h. A struct source borrows its session.
 */
#ifndef SESSION_SOURCE_H
#define SESSION_SOURCE_H

#include "session/session.h"
#include "symbols/symbols.h"

struct source;

void source_create(struct session *s, struct source **ret);
void source_destroy(struct source *src); /* accepts NULL; before its session */
struct session *source_session(struct source *src);

/* Returns the symbols for the current moment; valid until the session moves. */
struct error *source_symbols(struct source *src, struct symbols **ret);

/* Returns the frames of a thread (CONTROL_THREAD_ANY: the current thread), innermost first; the
 * caller frees them. */
struct error *source_frames(struct source *src, u32 thread, size_t most, struct frame **ret,
                            size_t *ret_count, const char **ret_why);

/* The same, but frames are found one by one as they are requested (symbols.h). Valid until the
 * session moves. */
struct error *source_unwinding(struct source *src, u32 thread, struct unwinding **ret);

/* Called when the session stands at a breakpoint on a function whose inlined callees begin at the
 * same address: this many of them count as not yet entered, for frames and for movements. Valid for
 * this moment only. */
void source_stand_before(struct source *src, u32 inlined);
u32 source_stands_before(struct source *src, u32 thread);

#endif
