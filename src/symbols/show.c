/* Showing: turns a value into text, in the form that gdb prints.
 *
 * show_value() loads the value and chooses by its kind: scalars, arrays, structs.  Each of them has
 * a part of this file, in that order; a `struct show` carries the output, the format (`/x`), the
 * settings of `set print` and the depth.  What only one language or library needs is elsewhere:
 * show_std.c and std_*.c (containers of C++), show_rust.c, show_fortran.c, show_text.c (strings),
 * show_float.c, and show_json.c for `ebb replay --json`.
 *
 * The oracle is gdb: tests/suites/86-values prints the same expressions with both and compares.  So
 * when something looks arbitrary here (when an address is left out, where repeats are folded, how
 * many elements are shown), the reason is that gdb does it.
 *
 * A part that cannot be read or that is optimised out is shown as such in its place; the rest of
 * the value is still shown.
 */
#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"
#include "symbols/show_internal.h"

const struct show_settings show_usual = {
    .elements = SHOW_MOST, .repeats = SHOW_REPEATS, .max_depth = SHOW_DEPTH, .address = true,
    .symbol = true, .unions = true, .static_members = true,
};

const struct show_settings *show_settings_of(const struct evaluation *v)
{
    return v->request.show ? v->request.show : &show_usual;
}

/* Elements are also found by their keys, so at least the usual number is fetched. */
u64 show_most(const struct evaluation *v)
{
    u64 most = show_settings_of(v)->elements;
    return most < SHOW_MOST ? SHOW_MOST : most < SHOW_FETCHED_MOST ? most : SHOW_FETCHED_MOST;
}

/* The indentation is the number of enclosing values, including the one that is shown. */
void show_new_line(struct show *s, unsigned more)
{
    fprintf(s->out, "\n%*s", (int)(2 * (s->depth - 1 + more)), "");
}

/* --- integers in all formats ------------------------------------------------------------------ */

static void show_radix(FILE *out, unsigned __int128 i, unsigned shift, unsigned least)
{
    char text[130];
    size_t at = sizeof text;
    text[--at] = 0;
    do {
        text[--at] = "0123456789abcdef"[(unsigned)i & ((1u << shift) - 1)];
        i >>= shift;
    } while (i || sizeof text - 1 - at < least);
    fputs(text + at, out);
}

static void show_decimal(FILE *out, __int128 i, bool is_unsigned)
{
    char text[48];
    size_t at = sizeof text;
    unsigned __int128 u = (unsigned __int128)i;
    bool negative = !is_unsigned && i < 0;
    if (negative)
        u = -u;
    text[--at] = 0;
    do
        text[--at] = (char)('0' + (int)(u % 10));
    while (u /= 10);
    fprintf(out, "%s%s", negative ? "-" : "", text + at);
}

void show_symbol(FILE *out, struct evaluation *v, u64 address, bool code)
{
    char *name = names_of_address(v->symbols, address, code);
    if (name)
        fprintf(out, " <%s>", name);
    free(name);
}

void show_hex(FILE *out, unsigned __int128 i)
{
    fputs("0x", out);
    show_radix(out, i, 4, 1);
}

static unsigned __int128 masked(__int128 i, unsigned bits)
{
    return bits >= 128 ? (unsigned __int128)i
                       : (unsigned __int128)i & (((unsigned __int128)1 << bits) - 1);
}

/* 'A' after its number. */
static void show_char_value(FILE *out, __int128 i, unsigned size, char prefix, bool is_unsigned)
{
    show_decimal(out, i, is_unsigned);
    fputc(' ', out);
    if (prefix != ' ')
        fputc(prefix, out);
    fputc('\'', out);
    show_character(out, (u32)masked(i, size * 8), prefix, '\'');
    fputc('\'', out);
}

/* Shows the bits of a number as a floating-point number of its size. */
static void show_as_float(struct show *s, struct value *value, struct number n, bool is_unsigned)
{
    u64 size = value->type->size;
    struct type *t = type_builtin(value->evaluation,
                                  size == 4 ? "float" : size == 8 ? "double" : "long double");
    u8 bytes[16] = {0};
    memcpy(bytes, &n.i, sizeof bytes);
    if (size == 4 || size == 8 || size == 16)
        show_float(s->out, t, bytes);
    else
        show_decimal(s->out, n.i, is_unsigned);
}

