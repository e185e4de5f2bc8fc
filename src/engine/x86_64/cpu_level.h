/* The processor features that the guest sees: levels below the machine's own.
 *
 * A recording can be replayed only on a processor that has the features that the program saw. A
 * level hides features that many machines lack, so that a program which asks by cpuid (as the C
 * library does to choose its functions) uses only common ones. The instructions themselves still
 * work for a program that does not ask.
 */
#ifndef ENGINE_CPU_LEVEL_H
#define ENGINE_CPU_LEVEL_H

#include "base/types.h"

enum cpu_level {
    CPU_LEVEL_HOST = 0, /* nothing is hidden */
    CPU_LEVEL_V2 = 2,   /* x86-64-v2: SSE4.2, POPCNT, CMPXCHG16B */
    CPU_LEVEL_V3 = 3,   /* x86-64-v3, the baseline: AVX2, BMI, FMA, F16C, and AES and PCLMUL with
                         * them */
};

/* Removes from cpuid's result (eax, ebx, ecx, edx) what the level does not have. */
void cpu_level_mask(u32 level, u32 leaf, u32 subleaf, u32 answer[4]);

/* The extended states of the level, as bits of XCR0. */
u64 cpu_level_states(u32 level);

#endif
