/* The engine's own vDSO, for programs that are recorded or replayed.
 *
 * The kernel's vDSO cannot be used: the kernel changes its data at any time, which cannot be
 * recorded. Plain system calls would work, but are ten times slower. The engine's vDSO
 * (vdso/vdso.S) has the same functions, each of which enters the engine; the engine calls the
 * kernel's vDSO, logs the answer, and returns it to the program.
 */
#ifndef ENGINE_OWN_VDSO_H
#define ENGINE_OWN_VDSO_H

#include "base/types.h"

/* Maps it and returns its address, 0 if there is no room. */
u64 own_vdso_map(void);

enum own_vdso_outcome {
    OWN_VDSO_NOT_AT,   /* cpu->rip is not at a marker of the engine's vDSO */
    OWN_VDSO_ANSWERED, /* it was at one, and rip is now after it */
    OWN_VDSO_FAULTED,  /* it was at one, and the guest's pointer was bad: a signal was raised */
};

/* Executes the function at cpu->rip. */
enum own_vdso_outcome own_vdso_call(void);

/* True if cpu->rip was at a function of the old vsyscall page; it has returned or raised a
 * signal. */
bool own_vdso_vsyscall(void);

#endif
