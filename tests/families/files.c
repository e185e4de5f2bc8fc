/* Files: opening, reading, writing, names, attributes, locks, directories, notifications. */
#include "family.h"

#include <dirent.h>
#include <linux/openat2.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <linux/fs.h>
#include <linux/fiemap.h>
#include <poll.h>
#include <utime.h>

static int make(const char *name, const char *text)
{
    int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (fd >= 0 && write(fd, text, strlen(text)) < 0)
        return -1;
    lseek(fd, 0, SEEK_SET);
    return fd;
}

static void show(const char *name)
{
    char bytes[256];
    int fd = open(name, O_RDONLY);
    long n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
    if (n < 0) {
        say("%s: %s", name, strerrorname_np(errno));
        return;
    }
    bytes[n] = 0;
    say("%s: \"%s\"", name, bytes);
    close(fd);
}

CASE(open_errors)
{
    R(open("nothing", O_RDONLY));
    R(open("", O_RDONLY));
    R(open(".", O_WRONLY));
    R(open("/etc/passwd/x", O_RDONLY));
    R(open(nowhere(), O_RDONLY));
    char *edge = (char *)two_pages_one_gone() + PAGE - 4;
    memcpy(edge, "abcd", 4);
    R(open(edge, O_RDONLY));
    char longest[PATH_MAX + 10];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    R(open(longest, O_RDONLY));
    longest[300] = 0;
    R(open(longest, O_RDONLY));
    R(symlink("loop", "loop"));
    R(open("loop", O_RDONLY));
    R(open("loop", O_RDONLY | O_NOFOLLOW));
    int fd = make("file", "text");
    R(open("file", O_RDONLY | O_DIRECTORY));
    R(open("file", O_CREAT | O_EXCL | O_RDWR, 0600));
    R(openat(fd, "x", O_RDONLY));
    R(openat(-3, "x", O_RDONLY));
    R(openat(999, "x", O_RDONLY));
    int path = open("file", O_PATH);
    char byte;
    R(read(path, &byte, 1));
    R(fchmod(path, 0600));
    R(fcntl(path, F_GETFL));
    int tmp = open(".", O_TMPFILE | O_RDWR, 0600);
    say("tmpfile %d", tmp >= 0);
    if (tmp >= 0) {
        char link[64];
        write(tmp, "hidden", 6);
        snprintf(link, sizeof link, "/proc/self/fd/%d", tmp);
        R(linkat(AT_FDCWD, link, AT_FDCWD, "shown", AT_SYMLINK_FOLLOW));
        show("shown");
    }
    R(creat("new", 0400));
    struct stat st;
    stat("new", &st);
    say("mode %o", st.st_mode);
}

CASE(openat2_resolve)
{
    mkdir("d", 0755);
    close(make("d/in", "inside"));
    symlink("../x", "d/up");
    symlink("in", "d/link");
    int d = open("d", O_PATH | O_DIRECTORY);
    struct open_how how = {.flags = O_RDONLY};
    char bytes[16] = "";
    int fd;
    how.resolve = RESOLVE_BENEATH;
    OK(fd = (int)syscall(SYS_openat2, d, "in", &how, sizeof how));
    R(read(fd, bytes, 6));
    say("%s", bytes);
    R(syscall(SYS_openat2, d, "../d/in", &how, sizeof how));
    R(syscall(SYS_openat2, d, "up", &how, sizeof how));
    R(syscall(SYS_openat2, d, "/etc/passwd", &how, sizeof how));
    how.resolve = RESOLVE_NO_SYMLINKS;
    R(syscall(SYS_openat2, d, "link", &how, sizeof how));
    how.resolve = RESOLVE_IN_ROOT;
    OK(syscall(SYS_openat2, d, "/in", &how, sizeof how));
    how.resolve = 0x1000;
    R(syscall(SYS_openat2, d, "in", &how, sizeof how));
    how.resolve = 0;
    R(syscall(SYS_openat2, d, "in", &how, 4));
    how.flags = 1ull << 40;
    R(syscall(SYS_openat2, d, "in", &how, sizeof how));
    struct {
        struct open_how how;
        long more;
    } longer = {{.flags = O_RDONLY}, 0};
    OK(syscall(SYS_openat2, d, "in", &longer, sizeof longer));
    longer.more = 1;
    R(syscall(SYS_openat2, d, "in", &longer, sizeof longer));
    R(syscall(SYS_openat2, d, "in", nowhere(), sizeof how));
}

