/* Parts of variables: the members and elements that lie in given ranges of memory, with their
 * values.
 *
 * This serves to compare two moments: the ranges are the memory that differs, and the same question
 * is asked at both moments. A part has a key and a path, which are the same at both. Variables of
 * frames are always reported, since they may be in registers, or in different places at each
 * moment.
 *
 * A value that is shown as a whole is one part: scalars, arrays of characters, classes of the
 * standard library, and structs of languages other than C and C++.
 */
#include <dwarf.h>

#include "symbols/values_internal.h"

enum {
    /* maximum size of a frame's variable that is reported whole */
    PARTS_MOST = 20000, PARTS_DEPTH = 32, PARTS_FRAME_MOST = 1 << 16,
    OBJECTS_MOST = 4000, OBJECTS_DEPTH = 6, POINTERS_MOST = 512, /* limits for one variable */
};

/* --- ranges ----------------------------------------------------------------------------------- */

size_t memory_ranges_find(const struct memory_range *ranges, size_t count, u64 address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool parts_is_wanted(const struct parts *p, u64 address, u64 size)
{
    size_t n = memory_ranges_find(p->wanted, p->wanted_count, address);
    return size && n < p->wanted_count && p->wanted[n].start < address + size;
}

/* --- paths ------------------------------------------------------------------------------------ */

/* The expression for a value. With `pointer`, the value is what the expression points to. */
struct path {
    char *text; /* the evaluation's */
    bool pointer;
};

static char *path_keep(struct evaluation *v, char *text)
{
    *(void **)list_add(&v->memory) = text;
    return text;
}

static struct path path_member(struct evaluation *v, struct path p, const char *name)
{
    return (struct path){path_keep(v, xformat("%s%s%s", p.text, p.pointer ? "->" : ".", name)),
                         false};
}

static struct path path_element(struct evaluation *v, struct path p, u64 index)
{
    return (struct path){
        path_keep(v, p.pointer ? xformat("(*%s)[%llu]", p.text, (unsigned long long)index)
                               : xformat("%s[%llu]", p.text, (unsigned long long)index)),
        false};
}

bool symbols_is_system_library(const char *path)
{
    static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/",
                                          "/usr/libexec/"};
    for (size_t n = 0; path && n < countof(folders); n++)
        if (strncmp(path, folders[n], strlen(folders[n])) == 0)
            return true;
    return false;
}

/* --- parts ------------------------------------------------------------------------------------ */

struct parts_walk {
    struct evaluation *v;
    struct parts *parts;
    struct module *module;
    u64 key;
    bool all; /* report parts outside of the ranges, too */
    bool roots; /* collect pointers */
    const char *library; /* NULL: it is not a system library */
    unsigned depth;
};

static void parts_add(struct parts_walk *w, struct value *value, struct path path)
{
    struct parts *p = w->parts;
    if (p->list.count >= PARTS_MOST) {
        p->is_cut = true;
        return;
    }
    struct changed_part *part = list_add(&p->list);
    part->key = w->key;
    part->path = xformat("%s%s", path.pointer ? "*" : "", path.text);
    if (value_is_gone(value))
        return;
    struct error *err = value_load(value);
    if (!err && !value->missing && !value->bit_size) {
        part->bytes = xalloc(value->size + 1);
        memcpy(part->bytes, value->bytes, value->size);
        part->size = value->size;
    }
    error_destroy(err);
    part->text = w->library ? xformat("%s", "") : value_show(value, 0);
    part->library = w->library;
    struct shown shown;
    part->is_bits = value_bits(value, &part->bit_offset, &part->bit_size);
    part->is_holder = !w->library && show_standard(value, &shown);
    part->in_memory = value->in_memory;
    part->address = value->in_memory ? value->address : 0;
    part->is_wanted = value->in_memory && parts_is_wanted(p, value->address, value->size);
}

