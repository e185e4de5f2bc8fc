/* Fortran types: arrays with their current bounds, and the text of types as in gdb.
 *
 * An array that is allocatable, a pointer or of assumed shape is represented by a descriptor. Its
 * DWARF type has expressions for the address of the data, the bounds and the strides, which take
 * the address of the descriptor. So a type without an object has no bounds; with an object it is
 * resolved to a type that has them. Bounds of explicit-shape and automatic arrays are compiler-made
 * variables of the procedure.
 */
#include <ctype.h>
#include <dwarf.h>

#include "symbols/fortran_internal.h"

enum { FORTRAN_DEEP = 32, STRING_MOST = 1 << 30 };

bool fortran_is(const struct type *plain)
{
    return plain->language == LANGUAGE_FORTRAN;
}

/* --- made of DIEs ----------------------------------------------------------------------------- */

/* The attributes of a dimension's DIE. */
struct fortran_bounds {
    i64 lower, upper, stride;
    bool has_upper;
};

struct fortran_object {
    struct evaluation *v;
    struct type *type;     /* the type whose DIE it is */
    const u64 *address;    /* NULL: no object */
};

static bool is_fixed_number(Dwarf_Attribute *a)
{
    Dwarf_Word u;
    Dwarf_Sword s;
    bool has_sign = a->form == DW_FORM_sdata || a->form == DW_FORM_implicit_const;
    return has_sign ? dwarf_formsdata(a, &s) == 0 : dwarf_formudata(a, &u) == 0;
}

/* Reads a bound; false: there is no such attribute, or its value is not known now. */
static bool bound_of(struct fortran_object *o, Dwarf_Die *range, unsigned name,
                     const u64 *dimension, i64 *ret)
{
    Dwarf_Attribute a;
    if (!dwarf_attr_integrate(range, name, &a))
        return false;
    if (!o->address && !is_fixed_number(&a))
        return false;
    return variables_bound(o->v, o->type->module, &a, o->address, dimension, ret);
}

static bool is_fixed_bound(Dwarf_Die *range, unsigned name)
{
    Dwarf_Attribute a;
    return !dwarf_attr_integrate(range, name, &a) || is_fixed_number(&a);
}

static struct fortran_bounds bounds_of(struct fortran_object *o, Dwarf_Die *range,
                                       const u64 *dimension)
{
    struct fortran_bounds b = {.lower = 1};
    i64 count;
    bool has_lower = bound_of(o, range, DW_AT_lower_bound, dimension, &b.lower);
    bound_of(o, range, DW_AT_byte_stride, dimension, &b.stride);
    if (!has_lower && dwarf_hasattr_integrate(range, DW_AT_lower_bound))
        return b; /* the lower bound is optimized out: the upper bound alone is useless */
    b.has_upper = bound_of(o, range, DW_AT_upper_bound, dimension, &b.upper);
    if (!b.has_upper && bound_of(o, range, DW_AT_count, dimension, &count)) {
        b.upper = b.lower + count - 1;
        b.has_upper = true;
    }
    return b;
}

/* Makes an array of `of` with the bounds. */
static void make_row(struct type *t, struct type *of,
                     const struct fortran_bounds *b)
{
    u64 size = 0;
    t->kind = TYPE_ARRAY;
    t->language = LANGUAGE_FORTRAN;
    t->target = of;
    t->target_made = true;
    t->lower = b->lower;
    t->stride = b->stride;
    t->is_counted = b->has_upper;
    t->count = b->has_upper && b->upper >= b->lower ? (u64)(b->upper - b->lower) + 1 : 0;
    t->size = __builtin_mul_overflow(of->size, t->count, &size) ? 0 : size;
}

static struct type *string_resolved(struct evaluation *v, struct type *t, const u64 *object);

/* Makes the types of all dimensions, from the first, which is the innermost. The last is `t`
 * itself. */
