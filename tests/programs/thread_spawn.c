/* Several threads start programs at once: posix_spawn, system, popen.
 */
#include "check.h"
#include <pthread.h>
#include <spawn.h>

extern char **environ;

static void *spawns(void *unused)
{
    for (int i = 0; i < 5; i++) {
        char text[8], *args[] = {"sh", "-c", text, NULL};
        pid_t child;
        snprintf(text, sizeof text, "exit %d", i);
        CHECK(posix_spawnp(&child, "sh", NULL, NULL, args, environ) == 0);
        CHECK(check_wait(child) == i);
        FILE *p = popen("echo word", "r");
        CHECK(p && fgets(text, sizeof text, p) && !strcmp(text, "word\n") && pclose(p) == 0);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, spawns, NULL) == 0);
    for (int i = 0; i < 4; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    return done();
}
