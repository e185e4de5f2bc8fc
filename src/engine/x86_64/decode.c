/* Decoder: from bytes to their meaning, in one pass and a few look-ups.
 *
 * Prefixes are collected until an opcode comes; together they give the space and the variant of
 * decode_table.h, and with the opcode a form. A form says which parts follow and what the fields of
 * the encoding mean. The rest is arithmetic on those fields, mostly without branches, since
 * operands are unpredictable.
 *
 * Invariants
 *   (1) Nothing past bytes[READ_MAX - 1] is read; fewer bytes are copied and padded.
 *   (2) The length covers every byte that the result depends on, so that an instruction longer than
 *       the available bytes is recognized by its length alone.
 */
#include "engine/x86_64/decode.h"

#include "base/assert.h"
#include "engine/x86_64/decode_table.h"

/* Fourteen prefixes, an opcode of three bytes, ModRM, SIB, displacement of four, and an
 * immediate that is loaded as eight bytes. */
enum { READ_MAX = 40 };

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* The meaning of a byte in the position of an opcode. */
enum byte_class {
    BYTE_OPCODE, /* = MAP_ONE */
    BYTE_ESCAPE, /* = MAP_0F */
    BYTE_VEX2,
    BYTE_VEX3,
    BYTE_EVEX,
    BYTE_XOP, /* or pop */
    BYTE_PREFIX,
    BYTE_SEGMENT,
    BYTE_REPEAT,
    BYTE_REX,
};

#define FOUR(class) class, class, class, class
#define SIXTEEN(class) FOUR(class), FOUR(class), FOUR(class), FOUR(class)
static const u8 byte_classes[256] = {
    [0x0f] = BYTE_ESCAPE,
    [0x26] = BYTE_PREFIX,
    [0x2e] = BYTE_PREFIX,
    [0x36] = BYTE_PREFIX,
    [0x3e] = BYTE_PREFIX,
    [0x40] = SIXTEEN(BYTE_REX),
    [0x62] = BYTE_EVEX,
    [0x64] = BYTE_SEGMENT,
    [0x65] = BYTE_SEGMENT,
    [0x66] = BYTE_PREFIX,
    [0x67] = BYTE_PREFIX,
    [0x8f] = BYTE_XOP,
    [0xc4] = BYTE_VEX3,
    [0xc5] = BYTE_VEX2,
    [0xf0] = BYTE_PREFIX,
    [0xf2] = BYTE_REPEAT,
    [0xf3] = BYTE_REPEAT,
};

/* The state collected on the way to the form. */
struct decode_work {
    const u8 *at; /* what comes next */
    unsigned prefixes;
    unsigned rex; /* 0 or 0x40 | WRXB */
    unsigned prefix_at;
    unsigned encoding;
    unsigned map;
    unsigned opcode;
    unsigned space;
    unsigned variant;
    unsigned states;
    unsigned high; /* EVEX.R', as 16 for ModRM.reg */
    unsigned vvvv; /* with EVEX.V' 0..31 */
};

/* The last of fs and gs counts; es, cs, ss and ds mean nothing in 64-bit mode. */
static unsigned add_prefix(unsigned prefixes, u8 byte)
{
    switch (byte) {
    case 0x66:
        return prefixes | PREFIX_66;
    case 0x67:
        return prefixes | PREFIX_67;
    case 0xf0:
        return prefixes | PREFIX_LOCK;
    case 0xf2:
        return prefixes | PREFIX_F2;
    case 0xf3:
        return prefixes | PREFIX_F3;
    case 0x64:
        return (prefixes & ~PREFIX_GS) | PREFIX_FS;
    case 0x65:
        return (prefixes & ~PREFIX_FS) | PREFIX_GS;
    default:
        return prefixes;
    }
}

