/* Prints a system call.
 *
 * The row has the type of each argument; this file prints values by name and finds the memory that
 * pointers point to. A few calls that strace shows in a special way have their own functions.
 */
#include "log/syscall_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/xalloc.h"
#include "log/syscall_numbers.h"
#include "log/syscall_structs.h"
#include "log/syscall_text_internal.h"
#include "log/syscall_words_internal.h"

/* Memory that is made of pieces */

static bool read_pieces(void *context, void *to, struct gaddr from, size_t size)
{
    const struct syscall_pieces *pieces = context;
    for (size_t i = 0; i < pieces->count; i++) {
        const struct syscall_piece *piece = &pieces->list[i];
        u64 offset = from.at - piece->at.at;
        if (from.at >= piece->at.at && offset <= piece->size && size <= piece->size - offset) {
            memcpy(to, piece->bytes + offset, size);
            return true;
        }
    }
    return false;
}

struct call_memory syscall_pieces_memory(struct syscall_pieces *pieces)
{
    return (struct call_memory){read_pieces, pieces};
}

/* Results */

static bool has_failed(i64 result)
{
    return result < 0 && result >= -4095;
}

static void print_error(FILE *to, int error)
{
    static const struct word restarts[] = {{"ERESTARTSYS", 512}, {"ERESTARTNOINTR", 513},
                                           {"ERESTARTNOHAND", 514}, {"ERESTART_RESTARTBLOCK", 516},
                                           {NULL, 0}};
    const char *name = strerrorname_np(error), *what = strerrordesc_np(error);
    if (name && what)
        fprintf(to, "-1 %s (%s)", name, what);
    else if (words_find(restarts, (u64)error))
        fprintf(to, "? %s", words_find(restarts, (u64)error));
    else
        fprintf(to, "-1 (errno %d)", error);
}

static void print_flags_result(const struct printer *p, enum arg_show flags)
{
    u64 result = (u64)p->call->result;
    fprintf(p->to, "%#lx", (unsigned long)result);
    if (!result && flags == SHOW_FDFLAG)
        return;
    fputs(" (flags ", p->to);
    words_print(p->to, words_of(flags), result);
    fputc(')', p->to);
}

static void print_ready_result(const struct printer *p)
{
    fprintf(p->to, "%ld%s", (long)p->call->result, p->call->result ? "" : " (Timeout)");
}

/* After the result of poll, prints which descriptors are ready. */
static void print_polled(const struct printer *p)
{
    const char *between = " ([";
    const struct call_made *c = p->call;
    struct k_pollfd fd;
    for (u64 i = 0; i < (u32)c->args[1]; i++) {
        if (!text_read(p, c->args[0] + i * sizeof fd, &fd, sizeof fd))
            return;
        if (!fd.revents)
            continue;
        fprintf(p->to, "%s{fd=%d, revents=", between, fd.fd);
        words_print(p->to, &words_poll, (u16)fd.revents);
        fputc('}', p->to);
        between = ", ";
    }
    fputs(*between == ',' ? "])" : "", p->to);
}

static void print_value_result(const struct printer *p)
{
    const struct call_made *c = p->call;
    switch (c->variant->result) {
    case GIVES_ADDR:
        fprintf(p->to, "%#lx", (unsigned long)c->result);
        break;
    case GIVES_MODE:
        fprintf(p->to, "%#03lo", (unsigned long)c->result);
        break;
    case GIVES_NEVER:
        fputc('?', p->to);
        break;
    case GIVES_FD_FLAGS:
        print_flags_result(p, SHOW_FDFLAG);
        break;
    case GIVES_FILE_FLAGS:
        print_flags_result(p, SHOW_OPEN);
        break;
    case GIVES_READY:
        print_ready_result(p);
        if (c->result)
            print_polled(p);
        break;
    case GIVES_SELECTED:
        print_ready_result(p);
        break;
    default:
        fprintf(p->to, "%ld", (long)c->result);
    }
}

static void print_result(const struct printer *p)
{
    const struct call_made *c = p->call;
    fputs(" = ", p->to);
    if (has_failed(c->result)) {
        print_error(p->to, (int)-c->result);
        return;
    }
    print_value_result(p);
}

