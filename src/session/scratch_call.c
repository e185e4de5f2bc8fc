/* Functions called in a copy that has left the recording.
 *
 * The copy gets its own memory, once: a stack for the functions, and room for arguments that are
 * passed by address. The program's stack is not used: it may be full, which may be just what the
 * user is looking into.
 *
 *     start            + STACK_SIZE             + STACK_SIZE + ROOM_SIZE
 *       |  <- grows down  |  strings, structs ->  |
 *
 * A function returns to the program's first instruction, where a site stops it. Each call runs
 * in a copy of the copy, which takes the copy's place if the function returned: so a call that
 * dies, or that the user interrupts, has no effect.
 */
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "session/session_internal.h"

static const u64 STACK_SIZE = 8 << 20, ROOM_SIZE = 16 << 20;
/* Below the addresses that the engine itself maps for a program, and above those that clients of
 * gdb's protocol get. */
static const u64 SCRATCH_FIRST = 0x701000000000ull, SCRATCH_STRIDE = 1ull << 32;
enum { SCRATCH_TRIES = 64, FLAG_DIRECTION = 1 << 10 };

/* --- memory -------------------------------------------------------------------------------- */

static bool scratch_is_free(const struct control_area *areas, size_t count, u64 from, u64 to)
{
    for (size_t i = 0; i < count; i++)
        if (areas[i].start < to && areas[i].end > from)
            return false;
    return true;
}

static struct error *scratch_find_room(struct session *s, u64 *ret)
{
    struct control_area *areas;
    size_t count;
    struct error *err = session_areas(s, &areas, &count);
    if (err)
        return err;
    u64 at = SCRATCH_FIRST;
    unsigned tries = 0;
    while (tries < SCRATCH_TRIES &&
           !scratch_is_free(areas, count, at, at + STACK_SIZE + ROOM_SIZE)) {
        at += SCRATCH_STRIDE;
        tries++;
    }
    free(areas);
    if (tries == SCRATCH_TRIES)
        return error_coded(ERROR_NO_MEMORY,
                           "there is no room for a stack in the program's address space");
    *ret = at;
    return NULL;
}

static struct error *scratch_make_room(struct session *s)
{
    u64 at = 0;
    struct error *err = scratch_make(s);
    if (err || s->scratch_room.start)
        return err;
    err = scratch_find_room(s, &at);
    if (!err)
        err = session_scratch_map(s, at, STACK_SIZE + ROOM_SIZE);
    if (!err)
        s->scratch_room = (struct scratch_room){.start = at};
    return err;
}

struct error *session_scratch_allocate(struct session *s, u64 size, u64 *ret_address)
{
    struct error *err = scratch_make_room(s);
    if (err)
        return err;
    struct scratch_room *room = &s->scratch_room;
    if (size > ROOM_SIZE || room->used > ROOM_SIZE - size)
        return error_coded(ERROR_NO_MEMORY,
                           "there is no more room for values in the copy of the process");
    *ret_address = room->start + STACK_SIZE + room->used;
    room->used = (room->used + size + 15) / 16 * 16;
    return NULL;
}

/* --- before and after ---------------------------------------------------------------------- */

/* Sets what a function may rely on: the direction flag is clear, the x87 stack is empty. */
static void scratch_set_up(const struct scratch_call *c, u64 rsp, struct control_registers *regs,
                           u8 *vector)
{
    static const u8 order[SCRATCH_CALL_INTEGERS] = {RDI, RSI, RDX, RCX, R8, R9};
    for (unsigned i = 0; i < SCRATCH_CALL_INTEGERS; i++)
        regs->reg[order[i]] = c->integers[i];
    regs->reg[RAX] = c->vector_count;
    regs->reg[RSP] = rsp;
    regs->rip = c->function;
    regs->flags &= ~(u64)FLAG_DIRECTION;
    memset(vector + XSAVE_FSW, 0, 2);
    vector[XSAVE_FTW] = 0;
    for (unsigned i = 0; i < c->vector_count; i++)
        memcpy(vector + xsave_xmm(i), c->vectors[i], XMM_SIZE);
}

static void scratch_fetch_results(const struct control_registers *regs, const u8 *vector,
                                  struct scratch_called *ret)
{
    ret->registers = *regs;
    for (unsigned i = 0; i < 2 && regs->vector_size >= XSAVE_LEGACY_SIZE; i++) {
        memcpy(ret->vectors[i], vector + xsave_xmm(i), XMM_SIZE);
        memcpy(ret->stack[i], vector + xsave_st(i), ST_SIZE);
    }
}

/* --- running ------------------------------------------------------------------------------- */

struct scratch_clock {
    struct replayer_family *family;
    void (*waiting)(void *context, const struct replayer *r, double seconds);
    void *context;
    double limit;
    bool is_over;
};

