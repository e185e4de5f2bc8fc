/* Text files that the engine writes line by line, for users and tools. */
#include "engine/base/lines.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/stop.h"

enum {
    LINES_MODE = 0644,
    LINES_FLUSH_AT = 2048,
};

void lines_open(struct lines *l, const char *path, u64 how)
{
    l->text = TEXT(l->buffer);
    l->fd = 2;
    if (!path)
        return;
    u64 flags = O_WRONLY | O_CREAT | O_CLOEXEC | how;
    i64 fd = kernel_call(__NR_openat, AT_FDCWD, path, flags, LINES_MODE);
    if (kernel_failed(fd))
        engine_stop("a file that was asked for cannot be made", path);
    l->fd = (i32)fd;
    descriptors_keep(l->fd, true, &l->fd);
}

void lines_flush(struct lines *l)
{
    for (size_t done = 0; done < l->text.length;) {
        i64 n = kernel_call(__NR_write, l->fd, l->buffer + done, l->text.length - done);
        if (n == -EINTR)
            continue;
        if (n <= 0)
            engine_stop("a file that was asked for cannot be written", NULL);
        done += (size_t)n;
    }
    l->text.length = 0;
}

void lines_end(struct lines *l)
{
    text_add_char(&l->text, '\n');
    if (l->text.length >= LINES_FLUSH_AT)
        lines_flush(l);
}

void lines_add_hex(struct lines *l, const char *name, u64 value)
{
    text_add(&l->text, name);
    text_add(&l->text, " 0x");
    text_add_hex(&l->text, value);
    lines_end(l);
}
