/* System V segments that several processes attach, at different places, with a semaphore set to
 * take turns. */
#include "check.h"
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/shm.h>

enum { PROCESSES = 3, ROUNDS = 30, SIZE = 5 * 4096 };

static int semaphore(int set, int number, int by)
{
    struct sembuf op = {(unsigned short)number, (short)by, 0};
    int result;
    do
        result = semop(set, &op, 1);
    while (result < 0 && errno == EINTR);
    return result;
}

static void play(int segment, int set, int who)
{
    int *p = shmat(segment, NULL, 0);
    CHECK(p != (void *)-1);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(semaphore(set, who, -1) == 0);
        int turn = round * PROCESSES + who;
        int *mine = &p[1 + 1024 * (turn % 5)];
        CHECK(p[0] == turn && *mine == (turn < 5 ? 0 : turn - 5));
        *mine = turn;
        p[0] = turn + 1;
        CHECK(semaphore(set, (who + 1) % PROCESSES, 1) == 0);
    }
    CHECK(shmdt(p) == 0);
}

int main(void)
{
    int segment = shmget(IPC_PRIVATE, SIZE, IPC_CREAT | 0600);
    int set = semget(IPC_PRIVATE, PROCESSES, IPC_CREAT | 0600);
    pid_t child[PROCESSES];
    CHECK(segment >= 0 && set >= 0);
    int *p = shmat(segment, NULL, 0);
    CHECK(p != (void *)-1);
    for (int who = 1; who < PROCESSES; who++) {
        child[who] = fork();
        if (child[who] == 0) {
            CHECK(shmdt(p) == 0);
            play(segment, set, who);
            _exit(20 + who);
        }
    }
    CHECK(semaphore(set, 0, 1) == 0);
    play(segment, set, 0);
    int right = 1;
    for (int who = 1; who < PROCESSES; who++)
        right &= check_wait(child[who]) == 20 + who;
    right &= p[0] == PROCESSES * ROUNDS;
    CHECK(semctl(set, 0, IPC_RMID) == 0 && shmctl(segment, IPC_RMID, NULL) == 0);
    CHECK(right);
    return done();
}
