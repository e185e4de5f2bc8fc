/* Parts of Fortran expressions that C does not have: subscripts and sections, substrings,
 * components of types that extend others, complex numbers, comparison of blank-padded texts, and
 * pointers that stand for their targets. */
#include <complex.h>
#include <math.h>

#include "symbols/fortran_internal.h"

/* --- looking through -------------------------------------------------------------------------- */

/* CHARACTER(:), ALLOCATABLE or POINTER: a pointer to text whose length is in a separate
 * variable. */
struct value *fortran_looked_through(struct value *value)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    u64 address;
    if (plain->kind != TYPE_POINTER || !plain->has_die)
        return value;
    struct type *to = type_plain(v, type_target(v, plain));
    if (!to->is_string || !to->is_dynamic)
        return value;
    struct error *err = value_pointer(value, &address);
    error_destroy(err);
    if (err || !address)
        return value;
    struct value *text = value_at(v, to, address, value_all_sources(value));
    return type_plain(v, text->type)->is_counted ? text : value;
}

struct value *fortran_of_frame(struct value *value)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    struct value *text = fortran_looked_through(value);
    if (text != value || plain->kind != TYPE_POINTER ||
        !type_plain(v, type_target(v, plain))->is_string)
        return text;
    value->type = type_pointer(v, type_target(v, plain));
    return value;
}

struct error *fortran_target(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    *ret = fortran_looked_through(value);
    if (*ret != value || plain->kind != TYPE_POINTER || !plain->has_die || !fortran_is(plain))
        return NULL;
    struct type *to = type_plain(v, type_target(v, plain));
    u64 address;
    if (to->kind == TYPE_FUNCTION || to->kind == TYPE_VOID)
        return NULL;
    struct error *err = value_pointer(value, &address);
    if (!err && !address)
        err = error_new("%s is not associated or not allocated", value_called(value));
    if (!err)
        *ret = value_at(v, type_target(v, plain), address, value_all_sources(value));
    return err;
}

/* --- components ------------------------------------------------------------------------------- */

/* Finds the text of a CHARACTER(:) component, whose length is another component. */
static struct value *component_text(struct value *whole, const char *name, struct value *value)
{
    struct evaluation *v = whole->evaluation;
    struct type *plain = type_plain(v, value->type);
    struct value *length;
    u64 address;
    i64 count;
    if (plain->kind != TYPE_POINTER || !type_plain(v, type_target(v, plain))->is_string)
        return value;
    char *beside = xformat("_%s_length", name);
    struct error *err = value_find_member(whole, beside, &length);
    free(beside);
    if (!err && length)
        err = value_integer(length, &count);
    if (!err && length)
        err = value_pointer(value, &address);
    error_destroy(err);
    if (err || !length || count < 0 || !address)
        return value;
    return value_at(v, fortran_string_of(v, (u64)count), address,
                    sources_join(v, value_all_sources(value), value_all_sources(length)));
}

struct error *fortran_member(struct value *value, const char *name, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    size_t count;
    *ret = NULL;
    struct error *err = fortran_target(value, &value);
    if (err)
        return err;
    struct type *plain = type_plain(v, value->type);
    if (plain->kind != TYPE_STRUCT)
        return error_new("%s has no components, so no %s", value_called(value), name);
    err = value_find_member(value, name, ret);
    if (err || *ret) {
        *ret = *ret ? component_text(value, name, *ret) : NULL;
        return err;
    }
    const struct member *m = type_members(v, plain, &count);
    if (!count || !m[0].name)
        return NULL;
    /* A type that extends another has that one as its first component; a CLASS variable has
     * _data. */
    struct type *inner = type_plain(v, m[0].type);
    bool is_parent = inner->kind == TYPE_STRUCT && inner->name &&
                     strcasecmp(inner->name, m[0].name) == 0;
    if (is_parent || strcmp(m[0].name, "_data") == 0)
        return fortran_member(value_member(value, &m[0]), name, ret);
    return NULL;
}

