/* The current place: shows and chooses the thread and the frame that commands work on.
 *
 * backtrace, frame, up, down, thread and `thread apply`; and the lines that every command shows
 * after a movement. Frames are made only as far as they are shown, because a stack can be very
 * deep.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { FRAMES_COUNTED = 10000 };

/* --- showing ---------------------------------------------------------------------------------- */

static void say_from(struct dbg *d, const struct frame *f)
{
    if (f->place.file) {
        char *file = dbg_short_path(d, f->place.file);
        dbg_say(d, " at ");
        dbg_colour(d, "32");
        dbg_say(d, "%s:%u", file, f->place.line);
        dbg_colour(d, "");
        free(file);
    } else if (f->module) {
        dbg_say(d, " from %s", f->module);
    }
}

void dbg_say_frame(struct dbg *d, size_t index, bool numbered)
{
    /* copied, because the list may grow */
    const struct frame lent = d->debug->frames[index], *f = &lent;
    if (numbered)
        dbg_say(d, "#%-2zu ", index);
    if (!f->function)
        dbg_say(d, "0x%llx in ", (unsigned long long)f->pc);
    dbg_colour(d, "33");
    char *name = symbols_bare_name(f->function ? f->function : "??");
    dbg_say(d, "%s", name);
    free(name);
    dbg_colour(d, "");
    if (f->signal)
        dbg_say(d, " <signal handler called>");
    else
        dbg_say_arguments(d, index);
    say_from(d, f);
    dbg_say(d, "%s%s\n", f->inlined ? " (inlined)" : "", f->tail ? " (tail call)" : "");
}

/* Says that the innermost frame is not the selected one. */
static void say_inside(struct dbg *d)
{
    struct symbols *symbols;
    if (!d->debug->auto_selected || d->debug->selected == 0)
        return;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    char *text = symbols_describe(symbols, d->debug->frames[0].pc);
    dbg_say(d, "in %s, called from frame %zu:\n", text, d->debug->selected);
    free(text);
}

void dbg_say_here(struct dbg *d)
{
    const struct frame *f = debug_frame(d->debug);
    if (!f) {
        struct session_place place;
        session_place(d->debug->session, &place);
        dbg_say(d, "0x%llx in ?? ()\n", (unsigned long long)place.at.pc);
        return;
    }
    say_inside(d);
    dbg_say_frame(d, d->debug->selected, false);
    f = &d->debug->frames[d->debug->selected];
    if (f->place.file)
        dbg_say_source(d, f->place.file, f->place.line, d->settings.context, d->settings.context);
}

void dbg_say_thread(struct dbg *d, u32 thread)
{
    struct control_thread *threads;
    size_t count;
    struct error *err = session_threads(d->debug->session, &threads, &count);
    dbg_say(d, "thread %u", thread);
    for (size_t i = 0; i < count && !err; i++)
        if (threads[i].thread == thread) {
            dbg_thread_named(d, &threads[i]);
            dbg_say(d, " (%.16s)", threads[i].name);
        }
    if (!err)
        free(threads);
    error_destroy(err);
}

void dbg_json_place(struct dbg *d, struct json *j)
{
    struct session_place place;
    const struct frame *f = debug_frame(d->debug);
    session_place(d->debug->session, &place);
    json_open(j, "moment", '{');
    json_unsigned(j, "tick", place.at.tick);
    json_hex(j, "pc", place.at.pc);
    json_close(j, '}');
    json_string(j, "file", f ? f->place.file : NULL);
    if (f && f->place.file)
        json_unsigned(j, "line", f->place.line);
    else
        json_string(j, "line", NULL);
    json_string(j, "function", f ? f->function : NULL);
    json_unsigned(j, "thread", d->debug->thread);
}

/* --- frames ----------------------------------------------------------------------------------- */

struct span { size_t first, last; };

/* Reads `bt`, `bt N` and `bt -N`. For the first and the last, all frames have to be found. */
static struct error *read_span(struct dbg *d, const char *args, struct span *ret)
{
    u64 n = ~(size_t)0;
    bool outermost = *args == '-';
    struct error *err = *args ? debug_number(args + outermost, "number of frames", &n) : NULL;
    if (err)
        return err;
    size_t least = ~(size_t)0;
    if (!outermost && n < least - FRAMES_COUNTED)
        least = n + FRAMES_COUNTED;
    size_t count = debug_shown_frames(d->debug, least, NULL);
    *ret = (struct span){0, count};
    if (n < count)
        *ret = outermost ? (struct span){count - n, count} : (struct span){0, n};
    return NULL;
}

