/* Evaluation: computes the value of an expression's tree (parse.c).
 *
 * evaluate() takes a node, evaluates its children, and applies the operation.  A value (value.c) is
 * a type with a place in memory, a register, or bytes; its bytes are read only when they are
 * needed, so that `&a[1000000]` reads nothing.
 *
 * Operands are converted as C does it: arrays and functions become pointers (value_decay), small
 * integers are promoted, and two numbers take their common type (arithmetic_type). If gdb differs
 * from C, ebb follows gdb: comparing with a string compares text, an operator that a class defines
 * is called, and `container[key]` looks into the containers of C++ and Rust. Fortran has its own
 * rules for common types; the rest of Fortran is in fortran_evaluate.c.
 *
 * Nothing here changes the program.  Assignments and calls go to assign.c and call.c, which work in
 * a copy of the process.
 */
#include "base/nearest_word.h"
#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

/* --- types of numbers ------------------------------------------------------------------------- */

struct type *comparison_type(struct evaluation *v)
{
    if (v->language == LANGUAGE_FORTRAN)
        return fortran_basic_type(v, "logical", 4);
    return type_builtin(v, v->cplusplus ? "bool" : "int");
}

/* gdb computes with 8 bytes, or with more if an operand has more. */
static struct type *fortran_common_type(struct evaluation *v, struct type *x, struct type *y)
{
    bool floating = x->kind == TYPE_FLOAT || y->kind == TYPE_FLOAT;
    if (floating && (type_is_quad(x) || type_is_quad(y)) )
        return fortran_basic_type(v, "real", 16);
    if (floating)
        return fortran_basic_type(v, "real", x->size > 8 || y->size > 8 ? 10 : 8);
    return fortran_basic_type(v, "integer", x->size > 8 || y->size > 8 ? 16 : 8);
}

struct type *promoted_type(struct evaluation *v, struct type *t)
{
    struct type *plain = type_plain(v, t);
    if (type_is_integral(plain)) {
        if (plain->size < 4 || plain->kind == TYPE_BOOL)
            return type_builtin(v, "int");
        if (plain->kind == TYPE_ENUM)
            return type_builtin(v, plain->size > 4 ? (plain->is_unsigned ? "unsigned long" : "long")
                                                   : plain->is_unsigned ? "unsigned int" : "int");
    }
    return plain;
}

struct type *arithmetic_type(struct evaluation *v, struct type *a, struct type *b)
{
    struct type *x = promoted_type(v, a), *y = promoted_type(v, b);
    if (v->language == LANGUAGE_FORTRAN)
        return fortran_common_type(v, x, y);
    if (x->kind == TYPE_FLOAT || y->kind == TYPE_FLOAT) {
        u64 size = x->kind == TYPE_FLOAT ? x->size : 0;
        if (y->kind == TYPE_FLOAT && y->size > size)
            size = y->size;
        return type_builtin(v, size > 8 ? "long double" : size > 4 ? "double" : "float");
    }
    if (x->size != y->size)
        return x->size > y->size ? x : y;
    return x->is_unsigned ? x : y;
}

/* --- operands --------------------------------------------------------------------------------- */

struct error *value_decay(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct error *err = value_referred(value, &value);
    if (err)
        return err;
    struct type *plain = type_plain(v, value->type);
    *ret = value;
    if (plain->kind != TYPE_ARRAY && plain->kind != TYPE_FUNCTION)
        return NULL;
    if (!value->in_memory)
        return error_coded(ERROR_UNAVAILABLE, "%s is not in memory", value_called(value));
    struct type *to = plain->kind == TYPE_ARRAY ? type_target(v, plain) : value->type;
    *ret = value_of_bytes(v, type_pointer(v, to), &value->address, 8);
    (*ret)->from = value->from;
    return NULL;
}

struct error *evaluate_operand(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct error *err = evaluate(v, t, ret);
    return err ? err : value_referred(*ret, ret);
}

struct value *value_joined(struct value *result, struct value *a, struct value *b)
{
    result->from =
        sources_join(result->evaluation, value_all_sources(a), b ? value_all_sources(b) : NULL);
    return result;
}

static struct error *numbers(struct value *a, struct value *b, struct number *x, struct number *y)
{
    struct error *err = value_number(a, x);
    return err ? err : value_number(b, y);
}

/* --- arithmetic ------------------------------------------------------------------------------- */

static struct error *evaluate_on_floats(enum tree_op op, long double a, long double b,
                                        struct number *ret)
{
    *ret = (struct number){.is_float = true};
    switch (op) {
    case OP_ADD: ret->f = a + b; return NULL;
    case OP_SUB: ret->f = a - b; return NULL;
    case OP_MUL: ret->f = a * b; return NULL;
    case OP_DIV: ret->f = a / b; return NULL;
    default: return error_new("the operation does not apply to floating-point numbers");
    }
}

