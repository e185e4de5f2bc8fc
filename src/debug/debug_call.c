/* Expressions that change the program: assignments, and calls of its functions.
 *
 * Both happen in a copy of the process, which has left the recording (session.h). From then on
 * everything shown is the copy's. The next movement drops the copy. Breakpoints do not stop a
 * called function.
 *
 * What a function prints is shown with the answer. The C library may buffer it, so fflush() is
 * called after each call. It is also called once before the first call, so that the program's own
 * buffered output is not taken for the function's.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

static const double FLUSH_SECONDS = 2;

/* --- the copy ------------------------------------------------------------------------------- */

static struct error *copy_write(void *context, u64 address, const void *from, size_t size)
{
    struct debug *d = context;
    struct error *err = session_write(d->session, address, from, size);
    d->copy.changed |= !err && (address < d->copy.own_from || address >= d->copy.own_to);
    if (!err)
        return NULL;
    error_destroy(err);
    return error_coded(ERROR_UNAVAILABLE, "there is no memory at 0x%llx that could be changed",
                       (unsigned long long)address);
}

/* Writes there, such as the text of a string argument, do not count as changes by the user. */
static struct error *copy_allocate(void *context, u64 size, u64 *ret_address)
{
    struct debug *d = context;
    struct error *err = session_scratch_allocate(d->session, size, ret_address);
    if (err)
        return err;
    if (!d->copy.own_from)
        d->copy.own_from = *ret_address;
    d->copy.own_to = *ret_address + size;
    return NULL;
}

/* --- registers ------------------------------------------------------------------------------ */

static bool copy_number(const char *name, const char *prefix, unsigned *ret)
{
    char *end;
    size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || name[length] < '0' || name[length] > '9')
        return false;
    *ret = (unsigned)strtoul(name + length, &end, 10);
    return !*end && *ret < VECTOR_REGISTERS;
}

static u64 *copy_plain_register(struct control_registers *regs, const char *name)
{
    struct { const char *name; u64 *at; } plain[] = {
        {"rip", &regs->rip}, {"pc", &regs->rip}, {"eflags", &regs->flags},
        {"fs_base", &regs->fs_base}, {"gs_base", &regs->gs_base},
    };
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        if (strcmp(name, register_name(n)) == 0)
            return &regs->reg[n];
    for (size_t i = 0; i < countof(plain); i++)
        if (strcmp(name, plain[i].name) == 0)
            return plain[i].at;
    return NULL;
}

static bool copy_put_vector(u8 *vector, size_t room, const char *name, const u8 *bytes, size_t size)
{
    unsigned n;
    if (copy_number(name, "st", &n) && n < ST_REGISTERS && size >= ST_SIZE)
        return memcpy(vector + xsave_st(n), bytes, ST_SIZE);
    if (strcmp(name, "mxcsr") == 0 && size == 4)
        return memcpy(vector + XSAVE_MXCSR, bytes, 4);
    bool wide = copy_number(name, "ymm", &n) && size == 2 * XMM_SIZE;
    if (!wide && !(copy_number(name, "xmm", &n) && size == XMM_SIZE))
        return false;
    if (wide && xsave_ymm(n) + XMM_SIZE > room)
        return false;
    memcpy(vector + xsave_xmm(n), bytes, XMM_SIZE);
    if (wide)
        memcpy(vector + xsave_ymm(n), bytes + XMM_SIZE, XMM_SIZE);
    return true;
}

/* Updates the register in the frames that were found before: the innermost one and all functions
 * inlined into it. */
static void copy_note_register(struct debug *d, const char *name, u64 value)
{
    for (size_t i = 0; i < d->frame_count; i++) {
        struct frame *f = &d->frames[i];
        for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
            if (strcmp(name, register_name(n)) == 0)
                f->reg[register_to_dwarf(n)] = value;
        if (!f->inlined)
            return;
    }
}

static struct error *copy_set_register(void *context, const char *name, const u8 *bytes,
                                       size_t size)
{
    struct debug *d = context;
    struct session_place place;
    struct control_registers regs;
    const u8 *lent;
    session_place(d->session, &place);
    if (place.thread != d->thread)
        return error_coded(ERROR_UNAVAILABLE,
                           "registers of thread %u cannot be changed: only thread %u runs here",
                           d->thread, place.thread);
    struct error *err = session_registers(d->session, d->thread, &regs, &lent);
    if (err)
        return err;
    u8 *vector = xalloc(regs.vector_size + 1);
    memcpy(vector, lent, regs.vector_size);
    u64 *plain = copy_plain_register(&regs, name);
    if (plain && size <= sizeof *plain)
        memcpy(plain, bytes, size);
    else if (!copy_put_vector(vector, regs.vector_size, name, bytes, size))
        err = error_coded(ERROR_UNAVAILABLE, "the register %s cannot be changed", name);
    if (!err)
        err = session_set_registers(d->session, d->thread, &regs, vector);
    free(vector);
    if (!err && plain)
        copy_note_register(d, name, *plain);
    d->copy.changed |= !err;
    return err;
}

