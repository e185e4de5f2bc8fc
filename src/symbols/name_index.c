/* Names of the debug information: variables, functions, types and constants outside of functions.
 *
 * The outer DIEs of a module are walked once, the first time that a name is looked up there, to
 * make a hash table. An entry knows the name space or class that contains it. For a definition
 * outside of its class, the linkage name tells.
 *
 * Of several entries that have the name, scope decides as it does for gdb: first the file of the
 * frame, then names visible to all files (the executable before its libraries, in the order of the
 * linker), then names private to other files. lookup.c has the rest of a name's scopes.
 */
#include <dwarf.h>
#include <gelf.h>

#include "symbols/values_internal.h"

enum { NO_ENTRY = ~0u, SPACES_DEEP = 16 };

/* Hashes a name without blanks, since templates are written with and without them. */
static u32 name_index_hash_of(const char *name)
{
    u32 hash = 2166136261u;
    for (; *name; name++)
        if (*name != ' ')
            hash = (hash ^ (u8)*name) * 16777619u;
    return hash;
}

/* Returns a template's name without blanks and default arguments. Takes ownership of `name`. */
static char *shortest(char *name)
{
    char *text = type_short_name(name), *to = text;
    free(name);
    for (const char *at = text; *at; at++)
        if (*at != ' ')
            *to++ = *at;
    *to = 0;
    return text;
}

/* --- the walk --------------------------------------------------------------------------------- */

struct name_walk {
    struct name_index *index;
    const void *unit;
    bool cplusplus, fortran;
    unsigned depth;
};

static bool has_flag(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute a;
    return dwarf_attr(die, name, &a) != NULL;
}

static const char *name_index_keep(struct evaluation *v, char *text)
{
    *(void **)list_add(&v->memory) = text;
    return text;
}

enum name_tag names_tag(Dwarf_Die *die, bool cplusplus)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type: return cplusplus ? TAG_TYPE : TAG_APART;
    default: return TAG_NONE;
    }
}

bool names_tag_fits(enum name_tag tag, unsigned kinds)
{
    return !(kinds & NAME_NO_TAGS && tag == TAG_APART) &&
           !(kinds & NAME_ONLY_TAGS && tag == TAG_NONE);
}

/* True if other files may refer to it. In C each file has its own types and constants. */
static bool name_index_is_external(struct name_walk *w, Dwarf_Die *die, enum name_kind kind)
{
    Dwarf_Attribute a;
    if (kind == NAME_VARIABLE || kind == NAME_FUNCTION)
        return dwarf_attr_integrate(die, DW_AT_external, &a);
    return w->cplusplus;
}

static u32 name_index_add_entry(struct name_walk *w, Dwarf_Die *die, enum name_kind kind,
                                u32 parent)
{
    const char *name = dwarf_diename(die);
    if (!name && kind != NAME_SPACE && dwarf_tag(die) != DW_TAG_enumeration_type)
        return NO_ENTRY;
    *(struct name_entry *)list_add(&w->index->entries) =
        (struct name_entry){.name = name ? name : "",
                            .die = *die,
                            .unit = w->unit,
                            .parent = parent,
                            .next = NO_ENTRY,
                            .kind = (u8)kind,
                            .is_declaration = has_flag(die, DW_AT_declaration),
                            .is_external = name_index_is_external(w, die, kind),
                            .tag = (u8)names_tag(die, w->cplusplus)};
    return (u32)w->index->entries.count - 1;
}

static void name_index_add_import(struct name_walk *w, Dwarf_Die *die, u32 parent)
{
    *(struct name_import *)list_add(&w->index->imports) =
        (struct name_import){.die = *die, .parent = parent, .unit = w->unit};
}

static void name_index_walk_children(struct name_walk *w, Dwarf_Die *die, u32 parent);

static void walk_inside(struct name_walk *w, Dwarf_Die *die, u32 entry)
{
    if (w->depth == SPACES_DEEP)
        return;
    w->depth++;
    name_index_walk_children(w, die, entry);
    w->depth--;
}

