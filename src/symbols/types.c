/* DWARF types, with the meaning that they have in C and C++.
 *
 * Types are made when requested, and kept by the evaluation, since lengths of arrays can depend on
 * the frame. The target of a pointer and the members of a class are made even later, so that
 * recursive types need no special care.
 */
#include <dwarf.h>

#include "symbols/fortran_internal.h"

/* --- made of nothing -------------------------------------------------------------------------- */

struct type *type_new(struct evaluation *v, enum type_kind kind, const char *name, u64 size)
{
    struct type *t = values_alloc(v, sizeof *t);
    *t = (struct type){.kind = kind, .name = name, .size = size, .target_made = true,
                       .members_made = true, .members = LIST(struct member)};
    return t;
}

static const struct {
    const char *name;
    enum type_kind kind;
    u8 size;
    bool is_unsigned;
} builtins[] = {
    {"int", TYPE_INTEGER, 4, false},            {"char", TYPE_CHARACTER, 1, false},
    {"long", TYPE_INTEGER, 8, false},           {"unsigned int", TYPE_INTEGER, 4, true},
    {"unsigned long", TYPE_INTEGER, 8, true},   {"signed char", TYPE_CHARACTER, 1, false},
    {"unsigned char", TYPE_CHARACTER, 1, true}, {"short", TYPE_INTEGER, 2, false},
    {"unsigned short", TYPE_INTEGER, 2, true},  {"long long", TYPE_INTEGER, 8, false},
    {"unsigned long long", TYPE_INTEGER, 8, true}, {"float", TYPE_FLOAT, 4, false},
    {"double", TYPE_FLOAT, 8, false},           {"long double", TYPE_FLOAT, 16, false},
    {"__int128", TYPE_INTEGER, 16, false},      {"unsigned __int128", TYPE_INTEGER, 16, true},
    {"_Bool", TYPE_BOOL, 1, true},              {"bool", TYPE_BOOL, 1, true},
    {"void", TYPE_VOID, 1, false},              {"wchar_t", TYPE_CHARACTER, 4, false},
    {"char16_t", TYPE_CHARACTER, 2, true},      {"char32_t", TYPE_CHARACTER, 4, true},
    {"int8_t", TYPE_INTEGER, 1, false},         {"uint128_t", TYPE_INTEGER, 16, true},
    {"int16_t", TYPE_INTEGER, 2, false},        {"int64_t", TYPE_INTEGER, 8, false},
    {"int32_t", TYPE_INTEGER, 4, false},
};

struct type *type_builtin(struct evaluation *v, const char *name)
{
    struct type **bucket = &v->types[0]; /* addresses of DIEs are not this small, nor odd */
    for (struct type *t = *bucket; t; t = t->next)
        if (!t->has_die && t->name && strcmp(t->name, name) == 0)
            return t;
    for (size_t n = 0; n < countof(builtins); n++)
        if (strcmp(builtins[n].name, name) == 0) {
            struct type *t = type_new(v, builtins[n].kind, builtins[n].name, builtins[n].size);
            t->is_unsigned = builtins[n].is_unsigned;
            t->next = *bucket;
            return *bucket = t;
        }
    return NULL;
}

struct type *type_pointer(struct evaluation *v, struct type *to)
{
    struct type *t = type_new(v, TYPE_POINTER, NULL, 8);
    t->target = to;
    t->language = to->language;
    t->is_unsigned = true;
    return t;
}

struct type *type_array(struct evaluation *v, struct type *of, u64 count)
{
    u64 size = 0;
    struct type *t = type_new(v, TYPE_ARRAY, NULL, 0);
    if (!__builtin_mul_overflow(of->size, count, &size))
        t->size = size;
    t->target = of;
    t->language = of->language;
    t->count = count;
    t->is_counted = true;
    return t;
}

struct type *type_const(struct evaluation *v, struct type *of)
{
    struct type *t = type_new(v, TYPE_CONST, NULL, of->size);
    t->target = of;
    return t;
}