static struct error *on_integers(enum tree_op op, __int128 a, __int128 b, const struct type *t,
                                 struct number *ret)
{
    unsigned __int128 x = (unsigned __int128)a, y = (unsigned __int128)b;
    unsigned bits = (unsigned)t->size * 8;
    bool wide = t->is_unsigned && t->size == 16;
    *ret = (struct number){0};
    if ((op == OP_DIV || op == OP_MOD) && b == 0)
        return error_new("division by zero");
    switch (op) {
    case OP_ADD: ret->i = (__int128)(x + y); break;
    case OP_SUB: ret->i = (__int128)(x - y); break;
    case OP_MUL: ret->i = (__int128)(x * y); break;
    case OP_DIV: ret->i = wide ? (__int128)(x / y) : b == -1 ? (__int128)-x : a / b; break;
    case OP_MOD: ret->i = wide ? (__int128)(x % y) : b == -1 ? 0 : a % b; break;
    case OP_SHL: ret->i = b < 0 || b >= bits ? 0 : (__int128)(x << (unsigned)b); break;
    case OP_SHR: ret->i = b < 0 || b >= bits ? (a < 0 && !t->is_unsigned ? -1 : 0)
                        : wide ? (__int128)(x >> (unsigned)b) : a >> (unsigned)b; break;
    case OP_BAND: ret->i = a & b; break;
    case OP_BOR: ret->i = a | b; break;
    case OP_XOR: ret->i = a ^ b; break;
    default: return error_new("the operation does not apply to numbers");
    }
    return NULL;
}

static bool evaluate_compare(enum tree_op op, struct number a, struct number b, bool wide)
{
    int order = a.is_float ? (a.f < b.f ? -1 : a.f > b.f)
                : wide ? ((unsigned __int128)a.i < (unsigned __int128)b.i ? -1 : a.i != b.i)
                       : (a.i < b.i ? -1 : a.i > b.i);
    if (a.is_float && (a.f != a.f || b.f != b.f))
        return op == OP_NE;
    switch (op) {
    case OP_EQ: return order == 0;
    case OP_NE: return order != 0;
    case OP_LT: return order < 0;
    case OP_GT: return order > 0;
    case OP_LE: return order <= 0;
    default: return order >= 0;
    }
}

static bool evaluate_is_comparison(enum tree_op op)
{
    return op >= OP_EQ && op <= OP_GE;
}

static struct error *on_numbers(struct evaluation *v, enum tree_op op, struct value *a,
                                struct value *b, struct value **ret)
{
    struct number x, y, result;
    struct error *err = numbers(a, b, &x, &y);
    if (err)
        return err;
    bool shift = op == OP_SHL || op == OP_SHR;
    struct type *t = shift ? promoted_type(v, a->type) : arithmetic_type(v, a->type, b->type);
    x = number_as(v, x, t);
    if (!shift)
        y = number_as(v, y, t);
    if (evaluate_is_comparison(op)) {
        bool wide = t->is_unsigned && t->size == 16;
        *ret = value_of_number(v, comparison_type(v),
                               (struct number){.i = evaluate_compare(op, x, y, wide)});
        return NULL;
    }
    if (v->only_types && !y.is_float && y.i == 0)
        y.i = 1; /* avoids a division by zero when only the type is wanted */
    err = x.is_float ? evaluate_on_floats(op, x.f, y.f, &result)
                     : on_integers(op, x.i, y.i, t, &result);
    if (!err)
        *ret = value_of_number(v, t, result);
    return err;
}

static u64 evaluate_step_of(struct evaluation *v, struct type *pointer)
{
    struct type *to = type_plain(v, type_target(v, type_plain(v, pointer)));
    return to->size ? to->size : 1;
}

static struct error *evaluate_on_pointers(struct evaluation *v, enum tree_op op, struct value *a,
                                          struct value *b, struct value **ret)
{
    bool first = type_plain(v, a->type)->kind == TYPE_POINTER;
    bool second = type_plain(v, b->type)->kind == TYPE_POINTER;
    struct number x, y;
    struct error *err = numbers(a, b, &x, &y);
    if (err)
        return err;
    if (x.is_float || y.is_float)
        return error_new("a pointer cannot be combined with a floating-point number");
    if (evaluate_is_comparison(op)) {
        struct number n = {.i = evaluate_compare(op, (struct number){.i = (u64)x.i},
                                                 (struct number){.i = (u64)y.i}, false)};
        *ret = value_of_number(v, comparison_type(v), n);
    } else if (op == OP_SUB && first && second) {
        *ret = value_of_integer(v, "long",
                                (i64)(u64)(x.i - y.i) / (i64)evaluate_step_of(v, a->type));
    } else if ((op == OP_ADD && first != second) || (op == OP_SUB && first && !second)) {
        struct value *pointer = first ? a : b;
        i64 by = (i64)(first ? y.i : x.i) * (i64)evaluate_step_of(v, pointer->type);
        u64 at = (u64)(first ? x.i : y.i) + (op == OP_SUB ? -(u64)by : (u64)by);
        *ret = value_of_number(v, pointer->type, (struct number){.i = at});
    } else if (op == OP_BAND || op == OP_BOR || op == OP_XOR || op == OP_MOD) {
        struct number n;
        err = on_integers(op, x.i, y.i, type_builtin(v, "unsigned long"), &n);
        if (!err)
            *ret = value_of_number(v, type_builtin(v, "long"), n);
    } else {
        return error_new("the operation does not apply to pointers");
    }
    return err;
}