CASE(read_write_forms)
{
    int fd = make("file", "0123456789");
    char a[4] = "", b[4] = "", all[32] = "";
    struct iovec v[3] = {{a, 3}, {NULL, 0}, {b, 3}};
    R(readv(fd, v, 3));
    say("%s %s", a, b);
    R(preadv(fd, v, 3, 4));
    say("%s %s", a, b);
    R(preadv2(fd, v, 3, -1, 0));
    say("%s %s", a, b);
    R(preadv2(fd, v, 3, 0, RWF_NOWAIT) > 0 || errno == EAGAIN || errno == EOPNOTSUPP);
    R(pwritev(fd, v, 3, 20));
    R(pread(fd, all, 32, 0));
    R(pread(fd, all, 32, 100));
    R(pread(fd, all, 32, -1));
    R(pwrite(fd, "x", 1, -1));
    R(readv(fd, v, -1));
    R(readv(fd, v, 2000));
    R(readv(fd, nowhere(), 1));
    R(read(fd, nowhere(), 10));
    R(pread(fd, nowhere(), 10, 0));
    R(write(fd, nowhere(), 10));
    R(lseek(fd, 0, SEEK_CUR));
    char *edge = (char *)two_pages_one_gone() + PAGE - 4;
    R(pread(fd, edge, 8, 0));
    say("%.4s", edge);
    R(pwrite(fd, edge, 8, 0));
    v[0] = (struct iovec){a, 3};
    v[1] = (struct iovec){nowhere(), 3};
    R(preadv(fd, v, 2, 0));
    R(pwritev(fd, v, 2, 0));
    v[1] = (struct iovec){a, (size_t)-1};
    R(preadv(fd, v, 2, 0));
    R(read(fd, a, 0));
    R(read(fd, NULL, 0));
    R(read(-1, a, 1));
    R(write(open("file", O_RDONLY), "a", 1));
    R(read(open("file", O_WRONLY), a, 1));
    int append = open("file", O_WRONLY | O_APPEND);
    R(write(append, "end", 3));
    R(pwrite(append, "END", 3, 0));
    R(lseek(append, 0, SEEK_CUR));
    struct iovec w = {"now", 3};
    R(pwritev2(fd, &w, 1, 0, RWF_APPEND));
    R(pwritev2(fd, &w, 1, 0, RWF_DSYNC));
    R(pwritev2(fd, &w, 1, 0, 0x1000));
}

CASE(seeks)
{
    int fd = make("file", "0123456789");
    R(lseek(fd, 5, SEEK_SET));
    R(lseek(fd, -3, SEEK_CUR));
    R(lseek(fd, -1, SEEK_SET));
    R(lseek(fd, 10, SEEK_END));
    R(lseek(fd, 0, 99));
    R(write(fd, "x", 1));
    R(ftruncate(fd, 1 << 20));
    pwrite(fd, "data", 4, 512 << 10);
    R(lseek(fd, 0, SEEK_HOLE) > 0);
    R(lseek(fd, 65536, SEEK_DATA) > 0);
    R(lseek(fd, 2 << 20, SEEK_DATA));
    int ends[2];
    pipe(ends);
    R(lseek(ends[0], 0, SEEK_CUR));
    R(lseek(fd, LONG_MAX, SEEK_SET));
    R(lseek(fd, LONG_MAX, SEEK_CUR));
}