static void show_formatted(struct show *s, struct value *value, struct number n, bool is_unsigned)
{
    unsigned bits = (unsigned)value->type->size * 8;
    unsigned __int128 u = masked(n.i, bits);
    switch (s->format) {
    case 'x': fputs("0x", s->out), show_radix(s->out, u, 4, s->padded ? bits / 4 : 1); break;
    case 'z': fputs("0x", s->out), show_radix(s->out, u, 4, (bits + 3) / 4); break;
    case 'o': fputs(u ? "0" : "", s->out), show_radix(s->out, u, 3, 1); break;
    case 't': show_radix(s->out, u, 1, s->padded ? bits : 1); break;
    case 'u': show_decimal(s->out, (__int128)u, true); break;
    case 'd': {
        bool negative = bits < 128 && u >> (bits - 1) & 1;
        show_decimal(s->out, negative ? (__int128)(u | ~(unsigned __int128)0 << bits) : (__int128)u,
                     false);
        break;
    }
    case 'a':
        show_hex(s->out, (u64)n.i);
        show_symbol(s->out, value->evaluation, (u64)n.i, true);
        break;
    case 'c':
        show_char_value(s->out, is_unsigned ? (__int128)(u8)n.i : (__int128)(i8)n.i, 1, ' ',
                        is_unsigned);
        break;
    case 'f': show_as_float(s, value, n, is_unsigned); break;
    default: show_decimal(s->out, n.i, is_unsigned); break;
    }
}

/* --- scalars ---------------------------------------------------------------------------------- */

/* Shows the constant with exactly this value; false: there is none. */
static bool show_constant(struct show *s, struct type *t, __int128 i, const char *prefix)
{
    const struct member *m = t->members.items;
    for (size_t n = 0; n < t->members.count; n++)
        if (m[n].value == (i64)i && m[n].name) {
            fprintf(s->out, "%s%s", prefix, m[n].name);
            return true;
        }
    return false;
}

static void show_bits(struct show *s, struct type *t, u64 left, const char *prefix)
{
    const struct member *m = t->members.items;
    const char *between = "(";
    for (size_t n = 0; n < t->members.count; n++)
        if (m[n].value && (left & (u64)m[n].value) == (u64)m[n].value) {
            fprintf(s->out, "%s%s%s", between, prefix, m[n].name ? m[n].name : "?");
            left &= ~(u64)m[n].value;
            between = " | ";
        }
    if (left)
        fprintf(s->out, "%sunknown: 0x%llx", between, (unsigned long long)left);
    fputc(')', s->out);
}

static void show_enum(struct show *s, struct evaluation *v, struct type *t, __int128 i)
{
    char *prefix = type_enum_prefix(v, t);
    if (show_constant(s, t, i, prefix))
        ;
    else if (!t->is_flags || !i)
        show_decimal(s->out, i, t->is_unsigned);
    else
        show_bits(s, t, (u64)i, prefix);
    free(prefix);
}

/* Bits 13 and 14 of mxcsr are the rounding mode. */
static void show_flags(struct show *s, const struct type *t, u64 flags)
{
    static const char *const mxcsr[] = {"IE", "DE", "ZE", "OE", "UE", "PE", "DAZ", "IM",
                                        "DM", "ZM", "OM", "UM", "PM", NULL, NULL,  "FZ"};
    fputs("[ ", s->out);
    if (t->name && strcmp(t->name, "i386_mxcsr") == 0) {
        for (size_t n = 0; n < countof(mxcsr); n++)
            if (flags >> n & 1 && mxcsr[n])
                fprintf(s->out, "%s ", mxcsr[n]);
        fputc(']', s->out);
        return;
    }
#define X(NAME, bit) if (flags & FLAG_##NAME) fputs(#NAME " ", s->out);
    REGISTERS_FLAGS(X)
#undef X
    fputc(']', s->out);
}

static void show_some_text(struct show *s, const u8 *bytes, u64 count, unsigned width, char prefix,
                           bool ellipsis)
{
    struct show_text how = {.width = width, .prefix = prefix, .ellipsis = ellipsis,
                            .most = s->set->elements, .repeats = s->set->repeats};
    show_characters(s->out, bytes, count, &how);
}

/* Shows the address and symbol that a pointer points to; false: neither is wanted. */
static bool show_address(struct show *s, struct evaluation *v, u64 address, bool always)
{
    char *name = s->set->symbol || always ? names_of_address(v->symbols, address, true) : NULL;
    bool number = s->set->address;
    if (number)
        show_hex(s->out, address);
    if (name)
        fprintf(s->out, "%s<%s>", number ? " " : "", name);
    bool some = number || name;
    free(name);
    return some;
}

