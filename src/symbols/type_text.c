/* Types as text, in the form of C declarations: from the name outward.
 *
 * A declaration grows around its name: a pointer puts a star to the left, an array or a function
 * puts brackets or parentheses to the right, with parentheses around a star where the right side
 * comes later. So each function takes the inner text and returns it with its own part added.
 */
#include <dwarf.h>

#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { TEXT_DEEP = 32 };

struct type_writer {
    struct evaluation *v;
    unsigned depth;
};

static char *declare(struct type_writer *w, struct type *t, char *inner);

/* Takes `inner`. */
static char *with_name(const char *before, const char *name, char *inner)
{
    char *text = xformat("%s%s%s%s", before, name, *inner ? " " : "", inner);
    free(inner);
    return text;
}

static char *named(struct type_writer *w, struct type *t, const char *qualifiers, char *inner)
{
    bool keyword = t->keyword && (!w->v->cplusplus || !t->name);
    char *before = xformat("%s%s%s", qualifiers, keyword ? t->keyword : "", keyword ? " " : "");
    const char *none = t->keyword ? "{...}" : t->kind == TYPE_VOID ? "void" : "<unknown>";
    char *full = NULL;
    if (w->v->cplusplus && t->name && t->has_die && (t->keyword || t->kind == TYPE_TYPEDEF))
        full = names_of_die(t->module, t->name, &t->die);
    char *shorter = type_short_name(full ? full : t->name ? t->name : none);
    char *text = with_name(before, shorter, inner);
    free(shorter);
    free(full);
    free(before);
    return text;
}

/* `this` is a const pointer, even if the debug information does not say so. */
static char *parameter(struct type_writer *w, struct module *m, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    if (dwarf_tag(die) == DW_TAG_unspecified_parameters)
        return xformat("...");
    struct type *t = type_attribute(w->v, m, die);
    bool is_this = t->kind == TYPE_POINTER && dwarf_attr_integrate(die, DW_AT_artificial, &a);
    return declare(w, t, xformat("%s", is_this ? " const" : ""));
}

/* With `hide`, parameters that the compiler added are left out. */
static char *parameter_list(struct type_writer *w, struct module *m, Dwarf_Die *function, bool hide)
{
    Dwarf_Die child;
    Dwarf_Attribute a;
    char *all = xformat("%s", "");
    if (dwarf_child(function, &child) == 0)
        do {
            unsigned tag = (unsigned)dwarf_tag(&child);
            if ((tag != DW_TAG_formal_parameter && tag != DW_TAG_unspecified_parameters) ||
                (hide && dwarf_attr_integrate(&child, DW_AT_artificial, &a)))
                continue;
            char *one = parameter(w, m, &child);
            char *longer = xformat("%s%s%s", all, *all ? ", " : "", one);
            free(one);
            free(all);
            all = longer;
        } while (dwarf_siblingof(&child, &child) == 0);
    if (!*all && (w->v->cplusplus || dwarf_attr_integrate(function, DW_AT_prototyped, &a))) {
        free(all);
        return xformat("void");
    }
    return all;
}

static char *parameters(struct type_writer *w, struct type *t)
{
    return t->has_die ? parameter_list(w, t->module, &t->die, false)
                      : xformat("%s", t->name || w->v->cplusplus ? "void" : "");
}

/* Finds the qualifier; NULL: none. */
static const char *qualifier_of(struct type *t)
{
    switch (t->kind) {
    case TYPE_CONST: return "const";
    case TYPE_VOLATILE: return "volatile";
    case TYPE_TYPEDEF: break;
    default: return NULL;
    }
    int tag = t->name || !t->has_die ? DW_TAG_invalid : dwarf_tag(&t->die);
    return tag == DW_TAG_restrict_type ? "restrict" : tag == DW_TAG_atomic_type ? "_Atomic" : NULL;
}

static char *declare_pointer(struct type_writer *w, struct type *t, const char *star, char *inner)
{
    struct type *to = type_target(w->v, t), *bare = to;
    for (unsigned n = 0; n < TEXT_DEEP && qualifier_of(bare); n++) /* of a const array */
        bare = type_target(w->v, bare);
    bool parens = bare->kind == TYPE_ARRAY || bare->kind == TYPE_FUNCTION;
    char *more = xformat("%s%s%s%s", parens ? "(" : "", star, inner, parens ? ")" : "");
    free(inner);
    return declare(w, to, more);
}

static struct type *class_of(struct evaluation *v, struct type *t)
{
    Dwarf_Attribute a;
    Dwarf_Die class;
    if (!t->has_die || !dwarf_attr_integrate(&t->die, DW_AT_containing_type, &a) ||
        !dwarf_formref_die(&a, &class))
        return NULL;
    return type_of(v, t->module, &class);
}

static char *class_name(struct evaluation *v, struct type *t)
{
    struct type *class = class_of(v, t);
    return class ? type_text(v, class) : xformat("%s", "");
}

static bool is_virtual_at(Dwarf_Die *method, u64 index)
{
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    return dwarf_tag(method) == DW_TAG_subprogram &&
           dwarf_attr_integrate(method, DW_AT_vtable_elem_location, &a) &&
           expression_of(&a, &ops, &count) == 0 && count == 1 && ops[0].atom == DW_OP_constu &&
           ops[0].number == index;
}

