/* Lookup: what a name means in a frame.
 *
 * The order is that of the language, as gdb has it:
 *
 *     the blocks of the function, from the inside, with what `using` declares in them
 *     members of the object that the function is called for
 *     the class and the name spaces around the function, from the inside.  Each has its own names,
 *         those of base classes, those of `using N::x`, and those of `using namespace N` in the
 *         innermost name space that holds both N and the directive
 *     what is private to other files, of the executable first
 *     any name that ends with the text
 *
 * At each of these the file of the frame comes first, then what any file may refer to
 * (name_index.c). The first part of a qualified name is looked up like this, and the rest inside of
 * it. The first part may be a name space or an alias of one, a class, an enum, or a function, whose
 * variables are then meant.
 *
 * If several other files have a private symbol of that name, the evaluation notes which one was
 * taken.
 */
#include <dwarf.h>

#include "symbols/fortran_internal.h"
#include "symbols/rust_internal.h"

enum { LOOKUP_DEEP = 16 };

static char *lookup_joined(struct evaluation *v, const char *space, const char *name)
{
    char *whole = *space ? xformat("%s::%s", space, name) : xformat("%s", name);
    char *kept = values_copy(v, whole, strlen(whole));
    free(whole);
    return kept;
}

/* Returns the part before the last `::`; "": there is none. */
static char *lookup_prefix(struct evaluation *v, const char *name)
{
    const char *last = names_last_part(name);
    return values_copy(v, name, last == name ? 0 : (size_t)(last - name - 2));
}

/* --- what was found --------------------------------------------------------------------------- */

static bool lookup_take(const struct name_found *f, struct name_meaning *ret)
{
    struct found_variable found = {.die = f->entry.die, .module = f->module};
    *ret = (struct name_meaning){.kind = f->entry.kind, .variable = found, .global = *f};
    if (f->entry.kind == NAME_ENUMERATOR)
        names_parent(f->module, &f->entry, &ret->of_enum);
    return true;
}

/* A walk over the spaces around the function. */
struct spaces {
    const char *own;  /* the space of the function; "" */
    unsigned kinds;
    unsigned depth;
    struct name_found weak;  /* a match that is private to another file; points 0: none */
    const void *not_this;    /* the address of a DIE to ignore; may be NULL */
};

/* Looks for the whole name; false: there is none that the frame's file could mean. Then the first
 * one that is private to another file is kept. */
static bool lookup_whole(struct evaluation *v, struct spaces *s, const char *name,
                         struct name_meaning *ret)
{
    struct name_found found;
    if (!names_find_whole(v, name, s->kinds, &found) || found.entry.die.addr == s->not_this)
        return false;
    if (names_is_by_scope(&found))
        return lookup_take(&found, ret);
    if (found.points > s->weak.points)
        s->weak = found;
    return false;
}

/* --- notes ------------------------------------------------------------------------------------ */

static const char *lookup_file(const struct name_found *f)
{
    Dwarf_Die die = f->entry.die, unit;
    const char *path = dwarf_diename(dwarf_diecu(&die, &unit, NULL, NULL)),
               *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path ? path : "?";
}

/* Returns an unambiguous name for it; the caller frees it. */
static char *lookup_spelled(const struct name_found *f)
{
    char *whole = names_seen(f->module, &f->entry);
    bool is_plain = f->entry.is_external && strstr(whole, "::");
    char *text = is_plain ? xformat("%s", whole) : xformat("'%s'::%s", lookup_file(f), whole);
    free(whole);
    return text;
}

static Dwarf_Die origin_of(Dwarf_Die die)
{
    Dwarf_Attribute a;
    Dwarf_Die origin;
    return dwarf_attr(&die, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin) ? origin
                                                                                         : die;
}

/* True if both are the same: constants and types of a header exist in each file that includes
 * it. */
static bool lookup_is_same(struct evaluation *v, const struct name_found *a,
                           const struct name_found *b)
{
    Dwarf_Die x = a->entry.die, y = b->entry.die;
    Dwarf_Attribute p, q;
    i64 left, right;
    if (x.addr == y.addr)
        return true;
    if (a->entry.kind != b->entry.kind)
        return false;
    if (a->entry.kind == NAME_FUNCTION) /* a function and what all its instances share */
        return origin_of(x).addr == origin_of(y).addr;
    if (a->entry.kind == NAME_TYPE) {
        int line = 0, other = 0;
        dwarf_decl_line(&x, &line);
        dwarf_decl_line(&y, &other);
        return line == other && dwarf_bytesize(&x) == dwarf_bytesize(&y);
    }
    return a->entry.kind == NAME_ENUMERATOR && dwarf_attr(&x, DW_AT_const_value, &p) &&
           dwarf_attr(&y, DW_AT_const_value, &q) && variables_number(v, a->module, &p, &left) &&
           variables_number(v, b->module, &q, &right) && left == right;
}