static bool parts_has_members(struct value *value, struct type *plain)
{
    struct shown shown;
    struct member tag;
    Dwarf_Die first;
    return plain->kind == TYPE_STRUCT && plain->language <= LANGUAGE_CPLUSPLUS &&
           !plain->is_incomplete && !type_variants(value->evaluation, plain, &tag, &first) &&
           !show_standard(value, &shown);
}

static bool parts_has_elements(struct evaluation *v, struct type *plain)
{
    return plain->kind == TYPE_ARRAY && plain->language <= LANGUAGE_CPLUSPLUS &&
           !plain->is_string && !plain->is_vector && !plain->is_dynamic && plain->count &&
           !type_character(v, type_target(v, plain));
}

static void parts_descend(struct parts_walk *w, struct value *value, struct path path);

static void parts_members(struct parts_walk *w, struct value *value, struct type *plain,
                          struct path path)
{
    size_t count;
    const struct member *m = type_members(w->v, plain, &count);
    for (size_t n = 0; n < count; n++)
        if (!m[n].is_static && !(m[n].bit_size && !m[n].name)) {
            bool own = m[n].name && !m[n].is_base;
            parts_descend(w, value_member(value, &m[n]),
                          own ? path_member(w->v, path, m[n].name) : path);
        }
}

/* Reports the elements inside of the ranges, without looking at each of the others. */
static void parts_elements(struct parts_walk *w, struct value *value, struct type *plain,
                           struct path path)
{
    u64 stride = (u64)type_stride(w->v, plain), next = 0;
    const struct memory_range *r = w->parts->wanted;
    if (w->all || !value->in_memory || !stride) {
        for (u64 n = 0; n < plain->count && !w->parts->is_cut; n++)
            parts_descend(w, value_element(value, n), path_element(w->v, path, n));
        return;
    }
    u64 end = value->address + stride * plain->count;
    for (size_t i = memory_ranges_find(r, w->parts->wanted_count, value->address);
         i < w->parts->wanted_count && r[i].start < end && !w->parts->is_cut; i++) {
        u64 first = r[i].start > value->address ? (r[i].start - value->address) / stride : 0;
        for (u64 n = first > next ? first : next;
             n < plain->count && value->address + n * stride < r[i].end; n++) {
            parts_descend(w, value_element(value, n), path_element(w->v, path, n));
            next = n + 1;
        }
    }
}

static void parts_descend(struct parts_walk *w, struct value *value, struct path path)
{
    struct type *plain = type_plain(w->v, value->type);
    if (w->depth == PARTS_DEPTH || w->parts->is_cut ||
        (!w->all && value->in_memory && !parts_is_wanted(w->parts, value->address, value->size)))
        return;
    w->depth++;
    bool whole = value_is_gone(value) || w->library;
    if (!whole && parts_has_members(value, plain))
        parts_members(w, value, plain, path);
    else if (!whole && parts_has_elements(w->v, plain))
        parts_elements(w, value, plain, path);
    else
        parts_add(w, value, path);
    w->depth--;
}

/* --- what pointers lead to -------------------------------------------------------------------- */

static bool parts_knows(const struct parts *p, u64 address, const struct type *t)
{
    const struct value_object *o = p->objects.items;
    for (size_t n = 0; n < p->objects.count; n++)
        if (o[n].address == address && o[n].type_die == t->die.addr)
            return true;
    return false;
}

static void parts_add_object(struct parts_walk *w, struct value *pointer, struct type *plain,
                             struct path path, unsigned depth)
{
    u64 address;
    struct type *t = type_target(w->v, plain), *target = type_plain(w->v, t);
    if (!t || !t->has_die || !target->size || target->is_incomplete ||
        target->kind == TYPE_FUNCTION || target->kind == TYPE_VOID ||
        w->parts->objects.count >= OBJECTS_MOST || value_is_gone(pointer))
        return;
    struct error *err = value_pointer(pointer, &address);
    bool good = !err && address && !parts_knows(w->parts, address, t);
    error_destroy(err);
    if (!good)
        return;
    struct value_object *o = list_add(&w->parts->objects);
    *o = (struct value_object){
        .address = address,
        .type_die = t->die.addr,
        .module = t->module,
        .depth = depth,
        .path = xformat("%s%s%s", path.pointer ? "(*" : "", path.text, path.pointer ? ")" : "")};
    o->die = xalloc(sizeof(Dwarf_Die));
    *(Dwarf_Die *)o->die = t->die;
}

