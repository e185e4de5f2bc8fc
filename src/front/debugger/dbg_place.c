/* Where one stands: the thread and the frame that are looked at, and how they are shown.
 *
 * After a movement it is the thread whose moment it is, and the innermost of its frames that has
 * debug information: a crash in abort() shows the line that called it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "front/debugger/dbg_internal.h"

enum {
    /* That are known beyond those that are asked for: callers tell what values were at an entry. */
    FRAMES_AHEAD = 64,
    FRAMES_SOUGHT = 1024, /* for one whose source can be shown */
    FRAMES_COUNTED = 10000,
};

struct error *dbg_symbols(struct dbg *d, struct symbols **ret)
{
    return source_symbols(d->source, ret);
}

void dbg_forget_frames(struct dbg *d)
{
    unwinding_destroy(d->unwinding);
    d->unwinding = NULL;
    d->frames = NULL;
    d->frame_count = d->selected = 0;
    d->main_sought = 0;
    d->frame_limit = ~(size_t)0;
    d->auto_selected = true;
}

/* At least so many frames are known then, and some more, if there are. */
static void reach_frames(struct dbg *d, size_t least)
{
    size_t ahead = least < ~(size_t)0 - FRAMES_AHEAD ? FRAMES_AHEAD : 0;
    d->frames = unwinding_frames(d->unwinding, least + ahead, &d->frame_count);
}

/* With a line, and if there is one, with a line that can be shown: a C library may have debug
 * information installed and no source. */
