/* Values to text as gdb prints them, and to JSON. */
#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"
#include "symbols/show_internal.h"

/* --- integers in all formats ------------------------------------------------------------------------------- */

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

/* "vector.10+4" to "vector+4": a variable that is saved has a number to the linker. */
static void show_without_number(char *name)
{
    char *dot = strchr(name + 1, '.');
    size_t digits = dot ? strspn(dot + 1, "0123456789") : 0;
    if (digits && (dot[1 + digits] == '+' || !dot[1 + digits]))
        memmove(dot, dot + 1 + digits, strlen(dot + 1 + digits) + 1);
}

void show_symbol(FILE *out, struct evaluation *v, u64 address, bool code)
{
    char *name = names_of_address(v->symbols, address, code);
    if (name && v->language == LANGUAGE_FORTRAN)
        show_without_number(name);
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
    return bits >= 128 ? (unsigned __int128)i : (unsigned __int128)i & (((unsigned __int128)1 << bits) - 1);
}

/* 'A' behind its number. */
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

static void show_as_float(struct show *s, struct value *value, struct number n, bool is_unsigned)
{
    struct type *t = value->size == 4 ? type_builtin(value->evaluation, "float") : type_builtin(value->evaluation, "double");
    if (!value->bit_size && (value->size == 4 || value->size == 8))
        show_float(s->out, t, value->bytes);
    else
        show_decimal(s->out, n.i, is_unsigned);
}

static void show_formatted(struct show *s, struct value *value, struct number n, bool is_unsigned)
{
    unsigned bits = (unsigned)value->type->size * 8;
    unsigned __int128 u = masked(n.i, bits);
    switch (s->format) {
    case 'x': show_hex(s->out, u); break;
    case 'z': fputs("0x", s->out), show_radix(s->out, u, 4, (bits + 3) / 4); break;
    case 'o': fputs(u ? "0" : "", s->out), show_radix(s->out, u, 3, 1); break;
    case 't': show_radix(s->out, u, 1, 1); break;
    case 'u': show_decimal(s->out, (__int128)u, true); break;
    case 'd': {
        bool negative = bits < 128 && u >> (bits - 1) & 1;
        show_decimal(s->out, negative ? (__int128)(u | ~(unsigned __int128)0 << bits) : (__int128)u, false);
        break;
    }
    case 'a':
        show_hex(s->out, u);
        show_symbol(s->out, value->evaluation, (u64)u, true);
        break;
    case 'c':
        if (value->size == 1 || n.i < -128 || n.i > 255)
            show_char_value(s->out, n.i < -128 || n.i > 255 ? (i8)n.i : n.i, 1, ' ', is_unsigned);
        else
            show_char_value(s->out, n.i, 1, ' ', is_unsigned);
        break;
    case 'f': show_as_float(s, value, n, is_unsigned); break;
    default: show_decimal(s->out, n.i, is_unsigned); break;
    }
}

/* --- scalars ------------------------------------------------------------------------------------------------- */

/* The constant of just this value; false: there is none. */
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

static void show_flags(struct show *s, u64 flags)
{
    fputs("[ ", s->out);
#define X(NAME, bit) if (flags & FLAG_##NAME) fputs(#NAME " ", s->out);
    REGISTERS_FLAGS(X)
#undef X
    fputc(']', s->out);
}

/* The text behind a char pointer. */
static void show_pointed_text(struct show *s, struct evaluation *v, u64 address, struct type *of, char prefix)
{
    u8 *bytes;
    size_t count;
    bool ended;
    unsigned width = (unsigned)type_plain(v, of)->size;
    bool good = show_read_string(v, address, width, SHOW_MOST, &bytes, &count, &ended);
    if (good || count) {
        fputc(' ', s->out);
        show_characters(s->out, bytes, count, width, prefix, good && !ended);
    }
    if (!good)
        fprintf(s->out, "%s<there is no memory at 0x%llx>", count ? "" : " ",
                (unsigned long long)(address + count * width));
    free(bytes);
}

