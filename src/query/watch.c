/* Watches: what they watch, their sites in a session, and how long they live. See the header;
 * watch_ask() is in followed.c. */
#include "query/watch.h"

#include <stdlib.h>

#include "base/xalloc.h"

struct watch *watch_create(const struct watch_order *o)
{
    struct watch *w = xalloc(sizeof *w);
    *w = (struct watch){.subject = o->subject,
                        .kind = o->kind,
                        .thread = o->thread,
                        .any_store = o->any_store,
                        .follows = !o->subject->is_fixed,
                        .alive_from = o->at,
                        .alive_to = o->at};
    return w;
}

void watch_destroy(struct watch *w)
{
    if (!w)
        return;
    subject_destroy(w->subject);
    subject_destroy(w->condition);
    free(w->code);
    free(w);
}

struct error *watch_set_condition(struct watch *w, struct subject *condition)
{
    subject_destroy(w->condition);
    free(w->code);
    w->condition = condition;
    w->code = NULL;
    w->follows = !w->subject->is_fixed;
    struct error *slow = condition ? subject_compile(condition, &w->code, &w->code_size) : NULL;
    if (slow) {
        w->code = NULL;
        w->follows = true;
    }
    return slow;
}

/* --- sites ------------------------------------------------------------------------------------ */

static void watch_add_site(const struct watch *w, enum watch_role role, struct breakpoint b,
                           struct watch_site *ret)
{
    static const struct moment unbounded = {0, 0}, never = {~0ull, ~0ull};
    struct moment to = w->end.tick ? w->end : w->begin.tick ? never : unbounded;
    b.site.from_tick = w->begin.tick;
    b.site.from_pc = w->begin.pc;
    b.site.to_tick = to.tick;
    b.site.to_pc = to.pc;
    *ret = (struct watch_site){role, b};
}

static struct breakpoint data_site(const struct watch *w)
{
    const struct subject *s = w->subject;
    return (struct breakpoint){
        .site = {.kind = w->kind,
                 .flags = w->any_store ? PLAN_ANY_STORE : 0,
                 .address = s->address,
                 .size = s->size,
                 .not_first = s->not_first,
                 .not_last = s->not_last,
                 .thread = w->thread,
                 .condition_size = w->code ? (u32)w->code_size : 0},
        .condition = w->code,
    };
}

size_t watch_list_sites(const struct watch *w, struct watch_site ret[WATCH_SITES])
{
    size_t count = 0;
    struct breakpoint b;
    if (!w->follows)
        watch_add_site(w, WATCH_DATA, data_site(w), &ret[count++]);
    if (!w->end.tick && subject_bound(w->subject, SUBJECT_ENDS, &b))
        watch_add_site(w, WATCH_FRAME_ENDS, b, &ret[count++]);
    if (!w->begin.tick && subject_bound(w->subject, SUBJECT_BEGINS, &b))
        watch_add_site(w, WATCH_FRAME_BEGINS, b, &ret[count++]);
    return count;
}

/* --- life ------------------------------------------------------------------------------------- */

struct error *watch_know_life(struct watch *w, struct moment here, bool *ret_changed)
{
    struct moment call;
    bool found = false, interrupted = false;
    struct error *err = NULL;
    *ret_changed = false;
    if (!subject_is_local(w->subject))
        return NULL;
    if (!w->end.tick && moment_compare(w->alive_to, here) < 0) {
        err = subject_frame_end(w->subject, w->alive_to, here, &found, &w->end, &interrupted);
        if (!err && !found && !interrupted)
            w->alive_to = here;
    } else if (!w->begin.tick && moment_compare(here, w->alive_from) < 0) {
        err = subject_frame_begin(w->subject, w->alive_from, here, &found, &w->begin, &call,
                                  &interrupted);
        if (!err && !found && !interrupted)
            w->alive_from = here;
    }
    *ret_changed = !err && found;
    return !err && interrupted
               ? error_coded(ERROR_INTERRUPTED,
                             "interrupted, before it was known whether the frame of %s lives here",
                             w->subject->expression)
               : err;
}

void watch_moved(struct watch *w, struct moment here)
{
    if (!w->end.tick && moment_compare(w->alive_to, here) < 0)
        w->alive_to = here;
    if (!w->begin.tick && moment_compare(here, w->alive_from) < 0)
        w->alive_from = here;
}

bool watch_rebind(struct watch *w, struct session *s, struct source *source)
{
    if (subject_is_local(w->subject) || (w->condition && subject_is_local(w->condition)))
        return false;
    error_destroy(subject_rebind(w->subject, s, source));
    if (w->condition)
        error_destroy(subject_rebind(w->condition, s, source));
    return true;
}
