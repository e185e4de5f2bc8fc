/* Children: the parts of a value, one level deep, for front ends that unfold values.
 *
 * The parts are the same as in text (show.c): the elements of library containers, the fields of a
 * Rust enum's variant, the members of the struct that a pointer points to. Elements of arrays are
 * found by index, so an array of ten million elements opens as fast as one of ten. Elements of
 * lists and maps are fetched up to a limit.
 */
#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

/* How the parts of a value are found. */
struct unfolded {
    enum {
        UNFOLDS_TO_NOTHING,
        UNFOLDS_TO_ROW,
        UNFOLDS_TO_ITEMS,
        UNFOLDS_TO_MEMBERS,
        UNFOLDS_TO_TARGET
    } how;
    /* the value whose members are the parts, or its elements if `row` is NULL */
    struct value *value;
    struct type *plain;  /* its plain type */
    struct type *row;    /* type of the elements at: */
    u64 address, count;
    struct shown shown;   /* of items */
    bool through_pointer; /* `value` is what the original pointer points to */
    struct list members;  /* struct value_child */
};

static bool is_readable(struct value *value)
{
    u8 byte;
    const struct symbols_host *host = &value->evaluation->symbols->host;
    return !value->in_memory || host->read(host->context, value->address, &byte, 1);
}

static void unfold_shown(struct unfolded *u)
{
    const struct shown *x = &u->shown;
    if (x->is_text || x->style == SHOWN_TEXT || x->is_words || x->style == SHOWN_WORDS) {
        u->how = UNFOLDS_TO_NOTHING;
    } else if (x->of && x->address && !x->keys && !x->labels) {
        u->how = UNFOLDS_TO_ROW;
        u->row = x->of;
        u->address = x->address;
        u->count = x->length;
    } else {
        u->how = x->count ? UNFOLDS_TO_ITEMS : UNFOLDS_TO_NOTHING;
        u->count = x->count;
    }
}

static const char *child_text(struct evaluation *v, char *text) /* takes it */
{
    const char *copy = values_copy(v, text, strlen(text));
    free(text);
    return copy;
}

static void add_member(struct unfolded *u, struct value *value, const struct member *m,
                       unsigned depth)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, m->type);
    u64 unused;
    struct error *err = m->is_virtual ? value_virtual_base(value, m, &unused) : NULL;
    bool is_there = !err;
    error_destroy(err);
    if (!is_there)
        return;
    struct value *member = value_member(value, m);
    if (!m->name && !m->is_base) {
        size_t count;
        const struct member *inner = type_members(v, plain, &count);
        for (size_t n = 0; n < count && plain->kind == TYPE_STRUCT && depth < SHOW_DEPTH; n++)
            add_member(u, member, &inner[n], depth + 1);
        return;
    }
    struct value *special = NULL;
    if (fortran_is(u->plain) && !m->is_base)
        error_destroy(fortran_member(value, m->name, &special));
    struct value_child *c = list_add(&u->members);
    c->value = special ? special : member;
    if (m->is_base) {
        c->name = child_text(v, type_text(v, plain));
        c->path = "";
    } else {
        const char *mark = fortran_is(u->plain)                       ? "%"
                           : u->through_pointer && !rust_is(u->plain) ? "->"
                                                                      : ".";
        c->name = m->name;
        c->path = child_text(v, xformat("%s%s", mark, m->name));
    }
}

static void unfold_members(struct unfolded *u)
{
    size_t count;
    const struct member *m = type_members(u->value->evaluation, u->plain, &count);
    u->members = LIST(struct value_child);
    u->how = UNFOLDS_TO_MEMBERS;
    for (size_t n = 0; n < count; n++)
        add_member(u, u->value, &m[n], 0);
    u->count = u->members.count;
}

static void unfold_struct(struct unfolded *u)
{
    if (u->plain->is_incomplete)
        return;
    bool raw = show_settings_of(u->value->evaluation)->raw;
    if (!raw &&
        (rust_is(u->plain) ? rust_shown(u->value, &u->shown)
                           : show_standard(u->value, &u->shown)) &&
        !u->shown.is_plain)
        unfold_shown(u);
    else
        unfold_members(u);
}