static void make_rows(struct evaluation *v, struct type *t, const struct fortran_bounds *b,
                      unsigned rank, struct type *of)
{
    for (unsigned n = 0; n + 1 < rank; n++) {
        struct type *row = type_new(v, TYPE_ARRAY, NULL, 0);
        make_row(row, of, &b[n]);
        of = row;
    }
    make_row(t, of, &b[rank - 1]);
}

/* Handles an array whose rank is only in its descriptor: all dimensions have the same
 * expressions. */
static unsigned generic_bounds(struct fortran_object *o, Dwarf_Die *range,
                               struct fortran_bounds *ret)
{
    i64 rank = 0;
    if (!bound_of(o, &o->type->die, DW_AT_rank, NULL, &rank) || rank < 1 ||
        rank > FORTRAN_RANK_MOST)
        return 0;
    for (u64 n = 0; n < (u64)rank; n++)
        ret[n] = bounds_of(o, range, &n);
    return (unsigned)rank;
}

static unsigned all_bounds(struct fortran_object *o, struct fortran_bounds *ret)
{
    Dwarf_Die child;
    unsigned rank = 0;
    if (dwarf_child(&o->type->die, &child) != 0)
        return 0;
    do {
        unsigned tag = (unsigned)dwarf_tag(&child);
        if (tag == DW_TAG_generic_subrange)
            return generic_bounds(o, &child, ret);
        if (tag == DW_TAG_subrange_type && rank < FORTRAN_RANK_MOST)
            ret[rank++] = bounds_of(o, &child, NULL);
    } while (dwarf_siblingof(&child, &child) == 0);
    return rank;
}

static bool has_dynamic_bounds(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die child;
    if (dwarf_attr_integrate(die, DW_AT_data_location, &a) ||
        dwarf_attr_integrate(die, DW_AT_rank, &a))
        return true;
    if (dwarf_child(die, &child) != 0)
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_subrange_type &&
            (!is_fixed_bound(&child, DW_AT_lower_bound) ||
             !is_fixed_bound(&child, DW_AT_upper_bound) || !is_fixed_bound(&child, DW_AT_count) ||
             !is_fixed_bound(&child, DW_AT_byte_stride)))
            return true;
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

void fortran_make_array(struct evaluation *v, struct type *t)
{
    struct fortran_bounds b[FORTRAN_RANK_MOST] = {{.lower = 1}};
    struct fortran_object o = {.v = v, .type = t};
    Dwarf_Attribute a;
    struct type *of = type_attribute(v, t->module, &t->die);
    unsigned rank = all_bounds(&o, b);
    t->is_allocatable = dwarf_attr_integrate(&t->die, DW_AT_allocated, &a);
    struct type *plain = type_plain(v, of);
    t->is_dynamic = has_dynamic_bounds(&t->die) || (plain->is_string && plain->is_dynamic);
    make_rows(v, t, b, rank ? rank : 1, of);
    if (t->is_dynamic)
        t->size = 0;
    if (rank == 1 && plain->name && strncmp(plain->name, "character(", 10) == 0)
        t->is_string = t->is_resolved = true; /* a string of wide characters */
}

/* Finds the length of a string: the value of a variable, or at an address given by an
 * expression. */
static bool string_length(struct evaluation *v, struct type *t, const u64 *object, i64 *ret)
{
    Dwarf_Attribute a, wide;
    Dwarf_Word width = 8;
    u64 at, length = 0;
    Dwarf_Die die;
    const struct symbols_host *host = &v->symbols->host;
    if (!dwarf_attr_integrate(&t->die, DW_AT_string_length, &a) ||
        !variables_bound(v, t->module, &a, object, NULL, ret))
        return false;
    if (dwarf_formref_die(&a, &die))
        return true; /* the value of the variable is the length */
    if (dwarf_attr(&t->die, DW_AT_string_length_byte_size, &wide) ||
        dwarf_attr(&t->die, DW_AT_byte_size, &wide))
        dwarf_formudata(&wide, &width);
    at = (u64)*ret;
    if (!width || width > 8 || !host->read(host->context, at, &length, width))
        return false;
    *ret = (i64)length;
    return true;
}

