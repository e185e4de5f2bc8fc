/* dup, dup2 and dup3 to high numbers, fcntl, close_range, closing everything; a program that
 * closes all descriptors (as daemons do) still runs.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

static int same(int a, int b)
{
    struct stat x, y;
    return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_ino == y.st_ino;
}

int main(void)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600);
    CHECK(fd == 3);                     /* the lowest free one: nothing of ours is in the way */
    CHECK(dup(fd) == 4 && same(3, 4));
    CHECK(write(3, "abc", 3) == 3 && lseek(4, 0, SEEK_CUR) == 3);
    CHECK(dup2(fd, 100) == 100 && same(100, 3) && dup2(fd, fd) == fd);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (limit.rlim_cur > 900 && limit.rlim_cur != RLIM_INFINITY) {
        for (int high = 200; high < 900; high++)
            CHECK(dup2(fd, high) == high);
        CHECK(same(899, fd) && same(777, fd));
    }
    CHECK(dup3(fd, 150, O_CLOEXEC) == 150 && fcntl(150, F_GETFD) == FD_CLOEXEC);
    CHECK(dup3(fd, fd, 0) < 0 && errno == EINVAL);
    CHECK(fcntl(fd, F_DUPFD, 120) == 120 && fcntl(fd, F_DUPFD_CLOEXEC, 120) == 121);
    CHECK(fcntl(fd, F_SETFL, O_APPEND) == 0 && (fcntl(fd, F_GETFL) & O_APPEND));
    CHECK(dup2(500000000, 5) < 0 && errno == EBADF);
    if (syscall(SYS_close_range, 5, ~0U, 0) == 0)
        CHECK(fcntl(100, F_GETFD) < 0 && errno == EBADF && fcntl(4, F_GETFD) == 0);
    for (int i = 3; i < 1024; i++)
        close(i);
    CHECK(getpid() > 0 && open("file", O_RDONLY) == 3);

    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
    CHECK((fd = open("file", O_RDWR)) == 4 && fcntl(fd, F_SETLK, &lock) == 0);
    pid_t child = fork();
    if (child == 0)
        _exit(fcntl(fd, F_SETLK, &lock) < 0 && (errno == EAGAIN || errno == EACCES) ? 0 : 1);
    CHECK(check_wait(child) == 0);
    return done();
}
