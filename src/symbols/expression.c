/* DWARF expressions: where a variable is, or what its value is; see the header.
 *
 * An expression is code for a stack machine (DWARF 5, section 2.5).  It is run with the registers
 * and the memory of one frame.  The result is a list of pieces: bytes in memory, in a register, a
 * computed value, or missing.  An operation that is not known here makes the answer unknown, never
 * wrong.
 */
#include "symbols/expression.h"

#include <dwarf.h>
#include <string.h>

enum { STACK_MOST = 64, STEPS_MOST = 4096 };

/* A number on the stack: an integer of up to 64 bits, extended by the sign of its type, or a
 * floating-point number. */
struct stack_number {
    u64 i;
    long double f;
    u8 float_size;    /* size in bytes; 0: an integer */
    bool is_unsigned; /* an integer of an unsigned type */
};

struct machine {
    const struct expression_host *host;
    Dwarf_Attribute *attribute;
    const Dwarf_Op *ops;
    size_t count, at;
    struct stack_number stack[STACK_MOST];
    size_t depth;
    bool failed;
    bool is_value;             /* DW_OP_stack_value */
    bool in_register;          /* DW_OP_reg */
    u64 reg;
    const u8 *bytes;           /* DW_OP_implicit_value */
    bool is_pointer;           /* DW_OP_implicit_pointer */
    Dwarf_Die target;
    struct location *location;
};

static void push_slot(struct machine *m, struct stack_number value)
{
    if (m->depth == STACK_MOST)
        m->failed = true;
    else
        m->stack[m->depth++] = value;
}

static void push(struct machine *m, u64 value)
{
    push_slot(m, (struct stack_number){.i = value});
}

static struct stack_number pop_slot(struct machine *m)
{
    if (!m->depth) {
        m->failed = true;
        return (struct stack_number){0};
    }
    return m->stack[--m->depth];
}

/* An integer. */
static u64 expression_pop(struct machine *m)
{
    struct stack_number top = pop_slot(m);
    m->failed |= top.float_size != 0;
    return top.i;
}

static struct stack_number float_slot(long double f, unsigned size)
{
    return (struct stack_number){.f = size == 4   ? (float)f
                                      : size == 8 ? (double)f
                                                  : f,
                                 .float_size = (u8)size};
}

static struct stack_number float_of_bytes(const u8 *bytes, unsigned size)
{
    float single;
    double twice;
    long double most = 0;
    memcpy(&single, bytes, sizeof single);
    if (size == 4)
        return float_slot(single, size);
    memcpy(&twice, bytes, sizeof twice);
    if (size == 8)
        return float_slot(twice, size);
    memcpy(&most, bytes, 10);
    return float_slot(most, size);
}

static void bytes_of_float(const struct stack_number *slot, u8 bytes[16])
{
    float single = (float)slot->f;
    double twice = (double)slot->f;
    memset(bytes, 0, 16);
    if (slot->float_size == 4)
        memcpy(bytes, &single, 4);
    else if (slot->float_size == 8)
        memcpy(bytes, &twice, 8);
    else
        memcpy(bytes, &slot->f, 10);
}

static void push_register(struct machine *m, unsigned number, i64 offset)
{
    u64 value;
    if (!m->host->reg || !m->host->reg(m->host->context, number, &value))
        m->failed = true;
    else
        push(m, value + (u64)offset);
}

static void push_asked(struct machine *m, bool (*ask)(void *, u64 *), i64 offset)
{
    u64 value;
    if (!ask || !ask(m->host->context, &value))
        m->failed = true;
    else
        push(m, value + (u64)offset);
}

static void expression_dereference(struct machine *m, size_t size)
{
    u64 value = 0, at = expression_pop(m);
    if (m->failed || size > sizeof value || !m->host->read(m->host->context, at, &value, size))
        m->failed = true;
    else
        push(m, value);
}

