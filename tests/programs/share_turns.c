/* Processes that take turns on memory without a name: by spinning, by pipes, by semaphores, and by
 * locked instructions on a counter that all of them count; what each writes the others must see,
 * page by page.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { PROCESSES = 3, ROUNDS = 60, PAGES = 40, PAGE = 4096 };

static struct shared {
    atomic_int turn, counter;
    sem_t full, empty;
    int mailbox[16];
    char pages[PAGES][PAGE] __attribute__((aligned(PAGE)));
} *shared;

/* Without a system call, so that only the end of a slice lets the others run. */
static void wait_spinning(int turn)
{
    while (atomic_load(&shared->turn) != turn)
        continue;
}

static void wait_yielding(int turn)
{
    while (atomic_load(&shared->turn) != turn)
        sched_yield();
}

static void play(int who, int rounds, void (*wait_for)(int))
{
    for (int round = 0; round < rounds; round++) {
        int turn = round * PROCESSES + who;
        wait_for(turn);
        for (int page = 0; page < PAGES; page += 7) {
            char *p = &shared->pages[page][(turn * 64) % PAGE];
            CHECK(turn == 0 || shared->pages[page][((turn - 1) * 64) % PAGE] == (char)(turn - 1));
            *p = (char)turn;
        }
        atomic_fetch_add(&shared->counter, who + 1);
        atomic_store(&shared->turn, turn + 1);
    }
}

static void all_play(int rounds, void (*wait_for)(int))
{
    pid_t child[PROCESSES];
    atomic_store(&shared->turn, 0);
    atomic_store(&shared->counter, 0);
    for (int who = 1; who < PROCESSES; who++) {
        child[who] = fork();
        if (child[who] == 0) {
            play(who, rounds, wait_for);
            _exit(10 + who);
        }
    }
    play(0, rounds, wait_for);
    for (int who = 1; who < PROCESSES; who++)
        CHECK(check_wait(child[who]) == 10 + who);
    CHECK(atomic_load(&shared->counter) == rounds * (1 + 2 + 3));
}

/* No process waits for another one. In any order, no increment is lost. */
static void count_together(void)
{
    pid_t child[PROCESSES];
    atomic_store(&shared->counter, 0);
    for (int who = 0; who < PROCESSES; who++) {
        child[who] = fork();
        if (child[who] == 0) {
            for (int n = 0; n < 200000; n++)
                atomic_fetch_add(&shared->counter, 1);
            _exit(7);
        }
    }
    for (int who = 0; who < PROCESSES; who++)
        CHECK(check_wait(child[who]) == 7);
    CHECK(atomic_load(&shared->counter) == PROCESSES * 200000);
}

static void over_pipes(void)
{
    int there[2], back[2];
    char byte = 0;
    CHECK(pipe(there) == 0 && pipe(back) == 0);
    pid_t child = fork();
    if (child == 0) {
        for (int n = 0; n < ROUNDS; n++) {
            CHECK(read(there[0], &byte, 1) == 1 && shared->mailbox[n % 16] == n);
            shared->mailbox[n % 16] = -n;
            CHECK(write(back[1], &byte, 1) == 1);
        }
        _exit(3);
    }
    for (int n = 0; n < ROUNDS; n++) {
        shared->mailbox[n % 16] = n;
        CHECK(write(there[1], &byte, 1) == 1 && read(back[0], &byte, 1) == 1);
        CHECK(shared->mailbox[n % 16] == -n);
    }
    CHECK(check_wait(child) == 3);
}

static void over_semaphores(void)
{
    CHECK(sem_init(&shared->full, 1, 0) == 0 && sem_init(&shared->empty, 1, 16) == 0);
    pid_t child = fork();
    if (child == 0) {
        long sum = 0;
        for (int n = 0; n < 10 * ROUNDS; n++) {
            CHECK(sem_wait(&shared->full) == 0);
            sum += shared->mailbox[n % 16];
            CHECK(sem_post(&shared->empty) == 0);
        }
        _exit(sum == 10L * ROUNDS * (10 * ROUNDS - 1) / 2 ? 5 : 6);
    }
    for (int n = 0; n < 10 * ROUNDS; n++) {
        CHECK(sem_wait(&shared->empty) == 0);
        shared->mailbox[n % 16] = n;
        CHECK(sem_post(&shared->full) == 0);
    }
    CHECK(check_wait(child) == 5);
}

static int file_of_x(void)
{
    char page[PAGE];
    memset(page, 'x', sizeof page);
    int fd = open("x", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && write(fd, page, sizeof page) == sizeof page);
    return fd;
}

/* A call fills memory that another process reads. */
static void filled_by_the_kernel(void)
{
    int fd = file_of_x();
    pid_t child = fork();
    if (child == 0) {
        CHECK(pread(fd, shared->pages[3], PAGE, 0) == PAGE);
        atomic_store(&shared->turn, 1000);
        _exit(4);
    }
    wait_yielding(1000);
    CHECK(shared->pages[3][0] == 'x' && shared->pages[3][PAGE - 1] == 'x');
    CHECK(check_wait(child) == 4);
}

int main(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(shared != MAP_FAILED);
    all_play(ROUNDS, wait_yielding);
    all_play(3, wait_spinning);
    count_together();
    over_pipes();
    over_semaphores();
    filled_by_the_kernel();
    return done();
}
