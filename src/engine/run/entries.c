/* A log of block entries: see entries.h. */
#include "engine/run/entries.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/settings.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/x86_64/cpu.h"

static i32 file = -1;

void entries_start(void)
{
    if (!settings.entries)
        return;
    i64 fd =
        kernel_call(__NR_open, settings.entries, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (kernel_failed(fd))
        engine_refuse(2, settings.entries, "cannot be written");
    descriptors_keep((i32)fd, true, &file);
    settings.link = false;
}

/* tick, pc, and a hash of the registers, so that two logs can be compared line by line. */
void entries_write(u64 pc)
{
    char line[96];
    struct text t = TEXT(line);
    u64 hash = 0xcbf29ce484222325;
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        hash = (hash ^ cpu->reg[n]) * 0x100000001b3;
    text_add_unsigned(&t, ticks_now());
    text_add(&t, " ");
    text_add_hex(&t, pc);
    text_add(&t, " ");
    text_add_hex_wide(&t, hash, 16);
    text_add(&t, "\n");
    kernel_call(__NR_write, file, line, t.length);
}
