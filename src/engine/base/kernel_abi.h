/* The kernel's structures and constants, as the engine needs them.
 *
 * The kernel's own headers (asm/, linux/) give numbers where they can be included without a libc;
 * the structures are defined here, because those of libc differ from what the kernel writes.
 */
#ifndef ENGINE_KERNEL_ABI_H
#define ENGINE_KERNEL_ABI_H

#include <linux/mman.h>
#include <linux/fcntl.h>
#include <linux/auxvec.h>

#include "base/types.h"
#include "log/kernel_structs.h"

#ifndef AT_FDCWD
#define AT_FDCWD -100
#endif

#ifndef MADV_GUARD_INSTALL /* Linux 6.13 */
#define MADV_GUARD_INSTALL 102
#define MADV_GUARD_REMOVE 103
#endif

/* Signals */

enum {
    SIG_HUP = 1, SIG_INT = 2, SIG_QUIT = 3, SIG_ILL = 4, SIG_TRAP = 5, SIG_ABRT = 6, SIG_BUS = 7,
    SIG_FPE = 8, SIG_KILL = 9, SIG_USR1 = 10, SIG_SEGV = 11, SIG_USR2 = 12, SIG_PIPE = 13,
    SIG_ALRM = 14, SIG_TERM = 15, SIG_STKFLT = 16, SIG_CHLD = 17, SIG_CONT = 18, SIG_STOP = 19,
    SIG_TSTP = 20, SIG_TTIN = 21, SIG_TTOU = 22, SIG_URG = 23, SIG_XCPU = 24, SIG_XFSZ = 25,
    SIG_VTALRM = 26, SIG_PROF = 27, SIG_WINCH = 28, SIG_IO = 29, SIG_PWR = 30, SIG_SYS = 31,
    SIG_LAST = 64,
};

#define SIGNAL_BIT(signal) (1ul << ((signal) - 1))

enum {
    K_SIG_DFL = 0,
    K_SIG_IGN = 1,
    K_SA_NOCLDSTOP = 1,
    K_SA_NOCLDWAIT = 2,
    K_SA_SIGINFO = 4,
    K_SA_RESTORER = 0x04000000,
    K_SA_ONSTACK = 0x08000000,
    K_SA_RESTART = 0x10000000,
    K_SA_NODEFER = 0x40000000,
};
#define K_SA_RESETHAND 0x80000000ul

enum { K_SS_ONSTACK = 1, K_SS_DISABLE = 2 };
#define K_SS_AUTODISARM 0x80000000u

/* The content of `rt_sigframe` on x86-64: pretcode, ucontext, siginfo, then the xsave area
 * above. */
struct k_sigcontext {
    u64 r8, r9, r10, r11, r12, r13, r14, r15;
    u64 rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp;
    u64 rip, flags;
    u16 cs, gs, fs, ss;
    u64 error, trap, oldmask, cr2;
    u64 fpstate;
    u64 reserved[8];
};

struct k_ucontext {
    u64 flags;
    u64 link;
    struct k_stack stack;
    struct k_sigcontext registers;
    u64 mask;
};

struct k_clone_args {
    u64 flags;
    u64 pidfd;
    u64 child_tid;
    u64 parent_tid;
    u64 exit_signal;
    u64 stack;
    u64 stack_size;
    u64 tls;
    u64 set_tid;
    u64 set_tid_size;
    u64 cgroup;
};

enum {
    K_CLONE_VM = 0x100, K_CLONE_FS = 0x200, K_CLONE_FILES = 0x400, K_CLONE_SIGHAND = 0x800,
    K_CLONE_PIDFD = 0x1000, K_CLONE_PTRACE = 0x2000, K_CLONE_VFORK = 0x4000,
    K_CLONE_PARENT = 0x8000,
    K_CLONE_THREAD = 0x10000, K_CLONE_SYSVSEM = 0x40000, K_CLONE_SETTLS = 0x80000,
    K_CLONE_PARENT_SETTID = 0x100000, K_CLONE_CHILD_CLEARTID = 0x200000,
    K_CLONE_CHILD_SETTID = 0x1000000,
};

#endif
