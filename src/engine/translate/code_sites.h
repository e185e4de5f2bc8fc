/* Code sites: addresses at which a plan observes the run, for the reader of blocks and for
 * lowering.
 *
 * A plan attaches by setting the members; NULL means that there are none.
 */
#ifndef ENGINE_CODE_SITES_H
#define ENGINE_CODE_SITES_H

#include "base/types.h"

struct plan_point;

/* Instructions that are executed one after the other, which translated code counts together: it
 * increments a word once between `begin` and `added`. */
struct tally_stretch {
    u32 begin, added; /* addresses in the cache */
    u32 word;         /* address of the counter */
    u32 count;        /* of instructions */
    u64 first;        /* index of their pcs */
};

struct code_sites {
    bool (*code_at)(u64 pc);                       /* blocks end before such an address */
    const struct plan_point *(*point_at)(u64 pc);  /* returns the point there, NULL: none */
    void (*point_translated)(void); /* called for each point in a fragment that adds them up */
    bool all_points;                               /* all points count, in any frame */
    /* VARIANT_TALLY: adds a stretch; the result is valid until the next call */
    struct tally_stretch *(*tally_add)(const u64 *pcs, u32 count, u32 begin, u32 word);
    /* such a stretch was left by a fault at this instruction, whose code is at `address` */
    void (*tally_fault)(u32 address, u64 pc);
    void (*tally_drop)(void); /* all translations, and the counters, are about to be dropped */
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
