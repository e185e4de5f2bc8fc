/* Touches: see touches.h.
 *
 * For most instructions the decoder gives everything: one memory operand, its size, read or
 * written. The other kinds are handled one by one: pushes and pops, strings, addresses in other
 * registers, vectors of addresses.
 */
#include "engine/x86_64/touches.h"

#include "engine/x86_64/cpu.h"

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };
enum { WORD = 8, TILE_ROWS = 16, TILE_ROW = 64, LINE = 64 };

struct touch_work {
    const struct insn *i;
    const u8 *bytes;
    const struct touch_state *s;
    struct touches *ret;
};

static void touches_add(struct touch_work *w, u64 start, u64 size, u32 how)
{
    if (!size || !how || w->ret->count == TOUCHES_MOST)
        return;
    if (start + size < start)
        size = -start;
    w->ret->touch[w->ret->count++] = (struct touch){start, size, how};
}

/* Like `touches_add`, but joins the range with the one before if it is adjacent. */
static void touches_add_element(struct touch_work *w, u64 start, u64 size, u32 how)
{
    struct touch *last = w->ret->count ? &w->ret->touch[w->ret->count - 1] : NULL;
    if (last && last->how == how && last->start + last->size == start)
        last->size += size;
    else
        touches_add(w, start, size, how);
}

static void add_everything(struct touch_work *w, u32 how)
{
    touches_add(w, 0, ~0ull, how);
}

/* --- addresses ------------------------------------------------------------------ */

static u64 touches_segment_base(const struct insn *i, const struct touch_state *s)
{
    return i->prefixes & PREFIX_FS ? s->fs_base : i->prefixes & PREFIX_GS ? s->gs_base : 0;
}

static u64 sized_address(const struct insn *i, u64 at)
{
    return i->prefixes & PREFIX_67 ? (u32)at : at;
}

static u64 sib_base(const struct insn *i, const struct touch_state *s)
{
    unsigned base = i->sib & 7;
    return base == 5 && i->modrm < 0x40 ? 0 : s->reg[base | (i->rex & REX_B) << 3];
}

static u64 sib_index(const struct insn *i, const struct touch_state *s)
{
    unsigned index = (i->sib >> 3 & 7) | (i->rex & REX_X) << 2;
    return index == RSP ? 0 : s->reg[index] << (i->sib >> 6);
}

static u64 base_and_index(const struct insn *i, const struct touch_state *s)
{
    if (i->rip_relative)
        return s->rip + i->length;
    if ((i->modrm & 7) != 4)
        return s->reg[(i->modrm & 7) | (i->rex & REX_B) << 3];
    return sib_base(i, s) + sib_index(i, s);
}

u64 touches_address(const struct insn *i, const struct touch_state *s)
{
    u64 at = base_and_index(i, s) + (u64)i->displacement;
    return sized_address(i, at) + touches_segment_base(i, s);
}

/* An address in a register that no field of ModRM names. */
static u64 register_address(const struct touch_work *w, unsigned reg)
{
    return sized_address(w->i, w->s->reg[reg]);
}

static unsigned modrm_reg(const struct insn *i)
{
    return (i->modrm >> 3 & 7) | (i->rex & REX_R) << 1;
}

static u32 access(const struct insn *i)
{
    return (i->memory & MEMORY_READ ? TOUCH_READ : 0) |
           (i->memory & MEMORY_WRITE ? TOUCH_WRITE : 0);
}

/* --- the stack ------------------------------------------------------------------- */

static u64 stack_word(const struct insn *i)
{
    return i->prefixes & PREFIX_66 && !(i->rex & REX_W) ? 2 : WORD;
}

/* enter: rbp, for a nested frame the frames above it, and its own. */
static void add_enter(struct touch_work *w)
{
    u64 word = stack_word(w->i), level = w->bytes[w->i->immediate_at + 2] & 31;
    u64 pushed = (level ? level + 1 : 1) * word;
    touches_add(w, w->s->reg[RSP] - pushed, pushed, TOUCH_WRITE);
    if (level > 1)
        touches_add(w, w->s->reg[RBP] - (level - 1) * word, (level - 1) * word, TOUCH_READ);
}

static void touches_push(struct touch_work *w, u64 size)
{
    touches_add(w, w->s->reg[RSP] - size, size, TOUCH_WRITE);
}

static void touches_pop(struct touch_work *w, u64 size)
{
    touches_add(w, w->s->reg[RSP], size, TOUCH_READ);
}

