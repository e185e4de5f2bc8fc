/* The current place: the selected thread and frame, and expressions in it.
 *
 * After a movement that is the thread that runs at this moment, and its innermost frame with debug
 * information. So a crash in abort() shows the line that called it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "debug/debug_internal.h"

enum {
    /* Frames that are found in addition to those requested: callers help to find the values at a
     * function's entry. */
    FRAMES_AHEAD = 64,
    FRAMES_SOUGHT = 1024, /* frames searched for one whose source can be shown */
};

struct error *debug_symbols(struct debug *d, struct symbols **ret)
{
    return source_symbols(d->source, ret);
}

void debug_forget_frames(struct debug *d)
{
    unwinding_destroy(d->unwinding);
    d->unwinding = NULL;
    d->frames = NULL;
    d->frame_count = d->selected = 0;
    d->main_sought = 0;
    d->frame_limit = ~(size_t)0;
    d->auto_selected = true;
}

/* Finds at least `least` frames and some more, if they exist. */
static void reach_frames(struct debug *d, size_t least)
{
    size_t ahead = least < ~(size_t)0 - FRAMES_AHEAD ? FRAMES_AHEAD : 0;
    d->frames = unwinding_frames(d->unwinding, least + ahead, &d->frame_count);
}

/* Finds the innermost frame with a line, preferably one whose source can be shown: debug
 * information of a C library may be installed without its source. */
static size_t first_of_program(struct debug *d, struct unwinding *u)
{
    struct symbols *symbols;
    size_t found = FRAMES_SOUGHT, count = 0;
    struct frame *frames = unwinding_frames(u, FRAMES_AHEAD, &count);
    struct error *err = debug_symbols(d, &symbols);
    for (size_t i = 0; i < FRAMES_SOUGHT && !err; i++) {
        if (i >= count)
            frames = unwinding_frames(u, FRAMES_SOUGHT + FRAMES_AHEAD, &count);
        const char *file = i < count ? frames[i].place.file : NULL;
        if (file && found == FRAMES_SOUGHT)
            found = i;
        if (file && symbols_source_lines(symbols, file))
            return i;
        if (i >= count)
            break;
    }
    error_destroy(err);
    return found < FRAMES_SOUGHT ? found : 0;
}

static size_t innermost_known(struct debug *d)
{
    size_t found;
    if (debug_panic_frame(d, &found))
        return found;
    found = first_of_program(d, d->unwinding);
    reach_frames(d, found);
    return found;
}

bool debug_thread_frames(struct debug *d, u32 thread, struct frame *ret_shown,
                         struct frame *ret_innermost)
{
    struct unwinding *u;
    size_t count, shown;
    struct error *err = source_unwinding(d->source, thread, &u);
    if (err) {
        error_destroy(err);
        return false;
    }
    shown = first_of_program(d, u);
    const struct frame *frames = unwinding_frames(u, shown + 1, &count);
    bool known = shown < count;
    if (known) {
        *ret_shown = frames[shown];
        *ret_innermost = frames[0];
    }
    unwinding_destroy(u);
    return known;
}

/* True if the frames are those of the current moment and of the selected thread. */
static bool frames_are_current(struct debug *d)
{
    struct session_place place;
    session_place(d->session, &place);
    return d->frames_thread == d->thread && moment_compare(d->frames_at, place.at) == 0;
}

struct error *debug_take_frames(struct debug *d, struct unwinding *unwinding)
{
    struct session_place place;
    debug_forget_frames(d);
    session_place(d->session, &place);
    d->frames_at = place.at;
    d->frames_thread = d->thread;
    d->unwinding = unwinding;
    reach_frames(d, 0);
    d->selected = innermost_known(d);
    return NULL;
}

struct error *debug_frames(struct debug *d)
{
    struct unwinding *unwinding;
    invariant(1, d->session && source_session(d->source) == d->session);
    invariant(2, !d->frames || frames_are_current(d));
    if (d->frames)
        return NULL;
    struct error *err = source_unwinding(d->source, d->thread, &unwinding);
    return err ? err : debug_take_frames(d, unwinding);
}

