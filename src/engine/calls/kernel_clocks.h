/* The kernel's clocks, for the engine itself: through the kernel's vDSO, which is much faster than
 * a call, or by a system call if there is none.
 *
 * Results are 0 or a negative errno, as in the kernel. Pointers are to engine memory.
 */
#ifndef ENGINE_KERNEL_CLOCKS_H
#define ENGINE_KERNEL_CLOCKS_H

#include "engine/base/kernel_abi.h"

/* Looks up the functions in the vDSO at `vdso`, which must stay there; 0: there is none. */
void kernel_clocks_start(u64 vdso);

i64 kernel_clock_gettime(i32 clock, struct k_timespec *ret);
i64 kernel_clock_getres(i32 clock, struct k_timespec *ret);
i64 kernel_gettimeofday(struct k_timeval *ret, struct k_timezone *ret_zone);
i64 kernel_time(void);
i64 kernel_getcpu(u32 *ret_cpu, u32 *ret_node);

#endif
