/* Mapped files and the log: see mapped_file.h. */
#include "engine/mapped_file.h"

#include "engine/code_watch.h"
#include "engine/descriptors.h"
#include "engine/kernel.h"
#include "engine/kernel_abi.h"
#include "engine/record.h"
#include "engine/replay.h"

enum { SHARED_MOST = 32, SMALL_FILE = 1024 * 1024, K_MFD_CLOEXEC = 1 };

static bool is_file(const struct mapping *m)
{
    return m->fd >= 0 && !(m->flags & MAP_ANONYMOUS);
}

/* --- replay: files that are mapped shared ------------------------------------------ */

static struct shared_copy {
    u64 device, inode; /* of the file that it stands for */
    u64 own_inode;
    i32 fd;
} copies[SHARED_MOST];
static u32 copy_count;

static void fill(i32 to, i32 from)
{
    static u8 buffer[64 * 1024];
    i64 size;
    while ((size = kernel_call(__NR_read, from, buffer, sizeof(buffer))) > 0)
        kernel_call(__NR_write, to, buffer, size);
}

static u64 inode_of(i32 fd)
{
    struct k_stat st = {0};
    kernel_call(__NR_fstat, fd, &st);
    return st.inode;
}

static struct shared_copy *find_copy(u64 device, u64 inode)
{
    for (u32 n = 0; n < copy_count; n++)
        if (copies[n].device == device && copies[n].inode == inode)
            return &copies[n];
    return NULL;
}

/* Private mappings show what is written through shared ones, as far as they have not been written
 * themselves: small files that may be mapped in both ways come from one copy. */
static bool shares_copy(const struct mapping *m, const struct replayed_file *file)
{
    return (m->flags & MAP_TYPE) != MAP_PRIVATE || find_copy(file->device, file->inode) ||
           (file->kept && file->size < SMALL_FILE && copy_count < SHARED_MOST / 2);
}

/* The copy for the file that the log has there; `fd` is open on what it was. */
static i32 shared_copy_of(i32 fd, u64 device, u64 inode)
{
    struct shared_copy *known = find_copy(device, inode);
    if (known) {
        kernel_call(__NR_lseek, known->fd, 0, 0);
        fill(known->fd, fd);
        return known->fd;
    }
    i64 made = kernel_call(__NR_memfd_create, "ebb", K_MFD_CLOEXEC);
    if (kernel_failed(made) || copy_count == SHARED_MOST)
        replay_unable("too many files are mapped shared");
    fill((i32)made, fd);
    struct shared_copy *copy = &copies[copy_count++];
    *copy = (struct shared_copy){device, inode, inode_of((i32)made), -1};
    descriptors_keep((i32)made, true, &copy->fd);
    return copy->fd;
}

static bool is_copy(const struct area *a, const struct shared_copy *copy)
{
    return (a->flags & AREA_FILE) && (a->flags & AREA_SHARED) && a->inode == copy->own_inode;
}

static const struct shared_copy *copy_behind(const struct area *a)
{
    for (u32 n = 0; n < copy_count; n++)
        if (is_copy(a, &copies[n]))
            return &copies[n];
    return NULL;
}

bool mapped_file_write(u64 address, const void *bytes, u64 size)
{
    const struct area *a = areas_find(address);
    const struct shared_copy *copy = a ? copy_behind(a) : NULL;
    if (!copy)
        return false;
    for (const struct area *other = areas_from(0); other; other = areas_from(other->end))
        if (is_copy(other, copy))
            code_watch_changed(other->start, other->end);
    u64 offset = a->offset + (address - a->start);
    return kernel_call(__NR_pwrite64, copy->fd, bytes, size, offset) == (i64)size;
}

void mapped_file_resize(u64 address, u64 size)
{
    const struct area *a = areas_find(address);
    const struct shared_copy *copy = a ? copy_behind(a) : NULL;
    if (copy)
        kernel_call(__NR_ftruncate, copy->fd, size);
}

struct mapped_file mapped_file_begin(struct mapping *m)
{
    struct mapped_file file = {-1};
    struct replayed_file from;
    if (log_mode != LOG_REPLAY || !is_file(m))
        return file;
    replay_map(m, &from);
    file.fd = m->fd = from.fd;
    if (shares_copy(m, &from))
        m->fd = shared_copy_of(from.fd, from.device, from.inode);
    return file;
}

void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at)
{
    if (log_mode == LOG_RECORD && is_file(m))
        record_map(m, at);
    if (file->fd >= 0)
        kernel_call(__NR_close, file->fd);
}

/* --- files that are only opened ------------------------------------------------------ */

void mapped_file_opened(i32 fd)
{
    struct mapping none = {.fd = fd, .flags = MAP_PRIVATE};
    if (log_mode == LOG_RECORD)
        record_map(&none, 0);
}

i32 mapped_file_open_again(void)
{
    struct mapping none = {.fd = -1, .flags = MAP_PRIVATE};
    struct replayed_file file;
    replay_map(&none, &file);
    return file.fd;
}
