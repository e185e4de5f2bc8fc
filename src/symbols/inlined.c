/* Finds inlined functions by name: where each instance begins.
 *
 * The symbol table does not have them. Debug information has an abstract form of each, with the
 * name, and instances inside of other functions that refer to it. So the name is looked up first.
 * The functions of the module are searched only if an abstract form exists.
 */
#include <dwarf.h>

#include "symbols/fortran_internal.h"

enum { DEPTH_MOST = 4096 }; /* Rust has a block for each `let` */

struct wanted {
    struct module *module;
    const char *name;
    struct list forms; /* void *: addresses of DIEs that are abstract forms */
    struct list *ret;  /* struct inlined_entry */
};

static bool has_name(Dwarf_Die *die, const char *wanted)
{
    const char *raw = variables_link_name(die);
    struct function_symbol symbol = {.raw = raw};
    char *fortran = raw ? fortran_qualified(die) : NULL;
    if (!raw)
        return false;
    if (fortran) {
        bool same = fortran_name_fits(fortran, wanted);
        free(fortran);
        return same;
    }
    bool fits = function_is_named(&symbol, wanted);
    free(symbol.name);
    return fits;
}

/* With link-time optimization the unit of the source only declares the function; the rest is in
 * another unit. */
static bool is_form(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Word inlined;
    if (dwarf_formudata(dwarf_attr(die, DW_AT_inline, &a), &inlined) == 0)
        return inlined == DW_INL_inlined || inlined == DW_INL_declared_inlined;
    return !dwarf_hasattr(die, DW_AT_declaration) && !dwarf_hasattr(die, DW_AT_low_pc) &&
           !dwarf_hasattr(die, DW_AT_ranges) && !dwarf_hasattr(die, DW_AT_abstract_origin);
}

static bool add_form(void *context, const struct name_entry *e)
{
    struct wanted *w = context;
    Dwarf_Die die = e->die;
    if (e->kind == NAME_FUNCTION && is_form(&die) && has_name(&die, w->name))
        *(void **)list_add(&w->forms) = die.addr;
    return true;
}

static bool inlined_is_instance(struct wanted *w, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die form;
    void **forms = w->forms.items;
    if (!dwarf_attr(die, DW_AT_abstract_origin, &a) || !dwarf_formref_die(&a, &form))
        return false;
    for (size_t n = 0; n < w->forms.count; n++)
        if (forms[n] == form.addr)
            return true;
    return false;
}

u32 module_inlined_at(struct module *m, u64 pc, const Dwarf_Die *outermost)
{
    Dwarf_Die *chain = NULL;
    u32 inside = 0;
    for (size_t n = module_chain(m, pc, &chain); n-- > 0;) {
        int tag = dwarf_tag(&chain[n]);
        if (tag == DW_TAG_subprogram || (outermost && chain[n].addr == outermost->addr))
            break;
        inside += tag == DW_TAG_inlined_subroutine;
    }
    free(chain);
    return inside;
}

/* Adds the entry of an instance. An instance that was optimized away has no code. */
static void inlined_add_entry(struct wanted *w, Dwarf_Die *die)
{
    Dwarf_Addr entry, base, start, end;
    ptrdiff_t next = 0;
    do /* g++ writes empty ranges, even as the first of several */
        next = dwarf_ranges(die, next, &base, &start, &end);
    while (next > 0 && start >= end);
    if (next <= 0)
        return;
    if (!die_entry(die, &entry) || dwarf_haspc(die, entry) != 1)
        entry = start;
    u64 pc = entry + w->module->dwarf_bias;
    *(struct inlined_entry *)list_add(w->ret) =
        (struct inlined_entry){pc, module_inlined_at(w->module, pc, die)};
}

static void inlined_walk(struct wanted *w, Dwarf_Die *die, unsigned depth)
{
    Dwarf_Die child;
    if (depth > DEPTH_MOST || dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine && inlined_is_instance(w, &child))
            inlined_add_entry(w, &child);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram ||
            tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block ||
            tag == DW_TAG_namespace)
            inlined_walk(w, &child, depth + 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool inlined_walk_unit(void *context, Dwarf_Die *unit)
{
    inlined_walk(context, unit, 0);
    return true;
}

void module_inlined(struct module *m, const char *name, struct list *ret)
{
    struct wanted w = {.module = m, .name = name, .forms = LIST(void *), .ret = ret};
    names_each(m, add_form, &w);
    if (w.forms.count)
        module_each_unit(m, inlined_walk_unit, &w);
    list_deinit(&w.forms);
}
