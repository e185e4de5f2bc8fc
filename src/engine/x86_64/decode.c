/* Decoder: from bytes to what they mean, in one pass and a few look-ups.
 *
 * Prefixes are gathered until an opcode comes; together they give the space and the variant
 * of decode_table.h, and with the opcode a form.  A form says which parts follow and what
 * the fields of the encoding stand for; the rest is arithmetic on those fields, mostly
 * without branches.
 *
 * Invariants
 *   (1) Nothing past bytes[READ_MAX - 1] is read; a caller who has less gets a padded copy.
 *   (2) The length covers every byte the verdict depends on, so that an instruction that is
 *       longer than what is available is known by its length alone.
 */
#include "engine/x86_64/decode.h"

#include "engine/x86_64/decode_table.h"

/* Fourteen prefixes, an opcode of three bytes, ModRM, SIB, displacement of four, and an
 * immediate that is loaded as eight bytes. */
enum { READ_MAX = 40 };

enum { REX_B = 1, REX_X = 2, REX_R = 4, REX_W = 8 };

/* What a byte is where an opcode may stand. */
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

/* What is gathered on the way to the form. */
struct work {
    const u8 *at; /* what comes next */
    unsigned rex; /* 0 or 0x40 | WRXB */
    unsigned repeat; /* as in legacy variants: 0, F3 1, F2 2 */
    unsigned space;
    unsigned variant;
    unsigned states;
    unsigned high;  /* EVEX: 16 for ModRM.reg */
    unsigned vvvv;  /* with V' 0..31 */
    unsigned modrm;
    unsigned address; /* registers the memory operand names */
};

/* The last of fs and gs holds; es, cs, ss and ds mean nothing in 64-bit mode. */
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

/* Any prefixes in any order.  REX counts only if it is the last. */
static enum byte_class take_many_prefixes(struct work *w, const u8 *bytes, struct insn *ret)
{
    unsigned prefixes = 0;
    const u8 *at = bytes;
    enum byte_class class = byte_classes[*at];
    while (class >= BYTE_PREFIX && at < bytes + INSN_MAX - 1) {
        w->rex = 0;
        if (class == BYTE_REX)
            w->rex = *at;
        else
            prefixes = add_prefix(prefixes, *at);
        if (class == BYTE_REPEAT)
            w->repeat = *at == 0xf3 ? 1 : 2;
        class = byte_classes[*++at];
    }
    w->at = at;
    ret->prefixes = prefixes;
    return class;
}

/* Takes the prefixes; returns the class of the byte after them.  Most instructions have none
 * or REX alone, which is told apart without a branch. */
static inline enum byte_class take_prefixes(struct work *w, const u8 *bytes, struct insn *ret)
{
    unsigned has_rex = (bytes[0] & 0xf0) == 0x40;
    enum byte_class class = byte_classes[bytes[has_rex]];
    if (class >= BYTE_PREFIX)
        return take_many_prefixes(w, bytes, ret);
    w->rex = bytes[0] & -has_rex;
    w->at = bytes + has_rex;
    return class;
}

static inline u8 take(struct work *w)
{
    return *w->at++;
}

static inline void take_legacy(struct work *w, unsigned escaped, struct insn *ret)
{
    unsigned map = escaped; /* MAP_ONE or MAP_0F */
    w->at += escaped;
    u8 opcode = take(w);
    if (escaped && (opcode | 2) == 0x3a) {
        map = opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
        opcode = take(w);
    }
    ret->map = map;
    ret->opcode = opcode;
    ret->rex = w->rex;
    w->space = SPACE_LEGACY + map;
    w->variant = w->repeat * 4 + (ret->prefixes & PREFIX_66) * 2 + (w->rex >> 3 & 1);
    w->states = (w->rex & (REX_R | REX_X | REX_B)) |
                (ret->prefixes & PREFIX_LOCK) * (STATES_LOCK / PREFIX_LOCK) | STATES_FORM;
}

