/* The doors: see doors.h. Each is a short run of instructions at the start of the code cache,
 * written once when the engine starts.
 *
 * The code is generated, because it names struct cpu by its address, which differs from process to
 * process. Speed matters most here: each exit from translated code goes through a door twice.
 */
#include "engine/x86_64/doors.h"

#include <asm/errno.h>

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

/* A handler that interrupts the engine sets the alarm; one that interrupts from here on sees that
 * it is in the cache, and expires the counters. */
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

/* popfq costs as much as the rest of the door: the arithmetic flags are built by sahf and an
 * addition that overflows or not. Only if a direction, trap, nested task, alignment check or
 * identification flag is set, popfq is used, through the engine's stack, which is free while the
 * guest is not running. */
static void load_flags(struct emitter *e)
{
    static const u8 test_unusual[] = {0xf7, 0xc1, 0x00, 0x45, 0x24, 0x00}; /* test ecx, 0x244500 */
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
    for (unsigned reg = 0; reg < GENERAL_REGISTERS; reg++)
        emit_load(e, reg, EMIT_CPU(reg[reg]));
    emit8(e, 0xff); /* jmp [cpu->entry] */
    emit_rip_operand(e, 4, EMIT_CPU(entry), 0);
}

/* Clears direction and alignment check for the engine; NT and ID are not carried over from the
 * guest. */
static void plain_flags(struct emitter *e)
{
    static const u8 by_stack[] = {0x6a, 0x02, 0x9d}; /* push 2; popfq */
    emit8(e, 0xf7);                                  /* test dword [cpu->flags], DF | NT | AC |
                                                      * ID */
    emit_rip_operand(e, 0, EMIT_CPU(flags), 4);
    emit32(e, 0x244400);
    emit8(e, 0x74); /* je over */
    emit8(e, sizeof(by_stack));
    emit_bytes(e, by_stack, sizeof(by_stack));
}

static void make_out(struct emitter *e)
{
    doors.out = emit_here(e);
    for (unsigned reg = 0; reg < GENERAL_REGISTERS; reg++)
        emit_store(e, reg, EMIT_CPU(reg[reg]));
    emit_load(e, RSP, EMIT_CPU(engine_rsp));
    emit8(e, 0x9c); /* pushfq */
    emit8(e, 0x8f); /* pop qword [cpu->flags] */
    emit_rip_operand(e, 0, EMIT_CPU(flags), 0);
    plain_flags(e);
    emit_to_engine(e);
}

static void make_bare(struct emitter *e)
{
    doors.bare = emit_here(e);
    emit_exit_reason(e, EXIT_BARE);
    emit_load(e, RSP, EMIT_CPU(engine_rsp));
    emit_to_engine(e);
}

static u32 make_reason(struct emitter *e, enum exit_reason reason)
{
    u32 here = emit_here(e);
    emit_exit_reason(e, reason);
    emit_jump(e, doors.out);
    return here;
}

/* rcx has the target: it becomes rip, and borrowed registers are restored. */
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

/* System calls that need nothing of the engine are made right here, with the guest's registers in
 * place. rcx and r11 are free, since the instruction overwrites them, but flags are not, so there
 * are no comparisons. rcx becomes 0 if the number is below DIRECT_CALLS, its entry in `direct` is
 * 1, and no signal is waiting. */
static void decide_call(struct emitter *e)
{
    static const u8 high_bits[] = {
        0x89, 0xc1,                   /* mov ecx, eax */
        0x44, 0x0f, 0xb6, 0xd8,       /* movzx r11d, al */
        0x49, 0xf7, 0xd3,             /* not r11 */
        0x4a, 0x8d, 0x4c, 0x19, 0x01, /* lea rcx, [rcx + r11 + 1] */
        0x44, 0x0f, 0xb6, 0xd8,       /* movzx r11d, al */
        0x45, 0x0f, 0xb6, 0x9b,       /* movzx r11d, byte [r11 + direct] */
    };
    static const u8 less_one[] = {0x4a, 0x8d, 0x4c, 0x19, 0xff};  /* lea rcx, [rcx + r11 - 1] */
    static const u8 add_alarm[] = {0x4a, 0x8d, 0x0c, 0x59};       /* lea rcx, [rcx + r11 * 2] */
    emit_bytes(e, high_bits, sizeof(high_bits));
    emit32(e, EMIT_CPU(direct));
    emit_bytes(e, less_one, sizeof(less_one));
    doors.call_check = emit_here(e);
    emit_load(e, R11, EMIT_CPU(alarm));
    emit_bytes(e, add_alarm, sizeof(add_alarm));
}

/* jrcxz, to be aimed later */
static u8 *emit_if_zero(struct emitter *e)
{
    emit8(e, 0xe3);
    return e->at++;
}

static void doors_aim_short(struct emitter *e, u8 *at)
{
    *at = (u8)(e->at - (at + 1));
}

