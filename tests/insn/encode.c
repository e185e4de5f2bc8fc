/* Encode: an instruction of a given form, all that the form leaves open drawn by chance.
 *
 * Registers, the manner of addressing, immediates, the shape of the VEX prefix, prefixes that
 * change nothing, bits that are ignored.  Not every draw is an instruction, and not every
 * instruction drawn is still of the form: Zydis is asked, and if it says no, the dice are
 * thrown again.
 *
 * Displacements and registers that address memory are given their values by operands.c.
 */
#include "make.h"

#include <string.h>

/* What goes into an encoding.  Registers have all their bits, wherever those end up. */
struct parts {
    u8 reg, v, rm;       /* rm: a register, or the base */
    u8 index, scale;
    u8 mod;
    bool sib;
    u8 disp_size;
    u8 w, l, mask;
    bool rex;            /* although no bit of it is set */
    u8 prefixes[8];
    u8 prefix_count;
};

static void draw_address(struct maker *m, const struct form *f, struct parts *p)
{
    p->mod = draw(m, 3);
    p->rm = draw(m, 16);
    p->index = draw(m, 16);
    p->scale = draw(m, 4);
    p->sib = one_in(m, 2) || f->vsib;
    if (f->vsib)
        p->index = draw(m, f->encoding == FORM_EVEX ? 32 : 16);
    else if (p->sib && one_in(m, 4))
        p->index = 4;  /* none */
    if (!f->vsib && one_in(m, 5)) {  /* rip, or no base */
        p->mod = 0;
        p->rm = 5;
        p->sib = one_in(m, 3);
    }
    if ((p->rm & 7) == 4)
        p->sib = true;
}

/* Only [base + disp] and rip-relative operands: a sequence can keep their registers unchanged. */
static void draw_simple_address(struct maker *m, const struct rule *rule, struct parts *p)
{
    p->sib = false;
    if (one_in(m, 4)) {
        p->mod = 0;
        p->rm = 5;
        return;
    }
    do
        p->rm = draw(m, 16);
    while (!(rule->bases & 1u << p->rm));
    p->mod = 1 + draw(m, 2);
    if ((p->rm & 7) == 4) {
        p->sib = true;
        p->index = 4;
    }
}

static u8 disp_size(const struct parts *p)
{
    if (p->mod == 1)
        return 1;
    return p->mod == 2 || (p->mod == 0 && (p->rm & 7) == 5) ? 4 : 0;
}

static void add_prefix(struct parts *p, u8 prefix)
{
    p->prefixes[p->prefix_count++] = prefix;
}

static void shuffle_prefixes(struct maker *m, struct parts *p)
{
    for (int i = p->prefix_count - 1; i > 0; i--) {
        int k = draw(m, i + 1);
        u8 swap = p->prefixes[i];
        p->prefixes[i] = p->prefixes[k];
        p->prefixes[k] = swap;
    }
}

static void draw_prefixes(struct maker *m, const struct form *f, const struct rule *rule,
                          struct parts *p)
{
    static const u8 ignored[4] = {0x2e, 0x36, 0x3e, 0x26};
    bool plain = rule && rule->bases;
    if (f->encoding == FORM_LEGACY) {
        if (f->prefix == 1 || f->prefix > 3)
            add_prefix(p, 0x66);
        if (f->prefix > 1)
            add_prefix(p, f->prefix % 2 ? 0xf2 : 0xf3);
        if (!plain && f->memory && one_in(m, 6))
            add_prefix(p, 0xf0);
    }
    if (!plain && one_in(m, 8))
        add_prefix(p, one_in(m, 2) ? 0x64 : 0x65);
    else if (one_in(m, 12))
        add_prefix(p, ignored[draw(m, 4)]);
    if (!plain && m->place == PLACE_LOW && one_in(m, 12))
        add_prefix(p, 0x67);
    if (p->prefix_count)
        shuffle_prefixes(m, p);
    if (p->prefix_count && f->encoding == FORM_LEGACY && one_in(m, 32)) {
        memmove(p->prefixes + 1, p->prefixes, p->prefix_count++);
        p->prefixes[0] = 0x40 | draw(m, 16);  /* a REX that is not the last prefix is none */
    }
}

static void draw_parts(struct maker *m, const struct form *f, const struct rule *rule,
                       struct parts *p)
{
    memset(p, 0, sizeof *p);
    bool evex = f->encoding == FORM_EVEX;
    p->w = f->w ^ (one_in(m, 16) && f->encoding != FORM_3DNOW);
    p->l = f->l ^ (one_in(m, 16) && f->encoding >= FORM_XOP);
    p->mask = f->mask ? 1 + draw(m, 7) : 0;
    p->reg = f->free_reg ? draw(m, evex ? 32 : 16) : f->reg | (one_in(m, 8) ? 8 : 0);
    p->v = f->free_v ? draw(m, evex ? 32 : 16) : 0;
    p->rex = one_in(m, 8);
    if (!f->memory) {
        p->mod = 3;
        p->rm = f->free_rm ? draw(m, evex ? 32 : 16) : f->rm | (one_in(m, 8) ? 8 : 0);
    } else if (rule && rule->bases) {
        draw_simple_address(m, rule, p);
    } else {
        draw_address(m, f, p);
    }
    p->disp_size = f->has_modrm && f->memory ? disp_size(p) : 0;
    draw_prefixes(m, f, rule, p);
}

/* --- writing --- */

struct text {
    u8 *at;
    size_t n;
};

static void put(struct text *t, u8 byte)
{
    t->at[t->n++] = byte;
}