void fortran_make_string(struct evaluation *v, struct type *t)
{
    Dwarf_Attribute a;
    struct type *of = dwarf_attr_integrate(&t->die, DW_AT_type, &a)
                          ? type_attribute(v, t->module, &t->die)
                          : fortran_basic_type(v, "character", 1);
    u64 size = t->size;
    t->is_dynamic = dwarf_attr_integrate(&t->die, DW_AT_string_length, &a);
    struct fortran_bounds b = {.lower = 1, .upper = (i64)(size / (of->size ? of->size : 1)),
                               .has_upper = !t->is_dynamic};
    make_row(t, of, &b);
    t->is_string = true;
}

struct type *fortran_string_of(struct evaluation *v, u64 length)
{
    struct type *t = type_new(v, TYPE_ARRAY, NULL, 0);
    struct fortran_bounds b = {.lower = 1, .upper = (i64)length, .has_upper = true};
    make_row(t, fortran_basic_type(v, "character", 1), &b);
    t->is_string = true;
    return t;
}

/* --- resolved --------------------------------------------------------------------------------- */

static struct type *string_resolved(struct evaluation *v, struct type *t, const u64 *object)
{
    i64 length = 0;
    struct type *r = values_alloc(v, sizeof *r);
    bool known = string_length(v, t, object, &length);
    struct fortran_bounds b = {.lower = 1, .upper = length, .has_upper = known};
    if (length < 0 || length > STRING_MOST)
        b = (struct fortran_bounds){.lower = 1};
    *r = *t;
    make_row(r, t->target, &b);
    r->is_dynamic = false;
    r->is_resolved = true;
    return r;
}

static struct type *array_resolved(struct evaluation *v, struct type *t, u64 *address)
{
    struct fortran_bounds b[FORTRAN_RANK_MOST] = {{.lower = 1}};
    u64 object = *address;
    struct fortran_object o = {.v = v, .type = t, .address = &object};
    struct type *r = values_alloc(v, sizeof *r), *of = type_attribute(v, t->module, &t->die);
    i64 number;
    *r = *t;
    r->is_dynamic = false;
    r->is_resolved = true;
    if (bound_of(&o, &t->die, DW_AT_allocated, NULL, &number) && !number)
        r->absent = "not allocated";
    else if (bound_of(&o, &t->die, DW_AT_associated, NULL, &number) && !number)
        r->absent = "not associated";
    if (type_plain(v, of)->is_string && type_plain(v, of)->is_dynamic)
        of = string_resolved(v, type_plain(v, of), &object);
    if (r->absent) {
        r->size = 0;
        return r; /* its rank is that of the type without an object */
    }
    unsigned rank = all_bounds(&o, b);
    make_rows(v, r, b, rank ? rank : 1, of);
    if (bound_of(&o, &t->die, DW_AT_data_location, NULL, &number))
        *address = (u64)number;
    return r;
}

/* gfortran describes an array of texts of variable length as a struct without members. The
 * descriptor itself tells what it is: its layout is that of libgfortran since version 8. */
struct fortran_descriptor {
    u64 base, offset, element;
    i32 version;
    i8 rank, type;
    i16 attribute;
    i64 span;
    struct { i64 stride, lower, upper; } rows[FORTRAN_RANK_MOST];
};

