/* open, read, write, lseek, pread, pwrite, truncate, stat, access, unlink, rename, link.
 *
 * variants: static
 */
#include "check.h"
#include <fcntl.h>
#include <sys/stat.h>

int main(void)
{
    char buf[100];
    struct stat st;
    umask(022);
    int fd = open("file", O_RDWR | O_CREAT | O_EXCL, 0666);
    CHECK(fd >= 0);
    CHECK(open("file", O_RDWR | O_CREAT | O_EXCL, 0666) < 0 && errno == EEXIST);
    CHECK(write(fd, "hello, world", 12) == 12);
    CHECK(lseek(fd, 7, SEEK_SET) == 7 && read(fd, buf, 100) == 5 && !memcmp(buf, "world", 5));
    CHECK(read(fd, buf, 100) == 0);
    CHECK(pread(fd, buf, 5, 0) == 5 && !memcmp(buf, "hello", 5));
    CHECK(pwrite(fd, "J", 1, 0) == 1 && lseek(fd, 0, SEEK_CUR) == 12);
    CHECK(fstat(fd, &st) == 0 && st.st_size == 12 && S_ISREG(st.st_mode));
    CHECK((st.st_mode & 0777) == 0644 && st.st_nlink == 1);
    CHECK(ftruncate(fd, 3) == 0 && lseek(fd, 0, SEEK_END) == 3);
    CHECK(fsync(fd) == 0 && fchmod(fd, 0600) == 0);
    CHECK(link("file", "other") == 0 && stat("other", &st) == 0 && st.st_nlink == 2);
    CHECK(symlink("file", "soft") == 0 && lstat("soft", &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(readlink("soft", buf, 100) == 4 && stat("soft", &st) == 0 && st.st_size == 3);
    CHECK(rename("other", "third") == 0 && access("other", F_OK) < 0 && errno == ENOENT);
    CHECK(renameat2(AT_FDCWD, "third", AT_FDCWD, "file", RENAME_NOREPLACE) < 0 && errno == EEXIST);
    CHECK(unlink("file") == 0 && unlink("soft") == 0 && unlink("third") == 0);
    CHECK(fstat(fd, &st) == 0 && st.st_nlink == 0 && close(fd) == 0);
    CHECK(close(fd) < 0 && errno == EBADF && read(fd, buf, 1) < 0 && errno == EBADF);
    CHECK(open("nothing", O_RDONLY) < 0 && errno == ENOENT);
    CHECK(open("/dev/null/x", O_RDONLY) < 0 && errno == ENOTDIR);
    fd = open("/dev/zero", O_RDONLY);
    memset(buf, 1, sizeof buf);
    CHECK(read(fd, buf, sizeof buf) == sizeof buf && buf[0] == 0 && buf[99] == 0);
    CHECK(write(fd, "x", 1) < 0 && errno == EBADF);
    return done();
}