struct error *evaluate_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                 struct value *b,
                                 struct value **ret)
{
    struct error *err = value_decay(a, &a);
    if (!err)
        err = value_decay(b, &b);
    if (err)
        return err;
    bool pointers = type_plain(v, a->type)->kind == TYPE_POINTER ||
                    type_plain(v, b->type)->kind == TYPE_POINTER;
    err = pointers ? evaluate_on_pointers(v, op, a, b, ret) : on_numbers(v, op, a, b, ret);
    if (!err)
        value_joined(*ret, a, b);
    return err;
}

static const char *evaluate_operator_name(enum tree_op op)
{
    static const char *const names[] = {
        [OP_ADD] = "operator+",   [OP_SUB] = "operator-",  [OP_MUL] = "operator*",
            [OP_DIV] = "operator/",
        [OP_MOD] = "operator%",   [OP_SHL] = "operator<<", [OP_SHR] = "operator>>",
            [OP_BAND] = "operator&",
        [OP_BOR] = "operator|",   [OP_XOR] = "operator^",  [OP_EQ] = "operator==",
            [OP_NE] = "operator!=",
        [OP_LT] = "operator<",    [OP_GT] = "operator>",   [OP_LE] = "operator<=",
            [OP_GE] = "operator>=",
        [OP_NEG] = "operator-",   [OP_PLUS] = "operator+", [OP_NOT] = "operator!",  [OP_INVERT] =
            "operator~",
        [OP_DEREF] = "operator*",
    };
    return op < countof(names) ? names[op] : NULL;
}

/* Calls the class's own operator; *ret is NULL if it has none. */
static struct error *evaluate_by_class(struct evaluation *v, enum tree_op op, struct value *a,
                                       struct value *b,
                                       struct value **ret)
{
    const char *name = evaluate_operator_name(op);
    bool is_class = type_plain(v, a->type)->kind == TYPE_STRUCT ||
                    (b && type_plain(v, b->type)->kind == TYPE_STRUCT);
    *ret = NULL;
    return is_class && name ? call_operator(v, name, a, b, ret) : NULL;
}

static struct error *evaluate_binary(struct evaluation *v, const struct tree *t,
                                     struct value **ret)
{
    struct value *a, *b;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (!err)
        err = evaluate_operand(v, t->b, &b);
    if (!err)
        err = rust_looked_through(a, &a);
    if (!err)
        err = rust_looked_through(b, &b);
    if (!err && v->language == LANGUAGE_FORTRAN)
        return fortran_operation(v, t->op, a, b, ret);
    if (!err)
        err = evaluate_by_class(v, t->op, a, b, ret);
    return err || *ret ? err : evaluate_operation(v, t->op, a, b, ret);
}

bool tree_compares_text(const struct tree *t)
{
    return (t->op == OP_EQ || t->op == OP_NE) &&
           (t->a->kind == TREE_STRING) != (t->b->kind == TREE_STRING);
}

/* Finds the address of the characters, and their number if that is known. */
static struct error *evaluate_text_of(struct value *value, u64 *ret, bool *ret_counted,
                                      u64 *ret_length)
{
    struct evaluation *v = value->evaluation;
    struct shown shown;
    error_destroy(rust_looked_through(value, &value));
    *ret_counted = show_standard(value, &shown) && shown.is_text && shown.width == 1;
    if (*ret_counted) {
        *ret = shown.address;
        *ret_length = shown.length;
        return NULL;
    }
    struct error *err = value_decay(value, &value);
    if (err)
        return err;
    struct type *plain = type_plain(v, value->type);
    if (plain->kind != TYPE_POINTER || type_character(v, type_target(v, plain)) != ' ')
        return error_new("only text can be compared with a string");
    return value_pointer(value, ret);
}

static struct error *evaluate_compare_text(struct evaluation *v, const struct tree *t,
                                           struct value **ret)
{
    const struct tree *text = t->a->kind == TREE_STRING ? t->a : t->b;
    struct value *value;
    u64 address, length = 0;
    bool counted, ended;
    u8 *bytes;
    size_t count;
    struct error *err = evaluate_operand(v, text == t->a ? t->b : t->a, &value);
    if (!err)
        err = evaluate_text_of(value, &address, &counted, &length);
    if (err)
        return err;
    const struct symbols_host *host = &v->symbols->host;
    bool same;
    if (counted) {
        bytes = xalloc(text->length + 1);
        same = length == text->length && host->read(host->context, address, bytes, length) &&
               memcmp(bytes, text->text, length) == 0;
    } else {
        show_read_string(v, address, 1, text->length + 1, &bytes, &count, &ended);
        same = ended && count == text->length && memcmp(bytes, text->text, count) == 0;
    }
    free(bytes);
    *ret = value_of_number(v, comparison_type(v), (struct number){.i = same == (t->op == OP_EQ)});
    value_joined(*ret, value, NULL);
    return NULL;
}

/* --- unary ------------------------------------------------------------------------------------ */

struct error *evaluate_dereference(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct shown shown;
    u64 address;
    struct error *err = value_decay(value, &value);
    if (err)
        return err;
    struct type *plain = type_plain(v, value->type), *to;
    if (show_standard(value, &shown) && shown.target) {
        *ret = shown.target;
        return NULL;
    }
    if (plain->kind == TYPE_POINTER)
        to = type_target(v, plain);
    else if (plain->kind == TYPE_INTEGER)
        to = type_builtin(v, "long");
    else
        return error_new("%s is not a pointer", value_called(value));
    if (type_plain(v, to)->kind == TYPE_VOID)
        return error_new("%s is a void pointer: cast it to a pointer to a type",
                         value_called(value));
    if (value->implied) {
        *ret = value_implied(value, to, 0);
        return NULL;
    }
    err = value_pointer(value, &address);
    if (!err)
        *ret = value_at(v, to, address, value_all_sources(value));
    return err;
}

