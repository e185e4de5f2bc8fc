/* The system-call table: that it is whole, what call_written visits, what a call reaches.
 *
 * unit: src/log/syscall_table.c src/log/syscall_rows.c
 *
 * The memory of the calls is an image of two pages at BASE that each case pokes into, before the
 * call and after.  What is outside cannot be read.
 */
#include <asm/unistd.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/syscall_table.h"

static int failures;

static void report(const char *name, bool right, const char *why)
{
    if (right)
        printf("ok syscall_table: %s\n", name);
    else
        printf("FAIL syscall_table: %s: %s\n", name, why);
    failures += !right;
}

/* The image */

enum { BASE = 0x100000, SIZE = 8192 };

static u8 image[SIZE];

static bool read_image(void *context, void *to, struct gaddr from, size_t size)
{
    (void)context;
    if (from.at < BASE || from.at + size > BASE + SIZE)
        return false;
    memcpy(to, image + (from.at - BASE), size);
    return true;
}

static const struct call_memory memory = {read_image, NULL};

struct poke {
    u32 at; /* 0: no more */
    u8 size;
    u64 value;
};

static void poke(const struct poke *pokes, size_t count)
{
    for (size_t i = 0; i < count && pokes[i].at; i++)
        memcpy(image + (pokes[i].at - BASE), &pokes[i].value, pokes[i].size);
}

/* Names in the rows: A to H are places in the image, far apart. */
enum {
    A = BASE + 0x100, B = BASE + 0x400, C = BASE + 0x800, D = BASE + 0xc00,
    E = BASE + 0x1000, F = BASE + 0x1400, G = BASE + 0x1800, H = BASE + 0x1c00,
    AWAY = 0x900000,
};

