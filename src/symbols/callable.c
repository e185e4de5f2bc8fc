/* Functions that an expression can call, by name, as a member of a class or through a pointer;
 * their parameters and results.
 *
 * Debug information has a function's declaration in its class or name space. The definition is
 * elsewhere, perhaps in another module. The code is found by the definition or, without one, by the
 * linker's name.
 */
#include <dwarf.h>
#include <gelf.h>

#include "symbols/values_internal.h"

/* --- of a DIE ------------------------------------------------------------------------------- */

static bool callable_has(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, name, &a);
}

static u64 callable_code(struct evaluation *v, struct module *m, Dwarf_Die *die)
{
    Dwarf_Addr entry;
    Dwarf_Attribute a;
    bool is_code;
    u64 address;
    if (dwarf_entrypc(die, &entry) == 0)
        return entry + m->dwarf_bias;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &a));
    if (!name)
        name = dwarf_diename(die);
    return name && names_find_symbol(v->symbols, name, &is_code, &address) && is_code ? address : 0;
}

static void callable_add_parameters(struct evaluation *v, struct callable *c)
{
    struct list l = LIST(struct type *);
    Dwarf_Die child, die = c->die;
    if (dwarf_child(&die, &child) == 0)
        do {
            if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
                c->is_variadic = true;
            if (dwarf_tag(&child) != DW_TAG_formal_parameter)
                continue;
            struct type *t = type_attribute(v, c->module, &child);
            struct type *plain = type_plain(v, t);
            bool is_object = !l.count && !c->class && callable_has(&child, DW_AT_artificial) &&
                             plain->kind == TYPE_POINTER;
            if (is_object)
                c->class = type_plain(v, type_target(v, plain));
            else
                *(struct type **)list_add(&l) = t;
        } while (dwarf_siblingof(&child, &child) == 0);
    *(void **)list_add(&v->memory) = l.items;
    c->parameters = l.items;
    c->parameter_count = l.count;
}

static void callable_find_slot(struct callable *c)
{
    Dwarf_Attribute a;
    Dwarf_Op *ops;
    size_t count;
    Dwarf_Die die = c->die;
    Dwarf_Word slot, virtuality;
    if (dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_virtuality, &a), &virtuality) ||
        !virtuality ||
        !dwarf_attr_integrate(&die, DW_AT_vtable_elem_location, &a))
        return;
    if (dwarf_getlocation(&a, &ops, &count) == 0 && count == 1 &&
        (ops[0].atom == DW_OP_constu || (ops[0].atom >= DW_OP_lit0 &&
                                         ops[0].atom <= DW_OP_lit31))) {
        c->is_virtual = true;
        c->slot = ops[0].atom == DW_OP_constu ? ops[0].number
            : (Dwarf_Word)ops[0].atom - DW_OP_lit0;
    } else if (dwarf_formudata(&a, &slot) == 0) {
        c->is_virtual = true;
        c->slot = slot;
    }
}

static bool callable_is_c(Dwarf_Die *die)
{
    Dwarf_Die unit;
    int language = dwarf_diecu(die, &unit, NULL, NULL) ? dwarf_srclang(&unit) : 0;
    return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
           language == DW_LANG_C11;
}

static void callable_describe(struct evaluation *v, struct callable *c)
{
    c->has_die = true;
    c->result = type_attribute(v, c->module, &c->die);
    callable_add_parameters(v, c);
    callable_find_slot(c);
    c->is_unprototyped = !c->parameter_count && callable_is_c(&c->die) && !callable_has(&c->die,
            DW_AT_prototyped);
}

/* --- by name ------------------------------------------------------------------------------- */

struct callable_search {
    struct evaluation *v;
    struct module *module;
    const char *name, *part, *space;
    size_t part_length;
    struct list found; /* struct callable */
};

/* Ranks a match: 3: visible from the name space of the frame, 2: exactly this name, 1: a name
 * somewhere that ends so. */
