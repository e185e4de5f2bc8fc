/* Code sites: addresses at which a plan observes the run, for the reader of blocks and for
 * lowering.
 *
 * A plan attaches by setting the members; NULL means that there are none.
 */
#ifndef ENGINE_CODE_SITES_H
#define ENGINE_CODE_SITES_H

#include "base/types.h"

struct plan_point;

struct code_sites {
    bool (*code_at)(u64 pc);                       /* blocks end before such an address */
    const struct plan_point *(*point_at)(u64 pc);  /* returns the point there, NULL: none */
    void (*point_translated)(void); /* called for each point in a fragment that adds them up */
    bool all_points;                               /* all points count, in any frame */
};

extern struct code_sites code_sites;

static inline bool code_site_at(u64 pc)
{
    return code_sites.code_at && code_sites.code_at(pc);
}

static inline const struct plan_point *code_point_at(u64 pc)
{
    return code_sites.point_at ? code_sites.point_at(pc) : NULL;
}

#endif