/* pop m: its address is computed after rsp has moved. */
static void add_pop_memory(struct touch_work *w)
{
    u64 word = stack_word(w->i), reg[GENERAL_REGISTERS];
    struct touch_state moved = *w->s;
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        reg[n] = w->s->reg[n] + (n == RSP ? word : 0);
    moved.reg = reg;
    touches_pop(w, word);
    touches_add(w, touches_address(w->i, &moved), word, TOUCH_WRITE);
}

static void add_stack(struct touch_work *w)
{
    const struct insn *i = w->i;
    u64 word = i->kind == INSN_PLAIN || i->kind == INSN_POPF ? stack_word(i) : WORD;
    bool one = i->map == MAP_ONE && i->encoding == ENCODING_LEGACY;
    if (one && i->opcode == 0xc8) {
        add_enter(w);
    } else if (one && i->opcode == 0xc9) {
        touches_add(w, w->s->reg[RBP], word, TOUCH_READ);
    } else if (one && i->opcode == 0x8f && i->has_memory) {
        add_pop_memory(w);
    } else if (i->has_memory) { /* push, call */
        touches_add(w, touches_address(i, w->s), word, TOUCH_READ);
        touches_push(w, word);
    } else if (i->memory & MEMORY_WRITE) {
        touches_push(w, word);
    } else {
        touches_pop(w, word);
    }
}

/* --- strings, and addresses in registers ------------------------------------------- */

static u64 string_element(const struct insn *i)
{
    u64 word = i->rex & REX_W && i->opcode >= 0x70 ? 8 : i->prefixes & PREFIX_66 ? 2 : 4;
    return i->opcode & 1 ? word : 1;
}

/* Adds this many elements from `at` on, in the direction of the flag. */
static void add_elements(struct touch_work *w, u64 at, u64 count, u32 how)
{
    u64 element = string_element(w->i), size;
    if (__builtin_mul_overflow(count, element, &size)) {
        add_everything(w, how);
        return;
    }
    if (w->s->flags & FLAG_DF && count) {
        u64 last = at + element;
        touches_add(w, last >= size ? last - size : 0, last >= size ? size : last, how);
    } else {
        touches_add(w, at, size, how);
    }
}

/* The low bits of the opcodes of string instructions, without the one for the size. */
enum {
    STRING_INS = 0x6c,
    STRING_OUTS = 0x6e,
    STRING_MOVS = 0xa4,
    STRING_CMPS = 0xa6,
    STRING_STOS = 0xaa,
    STRING_LODS = 0xac,
    STRING_SCAS = 0xae,
};

static const struct string {
    u8 opcode;
    u8 source, target; /* TOUCH_* at rsi and rdi */
} strings[] = {
    {STRING_INS, 0, TOUCH_WRITE},           {STRING_OUTS, TOUCH_READ, 0},
    {STRING_MOVS, TOUCH_READ, TOUCH_WRITE}, {STRING_CMPS, TOUCH_READ, TOUCH_READ},
    {STRING_STOS, 0, TOUCH_WRITE},          {STRING_LODS, TOUCH_READ, 0},
    {STRING_SCAS, 0, TOUCH_READ},
};

static const struct string *find_string(const struct insn *i)
{
    if (i->encoding != ENCODING_LEGACY || i->map != MAP_ONE)
        return NULL;
    for (unsigned n = 0; n < countof(strings); n++)
        if (strings[n].opcode == (i->opcode & 0xfe))
            return &strings[n];
    return NULL;
}

static void add_string(struct touch_work *w, const struct string *string)
{
    const struct insn *i = w->i;
    u64 count = i->rep ? register_address(w, RCX) : 1;
    u64 source = register_address(w, RSI) + touches_segment_base(i, w->s);
    add_elements(w, source, count, string->source);
    add_elements(w, register_address(w, RDI), count, string->target);
}

static bool touches_is_one(const struct insn *i, u8 opcode)
{
    return i->encoding == ENCODING_LEGACY && i->map == MAP_ONE && i->opcode == opcode;
}

static void add_by_register(struct touch_work *w)
{
    const struct insn *i = w->i;
    const struct string *string = find_string(i);
    if (string) {
        add_string(w, string);
    } else if (touches_is_one(i, 0xd7)) { /* xlat */
        u64 at = sized_address(i, w->s->reg[RBX] + (u8)w->s->reg[RAX]);
        touches_add(w, at + touches_segment_base(i, w->s), 1, TOUCH_READ);
    } else if (i->map == MAP_0F && i->opcode == 0xf7) { /* maskmovq, (v)maskmovdqu */
        touches_add(w, register_address(w, RDI) + touches_segment_base(i, w->s), i->memory_size,
                    TOUCH_WRITE);
    } else if (i->map == MAP_0F && i->opcode == 0x01) { /* clzero */
        u64 at = register_address(w, RAX) & ~(u64)(LINE - 1);
        touches_add(w, at + touches_segment_base(i, w->s), LINE, TOUCH_WRITE);
    } else if (i->has_memory) { /* movdir64b, enqcmd */
        touches_add(w, touches_address(i, w->s), LINE, TOUCH_READ);
        touches_add(w, register_address(w, modrm_reg(i)), LINE, TOUCH_WRITE);
    } else {
        add_everything(w, access(i));
    }
}

