/* Compiles the locations of variables and members to bytecode.
 *
 * The code assumes that the frame of the pc is the innermost one: its registers are those of the
 * thread, and its base follows from the rule for the canonical frame address. Locations that need a
 * caller's frame cannot be compiled; the error says so.
 *
 * With `fixed`, the frame is the evaluation's own. Its registers and its base are then constants,
 * which is valid for addresses only. Constants are added at compile time, so that a fixed address
 * is recognized as one.
 */
#include <dwarf.h>

#include "symbols/compile_internal.h"

/* --- locations -------------------------------------------------------------------------------- */

static struct error *location(struct compiler *c, struct found_variable *f, Dwarf_Attribute *a,
                              bool *ret_value);

static struct error *frame_address(struct compiler *c)
{
    struct cfa_rule rule;
    const struct frame *f = c->v->view.frame;
    if (c->fixed && f && f->cfa)
        return code_constant(c, f->cfa), NULL;
    if (!symbols_cfa_rule(c->v->symbols, c->pc, &rule) || !rule.known)
        return error_new("the frame can only be found by unwinding there");
    struct error *err = code_register(c, rule.reg);
    if (!err)
        code_add(c, rule.offset);
    return err;
}

static struct error *frame_base(struct compiler *c, struct found_variable *f)
{
    Dwarf_Attribute a;
    bool value;
    if (!c->v->view.has_function ||
        !dwarf_attr_integrate(&c->v->view.function, DW_AT_frame_base, &a))
        return error_new("the function has no frame base");
    return location(c, f, &a, &value);
}

/* Replaces the offset in the module's TLS block, on top of the stack, by the address. Blocks that
 * existed when the program began are at a fixed distance from fs_base; others are found as
 * __tls_get_addr() does. */
static struct error *thread_local(struct compiler *c, struct found_variable *f)
{
    enum { VECTOR_AT = 8 };
    struct tls_place place;
    if (!variables_tls_place(c->v->symbols, f->module, &place))
        return error_coded(ERROR_UNAVAILABLE, "its thread-local variables were not found");
    if (c->fixed && place.is_fixed) {
        code_add(c, (i64)c->v->request.fs_base + place.offset);
        return NULL;
    }
    if (c->fixed) {
        code_constant(c, c->v->request.fs_base);
    } else {
        code_byte(c, CODE_REG);
        code_bytes(c, GDB_FS_BASE, 2);
    }
    if (place.is_fixed) {
        code_add(c, place.offset);
    } else {
        code_add(c, VECTOR_AT);
        code_byte(c, CODE_REF64);
        code_add(c, 16 * (i64)place.number);
        code_byte(c, CODE_REF64);
    }
    code_byte(c, CODE_ADD);
    return NULL;
}

/* Operations that are the same in DWARF and in agent bytecode. */
static bool same_operation(struct compiler *c, unsigned atom)
{
    static const u8 codes[][2] = {
        {DW_OP_plus, CODE_ADD}, {DW_OP_minus, CODE_SUB}, {DW_OP_mul, CODE_MUL},
        {DW_OP_and, CODE_AND},
        {DW_OP_or, CODE_OR}, {DW_OP_xor, CODE_XOR}, {DW_OP_not, CODE_NOT}, {DW_OP_shl, CODE_LSH},
        {DW_OP_shr, CODE_RSH_UNSIGNED}, {DW_OP_shra, CODE_RSH_SIGNED}, {DW_OP_deref, CODE_REF64},
        {DW_OP_dup, CODE_DUP}, {DW_OP_drop, CODE_POP}, {DW_OP_swap, CODE_SWAP},
        {DW_OP_eq, CODE_EQUAL},
        {DW_OP_lt, CODE_LESS_SIGNED},
    };
    for (size_t n = 0; n < countof(codes); n++)
        if (codes[n][0] == atom) {
            code_byte(c, codes[n][1]);
            return true;
        }
    return false;
}

static struct error *operation(struct compiler *c, struct found_variable *f, Dwarf_Attribute *a,
                               const Dwarf_Op *op)
{
    unsigned atom = op->atom;
    Dwarf_Attribute indexed;
    Dwarf_Addr address;
    if (same_operation(c, atom))
        return NULL;
    if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
        return code_constant(c, atom - DW_OP_lit0), NULL;
    if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
        struct error *err = code_register(c, atom - DW_OP_breg0);
        code_add(c, (i64)op->number);
        return err;
    }
    switch (atom) {
    case DW_OP_addr: code_constant(c, op->number + f->module->dwarf_bias); return NULL;
    case DW_OP_addrx: case DW_OP_GNU_addr_index:
        if (dwarf_getlocation_attr(a, op, &indexed) || dwarf_formaddr(&indexed, &address))
            break;
        code_constant(c, address + f->module->dwarf_bias);
        return NULL;
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
        code_constant(c, op->number);
        return NULL;
    case DW_OP_plus_uconst: code_add(c, (i64)op->number); return NULL;
    case DW_OP_fbreg: {
        struct error *err = frame_base(c, f);
        code_add(c, (i64)op->number);
        return err;
    }
    case DW_OP_call_frame_cfa: return frame_address(c);
    case DW_OP_form_tls_address: case DW_OP_GNU_push_tls_address: return thread_local(c, f);
    case DW_OP_entry_value: case DW_OP_GNU_entry_value: case DW_OP_GNU_parameter_ref:
        return error_new("only the caller's frame knows its value there");
    case DW_OP_piece: case DW_OP_bit_piece: return error_new("it is in several places there");
    default: break;
    }
    return error_coded(ERROR_UNAVAILABLE, "its location there cannot be compiled");
}

