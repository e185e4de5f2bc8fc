/* Prints structures of system calls, by the names of their types in the rows.
 *
 * A table has a function for each type that is shown as more than an address.
 */
#include "log/syscall_text_internal.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>

#include "log/siginfo_text.h"
#include "log/syscall_structs.h"
#include "log/syscall_words_internal.h"

bool text_read(const struct printer *p, u64 at, void *to, size_t size)
{
    return at && p->memory->read(p->memory->context, to, gaddr(at), size);
}

void text_address(const struct printer *p, u64 at)
{
    if (at)
        fprintf(p->to, "%#lx", (unsigned long)at);
    else
        fputs("NULL", p->to);
}

/* Strings */

/* Prints octal, as short as possible: a digit that follows would be taken for part of it. */
static void print_octal(FILE *to, u8 byte, u8 next)
{
    bool figure = next >= '0' && next <= '9';
    fprintf(to, figure ? "\\%03o" : "\\%o", byte);
}

static void print_byte(FILE *to, u8 byte, u8 next)
{
    static const char plain[] = "\t\n\v\f\r\"\\", letters[] = "tnvfr\"\\";
    const char *special = byte ? strchr(plain, byte) : NULL;
    if (special)
        fprintf(to, "\\%c", letters[special - plain]);
    else if (byte >= ' ' && byte < 0x7f)
        fputc(byte, to);
    else
        print_octal(to, byte, next);
}

static void syscall_text_structs_print_quoted(FILE *to, const u8 *bytes, size_t size)
{
    fputc('"', to);
    for (size_t i = 0; i < size; i++)
        print_byte(to, bytes[i], i + 1 < size ? bytes[i + 1] : 0);
    fputc('"', to);
}

bool text_bytes(const struct printer *p, u64 at, u64 size)
{
    u8 bytes[TEXT_BYTES] = {0};
    size_t shown = size < sizeof(bytes) ? size : sizeof(bytes);
    if (shown && !text_read(p, at, bytes, shown))
        return false;
    if (!at)
        return false;
    syscall_text_structs_print_quoted(p->to, bytes, shown);
    if (size > shown)
        fputs("...", p->to);
    return true;
}

/* Prints up to the NUL, which is not shown. */
bool text_string(const struct printer *p, u64 at, size_t most)
{
    u8 bytes[TEXT_PATH];
    size_t size = 0;
    most = most < sizeof(bytes) ? most : sizeof(bytes);
    for (; size < most; size++) {
        if (!text_read(p, at + size, &bytes[size], 1)) {
            if (!size)
                return false;
            break;
        }
        if (!bytes[size]) {
            syscall_text_structs_print_quoted(p->to, bytes, size);
            return true;
        }
    }
    syscall_text_structs_print_quoted(p->to, bytes, size);
    fputs("...", p->to);
    return true;
}

/* Addresses of sockets */

static void print_unix(const struct printer *p, const struct sockaddr_un *name, size_t size)
{
    size_t length = size > 2 ? size - 2 : 0;
    const u8 *path = (const u8 *)name->sun_path;
    if (!length) {
        fputs("{sa_family=AF_UNIX}", p->to);
    } else if (!*path && length > 1) {
        fputs("{sa_family=AF_UNIX, sun_path=@", p->to);
        syscall_text_structs_print_quoted(p->to, path + 1, length - 1);
        fputc('}', p->to);
    } else {
        fputs("{sa_family=AF_UNIX, sun_path=", p->to);
        syscall_text_structs_print_quoted(p->to, path, strnlen(name->sun_path, length));
        fputc('}', p->to);
    }
}

static void print_inet(const struct printer *p, const struct sockaddr_in *name)
{
    char text[INET_ADDRSTRLEN] = "?";
    inet_ntop(AF_INET, &name->sin_addr, text, sizeof text);
    fprintf(p->to, "{sa_family=AF_INET, sin_port=htons(%u), sin_addr=inet_addr(\"%s\")}",
            ntohs(name->sin_port), text);
}

static void print_inet6(const struct printer *p, const struct sockaddr_in6 *name)
{
    char text[INET6_ADDRSTRLEN] = "?";
    inet_ntop(AF_INET6, &name->sin6_addr, text, sizeof text);
    fprintf(p->to, "{sa_family=AF_INET6, sin6_port=htons(%u), sin6_flowinfo=htonl(%u), "
            "inet_pton(AF_INET6, \"%s\", &sin6_addr), sin6_scope_id=%u}",
            ntohs(name->sin6_port), ntohl(name->sin6_flowinfo), text, name->sin6_scope_id);
}

static void print_other_family(const struct printer *p, unsigned family)
{
    const char *word = words_family(family);
    if (word)
        fprintf(p->to, "{sa_family=%s, ...}", word);
    else
        fprintf(p->to, "{sa_family=%#x, ...}", family);
}

