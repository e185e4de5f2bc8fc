/* Compares touches_of() with Zydis: which memory an instruction reads and writes.
 *
 * Every opcode of every map is tried with every ModRM byte; registers, flags and vectors are
 * random. The ranges of memory that follow from Zydis's operands must be those that touches_of()
 * returns. EVEX masks are all ones, since touches_of() need not look at them. What Zydis does not
 * list (the bits of bt, nested frames, xsave) is added by hand. If touches_operand() has an answer,
 * it must be the same.
 *
 * Usage: touches_zydis [COUNT [SEED]]      COUNT tries for each opcode and ModRM; the default is 2
 *
 * unit: src/base/assert.c src/base/complain.c src/engine/x86_64/touches.c
 * unit: src/engine/x86_64/decode.c src/engine/x86_64/decode_table.c -lZydis
 */
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/x86_64/cpu.h"
#include "engine/x86_64/touches.h"

#define M(name) ZYDIS_MNEMONIC_##name

enum { BYTES = 48, SAVE_SIZE = 1088, FAILURES_SHOWN = 20, RANGES = 64 };

static ZydisDecoder decoder;
static u64 random_state, compared, touching, sums, failures;
static u64 reg[GENERAL_REGISTERS];
static struct touch_vectors vectors;
static struct touch_state state = {.reg = reg, .save_size = SAVE_SIZE, .vectors = &vectors};

static u64 draw(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state * 0x2545f4914f6cdd1dull;
}

static unsigned draw_below(unsigned limit)
{
    return (draw() >> 33) % limit;
}

struct ranges {
    unsigned count;
    struct touch range[RANGES];
};

static void put(struct ranges *r, u64 start, u64 size, u32 how)
{
    if (size && how && r->count < RANGES)
        r->range[r->count++] = (struct touch){start, size, how};
}

/* --- what Zydis says ----------------------------------------------------------- */

struct answer {
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
};

static u64 register_value(const struct answer *a, ZydisRegister r)
{
    if (r == ZYDIS_REGISTER_NONE)
        return 0;
    if (r == ZYDIS_REGISTER_RIP || r == ZYDIS_REGISTER_EIP)
        return state.rip + a->insn.length;
    ZydisRegister whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
    u64 value = reg[(unsigned)ZydisRegisterGetId(whole)];
    unsigned width = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, r);
    return width >= 64 ? value : value & ((1ull << width) - 1);
}

static u64 segment(const ZydisDecodedOperand *o)
{
    return o->mem.segment == ZYDIS_REGISTER_FS   ? state.fs_base
           : o->mem.segment == ZYDIS_REGISTER_GS ? state.gs_base
                                                 : 0;
}

/* Pushes and pops use all of rsp, whatever the prefix. */
static bool is_stack(const ZydisDecodedOperand *o)
{
    return o->visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN && o->size < 512 && /* movdir64b */
           (o->mem.base == ZYDIS_REGISTER_RSP || o->mem.base == ZYDIS_REGISTER_RBP);
}

static u64 finish(const struct answer *a, const ZydisDecodedOperand *o, u64 at)
{
    if (is_stack(o))
        return at;
    if (a->insn.mnemonic == M(MOVDIR64B) && o->encoding != ZYDIS_OPERAND_ENCODING_MODRM_RM)
        return a->insn.address_width == 32 ? (u32)at : at; /* es, which no prefix overrides */
    return (a->insn.address_width == 32 ? (u32)at : at) + segment(o);
}

static u64 moved_bits(const struct answer *a)
{
    const ZydisDecodedOperand *by = &a->operands[1];
    if (by->type != ZYDIS_OPERAND_TYPE_REGISTER)
        return 0;
    u64 value = register_value(a, by->reg.value);
    i64 bit = by->size == 64 ? (i64)value : by->size == 32 ? (i32)value : (i16)value;
    i64 words = bit >= 0 ? bit / by->size : -((-bit + by->size - 1) / by->size);
    return (u64)words * (by->size / 8u);
}