/* Collects the pointers in a value, including members and elements. */
static void parts_pointers(struct parts_walk *w, struct value *value, struct path path,
                           unsigned depth, unsigned *left)
{
    struct type *plain = type_plain(w->v, value->type);
    size_t count;
    if (!*left || w->depth == PARTS_DEPTH || plain->size < sizeof(u64) ||
        plain->language > LANGUAGE_CPLUSPLUS)
        return;
    --*left;
    w->depth++;
    if (plain->kind == TYPE_POINTER) {
        parts_add_object(w, value, plain, path, depth);
    } else if (parts_has_members(value, plain)) {
        const struct member *m = type_members(w->v, plain, &count);
        for (size_t n = 0; n < count; n++)
            if (!m[n].is_static && !m[n].bit_size && !m[n].is_artificial) {
                bool own = m[n].name && !m[n].is_base;
                parts_pointers(w, value_member(value, &m[n]),
                               own ? path_member(w->v, path, m[n].name) : path, depth, left);
            }
    } else if (parts_has_elements(w->v, plain)) {
        for (u64 n = 0; n < plain->count && *left; n++)
            parts_pointers(w, value_element(value, n), path_element(w->v, path, n), depth, left);
    }
    w->depth--;
}

static struct value *object_value(struct evaluation *v, const struct value_object *o)
{
    struct type *t = type_of(v, o->module, o->die);
    return t && type_plain(v, t)->size ? value_at(v, t, o->address, NULL) : NULL;
}

/* True if all of it was already reported as part of another object. */
static bool object_was_told(const struct parts *p, size_t before, u64 address, u64 size)
{
    const struct value_object *o = p->objects.items;
    for (size_t n = 0; n < before; n++)
        if (o[n].told && o[n].address <= address && address + size <= o[n].address + o[n].told)
            return true;
    return false;
}

static void parts_of_object(struct parts_walk *w, size_t index, bool find_more)
{
    struct value_object *o = (struct value_object *)w->parts->objects.items + index;
    struct path path = {path_keep(w->v, xformat("%s", o->path)), true};
    unsigned left = POINTERS_MOST, depth = o->depth;
    if (!find_more && !o->told)
        return;
    struct value *value = object_value(w->v, o);
    struct error *err = value ? value_load(value) : NULL;
    bool good = value && !err;
    error_destroy(err);
    if (!good)
        return;
    w->key = o->address;
    if (find_more && parts_is_wanted(w->parts, value->address, value->size) &&
        !object_was_told(w->parts, index, value->address, value->size))
        o->told = value->size;
    if (o->told) {
        parts_descend(w, value, path);
        *(struct memory_range *)list_add(&w->parts->covered) =
            (struct memory_range){value->address, value->address + value->size};
    }
    if (find_more && depth < OBJECTS_DEPTH)
        parts_pointers(w, value, path, depth + 1, &left); /* the list of objects may grow */
}

void values_parts_of_objects(struct evaluation *v, struct parts *p, bool find_more)
{
    for (size_t n = 0; n < p->objects.count; n++) {
        struct parts_walk w = {.v = v, .parts = p};
        parts_of_object(&w, n, find_more);
    }
}

/* --- variables -------------------------------------------------------------------------------- */

