/* Programs started with one argument of the greatest length, with a hundred thousand arguments, and
 * with lists whose lengths move what follows them over the end of any buffer.
 */
#include "check.h"

enum { LONGEST = 128 * 1024 - 1, MANY = 100000, STEPS = 8 };

static char text[LONGEST + 1];
static char *list[MANY + 8];

static int start(int argc, const char *name, char **environment)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        list[0] = "long";
        list[1] = (char *)name;
        list[argc] = NULL;
        execve("/proc/self/exe", list, environment);
        _exit(99);
    }
    return check_wait(child);
}

static void fill(size_t length)
{
    memset(text, 'c', length);
    text[length] = 0;
}

static int started(int argc, char **argv)
{
    if (strcmp(argv[1], "one") == 0)
        printf("%d %zu %zu\n", argc, strlen(argv[2]), strspn(argv[2], "c"));
    else
        printf("%d %s %s\n", argc, argv[2], argv[argc - 1]);
    char *last = getenv("LAST");
    CHECK(last && strcmp(last, "1") == 0);
    return 7;
}

int main(int argc, char **argv)
{
    char *environment[] = {"FIRST=0", "LAST=1", NULL};
    if (argc > 1)
        return started(argc, argv);
    fill(LONGEST);
    list[2] = text;
    CHECK(start(3, "one", environment) == 7);
    for (int n = 2; n < MANY; n++)
        list[n] = n & 1 ? "a" : "b";
    CHECK(start(MANY, "many", environment) == 7);
    list[2] = text;
    for (int n = 0; n < STEPS; n++) {
        fill((size_t)(LONGEST - 700 + 96 * n));
        CHECK(start(3, "one", environment) == 7);
    }
    return done();
}