static size_t first_of_program(struct dbg *d, struct unwinding *u)
{
    struct symbols *symbols;
    size_t found = FRAMES_SOUGHT, count = 0;
    struct frame *frames = unwinding_frames(u, FRAMES_AHEAD, &count);
    struct error *err = dbg_symbols(d, &symbols);
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

static size_t innermost_known(struct dbg *d)
{
    size_t found;
    if (dbg_panic_frame(d, &found))
        return found;
    found = first_of_program(d, d->unwinding);
    reach_frames(d, found);
    return found;
}

bool dbg_thread_frames(struct dbg *d, u32 thread, struct frame *ret_shown, struct frame *ret_innermost)
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

/* Have they been found where one stands now, in the thread that is looked at? */
static bool frames_are_current(struct dbg *d)
{
    struct session_place place;
    session_place(d->session, &place);
    return d->frames_thread == d->thread && moment_compare(d->frames_at, place.at) == 0;
}

struct error *dbg_take_frames(struct dbg *d, struct unwinding *unwinding)
{
    struct session_place place;
    dbg_forget_frames(d);
    session_place(d->session, &place);
    d->frames_at = place.at;
    d->frames_thread = d->thread;
    d->unwinding = unwinding;
    reach_frames(d, 0);
    d->selected = innermost_known(d);
    return NULL;
}

struct error *dbg_frames(struct dbg *d)
{
    struct unwinding *unwinding;
    invariant(2, !d->frames || frames_are_current(d));
    if (d->frames)
        return NULL;
    struct error *err = source_unwinding(d->source, d->thread, &unwinding);
    return err ? err : dbg_take_frames(d, unwinding);
}

/* The breakpoint that one may stand at is known to dbg_breakpoints_arrive(). */
void dbg_arrive(struct dbg *d)
{
    struct session_place place;
    dbg_forget_frames(d);
    session_place(d->session, &place);
    d->thread = place.thread;
    free(d->list_file);
    d->list_file = NULL;
    if (place.end && !place.end_otherwise && d->conveniences)
        conveniences_define_integer(d->conveniences, place.end_signal ? "_exitsignal" : "_exitcode",
                                    place.end_signal ? place.end_signal : place.end_status);
}

const struct frame *dbg_frame(struct dbg *d)
{
    struct error *err = dbg_frames(d);
    error_destroy(err);
    return !err && d->selected < d->frame_count ? &d->frames[d->selected] : NULL;
}

const struct frame *dbg_real_frame(struct dbg *d)
{
    const struct frame *f = dbg_frame(d);
    return f && d->auto_selected ? &d->frames[0] : f;
}

/* Registers that frames do not hold. */
static const struct { const char *name; u16 offset, size; } vector_parts[] = {
#define X(NAME, name, offset, size) {#name, offset, size},
    REGISTERS_X87_CONTROL(X)
#undef X
    {"mxcsr", XSAVE_MXCSR, 4},
};

/* The tag word as the processor has it: two bits for each register, by what it holds. */
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
        u32 tag = exponent == 0x7fff || (!exponent && fraction) || (exponent && !(fraction >> 63)) ? 2
                  : exponent || fraction ? 0 : 1;
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
        {"cs", SELECTOR_CS, 4}, {"ss", SELECTOR_SS, 4}, {"ds", 0, 4}, {"es", 0, 4}, {"fs", 0, 4}, {"gs", 0, 4},
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
    struct dbg *d = context;
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
        bool known = part_of_vector(&regs, vector, vector_parts[i].offset, vector_parts[i].size, bytes, size);
        if (known && vector_parts[i].offset == XSAVE_FTW) {
            tags = x87_tags(vector);
            memcpy(bytes, &tags, sizeof tags);
        }
        *size = sizeof tags; /* all of them are integers to gdb */
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

struct error *dbg_request(struct dbg *d, struct values_request *ret)
{
    struct control_registers regs;
    const u8 *vector;
    struct error *err = dbg_frames(d);
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

struct error *dbg_evaluation(struct dbg *d, struct evaluation **ret)
{
    struct symbols *symbols;
    struct values_request request;
    struct error *err = dbg_symbols(d, &symbols);
    if (!err)
        err = dbg_request(d, &request);
    if (!err)
        request.actions = &dbg_actions;
    return err ? err : values_open(symbols, &request, ret);
}

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
    const struct frame lent = d->frames[index], *f = &lent; /* the list may grow meanwhile */
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

/* The innermost frame is not the one that is shown. */
static void say_inside(struct dbg *d)
{
    struct symbols *symbols;
    if (!d->auto_selected || d->selected == 0)
        return;
    struct error *err = dbg_symbols(d, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    char *text = symbols_describe(symbols, d->frames[0].pc);
    dbg_say(d, "in %s, which was called (%zu frame%s further out) from\n", text, d->selected,
            d->selected == 1 ? "" : "s");
    free(text);
}

void dbg_say_here(struct dbg *d)
{
    const struct frame *f = dbg_frame(d);
    if (!f) {
        struct session_place place;
        session_place(d->session, &place);
        dbg_say(d, "0x%llx in ?? ()\n", (unsigned long long)place.at.pc);
        return;
    }
    say_inside(d);
    dbg_say_frame(d, d->selected, false);
    f = &d->frames[d->selected];
    if (f->place.file)
        dbg_say_source(d, f->place.file, f->place.line, d->settings.context, d->settings.context);
}

void dbg_say_thread(struct dbg *d, u32 thread)
{
    struct control_thread *threads;
    size_t count;
    struct error *err = session_threads(d->session, &threads, &count);
    dbg_say(d, "thread %u", thread);
    for (size_t i = 0; i < count && !err; i++)
        if (threads[i].thread == thread)
            dbg_say(d, " (%.16s)", threads[i].name);
    if (!err)
        free(threads);
    error_destroy(err);
}

void dbg_json_place(struct dbg *d, struct json *j)
{
    struct session_place place;
    const struct frame *f = dbg_frame(d);
    session_place(d->session, &place);
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
    json_unsigned(j, "thread", d->thread);
}

/* --- frames ----------------------------------------------------------------------------------- */

struct span { size_t first, last; };

/* What called main is of interest to few. */
size_t dbg_shown_frames(struct dbg *d, size_t least, bool *ret_all)
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

/* `bt`, `bt N` and `bt -N`: for the last, and for the first, all frames have to be found. */
static struct error *read_span(struct dbg *d, const char *args, struct span *ret)
{
    u64 n = ~(size_t)0;
    bool outermost = *args == '-';
    struct error *err = *args ? dbg_number(args + outermost, "number of frames", &n) : NULL;
    if (err)
        return err;
    size_t least = ~(size_t)0;
    if (!outermost && n < least - FRAMES_COUNTED)
        least = n + FRAMES_COUNTED;
    size_t count = dbg_shown_frames(d, least, NULL);
    *ret = (struct span){0, count};
    if (n < count)
        *ret = outermost ? (struct span){count - n, count} : (struct span){0, n};
    return NULL;
}

static void say_rest(struct dbg *d, const struct span *span)
{
    bool all;
    const char *why = NULL;
    size_t shown = dbg_shown_frames(d, span->last, &all);
    unwinding_ended(d->unwinding, &why);
    if (span->last < shown)
        dbg_say(d, "(%s%zu more)\n", all ? "" : "more than ", shown - span->last);
    else if (why && shown == d->frame_count)
        dbg_say(d, "(no further: %s)\n", why);
}

static void say_locals_of(struct dbg *d, size_t index)
{
    size_t before = d->selected;
    if (!d->frames[index].place.file)
        return;
    struct dbg_field_mark mark = dbg_fields_mark(d);
    d->selected = index;
    error_destroy(dbg_variables(d, false, "        "));
    d->selected = before;
    dbg_fields_take_back(d, mark);
}

static void json_frame(struct dbg *d, size_t index)
{
    struct json *j = dbg_fields(d);
    const struct frame *f = &d->frames[index];
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
    bool full = dbg_take_word(&args, "full");
    struct error *err = dbg_frames(d);
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
    d->selected = index;
    d->auto_selected = false;
    free(d->list_file);
    d->list_file = NULL;
    dbg_say_frame(d, index, true);
    const struct frame *f = &d->frames[index];
    if (f->place.file)
        dbg_say_source(d, f->place.file, f->place.line, d->settings.context, d->settings.context);
    return NULL;
}

static struct error *outermost_frame(struct dbg *d)
{
    if (d->selected + 1 < d->frame_count)
        return error_new("this is the outermost frame; 'set past-main on' shows what called main");
    return error_new("this is the outermost frame");
}

/* frame function NAME: the innermost one of the function. */
static struct error *frame_of_function(struct dbg *d, const char *name, u64 *ret)
{
    bool all = false;
    if (!*name)
        return error_coded(ERROR_MISUSED, "say which function");
    for (size_t i = 0; !all; i++) {
        size_t count = dbg_shown_frames(d, i + 1, &all);
        for (; i < count; i++) {
            char *bare = symbols_bare_name(d->frames[i].function ? d->frames[i].function : "");
            bool same = strcmp(bare, name) == 0 ||
                        (d->frames[i].function && strcmp(d->frames[i].function, name) == 0);
            free(bare);
            if (same) {
                *ret = i;
                return NULL;
            }
        }
    }
    return error_new("no frame is of a function '%s'", name);
}

/* frame address ADDRESS: by the canonical frame address, which 'info frame' shows. */
static struct error *frame_at_address(struct dbg *d, const char *expression, u64 *ret)
{
    u64 address;
    bool all = false;
    struct error *err = *expression ? dbg_address_of(d, expression, &address)
                                    : error_coded(ERROR_MISUSED, "say which address");
    for (size_t i = 0; !err && !all; i++) {
        size_t count = dbg_shown_frames(d, i + 1, &all);
        for (; i < count; i++)
            if (d->frames[i].cfa == address) {
                *ret = i;
                return NULL;
            }
    }
    return err ? err : error_new("no frame has the canonical frame address 0x%llx; 'info frame' shows it",
                                 (unsigned long long)address);
}

/* What follows `frame`: a number, or one of gdb's ways to say which. */
static struct error *frame_wanted(struct dbg *d, const char *args, u64 *ret)
{
    if (dbg_take_word(&args, "function"))
        return frame_of_function(d, args, ret);
    if (dbg_take_word(&args, "address"))
        return frame_at_address(d, args, ret);
    dbg_take_word(&args, "level");
    return dbg_number(args, "number of a frame", ret);
}

/* frame [N], up [N], down [N]: `which` is 0, 1 and -1. */
struct error *dbg_choose_frame(struct dbg *d, const struct dbg_command *c, const char *args)
{
    u64 n = 0;
    struct error *err = dbg_frames(d);
    if (!err && c->which)
        err = dbg_count(args, &n);
    else if (!err && *args)
        err = frame_wanted(d, args, &n);
    if (err)
        return err;
    if (!d->frame_count)
        return error_coded(ERROR_NOT_FOUND, "there are no frames here");
    size_t least = n < ~(size_t)0 - d->selected - 1 ? d->selected + n + 1 : ~(size_t)0;
    size_t count = dbg_shown_frames(d, least, NULL);
    if (c->which == 0)
        n = *args ? n : d->selected;
    else if (c->which > 0 && d->selected + 1 >= count)
        return outermost_frame(d);
    else if (c->which < 0 && d->selected == 0)
        return error_new("this is the innermost frame");
    else if (c->which > 0)
        n = n < count - d->selected ? d->selected + n : count - 1;
    else
        n = n < d->selected ? d->selected - n : 0;
    if (n >= count && n != d->selected)
        return error_coded(ERROR_NOT_FOUND, "there is no frame %llu: the outermost is %zu",
                           (unsigned long long)n, count - 1);
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

static void look_at(struct dbg *d, u32 thread)
{
    d->thread = thread;
    dbg_forget_frames(d);
}

static struct error *in_thread(struct dbg *d, u32 thread, const char *line)
{
    struct dbg_field_mark mark = dbg_fields_mark(d);
    look_at(d, thread);
    dbg_say_thread(d, thread);
    dbg_say(d, ":\n");
    struct error *err = dbg_run_line(d, line);
    dbg_fields_take_back(d, mark);
    return err;
}

/* thread apply all|N... COMMAND */
static struct error *dbg_thread_apply(struct dbg *d, const struct control_thread *threads,
                                      size_t count, const char *args)
{
    u32 before = d->thread;
    u64 n;
    struct error *err = NULL;
    bool all = dbg_take_word(&args, "all"), some = false;
    for (size_t i = 0; i < count && all && !err; i++)
        err = in_thread(d, threads[i].thread, args);
    while (!all && !err && *args >= '0' && *args <= '9') {
        char *word = dbg_next_word(&args);
        const char *rest = args + strspn(args, "0123456789 \t");
        err = dbg_number(word, "thread", &n);
        if (!err && !has_thread(threads, count, n))
            err =
                error_coded(ERROR_NOT_FOUND, "there is no thread %llu now", (unsigned long long)n);
        if (!err)
            err = in_thread(d, (u32)n, rest);
        some = true;
        free(word);
    }
    if (!err && !all && !some)
        err = error_new("thread apply needs 'all' or numbers of threads, and a command");
    look_at(d, before);
    return err;
}

static struct error *choose_thread(struct dbg *d, const struct control_thread *threads, size_t count,
                                   const char *args)
{
    u64 n = d->thread;
    struct error *err = *args ? dbg_number(args, "thread", &n) : NULL;
    if (err)
        return err;
    if (!has_thread(threads, count, n))
        return error_coded(ERROR_NOT_FOUND,
                           "there is no thread %llu now; 'info threads' lists them",
                           (unsigned long long)n);
    if (n != d->thread)
        look_at(d, (u32)n);
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
    struct error *err = session_threads(d->session, &threads, &count);
    if (err)
        return err;
    err = dbg_take_word(&args, "apply") ? dbg_thread_apply(d, threads, count, args)
                                        : choose_thread(d, threads, count, args);
    free(threads);
    return err;
}
