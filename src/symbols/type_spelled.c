/* Expanded types for ptype: members, functions, constants.
 *
 * With offsets (ptype/o), each member is preceded by its offset and size, holes are shown, and
 * nested structs are expanded at any depth. Layout and words are gdb's.
 */
#include <dwarf.h>

#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { SPELL_DEEP = 32, OFFSETS_WIDTH = 27 };

struct spelling {
    struct evaluation *v;
    FILE *out;
    bool offsets;
    int show;       /* levels to expand; below 0 an unnamed type is "{...}" */
    u64 base;       /* offsets: bits before the struct that is expanded */
    u64 end;        /* bits of it that were covered; 0: none yet */
};

/* --- functions of a class --------------------------------------------------------------------- */

static bool type_spelled_has_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, name, &a);
}

static unsigned type_spelled_number_of(Dwarf_Die *die, unsigned name, unsigned otherwise)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    return dwarf_formudata(dwarf_attr_integrate(die, name, &a), &value) ? otherwise
                                                                        : (unsigned)value;
}

/* Returns the type of the object that a method is called for; NULL for a static method. */
static struct type *object_type(struct evaluation *v, struct module *m, Dwarf_Die *method)
{
    Dwarf_Die child;
    int more = dwarf_child(method, &child);
    while (more == 0 && dwarf_tag(&child) != DW_TAG_formal_parameter) /* a template's parameters */
        more = dwarf_siblingof(&child, &child);
    if (more != 0 || !type_spelled_has_attribute(&child, DW_AT_artificial))
        return NULL;
    struct type *pointer = type_plain(v, type_attribute(v, m, &child));
    return pointer->kind == TYPE_POINTER ? type_target(v, pointer) : NULL;
}

static void write_method(struct evaluation *v, FILE *out, struct type *class, Dwarf_Die *method,
                         unsigned indent)
{
    const char *name = dwarf_diename(method);
    size_t own = strcspn(class->name ? class->name : "", "<");
    bool maker = name && (*name == '~' || (strncmp(name, class->name, own) == 0 && !name[own]));
    struct type *object = object_type(v, class->module, method);
    char *list = type_parameters(v, class->module, method);
    char *inner = xformat("%s(%s)", name ? name : "?", list);
    char *text = maker ? xformat("%s", inner)
                       : type_declaration(v, type_attribute(v, class->module, method), inner);
    fprintf(out, "%*s%s%s%s%s;\n", (int)indent, "",
            type_spelled_number_of(method, DW_AT_virtuality, 0) ? "virtual " : "",
            object ? "" : "static ", text, object && object->kind == TYPE_CONST ? " const" : "");
    free(text);
    free(inner);
    free(list);
}

/* Writes `private:` and so on, where the access changes. */
static void write_access(FILE *out, Dwarf_Die *die, unsigned indent, unsigned *access,
                         unsigned otherwise)
{
    static const char *const words[] = {"", "public", "protected", "private"};
    unsigned now = type_spelled_number_of(die, DW_AT_accessibility, otherwise);
    if (now == *access || now >= countof(words) || !now)
        return;
    *access = now;
    fprintf(out, "%*s%s:\n", (int)indent + 2, "", words[now]);
}

static unsigned usual_access(const struct type *t)
{
    return t->keyword && strcmp(t->keyword, "class") == 0 ? DW_ACCESS_private : DW_ACCESS_public;
}

static void write_methods(struct evaluation *v, FILE *out, struct type *t, unsigned indent,
                          bool behind, unsigned *access)
{
    Dwarf_Die child, class = t->die;
    if (!t->has_die || !t->name || dwarf_child(&class, &child) != 0)
        return;
    do {
        if (dwarf_tag(&child) != DW_TAG_subprogram ||
            type_spelled_has_attribute(&child, DW_AT_artificial))
            continue;
        fputs(behind ? "\n" : "", out);
        behind = false;
        write_access(out, &child, indent, access, usual_access(t));
        write_method(v, out, t, &child, indent + 4);
    } while (dwarf_siblingof(&child, &child) == 0);
}

/* --- structs, enums --------------------------------------------------------------------------- */