/* The text that a char pointer points to. */
static void show_pointed_text(struct show *s, struct evaluation *v, u64 address, struct type *of,
                              char prefix)
{
    u8 *bytes;
    size_t count;
    bool ended;
    unsigned width = (unsigned)type_plain(v, of)->size;
    u64 most = s->set->elements < SHOW_FETCHED_MOST ? s->set->elements : SHOW_FETCHED_MOST;
    bool good = show_read_string(v, address, width, most, &bytes, &count, &ended);
    if (good || count)
        show_some_text(s, bytes, count, width, prefix, good && !ended);
    if (!good)
        fprintf(s->out, "<there is no memory at 0x%llx>",
                (unsigned long long)(address + count * width));
    free(bytes);
}

/* True for the character types of C and C++; a pointer to one is shown by its text, without its
 * type. */
static bool is_plain_text(struct evaluation *v, struct type *t, char prefix)
{
    while (t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE)
        t = type_target(v, t);
    return t->name && (prefix != ' ' || strcmp(t->name, "char") == 0);
}

static void show_pointer(struct show *s, struct value *value, u64 address, bool top)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type), *to = type_target(v, plain);
    struct type *pointed = type_plain(v, to);
    char prefix = type_character(v, to);
    bool is_text = prefix && pointed->kind != TYPE_BOOL;
    if (top && !(is_text && value->type->kind != TYPE_TYPEDEF && is_plain_text(v, to, prefix))) {
        char *type = type_text(v, value->type);
        fprintf(s->out, "(%s) ", type);
        free(type);
    }
    bool some = show_address(s, v, address, pointed->kind == TYPE_FUNCTION);
    if (is_text && address) {
        fputs(some ? " " : "", s->out);
        show_pointed_text(s, v, address, to, prefix);
    }
}

static void show_reference(struct show *s, struct value *value, u64 address, bool top)
{
    struct evaluation *v = value->evaluation;
    struct value *target = value_at(v, type_target(v, type_plain(v, value->type)), address, NULL);
    struct shown standard;
    if (show_standard(target, &standard)) {
        show_value(s, target, false);
        return;
    }
    if (top) {
        char *type = type_text(v, value->type);
        fprintf(s->out, "(%s) ", type);
        free(type);
    }
    if (s->set->address)
        fprintf(s->out, "@0x%llx: ", (unsigned long long)address);
    s->depth--; /* it has the depth of what refers to it */
    show_value(s, target, false);
    s->depth++;
}

/* A pointer to a member function, as in the ABI: an address, or an offset in the table of virtual
 * functions with the lowest bit set. */
static void show_method(struct show *s, struct value *value, u64 word)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    if (!word) {
        fputs("NULL", s->out);
    } else if (word & 1) {
        char *name = type_virtual_method(value->evaluation, plain, word / 8);
        fprintf(s->out, "&virtual %s", name);
        free(name);
    } else {
        char *type = type_text(value->evaluation, value->type);
        fprintf(s->out, "(%s) ", type);
        free(type);
        show_hex(s->out, word);
        show_symbol(s->out, value->evaluation, word, true);
    }
}

static void show_member_pointer(struct show *s, struct value *value)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    u64 word = 0;
    memcpy(&word, value->bytes, 8);
    if (value->size == 16) {
        show_method(s, value, word);
    } else if (word == ~(u64)0) {
        fputs("NULL", s->out);
    } else {
        char *name = type_member_at(v, plain, word);
        if (name)
            fprintf(s->out, "&%s", name);
        else
            fprintf(s->out, "%lld", (long long)word);
        free(name);
    }
}

static void show_number(struct show *s, struct value *value, struct type *plain, bool top)
{
    struct number n = {0};
    struct evaluation *v = value->evaluation;
    char prefix = type_character(v, value->type);
    struct error *err = value_number(value, &n);
    if (err) {
        fprintf(s->out, "<%s>", error_text(err));
        error_destroy(err);
    } else if (s->format && s->format != 's') {
        show_formatted(s, value, n, plain->is_unsigned || plain->kind == TYPE_POINTER);
    } else if (plain->kind == TYPE_POINTER) {
        show_pointer(s, value, (u64)n.i, top);
    } else if (plain->kind == TYPE_ENUM) {
        show_enum(s, v, plain, n.i);
    } else if (plain->kind == TYPE_BOOL && (n.i == 0 || n.i == 1)) {
        fputs(n.i ? "true" : "false", s->out);
    } else if (plain->is_flag_register) {
        show_flags(s, plain, (u64)n.i);
    } else if (prefix) {
        show_char_value(s->out, n.i, (unsigned)plain->size, prefix, plain->is_unsigned);
    } else {
        show_decimal(s->out, n.i, plain->is_unsigned);
    }
}