/* Walks the functions contained in a Fortran function, and nothing else there. */
static void walk_contained(struct name_walk *w, Dwarf_Die *die, u32 parent)
{
    Dwarf_Die child;
    if (!w->fortran || parent == NO_ENTRY || w->depth == SPACES_DEEP ||
        dwarf_child(die, &child) != 0)
        return;
    w->depth++;
    do
        if (dwarf_tag(&child) == DW_TAG_subprogram && !has_flag(&child, DW_AT_declaration))
            walk_contained(w, &child, name_index_add_entry(w, &child, NAME_FUNCTION, parent));
    while (dwarf_siblingof(&child, &child) == 0);
    w->depth--;
}

static bool is_space(const struct name_walk *w, u32 entry)
{
    const struct name_entry *e = w->index->entries.items;
    return entry != NO_ENTRY && e[entry].kind == NAME_SPACE;
}

static void walk_die(struct name_walk *w, Dwarf_Die *die, u32 parent)
{
    switch (dwarf_tag(die)) {
    case DW_TAG_variable:
        name_index_add_entry(w, die, NAME_VARIABLE, parent);
        break;
    case DW_TAG_member: /* a static member in DWARF 4 */
        if (has_flag(die, DW_AT_external))
            name_index_add_entry(w, die, NAME_VARIABLE, parent);
        break;
    case DW_TAG_subprogram:
        /* methods are found in their class */
        if (w->depth < 2 || !has_flag(die, DW_AT_declaration) || is_space(w, parent))
            walk_contained(w, die, name_index_add_entry(w, die, NAME_FUNCTION, parent));
        break;
    case DW_TAG_base_type:
    case DW_TAG_typedef:
        name_index_add_entry(w, die, NAME_TYPE, parent);
        break;
    case DW_TAG_enumeration_type:
        walk_inside(w, die, name_index_add_entry(w, die, NAME_TYPE, parent));
        break;
    case DW_TAG_enumerator:
        name_index_add_entry(w, die, NAME_ENUMERATOR, parent);
        break;
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type: {
        u32 entry = name_index_add_entry(w, die, NAME_TYPE, parent);
        if (w->cplusplus && entry != NO_ENTRY)
            walk_inside(w, die, entry);
        break;
    }
    case DW_TAG_constant: /* a PARAMETER of Fortran */
        name_index_add_entry(w, die, NAME_VARIABLE, parent);
        break;
    case DW_TAG_module:
    case DW_TAG_namespace:
        walk_inside(w, die, name_index_add_entry(w, die, NAME_SPACE, parent));
        break;
    case DW_TAG_imported_module:
    case DW_TAG_imported_declaration:
        name_index_add_import(w, die, parent);
        break;
    default:
        break;
    }
}

static void name_index_walk_children(struct name_walk *w, Dwarf_Die *die, u32 parent)
{
    Dwarf_Die child;
    if (dwarf_child(die, &child) != 0)
        return;
    do
        walk_die(w, &child, parent);
    while (dwarf_siblingof(&child, &child) == 0);
}

static bool name_index_walk_unit(void *context, Dwarf_Die *unit)
{
    struct name_walk w = {.index = context, .unit = unit->addr};
    int language = dwarf_srclang(unit);
    w.cplusplus = language != DW_LANG_C89 && language != DW_LANG_C && language != DW_LANG_C99 &&
                  language != DW_LANG_C11;
    w.fortran = language_of_unit(unit) == LANGUAGE_FORTRAN;
    name_index_walk_children(&w, unit, NO_ENTRY);
    return true;
}

static void make_heads(struct name_index *x)
{
    struct name_entry *e = x->entries.items;
    x->head_count = 2 * x->entries.count + 1;
    x->heads = xalloc(x->head_count * sizeof *x->heads);
    memset(x->heads, 0xff, x->head_count * sizeof *x->heads);
    for (u32 n = (u32)x->entries.count; n-- > 0;) { /* keeps the first entry first */
        u32 *head = &x->heads[name_index_hash_of(e[n].name) % x->head_count];
        e[n].next = *head;
        *head = n;
    }
}

struct name_index *module_names(struct module *m)
{
    if (!m->names) {
        m->names = xalloc(sizeof *m->names);
        *m->names = (struct name_index){.entries = LIST(struct name_entry),
                                        .imports = LIST(struct name_import),
                                        .data = LIST(struct data_symbol)};
        module_each_unit(m, name_index_walk_unit, m->names);
        make_heads(m->names);
    }
    return m->names;
}