static void push_address(struct machine *m, u64 in_file)
{
    u64 value = in_file;
    if (m->host->address && !m->host->address(m->host->context, in_file, &value))
        m->failed = true;
    else
        push(m, value);
}

static void push_tls(struct machine *m)
{
    u64 value, offset = expression_pop(m);
    if (m->failed || !m->host->tls || !m->host->tls(m->host->context, offset, &value))
        m->failed = true;
    else
        push(m, value);
}

static i64 type_number(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(die, name, &a), &value) ? 0 : (i64)value;
}

/* Pushes an address or constant from a separate table (DWARF 5). */
static void push_indexed(struct machine *m, const Dwarf_Op *op, bool is_address)
{
    Dwarf_Attribute attribute;
    Dwarf_Addr address;
    Dwarf_Word value;
    if (!m->attribute || dwarf_getlocation_attr(m->attribute, op, &attribute)) {
        m->failed = true;
    } else if (is_address) {
        if (dwarf_formaddr(&attribute, &address))
            m->failed = true;
        else
            push_address(m, address);
    } else if (dwarf_formudata(&attribute, &value)) {
        m->failed = true;
    } else {
        push(m, value);
    }
}

struct base_type {
    unsigned size;
    bool is_float, is_signed;
};

/* Finds the type of a typed operation; false: this type is not supported. */
static bool typed_by(struct machine *m, const Dwarf_Op *op, struct base_type *ret)
{
    Dwarf_Die die;
    if (!m->attribute || dwarf_getlocation_die(m->attribute, op, &die))
        return false;
    i64 encoding = type_number(&die, DW_AT_encoding), size = type_number(&die, DW_AT_byte_size);
    *ret = (struct base_type){
        .size = (unsigned)size, .is_float = encoding == DW_ATE_float,
        .is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char};
    if (ret->is_float)
        return size == 4 || size == 8 || size == 16;
    return size >= 1 && size <= 8 &&
           (ret->is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
            encoding == DW_ATE_boolean || encoding == DW_ATE_UTF);
}

static void push_integer(struct machine *m, u64 value, const struct base_type *t)
{
    unsigned spare = 64 - 8 * t->size;
    push_slot(m, (struct stack_number){
        .i = t->is_signed ? (u64)((i64)(value << spare) >> spare) : value << spare >> spare,
        .is_unsigned = !t->is_signed});
}

/* Pushes bytes from memory or from a register; at least 16 are there. */
static void push_bytes(struct machine *m, const u8 *bytes, const struct base_type *t)
{
    u64 value;
    memcpy(&value, bytes, sizeof value);
    if (t->is_float)
        push_slot(m, float_of_bytes(bytes, t->size));
    else
        push_integer(m, value, t);
}

/* Pushes a constant of a type. A constant of an unsupported type is kept as bytes, as long as
 * nothing is computed from it. */
static void push_typed(struct machine *m, const Dwarf_Op *op)
{
    Dwarf_Attribute constant;
    Dwarf_Block block;
    struct base_type type;
    u8 bytes[16] = {0};
    u64 value;
    bool alone = m->count == 1 || (m->count == 2 && m->ops[1].atom == DW_OP_stack_value);
    if (!m->attribute || dwarf_getlocation_attr(m->attribute, op, &constant) ||
        dwarf_formblock(&constant, &block) || block.length > sizeof bytes) {
        m->failed = true;
        return;
    }
    memcpy(bytes, block.data, block.length);
    memcpy(&value, bytes, sizeof value);
    if (typed_by(m, op, &type) && block.length >= type.size)
        push_bytes(m, bytes, &type);
    else if (alone && block.length <= sizeof value)
        push(m, value);
    else
        m->failed = true;
}

static bool is_convert(unsigned atom)
{
    return atom == DW_OP_convert || atom == DW_OP_GNU_convert;
}

/* Pushes the same bits as another type. */
static void push_reinterpreted(struct machine *m, struct stack_number top,
                               const struct base_type *t)
{
    u8 bytes[16] = {0};
    if (top.float_size)
        bytes_of_float(&top, bytes);
    else
        memcpy(bytes, &top.i, sizeof top.i);
    push_bytes(m, bytes, t);
}

