/* How a process with threads ends: exit from any thread, exec from any thread, main gone
 * first, death by signal in a thread.
 *
 * variants: static
 * args: exit | exec | main | kill | abort | blocked
 */
#include "check.h"
#include <pthread.h>
#include <sys/resource.h>

static char *how, *self;

static void *body(void *unused)
{
    switch (how[0] * 2 + how[1]) {
    case 'e' * 2 + 'x':
        if (how[2] == 'i')
            exit(33);
        execl(self, self, "again", NULL);
        break;
    case 'm' * 2 + 'a': usleep(20000); return unused;
    case 'k' * 2 + 'i': *(volatile int *)0 = 1; break;
    case 'a' * 2 + 'b': abort();
    case 'b' * 2 + 'l': pause(); break;
    }
    return unused;
}

static void *spins(void *unused)
{
    for (;;)
        ;
    return unused;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    how = argv[1];
    self = argv[0];
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    if (!strcmp(how, "again"))
        return 44;
    done();
    fflush(stdout);
    pthread_t spinner, thread;
    if (how[0] != 'm')
        CHECK(pthread_create(&spinner, NULL, spins, NULL) == 0);
    CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
    if (how[0] == 'm')
        pthread_exit(NULL);
    if (how[0] == 'b')
        return 55;
    for (;;)
        pause();
}