static void show_floating(struct show *s, struct value *value, struct type *plain)
{
    struct number n = {0};
    bool raw = s->format && s->format != 'f' && s->format != 's';
    if (!raw) {
        show_float(s->out, plain, value->bytes);
        return;
    }
    /* converted to an integer, rounded towards 0 */
    if (s->format == 'a' || s->format == 'c') {
        struct error *err = value_number(value, &n);
        error_destroy(err);
        bool fits = n.f > -0x1p63L && n.f < 0x1p63L;
        struct type *whole = type_builtin(value->evaluation, "long");
        i64 i = err || n.f != n.f ? INT64_MIN : fits ? (i64)n.f : n.f > 0 ? INT64_MAX : INT64_MIN;
        struct value *as = value_of_bytes(value->evaluation, whole, &i, sizeof i);
        show_formatted(s, as, (struct number){.i = i}, false);
        return;
    }
    /* Integer formats show the bits. */
    struct type *as = type_builtin(value->evaluation, plain->size > 8   ? "__int128"
                                                      : plain->size > 4 ? "long"
                                                                        : "int");
    struct value *bits = value_of_bytes(value->evaluation, as, value->bytes, value->size);
    error_destroy(value_number(bits, &n));
    show_formatted(s, bits, n, false);
}

/* Its halves are numbers of their own, with a name that tells which. */
static void show_complex(struct show *s, struct value *value, struct type *plain)
{
    struct type *half = type_new(value->evaluation, plain->is_integral ? TYPE_INTEGER : TYPE_FLOAT,
                                 plain->name, plain->size / 2);
    half->is_unsigned = plain->name && strstr(plain->name, "unsigned");
    show_value(s, value_part(value, half, 0), false);
    fputs(" + ", s->out);
    show_value(s, value_part(value, half, half->size), false);
    fputc('i', s->out);
}

/* --- arrays ----------------------------------------------------------------------------------- */

static void show_text_array(struct show *s, struct value *value, struct type *plain, char prefix)
{
    struct type *of = type_plain(value->evaluation, type_target(value->evaluation, plain));
    unsigned width = (unsigned)of->size;
    u64 count = value->size / width, end = 0;
    static const u8 zero[4];
    bool more = false;
    if (s->set->null_stop) {
        while (end < count && end < s->set->elements &&
               memcmp(value->bytes + end * width, zero, width) != 0)
            end++;
        more = end == s->set->elements && end < count &&
               memcmp(value->bytes + end * width, zero, width) != 0;
        count = end;
    }
    bool is_cut = value->size < plain->count * width;
    more |= is_cut && count == value->size / width;
    if (!more && count && memcmp(value->bytes + (count - 1) * width, zero, width) == 0)
        count--;
    show_some_text(s, value->bytes, count, width, prefix, more);
}

static bool same_element(struct value *array, u64 a, u64 b, u64 size)
{
    if (value_is_missing(array, a * size, size) || value_is_missing(array, b * size, size))
        return value_is_missing(array, a * size, size) && value_is_missing(array, b * size, size);
    return memcmp(array->bytes + a * size, array->bytes + b * size, size) == 0;
}

static void show_elements(struct show *s, struct value *value, struct type *plain)
{
    u64 size = type_target(value->evaluation, plain)->size, n = 0;
    const char *brackets = rust_is(plain) ? "[]" : "{}";
    bool lines = s->set->array;
    fputc(brackets[0], s->out);
    for (u64 shown = 0; n < plain->count && shown < s->set->elements;) {
        u64 run = 1;
        if (shown && (n + 1) * size > value->size)
            break; /* of a very long array the rest was not read */
        while (n + run < plain->count && (n + run + 1) * size <= value->size && size &&
               same_element(value, n, n + run, size))
            run++;
        fputs(n ? lines ? "," : ", " : "", s->out);
        if (lines)
            show_new_line(s, 1);
        if (s->set->array_indexes)
            fprintf(s->out, "[%llu] = ", (unsigned long long)n);
        show_value(s, value_element(value, n), false);
        if (run > s->set->repeats) {
            fprintf(s->out, " <repeats %llu times>", (unsigned long long)run);
            shown += s->set->repeats;
        } else {
            run = 1;
            shown++;
        }
        n += run;
    }
    fputs(n < plain->count ? "..." : "", s->out);
    if (lines)
        show_new_line(s, 0);
    fputc(brackets[1], s->out);
}

/* Reads the first `most` bytes of an array, or all that can be shown without repeats. */
static struct error *load_beginning(struct value *array, struct type *plain, u64 most,
                                    struct value **ret)
{
    struct evaluation *v = array->evaluation;
    struct type *of = type_target(v, plain);
    u64 count = most / of->size, least = show_settings_of(v)->elements + (u64)1;
    count = count > least ? count : least;
    *ret = count >= plain->count ? array
                                 : value_at(v, type_array(v, of, count), array->address, NULL);
    return value_load(*ret);
}