/* Does not know about breakpoints: debug_breakpoints_arrive() does. */
void debug_arrive(struct debug *d)
{
    struct session_place place;
    debug_forget_frames(d);
    session_place(d->session, &place);
    d->thread = place.thread;
    free(d->list_file);
    d->list_file = NULL;
    if (place.end && !place.end_otherwise && d->conveniences)
        conveniences_define_integer(d->conveniences, place.end_signal ? "_exitsignal" : "_exitcode",
                                    place.end_signal ? place.end_signal : place.end_status);
}

const struct frame *debug_frame(struct debug *d)
{
    struct error *err = debug_frames(d);
    error_destroy(err);
    return !err && d->selected < d->frame_count ? &d->frames[d->selected] : NULL;
}

const struct frame *debug_real_frame(struct debug *d)
{
    const struct frame *f = debug_frame(d);
    return f && d->auto_selected ? &d->frames[0] : f;
}

/* Registers that are not part of a frame. */
static const struct { const char *name; u16 offset, size; } vector_parts[] = {
#define X(NAME, name, offset, size) {#name, offset, size},
    REGISTERS_X87_CONTROL(X)
#undef X
    {"mxcsr", XSAVE_MXCSR, 4},
};

/* Returns the x87 tag word in the processor's full form: two bits for each register. */
static u32 x87_tags(const u8 *vector)
{
    u32 tags = 0, top = (u32)vector[XSAVE_FSW + 1] >> 3 & 7;
    for (u32 i = 0; i < ST_REGISTERS; i++) {
        u16 exponent;
        u64 fraction;
        const u8 *st = vector + xsave_st((i - top) & 7);
        memcpy(&fraction, st, sizeof fraction);
        memcpy(&exponent, st + sizeof fraction, sizeof exponent);
        exponent &= 0x7fff;
        u32 tag = exponent == 0x7fff || (!exponent && fraction) || (exponent && !(fraction >> 63))
                      ? 2
                  : exponent || fraction ? 0
                                         : 1;
        tags |= (vector[XSAVE_FTW] >> i & 1 ? tag : 3) << 2 * i;
    }
    return tags;
}

static bool part_of_vector(const struct control_registers *regs, const u8 *vector, u64 offset,
                           size_t part, u8 *bytes, size_t *size)
{
    if (offset + part > regs->vector_size)
        return false;
    memcpy(bytes, vector + offset, part);
    *size = part;
    return true;
}

static bool numbered_register(const char *name, const char *prefix, unsigned most, unsigned *ret)
{
    char *end;
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9')
        return false;
    *ret = (unsigned)strtoul(name + length, &end, 10);
    return !*end && *ret < most;
}

static bool plain_register(const struct control_registers *regs, const char *name, u8 *bytes,
                           size_t *size)
{
    const struct { const char *name; u64 value; size_t size; } plain[] = {
        {"eflags", regs->flags, 4}, {"fs_base", regs->fs_base, 8}, {"gs_base", regs->gs_base, 8},
        {"orig_rax", regs->orig_rax, 8}, {"rip", regs->rip, 8}, {"pc", regs->rip, 8},
        {"cs", SELECTOR_CS, 4}, {"ss", SELECTOR_SS, 4}, {"ds", 0, 4}, {"es", 0, 4}, {"fs", 0, 4},
        {"gs", 0, 4},
    };
    for (size_t i = 0; i < countof(plain); i++) {
        if (strcmp(name, plain[i].name) != 0)
            continue;
        memcpy(bytes, &plain[i].value, plain[i].size);
        *size = plain[i].size;
        return true;
    }
    return false;
}