char *type_virtual_method(struct evaluation *v, struct type *plain, u64 index)
{
    struct type *class = class_of(v, plain);
    Dwarf_Die child, die = class ? class->die : (Dwarf_Die){0};
    Dwarf_Attribute a;
    if (class && class->has_die && dwarf_child(&die, &child) == 0)
        do {
            if (!is_virtual_at(&child, index))
                continue;
            struct function_symbol symbol = {
                .raw = dwarf_formstring(dwarf_attr_integrate(&child, DW_AT_linkage_name, &a))};
            if (symbol.raw) {
                function_name(&symbol);
                return symbol.name;
            }
        } while (dwarf_siblingof(&child, &child) == 0);
    char *name = class_name(v, plain),
         *text = xformat("%s, entry %llu", name, (unsigned long long)index);
    free(name);
    return text;
}

char *type_member_at(struct evaluation *v, struct type *plain, u64 offset)
{
    size_t count;
    struct type *class = class_of(v, plain);
    const struct member *m = class ? type_members(v, type_plain(v, class), &count) : NULL;
    for (size_t n = 0; m && n < count; n++)
        if (m[n].name && !m[n].is_base && !m[n].is_static && m[n].offset == offset &&
            !m[n].bit_size) {
            char *name = type_text(v, class), *whole = xformat("%s::%s", name, m[n].name);
            free(name);
            return whole;
        }
    return NULL;
}

static char *declare_member_pointer(struct type_writer *w, struct type *t, char *inner)
{
    char *class = class_name(w->v, t), *star = xformat("%s::*", class);
    char *text = declare_pointer(w, t, star, inner);
    free(star);
    free(class);
    return text;
}

static char *declare_array(struct type_writer *w, struct type *t, char *inner)
{
    char *more = t->is_vector ? xformat("%s%s__attribute__ ((vector_size(%llu)))", inner,
                                        *inner ? " " : "", (unsigned long long)t->count)
                 : t->is_counted ? xformat("%s[%llu]", inner, (unsigned long long)t->count)
                                 : xformat("%s[]", inner);
    free(inner);
    return declare(w, type_target(w->v, t), more);
}

static char *declare_function(struct type_writer *w, struct type *t, char *inner)
{
    char *list = parameters(w, t);
    char *more = xformat("%s(%s)", inner, list);
    free(list);
    free(inner);
    return declare(w, type_target(w->v, t), more);
}

/* Qualifiers are written before a name and after a star, always in the same order. */
static char *declare_qualified(struct type_writer *w, struct type *t, char *inner)
{
    enum { RESTRICT = 2 };
    static const char *const all[] = {"const", "volatile", [RESTRICT] = "restrict", "_Atomic"};
    bool has[countof(all)] = {false};
    const char *word;
    while ((word = qualifier_of(t))) {
        for (size_t n = 0; n < countof(all); n++)
            has[n] |= strcmp(all[n], word) == 0;
        t = type_target(w->v, t);
        if (w->depth++ > TEXT_DEEP)
            break;
    }
    bool is_behind = t->kind == TYPE_POINTER || t->kind == TYPE_REFERENCE;
    char *words = xformat("%s", "");
    for (size_t n = 0; n < countof(all); n++)
        if (has[n]) {
            const char *text = n == RESTRICT && w->v->cplusplus ? "__restrict__" : all[n];
            char *more = xformat("%s%s%s%s", words, is_behind ? " " : "", text,
                                 is_behind ? "" : " ");
            free(words);
            words = more;
        }
    if (is_behind) {
        char *more = xformat("%s%s%s", words, *inner && *inner != '[' ? " " : "", inner);
        free(words);
        free(inner);
        return declare(w, t, more);
    }
    char *text = t->kind == TYPE_ARRAY || t->kind == TYPE_FUNCTION ? declare(w, t, inner)
                                                                   : named(w, t, words, inner);
    free(words);
    return text;
}

/* Takes `inner`. */
static char *declare(struct type_writer *w, struct type *t, char *inner)
{
    char *text;
    if (w->depth > TEXT_DEEP)
        return with_name("", "...", inner);
    if (go_type_name(t))
        return with_name("", go_type_name(t), inner);
    w->depth++;
    switch (t->kind) {
    case TYPE_POINTER: text = declare_pointer(w, t, "*", inner); break;
    case TYPE_REFERENCE: text = declare_pointer(w, t, t->is_rvalue ? "&&" : "&", inner); break;
    case TYPE_MEMBER_POINTER: text = declare_member_pointer(w, t, inner); break;
    case TYPE_ARRAY: text = declare_array(w, t, inner); break;
    case TYPE_FUNCTION:
        text = t->name ? with_name("", t->name, inner) : declare_function(w, t, inner);
        break;
    case TYPE_CONST:
    case TYPE_VOLATILE: text = declare_qualified(w, t, inner); break;
    case TYPE_TYPEDEF:
        text = t->name           ? named(w, t, "", inner)
               : qualifier_of(t) ? declare_qualified(w, t, inner)
                                 : declare(w, type_target(w->v, t), inner);
        break;
    default: text = named(w, t, "", inner); break;
    }
    w->depth--;
    return text;
}

char *type_declaration(struct evaluation *v, struct type *t, const char *name)
{
    struct type_writer w = {.v = v};
    if (rust_is(t) || (v->language == LANGUAGE_RUST && !t->has_die))
        return rust_type_text(v, t);
    if (fortran_is(t) || v->language == LANGUAGE_FORTRAN) {
        char *text = fortran_type_text(v, t),
             *whole = xformat("%s%s%s", text, *name ? " " : "", name);
        free(text);
        return whole;
    }
    return declare(&w, t, xformat("%s", name));
}

char *type_text(struct evaluation *v, struct type *t)
{
    return type_declaration(v, t, "");
}

char *type_parameters(struct evaluation *v, struct module *m, Dwarf_Die *function)
{
    struct type_writer w = {.v = v};
    return parameter_list(&w, m, function, true);
}
