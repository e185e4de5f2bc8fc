/* Sequence: two to eight instructions in a row, in a loop, or in a subroutine.
 *
 * What a translator may get wrong between instructions is mostly flags: it keeps books on
 * which are live and uses the dead ones for itself.  So most instructions here read or write
 * flags (adc, setcc, cmov, shifts by cl, inc beside carry), with jumps over some of them,
 * and the flags cross back edges, calls and returns.
 *
 * Two registers hold addresses, and no instruction may change them, nor rsp, nor the count of
 * the loop.  One sequence in eight has an instruction that faults in its middle: registers
 * and live flags must be exact there.
 */
#include "make.h"

#include <stdlib.h>
#include <string.h>

static const struct form **flag_forms, **other_forms;
static size_t flag_count, other_count;

static const u16 categories_out[] = {
    ZYDIS_CATEGORY_STRINGOP, ZYDIS_CATEGORY_IO, ZYDIS_CATEGORY_IOSTRINGOP, ZYDIS_CATEGORY_SYSTEM,
    ZYDIS_CATEGORY_XSAVE, ZYDIS_CATEGORY_RDWRFSGS, ZYDIS_CATEGORY_AMX_TILE,
    ZYDIS_CATEGORY_GATHER, ZYDIS_CATEGORY_SCATTER, ZYDIS_CATEGORY_AVX2GATHER,
    ZYDIS_CATEGORY_MOVDIR, ZYDIS_CATEGORY_PUSH, ZYDIS_CATEGORY_POP, ZYDIS_CATEGORY_MPX,
};

/* The stack, signals, another mxcsr, and what saves the address of an x87 instruction. */
static const u16 mnemonics_out[] = {
    ZYDIS_MNEMONIC_ENTER, ZYDIS_MNEMONIC_LEAVE, ZYDIS_MNEMONIC_LDMXCSR,
    ZYDIS_MNEMONIC_VLDMXCSR, ZYDIS_MNEMONIC_UD0, ZYDIS_MNEMONIC_UD1, ZYDIS_MNEMONIC_UD2,
    ZYDIS_MNEMONIC_XEND, ZYDIS_MNEMONIC_FNSAVE, ZYDIS_MNEMONIC_FNSTENV, ZYDIS_MNEMONIC_FXSAVE,
    ZYDIS_MNEMONIC_FXSAVE64, ZYDIS_MNEMONIC_FXRSTOR, ZYDIS_MNEMONIC_FXRSTOR64,
};

static bool contains(const u16 *list, size_t count, u16 what)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == what)
            return true;
    return false;
}