static bool is_bit_test(ZydisMnemonic m)
{
    return m == M(BT) || m == M(BTS) || m == M(BTR) || m == M(BTC);
}

static bool is_xsave(ZydisMnemonic m)
{
    return m == M(XSAVE) || m == M(XSAVE64) || m == M(XSAVEC) || m == M(XSAVEC64) ||
           m == M(XSAVEOPT) || m == M(XSAVEOPT64) || m == M(XSAVES) || m == M(XSAVES64) ||
           m == M(XRSTOR) || m == M(XRSTOR64) || m == M(XRSTORS) || m == M(XRSTORS64);
}

static bool repeats(const struct answer *a)
{
    return a->insn.attributes &
           (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE);
}

static bool is_string(const struct answer *a)
{
    return a->insn.meta.category == ZYDIS_CATEGORY_STRINGOP ||
           a->insn.meta.category == ZYDIS_CATEGORY_IOSTRINGOP;
}

/* Elements of a gather or scatter. */
static void put_elements(struct ranges *r, const struct answer *a, const ZydisDecodedOperand *o,
                         u32 how)
{
    bool wide = strchr(ZydisMnemonicGetString(a->insn.mnemonic), 'q') &&
                (a->insn.opcode & 1); /* indices of 8 bytes */
    unsigned index_size = wide ? 8 : 4, size = o->size / 8;
    unsigned length = a->insn.avx.vector_length / 8;
    unsigned count = length / (size > index_size ? size : index_size);
    const u8 *index = vectors.reg[(unsigned)ZydisRegisterGetId(o->mem.index)];
    const ZydisDecodedOperand *last = &a->operands[2]; /* VEX: the mask */
    for (unsigned n = 0; n < count; n++) {
        i64 offset = 0;
        memcpy(&offset, index + n * index_size, index_size);
        if (index_size == 4)
            offset = (i32)offset;
        if (a->insn.encoding == ZYDIS_INSTRUCTION_ENCODING_VEX &&
            !(vectors.reg[(unsigned)ZydisRegisterGetId(last->reg.value)][n * size + size - 1] &
              0x80))
            continue;
        u64 at =
            register_value(a, o->mem.base) + (u64)offset * o->mem.scale + (u64)o->mem.disp.value;
        put(r, finish(a, o, at), size, how);
    }
}

static void put_masked(struct ranges *r, const struct answer *a, u64 at, unsigned size, u32 how,
                       unsigned total)
{
    const ZydisDecodedOperand *mask =
        &a->operands[a->operands[0].type == ZYDIS_OPERAND_TYPE_MEMORY ? 1 : 1];
    const u8 *bytes = vectors.reg[(unsigned)ZydisRegisterGetId(mask->reg.value)];
    for (unsigned n = 0; n < total / size; n++)
        if (bytes[n * size + size - 1] & 0x80)
            put(r, at + n * size, size, how);
}

static unsigned masked_element(ZydisMnemonic m)
{
    return m == M(VMASKMOVPS) || m == M(VPMASKMOVD)   ? 4
           : m == M(VMASKMOVPD) || m == M(VPMASKMOVQ) ? 8
                                                      : 0;
}

static bool has_no_base(const ZydisDecodedInstruction *z)
{
    return z->attributes & ZYDIS_ATTRIB_HAS_SIB && z->raw.modrm.mod == 0 && z->raw.sib.base == 5;
}