CASE(truncates)
{
    int fd = make("file", "0123456789");
    R(truncate("file", 4));
    show("file");
    R(ftruncate(fd, 6));
    struct stat st;
    fstat(fd, &st);
    say("size %ld", (long)st.st_size);
    R(truncate("file", -1));
    R(truncate("nothing", 1));
    R(truncate(".", 1));
    R(ftruncate(open("file", O_RDONLY), 1));
    R(fallocate(fd, 0, 0, 8192));
    fstat(fd, &st);
    say("size %ld", (long)st.st_size);
    R(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 1 << 20));
    R(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) == 0 || errno == EOPNOTSUPP);
    R(fallocate(fd, 0, -1, 5));
    R(fallocate(fd, 0, 0, 0));
    R(posix_fallocate(fd, 0, 100));
    R(posix_fadvise(fd, 0, 100, POSIX_FADV_SEQUENTIAL));
    R(posix_fadvise(fd, 0, 100, 99));
    R(readahead(fd, 0, 100));
    R(sync_file_range(fd, 0, 100, SYNC_FILE_RANGE_WRITE));
    R(sync_file_range(fd, 0, 100, 0xff00));
    R(fsync(fd));
    R(fdatasync(fd));
    R(syncfs(fd));
    R(fsync(-1));
}

CASE(names)
{
    close(make("a", "A"));
    R(link("a", "b"));
    R(link("a", "b"));
    R(link("none", "c"));
    R(link(".", "c"));
    R(symlink("a", "s"));
    char target[64];
    memset(target, '#', sizeof target);
    R(readlink("s", target, sizeof target));
    say("%.3s", target);
    R(readlink("a", target, sizeof target));
    R(readlink("s", target, 0));
    R(readlink("s", nowhere(), 10));
    R(linkat(AT_FDCWD, "s", AT_FDCWD, "s2", 0));
    R(linkat(AT_FDCWD, "s", AT_FDCWD, "s3", AT_SYMLINK_FOLLOW));
    R(rename("a", "z"));
    show("z");
    close(make("y", "Y"));
    R(renameat2(AT_FDCWD, "y", AT_FDCWD, "z", RENAME_NOREPLACE));
    R(renameat2(AT_FDCWD, "y", AT_FDCWD, "z", RENAME_EXCHANGE));
    show("z");
    show("y");
    R(renameat2(AT_FDCWD, "y", AT_FDCWD, "z", 0xff));
    mkdir("d", 0755);
    R(rename("y", "d"));
    R(rename("d", "y"));
    R(rename("d", "d/e"));
    R(unlink("d"));
    R(rmdir("y"));
    close(make("d/f", ""));
    R(rmdir("d"));
    R(unlink("d/f"));
    R(rmdir("d"));
    R(rmdir("."));
    R(mkdir("z", 0755));
    R(mknod("fifo", S_IFIFO | 0644, 0));
    R(mknod("fifo", S_IFIFO | 0644, 0));
    R(mknod("odd", 0170000, 0));
    R(mkfifo("fifo2", 0600));
    R(unlinkat(AT_FDCWD, "fifo", AT_REMOVEDIR));
    R(unlinkat(AT_FDCWD, "fifo", 0x8000));
    R(access("z", R_OK | W_OK));
    R(access("z", X_OK));
    R(access("z", 99));
    R(faccessat(AT_FDCWD, "s", F_OK, AT_SYMLINK_NOFOLLOW));
}

CASE(working_directory)
{
    char where[PATH_MAX];
    mkdir("d", 0755);
    R(chdir("d"));
    R(getcwd(where, sizeof where) != NULL);
    say("%s", strrchr(where, '/'));
    R((long)syscall(SYS_getcwd, where, 1));
    R((long)syscall(SYS_getcwd, nowhere(), 100));
    R(rmdir("../d"));
    R(getcwd(where, sizeof where) != NULL);
    R((long)syscall(SYS_getcwd, where, 200) > 0);
    say("%s", strstr(where, "(deleted)") ? "deleted" : where);
    R(open("x", O_CREAT | O_RDWR, 0600));
    R(chdir(".."));
    R(chdir("none"));
    int fd = open("/etc", O_RDONLY | O_DIRECTORY);
    R(fchdir(fd));
    getcwd(where, sizeof where);
    say("%s", where);
    R(fchdir(0));
    char link[64];
    long n = readlink("/proc/self/cwd", link, sizeof link);
    say("%.*s", (int)n, link);
}