static struct type *descriptor_resolved(struct evaluation *v, struct type *t, u64 *address)
{
    enum { HEAD = 40, ROW = 24, TEXT = 6 /* BT_CHARACTER */ };
    struct fortran_descriptor d = {0};
    struct fortran_bounds b[FORTRAN_RANK_MOST];
    const struct symbols_host *host = &v->symbols->host;
    struct type *r = type_new(v, TYPE_ARRAY, NULL, 0);
    if (!host->read(host->context, *address, &d, HEAD))
        return t;
    r->language = LANGUAGE_FORTRAN;
    r->is_resolved = r->is_of_descriptor = true;
    if (!d.base) {
        struct fortran_bounds none = {.lower = 1};
        make_row(r, fortran_string_of(v, 0), &none);
        r->absent = "not allocated";
        return r;
    }
    if (d.version || d.rank < 1 || d.rank > FORTRAN_RANK_MOST || d.type != TEXT ||
        d.element > STRING_MOST ||
        !host->read(host->context, *address + HEAD, d.rows, (size_t)d.rank * ROW))
        return t;
    for (int n = 0; n < d.rank; n++)
        b[n] = (struct fortran_bounds){.lower = d.rows[n].lower, .upper = d.rows[n].upper,
                                       .has_upper = true, .stride = d.rows[n].stride * d.span};
    make_rows(v, r, b, (unsigned)d.rank, fortran_string_of(v, d.element));
    *address = d.base;
    return r;
}

void fortran_count_from_one(struct value *value)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    if (!plain->is_of_descriptor)
        return;
    while (plain->kind == TYPE_ARRAY && !plain->is_string) {
        plain->lower = 1;
        plain = type_plain(value->evaluation, type_target(value->evaluation, plain));
    }
}

/* const and typedefs around the type are dropped. */
struct type *fortran_resolved(struct evaluation *v, struct type *t, u64 *address)
{
    struct type *plain = type_plain(v, t);
    if (!plain->is_dynamic || !plain->has_die)
        return t;
    if (plain->kind == TYPE_STRUCT)
        return descriptor_resolved(v, t, address);
    return plain->is_string ? string_resolved(v, plain, address)
                            : array_resolved(v, plain, address);
}

/* --- questions -------------------------------------------------------------------------------- */

unsigned fortran_rank(struct evaluation *v, struct type *plain)
{
    unsigned rank = 0;
    for (; plain->kind == TYPE_ARRAY && !plain->is_string && rank < FORTRAN_RANK_MOST; rank++)
        plain = type_plain(v, type_target(v, plain));
    return rank;
}

struct type *fortran_dimension(struct evaluation *v, struct type *plain, unsigned dimension)
{
    unsigned rank = fortran_rank(v, plain);
    if (!dimension || dimension > rank)
        return NULL;
    for (unsigned n = rank; n > dimension; n--)
        plain = type_plain(v, type_target(v, plain));
    return plain;
}

i64 type_stride(struct evaluation *v, struct type *plain)
{
    return plain->stride ? plain->stride : (i64)type_target(v, plain)->size;
}

bool type_is_contiguous(struct evaluation *v, struct type *plain)
{
    for (unsigned n = 0; plain->kind == TYPE_ARRAY && n < FORTRAN_DEEP; n++) {
        struct type *of = type_target(v, plain);
        if (plain->count > 1 && type_stride(v, plain) != (i64)of->size)
            return false;
        plain = type_plain(v, of);
    }
    return true;
}

/* --- the language's own ----------------------------------------------------------------------- */

struct type *fortran_basic_type(struct evaluation *v, const char *name, unsigned kind)
{
    static const struct { const char *name; enum type_kind kind; bool is_unsigned; } basics[] = {
        {"integer", TYPE_INTEGER, false},    {"real", TYPE_FLOAT, false},
        {"logical", TYPE_BOOL, true},        {"complex", TYPE_COMPLEX, false},
        {"character", TYPE_CHARACTER, true},
    };
    for (size_t n = 0; n < countof(basics); n++)
        if (strcmp(basics[n].name, name) == 0) {
            char *full = xformat("%s(kind=%u)", name, kind);
            u64 size = kind == 10 ? 16 : kind;
            if (n == 4 && kind == 1) {
                free(full); /* the name that gdb uses */
                full = xformat("character");
            }
            struct type *t = type_new(v, basics[n].kind, values_copy(v, full, strlen(full)),
                                      basics[n].kind == TYPE_COMPLEX ? 2 * size : size);
            free(full);
            t->language = LANGUAGE_FORTRAN;
            t->is_unsigned = basics[n].is_unsigned;
            return t;
        }
    return NULL;
}

