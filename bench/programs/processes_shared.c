/* Two processes wake each other in turn by semaphores in shared memory, where they also leave a
 * number for each other. The argument is the number of rounds in thousands. */
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct shared {
    sem_t turn[2];
    unsigned long word;
} *shared;
static unsigned rounds;

static void play(unsigned who)
{
    for (unsigned i = 0; i < rounds; i++) {
        while (sem_wait(&shared->turn[who]))
            continue;
        shared->word = shared->word * 3 + who;
        sem_post(&shared->turn[1 - who]);
    }
}

int main(int argc, char **argv)
{
    int status = 1;
    rounds = (argc > 1 ? (unsigned)atoi(argv[1]) : 100) * 1000;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || sem_init(&shared->turn[0], 1, 1) || sem_init(&shared->turn[1], 1, 0))
        return 1;
    pid_t child = fork();
    if (child == 0) {
        play(1);
        _exit(0);
    }
    play(0);
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        return 1;
    printf("%lu\n", shared->word);
    return 0;
}