static unsigned callable_rank(const struct callable_search *s, const char *qualified)
{
    const char *space_name = s->space ? s->space : "";
    size_t all = strlen(qualified), length = strlen(s->name), space = strlen(space_name);
    if (strcmp(qualified, s->name) == 0)
        return 2;
    if (all < length + 2 || strcmp(qualified + all - length, s->name) != 0 ||
        strncmp(qualified + all - length - 2, "::", 2) != 0)
        return 0;
    size_t before = all - length - 2;
    return before <= space && strncmp(space_name, qualified, before) == 0 &&
                   (before == space || strncmp(space_name + before, "::", 2) == 0) ? 3 : 1;
}

static void callable_add(struct callable_search *s, const struct callable *c)
{
    struct callable *all = s->found.items;
    for (size_t n = 0; n < s->found.count; n++)
        if (all[n].address == c->address) {
            if (c->points > all[n].points)
                all[n] = *c;
            return;
        }
    *(struct callable *)list_add(&s->found) = *c;
}

/* True for functions in assembly language, whose parameters are not known. */
static bool callable_is_assembly(Dwarf_Die *die)
{
    Dwarf_Die unit;
    return dwarf_diecu(die, &unit, NULL, NULL) && dwarf_srclang(&unit) == DW_LANG_Mips_Assembler;
}

static bool callable_visit(void *context, const struct name_entry *e)
{
    struct callable_search *s = context;
    struct evaluation *v = s->v;
    if (e->kind != NAME_FUNCTION || strcmp(e->name, s->part) != 0)
        return true;
    char *qualified = names_qualified(s->module, e);
    unsigned rank = callable_rank(s, qualified);
    free(qualified);
    struct callable c = {.name = s->name, .module = s->module, .die = e->die};
    c.address = rank && !callable_is_assembly(&c.die) ? callable_code(v, s->module, &c.die) : 0;
    /* the DIE describes the resolver, not the function */
    if (!c.address || callable_is_indirect(v, c.address))
        return true;
    bool here = v->has_unit && e->unit == v->unit.addr;
    c.points = rank * 8 + (e->is_declaration ? 0 : 4) + (here ? 2
                                                         : 0) + (s->module == v->view.module);
    callable_describe(v, &c);
    if (!c.class || strchr(s->name, ':'))
        callable_add(s, &c);
    return true;
}

/* In C only the nearest function of a name is kept. C++ keeps all, to be chosen by their
 * parameters. */
static void callable_keep_best(struct evaluation *v, struct list *found)
{
    struct callable *all = found->items;
    unsigned best = 0;
    size_t kept = 0;
    for (size_t n = 0; n < found->count; n++)
        best = all[n].points > best ? all[n].points : best;
    for (size_t n = 0; n < found->count; n++)
        if (v->cplusplus ? all[n].points / 8 == best / 8 : all[n].points == best)
            all[kept++] = all[n];
    found->count = kept;
}

void callables_named(struct evaluation *v, const char *name, struct callable **ret,
                     size_t *ret_count)
{
    if (strncmp(name, "::", 2) == 0)
        name += 2;
    struct callable_search s = {.v = v, .name = name, .part = names_last_part(name),
                                .space = variables_space(v), .found = LIST(struct callable)};
    struct module **modules = v->symbols->modules.items;
    for (size_t n = 0; n < v->symbols->modules.count; n++) {
        s.module = modules[n];
        names_each(modules[n], callable_visit, &s);
    }
    callable_keep_best(v, &s.found);
    *(void **)list_add(&v->memory) = s.found.items;
    *ret = s.found.items;
    *ret_count = s.found.count;
}

/* --- of a class ----------------------------------------------------------------------------- */

static void callable_add_methods(struct evaluation *v, struct type *class, const char *name,
                                 struct list *ret)
{
    Dwarf_Die child, die = class->die;
    if (!class->has_die || dwarf_child(&die, &child) != 0)
        return;
    do {
        const char *own = dwarf_tag(&child) == DW_TAG_subprogram ? dwarf_diename(&child) : NULL;
        if (!own || strcmp(own, name) != 0)
            continue;
        struct callable c = {.name = name, .module = class->module, .die = child};
        callable_describe(v, &c);
        if (c.class)
            c.class = class;
        c.address = callable_code(v, class->module, &child);
        *(struct callable *)list_add(ret) = c;
    } while (dwarf_siblingof(&child, &child) == 0);
}