static void say_rest(struct dbg *d, const struct span *span)
{
    bool all;
    const char *why = NULL;
    size_t shown = debug_shown_frames(d->debug, span->last, &all);
    unwinding_ended(d->debug->unwinding, &why);
    if (span->last < shown)
        dbg_say(d, "(%s%zu more)\n", all ? "" : "more than ", shown - span->last);
    else if (why && shown == d->debug->frame_count)
        dbg_say(d, "(no further: %s)\n", why);
}

static void say_locals_of(struct dbg *d, size_t index)
{
    size_t before = d->debug->selected;
    if (!d->debug->frames[index].place.file)
        return;
    struct dbg_field_mark mark = dbg_fields_mark(d);
    d->debug->selected = index;
    error_destroy(dbg_variables(d, &(struct dbg_which_variables){0}, "        "));
    d->debug->selected = before;
    dbg_fields_take_back(d, mark);
}

static void json_frame(struct dbg *d, size_t index)
{
    struct json *j = dbg_fields(d);
    const struct frame *f = &d->debug->frames[index];
    json_open(j, NULL, '{');
    json_unsigned(j, "level", index);
    json_hex(j, "pc", f->pc);
    json_string(j, "function", f->function);
    json_string(j, "file", f->place.file);
    if (f->place.file)
        json_unsigned(j, "line", f->place.line);
    json_string(j, "module", f->module);
    json_bool(j, "inlined", f->inlined);
    json_bool(j, "tail", f->tail);
    json_close(j, '}');
}

struct error *dbg_backtrace(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct span span;
    (void)c;
    bool full = debug_take_word(&args, "full") || debug_take_word(&args, "-full");
    struct error *err = debug_frames(d->debug);
    if (!err)
        err = read_span(d, args, &span);
    if (err)
        return err;
    for (size_t i = span.first; i < span.last; i++) {
        dbg_say_frame(d, i, true);
        if (full)
            say_locals_of(d, i);
    }
    say_rest(d, &span);
    json_open(dbg_fields(d), "frames", '[');
    for (size_t i = span.first; i < span.last; i++)
        json_frame(d, i);
    json_close(dbg_fields(d), ']');
    return NULL;
}

static struct error *show_chosen(struct dbg *d, size_t index)
{
    debug_choose_frame(d->debug, index);
    dbg_say_frame(d, index, true);
    const struct frame *f = &d->debug->frames[index];
    if (f->place.file)
        dbg_say_source(d, f->place.file, f->place.line, d->settings.context, d->settings.context);
    return NULL;
}

static struct error *outermost_frame(struct dbg *d)
{
    if (d->debug->selected + 1 < d->debug->frame_count)
        return error_coded(
            ERROR_UNAVAILABLE,
            "this is the outermost frame; 'set past-main on' shows what called main");
    return error_coded(ERROR_UNAVAILABLE, "this is the outermost frame");
}

/* frame function NAME: finds its innermost frame. */
static struct error *frame_of_function(struct dbg *d, const char *name, u64 *ret)
{
    bool all = false;
    if (!*name)
        return error_coded(ERROR_MISUSED, "say which function");
    for (size_t i = 0; !all; i++) {
        size_t count = debug_shown_frames(d->debug, i + 1, &all);
        for (; i < count; i++) {
            char *bare =
                symbols_bare_name(d->debug->frames[i].function ? d->debug->frames[i].function : "");
            bool same =
                strcmp(bare, name) == 0 ||
                (d->debug->frames[i].function && strcmp(d->debug->frames[i].function, name) == 0);
            free(bare);
            if (same) {
                *ret = i;
                return NULL;
            }
        }
    }
    return error_coded(ERROR_NOT_FOUND,
                       "there is no frame of function '%s'; 'backtrace' lists the frames", name);
}

/* frame address ADDRESS: by the canonical frame address, which 'info frame' shows. */
static struct error *frame_at_address(struct dbg *d, const char *expression, u64 *ret)
{
    u64 address;
    bool all = false;
    struct error *err = *expression ? debug_address_of(d->debug, expression, &address)
                                    : error_coded(ERROR_MISUSED, "say which address");
    for (size_t i = 0; !err && !all; i++) {
        size_t count = debug_shown_frames(d->debug, i + 1, &all);
        for (; i < count; i++)
            if (d->debug->frames[i].cfa == address) {
                *ret = i;
                return NULL;
            }
    }
    return err ? err
               : error_coded(
                     ERROR_NOT_FOUND,
                     "no frame has the canonical frame address 0x%llx; 'info frame' shows it",
                     (unsigned long long)address);
}