static void show_pointer(struct show *s, struct value *value, u64 address, bool top)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type), *to = type_target(v, plain);
    struct type *pointed = type_plain(v, to);
    char prefix = type_character(v, to);
    bool is_text = prefix && pointed->kind != TYPE_BOOL;
    bool plain_char = value->type->kind != TYPE_TYPEDEF && pointed->name && strcmp(pointed->name, "char") == 0;
    if (top && !(is_text && plain_char)) {
        char *type = type_text(v, value->type);
        fprintf(s->out, "(%s) ", type);
        free(type);
    }
    show_hex(s->out, address);
    show_symbol(s->out, v, address, true);
    if (is_text && address)
        show_pointed_text(s, v, address, to, prefix);
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
    fprintf(s->out, "@0x%llx: ", (unsigned long long)address);
    show_value(s, target, false);
}

/* Functions of the class, as the ABI has it: the address, or the place in the table of virtual ones with the lowest bit set. */
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
        show_formatted(s, value, n, plain->is_unsigned);
    } else if (plain->kind == TYPE_POINTER) {
        show_pointer(s, value, (u64)n.i, top);
    } else if (plain->kind == TYPE_ENUM) {
        show_enum(s, v, plain, n.i);
    } else if (plain->kind == TYPE_BOOL && (n.i == 0 || n.i == 1)) {
        fputs(n.i ? "true" : "false", s->out);
    } else if (plain->is_flag_register) {
        show_flags(s, (u64)n.i);
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
    /* Letters for integers show the bits. */
    struct type *as = type_builtin(value->evaluation, plain->size > 8 ? "__int128" : plain->size > 4 ? "long" : "int");
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

/* --- arrays ------------------------------------------------------------------------------------------------------ */

static void show_text_array(struct show *s, struct value *value, struct type *plain, char prefix)
{
    struct type *of = type_plain(value->evaluation, type_target(value->evaluation, plain));
    unsigned width = (unsigned)of->size;
    u64 count = value->size / width;
    static const u8 zero[4];
    if (count && memcmp(value->bytes + (count - 1) * width, zero, width) == 0)
        count--;
    show_characters(s->out, value->bytes, count, width, prefix, false);
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
    fputc(brackets[0], s->out);
    for (u64 shown = 0; n < plain->count && shown < SHOW_MOST;) {
        u64 run = 1;
        while (n + run < plain->count && (n + run + 1) * size <= value->size && size &&
               same_element(value, n, n + run, size))
            run++;
        fputs(n ? ", " : "", s->out);
        show_value(s, value_element(value, n), false);
        if (run >= SHOW_REPEATS) {
            fprintf(s->out, " <repeats %llu times>", (unsigned long long)run);
            shown += SHOW_REPEATS;
        } else {
            run = 1;
            shown++;
        }
        n += run;
    }
    fprintf(s->out, "%s%c", n < plain->count ? "..." : "", brackets[1]);
}

/* Of a long array only as much is read as can be shown, with room for what repeats. */
static struct error *load_array(struct value **value, struct type **plain)
{
    enum { READ_MOST = 1 << 16 };
    struct evaluation *v = (*value)->evaluation;
    struct type *of = type_target(v, *plain);
    if ((*value)->bytes || (*value)->size <= READ_MOST || !of->size)
        return value_load(*value);
    u64 count = READ_MOST / of->size;
    struct value *shorter = value_at(v, type_array(v, of, count > SHOW_MOST ? count : SHOW_MOST + 1), (*value)->address, NULL);
    struct error *err = value_load(shorter);
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
    if (!plain->is_counted && value->in_memory && !plain->count) { /* a flexible one */
        show_hex(s->out, value->address);
        return;
    }
    if (prefix && (!s->format || s->format == 's') && !value_is_missing(value, 0, value->size) && plain->count)
        show_text_array(s, value, plain, prefix);
    else
        show_elements(s, value, plain);
}

/* --- structs --------------------------------------------------------------------------------------------------------- */

static void show_member(struct show *s, struct value *value, const struct member *m)
{
    struct evaluation *v = value->evaluation;
    if (m->is_base) {
        char *type = type_text(v, m->type);
        fprintf(s->out, "<%s> = ", type);
        free(type);
    } else if (m->name) {
        fprintf(s->out, "%s%s = ", m->is_static ? "static " : "", m->name);
    }
    struct type *plain = type_plain(v, m->type);
    if (m->is_static && plain->kind == TYPE_STRUCT && s->depth > 4)
        fputs("<same as static member of an already seen type>", s->out);
    else
        show_value(s, value_member(value, m), false);
}

/* What stands before an element: its key, its label or its number. */
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
    if (x->is_bare && some) {
        show_value(s, x->items[0], false);
        return;
    }
    fprintf(s->out, "%s%s%s", x->title ? x->title : "", x->title && some ? " = " : "", some ? "{" : "");
    for (size_t n = 0; n < x->count; n++) {
        fputs(n ? ", " : "", s->out);
        show_label(s, x, n);
        show_value(s, x->items[n], false);
    }
    fputs(x->more ? "...}" : some ? "}" : "", s->out);
}

