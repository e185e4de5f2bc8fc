/* Assignments, ++ and --: to memory, to registers of the innermost frame, and to convenience
 * variables.
 *
 * Assignments change a copy of the process, which is shown from then on. Convenience variables
 * belong to the debugger and need no copy. If only the type of an expression is wanted, nothing
 * changes.
 */
#include "symbols/values_internal.h"

struct error *effects_allowed(struct evaluation *v, const char *what)
{
    if (v->request.actions)
        return NULL;
    return error_new("%s would change the program, which is not possible here", what);
}

/* --- where it goes --------------------------------------------------------------------------- */

/* True for the innermost frame. Registers of outer frames were saved to memory by inner functions,
 * or are lost. */
static bool assign_is_innermost(const struct evaluation *v)
{
    const struct values_request *q = &v->request;
    for (size_t n = 0; n < v->view.index && n < q->frame_count; n++)
        if (!q->frames[n].inlined)
            return false;
    return true;
}

static struct error *assign_register(struct evaluation *v, const struct value *to, const u8 *bytes)
{
    const struct values_request *q = &v->request;
    struct value *whole;
    if (!assign_is_innermost(v))
        return error_new("%s is in the register %s, which functions called since use: it can be "
                         "changed in the innermost frame only", value_called(to),
                         to->home_register);
    if (!variables_register(v, to->home_register, &whole) || value_is_gone(whole) ||
        to->home_offset + to->size > whole->size)
        return error_new("the register %s cannot be changed", to->home_register);
    memcpy(whole->bytes + to->home_offset, bytes, to->size);
    return q->actions->set_register(q->context, to->home_register, whole->bytes, whole->size);
}

/* Inserts the bits of a bit-field among those of its neighbours. */
static void assign_bits(u8 *to, const u8 *from, u32 offset, u32 count)
{
    for (u32 n = 0; n < count; n++) {
        u8 bit = from[n / 8] >> n % 8 & 1, mask = (u8)(1u << (offset + n) % 8);
        u8 *byte = &to[(offset + n) / 8];
        *byte = (u8)((*byte & ~mask) | (bit ? mask : 0));
    }
}

static struct error *assign_merge(struct value *to, const u8 *bytes, const u8 **ret)
{
    *ret = bytes;
    if (!to->bit_size)
        return NULL;
    struct error *err = value_load(to);
    if (err)
        return err;
    u8 *all = values_alloc(to->evaluation, to->size + 1);
    memcpy(all, to->bytes, to->size);
    assign_bits(all, bytes, to->bit_offset, to->bit_size);
    *ret = all;
    return NULL;
}

static struct error *assign_bytes(struct evaluation *v, struct value *to, const u8 *bytes)
{
    const struct values_request *q = &v->request;
    if (to->home_variable)
        return conveniences_set(v, to->home_variable, &to->home_offset,
                                value_of_bytes(v, type_array(v, type_builtin(v, "char"), to->size),
                                               bytes, to->size));
    if (!q->actions)
        return error_new("an assignment would change the program, which is not possible here: "
                         "use == to compare");
    if (to->in_memory)
        return q->actions->write(q->context, to->address, bytes, to->size);
    if (to->home_register)
        return assign_register(v, to, bytes);
    return error_new(value_is_gone(to) ? "%s is optimised out, so nothing can be assigned to it"
                                       : "%s is the result of a computation, and not a variable",
                     value_called(to));
}

/* --- what it becomes ------------------------------------------------------------------------- */

/* A string may be shorter than its array. */
static struct error *assign_string(struct value *to, struct value *from, u8 *bytes)
{
    if (from->size > to->size)
        return error_new("the string has %llu bytes, and the array only %llu",
                         (unsigned long long)from->size, (unsigned long long)to->size);
    memcpy(bytes, from->bytes, from->size);
    return NULL;
}

static bool assign_is_text(struct evaluation *v, const struct value *value)
{
    struct type *plain = type_plain(v, value->type);
    return plain->kind == TYPE_ARRAY && type_character(v, type_target(v, plain)) == ' ';
}