static void push_converted(struct machine *m, struct stack_number top, const struct base_type *t)
{
    if (t->is_float)
        push_slot(m, float_slot(top.float_size ? top.f : top.is_unsigned ? (long double)top.i
                                                                        : (long double)(i64)top.i,
                                t->size));
    else if (!top.float_size)
        push_integer(m, top.i, t);
    else if (top.f > -0x1p63L && top.f < 0x1p63L)
        push_integer(m, (u64)(i64)top.f, t);
    else if (top.f >= 0 && top.f < 0x1p64L)
        push_integer(m, (u64)top.f, t);
    else
        m->failed = true;
}

/* Converts the top to the operation's type or, if it has none, to an integer of 64 bits. */
static void fit_type(struct machine *m, const Dwarf_Op *op)
{
    struct stack_number top = pop_slot(m);
    struct base_type type = {.size = 8, .is_signed = true};
    if (m->failed || (op->number != 0 && !typed_by(m, op, &type)))
        m->failed = true;
    else if (is_convert(op->atom))
        push_converted(m, top, &type);
    else
        push_reinterpreted(m, top, &type);
}

static void push_typed_register(struct machine *m, const Dwarf_Op *op)
{
    struct base_type type;
    u8 bytes[64] = {0};
    u64 value;
    if (!typed_by(m, op, &type)) {
        m->failed = true;
    } else if (!type.is_float) {
        if (!m->host->reg || !m->host->reg(m->host->context, (unsigned)op->number, &value))
            m->failed = true;
        else
            push_integer(m, value, &type);
    } else if (!m->host->wide || !m->host->wide(m->host->context, (unsigned)op->number, bytes)) {
        m->failed = true;
    } else {
        push_bytes(m, bytes, &type);
    }
}

static void push_typed_memory(struct machine *m, const Dwarf_Op *op)
{
    struct base_type type;
    u8 bytes[16] = {0};
    u64 at = expression_pop(m);
    if (m->failed || !typed_by(m, op, &type) ||
        !m->host->read(m->host->context, at, bytes, type.size))
        m->failed = true;
    else
        push_bytes(m, bytes, &type);
}

static void push_entry_value(struct machine *m, const Dwarf_Op *op)
{
    struct base_type type;
    Dwarf_Attribute inner;
    Dwarf_Op *ops;
    size_t count;
    u64 value;
    if (!m->host->entry_value || !m->attribute ||
        !m->host->entry_value(m->host->context, op, m->attribute, &value)) {
        m->failed = true;
        return;
    }
    bool typed = !dwarf_getlocation_attr(m->attribute, op, &inner) &&
                 !dwarf_getlocation(&inner, &ops, &count) && count == 1 &&
                 (ops[0].atom == DW_OP_regval_type || ops[0].atom == DW_OP_GNU_regval_type);
    if (!typed)
        push(m, value);
    else if (typed_by(m, &ops[0], &type) && type.size <= 8)
        push_reinterpreted(m, (struct stack_number){.i = value}, &type);
    else
        m->failed = true;
}

static u64 expression_divide(struct machine *m, u64 a, u64 b, bool remainder)
{
    if (!b) {
        m->failed = true;
        return 0;
    }
    /* dividing the smallest number by -1 would trap */
    return remainder ? a % b : b == ~0ull ? -a : (u64)((i64)a / (i64)b);
}

