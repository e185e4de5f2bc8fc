/* Types in Rust's syntax: written for `whatis` and `ptype`, and parsed after `as` and in `ptype`.
 *
 * The compiler names pointers, slices, tuples and functions in full ("&[i32]", "*const u8"); a
 * struct or an enum has its own name, and its modules around it. Arguments that authors never
 * write, such as the allocator of a vector, are left out.
 */
#include <ctype.h>
#include <dwarf.h>

#include "symbols/rust_internal.h"

/* --- numbers ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    const char *of_c; /* the type that C's arithmetic makes of them */
    enum type_kind kind;
    u8 size;
    bool is_unsigned;
} rust_basics[] = {
    {"i32", "int", TYPE_INTEGER, 4, false},
    {"u32", "unsigned int", TYPE_INTEGER, 4, true},
    {"i64", "long", TYPE_INTEGER, 8, false},
    {"u64", "unsigned long", TYPE_INTEGER, 8, true},
    {"i8", "signed char", TYPE_INTEGER, 1, false},
    {"u8", "unsigned char", TYPE_INTEGER, 1, true},
    {"i16", "short", TYPE_INTEGER, 2, false},
    {"u16", "unsigned short", TYPE_INTEGER, 2, true},
    {"i128", "__int128", TYPE_INTEGER, 16, false},
    {"u128", "unsigned __int128", TYPE_INTEGER, 16, true},
    {"isize", "long long", TYPE_INTEGER, 8, false},
    {"usize", "unsigned long long", TYPE_INTEGER, 8, true},
    {"f32", "float", TYPE_FLOAT, 4, false},
    {"f64", "double", TYPE_FLOAT, 8, false},
    {"bool", "_Bool", TYPE_BOOL, 1, true},
    {"char", "char32_t", TYPE_CHARACTER, 4, true},
    {"()", "void", TYPE_OTHER, 0, true},
};

struct type *rust_basic_type(struct evaluation *v, const char *name)
{
    for (size_t n = 0; n < countof(rust_basics); n++)
        if (strcmp(rust_basics[n].name, name) == 0) {
            struct type *t =
                type_new(v, rust_basics[n].kind, rust_basics[n].name, rust_basics[n].size);
            t->is_unsigned = rust_basics[n].is_unsigned;
            t->language = LANGUAGE_RUST;
            return t;
        }
    return NULL;
}

