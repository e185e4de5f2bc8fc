/* A library for library_tls.c: thread-local data, a constructor and a destructor.
 */
#include <stdio.h>

static __thread int own = 10;
__thread int plugin_shared = 20;
static __thread char room[5000];

__attribute__((constructor)) static void begin(void)
{
    puts("plugin begins");
}

__attribute__((destructor)) static void end(void)
{
    puts("plugin ends");
}

int plugin_count(int by)
{
    room[by % 5000] += by;
    own += by;
    plugin_shared += 2 * by;
    return own + plugin_shared + room[by % 5000];
}