static void write_struct(struct spelling *s, struct type *t, unsigned indent,
                         const char *qualifiers);
static void write_enum(struct evaluation *v, FILE *out, struct type *t, const char *qualifiers);

static bool is_union(const struct type *t)
{
    return t->keyword && strcmp(t->keyword, "union") == 0;
}

/* Writes a hole: bits of the struct that no member covers. */
static void write_hole(struct spelling *s, u64 to, const char *what)
{
    u64 hole = s->end && s->end < to ? to - s->end : 0;
    if (hole % 8)
        fprintf(s->out, "/* XXX %2u-bit %-7s    */\n", (unsigned)(hole % 8), what);
    if (hole / 8)
        fprintf(s->out, "/* XXX %2llu-byte %-7s   */\n", (unsigned long long)(hole / 8), what);
}

/* Writes offset and size before a member, always equally wide. */
static void write_offset(struct spelling *s, struct type *t, const struct member *m)
{
    u64 size = type_plain(s->v, m->type)->size;
    if (m->is_static) {
        fprintf(s->out, "%*s", OFFSETS_WIDTH, "");
        return;
    }
    if (is_union(t)) {
        fprintf(s->out, "/*                %6llu */", (unsigned long long)size);
        return;
    }
    u64 bit = m->offset * 8 + (m->bit_size ? m->bit_offset : 0), whole = bit + s->base;
    write_hole(s, bit, "hole");
    if (m->bit_size)
        fprintf(s->out, "/* %6llu:%2u", (unsigned long long)(whole / 8), (unsigned)(whole % 8));
    else
        fprintf(s->out, "/* %6llu   ", (unsigned long long)(whole / 8));
    fprintf(s->out, "   |  %6llu */", (unsigned long long)size);
    s->end = bit + (m->bit_size ? m->bit_size : size * 8);
}

/* Removes const and volatile, but keeps the name of a typedef. */
static struct type *unqualified(struct evaluation *v, struct type *t, const char **ret_qualifiers)
{
    while (t->kind == TYPE_CONST || t->kind == TYPE_VOLATILE) {
        *ret_qualifiers = t->kind == TYPE_CONST ? "const " : "volatile ";
        t = type_target(v, t);
    }
    return t;
}

static void write_member(struct spelling *s, struct type *in, const struct member *m,
                         unsigned indent)
{
    const char *qualifiers = "";
    struct type *inner = unqualified(s->v, m->type, &qualifiers);
    bool in_full = s->offsets && !m->is_static && inner->kind == TYPE_STRUCT;
    struct spelling below = {.v = s->v,
                             .out = s->out,
                             .offsets = in_full,
                             .show = in_full ? s->show : s->show - 1,
                             .base = s->base + (in_full ? m->offset * 8 : 0)};
    if (s->offsets)
        write_offset(s, in, m);
    fprintf(s->out, "%*s%s", (int)indent, "", m->is_static ? "static " : "");
    if (inner->kind == TYPE_STRUCT && (!inner->name || in_full) && below.show >= 0 &&
        indent < 4 * SPELL_DEEP) {
        write_struct(&below, inner, indent, qualifiers);
        fprintf(s->out, "%s%s", m->name ? " " : "", m->name ? m->name : "");
    } else if (inner->kind == TYPE_ENUM && !inner->name && below.show >= 0) {
        write_enum(s->v, s->out, inner, qualifiers);
        fprintf(s->out, "%s%s", m->name ? " " : "", m->name ? m->name : "");
    } else {
        char *text = type_declaration(s->v, m->type, m->name ? m->name : "");
        fputs(text, s->out);
        free(text);
    }
    if (m->bit_size)
        fprintf(s->out, " : %u", m->bit_size);
    fputs(";\n", s->out);
}

