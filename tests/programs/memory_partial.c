/* Calls that fail after they have written a part of their answer: the part is there, also in a
 * replay. */
#include "check.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

enum { PAGE = 4096, UNTOUCHED = 0x7e };

static int written(const unsigned char *bytes, int count)
{
    int n = 0;
    for (int i = 0; i < count; i++)
        n += bytes[i] != UNTOUCHED;
    return n;
}

int main(void)
{
    unsigned char in_core[8];
    char *p = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED && munmap(p + 2 * PAGE, 2 * PAGE) == 0);
    p[0] = p[PAGE] = 1;
    memset(in_core, UNTOUCHED, sizeof in_core);
    CHECK(mincore(p, 4 * PAGE, in_core) == -1 && errno == ENOMEM);
    printf("%d bytes of four pages, two of which are there\n", written(in_core, 8));

    int status[4] = {99, 99, 99, 99}, nodes[4] = {0, 0, 5000, 0};
    void *pages[4] = {p, p + PAGE, p, p + PAGE};
    long moved = syscall(SYS_move_pages, 0, 4ul, pages, nodes, status, 0);
    printf("pages moved: %d %d, %d %d %d %d\n", moved >= 0, moved < 0 ? errno : 0, status[0], status[1], status[2], status[3]);

    int timer = 99;
    struct sigevent none = {.sigev_notify = SIGEV_NONE};
    CHECK(syscall(SYS_timer_create, 77, &none, &timer) == -1 && errno == EINVAL);
    printf("a timer of a clock that there is not: %d\n", timer == 99);
    timer = 99;
    long failed = syscall(SYS_timer_create, (~getpid() << 3 | 2) ^ 1 << 27, &none, &timer); /* of no process */
    printf("a timer of nobody's clock: %d, %s\n", failed ? errno : 0, timer == 99 ? "not written" : "written");
    return done();
}