static bool named_register(void *context, const char *name, u8 *bytes, size_t *size)
{
    struct debug *d = context;
    struct control_registers regs;
    const u8 *vector;
    unsigned n;
    size_t low, high;
    struct error *err = session_registers(d->session, d->thread, &regs, &vector);
    if (err) {
        error_destroy(err);
        return false;
    }
    if (plain_register(&regs, name, bytes, size))
        return true;
    for (size_t i = 0; i < countof(vector_parts); i++) {
        if (strcmp(name, vector_parts[i].name) != 0)
            continue;
        u32 tags;
        memset(bytes, 0, sizeof tags);
        bool known = part_of_vector(&regs, vector, vector_parts[i].offset, vector_parts[i].size,
                                    bytes, size);
        if (known && vector_parts[i].offset == XSAVE_FTW) {
            tags = x87_tags(vector);
            memcpy(bytes, &tags, sizeof tags);
        }
        *size = sizeof tags; /* gdb shows all of these as integers */
        return known;
    }
    if (numbered_register(name, "st", ST_REGISTERS, &n))
        return part_of_vector(&regs, vector, xsave_st(n), ST_SIZE, bytes, size);
    if (numbered_register(name, "xmm", VECTOR_REGISTERS, &n))
        return part_of_vector(&regs, vector, xsave_xmm(n), XMM_SIZE, bytes, size);
    if (!numbered_register(name, "ymm", VECTOR_REGISTERS, &n) ||
        !part_of_vector(&regs, vector, xsave_xmm(n), XMM_SIZE, bytes, &low) ||
        !part_of_vector(&regs, vector, xsave_ymm(n), XMM_SIZE, bytes + XMM_SIZE, &high))
        return false;
    *size = low + high;
    return true;
}

/* By an unwinding of its own, since frames may be in use: those of the model would move. */
static bool all_frames(void *context, struct frame **ret, size_t *ret_count)
{
    struct debug *d = context;
    struct unwinding *unwinding;
    struct error *err = source_unwinding(d->source, d->thread, &unwinding);
    if (err) {
        error_destroy(err);
        return false;
    }
    const struct frame *frames = unwinding_frames(unwinding, ~(size_t)0, ret_count);
    bool is_more = *ret_count >= d->frame_count;
    *ret = is_more ? xalloc((*ret_count + 1) * sizeof **ret) : NULL;
    if (is_more)
        memcpy(*ret, frames, *ret_count * sizeof **ret);
    unwinding_destroy(unwinding);
    return is_more;
}

void debug_reach_all_frames(struct debug *d)
{
    struct error *err = debug_frames(d);
    if (!err)
        reach_frames(d, ~(size_t)0);
    error_destroy(err);
}

struct error *debug_request(struct debug *d, struct values_request *ret)
{
    struct control_registers regs;
    const u8 *vector;
    struct error *err = debug_frames(d);
    if (!err)
        err = session_registers(d->session, d->thread, &regs, &vector);
    if (err)
        return err;
    reach_frames(d, d->selected);
    *ret = (struct values_request){
        .frames = d->frames, .frame_count = d->frame_count, .selected = d->selected,
        .registers = d->auto_selected ? 0 : d->selected,
        .not_entered = source_stands_before(d->source, d->thread),
        .fs_base = regs.fs_base, .named_register = named_register, .conveniences = d->conveniences,
        .show = &d->settings.show,
        .siginfo = session_signal_here(d->session, &d->signal) ? d->signal.info : NULL,
        .context = d,
    };
    return NULL;
}

struct error *debug_evaluation(struct debug *d, struct evaluation **ret)
{
    struct symbols *symbols;
    struct values_request request;
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = debug_request(d, &request);
    if (!err) {
        request.actions = &debug_actions;
        request.all_frames = all_frames;
    }
    conveniences_define_integer(d->conveniences, "_thread", d->thread);
    return err ? err : values_open(symbols, &request, ret);
}

const struct values_actions *debug_request_actions(void)
{
    return &debug_actions;
}