/* Takes any prefixes in any order. REX counts only if it is the last. */
static enum byte_class take_many_prefixes(struct decode_work *w, const u8 *bytes)
{
    unsigned prefixes = 0, repeat = 0, rex = 0;
    const u8 *at = bytes;
    enum byte_class class = byte_classes[*at];
    while (class >= BYTE_PREFIX && at < bytes + INSN_MAX - 1) {
        rex = 0;
        if (class == BYTE_REX)
            rex = *at;
        else
            prefixes = add_prefix(prefixes, *at);
        if (class == BYTE_REPEAT)
            repeat = *at == 0xf3 ? 1 : 2;
        class = byte_classes[*++at];
    }
    w->at = at;
    w->rex = rex;
    w->prefixes = prefixes;
    w->prefix_at = at - bytes - (rex ? 1 : 0);
    w->variant = repeat * 4 + (prefixes & PREFIX_66 ? 2 : 0);
    w->states = prefixes & PREFIX_LOCK ? STATES_FORM | STATES_LOCK : STATES_FORM;
    return class;
}

/* Takes the prefixes; returns the class of the byte after them. Most instructions have none or only
 * REX, which is handled without a branch. */
static inline enum byte_class take_prefixes(struct decode_work *w, const u8 *bytes)
{
    unsigned has_rex = (bytes[0] & 0xf0) == 0x40;
    enum byte_class class = byte_classes[bytes[has_rex]];
    if (class >= BYTE_PREFIX)
        return take_many_prefixes(w, bytes);
    w->at = bytes + has_rex;
    w->rex = bytes[0] & -has_rex;
    w->prefixes = w->prefix_at = w->variant = 0;
    w->states = STATES_FORM;
    return class;
}

static inline u8 decode_take_byte(struct decode_work *w)
{
    return *w->at++;
}

static inline void take_legacy(struct decode_work *w, unsigned escaped)
{
    unsigned map = escaped; /* MAP_ONE or MAP_0F */
    w->at += escaped;
    unsigned opcode = decode_take_byte(w);
    if (escaped & ((opcode | 2) == 0x3a)) {
        map = opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
        opcode = decode_take_byte(w);
    }
    w->encoding = ENCODING_LEGACY;
    w->map = map;
    w->opcode = opcode;
    w->space = SPACE_LEGACY + map;
    w->variant |= w->rex >> 3 & 1;
    w->states |= w->rex & (REX_R | REX_X | REX_B);
}

/* True if a VEX, EVEX or XOP prefix may follow the prefixes. */
static bool may_extend(const struct decode_work *w)
{
    return !w->rex && !(w->prefixes & (PREFIX_66 | PREFIX_F2 | PREFIX_F3 | PREFIX_LOCK));
}

/* Three bits that VEX, EVEX and XOP store inverted, and W, which they do not. */
static unsigned rex_of(u8 rxb, u8 w)
{
    return 0x40 | (w & 0x80 ? REX_W : 0) | (~rxb >> 5 & 7);
}

/* The last byte of a VEX or XOP prefix, and the middle one of EVEX: W vvvv L pp. */
static void take_vvvv(struct decode_work *w, u8 byte)
{
    w->vvvv = ~byte >> 3 & 15;
    w->variant = (w->rex & REX_W ? 2 : 0) | (byte >> 2 & 1);
    w->states = STATES_FORM | (w->rex & (REX_R | REX_X | REX_B)) |
                (w->vvvv & 8 ? STATES_VVVV_HIGH : 0) | (w->vvvv & 7 ? STATES_VVVV_LOW : 0);
}

static bool take_vex2(struct decode_work *w)
{
    u8 byte = w->at[1];
    w->at += 2;
    w->rex = 0x40 | (byte & 0x80 ? 0 : REX_R);
    w->encoding = ENCODING_VEX2;
    w->map = MAP_0F;
    w->space = SPACE_VEX + (byte & 3);
    take_vvvv(w, byte);
    return true;
}