bool text_sockaddr(const struct printer *p, u64 at, u64 size)
{
    union {
        struct sockaddr_un unix_;
        struct sockaddr_in inet;
        struct sockaddr_in6 inet6;
        u16 family;
        u8 bytes[K_SOCKADDR_MOST];
    } name;
    memset(&name, 0, sizeof name);
    size = size < sizeof name ? size : sizeof name;
    if (size < sizeof name.family || !text_read(p, at, &name, size))
        return false;
    if (name.family == AF_UNIX)
        print_unix(p, &name.unix_, size);
    else if (name.family == AF_INET && size >= sizeof name.inet)
        print_inet(p, &name.inet);
    else if (name.family == AF_INET6 && size >= sizeof name.inet6)
        print_inet6(p, &name.inet6);
    else
        print_other_family(p, name.family);
    return true;
}

bool text_iovec(const struct printer *p, u64 at, u64 count, u64 total)
{
    struct k_iovec range;
    if (count && !text_read(p, at, &range, sizeof(range)))
        return false;
    fputc('[', p->to);
    for (u64 i = 0; i < count; i++) {
        fputs(i ? ", " : "", p->to);
        if (i == TEXT_ITEMS || !text_read(p, at + i * sizeof(range), &range, sizeof(range))) {
            fputs("...", p->to);
            break;
        }
        u64 part = range.size < total ? range.size : total;
        fputs("{iov_base=", p->to);
        if (!text_bytes(p, range.base, part))
            text_address(p, range.base);
        fprintf(p->to, ", iov_len=%lu}", (unsigned long)range.size);
        total -= part;
    }
    fputc(']', p->to);
    return true;
}

/* Times */

static void print_time(FILE *to, const i64 *t, const char *fraction)
{
    fprintf(to, "{tv_sec=%ld, tv_%s=%ld}", (long)t[0], fraction, (long)t[1]);
}

static void print_timespec(FILE *to, const void *bytes)
{
    print_time(to, bytes, "nsec");
}

static void print_timeval(FILE *to, const void *bytes)
{
    print_time(to, bytes, "usec");
}

static void print_interval(FILE *to, const i64 *t, const char *fraction)
{
    fputs("{it_interval=", to);
    print_time(to, t, fraction);
    fputs(", it_value=", to);
    print_time(to, t + 2, fraction);
    fputc('}', to);
}

static void print_itimerspec(FILE *to, const void *bytes)
{
    print_interval(to, bytes, "nsec");
}

static void print_itimerval(FILE *to, const void *bytes)
{
    print_interval(to, bytes, "usec");
}

static void print_times(FILE *to, const i64 *t, const char *fraction)
{
    fputc('[', to);
    print_time(to, t, fraction);
    fputs(", ", to);
    print_time(to, t + 2, fraction);
    fputc(']', to);
}

static void print_timespecs(FILE *to, const void *bytes)
{
    print_times(to, bytes, "nsec");
}

static void print_timevals(FILE *to, const void *bytes)
{
    print_times(to, bytes, "usec");
}

static void print_timezone(FILE *to, const void *bytes)
{
    const i32 *zone = bytes;
    fprintf(to, "{tz_minuteswest=%d, tz_dsttime=%d}", zone[0], zone[1]);
}

static void print_rusage(FILE *to, const void *bytes)
{
    const i64 *usage = bytes;
    fputs("{ru_utime=", to);
    print_time(to, usage, "usec");
    fputs(", ru_stime=", to);
    print_time(to, usage + 2, "usec");
    fputs(", ...}", to);
}

/* Files */

static void print_mode(FILE *to, unsigned mode)
{
    static const struct word kinds[] = {
        {"S_IFREG", S_IFREG}, {"S_IFDIR", S_IFDIR}, {"S_IFLNK", S_IFLNK}, {"S_IFCHR", S_IFCHR},
        {"S_IFBLK", S_IFBLK}, {"S_IFIFO", S_IFIFO}, {"S_IFSOCK", S_IFSOCK}, {NULL, 0}};
    static const struct word bits[] = {
        {"S_ISUID", S_ISUID}, {"S_ISGID", S_ISGID}, {"S_ISVTX", S_ISVTX}, {NULL, 0}};
    const char *kind = words_find(kinds, mode & S_IFMT);
    if (kind)
        fprintf(to, "%s|", kind);
    for (const struct word *bit = bits; bit->name; bit++) {
        if (mode & bit->value)
            fprintf(to, "%s|", bit->name);
    }
    fprintf(to, "%#03o", mode & 0777);
}

static void print_stat(FILE *to, const void *bytes)
{
    const struct stat *st = bytes; /* the same, for programs of 64 bits */
    fputs("{st_mode=", to);
    print_mode(to, st->st_mode);
    if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode))
        fprintf(to, ", st_rdev=makedev(%#x, %#x), ...}", major(st->st_rdev), minor(st->st_rdev));
    else
        fprintf(to, ", st_size=%ld, ...}", (long)st->st_size);
}