/* The callers of main are left out unless the user wants them. */
size_t debug_shown_frames(struct debug *d, size_t least, bool *ret_all)
{
    const char *why;
    reach_frames(d, least);
    for (; d->main_sought < d->frame_count && d->frame_limit == ~(size_t)0; d->main_sought++) {
        const char *function = d->frames[d->main_sought].function;
        if (function && strcmp(function, "main") == 0)
            d->frame_limit = d->main_sought + 1;
    }
    bool to_main = !d->settings.past_main && d->frame_limit <= d->frame_count;
    if (ret_all)
        *ret_all = to_main || unwinding_ended(d->unwinding, &why);
    return to_main ? d->frame_limit : d->frame_count;
}

void debug_choose_thread(struct debug *d, u32 thread)
{
    d->thread = thread;
    debug_forget_frames(d);
}

void debug_choose_frame(struct debug *d, size_t index)
{
    d->selected = index;
    d->auto_selected = false;
    free(d->list_file);
    d->list_file = NULL;
}

void debug_set_current_file(struct debug *d, const char *file, unsigned next_line)
{
    char *kept = xformat("%s", file); /* copied first, since `file` may be the current one */
    free(d->list_file);
    d->list_file = kept;
    d->list_line = next_line;
}

char *debug_current_file(struct debug *d)
{
    const struct frame *f = debug_frame(d);
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    char *file = NULL;
    const char *known = d->list_file ? d->list_file : f ? f->place.file : NULL;
    if (known)
        return xformat("%s", known);
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = symbols_locate(symbols, "main", NULL, &places, &count);
    if (!err) {
        file = places[0].file ? xformat("%s", places[0].file) : NULL;
        free(places);
    }
    error_destroy(err);
    return file;
}

/* --- being elsewhere -------------------------------------------------------------------------- */

void debug_standing_keep(struct debug *d, struct debug_standing *s)
{
    struct session_place place;
    session_place(d->session, &place);
    error_destroy(debug_frames(d));
    *s = (struct debug_standing){
        .at = place.at, .thread = d->thread, .inlined = source_stands_before(d->source, d->thread),
        .selected = d->selected, .auto_selected = d->auto_selected, .list_file = d->list_file,
        .list_line = d->list_line,
    };
    d->list_file = NULL;
}

struct error *debug_standing_return(struct debug *d, struct debug_standing *s)
{
    struct session_stop stop;
    struct session_place place;
    debug_begin_moving(d, COURSE_TO);
    struct error *err = movement_goto(d->session, s->at, &stop);
    debug_end_moving(d);
    session_place(d->session, &place);
    debug_arrive(d);
    debug_followed_forget(d);
    d->list_file = s->list_file;
    d->list_line = s->list_line;
    if (err || moment_compare(place.at, s->at) != 0)
        return err ? err
                   : error_coded(ERROR_INTERRUPTED,
                                 "interrupted on the way back; this is another moment");
    if (s->inlined)
        source_stand_before(d->source, s->inlined);
    d->thread = s->thread;
    debug_forget_frames(d);
    err = debug_frames(d);
    if (!err && s->selected < d->frame_count) {
        d->selected = s->selected;
        d->auto_selected = s->auto_selected;
    }
    error_destroy(err);
    return NULL;
}

/* --- expressions ------------------------------------------------------------------------------ */

struct error *debug_integer(struct debug *d, const char *text, u64 *ret)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = debug_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, text, &value);
    if (!err)
        err = value_integer(value, (i64 *)ret);
    values_close(evaluation);
    return err;
}

struct error *debug_address_of(struct debug *d, const char *expression, u64 *ret)
{
    struct evaluation *evaluation;
    struct value *value;
    u64 size;
    i64 number;
    struct error *err = debug_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, expression, &value);
    if (!err) {
        err = value_integer(value, &number);
        if (!err) {
            *ret = (u64)number;
        } else if (value_memory(value, ret, &size)) { /* an array or a struct: where it is */
            error_destroy(err);
            err = NULL;
        }
    }
    values_close(evaluation);
    return err;
}
