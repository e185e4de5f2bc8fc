/* Operands: sees to it that an instruction finds its memory, and values worth having.
 *
 * For each operand in memory, a target in the data is drawn and the registers and the
 * displacement that make the address are given the values to reach it: mostly aligned, now
 * and then not, now and then where a fault is due.  A register has one value: the first
 * operand that wants it decides.
 *
 * Some instructions need more than an address: a count that is not astronomical, a divisor's
 * quotient that fits, a word to compare with that is equal every other time.
 */
#include "make.h"

#include <string.h>

#define PAGE 4096

static u64 segment_base(const struct maker *m, const ZydisDecodedOperandMem *mem)
{
    if (mem->segment == ZYDIS_REGISTER_FS)
        return maker_data(m) + DATA_FS;
    return mem->segment == ZYDIS_REGISTER_GS ? maker_data(m) + DATA_GS : 0;
}

/* Beyond the data, in the page before, across the end, or nowhere at all. */
static u64 draw_faulting(struct maker *m, const struct insn *insn, u64 size)
{
    u64 data = maker_data(m);
    switch (draw(m, insn->is.address_width == 32 ? 2 : 4)) {
    case 0: return data + DATA_SIZE + draw(m, PAGE);
    case 1: return data + DATA_SIZE - 1 - draw(m, size);
    case 2: return data - 64 - draw(m, PAGE - 128);
    default: return (draw_bits(m) | 1ul << 63) & ~(1ul << 62);  /* not canonical */
    }
}

/* Locked operations across cache lines are slowed down by some kernels on purpose, and punished
 * by some: few are enough. */
static bool should_be_aligned(struct maker *m, const struct insn *insn)
{
    bool locks = (insn->is.attributes & ZYDIS_ATTRIB_HAS_LOCK) ||
                 insn->is.mnemonic == ZYDIS_MNEMONIC_XCHG;
    return locks ? !one_in(m, 256) : !one_in(m, 4);
}

static u64 draw_target(struct maker *m, const struct insn *insn, u64 size)
{
    if (size == 0 || size > 1024)
        size = 64;
    if (one_in(m, 24))
        return draw_faulting(m, insn, size);
    u64 off = 0x300 + draw(m, DATA_SIZE - 0x700);
    if (insn->is.meta.category == ZYDIS_CATEGORY_XSAVE)
        off = 0x100 + draw(m, 0x800);
    if (should_be_aligned(m, insn))
        off &= ~63ul;
    else if (one_in(m, 2))
        off -= off % size;
    else if (one_in(m, 4))
        off = PAGE - draw(m, size);  /* across two pages */
    if (insn->is.address_width == 32 && off < 0x800)
        off += 0x800;  /* not below fs or gs: the sum would wrap elsewhere */
    return maker_data(m) + off;
}

static void patch(struct insn *insn, u8 at, u64 value, int size)
{
    memcpy(insn->bytes + at, &value, size);
}

/* Above 32 bits of an address register that is used with 32, anything. */
static u64 for_width(struct maker *m, const struct insn *insn, u64 value)
{
    return insn->is.address_width == 32 ? (u32)value | draw_bits(m) << 32 : value;
}

static bool is_fixed(const struct maker *m, int reg)
{
    return m->fixed >> reg & 1;
}

static void settle_base_and_index(struct maker *m, const struct insn *insn,
                                  const ZydisDecodedOperandMem *mem, u64 sum)
{
    int base = gpr_of(mem->base), index = gpr_of(mem->index);
    u64 scale = mem->scale ? mem->scale : 1;
    if (index >= 0 && index == base) {
        if (!is_fixed(m, base))
            fix_gpr(m, base, for_width(m, insn, (i64)sum / (i64)(1 + scale)));
        return;
    }
    if (index >= 0 && base < 0) {
        if (!is_fixed(m, index))
            fix_gpr(m, index, for_width(m, insn, (i64)sum / (i64)scale));
        return;
    }
    u64 indexed = 0;
    if (index >= 0) {
        if (!is_fixed(m, index) && is_fixed(m, base))
            fix_gpr(m, index, for_width(m, insn, (i64)(sum - m->value[base]) / (i64)scale));
        else if (!is_fixed(m, index))
            fix_gpr(m, index, for_width(m, insn, draw(m, 128) - 64));
        indexed = m->value[index];
        if (mem->index == ZYDIS_REGISTER_AL)  /* xlat */
            indexed &= 0xff;
    }
    if (!is_fixed(m, base))
        fix_gpr(m, base, for_width(m, insn, sum - indexed * scale));
}