/* Replaces a pointer to a struct by the struct. */
static void unfold_pointer(struct unfolded *u)
{
    struct evaluation *v = u->value->evaluation;
    struct type *to = type_target(v, u->plain), *plain = type_plain(v, to);
    u64 address;
    struct error *err = value_pointer(u->value, &address);
    error_destroy(err);
    if (err || !address || plain->kind == TYPE_VOID || plain->kind == TYPE_FUNCTION ||
        plain->is_incomplete || type_character(v, to))
        return;
    struct value *target = value_at(v, to, address, value_all_sources(u->value));
    if (!is_readable(target))
        return;
    u->value = target;
    u->count = 1;
    u->how = UNFOLDS_TO_TARGET;
    if (plain->kind != TYPE_STRUCT)
        return;
    u->plain = plain;
    u->through_pointer = true;
    u->how = UNFOLDS_TO_NOTHING;
    u->count = 0;
    unfold_struct(u);
}

static void unfold(struct value *value, struct unfolded *u)
{
    *u = (struct unfolded){.value = value};
    if (go_shown_handle(value, &u->shown)) {
        unfold_shown(u);
        return;
    }
    struct error *err = value_referred(value, &value);
    if (!err)
        err = rust_looked_through(value, &value);
    if (!err)
        value = fortran_looked_through(value);
    error_destroy(err);
    if (err || value_is_gone(value))
        return;
    u->value = value;
    u->plain = type_plain(value->evaluation, value->type);
    if (u->plain->kind == TYPE_STRUCT) {
        unfold_struct(u);
    } else if (u->plain->kind == TYPE_ARRAY && !u->plain->absent && !u->plain->is_string) {
        u->how = UNFOLDS_TO_ROW;
        u->count = u->plain->count;
    } else if (u->plain->kind == TYPE_POINTER) {
        unfold_pointer(u);
    }
}

u64 value_child_count(struct value *value, bool *ret_indexed)
{
    struct unfolded u;
    unfold(value, &u);
    *ret_indexed = u.how == UNFOLDS_TO_ROW;
    list_deinit(&u.members);
    return u.how == UNFOLDS_TO_NOTHING ? 0 : u.count;
}

static void row_child(const struct unfolded *u, u64 n, struct value_child *c)
{
    struct evaluation *v = u->value->evaluation;
    if (u->row) {
        c->value = value_at(v, u->row, u->address + n * u->row->size, NULL);
        c->name = c->path = child_text(v, xformat("[%llu]", (unsigned long long)n));
        return;
    }
    c->value = value_element(u->value, n);
    bool is_fortran = fortran_is(u->plain);
    long long number = (long long)n + (is_fortran ? u->plain->lower : 0);
    c->name = c->path = child_text(v, xformat(is_fortran ? "(%lld)" : "[%lld]", number));
}

static void item_child(const struct unfolded *u, u64 n, struct value_child *c)
{
    struct evaluation *v = u->value->evaluation;
    const struct shown *x = &u->shown;
    c->value = x->items[n];
    if (x->keys) {
        char *key = value_show_variable(x->keys[n]);
        c->name = child_text(v, xformat("[%s]", key));
        free(key);
    } else if (x->labels && x->labels[n]) {
        c->name = x->labels[n];
        if (x->style == SHOWN_FIELDS && !x->is_variant)
            c->path = child_text(v, xformat(".%s", x->labels[n]));
    } else {
        bool is_field = x->style == SHOWN_TUPLE;
        unsigned long long number = n + x->first;
        c->name = child_text(v, xformat(is_field ? "%llu" : "[%llu]", number));
        if (is_field && !x->is_variant)
            c->path = child_text(v, xformat(".%llu", number));
    }
}

void value_children(struct value *value, u64 first, u64 count, struct list *ret)
{
    struct unfolded u;
    unfold(value, &u);
    u64 end = first < u.count && count < u.count - first ? first + count : u.count;
    for (u64 n = first; n < end && u.how != UNFOLDS_TO_NOTHING; n++) {
        struct value_child *c = list_add(ret);
        if (u.how == UNFOLDS_TO_ROW)
            row_child(&u, n, c);
        else if (u.how == UNFOLDS_TO_ITEMS)
            item_child(&u, n, c);
        else if (u.how == UNFOLDS_TO_MEMBERS)
            *c = ((struct value_child *)u.members.items)[n];
        else
            *c = (struct value_child){.name = "*", .value = u.value, .path = "*"};
    }
    list_deinit(&u.members);
}
