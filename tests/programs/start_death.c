/* Death by signal is seen by the parent as death by that signal.
 *
 * args: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 13 | 14 | 15 | 31
 */
#include "check.h"
#include <sys/resource.h>

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    done();
    fflush(stdout);
    kill(getpid(), atoi(argv[1]));
    pause();
    return 3;
}
