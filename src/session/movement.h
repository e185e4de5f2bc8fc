/* Movements: all that lead from one moment to another.
 *
 * docs/movement.md says where each of them stops.  Those that know about statements and frames take
 * a struct source, the others the session alone.  A movement that fails leaves the session where it
 * was.  A backward one that is interrupted does, too.
 *
 *   movement.c    continue, travel, goto, undo: which passes they take
 *   steps.c       by instructions
 *   stepping*.c   by statements and frames: step, next, finish, out; nexti
 *   walk.c        what those are made of
 *   points.c      statements and frames as plans have them
 *   point_search.c  the nth statement after or before a moment
 *
 * No movement calls its caller. Breakpoints are set before it, and it ends at the first that hits.
 */
#ifndef SESSION_MOVEMENT_H
#define SESSION_MOVEMENT_H

#include "session/session.h"
#include "session/source.h"

/* --- by breakpoints, moments and instructions ----------------------------------------------- */

/* To the nth event of any breakpoint after / before now. */
struct error *movement_continue(struct session *s, enum session_direction direction, u64 nth,
                                struct session_stop *ret);

/* To a moment, unless a breakpoint stops it on the way.  WHY_ARRIVED: there.  Forward, breakpoints
 * that lie there do not: movement_meet() names those on code. */
struct error *movement_travel(struct session *s, struct moment to, struct session_stop *ret);

/* The breakpoints on code that are met here, before the instruction is executed: *ret says so, or
 * stays as it is. */
struct error *movement_meet(struct session *s, struct session_stop *ret);

/* After a movement that began at `from` and is to be one of this thread alone: if it has led beyond
 * the thread's first or last instruction, to that one instead (WHY_THREAD_START, WHY_THREAD_END).
 * Movements by instructions and statements see to it themselves. */
struct error *movement_stay_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop);

/* `count` instructions of the thread (CONTROL_THREAD_ANY: of whichever runs), or until a
 * breakpoint; an event at the moment where it ends is a WHY_STEPPED (a store that a breakpoint is
 * about and that the last step passed is named all the same, in `breakpoints` and `hit`).  With
 * `range` (start < end) no stop while the pc is in it: until it is left. */
struct session_range { u64 start, end; };
struct error *movement_stepi(struct session *s, enum session_direction direction, u32 thread,
                             u64 count, struct session_range range, struct session_stop *ret);

/* Breakpoints do not stop it. */
struct error *movement_goto(struct session *s, struct moment to, struct session_stop *ret);
/* The exact moment before / after the last movement.  An error if there is none. */
struct error *movement_undo(struct session *s);
struct error *movement_redo(struct session *s);

/* --- by statements and frames ------------------------------------------------------ */

/* The movements.  `count` is at least 1.  WHY_STEPPED: as asked; else an early stop, as in
 * session.h. */
struct error *movement_step(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret);
struct error *movement_next(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret);
/* FORWARD: finish; BACKWARD: before.  `*ret_function` (may be NULL) gets the entry of the
 * function that returned. */
struct error *movement_finish(struct source *src, enum session_direction d, u64 count,
                              struct session_stop *ret, u64 *ret_function);
/* Instructions, calls stepped over: nexti and its twin. */
struct error *movement_nexti(struct source *src, enum session_direction d, u64 count,
                             struct session_stop *ret);
/* The next / last time that one of the places was about to be executed, in any frame. */
struct error *movement_until(struct source *src, enum session_direction d, const u64 *pcs,
                             size_t count, struct session_stop *ret);
/* out and bout: the first step point after / the last before the innermost lexical block or loop
 * body of the current statement. */
struct error *movement_out(struct source *src, enum session_direction d, struct session_stop *ret);

#endif
