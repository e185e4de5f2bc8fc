/* Forms: every instruction that a user program can execute, without its operands.
 *
 * All opcodes of all maps are tried in all encodings, with everything that can tell one
 * instruction from another: prefixes, W, vector length, broadcast, masking, the reg and rm
 * fields.  Zydis says what each is; those that differ only in which registers they name have
 * the same key, and the first of them becomes a form.
 *
 * Left out are the instructions whose result is not a function of the state (clocks, random
 * numbers, identity of the processor), those that leave the processor in another state than
 * the test can put back, and control flow, which flow.c makes into cases of its own.
 * Privileged instructions stay in: user code that executes them gets its signal.  So do those
 * that this processor has not.
 */
#include "make.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>

static ZydisDecoder *decoder(void)
{
    static ZydisDecoder it;
    static bool ready;
    if (!ready)
        ZydisDecoderInit(&it, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    ready = true;
    return &it;
}

bool insn_decode(struct insn *insn, size_t available)
{
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(decoder(), insn->bytes, available, &insn->is,
                                             insn->op)))
        return false;
    insn->length = insn->is.length;
    return true;
}

u32 insn_flags_written(const struct insn *insn)
{
    ZydisMnemonic n = insn->is.mnemonic;
    if (n == ZYDIS_MNEMONIC_VTESTPS || n == ZYDIS_MNEMONIC_VTESTPD || n == ZYDIS_MNEMONIC_VPTEST)
        return FLAGS_ARITHMETIC;  /* Zydis 4.0 does not know */
    const ZydisAccessedFlags *f = insn->is.cpu_flags;
    return f ? (f->modified | f->set_0 | f->set_1 | f->undefined) & FLAGS_ARITHMETIC : 0;
}

static void key_add(u64 *key, u64 what)
{
    *key = (*key ^ what) * 0x100000001b3ul;
    *key ^= *key >> 31;
}

static void key_add_operand(u64 *key, const ZydisDecodedOperand *op)
{
    key_add(key, op->type | op->encoding << 4 | op->size << 16);
    if (op->type == ZYDIS_OPERAND_TYPE_REGISTER)
        key_add(key, ZydisRegisterGetClass(op->reg.value));
    else if (op->type == ZYDIS_OPERAND_TYPE_MEMORY)
        key_add(key, op->mem.type);
}

u64 insn_key(const struct insn *insn)
{
    const ZydisDecodedInstruction *is = &insn->is;
    u64 key = is->mnemonic;
    key_add(&key, is->encoding | is->opcode_map << 8 | is->opcode << 16 |
                      (u64)is->operand_width << 32);
    key_add(&key, is->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                                    ZYDIS_ATTRIB_HAS_REPNE));
    key_add(&key, is->avx.vector_length | is->avx.mask.mode << 10 |
                      is->avx.broadcast.mode << 14 | is->avx.rounding.mode << 20 |
                      is->avx.has_sae << 24);
    for (int i = 0; i < is->operand_count_visible; i++)
        key_add_operand(&key, &insn->op[i]);
    return key;
}

/* --- what is left out --- */

static const u16 categories_out[] = {
    ZYDIS_CATEGORY_CALL, ZYDIS_CATEGORY_COND_BR, ZYDIS_CATEGORY_UNCOND_BR, ZYDIS_CATEGORY_RET,
    ZYDIS_CATEGORY_INTERRUPT, ZYDIS_CATEGORY_SYSCALL, ZYDIS_CATEGORY_VTX, ZYDIS_CATEGORY_SGX,
    ZYDIS_CATEGORY_RDRAND, ZYDIS_CATEGORY_RDSEED, ZYDIS_CATEGORY_RDPID, ZYDIS_CATEGORY_RDPRU,
    ZYDIS_CATEGORY_WAITPKG, ZYDIS_CATEGORY_UINTR, ZYDIS_CATEGORY_PADLOCK, ZYDIS_CATEGORY_CLZERO,
    ZYDIS_CATEGORY_ENQCMD, ZYDIS_CATEGORY_XSAVEOPT, ZYDIS_CATEGORY_KNC, ZYDIS_CATEGORY_KNCMASK,
    ZYDIS_CATEGORY_KNCSCALAR,
};

