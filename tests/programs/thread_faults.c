/* Faults in several threads at once, each with its own handler state and alternate stack.
 */
#include "check.h"
#include <pthread.h>
#include <setjmp.h>

static __thread sigjmp_buf back;
static __thread char *stack;

static void on_fault(int sig)
{
    char local;
    CHECK(&local >= stack && &local < stack + 65536);
    siglongjmp(back, sig);
}

static void *body(void *argument)
{
    stack = malloc(65536);
    stack_t alternate = {.ss_sp = stack, .ss_size = 65536};
    CHECK(sigaltstack(&alternate, NULL) == 0);
    volatile int caught = 0;
    for (volatile int i = 0; i < 200; i++) {
        int got = sigsetjmp(back, 1);
        if (got == 0) {
            *(volatile int *)(intptr_t)(8 * (intptr_t)argument) = 1;
            CHECK(!"no fault");
        }
        caught += got == SIGSEGV;
    }
    CHECK(caught == 200);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
    CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, body, (void *)(intptr_t)i) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return done();
}
