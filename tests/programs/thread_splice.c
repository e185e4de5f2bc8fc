/* vmsplice in a program with two threads: to a pipe it lends the pages of the caller's memory, from
 * a pipe it fills them.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>

static volatile int stop;

static void *other(void *unused)
{
    while (!stop)
        usleep(1000);
    return unused;
}

static _Alignas(4096) char memory[2][4096];

int main(void)
{
    pthread_t thread;
    int ends[2];
    char got[64], sent[64];
    CHECK(pthread_create(&thread, NULL, other, NULL) == 0);
    CHECK(pipe(ends) == 0);
    for (int i = 0; i < 20; i++) {
        int size = snprintf(sent, sizeof sent, "message %d", i);
        memcpy(memory[0], sent, sizeof sent);
        struct iovec parts[2] = {{memory[0], 3}, {memory[0] + 3, (size_t)size - 3}};
        CHECK(vmsplice(ends[1], parts, 2, 0) == size);
        memset(got, 0, sizeof got);
        CHECK(read(ends[0], got, sizeof got) == size);
        CHECK(!strcmp(got, sent) && !strcmp(memory[0], sent));
    }
    CHECK(write(ends[1], "from a pipe", 11) == 11);
    struct iovec in = {memory[1], 64};
    CHECK(vmsplice(ends[0], &in, 1, 0) == 11);
    CHECK(!strcmp(memory[1], "from a pipe"));
    CHECK(write(ends[1], "again", 5) == 5);
    puts(memory[1]);
    stop = 1;
    CHECK(pthread_join(thread, NULL) == 0);
    return done();
}