/* Where the operand is, now that its registers have values: divided by a scale, or wanted
 * twice, they do not always give what was asked for. */
static u64 address_now(const struct maker *m, const struct insn *insn,
                       const ZydisDecodedOperandMem *mem)
{
    int base = gpr_of(mem->base), index = gpr_of(mem->index);
    u64 sum = mem->disp.value;
    if (base >= 0)
        sum += m->value[base];
    if (index >= 0)
        sum += mem->index == ZYDIS_REGISTER_AL ? m->value[index] & 0xff
                                               : m->value[index] * mem->scale;
    if (insn->is.address_width == 32)
        sum = (u32)sum;
    return sum + segment_base(m, mem);
}

/* Elements of 4 or 8 bytes: the letter after gather, scatter or their prefetches. */
static void settle_vsib(struct maker *m, const struct insn *insn,
                        const ZydisDecodedOperandMem *mem)
{
    const char *name = ZydisMnemonicGetString(insn->is.mnemonic);
    const char *at = strstr(name, "gather");
    at = at ? at + 6 : strstr(name, "scatter") ? strstr(name, "scatter") + 7 : name;
    if (at[0] == 'p' && at[1] == 'f')
        at += 3;
    fix_add(m, (struct corpus_fix){.op = FIX_INDEX, .reg = ZydisRegisterGetId(mem->index),
                                   .size = *at == 'q' ? 8 : 4, .value = draw(m, 32)});
}

/* [disp32] and [index + disp32] have no base, whatever REX.B says.  Zydis 4.0 takes r13d for
 * one if addresses have 32 bits. */
static void mend_base(const struct insn *insn, ZydisDecodedOperandMem *mem)
{
    const ZydisDecodedInstructionRaw *raw = &insn->is.raw;
    if (raw->modrm.mod != 0 || raw->modrm.rm != 4 || raw->sib.base != 5 || !raw->sib.offset ||
        gpr_of(mem->base) != R13)
        return;
    mem->base = ZYDIS_REGISTER_NONE;
    mem->disp.value = raw->disp.value;
}

/* Returns the address it has arranged for, 0 if this encoding cannot reach any. */
static u64 settle_memory(struct maker *m, struct insn *insn, ZydisDecodedOperand *op)
{
    ZydisDecodedOperandMem *mem = &op->mem;
    u64 target = draw_target(m, insn, op->size / 8);
    u64 sum = target - segment_base(m, mem);
    u8 at = insn->is.raw.disp.offset;
    mend_base(insn, mem);
    if (mem->base == ZYDIS_REGISTER_RIP || mem->base == ZYDIS_REGISTER_EIP) {
        i64 rel = sum - (maker_here(m) + insn->length);
        patch(insn, at, rel, 4);
        return rel == (i32)rel ? target : 0;
    }
    if (mem->base == ZYDIS_REGISTER_NONE && mem->index == ZYDIS_REGISTER_NONE) {
        patch(insn, at, sum, insn->is.raw.disp.size / 8);
        return insn->is.raw.disp.size == 64 || (i64)sum == (i32)sum ? target : 0;
    }
    sum -= mem->disp.value;
    if (mem->type == ZYDIS_MEMOP_TYPE_VSIB) {
        settle_vsib(m, insn, mem);
        mem->index = ZYDIS_REGISTER_NONE;
    }
    if (gpr_of(mem->base) < 0 && gpr_of(mem->index) < 0)
        return 0;
    settle_base_and_index(m, insn, mem, sum);
    return address_now(m, insn, mem);
}

