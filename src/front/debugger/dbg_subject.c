/* Expressions that are asked about over time: what until, history and watchpoints share. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

struct error *dbg_subject(struct dbg *d, const char *text, struct subject **ret)
{
    struct values_request request;
    struct subject *s;
    struct error *err = dbg_request(d, &request);
    if (!err)
        err = subject_create(d->session, d->source, d->thread, &request, text, &s);
    if (err)
        return err;
    if (s->is_gone)
        err = error_new("%s is optimised out here", text);
    else if (s->is_constant)
        err = error_new("%s never changes", text);
    if (err)
        subject_destroy(s);
    else
        *ret = s;
    return err;
}

char *dbg_subject_frame(const struct subject *s)
{
    struct function_info function;
    bool known = s->function && symbols_function(s->symbols, s->function, &function);
    return known ? xformat("the frame of %s", function.name) : xformat("the frame");
}

/* Of [*from, *to], where it can have a value: the life of its frame. */
struct error *dbg_subject_life(struct dbg *d, const struct subject *s, struct moment alive,
                               struct moment *from, struct moment *to, bool *ret_interrupted)
{
    struct moment begin = session_first(d->session), end = session_last(d->session);
    bool found;
    *ret_interrupted = false;
    if (!subject_is_local(s))
        return NULL;
    struct error *err = subject_frame_begin(s, alive, begin, &found, &begin, ret_interrupted);
    if (!err && !*ret_interrupted)
        err = subject_frame_end(s, alive, end, &found, &end, ret_interrupted);
    if (moment_compare(*from, begin) < 0)
        *from = begin;
    if (moment_compare(end, *to) < 0)
        *to = end;
    return err;
}
