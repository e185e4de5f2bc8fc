/* Makes the decoder's table (src/engine/x86_64/decode_table.c) by asking Zydis.
 *
 * For every space, opcode and variant, and every ModRM.reg and ModRM.rm with and without
 * memory, one encoding is built and described in the terms of decode_table.h.  What the
 * fields of an encoding may not say (a vvvv that is not used, a mask where there is none)
 * is found by saying it and looking whether Zydis still accepts.  Equal descriptions are
 * then folded together: over registers, over memory and register, over variants.
 *
 * Where Zydis knows less than a translator needs, or says what is true only on some
 * processors, the functions named amend_* put it right.
 *
 * Usage: opcodes-x86_64 > src/engine/x86_64/decode_table.c
 */
#include <Zydis/Zydis.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/x86_64/decode.h"
#include "engine/x86_64/decode_table.h"

enum { EVERY_FLAG = FLAGS_ARITHMETIC | FLAG_DF };

static ZydisDecoder decoder;

/* One encoding to be asked about. */
struct probe {
    unsigned space, opcode, variant;
    unsigned mod, reg, rm;
    unsigned extended; /* STATES_B X R R2 V2 */
    unsigned vvvv, mask, index;
    bool zero, lock;
};

/* What Zydis says of it. */
struct answer {
    ZyanStatus status;
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

enum { /* bits of draft.roles: what a field of the encoding does as a general register */
    DRAFT_REG_READ = 0x001,
    DRAFT_RM_READ = 0x004, /* without ModRM: the low bits of the opcode */
    DRAFT_RM_WRITTEN = 0x008,
    DRAFT_VVVV_READ = 0x010,
    DRAFT_REG_BYTE = 0x100,
    DRAFT_RM_BYTE = 0x200,
};

/* A form in the making. */
struct draft {
    u8 kind, special, parts;
    u8 immediate_size, immediate_first, immediate_signed;
    u8 scale;
    u8 memory_plain, memory_modrm;
    u16 memory_size_plain, memory_size_modrm;
    u16 roles;
    u16 refused_plain, refused_modrm;
    u16 read, written; /* registers that no field names */
};

/* What is known of one probe, or of several that agree. */
struct description {
    bool valid;
    struct draft form; /* of one probe: all in memory_plain and refused_plain, with memory or not */
    struct decode_flag_use flags;
    ZydisMnemonic mnemonic;
};

/* Building encodings */

static bool is_legacy(unsigned space)
{
    return space < SPACE_VEX;
}

static bool is_evex(unsigned space)
{
    return space >= SPACE_EVEX;
}

static unsigned put_legacy(const struct probe *p, u8 *to)
{
    static const u8 repeats[] = {0, 0xf3, 0xf2};
    unsigned n = 0;
    if (p->lock)
        to[n++] = 0xf0;
    if (p->variant & 2)
        to[n++] = 0x66;
    if (p->variant >> 2)
        to[n++] = repeats[p->variant >> 2];
    unsigned rex = (p->variant & 1) << 3 | (p->extended & (STATES_B | STATES_X | STATES_R));
    if (rex)
        to[n++] = 0x40 | rex;
    if (p->space > 0)
        to[n++] = 0x0f;
    if (p->space > 1)
        to[n++] = p->space == 2 ? 0x38 : 0x3a;
    return n;
}

static unsigned inverted_rxb(const struct probe *p)
{
    return (~p->extended & 7) << 5;
}

static unsigned put_vex(const struct probe *p, u8 *to)
{
    unsigned n = 0, map, pp = 0;
    if (p->space >= SPACE_XOP) {
        map = p->space - SPACE_XOP + 8;
        to[n++] = 0x8f;
    } else {
        map = (p->space - SPACE_VEX) / 4 + 1;
        pp = (p->space - SPACE_VEX) % 4;
        to[n++] = 0xc4;
    }
    to[n++] = inverted_rxb(p) | map;
    to[n++] = (p->variant >> 1) << 7 | (~p->vvvv & 15) << 3 | (p->variant & 1) << 2 | pp;
    return n;
}

static unsigned put_evex(const struct probe *p, u8 *to)
{
    static const u8 maps[] = {1, 2, 3, 5, 6};
    unsigned map = maps[(p->space - SPACE_EVEX) / 4], pp = (p->space - SPACE_EVEX) % 4;
    to[0] = 0x62;
    to[1] = inverted_rxb(p) | (p->extended & STATES_R2 ? 0 : 0x10) | map;
    to[2] = (p->variant >> 2 & 1) << 7 | (~p->vvvv & 15) << 3 | 4 | pp;
    to[3] = p->zero << 7 | (p->variant & 3) << 5 | (p->variant >> 3) << 4 |
            (p->extended & STATES_V2 ? 0 : 8) | p->mask;
    return 4;
}

/* A memory operand carries an 8-bit displacement of 1, which shows how it is scaled. */
static unsigned put(const struct probe *p, u8 to[32])
{
    memset(to, 0, 32);
    unsigned n = is_legacy(p->space) ? put_legacy(p, to)
               : is_evex(p->space)   ? put_evex(p, to)
                                     : put_vex(p, to);
    to[n++] = p->opcode;
    unsigned modrm = n;
    to[n++] = p->mod << 6 | p->reg << 3 | p->rm;
    if (p->mod != 3) {
        if (p->rm == 4)
            to[n++] = p->index << 3;
        to[n++] = 1;
    }
    if (p->space == 1 && p->opcode == 0x0f)
        to[n] = 0x0d; /* any 3DNow instruction */
    return modrm;
}

/* Escapes, prefixes and what only looks like the opcode asked for; and the instructions of
 * Knights Corner, which no processor shares. */
static bool is_another(const struct probe *p, const struct answer *a, unsigned modrm)
{
    ZydisISAExt extension = a->insn.meta.isa_ext;
    if (extension == ZYDIS_ISA_EXT_KNC || extension == ZYDIS_ISA_EXT_KNCE ||
        extension == ZYDIS_ISA_EXT_KNCV)
        return true;
    if (!is_legacy(p->space))
        return false;
    if (a->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW)
        return p->space != 1 || p->opcode != 0x0f;
    static const ZydisOpcodeMap maps[] = {ZYDIS_OPCODE_MAP_DEFAULT, ZYDIS_OPCODE_MAP_0F,
                                          ZYDIS_OPCODE_MAP_0F38, ZYDIS_OPCODE_MAP_0F3A};
    return a->insn.encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY ||
           a->insn.opcode_map != maps[p->space] || a->insn.opcode != p->opcode ||
           (a->insn.attributes & ZYDIS_ATTRIB_HAS_MODRM && a->insn.raw.modrm.offset != modrm);
}

static bool ask(const struct probe *p, struct answer *ret)
{
    u8 bytes[32];
    unsigned modrm = put(p, bytes);
    ret->status = ZydisDecoderDecodeFull(&decoder, bytes, sizeof(bytes), &ret->insn, ret->operands);
    if (ZYAN_SUCCESS(ret->status) && is_another(p, ret, modrm))
        ret->status = ZYDIS_STATUS_DECODING_ERROR;
    return ZYAN_SUCCESS(ret->status);
}

/* Some encodings exist only with a mask, or only if their registers differ: looks for
 * values of the other fields with which `p` is valid. */
static bool find_valid(struct probe *p, struct answer *ret)
{
    if (ask(p, ret))
        return true;
    if (is_legacy(p->space) || ret->status == ZYDIS_STATUS_DECODING_ERROR)
        return false;
    for (p->vvvv = 0; p->vvvv < 4; p->vvvv++)
        for (p->mask = 0; p->mask < 2; p->mask++)
            for (p->index = 0; p->index < 4; p->index++)
                if (ask(p, ret))
                    return true;
    return false;
}

/* Describing: what the instruction is */

static bool is_one_of(ZydisMnemonic mnemonic, const ZydisMnemonic *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == mnemonic)
            return true;
    return false;
}
#define M(name) ZYDIS_MNEMONIC_##name
#define ONE_OF(mnemonic, ...)                                                                      \
    is_one_of(mnemonic, (const ZydisMnemonic[]){__VA_ARGS__},                                      \
              countof(((const ZydisMnemonic[]){__VA_ARGS__})))

