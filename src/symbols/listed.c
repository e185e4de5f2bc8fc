/* Lists of functions, variables and types by file, for `info functions`, `info variables` and `info
 * types`.
 *
 * Debug information gives declarations with their lines. Symbols without debug information follow
 * with their addresses.
 */
#include <dwarf.h>
#include <gelf.h>
#include <regex.h>

#include "symbols/values_internal.h"

struct listing {
    struct evaluation *v;
    struct module *module;
    enum listed_kind kind;
    const regex_t *wanted; /* NULL: all */
    struct list *rows;     /* struct listed_name */
};

static bool listed_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    bool flag = false;
    return dwarf_attr_integrate(die, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

static bool listed_has(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, name, &a);
}

static bool is_wanted(const struct listing *l, const char *name)
{
    return !l->wanted || regexec(l->wanted, name, 0, NULL, 0) == 0;
}

/* True if it has a place in the program. Declarations and optimized-out variables have none. */
static bool is_defined(Dwarf_Die *die, enum listed_kind kind)
{
    if (kind == LISTED_FUNCTIONS)
        return !listed_flag(die, DW_AT_declaration) &&
               (listed_has(die, DW_AT_low_pc) || listed_has(die, DW_AT_ranges));
    if (kind == LISTED_VARIABLES)
        return listed_has(die, DW_AT_location) || listed_has(die, DW_AT_const_value);
    return !listed_flag(die, DW_AT_declaration);
}

/* "int look(int, double)"; the caller frees it. */
static char *function_text(struct listing *l, Dwarf_Die *die, const char *name)
{
    char *list = type_parameters(l->v, l->module, die);
    char *inner = xformat("%s(%s)", name, list);
    char *text = type_declaration(l->v, type_attribute(l->v, l->module, die), inner);
    free(inner);
    free(list);
    return text;
}

static char *type_entry_text(struct listing *l, Dwarf_Die *die, const char *name)
{
    struct type *t = type_of(l->v, l->module, die);
    if (dwarf_tag(die) != DW_TAG_typedef)
        return type_text(l->v, t);
    char *target = type_text(l->v, type_target(l->v, t));
    char *text = xformat("typedef %s %s", target, name);
    free(target);
    return text;
}

static char *declaration_text(struct listing *l, Dwarf_Die *die, const char *name)
{
    if (l->kind == LISTED_TYPES)
        return type_entry_text(l, die, name);
    char *text = l->kind == LISTED_FUNCTIONS
        ? function_text(l, die, name)
        : type_declaration(l->v, type_attribute(l->v, l->module, die), name);
    bool own = !listed_flag(die, DW_AT_external);
    char *whole = xformat("%s%s", own ? "static " : "", text);
    free(text);
    return whole;
}

static bool list_entry(void *context, const struct name_entry *e)
{
    static const u8 kinds[] = {NAME_FUNCTION, NAME_VARIABLE, NAME_TYPE};
    struct listing *l = context;
    Dwarf_Die die = e->die, unit;
    Dwarf_Attribute a;
    Dwarf_Word line = 0;
    if (e->kind != kinds[l->kind] || !*e->name || !is_defined(&die, l->kind))
        return true;
    bool is_base = dwarf_tag(&die) == DW_TAG_base_type;
    char *name =
        is_base ? type_text(l->v, type_of(l->v, l->module, &die)) : names_qualified(l->module, e);
    if (is_wanted(l, name)) {
        const char *file = is_base ? NULL : dwarf_decl_file(&die);
        dwarf_formudata(dwarf_attr_integrate(&die, DW_AT_decl_line, &a), &line);
        if (!file && !is_base && dwarf_diecu(&die, &unit, NULL, NULL))
            file = dwarf_diename(&unit);
        char *text = declaration_text(l, &die, name);
        *(struct listed_name *)list_add(l->rows) = (struct listed_name){
            .file = file, .line = is_base ? 0 : (unsigned)line,
            .name = values_copy(l->v, name, strlen(name)),
            .text = values_copy(l->v, text, strlen(text)),
        };
        free(text);
    }
    free(name);
    return true;
}