/* Reads only as much of a long array as can be shown, with room for repeats. If it ends in repeats,
 * more is read to count them. */
static struct error *load_array(struct value **value, struct type **plain)
{
    enum { READ_FIRST = 1 << 16, READ_MOST = 1 << 20 };
    struct evaluation *v = (*value)->evaluation;
    u64 size = type_target(v, *plain)->size;
    struct value *shorter;
    if ((*value)->bytes || (*value)->size <= READ_FIRST || !size)
        return value_load(*value);
    struct error *err = load_beginning(*value, *plain, READ_FIRST, &shorter);
    u64 count = shorter->size / size;
    if (!err && shorter != *value && same_element(shorter, count - 2, count - 1, size))
        err = load_beginning(*value, *plain, READ_MOST, &shorter);
    if (shorter == *value)
        return err;
    struct type *whole = values_alloc(v, sizeof *whole);
    *whole = **plain;
    *plain = whole;
    *value = shorter;
    return err;
}

static void show_array(struct show *s, struct value *value, struct type *plain)
{
    struct evaluation *v = value->evaluation;
    struct error *err = load_array(&value, &plain);
    char prefix = type_character(v, type_target(v, plain));
    if (err) {
        fprintf(s->out, "<%s>", error_text(err));
        error_destroy(err);
        return;
    }
    if (!plain->is_counted && value->in_memory && !plain->count) { /* a flexible array */
        bool some = show_address(s, v, value->address, false);
        if (prefix && (!s->format || s->format == 's')) {
            fputs(some ? " " : "", s->out);
            show_pointed_text(s, v, value->address, type_target(v, plain), prefix);
        }
        return;
    }
    if (prefix && (!s->format || s->format == 's') && !value_is_missing(value, 0, value->size) &&
        plain->count)
        show_text_array(s, value, plain, prefix);
    else
        show_elements(s, value, plain);
}

/* --- structs ---------------------------------------------------------------------------------- */

/* True if the offset of the virtual base is found in the object's table, which may be missing. */
static bool has_virtual_base(struct value *value, const struct member *m)
{
    u64 address;
    struct error *err = value_virtual_base(value, m, &address);
    error_destroy(err);
    return !err;
}

/* Shows an address in the given format, as in gdb. */
static void show_table_pointer(struct show *s, struct value *value)
{
    char format = s->format;
    s->format = 0;
    show_value(s, value, false);
    s->format = format;
}

static void show_member(struct show *s, struct value *value, const struct member *m)
{
    struct evaluation *v = value->evaluation;
    if (m->is_base) {
        char *type = type_text(v, type_plain(v, m->type)); /* clang names it by a typedef */
        fprintf(s->out, "<%s> = ", type);
        free(type);
    } else if (m->name) {
        fprintf(s->out, "%s%s = ", m->is_static ? "static " : "", m->name);
    }
    struct type *plain = type_plain(v, m->type);
    if (m->is_static && plain->kind == TYPE_STRUCT && s->depth > 4)
        fputs("<same as static member of an already seen type>", s->out);
    else if (m->is_virtual && !has_virtual_base(value, m))
        fputs("<invalid address>", s->out);
    else if (m->name && strncmp(m->name, "_vptr", 5) == 0)
        show_table_pointer(s, value_member(value, m));
    else
        show_value(s, value_member(value, m), false);
}

/* Shows what comes before an element: its key, label or index. */
static void show_label(struct show *s, const struct shown *x, size_t n)
{
    if (x->keys) {
        fputc('[', s->out);
        show_value(s, x->keys[n], false);
        fputs("] = ", s->out);
    } else if (x->labels && x->labels[n]) {
        fprintf(s->out, "%s = ", x->labels[n]);
    } else if (x->numbered) {
        fprintf(s->out, "[%zu] = ", n + x->first);
    }
}

static void show_standard_items(struct show *s, const struct shown *x)
{
    bool some = x->count || x->more;
    bool is_row = !x->keys && !x->labels && !x->numbered;
    bool lines = is_row ? s->set->array : s->set->pretty;
    /* a key counts as an element */
    u64 most = x->keys ? (s->set->elements + (u64)1) / 2 : s->set->elements;
    if (x->is_bare && some) {
        show_value(s, x->items[0], false);
        return;
    }
    fprintf(s->out, "%s%s%s", x->title ? x->title : "", x->title && some ? " = " : "",
            some ? "{" : "");
    size_t n = 0;
    for (; n < x->count && n < most; n++) {
        fputs(n ? lines ? "," : ", " : "", s->out);
        if (lines)
            show_new_line(s, 1);
        if (is_row && s->set->array_indexes)
            fprintf(s->out, "[%zu] = ", n);
        show_label(s, x, n);
        show_value(s, x->items[n], false);
    }
    fputs(x->more || n < x->count ? "..." : "", s->out);
    if (lines && some)
        show_new_line(s, 0);
    fputs(some ? "}" : "", s->out);
}

