/* Calls whose memory is not there, or ends in the midst: the kernel's errors are the program's. */
#include "check.h"

#include <linux/capability.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>

enum { PAGE = 4096 };

static char *gone, *last; /* a page that is not there; the end of one that is */

#define FAILS(error, call) CHECK((call) == -1 && errno == (error))

static void futexes(void)
{
    static unsigned word = 5;
    struct timespec soon = {0, 1000};
    for (int shared = 0; shared < 2; shared++) {
        int kind = shared ? 0 : FUTEX_PRIVATE_FLAG;
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_WAIT | kind, 0, NULL, NULL, 0));
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_WAIT | kind, 0, &soon, NULL, 0));
        FAILS(EFAULT, syscall(SYS_futex, &word, FUTEX_WAIT | kind, 5, gone, NULL, 0));
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_WAIT_BITSET | kind, 0, NULL, NULL, 1));
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_CMP_REQUEUE | kind, 1, 1, &word, 0));
        FAILS(EFAULT, syscall(SYS_futex, &word, FUTEX_WAKE_OP | kind, 1, 1, gone, 0));
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_LOCK_PI | kind, 0, NULL, NULL, 0));
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_TRYLOCK_PI | kind, 0, NULL, NULL, 0));
        FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_UNLOCK_PI | kind, 0, NULL, NULL, 0));
        FAILS(EINVAL, syscall(SYS_futex, (char *)&word + 1, FUTEX_WAIT | kind, 5, NULL, NULL, 0));
        FAILS(EFAULT, syscall(SYS_futex, ~3ul, FUTEX_WAKE | kind, 1, NULL, NULL, 0));
        FAILS(EAGAIN, syscall(SYS_futex, &word, FUTEX_WAIT | kind, 6, NULL, NULL, 0));
        FAILS(ETIMEDOUT, syscall(SYS_futex, &word, FUTEX_WAIT | kind, 5, &soon, NULL, 0));
        FAILS(EINVAL, syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | kind, 5, NULL, NULL, 0));
        FAILS(ENOSYS, syscall(SYS_futex, &word, 77 | kind, 5, NULL, NULL, 0));
    }
    FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_WAKE, 1, NULL, NULL, 0));
    FAILS(EFAULT, syscall(SYS_futex, gone, FUTEX_REQUEUE, 1, 1, &word, 0));
    CHECK(syscall(SYS_futex, gone, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) == 0);
}

static void signals(void)
{
    unsigned long set = 1ul << (SIGUSR1 - 1);
    struct timespec soon = {0, 1000}, wrong = {0, 2000000000};
    siginfo_t info;
    FAILS(EFAULT, syscall(SYS_rt_sigtimedwait, gone, &info, NULL, 8));
    FAILS(EFAULT, syscall(SYS_rt_sigtimedwait, last - 4, &info, NULL, 8));
    FAILS(EFAULT, syscall(SYS_rt_sigtimedwait, &set, &info, gone, 8));
    FAILS(EINVAL, syscall(SYS_rt_sigtimedwait, &set, &info, &wrong, 8));
    FAILS(EINVAL, syscall(SYS_rt_sigtimedwait, &set, &info, &soon, 4));
    FAILS(EAGAIN, syscall(SYS_rt_sigtimedwait, &set, &info, &soon, 8));
    CHECK(sigprocmask(SIG_BLOCK, (sigset_t *)&set, NULL) == 0 && raise(SIGUSR1) == 0);
    FAILS(EFAULT, syscall(SYS_rt_sigtimedwait, &set, gone, NULL, 8));
    FAILS(EAGAIN, syscall(SYS_rt_sigtimedwait, &set, gone, &soon, 8)); /* it was taken all the same */
    FAILS(EFAULT, syscall(SYS_rt_sigsuspend, gone, 8));
    FAILS(EINVAL, syscall(SYS_rt_sigsuspend, &set, 4));
    FAILS(EFAULT, syscall(SYS_rt_sigprocmask, SIG_BLOCK, gone, NULL, 8));
    FAILS(EFAULT, syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, gone, 8));
    FAILS(EFAULT, syscall(SYS_rt_sigpending, gone, 8));
    FAILS(EFAULT, syscall(SYS_rt_sigaction, SIGUSR2, gone, NULL, 8));
    FAILS(EFAULT, syscall(SYS_rt_sigaction, SIGUSR2, NULL, gone, 8));
    FAILS(EFAULT, syscall(SYS_sigaltstack, gone, NULL));
    FAILS(EFAULT, syscall(SYS_sigaltstack, NULL, gone));
    FAILS(EFAULT, syscall(SYS_ppoll, NULL, 0, &soon, gone, 8));
    FAILS(EFAULT, syscall(SYS_ppoll, NULL, 0, gone, NULL, 8));
    FAILS(EFAULT, syscall(SYS_pselect6, 0, NULL, NULL, NULL, &soon, gone));
}

/* The older version of the answer is half as long, and fits. */
static void shorter_than_described(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_1, 0};
    char *at = last - 12;
    memset(at, 0xee, 12);
    CHECK(syscall(SYS_capget, &header, at) == 0 && (at[0] != (char)0xee || at[4] != (char)0xee));
    header.version = _LINUX_CAPABILITY_VERSION_3;
    FAILS(EFAULT, syscall(SYS_capget, &header, at));
    printf("%x %x\n", ((unsigned *)at)[0], ((unsigned *)at)[1]);
}

/* What a process writes to itself by way of the kernel. */
static void written_to_itself(void)
{
    static char from[] = "written", to[2][8];
    struct iovec local = {from, 8}, remote[2] = {{to[0], 4}, {to[1], 4}};
    CHECK(process_vm_writev(getpid(), &local, 1, remote, 2, 0) == 8);
    CHECK(memcmp(to[0], "writ", 5) == 0 && memcmp(to[1], "ten", 4) == 0);
    remote[1] = (struct iovec){gone, 4};
    memset(to, 0, sizeof to);
    CHECK(process_vm_writev(getpid(), &local, 1, remote, 2, 0) == 4 && memcmp(to[0], "writ", 4) == 0);
    remote[0] = (struct iovec){last - 2, 4};
    memset(last - 2, 0, 2);
    long wrote = process_vm_writev(getpid(), &local, 1, remote, 1, 0);
    printf("%ld %d\n", wrote, last[-1]);
    FAILS(EFAULT, process_vm_writev(getpid(), &local, 1, (struct iovec *)gone, 1, 0));
    CHECK(process_vm_readv(getpid(), remote, 1, &local, 1, 0) <= 4);
}

int main(void)
{
    char *two = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(two != MAP_FAILED);
    last = gone = two + PAGE;
    CHECK(munmap(gone, PAGE) == 0);
    futexes();
    signals();
    shorter_than_described();
    written_to_itself();
    return done();
}