static void put_operand(struct ranges *r, const struct answer *a, const ZydisDecodedOperand *o)
{
    u32 how = (o->actions & ZYDIS_OPERAND_ACTION_MASK_READ ? TOUCH_READ : 0) |
              (o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE ? TOUCH_WRITE : 0);
    if (o->type != ZYDIS_OPERAND_TYPE_MEMORY || o->mem.type == ZYDIS_MEMOP_TYPE_AGEN || !how)
        return;
    u64 size = o->size / 8, index = register_value(a, o->mem.index) * o->mem.scale;
    ZydisMnemonic m = a->insn.mnemonic;
    if (o->mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
        put_elements(r, a, o, how);
        return;
    }
    u64 at = register_value(a, o->mem.base) + index + (u64)o->mem.disp.value;
    if (is_stack(o) && o->mem.base == ZYDIS_REGISTER_RSP && how == TOUCH_WRITE)
        at -= size;
    if (has_no_base(&a->insn) &&
        o->encoding == ZYDIS_OPERAND_ENCODING_MODRM_RM) /* Zydis 4.0 errs if addresses are of 32
                                                           bits and REX.B is set */
        at = index + (u64)a->insn.raw.disp.value;
    if (m == M(POP) && !is_stack(o) && o->mem.base == ZYDIS_REGISTER_RSP)
        at += size;
    if (m == M(POP) && !is_stack(o) && o->mem.base == ZYDIS_REGISTER_ESP)
        at += size;
    if (is_bit_test(m))
        at += moved_bits(a);
    if (m == M(XLAT))
        at = reg[RBX] + (u8)reg[RAX];
    if (m == M(CLZERO))
        at &= ~63ull;
    if (is_xsave(m))
        size = SAVE_SIZE;
    at = finish(a, o, at);
    u64 count = repeats(a) ? (a->insn.address_width == 32 ? (u32)reg[RCX] : reg[RCX]) : 1;
    if (is_string(a) && state.flags & FLAG_DF && count)
        at -= (count - 1) * size;
    if (masked_element(m))
        put_masked(r, a, at, masked_element(m), how, (unsigned)size);
    else
        put(r, at, size * count, how);
}

static void put_enter(struct ranges *r, const struct answer *a)
{
    u64 word = a->insn.operand_width == 16 ? 2 : 8, level = a->insn.raw.imm[1].value.u & 31;
    u64 pushed = (level ? level + 1 : 1) * word;
    put(r, reg[RSP] - pushed, pushed, TOUCH_WRITE);
    if (level > 1)
        put(r, reg[RBP] - (level - 1) * word, (level - 1) * word, TOUCH_READ);
}

static void put_tile(struct ranges *r, const struct answer *a)
{
    for (unsigned n = 0; n < a->insn.operand_count; n++) {
        const ZydisDecodedOperand *o = &a->operands[n];
        if (o->type != ZYDIS_OPERAND_TYPE_MEMORY)
            continue;
        u64 stride = register_value(a, o->mem.index) * o->mem.scale;
        u64 at = register_value(a, o->mem.base) + (u64)o->mem.disp.value;
        bool writes = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
        for (u64 row = 0; row < 16; row++)
            put(r, finish(a, o, at) + row * stride, 64, writes ? TOUCH_WRITE : TOUCH_READ);
    }
}

/* Prefetches and hints. What the manuals call an access without further detail counts as one. */
static bool no_access(ZydisMnemonic m)
{
    switch (m) {
    case M(NOP): case M(CLDEMOTE): case M(PREFETCH): case M(PREFETCHW): case M(PREFETCHWT1):
    case M(PREFETCHNTA):
    case M(PREFETCHT0):
    case M(PREFETCHT1):
    case M(PREFETCHT2):
    case M(UD0):
    case M(UD1):
        return true;
    default:
        return false;
    }
}

static void expect(struct ranges *r, const struct answer *a)
{
    ZydisMnemonic m = a->insn.mnemonic;
    r->count = 0;
    if (no_access(m))
        return;
    if (m == M(ENTER)) {
        put_enter(r, a);
        return;
    }
    if (m == M(TILELOADD) || m == M(TILELOADDT1) || m == M(TILESTORED)) {
        put_tile(r, a);
        return;
    }
    for (unsigned n = 0; n < a->insn.operand_count; n++)
        put_operand(r, a, &a->operands[n]);
    if (m == M(ENQCMD)) { /* Zydis lists the register alone */
        u64 to = register_value(a, a->operands[0].reg.value);
        put(r, a->insn.address_width == 32 ? (u32)to : to, 64, TOUCH_WRITE);
    }
}