static void show_standard_value(struct show *s, struct value *value, const struct shown *x)
{
    if (!x->is_text) {
        show_standard_items(s, x);
        return;
    }
    u64 limit = s->set->elements < SHOW_FETCHED_MOST ? s->set->elements : SHOW_FETCHED_MOST;
    u64 most = x->length < limit ? x->length : limit;
    u8 *bytes = values_alloc(value->evaluation, most * x->width + 1);
    const struct symbols_host *host = &value->evaluation->symbols->host;
    if (most && !host->read(host->context, x->address, bytes, most * x->width))
        fprintf(s->out, "<there is no memory at 0x%llx>", (unsigned long long)x->address);
    else
        show_some_text(s, bytes, most, x->width, x->prefix, most < x->length);
}

/* A virtual base that several bases share is shown only with the first of them. */
static bool was_shown(struct show *s, struct value *value, const struct member *m)
{
    u64 address;
    if (!m->is_virtual)
        return false;
    struct error *err = value_virtual_base(value, m, &address);
    error_destroy(err);
    for (size_t n = 0; n < s->virtual_count && !err; n++)
        if (s->virtual_bases[n] == address)
            return true;
    if (!err && s->virtual_count < VIRTUAL_MOST)
        s->virtual_bases[s->virtual_count++] = address;
    return false;
}

/* Shows the members after those of the bases. */
static void show_members_of(struct show *s, struct value *value)
{
    char *type = type_text(value->evaluation, type_plain(value->evaluation, value->type));
    show_new_line(s, 1);
    fprintf(s->out, "members of %s:", type);
    free(type);
}

static void show_members(struct show *s, struct value *value, const struct member *m, size_t count)
{
    bool some = false, own = false, bases = false, lines = s->set->pretty;
    fputc('{', s->out);
    for (size_t n = 0; n < count; n++) {
        own |= !m[n].is_base;
        if (!m[n].name && !m[n].is_base &&
            type_plain(value->evaluation, m[n].type)->kind != TYPE_STRUCT)
            continue; /* padding */
        if (was_shown(s, value, &m[n]) || (m[n].is_static && !s->set->static_members))
            continue;
        fputs(some ? lines ? "," : ", " : "", s->out);
        if (lines && bases && !m[n].is_base)
            show_members_of(s, value);
        if (lines)
            show_new_line(s, 1);
        bases = m[n].is_base;
        show_member(s, value, &m[n]);
        some = true;
    }
    if (!own)
        fprintf(s->out, "%s<No data fields>", some ? ", " : "");
    else if (lines)
        show_new_line(s, 0);
    fputc('}', s->out);
}

/* Shows a Rust enum: the name of its variant, and the variant's members. */
static bool show_variant(struct show *s, struct value *value, struct type *plain)
{
    struct member tag, chosen;
    Dwarf_Die variants;
    struct number n = {0};
    if (!type_variants(value->evaluation, plain, &tag, &variants))
        return false;
    struct error *err = tag.type ? value_number(value_member(value, &tag), &n) : NULL;
    error_destroy(err);
    if (err ||
        !type_variant(value->evaluation, plain, &variants,
                      tag.type ? (u64)masked(n.i, (unsigned)tag.type->size * 8) : 0, &chosen))
        return false;
    fprintf(s->out, "%s ", chosen.name ? chosen.name : "?");
    show_value(s, value_member(value, &chosen), false);
    return true;
}

static void show_struct(struct show *s, struct value *value, struct type *plain)
{
    size_t count;
    struct evaluation *v = value->evaluation;
    struct shown shown;
    const struct member *m = type_members(v, plain, &count);
    if (plain->is_incomplete) {
        fputs("<incomplete type>", s->out);
        return;
    }
    if (s->depth > 1 && !s->set->unions && plain->keyword && strcmp(plain->keyword, "union") == 0) {
        fputs("{...}", s->out);
        return;
    }
    if (!s->set->raw && s->depth < SHOW_DEPTH && !rust_is(plain) && show_standard(value, &shown)) {
        show_standard_value(s, value, &shown);
        return;
    }
    if (s->set->raw || (!show_rust_struct(s, value) && !show_variant(s, value, plain)))
        show_members(s, value, m, count);
}

