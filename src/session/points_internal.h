/* The program's step points in the form that plans use, and the frames in which a movement
 * begins. */
#ifndef SESSION_POINTS_INTERNAL_H
#define SESSION_POINTS_INTERNAL_H

#include "base/error.h"
#include "base/list.h"
#include "base/types.h"
#include "log/control.h"
#include "session/breakpoints_internal.h"
#include "session/session.h"
#include "symbols/symbols.h"

/* Kept between movements, so that engines recognize the same points again. */
struct points {
    struct plan_point *list; /* by pc */
    u32 count;
    u32 number;            /* symbols_points_number() when they were read */
    bool detours;          /* points in detours are included */
    u32 *scopes;           /* the parent of each scope */
    u32 scope_count;
    struct list functions; /* struct points_function */
};

/* A function whose inlined functions have been looked up. */
struct points_function {
    u64 start, end, entry;
    struct scope_range *ranges;
    size_t range_count;
};

void points_init(struct points *p);
void points_deinit(struct points *p);

/* Updates the points to the files that are mapped now, for a movement that begins at `pc`. */
void points_use(struct points *p, struct symbols *symbols, u64 pc);
/* Adds the points of another moment, at which other libraries may be loaded. */
void points_join(struct points *p, struct symbols *symbols);

/* Returns the function around the pc, with its points and scopes; NULL if it is not known. Valid
 * until the next call. */
const struct points_function *points_function(struct points *p, struct symbols *symbols, u64 pc);
/* Returns the point at the pc; NULL if there is none. */
struct plan_point *points_at(const struct points *p, u64 pc);

struct plan_point plan_point_of(u64 pc, const struct cfa_rule *rule);

/* --- frames --------------------------------------------------------------------------------- */

/* A frame as movements see it. Trampolines have no frame, and inlined functions are scopes of their
 * caller's frame. */
struct base_frame {
    struct plan_frame plan;
    u64 pc;         /* look up `pc - called` to find the statement */
    bool called;
    u64 rsp;
    u64 function;   /* entry address; 0: not known */
    bool handler;   /* a signal handler: the next outer frame was interrupted */
    u32 inlined;    /* number of scopes between `plan.scope` and the function */
};

struct base_frames {
    struct base_frame *list; /* innermost first */
    size_t count;
    /* the same in the form that engines get, without frames that never return */
    struct plan_frame *plan;
    u32 plan_count;
};

/* Makes them from frames of `symbols`. The areas tell which stack an address is on. */
void base_frames_init(struct base_frames *b, struct points *p, struct symbols *symbols,
                      const struct frame *frames, size_t count, const struct control_area *areas,
                      size_t area_count);
void base_frames_deinit(struct base_frames *b);
/* Treats this many inlined functions of the innermost frame as not yet entered. */
void base_frames_stand_before(struct base_frames *b, struct symbols *symbols, u32 inlined);

/* Finds the events with which the frame may have begun: its call, or its signal. At most
 * BEGINNINGS_MOST. */
enum { BEGINNINGS_MOST = CALLS_BEFORE_MOST };
u32 base_frame_beginnings(const struct base_frames *b, size_t index, struct symbols *symbols,
                          u32 thread, struct plan_site ret[BEGINNINGS_MOST]);

#endif
