/* Calls on descriptors that must not affect the engine's own. */
#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/log/log.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/memory_limits.h"
#include "log/syscall_table.h"

i64 call_dup2(struct call *call)
{
    i64 failed = descriptors_yield((i32)call->args[1]);
    return failed ? failed : call_pass(call);
}

i64 call_dup3(struct call *call)
{
    return call_dup2(call);
}

i64 call_close_range(struct call *call)
{
    return descriptors_close_range(call->args[0], call->args[1], call->args[2]);
}

/* For a limit that the engine itself enforces (memory_limits.h); the resource is argument `n`. */
static i64 own_limit(struct call *call, const struct call_arg *arg, u32 n)
{
    u32 resource = (u32)call->args[n];
    struct gaddr from = {0}, to = {0};
    u64 before[2], limit[2];
    for (u32 i = n + 1; i < SYSCALL_ARGS && arg[i].name; i++)
        *(arg[i].way & ARG_OUT ? &to : &from) = gaddr(call->args[i]);
    if (from.at && !guest_read(limit, from, sizeof(limit)))
        return -EFAULT;
    memory_limits_get(resource, before);
    i64 failed = from.at ? memory_limits_set(resource, limit) : 0;
    if (failed)
        return failed;
    return !to.at || guest_write(to, before, sizeof(before)) ? 0 : -EFAULT;
}

/* A limit, of this process or another. */
i64 call_limit(struct call *call)
{
    enum { K_RLIMIT_NOFILE = 7 };
    const struct call_arg *arg = syscall_row_of(call->number)->args;
    u32 n = 0;
    while (arg[n].show != SHOW_RESOURCE)
        n++;
    bool own = n == 0 || !call->args[0] || (i32)call->args[0] == kernel_call(__NR_getpid);
    if (own && log_owner->live && memory_limits_has((u32)call->args[n]))
        return own_limit(call, arg, n);
    i64 result = call_pass_now(call);
    if (!result && own && (u32)call->args[n] == K_RLIMIT_NOFILE && call->args[n + 1] &&
        log_owner->live)
        descriptors_limited();
    return result;
}

/* A directory entry as getdents64 writes it. */
struct directory_entry {
    u64 inode;
    i64 offset;
    u16 size;
    u8 type;
    char name[];
};

enum { PROC_MAGIC = 0x9fa0, LINK_SIZE = 64 };

/* True for a list of this process's descriptors, /proc/PID/fd or .../fdinfo. */
static bool lists_descriptors(i32 fd)
{
    u64 about[16]; /* struct statfs: 120 bytes, the type first */
    if (kernel_call(__NR_fstatfs, fd, about) || about[0] != PROC_MAGIC)
        return false;
    char name[LINK_SIZE];
    struct text path = TEXT(name);
    text_add(&path, "/proc/self/fd/");
    text_add_signed(&path, fd);
    char link[LINK_SIZE + 1];
    i64 size = kernel_call(__NR_readlink, name, link, LINK_SIZE);
    if (size < 0)
        return false;
    link[size] = 0;

    path = TEXT(name);
    text_add(&path, "/proc/");
    text_add_signed(&path, kernel_call(__NR_getpid));
    if (!text_starts(link, name))
        return false;
    const char *rest = link + path.length;
    for (const char *slash = rest; (slash = text_find(slash, '/')); slash++)
        rest = slash;
    return text_equal(rest, "/fd") || text_equal(rest, "/fdinfo");
}

static bool names_ours(const char *name)
{
    u64 number;
    const char *rest;
    return text_parse(name, &number, &rest) && !*rest && descriptors_owned((i64)number);
}

/* Removes the engine's entries from what the kernel wrote at `at`; returns the number of bytes
 * left. The guest can read the bytes after them, although they are not part of the result. */
static i64 hide_ours(struct gaddr at, i64 size)
{
    u8 *to = gaddr_pointer(at), *from = to, *end = from + size;
    while (from < end) {
        struct directory_entry *entry = (struct directory_entry *)from;
        u16 bytes = entry->size;
        if (!names_ours(entry->name)) {
            memmove(to, from, bytes);
            to += bytes;
        }
        from += bytes;
    }
    if (to < end) {
        memset(to, 0, (u64)(end - to));
        log_wrote(gaddr((u64)to), (u64)(end - to));
    }
    return to - (u8 *)gaddr_pointer(at);
}

/* The kernel has just written the entries, so the memory is mapped; no other thread can unmap it
 * without the baton. */
i64 call_getdents64(struct call *call)
{
    i64 size = call_pass(call);
    while (size > 0 && lists_descriptors((i32)call->args[0])) {
        size = hide_ours(gaddr(call->args[1]), size);
        if (size)
            break;
        /* there were only the engine's; an empty result would mean the end */
        size = call_pass(call);
    }
    return size;
}