/* --- subscripts ------------------------------------------------------------------------------- */

/* One dimension of a section: its first element, and how many there are. */
struct fortran_cut {
    i64 first, step;
    u64 count;
    bool is_index; /* the dimension is removed */
};

static struct error *subscript_number(struct evaluation *v, const struct tree *t, i64 *ret,
                                      const struct sources **from)
{
    struct value *value;
    struct error *err = evaluate_operand(v, t, &value);
    if (!err)
        err = fortran_target(value, &value);
    if (!err)
        err = value_integer(value, ret);
    if (!err)
        *from = sources_join(v, *from, value_all_sources(value));
    return err;
}

static struct error *no_element(const struct type *row, i64 index)
{
    if (!row->is_counted)
        return error_coded(ERROR_NOT_FOUND, "there is no element %lld: the first is %lld",
                           (long long)index, (long long)row->lower);
    return error_coded(ERROR_NOT_FOUND, "there is no element %lld: the bounds are %lld:%lld",
                       (long long)index, (long long)row->lower,
                       (long long)(row->lower + (i64)row->count - 1));
}

static bool is_within(const struct type *row, i64 index)
{
    return index >= row->lower && (!row->is_counted || index < row->lower + (i64)row->count);
}

static struct error *cut_dimension(struct evaluation *v, const struct type *row,
                                   const struct tree *t, const struct sources **from,
                                   struct fortran_cut *ret)
{
    struct error *err = NULL;
    i64 last = row->lower + (i64)row->count - 1;
    *ret = (struct fortran_cut){.first = row->lower, .step = 1, .count = 1};
    if (t->kind != TREE_RANGE) {
        ret->is_index = true;
        err = subscript_number(v, t, &ret->first, from);
        return err || is_within(row, ret->first) ? err : no_element(row, ret->first);
    }
    if (t->c)
        err = subscript_number(v, t->c, &ret->step, from);
    if (!err && !ret->step)
        err = error_new("the step of a section cannot be 0");
    if (!err && ret->step < 0) {
        ret->first = last;
        last = row->lower;
    }
    if (!err && t->a)
        err = subscript_number(v, t->a, &ret->first, from);
    if (!err && t->b)
        err = subscript_number(v, t->b, &last, from);
    else if (!err && !row->is_counted)
        err = error_new("the last bound of the array is not known: write it in the section");
    if (err)
        return err;
    i64 span = ret->step > 0 ? last - ret->first : ret->first - last;
    i64 step = ret->step > 0 ? ret->step : -ret->step;
    ret->count = span < 0 ? 0 : (u64)(span / step) + 1;
    i64 end = ret->first + ((i64)ret->count - 1) * ret->step;
    if (ret->count && !is_within(row, ret->first))
        return no_element(row, ret->first);
    return ret->count && !is_within(row, end) ? no_element(row, end) : NULL;
}

/* Returns the array type of a section; its elements are `of`. */
static struct type *cut_type(struct evaluation *v, struct type *of, const struct fortran_cut *cuts,
                             struct type *const *rows, unsigned rank)
{
    for (unsigned n = 0; n < rank; n++) {
        if (cuts[n].is_index)
            continue;
        struct type *t = type_array(v, of, cuts[n].count);
        t->language = LANGUAGE_FORTRAN;
        t->lower = 1;
        t->stride = type_stride(v, rows[n]) * cuts[n].step;
        of = t;
    }
    return of;
}

static struct error *fortran_section(struct value *value, const struct fortran_cut *cuts,
                                     struct type *const *rows, unsigned rank, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    u64 address = value->address;
    struct type *of = type_target(v, rows[0]);
    if (!value->in_memory)
        return error_new("only an array in memory has sections");
    for (unsigned n = 0; n < rank; n++)
        address += (u64)((cuts[n].first - rows[n]->lower) * type_stride(v, rows[n]));
    *ret = value_at(v, cut_type(v, of, cuts, rows, rank), address, value->from);
    return NULL;
}