/* --- particular instructions --- */

static bool is_bit_test(const struct insn *insn)
{
    ZydisMnemonic n = insn->is.mnemonic;
    return n == ZYDIS_MNEMONIC_BT || n == ZYDIS_MNEMONIC_BTS || n == ZYDIS_MNEMONIC_BTR ||
           n == ZYDIS_MNEMONIC_BTC;
}

/* A bit offset in a register reaches far beyond the operand.  If the register is needed for
 * the address too, there is no good value. */
static bool settle_bit_offset(struct maker *m, const struct insn *insn)
{
    if (!is_bit_test(insn) || insn->op[0].type != ZYDIS_OPERAND_TYPE_MEMORY ||
        insn->op[1].type != ZYDIS_OPERAND_TYPE_REGISTER)
        return true;
    int reg = gpr_of(insn->op[1].reg.value);
    if (is_fixed(m, reg))
        return false;
    fix_gpr(m, reg, draw(m, 0x3000) - 0x1800);
    return true;
}

static void fix_unless_fixed(struct maker *m, int reg, u64 value)
{
    if (!is_fixed(m, reg))
        fix_gpr(m, reg, value);
}

static void settle_compare(struct maker *m, u64 target, int size)
{
    u64 low = draw_bits(m), high = draw_bits(m);
    if (is_fixed(m, RAX) || is_fixed(m, RDX) || one_in(m, 2))
        return;
    fix_gpr(m, RAX, low);
    if (size < 16)
        fix_memory(m, target, low, size < 8 ? size : 8);
    if (size >= 8) {
        fix_gpr(m, RDX, high);
        fix_memory(m, target, size == 16 ? low : (u32)low | high << 32, 8);
    }
    if (size == 16)
        fix_memory(m, target + 8, high, 8);
}

static void settle_division(struct maker *m, const struct insn *insn)
{
    if (one_in(m, 4))
        return;
    u64 rax = draw_bits(m) >> draw(m, 64);
    if (insn->op[0].size == 8)
        rax &= 0x3ff;
    fix_unless_fixed(m, RAX, rax);
    fix_unless_fixed(m, RDX, insn->is.mnemonic == ZYDIS_MNEMONIC_IDIV ? -(rax >> 63)
                                                                     : draw(m, 8));
}

/* Whatever it finds, but seldom TF: it ends the case after the next instruction. */
static void settle_popf(struct maker *m)
{
    u64 off = fix_rsp(m) - maker_data(m);
    if (off < DATA_SIZE - 8 && !one_in(m, 8))
        fix_add(m, (struct corpus_fix){.op = FIX_AND, .off = off, .value = ~(u64)FLAGS_TF});
}

static void settle_state(struct maker *m, const struct insn *insn, u64 target)
{
    u64 off = target - maker_data(m);
    bool restores = insn->op[0].actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    if (restores && off < DATA_SIZE)
        fix_add(m, (struct corpus_fix){.op = FIX_XSAVE, .off = off});
    fix_unless_fixed(m, RAX, draw_bits(m) & m->header.xmask);
    fix_unless_fixed(m, RDX, 0);
}

static void settle_mxcsr(struct maker *m, u64 target)
{
    u64 off = target - maker_data(m);
    if (off < DATA_SIZE - 8 && !one_in(m, 5))
        fix_add(m, (struct corpus_fix){.op = FIX_AND, .off = off, .value = ~0xffff0000ul});
}

static void settle_enter(struct maker *m, struct insn *insn)
{
    if (!one_in(m, 10))
        insn->bytes[insn->is.raw.imm[0].offset + 1] = 0;
    fix_unless_fixed(m, RBP, maker_data(m) + 0x1000 + draw(m, 64) * 8);
}

static void settle_bases(struct maker *m, const struct insn *insn)
{
    m->now.flags |= CASE_BASES;
    int reg = gpr_of(insn->op[0].reg.value);
    fix_unless_fixed(m, reg, draw_bits(m) & 0x7fffffffffff);
}