struct type *type_vector(struct evaluation *v, u64 size)
{
    static const struct {
        const char *name, *of;
        u8 vector, count;
    } views[] = {
        {"v4_float", "float", 16, 4}, {"v2_double", "double", 16, 2}, {"v16_int8", "int8_t", 16,
                                                                       16},
        {"v8_int16", "short", 16, 8}, {"v4_int32", "int", 16, 4},     {"v2_int64", "long", 16, 2},
        {"uint128", "uint128_t", 16, 1},
        {"v8_float", "float", 32, 8}, {"v4_double", "double", 32, 4}, {"v32_int8", "int8_t", 32,
                                                                       32},
        {"v16_int16", "short", 32, 16}, {"v8_int32", "int", 32, 8},   {"v4_int64", "long", 32, 4},
        {"v2_int128", "uint128_t", 32, 2},
    };
    struct type *t = type_new(v, TYPE_STRUCT, size > 16 ? "vec256" : "vec128", size);
    t->keyword = "union";
    for (size_t n = 0; n < countof(views); n++) {
        struct type *of = type_builtin(v, views[n].of);
        if (views[n].vector != size)
            continue;
        if (views[n].count > 1)
            of = type_array(v, of, views[n].count);
        *(struct member *)list_add(&t->members) =
            (struct member){.name = views[n].name, .type = of};
    }
    *(void **)list_add(&v->memory) = t->members.items;
    return t;
}

struct type *type_flags(struct evaluation *v, const char *name)
{
    struct type *t = type_new(v, TYPE_INTEGER, name, 4);
    t->is_flag_register = true;
    return t;
}

/* --- of DIEs ---------------------------------------------------------------------------------- */

static i64 attribute_number(Dwarf_Die *die, unsigned name, i64 otherwise)
{
    Dwarf_Attribute a;
    Dwarf_Word u;
    Dwarf_Sword s;
    if (!dwarf_attr_integrate(die, name, &a))
        return otherwise;
    if (a.form == DW_FORM_sdata || a.form == DW_FORM_implicit_const)
        return dwarf_formsdata(&a, &s) ? otherwise : s;
    return dwarf_formudata(&a, &u) ? otherwise : (i64)u;
}

static bool attribute_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    bool set = false;
    return dwarf_attr_integrate(die, name, &a) && dwarf_formflag(&a, &set) == 0 && set;
}

static bool types_has_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, name, &a);
}

/* Returns the usual name; compilers order the words differently. */
static const char *usual_name(const char *name)
{
    static const char *const names[][2] = {
        {"long int", "long"},           {"long unsigned int", "unsigned long"},
        {"short int", "short"},         {"short unsigned int", "unsigned short"},
        {"long long int", "long long"}, {"long long unsigned int", "unsigned long long"},
        {"__int128 unsigned", "unsigned __int128"},
    };
    for (size_t n = 0; name && n < countof(names); n++)
        if (strcmp(name, names[n][0]) == 0)
            return names[n][1];
    return name;
}

static void make_base(struct type *t)
{
    static const u8 kinds[] = {
        [DW_ATE_boolean] = TYPE_BOOL,          [DW_ATE_complex_float] = TYPE_COMPLEX,
        [DW_ATE_float] = TYPE_FLOAT,           [DW_ATE_signed] = TYPE_INTEGER,
        [DW_ATE_signed_char] = TYPE_CHARACTER, [DW_ATE_unsigned] = TYPE_INTEGER,
        [DW_ATE_unsigned_char] = TYPE_CHARACTER, [DW_ATE_UTF] = TYPE_CHARACTER,
        [DW_ATE_address] = TYPE_INTEGER,           [DW_ATE_decimal_float] = TYPE_DECIMAL,
    };
    t->name = usual_name(t->name);
    i64 encoding = attribute_number(&t->die, DW_AT_encoding, 0);
    t->is_integral = encoding == DW_ATE_lo_user; /* gcc's complex numbers of integers */
    if (t->is_integral)
        encoding = DW_ATE_complex_float;
    t->kind = encoding > 0 && encoding < (i64)countof(kinds) && kinds[encoding] ? kinds[encoding]
                                                                                : TYPE_OTHER;
    t->is_unsigned = encoding == DW_ATE_boolean || encoding == DW_ATE_unsigned ||
                     encoding == DW_ATE_UTF || encoding == DW_ATE_unsigned_char ||
                     encoding == DW_ATE_address;
    if (t->name && strcmp(t->name, "wchar_t") == 0)
        t->kind = TYPE_CHARACTER;
    if (t->size > 32 || !t->size)
        t->kind = TYPE_OTHER;
}

