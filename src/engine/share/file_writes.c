/* Calls that change files: see file_writes.h. */
#include "engine/share/file_writes.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "log/syscall_table.h"

enum { K_SEEK_CUR = 1, K_F_GETFL = 3, K_O_APPEND = 02000, S_IFMT = 0170000, S_IFREG = 0100000 };

bool file_writes_call(u64 number)
{
    return syscall_has(number, EFFECT_WRITES | EFFECT_COPIES);
}

static u64 descriptor_of(u64 number, const u64 *args)
{
    return args[syscall_has(number, EFFECT_COPIES) ? 2 : 0];
}

bool file_writes_begin(struct file_writes *ret, u64 number, const u64 *args)
{
    struct k_stat st;
    if (kernel_failed(kernel_call(__NR_fstat, descriptor_of(number, args), &st)) ||
        (st.mode & S_IFMT) != S_IFREG)
        return false;
    *ret = (struct file_writes){number, args, st.device, st.inode, (u64)st.size, (u64)st.size};
    return true;
}

static bool is_placed(const struct file_writes *w)
{
    return syscall_has(w->number, EFFECT_PLACED) && w->args[3] != ~0ul;
}

struct file_range file_writes_range(struct file_writes *w, i64 result)
{
    struct k_stat st;
    u64 fd = descriptor_of(w->number, w->args), bytes = (u64)result, from = w->args[3];
    if (!kernel_failed(kernel_call(__NR_fstat, fd, &st)))
        w->size_after = (u64)st.size;
    if (syscall_has(w->number, EFFECT_RESIZES | EFFECT_COPIES))
        return (struct file_range){0, ~0ul};
    if (is_placed(w) && (kernel_call(__NR_fcntl, fd, K_F_GETFL) & K_O_APPEND))
        return (struct file_range){0, ~0ul};
    if (!is_placed(w))
        from = (u64)kernel_call(__NR_lseek, fd, 0, K_SEEK_CUR) - bytes;
    return (struct file_range){from, from + bytes};
}
