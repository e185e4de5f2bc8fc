/* System calls as people read them, out of the pieces of memory that a recording has.
 *
 * unit: src/log/syscall_text.c src/log/syscall_text_structs.c src/log/syscall_words.c src/log/siginfo_text.c src/log/syscall_table.c src/log/syscall_rows.c src/base/xalloc.c src/base/complain.c
 */
#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "log/syscall_text.h"

static int failures;

enum { A = 0x1000, B = 0x2000, C = 0x3000 };

#define BYTES(at, string) {{at}, sizeof(string) - 1, (const u8 *)(string)}
#define OBJECT(at, ...) {{at}, sizeof((__VA_ARGS__)), (const u8 *)&(__VA_ARGS__)}

static const struct row {
    u64 number;
    u64 args[6];
    i64 result;
    const char *wanted;
    struct syscall_piece pieces[6];
} rows[] = {
    {__NR_openat, {-100, A, O_RDONLY | O_CLOEXEC, 7}, 3,
     "openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC) = 3", {BYTES(A, "/etc/passwd\0")}},
    {__NR_openat, {-100, A, O_WRONLY | O_CREAT, 0644}, -ENOENT,
     "openat(AT_FDCWD, \"x\", O_WRONLY|O_CREAT, 0644) = -1 ENOENT (No such file or directory)", {BYTES(A, "x\0")}},
    {__NR_openat, {-100, A, O_RDONLY}, 3, "openat(AT_FDCWD, 0x1000, O_RDONLY) = 3", {}},
    {__NR_openat, {-100, A, O_RDONLY}, 3, "openat(AT_FDCWD, \"cut\"..., O_RDONLY) = 3", {BYTES(A, "cut")}},
    {__NR_open, {0, O_RDONLY}, -EFAULT, "open(NULL, O_RDONLY) = -1 EFAULT (Bad address)", {}},
    {__NR_read, {3, A, 4096}, 40, "read(3, \"0123456789012345678901234567890\\n\"..., 4096) = 40",
     {BYTES(A, "0123456789012345678901234567890\n12345678")}},
    {__NR_read, {3, A, 4096}, 0, "read(3, \"\", 4096) = 0", {}},
    {__NR_read, {3, A, 4096}, -EAGAIN, "read(3, 0x1000, 4096) = -1 EAGAIN (Resource temporarily unavailable)", {}},
    {__NR_read, {3, A, 4096}, -512, "read(3, 0x1000, 4096) = ? ERESTARTSYS", {}},
    {__NR_write, {1, A, 4}, 4, "write(1, \"\\0\\0011\\33\", 4) = 4", {BYTES(A, "\0\0011\033")}},
    {__NR_write, {1, A, 4}, 4, "write(1, 0x1000, 4) = 4", {BYTES(A, "ab")}},
    {__NR_exit_group, {7}, 0, "exit_group(7) = ?", {}},
    {__NR_mmap, {0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, 3, 0x2000}, 0x7f0000000000,
     "mmap(NULL, 4096, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_FIXED, 3, 0x2000) = 0x7f0000000000", {}},
    {__NR_brk, {0}, 0x5000, "brk(NULL) = 0x5000", {}},
    {__NR_clone, {0x1200011, 0, 0, A, 0}, 9,
     "clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD, child_tidptr=0x1000) = 9", {}},
    {__NR_execve, {A, B, C}, 0, "execve(\"/bin/ls\", [\"ls\"], 0x3000) = 0",
     {BYTES(A, "/bin/ls\0"), OBJECT(B, (u64[]){C + 64, 0}), BYTES(C + 64, "ls\0")}},
    {__NR_wait4, {-1, A, 0, 0}, 5, "wait4(-1, [{WIFEXITED(s) && WEXITSTATUS(s) == 3}], 0, NULL) = 5", {BYTES(A, "\0\3\0\0")}},
    {__NR_wait4, {-1, A, 1, 0}, 0, "wait4(-1, 0x1000, WNOHANG, NULL) = 0", {BYTES(A, "\0\3\0\0")}},
    {__NR_poll, {A, 1, -1}, 1, "poll([{fd=3, events=POLLIN}], 1, -1) = 1 ([{fd=3, revents=POLLIN|POLLHUP}])",
     {BYTES(A, "\3\0\0\0\1\0\21\0")}},
    {__NR_nanosleep, {A, B}, -EINTR,
     "nanosleep({tv_sec=5, tv_nsec=0}, {tv_sec=1, tv_nsec=2}) = -1 EINTR (Interrupted system call)",
     {OBJECT(A, (u64[]){5, 0}), OBJECT(B, (u64[]){1, 2})}},
    {__NR_nanosleep, {A, B}, 0, "nanosleep({tv_sec=5, tv_nsec=0}, 0x2000) = 0", {OBJECT(A, (u64[]){5, 0})}},
    {__NR_ioctl, {1, 0x5413, A}, 0, "ioctl(1, TIOCGWINSZ, {ws_row=24, ws_col=80, ws_xpixel=0, ws_ypixel=0}) = 0",
     {OBJECT(A, (u16[]){24, 80, 0, 0})}},
    {__NR_ioctl, {1, 0xc0181234, A}, 0, "ioctl(1, _IOC(_IOC_READ|_IOC_WRITE, 0x12, 0x34, 0x18), 0x1000) = 0", {}},
    {__NR_fcntl, {3, 3, 0}, 0x8002, "fcntl(3, F_GETFL) = 0x8002 (flags O_RDWR|O_LARGEFILE)", {}},
    {__NR_futex, {A, 128 | 256 | 9, 1, 0, 0, ~0u}, 0,
     "futex(0x1000, FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0xffffffff) = 0", {}},
    {__NR_kill, {5, SIGTERM}, 0, "kill(5, SIGTERM) = 0", {}},
    {__NR_kill, {-1, 40}, -ESRCH, "kill(-1, SIGRT_8) = -1 ESRCH (No such process)", {}},
    {__NR_rt_sigprocmask, {0, A, 0, 8}, 0, "rt_sigprocmask(SIG_BLOCK, [INT CHLD RTMIN], NULL, 8) = 0",
     {OBJECT(A, (u64[]){1ul << 1 | 1ul << 16 | 1ul << 31})}},
    {__NR_rt_sigprocmask, {2, A, 0, 8}, 0, "rt_sigprocmask(SIG_SETMASK, ~[KILL STOP], NULL, 8) = 0",
     {OBJECT(A, (u64[]){~(1ul << 8 | 1ul << 18)})}},
    {__NR_recvmsg, {3, A, 0}, 2,
     "recvmsg(3, {msg_name=NULL, msg_namelen=0, msg_iov=[{iov_base=\"hi\", iov_len=10}], msg_iovlen=1, "
     "msg_controllen=0, msg_flags=0}, 0) = 2",
     {OBJECT(A, (u64[]){0, 0, B, 1, 0, 0, 0}), OBJECT(B, (u64[]){C, 10}), BYTES(C, "hi")}},
    {__NR_accept, {3, A, B}, 4,
     "accept(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr(\"127.0.0.1\")}, [16]) = 4",
     {BYTES(A, "\2\0\0P\177\0\0\1\0\0\0\0\0\0\0\0"), BYTES(B, "\20\0\0\0")}},
    {__NR_bind, {3, A, 6}, 0, "bind(3, {sa_family=AF_UNIX, sun_path=@\"abc\"}, 6) = 0", {BYTES(A, "\1\0\0abc")}},
    {__NR_getsockopt, {3, 1, 4, A, B}, 0, "getsockopt(3, SOL_SOCKET, SO_ERROR, [111], [4]) = 0",
     {BYTES(A, "\157\0\0\0"), BYTES(B, "\4\0\0\0")}},
    {__NR_pipe2, {A, O_CLOEXEC}, 0, "pipe2([3, 4], O_CLOEXEC) = 0", {BYTES(A, "\3\0\0\0\4\0\0\0")}},
    {__NR_getgroups, {10, A}, 2, "getgroups(10, [0, 44]) = 2", {BYTES(A, "\0\0\0\0\54\0\0\0")}},
    {__NR_sched_getaffinity, {0, 8, A}, 8, "sched_getaffinity(0, 8, [0 3]) = 8", {BYTES(A, "\11\0\0\0\0\0\0\0")}},
    {__NR_umask, {022}, 0, "umask(022) = 000", {}},
    {__NR_statfs, {A, B}, 0, "statfs(\"/\", 0x2000) = 0", {BYTES(A, "/\0")}},
    {__NR_chown, {A, -1, 5}, 0, "chown(\"/\", -1, 5) = 0", {BYTES(A, "/\0")}},
    {462, {A, 1, 0}, -ENOSYS, "mseal(0x1000, 1, 0) = -1 ENOSYS (Function not implemented)", {}},
    {5000, {1, 2, 3}, -ENOSYS,
     "syscall_0x1388(0x1, 0x2, 0x3, 0, 0, 0) = -1 ENOSYS (Function not implemented)", {}},
};