/* Whether the prefixes allow a VEX, EVEX or XOP prefix behind them. */
static bool may_extend(const struct work *w, const struct insn *insn)
{
    return !w->rex && !(insn->prefixes & (PREFIX_66 | PREFIX_F2 | PREFIX_F3 | PREFIX_LOCK));
}

/* The three bits that VEX, EVEX and XOP keep inverted, R on top. */
static unsigned inverted_rxb(u8 byte)
{
    return ~byte >> 5 & 7;
}

/* The last byte of a VEX or XOP prefix: W vvvv L pp. */
static void take_vvvv(struct work *w, u8 byte)
{
    w->vvvv = ~byte >> 3 & 15;
    w->variant |= byte >> 2 & 1;
    w->states = (w->rex & 7) | (w->vvvv & 8 ? STATES_VVVV_HIGH : 0) |
                (w->vvvv & 7 ? STATES_VVVV_LOW : 0) | STATES_FORM;
}

static bool take_vex2(struct work *w, struct insn *ret)
{
    u8 byte = w->at[1];
    w->at += 2;
    w->rex = 0x40 | (byte & 0x80 ? 0 : REX_R);
    w->variant = 0;
    take_vvvv(w, byte);
    w->space = SPACE_VEX + (byte & 3);
    ret->encoding = ENCODING_VEX2;
    ret->map = MAP_0F;
    return true;
}

static bool take_vex3(struct work *w, struct insn *ret)
{
    u8 first = w->at[1], second = w->at[2];
    unsigned map = first & 31;
    w->at += 3;
    w->rex = 0x40 | (second & 0x80 ? REX_W : 0) | inverted_rxb(first);
    w->variant = second >> 7 << 1;
    take_vvvv(w, second);
    w->space = SPACE_VEX + 4 * (map - 1) + (second & 3);
    ret->encoding = ENCODING_VEX3;
    ret->map = map;
    return map >= MAP_0F && map <= MAP_0F3A;
}

static bool take_xop(struct work *w, struct insn *ret)
{
    u8 first = w->at[1], second = w->at[2];
    unsigned map = first & 31;
    w->at += 3;
    w->rex = 0x40 | (second & 0x80 ? REX_W : 0) | inverted_rxb(first);
    w->variant = second >> 7 << 1;
    take_vvvv(w, second);
    w->space = SPACE_XOP + map - 8;
    ret->encoding = ENCODING_XOP;
    ret->map = MAP_XOP8 + map - 8;
    return map <= 10 && !(second & 3);
}

static bool take_evex(struct work *w, struct insn *ret)
{
    enum { NONE = 255 };
    static const u8 slots[8] = {NONE, 0, 1, 2, NONE, 3, 4, NONE};
    u8 first = w->at[1], second = w->at[2], third = w->at[3];
    unsigned slot = slots[first & 7];
    w->at += 4;
    w->rex = 0x40 | (second & 0x80 ? REX_W : 0) | inverted_rxb(first);
    w->variant = (third >> 4 & 1) << 3 | second >> 7 << 2 | (third >> 5 & 3);
    take_vvvv(w, second);
    w->variant = (third >> 4 & 1) << 3 | second >> 7 << 2 | (third >> 5 & 3);
    w->high = first & 0x10 ? 0 : 16;
    w->vvvv |= third & 8 ? 0 : 16;
    w->states |= (first & 0x10 ? 0 : STATES_R2) | (third & 8 ? 0 : STATES_V2);
    w->states |= third & 7 ? STATES_MASK : STATES_NO_MASK;
    if (third & 0x80)
        w->states |= third & 7 ? STATES_ZERO : STATES_ZERO_NO_MASK;
    w->space = SPACE_EVEX + 4 * slot + (second & 3);
    ret->encoding = ENCODING_EVEX;
    ret->map = (first & 7) < MAP_5 ? first & 7 : MAP_5 + (first & 7) - 5;
    return slot != NONE && !(first & 8) && second & 4;
}