static void settle_strings(struct maker *m, const struct insn *insn)
{
    if (insn->is.attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        fix_unless_fixed(m, RCX, for_width(m, insn, draw(m, 40)));
}

static void settle_particular(struct maker *m, struct insn *insn, u64 target)
{
    settle_strings(m, insn);
    switch (insn->is.mnemonic) {
    case ZYDIS_MNEMONIC_CMPXCHG: settle_compare(m, target, insn->op[0].size / 8); break;
    case ZYDIS_MNEMONIC_CMPXCHG8B: settle_compare(m, target, 8); break;
    case ZYDIS_MNEMONIC_CMPXCHG16B: settle_compare(m, target, 16); break;
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV: settle_division(m, insn); break;
    case ZYDIS_MNEMONIC_POPF:
    case ZYDIS_MNEMONIC_POPFQ: settle_popf(m); break;
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_XSAVE:
    case ZYDIS_MNEMONIC_XSAVE64:
    case ZYDIS_MNEMONIC_XSAVEC:
    case ZYDIS_MNEMONIC_XSAVEC64:
    case ZYDIS_MNEMONIC_XRSTOR:
    case ZYDIS_MNEMONIC_XRSTOR64: settle_state(m, insn, target); break;
    case ZYDIS_MNEMONIC_LDMXCSR:
    case ZYDIS_MNEMONIC_VLDMXCSR: settle_mxcsr(m, target); break;
    case ZYDIS_MNEMONIC_ENTER: settle_enter(m, insn); break;
    case ZYDIS_MNEMONIC_RDFSBASE:
    case ZYDIS_MNEMONIC_RDGSBASE:
    case ZYDIS_MNEMONIC_WRFSBASE:
    case ZYDIS_MNEMONIC_WRGSBASE: settle_bases(m, insn); break;
    default: break;
    }
}

/* push, pop and their like reach the stack through an operand that is not written down.
 * rsp is always in the data, but now and then near its end or beyond. */
static bool is_stack(const ZydisDecodedOperand *op)
{
    return op->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
           op->mem.base == ZYDIS_REGISTER_RSP;
}

static void settle_stack(struct maker *m)
{
    if (!is_fixed(m, RSP) && one_in(m, 40))
        fix_gpr(m, RSP, maker_data(m) + (one_in(m, 2) ? -8 : (i64)DATA_SIZE) +
                            (draw(m, 4) - 2) * 8);
}

/* There is no telling what is mapped outside of the place, so nothing may go there, be it
 * because two operands wanted the same register.  What is not canonical is nowhere. */
static bool is_sound(const struct maker *m, u64 address)
{
    i64 top = (i64)address >> 47;
    return address - maker_base(m) < PLACE_SIZE || (top != 0 && top != -1);
}

bool stack_is_sound(const struct maker *m)
{
    return !is_fixed(m, RSP) || m->value[RSP] - maker_base(m) < PLACE_SIZE;
}

/* All operands of an instruction that is about to be emitted.  False: this one will not do. */
bool operands_settle(struct maker *m, struct insn *insn)
{
    bool stack = false;
    m->target = 0;
    if (insn->is.mnemonic == ZYDIS_MNEMONIC_MOVDIR64B) /* an address that looks like a register */
        fix_gpr(m, gpr_of(insn->op[0].type == ZYDIS_OPERAND_TYPE_REGISTER
                              ? insn->op[0].reg.value : insn->op[0].mem.base),
                draw_target(m, insn, 64));
    for (int i = 0; i < insn->is.operand_count; i++) {
        ZydisDecodedOperand *op = &insn->op[i];
        if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || op->mem.type == ZYDIS_MEMOP_TYPE_AGEN)
            continue;
        if (is_stack(op)) {
            settle_stack(m);
            stack = true;
            continue;
        }
        u64 found = settle_memory(m, insn, op);
        if (!found || !is_sound(m, found))
            return false;
        m->target = m->target ? m->target : found;
    }
    if (!settle_bit_offset(m, insn) || (stack && !stack_is_sound(m)))
        return false;
    settle_particular(m, insn, m->target);
    return true;
}