/* Returns the length of a dimension; false: it has none. */
static bool dimension_count(struct evaluation *v, struct type *t, Dwarf_Die *range, u64 *ret)
{
    Dwarf_Attribute a;
    i64 number;
    if (dwarf_attr_integrate(range, DW_AT_count, &a) &&
        variables_number(v, t->module, &a, &number)) {
        *ret = number > 0 ? (u64)number : 0;
        return true;
    }
    if (!dwarf_attr_integrate(range, DW_AT_upper_bound, &a) ||
        !variables_number(v, t->module, &a, &number))
        return false;
    number -= attribute_number(range, DW_AT_lower_bound, 0);
    *ret = number < 0 || number == UINT32_MAX ? 0 : (u64)number + 1;
    return true;
}

/* Makes the array over the dimension `range` and those after it. */
static void make_dimension(struct evaluation *v, struct type *t, Dwarf_Die *range)
{
    Dwarf_Die next = *range;
    u64 size = 0;
    t->kind = TYPE_ARRAY;
    t->is_counted = dimension_count(v, t, range, &t->count);
    t->is_vector = attribute_flag(&t->die, DW_AT_GNU_vector);
    while (dwarf_siblingof(&next, &next) == 0)
        if (dwarf_tag(&next) == DW_TAG_subrange_type) {
            t->target = type_new(v, TYPE_ARRAY, NULL, 0);
            t->target->has_die = true;
            t->target->die = t->die;
            t->target->module = t->module;
            t->target->language = t->language;
            make_dimension(v, t->target, &next);
            break;
        }
    if (!t->target)
        t->target = type_attribute(v, t->module, &t->die);
    t->target_made = true;
    t->size = __builtin_mul_overflow(t->target->size, t->count, &size) ? 0 : size;
}

static void make_array(struct evaluation *v, struct type *t)
{
    Dwarf_Die child;
    t->kind = TYPE_ARRAY;
    if (fortran_is(t)) {
        fortran_make_array(v, t);
        return;
    }
    if (dwarf_child(&t->die, &child) == 0)
        do
            if (dwarf_tag(&child) == DW_TAG_subrange_type) {
                make_dimension(v, t, &child);
                return;
            }
        while (dwarf_siblingof(&child, &child) == 0);
    t->target = type_attribute(v, t->module, &t->die);
    t->target_made = true;
    t->size = 0;
}

static void add_enumerators(struct type *t)
{
    Dwarf_Die child;
    bool flags = true, some = false;
    u64 seen = 0;
    if (dwarf_child(&t->die, &child) == 0)
        do {
            if (dwarf_tag(&child) != DW_TAG_enumerator)
                continue;
            i64 value = attribute_number(&child, DW_AT_const_value, 0);
            *(struct member *)list_add(&t->members) =
                (struct member){.name = dwarf_diename(&child), .value = value};
            u64 bits = (u64)value; /* gdb's rule: flags are single bits */
            flags &= value >= 0 && __builtin_popcountll(bits) <= 1;
            seen |= bits;
            some = true;
        } while (dwarf_siblingof(&child, &child) == 0);
    t->is_flags = flags && some && seen;
}

static void make_enum(struct evaluation *v, struct type *t)
{
    struct type *under = NULL;
    Dwarf_Attribute a;
    t->kind = TYPE_ENUM;
    t->keyword = "enum";
    t->members_made = true;
    if (!t->size || t->size > 8)
        t->size = 4;
    if (dwarf_attr(&t->die, DW_AT_type, &a))
        under = type_plain(v, type_attribute(v, t->module, &t->die));
    add_enumerators(t);
    t->is_unsigned = under ? under->is_unsigned : true;
    struct member *m = t->members.items;
    for (size_t n = 0; n < t->members.count && !under; n++)
        t->is_unsigned &= m[n].value >= 0;
    /* Rust 1.63 writes -3 as 253 */
    for (size_t n = 0; n < t->members.count && !t->is_unsigned && t->size < 8; n++)
        m[n].value = (i64)((u64)m[n].value << (64 - 8 * t->size)) >> (64 - 8 * t->size);
    *(void **)list_add(&v->memory) = t->members.items;
}

static void make_qualified(struct evaluation *v, struct type *t, enum type_kind kind)
{
    t->kind = kind;
    t->target = type_attribute(v, t->module, &t->die);
    t->target_made = true;
    t->size = t->target->size;
}