/* VEX, EVEX and XOP: the prefix and the opcode. */
static bool take_extended(struct work *w, enum byte_class class, struct insn *ret)
{
    bool allowed = may_extend(w, ret);
    bool known = class == BYTE_VEX2   ? take_vex2(w, ret)
               : class == BYTE_VEX3 ? take_vex3(w, ret)
               : class == BYTE_EVEX ? take_evex(w, ret)
                                    : take_xop(w, ret);
    ret->opcode = take(w);
    ret->rex = w->rex;
    return allowed && known;
}

/* From a cell that depends on ModRM to one that does not. */
static inline const struct decode_form *resolve(unsigned cell, unsigned modrm)
{
    if ((cell & CELL_KIND) == CELL_GROUP) {
        unsigned which = (modrm >= 0xc0 ? 8 : 0) + (modrm >> 3 & 7);
        cell = decode_cells[(cell & CELL_INDEX) * CELL_ALIGN + which];
    }
    if ((cell & CELL_KIND) == CELL_RM)
        cell = decode_cells[(cell & CELL_INDEX) * CELL_ALIGN + (modrm & 7)];
    return &decode_forms[cell & CELL_INDEX];
}

static inline const struct decode_form *find_form(struct work *w, struct insn *ret)
{
    unsigned row = decode_rows[w->space][ret->opcode];
    unsigned cell = decode_cells[row * CELL_ALIGN + w->variant];
    const struct decode_form *form = resolve(cell, *w->at);
    ret->has_modrm = (cell & CELL_KIND) != CELL_FORM || form->parts & PART_MODRM;
    return form;
}

/* `size` bytes as a number, for any size from 0 to 8; the shifts come in two so that none is
 * by 64. */
static inline i64 load(const u8 *from, unsigned size, bool is_signed)
{
    u64 value;
    __builtin_memcpy(&value, from, sizeof(value));
    unsigned half = 32 - 4 * size;
    value = value << half << half;
    return is_signed ? (i64)value >> half >> half : (i64)(value >> half >> half);
}

/* What a ModRM byte asks for: the size of the displacement, and these. */
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

/* ModRM, SIB and displacement, without a branch that depends on what they are: no branch
 * predictor knows whether the next operand is memory. */
static inline void take_modrm(struct work *w, const struct decode_form *form, const u8 *bytes,
                              struct insn *ret)
{
    unsigned has_modrm = ret->has_modrm;
    unsigned modrm = *w->at & -has_modrm;
    unsigned shape = modrm_shapes[modrm] & -has_modrm;
    ret->modrm_at = (w->at - bytes) & -has_modrm;
    w->at += has_modrm;
    unsigned has_sib = (shape & SHAPE_SIB) / SHAPE_SIB;
    unsigned sib = *w->at & -has_sib;
    w->at += has_sib;
    unsigned base = ((has_sib ? sib : modrm) & 7), names_base = (shape & SHAPE_BASE) / SHAPE_BASE;
    unsigned size = shape & SHAPE_SIZE;
    if (has_sib && base == 5 && modrm < 0x40) { /* whatever REX.B says */
        names_base = 0;
        size = 4;
    }
    unsigned index = (sib >> 3 & 7) | (w->rex & REX_X) << 2;
    unsigned names_index = has_sib & (index != 4) & !(form->memory_modrm & MEMORY_VSIB);
    w->address = names_base << (base | (w->rex & REX_B) << 3) | names_index << index;
    ret->modrm = modrm;
    ret->sib = sib;
    ret->has_memory = shape & SHAPE_MEMORY;
    ret->rip_relative = shape & SHAPE_RIP;
    ret->displacement_size = size;
    ret->displacement_at = size ? w->at - bytes : 0;
    ret->displacement = load(w->at, size, true);
    if (form->scale && size == 1)
        ret->displacement *= 1 << form->scale;
    w->at += size;
}

/* Registers read in the low half, written in the high half: of the field whose two role bits
 * are the lowest of `roles`, and which holds `number`. */
