/* Classes of libstdc++ in readable form: strings as text, containers as their elements.
 *
 * Classes are recognized by their names and members. A value with an unexpected layout is shown as
 * a plain struct. Titles are gdb's. Containers made of nodes are in std_containers.c, classes that
 * hold one thing or a fixed number in std_holders.c.
 */
#include <dwarf.h>

#include "symbols/rust_internal.h"

/* --- for all of them -------------------------------------------------------------------------- */

static struct value *pointed_to(struct value *value)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    u64 address;
    if (plain->kind != TYPE_POINTER)
        return value;
    struct error *err = value_pointer(value, &address);
    error_destroy(err);
    return err ? NULL
               : value_at(value->evaluation, type_target(value->evaluation, plain), address, NULL);
}

struct value *std_member(struct value *value, const char *path)
{
    char part[64];
    while (value && *path) {
        size_t length = strcspn(path, ".");
        if (length >= sizeof part)
            return NULL;
        memcpy(part, path, length);
        part[length] = 0;
        struct value *inner = NULL;
        if ((value = pointed_to(value)))
            error_destroy(value_find_member(value, part, &inner));
        value = inner;
        path += length + (path[length] == '.');
    }
    return value;
}

bool std_word(struct value *value, const char *path, u64 *ret)
{
    struct value *member = std_member(value, path);
    struct number n;
    struct error *err = member ? value_number(member, &n) : error_new("none");
    if (!err)
        *ret = (u64)n.i;
    error_destroy(err);
    return !err;
}

bool std_is(const struct type *plain, const char *name)
{
    size_t length = strlen(name);
    return plain->name && strncmp(plain->name, name, length) == 0 && plain->name[length] == '<';
}

struct type *std_argument(struct evaluation *v, const struct type *t, unsigned wanted)
{
    Dwarf_Die child, whole = t->die;
    if (!t->has_die || dwarf_child(&whole, &child) != 0)
        return NULL;
    do
        if (dwarf_tag(&child) == DW_TAG_template_type_parameter && wanted-- == 0)
            return type_attribute(v, t->module, &child);
    while (dwarf_siblingof(&child, &child) == 0);
    return NULL;
}