static void write_head(struct evaluation *v, FILE *out, struct type *t, const char *qualifiers)
{
    size_t count;
    const struct member *m = type_members(v, t, &count);
    const char *between = " : ";
    char *name = t->name ? type_text(v, t) : NULL;
    const char *plain = name && strncmp(name, t->keyword, strlen(t->keyword)) == 0 &&
                        name[strlen(t->keyword)] == ' ' ? name + strlen(t->keyword) + 1 : name;
    fprintf(out, "%s%s %s%s", qualifiers, t->keyword, plain ? plain : "", plain ? " " : "");
    free(name);
    for (size_t n = 0; n < count && t->kind == TYPE_STRUCT; n++)
        if (m[n].is_base) {
            char *base = type_text(v, m[n].type);
            fprintf(out, "%spublic %s%s", between + (between[0] == ' '),
                    m[n].is_virtual ? "virtual " : "", base);
            free(base);
            between = ", ";
        }
    if (between[0] == ',')
        fputc(' ', out);
}


static bool is_table_pointer(const struct member *m)
{
    return m->is_artificial && m->name && strncmp(m->name, "_vptr", 5) == 0;
}

/* Whether a class begins with an access label: with the default access there is none. */
static unsigned first_access(struct type *t, const struct member *m, size_t count)
{
    unsigned usual = usual_access(t);
    Dwarf_Die child, class = t->die;
    for (size_t n = 0; n < count && t->has_die; n++) {
        Dwarf_Die die = m[n].die;
        if (!m[n].is_base && !is_table_pointer(&m[n]) &&
            type_spelled_number_of(&die, DW_AT_accessibility, usual) != usual)
            return 0;
    }
    if (!t->has_die || dwarf_child(&class, &child) != 0)
        return usual;
    do
        if (dwarf_tag(&child) == DW_TAG_subprogram &&
            !type_spelled_has_attribute(&child, DW_AT_artificial) &&
            type_spelled_number_of(&child, DW_AT_accessibility, usual) != usual)
            return 0;
    while (dwarf_siblingof(&child, &child) == 0);
    return usual;
}

static void write_total(struct spelling *s, struct type *t, unsigned indent)
{
    write_hole(s, t->size * 8, "padding");
    fprintf(s->out, "\n%*s/* total size (bytes): %4llu */\n", (int)(OFFSETS_WIDTH + indent + 4), "",
            (unsigned long long)t->size);
}

static void write_struct(struct spelling *s, struct type *t, unsigned indent,
                         const char *qualifiers)
{
    size_t count;
    const struct member *m = type_members(s->v, t, &count);
    FILE *out = s->out;
    unsigned access = first_access(t, m, count), left = s->offsets ? OFFSETS_WIDTH : 0;
    bool some = false;
    write_head(s->v, out, t, qualifiers);
    fputs("{\n", out);
    if (t->is_incomplete)
        fprintf(out, "%*s<incomplete type>\n", (int)(left + indent) + 4, "");
    else if (!count)
        fprintf(out, "%*s<no data fields>\n", (int)(left + indent) + 4, "");
    for (size_t n = 0; n < count; n++)
        if (!m[n].is_base && !is_table_pointer(&m[n])) {
            Dwarf_Die die = m[n].die;
            if (t->has_die)
                write_access(out, &die, left + indent, &access, usual_access(t));
            write_member(s, t, &m[n], indent + 4);
            some = true;
        }
    if (s->v->cplusplus && !s->offsets)
        write_methods(s->v, out, t, indent, some, &access);
    if (s->offsets)
        write_total(s, t, indent);
    fprintf(out, "%*s}", (int)(left + (left && !indent ? 2 : 0) + indent), "");
}

static bool is_enum_class(struct type *t)
{
    Dwarf_Attribute a;
    return t->has_die && dwarf_attr_integrate(&t->die, DW_AT_enum_class, &a);
}

char *type_enum_prefix(struct evaluation *v, struct type *t)
{
    bool cplusplus = v->cplusplus; /* it may be requested in a frame of another language */
    v->cplusplus |= t->has_die && language_of_die(&t->die) == LANGUAGE_CPLUSPLUS;
    char *text = v->cplusplus ? type_text(v, t) : xformat("%s", ""), *last = NULL;
    v->cplusplus = cplusplus;
    if (is_enum_class(t)) {
        char *longer = xformat("%s::", text);
        free(text);
        return longer;
    }
    for (char *at = text; *at; at++)
        if (at[0] == ':' && at[1] == ':')
            last = at + 2;
    (last ? last : text)[0] = 0;
    return text;
}