static const struct row {
    const char *name;
    u64 number;
    u64 args[6];
    struct poke before[10], after[6];
    i64 result;
    const char *wanted; /* "A+16 B+4": what is visited, in order */
} rows[] = {
    /* Plain lengths */
    {"read", __NR_read, {3, A, 100}, {}, {}, 40, "A+40"},
    {"read all", __NR_read, {3, A, 100}, {}, {}, 100, "A+100"},
    {"read nothing", __NR_read, {3, A, 100}, {}, {}, 0, ""},
    {"read fails", __NR_read, {3, A, 100}, {}, {}, -EBADF, ""},
    {"read interrupted", __NR_read, {3, A, 100}, {}, {}, -EINTR, ""},
    {"read to NULL", __NR_read, {3, 0, 100}, {}, {}, 100, ""},
    {"read faults", __NR_read, {3, A, 100}, {}, {}, -EFAULT, "A+100"},
    {"read faults far", __NR_read, {3, A, ~0ul}, {}, {}, -EFAULT, "A+65536"},
    {"read wraps", __NR_read, {3, ~15ul, 100}, {}, {}, 100, ""},
    {"write", __NR_write, {1, A, 100}, {}, {}, 100, ""},
    {"getrandom", __NR_getrandom, {A, 8, 0}, {}, {}, 8, "A+8"},
    {"getcwd", __NR_getcwd, {A, 4096}, {}, {}, 6, "A+6"},
    {"getcwd too short", __NR_getcwd, {A, 2}, {}, {}, -ERANGE, ""},
    {"readlink, size in half a register", __NR_readlink, {A, B, 0xffffffff00000040}, {}, {}, 12, "B+12"},
    {"getdents64", __NR_getdents64, {3, A, 1024}, {}, {}, 72, "A+72"},
    {"getxattr asks the size", __NR_getxattr, {A, B, C, 0}, {}, {}, 20, ""},
    {"getxattr", __NR_getxattr, {A, B, C, 64}, {}, {}, 20, "C+20"},
    {"sched_getaffinity", __NR_sched_getaffinity, {0, 128, A}, {}, {}, 8, "A+8"},
    {"mincore", __NR_mincore, {AWAY, 4097, A}, {}, {}, 0, "A+2"},
    {"rt_sigpending", __NR_rt_sigpending, {A, 8}, {}, {}, 0, "A+8"},
    {"msgrcv", __NR_msgrcv, {0, A, 64}, {}, {}, 10, "A+18"},

    /* Structures */
    {"fstat", __NR_fstat, {3, A}, {}, {}, 0, "A+144"},
    {"fstat fails", __NR_fstat, {3, A}, {}, {}, -EBADF, ""},
    {"statx", __NR_statx, {-100, A, 0, 0xfff, B}, {}, {}, 0, "B+256"},
    {"pipe2", __NR_pipe2, {A, 0}, {}, {}, 0, "A+8"},
    {"socketpair", __NR_socketpair, {1, 1, 0, A}, {}, {}, 0, "A+8"},
    {"socketpair fails late", __NR_socketpair, {2, 1, 0, A}, {}, {}, -EOPNOTSUPP, "A+8"},
    {"uname", __NR_uname, {A}, {}, {}, 0, "A+390"},
    {"gettimeofday without a zone", __NR_gettimeofday, {A, 0}, {}, {}, 0, "A+16"},
    {"getresuid", __NR_getresuid, {A, B, C}, {}, {}, 0, "A+4 B+4 C+4"},
    {"prlimit64 sets only", __NR_prlimit64, {0, 7, A, 0}, {}, {}, 0, ""},
    {"prlimit64", __NR_prlimit64, {0, 7, A, B}, {}, {}, 0, "B+16"},
    {"setitimer", __NR_setitimer, {0, A, B}, {}, {}, 0, "B+32"},
    {"timer_create", __NR_timer_create, {0, 0, A}, {}, {}, 0, "A+4"},
    {"getgroups counts", __NR_getgroups, {0, A}, {}, {}, 5, ""},
    {"getgroups", __NR_getgroups, {10, A}, {}, {}, 5, "A+20"},
    {"capget of an unknown version", __NR_capget, {A, B}, {}, {}, -EINVAL, "A+8"},
    {"rt_sigaction", __NR_rt_sigaction, {10, A, B, 8}, {}, {}, 0, "B+32"},
    {"sendfile fails after moving", __NR_sendfile, {1, 3, A, 10}, {}, {}, -EPIPE, "A+8"},
    {"splice", __NR_splice, {3, A, 4, 0, 100, 0}, {}, {}, 10, "A+8"},
    {"sched_getattr", __NR_sched_getattr, {0, A, 48, 0}, {}, {}, 0, "A+48"},
    {"sched_setattr too big", __NR_sched_setattr, {0, A, 0}, {}, {}, -E2BIG, "A+56"},
    {"sched_setattr", __NR_sched_setattr, {0, A, 0}, {}, {}, 0, ""},
    {"get_mempolicy", __NR_get_mempolicy, {A, B, 65, 0, 0}, {}, {}, 0, "A+4 B+16"},

    /* Sleeping and waiting */
    {"nanosleep interrupted", __NR_nanosleep, {A, B}, {}, {}, -EINTR, "B+16"},
    {"nanosleep without rest", __NR_nanosleep, {A, 0}, {}, {}, -EINTR, ""},
    {"wait4", __NR_wait4, {-1, A, 0, B}, {}, {}, 77, "A+4 B+144"},
    {"wait4 finds none", __NR_wait4, {-1, A, 1, B}, {}, {}, 0, ""},
    {"waitid finds none", __NR_waitid, {0, 0, A, 1, B}, {}, {}, 0, "A+28 B+144"},
    {"waitid fails", __NR_waitid, {0, 0, A, 1, B}, {}, {}, -ECHILD, "A+28"},
    {"rt_sigtimedwait", __NR_rt_sigtimedwait, {A, B, C, 8}, {}, {}, 10, "B+128"},
    {"poll", __NR_poll, {A, 3, 0}, {}, {}, 1, "A+24"},
    {"poll interrupted", __NR_poll, {A, 3, 0}, {}, {}, -EINTR, "A+24"},
    {"poll of none", __NR_poll, {A, 0, 0}, {}, {}, 0, ""},
    {"ppoll", __NR_ppoll, {A, 1, B, C, 8}, {}, {}, 0, "A+8 B+16"},
    {"select", __NR_select, {65, A, 0, C, D}, {}, {}, 1, "A+16 C+16 D+16"},
    {"select interrupted", __NR_select, {65, A, 0, C, D}, {}, {}, -EINTR, "D+16"},
    {"pselect6", __NR_pselect6, {4, A, B, C, D, E}, {}, {}, 0, "A+8 B+8 C+8 D+16"},
    {"epoll_wait", __NR_epoll_wait, {3, A, 10, 0}, {}, {}, 2, "A+24"},
    {"epoll_pwait2", __NR_epoll_pwait2, {3, A, 10, B, C, 8}, {}, {}, 1, "A+12"},

    /* Lengths behind pointers: what was there before is what was offered */
    {"accept", __NR_accept, {3, A, B}, {{B, 4, 110}}, {{B, 4, 16}}, 4, "A+16 B+4"},
    {"accept cuts", __NR_accept, {3, A, B}, {{B, 4, 8}}, {{B, 4, 16}}, 4, "A+8 B+4"},
    {"accept asks no name", __NR_accept, {3, 0, 0}, {}, {}, 4, ""},
    {"accept, length away", __NR_accept, {3, A, AWAY}, {}, {}, -EFAULT, "AWAY+4"},
    {"getsockname", __NR_getsockname, {3, A, B}, {{B, 4, 28}}, {{B, 4, 28}}, 0, "A+28 B+4"},
    {"recvfrom", __NR_recvfrom, {3, A, 64, 0, B, C}, {{C, 4, 128}}, {{C, 4, 16}}, 5, "A+5 B+16 C+4"},
    {"recvfrom, more than there was room", __NR_recvfrom, {3, A, 4, 0x20, 0, 0}, {}, {}, 50, "A+4"},
    {"getsockopt", __NR_getsockopt, {3, 1, 4, A, B}, {{B, 4, 8}}, {{B, 4, 4}}, 0, "A+4 B+4"},
    {"getsockopt too short", __NR_getsockopt, {3, 1, 59, A, B}, {{B, 4, 0}}, {{B, 4, 40}}, -ERANGE, "B+4"},
    {"getsockopt counts instructions", __NR_getsockopt, {3, 1, 26, A, B}, {{B, 4, 9}}, {{B, 4, 2}}, 0, "A+16 B+4"},
    {"getsockopt that no row knows", __NR_getsockopt, {3, 999, 3, A, B}, {{B, 4, 9}}, {{B, 4, 6}}, 0, "A+6 B+4"},
    {"name_to_handle_at", __NR_name_to_handle_at, {-100, A, B, C, 0}, {{B, 4, 128}}, {{B, 4, 12}}, 0, "B+20 C+8"},
    {"name_to_handle_at too short", __NR_name_to_handle_at, {-100, A, B, C, 0}, {{B, 4, 0}}, {{B, 4, 12}},
     -EOVERFLOW, "B+8 C+8"},
    {"lsm_list_modules", 461, {A, B, 0}, {{B, 4, 64}}, {{B, 4, 24}}, 3, "A+24 B+4"},
    {"statmount", 457, {A, B, 512, 0}, {}, {{B, 4, 200}}, 0, "B+200"},
    {"listmount", 458, {A, B, 8, 0}, {}, {}, 3, "B+24"},

    /* Vectors */
    {"readv", __NR_readv, {3, A, 2}, {{A, 8, B}, {A + 8, 8, 10}, {A + 16, 8, C}, {A + 24, 8, 100}}, {}, 30, "B+10 C+20"},
    {"readv fills one", __NR_readv, {3, A, 2}, {{A, 8, B}, {A + 8, 8, 10}, {A + 16, 8, C}, {A + 24, 8, 100}}, {}, 7, "B+7"},
    {"readv with an empty one", __NR_readv, {3, A, 2}, {{A, 8, 0}, {A + 8, 8, 0}, {A + 16, 8, C}, {A + 24, 8, 9}}, {}, 9, "C+9"},
    {"readv of none", __NR_readv, {3, A, 0}, {}, {}, 0, ""},
    {"readv, vector away", __NR_readv, {3, AWAY, 1}, {}, {}, -EFAULT, ""},
    {"preadv2", 327, {3, A, 1, 0, 0, 0}, {{A, 8, B}, {A + 8, 8, 10}}, {}, 10, "B+10"},
    {"writev", __NR_writev, {3, A, 1}, {{A, 8, B}, {A + 8, 8, 10}}, {}, 10, ""},
    {"process_vm_readv", __NR_process_vm_readv, {1, A, 1, C, 1, 0}, {{A, 8, B}, {A + 8, 8, 64}}, {}, 64, "B+64"},

    /* Messages: A is the header, B the ranges, C a name, D control data, E data */
#define HEADER(name_room, control_room)                                                                        \
    {A, 8, C}, {A + 8, 4, name_room}, {A + 16, 8, B}, {A + 24, 8, 1}, {A + 32, 8, D}, {A + 40, 8, control_room}, \
    {B, 8, E}, {B + 8, 8, 64}
    {"recvmsg", __NR_recvmsg, {3, A, 0}, {HEADER(128, 64)}, {{A + 8, 4, 16}, {A + 40, 8, 24}}, 5, "E+5 C+16 D+24 A+56"},
    {"recvmsg without control", __NR_recvmsg, {3, A, 0}, {HEADER(0, 64)}, {{A + 8, 4, 0}, {A + 40, 8, 0}}, 5, "E+5 A+56"},
    {"recvmsg cuts the name", __NR_recvmsg, {3, A, 0}, {HEADER(2, 0)}, {{A + 8, 4, 110}}, 5, "E+5 C+2 A+56"},
    {"recvmsg of an end", __NR_recvmsg, {3, A, 0}, {HEADER(0, 0)}, {}, 0, "A+56"},
    {"recvmsg more than room", __NR_recvmsg, {3, A, 0x20}, {HEADER(0, 0)}, {}, 500, "E+64 A+56"},
    {"recvmsg fails", __NR_recvmsg, {3, A, 0}, {HEADER(0, 0)}, {}, -EAGAIN, ""},
    {"sendmsg", __NR_sendmsg, {3, A, 0}, {HEADER(0, 0)}, {}, 5, ""},
    {"recvmmsg", __NR_recvmmsg, {3, A, 2, 0, F}, {HEADER(16, 0)}, {{A + 56, 4, 7}, {A + 8, 4, 16}}, 1,
     "E+7 C+16 A+56 A+38+4 F+16"},
    {"sendmmsg", __NR_sendmmsg, {3, A, 2, 0}, {HEADER(16, 0)}, {}, 1, "A+64"},

    /* By request */
    {"ioctl TCGETS", __NR_ioctl, {0, 0x5401, A}, {}, {}, 0, "A+36"},
    {"ioctl TCGETS fails", __NR_ioctl, {0, 0x5401, A}, {}, {}, -ENOTTY, ""},
    {"ioctl TCSETS", __NR_ioctl, {0, 0x5402, A}, {}, {}, 0, ""},
    {"ioctl FIOCLEX", __NR_ioctl, {0, 0x5451, 0}, {}, {}, 0, ""},
    {"ioctl FIONREAD", __NR_ioctl, {0, 0x541b, A}, {}, {}, 0, "A+4"},
    {"ioctl, upper half of the request", __NR_ioctl, {0, 0xffffffff00005413, A}, {}, {}, 0, "A+8"},
    {"ioctl FS_IOC_GETFLAGS lies", __NR_ioctl, {0, 0x80086601, A}, {}, {}, 0, "A+4"},
    {"ioctl that encodes a size", __NR_ioctl, {0, 0xc0181234, A}, {}, {}, 0, "A+24"},
    {"ioctl that only reads", __NR_ioctl, {0, 0x40181234, A}, {}, {}, 0, ""},
    {"ioctl SIOCGIFCONF", __NR_ioctl, {0, 0x8912, A}, {{A, 4, 100}, {A + 8, 8, B}}, {{A, 4, 40}}, 0, "B+40 A+4"},
    {"ioctl SIOCGIFCONF asks", __NR_ioctl, {0, 0x8912, A}, {{A, 4, 0}, {A + 8, 8, 0}}, {{A, 4, 80}}, 0, "A+4"},
    {"ioctl FIEMAP", __NR_ioctl, {0, 0xc020660b, A}, {{A + 24, 4, 4}}, {{A + 20, 4, 2}}, 0, "A+144"},
    {"fcntl F_GETLK", __NR_fcntl, {3, 5, A}, {}, {}, 0, "A+32"},
    {"fcntl F_SETFD", __NR_fcntl, {3, 2, A}, {}, {}, 0, ""},
    {"prctl PR_GET_NAME", __NR_prctl, {16, A}, {}, {}, 0, "A+16"},
    {"prctl PR_SET_NAME", __NR_prctl, {15, A}, {}, {}, 0, ""},
    {"arch_prctl ARCH_GET_FS", __NR_arch_prctl, {0x1003, A}, {}, {}, 0, "A+8"},
    {"arch_prctl ARCH_SET_FS", __NR_arch_prctl, {0x1002, A}, {}, {}, 0, ""},
    {"shmctl IPC_STAT", __NR_shmctl, {1, 2, A}, {}, {}, 0, "A+112"},
    {"shmctl with the old bit", __NR_shmctl, {1, 0x102, A}, {}, {}, 0, "A+112"},
    {"semctl SEM_INFO", __NR_semctl, {1, 0, 19, A}, {}, {}, 0, "A+40"},
    {"msgctl IPC_RMID", __NR_msgctl, {1, 0, 0}, {}, {}, 0, ""},
    {"quotactl Q_GETINFO", __NR_quotactl, {0x80000500, A, 0, B}, {}, {}, 0, "B+24"},
    {"quotactl_fd Q_GETINFO", 443, {3, 0x80000500, 0, B}, {}, {}, 0, "B+24"},
    {"syslog reads", __NR_syslog, {3, A, 100}, {}, {}, 50, "A+50"},
    {"syslog counts", __NR_syslog, {10, A, 100}, {}, {}, 50, ""},
    {"sysfs", __NR_sysfs, {2, 0, A}, {}, {{A, 5, 0x34747865}}, 0, "A+5"},
    {"keyctl KEYCTL_READ", __NR_keyctl, {11, 1, A, 10}, {}, {}, 30, "A+10"},
    {"futex wait", __NR_futex, {A, 128, 0, B}, {}, {}, -EAGAIN, ""},
    {"futex wake-op", __NR_futex, {A, 5, 1, 1, B, 0}, {}, {}, 1, "B+4"},
    {"futex lock-pi", __NR_futex, {A, 6 | 128, 0, 0}, {}, {}, 0, "A+4"},

    /* Processes */
    {"clone", __NR_clone, {0x1200011, 0, B, C, 0}, {}, {}, 99, "C+4"},
    {"clone of a thread", __NR_clone, {0x3d0f00, D, B, C, 0}, {}, {}, 99, "B+4"},
    {"clone3", 435, {A, 88}, {{A, 8, 0x101000}, {A + 8, 8, B}, {A + 16, 8, C}, {A + 24, 8, D}}, {}, 99, "B+4 D+4"},
    {"getxattrat", 464, {-100, A, 0, B, C, 16}, {{C, 8, D}, {C + 8, 4, 100}}, {}, 9, "D+9"},

    /* No such number */
    {"no such call", 5000, {A, B}, {}, {}, 0, ""},
    {"no such call yet", 380, {A, B}, {}, {}, 0, ""},
};

