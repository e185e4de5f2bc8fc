/* Other calls on files: fifos, locks, times, statx, sizes of pipes, bytes waiting.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

static void fifo(void)
{
    CHECK(mkfifo("fifo", 0600) == 0);
    pid_t child = fork();
    if (child == 0) {
        int out = open("fifo", O_WRONLY);            /* waits for the reader */
        _exit(write(out, "through", 7) == 7 ? 0 : 1);
    }
    int in = open("fifo", O_RDONLY);
    char text[16] = "";
    CHECK(in >= 0 && read(in, text, 15) == 7 && !strcmp(text, "through"));
    CHECK(check_wait(child) == 0);
}

static void locks(int fd)
{
    CHECK(flock(fd, LOCK_EX) == 0);
    int other = open("file", O_RDWR);
    CHECK(flock(other, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
    CHECK(flock(fd, LOCK_UN) == 0 && flock(other, LOCK_EX | LOCK_NB) == 0 && close(other) == 0);
}

int main(void)
{
    int fd = open("file", O_RDWR | O_CREAT, 0600), fds[2], waiting;
    CHECK(fd >= 0);
    fifo();
    locks(fd);
    struct timespec times[2] = {{1000, 5}, {2000, 6}};
    struct stat st;
    CHECK(futimens(fd, times) == 0 && fstat(fd, &st) == 0 && st.st_mtim.tv_sec == 2000);
    struct statx stx;
    if (statx(AT_FDCWD, "file", 0, STATX_ALL, &stx) == 0)
        CHECK(stx.stx_ino == st.st_ino && stx.stx_mtime.tv_sec == 2000);
    struct statvfs fs;
    CHECK(statvfs(".", &fs) == 0 && fs.f_bsize > 0);
    CHECK(pipe(fds) == 0 && write(fds[1], "four", 4) == 4);
    CHECK(ioctl(fds[0], FIONREAD, &waiting) == 0 && waiting == 4);
    CHECK(fcntl(fds[0], F_GETPIPE_SZ) > 0 && ioctl(fd, 0xdead, 0) < 0 && errno == ENOTTY);
    CHECK(lseek(fd, 1 << 20, SEEK_SET) == 1 << 20 && write(fd, "x", 1) == 1);
    off_t data = lseek(fd, 0, SEEK_DATA);
    CHECK(data >= 0 && data <= 1 << 20 && lseek(fd, 0, SEEK_HOLE) <= (1 << 20) + 1);
    CHECK(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0 && fdatasync(fd) == 0);
    CHECK(mknod("plain", S_IFREG | 0600, 0) == 0 && truncate("plain", 77) == 0);
    CHECK(stat("plain", &st) == 0 && st.st_size == 77);
    return done();
}