void module_drop_names(struct module *m)
{
    if (!m->names)
        return;
    list_deinit(&m->names->entries);
    list_deinit(&m->names->imports);
    list_deinit(&m->names->data);
    list_deinit(&m->names->go_types);
    free(m->names->heads);
    free(m->names);
}

void names_each(struct module *m, bool (*visit)(void *context, const struct name_entry *e),
                void *context)
{
    struct name_index *x = module_names(m);
    const struct name_entry *e = x->entries.items;
    for (size_t n = 0; n < x->entries.count; n++)
        if (!visit(context, &e[n]))
            return;
}

/* --- qualified names -------------------------------------------------------------------------- */

/* "N::f(int) const" to "N::f". */
static void cut_parameters(char *name)
{
    char *open = strchr(name, '(');
    while (open && strncmp(open, "(anonymous namespace)", 21) == 0)
        open = strchr(open + 1, '(');
    if (open && open > name)
        *open = 0;
}

static char *linkage_name(const struct name_entry *e)
{
    Dwarf_Attribute a;
    Dwarf_Die die = e->die;
    const char *raw = dwarf_formstring(dwarf_attr_integrate(&die, DW_AT_linkage_name, &a));
    bool is_rust;
    char *name = raw ? demangle(raw, &is_rust) : NULL;
    if (name && e->kind == NAME_FUNCTION) {
        char *bare = symbols_bare_name(name); /* for a template it includes the return type */
        free(name);
        name = bare;
        cut_parameters(name);
    }
    char *abi = name ? strstr(name, "[abi:") : NULL;
    if (abi)
        *abi = 0; /* only in the last part: other parts also have it in the DIE */
    return name;
}

bool names_parent(struct module *m, const struct name_entry *e, Dwarf_Die *ret)
{
    const struct name_entry *all = module_names(m)->entries.items;
    if (e->parent == NO_ENTRY)
        return false;
    *ret = all[e->parent].die;
    return true;
}

/* The constants of a plain enum are names of the enclosing space. */
static bool is_see_through(const struct name_entry *e)
{
    Dwarf_Die die = e->die;
    return dwarf_tag(&die) == DW_TAG_enumeration_type && !has_flag(&die, DW_AT_enum_class);
}

/* Returns the declaration of what is defined outside of it: only the declaration is inside of its
 * name space. */
static const struct name_entry *declaration_of(struct module *m, const struct name_entry *e)
{
    struct name_index *x = module_names(m);
    const struct name_entry *all = x->entries.items;
    Dwarf_Attribute a;
    Dwarf_Die die = e->die, declared;
    if (!dwarf_attr(&die, DW_AT_specification, &a) || !dwarf_formref_die(&a, &declared))
        return e;
    for (u32 at = x->heads[name_index_hash_of(e->name) % x->head_count]; at != NO_ENTRY;
         at = all[at].next)
        if (all[at].die.addr == declared.addr)
            return &all[at];
    return e;
}

char *names_qualified(struct module *m, const struct name_entry *e)
{
    const struct name_entry *all = module_names(m)->entries.items;
    Dwarf_Die die = e->die;
    bool apart = (e->parent == NO_ENTRY || dwarf_hasattr(&die, DW_AT_specification)) &&
                 (e->kind == NAME_VARIABLE || e->kind == NAME_FUNCTION);
    char *name = apart ? linkage_name(e) : NULL;
    if (name)
        return name;
    if (apart)
        e = declaration_of(m, e);
    bool is_anonymous = e->kind == NAME_SPACE && !*e->name;
    name = xformat("%s", is_anonymous ? "(anonymous namespace)" : e->name);
    for (u32 at = e->parent, deep = 0; at != NO_ENTRY && deep < SPACES_DEEP;
         at = all[at].parent, deep++) {
        if (is_see_through(&all[at]))
            continue;
        char *longer =
            xformat("%s::%s", *all[at].name ? all[at].name : "(anonymous namespace)", name);
        free(name);
        name = longer;
    }
    return name;
}

