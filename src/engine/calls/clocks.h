/* Time as the guest sees it: the vDSO, rdtsc, rdrand and their kin.
 *
 * What cannot be computed is first asked for and then applied, so that an answer can be logged
 * in between, or taken from a log (clock_log.h).  log/format.h says which values an answer has.
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

/* Maps the vDSO that the guest gets (the kernel's at an address of ours, or one of our own);
 * its address for AT_SYSINFO_EHDR, 0 if there is none. */
u64 clocks_map_vdso(u64 kernel_vdso);

/* Asks processor or kernel.  Arguments are those of the function, or leaf and subleaf of cpuid; the
 * guest's memory is not touched. */
void clocks_ask(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                struct clock_answer *ret);

/* As much of an answer as follows from the question: how many values it has, and a clock's number
 * or cpuid's leaf as its first (false: that is part of the answer, too). */
bool clocks_expect(enum event_clock_source source, const u64 args[CLOCK_ARGS],
                   struct clock_answer *ret);

bool clocks_random(u64 *ret); /* a random number; false: there is none at the moment */

#endif
