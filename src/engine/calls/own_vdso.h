/* A vDSO of our own, for programs that are recorded or replayed.
 *
 * The kernel's vDSO cannot be used: the kernel changes its data at any time, which cannot be
 * recorded. Plain system calls would work, but are ten times slower. Ours (vdso/vdso.S) has the
 * same functions, each of which comes to the engine; the engine asks the kernel's vDSO, logs the
 * answer, and gives it to the program.
 */
#ifndef ENGINE_OWN_VDSO_H
#define ENGINE_OWN_VDSO_H

#include "base/types.h"

/* Maps it; its address, 0 if there is no room. */
u64 own_vdso_map(void);

enum own_vdso_outcome {
    OWN_VDSO_NOT_AT,   /* cpu->rip is not at a marker of our vDSO */
    OWN_VDSO_ANSWERED, /* it was one, and rip is after it now */
    OWN_VDSO_FAULTED,  /* it was, and the guest's pointer was bad: a signal has been raised */
};

/* Does what the function at cpu->rip is for. */
enum own_vdso_outcome own_vdso_call(void);

/* Is cpu->rip at a function of the old vsyscall page?  Then it was called, and has returned or
 * raised a signal. */
bool own_vdso_vsyscall(void);

#endif