/* --- all -------------------------------------------------------------------------------------- */

static void show_function(struct show *s, struct value *value)
{
    char *type = type_text(value->evaluation, value->type);
    fprintf(s->out, "{%s} 0x%llx", type, (unsigned long long)value->address);
    show_symbol(s->out, value->evaluation, value->address, true);
    free(type);
}

/* True for a class that has a size but no members that could be optimized out. */
static bool is_empty_class(struct value *value, struct type *plain)
{
    size_t count = 1;
    if (plain->kind == TYPE_STRUCT && !plain->is_incomplete)
        type_members(value->evaluation, plain, &count);
    return !count;
}

static void show_loaded(struct show *s, struct value *value, struct type *plain, bool top)
{
    struct number n = {0};
    bool partly = value_is_missing(value, 0, value->size);
    bool whole = plain->kind != TYPE_STRUCT && plain->kind != TYPE_ARRAY;
    if (value->implied && plain->kind == TYPE_REFERENCE) {
        struct value *target = value_implied(value, type_target(value->evaluation, plain), 0);
        if (target->in_memory)
            show_reference(s, value, target->address, top);
        else
            show_value(s, target, top);
        return;
    }
    if (value->implied && top && plain->kind == TYPE_POINTER) {
        char *type = type_text(value->evaluation, value->type);
        fprintf(s->out, "(%s) ", type);
        free(type);
    }
    if (s->format && plain->kind == TYPE_MEMBER_POINTER && value->size == 8 && !partly) {
        show_number(s, value, plain, top);
        return;
    }
    if ((value_is_gone(value) && !is_empty_class(value, plain)) || (partly && whole)) {
        fputs(value->implied ? "<synthetic pointer>" : "<optimised out>", s->out);
        return;
    }
    if (show_rust_scalar(s, value, plain, top))
        return;
    switch (plain->kind) {
    case TYPE_FLOAT: show_floating(s, value, plain); break;
    case TYPE_COMPLEX: show_complex(s, value, plain); break;
    case TYPE_DECIMAL: show_decimal_float(s->out, plain, value->bytes); break;
    case TYPE_STRUCT: show_struct(s, value, plain); break;
    case TYPE_REFERENCE:
        error_destroy(value_number(value, &n));
        show_reference(s, value, (u64)n.i, top);
        break;
    case TYPE_MEMBER_POINTER: show_member_pointer(s, value); break;
    case TYPE_VOID: fputs("void", s->out); break;
    case TYPE_OTHER: fputs("<a type that is not known>", s->out); break;
    default: show_number(s, value, plain, top); break;
    }
}

/* True if the value has parts that may be too deep. A text has none. */
static bool show_has_parts(struct show *s, struct value *value, struct type *plain)
{
    struct evaluation *v = value->evaluation;
    bool is_text = plain->kind == TYPE_ARRAY && plain->count && (!s->format || s->format == 's') &&
                   type_character(v, type_target(v, plain));
    return !is_text && (plain->kind == TYPE_ARRAY || plain->kind == TYPE_STRUCT);
}

void show_value(struct show *s, struct value *value, bool top)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    struct shown handle;
    if (!s->format && !s->set->raw && s->depth < SHOW_DEPTH && go_shown_handle(value, &handle)) {
        s->depth++;
        show_standard_value(s, value, &handle);
        s->depth--;
        return;
    }
    if (plain->kind == TYPE_FUNCTION) {
        show_function(s, value);
        return;
    }
    if (s->depth > SHOW_DEPTH || s->shown++ > SHOWN_VALUES_MOST) {
        fputs("...", s->out);
        return;
    }
    if (s->depth >= s->set->max_depth && show_has_parts(s, value, plain)) {
        fputs("{...}", s->out);
        return;
    }
    s->depth++;
    if (show_fortran(s, value, plain)) {
        ;
    } else if (plain->kind == TYPE_ARRAY && !value_is_gone(value)) {
        show_array(s, value, plain);
    } else {
        struct error *err = value_load(value);
        if (err)
            fprintf(s->out, "<%s>", error_text(err));
        else
            show_loaded(s, value, plain, top);
        error_destroy(err);
    }
    s->depth--;
}

static char *show_whole(struct value *value, char format, bool top)
{
    char *text = NULL;
    size_t size;
    struct show s = {.out = open_memstream(&text, &size), .format = format, .alone = top,
                     .set = show_settings_of(value->evaluation)};
    show_value(&s, value, top);
    fclose(s.out);
    return text;
}

char *value_show(struct value *value, char format)
{
    return show_whole(value, format, true);
}

