/* Fortran names: of procedures, and of the variables that a procedure can use besides its own.
 *
 * For the linker a module procedure is __module_MOD_procedure, other procedures end with _, the
 * main program is MAIN__, and a contained procedure has a number. Debug information has the names
 * of the source, in lower case.
 *
 * A procedure sees the variables of COMMON blocks and modules that it names, those of the module
 * that it is in, and those of the procedure that contains it, whose frame is further out.
 */
#include <ctype.h>
#include <dwarf.h>

#include "symbols/fortran_internal.h"

enum { CONTAINED_DEEP = 8, USED_DEEP = 8 };

/* --- procedures ------------------------------------------------------------------------------- */

struct name_functions {
    struct module *module;
    unsigned depth;
};

static void name_one(struct module *m, u64 entry, const char *name)
{
    size_t count, low = 0, high;
    struct function_symbol *f = module_functions(m, &count);
    for (high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (f[middle].start < entry)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && f[low].start == entry; low++)
        if (!f[low].name) {
            f[low].name = xformat("%s", name);
            f[low].is_fortran = true;
        }
}

static void name_children(struct name_functions *w, Dwarf_Die *die, const char *space)
{
    Dwarf_Die child;
    Dwarf_Addr entry;
    if (w->depth == CONTAINED_DEEP || dwarf_child(die, &child) != 0)
        return;
    w->depth++;
    do {
        unsigned tag = (unsigned)dwarf_tag(&child);
        const char *own = dwarf_diename(&child);
        if ((tag != DW_TAG_subprogram && tag != DW_TAG_module) || !own)
            continue;
        char *name = xformat("%s%s%s", space, *space ? "::" : "", own);
        if (tag == DW_TAG_subprogram && die_entry(&child, &entry) && entry)
            name_one(w->module, entry + w->module->dwarf_bias, name);
        name_children(w, &child, name);
        free(name);
    } while (dwarf_siblingof(&child, &child) == 0);
    w->depth--;
}

static bool name_unit(void *context, Dwarf_Die *unit)
{
    if (language_of_unit(unit) == LANGUAGE_FORTRAN)
        name_children(context, unit, "");
    return true;
}

/* Debug information is read only if a symbol looks like Fortran. */
static bool looks_like_fortran(const char *raw)
{
    size_t length = strlen(raw);
    return strcmp(raw, "MAIN__") == 0 || (strncmp(raw, "__", 2) == 0 && strstr(raw, "_MOD_")) ||
           (length > 1 && raw[0] != '_' && raw[length - 1] == '_');
}

void fortran_name_functions(struct module *m)
{
    size_t count;
    struct function_symbol *f = module_functions(m, &count);
    struct name_functions w = {.module = m};
    for (size_t n = 0; n < count; n++)
        if (looks_like_fortran(f[n].raw)) {
            module_each_unit(m, name_unit, &w);
            return;
        }
}

/* Finds the scopes around a function, from the inside. An inlined function is where its abstract
 * form is. */
static int scopes_around(Dwarf_Die *function, Dwarf_Die **ret)
{
    Dwarf_Attribute a;
    Dwarf_Die die = *function, origin;
    if (dwarf_attr(&die, DW_AT_abstract_origin, &a) && dwarf_formref_die(&a, &origin))
        die = origin;
    *ret = NULL;
    return dwarf_getscopes_die(&die, ret);
}

char *fortran_qualified(Dwarf_Die *die)
{
    Dwarf_Die *scopes;
    if (language_of_die(die) != LANGUAGE_FORTRAN)
        return NULL;
    int count = scopes_around(die, &scopes);
    char *name = NULL;
    for (int n = 0; n < count; n++) {
        unsigned tag = (unsigned)dwarf_tag(&scopes[n]);
        const char *own = dwarf_diename(&scopes[n]);
        if ((tag != DW_TAG_subprogram && tag != DW_TAG_module) || !own)
            continue;
        char *longer = name ? xformat("%s::%s", own, name) : xformat("%s", own);
        free(name);
        name = longer;
    }
    if (count > 0)
        free(scopes);
    return name;
}

bool fortran_name_fits(const char *name, const char *wanted)
{
    size_t all = strlen(name), length = strlen(wanted);
    return all >= length && strcasecmp(name + all - length, wanted) == 0 &&
           (all == length || (all - length >= 2 && strncmp(name + all - length - 2, "::", 2) == 0));
}

const char *fortran_lower(struct evaluation *v, const char *name)
{
    char *copy = values_copy(v, name, strlen(name));
    for (char *c = copy; *c; c++)
        *c = (char)tolower((u8)*c);
    return copy;
}

/* --- what is used ----------------------------------------------------------------------------- */

struct fortran_search {
    struct evaluation *v;
    struct module *module;
    const char *name;
    struct found_variable *ret;
    unsigned depth;
};

static bool is_named(Dwarf_Die *die, const char *name)
{
    const char *own = dwarf_diename(die);
    unsigned tag = (unsigned)dwarf_tag(die);
    return own && strcasecmp(own, name) == 0 &&
           (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter || tag == DW_TAG_constant);
}

