/* The breakpoints that stop a movement: a set with a version, and the plans made from it. */
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
        struct breakpoint b; /* owns its condition */
    } *list;
    size_t count, room;
    u32 last_number;
    u64 version; /* changes whenever the set changes */
    struct session_heed heed;
};

void breakpoints_deinit(struct breakpoints *set);
struct error *breakpoints_add(struct breakpoints *set, const struct breakpoint *b, u32 *ret_number);
struct error *breakpoints_remove(struct breakpoints *set, u32 number);
struct error *breakpoints_enable(struct breakpoints *set, u32 number, bool enabled);

/* A plan in one block of memory, in the form that is sent to an engine. */
struct pass_plan {
    struct plan *plan;
    size_t size;
    u32 *numbers; /* for each site, its breakpoint's number; 0: none */
};
void pass_plan_deinit(struct pass_plan *p);

/* Which breakpoints go into a plan: all enabled ones, only those without an ignore count, or the
 * one with this number. */
enum { CHOOSE_ALL = 0, CHOOSE_PROMPT = 0xffffffff };
/* Makes a plan. The movement's own sites come before those of breakpoints. */
void breakpoints_plan(const struct breakpoints *set, u32 choice, const struct plan_site *own,
                      u32 own_count, struct pass_plan *ret);

/* Adds a condition to one of the movement's own sites. */
void pass_plan_add_condition(struct pass_plan *p, u32 site, const u8 *code, size_t size);

/* The points that a pass counts in translated code. The caller keeps ownership of everything
 * here. */
struct pass_points {
    const struct plan_point *points;
    const struct plan_frame *frames;
    const u32 *scopes;
    u32 point_count, frame_count, scope_count;
    u32 thread;
};
void pass_plan_add_points(struct pass_plan *p, struct point_tables *tables,
                          const struct pass_points *points);

/* True if the breakpoint's events stop a movement when this thread causes them. */
bool breakpoints_heeds(const struct breakpoints *set, const struct breakpoint *b, u32 thread);

/* True if the events of all breakpoints stop movements. Then counts of this version are
 * complete. */
bool breakpoints_heeds_all(const struct breakpoints *set);

/* True if a breakpoint of that choice is enabled. */
bool breakpoints_any(const struct breakpoints *set, u32 choice);
/* True if a breakpoint has an ignore count. */
bool breakpoints_ignoring(const struct breakpoints *set);

#endif