static const struct {
    ZydisMnemonic mnemonic;
    u8 kind;
} kinds[] = {
    {M(CALL), INSN_CALL},
    {M(CPUID), INSN_CPUID},
    {M(RDTSC), INSN_RDTSC},
    {M(RDTSCP), INSN_RDTSC},
    {M(RDRAND), INSN_RDRAND},
    {M(RDSEED), INSN_RDRAND},
    {M(RDPID), INSN_RDPID},
    {M(XGETBV), INSN_XGETBV},
    {M(SYSCALL), INSN_SYSCALL},
    {M(INT3), INSN_INT3},
    {M(INT), INSN_INT},
    {M(INT1), INSN_INT},
    {M(POPF), INSN_POPF},
    {M(POPFD), INSN_POPF},
    {M(POPFQ), INSN_POPF},
    {M(XBEGIN), INSN_XBEGIN},
    {M(LOOP), INSN_COUNTED},
    {M(LOOPE), INSN_COUNTED},
    {M(LOOPNE), INSN_COUNTED},
    {M(JRCXZ), INSN_COUNTED},
    {M(JECXZ), INSN_COUNTED},
    {M(JCXZ), INSN_COUNTED},
    {M(IRET), INSN_FAR},
    {M(IRETD), INSN_FAR},
    {M(IRETQ), INSN_FAR},
    {M(SYSENTER), INSN_FAR},
    {M(SYSEXIT), INSN_FAR},
    {M(SYSRET), INSN_FAR},
    {M(UIRET), INSN_FAR},
    {M(UD0), INSN_INVALID},
    {M(UD1), INSN_INVALID},
    {M(UD2), INSN_INVALID},
    {M(FXSAVE), INSN_XSTATE},
    {M(FXSAVE64), INSN_XSTATE},
    {M(FNSAVE), INSN_XSTATE},
    {M(FNSTENV), INSN_XSTATE},
    {M(XSAVE), INSN_XSTATE},
    {M(XSAVE64), INSN_XSTATE},
    {M(XSAVEC), INSN_XSTATE},
    {M(XSAVEC64), INSN_XSTATE},
    {M(XSAVEOPT), INSN_XSTATE},
    {M(XSAVEOPT64), INSN_XSTATE},
    /* Refused by the kernel's settings, or not marked as privileged by Zydis. */
    {M(CLI), INSN_PRIVILEGED},
    {M(STI), INSN_PRIVILEGED},
    {M(IN), INSN_PRIVILEGED},
    {M(OUT), INSN_PRIVILEGED},
    {M(INSB), INSN_PRIVILEGED},
    {M(INSW), INSN_PRIVILEGED},
    {M(INSD), INSN_PRIVILEGED},
    {M(OUTSB), INSN_PRIVILEGED},
    {M(OUTSW), INSN_PRIVILEGED},
    {M(OUTSD), INSN_PRIVILEGED},
    {M(RDPMC), INSN_PRIVILEGED},
    {M(RDPRU), INSN_PRIVILEGED},
    {M(CLAC), INSN_PRIVILEGED},
    {M(STAC), INSN_PRIVILEGED},
    {M(MONITOR), INSN_PRIVILEGED},
    {M(MWAIT), INSN_PRIVILEGED},
    {M(LGDT), INSN_PRIVILEGED},
    {M(GETSEC), INSN_PRIVILEGED},
};

static bool is_relative(const ZydisDecodedInstruction *insn)
{
    return insn->raw.imm[0].size && insn->raw.imm[0].is_relative;
}

static u8 kind_of(const ZydisDecodedInstruction *insn)
{
    if (insn->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
        return INSN_FAR;
    if (insn->mnemonic == M(CALL))
        return is_relative(insn) ? INSN_CALL : INSN_CALL_INDIRECT;
    if (insn->mnemonic == M(JMP))
        return is_relative(insn) ? INSN_JUMP : INSN_JUMP_INDIRECT;
    if (insn->mnemonic == M(RET))
        return INSN_RETURN;
    for (size_t i = 0; i < countof(kinds); i++)
        if (kinds[i].mnemonic == insn->mnemonic)
            return kinds[i].kind;
    if (insn->meta.category == ZYDIS_CATEGORY_COND_BR && is_relative(insn)) /* and not xend */
        return INSN_BRANCH;
    if (insn->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED ||
        insn->meta.category == ZYDIS_CATEGORY_VTX || insn->meta.isa_ext == ZYDIS_ISA_EXT_SVM)
        return INSN_PRIVILEGED;
    return INSN_PLAIN;
}

/* Describing: registers and memory */

static bool is_general(ZydisRegister reg)
{
    ZydisRegisterClass class = ZydisRegisterGetClass(reg);
    return class >= ZYDIS_REGCLASS_GPR8 && class <= ZYDIS_REGCLASS_GPR64;
}

static u16 general_bit(ZydisRegister reg)
{
    if (!is_general(reg))
        return 0;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg);
    return 1u << ZydisRegisterGetId(whole);
}

