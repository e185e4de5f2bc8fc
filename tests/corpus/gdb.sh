# gdb debugging a small program: breakpoints, steps, a watchpoint, a backtrace, signals, threads.
# share: check
# needs: gdb gcc

prepare() {
    cat >small.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
int total;
static int add(int n) { total += n; return total; }
static void *thread(void *arg) { add(*(int *)arg); return arg; }
int main(void)
{
    for (int i = 0; i < 5; i++)
        add(i);
    pthread_t t;
    int ten = 10;
    pthread_create(&t, NULL, thread, &ten);
    pthread_join(t, NULL);
    printf("total %d\n", total);
    raise(SIGUSR1);
    return 3;
}
END
    gcc -g -O0 -no-pie -pthread -o small small.c
}

# The program is native or not as gdb starts it; only what gdb says of it is compared.
run() {
    gdb -nx -batch -ex 'set width 0' -ex 'set startup-with-shell off' -ex 'break add if n == 3' -ex run \
        -ex 'print total' -ex 'bt 1' -ex finish -ex 'watch total' -ex continue -ex 'info locals' \
        -ex 'delete' -ex 'handle SIGUSR1 stop' -ex continue -ex 'print $_siginfo.si_signo' -ex 'signal 0' \
        "$PREPARED/small" 2>/dev/null | grep -vE 'Thread|thread|libthread|^$|process|0x'
    gdb -nx -batch -ex 'print sizeof(total)' -ex 'info line main' -ex 'list add,+1' -ex 'disassemble /s add' "$PREPARED/small" | head -n 20
}