static void make_syscall(struct emitter *e)
{
    static const u8 interrupted[] = {0x48, 0x8d, 0x48, EINTR};  /* lea rcx, [rax + EINTR] */
    static const u8 faulted[] = {0x48, 0x8d, 0x48, EFAULT};     /* lea rcx, [rax + EFAULT] */
    static const u8 one_more[] = {0x48, 0x8d, 0x49, 0x01};      /* lea rcx, [rcx + 1] */
    doors.syscall = emit_here(e);
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_store(e, R11, emit_slot(SLOT_R11));
    emit_store(e, RAX, EMIT_CPU(call_number));
    decide_call(e);
    u8 *make = emit_if_zero(e);
    doors.call_slow = emit_here(e);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    emit_load(e, R11, emit_slot(SLOT_R11));
    make_reason(e, EXIT_SYSCALL);

    doors_aim_short(e, make);
    emit8(e, 0x0f); /* syscall */
    emit8(e, 0x05);
    doors.call_made = emit_here(e);
    emit_bytes(e, interrupted, sizeof(interrupted));
    u8 *failed = emit_if_zero(e);
    emit_bytes(e, faulted, sizeof(faulted));
    u8 *failed_too = emit_if_zero(e);
    emit_load(e, RCX, EMIT_CPU(calls));
    emit_bytes(e, one_more, sizeof(one_more));
    emit_store(e, RCX, EMIT_CPU(calls));
    /* a signal that kill() sent to this process is delivered now */
    emit_load(e, RCX, EMIT_CPU(alarm));
    u8 *quiet = emit_if_zero(e);
    emit_load(e, RCX, EMIT_CPU(rip));
    make_reason(e, EXIT_CALL_MADE);

    doors_aim_short(e, quiet);
    emit_load(e, RCX, EMIT_CPU(rip));
    emit8(e, 0xff); /* jmp [cpu->after] */
    emit_rip_operand(e, 4, EMIT_CPU(after), 0);

    doors_aim_short(e, failed);
    doors_aim_short(e, failed_too);
    make_reason(e, EXIT_CALL_FAILED);
}

/* Restores the guest's flags from ah and al, and the borrowed registers. */
static void doors_give_back(struct emitter *e)
{
    static const u8 flags[] = {0x04, 0x7f, 0x9e}; /* add al, 127: OF; sahf */
    emit_bytes(e, flags, sizeof(flags));
    emit_load(e, RAX, emit_slot(SLOT_SCRATCH));
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

/* ecx is the address of an access for which the map says "perhaps", and rcx is in its slot. Tests
 * whether its bytes are watched; if not, continues at cpu->after. */
static void doors_make_data(struct emitter *e)
{
    static const u8 keep_flags[] = {0x9f, 0x0f, 0x90, 0xc0};    /* lahf; seto al */
    static const u8 granule[] = {0x89, 0xca, 0xc1, 0xea, 0x03}; /* mov edx, ecx; shr edx, 3 */
    /* mov rdx, [rdx]; and ecx, 7; shr rdx, cl */
    static const u8 bits[] = {0x48, 0x8b, 0x12, 0x83, 0xe1, 0x07, 0x48, 0xd3, 0xea};
    doors.data_fine = emit_here(e);
    emit_store(e, RAX, emit_slot(SLOT_SCRATCH));
    emit_bytes(e, keep_flags, sizeof(keep_flags));
    emit_store(e, RDX, emit_slot(SLOT_R11));
    emit_bytes(e, granule, sizeof(granule));
    emit_rex_rip(e, 0x48, 0x03, RDX, EMIT_CPU(data_fine)); /* add rdx, [data_fine] */
    doors.data_read = emit_here(e);
    emit_bytes(e, bits, sizeof(bits));
    emit_rex_rip(e, 0x48, 0x85, RDX, EMIT_CPU(data_bits)); /* test [data_bits], rdx */
    emit_load(e, RDX, emit_slot(SLOT_R11));
    u32 found = emit_branch(e, CONDITION_NZ, 0);
    doors_give_back(e);
    emit8(e, 0xff); /* jmp [cpu->after] */
    emit_rip_operand(e, 4, EMIT_CPU(after), 0);
    doors.data_unread = emit_here(e);
    emit_load(e, RDX, emit_slot(SLOT_R11));
    emit_aim(found, emit_here(e));
    doors_give_back(e);
    doors.data = make_reason(e, EXIT_DATA);
}

u8 *doors_make(u8 *at)
{
    struct emitter e = {at};
    make_in(&e);
    make_out(&e);
    make_missed(&e);
    doors.link = make_reason(&e, EXIT_LINK);
    doors.ticks = make_reason(&e, EXIT_TICKS);
    make_syscall(&e);
    doors.emulate = make_reason(&e, EXIT_EMULATE);
    make_bare(&e);
    doors.site = make_reason(&e, EXIT_SITE);
    doors_make_data(&e);
    return e.at;
}
