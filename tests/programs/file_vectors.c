/* readv, writev, preadv, pwritev, sendfile, splice, tee, copy_file_range, fallocate.
 */
#include "check.h"
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

int main(void)
{
    char a[5], b[10], c[100];
    int fd = open("file", O_RDWR | O_CREAT, 0600), fds[2];
    CHECK(fd >= 0 && pipe(fds) == 0);
    struct iovec out[3] = {{"one ", 4}, {"two ", 4}, {"three", 5}};
    CHECK(writev(fd, out, 3) == 13);
    struct iovec in[3] = {{a, 5}, {b, 0}, {c, 100}};
    CHECK(lseek(fd, 0, SEEK_SET) == 0 && readv(fd, in, 3) == 13);
    CHECK(!memcmp(a, "one t", 5) && !memcmp(c, "wo three", 8));
    CHECK(pwritev(fd, out, 1, 100) == 4 && preadv(fd, in, 1, 100) == 4 && !memcmp(a, "one ", 4));
    CHECK(readv(fd, in, -1) < 0 && errno == EINVAL);

    off_t from = 4;
    ssize_t sent = sendfile(fds[1], fd, &from, 9);
    CHECK(sent == 9 && from == 13 && read(fds[0], c, 100) == 9 && !memcmp(c, "two three", 9));
    int other = open("other", O_RDWR | O_CREAT, 0600);
    CHECK(write(fds[1], "spliced", 7) == 7);
    CHECK(splice(fds[0], NULL, other, NULL, 7, 0) == 7);
    CHECK(pread(other, c, 100, 0) == 7 && !memcmp(c, "spliced", 7));
    loff_t at = 0;
    ssize_t copied = copy_file_range(fd, &at, other, NULL, 5, 0);
    CHECK(copied == 5 || errno == ENOSYS || errno == EXDEV || errno == EOPNOTSUPP);
    if (fallocate(other, 0, 0, 5000) == 0)
        CHECK(lseek(other, 0, SEEK_END) == 5000);

    int second[2];
    CHECK(pipe(second) == 0 && write(fds[1], "both", 4) == 4);
    CHECK(tee(fds[0], second[1], 4, 0) == 4);
    CHECK(read(fds[0], c, 9) == 4 && read(second[0], c + 10, 9) == 4 && !memcmp(c, c + 10, 4));
    return done();
}
