/* What is said where a watchpoint is hit: the values before and behind, and whose doing it was.
 *
 * A hit has the first bytes of what is watched.  If that is not all, both moments are looked at; of what is too long to be shown
 * it is the element that was touched, or the bytes.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

void dbg_say_doer(struct dbg *d, struct moment at, u32 thread)
{
    struct symbols *symbols;
    struct function_info function;
    struct line_place line;
    struct json *j = dbg_fields(d);
    struct error *err = dbg_symbols(d, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    bool known = symbols_function(symbols, at.pc, &function), lined = symbols_line(symbols, at.pc, &line);
    dbg_say(d, "    by %s", known ? function.name : "??");
    json_open(j, "by", '{');
    json_string(j, "function", known ? function.name : NULL);
    json_string(j, "file", lined ? line.file : NULL);
    if (lined) {
        char *file = dbg_short_path(d, line.file);
        dbg_say(d, " at %s:%u", file, line.line);
        free(file);
        json_unsigned(j, "line", line.line);
    }
    json_unsigned(j, "thread", thread);
    json_unsigned(j, "tick", at.tick);
    json_hex(j, "pc", at.pc);
    json_close(j, '}');
    dbg_say(d, ", thread %u, moment %llu:0x%llx\n", thread, (unsigned long long)at.tick,
            (unsigned long long)at.pc);
}

/* What is shown: all of it, or the element or the bytes that were touched. */
struct shown_part {
    char *what; /* NULL: as the user said it */
    u64 address, size;
};

static bool is_name(const char *text)
{
    size_t length = 0;
    while (isalnum((u8)text[length]) || text[length] == '_' || text[length] == '.')
        length++;
    return !text[length];
}

/* Of an array, unless it is text. */
static bool element_of(struct dbg *d, const struct subject *s, u64 touched, struct shown_part *ret)
{
    u64 size;
    if (!s->type || !strchr(s->type, '[') || touched < s->address)
        return false;
    char *first = xformat("sizeof((%s)[0])", s->expression);
    struct error *err = dbg_integer(d, first, &size);
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

static void choose_part(struct dbg *d, const struct subject *s, u64 touched, struct shown_part *ret)
{
    u64 left = s->address + s->size - touched;
    if (element_of(d, s, touched, ret))
        return;
    *ret = (struct shown_part){.address = s->address, .size = s->size};
    if (!s->type || s->size > SUBJECT_SHOWN_MOST)
        *ret = (struct shown_part){.address = touched, .size = left < 16 ? left : 16};
}

static char *text_of_part(struct dbg *d, struct subject *s, const struct shown_part *part,
                          const struct history_state *state)
{
    struct subject *element;
    if (!part->what)
        return s->type && part->size == s->size ? subject_text(s, state) : subject_bytes_text(state);
    struct error *err = subject_create(d->session, d->source, s->thread, &s->request, part->what, &element);
    if (err) {
        error_destroy(err);
        return subject_bytes_text(state);
    }
    char *text = subject_text(element, state);
    subject_destroy(element);
    return text;
}

/* By looking at both moments. */
static struct error *texts_by_looking(struct dbg *d, struct subject *s, const struct plan_hit *hit,
                                      const struct shown_part *part, char **old, char **new)
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

static void texts_of_hit(struct dbg *d, struct subject *s, const struct plan_hit *hit,
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

/* `old` NULL: it is a local that its frame has not written before. */
void dbg_say_values(struct dbg *d, const struct dbg_breakpoint *p, const struct plan_hit *hit,
                    const char *what, const char *old, const char *new)
{
    dbg_say(d, "Watchpoint %u: ", p->number);
    dbg_colour(d, "1");
    if (!hit->written)
        dbg_say(d, "%s read: %s", what, new);
    else if (!old)
        dbg_say(d, "%s  first written: %s", what, new);
    else if (strcmp(old, new) == 0)
        dbg_say(d, "%s  %s, written again", what, new);
    else
        dbg_say(d, "%s  %s -> %s", what, old, new);
    dbg_colour(d, "");
    dbg_say(d, "\n");
    json_unsigned(dbg_fields(d), "watchpoint", p->number);
    json_string(dbg_fields(d), "old", old);
    json_string(dbg_fields(d), "new", new);
    dbg_say_doer(d, (struct moment){hit->tick, hit->pc}, hit->thread);
}

static void say_data(struct dbg *d, const struct dbg_breakpoint *p, const struct plan_hit *hit)
{
    char *old = NULL, *new = NULL;
    struct shown_part part = {0};
    bool first = false;
    texts_of_hit(d, p->watch->subject, hit, &part, &old, &new);
    if (hit->written) /* then what was there is of no interest */
        error_destroy(subject_is_first_write(p->watch->subject, (struct moment){hit->tick, hit->pc}, &first));
    if (first) {
        free(old);
        old = NULL;
    }
    dbg_say_values(d, p, hit, part.what ? part.what : p->what, old, new);
    free(part.what);
    free(old);
    free(new);
}

/* The frame's end, or its beginning: from now on it is known. */
static void say_bound(struct dbg *d, struct dbg_breakpoint *p, u32 role, const struct plan_hit *hit)
{
    struct dbg_watch *w = p->watch;
    struct session_place place;
    session_place(d->session, &place);
    bool begins = role == LOCATION_OF_BEGINNING &&
                  !moment_compare((struct moment){hit->tick, hit->pc}, place.at);
    char *frame = dbg_subject_frame(w->subject);
    dbg_say(d, "Watchpoint %u: %s: %s %s.\n", p->number, p->what, frame,
            begins ? "has not begun yet" : "has ended");
    json_unsigned(dbg_fields(d), "watchpoint", p->number);
    free(frame);
    if (begins)
        w->begin = (struct moment){hit->after_tick, hit->after_pc};
    else
        w->end = place.at;
    dbg_breakpoint_unsettle(d, p);
}

/* After a longjmp nothing returned; but the frame is not among those of its thread. */
static bool has_frame(struct dbg *d, const struct dbg_watch *w, const struct plan_hit *hit)
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

const char *dbg_watch_say(struct dbg *d, struct dbg_breakpoint *p, u32 location, const struct plan_hit *hit)
{
    const struct dbg_location *locations = p->locations.items;
    u32 role = LOCATION_OF_DATA;
    for (size_t i = 0; i < p->locations.count; i++)
        if (locations[i].number == location)
            role = locations[i].role;
    if (role == LOCATION_OF_DATA && has_frame(d, p->watch, hit)) {
        say_data(d, p, hit);
        return "watchpoint";
    }
    say_bound(d, p, role == LOCATION_OF_DATA ? LOCATION_OF_END : role, hit);
    return "frame";
}
