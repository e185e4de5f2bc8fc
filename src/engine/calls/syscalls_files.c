/* Calls with a path that may name a file of /proc which shows the engine instead of the guest.
 *
 * Only paths that begin with /proc/, and relative ones whose last part is a relevant name, are
 * examined; for all others only the first bytes are tested. Symbolic links on the way are not
 * followed.
 */
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/text.h"
#include "engine/calls/syscalls_internal.h"
#include "engine/memory/guest_memory.h"
#include "engine/proc/proc_files.h"

enum {
    PATH_SIZE = 4096,
    PROC_LENGTH = 6, /* of "/proc/" */
    NAME_SIZE = 32,
};

#define PROC_HEAD 0x2f636f72702ful /* "/proc/", as a number */
#define PROC_MASK 0xfffffffffffful

static const char *const telling_names[] = {
    "exe", "maps", "smaps", "smaps_rollup", "numa_maps", "auxv", "cmdline", "environ", "stat",
    "statm", "status", "limits", "comm", "mem", "pagemap", "wchan", "syscall", "stack",
};

static bool is_telling(const char *path)
{
    const char *name = path;
    for (const char *at = path; *at; at++)
        if (*at == '/')
            name = at + 1;
    for (size_t i = 0; i < countof(telling_names); i++)
        if (text_equal(name, telling_names[i]))
            return true;
    return false;
}

/* Returns the directory of a relative path, if it is in /proc. */
static bool proc_directory(i64 directory, struct text *out)
{
    char name[NAME_SIZE];
    struct text link = TEXT(name);
    if (directory == AT_FDCWD) {
        text_add(&link, "/proc/self/cwd");
    } else {
        text_add(&link, "/proc/self/fd/");
        text_add_signed(&link, directory);
    }
    i64 size = kernel_call(__NR_readlink, name, out->buffer, out->size - 1);
    if (size < PROC_LENGTH || memcmp(out->buffer, "/proc/", PROC_LENGTH) != 0)
        return false;
    out->length = (size_t)size;
    out->buffer[size] = 0;
    return true;
}

static __attribute__((noinline)) bool relative_proc_path(i64 directory, struct gaddr path,
                                                          char out[PATH_SIZE])
{
    char relative[PATH_SIZE];
    if (guest_read_string(relative, path, sizeof(relative)) < 0 || !is_telling(relative))
        return false;
    struct text whole = {out, PATH_SIZE, 0};
    if (!proc_directory(directory, &whole))
        return false;
    text_add_char(&whole, '/');
    text_add(&whole, relative);
    return true;
}

/* Returns the first eight bytes; if they cannot be read at once, as many as there are. */
static u64 path_head(struct gaddr path)
{
    u64 head = 0;
    if (guest_read_u64(path, &head))
        return head;
    u8 *bytes = (u8 *)&head;
    for (u64 i = 0; i < sizeof(head) && guest_read(&bytes[i], gaddr(path.at + i), 1); i++)
        if (!bytes[i])
            break;
    return head;
}

/* True if the path names something in /proc; returns the absolute path. */
static bool proc_path(i64 directory, struct gaddr path, char out[PATH_SIZE])
{
    u64 head = path_head(path);
    u8 first = (u8)head;
    if (first != '/')
        return first && relative_proc_path((i32)directory, path, out);
    return (head & PROC_MASK) == PROC_HEAD && guest_read_string(out, path, PATH_SIZE) > 0;
}

/* Passes on a call whose path is argument `index`, with another path if the guest must see another
 * file. */
static i64 pass_replaced(struct call *call, int index, const char *path)
{
    const char *instead = proc_files_replace(path);
    if (instead)
        call->args[index] = (u64)instead;
    return call_pass(call);
}

static i64 open_path(struct call *call, i64 directory, int index, u64 flags)
{
    char path[PATH_SIZE];
    i64 result;
    reproducible_path(&call->args[index]);
    if (!proc_path(directory, gaddr(call->args[index]), path))
        return call_pass(call);
    if (proc_files_open(path, flags, &result))
        return result;
    if (flags & O_NOFOLLOW)
        return call_pass(call);
    return pass_replaced(call, index, path);
}

i64 call_open(struct call *call)
{
    return open_path(call, AT_FDCWD, 0, call->args[1]);
}

i64 call_openat(struct call *call)
{
    return open_path(call, (i32)call->args[0], 1, call->args[2]);
}

i64 call_openat2(struct call *call)
{
    u64 flags; /* the first field of struct open_how */
    if (!guest_read_u64(gaddr(call->args[2]), &flags))
        return call_pass(call); /* fails with the error that the kernel would return */
    return open_path(call, (i32)call->args[0], 1, flags);
}

/* From the start again: files of /proc that the engine made are made anew. */

i64 call_lseek(struct call *call)
{
    enum { FROM_START = 0 };
    if (!call->args[1] && (u32)call->args[2] == FROM_START)
        proc_files_renew((i32)call->args[0]);
    return call_pass_now(call);
}

i64 call_pread64(struct call *call)
{
    if (!call->args[3])
        proc_files_renew((i32)call->args[0]);
    return call_pass(call);
}

i64 call_ioctl(struct call *call)
{
    enum { K_PROCMAP_QUERY = (int)0xc0686611 };
    if ((i32)call->args[1] == K_PROCMAP_QUERY && proc_files_is_maps((i32)call->args[0]))
        return proc_files_query((u32)call->args[1], call->args[2]);
    return call_pass(call);
}

static i64 read_link(struct call *call, i64 directory, int index)
{
    char path[PATH_SIZE];
    char link[PATH_SIZE];
    i64 size = (i32)call->args[index + 2];
    i64 result;
    if (!proc_path(directory, gaddr(call->args[index]), path) || size <= 0)
        return call_pass(call);
    if (!proc_files_readlink(path, link, size < PATH_SIZE ? (u64)size : PATH_SIZE, &result))
        return call_pass(call);
    if (result > 0 && !guest_write(gaddr(call->args[index + 1]), link, (size_t)result))
        return -EFAULT;
    return result;
}

i64 call_readlink(struct call *call)
{
    return read_link(call, AT_FDCWD, 0);
}

i64 call_readlinkat(struct call *call)
{
    return read_link(call, (i32)call->args[0], 1);
}

static i64 syscalls_files_look_at(struct call *call, i64 directory, int index, u64 flags)
{
    char path[PATH_SIZE];
    if ((flags & AT_SYMLINK_NOFOLLOW) || !proc_path(directory, gaddr(call->args[index]), path))
        return call_pass(call);
    return pass_replaced(call, index, path);
}

i64 call_path_first(struct call *call)
{
    return syscalls_files_look_at(call, AT_FDCWD, 0, 0);
}

i64 call_path_second(struct call *call)
{
    return syscalls_files_look_at(call, (i32)call->args[0], 1, 0);
}

i64 call_newfstatat(struct call *call)
{
    return syscalls_files_look_at(call, (i32)call->args[0], 1, call->args[3]);
}

i64 call_statx(struct call *call)
{
    return syscalls_files_look_at(call, (i32)call->args[0], 1, call->args[2]);
}