/* Ranges in writing: "A+38+4" is 4 bytes, 0x38 after A. */

struct text {
    char chars[512];
    size_t used;
};

static void write_range(void *context, struct gaddr at, u64 size)
{
    static const u32 places[] = {A, B, C, D, E, F, G, H, AWAY};
    struct text *text = context;
    size_t place = countof(places) - 1;
    while (place && places[place] > at.at)
        place--;
    char name[8] = {"ABCDEFGH "[place], '\0'};
    u64 offset = at.at - places[place];
    char *to = text->chars + text->used;
    size_t room = sizeof(text->chars) - text->used;
    int length = offset ? snprintf(to, room, " %s+%lx+%lu", name, offset, size)
                        : snprintf(to, room, " %s+%lu", places[place] == AWAY ? "AWAY" : name, size);
    text->used += length < (int)room ? length : 0;
}

static const char *in_writing(const struct text *text)
{
    return text->used ? text->chars + 1 : "";
}

static void check_row(const struct row *row)
{
    struct text text = {"", 0};
    struct call_made call;
    memset(image, 0, sizeof(image));
    poke(row->before, countof(row->before));
    call_begin(&call, row->number, row->args, &memory);
    poke(row->after, countof(row->after));
    call.result = row->result;
    call_written(&call, &memory, write_range, &text);
    char why[1200];
    snprintf(why, sizeof why, "visited '%s', not '%s'", in_writing(&text), row->wanted);
    report(row->name, !strcmp(in_writing(&text), row->wanted), why);
}