static const u16 sets_out[] = {
    ZYDIS_ISA_SET_MONITOR, ZYDIS_ISA_SET_MONITORX, ZYDIS_ISA_SET_SVM, ZYDIS_ISA_SET_SMX,
    ZYDIS_ISA_SET_SNP, ZYDIS_ISA_SET_TDX, ZYDIS_ISA_SET_VMFUNC, ZYDIS_ISA_SET_RDPMC,
    ZYDIS_ISA_SET_RDTSCP, ZYDIS_ISA_SET_MCOMMIT, ZYDIS_ISA_SET_AMD_INVLPGB,
    ZYDIS_ISA_SET_LWP, ZYDIS_ISA_SET_XSAVES,
};

static const u16 mnemonics_out[] = {
    ZYDIS_MNEMONIC_CPUID, ZYDIS_MNEMONIC_RDTSC, ZYDIS_MNEMONIC_XGETBV, ZYDIS_MNEMONIC_WRPKRU,
    ZYDIS_MNEMONIC_SGDT, ZYDIS_MNEMONIC_SIDT, ZYDIS_MNEMONIC_SLDT, ZYDIS_MNEMONIC_STR,
    ZYDIS_MNEMONIC_SMSW, ZYDIS_MNEMONIC_LAR, ZYDIS_MNEMONIC_LSL, ZYDIS_MNEMONIC_LFS,
    ZYDIS_MNEMONIC_LGS, ZYDIS_MNEMONIC_LSS, ZYDIS_MNEMONIC_SWAPGS, ZYDIS_MNEMONIC_RSM,
    ZYDIS_MNEMONIC_XBEGIN, ZYDIS_MNEMONIC_LDTILECFG, ZYDIS_MNEMONIC_SYSENTER,
};

static bool contains(const u16 *list, size_t count, u16 what)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == what)
            return true;
    return false;
}