static void check(const struct row *row)
{
    struct syscall_pieces pieces = {row->pieces, 6};
    struct call_memory memory = syscall_pieces_memory(&pieces);
    struct call_made call;
    call_begin(&call, row->number, row->args, &memory);
    call.result = row->result;
    char *text = syscall_text(&call, &memory);
    bool same = !strcmp(text, row->wanted);
    if (same)
        printf("ok syscall_text: %s\n", row->wanted);
    else
        printf("FAIL syscall_text: %s: it says %s\n", row->wanted, text);
    failures += !same;
    free(text);
}

/* Every call gives a line, whatever the arguments and the memory. */
static void check_all_numbers(void)
{
    static const u8 bytes[256] = {3, 0, 0, 0, 255, 255, 255, 255, 0, 16, 0, 0, 0, 0, 0, 0};
    struct syscall_piece piece[2] = {{{A}, sizeof bytes, bytes}, {{B}, 3, bytes}};
    struct syscall_pieces pieces = {piece, 2};
    struct call_memory memory = syscall_pieces_memory(&pieces);
    static const u64 values[] = {0, 1, 3, A, B, A + 250, ~0ul, 0x7fffffff, 0x80000000, 0x5401, 0x1003};
    static const i64 results[] = {0, 1, 16, 0x7fffffff, -1, -EINTR, -EFAULT, -513};
    unsigned lines = 0;
    for (u64 number = 0; number < 480; number++) {
        for (unsigned round = 0; round < 88; round++) {
            u64 args[6];
            for (unsigned i = 0; i < 6; i++)
                args[i] = values[(round + i * (1 + round / 11)) % countof(values)];
            struct call_made call;
            call_begin(&call, number, args, &memory);
            call.result = results[round % countof(results)];
            char *text = syscall_text(&call, &memory);
            lines += strstr(text, ") = ") != NULL;
            free(text);
        }
    }
    bool right = lines == 480 * 88;
    printf(right ? "ok syscall_text: any arguments\n" : "FAIL syscall_text: any arguments: %u lines\n", lines);
    failures += !right;
}

int main(void)
{
    for (size_t i = 0; i < countof(rows); i++)
        check(&rows[i]);
    check_all_numbers();
    return failures != 0;
}
