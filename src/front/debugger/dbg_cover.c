/* Prints which part of the run an answer covers: which bytes or expression, in which call, from
 * when to when.
 *
 * Every answer that says "first", "last" or "never" is valid for a stretch of time and a place, and
 * says so. For a local, that is one call of its function, from the local's first write on.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_cover_say(struct dbg *d, const struct subject *s, const struct debug_cover *c)
{
    char *keeping = debug_keeping(s);
    char *text = s->is_constant ? xformat("a constant, which nothing writes")
                                : debug_cover_text(d->debug, s, c);
    dbg_say(d, "%s: %s.\n", s->expression, text);
    if (keeping)
        dbg_say(d, "T%s.\n", keeping + 1);
    free(text);
    free(keeping);
}

void dbg_cover_json(struct json *j, const struct subject *s, const struct debug_cover *c)
{
    json_open(j, "covers", '{');
    json_unsigned(j, "from", c->from.tick);
    json_unsigned(j, "to", c->to.tick);
    json_string(j, "call", subject_is_local(s) ? s->function_name : NULL);
    if (s->is_fixed)
        json_hex(j, "address", s->address);
    else
        json_string(j, "address", NULL);
    json_close(j, '}');
}