char *names_of_die(struct module *m, const char *name, const Dwarf_Die *die)
{
    struct name_index *x = module_names(m);
    const struct name_entry *e = x->entries.items;
    for (u32 at = x->entries.count ? x->heads[name_index_hash_of(name) % x->head_count] : NO_ENTRY;
         at != NO_ENTRY; at = e[at].next)
        if (e[at].die.addr == die->addr)
            return names_qualified(m, &e[at]);
    return NULL;
}

/* --- looking for one -------------------------------------------------------------------------- */

const char *names_last_part(const char *name)
{
    const char *last = name;
    unsigned deep = 0;
    for (const char *at = name; *at; at++) {
        deep += *at == '<';
        deep -= *at == '>' && deep;
        if (at[0] == ':' && at[1] == ':' && !deep)
            last = at + 2;
    }
    return last;
}

struct question {
    const char *name;   /* as it was written; a template's without blanks */
    bool is_template;
    bool is_whole;      /* the name must match as a whole */
    u32 hash;           /* of the last part of the name */
    const char *part;   /* the last part of the name */
    const char *space;
    unsigned kinds;
    const void *unit;
    unsigned best;      /* how well the best match so far fits; 0: none yet */
    bool is_declared;   /* the best match so far is declared in the frame's file */
    struct name_entry entry;
    struct module *found_in;
    struct list *all;   /* struct name_found: all matches; may be NULL */
};

/* The content of an anonymous or inline name space is visible in the enclosing one. */
static bool is_transparent(const struct name_entry *e)
{
    Dwarf_Die die = e->die;
    return e->kind == NAME_SPACE && (!*e->name || has_flag(&die, DW_AT_export_symbols));
}

/* Returns the name without transparent name spaces, which the caller frees; NULL: it has none. */
static char *seen_through(struct module *m, const struct name_entry *e, const char *qualified)
{
    static const char anonymous[] = "(anonymous namespace)::";
    const struct name_entry *all = module_names(m)->entries.items;
    bool any = strstr(qualified, anonymous);
    if (e->parent == NO_ENTRY)
        e = declaration_of(m, e);
    for (u32 at = e->parent; at != NO_ENTRY && !any; at = all[at].parent)
        any = is_transparent(&all[at]);
    if (!any)
        return NULL;
    char *name = xformat("%s", e->parent == NO_ENTRY ? qualified : e->name);
    for (char *at; (at = strstr(name, anonymous));)
        memmove(at, at + sizeof anonymous - 1, strlen(at + sizeof anonymous - 1) + 1);
    for (u32 at = e->parent, deep = 0; at != NO_ENTRY && deep < SPACES_DEEP;
         at = all[at].parent, deep++) {
        if (is_see_through(&all[at]) || is_transparent(&all[at]))
            continue;
        char *longer = xformat("%s::%s", all[at].name, name);
        free(name);
        name = longer;
    }
    return name;
}

/* Returns the length of the name space from which `name` means it. Enclosing spaces are tried from
 * the inside. 0: there is none. */
static size_t seen_from(const char *space, const char *name, const char *qualified)
{
    size_t length = space ? strlen(space) : 0;
    while (length) {
        if (strncmp(space, qualified, length) == 0 && strncmp(qualified + length, "::", 2) == 0 &&
            strcmp(qualified + length + 2, name) == 0)
            return length;
        while (length && strncmp(space + length - 1, "::", 2) != 0)
            length--;
        length = length ? length - 1 : 0;
    }
    return 0;
}

enum { FIT_SOMEWHERE = 1, FIT_WHOLE = 2, FIT_MOST = 1 << 20 };

/* FIT_WHOLE or more: the whole name matches, or it is visible from here; the further in, the
 * better. */
static unsigned fit_of(const struct question *q, const char *qualified)
{
    size_t all = strlen(qualified), length = strlen(q->name);
    size_t inside = q->is_whole ? 0 : seen_from(q->space, q->name, qualified);
    if (inside)
        return FIT_WHOLE + (inside < FIT_MOST ? (unsigned)inside : FIT_MOST);
    if (strcmp(qualified, q->name) == 0)
        return FIT_WHOLE;
    bool is_end = all > length + 2 && strcmp(qualified + all - length, q->name) == 0 &&
                  strncmp(qualified + all - length - 2, "::", 2) == 0;
    return is_end && !q->is_whole ? FIT_SOMEWHERE : 0;
}