/* Which calls leave questions open, and what they reach */

static const struct {
    const char *name;
    u64 number;
    u64 args[6];
    bool unknown;
} open_rows[] = {
    {"read is known", __NR_read, {0}, false},
    {"ioctl TCGETS is known", __NR_ioctl, {0, 0x5401}, false},
    {"ioctl of an unknown request is not", __NR_ioctl, {0, 0xc0181234}, true},
    {"ioctl of input devices is known", __NR_ioctl, {0, 0x80044501}, false},
    {"ioctl SIOCETHTOOL is not", __NR_ioctl, {0, 0x8946}, true},
    {"prctl of an unknown option is not", __NR_prctl, {12345}, true},
    {"getsockopt of an unknown level is known", __NR_getsockopt, {0, 999, 1}, false},
    {"getsockopt TCP_ZEROCOPY_RECEIVE is not", __NR_getsockopt, {0, 6, 35}, true},
    {"semctl GETALL is not", __NR_semctl, {0, 0, 13}, true},
    {"bpf is not", __NR_bpf, {0}, true},
    {"number 5000 is not", 5000, {0}, true},
};

static void check_open(void)
{
    for (size_t i = 0; i < countof(open_rows); i++) {
        struct call_made call;
        call_begin(&call, open_rows[i].number, open_rows[i].args, &memory);
        report(open_rows[i].name, call.variant->unknown == open_rows[i].unknown, "it is otherwise");
    }
}

