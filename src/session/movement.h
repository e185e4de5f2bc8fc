/* Movements: everything that takes the session from one moment to another.
 *
 * docs/movement.md says where each movement stops. Movements by statements and frames take a struct
 * source, the others only the session. A movement that fails leaves the session where it was, and
 * so does a backward movement that is interrupted.
 *
 *   movement.c    continue, travel, goto, undo: which passes they take
 *   steps.c       by instructions
 *   stepping*.c   by statements and frames: step, next, finish, out; nexti
 *   walk.c        the building blocks of those movements
 *   points.c      statements and frames in the form that plans use
 *   point_search.c  the nth statement after or before a moment
 *
 * No movement calls its caller. Breakpoints are set before it, and it ends at the first that hits.
 */
#ifndef SESSION_MOVEMENT_H
#define SESSION_MOVEMENT_H

#include "session/session.h"
#include "session/source.h"

/* --- by breakpoints, moments and instructions ----------------------------------------------- */

/* Moves to the nth event of any breakpoint after or before the current moment. */
struct error *movement_continue(struct session *s, enum session_direction direction, u64 nth,
                                struct session_stop *ret);

/* Moves to a moment, unless a breakpoint stops the movement on the way. WHY_ARRIVED: the moment was
 * reached. A forward movement is not stopped by breakpoints exactly at the target; movement_meet()
 * reports those on code. */
struct error *movement_travel(struct session *s, struct moment to, struct session_stop *ret);

/* Reports the code breakpoints at the current instruction, which is not yet executed. *ret is
 * unchanged if there are none. */
struct error *movement_meet(struct session *s, struct session_stop *ret);

/* Limits a movement of one thread to the life of that thread. Called after a movement that began at
 * `from`: if it went past the thread's first or last instruction, goes to that instruction instead
 * (WHY_THREAD_START, WHY_THREAD_END). Movements by instructions and statements do this
 * themselves. */
struct error *movement_stay_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop);

/* Steps `count` instructions of the thread (CONTROL_THREAD_ANY: of any thread), unless a breakpoint
 * stops it earlier. If a breakpoint has an event exactly where the step ends, the result is still
 * WHY_STEPPED. A watched store that the last step executed is reported in `breakpoints` and `hit`
 * all the same. With `range` (start < end), steps until the pc leaves the range. */
struct session_range { u64 start, end; };
struct error *movement_stepi(struct session *s, enum session_direction direction, u32 thread,
                             u64 count, struct session_range range, struct session_stop *ret);

/* Moves to a moment. Breakpoints do not stop the movement. */
struct error *movement_goto(struct session *s, struct moment to, struct session_stop *ret);
/* Returns to the exact moment before (redo: after) the last movement. An error if there is none. */
struct error *movement_undo(struct session *s);
struct error *movement_redo(struct session *s);

/* --- by statements and frames ------------------------------------------------------ */

/* `count` is at least 1. WHY_STEPPED: the whole movement was made. Any other result is an early
 * stop, see session.h. */
struct error *movement_step(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret);
struct error *movement_next(struct source *src, enum session_direction d, u64 count,
                            struct session_stop *ret);
/* FORWARD: `finish`. BACKWARD: `before`, to the call of the current function. `*ret_function` (may
 * be NULL) gets the entry of the function that returned. */
struct error *movement_finish(struct source *src, enum session_direction d, u64 count,
                              struct session_stop *ret, u64 *ret_function);
/* Steps by instructions, but over calls: `nexti` and its reverse. */
struct error *movement_nexti(struct source *src, enum session_direction d, u64 count,
                             struct session_stop *ret);
/* Moves to the next or the previous time that one of the places is about to be executed, in any
 * frame. */
struct error *movement_until(struct source *src, enum session_direction d, const u64 *pcs,
                             size_t count, struct session_stop *ret);
/* `out` and `bout`: move to the first step point after (or the last before) the innermost lexical
 * block or loop body around the current statement. */
struct error *movement_out(struct source *src, enum session_direction d, struct session_stop *ret);

#endif
