/* Shared memory between processes: anonymous, memfd, System V, and a file; msync, mincore.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

enum { RW = PROT_READ | PROT_WRITE };

static void child_adds(volatile int *p)
{
    pid_t child = fork();
    if (child == 0) {
        *p += 5;
        _exit(*p);
    }
    int status = check_wait(child);
    CHECK(status == 12 && *p == 12);
}

static void anonymous(void)
{
    int *p = mmap(NULL, 4096, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED);
    *p = 7;
    child_adds(p);
}

static void memfd(void)
{
    int fd = memfd_create("shared", 0);
    CHECK(fd >= 0 && ftruncate(fd, 8192) == 0);
    int *p = mmap(NULL, 8192, RW, MAP_SHARED, fd, 0);
    int *q = mmap(NULL, 4096, RW, MAP_SHARED, fd, 4096);
    int *own = mmap(NULL, 8192, RW, MAP_PRIVATE, fd, 0);
    CHECK(p != MAP_FAILED && q != MAP_FAILED && own != MAP_FAILED);
    *p = 7;
    child_adds(p);
    p[1024] = 99;
    CHECK(q[0] == 99 && own[1024] == 99);
    own[1024] = 1;
    CHECK(p[1024] == 99);
    int from_file;
    CHECK(pread(fd, &from_file, 4, 0) == 4 && from_file == 12);
    CHECK(pwrite(fd, "\1\2\3\4", 4, 100) == 4 && p[25] == 0x04030201);
}

static void system_v(void)
{
    int id = shmget(IPC_PRIVATE, 10000, IPC_CREAT | 0600);
    if (id < 0) {
        CHECK(errno == ENOSYS || errno == EPERM || errno == EACCES || errno == ENOSPC);
        return;
    }
    int *p = shmat(id, NULL, 0), *q = shmat(id, NULL, SHM_RDONLY);
    CHECK(p != (void *)-1 && q != (void *)-1 && p != q);
    *p = 7;
    child_adds(p);
    CHECK(*q == 12);
    struct shmid_ds info;
    CHECK(shmctl(id, IPC_STAT, &info) == 0 && info.shm_segsz == 10000 && info.shm_nattch == 2);
    CHECK(shmdt(p) == 0 && shmdt(p) < 0 && errno == EINVAL);
    CHECK(shmctl(id, IPC_RMID, NULL) == 0 && shmdt(q) == 0);
}

static void file(void)
{
    int fd = open("shared", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 4096) == 0);
    int *p = mmap(NULL, 4096, RW, MAP_SHARED, fd, 0);
    CHECK(p != MAP_FAILED);
    *p = 7;
    child_adds(p);
    CHECK(msync(p, 4096, MS_SYNC) == 0 && munmap(p, 4096) == 0);
    int value;
    CHECK(read(fd, &value, 4) == 4 && value == 12);
}

int main(void)
{
    anonymous();
    memfd();
    system_v();
    file();
    return done();
}