/* Values that are made of more than words */

static void print_request(FILE *to, const struct call_made *c)
{
    static const char *const directions[] = {"_IOC_NONE", "_IOC_WRITE", "_IOC_READ",
                                             "_IOC_READ|_IOC_WRITE"};
    u32 request = (u32)c->args[1];
    if (c->variant != c->row && c->variant->name)
        fputs(c->variant->name, to);
    else
        fprintf(to, "_IOC(%s, %#x, %#x, %#x)", directions[request >> 30], request >> 8 & 0xff,
                request & 0xff, request >> 16 & 0x3fff);
}

static void print_variant(FILE *to, const struct call_made *c, u64 value)
{
    if (c->variant != c->row && c->variant->name)
        fputs(c->variant->name, to);
    else
        fprintf(to, "%#lx", (unsigned long)(u32)value);
}

enum { FUTEX_PRIVATE = 128, FUTEX_REALTIME = 256 };

static void print_futex(FILE *to, const struct call_made *c, u64 value)
{
    print_variant(to, c, value & 0x7f);
    fputs(value & FUTEX_PRIVATE ? "_PRIVATE" : "", to);
    fputs(value & FUTEX_REALTIME ? "|FUTEX_CLOCK_REALTIME" : "", to);
}

static const struct syscall_row *find_option(const u64 *args)
{
    u64 key = syscall_sockopts->key(args);
    for (u32 i = 0; i < syscall_sockopts->count; i++) {
        if (syscall_sockopts->rows[i].key == key)
            return &syscall_sockopts->rows[i];
    }
    return NULL;
}

static void print_option(FILE *to, const struct call_made *c, u64 value)
{
    const struct syscall_row *option = find_option(c->args);
    if (option)
        fputs(option->name, to);
    else
        fprintf(to, "%#x", (u32)value);
}

static void print_protocol(FILE *to, const struct call_made *c, u64 value)
{
    static const struct word inet[] = {
        {"IPPROTO_IP", 0},  {"IPPROTO_ICMP", 1},  {"IPPROTO_TCP", 6},
        {"IPPROTO_UDP", 17}, {"IPPROTO_IPV6", 41}, {"IPPROTO_RAW", 255}, {NULL, 0}};
    static const struct word netlink[] = {
        {"NETLINK_ROUTE", 0},      {"NETLINK_USERSOCK", 2},        {"NETLINK_SOCK_DIAG", 4},
        {"NETLINK_AUDIT", 9},      {"NETLINK_NETFILTER", 12},      {"NETLINK_KOBJECT_UEVENT", 15},
        {"NETLINK_GENERIC", 16},   {NULL, 0}};
    const char *name = NULL;
    if (c->args[0] == AF_INET || c->args[0] == AF_INET6)
        name = words_find(inet, (u32)value);
    if (c->args[0] == AF_NETLINK)
        name = words_find(netlink, (u32)value);
    name ? fputs(name, to) : fprintf(to, "%d", (i32)value);
}

static void print_id(FILE *to, u64 value)
{
    if ((u32)value == ~0u)
        fputs("-1", to);
    else
        fprintf(to, "%u", (u32)value);
}

static void print_words(FILE *to, enum arg_show show, u64 value)
{
    const struct words *words = words_of(show);
    if (!words)
        fprintf(to, "%#lx", (unsigned long)value);
    else
        words_print(to, words, show == SHOW_CLONE ? value : (u32)value);
}

