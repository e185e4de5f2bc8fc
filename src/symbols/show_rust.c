/* Rust values as text, in the form of {:?}. A reference is shown as its target; at top level, its
 * type and address come first, as for a C++ reference. */
#include "symbols/rust_internal.h"
#include "symbols/show_internal.h"

/* --- what has no parts ------------------------------------------------------------------------ */

static void show_rust_pointer(struct show *s, struct value *value, struct type *plain, u64 address,
                              bool top)
{
    struct evaluation *v = value->evaluation;
    if (top) {
        char *type = type_text(v, value->type);
        fprintf(s->out, "(%s) ", type);
        free(type);
    }
    show_hex(s->out, address);
    show_symbol(s->out, v, address, type_plain(v, type_target(v, plain))->kind == TYPE_FUNCTION);
}

static void show_rust_reference(struct show *s, struct value *value, struct type *plain,
                                u64 address, bool top)
{
    struct evaluation *v = value->evaluation;
    struct value *target = value_at(v, type_target(v, plain), address, NULL);
    struct shown shown;
    if (top && !show_standard(target, &shown)) {
        char *type = type_text(v, value->type);
        fprintf(s->out, "(%s) @0x%llx: ", type, (unsigned long long)address);
        free(type);
    }
    show_value(s, target, false);
}

/* The constant with this value; a number if there is no such constant. */
static void show_rust_constant(struct show *s, struct type *plain, i64 number)
{
    const struct member *m = plain->members.items;
    u64 bits = plain->size < 8 ? (1ull << 8 * plain->size) - 1
                               : ~0ull; /* some compilers write them as unsigned */
    for (size_t n = 0; n < plain->members.count; n++)
        if (m[n].name && !(((u64)m[n].value ^ (u64)number) & bits)) {
            fputs(m[n].name, s->out);
            return;
        }
    fprintf(s->out, "%lld", (long long)number);
}

bool show_rust_scalar(struct show *s, struct value *value, struct type *plain, bool top)
{
    struct number n;
    bool formatted = s->format && s->format != 's';
    if (!rust_is(plain))
        return false;
    if (plain->kind == TYPE_OTHER && !plain->size) {
        fputs(plain->name ? plain->name : "()", s->out);
        return true;
    }
    if (plain->kind == TYPE_FLOAT && !formatted) {
        rust_show_float(s->out, plain, value->bytes);
        return true;
    }
    bool known =
        plain->kind == TYPE_CHARACTER || plain->kind == TYPE_ENUM || plain->kind == TYPE_POINTER;
    if (!known || (formatted && !rust_is_reference(plain)))
        return false;
    struct error *err = value_number(value, &n);
    if (err)
        fprintf(s->out, "<%s>", error_text(err));
    else if (plain->kind == TYPE_CHARACTER)
        rust_show_character(s->out, (u32)n.i);
    else if (plain->kind == TYPE_ENUM)
        show_rust_constant(s, plain, (i64)n.i);
    else if (rust_is_reference(plain))
        show_rust_reference(s, value, plain, (u64)n.i, top);
    else
        show_rust_pointer(s, value, plain, (u64)n.i, top);
    error_destroy(err);
    return true;
}

/* --- what has parts --------------------------------------------------------------------------- */

static void show_rust_string(struct show *s, struct value *value, const struct shown *x)
{
    u64 most = x->length < s->set->elements ? x->length : s->set->elements;
    const struct symbols_host *host = &value->evaluation->symbols->host;
    u8 *bytes = values_alloc(value->evaluation, most + 1);
    if (most && !host->read(host->context, x->address, bytes, most))
        fprintf(s->out, "<there is no memory at 0x%llx>", (unsigned long long)x->address);
    else
        rust_show_text(s->out, bytes, most, most < x->length);
}

static bool same_bytes(struct value *a, struct value *b)
{
    struct error *err = value_load(a);
    if (!err)
        err = value_load(b);
    error_destroy(err);
    return !err && a->size && a->size == b->size && !a->missing && !b->missing &&
           memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* The number of equal elements from here on; only for scalars, whose bytes determine what is
 * shown. */
static size_t rust_run(const struct shown *x, size_t from)
{
    size_t n = from + 1;
    struct evaluation *v = x->items[from]->evaluation;
    if (x->style != SHOWN_ROW || !x->of || !type_is_scalar(type_plain(v, x->of)))
        return 1;
    while (n < x->count && same_bytes(x->items[from], x->items[n]))
        n++;
    return n - from;
}

static void show_rust_items(struct show *s, const struct shown *x)
{
    bool lines = x->style == SHOWN_ROW || x->style == SHOWN_SET ? s->set->array : s->set->pretty;
    bool is_list = x->style == SHOWN_ROW || x->style == SHOWN_SET || x->style == SHOWN_MAP;
    size_t n = 0;
    for (size_t shown = 0; n < x->count && (!is_list || shown < s->set->elements); shown++) {
        size_t run = rust_run(x, n);
        fputs(n ? lines ? "," : ", " : "", s->out);
        if (lines)
            show_new_line(s, 1);
        if (x->style == SHOWN_FIELDS && x->labels[n])
            fprintf(s->out, "%s: ", x->labels[n]);
        if (x->style == SHOWN_MAP) {
            show_value(s, x->keys[n], false);
            fputs(": ", s->out);
        }
        show_value(s, x->items[n], false);
        if (run > s->set->repeats)
            fprintf(s->out, " <repeats %zu times>", run);
        n += run > s->set->repeats ? run : 1;
    }
    if (x->tail)
        fprintf(s->out, ", %s", x->tail);
    if (x->more || n < x->count)
        fputs("...", s->out);
    if (lines && x->count)
        show_new_line(s, 0);
}

static void show_rust_parts(struct show *s, const struct shown *x)
{
    static const struct { const char *open, *close; } brackets[] = {
        [SHOWN_ROW] = {"[", "]"}, [SHOWN_SET] = {"{", "}"}, [SHOWN_MAP] = {"{", "}"},
        [SHOWN_TUPLE] = {"(", ")"}, [SHOWN_FIELDS] = {" { ", " }"},
    };
    fputs(x->title ? x->title : "", s->out);
    if (x->style == SHOWN_FIELDS && !x->count)
        return;
    fputs(brackets[x->style].open, s->out);
    show_rust_items(s, x);
    if (x->style == SHOWN_TUPLE && x->count == 1 && x->title && !*x->title)
        fputc(',', s->out);
    fputs(brackets[x->style].close, s->out);
}

bool show_rust_struct(struct show *s, struct value *value)
{
    struct shown x;
    if (!rust_shown(value, &x))
        return false;
    if (s->alone && s->depth == 1 && x.note)
        fputs(x.note, s->out);
    if (x.style == SHOWN_TEXT)
        show_rust_string(s, value, &x);
    else if (x.style == SHOWN_ONE)
        show_value(s, x.items[0], false);
    else if (x.style == SHOWN_WORDS)
        fputs(x.title, s->out);
    else
        show_rust_parts(s, &x);
    return true;
}