/* bt and similar with a register: it counts bits from the operand on, in either direction. */
static void add_bits(struct touch_work *w)
{
    const struct insn *i = w->i;
    u64 size = i->rex & REX_W ? 8 : i->prefixes & PREFIX_66 ? 2 : 4;
    u64 value = w->s->reg[modrm_reg(i)];
    i64 bit = size == 8 ? (i64)value : size == 4 ? (i32)value : (i16)value;
    i64 words = bit >> (size == 8 ? 6 : size == 4 ? 5 : 4);
    u64 at = base_and_index(i, w->s) + (u64)i->displacement + (u64)words * size;
    touches_add(w, sized_address(i, at) + touches_segment_base(i, w->s), size, access(i));
}

/* --- vectors of addresses ------------------------------------------------------------ */

struct vector_fields {
    unsigned length; /* of a vector, in bytes */
    unsigned vvvv;   /* with EVEX.V' */
    unsigned mask;   /* EVEX.aaa */
};

static struct vector_fields vector_fields(const struct insn *i, const u8 *bytes)
{
    const u8 *prefix = bytes + i->prefix_at;
    u8 second = i->encoding == ENCODING_VEX2 ? prefix[1] : prefix[2];
    struct vector_fields f = {.vvvv = ~second >> 3 & 15};
    if (i->encoding == ENCODING_EVEX) {
        f.length = 16u << (prefix[3] >> 5 & 3);
        f.vvvv |= prefix[3] & 8 ? 0 : 16;
        f.mask = prefix[3] & 7;
    } else {
        f.length = second & 4 ? 32 : 16;
    }
    return f;
}

static u64 load_element(const u8 *vector, unsigned number, unsigned size)
{
    u64 value = 0;
    for (unsigned n = 0; n < size; n++)
        value |= (u64)vector[number * size + n] << 8 * n;
    return value;
}

static bool element_chosen(const struct touch_work *w, const struct vector_fields *f,
                           unsigned number, unsigned size)
{
    const struct touch_vectors *v = w->s->vectors;
    if (w->i->encoding == ENCODING_EVEX)
        return v->mask[f->mask] >> number & 1;
    return v->reg[f->vvvv][number * size + size - 1] & 0x80;
}

static u64 element_address(const struct touch_work *w, unsigned index, unsigned number,
                           unsigned size)
{
    const struct insn *i = w->i;
    u64 offset = load_element(w->s->vectors->reg[index], number, size);
    if (size == 4)
        offset = (u64)(i64)(i32)offset;
    u64 at = sib_base(i, w->s) + (offset << (i->sib >> 6)) + (u64)i->displacement;
    return sized_address(i, at) + touches_segment_base(i, w->s);
}

/* Gathers and scatters. The low bit of the opcode: indices have eight bytes, not four. */
static void add_vector_of_addresses(struct touch_work *w)
{
    const struct insn *i = w->i;
    if (!w->s->vectors) {
        add_everything(w, access(i));
        return;
    }
    struct vector_fields f = vector_fields(i, w->bytes);
    unsigned index_size = i->opcode & 1 ? 8 : 4, size = i->rex & REX_W ? 8 : 4;
    unsigned count = f.length / (index_size > size ? index_size : size);
    unsigned index = (i->sib >> 3 & 7) | (i->rex & REX_X) << 2;
    if (i->encoding == ENCODING_EVEX)
        index |= f.vvvv & 16;
    for (unsigned n = 0; n < count; n++)
        if (element_chosen(w, &f, n, size))
            touches_add_element(w, element_address(w, index, n, index_size), size, access(i));
}

/* vmaskmov, vpmaskmov: elements whose mask has its highest bit set. */
static unsigned masked_element(const struct insn *i)
{
    if (i->map != MAP_0F38 || (i->encoding != ENCODING_VEX3 && i->encoding != ENCODING_VEX2))
        return 0;
    if (i->opcode >= 0x2c && i->opcode <= 0x2f)
        return i->opcode & 1 ? 8 : 4;
    return i->opcode == 0x8c || i->opcode == 0x8e ? (i->rex & REX_W ? 8 : 4) : 0;
}