static void print_value(const struct printer *p, enum arg_show show, u64 value)
{
    FILE *to = p->to;
    switch (show) {
    case SHOW_FD:
    case SHOW_INT:
    case SHOW_PID:
        fprintf(to, "%d", (i32)value);
        break;
    case SHOW_ATFD:
        (i32)value == AT_FDCWD ? fputs("AT_FDCWD", to) : fprintf(to, "%d", (i32)value);
        break;
    case SHOW_UINT:
        fprintf(to, "%u", (u32)value);
        break;
    case SHOW_UID:
        print_id(to, value);
        break;
    case SHOW_LONG:
    case SHOW_OFF:
        fprintf(to, "%ld", (long)value);
        break;
    case SHOW_LEN:
        fprintf(to, "%lu", (unsigned long)value);
        break;
    case SHOW_PTR:
    case SHOW_NEW_PTR:
        text_address(p, value);
        break;
    case SHOW_MODE:
    case SHOW_NEW_MODE:
        fprintf(to, "%#03o", (u32)value);
        break;
    case SHOW_SIG:
        words_print_signal(to, (u32)value);
        break;
    case SHOW_IOCTL:
        print_request(to, p->call);
        break;
    case SHOW_FCNTL:
    case SHOW_PRCTL:
    case SHOW_PTRACE:
        print_variant(to, p->call, value);
        break;
    case SHOW_FUTEX:
        print_futex(to, p->call, value);
        break;
    case SHOW_OPTION:
        print_option(to, p->call, value);
        break;
    case SHOW_PROTOCOL:
        print_protocol(to, p->call, value);
        break;
    default:
        print_words(to, show, value);
    }
}

/* Memory */

/* True if the argument was written, so that the memory has the kernel's answer. */
static bool was_written(const struct call_made *c, const struct call_arg *arg)
{
    if (arg->on == ON_EVER || arg->on == ON_REST)
        return c->result == -EINTR || (!has_failed(c->result) && arg->on == ON_EVER);
    if (arg->on == ON_POSITIVE)
        return c->result > 0;
    return arg->on ? c->result == -(i64)arg->on : !has_failed(c->result);
}

static void add_up(void *context, struct gaddr at, u64 size)
{
    (void)at;
    *(u64 *)context += size;
}

/* The number of bytes of a plain argument to show: those for the kernel to read, or those that it
 * has written. */
static u64 seen_size(const struct printer *p, unsigned index)
{
    const struct call_made *c = p->call;
    struct syscall_row row = *c->variant;
    u64 total = 0;
    struct call_made alone = *c;
    for (unsigned i = 0; i < SYSCALL_ARGS; i++) {
        if (i != index && row.args[i].name)
            row.args[i].way = ARG_VALUE;
    }
    row.args[index].on = ON_SUCCESS;
    if (row.args[index].way == ARG_IN) {
        alone.result = 0;
        row.args[index].way = ARG_OUT;
    }
    alone.variant = &row;
    call_written(&alone, p->memory, add_up, &total);
    return total;
}

static bool print_items(const struct printer *p, const struct call_arg *arg, u64 at, u64 count)
{
    u8 byte;
    if (count && !text_read(p, at, &byte, 1))
        return false;
    fputc('[', p->to);
    for (u64 i = 0; i < count; i++) {
        fputs(i ? ", " : "", p->to);
        if (i == TEXT_ITEMS || !text_object(p, arg->offered.type, at + i * arg->offered.unit)) {
            fputs("...", p->to);
            break;
        }
    }
    fputc(']', p->to);
    return true;
}

static bool is_type(const struct call_arg *arg, const char *type)
{
    return arg->offered.type && !strcmp(arg->offered.type, type);
}

/* Prints a bitmap of processors or descriptors. */
static bool print_bitmap(const struct printer *p, u64 at, u64 size)
{
    u8 byte;
    const char *between = "";
    if (size && !text_read(p, at, &byte, 1))
        return false;
    fputc('[', p->to);
    for (u64 i = 0; i < size * 8; i++) {
        if (!text_read(p, at + i / 8, &byte, 1))
            break;
        if (byte >> i % 8 & 1) {
            fprintf(p->to, "%s%lu", between, (unsigned long)i);
            between = " ";
        }
    }
    fputc(']', p->to);
    return true;
}

static bool print_option_value(const struct printer *p, u64 at, u64 size)
{
    if (size != sizeof(i32))
        return text_bytes(p, at, size);
    return text_object(p, "i32", at);
}

static bool print_entries(const struct printer *p, u64 at, u64 size)
{
    unsigned entries = 0;
    u16 length;
    u64 field = 16; /* offset of the length: after inode and offset */
    for (u64 done = 0; done < size; done += length, entries++) {
        if (!text_read(p, at + done + field, &length, sizeof length) || !length)
            return false;
    }
    text_address(p, at);
    fprintf(p->to, " /* %u entries */", entries);
    return true;
}