CASE(attributes)
{
    int fd = make("file", "text");
    struct stat st;
    R(chmod("file", 04755));
    stat("file", &st);
    say("mode %o links %d size %ld", st.st_mode, (int)st.st_nlink, (long)st.st_size);
    R(fchmod(fd, 0600));
    R(fchmodat(AT_FDCWD, "file", 0640, 0));
    R(chown("file", (uid_t)-1, (gid_t)-1));
    R(lchown("none", 1, 1));
    R(fchownat(AT_FDCWD, "", 1, 1, 0x8000));
    struct timespec t[2] = {{1000, 5}, {2000, 7}};
    R(utimensat(AT_FDCWD, "file", t, 0));
    fstat(fd, &st);
    say("times %ld.%ld %ld.%ld", st.st_atim.tv_sec, st.st_atim.tv_nsec, st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    t[0].tv_nsec = UTIME_OMIT;
    t[1].tv_nsec = 2000000000;
    R(utimensat(AT_FDCWD, "file", t, 0));
    t[1].tv_nsec = UTIME_OMIT;
    R(utimensat(AT_FDCWD, "file", t, 0));
    R(futimens(fd, NULL));
    struct utimbuf u = {50, 60};
    R(utime("file", &u));
    struct timeval v[2] = {{70, 1}, {80, 2}};
    R(utimes("file", v));
    R(futimesat(AT_FDCWD, "file", v));
    fstat(fd, &st);
    say("mtime %ld.%ld", st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    R(fstatat(AT_FDCWD, "none", &st, 0));
    R(fstatat(fd, "", &st, AT_EMPTY_PATH));
    R(fstatat(AT_FDCWD, "file", nowhere(), 0));
    struct statx x;
    R(statx(AT_FDCWD, "file", 0, STATX_ALL, &x));
    say("statx mode %o size %lld mtime %lld", x.stx_mode, (long long)x.stx_size, (long long)x.stx_mtime.tv_sec);
    R(statx(AT_FDCWD, "file", 0xf0000000, STATX_ALL, &x));
    R(statx(AT_FDCWD, "file", 0, 1u << 31, &x));
    R(statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &x));
    struct statfs s;
    R(statfs(".", &s));
    R(fstatfs(fd, &s));
    R(statfs("none", &s));
    R(umask(0777));
    R(umask(022));
    struct statvfs f;
    R(statvfs("/proc", &f));
    say("name %ld", f.f_namemax);
}

CASE(xattrs)
{
    int fd = make("file", "text");
    char value[64] = "", list[128];
    R(setxattr("file", "user.one", "first", 5, 0));
    R(setxattr("file", "user.one", "first", 5, XATTR_CREATE));
    R(setxattr("file", "user.two", "x", 1, XATTR_REPLACE));
    R(fsetxattr(fd, "user.two", "", 0, 0));
    R(getxattr("file", "user.one", value, sizeof value));
    say("%s", value);
    R(getxattr("file", "user.one", NULL, 0));
    R(getxattr("file", "user.one", value, 2));
    R(getxattr("file", "user.none", value, 2));
    R(getxattr("file", "bad", value, 2));
    R(fgetxattr(fd, "user.two", value, 9));
    R(listxattr("file", list, sizeof list));
    R(listxattr("file", list, 1));
    R(flistxattr(fd, NULL, 0));
    R(llistxattr("none", NULL, 0));
    R(removexattr("file", "user.one"));
    R(removexattr("file", "user.one"));
    R(fremovexattr(fd, "user.two"));
    R(lsetxattr("file", "trusted.x", "1", 1, 0) == 0 || errno == EPERM);
}

CASE(directories)
{
    mkdir("d", 0755);
    char name[64];
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "d/entry-%d", i);
        close(make(name, ""));
    }
    DIR *d = opendir("d");
    unsigned sum = 0, n = 0;
    for (struct dirent *e; (e = readdir(d)); n++)
        sum += sum_of(e->d_name, strlen(e->d_name)) + e->d_type;
    say("entries %u sum %u", n, sum);
    rewinddir(d);
    long at = telldir(d);
    struct dirent *first = readdir(d);
    snprintf(name, sizeof name, "%s", first->d_name);
    seekdir(d, at);
    say("same %d", !strcmp(name, readdir(d)->d_name));
    closedir(d);
    int fd = open("d", O_RDONLY | O_DIRECTORY);
    char few[20];
    R(syscall(SYS_getdents64, fd, few, sizeof few));
    R(syscall(SYS_getdents64, fd, nowhere(), 1000));
    R(syscall(SYS_getdents64, 0, few, sizeof few));
    char many[4096];
    R(syscall(SYS_getdents, fd, many, sizeof many) > 0);
    R(read(fd, many, 10));
    R(syscall(SYS_getdents64, open("d", O_PATH), many, sizeof many));
}