static struct error *address_of(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct error *err = value_referred(value, &value);
    if (err)
        return err;
    if (value->bit_size)
        return error_new("a bit-field has no address");
    if (!value->in_memory)
        return error_coded(ERROR_UNAVAILABLE, "%s is not in memory, so it has no address",
                           value_called(value));
    *ret = value_of_bytes(v, type_pointer(v, value->type), &value->address, 8);
    (*ret)->from = value->from;
    return NULL;
}

static struct error *on_number(struct evaluation *v, enum tree_op op, struct value *a,
                               struct value **ret)
{
    struct number n;
    struct error *err = rust_looked_through(a, &a);
    if (!err)
        err = value_number(a, &n);
    if (err)
        return err;
    struct type *t = promoted_type(v, a->type);
    if (op == OP_INVERT && rust_is(type_plain(v, a->type)))
        t = type_plain(v, a->type);
    n = number_as(v, n, t);
    if (op == OP_INVERT && n.is_float)
        return error_new("~ does not apply to floating-point numbers");
    if (op == OP_NEG)
        n = (struct number){
            .is_float = n.is_float, .i = (__int128)-(unsigned __int128)n.i, .f = -n.f};
    else if (op == OP_INVERT)
        n.i = ~n.i;
    *ret = value_of_number(v, t, n);
    return NULL;
}

static bool rust_is_number(struct evaluation *v, struct value *value)
{
    struct type *plain = type_plain(v, value->type);
    return v->language == LANGUAGE_RUST && type_is_integral(plain) && plain->kind != TYPE_BOOL;
}

static struct error *evaluate_unary(struct evaluation *v, const struct tree *t,
                                    struct value **ret)
{
    struct value *a;
    bool truth = false;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (err)
        return err;
    if (t->op == OP_ADDRESS)
        return address_of(a, ret);
    if (v->language == LANGUAGE_FORTRAN && t->op != OP_DEREF) {
        err = fortran_target(a, &a);
        if (!err && t->op != OP_NOT && type_plain(v, a->type)->kind == TYPE_COMPLEX)
            return fortran_operation(
                v, t->op == OP_NEG ? OP_SUB : OP_ADD,
                value_of_number(v, fortran_basic_type(v, "integer", 4), (struct number){0}), a,
                ret);
        if (err)
            return err;
    }
    struct shown shown;
    bool is_known = type_plain(v, a->type)->kind == TYPE_STRUCT && show_standard(a, &shown) &&
        shown.target;
    err = is_known ? NULL : evaluate_by_class(v, t->op, a, NULL, ret);
    if (err || (!is_known && *ret))
        return err;
    if (t->op == OP_DEREF)
        return evaluate_dereference(a, ret);
    if (t->op == OP_NOT && rust_is_number(v, a)) {
        err = on_number(v, OP_INVERT, a, ret); /* for a number, Rust's ! is C's ~ */
    } else if (t->op == OP_NOT) {
        err = value_truth(a, &truth);
        *ret = value_of_number(v, comparison_type(v), (struct number){.i = !truth});
    } else {
        err = on_number(v, t->op, a, ret);
    }
    if (!err)
        value_joined(*ret, a, NULL);
    return err;
}

/* --- members, elements ------------------------------------------------------------------------ */

/* Names the type, and the member whose name is nearest to what was typed. */
static struct error *no_member(struct evaluation *v, struct type *plain, const struct tree *t)
{
    struct nearest_word near;
    size_t count;
    const struct member *m = type_members(v, plain, &count);
    nearest_word_begin(&near, t->text);
    for (size_t n = 0; n < count; n++)
        if (m[n].name)
            nearest_word_consider(&near, m[n].name);
    return error_coded(ERROR_NOT_FOUND, near.best ? "%s has no member %s; did you mean %s?"
                                                  : "%s has no member %s",
                       type_called(v, plain), t->text, near.best);
}

static struct error *evaluate_incomplete(const struct type *plain)
{
    return error_new("%s %s is defined nowhere in the debug information", plain->keyword,
                     plain->name ? plain->name : "");
}