/* Instructions that need no care from operands.c. */
static bool fits_sequence(const struct insn *insn)
{
    const ZydisDecodedInstruction *is = &insn->is;
    if (contains(categories_out, countof(categories_out), is->meta.category) ||
        contains(mnemonics_out, countof(mnemonics_out), is->mnemonic) ||
        (is->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED))
        return false;
    for (int i = 0; i < is->operand_count; i++)
        if (insn->op[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
            insn->op[i].encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM)
            return false;
    return true;
}

/* A bit offset in a register: the address would be anywhere. */
static bool addresses_bits(const struct insn *insn)
{
    ZydisMnemonic n = insn->is.mnemonic;
    return (n == ZYDIS_MNEMONIC_BT || n == ZYDIS_MNEMONIC_BTS || n == ZYDIS_MNEMONIC_BTR ||
            n == ZYDIS_MNEMONIC_BTC) && insn->op[0].type == ZYDIS_OPERAND_TYPE_MEMORY &&
           insn->op[1].type == ZYDIS_OPERAND_TYPE_REGISTER;
}

void sequence_init(const struct forms *forms)
{
    struct maker scratch = {.chance = 1};
    static const struct rule rule = {.bases = 1u << RBX, .untouched = 1u << RSP | 1u << RBX};
    flag_forms = malloc(forms->count * sizeof *flag_forms);
    other_forms = malloc(forms->count * sizeof *other_forms);
    if (!flag_forms || !other_forms)
        abort();
    for (size_t i = 0; i < forms->count; i++) {
        const struct form *f = &forms->all[i];
        struct insn insn;
        if (f->weight < 4 || !insn_draw(&scratch, f, &rule, &insn) || !fits_sequence(&insn) ||
            addresses_bits(&insn))
            continue;
        const ZydisAccessedFlags *a = insn.is.cpu_flags;
        bool flags = a && ((a->tested | insn_flags_written(&insn)) & FLAGS_ARITHMETIC);
        if (flags && (f->encoding != FORM_EVEX))
            flag_forms[flag_count++] = f;
        else
            other_forms[other_count++] = f;
    }
}

/* --- one sequence --- */

struct step {
    u32 at;
    u32 written;  /* flags */
};

#define STEPS_MAX 40

struct sequence {
    struct rule rule;
    struct step steps[STEPS_MAX];
    int count;
    int faulty;  /* which of its steps is to fault, if any can; -1: none */
};

static void note_step(struct maker *m, struct sequence *s, u32 written)
{
    if (s->count < STEPS_MAX)
        s->steps[s->count++] = (struct step){m->cursor, written};
}

/* A byte of displacement may count for 64: not too far, the stack of a call is up there. */
static void aim_byte(struct insn *insn)
{
    if (insn->is.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX && insn->is.raw.disp.size == 8)
        insn->bytes[insn->is.raw.disp.offset] &= 7;
}

/* Displacements are made to stay in the data, or to leave it. */
static void aim(struct maker *m, struct sequence *s, struct insn *insn)
{
    u8 at = insn->is.raw.disp.offset;
    aim_byte(insn);
    for (int i = 0; i < insn->is.operand_count_visible; i++) {
        const ZydisDecodedOperand *op = &insn->op[i];
        if (op->type != ZYDIS_OPERAND_TYPE_MEMORY || insn->is.raw.disp.size != 32)
            continue;
        i32 off = (draw(m, 0x600) - 0x300) & ~(one_in(m, 8) ? 0 : 63);
        bool fault = s->faulty == s->count;
        if (op->mem.base == ZYDIS_REGISTER_RIP)
            off = maker_data(m) + 0x1000 + off - (maker_here(m) + insn->length);
        off += fault ? 0x4000 : 0;
        memcpy(insn->bytes + at, &off, 4);
        if (fault)
            m->now.fault_at = m->cursor;
    }
}

/* If rsp is moved into a vector register, Zen 4 uses its value before the last call or return. No
 * engine repeats that. */
static bool takes_rsp(const struct insn *insn)
{
    for (int i = 0; i < insn->is.operand_count_visible; i++)
        if (insn->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            (insn->op[i].reg.value == ZYDIS_REGISTER_RSP || insn->op[i].reg.value == ZYDIS_REGISTER_ESP))
            return insn->is.encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    return false;
}

static void step_plain(struct maker *m, struct sequence *s)
{
    struct insn insn;
    for (int i = 0; i < 50; i++) {
        const struct form *f = one_in(m, 3) ? other_forms[draw(m, other_count)]
                                            : flag_forms[draw(m, flag_count)];
        if (!insn_draw(m, f, &s->rule, &insn) || addresses_bits(&insn) ||
            takes_rsp(&insn))
            continue;
        aim(m, s, &insn);
        note_step(m, s, insn_flags_written(&insn));
        emit(m, insn.bytes, insn.length);
        return;
    }
}

/* Over the next instruction, or not: short or near. */
static void step_skip(struct maker *m, struct sequence *s)
{
    bool near = one_in(m, 2);
    note_step(m, s, 0);
    u8 condition = draw(m, 16);
    if (near)
        EMIT(m, 0x0f, 0x80 | condition, 0, 0, 0, 0);
    else
        EMIT(m, 0x70 | condition, 0);
    u32 from = m->cursor;
    step_plain(m, s);
    if (one_in(m, 3))
        step_plain(m, s);
    i32 rel = m->cursor - from;
    memcpy(m->code + from - (near ? 4 : 1), &rel, near ? 4 : 1);
}

static void step_stack(struct maker *m, struct sequence *s)
{
    u8 from = draw(m, 16), to = draw(m, 16);
    if (from == RSP || s->rule.untouched & 1u << to)
        return;
    note_step(m, s, 0);
    EMIT(m, 0x40 | from >> 3, 0x50 | (from & 7));
    step_plain(m, s);
    note_step(m, s, 0);
    EMIT(m, 0x40 | to >> 3, 0x58 | (to & 7));
}

static void step_flags_to_rax(struct maker *m, struct sequence *s)
{
    if (s->rule.untouched & 1u << RAX)
        return;
    note_step(m, s, 0);
    switch (draw(m, 4)) {
    case 0: EMIT(m, 0x9f); break;                             /* lahf */
    case 1: EMIT(m, 0x9c, 0x58); break;                       /* pushf; pop rax */
    case 2: EMIT(m, 0x0f, 0x90 | draw(m, 16), 0xc0); break;   /* setcc al */
    default: EMIT(m, 0x48, 0x0f, 0x40 | draw(m, 16), 0xc2);   /* cmovcc rax, rdx */
    }
}

static void body(struct maker *m, struct sequence *s, int length)
{
    for (int i = 0; i < length; i++) {
        switch (draw(m, 8)) {
        case 0: step_skip(m, s); break;
        case 1: step_stack(m, s); break;
        case 2: step_flags_to_rax(m, s); break;
        default: step_plain(m, s); break;
        }
    }
}

static void jump_back(struct maker *m, u32 to, bool near, u8 condition)
{
    if (near || to + 120 < m->cursor) {
        i32 rel = to - (m->cursor + 6);
        EMIT(m, 0x0f, 0x80 | condition);
        emit(m, &rel, 4);
    } else {
        EMIT(m, 0x70 | condition, to - (m->cursor + 2));
    }
}

/* The end of a loop: several ways to count rcx down, with and without harm to the flags. */
static void loop_end(struct maker *m, struct sequence *s, u32 top)
{
    bool close = top + 110 > m->cursor;
    note_step(m, s, FLAGS_ARITHMETIC);
    switch (draw(m, 5)) {
    case 0: EMIT(m, 0xff, 0xc9); jump_back(m, top, one_in(m, 2), 5); break;        /* dec; jnz */
    case 1: EMIT(m, 0x48, 0x83, 0xe9, 1); jump_back(m, top, one_in(m, 2), 5); break;  /* sub */
    case 2: EMIT(m, 0x48, 0xff, 0xc9); jump_back(m, top, one_in(m, 2), 15); break; /* dec; jg */
    case 3:
        if (close) {
            EMIT(m, 0xe2, top - (m->cursor + 2));                                  /* loop */
            break;
        }
        /* fall through */
    default: {                                                 /* lea; jrcxz out; jmp */
        EMIT(m, 0x48, 0x8d, 0x49, 0xff, 0xe3, 5, 0xe9);
        i32 rel = top - (m->cursor + 4);
        emit(m, &rel, 4);
    }
    }
}

/* call; what follows; out.  The subroutine comes after. */
static void body_called(struct maker *m, struct sequence *s, int length)
{
    EMIT(m, 0xe8, 0, 0, 0, 0);
    u32 from = m->cursor;
    body(m, s, 1 + length / 2);
    emit_exit(m, 1);
    i32 rel = m->cursor - from;
    memcpy(m->code + from - 4, &rel, 4);
    body(m, s, 1 + length / 2);
    if (one_in(m, 3))
        EMIT(m, 0xc2, 8, 0);
    else
        EMIT(m, 0xc3);
}

/* Dead are the flags that are written at or after the fault, without a look at whether they
 * are read before that: rather compare too few than expect what nobody promised. */
static void flags_at_fault(struct maker *m, const struct sequence *s, bool turns)
{
    u32 all = 0, after = 0;
    for (int i = 0; i < s->count; i++) {
        all |= s->steps[i].written;
        if (s->steps[i].at >= m->now.fault_at)
            after |= s->steps[i].written;
    }
    m->now.other_flags = FLAGS_ARITHMETIC & ~all;
    m->now.fault_flags = FLAGS_ARITHMETIC & ~(turns ? all : after);
}

static int draw_pointer(struct maker *m, u32 taken, u64 off)
{
    int reg;
    do
        reg = draw(m, 16);
    while (taken >> reg & 1);
    fix_gpr(m, reg, maker_data(m) + off);
    return reg;
}

void sequence_make(struct maker *m)
{
    struct sequence s = {.faulty = -1};
    case_begin(m);
    u32 taken = 1u << RSP | 1u << RCX;
    taken |= 1u << draw_pointer(m, taken, 0x800);
    taken |= 1u << draw_pointer(m, taken, 0x1400);
    int kind = draw(m, 4), length = 2 + draw(m, 7);
    s.rule.bases = taken & ~(1u << RCX);
    if (kind == 1) {  /* nothing may fall on the return address */
        s.rule.bases &= ~(1u << RSP);
        fix_gpr(m, RSP, maker_data(m) + DATA_SIZE - 0x200);
    }
    s.rule.untouched = kind == 0 ? taken : taken & ~(1u << RCX);
    if (one_in(m, 8))
        s.faulty = draw(m, length);
    if (!one_in(m, 8))
        fix_add(m, (struct corpus_fix){.op = FIX_MASKED});
    if (kind == 0) {
        fix_gpr(m, RCX, 1 + draw(m, 6));
        u32 top = m->cursor;
        body(m, &s, length);
        loop_end(m, &s, top);
        emit_exit(m, 0);
    } else if (kind == 1) {
        body_called(m, &s, length);
    } else {
        body(m, &s, length);
        emit_exit(m, 0);
    }
    flags_at_fault(m, &s, kind < 2);
    case_end(m);
}
