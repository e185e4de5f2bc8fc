/* The kernel's list of mappings: /proc/self/maps, line by line.
 *
 * Lines are read into a buffer on the stack; a line that is longer than the buffer (a path may be
 * 4096 bytes, more with escapes) loses the end of its name.
 */
#include "engine/memory/kernel_maps.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/text.h"

enum { BUFFER = 8192 };

static u64 read_hex(const char **at)
{
    u64 value = 0;
    for (;; (*at)++) {
        char c = **at;
        if (c >= '0' && c <= '9')
            value = value * 16 + (u64)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (u64)(c - 'a' + 10);
        else
            return value;
    }
}

static u64 read_decimal(const char **at)
{
    u64 value = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = value * 10 + (u64)(**at - '0');
    return value;
}

static bool skip(const char **at, char c)
{
    if (**at != c)
        return false;
    (*at)++;
    return true;
}

static u32 read_protection(const char *rights)
{
    return (rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
           (rights[2] == 'x' ? PROT_EXEC : 0);
}

/* "start-end rwxp offset major:minor inode    name" */
bool kernel_maps_parse(const char *at, struct kernel_mapping *ret)
{
    ret->start = read_hex(&at);
    if (!skip(&at, '-'))
        return false;
    ret->end = read_hex(&at);
    if (!skip(&at, ' ') || ret->end <= ret->start)
        return false;
    for (int i = 0; i < 4; i++)
        if (!at[i])
            return false;
    ret->protection = read_protection(at);
    ret->shared = at[3] == 's';
    at += 4;
    if (!skip(&at, ' '))
        return false;
    ret->offset = read_hex(&at);
    skip(&at, ' ');
    ret->major = (u32)read_hex(&at);
    skip(&at, ':');
    ret->minor = (u32)read_hex(&at);
    skip(&at, ' ');
    ret->inode = read_decimal(&at);
    while (skip(&at, ' '))
        ;
    ret->name = at;
    return true;
}

struct maps_lines {
    char text[BUFFER];
    size_t length;
    bool cutting; /* the rest of an overlong line is being skipped */
    kernel_maps_line *visit;
    void *context;
};

static bool kernel_maps_take_line(struct maps_lines *l, const char *line)
{
    bool rest = l->cutting;
    l->cutting = false;
    return rest || l->visit(l->context, line);
}

/* Visits the whole lines in the buffer and keeps the rest. */
static bool take_lines(struct maps_lines *l)
{
    size_t start = 0;
    for (size_t i = 0; i < l->length; i++) {
        if (l->text[i] != '\n')
            continue;
        l->text[i] = '\0';
        if (!kernel_maps_take_line(l, l->text + start))
            return false;
        start = i + 1;
    }
    if (start == 0 && l->length == BUFFER - 1) {
        l->text[l->length] = '\0';
        bool go_on = kernel_maps_take_line(l, l->text);
        l->cutting = true;
        l->length = 0;
        return go_on;
    }
    memmove(l->text, l->text + start, l->length - start);
    l->length -= start;
    return true;
}

static i64 kernel_maps_read_lines(i64 fd, struct maps_lines *l)
{
    for (;;) {
        i64 got = kernel_call(__NR_read, fd, l->text + l->length, BUFFER - 1 - l->length);
        if (got == -EINTR)
            continue;
        if (got <= 0)
            return got;
        l->length += (size_t)got;
        if (!take_lines(l))
            return 0;
    }
}

i64 kernel_maps_lines(const char *path, kernel_maps_line *visit, void *context)
{
    struct maps_lines l; /* not cleared, because it is large */
    l.length = 0;
    l.cutting = false;
    l.visit = visit;
    l.context = context;
    i64 fd = kernel_call(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    if (kernel_failed(fd))
        return fd;
    i64 result = kernel_maps_read_lines(fd, &l);
    kernel_call(__NR_close, fd);
    return result;
}

struct mappings {
    kernel_maps_visit *visit;
    void *context;
};

static bool take_mapping(void *context, const char *line)
{
    const struct mappings *m = context;
    struct kernel_mapping mapping;
    return !kernel_maps_parse(line, &mapping) || m->visit(m->context, &mapping);
}

i64 kernel_maps_each(kernel_maps_visit *visit, void *context)
{
    struct mappings m = {visit, context};
    return kernel_maps_lines("/proc/self/maps", take_mapping, &m);
}
