/* Checks for data sites in translated code: see data_map.h and data_watch.h.
 *
 * Before an instruction, for each place that it accesses:
 *
 *   flags are dead                      flags are live
 *     scratch -> slot                     rcx -> slot
 *     lea scratch, [its operand]          lea ecx, [its operand]
 *     shr scratch, 3                      bswap ecx; movzx ecx, cx
 *     add scratch, [cpu->data_map]        movzx ecx, byte [regions + rcx]
 *     test byte [scratch], mask           jrcxz over; jmp stub
 *     scratch <- slot; jnz stub           over: rcx <- slot
 *
 * The stubs test the fine map, through a door that saves flags. If the access is too wide for that,
 * the stub of the second check makes the first check. If the result is "perhaps", the engine is
 * entered, which continues after the check, or executes the instruction itself. All registers are
 * in place at the instruction, so that a fault there needs no additional marks.
 *
 * Accesses relative to rsp are not checked in variants without VARIANT_STACK: the engine ensures
 * that no stack in use is near watched memory, and code checks it where an instruction may have
 * moved rsp far.
 */
#include "engine/threads/thread.h"
#include "engine/translate/data_map.h"
#include "engine/x86_64/doors.h"
#include "engine/x86_64/lower_internal.h"
#include "engine/x86_64/touches.h"

enum { NEAR = 4096, NEXT_INSNS = 4, OVERFLOWS = 127 };

/* One place that an instruction accesses. */
struct data_place {
    const struct insn *i;
    u32 number; /* in the block */
    u8 mask;
    bool by_stack; /* at rsp + stack, and not its operand */
    i8 stack;
    u8 size;       /* size of the access, if the fine map can be used; otherwise 0 */
};

static u8 mask_for(const struct lowering *l, u32 how, u64 size)
{
    u8 variant = l->block->variant;
    u8 mask = (how & TOUCH_WRITE && variant & VARIANT_STORES ? DATA_STORE : 0) |
              (how & TOUCH_READ && variant & VARIANT_LOADS ? DATA_LOAD : 0);
    return size > DATA_NARROW ? (u8)(mask << DATA_WIDE) : mask;
}

/* --- addresses ------------------------------------------------------------------------- */

/* lea reg, [operand of i]: the low 32 bits of its address, without its segment's base. */
static void emit_operand_address(struct emitter *e, const struct insn *i, unsigned reg)
{
    bool wide = i->displacement_size && !fits_i8(i->displacement);
    unsigned mod = i->modrm >> 6;
    if (i->displacement_size == 1)
        mod = wide ? 2 : 1; /* those of EVEX are scaled */
    if (i->prefixes & PREFIX_67)
        emit8(e, 0x67);
    emit8(e, (u8)(0x40 | (reg >> 3) << 2 | (i->rex & 3)));
    emit8(e, 0x8d);
    emit8(e, (u8)(mod << 6 | (reg & 7) << 3 | (i->modrm & 7)));
    if ((i->modrm & 7) == 4)
        emit8(e, i->sib);
    if (mod == 1)
        emit8(e, (u8)i->displacement);
    else if (i->displacement_size)
        emit32(e, (u32)i->displacement);
}

/* lea reg, [rsp + offset] */
static void emit_stack_address(struct emitter *e, i8 offset, unsigned reg)
{
    emit8(e, (u8)(0x40 | (reg >> 3) << 2));
    emit8(e, 0x8d);
    emit8(e, (u8)(0x44 | (reg & 7) << 3));
    emit8(e, 0x24);
    emit8(e, (u8)offset);
}

static void emit_address(struct emitter *e, const struct insn *i, bool by_stack, i8 stack,
                         unsigned reg)
{
    if (by_stack)
        emit_stack_address(e, stack, reg);
    else
        emit_operand_address(e, i, reg);
}

static bool has_segment(const struct insn *i)
{
    return i->prefixes & (PREFIX_FS | PREFIX_GS);
}

/* reg += base of the segment: 32 bits, through memory. */
static void emit_add_base(struct emitter *e, const struct insn *i, unsigned reg)
{
    /* mov [sum], reg */
    emit_rex_rip(e, (u8)(0x40 | (reg >> 3) << 2), 0x89, reg, EMIT_CPU(data_sum));
    emit8(e, 0xf3); /* rdfsbase, rdgsbase */
    emit8(e, (u8)(0x40 | reg >> 3));
    emit8(e, 0x0f);
    emit8(e, 0xae);
    emit8(e, (u8)(0xc0 | (i->prefixes & PREFIX_FS ? 0 : 8) | (reg & 7)));
    /* add reg, [sum] */
    emit_rex_rip(e, (u8)(0x40 | (reg >> 3) << 2), 0x03, reg, EMIT_CPU(data_sum));
}