static bool binary_on_floats(struct machine *m, unsigned atom)
{
    struct stack_number *b = &m->stack[m->depth - 1], *a = &m->stack[m->depth - 2], value;
    unsigned size = a->float_size;
    switch (atom) {
    case DW_OP_plus: value = float_slot(a->f + b->f, size); break;
    case DW_OP_minus: value = float_slot(a->f - b->f, size); break;
    case DW_OP_mul: value = float_slot(a->f * b->f, size); break;
    case DW_OP_div: value = float_slot(a->f / b->f, size); break;
    case DW_OP_eq: value = (struct stack_number){.i = a->f == b->f}; break;
    case DW_OP_ne: value = (struct stack_number){.i = a->f != b->f}; break;
    case DW_OP_lt: value = (struct stack_number){.i = a->f < b->f}; break;
    case DW_OP_le: value = (struct stack_number){.i = a->f <= b->f}; break;
    case DW_OP_gt: value = (struct stack_number){.i = a->f > b->f}; break;
    case DW_OP_ge: value = (struct stack_number){.i = a->f >= b->f}; break;
    default: return false;
    }
    m->failed |= a->float_size != b->float_size;
    m->depth--;
    m->stack[m->depth - 1] = value;
    return true;
}

/* Small and signed typed integers are kept extended by fit_type(). */
static bool expression_binary(struct machine *m, unsigned atom)
{
    if (m->depth < 2)
        return false;
    if (m->stack[m->depth - 1].float_size || m->stack[m->depth - 2].float_size)
        return binary_on_floats(m, atom);
    u64 b = m->stack[m->depth - 1].i, a = m->stack[m->depth - 2].i, value;
    u64 shift = b < 64 ? b : 63;
    switch (atom) {
    case DW_OP_and: value = a & b; break;
    case DW_OP_or: value = a | b; break;
    case DW_OP_xor: value = a ^ b; break;
    case DW_OP_plus: value = a + b; break;
    case DW_OP_minus: value = a - b; break;
    case DW_OP_mul: value = a * b; break;
    case DW_OP_div: value = expression_divide(m, a, b, false); break;
    case DW_OP_mod: value = expression_divide(m, a, b, true); break;
    case DW_OP_shl: value = b < 64 ? a << b : 0; break;
    case DW_OP_shr: value = b < 64 ? a >> b : 0; break;
    case DW_OP_shra: value = (u64)((i64)a >> shift); break;
    case DW_OP_eq: value = a == b; break;
    case DW_OP_ne: value = a != b; break;
    case DW_OP_lt: value = (i64)a < (i64)b; break;
    case DW_OP_le: value = (i64)a <= (i64)b; break;
    case DW_OP_gt: value = (i64)a > (i64)b; break;
    case DW_OP_ge: value = (i64)a >= (i64)b; break;
    default: return false;
    }
    m->depth--;
    m->stack[m->depth - 1] = (struct stack_number){.i = value};
    return true;
}

static void push_again(struct machine *m, u64 index)
{
    if (index < m->depth)
        push_slot(m, m->stack[m->depth - 1 - index]);
    else
        m->failed = true;
}

static bool shuffle(struct machine *m, const Dwarf_Op *op)
{
    struct stack_number a, b, c;
    switch (op->atom) {
    case DW_OP_dup:
        push_again(m, 0);
        return true;
    case DW_OP_over:
    case DW_OP_pick:
        push_again(m, op->atom == DW_OP_over ? 1 : op->number);
        return true;
    case DW_OP_drop:
        pop_slot(m);
        return true;
    case DW_OP_swap:
        b = pop_slot(m), a = pop_slot(m);
        push_slot(m, b), push_slot(m, a);
        return true;
    case DW_OP_rot:
        c = pop_slot(m), b = pop_slot(m), a = pop_slot(m);
        push_slot(m, c), push_slot(m, a), push_slot(m, b);
        return true;
    default:
        return false;
    }
}

static bool expression_unary(struct machine *m, const Dwarf_Op *op)
{
    u64 value;
    struct stack_number *top = m->depth ? &m->stack[m->depth - 1] : NULL;
    if (top && top->float_size && (op->atom == DW_OP_neg || op->atom == DW_OP_abs)) {
        top->f = op->atom == DW_OP_neg || __builtin_signbit(top->f) ? -top->f : top->f;
        return true;
    }
    switch (op->atom) {
    case DW_OP_neg: value = -expression_pop(m); break;
    case DW_OP_not: value = ~expression_pop(m); break;
    case DW_OP_abs: value = expression_pop(m); value = (i64)value < 0 ? -value : value; break;
    case DW_OP_plus_uconst: value = expression_pop(m) + op->number; break;
    default: return false;
    }
    push(m, value);
    return true;
}