static void lookup_set_note(struct evaluation *v, const char *name, const struct name_found *taken,
                            const struct name_found *other, size_t more)
{
    char *own = lookup_spelled(taken), *another = lookup_spelled(other);
    char *rest = more ? xformat(" and %zu more", more) : xformat("%s", "");
    char *text =
        xformat("%s is %s here; there %s also %s%s", name, own, more ? "are" : "is", another, rest);
    v->note = values_copy(v, text, strlen(text));
    free(own);
    free(another);
    free(rest);
    free(text);
}

/* Notes which of several was taken, if scope did not decide. */
static void lookup_note(struct evaluation *v, const char *name, const struct name_meaning *taken)
{
    struct list all = LIST(struct name_found);
    struct module **modules = v->symbols->modules.items;
    const struct name_found *f = &taken->global, *other = NULL;
    unsigned tags = f->entry.tag == TAG_APART ? NAME_ONLY_TAGS : NAME_NO_TAGS;
    unsigned kinds = taken->kind == NAME_TYPE ? 1u << NAME_TYPE | tags : NAME_VALUES;
    size_t more = 0;
    /* a module can only have one */
    bool is_linked = taken->kind == NAME_VARIABLE || taken->kind == NAME_FUNCTION;
    if (v->note || !f->module || v->language == LANGUAGE_RUST || names_is_own(f) ||
        (names_is_by_scope(f) && is_linked &&
         (f->module == modules[0] || f->module == v->view.module)))
        return;
    char *whole = names_is_whole(f) ? names_seen(f->module, &f->entry) : NULL;
    names_all(v, whole ? whole : name, kinds, &all);
    free(whole);
    const struct name_found *each = all.items;
    for (size_t n = 0; n < all.count; n++) {
        if (each[n].entry.is_declaration || lookup_is_same(v, &each[n], f) ||
            (names_is_whole(f) && !names_is_whole(&each[n])) ||
            (names_is_by_scope(f) && is_linked && each[n].module != modules[0]))
            continue;
        more += other != NULL;
        other = other ? other : &each[n];
    }
    if (other)
        lookup_set_note(v, name, f, other, more);
    list_deinit(&all);
}

const char *values_note(const struct evaluation *v)
{
    return v->note;
}

/* --- blocks ----------------------------------------------------------------------------------- */