static void show_standard_value(struct show *s, struct value *value, const struct shown *x)
{
    if (!x->is_text) {
        show_standard_items(s, x);
        return;
    }
    u64 most = x->length < SHOW_MOST ? x->length : SHOW_MOST;
    u8 *bytes = values_alloc(value->evaluation, most * x->width + 1);
    const struct symbols_host *host = &value->evaluation->symbols->host;
    if (most && !host->read(host->context, x->address, bytes, most * x->width))
        fprintf(s->out, "<there is no memory at 0x%llx>", (unsigned long long)x->address);
    else
        show_characters(s->out, bytes, most, x->width, x->prefix, most < x->length);
}

/* A virtual base that other bases have, too, is shown with the first of them. */
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

static void show_members(struct show *s, struct value *value, const struct member *m, size_t count)
{
    bool some = false, own = false;
    fputc('{', s->out);
    for (size_t n = 0; n < count; n++) {
        own |= !m[n].is_base;
        if (!m[n].name && !m[n].is_base && type_plain(value->evaluation, m[n].type)->kind != TYPE_STRUCT)
            continue; /* padding */
        if (was_shown(s, value, &m[n]))
            continue;
        fputs(some ? ", " : "", s->out);
        show_member(s, value, &m[n]);
        some = true;
    }
    if (!own)
        fprintf(s->out, "%s<No data fields>", some ? ", " : "");
    fputc('}', s->out);
}

/* An enum of Rust: the name of the variant that it is, and its members. */
static bool show_variant(struct show *s, struct value *value, struct type *plain)
{
    struct member tag, chosen;
    Dwarf_Die variants;
    struct number n = {0};
    if (!type_variants(value->evaluation, plain, &tag, &variants))
        return false;
    struct error *err = tag.type ? value_number(value_member(value, &tag), &n) : NULL;
    error_destroy(err);
    if (err || !type_variant(value->evaluation, plain, &variants, tag.type ? (u64)masked(n.i, (unsigned)tag.type->size * 8) : 0, &chosen))
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
    if (s->depth < SHOW_DEPTH && !rust_is(plain) && show_standard(value, &shown)) {
        show_standard_value(s, value, &shown);
        return;
    }
    if (s->depth >= SHOW_DEPTH) {
        fputs("{...}", s->out);
        return;
    }
    if (!show_rust_struct(s, value) && !show_variant(s, value, plain))
        show_members(s, value, m, count);
}

/* --- all ---------------------------------------------------------------------------------------------------------------- */

static void show_function(struct show *s, struct value *value)
{
    char *type = type_text(value->evaluation, value->type);
    fprintf(s->out, "{%s} 0x%llx", type, (unsigned long long)value->address);
    show_symbol(s->out, value->evaluation, value->address, true);
    free(type);
}

static void show_loaded(struct show *s, struct value *value, struct type *plain, bool top)
{
    struct number n = {0};
    bool partly = value_is_missing(value, 0, value->size);
    bool whole = plain->kind != TYPE_STRUCT && plain->kind != TYPE_ARRAY;
    if (value_is_gone(value) || (partly && whole)) {
        fputs("<optimised out>", s->out);
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

void show_value(struct show *s, struct value *value, bool top)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    struct shown handle;
    if (!s->format && s->depth < SHOW_DEPTH && go_shown_handle(value, &handle)) {
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
    struct show s = {.out = open_memstream(&text, &size), .format = format, .alone = top};
    show_value(&s, value, top);
    fclose(s.out);
    return text;
}

char *value_show(struct value *value, char format)
{
    return show_whole(value, format, true);
}

char *value_show_variable(struct value *value)
{
    return show_whole(value, 0, false);
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
    if (err || !parts || value_is_gone(value) || (show_standard(referred, &shown) && shown.is_text))
        return show_whole(err ? value : referred, 0, false);
    return xformat("...");
}

bool value_is_void(struct value *value)
{
    return type_plain(value->evaluation, value->type)->kind == TYPE_VOID;
}

char *value_type(struct value *value)
{
    return type_text(value->evaluation, value->type);
}