static void make_pointer(struct type *t, enum type_kind kind)
{
    t->kind = kind;
    t->is_unsigned = true;
    if (!t->size || t->size > 16)
        t->size = 8;
}

/* A pointer to a member function is a pair of words, even if the debug information gives another
 * size. */
static void make_member_pointer(struct type *t)
{
    Dwarf_Attribute a;
    Dwarf_Die to;
    if (dwarf_attr_integrate(&t->die, DW_AT_type, &a) && dwarf_formref_die(&a, &to) &&
        dwarf_tag(&to) == DW_TAG_subroutine_type)
        t->size = 16;
    make_pointer(t, TYPE_MEMBER_POINTER);
}

static void make_struct(struct type *t, const char *keyword)
{
    t->kind = TYPE_STRUCT;
    t->keyword = keyword;
    t->is_incomplete = attribute_flag(&t->die, DW_AT_declaration);
    t->is_dynamic = t->is_incomplete && fortran_is(t) && !t->name;
}

static void types_make(struct evaluation *v, struct type *t)
{
    switch (dwarf_tag(&t->die)) {
    case DW_TAG_base_type: make_base(t); break;
    case DW_TAG_pointer_type: make_pointer(t, TYPE_POINTER); break;
    case DW_TAG_reference_type: make_pointer(t, TYPE_REFERENCE); break;
    case DW_TAG_rvalue_reference_type:
        make_pointer(t, TYPE_REFERENCE);
        t->is_rvalue = true;
        break;
    case DW_TAG_ptr_to_member_type: make_member_pointer(t); break;
    case DW_TAG_unspecified_type: /* of nullptr */
        t->kind = TYPE_INTEGER;
        t->is_unsigned = true;
        t->size = 8;
        break;
    case DW_TAG_array_type: make_array(v, t); break;
    case DW_TAG_string_type: fortran_make_string(v, t); break;
    case DW_TAG_enumeration_type: make_enum(v, t); break;
    case DW_TAG_structure_type: make_struct(t, "struct"); break;
    case DW_TAG_class_type: make_struct(t, "class"); break;
    case DW_TAG_union_type: make_struct(t, "union"); break;
    case DW_TAG_subroutine_type:
    case DW_TAG_subprogram:
        t->kind = TYPE_FUNCTION;
        t->size = 1;
        t->name = NULL;
        break;
    case DW_TAG_typedef: make_qualified(v, t, TYPE_TYPEDEF); break;
    case DW_TAG_const_type: make_qualified(v, t, TYPE_CONST); break;
    case DW_TAG_volatile_type: make_qualified(v, t, TYPE_VOLATILE); break;
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type: make_qualified(v, t, TYPE_TYPEDEF); t->name = NULL; break;
    default: t->kind = TYPE_OTHER; break;
    }
}

/* Finds the definition of a type that is only declared here. */
static bool find_definition(struct evaluation *v, struct type *t, struct name_found *ret)
{
    if (!t->is_incomplete || !t->name)
        return false;
    return names_find(v, t->name, NULL, 1u << NAME_TYPE | NAME_ONLY_TAGS, ret) &&
           !ret->entry.is_declaration && dwarf_tag(&ret->entry.die) != DW_TAG_typedef &&
           ret->entry.die.addr != t->die.addr;
}

/* Takes size and members of the definition; the entry in the table stays. */
static void take_definition(struct type *t, struct name_found *found)
{
    t->die = found->entry.die;
    t->module = found->module;
    t->is_incomplete = false;
    t->size = (u64)attribute_number(&t->die, DW_AT_byte_size, 0);
}

/* A unit that only refers to a type of another unit has its signature. */
static void follow_signature(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die whole;
    if (dwarf_attr(die, DW_AT_signature, &a) && dwarf_formref_die(&a, &whole))
        *die = whole;
}