/* Returns an element of an array that need not be in memory. */
static struct value *fortran_element(struct value *value, const struct fortran_cut *cuts,
                                     struct type *const *rows, unsigned rank)
{
    for (unsigned n = rank; n-- > 0;)
        value = value_element(value, (u64)(cuts[n].first - rows[n]->lower));
    return value;
}

static struct error *subscript_array(struct evaluation *v, struct value *value,
                                     const struct tree *t, struct value **ret)
{
    struct fortran_cut cuts[FORTRAN_RANK_MOST];
    struct type *rows[FORTRAN_RANK_MOST], *plain = type_plain(v, value->type);
    struct tree *const *arguments = t->arguments.items;
    unsigned rank = fortran_rank(v, plain);
    bool is_element = true;
    const struct sources *from = NULL;
    if (plain->absent)
        return error_new("%s is %s", value_called(value), plain->absent);
    if (t->arguments.count != rank)
        return error_new("the array has %u dimension%s, not %zu", rank, rank == 1 ? "" : "s",
                         t->arguments.count);
    for (unsigned n = 0; n < rank; n++) {
        rows[n] = fortran_dimension(v, plain, n + 1);
        struct error *err = cut_dimension(v, rows[n], arguments[n], &from, &cuts[n]);
        if (err)
            return err;
        is_element &= cuts[n].is_index;
    }
    struct error *err = NULL;
    if (is_element)
        *ret = fortran_element(value, cuts, rows, rank);
    else
        err = fortran_section(value, cuts, rows, rank, ret);
    if (!err && from)
        (*ret)->from = sources_join(v, (*ret)->from, from);
    return err;
}

static struct error *substring(struct evaluation *v, struct value *value, const struct tree *t,
                               struct value **ret)
{
    struct type *plain = type_plain(v, value->type);
    struct tree *const *arguments = t->arguments.items;
    struct fortran_cut cut;
    const struct sources *from = NULL;
    if (t->arguments.count != 1 || (arguments[0]->kind == TREE_RANGE && arguments[0]->c))
        return error_new("a part of a text is written as text(2:5)");
    struct error *err = cut_dimension(v, plain, arguments[0], &from, &cut);
    if (err)
        return err;
    struct type *of = type_target(v, plain);
    if (cut.is_index) {
        *ret = value_element(value, (u64)(cut.first - 1));
    } else {
        struct type *part = type_array(v, of, cut.count);
        part->language = LANGUAGE_FORTRAN;
        part->lower = 1;
        part->is_string = true;
        *ret = value_part(value, part, cut.count ? (u64)(cut.first - 1) * of->size : 0);
    }
    if (from)
        (*ret)->from = sources_join(v, (*ret)->from, from);
    return NULL;
}

/* The array of a CLASS variable is one of its components. */
static struct error *class_data(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct value *data = NULL;
    struct error *err = NULL;
    *ret = value;
    if (type_plain(v, value->type)->kind == TYPE_STRUCT)
        err = value_find_member(value, "_data", &data);
    if (!err && data)
        *ret = data;
    return err;
}

struct error *fortran_subscript(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct value *value;
    struct error *err = evaluate_operand(v, t->a, &value);
    if (!err)
        err = fortran_target(value, &value);
    if (!err)
        err = class_data(value, &value);
    if (err)
        return err;
    struct type *plain = type_plain(v, value->type);
    if (plain->kind == TYPE_FUNCTION)
        return error_new("%s is a procedure: procedures of Fortran are not called here",
                         value_called(value));
    if (plain->kind != TYPE_ARRAY || !fortran_is(plain))
        return error_new("%s is not an array, so it has no elements",
                         value_called(value));
    return plain->is_string ? substring(v, value, t, ret) : subscript_array(v, value, t, ret);
}

/* --- complex numbers -------------------------------------------------------------------------- */