static bool take_vex3(struct decode_work *w)
{
    u8 first = w->at[1], second = w->at[2];
    w->at += 3;
    w->rex = rex_of(first, second);
    w->encoding = ENCODING_VEX3;
    w->map = first & 31;
    w->space = SPACE_VEX + 4 * (w->map - 1) + (second & 3);
    take_vvvv(w, second);
    return w->map >= MAP_0F && w->map <= MAP_0F3A;
}

static bool take_xop(struct decode_work *w)
{
    u8 first = w->at[1], second = w->at[2];
    w->at += 3;
    w->rex = rex_of(first, second);
    w->encoding = ENCODING_XOP;
    w->map = MAP_XOP8 + (first & 31) - 8;
    w->space = SPACE_XOP + (first & 31) - 8;
    take_vvvv(w, second);
    return w->map <= MAP_XOPA && !(second & 3);
}

static unsigned evex_states(u8 first, u8 third)
{
    bool zero = third & 0x80, mask = third & 7;
    return (first & 0x10 ? 0 : STATES_R2) | (third & 8 ? 0 : STATES_V2) |
           (mask ? STATES_MASK : STATES_NO_MASK) | (zero && mask ? STATES_ZERO : 0) |
           (zero && !mask ? STATES_ZERO_NO_MASK : 0);
}

static bool take_evex(struct decode_work *w)
{
    static const struct {
        u8 known, slot, map;
    } maps[8] = {
        [1] = {1, 0, MAP_0F}, [2] = {1, 1, MAP_0F38}, [3] = {1, 2, MAP_0F3A},
        [5] = {1, 3, MAP_5},  [6] = {1, 4, MAP_6},
    };
    u8 first = w->at[1], second = w->at[2], third = w->at[3];
    unsigned number = first & 7;
    w->at += 4;
    w->rex = rex_of(first, second);
    w->encoding = ENCODING_EVEX;
    w->map = maps[number].map;
    w->space = SPACE_EVEX + 4 * maps[number].slot + (second & 3);
    take_vvvv(w, second);
    w->variant = (third & 0x10 ? 8 : 0) | (second & 0x80 ? 4 : 0) | (third >> 5 & 3);
    w->vvvv |= third & 8 ? 0 : 16;
    w->high = first & 0x10 ? 0 : 16;
    w->states |= evex_states(first, third);
    return maps[number].known && !(first & 8) && second & 4;
}

/* VEX, EVEX and XOP: the prefix and the opcode. */
static bool take_extended(struct decode_work *w, enum byte_class class)
{
    bool allowed = may_extend(w);
    bool known = class == BYTE_VEX2   ? take_vex2(w)
                 : class == BYTE_VEX3 ? take_vex3(w)
                 : class == BYTE_EVEX ? take_evex(w)
                                      : take_xop(w);
    w->opcode = decode_take_byte(w);
    return allowed && known;
}

/* From a cell to a form, using ModRM if it depends on that. */
static inline const struct decode_form *resolve(unsigned cell, unsigned modrm)
{
    if ((cell & CELL_KIND) == CELL_GROUP) {
        unsigned which = (modrm >= 0xc0) * 8 + (modrm >> 3 & 7);
        cell = decode_cells[(cell & CELL_INDEX) * CELL_ALIGN + which];
        if ((cell & CELL_KIND) == CELL_RM)
            cell = decode_cells[(cell & CELL_INDEX) * CELL_ALIGN + (modrm & 7)];
    }
    return &decode_forms[cell];
}

static inline const struct decode_form *find_form(const struct decode_work *w)
{
    unsigned row = decode_rows[w->space][w->opcode];
    unsigned cell = decode_cells[row * CELL_ALIGN + w->variant];
    return resolve(cell, *w->at);
}

static inline i64 decode_load(const u8 *from, unsigned shift)
{
    u64 value;
    __builtin_memcpy(&value, from, sizeof(value));
    return (i64)(value << shift) >> shift;
}

