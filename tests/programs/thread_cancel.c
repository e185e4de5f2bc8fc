/* pthread_cancel: deferred in waiting calls, asynchronous in a loop, disabled; clean-up.
 *
 * variants: static musl
 */
#include "check.h"
#include <pthread.h>

static volatile int cleaned, ready;

static void clean(void *by)
{
    cleaned += (intptr_t)by;
}

static void *waits(void *fds)
{
    char byte;
    pthread_cleanup_push(clean, (void *)1);
    ready = 1;
    (void)!read(((int *)fds)[0], &byte, 1);
    CHECK(!"read came back");
    pthread_cleanup_pop(0);
    return NULL;
}

static void *spins(void *unused)
{
    int old;
    CHECK(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old) == 0);
    ready = 1;
    for (;;)
        ;
    return unused;
}

static void *refuses(void *unused)
{
    int old;
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old) == 0);
    ready = 1;
    while (ready != 2)
        sched_yield();
    CHECK(usleep(1000) == 0);
    pthread_cleanup_push(clean, (void *)10);
    CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old) == 0);
    pthread_testcancel();
    CHECK(!"not cancelled");
    pthread_cleanup_pop(0);
    return unused;
}

static void cancel(void *(*body)(void *), void *argument, int next)
{
    pthread_t thread;
    void *result;
    ready = 0;
    CHECK(pthread_create(&thread, NULL, body, argument) == 0);
    while (!ready)
        sched_yield();
    CHECK(pthread_cancel(thread) == 0);
    ready = next;
    CHECK(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
}

int main(void)
{
    int fds[2];
    CHECK(pipe(fds) == 0);
    for (int i = 0; i < 10; i++) {
        cleaned = 0;
        cancel(waits, fds, 1);
        CHECK(cleaned == 1);
        cancel(spins, NULL, 1);
        cancel(refuses, NULL, 2);
        CHECK(cleaned == 11);
    }
    return done();
}