static bool lookup_constant(struct module *m, Dwarf_Die *of_enum, const char *name,
                            struct name_meaning *ret)
{
    Dwarf_Die child;
    if (dwarf_child(of_enum, &child) != 0)
        return false;
    do {
        const char *own = dwarf_tag(&child) == DW_TAG_enumerator ? dwarf_diename(&child) : NULL;
        if (!own || strcmp(own, name) != 0)
            continue;
        *ret = (struct name_meaning){
            .kind = NAME_ENUMERATOR, .variable = {.die = child, .module = m}, .of_enum = *of_enum};
        return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool lookup_imported(Dwarf_Die *die, Dwarf_Die *ret)
{
    Dwarf_Attribute a;
    return dwarf_attr(die, DW_AT_import, &a) && dwarf_formref_die(&a, ret);
}

/* Returns the whole name of a DIE that `using` or an alias refers to; NULL: it is not known. */
static const char *lookup_name_of(struct evaluation *v, struct module *m, Dwarf_Die *die)
{
    Dwarf_Die behind;
    for (unsigned n = 0; n < LOOKUP_DEEP && dwarf_tag(die) == DW_TAG_imported_declaration; n++) {
        if (!lookup_imported(die, &behind))
            return NULL;
        *die = behind;
    }
    const char *name = dwarf_diename(die);
    char *whole = names_of_die(m, name ? name : "", die);
    if (!whole)
        return NULL;
    const char *kept = values_copy(v, whole, strlen(whole));
    free(whole);
    return kept;
}

/* For `using N::x` or `namespace M = N`, returns the whole name of the target; NULL: the import is
 * for another name. */
static const char *lookup_declared(struct evaluation *v, struct module *m, Dwarf_Die *import,
                                   const char *name)
{
    Dwarf_Die die;
    if (dwarf_tag(import) != DW_TAG_imported_declaration || !lookup_imported(import, &die))
        return NULL;
    Dwarf_Attribute a;
    const char *own = dwarf_formstring(dwarf_attr(import, DW_AT_name, &a));
    if (!own)
        own = dwarf_diename(&die);
    return own && strcmp(own, name) == 0 ? lookup_name_of(v, m, &die) : NULL;
}

/* Looks among types and constants declared in a block, and what `using` declares there. */
static bool lookup_among(struct evaluation *v, Dwarf_Die *block, const char *name, unsigned kinds,
                         struct name_meaning *ret)
{
    Dwarf_Die child;
    struct module *m = v->view.module;
    struct spaces s = {.own = "", .kinds = kinds};
    if (dwarf_child(block, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        const char *own = dwarf_diename(&child), *behind;
        bool is_type = tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                       tag == DW_TAG_union_type || tag == DW_TAG_typedef ||
                       tag == DW_TAG_enumeration_type;
        if (is_type && own && kinds >> NAME_TYPE & 1 && strcmp(own, name) == 0 &&
            names_tag_fits(names_tag(&child, language_of_die(&child) != LANGUAGE_C), kinds)) {
            *ret =
                (struct name_meaning){.kind = NAME_TYPE, .variable = {.die = child, .module = m}};
            return true;
        }
        if (tag == DW_TAG_enumeration_type && kinds >> NAME_ENUMERATOR & 1 &&
            lookup_constant(m, &child, name, ret))
            return true;
        if (tag == DW_TAG_imported_declaration && (behind = lookup_declared(v, m, &child, name)) &&
            (lookup_whole(v, &s, behind, ret) || (s.weak.points && lookup_take(&s.weak, ret))))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* gcc describes the enums of all blocks in the outermost one of the function. If a variable of the
 * block has such a type, its constants are known in the block. */
static bool lookup_constant_of_variable(struct evaluation *v, size_t n, const char *name,
                                        struct name_meaning *ret)
{
    Dwarf_Die child, type, other;
    Dwarf_Attribute a;
    if (n + 1 >= v->block_count || dwarf_child(&v->blocks[n], &child) != 0)
        return false;
    do {
        if (dwarf_tag(&child) != DW_TAG_variable || !dwarf_attr(&child, DW_AT_type, &a) ||
            !dwarf_formref_die(&a, &type) || dwarf_tag(&type) != DW_TAG_enumeration_type ||
            dwarf_child(&v->blocks[v->block_count - 1], &other) != 0)
            continue;
        do
            if (other.addr == type.addr && lookup_constant(v->view.module, &type, name, ret))
                return true;
        while (dwarf_siblingof(&other, &other) == 0);
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool lookup_in_block(struct evaluation *v, size_t n, const char *name, unsigned kinds,
                            struct name_meaning *ret)
{
    Dwarf_Attribute a;
    Dwarf_Die origin;
    struct found_variable found;
    if (kinds >> NAME_VARIABLE & 1 && variables_find_in_block(v, n, name, &found)) {
        *ret = (struct name_meaning){.kind = NAME_VARIABLE, .variable = found};
        return true;
    }
    if (kinds >> NAME_ENUMERATOR & 1 && lookup_constant_of_variable(v, n, name, ret))
        return true;
    return lookup_among(v, &v->blocks[n], name, kinds, ret) ||
           (dwarf_attr(&v->blocks[n], DW_AT_abstract_origin, &a) &&
            dwarf_formref_die(&a, &origin) && lookup_among(v, &origin, name, kinds, ret));
}

/* --- members ---------------------------------------------------------------------------------- */

/* True if there is such a member, also in a base or an anonymous member. */
static bool lookup_has_member(struct evaluation *v, struct type *t, const char *name,
                              unsigned depth)
{
    size_t count;
    struct type *plain = type_plain(v, t);
    const struct member *m = type_members(v, plain, &count);
    for (size_t n = 0; n < count && plain->kind == TYPE_STRUCT && depth < SHOW_DEPTH; n++)
        if (m[n].name && !m[n].is_base ? strcmp(m[n].name, name) == 0
                                       : lookup_has_member(v, m[n].type, name, depth + 1))
            return true;
    return false;
}

static struct type *lookup_this(struct evaluation *v)
{
    struct found_variable this;
    if (!v->cplusplus || !variables_find(v, "this", &this))
        return NULL;
    struct type *t = type_plain(v, type_attribute(v, this.module, &this.die));
    return t->kind == TYPE_POINTER ? type_plain(v, type_target(v, t)) : NULL;
}

static bool lookup_member(struct evaluation *v, const char *name, struct type *of,
                          struct name_meaning *ret)
{
    struct type *class = lookup_this(v);
    if (!class || !(of ? class_has_base(v, class, of) && lookup_has_member(v, of, name, 0)
                       : lookup_has_member(v, class, name, 0)))
        return false;
    *ret = (struct name_meaning){
        .kind = NAME_VARIABLE, .is_member = true, .member = name, .class = of};
    return true;
}

/* --- spaces ----------------------------------------------------------------------------------- */

static bool lookup_in_space(struct evaluation *v, struct spaces *s, const char *space,
                            const char *name, struct name_meaning *ret);

/* Finds a class or enum by its whole name; NULL: there is none. */
static struct type *lookup_type(struct evaluation *v, const char *name)
{
    struct name_found found;
    if (!*name || !names_find_whole(v, name, 1u << NAME_TYPE, &found))
        return NULL;
    return type_plain(v, type_of(v, found.module, &found.entry.die));
}

static bool lookup_in_bases(struct evaluation *v, struct spaces *s, struct type *class,
                            const char *name, struct name_meaning *ret)
{
    size_t count;
    if (!class || class->kind != TYPE_STRUCT)
        return false;
    const struct member *m = type_members(v, class, &count);
    for (size_t n = 0; n < count; n++) {
        struct type *base = m[n].is_base ? type_plain(v, m[n].type) : NULL;
        char *whole = base && base->has_die && base->name ? type_text(v, base) : NULL;
        bool found = whole && lookup_in_space(v, s, whole, name, ret);
        free(whole);
        if (found)
            return true;
    }
    return false;
}

/* True if `space` is the space or encloses it. */
static bool lookup_is_around(const char *space, const char *inner)
{
    size_t length = strlen(space);
    return !length || (strncmp(space, inner, length) == 0 &&
                       (!inner[length] || strncmp(inner + length, "::", 2) == 0));
}

/* Returns the innermost space that encloses both. */
static char *lookup_common(struct evaluation *v, const char *a, const char *b)
{
    char *space = values_copy(v, a, strlen(a));
    while (*space && !lookup_is_around(space, b))
        space = lookup_prefix(v, space);
    return space;
}

/* Returns the name space of a `using namespace`; NULL: it is another import. */
static const char *lookup_directed(struct evaluation *v, Dwarf_Die *import)
{
    Dwarf_Die die;
    return dwarf_tag(import) == DW_TAG_imported_module && lookup_imported(import, &die)
               ? lookup_name_of(v, v->view.module, &die) : NULL;
}

/* Returns the space that contains an import of the frame's file; NULL: it is another file's. */
static const char *lookup_import_space(struct evaluation *v, const struct name_import *import)
{
    const struct name_entry *entries = module_names(v->view.module)->entries.items;
    if (import->unit != v->unit.addr)
        return NULL;
    if (import->parent == ~0u)
        return "";
    char *own = names_qualified(v->view.module, &entries[import->parent]);
    const char *kept = values_copy(v, own, strlen(own));
    free(own);
    return kept;
}

/* Applies `using N::x` in the space. Applies `using namespace N` too if the space was named
 * explicitly and is not one around the function (`walks`). */
static bool lookup_by_imports(struct evaluation *v, struct spaces *s, const char *space,
                              const char *name, bool walks, struct name_meaning *ret)
{
    if (!v->has_unit || !v->view.module)
        return false;
    struct name_index *x = module_names(v->view.module);
    const struct name_import *all = x->imports.items;
    for (unsigned directives = 0; directives < 2; directives++)
        for (size_t n = 0; n < x->imports.count; n++) {
            Dwarf_Die die = all[n].die;
            const char *at = lookup_import_space(v, &all[n]), *other;
            if (!at)
                continue;
            if (!directives && strcmp(at, space) == 0 &&
                (other = lookup_declared(v, v->view.module, &die, name)) &&
                lookup_whole(v, s, other, ret))
                return true;
            if (!directives || (walks ? !lookup_is_around(at, s->own) : strcmp(at, space) != 0))
                continue;
            other = lookup_directed(v, &die);
            if (other && strcmp(other, space) != 0 &&
                (!walks || strcmp(lookup_common(v, at, other), space) == 0) &&
                lookup_in_space(v, s, other, name, ret))
                return true;
        }
    return false;
}

/* Applies `using namespace N` in a block of the function. */
static bool lookup_by_block(struct evaluation *v, struct spaces *s, Dwarf_Die *block,
                            const char *space, const char *name, struct name_meaning *ret)
{
    Dwarf_Die child;
    if (dwarf_child(block, &child) != 0)
        return false;
    do {
        const char *other = lookup_directed(v, &child);
        if (other && strcmp(lookup_common(v, s->own, other), space) == 0 &&
            lookup_in_space(v, s, other, name, ret))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool lookup_by_blocks(struct evaluation *v, struct spaces *s, const char *space,
                             const char *name, struct name_meaning *ret)
{
    for (size_t n = 0; n < v->block_count; n++) {
        Dwarf_Attribute a;
        Dwarf_Die origin;
        if (lookup_by_block(v, s, &v->blocks[n], space, name, ret) ||
            (dwarf_attr(&v->blocks[n], DW_AT_abstract_origin, &a) &&
             dwarf_formref_die(&a, &origin) && lookup_by_block(v, s, &origin, space, name, ret)))
            return true;
    }
    return false;
}

/* Finds a name of the space itself. Members of a class hide those of its bases, in whichever file
 * they are described. */
static bool lookup_own_or_inherited(struct evaluation *v, struct spaces *s, const char *space,
                                    const char *name, struct name_meaning *ret)
{
    struct type *class = lookup_type(v, space);
    struct name_found found;
    const char *whole = lookup_joined(v, space, name);
    if (class && class->kind == TYPE_STRUCT && names_find_whole(v, whole, s->kinds, &found))
        return lookup_take(&found, ret);
    return lookup_whole(v, s, whole, ret) || lookup_in_bases(v, s, class, name, ret);
}

/* Finds a name in a space that was named explicitly. */
static bool lookup_in_space(struct evaluation *v, struct spaces *s, const char *space,
                            const char *name, struct name_meaning *ret)
{
    if (s->depth == LOOKUP_DEEP)
        return false;
    s->depth++;
    bool found = lookup_own_or_inherited(v, s, space, name, ret) ||
                 lookup_by_imports(v, s, space, name, false, ret);
    s->depth--;
    return found;
}

/* `using namespace` may bring two things with the same name into one space; no program can use that
 * name there. */
static void lookup_note_another(struct evaluation *v, const struct spaces *s, const char *space,
                                const char *name, const struct name_meaning *taken)
{
    struct spaces again = {
        .own = s->own, .kinds = s->kinds, .not_this = taken->global.entry.die.addr};
    struct name_meaning other;
    if (!taken->global.module || v->note || !(s->kinds & NAME_VALUES))
        return;
    if ((lookup_by_imports(v, &again, space, name, true, &other) ||
         lookup_by_blocks(v, &again, space, name, &other)) &&
        other.global.module && !lookup_is_same(v, &other.global, &taken->global))
        lookup_set_note(v, name, &taken->global, &other.global, 0);
}

/* Looks up a name, perhaps qualified, from the spaces around the function. */
static bool lookup_walk(struct evaluation *v, struct spaces *s, const char *name,
                        struct name_meaning *ret)
{
    for (const char *space = s->own;; space = lookup_prefix(v, space)) {
        if (lookup_own_or_inherited(v, s, space, name, ret) ||
            lookup_by_imports(v, s, space, name, true, ret) ||
            lookup_by_blocks(v, s, space, name, ret)) {
            lookup_note_another(v, s, space, name, ret);
            return true;
        }
        if (!*space)
            return false;
    }
}

/* --- qualified names -------------------------------------------------------------------------- */

/* Returns what the first part of the name stands for in the blocks and spaces around the function,
 * if `using` or an alias changes it; otherwise the name itself. */
static const char *lookup_unaliased(struct evaluation *v, struct spaces *s, const char *name)
{
    const char *end = strstr(name, "::"), *other = NULL;
    if (!end || !v->view.module)
        return name;
    const char *first = values_copy(v, name, (size_t)(end - name));
    for (size_t n = 0; n < v->block_count && !other; n++) {
        Dwarf_Die child;
        if (dwarf_child(&v->blocks[n], &child) == 0)
            do
                other = lookup_declared(v, v->view.module, &child, first);
            while (!other && dwarf_siblingof(&child, &child) == 0);
    }
    struct name_index *x = module_names(v->view.module);
    const struct name_import *all = x->imports.items;
    for (const char *space = s->own; !other && v->has_unit; space = lookup_prefix(v, space)) {
        for (size_t n = 0; n < x->imports.count && !other; n++) {
            Dwarf_Die die = all[n].die;
            const char *at = lookup_import_space(v, &all[n]);
            if (at && strcmp(at, space) == 0)
                other = lookup_declared(v, v->view.module, &die, first);
        }
        if (!*space)
            break;
    }
    return other ? lookup_joined(v, other, end + 2) : name;
}

/* Finds a static member that is a constant: npos of std::string, whose class also has other
 * names. */
static bool lookup_constant_member(struct type *t, const char *name, struct name_meaning *ret)
{
    Dwarf_Die child;
    Dwarf_Attribute a;
    if (dwarf_child(&t->die, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        const char *own = dwarf_diename(&child);
        if ((tag == DW_TAG_member || tag == DW_TAG_variable) && own && strcmp(own, name) == 0 &&
            dwarf_attr_integrate(&child, DW_AT_const_value, &a)) {
            *ret = (struct name_meaning){.kind = NAME_VARIABLE,
                                         .variable = {.die = child, .module = t->module}};
            return true;
        }
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* Finds a member of a class, or a constant of an enum, if the space is one. */
static bool lookup_in_type(struct evaluation *v, struct spaces *s, struct type *t, const char *name,
                           struct name_meaning *ret)
{
    if (t->kind == TYPE_ENUM && t->has_die && s->kinds >> NAME_ENUMERATOR & 1)
        return lookup_constant(t->module, &t->die, name, ret);
    if (t->kind != TYPE_STRUCT || !t->has_die)
        return false;
    char *whole = type_text(v, t);
    bool found = lookup_in_space(v, s, whole, name, ret) ||
                 (s->kinds >> NAME_VARIABLE & 1 &&
                  (lookup_member(v, name, t, ret) || lookup_constant_member(t, name, ret)));
    free(whole);
    return found;
}

/* NAME_TYPE: returns the type that the first parts of the name mean; NULL: none. */
static struct type *lookup_prefix_type(struct evaluation *v, const struct spaces *s,
                                       const char *prefix)
{
    struct name_meaning m;
    struct spaces types = {.own = s->own, .kinds = 1u << NAME_TYPE};
    if (!strstr(prefix, "::"))
        for (size_t n = 0; n < v->block_count; n++)
            if (lookup_in_block(v, n, prefix, types.kinds, &m))
                return type_plain(v, type_of(v, m.variable.module, &m.variable.die));
    if (!lookup_walk(v, &types, prefix, &m) && !(types.weak.points && lookup_take(&types.weak, &m)))
        return NULL;
    return type_plain(v, type_of(v, m.variable.module, &m.variable.die));
}

/* --- variables of functions ------------------------------------------------------------------- */

/* Finds a variable, type or constant in a block of a function that has no frame; the outermost
 * block first. */
static bool lookup_in_function(struct module *m, Dwarf_Die *block, const char *name, unsigned kinds,
                               unsigned depth, struct name_meaning *ret)
{
    Dwarf_Die child;
    if (depth == LOOKUP_DEEP || dwarf_child(block, &child) != 0)
        return false;
    do {
        int tag = dwarf_tag(&child);
        const char *own = dwarf_diename(&child);
        bool is_variable = tag == DW_TAG_variable || tag == DW_TAG_formal_parameter;
        if (is_variable && kinds >> NAME_VARIABLE & 1 && own && strcmp(own, name) == 0) {
            *ret = (struct name_meaning){
                .kind = NAME_VARIABLE,
                .variable = {.die = child, .module = m, .has_block = true, .block = *block}};
            return true;
        }
        if (tag == DW_TAG_enumeration_type && kinds >> NAME_ENUMERATOR & 1 &&
            lookup_constant(m, &child, name, ret))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    dwarf_child(block, &child);
    do
        if (dwarf_tag(&child) == DW_TAG_lexical_block &&
            lookup_in_function(m, &child, name, kinds, depth + 1, ret))
            return true;
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* True for a variable that does not belong to a frame. */
static bool lookup_is_static(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, DW_AT_external, &a) ||
           dwarf_attr_integrate(die, DW_AT_const_value, &a) ||
           (dwarf_attr_integrate(die, DW_AT_location, &a) && variables_is_fixed(&a));
}

static bool lookup_from_unit(struct evaluation *v, const struct found_variable *unit,
                             const char *text, unsigned kinds, struct name_meaning *ret);

/* `f::x`: x in the nearest call of f, from the selected frame outward; or a static variable of f;
 * or else x as seen from the file of f. */
static bool lookup_of_function(struct evaluation *v, struct spaces *s, const char *function,
                               const char *name, struct name_meaning *ret)
{
    struct list all = LIST(struct name_found);
    bool found = false;
    names_all(v, function, 1u << NAME_FUNCTION, &all);
    const struct name_found *f = all.items;
    for (size_t n = 0; n < all.count && !found; n++) {
        Dwarf_Die die = f[n].entry.die;
        struct name_meaning m;
        if (!lookup_in_function(f[n].module, &die, name, s->kinds, 0, &m))
            continue;
        found = true;
        *ret = m;
        if (m.kind != NAME_VARIABLE || lookup_is_static(&m.variable.die)) {
            ret->variable.has_block = false;
            continue;
        }
        ret->is_of_frame = true;
        ret->has_frame = variables_frame_of(v, &die, f[n].module, &ret->frame);
        found = ret->has_frame; /* another function of that name may have a frame */
    }
    found |= ret->is_of_frame;
    for (size_t n = 0; n < all.count && !found; n++) {
        struct found_variable unit = {.module = f[n].module};
        Dwarf_Die die = f[n].entry.die;
        found = !f[n].entry.is_declaration && dwarf_diecu(&die, &unit.die, NULL, NULL) &&
                lookup_from_unit(v, &unit, name, s->kinds, ret);
    }
    list_deinit(&all);
    return found;
}

/* --- names ------------------------------------------------------------------------------------ */

static bool lookup_bare(struct evaluation *v, struct spaces *s, const char *name,
                        struct name_meaning *ret)
{
    for (size_t n = 0; n < v->block_count; n++)
        if (lookup_in_block(v, n, name, s->kinds, ret))
            return true;
    return (s->kinds >> NAME_VARIABLE & 1 && lookup_member(v, name, NULL, ret)) ||
           lookup_walk(v, s, name, ret);
}

static bool lookup_qualified(struct evaluation *v, struct spaces *s, const char *text,
                             struct name_meaning *ret)
{
    const char *whole = lookup_unaliased(v, s, text), *name = names_last_part(whole);
    const char *prefix = lookup_prefix(v, whole);
    struct type *t = lookup_prefix_type(v, s, prefix);
    if ((t && lookup_in_type(v, s, t, name, ret)) || lookup_walk(v, s, whole, ret))
        return true;
    for (const char *space = s->own;; space = lookup_prefix(v, space)) {
        const char *inner = lookup_joined(v, space, prefix);
        if (lookup_by_imports(v, s, inner, name, false, ret) ||
            lookup_of_function(v, s, inner, name, ret))
            return true;
        if (!*space)
            return false;
    }
}

/* A type of the function or its file hides a variable that is further away; a type of another file
 * does not. */
bool lookup_value(struct evaluation *v, const char *text, struct name_meaning *ret)
{
    if (!lookup_name(v, text, NAME_VALUES | 1u << NAME_TYPE | NAME_NO_TAGS, ret))
        return false;
    return ret->kind != NAME_TYPE || !ret->global.module || names_is_own(&ret->global) ||
           lookup_name(v, text, NAME_VALUES, ret) ||
           lookup_name(v, text, 1u << NAME_TYPE | NAME_NO_TAGS, ret);
}

bool lookup_name(struct evaluation *v, const char *text, unsigned kinds, struct name_meaning *ret)
{
    struct name_found found;
    const char *space = variables_space(v);
    struct spaces s = {.own = space ? space : "", .kinds = kinds};
    *ret = (struct name_meaning){0};
    if (v->language == LANGUAGE_RUST || v->language == LANGUAGE_FORTRAN) {
        for (size_t n = 0; n < v->block_count; n++)
            if (lookup_in_block(v, n, text, kinds, ret))
                return true;
        if (kinds >> NAME_VARIABLE & 1 && fortran_find(v, text, &ret->variable)) {
            ret->kind = NAME_VARIABLE;
            return true;
        }
        text = v->language == LANGUAGE_RUST ? rust_resolved(v, text) : text;
    } else if (strncmp(text, "::", 2) == 0) {
        s.own = "";
        if (strstr(text + 2, "::") ? lookup_qualified(v, &s, text + 2, ret)
                                   : lookup_in_space(v, &s, "", text + 2, ret)) {
            lookup_note(v, text + 2, ret);
            return true;
        }
    } else if (strstr(text, "::") ? lookup_qualified(v, &s, text, ret)
                                  : lookup_bare(v, &s, text, ret)) {
        lookup_note(v, text, ret);
        return true;
    }
    if (s.weak.points)
        lookup_take(&s.weak, ret);
    else if (names_find(v, text, space, kinds, &found))
        lookup_take(&found, ret);
    else
        return false;
    lookup_note(v, text, ret);
    return true;
}

/* --- files ------------------------------------------------------------------------------------ */

static bool lookup_ends_with_path(const char *path, const char *end)
{
    size_t all = strlen(path), length = strlen(end);
    return all >= length && strcmp(path + all - length, end) == 0 &&
           (all == length || end[0] == '/' || path[all - length - 1] == '/');
}

struct file_search {
    struct list units; /* struct found_variable: its DIE is the unit's */
    struct module *module;
    const char *file;
};

static bool lookup_see_unit(void *context, Dwarf_Die *unit)
{
    struct file_search *f = context;
    const char *path = dwarf_diename(unit);
    if (path && lookup_ends_with_path(path, f->file))
        *(struct found_variable *)list_add(&f->units) =
            (struct found_variable){.die = *unit, .module = f->module};
    return true;
}

/* Looks up a name as code outside of functions in the unit would. */
static bool lookup_from_unit(struct evaluation *v, const struct found_variable *unit,
                             const char *text, unsigned kinds, struct name_meaning *ret)
{
    struct evaluation own = *v;
    struct spaces s = {.own = "", .kinds = kinds};
    v->unit = unit->die;
    v->has_unit = true;
    v->block_count = 0;
    v->view.module = unit->module;
    *ret = (struct name_meaning){0};
    bool found =
        strstr(text, "::") ? lookup_qualified(v, &s, text, ret) : lookup_walk(v, &s, text, ret);
    v->unit = own.unit;
    v->has_unit = own.has_unit;
    v->block_count = own.block_count;
    v->view.module = own.view.module;
    return found;
}

/* Definitions of a header are in the units that include it. */
static bool lookup_in_header(struct evaluation *v, const char *file, const char *text,
                             unsigned kinds, struct name_meaning *ret)
{
    struct list all = LIST(struct name_found);
    bool found = false;
    names_all(v, text, kinds, &all);
    const struct name_found *f = all.items;
    for (size_t n = 0; n < all.count && !found; n++) {
        Dwarf_Die die = f[n].entry.die;
        const char *path = dwarf_decl_file(&die);
        found = path && lookup_ends_with_path(path, file) && lookup_take(&f[n], ret);
    }
    list_deinit(&all);
    return found;
}

/* If several files have the name, one with its own symbol is taken. */
bool lookup_in_file(struct evaluation *v, const char *file, const char *text, unsigned kinds,
                    struct name_meaning *ret)
{
    struct file_search f = {.units = LIST(struct found_variable), .file = file};
    struct name_meaning m;
    size_t count;
    bool found = false, own = false;
    struct module **modules = modules_linked(v->symbols, &count);
    for (size_t n = 0; n < count; n++) {
        f.module = modules[n];
        module_each_unit(modules[n], lookup_see_unit, &f);
    }
    const struct found_variable *units = f.units.items;
    for (size_t n = 0; n < f.units.count && !own; n++) {
        Dwarf_Die unit;
        if (!lookup_from_unit(v, &units[n], text, kinds, &m))
            continue;
        own = dwarf_diecu(&m.variable.die, &unit, NULL, NULL) && unit.addr == units[n].die.addr;
        if (!own && m.kind != NAME_VARIABLE && m.kind != NAME_FUNCTION)
            continue; /* constants and types of other files do not belong to this one */
        if (own || !found)
            *ret = m;
        found = true;
    }
    bool has_units = f.units.count;
    list_deinit(&f.units);
    return found || (!has_units && (lookup_in_header(v, file, text, kinds, ret) ||
                                    lookup_name(v, lookup_joined(v, file, text), kinds, ret)));
}
