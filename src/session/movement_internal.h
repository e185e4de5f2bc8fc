/* What movement.c and steps.c share. */
#ifndef SESSION_MOVEMENT_INTERNAL_H
#define SESSION_MOVEMENT_INTERNAL_H

#include "session/movement.h"
#include "session/session_internal.h"

/* Moves to the moment, from a checkpoint or along the trail. If it is interrupted, the session
 * stays where it was. */
struct error *movement_go(struct session *s, struct moment to);

/* Leaves a copy of `r` as a checkpoint where a movement begins, if coming back would take long. */
struct error *movement_depart(struct session *s, struct replayer *r);

/* After an error or an interruption, returns to where the movement began. */
void movement_return(struct session *s, struct moment to);

/* Finds the nth stop before here and not before `bound`. Sets `stop` and *ret_at only if there is
 * one. */
struct error *movement_stop_before(struct session *s, struct moment bound, u64 nth,
                                   struct session_stop *stop, struct moment *ret_at);

/* Runs to the nth stop or to `bound`. At `bound`, `stop` is set only for the end of the track or an
 * interruption. */
struct error *movement_run_ahead(struct session *s, struct moment bound, u64 nth,
                                 struct session_stop *stop);

void movement_describe(struct session_stop *stop, const struct found *found,
                       const struct pass_plan *plan);

/* If a movement of this thread that began at `from` went past the thread's first or last
 * instruction, goes to that instruction instead. */
struct error *movement_keep_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop);
/* True if it is already known that the session stands at the thread's first (backward) or last
 * (forward) instruction. */
bool movement_at_edge_of_life(const struct session *s, enum session_direction direction,
                              u32 thread);
/* Steps one instruction of the thread, without adding to the history. */
struct error *steps_one(struct session *s, enum session_direction direction, u32 thread,
                        struct session_stop *ret);

/* Looks for the nearest stop before here on the trail. If the trail is sure of one, *ret is true
 * and the session stands there. Otherwise the session may have moved back, past moments that have
 * no stop. */
struct error *steps_search_trail(struct session *s, struct session_stop *stop, bool *ret);

#endif