static struct error *evaluate_member(struct evaluation *v, const struct tree *t,
                                     struct value **ret)
{
    struct value *a;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (err)
        return err;
    a = go_looked_through(a);
    struct type *plain = type_plain(v, a->type);
    struct shown shown;
    if (rust_is(plain)) {
        err = rust_member(a, t->text, ret);
        return err || *ret ? err : error_coded(ERROR_NOT_FOUND, "there is no field %s", t->text);
    }
    if (v->language == LANGUAGE_FORTRAN) {
        err = fortran_member(a, t->text, ret);
        return err || *ret ? err : error_new("there is no component %s", t->text);
    }
    /* a class that acts as a pointer */
    bool through = t->kind == TREE_ARROW && show_standard(a, &shown) && shown.target;
    /* gdb accepts . for -> and vice versa. */
    if (plain->kind == TYPE_POINTER || plain->kind == TYPE_ARRAY || through) {
        err = evaluate_dereference(a, &a);
        if (!err)
            err = value_referred(a, &a);
        if (err)
            return err;
        plain = type_plain(v, a->type);
    }
    if (plain->kind != TYPE_STRUCT)
        return error_new("%s has no members, so no %s", value_called(a), t->text);
    if (plain->is_incomplete)
        return evaluate_incomplete(plain);
    const char *name = names_last_part(t->text);
    struct type *class = NULL;
    if (name != t->text) {
        char *of = values_copy(v, t->text, (size_t)(name - t->text - 2));
        class = class_named_in(v, plain, of, 0);
        if (!class)
            return error_new("%s is not a base class of %s", of,
                             plain->name ? plain->name : value_called(a));
    }
    err = value_find_member_in(a, class, name, ret);
    if (!err && !*ret)
        err = no_member(v, plain, t);
    return err;
}

/* object.*pointer, object->*pointer. */
static struct error *to_member(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct value *a, *pointer;
    struct number n;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (!err)
        err = evaluate_operand(v, t->b, &pointer);
    if (!err && type_plain(v, a->type)->kind == TYPE_POINTER)
        err = evaluate_dereference(a, &a);
    if (err)
        return err;
    struct type *plain = type_plain(v, pointer->type);
    if (plain->kind != TYPE_MEMBER_POINTER || plain->size != 8)
        return error_new("the operand after * is not a pointer to a data member");
    err = value_number(pointer, &n);
    if (!err && n.i == UINT64_MAX)
        err = error_new("%s is a null pointer to a member", value_called(pointer));
    if (!err) {
        *ret = value_part(a, type_target(v, plain), (u64)n.i);
        (*ret)->from = sources_join(v, (*ret)->from, value_all_sources(pointer));
    }
    return err;
}

/* True if it is the wanted key of a map: the same number, or the same text. */
static bool is_key(struct value *key, struct value *wanted)
{
    struct number x, y;
    struct shown text;
    struct evaluation *v = key->evaluation;
    const struct symbols_host *host = &v->symbols->host;
    if (show_standard(key, &text) && text.is_text && text.width == 1 && wanted->bytes &&
        type_plain(v, wanted->type)->kind == TYPE_ARRAY) {
        u64 length = wanted->size ? wanted->size - 1 : 0;
        u8 *bytes = values_alloc(v, length + 1);
        return text.length == length && host->read(host->context, text.address, bytes, length) &&
               memcmp(bytes, wanted->bytes, length) == 0;
    }
    struct error *err = numbers(key, wanted, &x, &y);
    error_destroy(err);
    return !err && !x.is_float && !y.is_float && x.i == y.i;
}

/* Finds an element of a container, by its index or its key. */
static struct error *element_of_class(struct value *a, struct value *i, struct value **ret)
{
    struct shown shown;
    i64 index;
    if (!show_standard(a, &shown) || shown.style == SHOWN_WORDS) {
        struct error *err = call_operator(a->evaluation, "operator[]", a, i, ret);
        return err || *ret ? err
            : error_new("%s is neither an array nor a pointer, so it has no elements",
                        value_called(a));
    }
    for (size_t n = 0; n < shown.count && shown.keys; n++)
        if (is_key(shown.keys[n], i)) {
            *ret = shown.items[n];
            return NULL;
        }
    if (shown.keys)
        return error_new(shown.more ? "the key is not among the first %zu"
                                    : "there is no such key among the %zu",
                         shown.count);
    struct error *err = value_integer(i, &index);
    if (err)
        return err;
    u64 count = shown.of ? shown.length : shown.count;
    if (index < 0 || (u64)index >= count)
        return error_coded(ERROR_NOT_FOUND, "%s has no element %lld: it has %llu%s",
                           value_called(a), (long long)index, (unsigned long long)count,
                           !shown.of && shown.more ? " and more, which cannot be reached so" : "");
    *ret = shown.of ? value_at(a->evaluation, shown.of, shown.address + (u64)index * shown.of->size,
                               value_all_sources(a))
                    : shown.items[index];
    return NULL;
}

/* Finds an element of an array or through a pointer. */
static struct error *element_of_row(struct value *a, struct value *i, struct value **ret)
{
    struct evaluation *v = a->evaluation;
    struct type *plain = type_plain(v, a->type);
    struct value *pointer;
    i64 index;
    u64 at;
    struct error *err = value_integer(i, &index);
    if (err)
        return err;
    if (plain->kind == TYPE_ARRAY && (!a->in_memory || rust_is(plain))) {
        if (index < 0 || (u64)index >= plain->count)
            return error_coded(ERROR_NOT_FOUND, "%s has no element %lld: it has %llu",
                               value_called(a), (long long)index, (unsigned long long)plain->count);
        *ret = value_element(a, (u64)index);
        return NULL;
    }
    if ((err = value_decay(a, &pointer)))
        return err;
    struct type *to = type_plain(v, pointer->type);
    if (to->kind != TYPE_POINTER)
        return error_new("%s is neither an array nor a pointer, so it has no elements",
                         value_called(a));
    to = type_target(v, to);
    if (pointer->implied && type_plain(v, to)->kind != TYPE_VOID) {
        *ret = value_implied(pointer, to, index);
        return NULL;
    }
    if ((err = value_pointer(pointer, &at)))
        return err;
    if (type_plain(v, to)->kind == TYPE_VOID)
        return error_new("%s is a void pointer: cast it to a pointer to a type", value_called(a));
    if (type_plain(v, to)->is_incomplete && index)
        return evaluate_incomplete(type_plain(v, to));
    *ret = value_at(v, to, at + (u64)index * to->size,
                    plain->kind == TYPE_ARRAY ? a->from : value_all_sources(a));
    return NULL;
}