/* --- symbols without debug information -------------------------------------------------------- */

static void list_symbol(struct listing *l, u64 address, const char *raw)
{
    bool is_rust;
    char *plain = demangle(raw, &is_rust);
    const char *name = plain ? plain : raw;
    if (is_wanted(l, name))
        *(struct listed_name *)list_add(l->rows) = (struct listed_name){
            .address = address, .is_symbol = true, .name = values_copy(l->v, name, strlen(name))};
    free(plain);
}

static bool has_variable(struct listing *l, const char *raw)
{
    struct name_found found;
    return names_find(l->v, raw, NULL, 1u << NAME_VARIABLE, &found) && found.module == l->module;
}

static void list_symbols(struct listing *l)
{
    Dwarf_Die unit;
    if (l->kind == LISTED_FUNCTIONS) {
        size_t count;
        const struct function_symbol *f = module_functions(l->module, &count);
        for (size_t n = 0; n < count; n++)
            if (!module_unit(l->module, f[n].start, &unit))
                list_symbol(l, f[n].start, f[n].raw);
        return;
    }
    size_t count;
    const struct data_symbol *d = names_data(l->module, &count);
    for (size_t n = 0; n < count; n++)
        if (!has_variable(l, d[n].raw))
            list_symbol(l, d[n].start, d[n].raw);
}

/* --- all -------------------------------------------------------------------------------------- */

/* Sorts declarations by file, then those without a file, then symbols by address. */
static int by_file(const void *a, const void *b)
{
    const struct listed_name *x = a, *y = b;
    if (x->is_symbol != y->is_symbol)
        return x->is_symbol - y->is_symbol;
    if (x->is_symbol && x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->is_symbol && !x->file != !y->file)
        return !x->file - !y->file;
    int order = x->file && y->file ? strcmp(x->file, y->file) : 0;
    if (!order)
        order = strcmp(x->name, y->name);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static bool same_row(const struct listed_name *a, const struct listed_name *b)
{
    return a->is_symbol == b->is_symbol && a->line == b->line && a->address == b->address &&
           !a->file == !b->file && (!a->file || strcmp(a->file, b->file) == 0) &&
           strcmp(a->name, b->name) == 0 && (a->is_symbol || strcmp(a->text, b->text) == 0);
}

struct error *values_listed(struct evaluation *v, enum listed_kind kind, const char *wanted,
                            struct listed_name **ret, size_t *ret_count)
{
    regex_t compiled;
    struct list rows = LIST(struct listed_name);
    struct module **modules = v->symbols->modules.items;
    int wrong = *wanted ? regcomp(&compiled, wanted, REG_NOSUB) : 0;
    if (wrong) {
        char why[100];
        regerror(wrong, &compiled, why, sizeof why);
        return error_new("'%s' is not a regular expression: %s", wanted, why);
    }
    for (size_t n = 0; n < v->symbols->modules.count; n++) {
        struct listing l = {.v = v, .module = modules[n], .kind = kind, .rows = &rows,
                            .wanted = *wanted ? &compiled : NULL};
        if (module_load_dwarf(modules[n]))
            names_each(modules[n], list_entry, &l);
        if (kind != LISTED_TYPES)
            list_symbols(&l);
    }
    if (*wanted)
        regfree(&compiled);
    struct listed_name *all = rows.items;
    if (rows.count)
        qsort(all, rows.count, sizeof *all, by_file);
    size_t kept = 0;
    for (size_t n = 0; n < rows.count; n++) /* a header is included by many units */
        if (!kept || !same_row(&all[kept - 1], &all[n]))
            all[kept++] = all[n];
    *(void **)list_add(&v->memory) = rows.items;
    *ret = all;
    *ret_count = kept;
    return NULL;
}
