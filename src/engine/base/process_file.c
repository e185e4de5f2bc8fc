/* Small files of /proc: see the header. */
#include "engine/base/process_file.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/text.h"

u64 process_file_read(u32 id, const char *name, char *ret, u64 room)
{
    char buffer[64];
    struct text path = TEXT(buffer);
    text_add(&path, "/proc/");
    if (id)
        text_add_unsigned(&path, id);
    else
        text_add(&path, "self");
    text_add_char(&path, '/');
    text_add(&path, name);
    i64 fd = kernel_call(__NR_open, buffer, O_RDONLY | O_CLOEXEC), size = 0;
    if (!kernel_failed(fd)) {
        size = kernel_call(__NR_read, fd, ret, room - 1);
        kernel_call(__NR_close, fd);
    }
    u64 length = size > 0 ? (u64)size : 0;
    ret[length] = 0;
    return length;
}

u64 process_file_number(const char *text, const char *word)
{
    for (const char *line = text; line; line = text_find(line, '\n')) {
        u64 number = 0;
        const char *rest;
        line += *line == '\n';
        if (!text_starts(line, word))
            continue;
        text_parse(line + strlen(word), &number, &rest);
        return number;
    }
    return 0;
}