/* Follows references, shared pointers and cells to what has the elements. */
static struct error *rust_container(struct value *value, struct value **ret)
{
    struct shown shown;
    struct error *err = rust_looked_through(value, ret);
    for (unsigned n = 0;
         n < SHOW_DEPTH && !err && rust_shown(*ret, &shown) && shown.style == SHOWN_ONE; n++)
        err = rust_looked_through(shown.target, ret);
    return err;
}

static struct error *evaluate_element(struct evaluation *v, const struct tree *t,
                                      struct value **ret)
{
    struct value *a, *i;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (!err)
        err = evaluate_operand(v, t->b, &i);
    if (!err)
        err = rust_container(a, &a);
    if (err)
        return err;
    struct type *plain = type_plain(v, a->type);
    struct shown handle;
    bool is_class = plain->kind == TYPE_STRUCT || go_shown_handle(a, &handle);
    if (plain->kind == TYPE_STRUCT && std_is(plain, "array") && std_member(a, "_M_elems"))
        err = element_of_row(std_member(a, "_M_elems"), i, ret);
    else
        err = is_class ? element_of_class(a, i, ret) : element_of_row(a, i, ret);
    if (!err)
        (*ret)->from = sources_join(v, (*ret)->from, value_all_sources(i));
    return err;
}

static struct error *evaluate_slice(struct evaluation *v, const struct tree *t,
                                    struct value **ret)
{
    struct value *a, *n;
    i64 count;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (!err)
        err = evaluate_operand(v, t->b, &n);
    if (!err)
        err = value_integer(n, &count);
    if (err)
        return err;
    if (count <= 0)
        return error_new("the length after @ must be greater than 0");
    if (!a->in_memory)
        return error_new("only something in memory can stand before @");
    *ret = value_at(v, type_array(v, a->type, (u64)count), a->address, a->from);
    (*ret)->from = sources_join(v, a->from, value_all_sources(n));
    return (*ret)->size ? NULL : error_new("the length after @ is too large");
}

/* --- names ------------------------------------------------------------------------------------ */

static struct error *no_debug_symbol(struct evaluation *v, const char *name, struct value **ret)
{
    bool code;
    u64 address;
    if (!names_find_symbol(v->symbols, name, &code, &address))
        return error_coded(ERROR_NOT_FOUND, "there is no symbol %s here", name);
    struct type *t = code ? callable_type_at(v, address) : NULL;
    if (!t) {
        t = type_new(v, code ? TYPE_FUNCTION : TYPE_OTHER,
                     code ? "<text variable, no debug info>" : "<data variable, no debug info>", 1);
        if (code)
            t->target = type_builtin(v, "int");
    }
    *ret = value_at(v, t, address, NULL);
    return NULL;
}

/* For a function that was also inlined, the DIE has a type but no address. The address is taken
 * from its symbol. */
static bool evaluate_by_linkage(struct evaluation *v, const struct name_meaning *m,
                                struct value **ret)
{
    enum { LINKAGE_NAME = 0x6e };
    Dwarf_Attribute a;
    Dwarf_Die die = m->variable.die;
    u64 address;
    const char *name = dwarf_attr_integrate(&die, LINKAGE_NAME, &a) ? dwarf_formstring(&a)
                                                                     : dwarf_diename(&die);
    if (!name || !values_symbol(v, name, &address))
        return false;
    *ret = value_at(v, type_of(v, m->variable.module, &die), address, NULL);
    return true;
}

static struct error *evaluate_this_member(struct evaluation *v, const struct name_meaning *m,
                                          struct value **ret)
{
    struct value *object = variables_this(v);
    *ret = NULL;
    struct error *err = object ? evaluate_dereference(object, &object) : NULL;
    if (!err && object)
        err = value_find_member_in(object, m->class, m->member, ret);
    return err || *ret ? err : error_new("there is no object here that has a member %s", m->member);
}

static struct error *enumerator(struct evaluation *v, const struct name_meaning *m,
                                struct value **ret)
{
    Dwarf_Attribute a;
    Dwarf_Die die = m->variable.die, of = m->of_enum;
    i64 i;
    if (!of.addr || !dwarf_attr(&die, 0x1c /* DW_AT_const_value */, &a) ||
        !variables_number(v, m->variable.module, &a, &i))
        return error_new("the constant has no value");
    *ret = value_of_number(v, type_of(v, m->variable.module, &of), (struct number){.i = i});
    return NULL;
}

