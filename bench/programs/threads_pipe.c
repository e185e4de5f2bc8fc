/* Two threads that send one byte to and fro through two pipes; the argument is how many
 * thousand rounds. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int there[2], back[2];
static long rounds;

static void pass(int from, int to)
{
    char byte;
    if (read(from, &byte, 1) != 1 || write(to, &byte, 1) != 1)
        _exit(1);
}

static void *partner(void *unused)
{
    for (long i = 0; i < rounds; i++)
        pass(there[0], back[1]);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    rounds = (argc > 1 ? atol(argv[1]) : 100) * 1000;
    if (pipe(there) || pipe(back) || pthread_create(&thread, NULL, partner, NULL))
        return 1;
    if (write(there[1], "x", 1) != 1)
        return 1;
    for (long i = 1; i < rounds; i++)
        pass(back[0], there[1]);
    pthread_join(thread, NULL);
    printf("%ld\n", rounds);
    return 0;
}