struct error *fortran_halves(struct value *value, struct number ret[2])
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    ret[1] = (struct number){.is_float = true};
    if (plain->kind != TYPE_COMPLEX)
        return value_number(value, &ret[0]);
    struct type *half = type_new(v, TYPE_FLOAT, plain->name, plain->size / 2);
    struct error *err = value_load(value);
    if (!err)
        err = value_number(value_part(value, half, 0), &ret[0]);
    return err ? err : value_number(value_part(value, half, half->size), &ret[1]);
}

struct value *fortran_complex_of(struct evaluation *v, unsigned kind, const struct number halves[2])
{
    struct type *t = fortran_basic_type(v, "complex", kind);
    struct type *half = type_new(v, TYPE_FLOAT, t->name, t->size / 2);
    struct value *value = value_new(v, t);
    value->bytes = values_alloc(v, t->size + 1);
    value->room = t->size;
    for (unsigned n = 0; n < 2; n++)
        memcpy(value->bytes + n * half->size, value_of_number(v, half, halves[n])->bytes,
               half->size);
    return value;
}

struct error *fortran_complex(struct evaluation *v, const struct tree *t, struct value **ret)
{
    struct value *parts[2];
    struct number halves[2];
    struct error *err = evaluate_operand(v, t->a, &parts[0]);
    if (!err)
        err = evaluate_operand(v, t->b, &parts[1]);
    for (unsigned n = 0; n < 2 && !err; n++)
        err = value_number(parts[n], &halves[n]);
    if (err)
        return err;
    *ret = value_joined(fortran_complex_of(v, 8, halves), parts[0], parts[1]);
    return NULL;
}

static bool is_complex(struct value *value)
{
    return type_plain(value->evaluation, value->type)->kind == TYPE_COMPLEX;
}

static long double number_float(struct number n)
{
    return n.is_float ? n.f : (long double)n.i;
}

static long double complex complex_power(long double complex a, long double complex b)
{
    long double whole = creall(b);
    if (cimagl(b) != 0 || whole != rintl(whole) || fabsl(whole) > 1 << 20)
        return cpowl(a, b);
    long double complex result = 1;
    for (unsigned n = (unsigned)fabsl(whole); n; n >>= 1, a *= a)
        result *= n & 1 ? a : 1;
    return whole < 0 ? 1 / result : result;
}

static struct error *complex_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                       struct value *b, struct value **ret)
{
    struct number x[2], y[2];
    struct error *err = fortran_halves(a, x);
    if (!err)
        err = fortran_halves(b, y);
    if (err)
        return err;
    long double complex p = __builtin_complex(number_float(x[0]), number_float(x[1]));
    long double complex q = __builtin_complex(number_float(y[0]), number_float(y[1])), r;
    switch (op) {
    case OP_ADD: r = p + q; break;
    case OP_SUB: r = p - q; break;
    case OP_MUL: r = p * q; break;
    case OP_DIV: r = p / q; break;
    case OP_POWER: r = complex_power(p, q); break;
    case OP_EQ:
    case OP_NE:
        *ret = value_of_number(v, comparison_type(v),
                               (struct number){.i = (p == q) == (op == OP_EQ)});
        return NULL;
    default: return error_new("the operation does not apply to complex numbers");
    }
    struct number halves[2] = {{.is_float = true, .f = creall(r)},
                               {.is_float = true, .f = cimagl(r)}};
    u64 size = is_complex(a) ? type_plain(v, a->type)->size : 0;
    if (is_complex(b) && type_plain(v, b->type)->size > size)
        size = type_plain(v, b->type)->size;
    *ret = fortran_complex_of(v, size > 16 ? 16 : 8, halves);
    if (size == 8)
        *ret = fortran_complex_of(v, 4, halves);
    return NULL;
}

/* --- numbers and texts ------------------------------------------------------------------------ */