/* Ends the piece that was described so far. */
static void end_piece(struct machine *m, u64 bit_size, u64 bit_offset)
{
    if (m->location->count == PIECES_MOST) {
        m->failed = true;
        return;
    }
    struct piece *p = &m->location->pieces[m->location->count++];
    *p = (struct piece){.bit_size = bit_size, .bit_offset = bit_offset, .kind = PIECE_MISSING};
    if (m->in_register) {
        p->kind = PIECE_IN_REGISTER;
        p->value = m->reg;
    } else if (m->is_pointer) {
        p->kind = PIECE_POINTER;
        p->value = m->reg;
        p->target = m->target;
    } else if (m->bytes) {
        p->kind = PIECE_BYTES;
        p->bytes = m->bytes;
        p->value = m->reg; /* how many */
    } else if (m->depth && m->stack[m->depth - 1].float_size) {
        struct stack_number top = pop_slot(m);
        p->kind = PIECE_COMPUTED;
        p->value = top.float_size;
        bytes_of_float(&top, p->computed);
    } else if (m->depth) {
        p->kind = m->is_value ? PIECE_VALUE : PIECE_IN_MEMORY;
        p->value = expression_pop(m);
    }
    m->in_register = m->is_value = m->is_pointer = false;
    m->bytes = NULL;
}

static bool describes(struct machine *m, const Dwarf_Op *op)
{
    Dwarf_Block block;
    switch (op->atom) {
    case DW_OP_regx:
        m->in_register = true;
        m->reg = op->number;
        return true;
    case DW_OP_stack_value:
        m->is_value = true;
        return true;
    case DW_OP_implicit_value:
        if (!m->attribute || dwarf_getlocation_implicit_value(m->attribute, op, &block)) {
            m->failed = true;
        } else {
            m->bytes = block.data;
            m->reg = block.length;
        }
        return true;
    case DW_OP_implicit_pointer:
    case DW_OP_GNU_implicit_pointer:
        m->is_pointer = m->attribute && !dwarf_getlocation_die(m->attribute, op, &m->target);
        m->reg = op->number2;
        m->failed |= !m->is_pointer;
        return true;
    case DW_OP_piece:
        end_piece(m, op->number * 8, 0);
        return true;
    case DW_OP_bit_piece:
        end_piece(m, op->number, op->number2);
        return true;
    default:
        return false;
    }
}

static void expression_jump(struct machine *m, const Dwarf_Op *op)
{
    u64 target = op->offset + 3 + (u64)(i64)(i16)op->number;
    for (size_t n = 0; n < m->count; n++)
        if (m->ops[n].offset == target) {
            m->at = n;
            return;
        }
    m->failed = target != m->ops[m->count - 1].offset + 1;
    m->at = m->count;
}

