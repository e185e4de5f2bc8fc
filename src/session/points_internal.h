/* The step points of the program as plans count them, and the frames that a movement begins in. */
#ifndef SESSION_POINTS_INTERNAL_H
#define SESSION_POINTS_INTERNAL_H

#include "base/error.h"
#include "base/list.h"
#include "base/types.h"
#include "log/control.h"
#include "session/breakpoints_internal.h"
#include "session/session.h"
#include "symbols/symbols.h"

/* Kept from movement to movement: engines know the same points again. */
struct points {
    struct plan_point *list; /* by pc */
    u32 count;
    u32 number;            /* of symbols_points_number() */
    bool detours;          /* they count, too */
    u32 *scopes;           /* parents */
    u32 scope_count;
    struct list functions; /* struct points_function */
};

/* A function that has been looked at for what was inlined there. */
struct points_function {
    u64 start, end, entry;
    struct scope_range *ranges;
    size_t range_count;
};

void points_init(struct points *p);
void points_deinit(struct points *p);

/* Brings them up to date with what is mapped, for a movement that begins at the pc. */
void points_use(struct points *p, struct symbols *symbols, u64 pc);
/* Those of another moment, with other libraries, count too. */
void points_join(struct points *p, struct symbols *symbols);

/* The function around the pc, now with its points and scopes; NULL: not known. Valid until the next
 * call. */
const struct points_function *points_function(struct points *p, struct symbols *symbols, u64 pc);
/* The point at the pc; NULL: none. */
struct plan_point *points_at(const struct points *p, u64 pc);

struct plan_point plan_point_of(u64 pc, const struct cfa_rule *rule);

/* --- frames --------------------------------------------------------------------------------- */

/* A frame as movements see it: no trampoline, and what was inlined is a scope of it. */
struct base_frame {
    struct plan_frame plan;
    u64 pc;         /* look up pc - called */
    bool called;
    u64 rsp;
    u64 function;   /* entry; 0: not known */
    bool handler;   /* of a signal: the one outside of it was interrupted */
    u32 inlined;    /* scopes between `plan.scope` and the function */
};

struct base_frames {
    struct base_frame *list; /* innermost first */
    size_t count;
    struct plan_frame *plan; /* the same, as engines get them: without what never returns */
    u32 plan_count;
};

/* From frames of symbols; areas tell stacks from each other. */
void base_frames_init(struct base_frames *b, struct points *p, struct symbols *symbols,
                      const struct frame *frames, size_t count, const struct control_area *areas,
                      size_t area_count);
void base_frames_deinit(struct base_frames *b);
/* So many inlined functions at the innermost frame are taken not to be entered yet. */
void base_frames_stand_before(struct base_frames *b, struct symbols *symbols, u32 inlined);

/* Events with which the frame began: the call, or the signal.  At most BEGINNINGS_MOST. */
enum { BEGINNINGS_MOST = CALLS_BEFORE_MOST };
u32 base_frame_beginnings(const struct base_frames *b, size_t index, struct symbols *symbols,
                          u32 thread, struct plan_site ret[BEGINNINGS_MOST]);

#endif