/* reg = the address of the map's byte for the place in reg. Changes flags. */
static void emit_map_address(struct emitter *e, unsigned reg)
{
    emit8(e, (u8)(0x40 | reg >> 3)); /* shr reg, 3 */
    emit8(e, 0xc1);
    emit8(e, (u8)(0xe8 | (reg & 7)));
    emit8(e, DATA_GRANULE_BITS);
    /* add reg, [map] */
    emit_rex_rip(e, (u8)(0x48 | (reg >> 3) << 2), 0x03, reg, EMIT_CPU(data_map));
}

/* test byte [reg], mask; never called with rsp, r12, rbp and r13. */
static void emit_test(struct emitter *e, unsigned reg, u8 mask)
{
    emit8(e, (u8)(0x40 | reg >> 3));
    emit8(e, 0xf6);
    emit8(e, (u8)(reg & 7));
    emit8(e, mask);
}

/* --- checks ------------------------------------------------------------------------------ */

/* Returns a register that is not needed soon, so that restoring it causes no delay. */
static unsigned idle_register(const struct lowering *l, u32 number)
{
    static const u8 candidates[] = {R11, R10, R9, R8, RSI, RDI, RDX, RCX, RAX, RBX, R14, R15};
    const struct block *b = l->block;
    u16 used = 0;
    for (u32 n = number; n < b->count && n < number + NEXT_INSNS; n++) {
        u16 more = used | b->insn[n].registers_read | b->insn[n].registers_written;
        bool any_left = false;
        for (unsigned k = 0; k < countof(candidates); k++)
            any_left |= !(more >> candidates[k] & 1);
        if (!any_left)
            break;
        used = more;
    }
    for (unsigned k = 0; k < countof(candidates); k++)
        if (!(used >> candidates[k] & 1))
            return candidates[k];
    return RCX;
}

static void lower_data_note(struct lowering *l, u32 jump_at, enum exit_kind kind,
                            const struct data_place *p)
{
    struct exit *x = lower_note_exit(l, jump_at, kind, l->pc);
    x->insn = (u8)p->number;
    x->mask = p->mask;
    x->by_stack = p->by_stack;
    x->stack = p->stack;
    x->size = p->size;
    x->resume = emit_here(&l->e);
}

static u64 constant_address(const struct lowering *l, const struct insn *i)
{
    u64 at = l->pc + i->length + (u64)i->displacement;
    return i->prefixes & PREFIX_67 ? (u32)at : at;
}

static void check_with_dead_flags(struct lowering *l, const struct data_place *p)
{
    struct emitter *e = &l->e;
    unsigned reg = idle_register(l, p->number);
    emit_store(e, reg, emit_slot(SLOT_SCRATCH));
    if (!p->by_stack && p->i->rip_relative && !has_segment(p->i)) {
        emit_constant(e, reg, (u64)data_maps.coarse + data_map_slot(constant_address(l, p->i)));
    } else {
        emit_address(e, p->i, p->by_stack, p->stack, reg);
        if (!p->by_stack && has_segment(p->i))
            emit_add_base(e, p->i, reg);
        emit_map_address(e, reg);
    }
    emit_test(e, reg, p->mask);
    emit_load(e, reg, emit_slot(SLOT_SCRATCH));
    u32 jump_at = emit_branch(e, CONDITION_NZ, 0);
    lower_data_note(l, jump_at, TO_DATA, p);
}

/* ecx, an address, becomes 0 if its region has no marks. */
static void emit_region(struct emitter *e, enum data_regions which)
{
    emit_word(e, 0xc9b70fc90f, 5); /* bswap ecx; movzx ecx, cx */
    /* movzx ecx, byte [rcx + regions] */
    emit_word(e, 0x89b60f | (u64)(u32)(u64)code_cache.regions[which] << 24, 7);
}

static void check_with_live_flags(struct lowering *l, const struct data_place *p)
{
    struct emitter *e = &l->e;
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    if (!p->by_stack && p->i->rip_relative) {
        emit_constant(e, RCX, (u64)data_maps.coarse + data_map_slot(constant_address(l, p->i)));
        emit_word(e, 0x09b60f, 3); /* movzx ecx, byte [rcx] */
    } else {
        emit_address(e, p->i, p->by_stack, p->stack, RCX);
        emit_region(e, DATA_REGIONS_WATCHED);
    }
    emit_word(e, 0x05e3, 2); /* jrcxz over the jump */
    u32 jump_at = emit_jump(e, 0);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    lower_data_note(l, jump_at, TO_DATA_RCX, p);
}

