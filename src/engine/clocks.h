/* Time as the guest sees it: the vDSO, rdtsc, rdrand and their kin. */
#ifndef ENGINE_CLOCKS_H
#define ENGINE_CLOCKS_H

#include "base/types.h"

/* Maps the vDSO that the guest gets (a copy of the kernel's at an address of ours, or an
 * image of our own); its address for AT_SYSINFO_EHDR, 0 if there is none. */
u64 clocks_map_vdso(u64 kernel_vdso);

u64 clocks_tsc(u32 *ret_core);      /* rdtsc and rdtscp */
bool clocks_random(u64 *ret);       /* rdrand, rdseed: the carry flag and the number */
void clocks_cpuid(u32 leaf, u32 subleaf, u32 ret[4]);

#endif