CASE(descriptors)
{
    int fd = make("file", "text");
    R(dup(fd) > fd);
    R(dup2(fd, 100));
    R(dup2(fd, fd) == fd);
    R(dup3(fd, fd, 0));
    R(dup3(fd, 101, O_CLOEXEC));
    R(fcntl(101, F_GETFD));
    R(dup3(fd, 101, 77));
    R(dup2(-1, 100));
    R(dup2(fd, 1 << 24));
    R(dup2(fd, -1));
    R(fcntl(fd, F_DUPFD, 200));
    R(fcntl(fd, F_DUPFD_CLOEXEC, 201));
    R(fcntl(fd, F_DUPFD, 1 << 24));
    R(fcntl(fd, F_DUPFD, -1));
    R(fcntl(fd, F_SETFD, FD_CLOEXEC));
    R(fcntl(fd, F_GETFD));
    R(fcntl(fd, F_GETFL) & O_ACCMODE);
    R(fcntl(fd, F_SETFL, O_APPEND | O_NONBLOCK | O_NOATIME));
    R(fcntl(fd, F_GETFL));
    R(fcntl(fd, 9999));
    R(fcntl(-1, F_GETFD));
    R(close_range(100, 102, 0));
    R(fcntl(100, F_GETFD));
    R(close_range(200, 201, 4));
    R(fcntl(200, F_GETFD));
    R(close_range(5, 2, 0));
    R(close_range(5, 7, 99));
    R(close_range(300, ~0u, 0));
    R(fcntl(200, F_GETFD));
    R(close(200));
    R(close(200));
    R(close(-1));
    R(close(1 << 25));
    R(syscall(SYS_kcmp, getpid(), getpid(), 0, fd, fd));
    R(syscall(SYS_kcmp, getpid(), getpid(), 0, fd, 1) != 0);
    R(syscall(SYS_kcmp, getpid(), getpid(), 99, fd, 1));
    uint64_t hint = 2;
    R(fcntl(fd, 1036, &hint));
    hint = 0;
    R(fcntl(fd, 1035, &hint));
    say("hint %d", (int)hint);
}

CASE(many_descriptors)
{
    int n = 0, last = -1, fd;
    struct rlimit l = {100, 100};
    R(setrlimit(RLIMIT_NOFILE, &l));
    while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
        last = fd;
        n++;
    }
    say("opened %d, last %d, %s", n, last, strerrorname_np(errno));
    R(dup(0));
    R(fcntl(0, F_DUPFD, 100));
    R(fcntl(0, F_DUPFD, 50));
    int p[2];
    R(pipe(p));
    R(eventfd(0, 0));
    struct rlimit now;
    R(getrlimit(RLIMIT_NOFILE, &now));
    say("%ld %ld", now.rlim_cur, now.rlim_max);
    R(close(50));
    R(open("/dev/null", O_RDONLY));
}

CASE(all_descriptors)
{
    struct rlimit l;
    getrlimit(RLIMIT_NOFILE, &l);
    l.rlim_cur = 1024 < l.rlim_max ? 1024 : l.rlim_max;
    R(setrlimit(RLIMIT_NOFILE, &l));
    int n = 0, fd, highest = 0;
    while ((fd = open("/dev/null", O_RDONLY)) >= 0) {
        n++;
        highest = fd;
    }
    say("%d opened, the highest %d", n, highest);
    DIR *d;
    close(5);
    d = opendir("/proc/self/fd");
    int listed = 0;
    while (d && readdir(d))
        listed++;
    say("listed %d", listed);
}

