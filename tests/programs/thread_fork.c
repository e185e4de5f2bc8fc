/* fork while threads run: the child has one thread, and can start its own; atfork handlers.
 *
 * variants: static
 */
#include "check.h"
#include <pthread.h>

static volatile int stop;
static int prepared, in_parent, in_child;

static void prepare(void)
{
    prepared++;
}

static void parent(void)
{
    in_parent++;
}

static void child_side(void)
{
    in_child++;
}

static void *busy(void *unused)
{
    while (!stop) {
        free(malloc(100));
        sched_yield();
    }
    return unused;
}

static void *adds(void *to)
{
    ++*(int *)to;
    return NULL;
}

static void *forks(void *unused)
{
    for (int i = 0; i < 10; i++) {
        int value = 5;
        pid_t child = fork();
        if (child == 0) {
            pthread_t thread;
            CHECK(in_child == 1);
            free(malloc(1000));
            CHECK(pthread_create(&thread, NULL, adds, &value) == 0);
            CHECK(pthread_join(thread, NULL) == 0);
            _exit(value);
        }
        CHECK(check_wait(child) == 6 && value == 5);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    pthread_atfork(prepare, parent, child_side);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, i < 2 ? busy : forks, NULL) == 0);
    forks(NULL);
    for (int i = 2; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    stop = 1;
    for (int i = 0; i < 2; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(in_child == 0);
    return done();
}