/* The engine must always check it. */
static void ask_always(struct lowering *l, const struct data_place *p)
{
    u32 jump_at = emit_jump(&l->e, 0);
    lower_data_note(l, jump_at, TO_DATA, p);
}

static void lower_data_check_place(struct lowering *l, const struct data_place *p)
{
    bool dead = (l->block->dead[p->number] & FLAGS_ARITHMETIC) == FLAGS_ARITHMETIC;
    bool segment = !p->by_stack && has_segment(p->i);
    if (!p->mask)
        return;
    if (segment && (!dead || !thread_bases_readable()))
        ask_always(l, p);
    else if (dead)
        check_with_dead_flags(l, p);
    else
        check_with_live_flags(l, p);
}

/* --- which places ---------------------------------------------------------------------------- */

static bool lower_data_is_one(const struct insn *i, u8 opcode)
{
    return i->encoding == ENCODING_LEGACY && i->map == MAP_ONE && i->opcode == opcode;
}

static bool by_rsp(const struct insn *i)
{
    return i->has_memory && (i->modrm & 7) == 4 && (i->sib & 7) == RSP && !(i->rex & 1) &&
           (i->sib >> 3 & 7) == 4 && !(i->rex & 2) &&
           !(i->prefixes & (PREFIX_67 | PREFIX_FS | PREFIX_GS)) && i->displacement < NEAR &&
           i->displacement > -NEAR;
}

static bool checks_stack(const struct lowering *l)
{
    return l->block->variant & VARIANT_STACK;
}

static void check_operand(struct lowering *l, u32 n, u32 how, u64 size)
{
    const struct insn *i = &l->block->insn[n];
    struct data_place p = {.i = i, .number = n, .mask = mask_for(l, how, size)};
    if (size <= DATA_FINEST && !has_segment(i))
        p.size = (u8)size;
    if (checks_stack(l) || !by_rsp(i))
        lower_data_check_place(l, &p);
}

/* Checks pushes and pops of at most eight bytes. */
static void check_stack(struct lowering *l, u32 n, u32 how)
{
    struct data_place p = {.i = &l->block->insn[n], .number = n,
                           .mask = mask_for(l, how, DATA_NARROW), .by_stack = true,
                      .size = DATA_NARROW};
    p.stack = how & TOUCH_WRITE ? -DATA_NARROW : 0;
    if (checks_stack(l))
        lower_data_check_place(l, &p);
}

/* push m, call m: both operand and stack; pop m is left to the engine. */
static bool pushes_memory(const struct insn *i)
{
    return i->memory & MEMORY_STACK && i->has_memory && lower_data_is_one(i, 0xff);
}

static bool is_enter(const struct insn *i)
{
    return lower_data_is_one(i, 0xc8);
}

static bool is_leave(const struct insn *i)
{
    return lower_data_is_one(i, 0xc9);
}

static void check_other(struct lowering *l, u32 n, u32 how)
{
    const struct insn *i = &l->block->insn[n];
    struct data_place p = {.i = i, .number = n, .mask = mask_for(l, how, DATA_NARROW)};
    if (pushes_memory(i)) {
        check_operand(l, n, TOUCH_READ, DATA_NARROW);
        check_stack(l, n, TOUCH_WRITE);
    } else if ((is_enter(i) || is_leave(i)) && !checks_stack(l)) {
        return; /* frames: the guard after them checks their address */
    } else if (p.mask) {
        ask_always(l, &p);
    }
}

void lower_data_check(struct lowering *l, u32 n)
{
    const struct insn *i = &l->block->insn[n];
    u32 how;
    l->first_check = l->exit_count;
    switch (touches_form(i, &how)) {
    case TOUCH_FORM_NONE:
        return;
    case TOUCH_FORM_OPERAND:
        check_operand(l, n, how, i->memory_size);
        return;
    case TOUCH_FORM_STACK:
        check_stack(l, n, how);
        return;
    case TOUCH_FORM_OTHER:
        check_other(l, n, how);
    }
}

/* Instructions other than plain ones do not continue here. */
void lower_data_behind(struct lowering *l, u32 n)
{
    if (l->block->insn[n].kind != INSN_PLAIN)
        return;
    for (u32 k = l->first_check; k < l->exit_count; k++)
        l->exit[k].behind = emit_here(&l->e);
}

/* --- the stack's place ------------------------------------------------------------------------ */

/* True for add, sub and and with an immediate, and lea: a small step. */
static bool steps(const struct insn *i)
{
    bool immediate = lower_data_is_one(i, 0x81) || lower_data_is_one(i, 0x83);
    unsigned operation = i->modrm >> 3 & 7;
    if (immediate && (operation == 0 || operation == 5 || operation == 4))
        return i->rex & 8 && i->immediate < NEAR && i->immediate >= -NEAR &&
               (operation != 4 || i->immediate < 0);
    return lower_data_is_one(i, 0x8d) && i->rex & 8 && by_rsp(i);
}