/* --- comparison ----------------------------------------------------------------------- */

static bool in_any(u64 at, u32 how, const struct touch *t, unsigned count)
{
    for (unsigned n = 0; n < count; n++)
        if (t[n].how & how && at - t[n].start < t[n].size)
            return true;
    return false;
}

/* True if every range of `a` is within ranges of `b`. Tests the ends of a's ranges, and the bytes
 * next to the ends of b's. */
static bool within(const struct touch *a, unsigned a_count, const struct touch *b, unsigned b_count)
{
    for (unsigned n = 0; n < a_count; n++)
        for (u32 how = TOUCH_READ; how <= TOUCH_WRITE; how++) {
            if (!(a[n].how & how))
                continue;
            if (!in_any(a[n].start, how, b, b_count) ||
                !in_any(a[n].start + a[n].size - 1, how, b, b_count))
                return false;
            for (unsigned k = 0; k < b_count; k++)
                if (b[k].start + b[k].size - a[n].start < a[n].size &&
                    !in_any(b[k].start + b[k].size, how, b, b_count))
                    return false;
        }
    return true;
}

static void show(const char *who, const struct touch *t, unsigned count)
{
    printf("; %s:", who);
    for (unsigned n = 0; n < count; n++)
        printf(" %s%s %llx+%llx", t[n].how & TOUCH_READ ? "r" : "",
               t[n].how & TOUCH_WRITE ? "w" : "", (unsigned long long)t[n].start,
               (unsigned long long)t[n].size);
}

static void fail(const u8 *bytes, const struct answer *a, const struct ranges *r,
                 const struct touches *t)
{
    static u8 shown[ZYDIS_MNEMONIC_MAX_VALUE + 1];
    if (++failures > 200 || shown[a->insn.mnemonic]++ >= 2)
        return;
    printf("FAIL touches: %s,", ZydisMnemonicGetString(a->insn.mnemonic));
    for (unsigned n = 0; n < a->insn.length; n++)
        printf(" %02x", bytes[n]);
    show("Zydis", r->range, r->count);
    show("touches", t->touch, t->count);
    printf("\n");
}

static void draw_state(void)
{
    for (unsigned n = 0; n < 16; n++)
        reg[n] = draw_below(4) ? draw() >> (draw_below(2) ? 17 : 40) : draw() >> 17 | 0x8000;
    reg[RCX] &= draw_below(2) ? 0xff : 0xffff;
    for (unsigned n = RSP; n <= RDI; n++)
        reg[n] |= 1ull << 40;
    state.rip = draw() >> 17;
    state.flags = draw() & (FLAGS_ARITHMETIC | FLAG_DF);
    state.fs_base = draw() >> 17;
    state.gs_base = draw() >> 17;
    for (unsigned n = 0; n < sizeof(vectors.reg); n++)
        ((u8 *)vectors.reg)[n] = (u8)draw();
    for (unsigned n = 0; n < 8; n++)
        vectors.mask[n] = ~0ull;
}

/* Ranges that wrap around do not occur in programs. */
static bool wraps(const struct ranges *r)
{
    for (unsigned n = 0; n < r->count; n++)
        if (r->range[n].start + r->range[n].size < r->range[n].start || r->range[n].start >> 63)
            return true;
    return false;
}

/* VIA's instructions, which may access all memory; and MPX, which are nops on other processors. */
static bool is_left_out(const struct answer *a)
{
    return a->insn.meta.isa_ext == ZYDIS_ISA_EXT_PADLOCK ||
           a->insn.meta.isa_ext == ZYDIS_ISA_EXT_MPX;
}