char *value_show_unit(struct value *value, char format)
{
    char *text = NULL;
    size_t size;
    struct show s = {.out = open_memstream(&text, &size),
                     .format = format,
                     .alone = true,
                     .padded = true,
                     .set = show_settings_of(value->evaluation)};
    show_value(&s, value, true);
    fclose(s.out);
    return text;
}

u64 value_show_string(struct value *value, char **ret)
{
    struct evaluation *v = value->evaluation;
    size_t size, count;
    struct type *plain = type_plain(v, value->type);
    const struct show_settings *set = show_settings_of(v);
    u64 most = set->elements < SHOW_FETCHED_MOST ? set->elements : SHOW_FETCHED_MOST;
    u8 *bytes;
    bool ended;
    char prefix = type_character(v, value->type);
    struct show s = {.out = open_memstream(ret, &size), .set = set};
    bool good =
        show_read_string(v, value->address, (unsigned)plain->size, most, &bytes, &count, &ended);
    if (good || count)
        show_some_text(&s, bytes, count, (unsigned)plain->size, prefix ? prefix : ' ',
                       good && !ended);
    if (!good)
        fprintf(s.out, "<there is no memory at 0x%llx>",
                (unsigned long long)(value->address + count * plain->size));
    free(bytes);
    fclose(s.out);
    return count + ended;
}

struct value *values_at(struct evaluation *v, const char *type, u64 address)
{
    struct type *t = type_builtin(v, type);
    return t ? value_at(v, t, address, NULL) : NULL;
}

struct error *value_contents(struct value *value, u8 **ret, u64 *ret_size)
{
    struct error *err = value_referred(value, &value);
    struct number n;
    if (!err)
        err = value_load(value);
    if (!err && value_is_missing(value, 0, value->size))
        err = error_coded(ERROR_UNAVAILABLE, "a part of the value is optimised out");
    if (!err && value->bit_size)
        err = value_number(value, &n);
    if (err)
        return err;
    u64 size = value->type->size < value->size ? value->type->size : value->size;
    u8 *bytes = xalloc(size + 1);
    memcpy(bytes, value->bit_size ? (const u8 *)&n.i : value->bytes, size);
    *ret = bytes;
    *ret_size = size;
    return NULL;
}

struct value *values_pointer(struct evaluation *v, u64 address)
{
    return value_of_bytes(v, type_pointer(v, type_builtin(v, "void")), &address, sizeof address);
}

bool value_function(struct value *value, u64 *ret_address)
{
    *ret_address = value->address;
    return type_plain(value->evaluation, value->type)->kind == TYPE_FUNCTION;
}

struct value *value_address_of(struct value *value)
{
    struct evaluation *v = value->evaluation;
    if (!value->in_memory)
        return NULL;
    return value_of_bytes(v, type_pointer(v, value->type), &value->address, sizeof value->address);
}

/* gdb supports neither for integers that fit in no register. */
struct error *value_format_check(struct value *value, char format)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    if ((format == 'a' || format == 'c') && type_is_integral(plain) && plain->size > 8)
        return error_new("an integer of more than 8 bytes has no format /%c", format);
    return NULL;
}

char *value_show_variable(struct value *value)
{
    return show_whole(value, 0, false);
}

/* Shows a container or another object of the library without its elements: "std::vector of length
 * 3, capacity 4 = {...}". */
static char *show_summary(const struct shown *x)
{
    bool some = x->count || x->more;
    if (x->is_bare && x->count)
        return value_show_argument(x->items[0]);
    if (x->is_plain || (!x->title && !some))
        return xformat("...");
    return xformat("%s%s%s", x->title ? x->title : "", x->title && some ? " = " : "",
                   some ? "{...}" : "");
}

char *value_show_argument(struct value *value)
{
    struct value *referred = value;
    struct shown shown;
    struct error *err = value_referred(value, &referred);
    if (!err)
        err = rust_looked_through(referred, &referred);
    struct type *plain = type_plain(value->evaluation, referred->type);
    error_destroy(err);
    bool parts = plain->kind == TYPE_STRUCT || plain->kind == TYPE_ARRAY;
    bool is_known = !err && parts && !value_is_gone(value) && show_standard(referred, &shown);
    if (err || !parts || value_is_gone(value) || (is_known && shown.is_text))
        return show_whole(err ? value : referred, 0, false);
    struct shown of_go;
    bool is_std = is_known && !rust_is(plain) && !go_shown(referred, &of_go);
    return is_std ? show_summary(&shown) : xformat("...");
}

bool value_is_void(struct value *value)
{
    return type_plain(value->evaluation, value->type)->kind == TYPE_VOID;
}

char *value_type(struct value *value)
{
    return type_text(value->evaluation, value->type);
}