struct type *type_of(struct evaluation *v, struct module *m, Dwarf_Die *die)
{
    enum { NEST_MOST = 64 };
    static __thread unsigned nested; /* guards against malformed types that contain themselves */
    Dwarf_Die followed = *die;
    follow_signature(die = &followed);
    struct type **bucket = &v->types[((uintptr_t)die->addr >> 1) % TYPE_BUCKETS];
    for (struct type *t = *bucket; t; t = t->next)
        if (t->has_die && t->die.addr == die->addr)
            return t;
    struct type *t = type_new(v, TYPE_OTHER, dwarf_diename(die), 0);
    i64 size = attribute_number(die, DW_AT_byte_size, 0);
    t->size = size > 0 ? (u64)size : 0;
    t->has_die = true;
    t->target_made = t->members_made = false;
    t->module = m;
    t->die = *die;
    t->language = language_of_die(die);
    t->next = *bucket;
    *bucket = t;
    if (nested++ < NEST_MOST)
        types_make(v, t);
    nested--;
    struct name_found found;
    if (t->kind == TYPE_STRUCT && find_definition(v, t, &found))
        take_definition(t, &found);
    return t;
}

struct type *type_attribute(struct evaluation *v, struct module *m, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die target;
    if (dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, &target))
        return type_of(v, m, &target);
    return type_builtin(v, "void");
}

struct type *type_target(struct evaluation *v, struct type *t)
{
    if (!t->target_made) {
        t->target_made = true;
        t->target = t->has_die ? type_attribute(v, t->module, &t->die) : NULL;
    }
    return t->target ? t->target : type_builtin(v, "void");
}

struct type *type_plain(struct evaluation *v, struct type *t)
{
    for (unsigned n = 0; n < 64; n++) {
        if (t->kind != TYPE_TYPEDEF && t->kind != TYPE_CONST && t->kind != TYPE_VOLATILE)
            return t;
        t = type_target(v, t);
    }
    return type_builtin(v, "void");
}

/* --- members ---------------------------------------------------------------------------------- */

/* DWARF 5 counts bits from the beginning of the struct; DWARF 3 from the highest bit of a storage
 * unit. */
static void place_bits(struct member *m, Dwarf_Die *die)
{
    i64 at, size = attribute_number(die, DW_AT_bit_size, 0);
    if (size <= 0 || size > 128)
        return;
    m->bit_size = (u32)size;
    at = attribute_number(die, DW_AT_data_bit_offset, -1);
    if (at < 0) {
        i64 unit = attribute_number(die, DW_AT_byte_size, (i64)m->type->size);
        at = (i64)m->offset * 8 + unit * 8 - attribute_number(die, DW_AT_bit_offset, 0) - size;
    }
    if (at < 0)
        at = 0;
    m->offset = (u64)at / 8;
    m->bit_offset = (u32)(at % 8);
}

static u64 member_offset(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Word value;
    if (!dwarf_attr_integrate(die, DW_AT_data_member_location, &a))
        return 0;
    if (dwarf_formudata(&a, &value) == 0)
        return value;
    if (expression_of(&a, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_plus_uconst)
        return ops[0].number;
    return 0;
}

static void types_add_member(struct evaluation *v, struct type *t, Dwarf_Die *die)
{
    unsigned tag = (unsigned)dwarf_tag(die);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance && tag != DW_TAG_variable)
        return;
    struct member m = {
        .name = dwarf_diename(die), .type = type_attribute(v, t->module, die), .die = *die,
        .offset = member_offset(die), .is_base = tag == DW_TAG_inheritance,
        .is_static = tag == DW_TAG_variable || attribute_flag(die, DW_AT_external),
        .is_artificial = attribute_flag(die, DW_AT_artificial),
    };
    m.is_virtual = m.is_base && attribute_number(die, DW_AT_virtuality, 0) == DW_VIRTUALITY_virtual;
    if (m.name && !*m.name)
        m.name = NULL;
    place_bits(&m, die);
    *(struct member *)list_add(&t->members) = m;
}

static struct member member_of(struct evaluation *v, struct type *t, Dwarf_Die *die)
{
    return (struct member){.name = dwarf_diename(die),
                           .type = type_attribute(v, t->module, die),
                           .die = *die,
                           .offset = member_offset(die)};
}

static bool child_of(Dwarf_Die *die, unsigned tag, Dwarf_Die *ret)
{
    if (dwarf_child(die, ret) == 0)
        do
            if ((unsigned)dwarf_tag(ret) == tag)
                return true;
        while (dwarf_siblingof(ret, ret) == 0);
    return false;
}

