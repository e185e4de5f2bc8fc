/* A child of fork that computes for a while and does not touch the memory that it shares: until
 * then its page table has nothing of it.  What it reads there in the end is what its parent wrote
 * before the fork. */
#include "check.h"
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

enum { SIZE = 4 * 4096 };

static unsigned compute(void)
{
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < 200000; i++)
        sum = sum * 5 + i;
    return sum;
}

static void share(char *memory)
{
    unsigned sum = compute();
    strcpy(memory, "from the parent");
    memory[SIZE - 1] = 'x';
    pid_t child = fork();
    if (child == 0) {
        int good = compute() == sum && !strcmp(memory, "from the parent") && memory[SIZE - 1] == 'x';
        _exit(good ? 7 : 1);
    }
    CHECK(check_wait(child) == 7);
}

int main(void)
{
    share(mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
    int segment = shmget(IPC_PRIVATE, SIZE, 0600);
    CHECK(segment >= 0);
    share(shmat(segment, NULL, 0));
    CHECK(shmctl(segment, IPC_RMID, NULL) == 0);
    return done();
}
