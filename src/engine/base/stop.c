/* The engine's last words.
 *
 * Nothing here allocates or waits: it must work when everything else is in ruins.
 */
#include "engine/base/stop.h"

#include "engine/base/kernel.h"
#include "engine/base/text.h"
#include "engine/run/ticks.h"
#include "engine/x86_64/cpu.h"
#include "log/channel.h"

_Noreturn static void say_and_end(const struct text *line, int status)
{
    kernel_call(__NR_write, 2, line->buffer, line->length);
    for (;;)
        kernel_call(__NR_exit_group, status);
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
    if (line.length == sizeof(buffer) - 1)
        line.length--; /* a sentence that was cut ends its line all the same */
    text_add_char(&line, '\n');
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

/* The moment, in the form that the setting stop= reads.  Finding it may fail in turn: once. */
static void add_moment(struct text *line)
{
    static bool tried;
    if (tried || !cpu)
        return;
    tried = true;
    text_add(line, ", near stop=");
    text_add_unsigned(line, ticks_now());
    text_add(line, ":0x");
    text_add_hex(line, cpu->rip);
}

void engine_assertion_failed(const char *expression, const char *file, int number)
{
    char buffer[512];
    struct text line = TEXT(buffer);
    text_add(&line, "ebb: assertion failed: ");
    text_add(&line, expression);
    text_add(&line, " (");
    text_add(&line, file);
    text_add_char(&line, ':');
    text_add_unsigned(&line, (u64)number);
    text_add_char(&line, ')');
    add_moment(&line);
    text_add_char(&line, '\n');
    say_and_end(&line, CHANNEL_EXIT_OURS);
}