bool type_variants(struct evaluation *v, struct type *plain, struct member *ret_tag,
                   Dwarf_Die *ret_first)
{
    Dwarf_Die part, tag;
    Dwarf_Attribute a;
    if (plain->kind != TYPE_STRUCT || !plain->has_die ||
        !child_of(&plain->die, DW_TAG_variant_part, &part) ||
        !child_of(&part, DW_TAG_variant, ret_first))
        return false;
    *ret_tag = (struct member){0};
    if (dwarf_attr(&part, DW_AT_discr, &a) && dwarf_formref_die(&a, &tag))
        *ret_tag = member_of(v, plain, &tag);
    return true;
}

bool type_variant(struct evaluation *v, struct type *plain, Dwarf_Die *variants, u64 tag,
                  struct member *ret)
{
    Dwarf_Die at = *variants, member;
    bool found = false;
    do {
        /* it has all tags that no other variant has */
        bool always = !types_has_attribute(&at, DW_AT_discr_value);
        if (dwarf_tag(&at) != DW_TAG_variant ||
            (!always && (u64)attribute_number(&at, DW_AT_discr_value, 0) != tag) ||
            (always && found) || !child_of(&at, DW_TAG_member, &member))
            continue;
        *ret = member_of(v, plain, &member);
        found = true;
        if (!always)
            return true;
    } while (dwarf_siblingof(&at, &at) == 0);
    return found;
}

const struct member *type_members(struct evaluation *v, struct type *t, size_t *ret_count)
{
    Dwarf_Die child;
    if (!t->members_made && t->kind == TYPE_STRUCT && t->has_die) {
        t->members_made = true;
        if (dwarf_child(&t->die, &child) == 0)
            do
                types_add_member(v, t, &child);
            while (dwarf_siblingof(&child, &child) == 0);
        *(void **)list_add(&v->memory) = t->members.items;
    }
    *ret_count = t->members.count;
    return t->members.items;
}

/* --- questions -------------------------------------------------------------------------------- */

bool type_is_integral(const struct type *t)
{
    return t->kind == TYPE_INTEGER || t->kind == TYPE_CHARACTER || t->kind == TYPE_BOOL ||
           t->kind == TYPE_ENUM;
}

bool type_is_scalar(const struct type *t)
{
    return type_is_integral(t) || t->kind == TYPE_FLOAT || t->kind == TYPE_POINTER;
}

bool type_is_quad(const struct type *plain)
{
    static const char *const names[] = {"_Float128", "__float128", "(kind=16)"};
    for (size_t n = 0; plain->name && n < countof(names); n++)
        if (strstr(plain->name, names[n]))
            return true;
    return false;
}

static u64 alignment(struct evaluation *v, struct type *t, unsigned depth)
{
    struct type *plain = type_plain(v, t);
    size_t count;
    u64 most = 1;
    if (plain->kind == TYPE_ARRAY && depth)
        return alignment(v, type_target(v, plain), depth - 1);
    if (plain->kind != TYPE_STRUCT)
        return plain->size == 2 || plain->size == 4 || plain->size == 8 || plain->size == 16
                   ? plain->size
                   : 1;
    const struct member *m = type_members(v, plain, &count);
    for (size_t n = 0; n < count && depth; n++) {
        u64 one = m[n].is_static ? 1 : alignment(v, m[n].type, depth - 1);
        most = one > most ? one : most;
    }
    return most;
}

u64 type_alignment(struct evaluation *v, struct type *t)
{
    return alignment(v, t, SHOW_DEPTH);
}

char type_character(struct evaluation *v, struct type *t)
{
    static const struct {
        const char *name;
        char prefix;
    } wide[] = {{"wchar_t", 'L'}, {"char16_t", 'u'}, {"char32_t", 'U'}};
    struct type *plain = type_plain(v, t);
    for (struct type *u = t; u; u = u->kind == TYPE_TYPEDEF || u->kind == TYPE_CONST ||
                                    u->kind == TYPE_VOLATILE ? type_target(v, u) : NULL)
        for (size_t n = 0; n < countof(wide); n++)
            if (u->name && strcmp(u->name, wide[n].name) == 0 &&
                plain->size == (wide[n].prefix == 'u' ? 2 : 4))
                return wide[n].prefix;
    return plain->kind == TYPE_CHARACTER && plain->size == 1 ? ' ' : 0;
}
