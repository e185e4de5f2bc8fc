/* The structure of a Rust value: a struct, a tuple, a variant of an enum, a reference, a slice.
 *
 * The compiler describes an enum as a struct with a part per variant. The tag may lie in bytes that
 * one of the variants does not use (a niche). Then the variant without a tag value has all tags
 * that no other variant has. A reference to something of fixed size is a pointer whose name begins
 * with `&`; one to a slice, a text or a trait object is a struct of two words.
 */
#include <dwarf.h>

#include "symbols/rust_internal.h"

bool rust_is(const struct type *plain)
{
    return plain->language == LANGUAGE_RUST;
}

bool rust_is_reference(const struct type *plain)
{
    return rust_is(plain) && plain->kind == TYPE_POINTER && plain->name &&
           (plain->name[0] == '&' || strncmp(plain->name, "alloc::boxed::Box<", 18) == 0);
}

bool rust_is_unit(const struct type *plain)
{
    return rust_is(plain) && plain->name && strcmp(plain->name, "()") == 0;
}

struct error *rust_looked_through(struct value *value, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    u64 address;
    for (unsigned n = 0; n < SHOW_DEPTH; n++) {
        struct type *plain = type_plain(v, value->type);
        if (!rust_is_reference(plain))
            break;
        struct error *err = value_pointer(value, &address);
        if (err)
            return err;
        value = value_at(v, type_target(v, plain), address, value_all_sources(value));
    }
    *ret = value;
    return NULL;
}

/* --- pointers of two words -------------------------------------------------------------------- */

static bool rust_is_text_type(const char *name)
{
    static const char *const names[] = {"&str", "&mut str", "*const str", "*mut str"};
    for (size_t n = 0; n < countof(names); n++)
        if (strcmp(name, names[n]) == 0)
            return true;
    return strncmp(name, "alloc::boxed::Box<str", 21) == 0 || strncmp(name, "Box<str", 7) == 0;
}

bool rust_fat_pointer(struct value *value, struct rust_fat *ret)
{
    size_t count;
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    const struct member *m = plain->kind == TYPE_STRUCT ? type_members(v, plain, &count) : NULL;
    *ret = (struct rust_fat){0};
    if (!m || count != 2 || plain->size != 16 || !m[0].name || !m[1].name || !plain->name)
        return false;
    bool row = strcmp(m[0].name, "data_ptr") == 0 && strcmp(m[1].name, "length") == 0;
    bool object = strcmp(m[0].name, "pointer") == 0 && strcmp(m[1].name, "vtable") == 0;
    if ((!row && !object) || !std_word(value, m[0].name, &ret->address) ||
        !std_word(value, m[1].name, row ? &ret->length : &ret->vtable))
        return false;
    ret->of = type_target(v, type_plain(v, m[0].type));
    ret->is_text = row && rust_is_text_type(plain->name);
    return true;
}

struct vtable_search {
    u64 wanted; /* in the file */
    Dwarf_Die type;
    bool found;
};

static bool rust_visit_vtable(void *context, const struct name_entry *e)
{
    static const char end[] = "::{vtable}";
    struct vtable_search *s = context;
    size_t length = e->kind == NAME_VARIABLE ? strlen(e->name) : 0;
    Dwarf_Die die = e->die, table;
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    if (length < sizeof end || strcmp(e->name + length - (sizeof end - 1), end) != 0 ||
        !dwarf_attr_integrate(&die, DW_AT_location, &a) || dwarf_getlocation(&a, &ops, &count) ||
        !count || ops[0].atom != DW_OP_addr || ops[0].number != s->wanted)
        return true;
    s->found = dwarf_attr_integrate(&die, DW_AT_type, &a) && dwarf_formref_die(&a, &table) &&
               dwarf_attr_integrate(&table, DW_AT_containing_type, &a) &&
               dwarf_formref_die(&a, &s->type);
    return !s->found;
}

struct type *rust_vtable_type(struct evaluation *v, u64 vtable)
{
    struct module *m = module_at(v->symbols, vtable);
    struct vtable_search s = {.wanted = vtable - (m ? m->dwarf_bias : 0)};
    if (!m || !module_load_dwarf(m))
        return NULL;
    names_each(m, rust_visit_vtable, &s);
    return s.found ? type_of(v, m, &s.type) : NULL;
}

struct value *rust_object(struct evaluation *v, const struct rust_fat *fat, u64 header)
{
    const struct symbols_host *host = &v->symbols->host;
    struct type *of = rust_vtable_type(v, fat->vtable);
    u64 align = 1; /* a table is: drop, size, alignment, functions */
    if (!of || (header && !host->read(host->context, fat->vtable + 16, &align, 8)) || !align)
        return NULL;
    return value_at(v, of, fat->address + (header + align - 1) / align * align, NULL);
}

