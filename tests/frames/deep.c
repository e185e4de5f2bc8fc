/* A stack of many frames: as many as the argument says. */
#include <pthread.h>
#include <stdlib.h>

static int depth;

static int deep(int n)
{
    if (n == 0)
        abort();
    return deep(n - 1) + n;
}

static void *run(void *p)
{
    return (char *)p + deep(depth);
}

int main(int argc, char **argv)
{
    pthread_attr_t attributes;
    pthread_t thread;
    depth = argc > 1 ? atoi(argv[1]) : 10;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)64 << 20);
    pthread_create(&thread, &attributes, run, 0);
    pthread_join(thread, 0);
    return 0;
}