/* What a ModRM byte requires: the size of the displacement, and these. */
enum {
    SHAPE_SIZE = 0x07,
    SHAPE_SIB = 0x08,
    SHAPE_MEMORY = 0x10,
    SHAPE_RIP = 0x20,
    SHAPE_BASE = 0x40, /* rm, or SIB.base, names a register */
};

#define SHAPE(size) (SHAPE_MEMORY | SHAPE_BASE | (size))
#define SHAPES(size, five)                                                                         \
    FOUR(SHAPE(size)), SHAPE(size) | SHAPE_SIB, five, SHAPE(size), SHAPE(size)
#define EIGHT_SHAPES(size, five)                                                                   \
    SHAPES(size, five), SHAPES(size, five), SHAPES(size, five), SHAPES(size, five),                \
        SHAPES(size, five), SHAPES(size, five), SHAPES(size, five), SHAPES(size, five)
static const u8 modrm_shapes[256] = {
    EIGHT_SHAPES(0, SHAPE_MEMORY | SHAPE_RIP | 4),
    EIGHT_SHAPES(1, SHAPE(1)),
    EIGHT_SHAPES(4, SHAPE(4)),
};

/* Takes ModRM, SIB and displacement, as far as there are any; returns the registers of the
 * address. */
static inline unsigned take_modrm(struct decode_work *w, const struct decode_form *form,
                                  const u8 *bytes, struct insn *ret)
{
    unsigned has_modrm = form->parts & PART_MODRM;
    unsigned modrm = *w->at, shape = modrm_shapes[modrm] & -has_modrm;
    unsigned modrm_at = w->at - bytes;
    const u8 *at = w->at + has_modrm;
    unsigned has_sib = (shape & SHAPE_SIB) / SHAPE_SIB;
    unsigned sib = *at & -has_sib;
    at += has_sib;
    unsigned base = (modrm ^ ((modrm ^ sib) & -has_sib)) & 7; /* of either */
    unsigned names_base = (shape & SHAPE_BASE) / SHAPE_BASE, size = shape & SHAPE_SIZE;
    if (has_sib & (base == 5) & (modrm < 0x40)) { /* independent of REX.B */
        names_base = 0;
        size = 4;
    }
    unsigned index = (sib >> 3 & 7) | (w->rex & REX_X) << 2;
    unsigned names_index = has_sib & (index != 4) & !(form->memory[1] & MEMORY_VSIB);
    i64 byte = (i8)*at & -(i64)(size & 1), word = decode_load(at, 32);
    w->at = at + size;
    ret->has_modrm = has_modrm;
    ret->modrm_at = modrm_at;
    ret->modrm = modrm & -has_modrm;
    ret->sib = sib;
    ret->has_memory = shape & SHAPE_MEMORY;
    ret->rip_relative = shape & SHAPE_RIP;
    ret->displacement_at = at - bytes;
    ret->displacement_size = size;
    ret->displacement = size == 4 ? word : byte * (1 << form->scale);
    return names_base << (base | (w->rex & REX_B) << 3) | names_index << index;
}

static inline void set_registers(const struct decode_work *w, const struct decode_form *form,
                                 unsigned address, struct insn *ret)
{
    unsigned rex = w->rex, modrm = ret->modrm;
    unsigned low = ret->has_modrm ? modrm : w->opcode;
    unsigned reg = (modrm >> 3 & 7) | (rex & REX_R) << 1;
    unsigned rm = (low & 7) | (rex & REX_B) << 3;
    u32 use = form->other_use | address;
    if (form->roles) {
        if (!rex) { /* ah ch dh bh are parts of the first four */
            reg &= form->roles & ROLE_REG_BYTE ? 3 : 7;
            rm &= form->roles & ROLE_RM_BYTE ? 3 : 7;
        }
        use |= form->roles & ROLE_VVVV_READ ? 1u << (w->vvvv & 15) : 0;
        use |= form->roles & ROLE_VVVV_WRITTEN ? 0x10000u << (w->vvvv & 15) : 0;
    }
    use |= form->reg_use << reg | (ret->has_memory ? 0 : form->rm_use) << rm;
    ret->registers_read = use;
    ret->registers_written = use >> 16;
}