enum reach {
    REACH_OTHERS_DECLARATION, REACH_OTHERS, REACH_DECLARED, REACH_DECLARED_HERE, REACH_GLOBAL,
    REACH_OWN,
};

/* Which files may refer to it. A type that is only declared counts as none. */
static enum reach reach_of(const struct question *q, const struct name_entry *e)
{
    bool own = q->unit && e->unit == q->unit,
         is_type = e->kind == NAME_TYPE || e->kind == NAME_SPACE;
    if (e->is_declaration && (is_type || !e->is_external || (!own && e->kind == NAME_FUNCTION)))
        return REACH_OTHERS_DECLARATION;
    if (e->is_declaration)
        return own ? REACH_DECLARED_HERE : REACH_DECLARED;
    return own ? REACH_OWN : e->is_external ? REACH_GLOBAL : REACH_OTHERS;
}

static unsigned rate(const struct question *q, struct module *m, const struct name_entry *e)
{
    char *qualified = names_qualified(m, e), *seen = seen_through(m, e, qualified);
    if (q->is_template) {
        qualified = shortest(qualified);
        seen = seen ? shortest(seen) : NULL;
    }
    unsigned fit = fit_of(q, qualified), through = seen ? fit_of(q, seen) : 0;
    free(qualified);
    free(seen);
    fit = through > fit ? through : fit;
    return fit ? fit << 3 | reach_of(q, e) : 0;
}

static void name_index_look_in(struct question *q, struct module *m)
{
    struct name_index *x = module_names(m);
    const struct name_entry *e = x->entries.items;
    if (!x->entries.count)
        return;
    for (u32 at = x->heads[q->hash % x->head_count]; at != NO_ENTRY; at = e[at].next) {
        if (!(q->kinds >> e[at].kind & 1) ||
            (e[at].kind == NAME_TYPE && !names_tag_fits(e[at].tag, q->kinds)) ||
            (!q->is_template && strcmp(e[at].name, q->part) != 0))
            continue;
        unsigned points = rate(q, m, &e[at]);
        if (points && q->all)
            *(struct name_found *)list_add(q->all) = (struct name_found){m, e[at], points};
        bool declares = (points & 7) == REACH_DECLARED_HERE;
        if (points >> 3 >= q->best >> 3)
            q->is_declared = declares || (q->is_declared && points >> 3 == q->best >> 3);
        if (points > q->best) {
            q->best = points;
            q->entry = e[at];
            q->found_in = m;
        }
    }
}

/* True if no other module can have a better match. */
static bool is_surely_best(const struct question *q)
{
    size_t most = q->space && !q->is_whole ? strlen(q->space) : 0;
    return q->best >> 3 >= FIT_WHOLE + (unsigned)most && (q->best & 7) >= REACH_GLOBAL;
}

static struct question question_of(struct evaluation *v, const char *name, const char *space,
                                   unsigned kinds)
{
    struct question q = {.name = name, .space = space, .kinds = kinds,
                         .unit = v->has_unit ? v->unit.addr : NULL};
    if (strncmp(name, "::", 2) == 0) {
        q.name = name + 2;
        q.space = NULL;
        q.is_whole = true;
    }
    q.is_template = strchr(q.name, '<');
    q.part = names_last_part(q.name);
    q.hash = name_index_hash_of(q.part);
    if (q.is_template)
        q.name = name_index_keep(v, shortest(xformat("%s", q.name)));
    if (q.is_template && q.space)
        q.space = name_index_keep(v, shortest(xformat("%s", q.space)));
    return q;
}

/* The frame's file comes first. A declaration means the definition in its own module, if there is
 * one. */
static bool name_index_ask(struct evaluation *v, struct question *q, struct name_found *ret)
{
    struct question own = *q;
    size_t count;
    struct module **modules = modules_linked(v->symbols, &count);
    if (v->view.module && v->has_unit)
        name_index_look_in(&own, v->view.module);
    bool is_own =
        (own.best & 7) == REACH_OWN || ((own.best & 7) == REACH_GLOBAL && own.is_declared);
    for (size_t n = 0; n < count && !(is_own && is_surely_best(&own)) && !is_surely_best(q); n++)
        name_index_look_in(q, modules[n]);
    if (own.best > q->best || (is_own && own.best == q->best))
        *q = own;
    *ret = (struct name_found){.module = q->found_in, .entry = q->entry, .points = q->best};
    return q->best;
}