/* Converts the value of `from` to the type of `to`. */
static struct error *assign_convert(struct value *to, struct value *from, u8 *bytes)
{
    struct evaluation *v = to->evaluation;
    struct type *plain = type_plain(v, to->type), *other = type_plain(v, from->type);
    bool whole = plain->kind == TYPE_STRUCT || plain->kind == TYPE_ARRAY ||
        plain->kind == TYPE_COMPLEX ||
                 plain->kind == TYPE_MEMBER_POINTER;
    struct error *err = value_load(from);
    if (err)
        return err;
    if (value_is_missing(from, 0, from->size))
        return error_coded(ERROR_UNAVAILABLE, "the value is optimised out");
    if (assign_is_text(v, to) && assign_is_text(v, from) && from->size != to->size)
        return assign_string(to, from, bytes);
    if (whole || other->kind == TYPE_STRUCT) {
        if (!whole || other->kind != plain->kind || from->size != to->size)
            return error_new("%s, of type %s, cannot be assigned to %s, of type %s",
                             value_called(from), type_called(v, from->type), value_called(to),
                             type_called(v, to->type));
    } else {
        err = value_in_copy(from, &from);
        if (!err)
            err = value_cast(from, to->type, &from);
        if (err)
            return err;
    }
    memcpy(bytes, from->bytes, from->size < to->size ? from->size : to->size);
    return NULL;
}

/* Returns the assigned value. */
static struct value *assign_result(struct value *to, const u8 *bytes)
{
    struct evaluation *v = to->evaluation;
    struct value *result = value_of_bytes(v, to->type, bytes, to->type->size);
    result->in_memory = to->in_memory && !to->bit_size;
    result->address = to->address;
    return result;
}

static struct error *assign_value(struct value *to, struct value *from, struct value **ret)
{
    struct evaluation *v = to->evaluation;
    *ret = to;
    if (to->home_variable && !to->home_is_part) {
        if (from->in_memory && type_plain(v, from->type)->kind == TYPE_ARRAY) {
            struct error *err = value_decay(from, &from);
            if (err)
                return err;
        }
        *ret = from;
        return v->only_types ? NULL : conveniences_set(v, to->home_variable, NULL, from);
    }
    if (v->only_types)
        return NULL;
    u8 *bytes = values_alloc(v, to->type->size + to->size + 1);
    const u8 *all;
    struct error *err = assign_convert(to, from, bytes);
    if (!err)
        err = assign_merge(to, bytes, &all);
    if (!err)
        err = assign_bytes(v, to, all);
    if (!err)
        *ret = assign_result(to, bytes);
    return err;
}

/* --- expressions ----------------------------------------------------------------------------- */

/* Calls the class's own assignment operator, if it has one. */
static struct error *assign_by_class(struct evaluation *v, enum tree_op op, struct value *to,
                                     struct value *by, struct value **ret)
{
    static const char *const names[] = {
        [OP_NONE] = "operator=", [OP_ADD] = "operator+=", [OP_SUB] = "operator-=",
        [OP_MUL] = "operator*=", [OP_DIV] = "operator/=", [OP_MOD] = "operator%=",
        [OP_SHL] = "operator<<=", [OP_SHR] = "operator>>=", [OP_BAND] = "operator&=",
        [OP_BOR] = "operator|=", [OP_XOR] = "operator^=",
    };
    *ret = NULL;
    if (type_plain(v, to->type)->kind != TYPE_STRUCT || to->home_variable || !v->request.actions)
        return NULL;
    return call_operator(v, names[op], to, by, ret);
}

struct error *evaluate_assign(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct value *to, *from;
    struct error *err = evaluate_operand(v, t->a, &to);
    if (!err)
        err = evaluate_operand(v, t->b, &from);
    if (!err)
        err = assign_by_class(v, t->op, to, from, ret);
    if (err || *ret)
        return err;
    if (t->op != OP_NONE)
        err = evaluate_operation(v, t->op, to, from, &from);
    return err ? err : assign_value(to, from, ret);
}

struct error *evaluate_count(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct value *to, *before, *after;
    struct error *err = evaluate_operand(v, t->a, &to);
    if (err)
        return err;
    if (type_plain(v, to->type)->kind == TYPE_STRUCT && v->request.actions) {
        const char *name = t->op == OP_ADD ? "operator++" : "operator--";
        struct value *unused = t->is_before ? NULL : value_of_integer(v, "int", 0);
        err = call_operator(v, name, to, unused, ret);
        return err || *ret ? err : error_new("the class has no %s", name);
    }
    if ((err = value_load(to)))
        return err;
    struct type *type = to->type;
    before = value_of_bytes(v, type, to->bytes, to->size);
    before->bit_offset = to->bit_offset;
    before->bit_size = to->bit_size;
    before->size = to->size;
    err = evaluate_operation(v, t->op, before, value_of_integer(v, "int", 1), &after);
    if (!err && type_is_scalar(type_plain(v, before->type)))
        err = value_cast(after, before->type, &after);
    if (!err)
        err = assign_value(to, after, ret);
    if (!err && !t->is_before)
        *ret = before;
    return err;
}
