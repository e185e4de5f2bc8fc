/* More pieces of shared memory at a time than most programs ever have; each keeps what is its own,
 * also in a child.
 *
 * A replay has a descriptor for each of them, so this says nothing where hardly any are allowed.
 */
#include "check.h"
#include <sys/mman.h>
#include <sys/resource.h>

enum { PIECES = 1300, SIZE = 4096 };

static int *piece[PIECES];

static void look(int first)
{
    for (int n = 0; n < PIECES; n++)
        CHECK(*piece[n] == first + n);
}

int main(void)
{
    struct rlimit files;
    CHECK(getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max >= 2 * PIECES);
    for (int n = 0; n < PIECES; n++) {
        piece[n] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        CHECK(piece[n] != MAP_FAILED);
        *piece[n] = n;
    }
    look(0);
    pid_t child = fork();
    if (child == 0) {
        look(0);
        for (int n = 0; n < PIECES; n++)
            *piece[n] += 7;
        _exit(0);
    }
    CHECK(check_wait(child) == 0);
    look(7);
    for (int n = 0; n < PIECES; n += 3)
        CHECK(munmap(piece[n], SIZE) == 0);
    return done();
}