static inline void take_immediate(struct decode_work *w, const struct decode_form *form,
                                  const u8 *bytes, struct insn *ret)
{
    static const u64 masks[] = {
        [IMMEDIATE_NONE] = 0,     [IMMEDIATE_SIGNED] = ~0ull,   [IMMEDIATE_U8] = 0xff,
        [IMMEDIATE_U16] = 0xffff, [IMMEDIATE_U32] = 0xffffffff,
    };
    const u8 *at = w->at;
    unsigned size = form->immediate_size;
    i64 value = decode_load(at, form->immediate_shift) & masks[form->immediate_mask];
    w->at = at + size;
    ret->immediate_at = at - bytes;
    ret->immediate_size = size;
    ret->immediate = value;
}

static inline void set_flags(const struct decode_form *form, struct insn *ret)
{
    struct decode_flag_use use = decode_flags[form->flags];
    ret->flags_read = use.read;
    ret->flags_written = use.written;
    ret->flags_undefined = use.undefined;
    ret->flags_may_write = use.may_write;
}

/* Shifts by an immediate. A count of 0 writes nothing; only 1 defines OF; a count that may exceed a
 * narrow operand leaves its flags undefined. */
static void mend_shift(struct insn *ret)
{
    bool wide = ret->rex & REX_W;
    bool byte = ret->map == MAP_ONE && ret->opcode == 0xc0;
    bool narrow = byte || (ret->prefixes & PREFIX_66 && !wide);
    unsigned count = ret->immediate & (wide && !byte ? 63 : 31);
    if (!count) {
        ret->flags_written = ret->flags_undefined = ret->flags_may_write = 0;
    } else if (count == 1) {
        ret->flags_undefined &= ~FLAG_OF;
        ret->flags_written |= ret->flags_written ? FLAG_OF : 0;
    } else if (narrow && count >= 8) {
        ret->flags_undefined |= ret->flags_may_write;
        ret->flags_written = 0;
    }
}

/* nop with REX.B exchanges rax and another. */
static void mend_nop(const struct decode_work *w, struct insn *ret)
{
    if (!(w->rex & REX_B))
        return;
    unsigned row = decode_rows[SPACE_LEGACY][0x91];
    unsigned cell = decode_cells[row * CELL_ALIGN + w->variant];
    set_registers(w, &decode_forms[cell], 0, ret);
}

static void mend_suffix(struct insn *ret)
{
    unsigned suffix = ret->immediate & 0xff;
    ret->map = MAP_3DNOW;
    ret->opcode = suffix;
    ret->opcode_at = ret->immediate_at;
    ret->immediate = ret->immediate_size = 0;
    if (!(decode_3dnow[suffix / 32] >> suffix % 32 & 1))
        ret->kind = INSN_INVALID;
}

static void mend_offset(struct decode_work *w, struct insn *ret)
{
    unsigned size = ret->prefixes & PREFIX_67 ? 4 : 8;
    ret->immediate_size = size;
    ret->immediate = size == 4 ? (u32)decode_load(w->at, 0) : decode_load(w->at, 0);
    w->at += size;
}

/* What looked like a memory operand is a register. */
static void mend_memory(struct decode_work *w, const struct decode_form *form, const u8 *bytes,
                        struct insn *ret)
{
    w->at = bytes + ret->modrm_at + 1;
    ret->has_memory = ret->rip_relative = false;
    ret->sib = ret->displacement_at = ret->displacement_size = ret->immediate_at = 0;
    ret->memory = ret->memory_size = 0;
    ret->displacement = 0;
    set_registers(w, form, 0, ret);
}

