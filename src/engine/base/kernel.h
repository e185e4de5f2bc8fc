/* System calls of the engine itself.
 *
 * kernel_call() is a bare system call with six arguments; results are the kernel's: negative errno
 * on failure.  It never waits for anything on the guest's behalf: calls of the guest that may wait
 * go through engine_make_call() (enter.h), which a signal can interrupt before it has begun.
 */
#ifndef ENGINE_KERNEL_H
#define ENGINE_KERNEL_H

#include <asm/unistd.h>
#include <asm/errno.h>

#include "base/types.h"

static inline i64 kernel_call6(u64 number, u64 a0, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5)
{
    register u64 r10 __asm__("r10") = a3;
    register u64 r8 __asm__("r8") = a4;
    register u64 r9 __asm__("r9") = a5;
    i64 ret;
    __asm__ volatile("syscall"
                     : "=a"(ret)
                     : "a"(number), "D"(a0), "S"(a1), "d"(a2), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return ret;
}

/* kernel_call(number, a0, ...): pointers and integers alike, missing arguments are 0. */
#define KERNEL_ARG(x) ((u64)(x))
#define KERNEL_CALL_(n, a, b, c, d, e, f, ...)                                                     \
    kernel_call6(KERNEL_ARG(n), KERNEL_ARG(a), KERNEL_ARG(b), KERNEL_ARG(c), KERNEL_ARG(d),        \
                 KERNEL_ARG(e), KERNEL_ARG(f))
#ifdef __clang_analyzer__ /* it expects no writes from asm, but any from an unknown function */
i64 kernel_call(u64 number, ...);
#else
#define kernel_call(...) KERNEL_CALL_(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
#endif

static inline bool kernel_failed(i64 result)
{
    return (u64)result >= (u64)-4095;
}

#endif
