/* vfork, posix_spawn with actions and attributes, system, popen; errors that come back.
 *
 * variants: static musl
 */
#include "check.h"
#include <fcntl.h>
#include <spawn.h>

extern char **environ;

int main(int argc, char **argv)
{
    if (argc == 2)
        return atoi(argv[1]);
    for (int i = 0; i < 20; i++) {
        pid_t child = vfork();
        if (child == 0) {
            execl(argv[0], argv[0], "9", NULL);
            _exit(127);
        }
        CHECK(check_wait(child) == 9);
    }
    static volatile int shared;
    pid_t child = vfork();
    if (child == 0) {
        shared = 5;                     /* vfork shares memory */
        _exit(3);
    }
    CHECK(check_wait(child) == 3 && shared == 5);

    char *args[] = {argv[0], "11", NULL};
    CHECK(posix_spawn(&child, argv[0], NULL, NULL, args, environ) == 0 && check_wait(child) == 11);
    CHECK(posix_spawn(&child, "./absent", NULL, NULL, args, environ) == ENOENT);
    CHECK(posix_spawnp(&child, "no-such-command-anywhere", NULL, NULL, args, environ) == ENOENT);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "out", O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    posix_spawn_file_actions_addclose(&actions, 0);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t set;
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes, &set);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    char *shell[] = {"sh", "-c", "echo out; echo err >&2; exit 4", NULL};
    CHECK(posix_spawnp(&child, "sh", &actions, &attributes, shell, environ) == 0);
    CHECK(check_wait(child) == 4);
    char text[20] = "";
    int fd = open("out", O_RDONLY);
    CHECK(read(fd, text, 19) == 8 && !strcmp(text, "out\nerr\n"));

    int status = system("exit 6");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6);
    status = system("kill -9 $$");
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == 9);
    CHECK(system(NULL) != 0);
    FILE *p = popen("cat > piped", "w");
    CHECK(p && fputs("through a pipe", p) >= 0 && pclose(p) == 0);
    CHECK((fd = open("piped", O_RDONLY)) >= 0 && read(fd, text, 19) == 14);
    return done();
}
