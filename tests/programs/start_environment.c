/* The environment is the given one, in order, nothing added, nothing lost.
 *
 * variants: static musl
 */
#include "check.h"

extern char **environ;

int main(int argc, char **argv)
{
    if (argc == 2) {
        for (char **e = environ; *e; e++)
            printf("%s\n", *e);
        return done();
    }
    CHECK(!strcmp(getenv("LC_ALL"), "C"));
    CHECK(getenv("EBB_ENGINE") == NULL && getenv("LD_PRELOAD") == NULL);
    setenv("NEW", "1", 1);
    CHECK(!strcmp(getenv("NEW"), "1"));
    char *vars[] = {"Z=last", "A=", "=odd", "no equals sign", "Z=twice", NULL};
    char *args[] = {argv[0], "list", NULL};
    execve("/proc/self/exe", args, vars);
    CHECK(!"execve");
}
