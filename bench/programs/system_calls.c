/* What does a system call cost that the engine only passes on?  getppid; the argument is how
 * many thousand. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    long calls = (argc > 1 ? atol(argv[1]) : 5000) * 1000, same = 0;
    long parent = syscall(SYS_getppid);
    for (long i = 0; i < calls; i++) {
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_getppid) : "rcx", "r11", "memory");
        same += result == parent;
    }
    printf("%d\n", same == calls);
    return 0;
}