/* Checks vector and tile registers that must be distinct. */
static void check_distinct(const struct decode_work *w, const struct decode_form *form,
                           struct insn *ret)
{
    enum { NONE = 255 };
    bool evex = ret->encoding == ENCODING_EVEX;
    unsigned rex = w->rex, special = form->special, vvvv = w->vvvv;
    unsigned reg = (ret->modrm >> 3 & 7) | (rex & REX_R) << 1 | w->high;
    unsigned third = NONE; /* rm, or the vector index */
    if (!ret->has_memory)
        third = (ret->modrm & 7) | (rex & REX_B) << 3 | (evex ? (rex & REX_X) << 3 : 0);
    else if (form->memory[1] & MEMORY_VSIB)
        third = (ret->sib >> 3 & 7) | (rex & REX_X) << 2 | (vvvv & 16);
    bool same = (special & SPECIAL_REG_IS_NOT_RM && reg == third) ||
                (special & SPECIAL_REG_IS_NOT_VVVV && reg == vvvv) ||
                (special & SPECIAL_VVVV_IS_NOT_RM && vvvv == third);
    if (same)
        ret->kind = INSN_INVALID;
}

static void mend_special(struct decode_work *w, const struct decode_form *form, const u8 *bytes,
                         struct insn *ret)
{
    enum { DISTINCT = SPECIAL_REG_IS_NOT_RM | SPECIAL_REG_IS_NOT_VVVV | SPECIAL_VVVV_IS_NOT_RM };
    if (form->special & SPECIAL_SHIFT)
        mend_shift(ret);
    else if (form->special & SPECIAL_NOP)
        mend_nop(w, ret);
    else if (form->special & SPECIAL_SUFFIX)
        mend_suffix(ret);
    else if (form->special & SPECIAL_OFFSET)
        mend_offset(w, ret);
    else if (form->special & SPECIAL_NO_MEMORY)
        mend_memory(w, form, bytes, ret);
    else if (form->special & DISTINCT)
        check_distinct(w, form, ret);
}

/* Takes everything after the opcode. */
static inline void take_rest(struct decode_work *w, const struct decode_form *form, const u8 *bytes,
                             struct insn *ret)
{
    unsigned address = take_modrm(w, form, bytes, ret);
    unsigned memory = ret->has_memory;
    take_immediate(w, form, bytes, ret);
    ret->rep = form->parts & PART_REP;
    ret->memory = form->memory[memory];
    ret->memory_size = form->memory_size[memory];
    set_registers(w, form, address, ret);
    set_flags(form, ret);
    ret->kind = form->kind;
    if (form->special)
        mend_special(w, form, bytes, ret);
    if (w->states & form->refused[memory])
        ret->kind = INSN_INVALID;
}

/* The bits of the opcode that are a condition. */
static const u8 condition_bits[INSN_KINDS] = {[INSN_BRANCH] = 15, [INSN_COUNTED] = 3};

static inline void set_opcode(const struct decode_work *w, const u8 *bytes, struct insn *ret)
{
    ret->encoding = w->encoding;
    ret->map = w->map;
    ret->opcode = w->opcode;
    ret->prefixes = w->prefixes;
    ret->rex = w->rex;
    ret->prefix_at = w->prefix_at;
    ret->opcode_at = w->at - bytes - 1;
}

/* Takes prefixes and opcode; returns the form. If an instruction is all prefixes, its opcode is the
 * last of them. */
static inline const struct decode_form *take_opcode(struct decode_work *w, const u8 *bytes)
{
    w->high = w->vvvv = 0;
    enum byte_class class = take_prefixes(w, bytes);
    if (class == BYTE_XOP && (w->at[1] & 31) < 8)
        class = BYTE_OPCODE; /* pop */
    bool known = true;
    if (class <= BYTE_ESCAPE)
        take_legacy(w, class);
    else if (class < BYTE_PREFIX)
        known = take_extended(w, class);
    else
        take_legacy(w, 0);
    return known ? find_form(w) : &decode_forms[FORM_INVALID];
}

