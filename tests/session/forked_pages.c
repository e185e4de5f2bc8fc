/* Memory that does not compress, and two children that have the same: all of them live long enough
 * for snapshots. */
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BYTES = 4000000 };

static unsigned long memory[BYTES / sizeof(unsigned long)];
static volatile unsigned long sum;

/* So much of the process's own time, since that is what decides when a snapshot is taken. */
static void work(double seconds)
{
    clock_t until = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);
    while (clock() < until)
        for (unsigned n = 0; n < 100000; n++)
            sum = sum * 31 + n;
}

int main(void)
{
    unsigned long seed = 88172645463325252ul;
    for (size_t n = 0; n < sizeof memory / sizeof *memory; n++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        memory[n] = seed ^= seed << 17;
    }
    work(0.2);
    for (unsigned n = 0; n < 2; n++)
        if (fork() == 0) {
            work(0.2);
            _exit(memory[n] == 0);
        }
    for (unsigned n = 0; n < 2; n++) {
        int status;
        if (wait(&status) < 0 || status)
            return 1;
    }
    return 0;
}
