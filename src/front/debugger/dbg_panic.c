/* Rust panics: the messages at such a stop, and at the end of a run that panicked. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_say_panic(struct dbg *d, const struct debug_breakpoint *p)
{
    char *message = debug_panic_message(d->debug);
    dbg_say(d, "Catchpoint %u: panic%s%s\n", p->number, message ? " " : "", message ? message : "");
    json_unsigned(dbg_fields(d), "catchpoint", p->number);
    json_string(dbg_fields(d), "panic", message);
    free(message);
}

void dbg_say_panic_hint(struct dbg *d, u32 status)
{
    if (debug_panicked(d->debug, status))
        dbg_say(d, "A Rust panic ends like this: 'catch panic' and 'bcontinue' go back to it.\n");
}
