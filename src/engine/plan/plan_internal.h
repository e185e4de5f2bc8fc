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
    u32 *next; /* of each site: the next of its list */
    u8 *held;  /* PLAN_BECOMES, of each offset in the bytecode: did the condition there hold? */
};
extern struct plan_parts plan_parts; /* of the current pass, or of the last one */

/* Do thread, stack and condition of the site allow a hit here? */
bool plan_site_holds(u32 site);
/* A hit, which may be the one that the pass is to stand at. */
void plan_add_hit(const struct plan_hit *hit);

/* The first site of a kind; they go on by plan_parts.next.  Code sites are found by address. */
u32 plan_first(enum plan_site_kind kind);

/* Code sites (plan_code.c). */
u32 plan_code_first(u64 pc);
/* The sites of plan_parts are the ones to be translated for from now on. */
void plan_code_install(void);

#endif