/* True if rsp may be elsewhere after it, further than what is always mapped around it. */
static bool moves_stack(const struct insn *i)
{
    if (!(i->registers_written >> RSP & 1) || steps(i))
        return false;
    bool plain = i->memory & MEMORY_STACK && !is_leave(i) && !is_enter(i);
    bool pops_itself = lower_data_is_one(i, 0x5c) && !(i->rex & 1);
    return !plain || pops_itself;
}

void lower_data_guard(struct lowering *l, u32 n)
{
    const struct insn *i = &l->block->insn[n];
    struct emitter *e = &l->e;
    if (checks_stack(l) || !moves_stack(i) || block_ends_at(i))
        return;
    struct data_place p = {.i = i, .number = n};
    emit_store(e, RCX, emit_slot(SLOT_RCX));
    emit_word(e, 0xe189, 2); /* mov ecx, esp */
    emit_region(e, DATA_REGIONS_STACK);
    emit_word(e, 0x05e3, 2);
    u32 jump_at = emit_jump(e, 0);
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    l->pc += i->length;
    lower_data_note(l, jump_at, TO_DATA_STACK, &p);
}

/* --- stubs ------------------------------------------------------------------------------------ */

/* Sets what the engine needs to know. */
static void lower_data_tell(struct lowering *l, const struct exit *x, u32 resume)
{
    struct emitter *e = &l->e;
    emit_store_constant(e, EMIT_CPU(rip), x->pc);
    emit8(e, 0x48);
    emit_store_constant32(e, EMIT_CPU(after), resume);
    emit_store_constant32(e, EMIT_CPU(data_behind), x->behind);
}

static void ask_engine(struct lowering *l, const struct exit *x, u32 resume)
{
    lower_data_tell(l, x, resume);
    emit_jump(&l->e, doors.data);
}

/* Restores the guest's flags from ah and al, and both registers. */
static void lower_data_give_back(struct emitter *e)
{
    emit8(e, 0x04); /* add al, 127: OF */
    emit8(e, OVERFLOWS);
    emit8(e, 0x9e); /* sahf */
    emit_load(e, RAX, emit_slot(SLOT_SCRATCH));
    emit_load(e, RCX, emit_slot(SLOT_RCX));
}

/* The fine check, with flags saved. */
static void check_again(struct lowering *l, const struct exit *x)
{
    struct emitter *e = &l->e;
    const struct insn *i = &l->block->insn[x->insn];
    emit_load(e, RCX, emit_slot(SLOT_RCX));
    if (!x->by_stack && i->rip_relative)
        emit_constant(e, RCX, (u32)(x->pc + i->length + (u64)i->displacement));
    else
        emit_address(e, i, x->by_stack, x->stack, RCX);
    emit_store(e, RAX, emit_slot(SLOT_SCRATCH));
    emit_word(e, 0xc0900f9f, 4); /* lahf; seto al */
    emit_map_address(e, RCX);
    emit_test(e, RCX, x->mask);
    u32 found = emit_branch(e, CONDITION_NZ, 0);
    lower_data_give_back(e);
    emit_jump(e, x->resume);
    emit_aim(found, emit_here(e));
    lower_data_give_back(e);
}

/* Through the door to the fine map, which needs the address in ecx, and rcx in its slot. */
static void ask_fine(struct lowering *l, const struct exit *x)
{
    struct emitter *e = &l->e;
    const struct insn *i = &l->block->insn[x->insn];
    if (x->kind == TO_DATA)
        emit_store(e, RCX, emit_slot(SLOT_RCX));
    else
        emit_load(e, RCX, emit_slot(SLOT_RCX));
    if (!x->by_stack && i->rip_relative)
        emit_constant(e, RCX, (u32)(x->pc + i->length + (u64)i->displacement));
    else
        emit_address(e, i, x->by_stack, x->stack, RCX);
    emit_store_constant(e, EMIT_CPU(data_bits), (1ul << x->size) - 1);
    lower_data_tell(l, x, x->resume);
    emit_jump(e, doors.data_fine);
}

void lower_data_stub(struct lowering *l, const struct exit *x)
{
    if (x->size && x->kind != TO_DATA_STACK) {
        ask_fine(l, x);
        return;
    }
    if (x->kind == TO_DATA_RCX)
        check_again(l, x);
    if (x->kind == TO_DATA_STACK)
        emit_load(&l->e, RCX, emit_slot(SLOT_RCX));
    ask_engine(l, x, x->kind == TO_DATA_STACK ? 0 : x->resume);
}
