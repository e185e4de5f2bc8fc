/* clone and clone3 without libc's help: a thread that shares memory, its tid fields, and a
 * futex that is woken when it ends.
 */
#include "check.h"
#include <linux/futex.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { FLAGS = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000 };   /* VM FS FILES SIGHAND THREAD */

static volatile int parent_tid, child_tid, value;

/* The child leaves straight to its exit: it has a stack of its own but no libc. */
static long start(int by_clone3, char *stack, size_t size)
{
    struct clone_args args = {
        .flags = FLAGS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID,
        .child_tid = (uintptr_t)&child_tid, .parent_tid = (uintptr_t)&parent_tid,
        .stack = (uintptr_t)stack, .stack_size = size,
    };
    long nr = by_clone3 ? SYS_clone3 : SYS_clone, result;
    register long a0 __asm__("rdi") = by_clone3 ? (long)&args : (long)args.flags;
    register long a1 __asm__("rsi") = by_clone3 ? (long)sizeof args : (long)(stack + size);
    register volatile int *a2 __asm__("rdx") = &parent_tid;
    register volatile int *a3 __asm__("r10") = &child_tid;
    __asm__ volatile("syscall\n test %%rax, %%rax\n jnz 1f\n"
                     "movl $77, %[value]\n push $60\n pop %%rax\n xor %%edi, %%edi\n syscall\n 1:"
                     : "=a"(result), [value] "=m"(value), "+r"(a0), "+r"(a1)
                     : "0"(nr), "r"(a2), "r"(a3) : "rcx", "r11", "memory", "cc");
    return result;
}

int main(void)
{
    size_t size = 65536;
    char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(stack != MAP_FAILED);
    for (int i = 0; i < 20; i++) {
        child_tid = 1;
        value = parent_tid = 0;
        long tid = start(i % 2, stack, size);
        if (i % 2 && (tid == -ENOSYS || tid == -EPERM))
            continue;                   /* containers may refuse clone3 */
        CHECK(tid > 0);
        while (child_tid == 1)
            syscall(SYS_futex, &child_tid, FUTEX_WAIT, 1, NULL, NULL, 0);
        CHECK(child_tid == 0 && parent_tid == tid && value == 77);
    }
    return done();
}