static void add_masked(struct touch_work *w, unsigned size)
{
    struct vector_fields f = vector_fields(w->i, w->bytes);
    u64 at = touches_address(w->i, w->s);
    if (!w->s->vectors) {
        touches_add(w, at, f.length, access(w->i));
        return;
    }
    for (unsigned n = 0; n * size < f.length; n++)
        if (element_chosen(w, &f, n, size))
            touches_add_element(w, at + n * size, size, access(w->i));
}

/* Tiles: rows whose distance is in the index register. */
static bool is_tile(const struct insn *i)
{
    return i->encoding == ENCODING_VEX3 && i->map == MAP_0F38 && i->opcode == 0x4b;
}

static void add_tile(struct touch_work *w)
{
    u64 at = touches_address(w->i, w->s) - sib_index(w->i, w->s);
    for (u64 row = 0; row < TILE_ROWS; row++)
        touches_add(w, at + row * sib_index(w->i, w->s), TILE_ROW, access(w->i));
}

bool touches_need_vectors(const struct insn *i)
{
    return (i->memory & MEMORY_VSIB && !(i->memory & MEMORY_NO_ACCESS)) ||
           (i->has_memory && masked_element(i));
}

/* --- all of them ------------------------------------------------------------------------ */

static void add_operand(struct touch_work *w)
{
    const struct insn *i = w->i;
    u64 size = i->memory_size ? i->memory_size : w->s->save_size;
    if (i->has_memory)
        touches_add(w, touches_address(i, w->s), size, access(i));
}

void touches_of(const struct insn *i, const u8 *bytes, const struct touch_state *s,
                struct touches *ret)
{
    struct touch_work w = {i, bytes, s, ret};
    ret->count = 0;
    if (i->memory & MEMORY_NO_ACCESS || !access(i) || i->kind == INSN_FAR ||
        i->kind == INSN_INVALID)
        return;
    if (i->memory & MEMORY_STACK)
        add_stack(&w);
    else if (i->memory & MEMORY_STRING)
        add_by_register(&w);
    else if (i->memory & MEMORY_OFFSET)
        touches_add(&w, (u64)i->immediate + touches_segment_base(i, s), i->memory_size, access(i));
    else if (i->memory & MEMORY_VSIB)
        add_vector_of_addresses(&w);
    else if (i->memory & MEMORY_BITS)
        add_bits(&w);
    else if (i->has_memory && masked_element(i))
        add_masked(&w, masked_element(i));
    else if (is_tile(i))
        add_tile(&w);
    else
        add_operand(&w);
}

enum touch_form touches_form(const struct insn *i, u32 *how)
{
    const u8 special = MEMORY_STRING | MEMORY_OFFSET | MEMORY_VSIB | MEMORY_BITS;
    *how = access(i);
    if (i->memory & MEMORY_NO_ACCESS || !*how || i->kind == INSN_FAR || i->kind == INSN_INVALID)
        return TOUCH_FORM_NONE;
    if (i->memory & special || is_tile(i) || touches_is_one(i, 0xc8) || touches_is_one(i, 0xc9))
        return TOUCH_FORM_OTHER;
    if (i->memory & MEMORY_STACK)
        return i->has_memory ? TOUCH_FORM_OTHER : TOUCH_FORM_STACK;
    return i->has_memory && i->memory_size && i->memory_size <= LINE ? TOUCH_FORM_OPERAND
                                                                     : TOUCH_FORM_OTHER;
}

static u8 base_register(const struct insn *i)
{
    bool sib = (i->modrm & 7) == 4;
    if (i->rip_relative || (sib && (i->sib & 7) == 5 && i->modrm < 0x40))
        return TOUCH_NO_REGISTER;
    return (u8)((sib ? i->sib & 7 : i->modrm & 7) | (i->rex & REX_B) << 3);
}

static u8 index_register(const struct insn *i)
{
    u8 index = (u8)((i->sib >> 3 & 7) | (i->rex & REX_X) << 2);
    return (i->modrm & 7) != 4 || index == RSP ? TOUCH_NO_REGISTER : index;
}

bool touches_operand(const struct insn *i, u64 rip, struct touch_operand *ret)
{
    u32 how;
    if (touches_form(i, &how) != TOUCH_FORM_OPERAND ||
        i->prefixes & (PREFIX_67 | PREFIX_FS | PREFIX_GS) || touches_need_vectors(i))
        return false;
    *ret = (struct touch_operand){
        .offset = (u64)i->displacement + (i->rip_relative ? rip + i->length : 0),
        .base = base_register(i),
        .index = i->rip_relative ? TOUCH_NO_REGISTER : index_register(i),
        .scale = i->sib >> 6,
        .size = i->memory_size,
        .how = how,
    };
    return true;
}
