/* Values as JSON: numbers, strings, objects and arrays; null for unknown values.
 *
 * Integers beyond 2^53 are strings, as most readers would round them; so are pointers, in
 * hexadecimal.
 */
#include <math.h>

#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { JSON_DEEP = 12 };

static void json(FILE *out, struct value *value, unsigned depth);

static void show_json_string(FILE *out, const char *text)
{
    show_json_text(out, (const u8 *)text, strlen(text));
}

/* As it would be printed. */
static void json_shown(FILE *out, struct value *value)
{
    char *text = value_show(value, 0);
    show_json_string(out, text);
    free(text);
}

static void json_number(FILE *out, struct value *value, struct type *plain)
{
    struct number n;
    struct error *err = value_number(value, &n);
    if (err)
        fputs("null", out);
    else if (n.is_float && isfinite((double)n.f))
        fprintf(out, plain->size == 4 ? "%.9Lg" : plain->size == 8 ? "%.17Lg" : "%.21Lg", n.f);
    else if (n.is_float || plain->kind == TYPE_ENUM)
        json_shown(out, value);
    else if (plain->kind == TYPE_POINTER)
        fprintf(out, "\"0x%llx\"", (unsigned long long)(u64)n.i);
    else if (plain->kind == TYPE_BOOL)
        fputs(n.i ? "true" : "false", out);
    else if (n.i > (__int128)1 << 53 || n.i < -((__int128)1 << 53) ||
             (n.i < 0 && plain->is_unsigned))
        json_shown(out, value);
    else
        fprintf(out, "%lld", (long long)n.i);
    error_destroy(err);
}

static void json_rust_character(FILE *out, struct value *value)
{
    struct number n = {0};
    char text[8];
    error_destroy(value_number(value, &n));
    show_json_text(out, (u8 *)text, rust_utf8((u32)n.i, text));
}

static void json_array(FILE *out, struct value *value, struct type *plain, unsigned depth)
{
    struct type *of = type_target(value->evaluation, plain);
    if (plain->absent) {
        fputs("null", out);
        return;
    }
    if (plain->is_string && of->size == 1) {
        show_json_text(out, value->bytes, value->size);
        return;
    }
    if (type_character(value->evaluation, of) == ' ' && !value_is_missing(value, 0, value->size)) {
        u64 count = strnlen((char *)value->bytes, value->size);
        show_json_text(out, value->bytes, count);
        return;
    }
    fputc('[', out);
    for (u64 n = 0; n < plain->count && n < show_most(value->evaluation); n++) {
        fputs(n ? "," : "", out);
        json(out, value_element(value, n), depth + 1);
    }
    fputc(']', out);
}

static void json_members(FILE *out, struct value *value, struct type *plain, unsigned depth,
                         bool *some)
{
    size_t count;
    struct evaluation *v = value->evaluation;
    const struct member *m = type_members(v, plain, &count);
    for (size_t n = 0; n < count; n++) {
        struct type *inner = type_plain(v, m[n].type);
        if ((m[n].is_base || !m[n].name) && inner->kind == TYPE_STRUCT && depth < JSON_DEEP) {
            json_members(out, value_member(value, &m[n]), inner, depth + 1, some);
            continue;
        }
        if (!m[n].name)
            continue;
        fputs(*some ? "," : "", out);
        *some = true;
        show_json_string(out, m[n].name);
        fputc(':', out);
        struct value *member = value_member(value, &m[n]);
        if (fortran_is(plain))
            error_destroy(fortran_member(value, m[n].name, &member));
        json(out, member ? member : value_member(value, &m[n]), depth + 1);
    }
}

static void json_text(FILE *out, struct value *value, const struct shown *x)
{
    u64 length = x->length < 1 << 16 ? x->length : 1 << 16;
    u8 *bytes = values_alloc(value->evaluation, length + 1);
    const struct symbols_host *host = &value->evaluation->symbols->host;
    if (x->width != 1)
        json_shown(out, value);
    else if (length && !host->read(host->context, x->address, bytes, length))
        fputs("null", out);
    else
        show_json_text(out, bytes, length);
}