CASE(locks)
{
    int fd = make("file", "0123456789"), other = open("file", O_RDWR);
    R(flock(fd, LOCK_EX));
    R(flock(other, LOCK_EX | LOCK_NB));
    R(flock(fd, LOCK_SH));
    R(flock(other, LOCK_SH | LOCK_NB));
    R(flock(fd, LOCK_UN));
    R(flock(fd, 99));
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2, .l_len = 3};
    R(fcntl(fd, F_SETLK, &l));
    pid_t parent = getpid();
    reap("child", CHILD({
        struct flock q = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        R(fcntl(fd, F_GETLK, &q));
        say("type %d start %ld len %ld parent %d", q.l_type, (long)q.l_start, (long)q.l_len, q.l_pid == parent);
        struct flock w = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 4, .l_len = 1};
        R(fcntl(fd, F_SETLK, &w));
        w.l_start = 6;
        R(fcntl(fd, F_SETLK, &w));
        w.l_type = 99;
        R(fcntl(fd, F_SETLK, &w));
    }));
    l.l_type = F_UNLCK;
    R(fcntl(fd, F_SETLK, &l));
    struct flock ofd = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    R(fcntl(fd, F_OFD_SETLK, &ofd));
    R(fcntl(other, F_OFD_SETLK, &ofd));
    R(fcntl(other, F_OFD_GETLK, &ofd));
    say("type %d pid %d", ofd.l_type, ofd.l_pid);
    ofd.l_pid = 5;
    R(fcntl(fd, F_OFD_SETLK, &ofd));
    R(fcntl(fd, F_SETLK, nowhere()));
    R(lockf(fd, F_TEST, 5));
}

CASE(lock_waits)
{
    int fd = make("file", "0123456789"), ends[2];
    pipe(ends);
    struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(fd, F_SETLK, &l);
    pid_t child = CHILD({
        struct flock w = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        write(ends[1], "r", 1);
        R(fcntl(fd, F_SETLKW, &w));
    });
    char byte;
    read(ends[0], &byte, 1);
    pause_ms(30);
    say("unlocks");
    l.l_type = F_UNLCK;
    R(fcntl(fd, F_SETLK, &l));
    reap("child", child);
}

static volatile int leases;
static void on_lease(int signal)
{
    (void)signal;
    leases++;
}

CASE(leases)
{
    int fd = make("file", "0123456789");
    signal(SIGIO, on_lease);
    R(fcntl(fd, F_SETLEASE, F_RDLCK));
    close(fd);
    fd = open("file", O_RDONLY);
    R(fcntl(fd, F_SETLEASE, F_RDLCK));
    R(fcntl(fd, F_GETLEASE));
    R(open("file", O_WRONLY | O_NONBLOCK));
    say("leases %d", leases);
    R(fcntl(fd, F_GETLEASE));
    R(fcntl(fd, F_SETLEASE, F_UNLCK));
    OK(open("file", O_WRONLY | O_NONBLOCK));
    mkdir("d", 0755);
    int d = open("d", O_RDONLY);
    R(fcntl(d, F_NOTIFY, DN_CREATE | DN_MULTISHOT));
    close(make("d/new", ""));
    say("leases %d", leases);
}

CASE(inotify_events)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    mkdir("d", 0755);
    R(inotify_add_watch(fd, "d", IN_ALL_EVENTS));
    R(inotify_add_watch(fd, "none", IN_ALL_EVENTS));
    R(inotify_add_watch(fd, "d", 0));
    R(inotify_rm_watch(fd, 99));
    char bytes[4096];
    R(read(fd, bytes, sizeof bytes));
    int f = make("d/a", "text");
    close(f);
    rename("d/a", "d/b");
    unlink("d/b");
    R(read(fd, bytes, 10));
    long n = read(fd, bytes, sizeof bytes);
    for (long at = 0; at < n;) {
        struct inotify_event *e = (void *)(bytes + at);
        say("event %x %s", e->mask, e->len ? e->name : "");
        at += (long)sizeof *e + e->len;
    }
    int waiting = 7;
    R(ioctl(fd, FIONREAD, &waiting));
    say("waiting %d", waiting);
    R(inotify_rm_watch(fd, 1));
    n = read(fd, bytes, sizeof bytes);
    say("last %x", ((struct inotify_event *)bytes)->mask);
    R(inotify_init1(12345));
}