/* What is reported as a sum of registers must be that sum. */
static bool sum_differs(const struct insn *i, const struct touches *t)
{
    struct touch_operand o;
    if (!touches_operand(i, state.rip, &o))
        return false;
    sums++;
    return t->count != 1 || t->touch[0].start != touches_sum(&o, state.reg) ||
           t->touch[0].size != o.size || t->touch[0].how != o.how;
}

static void compare(const u8 *bytes)
{
    struct answer a;
    struct insn i;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, BYTES, &a.insn, a.operands)))
        return;
    if (!decode(bytes, BYTES, &i) || i.kind == INSN_INVALID || i.kind == INSN_FAR ||
        i.kind == INSN_PRIVILEGED)
        return;
    if (is_left_out(&a))
        return;
    struct ranges r;
    struct touches t;
    expect(&r, &a);
    if (wraps(&r))
        return;
    touches_of(&i, bytes, &state, &t);
    compared++;
    touching += r.count > 0;
    if (!within(r.range, r.count, t.touch, t.count) ||
        !within(t.touch, t.count, r.range, r.count) || sum_differs(&i, &t))
        fail(bytes, &a, &r, &t);
}

/* --- sweeping ---------------------------------------------------------------------------- */

static unsigned put_prefixes(u8 *to)
{
    static const u8 prefixes[] = {0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3, 0x48, 0x40};
    unsigned count = draw_below(3);
    for (unsigned n = 0; n < count; n++)
        to[n] =
            n + 1 == count && draw_below(2) ? (u8)(0x40 | draw_below(16)) : prefixes[draw_below(8)];
    return count;
}

/* map 0..3: legacy; 4..6 VEX; 7..11 EVEX; 12..14 XOP */
static unsigned put_opcode(u8 *to, unsigned map, u8 opcode)
{
    unsigned at = 0;
    if (map < 4) {
        at = put_prefixes(to);
        if (map)
            to[at++] = 0x0f;
        if (map > 1)
            to[at++] = map == 2 ? 0x38 : 0x3a;
    } else if (map < 7 || map >= 12) {
        to[at++] = map < 7 ? 0xc4 : 0x8f;
        to[at++] = (u8)((draw() & 0xe0) | (map < 7 ? map - 3 : map - 4));
        to[at++] = (u8)(draw_below(2) ? draw() : draw() | 0x78);
    } else {
        static const u8 maps[] = {1, 2, 3, 5, 6};
        to[at++] = 0x62;
        to[at++] = (u8)((draw() & 0xf0) | maps[map - 7]);
        to[at++] = (u8)((draw_below(2) ? draw() : draw() | 0x78) | 4);
        to[at++] = (u8)((draw() & 0x77) | 8);
    }
    to[at++] = opcode;
    return at;
}

int main(int argc, char **argv)
{
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : 2;
    u64 seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
    random_state = seed * 0x9e3779b97f4a7c15ull + 1;
    ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    for (unsigned map = 0; map < 15; map++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned modrm = 0; modrm < 256; modrm++) {
                if (!(modrm & 15))
                    draw_state();
                for (unsigned n = 0; n < count; n++) {
                    u8 bytes[BYTES];
                    for (unsigned k = 0; k < BYTES; k += 8) {
                        u64 value = draw();
                        memcpy(bytes + k, &value, 8);
                    }
                    unsigned at = put_opcode(bytes, map, (u8)opcode);
                    bytes[at] = (u8)modrm;
                    compare(bytes);
                }
            }
    if (failures || touching < compared / 4 || sums < touching / 4 || compared < 100000 * count) {
        printf("FAIL touches: %llu of %llu differ, %llu touch memory, seed %llu\n",
               (unsigned long long)failures, (unsigned long long)compared,
               (unsigned long long)touching, (unsigned long long)seed);
        return 1;
    }
    printf("ok touches as Zydis (%llu instructions, %llu of them with memory)\n",
           (unsigned long long)compared, (unsigned long long)touching);
    return 0;
}
