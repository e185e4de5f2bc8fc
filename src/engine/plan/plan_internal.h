/* What the files of the plan share. */
#ifndef ENGINE_PLAN_INTERNAL_H
#define ENGINE_PLAN_INTERNAL_H

#include "engine/plan/plan.h"

enum { PLAN_NO_SITE = 0xffffffffu };

struct plan_parts {
    struct plan head;
    const struct plan_site *site; /* head.sites of them */
    const struct plan_frame *frame;
    const u8 *bytecode;
    u32 *next; /* for each site: the next in its list */
    u8 *held;  /* PLAN_BECOMES, for each offset in the bytecode: whether the condition there held */
};
extern struct plan_parts plan_parts; /* of the current or the last pass */

/* True if thread, stack and condition of the site allow a hit here. */
bool plan_site_holds(u32 site);
/* Adds a hit, which may be the one at which the pass stops. */
void plan_add_hit(const struct plan_hit *hit);

/* Returns the first site of a kind; plan_parts.next has the others. Code sites are found by
 * address. */
u32 plan_first(enum plan_site_kind kind);

/* Code sites (plan_code.c). */
u32 plan_code_first(u64 pc);
/* From now on translations are made for the sites of plan_parts. */
void plan_code_install(void);

#endif