/* Decodes bytes of which READ_MAX may be read. */
static unsigned decode_readable(const u8 *bytes, struct insn *ret)
{
    struct decode_work w;
    const struct decode_form *form = take_opcode(&w, bytes);
    set_opcode(&w, bytes, ret);
    take_rest(&w, form, bytes, ret);
    ret->condition = w.opcode & condition_bits[form->kind];
    return w.at - bytes;
}

/* Copies with `padding` after the available bytes, or after the fifteenth byte. */
static void copy_padded(const u8 *bytes, unsigned available, u8 padding, u8 ret[READ_MAX])
{
    for (unsigned i = 0; i < READ_MAX; i += 8)
        __builtin_memset(ret + i, padding, 8);
    if (available >= INSN_MAX) {
        __builtin_memcpy(ret, bytes, 8);
        __builtin_memcpy(ret + INSN_MAX - 8, bytes + INSN_MAX - 8, 8);
    } else {
        for (unsigned i = 0; i < available; i++)
            ret[i] = bytes[i];
    }
}

/* True if the length is the same whatever follows the available bytes. */
static bool is_covered(const u8 copy[READ_MAX], unsigned available, unsigned length)
{
    u8 other[READ_MAX];
    struct insn ignored;
    copy_padded(copy, available, 0xff, other);
    return decode_readable(other, &ignored) == length;
}

unsigned decode(const u8 *bytes, unsigned available, struct insn *ret)
{
    u8 copy[READ_MAX];
    const u8 *from = bytes;
    if (available < READ_MAX) {
        copy_padded(bytes, available, 0, copy);
        from = copy;
    }
    unsigned length = decode_readable(from, ret);
    invariant(1, length <= READ_MAX);
    if (length > available && available < INSN_MAX)
        return 0;
    invariant(2, available >= INSN_MAX || is_covered(copy, available, length));
    if (length > INSN_MAX) {
        length = INSN_MAX;
        ret->kind = INSN_INVALID;
    }
    ret->length = length;
    ret->partial = INSN_COMPLETE;
    return length;
}

/* And, or, xor and test leave AF undefined by the manuals, but 0 on every existing processor. */
static bool is_logic(const struct insn *i)
{
    if (i->encoding != ENCODING_LEGACY || i->map != MAP_ONE)
        return false;
    unsigned op = i->opcode;
    unsigned group = i->modrm >> 3 & 7;
    if (op < 0x40)
        return (op & 7) < 6 && ((op >> 3) == 1 || (op >> 3) == 4 || (op >> 3) == 6);
    if (op >= 0x80 && op <= 0x83)
        return group == 1 || group == 4 || group == 6;
    if (op == 0xf6 || op == 0xf7)
        return group < 2;
    return op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9;
}

u16 decode_flags_killed(const struct insn *i)
{
    u16 killed = i->flags_written & FLAGS_ARITHMETIC;
    if ((i->flags_undefined & FLAG_AF) && is_logic(i))
        killed |= FLAG_AF;
    return killed;
}

/* Ranges of opcodes after 0F that use general registers. */
static const struct {
    u8 first, last;
} general_0f[] = {
    {0x0d, 0x0d}, {0x18, 0x1f}, {0x31, 0x31}, {0x40, 0x4f}, {0x80, 0xa5}, {0xa8, 0xad},
    {0xaf, 0xc1}, {0xc8, 0xcf},
};

bool decode_general_only(const struct insn *i)
{
    if (i->encoding != ENCODING_LEGACY || i->map > MAP_0F)
        return false;
    if (i->map == MAP_ONE)
        return i->opcode != 0x9b && (i->opcode < 0xd8 || i->opcode > 0xdf);
    for (unsigned n = 0; n < countof(general_0f); n++)
        if (i->opcode >= general_0f[n].first && i->opcode <= general_0f[n].last)
            return true;
    return false;
}
