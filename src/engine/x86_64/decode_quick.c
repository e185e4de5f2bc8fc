/* Decodes common instructions quickly: see decode_quick.h.
 *
 * The results are those of decode(); tests/unit/decode_quick.c compares both.
 */
#include "engine/x86_64/decode_quick.h"

/* What a ModRM byte implies: the displacement's size and SIB, or that it is not handled here. */
enum { SHAPE_SIZE = 7, SHAPE_SIB = 8, SHAPE_RIP = 16, SHAPE_REGISTER = 32 };

#define ROW(size, five) size, size, size, size, (size) | SHAPE_SIB, five, size, size
#define EIGHT(row) row, row, row, row, row, row, row, row
#define R SHAPE_REGISTER
static const u8 shapes[256] = {
    EIGHT(ROW(0, SHAPE_RIP)),
    EIGHT(ROW(1, 1)),
    EIGHT(ROW(4, 4)),
    EIGHT(EIGHT(R)),
};

/* The length of ModRM and what belongs to it. Few branches, since they cannot be predicted. */
static inline unsigned modrm_length(const u8 *at, unsigned shape)
{
    unsigned sib = (shape & SHAPE_SIB) / SHAPE_SIB;
    unsigned no_base = sib & (at[0] < 0x40) & ((at[1] & 7) == 5);
    return 1 + sib + (shape & SHAPE_SIZE) + 4 * no_base;
}

/* True if the form allows this ModRM. */
static inline bool allows(const struct quick_form *form, unsigned modrm, unsigned shape)
{
    unsigned values = shape & SHAPE_REGISTER ? form->registers : form->memory;
    return values >> (modrm >> 3 & 7) & !(shape & SHAPE_RIP) & 1;
}

/* Only correct for jumps. */
static inline i64 immediate(const u8 *at, unsigned size)
{
    i32 wide;
    __builtin_memcpy(&wide, at, sizeof(wide));
    return size == 1 ? (i8)at[0] : wide;
}

/* Skips the prefixes; returns the space, or -1 for prefixes that are not handled here. */
static inline int take_space(const u8 **at)
{
    static const u8 spaces[256] = {
        [0x66] = QUICK_66_0F, [0xf3] = QUICK_F3_0F, [0xf2] = QUICK_F2_0F};
    unsigned prefixed = spaces[**at];
    *at += prefixed != 0;
    *at += (**at & 0xf0) == 0x40;
    bool escaped = **at == 0x0f;
    *at += escaped;
    if (prefixed)
        return escaped ? (int)prefixed : -1;
    return escaped ? QUICK_0F : QUICK_ONE;
}

unsigned decode_quick(const u8 *bytes, struct insn *ret)
{
    const u8 *at = bytes;
    int space = take_space(&at);
    if (space < 0)
        return 0;
    unsigned opcode = *at++, modrm = *at, shape = shapes[modrm];
    const struct quick_form *form = &quick_forms[space][opcode];
    unsigned has_modrm = (form->size & QUICK_MODRM) / QUICK_MODRM;
    if (!((has_modrm & allows(form, modrm, shape)) | (form->size & QUICK_BARE)))
        return 0;
    at += modrm_length(at, shape) & -has_modrm;
    unsigned size = form->size & QUICK_SIZE;
    if (form->size & QUICK_WIDE && (bytes[0] & 0xf8) == 0x48)
        size *= 2;
    unsigned flags = form->flags[modrm >> 3 & 7];
    ret->kind = form->kind;
    ret->partial = flags ? INSN_WITH_FLAGS : INSN_WITHOUT_FLAGS;
    ret->flags_read = quick_flag_uses[flags].read;
    ret->flags_written = quick_flag_uses[flags].killed;
    ret->flags_undefined = 0;
    ret->rip_relative = false;
    ret->condition = opcode & 15;
    ret->immediate_size = size;
    ret->immediate = immediate(at, size);
    ret->length = at + size - bytes;
    return ret->length;
}