bool std_number_argument(struct evaluation *v, const struct type *t, i64 *ret)
{
    Dwarf_Die child, whole = t->die;
    Dwarf_Attribute a;
    if (!t->has_die || dwarf_child(&whole, &child) != 0)
        return false;
    do
        if (dwarf_tag(&child) == DW_TAG_template_value_parameter)
            return dwarf_attr(&child, DW_AT_const_value, &a) &&
                   variables_number(v, t->module, &a, ret);
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

void std_title(struct evaluation *v, struct shown *ret, char *text)
{
    ret->title = values_copy(v, text, strlen(text));
    free(text);
}

void std_room(struct evaluation *v, struct shown *ret, u64 count)
{
    ret->more = count > show_most(v);
    ret->items = values_alloc(v, ((ret->more ? show_most(v) : count) + 1) * sizeof *ret->items);
}

/* --- text ------------------------------------------------------------------------------------- */

static bool show_text(struct value *value, const char *pointer_path, const char *length_path,
                      struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *pointer = std_member(value, pointer_path);
    if (!pointer || !std_word(value, pointer_path, &ret->address) ||
        !std_word(value, length_path, &ret->length))
        return false;
    struct type *of = type_target(v, type_plain(v, pointer->type));
    ret->prefix = type_character(v, of);
    ret->width = (unsigned)type_plain(v, of)->size;
    ret->of = of;
    return ret->is_text = ret->prefix;
}

static bool show_std_string(struct value *value, struct type *plain, struct shown *ret)
{
    (void)plain;
    return show_text(value, "_M_dataplus._M_p", "_M_string_length", ret);
}

static bool show_view(struct value *value, struct type *plain, struct shown *ret)
{
    (void)plain;
    return show_text(value, "_M_str", "_M_len", ret);
}

/* --- elements in a row ------------------------------------------------------------------------ */

static void add_row(struct evaluation *v, struct shown *ret, struct type *of, u64 first, u64 count)
{
    ret->of = of;
    ret->address = first;
    ret->length = count;
    std_room(v, ret, count);
    for (; ret->count < count && ret->count < show_most(v); ret->count++)
        ret->items[ret->count] = value_at(v, of, first + ret->count * of->size, NULL);
}

static struct type *element_type(struct value *value, const char *pointer_path)
{
    struct evaluation *v = value->evaluation;
    struct value *pointer = std_member(value, pointer_path);
    struct type *plain = pointer ? type_plain(v, pointer->type) : NULL;
    struct type *of = plain && plain->kind == TYPE_POINTER ? type_target(v, plain) : NULL;
    return of && of->size ? of : NULL;
}

/* Shows std::vector<bool>, whose bits are packed in words. */
static bool show_std_bits(struct value *value, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    u64 first, end, bit, room, word = 0;
    if (!std_word(value, "_M_impl._M_start._M_p", &first) ||
        !std_word(value, "_M_impl._M_finish._M_p", &end) ||
        !std_word(value, "_M_impl._M_finish._M_offset", &bit) ||
        !std_word(value, "_M_impl._M_end_of_storage", &room) || end < first || room < first)
        return false;
    u64 count = 8 * (end - first) + bit;
    std_room(v, ret, count);
    for (; ret->count < count && ret->count < show_most(v); ret->count++) {
        const struct symbols_host *host = &v->symbols->host;
        u64 at = ret->count;
        if (at % 64 == 0 && !host->read(host->context, first + at / 8, &word, 8))
            return false;
        ret->items[at] = value_of_integer(v, "bool", word >> at % 64 & 1);
    }
    std_title(v, ret,
              xformat("std::vector<bool> of length %llu, capacity %llu", (unsigned long long)count,
                      (unsigned long long)(8 * (room - first))));
    return true;
}

static bool show_vector(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *of = element_type(value, "_M_impl._M_start");
    u64 first, end, room;
    if (strncmp(plain->name, "vector<bool,", 12) == 0)
        return show_std_bits(value, ret);
    if (!of || !std_word(value, "_M_impl._M_start", &first) ||
        !std_word(value, "_M_impl._M_finish", &end) ||
        !std_word(value, "_M_impl._M_end_of_storage", &room) || end < first || room < end ||
        (end - first) % of->size)
        return false;
    u64 count = (end - first) / of->size;
    add_row(v, ret, of, first, count);
    std_title(v, ret,
              xformat("std::vector of length %llu, capacity %llu", (unsigned long long)count,
                      (unsigned long long)((room - first) / of->size)));
    return true;
}

static bool show_initial(struct value *value, struct type *plain, struct shown *ret)
{
    struct type *of = element_type(value, "_M_array");
    u64 first, count;
    (void)plain;
    if (!of || !std_word(value, "_M_array", &first) || !std_word(value, "_M_len", &count))
        return false;
    add_row(value->evaluation, ret, of, first, count);
    std_title(value->evaluation, ret,
              xformat("std::initializer_list of length %llu", (unsigned long long)count));
    return true;
}

/* Shows only the bits that are set, as in gdb. */
static bool show_bitset(struct value *value, struct type *plain, struct shown *ret)
{
    struct evaluation *v = value->evaluation;
    struct value *words = std_member(value, "_M_w");
    i64 count;
    struct error *err = words ? value_load(words) : NULL;
    bool known = words && !err && std_number_argument(v, plain, &count) && count >= 0 &&
                 !words->missing && (u64)count <= 8 * words->size;
    error_destroy(err);
    if (!known)
        return false;
    std_room(v, ret, (u64)count);
    ret->keys = values_alloc(v, (show_most(v) + 1) * sizeof *ret->keys);
    for (i64 at = 0; at < count && ret->count < show_most(v); at++)
        if (words->bytes[at / 8] >> at % 8 & 1) {
            ret->keys[ret->count] = value_of_integer(v, "int", at);
            ret->items[ret->count++] = value_of_integer(v, "int", 1);
        }
    ret->title = "std::bitset";
    return true;
}

/* --- all -------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool (*show)(struct value *value, struct type *plain, struct shown *ret);
} classes[] = {
    {"basic_string", show_std_string},      {"basic_string_view", show_view},
    {"vector", show_vector},                {"initializer_list", show_initial},
    {"bitset", show_bitset},                {"map", std_show_tree},
    {"multimap", std_show_tree},            {"set", std_show_tree},
    {"multiset", std_show_tree},            {"unordered_map", std_show_hash},
    {"unordered_multimap", std_show_hash},  {"unordered_set", std_show_hash},
    {"unordered_multiset", std_show_hash},  {"list", std_show_list},
    {"forward_list", std_show_forward_list}, {"deque", std_show_deque},
    {"stack", std_show_adapter},            {"queue", std_show_adapter},
    {"priority_queue", std_show_adapter},   {"pair", std_show_pair},
    {"tuple", std_show_tuple},              {"unique_ptr", std_show_unique},
    {"shared_ptr", std_show_shared},        {"weak_ptr", std_show_shared},
    {"optional", std_show_optional},        {"variant", std_show_variant},
    {"atomic", std_show_atomic},            {"__normal_iterator", std_show_iterator},
    {"_Rb_tree_iterator", std_show_iterator}, {"_Rb_tree_const_iterator", std_show_iterator},
    {"_List_iterator", std_show_iterator},  {"_List_const_iterator", std_show_iterator},
    {"_Fwd_list_iterator", std_show_iterator}, {"_Fwd_list_const_iterator", std_show_iterator},
    {"_Deque_iterator", std_show_iterator}, {"_Node_iterator", std_show_iterator},
    {"_Node_const_iterator", std_show_iterator},
};

/* A class of the same name outside of std does not count. */
static bool is_in_std(struct type *plain)
{
    char *name = plain->has_die ? names_of_die(plain->module, plain->name, &plain->die) : NULL;
    bool is = name && (strncmp(name, "std::", 5) == 0 || strncmp(name, "__gnu_cxx::", 11) == 0);
    free(name);
    return is;
}

bool show_standard(struct value *value, struct shown *ret)
{
    struct type *plain = type_plain(value->evaluation, value->type);
    if (go_shown(value, ret))
        return true;
    *ret = (struct shown){0};
    if (rust_is(plain))
        return rust_shown(value, ret) && !ret->is_plain;
    if (plain->kind != TYPE_STRUCT || !plain->name || !strchr(plain->name, '<'))
        return false;
    for (size_t n = 0; n < countof(classes); n++)
        if (std_is(plain, classes[n].name))
            return is_in_std(plain) && classes[n].show(value, plain, ret);
    return false;
}