/* Reads the argument of `frame`: a number, or one of gdb's other forms. */
static struct error *frame_wanted(struct dbg *d, const char *args, u64 *ret)
{
    if (debug_take_word(&args, "function"))
        return frame_of_function(d, args, ret);
    if (debug_take_word(&args, "address"))
        return frame_at_address(d, args, ret);
    debug_take_word(&args, "level");
    return debug_number(args, "frame number", ret);
}

struct error *dbg_select_frame(struct dbg *d, const struct dbg_command *c, const char *args)
{
    u64 n = 0;
    (void)c;
    struct error *err = debug_frames(d->debug);
    if (!err)
        err = frame_wanted(d, args, &n);
    if (!err && n >= debug_shown_frames(d->debug, n + 1, NULL))
        err = error_coded(ERROR_NOT_FOUND, "there is no frame %llu", (unsigned long long)n);
    if (!err)
        debug_choose_frame(d->debug, n);
    return err;
}

/* frame [N], up [N], down [N]: `which` is 0, 1 and -1; 2 and -2 do not show the frame. */
struct error *dbg_choose_frame(struct dbg *d, const struct dbg_command *c, const char *args)
{
    u64 n = 0;
    if (!c->which && debug_take_word(&args, "apply"))
        return dbg_frame_apply(d, args);
    struct error *err = debug_frames(d->debug);
    if (!err && c->which)
        err = debug_count(args, &n);
    else if (!err && *args)
        err = frame_wanted(d, args, &n);
    if (err)
        return err;
    if (!d->debug->frame_count)
        return error_coded(ERROR_NOT_FOUND, "there are no frames here");
    size_t least =
        n < ~(size_t)0 - d->debug->selected - 1 ? d->debug->selected + n + 1 : ~(size_t)0;
    size_t count = debug_shown_frames(d->debug, least, NULL);
    if (c->which == 0)
        n = *args ? n : d->debug->selected;
    else if (c->which > 0 && d->debug->selected + 1 >= count)
        return outermost_frame(d);
    else if (c->which < 0 && d->debug->selected == 0)
        return error_coded(ERROR_UNAVAILABLE, "this is the innermost frame");
    else if (c->which > 0)
        n = n < count - d->debug->selected ? d->debug->selected + n : count - 1;
    else
        n = n < d->debug->selected ? d->debug->selected - n : 0;
    if (n >= count && n != d->debug->selected)
        return error_coded(ERROR_NOT_FOUND, "there is no frame %llu: the outermost is %zu",
                           (unsigned long long)n, count - 1);
    if (c->which == 2 || c->which == -2) {
        debug_choose_frame(d->debug, n);
        return NULL;
    }
    return show_chosen(d, n);
}

/* --- threads ---------------------------------------------------------------------------------- */

static bool has_thread(const struct control_thread *threads, size_t count, u64 n)
{
    for (size_t i = 0; i < count; i++)
        if (threads[i].thread == n)
            return true;
    return false;
}

static struct error *choose_thread(struct dbg *d, const struct control_thread *threads,
                                   size_t count, const char *args)
{
    u64 n = d->debug->thread;
    struct error *err = *args ? debug_number(args, "thread number", &n) : NULL;
    if (err)
        return err;
    if (!has_thread(threads, count, n))
        return error_coded(ERROR_NOT_FOUND,
                           "there is no thread %llu now; 'info threads' lists them",
                           (unsigned long long)n);
    if (n != d->debug->thread)
        debug_choose_thread(d->debug, (u32)n);
    dbg_say_thread(d, (u32)n);
    dbg_say(d, "\n");
    dbg_say_here(d);
    return NULL;
}

struct error *dbg_choose_thread(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct control_thread *threads;
    size_t count;
    (void)c;
    if (debug_take_word(&args, "apply"))
        return dbg_thread_apply(d, args);
    if (debug_take_word(&args, "name"))
        return dbg_thread_name(d, args);
    if (debug_take_word(&args, "find"))
        return dbg_thread_find(d, args);
    struct error *err = session_threads(d->debug->session, &threads, &count);
    if (err)
        return err;
    err = choose_thread(d, threads, count, args);
    free(threads);
    return err;
}
