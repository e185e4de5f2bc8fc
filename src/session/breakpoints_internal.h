/* What stops a movement: a set with a version, and plans made of it. */
#ifndef SESSION_BREAKPOINTS_INTERNAL_H
#define SESSION_BREAKPOINTS_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/control.h"
#include "session/point_tables_internal.h"
#include "session/session.h"

struct breakpoints {
    struct breakpoint_entry {
        u32 number;
        struct breakpoint b; /* its condition is ours */
    } *list;
    size_t count, room;
    u32 last_number;
    u64 version; /* another set, another version */
    struct session_heed heed;
};

void breakpoints_deinit(struct breakpoints *set);
struct error *breakpoints_add(struct breakpoints *set, const struct breakpoint *b, u32 *ret_number);
struct error *breakpoints_remove(struct breakpoints *set, u32 number);
struct error *breakpoints_enable(struct breakpoints *set, u32 number, bool enabled);

/* A plan in one piece, as an engine gets it. */
struct pass_plan {
    struct plan *plan;
    size_t size;
    u32 *numbers; /* of the breakpoint of each site; 0: of none */
};
void pass_plan_deinit(struct pass_plan *p);

/* Which breakpoints: all that are enabled, those that stop at once, or one. */
enum { CHOOSE_ALL = 0, CHOOSE_PROMPT = 0xffffffff };
/* Sites of the movement's own come first. */
void breakpoints_plan(const struct breakpoints *set, u32 choice, const struct plan_site *own,
                      u32 own_count, struct pass_plan *ret);

/* A condition of a site of the movement's own. */
void pass_plan_add_condition(struct pass_plan *p, u32 site, const u8 *code, size_t size);

/* What a pass counts in translated code; all of it lent. */
struct pass_points {
    const struct plan_point *points;
    const struct plan_frame *frames;
    const u32 *scopes;
    u32 point_count, frame_count, scope_count;
    u32 thread;
};
void pass_plan_add_points(struct pass_plan *p, struct point_tables *tables,
                          const struct pass_points *points);

/* Are the breakpoint's events heeded if this thread is the one that makes them? */
bool breakpoints_heeds(const struct breakpoints *set, const struct breakpoint *b, u32 thread);

/* Are the events of all breakpoints heeded? Then counts of this version are complete. */
bool breakpoints_heeds_all(const struct breakpoints *set);

/* Is there one that is enabled? */
bool breakpoints_any(const struct breakpoints *set, u32 choice);
/* One that lets hits pass before it stops? */
bool breakpoints_ignoring(const struct breakpoints *set);

#endif