static void print_statx(FILE *to, const void *bytes)
{
    const struct statx *st = bytes;
    fputs("{stx_mask=", to);
    words_print(to, words_of(SHOW_STATX), st->stx_mask);
    fputs(", stx_mode=", to);
    print_mode(to, st->stx_mode);
    fprintf(to, ", stx_size=%lu, ...}", (unsigned long)st->stx_size);
}

static void print_fds(FILE *to, const void *bytes)
{
    const i32 *fds = bytes;
    fprintf(to, "[%d, %d]", fds[0], fds[1]);
}

static void print_flock(FILE *to, const void *bytes)
{
    static const struct word kinds[] = {
        {"F_RDLCK", F_RDLCK}, {"F_WRLCK", F_WRLCK}, {"F_UNLCK", F_UNLCK}, {NULL, 0}};
    const struct flock *lock = bytes;
    const char *kind = words_find(kinds, (u64)lock->l_type);
    fprintf(to, "{l_type=%s, l_whence=", kind ? kind : "?");
    words_print(to, words_of(SHOW_SEEK), (u64)lock->l_whence);
    fprintf(to, ", l_start=%ld, l_len=%ld", (long)lock->l_start, (long)lock->l_len);
    if (lock->l_pid)
        fprintf(to, ", l_pid=%d", lock->l_pid);
    fputc('}', to);
}

static void print_open_how(FILE *to, const void *bytes)
{
    const u64 *how = bytes;
    fputs("{flags=", to);
    words_print(to, words_of(SHOW_OPEN), how[0]);
    if (how[1])
        fprintf(to, ", mode=%#03lo", (unsigned long)how[1]);
    fprintf(to, ", resolve=%#lx}", (unsigned long)how[2]);
}

/* Waiting */

static void print_epoll_event(FILE *to, const void *bytes)
{
    const struct k_epoll_event *event = bytes;
    fputs("{events=", to);
    words_print(to, &words_epoll, event->events);
    fprintf(to, ", data={u32=%u, u64=%lu}}", (u32)event->data, (unsigned long)event->data);
}

static void print_pollfd(FILE *to, const void *bytes)
{
    const struct k_pollfd *fd = bytes;
    fprintf(to, "{fd=%d", fd->fd);
    if (fd->fd >= 0) {
        fputs(", events=", to);
        words_print(to, &words_poll, (u16)fd->events);
    }
    fputc('}', to);
}

static void print_status(FILE *to, const void *bytes)
{
    unsigned status = *(const u32 *)bytes;
    unsigned low = status & 0x7f, high = status >> 8 & 0xff;
    fputs("[{", to);
    if (!low) {
        fprintf(to, "WIFEXITED(s) && WEXITSTATUS(s) == %u", high);
    } else if ((status & 0xff) == 0x7f) {
        fputs("WIFSTOPPED(s) && WSTOPSIG(s) == ", to);
        words_print_signal(to, high);
    } else if (status == 0xffff) {
        fputs("WIFCONTINUED(s)", to);
    } else {
        fputs("WIFSIGNALED(s) && WTERMSIG(s) == ", to);
        words_print_signal(to, low);
        fputs(status & 0x80 ? " && WCOREDUMP(s)" : "", to);
    }
    fputs("}]", to);
}

static void print_child_info(FILE *to, const void *bytes)
{
    static const struct word codes[] = {{"CLD_EXITED", 1}, {"CLD_KILLED", 2}, {"CLD_DUMPED", 3},
                                        {"CLD_TRAPPED", 4}, {"CLD_STOPPED", 5},
                                        {"CLD_CONTINUED", 6}, {NULL, 0}};
    const i32 *info = bytes; /* signal, error, code, padding, pid, uid, status */
    if (!info[0]) {
        fputs("{}", to);
        return;
    }
    const char *code = words_find(codes, (u64)info[2]);
    fprintf(to, "{si_signo=SIGCHLD, si_code=%s, si_pid=%d, si_uid=%d, si_status=",
            code ? code : "?", info[4], info[5]);
    if (info[2] == 1)
        fprintf(to, "%d", info[6]);
    else
        words_print_signal(to, (u64)info[6]);
    fputs(", ...}", to);
}

/* Signals. A set that contains more than half of them is shown by what it lacks. */

static void print_sigset(FILE *to, const void *bytes)
{
    u64 set;
    memcpy(&set, bytes, sizeof set);
    bool most = __builtin_popcountl(set) >= 43;
    const char *between = "";
    fputs(most ? "~[" : "[", to);
    for (unsigned number = 1; number <= 64; number++) {
        if ((set >> (number - 1) & 1) == most)
            continue;
        const char *name = words_signal(number);
        fputs(between, to);
        if (name)
            fputs(name, to);
        else if (number == 32)
            fputs("RTMIN", to);
        else
            fprintf(to, "RT_%u", number - 32);
        between = " ";
    }
    fputc(']', to);
}

