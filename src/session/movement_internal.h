/* What movement.c and steps.c share. */
#ifndef SESSION_MOVEMENT_INTERNAL_H
#define SESSION_MOVEMENT_INTERNAL_H

#include "session/movement.h"
#include "session/session_internal.h"

/* Stands at the moment, from a checkpoint or on the trail; or, interrupted, where it was. */
struct error *movement_go(struct session *s, struct moment to);

/* A copy of `r` stays here, where a movement begins, if it would take a while to come back. */
struct error *movement_depart(struct session *s, struct replayer *r);

/* After an error or an interruption, back to where the movement began. */
void movement_return(struct session *s, struct moment to);

/* The nth stop before here and not before the bound: stop and *ret_at are set only if there is
 * one. */
struct error *movement_stop_before(struct session *s, struct moment bound, u64 nth,
                                   struct session_stop *stop, struct moment *ret_at);

/* Runs to the nth stop, or to the bound: then only END and INTERRUPTED are said. */
struct error *movement_run_ahead(struct session *s, struct moment bound, u64 nth,
                                 struct session_stop *stop);

void movement_describe(struct session_stop *stop, const struct found *found,
                       const struct pass_plan *plan);

/* A movement of this thread that began at `from` and has led beyond its first or last
 * instruction: to that one instead. */
struct error *movement_keep_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop);
/* Does it stand at that edge, as is known already? */
bool movement_at_edge_of_life(const struct session *s, enum session_direction direction,
                              u32 thread);
/* One instruction of the thread, without a word to anyone. */
struct error *steps_one(struct session *s, enum session_direction direction, u32 thread,
                        struct session_stop *ret);

/* The nearest stop before here, if the trail can tell for sure: then *ret, and the session stands
 * there.  Else it may stand further back, with no stop in between. */
struct error *steps_search_trail(struct session *s, struct session_stop *stop, bool *ret);

#endif
