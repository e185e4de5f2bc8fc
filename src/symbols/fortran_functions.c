/* Intrinsic functions of Fortran in expressions: those that gdb has, and some more.
 *
 * A table has the names and the numbers of arguments; fortran_call() checks these and computes the
 * result. Arguments that are pointers or references are followed first, except where the function
 * asks about the pointer itself (allocated, associated).
 */
#include <math.h>

#include "symbols/fortran_internal.h"

struct fortran_arguments {
    struct evaluation *v;
    const char *name;
    struct value **values;
    size_t count;
};

static struct value *of_integer(struct evaluation *v, i64 i, unsigned kind)
{
    return value_of_number(v, fortran_basic_type(v, "integer", kind), (struct number){.i = i});
}

static struct type *argument_type(const struct fortran_arguments *a, size_t n)
{
    return type_plain(a->v, a->values[n]->type);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The type of one half of a complex number. */
static struct type *half_type(const struct fortran_arguments *a, const struct type *complex)
{
    return fortran_basic_type(a->v, "real", complex->size > 16 ? 16 : (unsigned)complex->size / 2);
}

static struct error *abs_of(struct fortran_arguments *a, struct value **ret)
{
    struct number n[2];
    struct type *t = argument_type(a, 0);
    struct error *err = fortran_halves(a->values[0], n);
    if (err)
        return err;
    if (t->kind == TYPE_COMPLEX) {
        struct number size = {.is_float = true, .f = hypotl(n[0].f, n[1].f)};
        *ret = value_of_number(a->v, half_type(a, t), size);
        return NULL;
    }
    if (n[0].is_float)
        n[0].f = fabsl(n[0].f);
    else if (n[0].i < 0)
        n[0].i = -n[0].i;
    *ret = value_of_number(a->v, t, n[0]);
    return NULL;
}

static long double as_float(struct number n)
{
    return n.is_float ? n.f : (long double)n.i;
}

static struct error *remainder_of(struct fortran_arguments *a, bool floored, struct value **ret)
{
    struct number x, y, r;
    struct error *err = value_number(a->values[0], &x);
    if (!err)
        err = value_number(a->values[1], &y);
    if (!err && (y.is_float ? y.f == 0 : y.i == 0))
        err = error_new("division by zero");
    if (err)
        return err;
    struct type *t = arithmetic_type(a->v, a->values[0]->type, a->values[1]->type);
    if (x.is_float || y.is_float) {
        long double p = as_float(x), q = as_float(y);
        r = (struct number){.is_float = true, .f = floored ? p - q * floorl(p / q) : fmodl(p, q)};
    } else {
        r = (struct number){.i = y.i == -1 ? 0 : x.i % y.i};
        if (floored && r.i && (r.i < 0) != (y.i < 0))
            r.i += y.i;
    }
    *ret = value_of_number(a->v, t, r);
    return NULL;
}

static struct error *rounded(struct fortran_arguments *a, long double (*round)(long double),
                             struct value **ret)
{
    struct number x = {0};
    struct error *err = value_number(a->values[0], &x);
    if (!err && x.is_float)
        x = (struct number){.is_float = true, .f = round(x.f)};
    bool wide = argument_type(a, 0)->size > 4 && !x.is_float;
    if (!err)
        *ret = value_of_number(a->v, fortran_basic_type(a->v, "integer", wide ? 8 : 4), x);
    return err;
}

static struct error *real_of(struct fortran_arguments *a, unsigned kind, struct value **ret)
{
    struct number n[2];
    i64 asked = kind;
    struct error *err = fortran_halves(a->values[0], n);
    if (!err && a->count > 1)
        err = value_integer(a->values[1], &asked);
    struct type *t = argument_type(a, 0);
    if (a->count == 1 && t->kind == TYPE_COMPLEX && kind == 4)
        asked = t->size == 8 ? 4 : t->size == 16 ? 8 : 16;
    if (!err && asked != 4 && asked != 8 && asked != 10 && asked != 16)
        err = error_new("there is no real(kind=%lld)", (long long)asked);
    if (!err)
        *ret = value_of_number(a->v, fortran_basic_type(a->v, "real", (unsigned)asked), n[0]);
    return err;
}

static struct error *imaginary_of(struct fortran_arguments *a, struct value **ret)
{
    struct number n[2];
    struct type *t = argument_type(a, 0);
    struct error *err = t->kind == TYPE_COMPLEX ? fortran_halves(a->values[0], n)
                                                : error_new("aimag is for complex numbers");
    if (!err)
        *ret = value_of_number(a->v, half_type(a, t), n[1]);
    return err;
}

static struct error *complex_made(struct fortran_arguments *a, struct value **ret)
{
    struct number halves[2] = {{0}, {.is_float = true}};
    i64 kind = 4;
    struct error *err = fortran_halves(a->values[0], halves);
    if (!err && a->count > 1)
        err = value_number(a->values[1], &halves[1]);
    if (!err && a->count > 2)
        err = value_integer(a->values[2], &kind);
    if (!err && kind != 4 && kind != 8 && kind != 10 && kind != 16)
        err = error_new("there is no complex(kind=%lld)", (long long)kind);
    if (!err)
        *ret = fortran_complex_of(a->v, (unsigned)kind, halves);
    return err;
}

static struct error *extreme(struct fortran_arguments *a, bool largest, struct value **ret)
{
    struct number best, n;
    struct error *err = value_number(a->values[0], &best);
    *ret = a->values[0];
    for (size_t k = 1; k < a->count && !err; k++) {
        err = value_number(a->values[k], &n);
        if (!err && (largest ? as_float(n) > as_float(best) : as_float(n) < as_float(best))) {
            best = n;
            *ret = a->values[k];
        }
    }
    return err;
}

static struct error *root_of(struct fortran_arguments *a, struct value **ret)
{
    struct number x;
    struct error *err = value_number(a->values[0], &x);
    struct type *t = argument_type(a, 0);
    if (!err)
        *ret = value_of_number(a->v,
                               t->kind == TYPE_FLOAT ? t : fortran_basic_type(a->v, "real", 8),
                               (struct number){.is_float = true, .f = sqrtl(as_float(x))});
    return err;
}

/* --- arrays and texts ------------------------------------------------------------------------- */

static struct error *array_of(struct fortran_arguments *a, struct type **ret)
{
    struct type *t = argument_type(a, 0);
    if (t->kind != TYPE_ARRAY || t->is_string || !fortran_is(t))
        return error_new("%s is for arrays", a->name);
    if (t->absent)
        return error_new("the array is %s", t->absent);
    *ret = t;
    return NULL;
}

static i64 bound(const struct type *row, bool upper)
{
    return upper ? row->lower + (i64)row->count - 1 : row->lower;
}

/* Returns one number of a dimension, or those of all dimensions; `what` is l(bound), u(bound) or
 * s(ize). */
static struct error *about_dimensions(struct fortran_arguments *a, char what, struct value **ret)
{
    struct type *t;
    i64 dimension = 0, all[FORTRAN_RANK_MOST];
    struct error *err = array_of(a, &t);
    if (!err && a->count > 1)
        err = value_integer(a->values[1], &dimension);
    if (err)
        return err;
    unsigned rank = fortran_rank(a->v, t);
    if (a->count > 1 && (dimension < 1 || dimension > rank))
        return error_new("the array has %u dimension%s, not %lld", rank, rank == 1 ? "" : "s",
                         (long long)dimension);
    for (unsigned n = 0; n < rank; n++) {
        struct type *row = fortran_dimension(a->v, t, n + 1);
        if (!row->is_counted && what != 'l' && (!dimension || dimension == n + 1))
            return error_new("the last bound of the array is not known");
        all[n] = what == 's' ? (i64)row->count : bound(row, what == 'u');
    }
    if (dimension) {
        *ret = of_integer(a->v, all[dimension - 1], 4);
        return NULL;
    }
    struct type *row = type_array(a->v, fortran_basic_type(a->v, "integer", 8), rank);
    row->language = LANGUAGE_FORTRAN;
    row->lower = 1;
    *ret = value_of_bytes(a->v, row, all, rank * sizeof *all);
    return NULL;
}

static struct error *size_of_array(struct fortran_arguments *a, struct value **ret)
{
    struct type *t;
    u64 count = 1;
    struct error *err = array_of(a, &t);
    if (err || a->count > 1)
        return err ? err : about_dimensions(a, 's', ret);
    for (unsigned n = fortran_rank(a->v, t); n > 0; n--) {
        struct type *row = fortran_dimension(a->v, t, n);
        if (!row->is_counted)
            return error_new("the last bound of the array is not known");
        count *= row->count;
    }
    *ret = of_integer(a->v, (i64)count, 4);
    return NULL;
}

static struct error *has_data(struct fortran_arguments *a, struct value **ret)
{
    struct type *t = argument_type(a, 0);
    u64 address = 1;
    struct error *err = NULL;
    if (t->kind == TYPE_POINTER)
        err = value_pointer(a->values[0], &address);
    else if (t->kind != TYPE_ARRAY || !fortran_is(t))
        err = error_new("%s is for pointers and allocatable variables", a->name);
    if (!err)
        *ret = value_of_number(a->v, comparison_type(a->v),
                               (struct number){.i = address && !t->absent});
    return err;
}

static struct error *text_length(struct fortran_arguments *a, bool trimmed, struct value **ret)
{
    struct value *text = a->values[0];
    struct type *t = argument_type(a, 0);
    if (t->kind != TYPE_ARRAY || !t->is_string || !t->is_counted)
        return error_new("%s is for texts", a->name);
    u64 length = t->count;
    struct error *err = trimmed ? value_load(text) : NULL;
    while (!err && trimmed && length && text->bytes[length - 1] == ' ')
        length--;
    if (!err)
        *ret = of_integer(a->v, (i64)length, 4);
    return err;
}

static struct error *code_of(struct fortran_arguments *a, struct value **ret)
{
    struct value *text = a->values[0];
    struct type *t = argument_type(a, 0);
    struct error *err = value_load(text);
    if (!err && (t->kind != TYPE_ARRAY || !t->is_string || text->size != 1))
        err = error_new("%s is for one character", a->name);
    if (!err)
        *ret = of_integer(a->v, text->bytes[0], 4);
    return err;
}

static struct error *address_of_argument(struct fortran_arguments *a, struct value **ret)
{
    if (!a->values[0]->in_memory)
        return error_coded(ERROR_UNAVAILABLE, "%s is not in memory, so it has no address",
                           value_called(a->values[0]));
    *ret = of_integer(a->v, (i64)a->values[0]->address, 8);
    return NULL;
}

static unsigned kind_of(const struct type *t)
{
    const char *kind = t->name ? strstr(t->name, "(kind=") : NULL;
    return kind ? (unsigned)strtoul(kind + 6, NULL, 10) : t->is_string ? 1 : (unsigned)t->size;
}

/* --- by name ---------------------------------------------------------------------------------- */

enum intrinsic {
    ABS, MOD, MODULO, FLOOR, CEILING, INT, NINT, REAL, DBLE, AIMAG, CMPLX, MIN, MAX, SQRT,
    LBOUND, UBOUND, SHAPE, SIZE, RANK, ALLOCATED, ASSOCIATED, LEN, LEN_TRIM, ICHAR, IACHAR, KIND,
    LOC, SIZEOF,
};

static const struct { const char *name; u8 least, most; } intrinsics[] = {
    [ABS] = {"abs", 1, 1},       [MOD] = {"mod", 2, 2},         [MODULO] = {"modulo", 2, 2},
    [FLOOR] = {"floor", 1, 2},   [CEILING] = {"ceiling", 1, 2}, [INT] = {"int", 1, 2},
    [NINT] = {"nint", 1, 2},     [REAL] = {"real", 1, 2},       [DBLE] = {"dble", 1, 1},
    [AIMAG] = {"aimag", 1, 1},   [CMPLX] = {"cmplx", 1, 3},     [MIN] = {"min", 1, 99},
    [MAX] = {"max", 1, 99},      [SQRT] = {"sqrt", 1, 1},       [LBOUND] = {"lbound", 1, 2},
    [UBOUND] = {"ubound", 1, 2}, [SHAPE] = {"shape", 1, 1},     [SIZE] = {"size", 1, 2},
    [RANK] = {"rank", 1, 1},     [ALLOCATED] = {"allocated", 1, 1},
    [ASSOCIATED] = {"associated", 1, 1},                        [LEN] = {"len", 1, 1},
    [LEN_TRIM] = {"len_trim", 1, 1},                            [ICHAR] = {"ichar", 1, 1},
    [IACHAR] = {"iachar", 1, 1}, [KIND] = {"kind", 1, 1},       [LOC] = {"loc", 1, 1},
    [SIZEOF] = {"sizeof", 1, 1},
};

static int intrinsic_named(const char *name)
{
    for (size_t n = 0; n < countof(intrinsics); n++)
        if (strcmp(intrinsics[n].name, name) == 0)
            return (int)n;
    return -1;
}

bool fortran_is_intrinsic(const char *name)
{
    return intrinsic_named(name) >= 0;
}

struct error *fortran_call(struct evaluation *v, const char *name, struct value **arguments,
                           size_t count, struct value **ret)
{
    struct fortran_arguments a = {.v = v, .name = name, .values = arguments, .count = count};
    int which = intrinsic_named(name);
    if (count < intrinsics[which].least || count > intrinsics[which].most)
        return error_new("%s takes %s%u argument%s", name,
                         intrinsics[which].least == intrinsics[which].most ? "" : "at least ",
                         intrinsics[which].least, intrinsics[which].least == 1 ? "" : "s");
    for (size_t n = 0; n < count && which != ALLOCATED && which != ASSOCIATED; n++) {
        struct error *err = fortran_target(arguments[n], &arguments[n]);
        if (err)
            return err;
    }
    switch ((enum intrinsic)which) {
    case ABS: return abs_of(&a, ret);
    case MOD: return remainder_of(&a, false, ret);
    case MODULO: return remainder_of(&a, true, ret);
    case FLOOR: return rounded(&a, floorl, ret);
    case CEILING: return rounded(&a, ceill, ret);
    case INT: return rounded(&a, truncl, ret);
    case NINT: return rounded(&a, roundl, ret);
    case REAL: return real_of(&a, 4, ret);
    case DBLE: return real_of(&a, 8, ret);
    case AIMAG: return imaginary_of(&a, ret);
    case CMPLX: return complex_made(&a, ret);
    case MIN:
    case MAX: return extreme(&a, which == MAX, ret);
    case SQRT: return root_of(&a, ret);
    case LBOUND: return about_dimensions(&a, 'l', ret);
    case UBOUND: return about_dimensions(&a, 'u', ret);
    case SHAPE: return about_dimensions(&a, 's', ret);
    case SIZE: return size_of_array(&a, ret);
    case RANK: *ret = of_integer(v, fortran_rank(v, argument_type(&a, 0)), 4); return NULL;
    case ALLOCATED:
    case ASSOCIATED: return has_data(&a, ret);
    case LEN: return text_length(&a, false, ret);
    case LEN_TRIM: return text_length(&a, true, ret);
    case ICHAR:
    case IACHAR: return code_of(&a, ret);
    case KIND: *ret = of_integer(v, kind_of(argument_type(&a, 0)), 4); return NULL;
    case LOC: return address_of_argument(&a, ret);
    case SIZEOF: *ret = of_integer(v, (i64)argument_type(&a, 0)->size, 8); return NULL;
    }
    return error_new("%s is not known", name);
}