bool names_find(struct evaluation *v, const char *name, const char *space, unsigned kinds,
                struct name_found *ret)
{
    struct question q = question_of(v, name, space, kinds);
    return name_index_ask(v, &q, ret);
}

bool names_find_whole(struct evaluation *v, const char *name, unsigned kinds,
                      struct name_found *ret)
{
    struct question q = question_of(v, name, NULL, kinds);
    q.is_whole = true;
    return name_index_ask(v, &q, ret);
}

/* Constants and types are visible only in files that declare them. A variable or function is also
 * visible where the compiler left out an unused declaration. */
bool names_is_by_scope(const struct name_found *f)
{
    bool is_linked = f->entry.kind == NAME_VARIABLE || f->entry.kind == NAME_FUNCTION;
    return f->points >> 3 >= FIT_WHOLE &&
           (f->points & 7) >= (is_linked ? REACH_DECLARED_HERE : REACH_OWN);
}

char *names_seen(struct module *m, const struct name_entry *e)
{
    char *qualified = names_qualified(m, e), *seen = seen_through(m, e, qualified);
    if (!seen)
        return qualified;
    free(qualified);
    return seen;
}

bool names_is_whole(const struct name_found *f)
{
    return f->points >> 3 >= FIT_WHOLE;
}

bool names_is_own(const struct name_found *f)
{
    return (f->points & 7) == REACH_OWN;
}

void names_all(struct evaluation *v, const char *name, unsigned kinds, struct list *ret)
{
    struct question q = question_of(v, name, NULL, kinds);
    size_t count;
    struct module **modules = modules_linked(v->symbols, &count);
    q.all = ret;
    for (size_t n = 0; n < count; n++)
        name_index_look_in(&q, modules[n]);
}

/* True if the name is an instance of the template. */
static bool name_index_is_instance(const struct name_entry *e, const char *part, size_t length)
{
    return e->kind == NAME_TYPE && strncmp(e->name, part, length) == 0 && e->name[length] == '<';
}

bool names_find_instance(struct evaluation *v, const char *name, struct name_found *ret)
{
    const char *part = names_last_part(name);
    size_t length = strcspn(part, "<");
    struct module **modules = v->symbols->modules.items;
    for (size_t k = 0; k < v->symbols->modules.count && part[length]; k++) {
        struct name_index *x = module_names(modules[k]);
        const struct name_entry *e = x->entries.items;
        for (size_t n = 0; n < x->entries.count; n++) {
            if (!name_index_is_instance(&e[n], part, length) || e[n].is_declaration)
                continue;
            char *qualified = names_qualified(modules[k], &e[n]);
            bool same = type_same_name(qualified, name);
            free(qualified);
            if (same) {
                *ret = (struct name_found){.module = modules[k], .entry = e[n], .points = 1};
                return true;
            }
        }
    }
    return false;
}

/* --- the symbol table's data ------------------------------------------------------------------ */

static int name_index_by_start(const void *a, const void *b)
{
    const struct data_symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return strcmp(y->raw, x->raw); /* as functions: environ, not __environ */
}

/* True for a symbol without a size at the end of its section, such as __TMC_END__: what follows
 * there is something else. */
static bool marks_end(Elf *elf, const GElf_Sym *symbol, GElf_Word section)
{
    GElf_Shdr h;
    Elf_Scn *scn =
        symbol->st_size || section >= SHN_LORESERVE ? NULL : elf_getscn(elf, section);
    return scn && gelf_getshdr(scn, &h) && symbol->st_value >= h.sh_addr + h.sh_size;
}

static void make_data(struct module *m, struct name_index *x)
{
    x->data_made = true;
    int count = dwfl_module_getsymtab(m->mod);
    for (int n = 1; n < count; n++) {
        GElf_Sym symbol;
        GElf_Addr at;
        GElf_Word section;
        Elf *elf;
        const char *name =
            dwfl_module_getsym_info(m->mod, n, &symbol, &at, &section, &elf, NULL);
        if (!name || !*name || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT ||
            symbol.st_shndx == SHN_UNDEF || marks_end(elf, &symbol, section))
            continue;
        *(struct data_symbol *)list_add(&x->data) =
            (struct data_symbol){.start = at, .end = at + symbol.st_size, .raw = name};
    }
    if (x->data.count)
        qsort(x->data.items, x->data.count, sizeof(struct data_symbol), name_index_by_start);
}