static inline u32 role_use(unsigned roles, unsigned number)
{
    return ((roles & 1) | (roles & 2) << 15) << number;
}

static inline void set_registers(const struct work *w, const struct decode_form *form,
                                 struct insn *ret)
{
    unsigned roles = form->roles, rex = w->rex;
    unsigned reg = (ret->modrm >> 3 & 7) | (rex & REX_R) << 1;
    unsigned rm = (ret->modrm & 7) | (rex & REX_B) << 3;
    unsigned low = (ret->opcode & 7) | (rex & REX_B) << 3;
    if (!rex && roles & ROLE_ANY_BYTE) { /* ah ch dh bh are parts of the first four */
        reg &= roles & ROLE_REG_BYTE ? 3 : 7;
        rm &= roles & ROLE_RM_BYTE ? 3 : 7;
        low &= roles & ROLE_OPCODE_BYTE ? 3 : 7;
    }
    if (ret->has_memory)
        roles &= ~(ROLE_RM_READ | ROLE_RM_WRITTEN);
    u32 use = role_use(roles / ROLE_REG_READ, reg) | role_use(roles / ROLE_RM_READ, rm) |
              role_use(roles / ROLE_VVVV_READ, w->vvvv & 15) |
              role_use(roles / ROLE_OPCODE_READ, low);
    ret->registers_read = form->read | w->address | use;
    ret->registers_written = form->written | use >> 16;
}

static inline void set_flags(const struct decode_form *form, struct insn *ret)
{
    const struct decode_flag_use *use = &decode_flags[form->flags];
    ret->flags_read = use->read;
    ret->flags_written = use->written;
    ret->flags_undefined = use->undefined;
    ret->flags_may_write = use->may_write;
}

/* Shifts by an immediate.  A count of 0 writes nothing; 1 alone defines OF; one that may
 * exceed a narrow operand leaves what it writes undefined. */
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
static void mend_nop(const struct work *w, struct insn *ret)
{
    if (!(w->rex & REX_B))
        return;
    unsigned row = decode_rows[SPACE_LEGACY][0x91];
    unsigned cell = decode_cells[row * CELL_ALIGN + w->variant];
    const struct decode_form *form = &decode_forms[cell & CELL_INDEX];
    set_registers(w, form, ret);
}

static void mend_suffix(struct insn *ret)
{
    unsigned suffix = ret->immediate & 0xff;
    ret->map = MAP_3DNOW;
    ret->opcode = suffix;
    ret->opcode_at = ret->immediate_at;
    ret->immediate = ret->immediate_at = ret->immediate_size = 0;
    if (!(decode_3dnow[suffix / 32] >> suffix % 32 & 1))
        ret->kind = INSN_INVALID;
}

static void mend_offset(struct work *w, const u8 *bytes, struct insn *ret)
{
    unsigned size = ret->prefixes & PREFIX_67 ? 4 : 8;
    ret->immediate_at = w->at - bytes;
    ret->immediate_size = size;
    ret->immediate = load(w->at, size, false);
    w->at += size;
}

/* What looked like a memory operand was a register. */
static void mend_memory(struct work *w, const struct decode_form *form, const u8 *bytes,
                        struct insn *ret)
{
    w->at = bytes + ret->modrm_at + 1;
    w->address = 0;
    ret->has_memory = ret->rip_relative = false;
    ret->sib = ret->displacement_at = ret->displacement_size = 0;
    ret->displacement = 0;
    set_registers(w, form, ret);
}