static void parts_variable(struct parts_walk *w, struct value *value, const char *name)
{
    struct path path = {path_keep(w->v, xformat("%s", name)), false};
    unsigned left = POINTERS_MOST;
    size_t before = w->parts->list.count;
    parts_descend(w, value, path);
    struct changed_part *all = w->parts->list.items;
    for (size_t n = before; n < w->parts->list.count; n++)
        all[n].root = strlen(name);
    if (value->in_memory && value->size)
        *(struct memory_range *)list_add(&w->parts->covered) =
            (struct memory_range){value->address, value->address + value->size};
    if (w->roots)
        parts_pointers(w, value, path, 1, &left);
}

static bool parts_location(Dwarf_Die *die, Dwarf_Attribute *ret)
{
    return dwarf_attr_integrate(die, DW_AT_location, ret);
}

/* True if the name means this variable where the evaluation is. */
static bool parts_name_means(struct evaluation *v, const char *name, u64 address)
{
    struct value *value;
    struct error *err = values_evaluate(v, name, &value);
    bool same = !err && value->in_memory && value->address == address;
    error_destroy(err);
    return same;
}

/* Returns a name by which an expression finds the variable, if its own does not; the caller frees
 * it. */
static char *parts_better_name(struct evaluation *v, Dwarf_Die *die, const char *name, u64 address)
{
    Dwarf_Die unit;
    const char *file = dwarf_decl_file(die);
    if (parts_name_means(v, name, address))
        return NULL;
    if (!file && dwarf_diecu(die, &unit, NULL, NULL))
        file = dwarf_diename(&unit);
    const char *slash = file ? strrchr(file, '/') : NULL;
    return file ? xformat("'%s'::%s", slash ? slash + 1 : file, name) : NULL;
}

static bool parts_was_told(const struct parts *p, size_t from, u64 address, u64 size)
{
    const struct memory_range *c = p->covered.items;
    for (size_t n = from; n < p->covered.count; n++)
        if (c[n].start == address && c[n].end == address + size)
            return true;
    return false;
}

/* Handles a variable in the program's data or in thread-local storage. */
static void parts_fixed(struct parts_walk *w, Dwarf_Die *die, const char *name, bool is_inner)
{
    struct found_variable found = {.die = *die, .module = w->module};
    struct value *value;
    Dwarf_Attribute a;
    if (!parts_location(die, &a) || !variables_is_fixed(&a))
        return;
    struct error *err = variables_value(w->v, &found, &value);
    bool changed =
        !err && value->in_memory && parts_is_wanted(w->parts, value->address, value->size);
    error_destroy(err);
    struct shown shown;
    bool holder = !err && !changed && !w->library && show_standard(value, &shown);
    changed |= holder;
    if (err || !value->in_memory || (!changed && !w->roots) ||
        (changed && parts_was_told(w->parts, 0, value->address, value->size)))
        return;
    size_t before = w->parts->list.count;
    w->key = (u64)(uintptr_t)die->addr;
    w->all = holder;
    parts_variable(w, value, name);
    w->all = false;
    if (!changed || w->parts->list.count == before || is_inner)
        return;
    char *better = parts_better_name(w->v, die, name, value->address);
    struct changed_part *all = w->parts->list.items;
    for (size_t n = before; n < w->parts->list.count && better; n++)
        all[n].name = xformat("%s", better);
    free(better);
}

static bool parts_entry(void *context, const struct name_entry *e)
{
    struct parts_walk *w = context;
    Dwarf_Die die = e->die;
    if (e->kind != NAME_VARIABLE || !*e->name)
        return true;
    char *name = names_qualified(w->module, e);
    parts_fixed(w, &die, name, false);
    free(name);
    return !w->parts->is_cut;
}