const struct data_symbol *names_data(struct module *m, size_t *ret_count)
{
    struct name_index *x = module_names(m);
    if (!x->data_made)
        make_data(m, x);
    *ret_count = x->data.count;
    return x->data.items;
}

static const struct data_symbol *data_at(struct module *m, u64 address)
{
    struct name_index *x = module_names(m);
    if (!x->data_made)
        make_data(m, x);
    const struct data_symbol *d = x->data.items;
    size_t low = 0, high = x->data.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (d[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 1 && d[low - 2].start == d[low - 1].start)
        low--;
    return low && (address < d[low - 1].end || address == d[low - 1].start) ? &d[low - 1] : NULL;
}

static char *named_with_offset(const char *raw, u64 offset)
{
    bool is_rust;
    char *plain = demangle(raw, &is_rust);
    char *name = type_short_name(plain ? plain : raw);
    free(plain);
    if (!offset)
        return name;
    char *text = xformat("%s+%llu", name, (unsigned long long)offset);
    free(name);
    return text;
}

static char *of_function(const struct function_symbol *f, u64 address)
{
    char *raw = f->is_fortran ? xformat("%s", f->name)
                              : xformat("%.*s", (int)function_plain_length(f->raw), f->raw);
    char *text = named_with_offset(raw, address - f->start);
    free(raw);
    return text;
}

/* "counter.0" becomes counter: the symbol of a function's static variable has a number. */
static char *of_datum(const struct data_symbol *d, u64 address)
{
    size_t name = strspn(d->raw, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const char *number = d->raw[name] == '.' ? d->raw + name + 1 : "";
    bool is_numbered = name && *number && !number[strspn(number, "0123456789")];
    size_t whole = strcspn(d->raw, "@"); /* without the version of a library's interface */
    char *raw = xformat("%.*s", is_numbered ? (int)name : (int)whole, d->raw);
    char *text = named_with_offset(raw, address - d->start);
    free(raw);
    return text;
}

char *names_of_address(struct symbols *s, u64 address, bool code_too)
{
    struct module *m = module_at(s, address);
    if (!m)
        return NULL;
    const struct data_symbol *d = data_at(m, address);
    if (d)
        return of_datum(d, address);
    struct function_symbol *f =
        code_too && module_in_code(m, address) ? module_function(m, address) : NULL;
    return f ? of_function(module_function_written(m, f), address) : NULL;
}

static bool find_datum(struct module *m, const char *name, u64 *ret)
{
    struct name_index *x = module_names(m);
    if (!x->data_made)
        make_data(m, x);
    const struct data_symbol *d = x->data.items;
    for (size_t n = 0; n < x->data.count; n++)
        if (strcmp(d[n].raw, name) == 0) {
            *ret = d[n].start;
            return true;
        }
    return false;
}

/* Finds a function that exists only as a compiler-made clone. */
static bool find_clone(struct symbols *s, const char *name, u64 *ret)
{
    struct module **modules = s->modules.items;
    for (size_t k = 0; k < s->modules.count; k++) {
        size_t count;
        const struct function_symbol *f = module_functions(modules[k], &count);
        for (size_t n = 0; n < count; n++)
            if (!f[n].part && function_is_clone(&f[n], name)) {
                *ret = f[n].start;
                return true;
            }
    }
    return false;
}

bool names_find_symbol(struct symbols *s, const char *name, bool *ret_code, u64 *ret_address)
{
    struct module **modules = s->modules.items;
    for (size_t k = 0; k < s->modules.count; k++) {
        size_t count;
        struct function_symbol *f = module_functions(modules[k], &count);
        *ret_code = true;
        for (size_t n = 0; n < count; n++)
            if (strcmp(f[n].raw, name) == 0) {
                *ret_address = f[n].start;
                return true;
            }
        *ret_code = false;
        if (find_datum(modules[k], name, ret_address))
            return true;
    }
    *ret_code = true;
    return find_clone(s, name, ret_address);
}