static void check_quiet(void)
{
    static const u64 quiet[] = {__NR_getpid, __NR_write, __NR_lseek, __NR_openat, __NR_mmap};
    static const u64 loud[] = {__NR_read, __NR_ioctl, __NR_recvmsg, __NR_bpf, __NR_nanosleep, 5000};
    bool right = true;
    for (size_t i = 0; i < countof(quiet); i++)
        right = right && syscall_row_is_quiet(syscall_row_of(quiet[i]));
    for (size_t i = 0; i < countof(loud); i++)
        right = right && !syscall_row_is_quiet(syscall_row_of(loud[i]));
    report("quiet rows", right, "one is not, or is");
}

static void check_reachable(void)
{
    struct text text = {"", 0};
    struct call_made call;
    static const struct poke pokes[] = {{G, 8, H}, {G + 8, 8, AWAY}, {G + 16, 8, 7}, {G + 24, 8, H}, {H, 8, A}};
    memset(image, 0, sizeof(image));
    poke(pokes, countof(pokes));
    u64 args[6] = {3, 0x1234, G, 0, AWAY, 0};
    call_begin(&call, __NR_ioctl, args, &memory);
    call_reachable(&call, &memory, write_range, &text);
    /* To the end of the image; and once more for the same pointer, after another. */
    report("reach of an unknown call", !strcmp(in_writing(&text), "G+2048 H+1024 H+1024"), in_writing(&text));
}

