/* Mapped files and the log: see mapped_file.h. */
#include "engine/memory/mapped_file.h"

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
    return (m->flags & MAP_TYPE) != MAP_PRIVATE;
}

/* Private mappings show what is written through shared ones, as far as they have not been written
 * themselves: small files that may be mapped in both ways come from one copy. */
static bool shares_copy(const struct mapping *m, const struct log_file *file)
{
    struct mapped_copy_name name = {file->device, file->inode};
    return is_shared(m) || mapped_copy_exists(name) ||
           (file->kept && file->size < SMALL_FILE && mapped_copy_cheap());
}

/* Shared memory without a file: so that a forked replay can be given its own. */
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
    if (!log_file_to_map(m, &from))
        return file;
    file.fd = m->fd = from.fd;
    if (shares_copy(m, &from))
        m->fd = mapped_copy_of_file((struct mapped_copy_name){from.device, from.inode}, from.fd);
    return file;
}

void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at)
{
    if (mapped_file_is_one(m))
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
