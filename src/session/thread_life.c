/* Movements of one thread stay within the thread's life: they end at its first or last instruction
 * (docs/movement.md), whatever other threads did before or after. */
#include "session/movement_internal.h"

/* Finds the thread's instruction that is nearest to the moment, ignoring breakpoints. */
static struct error *find_nearest(struct session *s, u32 thread, struct moment from,
                                  enum session_direction towards)
{
    struct session_stop unused;
    struct session_heed kept = s->breakpoints.heed;
    struct error *err = movement_go(s, from);
    if (err || session_interrupted(s) || (towards == FORWARD && s->here.thread == thread))
        return err;
    s->breakpoints.heed.nothing = true;
    err = steps_one(s, towards, thread, &unused);
    s->breakpoints.heed = kept;
    return err;
}

struct error *movement_keep_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop)
{
    struct moment edge;
    bool back = direction == BACKWARD;
    if (thread == CONTROL_THREAD_ANY || session_interrupted(s))
        return NULL;
    if (!(back ? track_events_begins : track_events_ends)(s->family.events, thread, from, &edge))
        return NULL;
    int beyond = moment_compare(s->here.at, edge);
    if (back ? beyond > 0 : beyond < 0)
        return NULL;
    struct error *err = find_nearest(s, thread, edge, back ? FORWARD : BACKWARD);
    if (err || session_interrupted(s))
        return err;
    *stop = (struct session_stop){.why = back ? WHY_THREAD_START : WHY_THREAD_END};
    s->life_edges[direction] = (struct life_edge){thread, true, s->here.at};
    return NULL;
}

/* Saves a search when a client keeps asking for steps at the edge. */
bool movement_at_edge_of_life(const struct session *s, enum session_direction direction, u32 thread)
{
    const struct life_edge *e = &s->life_edges[direction];
    return e->known && e->thread == thread && moment_compare(e->at, s->here.at) == 0;
}

struct error *movement_stay_in_life(struct session *s, enum session_direction direction, u32 thread,
                                    struct moment from, struct session_stop *stop)
{
    session_begin(s);
    struct error *err = movement_keep_in_life(s, direction, thread, from, stop);
    session_moved(s, from);
    return err;
}