/* --- enums ------------------------------------------------------------------------------------ */

static bool rust_child(Dwarf_Die *die, int tag, Dwarf_Die *ret)
{
    if (dwarf_child(die, ret) == 0)
        do
            if (dwarf_tag(ret) == tag)
                return true;
        while (dwarf_siblingof(ret, ret) == 0);
    return false;
}

static u64 rust_low_bits(u64 value, u64 size)
{
    return size >= 8 ? value : value & ((1ull << 8 * size) - 1);
}

/* True if the variant has the tag, as a number or in a list. *ret_always: the variant has no tag
 * value. */
static bool rust_has_tag(Dwarf_Die *variant, u64 tag, u64 size, bool *ret_always)
{
    Dwarf_Attribute a;
    Dwarf_Word u;
    Dwarf_Sword s;
    *ret_always = !dwarf_attr(variant, DW_AT_discr_value, &a);
    if (*ret_always)
        return false;
    if (a.form == DW_FORM_sdata || a.form == DW_FORM_implicit_const)
        return dwarf_formsdata(&a, &s) == 0 && rust_low_bits((u64)s, size) == tag;
    return dwarf_formudata(&a, &u) == 0 && rust_low_bits(u, size) == tag;
}

static bool rust_find_variant(Dwarf_Die *part, u64 tag, u64 size, Dwarf_Die *ret)
{
    Dwarf_Die at;
    bool always, found = false;
    if (!rust_child(part, DW_TAG_variant, &at))
        return false;
    do {
        if (dwarf_tag(&at) != DW_TAG_variant)
            continue;
        if (rust_has_tag(&at, tag, size, &always)) {
            *ret = at;
            return true;
        }
        if (always && !found) {
            *ret = at;
            found = true;
        }
    } while (dwarf_siblingof(&at, &at) == 0);
    return found;
}

static u64 rust_offset(Dwarf_Die *member)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr(member, DW_AT_data_member_location, &a), &value) ? 0 : value;
}

struct value *rust_variant(struct value *value, const char **ret_name)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    Dwarf_Die part, tag_die, variant, member;
    Dwarf_Attribute a;
    u64 size = 8;
    struct number tag = {0};
    if (plain->kind != TYPE_STRUCT || !plain->has_die ||
        !rust_child(&plain->die, DW_TAG_variant_part, &part))
        return NULL;
    if (dwarf_attr(&part, DW_AT_discr, &a) && dwarf_formref_die(&a, &tag_die)) {
        struct value *held =
            value_part(value, type_attribute(v, plain->module, &tag_die), rust_offset(&tag_die));
        struct error *err = value_number(held, &tag);
        error_destroy(err);
        size = held->size;
        if (err)
            return NULL;
    }
    if (!rust_find_variant(&part, rust_low_bits((u64)tag.i, size), size, &variant) ||
        !rust_child(&variant, DW_TAG_member, &member))
        return NULL;
    struct type *of = type_attribute(v, plain->module, &member);
    *ret_name = dwarf_diename(&member);
    if (!*ret_name)
        *ret_name = of->name;
    return value_part(value, of, rust_offset(&member));
}

static bool rust_is_enum(struct type *plain)
{
    Dwarf_Die part;
    return plain->has_die && rust_child(&plain->die, DW_TAG_variant_part, &part);
}

bool rust_has_fields(struct type *plain)
{
    bool number;
    return rust_is(plain) && plain->kind == TYPE_STRUCT && !rust_is_enum(plain) &&
           !rust_is_of_library(plain, &number);
}

/* --- how they are shown ----------------------------------------------------------------------- */

void rust_row(struct evaluation *v, struct shown *ret, struct type *of, u64 first, u64 count)
{
    ret->style = SHOWN_ROW;
    ret->of = of;
    ret->address = first;
    ret->length = count;
    std_room(v, ret, count);
    for (; ret->count < count && ret->count < show_most(v); ret->count++)
        ret->items[ret->count] = value_at(v, of, first + ret->count * of->size, NULL);
}

void rust_text(struct shown *ret, struct type *of, u64 address, u64 length)
{
    *ret = (struct shown){.style = SHOWN_TEXT, .is_text = true, .address = address,
                          .length = length, .width = 1, .prefix = ' ', .of = of};
}

bool rust_one(struct value *held, struct shown *ret)
{
    if (!held)
        return false;
    ret->style = SHOWN_ONE;
    ret->is_one = true;
    std_room(held->evaluation, ret, 1);
    ret->items[ret->count++] = held;
    ret->target = held;
    return true;
}