static void type_skip_space(const char **at)
{
    *at += strspn(*at, " \t");
}

static bool take_word(const char **at, const char *word)
{
    size_t length = strlen(word);
    type_skip_space(at);
    if (strncasecmp(*at, word, length) != 0 || isalnum((u8)(*at)[length]) || (*at)[length] == '_')
        return false;
    *at += length;
    return true;
}

/* Takes (8), (kind=8) or *8; false: something else follows. */
static bool take_kind(const char **at, unsigned *kind)
{
    const char *from = *at;
    char *end;
    bool open, star;
    type_skip_space(at);
    open = **at == '(';
    star = **at == '*';
    if (!open && !star) {
        *at = from;
        return true;
    }
    ++*at;
    if (open && take_word(at, "kind")) {
        type_skip_space(at);
        *at += **at == '=';
    }
    type_skip_space(at);
    *kind = (unsigned)strtoul(*at, &end, 10);
    bool good = end > *at;
    *at = end;
    type_skip_space(at);
    if (open && good && **at == ')')
        ++*at;
    else if (open || !good)
        good = false;
    if (!good)
        *at = from;
    return good;
}

static bool kind_exists(const char *name, unsigned kind)
{
    bool floating = strcmp(name, "real") == 0 || strcmp(name, "complex") == 0;
    if (strcmp(name, "character") == 0)
        return kind == 1 || kind == 4;
    return floating ? kind == 4 || kind == 8 || kind == 10 || kind == 16
                    : kind == 1 || kind == 2 || kind == 4 || kind == 8 || kind == 16;
}

static struct type *derived_read(struct evaluation *v, const char **at)
{
    const char *from = *at;
    struct name_found found;
    bool wrapped = take_word(at, "type") || take_word(at, "class");
    type_skip_space(at);
    bool open = wrapped && **at == '(';
    *at += open;
    type_skip_space(at);
    size_t length = 0;
    while (isalnum((u8)(*at)[length]) || (*at)[length] == '_' ||
           strncmp(*at + length, "::", 2) == 0 ||
           (length && strncmp(*at + length - 1, "::", 2) == 0))
        length++;
    const char *name = fortran_lower(v, values_copy(v, *at, length));
    *at += length;
    type_skip_space(at);
    bool closed = !open || *(*at)++ == ')';
    if (length && closed && names_find(v, name, NULL, 1u << NAME_TYPE, &found))
        return type_of(v, found.module, &found.entry.die);
    *at = from;
    return NULL;
}

struct type *fortran_type_read(struct evaluation *v, const char **at)
{
    static const char *const names[] = {"integer", "real", "logical", "complex", "character"};
    const char *from = *at;
    unsigned kind = 4;
    if (take_word(at, "double")) {
        bool complex = take_word(at, "complex");
        if (complex || take_word(at, "precision"))
            return fortran_basic_type(v, complex ? "complex" : "real", 8);
        *at = from;
    }
    for (size_t n = 0; n < countof(names); n++)
        if (take_word(at, names[n])) {
            kind = n == 4 ? 1 : 4;
            if (take_kind(at, &kind) && kind_exists(names[n], kind))
                return fortran_basic_type(v, names[n], kind);
            *at = from;
            return NULL;
        }
    return derived_read(v, at);
}

/* --- text ------------------------------------------------------------------------------------- */

/* gdb writes a type in two halves around the name. With `show` > 0 the type's name is expanded. */
struct fortran_writer {
    struct evaluation *v;
    FILE *out;
    unsigned depth;
};