struct error *evaluate_meaning(struct evaluation *v, const char *text, const struct name_meaning *m,
                               struct value **ret)
{
    if (m->kind == NAME_TYPE)
        return error_new("%s is a type, and has no value", text);
    if (m->is_member)
        return evaluate_this_member(v, m, ret);
    if (m->kind == NAME_ENUMERATOR)
        return enumerator(v, m, ret);
    if (m->is_of_frame && !m->has_frame)
        return error_new("%s is a local variable, and its function is not being called here", text);
    if (m->is_of_frame)
        return variables_value_in_frame(v, m->frame, &m->variable, ret);
    struct error *err = variables_value(v, &m->variable, ret);
    if (!err || m->kind != NAME_FUNCTION)
        return err;
    error_destroy(err);
    return evaluate_by_linkage(v, m, ret) ? NULL : no_debug_symbol(v, text, ret);
}

static struct error *evaluate_name(struct evaluation *v, const char *text, struct value **ret)
{
    struct name_meaning m;
    if (lookup_value(v, text, &m))
        return evaluate_meaning(v, text, &m, ret);
    return no_debug_symbol(v, v->language == LANGUAGE_RUST ? rust_resolved(v, text) : text, ret);
}

/* `x@entry` */
static struct error *evaluate_entry(struct evaluation *v, const char *text, struct value **ret)
{
    struct found_variable found;
    enum { FORMAL_PARAMETER = 0x05 };
    if (!variables_find(v, text, &found) || dwarf_tag(&found.die) != FORMAL_PARAMETER)
        return error_new("%s@entry needs a parameter, and %s is not a parameter of this function",
                         text, text);
    *ret = variables_at_entry(v, &found);
    return *ret ? NULL
                : error_new("the debug information does not say what %s was at the entry", text);
}

static struct error *file_name(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct name_meaning m;
    if (!lookup_in_file(v, t->file, t->text, NAME_VALUES | 1u << NAME_TYPE | NAME_NO_TAGS, &m))
        return error_coded(ERROR_NOT_FOUND, "there is no symbol %s in %s", t->text, t->file);
    return evaluate_meaning(v, t->text, &m, ret);
}

static struct error *evaluate_string(struct evaluation *v, const struct tree *t,
                                     struct value **ret)
{
    struct type *type = type_array(v, type_builtin(v, "char"), t->length + 1);
    *ret = value_of_bytes(v, type, t->text, t->length);
    return NULL;
}

static struct error *evaluate_text(struct evaluation *v, const struct tree *t, struct value **ret)
{
    *ret = value_of_bytes(v, fortran_string_of(v, t->length), t->text, t->length);
    return NULL;
}

static struct error *evaluate_intrinsic(struct evaluation *v, const struct tree *t,
                                        struct value **ret)
{
    struct tree *const *arguments = t->arguments.items;
    struct value **values = values_alloc(v, (t->arguments.count + 1) * sizeof *values);
    struct error *err = NULL;
    for (size_t n = 0; n < t->arguments.count && !err; n++)
        err = arguments[n]->kind == TREE_RANGE
                  ? error_new("a range cannot be an argument of %s", t->text)
                  : evaluate_operand(v, arguments[n], &values[n]);
    if (!err)
        err = fortran_call(v, t->text, values, t->arguments.count, ret);
    for (size_t n = 0; n < t->arguments.count && !err; n++)
        (*ret)->from = sources_join(v, (*ret)->from, value_all_sources(values[n]));
    return err;
}

static struct error *evaluate_logical(struct evaluation *v, const struct tree *t,
                                      struct value **ret)
{
    struct value *a, *b = NULL;
    bool truth;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (!err)
        err = value_truth(a, &truth);
    if (!err && truth == (t->kind == TREE_AND)) {
        err = evaluate_operand(v, t->b, &b);
        if (!err)
            err = value_truth(b, &truth);
    }
    if (err)
        return err;
    *ret = value_joined(value_of_number(v, comparison_type(v), (struct number){.i = truth}), a, b);
    return NULL;
}

static struct error *evaluate_condition(struct evaluation *v, const struct tree *t,
                                        struct value **ret)
{
    struct value *a;
    bool truth;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (!err)
        err = value_truth(a, &truth);
    if (!err)
        err = evaluate(v, truth ? t->b : t->c, ret);
    if (!err && *ret)
        (*ret)->from = sources_join(v, (*ret)->from, value_all_sources(a));
    return err;
}

static struct error *evaluate_size_of(struct evaluation *v, const struct tree *t,
                                      struct value **ret)
{
    struct value *a = NULL;
    bool only_types = v->only_types;
    v->only_types = true;
    struct error *err = t->a ? evaluate_operand(v, t->a, &a) : NULL;
    v->only_types = only_types;
    if (err)
        return err;
    *ret = value_of_integer(v, "unsigned long", (i64)(a ? a->type->size : t->type->size));
    return NULL;
}

/* {type} address: if the operand is not a number, its address is used. */
static struct error *evaluate_at_type(struct evaluation *v, const struct tree *t,
                                      struct value **ret)
{
    struct value *a;
    u64 address;
    struct error *err = evaluate_operand(v, t->a, &a);
    if (err)
        return err;
    if (type_plain(v, a->type)->kind == TYPE_ARRAY && !a->in_memory && a->bytes &&
        t->type->size <= a->size) {
        *ret = value_part(a, t->type, 0); /* {char[3]}"abc": without the null terminator */
        return NULL;
    }
    if (type_plain(v, a->type)->kind == TYPE_STRUCT && a->in_memory)
        address = a->address;
    else if ((err = value_pointer(a, &address)))
        return err;
    *ret = value_at(v, t->type, address, value_all_sources(a));
    return NULL;
}

