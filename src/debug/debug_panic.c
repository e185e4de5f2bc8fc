/* Rust panics: `catch panic`, the message at such a stop, and the program's frame that panicked.
 *
 * Every panic that unwinds or aborts passes through `rust_panic`, after the hook has printed its
 * message and before any frame is unwound. Frames of Rust's library lie between it and the program;
 * few users want to see them.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

enum { PANIC_FRAMES = 64, PANIC_STATUS = 101 };

struct error *debug_panic_location(struct debug *d, char **ret)
{
    struct symbols *symbols;
    struct code_place *places = NULL;
    struct function_info info;
    size_t count = 0;
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = symbols_locate(symbols, "rust_panic", NULL, &places, &count);
    if (err) {
        error_destroy(err);
        return error_coded(
            ERROR_NOT_FOUND,
            "there is no function rust_panic: 'catch panic' is for programs of Rust");
    }
    bool known = symbols_function(symbols, places[0].pc, &info);
    *ret = xformat("*0x%llx", (unsigned long long)(known ? info.entry : places[0].pc));
    free(places);
    return NULL;
}

struct error *debug_catch_panic(struct debug *d, bool temporary, struct debug_breakpoint **ret)
{
    char *location;
    struct error *err = debug_panic_location(d, &location);
    if (err)
        return err;
    struct debug_breakpoint *p = debug_breakpoints_add(d, BREAK_CODE, location);
    free(location);
    p->temporary = temporary;
    p->is_panic = true;
    err = debug_breakpoint_resolve(d, p);
    if (err)
        debug_break_take_back(d, p);
    else
        *ret = p;
    return err;
}

char *debug_panic_message(struct debug *d)
{
    struct evaluation *v = NULL;
    char *message = NULL;
    struct error *err = debug_frames(d);
    if (!err)
        err = debug_evaluation(d, &v);
    if (!err && d->frame_count) {
        const struct frame *f = &d->frames[0];
        message = values_panic_message(v, (u64[]){f->reg[DWARF_RDI], f->reg[DWARF_RSI]});
    }
    values_close(v);
    error_destroy(err);
    return message;
}

bool debug_panicked(struct debug *d, u32 status)
{
    char *location;
    if (status != PANIC_STATUS)
        return false;
    struct error *err = debug_panic_location(d, &location);
    if (!err)
        free(location);
    error_destroy(err);
    return !err;
}

/* --- frames ----------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *const *with, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (strncmp(name, with[n], strlen(with[n])) == 0)
            return true;
    return false;
}

static bool panic_is_machinery(const char *name)
{
    static const char *const names[] = {"rust_panic",
                                        "rust_begin_unwind",
                                        "__rustc::rust_",
                                        "std::panicking::begin_panic",
                                        "std::panicking::panic_handler",
                                        "std::panicking::rust_panic",
                                        "core::panicking::"};
    return begins(name, names, countof(names));
}

/* Frames without `::` in their name are C functions such as abort(). */
static bool panic_is_library(const char *name)
{
    static const char *const crates[] = {
        "core::",   "std::",         "alloc::",        "<core::",     "<std::",
        "<alloc::", "panic_abort::", "panic_unwind::", "<T as core::"};
    return !strstr(name, "::") || begins(name, crates, countof(crates));
}

bool debug_panic_frame(const struct debug *d, size_t *ret)
{
    bool panics = false;
    for (size_t i = 0; i < d->frame_count && i < PANIC_FRAMES; i++) {
        const char *name = d->frames[i].function;
        panics |= name && panic_is_machinery(name);
        if (name && !panic_is_machinery(name) && !panic_is_library(name) &&
            d->frames[i].place.file) {
            *ret = i;
            return panics;
        }
    }
    return false;
}
