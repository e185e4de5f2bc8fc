/* Programs that meet by name: a file, POSIX shared memory, a named semaphore; each is started by
 * execve and knows nothing but the names.  And one that gets its memory through a socket.
 *
 * args: named | passed
 */
#include "check.h"
#include <fcntl.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { RW = PROT_READ | PROT_WRITE, SIZE = 3 * 4096, ROUNDS = 40 };

struct board {
    atomic_int turn;
    int sum;
    char text[8000];
};

static char shm_name[64];

static void *map(int fd)
{
    void *p = mmap(NULL, SIZE, RW, MAP_SHARED, fd, 0);
    CHECK(fd >= 0 && p != MAP_FAILED);
    close(fd);
    return p;
}

static void play(struct board *b, sem_t *sem, int who)
{
    for (int round = 0; round < ROUNDS; round++) {
        while (atomic_load(&b->turn) != 2 * round + who)
            usleep(100);
        CHECK(sem_wait(sem) == 0);
        b->sum += round + who;
        snprintf(b->text + (round * 150), 100, "round %d by %d", round, who);
        CHECK(sem_post(sem) == 0);
        atomic_store(&b->turn, 2 * round + who + 1);
    }
}

static int meet(const char *id)
{
    int file = open("board", O_RDWR);
    struct board *in_file = map(file), *in_shm;
    snprintf(shm_name, sizeof shm_name, "/ebb-test-%s", id);
    in_shm = map(shm_open(shm_name, O_RDWR, 0600));
    sem_t *sem = sem_open(shm_name, 0);
    CHECK(sem != SEM_FAILED);
    play(in_file, sem, 1);
    play(in_shm, sem, 1);
    return 9;
}

static void begin(struct board **file, struct board **shm, sem_t **sem, const char *id)
{
    int fd = open("board", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, SIZE) == 0);
    *file = map(fd);
    snprintf(shm_name, sizeof shm_name, "/ebb-test-%s", id);
    fd = shm_open(shm_name, O_RDWR | O_CREAT | O_EXCL, 0600);
    CHECK(fd >= 0 && ftruncate(fd, SIZE) == 0);
    *shm = map(fd);
    *sem = sem_open(shm_name, O_CREAT | O_EXCL, 0600, 1);
    CHECK(*sem != SEM_FAILED);
}

static void by_name(const char *program)
{
    struct board *file, *shm;
    sem_t *sem;
    char id[32];
    snprintf(id, sizeof id, "%d", (int)getpid());
    begin(&file, &shm, &sem, id);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "meet", id, (char *)NULL);
        _exit(1);
    }
    play(file, sem, 0);
    play(shm, sem, 0);
    int status = check_wait(child);
    CHECK(shm_unlink(shm_name) == 0 && sem_unlink(shm_name) == 0);
    CHECK(status == 9);
    CHECK(file->sum == ROUNDS * (ROUNDS - 1) + ROUNDS && shm->sum == file->sum);
    CHECK(strcmp(file->text + 150, "round 1 by 1") == 0);
}

static void send_descriptor(int socket, int fd)
{
    char byte = 0, control[CMSG_SPACE(sizeof fd)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                       .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    CHECK(sendmsg(socket, &m, 0) == 1);
}

static int receive_descriptor(int socket)
{
    int fd;
    char byte, control[CMSG_SPACE(sizeof fd)];
    struct iovec part = {&byte, 1};
    struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control,
                       .msg_controllen = sizeof control};
    CHECK(recvmsg(socket, &m, 0) == 1 && CMSG_FIRSTHDR(&m));
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof fd);
    return fd;
}

static int receive(int socket)
{
    struct board *b = map(receive_descriptor(socket));
    CHECK(strcmp(b->text, "for you") == 0);
    for (int n = 0; n < ROUNDS; n++) {
        while (atomic_load(&b->turn) != 2 * n + 1)
            usleep(100);
        b->sum += n;
        atomic_fetch_add(&b->turn, 1);
    }
    return 8;
}

static void passed(const char *program)
{
    int ends[2];
    char number[16];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    snprintf(number, sizeof number, "%d", ends[1]);
    pid_t child = fork();
    if (child == 0) {
        execl(program, program, "receive", number, (char *)NULL);
        _exit(1);
    }
    int fd = memfd_create("passed", 0);
    CHECK(fd >= 0 && ftruncate(fd, SIZE) == 0);
    struct board *b = mmap(NULL, SIZE, RW, MAP_SHARED, fd, 0);
    CHECK(b != MAP_FAILED);
    strcpy(b->text, "for you");
    send_descriptor(ends[0], fd);
    for (int n = 0; n < ROUNDS; n++) {
        b->sum += 100;
        atomic_fetch_add(&b->turn, 1);
        while (atomic_load(&b->turn) != 2 * n + 2)
            usleep(100);
    }
    CHECK(check_wait(child) == 8 && b->sum == ROUNDS * 100 + ROUNDS * (ROUNDS - 1) / 2);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "meet") == 0)
        return meet(argv[2]);
    if (argc == 3 && strcmp(argv[1], "receive") == 0)
        return receive(atoi(argv[2]));
    if (argc == 2 && strcmp(argv[1], "passed") == 0)
        passed("/proc/self/exe");
    else
        by_name("/proc/self/exe");
    return done();
}
