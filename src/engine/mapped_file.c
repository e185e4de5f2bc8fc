/* Mapped files and the log: see mapped_file.h. */
#include "engine/mapped_file.h"

#include "engine/kernel.h"
#include "engine/kernel_abi.h"
#include "engine/record.h"
#include "engine/replay.h"

static bool is_file(const struct mapping *m)
{
    return m->fd >= 0 && !(m->flags & MAP_ANONYMOUS);
}

struct mapped_file mapped_file_begin(struct mapping *m)
{
    struct mapped_file file = {-1};
    if (log_mode != LOG_REPLAY || !is_file(m))
        return file;
    file.fd = replay_map(m);
    m->fd = file.fd;
    m->flags = (m->flags & ~(u64)MAP_TYPE) | MAP_PRIVATE;
    return file;
}

void mapped_file_end(struct mapped_file *file, const struct mapping *m, u64 at)
{
    if (log_mode == LOG_RECORD && is_file(m))
        record_map(m, at);
    if (file->fd >= 0)
        kernel_call(__NR_close, file->fd);
}
