/* Goroutines of Go programs at the prompt: info goroutines, goroutine.
 *
 * The frames of a running goroutine are found from the registers of its thread. Those of a waiting
 * one are found from the pc and sp that the runtime saved. They replace the frames of the thread
 * until something moves or another thread or goroutine is selected.
 */
#include <stdlib.h>
#include <string.h>

#include "base/registers.h"
#include "front/debugger/dbg_internal.h"
#include "symbols/goroutines.h"

struct goroutines {
    struct evaluation *evaluation;
    struct goroutine *list;
    size_t count;
    struct control_thread *threads;
    size_t thread_count;
};

static void goroutines_close(struct goroutines *g)
{
    free(g->list);
    free(g->threads);
    values_close(g->evaluation);
}

static struct error *goroutines_open(struct dbg *d, struct goroutines *ret)
{
    *ret = (struct goroutines){0};
    struct error *err = debug_evaluation(d->debug, &ret->evaluation);
    if (!err)
        err = goroutines_list(ret->evaluation, &ret->list, &ret->count);
    if (!err)
        err = session_threads(d->debug->session, &ret->threads, &ret->thread_count);
    if (err)
        goroutines_close(ret);
    return err;
}

/* Finds the thread that runs on the goroutine's stack. A thread may have switched to a stack of the
 * runtime. */
static bool goroutine_thread(struct dbg *d, const struct goroutines *all, const struct goroutine *g,
                             u32 *ret)
{
    struct control_registers regs;
    const u8 *vector;
    for (size_t i = 0; i < all->thread_count && g->thread_id; i++) {
        if (all->threads[i].tid != g->thread_id)
            continue;
        struct error *err =
            session_registers(d->debug->session, all->threads[i].thread, &regs, &vector);
        bool on_stack = !err && regs.reg[RSP] >= g->stack_low && regs.reg[RSP] < g->stack_high;
        error_destroy(err);
        *ret = all->threads[i].thread;
        return on_stack;
    }
    return false;
}

static struct error *goroutine_frames(struct dbg *d, const struct goroutines *all,
                                      const struct goroutine *g, struct unwinding **ret)
{
    u32 thread;
    struct symbols *symbols;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    if (goroutine_thread(d, all, g, &thread))
        return source_unwinding(d->debug->source, thread, ret);
    *ret = unwinding_create_parked(symbols, g->pc, g->sp, g->bp);
    return NULL;
}

/* Returns the first frame outside of the runtime. A goroutine of the runtime itself is shown by the
 * function that it began with; the outermost frame is runtime.goexit. */
static const struct frame *own_frame(const struct frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (frames[i].function && strncmp(frames[i].function, "runtime.", 8) != 0)
            return &frames[i];
    return count ? &frames[count > 1 ? count - 2 : 0] : NULL;
}

static void say_goroutine_place(struct dbg *d, const struct frame *f)
{
    if (!f)
        return;
    dbg_say(d, " %s", f->function ? f->function : "??");
    json_string(dbg_fields(d), "function", f->function);
    if (!f->place.file)
        return;
    char *file = dbg_short_path(d, f->place.file);
    dbg_say(d, " at %s:%u", file, f->place.line);
    json_string(dbg_fields(d), "file", f->place.file);
    json_unsigned(dbg_fields(d), "line", f->place.line);
    free(file);
}

static void say_goroutine(struct dbg *d, const struct goroutines *all, const struct goroutine *g)
{
    struct unwinding *unwinding = NULL;
    const struct frame *frames;
    size_t count;
    u32 thread;
    bool on_thread = goroutine_thread(d, all, g, &thread);
    dbg_say(d, "%c %-4llu %s%s%s", on_thread && thread == d->debug->thread ? '*' : ' ',
            (unsigned long long)g->id, g->state, g->reason ? ", " : "", g->reason ? g->reason : "");
    json_open(dbg_fields(d), NULL, '{');
    json_unsigned(dbg_fields(d), "goroutine", g->id);
    json_string(dbg_fields(d), "state", g->state);
    json_string(dbg_fields(d), "reason", g->reason);
    if (on_thread) {
        dbg_say(d, ", thread %u", thread);
        json_unsigned(dbg_fields(d), "thread", thread);
    }
    struct error *err = goroutine_frames(d, all, g, &unwinding);
    dbg_say(d, ":");
    if (!err) {
        frames = unwinding_frames(unwinding, ~(size_t)0, &count);
        say_goroutine_place(d, own_frame(frames, count));
    }
    dbg_say(d, "\n");
    json_close(dbg_fields(d), '}');
    unwinding_destroy(unwinding);
    error_destroy(err);
}

struct error *dbg_info_goroutines(struct dbg *d, const char *args)
{
    struct goroutines all;
    struct error *err = debug_no_arguments(args);
    if (!err)
        err = goroutines_open(d, &all);
    if (err)
        return err;
    json_open(dbg_fields(d), "goroutines", '[');
    for (size_t i = 0; i < all.count; i++)
        say_goroutine(d, &all, &all.list[i]);
    json_close(dbg_fields(d), ']');
    goroutines_close(&all);
    return NULL;
}

static struct error *look_at_goroutine(struct dbg *d, const struct goroutines *all,
                                       const struct goroutine *g)
{
    struct unwinding *unwinding;
    u32 thread;
    if (goroutine_thread(d, all, g, &thread)) {
        d->debug->thread = thread;
        debug_forget_frames(d->debug);
        return debug_frames(d->debug);
    }
    struct error *err = goroutine_frames(d, all, g, &unwinding);
    return err ? err : debug_take_frames(d->debug, unwinding);
}

/* goroutine [N [COMMAND]] */
struct error *dbg_goroutine(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct goroutines all;
    u64 number;
    (void)c;
    if (!*args)
        return dbg_info_goroutines(d, args);
    char *word = debug_next_word(&args);
    struct error *err = debug_number(word, "goroutine number", &number);
    free(word);
    if (!err)
        err = goroutines_open(d, &all);
    if (err)
        return err;
    const struct goroutine *found = NULL;
    for (size_t i = 0; i < all.count; i++)
        found = all.list[i].id == number ? &all.list[i] : found;
    u32 before = d->debug->thread;
    err = found ? look_at_goroutine(d, &all, found)
                : error_coded(ERROR_NOT_FOUND,
                              "there is no goroutine %llu now; 'info goroutines' lists them",
                              (unsigned long long)number);
    goroutines_close(&all);
    if (!err && *args) {
        err = dbg_run_line(d, args);
        d->debug->thread = before;
        debug_forget_frames(d->debug);
    } else if (!err) {
        dbg_say(d, "goroutine %llu\n", (unsigned long long)number);
        dbg_say_here(d);
    }
    return err;
}