CASE(fanotify_events)
{
    int fd = (int)R(fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK, O_RDONLY) >= 0);
    fd = fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK, O_RDONLY);
    if (fd < 0)
        return;
    close(make("file", "text"));
    R(fanotify_mark(fd, FAN_MARK_ADD, FAN_OPEN | FAN_CLOSE | FAN_MODIFY, AT_FDCWD, "file"));
    show("file");
    struct fanotify_event_metadata e[8];
    long n = read(fd, e, sizeof e);
    for (struct fanotify_event_metadata *at = e; FAN_EVENT_OK(at, n); at = FAN_EVENT_NEXT(at, n)) {
        say("mask %llx own %d fd %d", (unsigned long long)at->mask, at->pid == getpid(), at->fd >= 0);
        if (at->fd >= 0)
            close(at->fd);
    }
    R(fanotify_mark(fd, 0x8000, FAN_OPEN, AT_FDCWD, "file"));
}

CASE(copies)
{
    int in = make("in", "0123456789abcdef"), out = make("out", "");
    off_t at = 4;
    R(sendfile(out, in, &at, 6));
    say("at %ld", (long)at);
    show("out");
    R(sendfile(out, in, NULL, 100));
    R(sendfile(out, in, NULL, 100));
    show("out");
    R(sendfile(in, out, nowhere(), 5));
    R(sendfile(-1, in, NULL, 5));
    off_t from = 2, to = 1;
    R(copy_file_range(in, &from, out, &to, 5, 0));
    say("%ld %ld", (long)from, (long)to);
    show("out");
    R(copy_file_range(in, NULL, in, NULL, 5, 0) >= 0 || errno == EINVAL);
    R(copy_file_range(in, &from, out, &to, 5, 1));
    int ends[2];
    pipe(ends);
    R(copy_file_range(in, NULL, ends[1], NULL, 5, 0));
    R(copy_file_range(open(".", O_RDONLY), NULL, out, NULL, 5, 0));
    R(copy_file_range(open("in", O_WRONLY), NULL, out, NULL, 5, 0));
    R(copy_file_range(open("/proc/self/cmdline", O_RDONLY), NULL, out, NULL, 5, 0) <= 5);
    R(ioctl(out, FICLONE, in) == 0 || errno == EOPNOTSUPP || errno == EXDEV || errno == EINVAL);
    from = 0;
    R(splice(in, &from, ends[1], NULL, 5, 0));
    char bytes[16] = "";
    R(read(ends[0], bytes, 10));
    say("%s", bytes);
}

CASE(handles)
{
    close(make("file", "content"));
    struct {
        struct file_handle h;
        char bytes[128];
    } h = {.h.handle_bytes = 0};
    int mount;
    R(name_to_handle_at(AT_FDCWD, "file", &h.h, &mount, 0));
    say("wants %d", h.h.handle_bytes > 0);
    h.h.handle_bytes = 128;
    R(name_to_handle_at(AT_FDCWD, "file", &h.h, &mount, 0));
    int fd = open_by_handle_at(AT_FDCWD, &h.h, O_RDONLY);
    char bytes[16] = "";
    if (fd >= 0)
        read(fd, bytes, 15);
    say("%d %s", fd >= 0, bytes);
    R(name_to_handle_at(AT_FDCWD, "none", &h.h, &mount, 0));
    R(name_to_handle_at(AT_FDCWD, "file", nowhere(), &mount, 0));
}