static bool search_found(struct fortran_search *s, Dwarf_Die *die)
{
    *s->ret = (struct found_variable){.die = *die, .module = s->module};
    return true;
}

/* Finds the definition if a unit only declares a variable of a module. */
static bool search_qualified(struct fortran_search *s, const char *space, const char *name)
{
    struct name_found found;
    char *full = xformat("%s::%s", space, name);
    bool good = names_find(s->v, full, NULL, 1u << NAME_VARIABLE, &found) &&
                !found.entry.is_declaration;
    free(full);
    if (good)
        *s->ret = (struct found_variable){.die = found.entry.die, .module = found.module};
    return good;
}

static bool is_declared_only(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    return dwarf_attr(die, DW_AT_declaration, &a) && !dwarf_attr(die, DW_AT_location, &a);
}

static bool search_uses(struct fortran_search *s, Dwarf_Die *scope);

static bool search_module(struct fortran_search *s, Dwarf_Die *module)
{
    Dwarf_Die child;
    const char *space = dwarf_diename(module);
    if (s->depth++ == USED_DEEP)
        return false;
    if (dwarf_child(module, &child) == 0)
        do
            if (is_named(&child, s->name) && !is_declared_only(&child))
                return search_found(s, &child);
        while (dwarf_siblingof(&child, &child) == 0);
    bool found = (space && search_qualified(s, space, s->name)) || search_uses(s, module);
    s->depth--;
    return found;
}

/* use m, only: local => name */
static bool search_declaration(struct fortran_search *s, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die target, *scopes = NULL;
    if (!dwarf_attr(die, DW_AT_import, &a) || !dwarf_formref_die(&a, &target))
        return false;
    const char *local = dwarf_diename(die), *own = dwarf_diename(&target);
    if (!own || strcasecmp(local ? local : own, s->name) != 0 || !is_named(&target, own))
        return false;
    if (!is_declared_only(&target))
        return search_found(s, &target);
    int count = dwarf_getscopes_die(&target, &scopes);
    const char *space = count > 1 ? dwarf_diename(&scopes[1]) : NULL;
    bool found = space && search_qualified(s, space, own);
    free(scopes);
    return found;
}

static bool search_import(struct fortran_search *s, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die target, child;
    if (dwarf_child(die, &child) == 0)
        do
            if (dwarf_tag(&child) == DW_TAG_imported_declaration && search_declaration(s, &child))
                return true;
        while (dwarf_siblingof(&child, &child) == 0);
    return dwarf_attr(die, DW_AT_import, &a) && dwarf_formref_die(&a, &target) &&
           dwarf_tag(&target) == DW_TAG_module && search_module(s, &target);
}

static bool search_common(struct fortran_search *s, Dwarf_Die *block)
{
    Dwarf_Die child;
    if (dwarf_child(block, &child) != 0)
        return false;
    do
        if (is_named(&child, s->name))
            return search_found(s, &child);
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

static bool search_uses(struct fortran_search *s, Dwarf_Die *scope)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do {
        unsigned tag = (unsigned)dwarf_tag(&child);
        if ((tag == DW_TAG_common_block && search_common(s, &child)) ||
            (tag == DW_TAG_imported_declaration && search_declaration(s, &child)) ||
            (tag == DW_TAG_imported_module && search_import(s, &child)))
            return true;
    } while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

/* --- the procedure around --------------------------------------------------------------------- */

static bool search_own(struct fortran_search *s, Dwarf_Die *scope)
{
    Dwarf_Die child;
    if (dwarf_child(scope, &child) != 0)
        return false;
    do
        if (is_named(&child, s->name))
            return search_found(s, &child);
    while (dwarf_siblingof(&child, &child) == 0);
    return false;
}

bool fortran_find(struct evaluation *v, const char *name, struct found_variable *ret)
{
    struct fortran_search s = {.v = v, .module = v->view.module, .name = name, .ret = ret};
    Dwarf_Die *scopes;
    bool found = false;
    if (v->language != LANGUAGE_FORTRAN || !v->block_count)
        return false;
    for (size_t n = 0; n < v->block_count && !found; n++)
        found = search_uses(&s, &v->blocks[n]);
    int count = found ? 0 : scopes_around(&v->blocks[v->block_count - 1], &scopes);
    unsigned outer = 0;
    for (int n = 1; n < count && !found; n++) {
        unsigned tag = (unsigned)dwarf_tag(&scopes[n]);
        if (tag == DW_TAG_module)
            found = search_module(&s, &scopes[n]);
        if (tag != DW_TAG_subprogram)
            continue;
        outer++;
        if (search_own(&s, &scopes[n])) {
            ret->has_frame = found = true;
            ret->frame = variables_outer_frame(v, outer, &scopes[n], &ret->die);
        } else {
            found = search_uses(&s, &scopes[n]);
        }
    }
    if (count > 0)
        free(scopes);
    return found;
}