/* A single number is in brackets; several have their own brackets. */
static bool print_numbers(const struct printer *p, const struct call_arg *arg, u64 at, u64 count)
{
    u32 number;
    if (!is_type(arg, "u32") && !is_type(arg, "i32"))
        return print_items(p, arg, at, count);
    if (count && !text_read(p, at, &number, sizeof number))
        return false;
    fputc('[', p->to);
    for (u64 i = 0; i < count && text_read(p, at + 4 * i, &number, sizeof number); i++)
        fprintf(p->to, "%s%u", i ? ", " : "", number);
    fputc(']', p->to);
    return true;
}

static bool print_plain(const struct printer *p, const struct call_arg *arg, unsigned index)
{
    u64 at = p->call->args[index], size = seen_size(p, index);
    if (arg->offered.source == FROM_one)
        return text_object(p, arg->offered.type, at);
    if (is_type(arg, "struct k_sockaddr"))
        return text_sockaddr(p, at, size);
    if (is_type(arg, "struct k_option"))
        return print_option_value(p, at, size);
    if (is_type(arg, "struct k_dirents"))
        return print_entries(p, at, size);
    if (is_type(arg, "struct k_text"))
        return text_string(p, at, TEXT_PATH);
    if (is_type(arg, "struct k_cpus") || is_type(arg, "bits"))
        return print_bitmap(p, at, size);
    if (is_type(arg, "struct k_sigset") && size)
        return text_object(p, "struct k_sigset", at);
    return arg->offered.unit > 1 ? print_numbers(p, arg, at, size / arg->offered.unit)
                                 : text_bytes(p, at, size);
}

static bool syscall_text_print_strings(const struct printer *p, u64 at)
{
    u64 string;
    if (!text_read(p, at, &string, sizeof string))
        return false;
    fputc('[', p->to);
    for (unsigned i = 0; i < TEXT_ITEMS; i++) {
        if (!text_read(p, at + i * sizeof string, &string, sizeof string)) {
            fputs("...", p->to);
            break;
        }
        if (!string)
            break;
        fputs(i ? ", " : "", p->to);
        if (!text_string(p, string, TEXT_BYTES))
            text_address(p, string);
    }
    fputc(']', p->to);
    return true;
}

static bool print_message(const struct printer *p, u64 at)
{
    struct k_msghdr m;
    if (!text_read(p, at, &m, sizeof m))
        return false;
    fputs("{msg_name=", p->to);
    if (!m.name || !text_sockaddr(p, m.name, m.name_size))
        text_address(p, m.name);
    fprintf(p->to, ", msg_namelen=%u, msg_iov=", m.name_size);
    if (!text_iovec(p, m.iov, m.iov_count, has_failed(p->call->result) ? 0 : (u64)p->call->result))
        text_address(p, m.iov);
    fprintf(p->to, ", msg_iovlen=%lu, ", (unsigned long)m.iov_count);
    if (m.control) {
        fputs("msg_control=", p->to);
        text_address(p, m.control);
        fputs(", ", p->to);
    }
    fprintf(p->to, "msg_controllen=%lu, msg_flags=", (unsigned long)m.control_size);
    words_print(p->to, &words_message_flags, m.flags);
    fputc('}', p->to);
    return true;
}

static bool print_vector(const struct printer *p, const struct call_arg *arg, u64 at)
{
    const struct call_made *c = p->call;
    u64 count = c->args[2]; /* in all calls that have one */
    u64 total = has_failed(c->result) ? 0 : (u64)c->result;
    return text_iovec(p, at, count, arg->way == ARG_IN ? ~0ul : total);
}

static bool print_memory(const struct printer *p, const struct call_arg *arg, unsigned index)
{
    u64 at = p->call->args[index];
    if (arg->way == ARG_OUT && !was_written(p->call, arg))
        return false;
    switch (arg->shape) {
    case SHAPE_PLAIN:
        return print_plain(p, arg, index);
    case SHAPE_STRING:
        return text_string(p, at, TEXT_PATH);
    case SHAPE_STRINGS:
        return syscall_text_print_strings(p, at);
    case SHAPE_IOVEC:
        return print_vector(p, arg, at);
    case SHAPE_MSGHDR:
        return !has_failed(p->call->result) && print_message(p, at);
    default:
        return false;
    }
}