static bool is_plainly_named(const struct type *t, int show)
{
    return t->name && show <= 0 && t->kind != TYPE_FUNCTION;
}

static void write_base(struct fortran_writer *w, struct type *t, int show, unsigned level);
static void write_suffix(struct fortran_writer *w, struct type *t, int show, bool pointed,
                         unsigned nested, bool rank_only);

static void write_components(struct fortran_writer *w, struct type *t, int show, unsigned level)
{
    size_t count;
    const struct member *m = type_members(w->v, t, &count);
    fputc('\n', w->out);
    for (size_t n = 0; n < count; n++) {
        write_base(w, m[n].type, show - 1, level + 4);
        fprintf(w->out, " :: %s", m[n].name ? m[n].name : "");
        write_suffix(w, m[n].type, show - 1, false, 0, false);
        fputc('\n', w->out);
    }
    fprintf(w->out, "%*sEnd Type %s", (int)level, "", t->name ? t->name : "");
}

static void write_string(struct fortran_writer *w, struct type *t, unsigned level)
{
    struct type *of = type_target(w->v, t);
    if (t->is_resolved) /* in gdb that is an array of characters */
        fprintf(w->out, "%*s%s", (int)level, "", of->name ? of->name : "character");
    else if (!t->is_counted)
        fprintf(w->out, "%*scharacter*(*)", (int)level, "");
    else
        fprintf(w->out, "%*scharacter*%llu", (int)level, "", (unsigned long long)t->size);
}

static void write_base(struct fortran_writer *w, struct type *t, int show, unsigned level)
{
    struct type *plain = type_plain(w->v, t);
    if (w->depth++ > FORTRAN_DEEP) {
        fputs("...", w->out);
        return;
    }
    if (is_plainly_named(plain, show)) {
        fprintf(w->out, "%*s%s%s", (int)level, "", plain->kind == TYPE_STRUCT ? "Type " : "",
                plain->name);
    } else if (plain->is_string) {
        write_string(w, plain, level);
    } else if (plain->kind == TYPE_ARRAY || plain->kind == TYPE_FUNCTION) {
        write_base(w, type_target(w->v, plain), show, level);
    } else if (plain->kind == TYPE_POINTER || plain->kind == TYPE_REFERENCE) {
        fprintf(w->out, "%*s%s TO -> ( ", (int)level, "",
                plain->kind == TYPE_POINTER ? "PTR" : "REF");
        write_base(w, type_target(w->v, plain), show, 0);
    } else if (plain->kind == TYPE_STRUCT) {
        fprintf(w->out, "%*sType %s", (int)level, "", plain->name ? plain->name : "");
        if (show > 0)
            write_components(w, plain, show, level);
    } else {
        const char *name = plain->name ? plain->name : "<unknown>";
        fprintf(w->out, "%*s%s", (int)level, "", plain->kind == TYPE_VOID ? "void" : name);
    }
    if (plain->is_allocatable)
        fputs(", allocatable", w->out);
    w->depth--;
}

static void write_bounds(struct fortran_writer *w, struct type *t, unsigned nested, bool rank_only)
{
    struct type *of = type_plain(w->v, type_target(w->v, t));
    bool more = of->kind == TYPE_ARRAY && !of->is_string;
    rank_only |= t->absent || t->is_dynamic;
    if (!nested)
        fputc('(', w->out);
    if (more)
        write_suffix(w, of, 0, false, nested + 1, rank_only);
    if (rank_only) {
        fputc(':', w->out);
    } else {
        if (t->lower != 1)
            fprintf(w->out, "%lld:", (long long)t->lower);
        if (t->is_counted)
            fprintf(w->out, "%lld", (long long)(t->lower + (i64)t->count - 1));
        else
            fputc('*', w->out);
    }
    if (of->is_string && of->is_resolved) /* in gdb that is one more dimension */
        write_suffix(w, of, 0, false, nested + 1, rank_only);
    fputc(nested ? ',' : ')', w->out);
}