/* True if the members are named __0, __1 and so on. */
static bool rust_is_numbered(const struct member *m, size_t count)
{
    for (size_t n = 0; n < count; n++)
        if (!m[n].name || strncmp(m[n].name, "__", 2) != 0 || m[n].name[2] < '0' ||
            m[n].name[2] > '9')
            return false;
    return count;
}

/* Shows the fields of a struct, a tuple or a variant, with this name. */
static void rust_fields(struct value *value, const char *name, struct shown *ret)
{
    size_t count;
    struct evaluation *v = value->evaluation;
    const struct member *m = type_members(v, type_plain(v, value->type), &count);
    bool tuple = name && *name == '(';
    char *last = tuple || !name ? NULL : rust_last_name(name);
    ret->title = last ? values_copy(v, last, strlen(last)) : "";
    free(last);
    ret->is_plain = true;
    ret->style = tuple || rust_is_numbered(m, count) ? SHOWN_TUPLE : SHOWN_FIELDS;
    std_room(v, ret, count);
    ret->labels = values_alloc(v, (count + 1) * sizeof *ret->labels);
    for (size_t n = 0; n < count && ret->count < show_most(v); n++) {
        if (m[n].is_static)
            continue;
        ret->labels[ret->count] = m[n].name;
        ret->items[ret->count++] = value_member(value, &m[n]);
    }
}

static bool rust_shown_fat(struct value *value, const struct rust_fat *fat, struct shown *ret)
{
    static const char *const texts[] = {"Path", "OsStr", "CStr"};
    struct evaluation *v = value->evaluation;
    if (fat->vtable)
        return rust_one(rust_object(v, fat, 0), ret);
    struct type *of = type_plain(v, fat->of);
    bool text = fat->is_text;
    u64 length = fat->length;
    for (size_t n = 0; n < countof(texts) && of->kind == TYPE_STRUCT && of->name; n++)
        if (strcmp(of->name, texts[n]) == 0) {
            text = true;
            length -= n == 2 && length; /* without the null terminator */
        }
    if (!text && of->kind == TYPE_STRUCT && !of->size)
        return false; /* a struct whose last field has no fixed length */
    if (!text) {
        rust_row(v, ret, fat->of, fat->address, length);
        return true;
    }
    rust_text(ret, rust_basic_type(v, "u8"), fat->address, length);
    return true;
}

bool rust_shown(struct value *value, struct shown *ret)
{
    struct rust_fat fat;
    const char *name;
    struct type *plain = type_plain(value->evaluation, value->type);
    *ret = (struct shown){0};
    if (!rust_is(plain) || plain->kind != TYPE_STRUCT)
        return false;
    if (rust_fat_pointer(value, &fat) && rust_shown_fat(value, &fat, ret))
        return true;
    if (rust_is_enum(plain)) {
        struct value *variant = rust_variant(value, &name);
        if (!variant)
            return false;
        rust_fields(variant, name, ret);
        bool option = std_is(plain, "Option");
        ret->is_one = option;
        ret->is_variant = !option;
        return true;
    }
    if (rust_std_shown(value, plain, ret))
        return true;
    rust_fields(value, plain->name, ret);
    return true;
}

/* --- fields ----------------------------------------------------------------------------------- */

static struct error *rust_own_member(struct value *value, const char *name, struct value **ret)
{
    char numbered[32];
    const char *variant_name;
    struct value *variant = rust_variant(value, &variant_name);
    if (*name >= '0' && *name <= '9') {
        snprintf(numbered, sizeof numbered, "__%s", name);
        name = numbered;
    }
    *ret = NULL;
    struct error *err = value_find_member(variant ? variant : value, name, ret);
    if (!err && !*ret && variant && variant_name && strcmp(variant_name, name) == 0)
        *ret = variant;
    return err;
}

struct error *rust_member(struct value *value, const char *name, struct value **ret)
{
    struct evaluation *v = value->evaluation;
    struct shown shown;
    struct error *err = NULL;
    *ret = NULL;
    for (unsigned n = 0; n < SHOW_DEPTH && !err && !*ret; n++) {
        if ((err = rust_looked_through(value, &value)))
            break;
        struct type *plain = type_plain(v, value->type);
        u64 address;
        if (plain->kind == TYPE_POINTER) { /* a raw one */
            if (!(err = value_pointer(value, &address)))
                value = value_at(v, type_target(v, plain), address, value_all_sources(value));
            continue;
        }
        bool more = rust_shown(value, &shown) && shown.target;
        if (more)
            err = rust_member(shown.target, name, ret);
        if (!err && !*ret)
            err = rust_own_member(value, name, ret);
        if (!err && !*ret && shown.holder && !(err = rust_own_member(shown.holder, name, ret)) &&
            *ret)
            *ret = rust_unwrapped(*ret); /* a count is wrapped in a cell */
        break;
    }
    return err;
}
