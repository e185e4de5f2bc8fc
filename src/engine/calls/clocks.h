/* Time as the guest sees it: the vDSO, rdtsc, rdrand and similar instructions.
 *
 * A value is first obtained and then applied, so that it can be logged in between, or taken from a
 * log (clock_log.h). log/format.h lists the values of an answer.
 */
#ifndef ENGINE_CLOCKS_H
#define ENGINE_CLOCKS_H

#include "base/types.h"
#include "log/format.h"

enum { CLOCK_VALUES_MOST = 5, CLOCK_ARGS = 2 };

struct clock_answer {
    u32 count;
    u64 value[CLOCK_VALUES_MOST];
};

/* Maps the vDSO that the guest gets (the kernel's at a chosen address, or the engine's own).
 * Returns its address for AT_SYSINFO_EHDR, 0 if there is none. */
u64 clocks_map_vdso(u64 kernel_vdso);

/* Asks the processor or the kernel. Arguments are those of the function, or leaf and subleaf of
 * cpuid; guest memory is not accessed. */
void clocks_ask(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                struct clock_answer *ret);

/* Returns the part of an answer that the question determines: how many values it has, and a clock's
 * number or cpuid's leaf as its first (false: that is part of the answer, too). */
bool clocks_expect(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                   struct clock_answer *ret);

bool clocks_random(u64 *ret); /* a random number; false: none is available at the moment */

#endif
