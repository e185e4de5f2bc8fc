/* Casts, and how classes are related.
 *
 * A pointer to an object can be cast to its base class or to a derived class, as in C++: the
 * address changes by the offset of the base. A virtual base has no fixed offset. A cast from it to
 * a derived class goes through the complete object. The distance to that object is stored before
 * the table of virtual functions, and the table's symbol names its class.
 */
#include "symbols/values_internal.h"

/* Compares classes by name, since each unit has its own description of a class. */
static bool is_same_class(const struct type *a, const struct type *b)
{
    return a == b || (a->kind == TYPE_STRUCT && b->kind == TYPE_STRUCT && a->name && b->name &&
                      strcmp(a->name, b->name) == 0);
}

/* Returns the base class `wanted` of an object; NULL: it has none. */
static struct value *base_of(struct value *object, struct type *wanted, unsigned depth)
{
    size_t count;
    struct evaluation *v = object->evaluation;
    const struct member *m = type_members(v, type_plain(v, object->type), &count);
    for (size_t n = 0; n < count && depth < SHOW_DEPTH; n++) {
        if (!m[n].is_base)
            continue;
        struct value *base = value_member(object, &m[n]);
        if (!is_same_class(type_plain(v, m[n].type), wanted))
            base = base_of(base, wanted, depth + 1);
        if (base)
            return base;
    }
    return NULL;
}

bool class_has_base(struct evaluation *v, struct type *class, struct type *base)
{
    size_t count;
    if (is_same_class(class, base))
        return true;
    const struct member *m = type_members(v, class, &count);
    for (size_t n = 0; n < count && class->kind == TYPE_STRUCT; n++)
        if (m[n].is_base && class_has_base(v, type_plain(v, m[n].type), base))
            return true;
    return false;
}

/* True if the text is the class's name, or the end of its qualified name. */
static bool is_class_name(struct evaluation *v, struct type *class, const char *name)
{
    char *whole = type_text(v, class);
    size_t all = strlen(whole), length = strlen(name);
    bool same = type_same_name(whole, name) ||
                (all > length + 2 && strcmp(whole + all - length, name) == 0 &&
                 whole[all - length - 1] == ':');
    free(whole);
    return same;
}

struct type *class_named_in(struct evaluation *v, struct type *class, const char *name,
                            unsigned depth)
{
    size_t count;
    struct type *found = NULL;
    if (is_class_name(v, class, name))
        return class;
    const struct member *m = type_members(v, class, &count);
    for (size_t n = 0; n < count && !found && class->kind == TYPE_STRUCT && depth < SHOW_DEPTH; n++)
        if (m[n].is_base)
            found = class_named_in(v, type_plain(v, m[n].type), name, depth + 1);
    if (found || depth)
        return found;
    struct type *named = type_named(v, NULL, name); /* an alias */
    named = named ? type_plain(v, named) : NULL;
    return named && named->kind == TYPE_STRUCT && class_has_base(v, class, named) ? named : NULL;
}

struct error *value_find_member_in(struct value *object, struct type *class, const char *name,
                                   struct value **ret)
{
    struct evaluation *v = object->evaluation;
    if (class && !is_same_class(type_plain(v, object->type), class))
        object = base_of(object, class, 0);
    *ret = NULL;
    return object ? value_find_member(object, name, ret) : NULL;
}

enum relation { NOT_A_BASE, A_BASE, A_VIRTUAL_BASE };

/* Finds how `wanted` is related to a class, and its offset in objects of the class, if that is
 * fixed. */
static enum relation relation_of(struct evaluation *v, struct type *class, struct type *wanted,
                                 unsigned depth, u64 *ret)
{
    size_t count;
    const struct member *m = type_members(v, class, &count);
    for (size_t n = 0; n < count && depth < SHOW_DEPTH; n++) {
        struct type *base = m[n].is_base ? type_plain(v, m[n].type) : NULL;
        u64 inner = 0;
        enum relation r = !base ? NOT_A_BASE : is_same_class(base, wanted) ? A_BASE
                          : relation_of(v, base, wanted, depth + 1, &inner);
        *ret = m[n].offset + inner;
        if (r)
            return m[n].is_virtual ? A_VIRTUAL_BASE : r;
    }
    return NOT_A_BASE;
}

/* Finds the complete object that the part at the address belongs to, by its table of virtual
 * functions; NULL: it cannot be found. */
static struct value *whole_object(struct evaluation *v, u64 address)
{
    static const char title[] = "vtable for ";
    const struct symbols_host *host = &v->symbols->host;
    u64 table;
    i64 up;
    if (!host->read(host->context, address, &table, 8) ||
        !host->read(host->context, table - 16, &up, 8))
        return NULL;
    char *name = names_of_address(v->symbols, table, false);
    struct name_found found;
    bool known = name && strncmp(name, title, sizeof title - 1) == 0;
    if (known) {
        name[strcspn(name, "+")] = 0;
        known = names_find(v, name + sizeof title - 1, NULL, 1u << NAME_TYPE, &found) &&
                !found.entry.is_declaration;
    }
    free(name);
    return known ? value_at(v, type_of(v, found.module, &found.entry.die), address + (u64)up, NULL)
                 : NULL;
}