static bool pushes(struct machine *m, const Dwarf_Op *op)
{
    unsigned atom = op->atom;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
        push(m, atom - DW_OP_lit0);
        return true;
    }
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        push_register(m, atom - DW_OP_breg0, (i64)op->number);
        return true;
    }
    if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
        m->in_register = true;
        m->reg = atom - DW_OP_reg0;
        return true;
    }
    switch (atom) {
    case DW_OP_const1u:
    case DW_OP_const2u:
    case DW_OP_const4u:
    case DW_OP_const8u:
    case DW_OP_constu:
    case DW_OP_const1s:
    case DW_OP_const2s:
    case DW_OP_const4s:
    case DW_OP_const8s:
    case DW_OP_consts:
        push(m, op->number); /* libdw has already extended it */
        return true;
    case DW_OP_addr: push_address(m, op->number); return true;
    case DW_OP_addrx: case DW_OP_GNU_addr_index: push_indexed(m, op, true); return true;
    case DW_OP_constx: case DW_OP_GNU_const_index: push_indexed(m, op, false); return true;
    case DW_OP_bregx: push_register(m, (unsigned)op->number, (i64)op->number2); return true;
    case DW_OP_fbreg: push_asked(m, m->host->frame_base, (i64)op->number); return true;
    case DW_OP_call_frame_cfa: push_asked(m, m->host->cfa, 0); return true;
    case DW_OP_deref: expression_dereference(m, 8); return true;
    case DW_OP_deref_size: expression_dereference(m, op->number); return true;
    case DW_OP_form_tls_address: case DW_OP_GNU_push_tls_address: push_tls(m); return true;
    case DW_OP_entry_value: case DW_OP_GNU_entry_value:
    case DW_OP_GNU_parameter_ref: push_entry_value(m, op); return true;
    case DW_OP_regval_type: case DW_OP_GNU_regval_type: push_typed_register(m, op); return true;
    case DW_OP_deref_type: case DW_OP_GNU_deref_type: push_typed_memory(m, op); return true;
    case DW_OP_convert: case DW_OP_GNU_convert: case DW_OP_reinterpret: case DW_OP_GNU_reinterpret:
        fit_type(m, op);
        return true;
    case DW_OP_const_type: case DW_OP_GNU_const_type: push_typed(m, op); return true;
    case DW_OP_push_object_address:
        if (m->host->object)
            push(m, *m->host->object);
        else
            m->failed = true;
        return true;
    case DW_OP_nop: return true;
    default: return false;
    }
}

static void step(struct machine *m)
{
    const Dwarf_Op *op = &m->ops[m->at++];
    if (op->atom == DW_OP_skip || op->atom == DW_OP_bra) {
        if (op->atom == DW_OP_skip || expression_pop(m))
            expression_jump(m, op);
        return;
    }
    if (!pushes(m, op) && !expression_binary(m, op->atom) && !expression_unary(m, op) &&
        !shuffle(m, op) && !describes(m, op))
        m->failed = true;
}

bool expression_run(const Dwarf_Op *ops, size_t count, Dwarf_Attribute *attribute,
                    const struct expression_host *host, const u64 *first, struct location *ret)
{
    struct machine m = {
        .host = host, .attribute = attribute, .ops = ops, .count = count, .location = ret};
    *ret = (struct location){0};
    if (first)
        push(&m, *first);
    for (unsigned steps = 0; m.at < m.count && !m.failed; steps++) {
        if (steps == STEPS_MOST)
            return false;
        step(&m);
    }
    if (!m.failed && (!ret->count || m.in_register || m.is_pointer || m.depth || m.bytes))
        end_piece(&m, 0, 0);
    return !m.failed;
}

/* DWARF 4 introduced a form for expressions, and since that version libdw refuses expressions in
 * plain blocks (elfutils 0.188). Go's compiler writes all of them as blocks. A block whose length
 * is a LEB128 number, or one byte below 128, has the same bytes as an expression. */
static void accept_block(Dwarf_Attribute *a)
{
    Dwarf_Block block;
    unsigned form = dwarf_whatform(a);
    if (form == DW_FORM_block ||
        (form == DW_FORM_block1 && dwarf_formblock(a, &block) == 0 && block.length < 0x80))
        a->form = DW_FORM_exprloc;
}

int expression_of(Dwarf_Attribute *a, Dwarf_Op **ret, size_t *ret_count)
{
    accept_block(a);
    return dwarf_getlocation(a, ret, ret_count);
}

int expression_at(Dwarf_Attribute *a, u64 pc, Dwarf_Op **ret, size_t *ret_count)
{
    accept_block(a);
    return dwarf_getlocation_addr(a, pc, ret, ret_count, 1) == 1 ? 0 : -1;
}