/* Leaves the address or, if *ret_value is set, the value. */
static struct error *location(struct compiler *c, struct found_variable *f, Dwarf_Attribute *a,
                              bool *ret_value)
{
    Dwarf_Op *ops;
    size_t count;
    bool own = f->module == c->v->view.module;
    int got = own ? variables_location(&c->v->view, a, &ops, &count)
                  : expression_of(a, &ops, &count);
    *ret_value = false;
    if (got || !count)
        return error_coded(ERROR_UNAVAILABLE, "it is optimised out there");
    if (count == 1 &&
        ((ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) || ops[0].atom == DW_OP_regx)) {
        if (c->fixed)
            return error_new("it is in a register");
        *ret_value = true;
        return code_register(c, ops[0].atom == DW_OP_regx ? ops[0].number
                                                          : (u64)(ops[0].atom - DW_OP_reg0));
    }
    for (size_t n = 0; n < count; n++) {
        if (ops[n].atom == DW_OP_stack_value) {
            if (c->fixed)
                return error_new("it is computed of registers");
            *ret_value = true;
            continue;
        }
        struct error *err = operation(c, f, a, &ops[n]);
        if (err)
            return err;
    }
    return NULL;
}

/* Pushes a number that is already known. */
void place_number(struct compiler *c, struct number n)
{
    double d = (double)n.f;
    u64 bits = (u64)n.i;
    if (n.is_float)
        memcpy(&bits, &d, sizeof bits);
    code_constant(c, bits);
}

/* --- names ------------------------------------------------------------------------------------ */

static struct error *constant_variable(struct compiler *c, struct found_variable *f,
                                       struct operand *ret)
{
    struct value *value;
    struct number n;
    struct error *err = variables_value(c->v, f, &value);
    if (!err)
        err = value_number(value, &n);
    if (!err)
        place_number(c, n);
    *ret = (struct operand){.type = type_attribute(c->v, f->module, &f->die)};
    return err;
}

static struct error *linked_variable(struct compiler *c, const struct linked *l,
                                     struct operand *ret)
{
    if (l->is_thread_local)
        return error_new("it is thread-local and only declared there");
    code_constant(c, l->address);
    ret->is_address = true;
    return code_refer(c, ret);
}

static struct error *variable(struct compiler *c, struct found_variable *f, struct operand *ret)
{
    Dwarf_Attribute a;
    bool value;
    struct linked linked;
    *ret = (struct operand){.type = type_attribute(c->v, f->module, &f->die)};
    if (f->has_frame)
        return error_new("it is in the frame of another function");
    if (c->v->language == LANGUAGE_FORTRAN && !type_is_integral(type_plain(c->v, ret->type)) &&
        type_plain(c->v, ret->type)->kind != TYPE_FLOAT)
        return error_new("it cannot be looked at inside the process");
    if (linked_datum(c->v, f, &linked))
        return linked_variable(c, &linked, ret);
    if (dwarf_attr_integrate(&f->die, DW_AT_const_value, &a))
        return constant_variable(c, f, ret);
    if (!dwarf_attr_integrate(&f->die, DW_AT_location, &a))
        return error_coded(ERROR_UNAVAILABLE, "it is optimised out there");
    struct error *err = location(c, f, &a, &value);
    if (err)
        return err;
    ret->is_address = !value;
    struct type *plain = type_plain(c->v, ret->type);
    if (value && plain->kind == TYPE_FLOAT && plain->size <= 8)
        code_widen(c, plain);
    else if (value && (type_is_integral(plain) || plain->kind == TYPE_POINTER))
        code_truncate(c, plain);
    return code_refer(c, ret);
}

/* Finds the member and its offset, through bases and anonymous members. */
static bool static_path(struct compiler *c, struct type *t, const char *name, unsigned depth,
                        struct member *ret, struct type **ret_owner, u64 *offset)
{
    size_t count;
    struct type *plain = type_plain(c->v, t);
    const struct member *m = type_members(c->v, plain, &count);
    if (plain->kind != TYPE_STRUCT || depth == SHOW_DEPTH)
        return false;
    for (size_t n = 0; n < count; n++)
        if (m[n].name && strcmp(m[n].name, name) == 0) {
            *ret = m[n];
            *ret_owner = plain;
            *offset += m[n].offset;
            return true;
        }
    for (size_t n = 0; n < count; n++) {
        u64 inner = *offset + m[n].offset;
        if ((m[n].is_base || !m[n].name) && !m[n].is_virtual &&
            static_path(c, m[n].type, name, depth + 1, ret, ret_owner, &inner)) {
            *offset = inner;
            return true;
        }
    }
    return false;
}

