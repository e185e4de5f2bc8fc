/* Files that the engine writes for itself: see own_file.h. */
#include "engine/base/own_file.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"

enum { K_RLIMIT_FSIZE = 1, K_SIG_BLOCK = 0, K_SIG_SETMASK = 2 };

#define OWN_FILE_SIGNAL (1ul << (SIG_XFSZ - 1))

void own_file_begin(struct own_file_limit *ret)
{
    u64 signal = OWN_FILE_SIGNAL;
    ret->changed = kernel_call(__NR_prlimit64, 0, K_RLIMIT_FSIZE, NULL, ret->limit) == 0 &&
                   ret->limit[0] != ~0ul;
    if (!ret->changed)
        return;
    u64 most[2] = {ret->limit[1], ret->limit[1]};
    kernel_call(__NR_rt_sigprocmask, K_SIG_BLOCK, &signal, &ret->mask, sizeof(signal));
    kernel_call(__NR_prlimit64, 0, K_RLIMIT_FSIZE, most, NULL);
}

void own_file_end(const struct own_file_limit *before)
{
    u64 signal = OWN_FILE_SIGNAL;
    struct k_timespec none = {0};
    if (!before->changed)
        return;
    kernel_call(__NR_prlimit64, 0, K_RLIMIT_FSIZE, before->limit, NULL);
    kernel_call(__NR_rt_sigtimedwait, &signal, NULL, &none, sizeof(signal));
    kernel_call(__NR_rt_sigprocmask, K_SIG_SETMASK, &before->mask, NULL, sizeof(before->mask));
}