/* Handles static variables of functions, which are not in the index of names. */
static void parts_inside(struct parts_walk *w, Dwarf_Die *die, const char *function, unsigned depth)
{
    Dwarf_Die child;
    if (depth == PARTS_DEPTH || w->parts->is_cut || dwarf_child(die, &child) != 0)
        return;
    do {
        int tag = dwarf_tag(&child);
        const char *name = dwarf_diename(&child);
        if (tag == DW_TAG_variable && function && name) {
            char *whole = xformat("%s::%s", function, name);
            parts_fixed(w, &child, whole, true);
            free(whole);
        } else if (tag == DW_TAG_subprogram) {
            parts_inside(w, &child, name, depth + 1);
        } else if (tag == DW_TAG_lexical_block || tag == DW_TAG_namespace ||
                   tag == DW_TAG_inlined_subroutine || tag == DW_TAG_structure_type ||
                   tag == DW_TAG_class_type) {
            parts_inside(w, &child, function, depth + 1);
        }
    } while (dwarf_siblingof(&child, &child) == 0);
}

static bool parts_unit(void *context, Dwarf_Die *unit)
{
    struct parts_walk *w = context;
    parts_inside(w, unit, NULL, 0);
    return !w->parts->is_cut;
}

static void parts_of_module(struct evaluation *v, struct parts *p, struct module *m,
                            bool is_program, bool roots)
{
    struct parts_walk w = {.v = v, .parts = p, .module = m, .roots = roots && is_program};
    if (!module_load_dwarf(m))
        return;
    if (!is_program && symbols_is_system_library(m->shown.path))
        w.library = m->shown.path;
    names_each(m, parts_entry, &w);
    w.roots = false;
    if (parts_is_wanted(p, m->shown.start, m->shown.end - m->shown.start))
        module_each_unit(m, parts_unit, &w);
}

void values_parts_of_globals(struct evaluation *v, struct parts *p, bool roots)
{
    struct module **modules = v->symbols->modules.items;
    for (int program = 1; program >= 0; program--)
        for (size_t n = 0; n < v->symbols->modules.count; n++)
            if (module_is_program(modules[n]) == program)
                parts_of_module(v, p, modules[n], program, roots);
}

static bool parts_has_key(const struct parts *p, size_t from, u64 key)
{
    const struct changed_part *all = p->list.items;
    for (size_t n = from; n < p->list.count; n++)
        if (all[n].key == key)
            return true;
    return false;
}

void values_parts_of_frame(struct evaluation *v, struct parts *p, bool roots)
{
    size_t before = p->list.count;
    for (size_t n = 0; n < v->block_count; n++) {
        Dwarf_Die child;
        if (dwarf_child(&v->blocks[n], &child) != 0)
            continue;
        do {
            Dwarf_Attribute a;
            int tag = dwarf_tag(&child);
            const char *name = dwarf_diename(&child);
            struct found_variable found = {
                .die = child, .module = v->view.module, .has_block = true, .block = v->blocks[n]};
            struct parts_walk w = {.v = v,
                                   .parts = p,
                                   .module = v->view.module,
                                   .key = (u64)(uintptr_t)child.addr,
                                   .all = true,
                                   .roots = roots};
            struct value *value;
            if ((tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) || !name ||
                (parts_location(&child, &a) && variables_is_fixed(&a)) ||
                !parts_location(&child, &a) || parts_has_key(p, before, w.key))
                continue;
            struct error *err = variables_value(v, &found, &value);
            if (!err) {
                w.all = value->size <= PARTS_FRAME_MOST || !value->in_memory;
                parts_variable(&w, value, name);
            }
            error_destroy(err);
        } while (dwarf_siblingof(&child, &child) == 0);
    }
}

void parts_clear(struct parts *p)
{
    struct changed_part *all = p->list.items;
    for (size_t n = 0; n < p->list.count; n++) {
        free(all[n].path);
        free(all[n].name);
        free(all[n].text);
        free(all[n].bytes);
    }
    p->list.count = 0;
    p->covered.count = 0;
}

void parts_deinit(struct parts *p)
{
    struct value_object *o = p->objects.items;
    parts_clear(p);
    for (size_t n = 0; n < p->objects.count; n++) {
        free(o[n].path);
        free(o[n].die);
    }
    list_deinit(&p->list);
    list_deinit(&p->covered);
    list_deinit(&p->objects);
}