/* A printer may notice that something is missing after it has begun: it writes to a string that is
 * used only on success. */
static void print_arg(const struct printer *p, const struct call_arg *arg, unsigned index)
{
    u64 value = p->call->args[index];
    char *text = NULL;
    size_t size = 0;
    if (arg->show != SHOW_MEMORY) {
        print_value(p, arg->show, value);
        return;
    }
    struct printer aside = *p;
    aside.to = open_memstream(&text, &size);
    bool good = aside.to && value && print_memory(&aside, arg, index);
    if (aside.to)
        fclose(aside.to);
    if (good)
        fwrite(text, 1, size, p->to);
    else
        text_address(p, value);
    free(text);
}

/* Calls that strace shows in their own way */

/* A mode matters only if a file may be created, a new address only if it is requested: the argument
 * before tells. */
static bool is_left_out(const struct call_made *c, unsigned index)
{
    const u64 makes_files = O_CREAT | (O_TMPFILE & ~O_DIRECTORY);
    switch (c->variant->args[index].show) {
    case SHOW_NEW_MODE:
        return !(c->args[index - 1] & makes_files);
    case SHOW_NEW_PTR:
        return !(c->args[index - 1] & (MREMAP_FIXED | MREMAP_DONTUNMAP));
    default:
        return false;
    }
}

enum { SIGNAL_BITS = 0xff };

static void print_clone_flags(const struct printer *p, u64 flags)
{
    u64 bits = flags & ~(u64)SIGNAL_BITS;
    if (bits)
        words_print(p->to, words_of(SHOW_CLONE), bits);
    if (flags & SIGNAL_BITS) {
        fputs(bits ? "|" : "", p->to);
        words_print_signal(p->to, flags & SIGNAL_BITS);
    }
    if (!flags)
        fputc('0', p->to);
}

static void print_clone(const struct printer *p)
{
    const u64 *a = p->call->args;
    fputs("child_stack=", p->to);
    text_address(p, a[1]);
    fputs(", flags=", p->to);
    print_clone_flags(p, a[0]);
    if (a[0] & 0x101000) {
        fputs(", parent_tid=", p->to);
        if (has_failed(p->call->result) || !text_object(p, "i32", a[2]))
            text_address(p, a[2]);
    }
    if (a[0] & 0x80000)
        fprintf(p->to, ", tls=%#lx", (unsigned long)a[4]);
    if (a[0] & 0x1200000)
        fprintf(p->to, ", child_tidptr=%#lx", (unsigned long)a[3]);
}

static void print_args(const struct printer *p)
{
    const struct call_arg *args = p->call->variant->args;
    for (unsigned i = 0; i < SYSCALL_ARGS && args[i].name; i++) {
        if (is_left_out(p->call, i))
            break;
        fputs(i ? ", " : "", p->to);
        print_arg(p, &args[i], i);
    }
}

static void print_call(const struct printer *p)
{
    const struct call_made *c = p->call;
    if (c->row->name)
        fprintf(p->to, "%s(", c->row->name);
    else
        fprintf(p->to, "syscall_%#lx(", (unsigned long)c->number);
    if (c->number == CALL_clone)
        print_clone(p);
    else
        print_args(p);
    fputc(')', p->to);
}

static char *text_of(const struct call_made *call, const struct call_memory *memory, bool made)
{
    char *text = NULL;
    size_t size = 0;
    struct printer p = {open_memstream(&text, &size), call, memory};
    if (!p.to)
        return xformat("%s(...)", call->row->name ? call->row->name : "syscall");
    print_call(&p);
    if (made)
        print_result(&p);
    fclose(p.to);
    return text;
}

char *syscall_text(const struct call_made *call, const struct call_memory *memory)
{
    return text_of(call, memory, true);
}

/* A call that failed has written nothing. */
char *syscall_text_begun(const struct call_made *call, const struct call_memory *memory)
{
    struct call_made begun = *call;
    begun.result = -ENOSYS;
    return text_of(&begun, memory, false);
}
