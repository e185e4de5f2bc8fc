/* /proc/self for the guest: its own program, mappings and auxv, not the engine's.
 *
 * maps and smaps are made from the kernel's text: its lines give names and figures, the areas give
 * bounds and protection. Mappings outside of all areas are the engine's and are left out. The
 * kernel's cmdline, environ, auxv and stat are right if the kernel accepted the guest's addresses
 * (loader.c); otherwise they are made here from the guest's memory. status is the kernel's, with
 * the guest's signals and size.
 */
#include "engine/proc/proc_files.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/own_file.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/image.h"
#include "engine/memory/kernel_maps.h"
#include "engine/memory/memory_limits.h"
#include "engine/proc/proc_files_internal.h"
#include "engine/signals/signals.h"
#include "engine/threads/filters.h"

enum {
    BUFFER = 4096,
    NAME_COLUMN = 73, /* of a mapping's name in its line */
    K_MFD_CLOEXEC = 1,
    PROC_RLIMIT_DATA = 2,
    PROC_RLIMIT_AS = 9,
};

/* A descriptor that is being written. */
struct out {
    i64 fd;
    size_t length;
    char buffer[BUFFER];
};

static void flush(struct out *o)
{
    for (size_t done = 0; done < o->length;) {
        i64 n = kernel_call(__NR_write, o->fd, o->buffer + done, o->length - done);
        if (n == -EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    o->length = 0;
}

static void proc_files_put(struct out *o, const char *s, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (o->length == BUFFER)
            flush(o);
        o->buffer[o->length++] = s[i];
    }
}

static void proc_files_put_text(struct out *o, const char *s)
{
    proc_files_put(o, s, strlen(s));
}

/* Copies guest memory, which may be unmapped. */
static void put_memory(struct out *o, u64 start, u64 end)
{
    flush(o);
    while (start < end) {
        i64 n = kernel_call(__NR_write, o->fd, start, end - start);
        if (n <= 0)
            break;
        start += (u64)n;
    }
}

/* maps */

const char *proc_files_area_name(const struct area *a, const struct kernel_mapping *m)
{
    u64 stack = guest_image.start_stack;
    if ((a->flags & AREA_STACK) && a->start <= stack && stack < a->end)
        return "[stack]";
    if (a->flags & AREA_BRK)
        return "[heap]";
    if ((a->flags & AREA_VDSO) && !m->name[0]) /* our own */
        return "[vdso]";
    bool mistaken = text_equal(m->name, "[heap]") || text_equal(m->name, "[stack]");
    return mistaken ? "" : m->name;
}

static void add_rights(struct text *line, u32 protection, bool shared)
{
    text_add_char(line, protection & PROT_READ ? 'r' : '-');
    text_add_char(line, protection & PROT_WRITE ? 'w' : '-');
    text_add_char(line, protection & PROT_EXEC ? 'x' : '-');
    text_add_char(line, shared ? 's' : 'p');
}

/* Writes the kernel's format, including the blank after the inode. */
static void put_mapping(struct out *o, const struct kernel_mapping *m)
{
    char buffer[128];
    struct text line = TEXT(buffer);
    text_add_hex_wide(&line, m->start, 8);
    text_add_char(&line, '-');
    text_add_hex_wide(&line, m->end, 8);
    text_add_char(&line, ' ');
    add_rights(&line, m->protection, m->shared);
    text_add_char(&line, ' ');
    text_add_hex_wide(&line, m->offset, 8);
    text_add_char(&line, ' ');
    text_add_hex_wide(&line, m->major, 2);
    text_add_char(&line, ':');
    text_add_hex_wide(&line, m->minor, 2);
    text_add_char(&line, ' ');
    text_add_unsigned(&line, m->inode);
    text_add_char(&line, ' ');
    while (m->name[0] && line.length < NAME_COLUMN)
        text_add_char(&line, ' ');
    proc_files_put_text(o, buffer);
    proc_files_put_text(o, m->name);
    proc_files_put_text(o, "\n");
}

/* Returns the part of the kernel's mapping from `start` to `end`, with the properties of area
 * `a`. */
static struct kernel_mapping guest_mapping(const struct kernel_mapping *m, const struct area *a,
                                           u64 start, u64 end)
{
    struct kernel_mapping seen = *m;
    seen.start = start;
    seen.end = end;
    seen.protection = a->protection;
    seen.shared = a->flags & AREA_SHARED;
    seen.name = proc_files_area_name(a, m);
    if (m->inode)
        seen.offset += start - m->start;
    return seen;
}

struct maps_listing {
    struct out *out;
    u64 written; /* everything below was written */
};

/* The kernel may have several mappings where code is watched, or one where the guest has two that
 * differ in being executable: each area is written where its first byte is met. A stack begins
 * where the kernel has grown it to. */
static bool list_mapping(void *context, const struct kernel_mapping *m)
{
    struct maps_listing *l = context;
    if (m->start >= LAYOUT_USER_END)
        put_mapping(l->out, m); /* the vsyscall page */
    u64 from = m->start > l->written ? m->start : l->written;
    for (const struct area *a = areas_from(from); a && a->start < m->end; a = areas_from(a->end)) {
        u64 start = a->start > m->start ? a->start : m->start;
        struct kernel_mapping seen = guest_mapping(m, a, start, a->end);
        put_mapping(l->out, &seen);
        l->written = a->end;
    }
    return true;
}

static void write_maps(struct out *o)
{
    struct maps_listing l = {o, 0};
    kernel_maps_each(list_mapping, &l);
}

/* smaps: the kernel's mappings with their figures, without the engine's. */

struct figures {
    struct out *out;
    bool ours; /* the mapping whose figures follow is the engine's */
};

static bool copy_figure(void *context, const char *line)
{
    struct figures *f = context;
    struct kernel_mapping m;
    if (!kernel_maps_parse(line, &m)) {
        if (!f->ours) {
            proc_files_put_text(f->out, line);
            proc_files_put_text(f->out, "\n");
        }
        return true;
    }
    const struct area *a = areas_from(m.start);
    bool mapped = a && a->start < m.end;
    f->ours = !mapped && m.start < LAYOUT_USER_END;
    if (mapped)
        m = guest_mapping(&m, a, m.start, m.end);
    if (!f->ours)
        put_mapping(f->out, &m);
    return true;
}

static void write_smaps(struct out *o)
{
    struct figures f = {o, false};
    kernel_maps_lines("/proc/self/smaps", copy_figure, &f);
}

/* Files that the kernel may have right */

static void write_cmdline(struct out *o)
{
    put_memory(o, guest_image.argv_at, guest_image.argv_end);
}

static void write_environ(struct out *o)
{
    put_memory(o, guest_image.envp_at, guest_image.envp_end);
}

static void write_auxv(struct out *o)
{
    put_memory(o, guest_image.auxv_at, guest_image.auxv_at + guest_image.auxv_size);
}

/* Returns the value of a field of stat, counted from 1; false if the kernel's is right. */
static bool stat_value(unsigned field, u64 *ret)
{
    const struct guest_image *i = &guest_image;
    switch (field) {
    case 26: *ret = i->start_code; return true;
    case 27: *ret = i->end_code; return true;
    case 28: *ret = i->start_stack; return true;
    case 45: *ret = i->start_data; return true;
    case 46: *ret = i->end_data; return true;
    case 47: *ret = i->start_heap; return true;
    case 48: *ret = i->argv_at; return true;
    case 49: *ret = i->argv_end; return true;
    case 50: *ret = i->envp_at; return true;
    case 51: *ret = i->envp_end; return true;
    default: return false;
    }
}

/* Returns the end of the name in parentheses, which may contain any characters. */
static const char *behind_name(const char *line)
{
    const char *end = line;
    for (const char *at = line; *at; at++)
        if (*at == ')')
            end = at + 1;
    return end;
}

static bool copy_stat(void *context, const char *line)
{
    struct out *o = context;
    const char *at = behind_name(line);
    proc_files_put(o, line, (size_t)(at - line));
    for (unsigned field = 3; *at == ' '; field++) {
        const char *end = at + 1;
        while (*end && *end != ' ')
            end++;
        char digits[32];
        struct text number = TEXT(digits);
        u64 value;
        if (stat_value(field, &value)) {
            text_add_unsigned(&number, value);
            proc_files_put_text(o, " ");
            proc_files_put_text(o, digits);
        } else {
            proc_files_put(o, at, (size_t)(end - at));
        }
        at = end;
    }
    proc_files_put_text(o, "\n");
    return false;
}

static void write_stat(struct out *o)
{
    kernel_maps_lines("/proc/thread-self/stat", copy_stat, o);
}

/* status: the signals that the kernel delivers to the engine, and the engine's memory, are hidden
 * from the guest. */

static void put_field(struct out *o, const char *name, struct text *value)
{
    proc_files_put_text(o, name);
    proc_files_put(o, value->buffer, value->length);
    proc_files_put_text(o, "\n");
}

static void put_set(struct out *o, const char *name, u64 set)
{
    char digits[32];
    struct text value = TEXT(digits);
    text_add_hex_wide(&value, set, 16);
    put_field(o, name, &value);
}

static void put_number(struct out *o, const char *name, u64 number)
{
    char digits[32];
    struct text value = TEXT(digits);
    text_add_unsigned(&value, number);
    put_field(o, name, &value);
}

static void put_size(struct out *o, const char *name)
{
    enum { COLUMNS = 8 };
    char digits[48], number[32];
    struct text value = TEXT(digits), shown = TEXT(number);
    text_add_unsigned(&shown, memory_limits_mapped() / 1024);
    for (size_t n = shown.length; n < COLUMNS; n++)
        text_add_char(&value, ' ');
    text_add(&value, number);
    text_add(&value, " kB");
    put_field(o, name, &value);
}

static bool copy_status(void *context, const char *line)
{
    struct out *o = context;
    u64 ignored, caught;
    signals_list_sets(&ignored, &caught);
    if (text_starts(line, "SigBlk:")) {
        put_set(o, "SigBlk:\t", thread_self()->mask);
    } else if (text_starts(line, "SigIgn:")) {
        put_set(o, "SigIgn:\t", ignored);
    } else if (text_starts(line, "SigCgt:")) {
        put_set(o, "SigCgt:\t", caught);
    } else if (text_starts(line, "VmPeak:")) {
        put_size(o, "VmPeak:\t");
    } else if (text_starts(line, "VmSize:")) {
        put_size(o, "VmSize:\t");
    } else if (text_starts(line, "Seccomp:")) {
        put_number(o, "Seccomp:\t", thread_self()->filter_mode);
    } else if (text_starts(line, "Seccomp_filters:")) {
        put_number(o, "Seccomp_filters:\t", filters_count(thread_self()));
    } else {
        proc_files_put_text(o, line);
        proc_files_put_text(o, "\n");
    }
    return true;
}

static void write_status(struct out *o)
{
    kernel_maps_lines("/proc/thread-self/status", copy_status, o);
}

/* limits */

static void put_limit(struct out *o, u64 value)
{
    enum { COLUMNS = 20 };
    char digits[32];
    struct text shown = TEXT(digits);
    if (value == ~0ul)
        text_add(&shown, "unlimited");
    else
        text_add_unsigned(&shown, value);
    while (shown.length < COLUMNS)
        text_add_char(&shown, ' ');
    text_add_char(&shown, ' ');
    proc_files_put_text(o, digits);
}

static bool copy_limit(void *context, const char *line)
{
    enum { NAME_COLUMNS = 26, UNIT_AT = 68 };
    u32 resource = text_starts(line, "Max address space")   ? PROC_RLIMIT_AS
                   : text_starts(line, "Max data size") ? PROC_RLIMIT_DATA
                                                             : 0;
    struct out *o = context;
    u64 limit[2];
    if (resource && strlen(line) > UNIT_AT) {
        memory_limits_get(resource, limit);
        proc_files_put(o, line, NAME_COLUMNS);
        put_limit(o, limit[0]);
        put_limit(o, limit[1]);
        line += UNIT_AT;
    }
    proc_files_put_text(o, line);
    proc_files_put_text(o, "\n");
    return true;
}

static void write_limits(struct out *o)
{
    kernel_maps_lines("/proc/self/limits", copy_limit, o);
}

static const struct proc_file {
    const char *name;
    void (*write)(struct out *o);
    bool kernel_may_know; /* if the kernel was told the addresses */
} files[] = {
    {"maps",    write_maps,    false},
    {"smaps",   write_smaps,   false},
    {"cmdline", write_cmdline, true},
    {"environ", write_environ, true},
    {"auxv",    write_auxv,    true},
    {"stat",    write_stat,    true},
    {"status",  write_status,  false},
    {"limits",  write_limits,  false},
};

/* Opening */

#define MADE "proc:" /* the names of these files in memory begin so */

static i64 create(const char *name, u64 flags)
{
    char whole[PROC_NAME + sizeof(MADE)];
    struct text t = TEXT(whole);
    text_add(&t, MADE);
    text_add(&t, name);
    return kernel_call(__NR_memfd_create, whole, flags & O_CLOEXEC ? K_MFD_CLOEXEC : 0);
}

/* Opens the same file read-only from its start, under the same number. */
static i64 for_reading(i64 fd, u64 flags)
{
    char link[64];
    struct text name = TEXT(link);
    proc_files_add_link(&name, fd);
    i64 again = kernel_call(__NR_openat, AT_FDCWD, link, O_RDONLY | O_CLOEXEC);
    if (kernel_failed(again)) {
        kernel_call(__NR_lseek, fd, 0, 0);
        return fd;
    }
    kernel_call(__NR_dup3, again, fd, flags & O_CLOEXEC);
    kernel_call(__NR_close, again);
    return fd;
}

/* Which of the files a descriptor shows; NULL: none. */
static const struct proc_file *proc_files_shown(i32 fd)
{
    enum { GET_SEALS = 1034, SEAL_SEAL = 1 };
    char link[64], found[64];
    struct text name = TEXT(link);
    if (kernel_call(__NR_fcntl, fd, GET_SEALS) != SEAL_SEAL) /* no file in memory */
        return NULL;
    proc_files_add_link(&name, fd);
    i64 size = kernel_call(__NR_readlink, link, found, sizeof(found) - 1);
    found[size > 0 ? size : 0] = 0;
    if (!text_starts(found, "/memfd:" MADE))
        return NULL;
    for (unsigned i = 0; i < countof(files); i++) {
        char whole[PROC_NAME];
        struct text t = TEXT(whole);
        text_add(&t, files[i].name);
        text_add(&t, " ");
        if (text_starts(found + sizeof("/memfd:" MADE) - 1, whole))
            return &files[i];
    }
    return NULL;
}

void proc_files_renew(i32 fd)
{
    const struct proc_file *file = proc_files_shown(fd);
    if (!file)
        return;
    char link[64];
    struct text name = TEXT(link);
    struct out o;
    proc_files_add_link(&name, fd);
    o.length = 0;
    o.fd = kernel_call(__NR_openat, AT_FDCWD, link, O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (kernel_failed(o.fd))
        return;
    file->write(&o);
    flush(&o);
    kernel_call(__NR_close, o.fd);
}

bool proc_files_is_maps(i32 fd)
{
    const struct proc_file *file = proc_files_shown(fd);
    return file && file->write == write_maps;
}

bool proc_files_open(const char *path, u64 flags, i64 *ret)
{
    char name[PROC_NAME];
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_PATH | O_DIRECTORY)) ||
        !proc_files_own(path, name))
        return false;
    for (unsigned i = 0; i < countof(files); i++) {
        if (!text_equal(files[i].name, name))
            continue;
        if (files[i].kernel_may_know && guest_image.told_kernel)
            return false;
        struct out o;
        o.length = 0;
        o.fd = create(name, flags);
        if (o.fd == -ENOSYS || o.fd == -EPERM)
            return false; /* the kernel's text is better than none */
        *ret = o.fd;
        if (kernel_failed(o.fd))
            return true;
        struct own_file_limit limit;
        own_file_begin(&limit);
        files[i].write(&o);
        flush(&o);
        own_file_end(&limit);
        *ret = for_reading(o.fd, flags);
        return true;
    }
    return false;
}
