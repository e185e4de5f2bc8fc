/* A failed assertion in ebb: see the header.
 *
 * Nothing here allocates, since the heap may be damaged.
 */
#include "base/assert.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/complain.h"

struct assertion_moment assertion_moment;

void assertion_failed(const struct assertion *a)
{
    const struct assertion_moment *m = &assertion_moment;
    char number[32] = "", moment[64] = "";
    if (a->invariant)
        snprintf(number, sizeof number, ", invariant (%u)", (unsigned)a->invariant);
    if (m->tick || m->pc)
        snprintf(moment, sizeof moment, ", near moment %llu:0x%llx", (unsigned long long)m->tick,
                 (unsigned long long)m->pc);
    complain(0, "assertion failed: %s%s, in %s (%s:%u)%s; this is a bug in ebb", a->condition,
             number, a->function, a->file, (unsigned)a->line, moment);
    abort();
}
