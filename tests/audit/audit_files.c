/* Cases of the audit: files, directories, descriptors, and calls that ask about them.
 *
 * A case makes calls with arguments of every form that their rows describe; audit.h has the macros
 * that compare memory before and after each call.
 */
#include "audit.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static int file(const char *content)
{
    int fd = memfd_create("audit", MFD_ALLOW_SEALING);
    need(fd >= 0);
    need(write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    need(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

/* A directory that is removed before the call: only its descriptor is left. */
static int directory(void)
{
    char name[] = "/tmp/ebb-audit.XXXXXX";
    need(mkdtemp(name));
    int fd = open(name, O_RDONLY | O_DIRECTORY);
    rmdir(name);
    need(fd >= 0);
    return fd;
}

/* A file on a file system that is not in memory alone, without a name. */
static int real_file(void)
{
    char name[] = "/tmp/ebb-audit.XXXXXX";
    int fd = mkstemp(name);
    need(fd >= 0);
    unlink(name);
    need(write(fd, "0123456789", 10) == 10);
    need(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

static struct iovec *vector(size_t first, size_t second)
{
    struct iovec v[2] = {{out(first), first}, {out(second), second}};
    return in(v, sizeof v);
}

CASE(read)             { call(SYS_read, file("hello, world"), P(out(64)), 64); }
CASE(read_end)         { call(SYS_read, file(""), P(out(64)), 64); }
CASE(read_part)        { call(SYS_read, file("hello, world"), P(out(5)), 5); }
CASE(read_bad)         { call(SYS_read, -1, P(out(5)), 5); fails_with(9); }
CASE(read_directory)   { call(SYS_read, directory(), P(out(5)), 5); fails_with(21); }
CASE(read_proc)        { call(SYS_read, open("/proc/self/status", O_RDONLY), P(out(8192)), 8192); }
CASE(pread64)          { call(SYS_pread64, file("hello, world"), P(out(64)), 64, 7); }
CASE(readv)            { call(SYS_readv, file("hello, world"), P(vector(4, 64)), 2); }
CASE(readv_one)        { call(SYS_readv, file("hello, world"), P(vector(40, 64)), 2); }
CASE(preadv)           { call(SYS_preadv, file("hello, world"), P(vector(4, 4)), 2, 1, 0); }
CASE(preadv2)          { call(SYS_preadv2, file("hello, world"), P(vector(4, 4)), 2, 1, 0, 0); }
CASE(write)            { call(SYS_write, file(""), P(text("abc")), 3); }
CASE(writev)           { call(SYS_writev, file(""), P(vector(4, 4)), 2); }
CASE(open)             { call(SYS_open, P(text("/dev/null")), O_RDONLY); }
CASE(openat)           { call(SYS_openat, AT_FDCWD, P(text("/dev/null")), O_RDONLY); }
CASE(openat_missing)   { call(SYS_openat, AT_FDCWD, P(text("/missing")), O_RDONLY); fails_with(2); }
CASE(close)            { call(SYS_close, dup(1)); }
CASE(dup3)             { call(SYS_dup3, 1, 77, O_CLOEXEC); }
CASE(lseek)            { call(SYS_lseek, file("abc"), 0, SEEK_END); }
CASE(access)           { call(SYS_access, P(text("/")), R_OK); }
CASE(faccessat2)       { call(SYS_faccessat2, AT_FDCWD, P(text("/")), R_OK, 0); }

CASE(openat2)
{
    struct open_how how = {.flags = O_RDONLY};
    call(SYS_openat2, AT_FDCWD, P(text("/dev/null")), P(in(&how, sizeof how)), sizeof how);
}

/* stat and kin */

CASE(stat)             { call(SYS_stat, P(text("/")), P(out(256))); }
CASE(lstat)            { call(SYS_lstat, P(text("/")), P(out(256))); }
CASE(fstat)            { call(SYS_fstat, file("x"), P(out(256))); }
CASE(newfstatat)       { call(SYS_newfstatat, AT_FDCWD, P(text("/")), P(out(256)), 0); }
CASE(newfstatat_empty) { call(SYS_newfstatat, file("x"), P(text("")), P(out(256)), AT_EMPTY_PATH); }
CASE(stat_missing)     { call(SYS_stat, P(text("/missing")), P(out(256))); fails_with(2); }
CASE(statx)            { call(SYS_statx, AT_FDCWD, P(text("/")), 0, 0x7ff, P(out(512))); }
CASE(statfs)           { call(SYS_statfs, P(text("/")), P(out(256))); }
CASE(fstatfs)          { call(SYS_fstatfs, file("x"), P(out(256))); }

CASE(ustat)
{
    struct stat st;
    need(stat("/", &st) == 0);
    call(SYS_ustat, st.st_dev, P(out(64)));
}

CASE(readlink)         { call(SYS_readlink, P(text("/proc/self/exe")), P(out(512)), 512); }
CASE(readlink_cut)     { call(SYS_readlink, P(text("/proc/self/exe")), P(out(3)), 3); }
CASE(readlinkat)       { call(SYS_readlinkat, AT_FDCWD, P(text("/proc/self/exe")), P(out(512)), 512); }
CASE(getcwd)           { call(SYS_getcwd, P(out(4096)), 4096); }
CASE(getcwd_short)     { call(SYS_getcwd, P(out(1)), 1); fails_with(34); }
CASE(getdents64)       { call(SYS_getdents64, open("/proc/self", O_RDONLY), P(out(4096)), 4096); }
CASE(getdents64_short) { call(SYS_getdents64, open("/proc/self", O_RDONLY), P(out(60)), 60); }
CASE(getdents)         { call(SYS_getdents, open("/proc/self", O_RDONLY), P(out(4096)), 4096); }
CASE(getdents_empty)   { call(SYS_getdents64, directory(), P(out(512)), 512); fails_with(2); }
CASE(sysfs)            { call(SYS_sysfs, 2, 0, P(out(64))); }
CASE(sysfs_count)      { call(SYS_sysfs, 3); }

CASE(cachestat)
{
    uint64_t range[2] = {0, 0};
    call(451, real_file(), P(in(range, sizeof range)), P(out(64)), 0);
}

CASE(mincore)
{
    void *pages = mmap(NULL, 5 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    need(pages != MAP_FAILED);
    call(SYS_mincore, P(pages), 4 * 4096 + 1, P(out(64)));
}

CASE(name_to_handle_at)
{
    uint32_t handle[2 + 32] = {128, 0};
    call(SYS_name_to_handle_at, AT_FDCWD, P(text("/")), P(in(handle, sizeof handle)), P(out(8)), 0);
}

CASE(name_to_handle_at_short)
{
    uint32_t handle[2] = {0, 0};
    call(SYS_name_to_handle_at, AT_FDCWD, P(text("/")), P(in(handle, sizeof handle)), P(out(8)), 0);
    fails_with(75);
}

/* 64-bit mount identifiers (Linux 6.12) need more room than the old ones. */
CASE(name_to_handle_at_unique)
{
    uint32_t handle[2 + 32] = {128, 0};
    call(SYS_name_to_handle_at, AT_FDCWD, P(text("/")), P(in(handle, sizeof handle)), P(out(8)), 1);
}

CASE(statmount)
{
    uint64_t request[4] = {32, 0, 0x3f, 0};
    uint8_t st[256];
    need(syscall(SYS_statx, AT_FDCWD, "/", 0, 0x4000, st) == 0);
    memcpy(&request[1], st + 0x90, 8);
    call(457, P(in(request, sizeof request)), P(out(4096)), 4096, 0);
}

CASE(listmount)
{
    uint64_t request[4] = {32, ~0ul, 0, 0};
    call(458, P(in(request, sizeof request)), P(out(256)), 32, 0);
}

/* Extended attributes, where the file system has them */

static int with_attribute(void)
{
    int fd = real_file();
    need(fsetxattr(fd, "user.audit", "value", 5, 0) == 0);
    return fd;
}

CASE(fgetxattr)        { call(SYS_fgetxattr, with_attribute(), P(text("user.audit")), P(out(64)), 64); }
CASE(fgetxattr_asks)   { call(SYS_fgetxattr, with_attribute(), P(text("user.audit")), 0, 0); }
CASE(fgetxattr_short)  { call(SYS_fgetxattr, with_attribute(), P(text("user.audit")), P(out(2)), 2); fails_with(34); }
CASE(flistxattr)       { call(SYS_flistxattr, with_attribute(), P(out(64)), 64); }
CASE(fsetxattr)        { call(SYS_fsetxattr, real_file(), P(text("user.x")), P(text("v")), 1, 0); }
CASE(listxattrat)      { call(465, with_attribute(), P(text("")), AT_EMPTY_PATH, P(out(64)), 64); }

CASE(getxattrat)
{
    uint64_t xattr[2] = {(uint64_t)out(32), 32};
    int fd = with_attribute();
    call(464, fd, P(text("")), AT_EMPTY_PATH, P(text("user.audit")), P(in(xattr, 16)), 16);
}

CASE(file_getattr)     { call(468, real_file(), P(text("")), P(out(64)), 24, AT_EMPTY_PATH); }

/* Moving data */

static int *ends(void)
{
    static int fds[2];
    need(pipe(fds) == 0);
    return fds;
}

static int full_pipe(const char *content)
{
    int *fds = ends();
    need(write(fds[1], content, strlen(content)) == (ssize_t)strlen(content));
    return fds[0];
}

static int64_t *offset(int64_t value)
{
    return in(&value, sizeof value);
}

CASE(sendfile)         { call(SYS_sendfile, file(""), file("hello"), P(offset(1)), 3); }
CASE(sendfile_fails)   { call(SYS_sendfile, -1, file("hello"), P(offset(1)), 3); fails_with(9); }
CASE(splice)           { call(SYS_splice, file("hello"), P(offset(1)), ends()[1], 0, 3, 0); }
CASE(tee)              { int from = full_pipe("abc"); call(SYS_tee, from, ends()[1], 3, 0); }
CASE(vmsplice_out)     { call(SYS_vmsplice, full_pipe("abcdefgh"), P(vector(4, 64)), 2, 0); }
CASE(vmsplice_in)      { call(SYS_vmsplice, ends()[1], P(vector(4, 64)), 2, 0); }
CASE(pipe)             { call(SYS_pipe, P(out(8))); }
CASE(pipe2)            { call(SYS_pipe2, P(out(8)), O_CLOEXEC); }
CASE(pipe_bad_flags)   { call(SYS_pipe2, P(out(8)), -1); fails_with(22); }

CASE(copy_file_range)
{
    call(SYS_copy_file_range, real_file(), P(offset(1)), real_file(), P(offset(5)), 3, 0);
}

CASE(process_vm_readv)
{
    static char bytes[8] = "abcdefg";
    struct iovec remote = {bytes, 8};
    call(SYS_process_vm_readv, getpid(), P(vector(3, 16)), 2, P(in(&remote, sizeof remote)), 1, 0);
}

CASE(inotify_read)
{
    int fd = inotify_init1(IN_NONBLOCK);
    char name[] = "/tmp/ebb-audit.XXXXXX";
    need(fd >= 0 && mkdtemp(name));
    bool watched = inotify_add_watch(fd, name, IN_ALL_EVENTS) >= 0;
    rmdir(name);
    need(watched);
    call(SYS_read, fd, P(out(4096)), 4096);
}

/* fcntl */

static struct flock *lock(short type)
{
    struct flock l = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 5};
    return in(&l, sizeof l);
}

CASE(fcntl_getfl)      { call(SYS_fcntl, 1, F_GETFL); }
CASE(fcntl_getlk)      { call(SYS_fcntl, file("x"), F_GETLK, P(lock(F_WRLCK))); }
CASE(fcntl_ofd_getlk)  { struct flock *l = lock(F_WRLCK); l->l_pid = 0; call(SYS_fcntl, file("x"), F_OFD_GETLK, P(l)); }
CASE(fcntl_setlk)      { call(SYS_fcntl, file("x"), F_SETLK, P(lock(F_WRLCK))); }
CASE(fcntl_getown_ex)  { call(SYS_fcntl, ends()[0], F_GETOWN_EX, P(out(64))); }
CASE(fcntl_owner_uids) { call(SYS_fcntl, ends()[0], 17, P(out(64))); }
CASE(fcntl_pipe_size)  { call(SYS_fcntl, ends()[0], F_GETPIPE_SZ); }
CASE(fcntl_seals)      { call(SYS_fcntl, file("x"), F_GET_SEALS); }
CASE(fcntl_hint)       { call(SYS_fcntl, real_file(), 1035, P(out(64))); }

/* ioctl */

static int terminal(void)
{
    int fd = open("/dev/ptmx", O_RDWR | O_NOCTTY);
    need(fd >= 0);
    return fd;
}

CASE(ioctl_tcgets)     { call(SYS_ioctl, terminal(), TCGETS, P(out(128))); }
CASE(ioctl_tcgeta)     { call(SYS_ioctl, terminal(), TCGETA, P(out(128))); }
CASE(ioctl_tcgets2)    { call(SYS_ioctl, terminal(), 0x802c542a, P(out(128))); }
CASE(ioctl_winsize)    { call(SYS_ioctl, terminal(), TIOCGWINSZ, P(out(128))); }
CASE(ioctl_no_tty)     { call(SYS_ioctl, file("x"), TCGETS, P(out(128))); fails_with(25); }
CASE(ioctl_ptn)        { call(SYS_ioctl, terminal(), TIOCGPTN, P(out(128))); }
CASE(ioctl_ptlock)     { call(SYS_ioctl, terminal(), 0x80045439, P(out(128))); }
CASE(ioctl_getd)       { call(SYS_ioctl, terminal(), TIOCGETD, P(out(128))); }
CASE(ioctl_outq)       { call(SYS_ioctl, terminal(), TIOCOUTQ, P(out(128))); }
CASE(ioctl_exclusive)  { call(SYS_ioctl, terminal(), 0x80045440, P(out(128))); }
CASE(ioctl_fionread)   { call(SYS_ioctl, full_pipe("abc"), FIONREAD, P(out(128))); }
CASE(ioctl_fionread_file) { call(SYS_ioctl, real_file(), FIONREAD, P(out(128))); }
CASE(ioctl_cloexec)    { call(SYS_ioctl, file("x"), FIOCLEX, P(out(128))); }
CASE(ioctl_nonblock)   { call(SYS_ioctl, full_pipe("x"), FIONBIO, P(length(1))); }
CASE(ioctl_qsize)      { call(SYS_ioctl, real_file(), FIOQSIZE, P(out(128))); }
CASE(ioctl_getbsz)     { call(SYS_ioctl, real_file(), FIGETBSZ, P(out(128))); }
CASE(ioctl_flags)      { call(SYS_ioctl, real_file(), FS_IOC_GETFLAGS, P(out(128))); }
CASE(ioctl_version)    { call(SYS_ioctl, real_file(), FS_IOC_GETVERSION, P(out(128))); }
CASE(ioctl_fsxattr)    { call(SYS_ioctl, real_file(), FS_IOC_FSGETXATTR, P(out(128))); }
CASE(ioctl_label)      { call(SYS_ioctl, real_file(), FS_IOC_GETFSLABEL, P(out(512))); }
CASE(ioctl_uuid)       { call(SYS_ioctl, real_file(), 0x80111500, P(out(128))); }
CASE(ioctl_random)     { call(SYS_ioctl, open("/dev/urandom", O_RDONLY), 0x80045200, P(out(128))); }
CASE(ioctl_rtc)        { call(SYS_ioctl, open("/dev/rtc0", O_RDONLY), 0x80247009, P(out(128))); }
CASE(ioctl_ns_type)    { call(SYS_ioctl, open("/proc/self/ns/user", O_RDONLY), 0xb703); }
CASE(ioctl_ns_owner)   { call(SYS_ioctl, open("/proc/self/ns/user", O_RDONLY), 0xb704, P(out(64))); }
CASE(ioctl_blk_size)   { call(SYS_ioctl, open("/dev/loop0", O_RDONLY), 0x80081272, P(out(64))); }
CASE(ioctl_blk_ssz)    { call(SYS_ioctl, open("/dev/loop0", O_RDONLY), 0x1268, P(out(64))); }
CASE(ioctl_blk_bsz)    { call(SYS_ioctl, open("/dev/loop0", O_RDONLY), 0x80081270, P(out(64))); }
CASE(ioctl_tun)        { call(SYS_ioctl, open("/dev/net/tun", O_RDWR), 0x800454cf, P(out(64))); }

CASE(ioctl_fiemap)
{
    uint32_t map[8 + 14 * 4] = {0, 0, ~0u, ~0u >> 1, 0, 0, 4, 0};
    int fd = real_file();
    need(fsync(fd) == 0);
    call(SYS_ioctl, fd, 0xc020660b, P(in(map, sizeof map)));
}

/* What no row knows: a request by its number, the arena as its argument. */
CASE(ioctl_pidfd_info)
{
    uint64_t info[16] = {0x7};
    int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    need(fd >= 0);
    call(SYS_ioctl, fd, 0xc040ff0b, P(in(info, sizeof info)));
}
