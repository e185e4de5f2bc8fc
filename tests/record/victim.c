/* victim LINES [LIMIT]: something of everything that is recorded, for ever so long.
 *
 * Prints its pid, then a line each few dozen rounds; after LINES lines `done`.  A round makes calls
 * that write memory, asks clocks, maps and unmaps, takes signals of a timer and of its own,
 * computes. With LIMIT it ends itself by SIGKILL after so many rounds.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS_PER_LINE = 20, BLOCK = 3000 };

static volatile sig_atomic_t rings;
static unsigned sum;

static void on_signal(int sig)
{
    rings += sig;
}

static void compute(const unsigned char *bytes, int size)
{
    for (int i = 0; i < size; i++)
        sum = sum * 31 + bytes[i];
}

static void read_some(int fd, int round)
{
    unsigned char block[BLOCK];
    int size = round * 97 % BLOCK + 1;
    compute(block, (int)pread(fd, block, (size_t)size, 0));
}

static void map_some(int round)
{
    size_t size = (size_t)(round % 7 + 1) * 4096;
    unsigned char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(at, round, size);
    compute(at, (int)size);
    munmap(at, size);
}

static void look_at_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum += (unsigned)now.tv_nsec;
}

int main(int argc, char **argv)
{
    int lines = argc > 1 ? atoi(argv[1]) : 1, limit = argc > 2 ? atoi(argv[2]) : -1;
    int fd = open("/proc/self/exe", O_RDONLY);
    struct itimerval often = {{0, 700}, {0, 700}};
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%d\n", (int)getpid());
    signal(SIGALRM, on_signal);
    signal(SIGUSR1, on_signal);
    setitimer(ITIMER_REAL, &often, NULL);
    for (int round = 1; round <= lines * ROUNDS_PER_LINE; round++) {
        read_some(fd, round);
        look_at_clock();
        map_some(round);
        raise(SIGUSR1);
        if (round == limit)
            kill(getpid(), SIGKILL);
        if (round % ROUNDS_PER_LINE == 0)
            printf("%d %08x\n", round / ROUNDS_PER_LINE, sum);
    }
    puts("done");
    return 0;
}
