/* The source-level face of a session: where one stands in the program's own words, and the
 * movements of docs/movement.md that are about statements and frames.
 *
 *   source.c        symbols that follow the session: modules come and go as it moves
 *   stepping*.c     step, next, finish, out and their twins: which searches each takes
 *   walk.c          what they are made of
 *   points.c        statements and frames as plans have them
 *   point_search.c  the nth statement after or before a moment
 *
 * A struct source borrows its session.  Movements that fail leave the session where it was.
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

/* The movements.  `count` is at least 1.  WHY_STEPPED: as asked; else an early stop, as in
 * session.h. */
struct error *source_step(struct source *src, enum session_direction d, u64 count,
                          struct session_stop *ret);
struct error *source_next(struct source *src, enum session_direction d, u64 count,
                          struct session_stop *ret);
/* FORWARD: finish; BACKWARD: before.  `*ret_function` (may be NULL) gets the entry of the
 * function that returned. */
struct error *source_finish(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret, u64 *ret_function);
/* Instructions, calls stepped over: nexti and its twin. */
struct error *source_nexti(struct source *src, enum session_direction d, u64 count,
                           struct session_stop *ret);
/* The next / last time that one of the places was about to be executed, in any frame. */
struct error *source_until(struct source *src, enum session_direction d, const u64 *pcs,
                           size_t count, struct session_stop *ret);
/* out and bout: the first step point after / the last before the innermost lexical block or loop
 * body of the current statement. */
struct error *source_out(struct source *src, enum session_direction d, struct session_stop *ret);

#endif
