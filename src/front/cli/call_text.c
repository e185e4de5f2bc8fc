/* A system call in one line, by its numbers. */
#include "front/cli/call_text.h"

#include <string.h>

#include "log/event.h"

static void print_result(FILE *out, i64 result)
{
    const char *name = result < 0 && result > -4096 ? strerrorname_np((int)-result) : NULL;
    if (name)
        fprintf(out, "-1 %s (%s)", name, strerror((int)-result));
    else if (result >= 0 && result < 1 << 24)
        fprintf(out, "%lld", (long long)result);
    else
        fprintf(out, "0x%llx", (unsigned long long)result);
}

void call_text_print(FILE *out, const struct event *e)
{
    const struct event_syscall *call = (const struct event_syscall *)e->payload;
    fprintf(out, "%u(", call->number);
    for (u16 i = 0; i < call->args; i++)
        fprintf(out, "%s0x%llx", i ? ", " : "", (unsigned long long)event_arguments(e)[i]);
    fputs(") = ", out);
    if (call->flags & SYSCALL_ENTERED)
        fputc('?', out);
    else
        print_result(out, call->result);
}