CASE(ioctls)
{
    int fd = make("file", "0123456789"), n = 5;
    lseek(fd, 4, SEEK_SET);
    R(ioctl(fd, FIONREAD, &n));
    say("%d", n);
    int on = 1;
    R(ioctl(fd, FIONBIO, &on));
    R(fcntl(fd, F_GETFL) & O_NONBLOCK);
    R(ioctl(fd, FIOCLEX));
    R(fcntl(fd, F_GETFD));
    R(ioctl(fd, FIONCLEX));
    R(ioctl(fd, TIOCGWINSZ, &n));
    R(ioctl(fd, 0x12345678, NULL));
    R(ioctl(-1, FIONREAD, &n));
    R(ioctl(fd, FIONREAD, nowhere()));
    int flags = 0;
    R(ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 || errno == ENOTTY || errno == EOPNOTSUPP);
    struct {
        struct fiemap m;
        struct fiemap_extent e[4];
    } map = {.m = {.fm_length = ~0ull, .fm_extent_count = 4, .fm_flags = 1}};
    R(ioctl(fd, FS_IOC_FIEMAP, &map) == 0 || errno == EOPNOTSUPP || errno == ENOTTY);
    int block = 0;
    R(ioctl(fd, FIGETBSZ, &block));
    say("block %d", block);
    long version = 0;
    R(ioctl(fd, FS_IOC_GETVERSION, &version) == 0 || errno == ENOTTY);
}

CASE(devices)
{
    char bytes[64];
    memset(bytes, 1, sizeof bytes);
    int zero = open("/dev/zero", O_RDWR), null = open("/dev/null", O_RDWR), full = open("/dev/full", O_RDWR), rnd = open("/dev/urandom", O_RDONLY);
    R(read(zero, bytes, 64));
    say("sum %u", sum_of(bytes, 64));
    R(read(null, bytes, 64));
    R(write(null, bytes, 64));
    R(write(full, bytes, 64));
    R(read(full, bytes, 3));
    R(read(rnd, bytes, 64));
    R(write(null, nowhere(), 64));
    R(read(zero, nowhere(), 64));
    R(open("/dev/tty", O_RDWR) >= 0 || errno == ENXIO);
    R(open("/dev/nothing", O_RDONLY));
    R(open("/dev/mem", O_RDONLY) >= 0 || errno == EPERM || errno == ENOENT || errno == EACCES);
}

CASE(file_size_limit)
{
    struct rlimit l = {10, 100};
    signal(SIGXFSZ, SIG_IGN);
    int fd = make("file", "");
    R(setrlimit(RLIMIT_FSIZE, &l));
    R(write(fd, "0123456789abc", 13));
    R(write(fd, "x", 1));
    R(pwrite(fd, "x", 1, 20));
    R(ftruncate(fd, 11));
    R(fallocate(fd, 0, 0, 50));
    struct rlimit now;
    R(getrlimit(RLIMIT_FSIZE, &now));
    say("%ld %ld", now.rlim_cur, now.rlim_max);
    reap("child", CHILD({
        signal(SIGXFSZ, SIG_DFL);
        write(fd, "x", 1);
    }));
}

CASE(quota)
{
    struct dqblk q;
    R(quotactl(QCMD(Q_GETQUOTA, USRQUOTA), "/dev/none", 0, (void *)&q));
    R(quotactl(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL));
    R(quotactl(QCMD(0x999999, USRQUOTA), "/dev/none", 0, (void *)&q));
    R(syscall(SYS_quotactl_fd, open(".", O_RDONLY), QCMD(Q_GETQUOTA, USRQUOTA), 0, &q));
    char kind[64];
    R(syscall(SYS_sysfs, 3));
    R(syscall(SYS_sysfs, 2, 0, kind));
    R(syscall(SYS_sysfs, 1, "proc") >= 0);
    R(syscall(SYS_ustat, 0, kind));
}

CASE(cachestat)
{
    int fd = make("file", "");
    char bytes[PAGE * 4];
    memset(bytes, 'x', sizeof bytes);
    write(fd, bytes, sizeof bytes);
    uint64_t range[2] = {0, sizeof bytes}, stat[5] = {0};
    R(syscall(451, fd, range, stat, 0));
    say("cached %ld", (long)stat[0]);
    R(syscall(451, -1, range, stat, 0));
    R(syscall(451, fd, nowhere(), stat, 0));
    R(syscall(451, fd, range, nowhere(), 0));
    R(syscall(451, fd, range, stat, 9));
}