/* The two role bits of the field an operand is encoded in; 0 if it is not a field. */
static unsigned role_shift(const ZydisDecodedOperand *o, bool *ret_is_field)
{
    *ret_is_field = true;
    switch (o->encoding) {
    case ZYDIS_OPERAND_ENCODING_MODRM_REG:
        return 0;
    case ZYDIS_OPERAND_ENCODING_MODRM_RM:
    case ZYDIS_OPERAND_ENCODING_OPCODE:
        return 2;
    case ZYDIS_OPERAND_ENCODING_NDSNDD:
        return 4;
    default:
        *ret_is_field = false;
        return 0;
    }
}

static u16 byte_role(unsigned shift)
{
    static const u16 roles[] = {DRAFT_REG_BYTE, DRAFT_RM_BYTE, 0};
    return roles[shift / 2];
}

static bool writes(const ZydisDecodedOperand *o)
{
    return o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

static bool reads(const ZydisDecodedOperand *o)
{
    return o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

/* Bit 0: read, bit 1: written.  What keeps a part of the old value reads it. */
static unsigned register_use(const ZydisDecodedOperand *o, ZydisMnemonic mnemonic)
{
    unsigned use = reads(o) | writes(o) << 1;
    if (writes(o) && (!(o->actions & ZYDIS_OPERAND_ACTION_WRITE) || o->size < 32))
        use |= 1;
    /* With a source of 0 the target stays as it was; without CET rdssp does nothing; how much
     * of the target the others write depends on who emulates them. */
    if (writes(o) && ONE_OF(mnemonic, M(BSF), M(BSR), M(RDSSPD), M(RDSSPQ), M(SLDT), M(STR),
                            M(SMSW)))
        use |= 1;
    return use;
}

static void describe_register(const ZydisDecodedOperand *o, ZydisMnemonic mnemonic,
                              struct draft *form)
{
    if (!is_general(o->reg.value))
        return;
    unsigned use = register_use(o, mnemonic);
    bool is_field;
    unsigned shift = role_shift(o, &is_field);
    if (!is_field) {
        form->read |= use & 1 ? general_bit(o->reg.value) : 0;
        form->written |= use & 2 ? general_bit(o->reg.value) : 0;
        return;
    }
    form->roles |= use << shift;
    if (ZydisRegisterGetClass(o->reg.value) == ZYDIS_REGCLASS_GPR8)
        form->roles |= byte_role(shift);
}

static u8 implicit_memory(const ZydisDecodedOperand *o, ZydisMnemonic mnemonic)
{
    if (mnemonic == M(MOVDIR64B))
        return MEMORY_STRING;
    if (o->encoding == ZYDIS_OPERAND_ENCODING_DISP16_32_64)
        return MEMORY_OFFSET;
    u16 base = general_bit(o->mem.base);
    return base & (1 << 4 | 1 << 5) ? MEMORY_STACK : MEMORY_STRING; /* rsp, rbp */
}

static void describe_memory(const ZydisDecodedOperand *o, ZydisMnemonic mnemonic,
                            struct draft *form)
{
    if (o->encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM) {
        form->memory_plain |= implicit_memory(o, mnemonic);
        if (mnemonic != M(MOVDIR64B)) /* whose target ModRM.reg names */
            form->read |= general_bit(o->mem.base) | general_bit(o->mem.index);
    }
    if (o->mem.type == ZYDIS_MEMOP_TYPE_AGEN) {
        form->memory_plain |= MEMORY_NO_ACCESS;
        return;
    }
    if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB)
        form->memory_plain |= MEMORY_VSIB;
    form->memory_plain |= (reads(o) ? MEMORY_READ : 0) | (writes(o) ? MEMORY_WRITE : 0);
    if (o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM || !form->memory_size_plain)
        form->memory_size_plain = o->size / 8;
}

/* Describing: flags */

static bool is_shift(ZydisMnemonic mnemonic)
{
    return ONE_OF(mnemonic, M(SHL), M(SHR), M(SAR), M(ROL), M(ROR), M(RCL), M(RCR), M(SHLD),
                  M(SHRD));
}

/* By CL the count may be 0 and nothing happen.  By an immediate, which decode() looks at:
 * OF is defined for a count of 1 only. */
static void amend_shift(const struct answer *a, struct description *d)
{
    struct decode_flag_use *f = &d->flags;
    bool by_one = a->insn.opcode == 0xd0 || a->insn.opcode == 0xd1;
    if (by_one)
        return;
    f->may_write |= f->written | FLAG_OF;
    if (a->insn.raw.imm[0].size) {
        f->written &= ~FLAG_OF;
        f->undefined |= FLAG_OF;
        d->form.special |= SPECIAL_SHIFT;
        if (ONE_OF(d->mnemonic, M(RCL), M(RCR)))
            f->written = 0; /* a count of 9 or 17 is none */
    } else {
        f->written = 0;
    }
}

static bool is_cmps(const struct answer *a)
{
    return a->insn.meta.category == ZYDIS_CATEGORY_STRINGOP && (a->insn.opcode | 1) == 0xa7;
}

static bool is_scas(const struct answer *a)
{
    return a->insn.meta.category == ZYDIS_CATEGORY_STRINGOP && (a->insn.opcode | 1) == 0xaf;
}

/* Zydis 4.0 does not know that comparisons move their pointers. */
static void amend_string(const struct answer *a, struct draft *form)
{
    enum { RSI = 1 << 6, RDI = 1 << 7 };
    if (is_cmps(a))
        form->written |= RSI | RDI;
    if (is_scas(a))
        form->written |= RDI;
}

/* What hands its state to somebody else: the kernel, a signal handler, a debugger. */
static bool shows_state(u8 kind)
{
    return kind == INSN_SYSCALL || kind == INSN_INT || kind == INSN_INT3 || kind == INSN_FAR ||
           kind == INSN_PRIVILEGED || kind == INSN_INVALID;
}

static void describe_flags(const struct answer *a, struct description *d)
{
    const ZydisAccessedFlags *z = a->insn.cpu_flags;
    struct decode_flag_use *f = &d->flags;
    if (z) {
        f->read = z->tested & EVERY_FLAG;
        f->undefined = z->undefined & EVERY_FLAG;
        f->written = (z->modified | z->set_0 | z->set_1) & EVERY_FLAG & ~f->undefined;
        f->may_write = f->written | f->undefined;
    }
    if (is_shift(d->mnemonic))
        amend_shift(a, d);
    if (d->form.parts & PART_REP)
        f->written = 0;
    /* Zydis 4.0 does not know that they clear the others. */
    if (ONE_OF(d->mnemonic, M(VPTEST), M(VTESTPS), M(VTESTPD)))
        f->written = f->may_write = FLAGS_ARITHMETIC;
    if (shows_state(d->form.kind))
        *f = (struct decode_flag_use){.read = EVERY_FLAG, .may_write = EVERY_FLAG};
    if (ONE_OF(d->mnemonic, M(PUSHF), M(PUSHFD), M(PUSHFQ)))
        f->read = EVERY_FLAG;
    /* Processors clear them, manuals differ about it. */
    if (ONE_OF(d->mnemonic, M(FCOMI), M(FCOMIP), M(FUCOMI), M(FUCOMIP))) {
        u16 doubtful = FLAG_OF | FLAG_SF | FLAG_AF;
        f->written &= ~doubtful;
        f->undefined |= doubtful;
        f->may_write |= doubtful;
    }
}

/* Describing: the parts of the encoding */

static unsigned log2_of(i64 value)
{
    unsigned n = 0;
    while (1 << n < value)
        n++;
    return n;
}

static void describe_parts(const struct answer *a, struct draft *form)
{
    const ZydisDecodedInstruction *insn = &a->insn;
    if (insn->attributes & ZYDIS_ATTRIB_HAS_MODRM)
        form->parts |= PART_MODRM;
    form->immediate_first = insn->raw.imm[0].size / 8;
    form->immediate_size = form->immediate_first + insn->raw.imm[1].size / 8;
    form->immediate_signed = insn->raw.imm[0].is_signed || insn->raw.imm[0].is_relative;
    if (insn->attributes &
        (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE))
        form->parts |= PART_REP;
    if (insn->encoding == ZYDIS_INSTRUCTION_ENCODING_3DNOW) {
        form->special |= SPECIAL_SUFFIX;
        form->immediate_size = form->immediate_first = 1;
    }
    if (form->memory_plain & MEMORY_OFFSET)
        form->special |= SPECIAL_OFFSET;
    if (insn->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX)
        for (unsigned i = 0; i < insn->operand_count; i++)
            if (a->operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
                a->operands[i].encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM)
                form->scale = log2_of(a->operands[i].mem.disp.value);
}

static bool is_sized_at_run_time(ZydisMnemonic mnemonic)
{
    return ONE_OF(mnemonic, M(XSAVE), M(XSAVE64), M(XSAVEC), M(XSAVEC64), M(XSAVEOPT),
                  M(XSAVEOPT64), M(XSAVES), M(XSAVES64), M(XRSTOR), M(XRSTOR64), M(XRSTORS),
                  M(XRSTORS64), M(ENTER));
}

/* Hints and address computations name memory and leave it alone. */
static void amend_memory(ZydisMnemonic mnemonic, struct draft *form)
{
    bool hint = ONE_OF(mnemonic, M(NOP), M(CLDEMOTE), M(PREFETCH), M(PREFETCHW), M(PREFETCHNTA),
                       M(PREFETCHT0), M(PREFETCHT1), M(PREFETCHT2), M(PREFETCHWT1), M(UD0), M(UD1));
    if (hint && form->memory_plain) {
        form->memory_plain = MEMORY_NO_ACCESS;
        form->memory_size_plain = 0;
    }
    if (form->parts & PART_REP || is_sized_at_run_time(mnemonic))
        form->memory_size_plain = 0;
    if (ONE_OF(mnemonic, M(BT), M(BTS), M(BTR), M(BTC)) && form->roles & DRAFT_REG_READ)
        form->memory_plain |= form->memory_plain ? MEMORY_BITS : 0;
    if (mnemonic == M(ENTER)) /* nested, it copies frame pointers */
        form->memory_plain |= MEMORY_READ;
    if (mnemonic == M(ENQCMD))
        form->memory_plain |= MEMORY_WRITE | MEMORY_STRING;
}

/* The kernel and handlers of the fault see all registers; calls return in rax. */
static void amend_state(struct draft *form)
{
    if (!shows_state(form->kind))
        return;
    form->read = 0xffff;
    if (form->kind == INSN_SYSCALL || form->kind == INSN_INT)
        form->written |= 1;
}

static void describe(const struct answer *a, struct description *d)
{
    *d = (struct description){.valid = true, .mnemonic = a->insn.mnemonic};
    d->form.kind = kind_of(&a->insn);
    for (unsigned i = 0; i < a->insn.operand_count; i++) {
        const ZydisDecodedOperand *o = &a->operands[i];
        if (o->type == ZYDIS_OPERAND_TYPE_REGISTER)
            describe_register(o, d->mnemonic, &d->form);
        else if (o->type == ZYDIS_OPERAND_TYPE_MEMORY)
            describe_memory(o, d->mnemonic, &d->form);
    }
    describe_parts(a, &d->form);
    amend_memory(d->mnemonic, &d->form);
    amend_string(a, &d->form);
    describe_flags(a, d);
    amend_state(&d->form);
    if (d->mnemonic == M(NOP) && a->insn.opcode == 0x90 &&
        a->insn.opcode_map == ZYDIS_OPCODE_MAP_DEFAULT)
        d->form.special |= SPECIAL_NOP;
    if (d->mnemonic == M(MOV) && a->insn.opcode_map == ZYDIS_OPCODE_MAP_0F)
        d->form.special |= SPECIAL_NO_MEMORY;
}

/* Describing: what the encoding may not say */

static bool accepts(struct probe p)
{
    struct answer a;
    return ask(&p, &a);
}

static bool accepts_extended(struct probe p, unsigned bit)
{
    p.extended |= bit;
    return accepts(p);
}

/* Whether any register first..last can stand in vvvv. */
static bool accepts_vvvv(struct probe p, unsigned first, unsigned last)
{
    for (p.vvvv = first; p.vvvv <= last; p.vvvv++)
        if (accepts(p))
            return true;
    return false;
}

static bool accepts_mask(struct probe p, unsigned mask, bool zero)
{
    p.mask = mask;
    p.zero = zero;
    return accepts(p);
}

static u16 refused_evex(const struct probe *p)
{
    u16 refused = 0;
    refused |= accepts_extended(*p, STATES_R2) ? 0 : STATES_R2;
    refused |= accepts_extended(*p, STATES_V2) ? 0 : STATES_V2;
    refused |= accepts_mask(*p, 1, false) ? 0 : STATES_MASK;
    refused |= accepts_mask(*p, 0, false) ? 0 : STATES_NO_MASK;
    refused |= accepts_mask(*p, 1, true) ? 0 : STATES_ZERO;
    refused |= accepts_mask(*p, 0, true) ? 0 : STATES_ZERO_NO_MASK;
    return refused;
}

static u16 refused_by(const struct probe *p)
{
    u16 refused = 0;
    for (unsigned bit = STATES_B; bit <= STATES_R; bit <<= 1)
        refused |= accepts_extended(*p, bit) ? 0 : bit;
    if (is_legacy(p->space)) {
        struct probe locked = *p;
        locked.lock = true;
        return refused | (accepts(locked) ? 0 : STATES_LOCK);
    }
    refused |= accepts_vvvv(*p, 1, 7) ? 0 : STATES_VVVV_LOW;
    refused |= accepts_vvvv(*p, 8, 15) ? 0 : STATES_VVVV_HIGH;
    return is_evex(p->space) ? refused | refused_evex(p) : refused;
}

/* Which of reg, vvvv and rm (or the vector index) must differ: each pair is made equal, with
 * the third apart. */
static u8 distinct_registers(struct probe p, const struct draft *form)
{
    bool vector_index = form->memory_plain & MEMORY_VSIB;
    if (is_legacy(p.space) || (p.mod != 3 && !vector_index))
        return 0;
    unsigned *third = p.mod == 3 ? &p.rm : &p.index;
    bool uses_vvvv = !(form->refused_plain & STATES_VVVV_LOW);
    unsigned second = p.reg ^ 1, apart = p.reg ^ 2;
    u8 special = 0;
    p.vvvv = uses_vvvv ? second : 0;
    *third = apart;
    if (!accepts(p))
        return 0;
    *third = p.reg;
    special |= accepts(p) ? 0 : SPECIAL_REG_IS_NOT_RM;
    *third = apart;
    if (!uses_vvvv)
        return special;
    p.vvvv = p.reg;
    special |= accepts(p) ? 0 : SPECIAL_REG_IS_NOT_VVVV;
    p.vvvv = apart;
    special |= accepts(p) ? 0 : SPECIAL_VVVV_IS_NOT_RM;
    return special;
}

static void probe_cell(struct probe p, struct description *ret)
{
    struct answer a;
    *ret = (struct description){.valid = false};
    if (!find_valid(&p, &a))
        return;
    describe(&a, ret);
    ret->form.refused_plain = refused_by(&p);
    if (ret->form.parts & PART_MODRM)
        ret->form.special |= distinct_registers(p, &ret->form);
}

/* Folding */

enum { FORMS_MAX = CELL_INDEX, CELLS_MAX = CELL_INDEX * CELL_ALIGN, FLAGS_MAX = 256 };

static struct decode_form forms[FORMS_MAX] = {
    [FORM_INVALID] = {.kind = INSN_INVALID, .other_use = 0xffff},
    [FORM_INVALID_MODRM] = {.kind = INSN_INVALID, .parts = PART_MODRM, .other_use = 0xffff},
};
static ZydisMnemonic form_names[FORMS_MAX];
static unsigned forms_count = 2;
static struct decode_flag_use flag_uses[FLAGS_MAX];
static unsigned flags_count;
static u16 cells[CELLS_MAX];
static unsigned cells_count;
static u16 rows[SPACES][256];

static u8 flags_index(const struct decode_flag_use *use)
{
    for (unsigned i = 0; i < flags_count; i++)
        if (!memcmp(&flag_uses[i], use, sizeof(*use)))
            return i;
    assert(flags_count < FLAGS_MAX);
    flag_uses[flags_count] = *use;
    return flags_count++;
}

static u16 form_cell(const struct decode_form *form, ZydisMnemonic name)
{
    for (unsigned i = 0; i < forms_count; i++)
        if (!memcmp(&forms[i], form, sizeof(*form)))
            return CELL_FORM | i;
    assert(forms_count < FORMS_MAX);
    forms[forms_count] = *form;
    form_names[forms_count] = name;
    return CELL_FORM | forms_count++;
}

/* The place of a run of cells, in units of CELL_ALIGN. */
static u16 cells_at(const u16 *run, unsigned count)
{
    for (unsigned at = 0; at + count <= cells_count; at += CELL_ALIGN)
        if (!memcmp(&cells[at], run, count * sizeof(*run)))
            return at / CELL_ALIGN;
    assert(cells_count + count <= CELLS_MAX);
    unsigned at = cells_count;
    memcpy(&cells[at], run, count * sizeof(*run));
    cells_count += count;
    return at / CELL_ALIGN;
}

static bool is_same(const struct description *a, const struct description *b)
{
    if (!a->valid || !b->valid)
        return a->valid == b->valid;
    return !memcmp(&a->form, &b->form, sizeof(a->form)) &&
           !memcmp(&a->flags, &b->flags, sizeof(a->flags));
}

/* One form for memory and register, if they differ in nothing a form can tell apart. */
static bool merge(const struct description *memory, const struct description *plain,
                  struct description *ret)
{
    *ret = plain->valid ? *plain : *memory;
    struct draft *form = &ret->form;
    if (!plain->valid) {
        form->memory_plain = form->memory_size_plain = 0;
        form->refused_plain = STATES_FORM;
    }
    form->refused_modrm = STATES_FORM;
    if (!memory->valid)
        return true;
    form->memory_modrm = memory->form.memory_plain;
    form->memory_size_modrm = memory->form.memory_size_plain;
    form->refused_modrm = memory->form.refused_plain;
    form->scale = memory->form.scale;
    form->special |= memory->form.special;
    struct description same = *memory;
    same.form.roles |= form->roles & (DRAFT_RM_READ | DRAFT_RM_WRITTEN | DRAFT_RM_BYTE);
    same.form.memory_modrm = form->memory_modrm;
    same.form.memory_size_modrm = form->memory_size_modrm;
    same.form.refused_modrm = form->refused_modrm;
    same.form.memory_plain = form->memory_plain;
    same.form.memory_size_plain = form->memory_size_plain;
    same.form.refused_plain = form->refused_plain;
    same.form.special = form->special;
    return is_same(&same, ret);
}

static u8 immediate_mask(const struct draft *draft)
{
    static const u8 masks[9] = {[0] = IMMEDIATE_NONE, [1] = IMMEDIATE_U8, [2] = IMMEDIATE_U16,
                                [4] = IMMEDIATE_U32, [8] = IMMEDIATE_SIGNED};
    return draft->immediate_first && draft->immediate_signed ? IMMEDIATE_SIGNED
                                                             : masks[draft->immediate_first];
}

/* Read and written, the two lowest bits of `roles`, where decode_form has them. */
static u32 field_use(u16 roles)
{
    return (roles & 1) | (roles & 2) << 15;
}

static struct decode_form finish(const struct draft *draft, u8 flags)
{
    struct decode_form form;
    memset(&form, 0, sizeof(form));
    form.kind = draft->kind;
    form.special = draft->special;
    form.parts = draft->parts;
    form.roles = (draft->roles / DRAFT_VVVV_READ & 3) |
                 (draft->roles & DRAFT_REG_BYTE ? ROLE_REG_BYTE : 0) |
                 (draft->roles & DRAFT_RM_BYTE ? ROLE_RM_BYTE : 0);
    form.immediate_size = draft->immediate_size;
    form.immediate_shift = (64 - 8 * draft->immediate_first) & 63;
    form.immediate_mask = immediate_mask(draft);
    form.scale = draft->scale;
    form.flags = flags;
    form.memory[0] = draft->memory_plain;
    form.memory[1] = draft->memory_modrm;
    form.memory_size[0] = draft->memory_size_plain;
    form.memory_size[1] = draft->memory_size_modrm;
    form.refused[0] = draft->refused_plain;
    form.refused[1] = draft->refused_modrm;
    form.reg_use = field_use(draft->roles / DRAFT_REG_READ);
    form.rm_use = field_use(draft->roles / DRAFT_RM_READ);
    form.other_use = draft->read | (u32)draft->written << 16;
    return form;
}

static u16 description_cell(const struct description *d)
{
    if (!d->valid)
        return CELL_FORM | FORM_INVALID;
    struct decode_form form = finish(&d->form, flags_index(&d->flags));
    return form_cell(&form, d->mnemonic);
}

/* The form of one side alone. */
static u16 side_cell(const struct description *d, bool memory)
{
    static const struct description none;
    struct description form;
    if (!d->valid)
        return CELL_FORM | FORM_INVALID_MODRM;
    merge(memory ? d : &none, memory ? &none : d, &form);
    return description_cell(&form);
}

static bool all_same(const struct description *d, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (!is_same(&d[0], &d[i]))
            return false;
    return true;
}

/* One ModRM.reg: eight descriptions by rm, with and without memory. */
static void reg_cells(struct description memory[8], struct description plain[8], u16 *ret_memory,
                      u16 *ret_plain)
{
    struct description both;
    bool simple = all_same(memory, 8) && all_same(plain, 8);
    if (simple && (memory[0].valid || plain[0].valid) && merge(&memory[0], &plain[0], &both)) {
        *ret_memory = *ret_plain = description_cell(&both);
        return;
    }
    for (unsigned side = 0; side < 2; side++) {
        struct description *d = side ? plain : memory;
        u16 run[8];
        for (unsigned rm = 0; rm < 8; rm++)
            run[rm] = side_cell(&d[rm], !side);
        *(side ? ret_plain : ret_memory) = all_same(d, 8) ? run[0] : CELL_RM | cells_at(run, 8);
    }
}

/* A register pair that must not be equal is a fact about values, not about this ModRM. */
static void mend_distinct(struct description plain[8][8])
{
    for (unsigned r = 0; r < 8; r++)
        if (!plain[r][r].valid && plain[r][r ^ 1].form.special & SPECIAL_REG_IS_NOT_RM)
            plain[r][r] = plain[r][r ^ 1];
}

static u16 variant_cell(struct probe p)
{
    static struct description memory[8][8], plain[8][8];
    bool modrm = false;
    for (p.reg = 0; p.reg < 8; p.reg++)
        for (p.rm = 0; p.rm < 8; p.rm++) {
            p.mod = 1;
            probe_cell(p, &memory[p.reg][p.rm]);
            p.mod = 3;
            probe_cell(p, &plain[p.reg][p.rm]);
            modrm |= (memory[p.reg][p.rm].form.parts | plain[p.reg][p.rm].form.parts) & PART_MODRM;
        }
    if (!modrm)
        return description_cell(&plain[0][0]);
    mend_distinct(plain);
    u16 run[16];
    bool same = true;
    for (unsigned r = 0; r < 8; r++) {
        reg_cells(memory[r], plain[r], &run[r], &run[8 + r]);
        same &= run[r] == run[0] && run[8 + r] == run[0];
    }
    return same ? run[0] : CELL_GROUP | cells_at(run, 16);
}

/* With F2, what repeats with F3 and is not a comparison repeats as well. */
static void amend_row(unsigned space, unsigned opcode, u16 *run)
{
    bool string = space == 0 && ((opcode >= 0x6c && opcode <= 0x6f) || opcode == 0xa4 ||
                                 opcode == 0xa5 || (opcode >= 0xaa && opcode <= 0xad));
    if (string)
        memcpy(run + 8, run + 4, 4 * sizeof(*run));
}

/* Instructions younger than Zydis 4.0, each by one that has the same operands. */

enum { NP = 0, P66 = 1, PF3 = 2, PF2 = 3 };
enum { MAP2 = SPACE_VEX + 4, MAP3 = SPACE_VEX + 8 };
enum { ANY_SIDE, ONLY_MEMORY, ONLY_REGISTER };

static const struct addition {
    const char *name;
    u8 space, first, last; /* opcodes */
    u8 variants;           /* bits: W0 L0, W0 L1, W1 L0, W1 L1 */
    u8 like_space, like_opcode, like_w;
    u8 side;
    u8 size; /* of memory, if not that of the model */
} additions[] = {
    {"vpmadd52luq, vpmadd52huq", MAP2 + P66, 0xb4, 0xb5, 0xc, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vpdpbuud, vpdpbuuds",      MAP2 + NP,  0x50, 0x51, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vpdpbsud, vpdpbsuds",      MAP2 + PF3, 0x50, 0x51, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vpdpbssd, vpdpbssds",      MAP2 + PF2, 0x50, 0x51, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vpdpwuud, vpdpwuuds",      MAP2 + NP,  0xd2, 0xd3, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vpdpwusd, vpdpwusds",      MAP2 + P66, 0xd2, 0xd3, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vpdpwsud, vpdpwsuds",      MAP2 + PF3, 0xd2, 0xd3, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vcvtneoph2ps",             MAP2 + NP,  0xb0, 0xb0, 0x3, SPACE_VEX + PF2, 0xf0, 0, ONLY_MEMORY, 0},
    {"vcvtneeph2ps",             MAP2 + P66, 0xb0, 0xb0, 0x3, SPACE_VEX + PF2, 0xf0, 0, ONLY_MEMORY, 0},
    {"vcvtneebf162ps",           MAP2 + PF3, 0xb0, 0xb0, 0x3, SPACE_VEX + PF2, 0xf0, 0, ONLY_MEMORY, 0},
    {"vcvtneobf162ps",           MAP2 + PF2, 0xb0, 0xb0, 0x3, SPACE_VEX + PF2, 0xf0, 0, ONLY_MEMORY, 0},
    {"vbcstnesh2ps",             MAP2 + P66, 0xb1, 0xb1, 0x3, SPACE_VEX + PF2, 0xf0, 0, ONLY_MEMORY, 2},
    {"vbcstnebf162ps",           MAP2 + PF3, 0xb1, 0xb1, 0x3, SPACE_VEX + PF2, 0xf0, 0, ONLY_MEMORY, 2},
    {"vcvtneps2bf16",            MAP2 + PF3, 0x72, 0x72, 0x3, SPACE_VEX + NP,  0x51, 0, ANY_SIDE, 0},
    {"vsha512rnds2",             MAP2 + PF2, 0xcb, 0xcb, 0x2, MAP2 + P66, 0x50, 0, ONLY_REGISTER, 0},
    {"vsha512msg1, vsha512msg2", MAP2 + PF2, 0xcc, 0xcd, 0x2, SPACE_VEX + NP, 0x51, 0, ONLY_REGISTER, 0},
    {"vsm3msg1",                 MAP2 + NP,  0xda, 0xda, 0x1, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vsm3msg2",                 MAP2 + P66, 0xda, 0xda, 0x1, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vsm3rnds2",                MAP3 + P66, 0xde, 0xde, 0x1, MAP3 + P66, 0x0f, 0, ANY_SIDE, 0},
    {"vsm4key4",                 MAP2 + PF3, 0xda, 0xda, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"vsm4rnds4",                MAP2 + PF2, 0xda, 0xda, 0x3, MAP2 + P66, 0x50, 0, ANY_SIDE, 0},
    {"tdpfp16ps",                MAP2 + PF2, 0x5c, 0x5c, 0x1, MAP2 + PF3, 0x5c, 0, ONLY_REGISTER, 0},
    {"tcmmrlfp16ps",             MAP2 + NP,  0x6c, 0x6c, 0x1, MAP2 + PF3, 0x5c, 0, ONLY_REGISTER, 0},
    {"tcmmimfp16ps",             MAP2 + P66, 0x6c, 0x6c, 0x1, MAP2 + PF3, 0x5c, 0, ONLY_REGISTER, 0},
};

/* The form of an encoding that does not depend on ModRM. */
static struct decode_form model_form(unsigned space, unsigned opcode, unsigned variant)
{
    u16 cell = variant_cell((struct probe){.space = space, .opcode = opcode, .variant = variant});
    assert((cell & CELL_KIND) == CELL_FORM && cell > FORM_INVALID_MODRM);
    return forms[cell];
}

static u16 addition_cell(const struct addition *add, unsigned variant)
{
    struct decode_form form =
        model_form(add->like_space, add->like_opcode, add->like_w << 1 | (variant & 1));
    if (add->side == ONLY_MEMORY)
        form.refused[0] |= STATES_FORM;
    if (add->side == ONLY_REGISTER) {
        form.refused[1] |= STATES_FORM;
        form.memory[1] = form.memory_size[1] = 0;
    }
    if (add->size)
        form.memory_size[1] = add->size;
    return form_cell(&form, 0);
}

/* cmpccxadd: compares and adds in memory, and loads; andn has its operands in the same fields. */
static u16 cmpccxadd_cell(unsigned variant)
{
    struct decode_form form = model_form(MAP2 + NP, 0xf2, variant);
    form.refused[0] |= STATES_FORM;
    form.reg_use = field_use(3);
    form.rm_use = 0;
    form.memory[1] = MEMORY_READ | MEMORY_WRITE;
    form.flags = flags_index(&(struct decode_flag_use){.written = FLAGS_ARITHMETIC,
                                                       .may_write = FLAGS_ARITHMETIC});
    return form_cell(&form, 0);
}

/* aadd, aand, aor, axor: movbe to memory that also reads it. */
static u16 rao_cell(unsigned variant)
{
    struct decode_form form = model_form(SPACE_LEGACY + MAP_0F38, 0xf1, variant & 1);
    form.memory[1] |= MEMORY_READ;
    return form_cell(&form, 0);
}

static void add_younger(unsigned space, unsigned opcode, u16 *run)
{
    for (size_t i = 0; i < countof(additions); i++) {
        const struct addition *add = &additions[i];
        for (unsigned v = 0; v < VARIANTS_VEX; v++)
            if (add->space == space && opcode >= add->first && opcode <= add->last &&
                add->variants >> v & 1)
                run[v] = addition_cell(add, v);
    }
    if (space == MAP2 + P66 && opcode >= 0xe0 && opcode <= 0xef)
        for (unsigned w = 0; w < 2; w++)
            run[w * 2] = cmpccxadd_cell(w * 2);
    if (space == SPACE_LEGACY + MAP_0F38 && opcode == 0xfc)
        for (unsigned v = 0; v < VARIANTS_LEGACY; v++)
            if (!(v & 2) || v < 4) /* 66 chooses, or is not there */
                run[v] = rao_cell(v);
}

static void make_row(unsigned space, unsigned opcode)
{
    unsigned count = is_legacy(space) ? VARIANTS_LEGACY
                     : is_evex(space) ? VARIANTS_EVEX
                                      : VARIANTS_VEX;
    u16 run[16] = {0};
    for (unsigned v = 0; v < count; v++)
        run[v] = variant_cell((struct probe){.space = space, .opcode = opcode, .variant = v});
    amend_row(space, opcode, run);
    add_younger(space, opcode, run);
    rows[space][opcode] = cells_at(run, count);
}

/* Printing */

static const char *const kind_names[INSN_KINDS] = {
    [INSN_PLAIN] = "INSN_PLAIN",
    [INSN_JUMP] = "INSN_JUMP",
    [INSN_BRANCH] = "INSN_BRANCH",
    [INSN_COUNTED] = "INSN_COUNTED",
    [INSN_CALL] = "INSN_CALL",
    [INSN_RETURN] = "INSN_RETURN",
    [INSN_JUMP_INDIRECT] = "INSN_JUMP_INDIRECT",
    [INSN_CALL_INDIRECT] = "INSN_CALL_INDIRECT",
    [INSN_SYSCALL] = "INSN_SYSCALL",
    [INSN_INT3] = "INSN_INT3",
    [INSN_INT] = "INSN_INT",
    [INSN_POPF] = "INSN_POPF",
    [INSN_CPUID] = "INSN_CPUID",
    [INSN_RDTSC] = "INSN_RDTSC",
    [INSN_RDRAND] = "INSN_RDRAND",
    [INSN_RDPID] = "INSN_RDPID",
    [INSN_XGETBV] = "INSN_XGETBV",
    [INSN_FAR] = "INSN_FAR",
    [INSN_PRIVILEGED] = "INSN_PRIVILEGED",
    [INSN_XBEGIN] = "INSN_XBEGIN",
    [INSN_XSTATE] = "INSN_XSTATE",
    [INSN_INVALID] = "INSN_INVALID",
};

static void print_numbers(const u16 *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        bool last = i % 16 == 15 || i + 1 == count;
        printf("%s%u,%s", i % 16 ? "" : "    ", numbers[i], last ? "\n" : "");
    }
}

static void print_forms(void)
{
    printf("/* kind, special, parts, roles; immediate size, shift, mask; scale, flags; memory,\n"
           " * size and refused, each without and with ModRM memory; uses of reg, rm, others */\n"
           "const struct decode_form decode_forms[%u] = {\n", forms_count);
    for (unsigned i = 0; i < forms_count; i++) {
        const struct decode_form *f = &forms[i];
        const char *name = form_names[i] ? ZydisMnemonicGetString(form_names[i]) : "";
        printf("    {%s, %#x, %#x, %#x, %u, %u, %u, %u, %u, {%#x, %#x}, {%u, %u}, {%#x, %#x}, "
               "%#x, %#x, %#x}, /* %s */\n",
               kind_names[f->kind], f->special, f->parts, f->roles, f->immediate_size,
               f->immediate_shift, f->immediate_mask, f->scale, f->flags, f->memory[0],
               f->memory[1], f->memory_size[0], f->memory_size[1], f->refused[0], f->refused[1], f->reg_use,
               f->rm_use, f->other_use, name);
    }
    printf("};\n\n");
}

static void print_flags(void)
{
    printf("/* read, written, undefined, may be written */\n"
           "const struct decode_flag_use decode_flags[%u] = {\n", flags_count);
    for (unsigned i = 0; i < flags_count; i++)
        printf("    {%#x, %#x, %#x, %#x},\n", flag_uses[i].read, flag_uses[i].written,
               flag_uses[i].undefined, flag_uses[i].may_write);
    printf("};\n\n");
}

static void print_3dnow(void)
{
    u32 bits[8] = {0};
    u8 bytes[32] = {0x0f, 0x0f, 0xc0};
    for (unsigned suffix = 0; suffix < 256; suffix++) {
        struct answer a;
        bytes[3] = suffix;
        a.status = ZydisDecoderDecodeFull(&decoder, bytes, sizeof(bytes), &a.insn, a.operands);
        if (ZYAN_SUCCESS(a.status))
            bits[suffix / 32] |= 1u << suffix % 32;
    }
    printf("const u32 decode_3dnow[8] = {\n    ");
    for (unsigned i = 0; i < 8; i++)
        printf("%#x,%s", bits[i], i < 7 ? " " : "\n};\n\n");
}

static void print_table(void)
{
    printf("/* The decoder's table.  Made by tools/opcodes-x86_64.c from Zydis; do not edit. */\n"
           "#include \"engine/x86_64/decode_table.h\"\n\n"
           "#include \"engine/x86_64/decode.h\"\n\n");
    print_flags();
    print_3dnow();
    print_forms();
    printf("const u16 decode_cells[%u] = {\n", cells_count);
    print_numbers(cells, cells_count);
    printf("};\n\nconst u16 decode_rows[SPACES][256] = {\n");
    for (unsigned space = 0; space < SPACES; space++) {
        printf("    {\n");
        print_numbers(rows[space], 256);
        printf("    },\n");
    }
    printf("};\n");
}

int main(void)
{
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    /* Processors without MPX, that is all newer ones, take its instructions for nops. */
    ZydisDecoderEnableMode(&decoder, ZYDIS_DECODER_MODE_MPX, ZYAN_FALSE);
    flags_index(&(struct decode_flag_use){.read = EVERY_FLAG, .may_write = EVERY_FLAG});
    for (unsigned space = 0; space < SPACES; space++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            make_row(space, opcode);
    print_table();
    fprintf(stderr, "%u forms, %u cells, %u uses of flags\n", forms_count, cells_count,
            flags_count);
    return 0;
}
