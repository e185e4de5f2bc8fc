/* Mapped files and the log: see mapped_file.h. */
#include "engine/memory/mapped_file.h"

#include <asm/stat.h>

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/log/log.h"
#include "engine/memory/mapped_copy.h"

enum { SMALL_FILE = 1024 * 1024, LARGEST_PAGE = 1 << 30 };

static bool mapped_file_is_one(const struct mapping *m)
{
    return m->fd >= 0 && !(m->flags & MAP_ANONYMOUS);
}

static bool is_shared(const struct mapping *m)
{
    return mapping_is_shared(m->flags);
}

enum {
    S_IFMT = 0170000, S_IFCHR = 0020000, S_IFSOCK = 0140000,
    ZERO_DEVICE = 1 << 8 | 5,
};

/* Each mapping of /dev/zero is separate memory, shared or not. That of a socket has no content: an
 * access raises SIGBUS, which is in the log. */
static bool has_no_content(i64 fd)
{
    struct stat st;
    if (kernel_call(__NR_fstat, fd, &st))
        return false;
    u32 kind = st.st_mode & S_IFMT;
    return kind == S_IFSOCK || (kind == S_IFCHR && st.st_rdev == ZERO_DEVICE);
}

/* Packets are put into memory by the kernel as they come. */
static bool has_ring(i64 socket)
{
    enum { SOL_SOCKET = 1, SO_DOMAIN = 39, AF_PACKET = 17, AF_XDP = 44 };
    u32 domain = 0, size = sizeof(domain);
    i64 failed = kernel_call(__NR_getsockopt, socket, SOL_SOCKET, SO_DOMAIN, &domain, &size);
    return !failed && (domain == AF_PACKET || domain == AF_XDP);
}

/* Files of the kernel outside of file systems (perf_event, kvm-vcpu, bpf-map) have no type. */
bool mapped_file_is_restless(i32 fd)
{
    struct stat st;
    if (kernel_call(__NR_fstat, fd, &st))
        return false;
    u32 kind = st.st_mode & S_IFMT;
    return kind == 0 || (kind == S_IFSOCK && has_ring(fd)) ||
           (kind == S_IFCHR && st.st_rdev != ZERO_DEVICE);
}

/* Private mappings show what is written through shared ones, where they were not written
 * themselves. So small files that may be mapped in both ways use one copy. */
static bool shares_copy(const struct mapping *m, const struct log_file *file)
{
    struct mapped_copy_name name = {file->device, file->inode};
    return is_shared(m) || mapped_copy_exists(name) ||
           mapped_file_shares_copy(file->kept, file->size);
}

bool mapped_file_shares_copy(bool kept, u64 size)
{
    return kept && size < SMALL_FILE && mapped_copy_cheap();
}

/* Replaces shared memory without a file by a copy, so that a forked replay can be given its own. */
static void stand_in(struct mapping *m)
{
    u64 unit = m->flags & MAP_HUGETLB ? LARGEST_PAGE : PAGE_SIZE;
    m->stands_in = true;
    m->fd = mapped_copy_nameless((m->size + unit - 1) & ~(unit - 1));
    m->offset = 0;
}

struct mapped_file mapped_file_begin(struct mapping *m)
{
    struct mapped_file file = {-1};
    struct log_file from;
    if (!mapped_file_is_one(m)) {
        if (is_shared(m) && !log_owner->live)
            stand_in(m);
        return file;
    }
    m->zeros = log_owner->live && has_no_content(m->fd);
    if (!log_file_to_map(m, &from))
        return file;
    if (from.fd < 0) { /* the recording has no such file: it had no content */
        m->zeros = true;
        m->flags |= MAP_ANONYMOUS;
        if (is_shared(m))
            stand_in(m);
        return file;
    }
    m->size = from.mapped;
    file.fd = m->fd = from.fd;
    if (shares_copy(m, &from))
        m->fd = mapped_copy_of_file((struct mapped_copy_name){from.device, from.inode}, from.fd);
    return file;
}

void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at)
{
    if (mapped_file_is_one(m) && !m->zeros)
        log_file_mapped(m, at);
    if (file->fd >= 0)
        kernel_call(__NR_close, file->fd);
}

/* --- files that are only opened ------------------------------------------------------ */

void mapped_file_opened(i32 fd)
{
    struct mapping none = {.fd = fd, .flags = MAP_PRIVATE};
    log_file_mapped(&none, 0);
}

i32 mapped_file_open_again(void)
{
    struct mapping none = {.fd = -1, .flags = MAP_PRIVATE};
    struct log_file file;
    return log_file_to_map(&none, &file) ? file.fd : -1;
}