static struct error *cast_from_virtual(struct evaluation *v, u64 *address, const struct type *from,
                                       struct type *to)
{
    struct value *whole = whole_object(v, *address);
    if (whole && !is_same_class(type_plain(v, whole->type), to))
        whole = base_of(whole, to, 0);
    if (!whole)
        return error_new("%s is a virtual base of %s, and no %s is around this one", from->name,
                         to->name, to->name);
    *address = whole->address;
    return NULL;
}

/* Converts the address of an object to that of its base class or derived class. Unrelated types
 * keep the address. */
static struct error *cast_to_relative(struct evaluation *v, u64 *address, struct type *from,
                                      struct type *to)
{
    u64 offset;
    if (from->kind != TYPE_STRUCT || to->kind != TYPE_STRUCT || is_same_class(from, to) ||
        !*address)
        return NULL;
    struct value *base = base_of(value_at(v, from, *address, NULL), to, 0);
    if (base && base->in_memory) {
        *address = base->address;
        return NULL;
    }
    switch (relation_of(v, to, from, 0, &offset)) {
    case A_BASE: *address -= offset; return NULL;
    case A_VIRTUAL_BASE: return cast_from_virtual(v, address, from, to);
    default: return NULL;
    }
}

bool cast_moves(struct evaluation *v, struct type *from, struct type *to)
{
    u64 offset;
    from = type_plain(v, from);
    to = type_plain(v, to);
    if (from->kind == TYPE_POINTER && to->kind == TYPE_POINTER)
        return cast_moves(v, type_target(v, from), type_target(v, to));
    if (from->kind != TYPE_STRUCT || to->kind != TYPE_STRUCT || is_same_class(from, to))
        return false;
    enum relation r = relation_of(v, from, to, 0, &offset);
    if (!r)
        r = relation_of(v, to, from, 0, &offset);
    return r == A_VIRTUAL_BASE || (r == A_BASE && offset);
}

/* Treats memory as another type. */
static struct error *cast_in_memory(struct value *value, struct type *to, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    u64 address = value->address;
    struct error *err =
        cast_to_relative(v, &address, type_plain(v, value->type), type_plain(v, to));
    if (!err)
        *ret = value_at(v, to, address, value->from);
    return err;
}

struct error *value_cast(struct value *value, struct type *to, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, to), *from = type_plain(v, value->type);
    struct number n;
    if (plain->kind == TYPE_STRUCT || plain->kind == TYPE_ARRAY) {
        if (!value->in_memory && plain == from) {
            *ret = value_part(value, to, 0);
            return NULL;
        }
        if (!value->in_memory)
            return error_new("%s is not in memory, so it cannot be seen as %s", value_called(value),
                             type_called(v, to));
        return cast_in_memory(value, to, ret);
    }
    if (plain->kind == TYPE_REFERENCE) {
        if (!value->in_memory)
            return error_new("%s is not in memory, so nothing can refer to it",
                             value_called(value));
        return cast_in_memory(value, type_target(v, plain), ret);
    }
    if (plain->kind == TYPE_VOID) {
        *ret = value_of_bytes(v, to, "", 1);
        return NULL;
    }
    if (!type_is_scalar(plain))
        return error_new("%s cannot be cast to %s", value_called(value), type_called(v, to));
    struct error *err = value_decay(value, &value);
    from = type_plain(v, value->type);
    if (!err && from->kind == TYPE_STRUCT)
        err = error_new("a %s is not a number, and cannot be cast to one", from->keyword);
    if (!err)
        err = value_number(value, &n);
    if (err)
        return err;
    if (plain->kind == TYPE_POINTER && from->kind == TYPE_POINTER) {
        u64 address = (u64)n.i;
        err = cast_to_relative(v, &address, type_plain(v, type_target(v, from)),
                               type_plain(v, type_target(v, plain)));
        if (err)
            return err;
        n.i = address;
    }
    *ret = value_of_number(v, to, n);
    value_joined(*ret, value, NULL);
    return NULL;
}

struct value *values_whole_object(struct value *value)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    u64 address = value->address;
    bool pointer = plain->kind == TYPE_POINTER;
    struct error *err = pointer ? value_pointer(value, &address) : NULL;
    if (err || (pointer && type_plain(v, type_target(v, plain))->kind != TYPE_STRUCT)) {
        error_destroy(err);
        return value;
    }
    if (!pointer && (plain->kind != TYPE_STRUCT || !value->in_memory))
        return value;
    struct type *class = pointer ? type_plain(v, type_target(v, plain)) : plain;
    struct value *whole = whole_object(v, address);
    if (!whole || (pointer && is_same_class(type_plain(v, whole->type), class)))
        return value;
    if (!pointer)
        return whole;
    return value_of_number(v, type_pointer(v, whole->type), (struct number){.i = whole->address});
}