static const char *rust_basic_name(const char *of_c)
{
    for (size_t n = 0; n < countof(rust_basics); n++)
        if (strcmp(rust_basics[n].of_c, of_c) == 0)
            return rust_basics[n].name;
    return of_c;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Returns where the generic arguments begin, but not at the < of "<impl T for U>". */
static size_t rust_name_end(const char *path)
{
    unsigned deep = 0;
    size_t last = 0;
    for (size_t n = 0; path[n]; n++) {
        if (path[n] == '<' && !deep && n && path[n - 1] != ':')
            return n;
        deep += path[n] == '<' || path[n] == '{';
        deep -= (path[n] == '>' || path[n] == '}') && deep;
        last = n + 1;
    }
    return last;
}

char *rust_last_name(const char *path)
{
    size_t end = rust_name_end(path), begin = end;
    unsigned deep = 0;
    while (begin) {
        deep += path[begin - 1] == '}' || path[begin - 1] == '>';
        deep -= (path[begin - 1] == '{' || path[begin - 1] == '<') && deep;
        if (!deep && path[begin - 1] == ':')
            break;
        begin--;
    }
    return xformat("%.*s", (int)(end - begin), path + begin);
}

/* Takes ownership of the text. */
static char *rust_without(char *text, const char *part)
{
    size_t length = strlen(part);
    for (char *at; (at = strstr(text, part));)
        memmove(at, at + length, strlen(at + length) + 1);
    return text;
}

/* Takes it. */
static char *rust_short_type(char *text)
{
    static const char *const defaults[] = {
        ", alloc::alloc::Global",
        ", std::hash::random::RandomState",
        ", std::collections::hash::map::RandomState",
    };
    for (size_t n = 0; n < countof(defaults); n++)
        text = rust_without(text, defaults[n]);
    return text;
}

/* --- written ---------------------------------------------------------------------------------- */

static char *rust_parameters(struct evaluation *v, struct type *function)
{
    Dwarf_Die child, die = function->die;
    char *all = xformat("%s", "");
    if (function->has_die && dwarf_child(&die, &child) == 0)
        do {
            if (dwarf_tag(&child) != DW_TAG_formal_parameter)
                continue;
            char *one = rust_type_text(v, type_attribute(v, function->module, &child));
            char *longer = xformat("%s%s%s", all, *all ? ", " : "", one);
            free(one);
            free(all);
            all = longer;
        } while (dwarf_siblingof(&child, &child) == 0);
    return all;
}

static char *rust_function_text(struct evaluation *v, struct type *t)
{
    struct type *to = type_target(v, t);
    bool nothing = type_plain(v, to)->kind == TYPE_VOID || rust_is_unit(to);
    char *list = rust_parameters(v, t),
         *result = nothing ? xformat("%s", "") : rust_type_text(v, to);
    char *text = xformat("fn(%s)%s%s", list, nothing ? "" : " -> ", result);
    free(list);
    free(result);
    return text;
}

char *rust_type_text(struct evaluation *v, struct type *t)
{
    static __thread unsigned deep;
    char *inner, *text = NULL;
    if (deep > 32)
        return xformat("...");
    deep++;
    if (t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE ||
        (t->kind == TYPE_TYPEDEF && !t->name)) {
        text = rust_type_text(v, type_target(v, t));
    } else if (t->kind == TYPE_ARRAY) {
        inner = rust_type_text(v, type_target(v, t));
        text = t->is_counted ? xformat("[%s; %llu]", inner, (unsigned long long)t->count)
                             : xformat("[%s]", inner);
        free(inner);
    } else if (t->kind == TYPE_FUNCTION && !t->name) {
        text = rust_function_text(v, t);
    } else if (t->kind == TYPE_POINTER && !t->name) {
        inner = rust_type_text(v, type_target(v, t));
        bool function = type_plain(v, type_target(v, t))->kind == TYPE_FUNCTION;
        text = xformat("%s%s", function ? "" : "*mut ", inner);
        free(inner);
    } else if (!t->has_die && t->name) {
        text = xformat("%s", rust_basic_name(t->name));
    } else {
        text = t->keyword && t->name ? names_of_die(t->module, t->name, &t->die) : NULL;
        text = text ? text
                    : xformat("%s", t->name                ? t->name
                                    : t->kind == TYPE_VOID ? "()"
                                                           : "<unknown>");
    }
    deep--;
    return rust_short_type(text);
}

/* --- spelled out ------------------------------------------------------------------------------ */

static bool rust_has_numbers(const struct member *m, size_t count)
{
    return count && m[0].name && strncmp(m[0].name, "__", 2) == 0 && isdigit((u8)m[0].name[2]);
}

/* The fields of a variant on one line. */
static void rust_write_variant(struct evaluation *v, FILE *out, const char *name, struct type *of)
{
    size_t count;
    const struct member *m = type_members(v, type_plain(v, of), &count);
    bool tuple = rust_has_numbers(m, count);
    fprintf(out, "  %s%s", name ? name : "?", !count ? "" : tuple ? "(" : "{");
    for (size_t n = 0; n < count; n++) {
        char *type = rust_type_text(v, m[n].type);
        fprintf(out, "%s%s%s%s", n ? ", " : "",
                tuple       ? ""
                : m[n].name ? m[n].name
                            : "?",
                tuple ? "" : ": ", type);
        free(type);
    }
    fprintf(out, "%s,\n", !count ? "" : tuple ? ")" : "}");
}

static bool rust_write_variants(struct evaluation *v, FILE *out, struct type *t, const char *name)
{
    struct member tag;
    Dwarf_Die at, member;
    if (!type_variants(v, t, &tag, &at))
        return false;
    fprintf(out, "enum %s {\n", name);
    do
        if (dwarf_tag(&at) == DW_TAG_variant && dwarf_child(&at, &member) == 0) {
            struct type *of = type_attribute(v, t->module, &member);
            rust_write_variant(v, out, dwarf_diename(&member) ? dwarf_diename(&member) : of->name,
                               of);
        }
    while (dwarf_siblingof(&at, &at) == 0);
    fputc('}', out);
    return true;
}

static void rust_write_fields(struct evaluation *v, FILE *out, struct type *t, const char *name)
{
    size_t count;
    const struct member *m = type_members(v, t, &count);
    bool tuple = rust_has_numbers(m, count);
    fprintf(out, "%s %s", t->keyword, name);
    if (!count)
        return;
    fputs(tuple ? " (\n" : " {\n", out);
    for (size_t n = 0; n < count; n++) {
        char *type = rust_type_text(v, m[n].type);
        fprintf(out, "  %s%s%s,\n",
                tuple       ? ""
                : m[n].name ? m[n].name
                            : "?",
                tuple ? "" : ": ", type);
        free(type);
    }
    fputc(tuple ? ')' : '}', out);
}

static void rust_write_constants(FILE *out, struct type *t, const char *name)
{
    const struct member *m = t->members.items;
    i64 next = 0;
    fprintf(out, "enum %s {\n", name);
    for (size_t n = 0; n < t->members.count; n++) {
        fprintf(out, "  %s", m[n].name ? m[n].name : "?");
        if (m[n].value != next)
            fprintf(out, " = %lld", (long long)m[n].value);
        fputs(",\n", out);
        next = m[n].value + 1;
    }
    fputc('}', out);
}

char *rust_type_expanded(struct evaluation *v, struct type *t)
{
    char *text = NULL, *name = rust_type_text(v, t);
    size_t size;
    struct type *plain = type_plain(v, t);
    if ((plain->kind != TYPE_STRUCT && plain->kind != TYPE_ENUM) || *name == '(')
        return name;
    FILE *out = open_memstream(&text, &size);
    if (plain->kind == TYPE_ENUM)
        rust_write_constants(out, plain, name);
    else if (!rust_write_variants(v, out, plain, name))
        rust_write_fields(v, out, plain, name);
    fclose(out);
    free(name);
    return text;
}

/* --- read ------------------------------------------------------------------------------------- */

static void rust_skip(const char **at)
{
    while (isspace((u8)**at))
        ++*at;
}

static bool rust_take(const char **at, const char *text)
{
    size_t length = strlen(text);
    rust_skip(at);
    bool word = isalnum((u8)text[length - 1]);
    if (strncmp(*at, text, length) != 0 ||
        (word && (isalnum((u8)(*at)[length]) || (*at)[length] == '_')))
        return false;
    *at += length;
    return true;
}

/* The length of a path with generic arguments: up to where its brackets are closed and no `::`
 * follows. */
static size_t rust_path_length(const char *at)
{
    size_t n = 0;
    unsigned deep = 0;
    for (; at[n]; n++) {
        if (deep ? false : !(isalnum((u8)at[n]) || strchr("_<:{", at[n]) || (u8)at[n] >= 0x80))
            break;
        if (!deep && at[n] == ':' && at[n + 1] != ':')
            break;
        if (!deep && at[n] == ':')
            n++;
        deep += strchr("<({[", at[n]) != NULL;
        deep -= strchr(">)}]", at[n]) && deep;
    }
    return deep ? 0 : n;
}

/* Finds a type by the compiler's name for it, including the allocator. */
static struct type *rust_named_type(struct evaluation *v, const char *name)
{
    struct name_found found;
    struct type *basic = rust_basic_type(v, name);
    if (basic)
        return basic;
    struct found_variable variable;
    const char *resolved = rust_resolved(v, name);
    if (variables_find(v, name, &variable))
        return NULL;
    if (names_find(v, resolved, rust_space(v), 1u << NAME_TYPE, &found) &&
        language_of_die(&found.entry.die) == LANGUAGE_RUST)
        return type_of(v, found.module, &found.entry.die);
    size_t length = strlen(resolved);
    if (!length || resolved[length - 1] != '>')
        return NULL;
    char *longer = xformat("%.*s, alloc::alloc::Global>", (int)length - 1, resolved);
    const char *kept = values_copy(v, longer, strlen(longer));
    free(longer);
    return names_find(v, kept, rust_space(v), 1u << NAME_TYPE, &found)
               ? type_of(v, found.module, &found.entry.die)
               : NULL;
}

static struct type *rust_pointer_to(struct evaluation *v, struct type *to, const char *prefix)
{
    char *inner = rust_type_text(v, to), *name = xformat("%s%s", prefix, inner);
    struct name_found found;
    struct type *t = NULL;
    const char *kept = values_copy(v, name, strlen(name));
    free(inner);
    free(name);
    if (names_find(v, kept, NULL, 1u << NAME_TYPE, &found))
        t = type_of(v, found.module, &found.entry.die);
    if (t)
        return t;
    t = type_pointer(v, to);
    t->language = LANGUAGE_RUST;
    t->name = kept;
    return t;
}

static struct type *rust_read_sequence(struct evaluation *v, const char **at)
{
    struct type *of = rust_type_read(v, at);
    u64 count = 0;
    if (!of || !rust_take(at, ";"))
        return NULL;
    rust_skip(at);
    while (isdigit((u8)**at))
        count = count * 10 + (u64)(*(*at)++ - '0');
    struct type *t = rust_take(at, "]") ? type_array(v, of, count) : NULL;
    if (t)
        t->language = LANGUAGE_RUST;
    return t;
}

static struct type *rust_read_whole(struct evaluation *v, const char **at)
{
    static const char *const pointers[] = {"*const ", "*mut ", "&mut ", "&"};
    rust_skip(at);
    if (strncmp(*at, "&str", 4) == 0 || strncmp(*at, "&[", 2) == 0 ||
        **at == '(') { /* named in full */
        size_t length = **at == '&' && (*at)[1] == 's' ? 4 : 1 + rust_path_length(*at + 1);
        const char *from = *at;
        if (**at == '(')
            length = strcspn(*at, ")") + 1;
        else if ((*at)[1] == '[')
            length = strcspn(*at, "]") + 1;
        if (strlen(from) < length)
            return NULL;
        struct type *t = rust_named_type(v, values_copy(v, from, length));
        *at += t ? length : 0;
        return t;
    }
    for (size_t n = 0; n < countof(pointers); n++)
        if (rust_take(at, pointers[n])) {
            struct type *to = rust_type_read(v, at);
            return to ? rust_pointer_to(v, to, pointers[n]) : NULL;
        }
    if (rust_take(at, "["))
        return rust_read_sequence(v, at);
    size_t length = rust_path_length(*at);
    if (!length)
        return NULL;
    struct type *t = rust_named_type(v, values_copy(v, *at, length));
    *at += t ? length : 0;
    return t;
}

struct type *rust_type_read(struct evaluation *v, const char **at)
{
    static __thread unsigned deep;
    const char *from = *at;
    struct type *t = deep++ < 32 ? rust_read_whole(v, at) : NULL;
    deep--;
    if (!t)
        *at = from;
    return t;
}
