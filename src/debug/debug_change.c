/* The values before and after a watchpoint's hit.
 *
 * A hit has the first bytes of the watched value. If the value is longer, it is read at both
 * moments. If it is too long to be shown, only the array element or the bytes that were accessed
 * are shown.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* The part that is shown: the whole value, or the element or bytes that were accessed. */
struct shown_part {
    char *what; /* NULL: the expression that the user typed */
    u64 address, size;
};

static bool is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((u8)text[length]) || text[length] == '_' || text[length] == '.')
        length++;
    return !text[length];
}

/* Finds the accessed element of an array, unless the array is text. */
static bool element_of(struct debug *d, const struct subject *s, u64 touched,
                       struct shown_part *ret)
{
    u64 size;
    if (!s->type || !strchr(s->type, '[') || touched < s->address)
        return false;
    char *first = xformat("sizeof((%s)[0])", s->expression);
    struct error *err = debug_integer(d, first, &size);
    free(first);
    bool fits = !err && size > 1 && size <= SUBJECT_SHOWN_MOST && size <= s->size;
    error_destroy(err);
    if (!fits)
        return false;
    u64 index = (touched - s->address) / size;
    *ret = (struct shown_part){.what = xformat(is_name(s->expression) ? "%s[%llu]" : "(%s)[%llu]",
                                               s->expression, (unsigned long long)index),
                         .address = s->address + index * size, .size = size};
    return true;
}

static void choose_part(struct debug *d, const struct subject *s, u64 touched,
                        struct shown_part *ret)
{
    u64 left = s->address + s->size - touched;
    if (element_of(d, s, touched, ret))
        return;
    *ret = (struct shown_part){.address = s->address, .size = s->size};
    if (!s->type || s->size > SUBJECT_SHOWN_MOST)
        *ret = (struct shown_part){.address = touched, .size = left < 16 ? left : 16};
}

static char *text_of_part(struct debug *d, struct subject *s, const struct shown_part *part,
                          const struct history_state *state)
{
    struct subject *element;
    if (!part->what)
        return s->type && part->size == s->size ? subject_text(s, state)
                                                : subject_bytes_text(state);
    struct error *err =
        subject_create(d->session, d->source, s->thread, &s->request, part->what, &element);
    if (err) {
        error_destroy(err);
        return subject_bytes_text(state);
    }
    char *text = subject_text(element, state);
    subject_destroy(element);
    return text;
}

/* Gets the texts by reading the value at both moments. */
static struct error *texts_by_looking(struct debug *d, struct subject *s,
                                      const struct plan_hit *hit, const struct shown_part *part,
                                      char **old, char **new)
{
    struct moment at = {hit->tick, hit->pc}, after = {hit->after_tick, hit->after_pc};
    struct history_state before = {0}, behind = {0};
    struct error *err = history_state_at(d->session, at, part->address, part->size, &before);
    if (!err)
        err = history_state_at(d->session, after, part->address, part->size, &behind);
    if (!err) {
        *old = text_of_part(d, s, part, &before);
        *new = text_of_part(d, s, part, &behind);
    }
    history_state_deinit(&before);
    history_state_deinit(&behind);
    return err;
}

static void texts_of_hit(struct debug *d, struct subject *s, const struct plan_hit *hit,
                         struct shown_part *part, char **old, char **new)
{
    struct history_state state = {.address = s->address, .size = s->size, .not_first = s->not_first,
                                  .not_last = s->not_last};
    if (hit->value_size == s->size) {
        *part = (struct shown_part){.address = s->address, .size = s->size};
        state.bytes = (u8 *)hit->old;
        *old = text_of_part(d, s, part, &state);
        state.bytes = (u8 *)hit->new;
        *new = text_of_part(d, s, part, &state);
        return;
    }
    choose_part(d, s, hit->address, part);
    struct error *err = texts_by_looking(d, s, hit, part, old, new);
    if (err) {
        *old = xformat("<%s>", error_text(err));
        *new = xformat("<%s>", error_text(err));
        error_destroy(err);
    }
}

/* True if the local's frame still exists. A longjmp leaves frames without a return, so the frames
 * of the thread are searched. */
static bool has_frame(struct debug *d, const struct watch *w, const struct plan_hit *hit)
{
    struct frame *frames;
    size_t count;
    bool found = false;
    if (!subject_is_local(w->subject) || hit->thread != w->subject->thread)
        return true;
    struct error *err = source_frames(d->source, hit->thread, ~(size_t)0, &frames, &count, NULL);
    for (size_t i = 0; i < count && !err; i++)
        found |= frames[i].cfa == w->subject->cfa && !frames[i].tail;
    if (!err)
        free(frames);
    error_destroy(err);
    return found || err;
}

/* Notes where the frame ended or began, which is known from now on. */
static void note_bound(struct debug *d, struct debug_breakpoint *p, u32 role,
                       const struct plan_hit *hit, struct debug_change *ret)
{
    struct watch *w = p->watch;
    struct session_place place;
    session_place(d->session, &place);
    bool begins = role == WATCH_FRAME_BEGINS &&
                  !moment_compare((struct moment){hit->tick, hit->pc}, place.at);
    ret->kind = begins ? CHANGE_FRAME_BEGINS : CHANGE_FRAME_ENDED;
    if (begins)
        w->begin = (struct moment){hit->after_tick, hit->after_pc};
    else
        w->end = place.at;
    debug_breakpoint_unsettle(d, p);
}

static void change_of_data(struct debug *d, const struct debug_breakpoint *p,
                           const struct plan_hit *hit, struct debug_change *ret)
{
    struct shown_part part = {0};
    bool first = false;
    texts_of_hit(d, p->watch->subject, hit, &part, &ret->old, &ret->new);
    if (hit->written) /* the old content is of no interest then */
        error_destroy(
            subject_is_first_write(p->watch->subject, (struct moment){hit->tick, hit->pc}, &first));
    if (first) {
        free(ret->old);
        ret->old = NULL;
    }
    ret->what = part.what ? part.what : xformat("%s", p->what);
}

void debug_watch_change(struct debug *d, struct debug_breakpoint *p, u32 location,
                        const struct plan_hit *hit, struct debug_change *ret)
{
    const struct debug_location *locations = p->locations.items;
    u32 role = WATCH_DATA;
    *ret = (struct debug_change){.kind = CHANGE_OF_DATA};
    for (size_t i = 0; i < p->locations.count; i++)
        if (locations[i].number == location)
            role = locations[i].role;
    if (role == WATCH_DATA && has_frame(d, p->watch, hit))
        change_of_data(d, p, hit, ret);
    else
        note_bound(d, p, role == WATCH_DATA ? WATCH_FRAME_ENDS : role, hit, ret);
}

void debug_followed_change(struct debug *d, struct debug_breakpoint *p, struct debug_change *ret)
{
    *ret = (struct debug_change){
        .kind = CHANGE_OF_DATA, .what = xformat("%s", p->what),
        .old = subject_text(p->watch->subject, &d->followed.old),
        .new = subject_text(p->watch->subject, &d->followed.new),
    };
}

void debug_change_deinit(struct debug_change *c)
{
    free(c->what);
    free(c->old);
    free(c->new);
}
