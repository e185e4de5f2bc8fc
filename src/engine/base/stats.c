/* What `ebb exec --stats`, or the setting stats=1, prints when the process ends.
 *
 * By then the program may have closed its stderr, as coreutils do, so a copy of the descriptor is
 * kept from the start.
 */
#include "engine/base/stats.h"

#include "engine/base/descriptors.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/settings.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/x86_64/cpu.h"

enum {
    MONOTONIC = 1, /* CLOCK_MONOTONIC */
    NAME_WIDTH = 14,
    FIGURE_WIDTH = 16,
};

struct stats stats;
struct stats_sources stats_sources;

static struct {
    u64 began; /* nanoseconds */
    i32 out_fd;
} stats_run = {.out_fd = 2};

static u64 stats_nanoseconds_now(void)
{
    struct k_timespec now = {0, 0};
    kernel_call(__NR_clock_gettime, MONOTONIC, &now);
    return (u64)now.seconds * 1000000000 + (u64)now.nanoseconds;
}

static void keep_errors(void)
{
    i64 copy = settings.stats ? kernel_call(__NR_dup, 2) : -EBADF;
    if (!kernel_failed(copy))
        descriptors_keep((i32)copy, true, &stats_run.out_fd);
}

void stats_start(void)
{
    stats_run.began = stats_nanoseconds_now();
    keep_errors();
}

void stats_forked(void)
{
    stats = (struct stats){0};
    cpu->calls = 0;
    stats_run.began = stats_nanoseconds_now();
}

void stats_copied(void)
{
    stats_forked();
    descriptors_drop(stats_run.out_fd);
    stats_run.out_fd = 2;
    keep_errors();
}

static void add_spaces(struct text *out, size_t have, size_t wanted)
{
    for (; have < wanted; have++)
        text_add_char(out, ' ');
}

static void add_line(struct text *out, const char *name, const char *figure)
{
    text_add(out, "ebb: ");
    text_add(out, name);
    add_spaces(out, strlen(name), NAME_WIDTH);
    add_spaces(out, strlen(figure), FIGURE_WIDTH);
    text_add(out, figure);
    text_add_char(out, '\n');
}

static void add_count(struct text *out, const char *name, u64 count)
{
    char buffer[32];
    struct text figure = TEXT(buffer);
    text_add_unsigned(&figure, count);
    add_line(out, name, buffer);
}

static void add_seconds(struct text *out, u64 nanoseconds)
{
    char buffer[32];
    struct text figure = TEXT(buffer);
    text_add_unsigned(&figure, nanoseconds / 1000000000);
    text_add_char(&figure, '.');
    u64 milliseconds = nanoseconds / 1000000 % 1000;
    for (u64 unit = 100; unit; unit /= 10)
        text_add_char(&figure, (char)('0' + milliseconds / unit % 10));
    add_line(out, "seconds", buffer);
}

/* Uses one write, so that lines of two processes that end together do not mix. */
void stats_print(void)
{
    if (!settings.stats)
        return;
    char buffer[1024];
    struct text out = TEXT(buffer);
    add_count(&out, "ticks", ticks_now());
    add_count(&out, "fragments", stats.fragments);
    add_count(&out, "cache bytes", stats_sources.cache_bytes());
    add_count(&out, "lookups missed", stats.lookups_missed);
    if (stats.lookup_slots)
        add_count(&out, "look-up slots", stats.lookup_slots);
    add_count(&out, "system calls", stats.system_calls + cpu->calls);
    if (stats.flushes)
        add_count(&out, "cache flushes", stats.flushes);
    if (stats.code_writes)
        add_count(&out, "code writes", stats.code_writes);
    if (stats_sources.changes)
        add_count(&out, "changes", stats_sources.changes());
    add_seconds(&out, stats_nanoseconds_now() - stats_run.began);
    kernel_call(__NR_write, stats_run.out_fd, buffer, out.length);
}
