/* Writes agent bytecode: constants, jumps, conversions, loads.
 *
 * The bytecode is that of gdb's remote protocol, with ebb's opcodes for floating point
 * (engine/plan/bytecode.h). Constants take the shortest opcode. The machine computes in 64 bits, so
 * values of narrower types are truncated and extended by the rules of their type.
 */
#include "symbols/compile_internal.h"

void code_byte(struct compiler *c, u64 value)
{
    *(u8 *)list_add(&c->code) = (u8)value;
}

void code_bytes(struct compiler *c, u64 value, unsigned count)
{
    while (count--)
        code_byte(c, value >> 8 * count);
}

void code_constant(struct compiler *c, u64 value)
{
    unsigned size = value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x100000000 ? 4 : 8;
    c->last_constant = value;
    c->constant_start = c->code.count;
    code_byte(c, size == 1   ? CODE_CONST8
                 : size == 2 ? CODE_CONST16
                 : size == 4 ? CODE_CONST32
                             : CODE_CONST64);
    code_bytes(c, value, size);
    c->constant_end = c->code.count;
}

void code_add(struct compiler *c, i64 value)
{
    if (!value)
        return;
    if (c->fixed && c->constant_end && c->constant_end == c->code.count) {
        c->code.count = c->constant_start;
        code_constant(c, c->last_constant + (u64)value);
        return;
    }
    code_constant(c, value < 0 ? -(u64)value : (u64)value);
    code_byte(c, value < 0 ? CODE_SUB : CODE_ADD);
}

/* Emits a jump whose target is not known yet. */
size_t code_jump(struct compiler *c, enum code code)
{
    code_byte(c, code);
    code_bytes(c, 0, 2);
    return c->code.count - 2;
}

void code_land(struct compiler *c, size_t at)
{
    u8 *code = c->code.items;
    code[at] = (u8)(c->code.count >> 8);
    code[at + 1] = (u8)c->code.count;
    c->constant_end = 0; /* a jump may lead here */
}

static unsigned gdb_number(unsigned dwarf)
{
    if (dwarf == DWARF_RIP)
        return GDB_RIP;
    return dwarf < DWARF_RIP ? register_to_gdb(register_of_dwarf(dwarf))
                             : GDB_XMM0 + (dwarf - DWARF_XMM0);
}

/* `number` is DWARF's register number. */
struct error *code_register(struct compiler *c, u64 number)
{
    if (number >= DWARF_ST0)
        return error_new("it is in a register that cannot be looked at inside the process");
    if (c->fixed) {
        const struct frame *f = c->v->view.frame;
        if (!f || number >= FRAME_REGISTERS || !(f->known >> number & 1))
            return error_coded(ERROR_UNAVAILABLE, "its location is not known here");
        return code_constant(c, f->reg[number]), NULL;
    }
    code_byte(c, CODE_REG);
    code_bytes(c, gdb_number((unsigned)number), 2);
    return NULL;
}

/* --- conversions ------------------------------------------------------------------------------ */

void code_truncate(struct compiler *c, const struct type *plain)
{
    if (plain->kind == TYPE_BOOL) {
        code_byte(c, CODE_LOG_NOT);
        code_byte(c, CODE_LOG_NOT);
    } else if (plain->size && plain->size < 8) {
        code_byte(c, plain->is_unsigned ? CODE_ZERO_EXT : CODE_EXT);
        code_byte(c, plain->size * 8);
    }
}

void code_float(struct compiler *c, enum code_float op)
{
    code_byte(c, CODE_FLOAT);
    code_byte(c, op);
}

void code_widen(struct compiler *c, const struct type *plain)
{
    if (plain->size == 4)
        code_float(c, CODE_FROM_SINGLE);
}

void code_to_double(struct compiler *c, const struct type *plain)
{
    if (plain->kind != TYPE_FLOAT)
        code_float(c,
                   plain->is_unsigned && plain->size == 8 ? CODE_FROM_UNSIGNED : CODE_FROM_SIGNED);
}

void code_from_double(struct compiler *c, const struct type *plain)
{
    if (plain->kind == TYPE_FLOAT && plain->size == 4) {
        code_float(c, CODE_ROUND_SINGLE);
    } else if (plain->kind != TYPE_FLOAT) {
        code_float(c, CODE_TO_SIGNED);
        code_truncate(c, plain);
    }
}

/* A floating-point zero may have a sign. */
void code_truth(struct compiler *c, const struct operand *o)
{
    if (type_plain(c->v, o->type)->kind != TYPE_FLOAT)
        return;
    code_constant(c, 1);
    code_byte(c, CODE_LSH);
}

static struct error *load_bits(struct compiler *c, const struct operand *o, bool is_unsigned)
{
    u32 bits = o->bit_offset + o->bit_size;
    if (bits > 64)
        return error_new("a bit-field over nine bytes cannot be looked at inside the process");
    code_byte(c, bits <= 8    ? CODE_REF8
                 : bits <= 16 ? CODE_REF16
                 : bits <= 32 ? CODE_REF32
                              : CODE_REF64);
    if (o->bit_offset) {
        code_constant(c, o->bit_offset);
        code_byte(c, CODE_RSH_UNSIGNED);
    }
    code_byte(c, is_unsigned ? CODE_ZERO_EXT : CODE_EXT);
    code_byte(c, o->bit_size);
    return NULL;
}

/* Replaces an address by the value there. Arrays and functions become pointers. */
struct error *code_load(struct compiler *c, struct operand *o)
{
    struct type *plain = type_plain(c->v, o->type);
    if (plain->kind == TYPE_ARRAY || plain->kind == TYPE_FUNCTION) {
        if (!o->is_address)
            return error_coded(ERROR_UNAVAILABLE, "it is not in memory");
        o->type =
            type_pointer(c->v, plain->kind == TYPE_ARRAY ? type_target(c->v, plain) : o->type);
        o->is_address = false;
        return NULL;
    }
    if (plain->kind == TYPE_FLOAT && plain->size > 8)
        return error_new("a long double cannot be looked at inside the process");
    if (!type_is_scalar(plain) && plain->kind != TYPE_REFERENCE)
        return error_new("only numbers and pointers can be looked at inside the process");
    if (plain->size != 1 && plain->size != 2 && plain->size != 4 && plain->size != 8)
        return error_new("numbers of %llu bytes cannot be looked at inside the process",
                         (unsigned long long)plain->size);
    if (!o->is_address)
        return NULL;
    o->is_address = false;
    if (o->bit_size)
        return load_bits(c, o, plain->is_unsigned);
    code_byte(c, plain->size == 1   ? CODE_REF8
                 : plain->size == 2 ? CODE_REF16
                 : plain->size == 4 ? CODE_REF32
                                    : CODE_REF64);
    if (plain->kind == TYPE_FLOAT)
        code_widen(c, plain);
    else if (!plain->is_unsigned)
        code_truncate(c, plain);
    return NULL;
}

/* Replaces a reference by what it refers to. */
struct error *code_refer(struct compiler *c, struct operand *o)
{
    struct type *plain = type_plain(c->v, o->type);
    if (plain->kind != TYPE_REFERENCE)
        return NULL;
    struct error *err = code_load(c, o);
    *o = (struct operand){.type = type_target(c->v, plain), .is_address = true};
    return err;
}
