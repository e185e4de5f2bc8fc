#include "engine/x86_64/doors.h"

#include "engine/x86_64/cpu.h"
#include "engine/x86_64/cpu_offsets.h"
#include "engine/x86_64/emit.h"
#include "engine/x86_64/enter.h"

_Static_assert(offsetof(struct cpu, engine_rsp) == CPU_ENGINE_RSP, "cpu_offsets.h");
_Static_assert(offsetof(struct cpu, exit_reason) == CPU_EXIT_REASON, "cpu_offsets.h");
_Static_assert(offsetof(struct doors, in) == 0, "engine_enter reads it as the first");

struct doors doors;

static void emit_exit_reason(struct emitter *e, enum exit_reason reason)
{
    emit8(e, 0x48);
    emit_store_constant32(e, EMIT_CPU(exit_reason), reason);
}

static void emit_to_engine(struct emitter *e)
{
    emit_constant(e, RAX, (u64)engine_resume);
    emit8(e, 0xff); /* jmp rax */
    emit8(e, 0xe0);
}

/* A handler that interrupts the engine sets the alarm; one that interrupts from here on sees that it is in
 * the cache, and expires the counters. */
static void check_alarm(struct emitter *e)
{
    emit8(e, 0x48); /* cmp qword [cpu->alarm], 0 */
    emit8(e, 0x83);
    emit_rip_operand(e, 7, EMIT_CPU(alarm), 1);
    emit8(e, 0);
    emit8(e, 0x74); /* je over */
    u8 *over = e->at++;
    emit_exit_reason(e, EXIT_ALARM);
    emit_to_engine(e);
    *over = (u8)(e->at - (over + 1));
}

/* Flags go through the engine's stack, which is ours while the guest is not running. */
static void make_in(struct emitter *e)
{
    doors.in = emit_here(e);
    check_alarm(e);
    emit8(e, 0xff); /* push qword [cpu->flags] */
    emit_rip_operand(e, 6, EMIT_CPU(flags), 0);
    emit8(e, 0x9d); /* popfq */
    for (unsigned reg = 0; reg < 16; reg++)
        emit_load(e, reg, EMIT_CPU(reg[reg]));
    emit8(e, 0xff); /* jmp [cpu->entry] */
    emit_rip_operand(e, 4, EMIT_CPU(entry), 0);
}

static void make_out(struct emitter *e)
{
    doors.out = emit_here(e);
    for (unsigned reg = 0; reg < 16; reg++)
        emit_store(e, reg, EMIT_CPU(reg[reg]));
    emit_load(e, RSP, EMIT_CPU(engine_rsp));
    emit8(e, 0x9c); /* pushfq */
    emit8(e, 0x8f); /* pop qword [cpu->flags] */
    emit_rip_operand(e, 0, EMIT_CPU(flags), 0);
    emit8(e, 0x6a); /* push 2; popfq: no direction, no alignment check */
    emit8(e, 0x02);
    emit8(e, 0x9d);
    emit_to_engine(e);
}

static u32 make_reason(struct emitter *e, enum exit_reason reason)
{
    u32 here = emit_here(e);
    emit_exit_reason(e, reason);
    emit_jump(e, doors.out);
    return here;
}

/* rcx holds the target: it becomes rip, and what was borrowed goes back. */
static void make_missed(struct emitter *e)
{
    doors.missed = emit_here(e);
    emit_load(e, R11, emit_slot(SLOT_R11));
    doors.missed_plain = emit_here(e);
    emit_store(e, RCX, EMIT_CPU(rip));
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    emit_exit_reason(e, EXIT_LOOKUP);
    emit_jump(e, doors.out);
}

u8 *doors_make(u8 *at)
{
    struct emitter e = {at};
    make_in(&e);
    make_out(&e);
    make_missed(&e);
    doors.link = make_reason(&e, EXIT_LINK);
    doors.ticks = make_reason(&e, EXIT_TICKS);
    doors.syscall = make_reason(&e, EXIT_SYSCALL);
    doors.emulate = make_reason(&e, EXIT_EMULATE);
    return e.at;
}
