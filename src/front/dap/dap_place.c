/* The current place: threads, stack frames, modules.
 *
 * The protocol names a frame by a number that is unique among all threads. Here it has the thread
 * in its lower bits and the frame's level in the others. So no table of frames is needed, and a
 * stack of 100,000 frames costs only what is requested.
 */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"

enum {
    FRAMES_UNASKED = 1000, /* if the client does not say how many it wants */
    FRAME_THREAD_BITS = 16,
};

/* --- threads ---------------------------------------------------------------------------------- */

struct error *dap_threads(struct dap *s, const struct json_value *args)
{
    struct control_thread *threads;
    size_t count;
    struct session_place place;
    (void)args;
    struct error *err = session_threads(s->debug->session, &threads, &count);
    if (err)
        return err;
    session_place(s->debug->session, &place);
    struct json *j = dap_body(s);
    json_open(j, "threads", '[');
    for (size_t i = 0; i < count; i++) {
        json_open(j, NULL, '{');
        json_unsigned(j, "id", threads[i].thread + 1);
        char *name = xformat("%u: %.16s%s", threads[i].thread, threads[i].name,
                             threads[i].thread == place.thread ? " (runs)" : "");
        json_string(j, "name", name);
        free(name);
        json_close(j, '}');
    }
    if (!count) { /* the protocol wants one */
        json_open(j, NULL, '{');
        json_unsigned(j, "id", place.thread + 1);
        json_string(j, "name", "ended");
        json_close(j, '}');
    }
    json_close(j, ']');
    free(threads);
    return NULL;
}

struct error *dap_check_thread(struct dap *s, i64 id, u32 *ret)
{
    struct control_thread *threads;
    struct session_place place;
    size_t count;
    session_place(s->debug->session, &place);
    struct error *err = session_threads(s->debug->session, &threads, &count);
    if (err)
        return err;
    bool found = id == (i64)place.thread + 1;
    for (size_t i = 0; i < count; i++)
        found |= id == (i64)threads[i].thread + 1;
    free(threads);
    if (!found)
        return error_coded(ERROR_NOT_FOUND, "there is no thread %lld now", (long long)id);
    *ret = (u32)(id - 1);
    return NULL;
}

/* --- frames ----------------------------------------------------------------------------------- */

u64 dap_frame_id(u32 thread, size_t level)
{
    return ((u64)level << FRAME_THREAD_BITS | (thread & ((1u << FRAME_THREAD_BITS) - 1))) + 1;
}

static struct error *look_at_frames(struct dap *s, u32 thread)
{
    if (s->debug->thread != thread)
        debug_choose_thread(s->debug, thread);
    return debug_frames(s->debug);
}

struct error *dap_choose_frame(struct dap *s, i64 id)
{
    u32 thread;
    i64 bits = id - 1;
    if (id < 1)
        return error_coded(ERROR_MISUSED, "there is no frame %lld", (long long)id);
    u64 level = (u64)bits >> FRAME_THREAD_BITS;
    struct error *err = dap_check_thread(s, (bits & ((1 << FRAME_THREAD_BITS) - 1)) + 1, &thread);
    if (!err)
        err = look_at_frames(s, thread);
    if (err)
        return err;
    if (level >= debug_shown_frames(s->debug, level + 1, NULL))
        return error_coded(ERROR_NOT_FOUND, "there is no frame %llu here",
                           (unsigned long long)level);
    if (s->debug->selected != level || s->debug->auto_selected)
        debug_choose_frame(s->debug, level);
    return NULL;
}

static void frame_json(struct dap *s, struct json *j, size_t level)
{
    const struct frame f = s->debug->frames[level];
    json_open(j, NULL, '{');
    json_unsigned(j, "id", dap_frame_id(s->debug->thread, level));
    char *name =
        f.function ? symbols_bare_name(f.function) : xformat("0x%llx", (unsigned long long)f.pc);
    char *shown = xformat("%s%s%s%s", name, f.inlined ? " (inlined)" : "",
                          f.tail ? " (tail call)" : "", f.signal ? " <signal handler called>" : "");
    json_string(j, "name", shown);
    free(shown);
    free(name);
    if (f.place.file)
        dap_source_json(s, "source", j, f.place.file);
    json_signed(j, "line", f.place.file ? (i64)f.place.line - 1 + s->first_line : 0);
    json_signed(j, "column",
                !f.place.file    ? 0
                : f.place.column ? (i64)f.place.column - 1 + s->first_column
                                 : s->first_column);
    json_bool(j, "canRestart", !f.signal && !f.tail);
    char *pc = xformat("0x%llx", (unsigned long long)f.pc);
    json_string(j, "instructionPointerReference", pc);
    free(pc);
    if (f.module)
        json_string(j, "moduleId", f.module);
    if (f.signal)
        json_string(j, "presentationHint", "label");
    else if (!f.place.file)
        json_string(j, "presentationHint", "subtle");
    json_close(j, '}');
}

struct error *dap_stack_trace(struct dap *s, const struct json_value *args)
{
    u32 thread;
    i64 id, start = json_member_integer(args, "startFrame", 0);
    i64 levels = json_member_integer(args, "levels", 0);
    struct error *err = dap_integer(args, "threadId", &id);
    if (!err)
        err = dap_check_thread(s, id, &thread);
    if (!err && (start < 0 || levels < 0))
        err = error_coded(ERROR_MISUSED, "'startFrame' and 'levels' are not negative");
    if (!err)
        err = look_at_frames(s, thread);
    if (err)
        return err;
    bool all;
    u64 most = levels ? (u64)levels : FRAMES_UNASKED;
    u64 least = (u64)start < ~0ull / 4 && most < ~0ull / 4 ? (u64)start + most + 1 : ~(size_t)0;
    size_t count = debug_shown_frames(s->debug, least, &all);
    size_t end = (u64)start + most < count ? (u64)start + most : count;
    struct json *j = dap_body(s);
    json_open(j, "stackFrames", '[');
    for (size_t i = (size_t)start; i < end; i++)
        frame_json(s, j, i);
    json_close(j, ']');
    json_unsigned(j, "totalFrames", count); /* unless these are all, there are at least this many */
    (void)all;
    return NULL;
}

/* --- modules ---------------------------------------------------------------------------------- */

static void write_module(struct json *j, const struct symbols_module *m)
{
    const char *slash = strrchr(m->path, '/');
    json_open(j, NULL, '{');
    json_string(j, "id", m->path);
    json_string(j, "name", slash ? slash + 1 : m->path);
    json_string(j, "path", m->path);
    json_string(j, "symbolStatus", m->has_debug ? "debug information" : "no debug information");
    char *range =
        xformat("0x%llx-0x%llx", (unsigned long long)m->start, (unsigned long long)m->end);
    json_string(j, "addressRange", range);
    free(range);
    json_close(j, '}');
}

struct error *dap_modules(struct dap *s, const struct json_value *args)
{
    struct symbols *symbols;
    size_t count;
    i64 start = json_member_integer(args, "startModule", 0);
    i64 most = json_member_integer(args, "moduleCount", 0);
    struct error *err = debug_symbols(s->debug, &symbols);
    if (err)
        return err;
    const struct symbols_module *list = symbols_modules(symbols, &count);
    struct json *j = dap_body(s);
    json_open(j, "modules", '[');
    for (size_t i = start > 0 ? (size_t)start : 0; i < count; i++)
        if (most <= 0 || i - (size_t)(start > 0 ? start : 0) < (size_t)most)
            write_module(j, &list[i]);
    json_close(j, ']');
    json_unsigned(j, "totalModules", count);
    return NULL;
}