static void print_sigaction(FILE *to, const void *bytes)
{
    const u64 *action = bytes; /* handler, flags, restorer, mask */
    fputs("{sa_handler=", to);
    if (action[0] < 2)
        fputs(action[0] ? "SIG_IGN" : "SIG_DFL", to);
    else
        fprintf(to, "%#lx", (unsigned long)action[0]);
    fputs(", sa_mask=", to);
    print_sigset(to, &action[3]);
    fputs(", sa_flags=", to);
    words_print(to, &words_signal_flags, action[1]);
    if (action[1] & 0x4000000)
        fprintf(to, ", sa_restorer=%#lx", (unsigned long)action[2]);
    fputc('}', to);
}

static void print_siginfo(FILE *to, const void *bytes)
{
    siginfo_print(to, bytes);
}

static void print_stack(FILE *to, const void *bytes)
{
    const u64 *stack = bytes;
    u32 flags = (u32)stack[1];
    static const struct word words[] = {{"0", 0}, {"SS_ONSTACK", 1}, {"SS_DISABLE", 2}, {NULL, 0}};
    const char *word = words_find(words, flags);
    fputs("{ss_sp=", to);
    if (stack[0])
        fprintf(to, "%#lx", (unsigned long)stack[0]);
    else
        fputs("NULL", to);
    fprintf(to, ", ss_flags=%s, ss_size=%lu}", word ? word : "?", (unsigned long)stack[2]);
}

/* The system */

static void print_limit(FILE *to, u64 limit)
{
    if (limit == ~0ul)
        fputs("RLIM64_INFINITY", to);
    else if (limit > 1024 && limit % 1024 == 0)
        fprintf(to, "%lu*1024", (unsigned long)(limit / 1024));
    else
        fprintf(to, "%lu", (unsigned long)limit);
}

static void print_rlimit(FILE *to, const void *bytes)
{
    const u64 *limit = bytes;
    fputs("{rlim_cur=", to);
    print_limit(to, limit[0]);
    fputs(", rlim_max=", to);
    print_limit(to, limit[1]);
    fputc('}', to);
}

static void print_utsname(FILE *to, const void *bytes)
{
    const char *names = bytes; /* of 65 bytes each */
    fprintf(to, "{sysname=\"%.64s\", nodename=\"%.64s\", ...}", names, names + 65);
}

static void print_winsize(FILE *to, const void *bytes)
{
    const u16 *size = bytes;
    fprintf(to, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}",
            size[0], size[1], size[2], size[3]);
}

static void print_name(FILE *to, const void *bytes)
{
    syscall_text_structs_print_quoted(to, bytes, strnlen(bytes, sizeof(struct k_comm)));
}

static void print_u32(FILE *to, const void *bytes)
{
    fprintf(to, "[%u]", *(const u32 *)bytes);
}

static void print_i32(FILE *to, const void *bytes)
{
    fprintf(to, "[%d]", *(const i32 *)bytes);
}

static void print_i64(FILE *to, const void *bytes)
{
    fprintf(to, "[%ld]", (long)*(const i64 *)bytes);
}

static const struct {
    const char *type;
    size_t size;
    void (*print)(FILE *to, const void *bytes);
} types[] = {
#define TYPE(name) {"struct k_" #name, sizeof(struct k_##name), print_##name}
    TYPE(timespec),    TYPE(timeval),  TYPE(itimerspec), TYPE(itimerval), TYPE(timespecs),
    TYPE(timevals),    TYPE(timezone), TYPE(rusage),     TYPE(stat),      TYPE(statx),
    TYPE(fds),         TYPE(flock),    TYPE(open_how),   TYPE(pollfd),    TYPE(epoll_event),
    TYPE(status),      TYPE(sigset),   TYPE(sigaction),  TYPE(siginfo),   TYPE(child_info),
    TYPE(stack),       TYPE(rlimit),   TYPE(utsname),    TYPE(winsize),
    {"struct k_comm", sizeof(struct k_comm), print_name},
    {"u32", 4, print_u32},
    {"i32", 4, print_i32},
    {"i64", 8, print_i64},
    {"u64", 8, print_i64},
};

bool text_object(const struct printer *p, const char *type, u64 at)
{
    union {
        u8 bytes[512];
        u64 aligned;
    } object;
    for (size_t i = 0; i < countof(types); i++) {
        if (strcmp(types[i].type, type))
            continue;
        if (!text_read(p, at, object.bytes, types[i].size))
            return false;
        types[i].print(p->to, object.bytes);
        return true;
    }
    return false;
}