/* --- calls ---------------------------------------------------------------------------------- */

/* Shows the output of the call before the value that it returned. */
static void copy_say_output(struct debug *d)
{
    size_t size;
    char *text = session_scratch_output(d->session, &size);
    debug_say_bytes(d, text, size);
    if (size && text[size - 1] != '\n')
        debug_say(d, "\n");
    char *all = xformat("%s%s", d->copy.output ? d->copy.output : "", text);
    free(text);
    free(d->copy.output);
    d->copy.output = all;
}

static void copy_flush(struct debug *d)
{
    struct evaluation *evaluation;
    struct scratch_called called;
    struct scratch_call call = {.thread = d->thread, .seconds = FLUSH_SECONDS};
    if (d->copy.never_flush)
        return;
    struct error *err = debug_evaluation(d, &evaluation);
    if (!err) {
        bool known = values_symbol(evaluation, "fflush", &call.function);
        values_close(evaluation);
        err = known ? session_scratch_call(d->session, &call, &called)
                    : error_coded(ERROR_NOT_FOUND, "there is none");
    }
    d->copy.never_flush = err || called.outcome != CALL_RETURNED;
    error_destroy(err);
}

static struct error *copy_explain(struct debug *d, const char *name,
                                  const struct scratch_called *called)
{
    struct symbols *symbols;
    char room[32];
    struct error *err = debug_symbols(d, &symbols);
    if (err)
        return err;
    char *where = symbols_describe(symbols, called->pc);
    switch (called->outcome) {
    case CALL_DIED:
        err = error_coded(ERROR_UNAVAILABLE, "%s died by %s at %s; nothing of the call remains",
                          name, debug_signal_name(called->signal, room), where);
        break;
    case CALL_EXITED:
        err = error_coded(ERROR_UNAVAILABLE,
                          "%s ended the program with status %u; nothing of the call remains", name,
                          called->status);
        break;
    case CALL_INTERRUPTED:
        err = error_coded(ERROR_INTERRUPTED,
                          "interrupted: %s was at %s; nothing of the call remains", name, where);
        break;
    case CALL_TOO_LONG:
        err =
            error_coded(ERROR_UNAVAILABLE,
                        "%s did not return within %u s (it was at %s). Other threads do not run in "
                        "a copy, so it may wait for one of them; 'set call-limit' gives it more "
                        "time",
                        name, d->settings.call_limit, where);
        break;
    default: break;
    }
    free(where);
    return err;
}

static void copy_fill_call(const struct debug *d, const struct values_call *from,
                           struct scratch_call *to)
{
    *to = (struct scratch_call){
        .function = from->function, .thread = d->thread, .vector_count = from->vector_count,
        .stack = from->stack, .stack_size = from->stack_size, .seconds = d->settings.call_limit,
    };
    memcpy(to->integers, from->integers, sizeof to->integers);
    memcpy(to->vectors, from->vectors, sizeof to->vectors);
}

static void copy_fetch(const struct scratch_called *from, struct values_called *to)
{
    to->rax_rdx[0] = from->registers.reg[RAX];
    to->rax_rdx[1] = from->registers.reg[RDX];
    memcpy(to->vectors, from->vectors, sizeof to->vectors);
    memcpy(to->stack, from->stack, sizeof to->stack);
}

static struct error *copy_call(void *context, const struct values_call *call,
                               struct values_called *ret)
{
    struct debug *d = context;
    struct scratch_call order;
    struct scratch_called called;
    size_t size;
    if (!session_scratch(d->session))
        d->copy = (struct debug_copy){.told = d->copy.told, .output = d->copy.output};
    bool moves = d->motion.on; /* a condition that is evaluated in the middle of a movement */
    if (!moves)
        debug_begin_moving(d, COURSE_TO);
    if (!d->copy.flushed)
        copy_flush(d);
    d->copy.flushed = true;
    free(session_scratch_output(d->session, &size));
    copy_fill_call(d, call, &order);
    struct error *err = session_scratch_call(d->session, &order, &called);
    if (!err && called.outcome == CALL_RETURNED)
        copy_flush(d);
    if (!moves)
        debug_end_moving(d);
    copy_say_output(d);
    if (!err)
        err = copy_explain(d, call->name, &called);
    if (!err)
        copy_fetch(&called, ret);
    return err;
}

const struct values_actions debug_actions = {
    .write = copy_write, .set_register = copy_set_register, .allocate = copy_allocate,
        .call = copy_call,
};
