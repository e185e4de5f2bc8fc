/* The engine's last messages.
 *
 * Nothing here allocates or waits: it must work when everything else is damaged.
 */
#include "engine/base/stop.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/x86_64/cpu.h"
#include "log/channel.h"

_Noreturn static void say_and_end(const struct text *line, int status)
{
    kernel_call(__NR_write, 2, line->buffer, line->length);
    for (;;)
        kernel_call(__NR_exit_group, status);
}

/* A truncated sentence still ends its line. */
static void end_line(struct text *line)
{
    if (line->length == line->size - 1)
        line->length--;
    text_add_char(line, '\n');
}

_Noreturn static void end_with(int status, const char *what, const char *why)
{
    char buffer[4096 + 512];
    struct text line = TEXT(buffer);
    text_add(&line, "ebb: ");
    text_add(&line, what);
    if (why) {
        text_add(&line, ": ");
        text_add(&line, why);
    }
    end_line(&line);
    say_and_end(&line, status);
}

void engine_stop(const char *why, const char *detail)
{
    end_with(CHANNEL_EXIT_OURS, why, detail);
}

void engine_refuse(int status, const char *what, const char *why)
{
    end_with(status, what, why);
}

static bool moment_tried;

/* Finding the moment may itself fail, so it is tried only once. */
static void add_moment(struct text *line)
{
    if (moment_tried || !cpu)
        return;
    moment_tried = true;
    text_add(line, ", near moment ");
    text_add_unsigned(line, ticks_now());
    text_add(line, ":0x");
    text_add_hex(line, cpu->rip);
}

void assertion_failed(const struct assertion *a)
{
    char buffer[1024];
    struct text line = TEXT(buffer);
    text_add(&line, "ebb: assertion failed: ");
    text_add(&line, a->condition);
    if (a->invariant) {
        text_add(&line, ", invariant (");
        text_add_unsigned(&line, a->invariant);
        text_add_char(&line, ')');
    }
    text_add(&line, ", in ");
    text_add(&line, a->function);
    text_add(&line, " (");
    text_add(&line, a->file);
    text_add_char(&line, ':');
    text_add_unsigned(&line, a->line);
    text_add_char(&line, ')');
    add_moment(&line);
    text_add(&line, "; this is a bug in ebb");
    end_line(&line);
    say_and_end(&line, CHANNEL_EXIT_OURS);
}