static void put_modrm(struct maker *m, struct text *t, const struct parts *p)
{
    put(t, p->mod << 6 | (p->reg & 7) << 3 | (p->sib ? 4 : p->rm & 7));
    if (p->sib)
        put(t, p->scale << 6 | (p->index & 7) << 3 | (p->rm & 7));
    u64 disp = draw_bits(m);
    for (int i = 0; i < p->disp_size; i++)
        put(t, disp >> 8 * i);
}

static bool bit_x(const struct parts *p, bool evex)
{
    return p->sib ? p->index >> 3 & 1 : evex && p->mod == 3 && p->rm >> 4 & 1;
}

static void put_legacy(struct maker *m, struct text *t, const struct form *f,
                       const struct parts *p)
{
    u8 rex = p->w << 3 | (p->reg >> 3 & 1) << 2 | bit_x(p, false) << 1 | (p->rm >> 3 & 1);
    if (!f->has_modrm)
        rex = p->w << 3 | (p->reg >> 3 & 1);
    if (rex || p->rex)
        put(t, 0x40 | rex);
    if (f->map || f->encoding == FORM_3DNOW)
        put(t, 0x0f);
    if (f->encoding == FORM_3DNOW)
        put(t, 0x0f);
    else if (f->map > 1)
        put(t, f->map == 2 ? 0x38 : 0x3a);
    if (f->encoding != FORM_3DNOW)
        put(t, f->opcode);
    if (f->has_modrm)
        put_modrm(m, t, p);
    if (f->encoding == FORM_3DNOW)
        put(t, f->opcode);
}

static void put_vex(struct maker *m, struct text *t, const struct form *f, const struct parts *p)
{
    u8 r = ~p->reg >> 3 & 1, x = !bit_x(p, false), b = ~p->rm >> 3 & 1;
    u8 last = (~p->v & 15) << 3 | (p->l & 1) << 2 | f->prefix;
    if (f->encoding == FORM_VEX && f->map == 1 && x && b && !p->w && !p->rex) {
        put(t, 0xc5);
        put(t, r << 7 | last);
    } else {
        put(t, f->encoding == FORM_VEX ? 0xc4 : 0x8f);
        put(t, r << 7 | x << 6 | b << 5 | f->map);
        put(t, p->w << 7 | last);
    }
    put(t, f->opcode);
    if (f->has_modrm)
        put_modrm(m, t, p);
}

static void put_evex(struct maker *m, struct text *t, const struct form *f,
                     const struct parts *p)
{
    u8 r = ~p->reg >> 3 & 1, r2 = ~p->reg >> 4 & 1, x = !bit_x(p, true), b = ~p->rm >> 3 & 1;
    u8 v2 = ~(f->vsib ? p->index : p->v) >> 4 & 1;
    put(t, 0x62);
    put(t, r << 7 | x << 6 | b << 5 | r2 << 4 | f->map);
    put(t, p->w << 7 | (~p->v & 15) << 3 | 4 | f->prefix);
    put(t, f->z << 7 | (p->l & 3) << 5 | f->b << 4 | v2 << 3 | p->mask);
    put(t, f->opcode);
    put_modrm(m, t, p);
}

static size_t encode(struct maker *m, const struct form *f, const struct parts *p, u8 *bytes)
{
    struct text t = {bytes, 0};
    for (int i = 0; i < p->prefix_count; i++)
        put(&t, p->prefixes[i]);
    if (f->encoding == FORM_LEGACY || f->encoding == FORM_3DNOW)
        put_legacy(m, &t, f, p);
    else if (f->encoding == FORM_EVEX)
        put_evex(m, &t, f, p);
    else
        put_vex(m, &t, f, p);
    u64 immediate = draw_bits(m);
    if (one_in(m, 3))
        immediate = (i64)(i8)immediate;
    for (int i = 0; i < 8; i++)
        put(&t, immediate >> 8 * i);
    return t.n;
}

/* --- is it what we wanted --- */

int gpr_of(ZydisRegister reg)
{
    switch (ZydisRegisterGetClass(reg)) {
    case ZYDIS_REGCLASS_GPR8:
    case ZYDIS_REGCLASS_GPR16:
    case ZYDIS_REGCLASS_GPR32:
    case ZYDIS_REGCLASS_GPR64:
        return ZydisRegisterGetId(
            ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, reg));
    default:
        return -1;
    }
}

static u32 registers_written(const struct insn *insn)
{
    u32 written = 0;
    for (int i = 0; i < insn->is.operand_count; i++) {
        const ZydisDecodedOperand *op = &insn->op[i];
        if (op->type != ZYDIS_OPERAND_TYPE_REGISTER ||
            !(op->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE))
            continue;
        int reg = gpr_of(op->reg.value);
        if (reg >= 0)
            written |= 1u << reg;
    }
    return written;
}

static bool is_of(const struct insn *insn, const struct form *f, const struct rule *rule)
{
    return insn_key(insn) == f->key && (!rule || !(registers_written(insn) & rule->untouched));
}

bool insn_draw(struct maker *m, const struct form *f, const struct rule *rule, struct insn *insn)
{
    for (int i = 0; i < 60; i++) {
        struct parts p;
        u8 bytes[40];
        draw_parts(m, f, rule, &p);
        size_t n = encode(m, f, &p, bytes);
        if (n > sizeof insn->bytes)
            n = sizeof insn->bytes;
        memcpy(insn->bytes, bytes, n);
        if (insn_decode(insn, n) && is_of(insn, f, rule))
            return true;
    }
    return false;
}