static void scratch_waits(void *context, const struct replayer *r, double seconds)
{
    struct scratch_clock *c = context;
    (void)r;
    if (c->limit <= 0 || seconds < c->limit || c->is_over)
        return;
    c->is_over = true;
    replayer_family_interrupt(c->family);
}

/* Runs until the site at `back`, the program's end, or the time limit. */
static struct error *scratch_go(struct replayer *r, u64 back, double seconds, bool *ret_over)
{
    struct {
        struct plan plan;
        struct plan_site site;
    } p = {
        .plan = {.version = CONTROL_VERSION, .mode = PLAN_STOP, .nth = 1, .sites = 1,
                 .limit_tick = ~0ull},
        .site = {.kind = SITE_CODE, .address = back, .size = 1, .thread = CONTROL_THREAD_ANY},
    };
    struct replayer_family *f = r->family;
    struct scratch_clock clock = {.family = f, .waiting = f->waiting, .limit = seconds,
                                  .context = f->waiting_context};
    replayer_family_calm(f);
    f->waiting = scratch_waits;
    f->waiting_context = &clock;
    struct error *err = replayer_run(r, &p.plan, sizeof p);
    f->waiting = clock.waiting;
    f->waiting_context = clock.context;
    *ret_over = clock.is_over;
    replayer_family_calm(f);
    return err;
}

static void scratch_judge(const struct control_stopped *stopped, bool over,
                          struct scratch_called *ret)
{
    ret->pc = stopped->pc;
    ret->signal = stopped->end_signal;
    ret->status = stopped->end_status;
    if (stopped->reason == STOPPED_HIT)
        ret->outcome = CALL_RETURNED;
    else if (stopped->reason == STOPPED_END)
        ret->outcome = ret->signal ? CALL_DIED : CALL_EXITED;
    else
        ret->outcome = over ? CALL_TOO_LONG : CALL_INTERRUPTED;
}

/* Makes the call in s->scratch, whose thread has the registers `regs`. */
static struct error *scratch_call_here(struct session *s, const struct scratch_call *c,
                                       const struct control_registers *regs, const u8 *vector,
                                       struct scratch_called *ret)
{
    struct control_registers own, as = *regs, after;
    const u8 *lent;
    u64 back, rsp = s->scratch_room.start + STACK_SIZE - 16;
    bool over;
    struct error *err = session_registers(s, CONTROL_THREAD_ANY, &own, &lent);
    if (!err)
        err = session_entry(s, &back);
    if (err)
        return err;
    u8 *own_vector = xalloc(2 * (size_t)own.vector_size + 1), *image = own_vector + own.vector_size;
    memcpy(own_vector, lent, own.vector_size);
    memcpy(image, vector, own.vector_size);
    rsp = (rsp - c->stack_size) / 16 * 16;
    err = c->stack_size ? session_write(s, rsp, c->stack, c->stack_size) : NULL;
    rsp -= 8;
    scratch_set_up(c, rsp, &as, image);
    if (!err)
        err = session_write(s, rsp, &back, sizeof back);
    if (!err)
        err = session_set_registers(s, CONTROL_THREAD_ANY, &as, image);
    if (!err)
        err = scratch_go(s->scratch, back, c->seconds, &over);
    if (!err) {
        scratch_judge(&s->scratch->stopped, over, ret);
        err = session_registers(s, CONTROL_THREAD_ANY, &after, &lent);
    }
    if (!err) {
        scratch_fetch_results(&after, lent, ret);
        err = session_set_registers(s, CONTROL_THREAD_ANY, &own, own_vector);
    }
    free(own_vector);
    return err;
}

struct error *session_scratch_call(struct session *s, const struct scratch_call *call,
                                   struct scratch_called *ret)
{
    struct control_registers regs;
    struct replayer *copy;
    const u8 *lent;
    *ret = (struct scratch_called){0};
    if (call->stack_size > STACK_SIZE / 2)
        return error_coded(ERROR_MISUSED, "the arguments are too long for a stack");
    struct error *err = scratch_make_room(s);
    if (!err)
        err = session_registers(s, call->thread, &regs, &lent);
    if (err)
        return err;
    u8 *vector = xalloc(regs.vector_size + 1);
    memcpy(vector, lent, regs.vector_size);
    err = replayer_fork(s->scratch, &copy);
    if (!err) {
        struct replayer *before = s->scratch;
        s->scratch = copy;
        err = scratch_call_here(s, call, &regs, vector, ret);
        bool stays = !err && ret->outcome == CALL_RETURNED;
        s->scratch = stays ? copy : before;
        replayer_destroy(stays ? before : copy);
    }
    free(vector);
    return err;
}
