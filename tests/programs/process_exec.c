/* exec in all its forms, what it keeps and what it drops: descriptors, environment, signal
 * dispositions and mask, working directory; scripts, also nested; errors.
 *
 * variants: static muslstatic
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

extern char **environ;

/* The new image: checks what it got. */
static int after_exec(void)
{
    sigset_t mask;
    struct sigaction action;
    CHECK(!strcmp(getenv("HERITAGE"), "yes"));
    CHECK(fcntl(50, F_GETFD) == 0 && fcntl(51, F_GETFD) < 0);
    CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0 && sigismember(&mask, SIGUSR2));
    CHECK(sigaction(SIGUSR1, NULL, &action) == 0 && action.sa_handler == SIG_IGN);
    CHECK(sigaction(SIGTERM, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
    CHECK(access("script", X_OK) == 0);
    return 77;
}

static void script(const char *name, const char *text, int mode)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    CHECK(fchmod(fd, mode) == 0 && close(fd) == 0);
}

static int run(int form, char *self)
{
    char *args[] = {self, "child", NULL};
    pid_t child = fork();
    if (child == 0) {
        switch (form) {
        case 0: execv("/proc/self/exe", args); break;
        case 1: execvp(self, args); break;
        case 2: execl(self, self, "child", NULL); break;
        case 3: execvpe(self, args, environ); break;
        case 4: fexecve(open(self, O_RDONLY | O_CLOEXEC), args, environ); break;
        case 5: execve("./script", (char *[]){"name", "a b", "c", NULL}, environ); break;
        case 6: execve("./nested", (char *[]){"name", "x", NULL}, environ); break;
        case 7: execlp("sh", "sh", "-c", "exit 77", NULL); break;
        case 8: execlp("sh", "sh", "-c", "exec \"$0\" child", self, NULL); break;
        }
        CHECK(!"exec");
    }
    return check_wait(child);
}

static void refused(const char *path, int wanted)
{
    char *args[] = {"x", NULL};
    CHECK(execve(path, args, environ) < 0 && errno == wanted);
}

static void errors(void)
{
    refused("./absent", ENOENT);
    refused("./script/x", ENOTDIR);
    refused(".", EACCES);
    script("text", "no program at all\n", 0755);
    refused("./text", ENOEXEC);
    script("not_allowed", "#!/bin/sh\n", 0600);
    refused("./not_allowed", EACCES);
    script("lost", "#!/no/such/interpreter\n", 0755);
    refused("./lost", ENOENT);
    script("empty", "", 0755);
    refused("./empty", ENOEXEC);
    script("cut", "\177ELF\2\1\1", 0755);
    CHECK(execve("./cut", (char *[]){"x", NULL}, environ) < 0 && errno == ENOEXEC);
    char *huge = malloc(200000), *args[] = {"x", huge, NULL};
    memset(huge, 'y', 199999);
    huge[199999] = 0;
    CHECK(execve("/bin/true", args, environ) < 0 && errno == E2BIG);
    CHECK(execve((char *)1, args, environ) < 0 && errno == EFAULT);
}

static void on_term(int sig)
{
    (void)sig;
}

int main(int argc, char **argv)
{
    if (argc == 2 && !strcmp(argv[1], "child"))
        return after_exec();
    setenv("HERITAGE", "yes", 1);
    script("script", "#!/bin/sh -e\n[ \"$#$1$2\" = '2a bc' ] || exit 1\nexit 77\n", 0755);
    script("nested", "#!./inner\n", 0755);
    script("inner", "#!/bin/sh\n[ \"$#$1$2\" = '2./nestedx' ] || exit 2\nexit 77\n", 0755);
    int fd = open("/dev/null", O_RDONLY);
    CHECK(dup2(fd, 50) == 50 && dup3(fd, 51, O_CLOEXEC) == 51);
    signal(SIGUSR1, SIG_IGN);
    signal(SIGTERM, on_term);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR2);
    CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
    for (int form = 0; form < 9; form++)
        CHECK(run(form, argv[0]) == 77);
    errors();
    return done();
}