static struct error *evaluate_cast(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct value *a;
    struct error *err = t->a->kind == TREE_CALL ? evaluate_call(v, t->a, t->type, &a)
                                                : evaluate(v, t->a, &a);
    if (!err)
        err = value_referred(a, &a);
    return err ? err : value_cast(a, t->type, ret);
}

static struct error *evaluate_tree(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct error *err;
    switch (t->kind) {
    case TREE_NUMBER: *ret = value_of_number(v, t->type, t->number); return NULL;
    case TREE_STRING: return evaluate_string(v, t, ret);
    case TREE_NAME: return evaluate_name(v, t->text, ret);
    case TREE_ENTRY: return evaluate_entry(v, t->text, ret);
    case TREE_FILE_NAME: return file_name(v, t, ret);
    case TREE_REGISTER:
        return variables_register(v, t->text, ret) ? NULL : conveniences_find(v, t->text, ret);
    case TREE_UNARY: return evaluate_unary(v, t, ret);
    case TREE_BINARY: return tree_compares_text(t) ? evaluate_compare_text(v, t, ret)
                                                   : evaluate_binary(v, t, ret);
    case TREE_AND:
    case TREE_OR: return evaluate_logical(v, t, ret);
    case TREE_CONDITION: return evaluate_condition(v, t, ret);
    case TREE_COMMA:
        err = evaluate(v, t->a, ret);
        return err ? err : evaluate(v, t->b, ret);
    case TREE_MEMBER:
    case TREE_ARROW: return evaluate_member(v, t, ret);
    case TREE_TO_MEMBER: return to_member(v, t, ret);
    case TREE_INDEX: return evaluate_element(v, t, ret);
    case TREE_SLICE: return evaluate_slice(v, t, ret);
    case TREE_CAST: return evaluate_cast(v, t, ret);
    case TREE_SIZEOF:
    case TREE_SIZEOF_TYPE: return evaluate_size_of(v, t, ret);
    case TREE_CALL: return evaluate_call(v, t, NULL, ret);
    case TREE_ASSIGN: return evaluate_assign(v, t, ret);
    case TREE_COUNT: return evaluate_count(v, t, ret);
    case TREE_AT_TYPE: return evaluate_at_type(v, t, ret);
    case TREE_TYPE: return error_new("that is a type, and has no value");
    case TREE_TEXT: return evaluate_text(v, t, ret);
    case TREE_SUBSCRIPT: return fortran_subscript(v, t, ret);
    case TREE_COMPLEX: return fortran_complex(v, t, ret);
    case TREE_INTRINSIC: return evaluate_intrinsic(v, t, ret);
    case TREE_RANGE: return error_new("a range can only be a subscript");
    }
    return error_coded(ERROR_MISUSED, "the expression is not understood");
}

struct error *evaluate(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct error *err = evaluate_tree(v, t, ret);
    if (!err && *ret && t->spelled)
        (*ret)->spelled = t->spelled;
    return err;
}

struct error *values_evaluate(struct evaluation *v, const char *expression, struct value **ret)
{
    struct tree *t;
    struct value *value;
    struct error *err = error_default(parse_expression(v, expression, &t), ERROR_MISUSED);
    if (!err)
        err = evaluate(v, t, &value);
    if (!err && !value->bytes && type_plain(v, value->type)->kind != TYPE_ARRAY &&
        type_plain(v, value->type)->kind != TYPE_FUNCTION)
        err = value_load(value);
    if (!err && !value->bytes && type_plain(v, value->type)->kind == TYPE_ARRAY && value->size)
        err = value_load(value_element(value, 0)); /* of an array, that there is some of it */
    if (!err && type_plain(v, value->type)->kind == TYPE_OTHER &&
        !type_plain(v, value->type)->has_die)
        err = error_new("%s has no debug information: cast it to its type", expression);
    if (!err)
        *ret = value;
    return error_default(err, ERROR_UNAVAILABLE);
}

struct error *values_is_condition(struct evaluation *v, const char *expression, bool *ret)
{
    struct tree *t;
    struct error *err = error_default(parse_expression(v, expression, &t), ERROR_MISUSED);
    if (!err)
        *ret = t->kind == TREE_AND || t->kind == TREE_OR ||
               (t->kind == TREE_UNARY && t->op == OP_NOT) ||
               (t->kind == TREE_BINARY && evaluate_is_comparison(t->op));
    return err;
}

struct error *values_ptype(struct evaluation *v, const char *what, enum ptype_manner manner,
                           char **ret)
{
    struct tree *t;
    struct value *value;
    struct error *err = error_default(parse_expression(v, what, &t), ERROR_MISUSED);
    if (err)
        return err;
    struct type *type = t->type;
    if (t->kind != TREE_TYPE) {
        v->only_types = true;
        err = evaluate(v, t, &value);
        v->only_types = false;
        if (err)
            return err;
        type = value->type;
    } else if (manner == PTYPE_NAME && type->kind == TYPE_TYPEDEF) {
        type = type_target(v, type); /* whatis removes one level of typedef */
    }
    *ret =
        manner == PTYPE_NAME ? type_text(v, type) : type_expanded(v, type, manner == PTYPE_OFFSETS);
    return NULL;
}