/* A map becomes an array of pairs; a value with labels becomes an object. */
static void json_items(FILE *out, const struct shown *x, unsigned depth)
{
    bool object = x->labels && x->count && x->labels[0];
    fputc(object ? '{' : '[', out);
    for (size_t n = 0; n < x->count; n++) {
        fputs(n ? "," : "", out);
        if (object) {
            show_json_string(out, x->labels[n]);
            fputc(':', out);
        }
        if (x->keys) {
            fputc('[', out);
            json(out, x->keys[n], depth + 1);
            fputc(',', out);
        }
        json(out, x->items[n], depth + 1);
        fputs(x->keys ? "]" : "", out);
    }
    fputc(object ? '}' : ']', out);
}

static void json_standard(FILE *out, struct value *value, const struct shown *x, unsigned depth)
{
    if (x->is_text)
        json_text(out, value, x);
    else if (x->is_one && !x->count)
        fputs("null", out);
    else if (x->is_words)
        show_json_string(out, x->title);
    else if (x->is_one)
        json(out, x->items[0], depth + 1);
    else
        json_items(out, x, depth);
}

/* A tuple of one field becomes that field, as in serde. */
static void json_rust_fields(FILE *out, const struct shown *x, unsigned depth)
{
    bool object = x->style == SHOWN_FIELDS;
    if (!x->count) {
        fputs("null", out);
    } else if (x->style == SHOWN_TUPLE && x->count == 1) {
        json(out, x->items[0], depth + 1);
    } else {
        fputc(object ? '{' : '[', out);
        for (size_t n = 0; n < x->count; n++) {
            fputs(n ? "," : "", out);
            if (object) {
                show_json_string(out, x->labels[n] ? x->labels[n] : "?");
                fputc(':', out);
            }
            json(out, x->items[n], depth + 1);
        }
        fputc(object ? '}' : ']', out);
    }
}

/* An enum becomes the name of its variant, with its fields if it has any; an Option becomes what it
 * holds, or null. */
static void json_rust(FILE *out, struct value *value, const struct shown *x, unsigned depth)
{
    if (x->style == SHOWN_WORDS) {
        show_json_string(out, x->title);
    } else if (x->is_variant && !x->count) {
        show_json_string(out, x->title);
    } else if (x->is_variant) {
        fputc('{', out);
        show_json_string(out, x->title);
        fputc(':', out);
        json_rust_fields(out, x, depth);
        fputc('}', out);
    } else if (x->style == SHOWN_FIELDS || x->style == SHOWN_TUPLE) {
        json_rust_fields(out, x, depth);
    } else {
        json_standard(out, value, x, depth);
    }
}

static void json_struct(FILE *out, struct value *value, struct type *plain, unsigned depth)
{
    struct shown shown;
    bool some = false;
    if (rust_shown(value, &shown)) {
        json_rust(out, value, &shown, depth);
        return;
    }
    if (show_standard(value, &shown)) {
        json_standard(out, value, &shown, depth);
        return;
    }
    fputc('{', out);
    json_members(out, value, plain, depth, &some);
    fputc('}', out);
}

static void json(FILE *out, struct value *value, unsigned depth)
{
    struct type *plain;
    struct shown handle;
    if (depth <= JSON_DEEP && go_shown_handle(value, &handle)) {
        json_standard(out, value, &handle, depth);
        return;
    }
    struct error *err = value_referred(value, &value);
    if (!err)
        err = rust_looked_through(value, &value);
    if (!err)
        value = fortran_looked_through(value);
    plain = type_plain(value->evaluation, value->type);
    if (!err && plain->kind != TYPE_FUNCTION)
        err = value_load(value);
    bool whole = plain->kind != TYPE_STRUCT && plain->kind != TYPE_ARRAY;
    if (err || depth > JSON_DEEP || (whole && value_is_missing(value, 0, value->size)) ||
        value_is_gone(value))
        fputs("null", out);
    else if (plain->kind == TYPE_STRUCT)
        json_struct(out, value, plain, depth);
    else if (plain->kind == TYPE_ARRAY)
        json_array(out, value, plain, depth);
    else if (rust_is_unit(plain))
        fputs("null", out);
    else if (rust_is(plain) && plain->kind == TYPE_CHARACTER)
        json_rust_character(out, value);
    else if (type_is_scalar(plain))
        json_number(out, value, plain);
    else
        json_shown(out, value);
    error_destroy(err);
}

char *value_json(struct value *value)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    json(out, value, 0);
    fclose(out);
    return text;
}