struct error *fortran_power(struct evaluation *v, struct value *a, struct value *b,
                            struct value **ret)
{
    struct number x, y;
    if (is_complex(a) || is_complex(b))
        return complex_operation(v, OP_POWER, a, b, ret);
    struct error *err = value_number(a, &x);
    if (!err)
        err = value_number(b, &y);
    if (err)
        return err;
    struct type *t = arithmetic_type(v, a->type, b->type);
    if (x.is_float || y.is_float) {
        long double f = powl(number_float(x), number_float(y));
        if (t->size <= 8)
            f = pow((double)number_float(x), (double)number_float(y));
        *ret = value_of_number(v, t, (struct number){.is_float = true, .f = f});
        return NULL;
    }
    unsigned __int128 result = 1, factor = (unsigned __int128)x.i;
    if (y.i < 0 && !x.i)
        return error_new("division by zero");
    if (y.i < 0) /* the quotient, an integer */
        result = x.i == 1 || (x.i == -1 && !(y.i & 1)) ? 1 : x.i == -1 ? (unsigned __int128)-1 : 0;
    for (unsigned __int128 n = y.i < 0 ? 0 : (unsigned __int128)y.i; n; n >>= 1, factor *= factor)
        result *= n & 1 ? factor : 1;
    *ret = value_of_number(v, t, (struct number){.i = (__int128)result});
    return NULL;
}

static bool is_text(struct value *value)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    return plain->kind == TYPE_ARRAY && plain->is_string;
}

/* The shorter text is padded with blanks. */
static struct error *compare_texts(struct evaluation *v, enum tree_op op, struct value *a,
                                   struct value *b, struct value **ret)
{
    struct error *err = value_load(a);
    if (!err)
        err = value_load(b);
    if (err)
        return err;
    if (value_is_missing(a, 0, a->size) || value_is_missing(b, 0, b->size))
        return error_coded(ERROR_UNAVAILABLE, "%s is optimised out",
                           value_called(value_is_missing(a, 0, a->size) ? a : b));
    u64 length = a->size > b->size ? a->size : b->size;
    int order = 0;
    for (u64 n = 0; n < length && !order; n++)
        order = (n < a->size ? a->bytes[n] : ' ') - (n < b->size ? b->bytes[n] : ' ');
    bool truth = op == OP_EQ   ? !order
                 : op == OP_NE ? order
                 : op == OP_LT ? order < 0
                 : op == OP_GT ? order > 0
                 : op == OP_LE ? order <= 0
                               : order >= 0;
    if (op < OP_EQ || op > OP_GE)
        return error_new("the operation does not apply to texts");
    *ret = value_of_number(v, comparison_type(v), (struct number){.i = truth});
    return NULL;
}

/* 0.1 is a real(4) in Fortran, and a real(8) in gdb. In a comparison with a real(4) it is taken as
 * the former. */
static struct value *literal_as(struct value *value, struct value *other)
{
    struct evaluation *v = value->evaluation;
    struct type *own = type_plain(v, value->type), *to = type_plain(v, other->type);
    struct number n;
    if (!own->name || strcmp(own->name, "real*8") != 0 || to->kind != TYPE_FLOAT || to->size != 4)
        return value;
    error_destroy(value_number(value, &n));
    return value_of_number(v, to, n);
}

struct error *fortran_operation(struct evaluation *v, enum tree_op op, struct value *a,
                                struct value *b, struct value **ret)
{
    struct error *err = fortran_target(a, &a);
    *ret = NULL;
    if (!err)
        err = fortran_target(b, &b);
    if (err)
        return err;
    if (is_text(a) && is_text(b))
        err = compare_texts(v, op, a, b, ret);
    else if (op == OP_POWER)
        err = fortran_power(v, a, b, ret);
    else if (is_complex(a) || is_complex(b))
        err = complex_operation(v, op, a, b, ret);
    else if (type_plain(v, a->type)->kind == TYPE_ARRAY ||
             type_plain(v, b->type)->kind == TYPE_ARRAY)
        err = error_new("the operation is for one number at a time, not for whole arrays");
    else if (op >= OP_EQ && op <= OP_GE)
        err = evaluate_operation(v, op, literal_as(a, b), literal_as(b, a), ret);
    else
        err = evaluate_operation(v, op, a, b, ret);
    if (!err)
        value_joined(*ret, a, b);
    return err;
}