/* A selector put into a segment register would stay there. */
static bool loads_segment(const struct insn *insn)
{
    for (int i = 0; i < insn->is.operand_count; i++)
        if (insn->op[i].type == ZYDIS_OPERAND_TYPE_REGISTER &&
            ZydisRegisterGetClass(insn->op[i].reg.value) == ZYDIS_REGCLASS_SEGMENT &&
            (insn->op[i].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            return true;
    return false;
}

static bool is_left_out(const struct insn *insn)
{
    const ZydisDecodedInstruction *is = &insn->is;
    return contains(categories_out, countof(categories_out), is->meta.category) ||
           contains(sets_out, countof(sets_out), is->meta.isa_set) ||
           contains(mnemonics_out, countof(mnemonics_out), is->mnemonic) || loads_segment(insn);
}

/* --- the sweep --- */

struct sweep {
    struct forms *forms;
    u64 *seen;  /* keys, by open addressing */
    bool has_evex, has_xop, has_3dnow;
};

#define SEEN 0x20000

static bool seen_add(struct sweep *s, u64 key)
{
    size_t i = key % SEEN;
    for (; s->seen[i]; i = (i + 1) % SEEN)
        if (s->seen[i] == key)
            return false;
    s->seen[i] = key;
    return true;
}

static u8 weight_of(const struct sweep *s, const struct form *f, const struct insn *insn)
{
    bool here = f->encoding == FORM_EVEX ? s->has_evex
                : f->encoding == FORM_XOP ? s->has_xop
                : f->encoding == FORM_3DNOW ? s->has_3dnow : true;
    if (!here || insn->is.meta.category == ZYDIS_CATEGORY_AMX_TILE ||
        (insn->is.attributes & ZYDIS_ATTRIB_IS_PRIVILEGED))
        return 1;
    if (f->encoding == FORM_EVEX)
        return 4;
    /* General registers and flags are where a translator has most to do. */
    return f->encoding == FORM_LEGACY && f->map < 2 && insn->is.cpu_flags &&
                   insn_flags_written(insn) ? 24 : 8;
}

static void note_what_is_free(struct form *f, const struct insn *insn)
{
    f->has_modrm = (insn->is.attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0;
    for (int i = 0; i < insn->is.operand_count; i++) {
        const ZydisDecodedOperand *op = &insn->op[i];
        f->free_reg |= op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_REG;
        f->free_rm |= op->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM;
        f->free_v |= op->encoding == ZYDIS_OPERAND_ENCODING_NDSNDD;
        f->vsib |= op->type == ZYDIS_OPERAND_TYPE_MEMORY &&
                   op->mem.type == ZYDIS_MEMOP_TYPE_VSIB;
    }
}

/* Prefixes and escapes are bytes like any other to the sweep: what comes after them is not of
 * the map that was meant. */
static bool is_as_meant(const struct form *f, const struct insn *insn)
{
    static const u8 encoding[] = {
        [FORM_LEGACY] = ZYDIS_INSTRUCTION_ENCODING_LEGACY,
        [FORM_3DNOW] = ZYDIS_INSTRUCTION_ENCODING_3DNOW,
        [FORM_XOP] = ZYDIS_INSTRUCTION_ENCODING_XOP,
        [FORM_VEX] = ZYDIS_INSTRUCTION_ENCODING_VEX,
        [FORM_EVEX] = ZYDIS_INSTRUCTION_ENCODING_EVEX,
    };
    static const u8 map[] = {ZYDIS_OPCODE_MAP_DEFAULT, ZYDIS_OPCODE_MAP_0F,
                             ZYDIS_OPCODE_MAP_0F38, ZYDIS_OPCODE_MAP_0F3A};
    if (insn->is.encoding != encoding[f->encoding])
        return false;
    return f->encoding != FORM_LEGACY ||
           (insn->is.opcode == f->opcode && insn->is.opcode_map == map[f->map]);
}

static void form_try(struct sweep *s, struct form f, struct insn *insn, size_t length)
{
    memset(insn->bytes + length, 0, 9);
    if (!insn_decode(insn, length + 9) || !is_as_meant(&f, insn) || is_left_out(insn))
        return;
    f.key = insn_key(insn);
    if (!seen_add(s, f.key))
        return;
    note_what_is_free(&f, insn);
    f.weight = weight_of(s, &f, insn);
    struct forms *forms = s->forms;
    if (forms->count % 1024 == 0)
        forms->all = realloc(forms->all, (forms->count + 1024) * sizeof f);
    if (!forms->all)
        abort();
    forms->all[forms->count++] = f;
}

/* One byte of modrm, for an address a plain [rbx], or with a SIB byte for those that want one. */
static size_t put_modrm(u8 *at, const struct form *f, bool sib)
{
    at[0] = (f->memory ? 0 : 0xc0) | f->reg << 3 | (f->memory ? (sib ? 4 : 3) : f->rm);
    if (f->memory && sib)
        at[1] = 0x0b;  /* [rbx + 1*rcx] */
    return f->memory && sib ? 2 : 1;
}

static void sweep_legacy(struct sweep *s, struct form f)
{
    static const u8 prefixes[6][2] = {{0}, {0x66}, {0xf3}, {0xf2}, {0x66, 0xf3}, {0x66, 0xf2}};
    struct insn insn;
    size_t n = 0;
    for (int i = 0; i < 2 && prefixes[f.prefix][i]; i++)
        insn.bytes[n++] = prefixes[f.prefix][i];
    if (f.w)
        insn.bytes[n++] = 0x48;
    if (f.map)
        insn.bytes[n++] = 0x0f;
    if (f.map == 2 || f.map == 3)
        insn.bytes[n++] = f.map == 2 ? 0x38 : 0x3a;
    insn.bytes[n++] = f.opcode;
    n += put_modrm(insn.bytes + n, &f, false);
    form_try(s, f, &insn, n);
}

static void sweep_3dnow(struct sweep *s, struct form f)
{
    struct insn insn = {.bytes = {0x0f, 0x0f}};
    size_t n = 2 + put_modrm(insn.bytes + 2, &f, false);
    insn.bytes[n++] = f.opcode;
    form_try(s, f, &insn, n);
}

/* VEX and XOP have the same three bytes, but for the first. */
static void sweep_vex(struct sweep *s, struct form f, bool sib)
{
    struct insn insn;
    size_t n = 0;
    insn.bytes[n++] = f.encoding == FORM_VEX ? 0xc4 : 0x8f;
    insn.bytes[n++] = 0xe0 | f.map;
    insn.bytes[n++] = f.w << 7 | 0x78 | f.l << 2 | f.prefix;
    insn.bytes[n++] = f.opcode;
    n += put_modrm(insn.bytes + n, &f, sib);
    form_try(s, f, &insn, n);
}

/* vvvv is in use in some and must be 1111 in others. */
static void sweep_evex(struct sweep *s, struct form f, bool sib)
{
    struct insn insn;
    size_t n = 0;
    insn.bytes[n++] = 0x62;
    insn.bytes[n++] = 0xf0 | f.map;
    insn.bytes[n++] = f.w << 7 | 0x7c | f.prefix;
    insn.bytes[n++] = f.z << 7 | f.l << 5 | f.b << 4 | 8 | f.mask;
    insn.bytes[n++] = f.opcode;
    n += put_modrm(insn.bytes + n, &f, sib);
    form_try(s, f, &insn, n);
}

/* Calls visit for all that the modrm byte can be: [rbx], and registers. */
static void each_modrm(struct sweep *s, struct form f, void (*visit)(struct sweep *, struct form))
{
    for (f.reg = 0; f.reg < 8; f.reg++) {
        f.memory = true;
        f.rm = 0;
        visit(s, f);
        f.memory = false;
        for (f.rm = 0; f.rm < 8; f.rm++)
            visit(s, f);
    }
}

static void visit_vex(struct sweep *s, struct form f)
{
    for (f.l = 0; f.l < 2; f.l++) {
        sweep_vex(s, f, false);
        if (f.memory)
            sweep_vex(s, f, true);
    }
}

static void visit_evex(struct sweep *s, struct form f)
{
    if (f.rm)
        return;
    for (int i = 0; i < 4 * 2 * 3; i++) {
        f.l = i % 4;
        f.b = i / 4 % 2;
        f.mask = i / 8 > 0;
        f.z = i / 8 > 1;
        sweep_evex(s, f, false);
        if (f.memory)
            sweep_evex(s, f, true);
    }
}

static void sweep_map(struct sweep *s, struct form f, int prefixes,
                      void (*visit)(struct sweep *, struct form))
{
    for (int i = 0; i < 256 * 2 * prefixes; i++) {
        f.opcode = i;
        f.w = i >> 8 & 1;
        f.prefix = i >> 9;
        each_modrm(s, f, visit);
    }
}

static bool cpu_has(u32 leaf, u32 bit)
{
    u32 a, b, c, d;
    if (!__get_cpuid(leaf, &a, &b, &c, &d))
        return false;
    return (leaf == 0x80000001 && bit >= 32 ? d >> (bit - 32) : c >> bit) & 1;
}

void forms_sweep(struct forms *forms, u64 xmask)
{
    struct sweep s = {.forms = forms, .seen = calloc(SEEN, sizeof(u64)),
                      .has_evex = (xmask & 0xe0) == 0xe0, .has_xop = cpu_has(0x80000001, 11),
                      .has_3dnow = cpu_has(0x80000001, 63)};
    if (!s.seen)
        abort();
    for (u8 map = 0; map < 4; map++)
        sweep_map(&s, (struct form){.encoding = FORM_LEGACY, .map = map}, 6, sweep_legacy);
    sweep_map(&s, (struct form){.encoding = FORM_3DNOW}, 1, sweep_3dnow);
    for (u8 map = 1; map < 4; map++)
        sweep_map(&s, (struct form){.encoding = FORM_VEX, .map = map}, 4, visit_vex);
    for (u8 map = 8; map < 11; map++)
        sweep_map(&s, (struct form){.encoding = FORM_XOP, .map = map}, 1, visit_vex);
    for (u8 map = 1; map < 7; map++)
        if (map != 4)
            sweep_map(&s, (struct form){.encoding = FORM_EVEX, .map = map}, 4, visit_evex);
    free(s.seen);
}
