/* Messages about the copy of the process that calls and assignments change. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_say_copy(struct dbg *d, bool was_there)
{
    bool there = session_scratch(d->debug->session);
    if (d->debug->copy.output && *d->debug->copy.output)
        json_string(dbg_fields(d), "output", d->debug->copy.output);
    free(d->debug->copy.output);
    d->debug->copy.output = NULL;
    if (there && !d->debug->copy.told) {
        dbg_say(d, "(This happened in a copy of the process; the recording does not change. "
                   "The copy lasts until you move.)\n");
        d->debug->copy.told = true;
    }
    if (was_there && !there) {
        if (d->debug->copy.changed)
            dbg_say(d, "(The copy with your changes is gone: this is the recording again.)\n");
        d->debug->copy = (struct debug_copy){.told = d->debug->copy.told};
    }
}
