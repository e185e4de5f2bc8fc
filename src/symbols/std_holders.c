/* Classes of libstdc++ that hold one thing or a fixed number: pairs, tuples, smart pointers,
 * optional, variant. */
#include "symbols/values_internal.h"

static void add_labelled(struct evaluation *v, struct shown *ret, const char *label,
                         struct value *item)
{
    enum { MOST = 64 };
    if (!ret->items) {
        std_room(v, ret, MOST);
        ret->labels = values_alloc(v, (MOST + 1) * sizeof *ret->labels);
    }
    if (ret->count == MOST) {
        ret->more = true;
        return;
    }
    ret->labels[ret->count] = label;
    ret->items[ret->count++] = item;
}

static void title_of_type(struct evaluation *v, struct type *plain, const char *behind,
                          struct shown *ret)
{
    char *name = type_text(v, plain);
    std_title(v, ret, xformat("%s%s", name, behind));
    free(name);
}

bool std_show_pair(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *first = std_member(value, "first"), *second = std_member(value, "second");
    (void)plain;
    if (!first || !second)
        return false;
    add_labelled(value->evaluation, ret, "first", first);
    add_labelled(value->evaluation, ret, "second", second);
    return true;
}

/* --- tuples ----------------------------------------------------------------------------------- */

/* A tuple has its first element as one base class, and the tuple of the others as another. */
static void add_heads(struct value *value, unsigned depth, struct shown *ret)
{
    size_t count;
    struct evaluation *v = value->evaluation;
    const struct member *m = type_members(v, type_plain(v, value->type), &count);
    struct value *head = NULL, *rest = NULL;
    for (size_t n = 0; n < count; n++) {
        struct type *inner = type_plain(v, m[n].type);
        if (m[n].is_base && std_is(inner, "_Head_base"))
            head = value_member(value, &m[n]);
        else if (m[n].is_base && std_is(inner, "_Tuple_impl"))
            rest = value_member(value, &m[n]);
    }
    if (head) {
        struct value *inside = std_member(head, "_M_head_impl");
        add_labelled(v, ret, NULL, inside ? inside : head); /* an empty class is itself the base */
    }
    if (rest && depth < 64)
        add_heads(rest, depth + 1, ret);
}

bool std_show_tuple(struct value *value, struct type *plain, struct shown *ret)
{
    (void)plain;
    add_heads(value, 0, ret);
    ret->numbered = true;
    ret->first = 1;
    ret->title = ret->count ? "std::tuple containing" : "empty std::tuple";
    return true;
}

/* --- pointers --------------------------------------------------------------------------------- */

static void set_target(struct value *pointer, struct shown *ret)
{
    struct evaluation *v = pointer->evaluation;
    struct type *plain = type_plain(v, pointer->type);
    u64 address;
    struct error *err = value_pointer(pointer, &address);
    if (!err && plain->kind == TYPE_POINTER)
        ret->target = value_at(v, type_target(v, plain), address, value_all_sources(pointer));
    error_destroy(err);
}

bool std_show_unique(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *tuple = std_member(value, "_M_t._M_t");
    struct shown heads = {0};
    if (!tuple)
        return false;
    add_heads(tuple, 0, &heads);
    if (!heads.count) /* the implementation of the tuple is its base */
        return false;
    add_labelled(v, ret, "get()", heads.items[0]);
    set_target(heads.items[0], ret);
    ret->is_one = true;
    title_of_type(v, plain, "", ret);
    return true;
}

bool std_show_shared(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *pointer = std_member(value, "_M_ptr");
    u64 counts, uses, weak;
    if (!pointer || !std_word(value, "_M_refcount._M_pi", &counts))
        return false;
    char *state;
    if (!counts)
        state = xformat(" (empty)");
    else if (!std_word(value, "_M_refcount._M_pi._M_use_count", &uses) ||
             !std_word(value, "_M_refcount._M_pi._M_weak_count", &weak))
        return false;
    else if (uses)
        state = xformat(" (use count %lld, weak count %lld)", (long long)uses, (long long)weak - 1);
    else
        state = xformat(" (expired, weak count %lld)", (long long)weak);
    title_of_type(v, plain, state, ret);
    free(state);
    add_labelled(v, ret, "get()", pointer);
    set_target(pointer, ret);
    ret->is_one = true;
    return true;
}

/* --- one thing, or none ----------------------------------------------------------------------- */

bool std_show_optional(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    u64 engaged;
    if (!std_word(value, "_M_payload._M_engaged", &engaged))
        return false;
    ret->is_one = true;
    if (!engaged) {
        title_of_type(v, plain, " [no contained value]", ret);
        return true;
    }
    ret->target = std_member(value, "_M_payload._M_payload._M_value");
    if (!ret->target)
        return false;
    add_labelled(v, ret, "[contained value]", ret->target);
    title_of_type(v, plain, "", ret);
    return true;
}

/* A variant is a union of the first alternative and the union of the others. */
bool std_show_variant(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *held = std_member(value, "_M_u");
    u64 index;
    if (!held || !std_word(value, "_M_index", &index))
        return false;
    ret->is_one = true;
    if (index >= 64) {
        title_of_type(v, plain, " [no contained value]", ret);
        return true;
    }
    for (u64 n = 0; n < index && held; n++)
        held = std_member(held, "_M_rest");
    struct value *first = held ? std_member(held, "_M_first") : NULL;
    struct value *storage = first ? std_member(first, "_M_storage") : NULL;
    struct type *of = first ? std_argument(v, type_plain(v, first->type), 0) : NULL;
    if (!storage || !of)
        return false;
    add_labelled(v, ret, NULL, value_part(storage, of, 0));
    char *which = xformat(" [index %llu]", (unsigned long long)index);
    title_of_type(v, plain, which, ret);
    free(which);
    return true;
}

bool std_show_atomic(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *held = std_member(value, "_M_i");
    if (!held)
        held = std_member(value, "_M_b._M_p"); /* a pointer */
    if (!held)
        return false;
    add_labelled(value->evaluation, ret, NULL, held);
    ret->is_one = true;
    title_of_type(value->evaluation, plain, "", ret);
    return true;
}

/* stack, queue: adapters of another container. */
bool std_show_adapter(struct value *value, struct type *plain, struct shown *ret)
{
    struct value *inside = std_member(value, "c");
    if (!inside || !show_standard(inside, ret) || !ret->title)
        return false;
    std_title(
        value->evaluation, ret,
        xformat("std::%.*s wrapping: %s", (int)strcspn(plain->name, "<"), plain->name, ret->title));
    return true;
}