static void write_parameters(struct fortran_writer *w, struct type *t)
{
    Dwarf_Die child;
    Dwarf_Attribute a;
    bool some = false;
    bool is_void = t->has_die && dwarf_attr(&t->die, DW_AT_prototyped, &a);
    struct type *of;
    fputc('(', w->out);
    if (t->has_die && dwarf_child(&t->die, &child) == 0)
        do {
            is_void |= dwarf_tag(&child) == DW_TAG_unspecified_parameters;
            if (dwarf_tag(&child) != DW_TAG_formal_parameter)
                continue;
            of = type_attribute(w->v, t->module, &child);
            fputs(some ? ", " : "", w->out);
            some = true;
            char *text = fortran_type_text(w->v, of);
            fputs(text, w->out);
            free(text);
        } while (dwarf_siblingof(&child, &child) == 0);
    fputs(!some && is_void ? "void)" : ")", w->out);
}

static void write_suffix(struct fortran_writer *w, struct type *t, int show, bool pointed,
                         unsigned nested, bool rank_only)
{
    struct type *plain = type_plain(w->v, t);
    if (is_plainly_named(plain, show) || w->depth++ > FORTRAN_DEEP)
        return;
    if (plain->kind == TYPE_ARRAY && (!plain->is_string || plain->is_resolved)) {
        write_bounds(w, plain, nested, rank_only);
    } else if (plain->kind == TYPE_POINTER || plain->kind == TYPE_REFERENCE) {
        write_suffix(w, type_target(w->v, plain), 0, true, 0, false);
        fputs(" )", w->out);
    } else if (plain->kind == TYPE_FUNCTION) {
        write_suffix(w, type_target(w->v, plain), 0, pointed, 0, false);
        fputs(pointed ? ") " : "", w->out);
        write_parameters(w, plain);
    }
    w->depth--;
}

static void write_prefix(struct fortran_writer *w, struct type *t, int show, bool pointed)
{
    struct type *plain = type_plain(w->v, t);
    if (is_plainly_named(plain, show) || w->depth > FORTRAN_DEEP)
        return;
    if (plain->kind != TYPE_POINTER && plain->kind != TYPE_FUNCTION &&
        (plain->kind != TYPE_ARRAY || plain->is_string))
        return;
    w->depth++;
    write_prefix(w, type_target(w->v, plain), 0, plain->kind == TYPE_POINTER);
    w->depth--;
    if (plain->kind == TYPE_FUNCTION && pointed)
        fputc('(', w->out);
}

static bool needs_blank(struct evaluation *v, struct type *plain)
{
    bool pointer = plain->kind == TYPE_POINTER || plain->kind == TYPE_REFERENCE;
    struct type *t = pointer ? type_plain(v, type_target(v, plain)) : plain;
    return t->kind == TYPE_FUNCTION || (t->kind == TYPE_ARRAY && (!t->is_string || t->is_resolved));
}

static char *fortran_text(struct evaluation *v, struct type *t, int show)
{
    char *text = NULL;
    size_t size;
    struct fortran_writer w = {.v = v, .out = open_memstream(&text, &size)};
    struct type *plain = type_plain(v, t);
    write_base(&w, plain, show, 0);
    w.depth = 0;
    if ((show > 0 || !plain->name || plain->kind == TYPE_FUNCTION) && needs_blank(v, plain))
        fputc(' ', w.out);
    write_prefix(&w, plain, show, false);
    write_suffix(&w, plain, show, false, 0, false);
    fclose(w.out);
    return text;
}

char *fortran_type_text(struct evaluation *v, struct type *t)
{
    return fortran_text(v, t, 0);
}

char *fortran_type_expanded(struct evaluation *v, struct type *t)
{
    return fortran_text(v, t, 1);
}