static void write_enum(struct evaluation *v, FILE *out, struct type *t, const char *qualifiers)
{
    const struct member *m = t->members.items;
    i64 next = 0;
    char *prefix = type_enum_prefix(v, t);
    if (is_enum_class(t)) {
        char *name = type_text(v, t), *under = type_text(v, type_attribute(v, t->module, &t->die));
        fprintf(out, "%senum class %s : %s ", qualifiers, name, under);
        free(name);
        free(under);
    } else {
        write_head(v, out, t, qualifiers);
        if (v->cplusplus && t->has_die && dwarf_hasattr_integrate(&t->die, DW_AT_type)) {
            char *under = type_text(v, type_attribute(v, t->module, &t->die));
            fprintf(out, ": %s ", under);
            free(under);
        }
    }
    fputc('{', out);
    for (size_t n = 0; n < t->members.count; n++) {
        fprintf(out, "%s%s%s", n ? ", " : "", prefix, m[n].name ? m[n].name : "?");
        if (m[n].value != next)
            fprintf(out, " = %lld", (long long)m[n].value);
        next = m[n].value + 1;
    }
    free(prefix);
    fputc('}', out);
}

/* Returns the struct or enum at the core of the type, which is expanded. */
static struct type *core_of(struct evaluation *v, struct type *t)
{
    for (unsigned n = 0; n < SPELL_DEEP; n++) {
        if (t->kind == TYPE_STRUCT || t->kind == TYPE_ENUM || !(t->target || t->has_die) ||
            (t->kind != TYPE_POINTER && t->kind != TYPE_REFERENCE && t->kind != TYPE_ARRAY &&
             t->kind != TYPE_TYPEDEF && t->kind != TYPE_CONST && t->kind != TYPE_VOLATILE &&
             t->kind != TYPE_FUNCTION))
            return t;
        t = type_target(v, t);
    }
    return t;
}

/* Returns the type with another one in place of its core; only outer typedef names are removed. */
static struct type *unwrapped(struct evaluation *v, struct type *t)
{
    if (t->kind == TYPE_TYPEDEF)
        return unwrapped(v, type_plain(v, t));
    if (t->kind != TYPE_POINTER && t->kind != TYPE_ARRAY && t->kind != TYPE_CONST &&
        t->kind != TYPE_REFERENCE && t->kind != TYPE_FUNCTION && t->kind != TYPE_VOLATILE)
        return t;
    struct type *copy = values_alloc(v, sizeof *copy);
    *copy = *t;
    copy->target = unwrapped(v, type_target(v, t));
    copy->target_made = true;
    return copy;
}

char *type_expanded(struct evaluation *v, struct type *t, bool offsets)
{
    if (rust_is(t))
        return rust_type_expanded(v, t);
    if (fortran_is(t) || v->language == LANGUAGE_FORTRAN)
        return fortran_type_expanded(v, t);
    t = unwrapped(v, t);
    struct type *core = core_of(v, t);
    char *body = NULL;
    size_t size;
    if (core->kind != TYPE_STRUCT && core->kind != TYPE_ENUM)
        return type_text(v, t);
    /* Written first with a placeholder name that is then replaced: `const struct node {...}
     * *(*)[3]`. */
    struct type stand = {.kind = TYPE_OTHER, .name = "\1", .target_made = true};
    struct type saved = *core;
    *core = stand;
    char *text = type_text(v, t);
    *core = saved;
    char *mark = strchr(text, '\1');
    if (!mark)
        return text;
    *mark = '\0'; /* the qualifiers of the core come before it */
    FILE *out = open_memstream(&body, &size);
    if (core->kind == TYPE_STRUCT)
        write_struct(&(struct spelling){.v = v, .out = out, .offsets = offsets, .show = 1}, core, 0,
                     text);
    else
        write_enum(v, out, core, text);
    fclose(out);
    char *whole = xformat("%s%s", body, mark + 1);
    free(text);
    free(body);
    return whole;
}