static const struct {
    const char *name;
    u64 number;
    u64 args[6];
    struct poke pokes[10];
    const char *wanted;
} shown_rows[] = {
    {"shows a path", __NR_openat, {-100, A, 0}, {{A, 5, 0x6463622f}}, "A+5"},
    {"shows the first bytes", __NR_write, {1, A, 1000}, {}, "A+32"},
    {"shows few bytes", __NR_write, {1, A, 3}, {}, "A+3"},
    {"shows a time", __NR_nanosleep, {A, B}, {}, "A+16"},
    {"shows arguments", __NR_execve, {A, B, 0}, {{A, 2, 'a'}, {B, 8, C}, {B + 8, 8, 0}, {C, 3, 'b' | 'c' << 8}},
     "A+2 B+8 C+3 B+8+8"},
    {"shows a vector", __NR_writev, {1, A, 1}, {{A, 8, B}, {A + 8, 8, 5}}, "A+16 B+5"},
    {"shows no path away", __NR_open, {AWAY}, {}, ""},
    {"shows nothing of NULL", __NR_open, {0}, {}, ""},
};

static void check_shown(void)
{
    for (size_t i = 0; i < countof(shown_rows); i++) {
        struct text text = {"", 0};
        struct call_made call;
        memset(image, 0, sizeof(image));
        poke(shown_rows[i].pokes, countof(shown_rows[i].pokes));
        call_begin(&call, shown_rows[i].number, shown_rows[i].args, &memory);
        call_shown(&call, &memory, write_range, &text);
        report(shown_rows[i].name, !strcmp(in_writing(&text), shown_rows[i].wanted), in_writing(&text));
    }
}