/* Vector and tile registers that must not be the same. */
static void check_distinct(const struct work *w, const struct decode_form *form, struct insn *ret)
{
    enum { NONE = 255 };
    bool evex = ret->encoding == ENCODING_EVEX;
    unsigned rex = w->rex, special = form->special, vvvv = w->vvvv;
    unsigned reg = (ret->modrm >> 3 & 7) | (rex & REX_R) << 1 | w->high;
    unsigned third = NONE; /* rm, or the vector index */
    if (!ret->has_memory)
        third = (ret->modrm & 7) | (rex & REX_B) << 3 | (evex ? (rex & REX_X) << 3 : 0);
    else if (form->memory_modrm & MEMORY_VSIB)
        third = (ret->sib >> 3 & 7) | (rex & REX_X) << 2 | (vvvv & 16);
    bool same = (special & SPECIAL_REG_IS_NOT_RM && reg == third) ||
                (special & SPECIAL_REG_IS_NOT_VVVV && reg == vvvv) ||
                (special & SPECIAL_VVVV_IS_NOT_RM && vvvv == third);
    if (same)
        ret->kind = INSN_INVALID;
}

static void mend_special(struct work *w, const struct decode_form *form, const u8 *bytes,
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
        mend_offset(w, bytes, ret);
    else if (form->special & SPECIAL_NO_MEMORY)
        mend_memory(w, form, bytes, ret);
    else if (form->special & DISTINCT)
        check_distinct(w, form, ret);
}

static inline void take_immediate(struct work *w, const struct decode_form *form, const u8 *bytes,
                                  struct insn *ret)
{
    ret->immediate_size = form->immediate_size;
    ret->immediate_at = form->immediate_size ? w->at - bytes : 0;
    ret->immediate = load(w->at, form->immediate_first, form->parts & PART_SIGNED);
    w->at += form->immediate_size;
}

/* Everything behind the opcode. */
static inline void take_rest(struct work *w, const struct decode_form *form, const u8 *bytes,
                             struct insn *ret)
{
    take_modrm(w, form, bytes, ret);
    take_immediate(w, form, bytes, ret);
    ret->rep = form->parts & PART_REP;
    ret->memory = ret->has_memory ? form->memory_modrm : form->memory_plain;
    ret->memory_size = ret->memory ? form->memory_size : 0;
    set_registers(w, form, ret);
    set_flags(form, ret);
    if (form->special)
        mend_special(w, form, bytes, ret);
    if (w->states & (ret->has_memory ? form->refused_modrm : form->refused_plain))
        ret->kind = INSN_INVALID;
}

/* What of the opcode is a condition. */
static const u8 condition_bits[INSN_KINDS] = {[INSN_BRANCH] = 15, [INSN_COUNTED] = 3};

/* Decodes bytes of which READ_MAX may be read. */
static unsigned decode_readable(const u8 *bytes, struct insn *ret)
{
    struct work w;
    w.rex = w.repeat = w.high = w.vvvv = w.address = 0;
    *ret = (struct insn){.kind = INSN_INVALID};
    enum byte_class class = take_prefixes(&w, bytes, ret);
    if (class == BYTE_XOP && (w.at[1] & 31) < 8)
        class = BYTE_OPCODE;
    bool legacy = class <= BYTE_ESCAPE;
    bool known = class < BYTE_PREFIX;
    ret->prefix_at = w.at - bytes - (legacy && w.rex ? 1 : 0);
    if (legacy)
        take_legacy(&w, class, ret);
    else if (known)
        known = take_extended(&w, class, ret);
    else
        take(&w);
    ret->opcode_at = w.at - bytes - 1;
    if (known) {
        const struct decode_form *form = find_form(&w, ret);
        ret->kind = form->kind;
        take_rest(&w, form, bytes, ret);
        ret->condition = ret->opcode & condition_bits[ret->kind];
    }
    return w.at - bytes;
}

unsigned decode(const u8 *bytes, unsigned available, struct insn *ret)
{
    u8 copy[READ_MAX];
    const u8 *from = bytes;
    if (available < READ_MAX) { /* (1) */
        for (unsigned i = 0; i < READ_MAX; i++)
            copy[i] = i < available ? bytes[i] : 0;
        from = copy;
    }
    unsigned length = decode_readable(from, ret);
    if (length > available && available < INSN_MAX) /* (2) */
        return 0;
    if (length > INSN_MAX) {
        length = INSN_MAX;
        ret->kind = INSN_INVALID;
    }
    ret->length = length;
    return length;
}