static void callable_search_class(struct evaluation *v, struct type *class, const char *name,
                                  unsigned depth,
                                  struct list *ret)
{
    size_t count;
    const struct member *m = type_members(v, class, &count);
    callable_add_methods(v, class, name, ret);
    for (size_t n = 0; n < count && !ret->count && depth < SHOW_DEPTH; n++)
        if (m[n].is_base)
            callable_search_class(v, type_plain(v, m[n].type), name, depth + 1, ret);
}

void callables_of_class(struct evaluation *v, struct type *class, const char *name,
                        struct callable **ret,
                        size_t *ret_count)
{
    struct list found = LIST(struct callable);
    callable_search_class(v, type_plain(v, class), name, 0, &found);
    *(void **)list_add(&v->memory) = found.items;
    *ret = found.items;
    *ret_count = found.count;
}

/* --- of a value ----------------------------------------------------------------------------- */

/* A function type that was written in an expression has its parameters as members. */
static void callable_of_written(struct evaluation *v, struct type *t, struct callable *c)
{
    const struct member *m = t->members.items;
    c->result = type_target(v, t);
    c->parameters = values_alloc(v, (t->members.count + 1) * sizeof *c->parameters);
    for (size_t n = 0; n < t->members.count; n++)
        c->parameters[n] = m[n].type;
    c->parameter_count = t->members.count;
    c->is_unprototyped = !t->members.count;
    c->is_variadic = t->is_counted;
}

struct error *callable_of_value(struct value *value, struct callable *ret)
{
    struct evaluation *v = value->evaluation;
    struct type *t = type_plain(v, value->type);
    u64 address;
    *ret = (struct callable){.name = "the function"};
    if (t->kind == TYPE_POINTER)
        t = type_plain(v, type_target(v, t));
    if (t->kind != TYPE_FUNCTION)
        return error_new("%s is not a function, so it cannot be called", value_called(value));
    struct error *err = value_pointer(value, &address);
    if (err)
        return err;
    ret->address = address;
    ret->module = t->module;
    ret->die = t->die;
    if (t->has_die)
        callable_describe(v, ret);
    else
        callable_of_written(v, t, ret);
    return NULL;
}

/* --- functions that are found out when they are first called -------------------------------- */

bool callable_is_indirect(struct evaluation *v, u64 address)
{
    struct module *m = module_at(v->symbols, address);
    int count = m ? dwfl_module_getsymtab(m->mod) : 0;
    for (int n = 1; n < count; n++) {
        GElf_Sym symbol;
        GElf_Addr at;
        const char *name = dwfl_module_getsym_info(m->mod, n, &symbol, &at, NULL, NULL, NULL);
        if (name && at == address && GELF_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC)
            return true;
    }
    return false;
}

struct type *callable_type_at(struct evaluation *v, u64 address)
{
    Dwarf_Addr entry;
    Dwarf_Die *chain = NULL;
    struct type *found = NULL;
    struct module *m = module_at(v->symbols, address);
    struct function_symbol *f = m ? module_function(m, address) : NULL;
    if (!f || f->resolver)
        return NULL;
    for (size_t n = module_chain(m, address, &chain); n-- > 0 && !found;)
        if (dwarf_tag(&chain[n]) == DW_TAG_subprogram && !dwarf_entrypc(&chain[n], &entry) &&
            entry + m->dwarf_bias == address && callable_has(&chain[n], DW_AT_prototyped))
            found = type_of(v, m, &chain[n]);
    free(chain);
    return found;
}

bool values_symbol(struct evaluation *v, const char *name, u64 *ret_address)
{
    bool is_code;
    return names_find_symbol(v->symbols, name, &is_code, ret_address) && is_code;
}
