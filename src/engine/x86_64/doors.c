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

static void emit_bytes(struct emitter *e, const u8 *bytes, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        emit8(e, bytes[i]);
}

/* popfq costs as much as the rest of the door: the arithmetic flags are put together by sahf and an addition that
 * overflows or not.  Only if there is a direction, trap, alignment check or identification flag, popfq does it, through
 * the engine's stack, which is ours while the guest is not running. */
static void load_flags(struct emitter *e)
{
    static const u8 test_unusual[] = {0xf7, 0xc1, 0x00, 0x05, 0x24, 0x00}; /* test ecx, 0x240500 */
    static const u8 arithmetic[] = {
        0x89, 0xc8,       /* mov eax, ecx */
        0xc1, 0xe0, 0x08, /* shl eax, 8 */
        0xc1, 0xe9, 0x0b, /* shr ecx, 11 */
        0x83, 0xe1, 0x01, /* and ecx, 1 */
        0x80, 0xc1, 0x7f, /* add cl, 127: OF */
        0x9e,             /* sahf: SF ZF AF PF CF */
    };
    static const u8 by_stack[] = {0x51, 0x9d}; /* push rcx; popfq */
    emit_load(e, RCX, EMIT_CPU(flags));
    emit_bytes(e, test_unusual, sizeof(test_unusual));
    emit8(e, 0x75); /* jne unusual */
    emit8(e, sizeof(arithmetic) + 2);
    emit_bytes(e, arithmetic, sizeof(arithmetic));
    emit8(e, 0xeb); /* jmp over */
    emit8(e, sizeof(by_stack));
    emit_bytes(e, by_stack, sizeof(by_stack));
}

static void make_in(struct emitter *e)
{
    doors.in = emit_here(e);
    check_alarm(e);
    load_flags(e);
    for (unsigned reg = 0; reg < 16; reg++)
        emit_load(e, reg, EMIT_CPU(reg[reg]));
    emit8(e, 0xff); /* jmp [cpu->entry] */
    emit_rip_operand(e, 4, EMIT_CPU(entry), 0);
}

/* No direction, no alignment check in the engine. */
static void plain_flags(struct emitter *e)
{
    static const u8 by_stack[] = {0x6a, 0x02, 0x9d}; /* push 2; popfq */
    emit8(e, 0xf7);                                  /* test dword [cpu->flags], DF | AC */
    emit_rip_operand(e, 0, EMIT_CPU(flags), 4);
    emit32(e, 0x40400);
    emit8(e, 0x74); /* je over */
    emit8(e, sizeof(by_stack));
    emit_bytes(e, by_stack, sizeof(by_stack));
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
    plain_flags(e);
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
