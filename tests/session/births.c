/* A thread forks. The child makes children that share its memory for a while, first by clone3 with
 * CLONE_VFORK, then by vfork. There are only a few instructions between, so that one trail contains
 * them all.
 */
#include <linux/sched.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int number;
static struct clone_args as_vfork = {.flags = 0x4100, .exit_signal = 17};

#define CALL(result, call, first, second)                                                         \
    __asm__ volatile("syscall" : "=a"(result)                                                     \
                     : "a"((long)(call)), "D"((long)(first)), "S"((long)(second))                 \
                     : "rcx", "r11", "memory")

__attribute__((noinline)) static void after(void)
{
    number--;
}

static void *work(void *unused)
{
    long child, other, end;
    CALL(child, SYS_fork, 0, 0);
    if (child == 0) {
        number++;
        CALL(other, 435 /* clone3 */, &as_vfork, 88);
        if (other == 0)
            CALL(end, SYS_exit, 0, 0);
        number++;
        CALL(other, SYS_vfork, 0, 0);
        if (other == 0)
            CALL(end, SYS_exit, 0, 0);
        after();
        _exit(3);
    }
    waitpid(child, NULL, 0);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return 0;
}