/* Finds the offset of the base class in objects of the class; false: it is not a base, or a virtual
 * one. */
static bool compile_to_base(struct compiler *c, struct type *class, struct type *base,
                            unsigned depth, u64 *offset)
{
    size_t count;
    if (class == base || (class->name && base->name && strcmp(class->name, base->name) == 0))
        return true;
    const struct member *m = type_members(c->v, class, &count);
    for (size_t n = 0; n < count && class->kind == TYPE_STRUCT && depth < SHOW_DEPTH; n++) {
        u64 inner = *offset + m[n].offset;
        if (m[n].is_base && !m[n].is_virtual &&
            compile_to_base(c, type_plain(c->v, m[n].type), base, depth + 1, &inner)) {
            *offset = inner;
            return true;
        }
    }
    return false;
}

static struct error *compile_static_member(struct compiler *c, struct type *plain, const char *name,
                                           struct operand *ret)
{
    struct name_found found;
    char *qualified = xformat("%s::%s", plain->name ? plain->name : "", name);
    bool known = names_find(c->v, qualified, variables_space(c->v), 1u << NAME_VARIABLE, &found);
    free(qualified);
    code_byte(c, CODE_POP);
    if (!known)
        return error_new("the static member %s has no memory", name);
    return variable(c, &(struct found_variable){.die = found.entry.die, .module = found.module},
                    ret);
}

/* Selects a member of the struct whose address is on the stack. */
struct error *place_member(struct compiler *c, struct operand *o, const char *name,
                           struct operand *ret)
{
    struct member m;
    u64 offset = 0;
    struct type *plain = type_plain(c->v, o->type), *owner;
    if (!o->is_address)
        return error_new("a struct in registers cannot be looked at inside the process");
    if (!static_path(c, plain, name, 0, &m, &owner, &offset))
        return error_coded(ERROR_NOT_FOUND, "there is no member %s, or it is in a virtual base",
                           name);
    if (m.is_static)
        return compile_static_member(c, owner, name, ret);
    code_add(c, (i64)offset);
    *ret = (struct operand){
        .type = m.type, .is_address = true, .bit_offset = m.bit_offset, .bit_size = m.bit_size};
    return code_refer(c, ret);
}

/* Selects a member of the object that the function was called for. */
static struct error *compile_this_member(struct compiler *c, const struct name_meaning *m,
                                         struct operand *ret)
{
    struct found_variable found;
    struct operand o;
    u64 offset = 0;
    if (!variables_find(c->v, "this", &found))
        return error_new("there is no object there that has a member %s", m->member);
    struct type *t = type_plain(c->v, type_attribute(c->v, found.module, &found.die));
    struct error *err = variable(c, &found, &o);
    if (!err)
        err = code_load(c, &o);
    if (err)
        return err;
    struct type *class = type_plain(c->v, type_target(c->v, t));
    if (m->class && !compile_to_base(c, class, m->class, 0, &offset))
        return error_new("%s is in a virtual base there", m->member);
    code_add(c, (i64)offset);
    o = (struct operand){.type = m->class ? m->class : class, .is_address = true};
    return place_member(c, &o, m->member, ret);
}

/* Compiles names that need no frame: functions and constants. */
static struct error *fixed(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct value *value;
    struct number n;
    struct error *err = evaluate(c->v, t, &value);
    if (err)
        return err;
    struct type *plain = type_plain(c->v, value->type);
    *ret = (struct operand){.type = value->type, .is_address = plain->kind == TYPE_FUNCTION};
    if (plain->kind == TYPE_FUNCTION)
        return code_constant(c, value->address), NULL;
    if (value->in_memory || !type_is_scalar(plain) || plain->size > 8)
        return error_new("%s cannot be looked at inside the process", t->text ? t->text : "it");
    err = value_number(value, &n);
    if (!err)
        place_number(c, n);
    return err;
}

struct error *place_name(struct compiler *c, const struct tree *t, struct operand *ret)
{
    struct name_meaning m;
    if (t->kind == TREE_FILE_NAME && !lookup_in_file(c->v, t->file, t->text, NAME_VALUES, &m))
        return error_coded(ERROR_NOT_FOUND, "there is no symbol %s in %s", t->text, t->file);
    if (t->kind != TREE_FILE_NAME && !lookup_name(c->v, t->text, NAME_VALUES, &m))
        return fixed(c, t, ret);
    if (m.is_member)
        return compile_this_member(c, &m, ret);
    if (m.kind != NAME_VARIABLE)
        return fixed(c, t, ret);
    struct error *err =
        m.is_of_frame ? error_new("it is another frame's variable") : variable(c, &m.variable, ret);
    return err ? error_within(err, "%s", t->text) : NULL;
}

struct error *place_register(struct compiler *c, const char *text, struct operand *ret)
{
    struct value *value;
    unsigned number;
    if (!c->fixed && frame_register_named(text, &number) &&
        variables_register(c->v, text, &value)) {
        *ret = (struct operand){.type = value->type};
        return code_register(c, number);
    }
    return error_new("the register %s cannot be looked at inside the process", text);
}