/* Rows as such */

static bool sizes_make_sense(const struct call_size *size)
{
    bool behind = size->source >= FROM_at0 && size->source <= FROM_at5;
    return size->source <= FROM_ret && (!size->source || size->type) && (!behind || size->unit <= 8);
}

static bool row_makes_sense(const struct syscall_row *row)
{
    bool ended = false;
    for (unsigned i = 0; i < SYSCALL_ARGS; i++) {
        const struct call_arg *arg = &row->args[i];
        if (ended && arg->name)
            return false; /* a gap */
        ended = !arg->name;
        if (ended)
            continue;
        bool sized = arg->offered.source || arg->shape != SHAPE_PLAIN;
        if ((arg->show == SHOW_MEMORY) != (arg->way != 0) || (arg->way && !sized))
            return false;
        if (!sizes_make_sense(&arg->offered) || !sizes_make_sense(&arg->filled))
            return false;
        if (arg->offered.source == FROM_ret)
            return false;
    }
    return true;
}

static void check_table(void)
{
    char why[128] = "";
    unsigned count = 0;
    for (u64 number = 0; number < SYSCALL_NUMBERS; number++) {
        const struct syscall_row *row = syscall_row_of(number);
        if (!row->name)
            continue;
        count++;
        if (!row_makes_sense(row) || row->key != number)
            snprintf(why, sizeof why, "%s does not", row->name);
        for (u32 i = 0; row->variants && i < row->variants->count; i++) {
            const struct syscall_row *variant = &row->variants->rows[i];
            if (!row_makes_sense(variant))
                snprintf(why, sizeof why, "%s %#lx does not", row->name, variant->key);
            for (u32 k = 0; k < i; k++) {
                if (row->variants->rows[k].key == variant->key)
                    snprintf(why, sizeof why, "%s %#lx is there twice", row->name, variant->key);
            }
        }
    }
    report("rows make sense", !*why && count > 360, why);
}

int main(void)
{
    for (size_t i = 0; i < countof(rows); i++)
        check_row(&rows[i]);
    check_open();
    check_quiet();
    check_reachable();
    check_shown();
    check_table();
    return failures != 0;
}
