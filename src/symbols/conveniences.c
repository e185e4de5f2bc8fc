/* Values that outlive their evaluation: the history ($, $$, $3, $$3) and variables of the debugger
 * ($name).
 *
 * A value is kept as its bytes, and as a description of its type. Types belong to an evaluation,
 * and their debug information is dropped with its module. So a kept value stores how to find its
 * type again: the module's path and the offset of the DIE, with pointers and arrays around it.
 * While the module is not loaded, an error says so.
 *
 * As in gdb, a value of the history knows where in memory it was ($1 has an address); a variable
 * of the debugger is a copy.
 */
#include "symbols/values_internal.h"

/* How to find a type again. */
struct kept_type {
    enum type_kind kind;
    char *name;               /* NULL: without */
    u64 size, count;
    bool is_unsigned, is_counted, has_die, is_flag_register, is_vector;
    char *module;             /* path; has_die */
    Dwarf_Off offset;
    struct kept_type *target; /* NULL: none */
};

struct kept_value {
    char *name;               /* NULL: a value of the history */
    struct kept_type *type;
    u8 *bytes, *missing;
    u64 size;
    bool in_memory;
    u64 address;
    u32 bit_offset, bit_size;
};

struct conveniences {
    struct list history, variables; /* struct kept_value */
};

/* --- types ----------------------------------------------------------------------------------- */

static void kept_type_destroy(struct kept_type *k)
{
    while (k) {
        struct kept_type *next = k->target;
        free(k->name);
        free(k->module);
        free(k);
        k = next;
    }
}

static bool kept_has_target(enum type_kind kind)
{
    return kind == TYPE_POINTER || kind == TYPE_REFERENCE || kind == TYPE_ARRAY ||
        kind == TYPE_FUNCTION ||
           kind == TYPE_CONST || kind == TYPE_VOLATILE || kind == TYPE_TYPEDEF;
}

/* An array whose length was computed keeps that length. */
static bool kept_by_die(struct type *t)
{
    return t->has_die && t->kind != TYPE_ARRAY && t->module && t->module->dwarf &&
           dwarf_cu_getdwarf(t->die.cu) == t->module->dwarf;
}

static struct kept_type *kept_type_of(struct evaluation *v, struct type *t, unsigned depth)
{
    struct kept_type *k = xalloc(sizeof *k);
    *k = (struct kept_type){
        .kind = t->kind, .size = t->size, .count = t->count, .is_unsigned = t->is_unsigned,
        .is_counted = t->is_counted, .is_flag_register = t->is_flag_register,
        .is_vector = !t->has_die && t->kind == TYPE_STRUCT && t->name && strncmp(t->name, "vec",
                                                                                 3) == 0,
        .name = t->name ? xformat("%s", t->name) : NULL,
    };
    if (kept_by_die(t)) {
        k->has_die = true;
        k->module = xformat("%s", t->module->shown.path);
        k->offset = dwarf_dieoffset(&t->die);
    } else if (kept_has_target(t->kind) && depth < SHOW_DEPTH) {
        k->target = kept_type_of(v, type_target(v, t), depth + 1);
    }
    return k;
}

static struct module *kept_module(struct evaluation *v, const char *path)
{
    struct module **modules = v->symbols->modules.items;
    for (size_t n = 0; n < v->symbols->modules.count; n++)
        if (strcmp(modules[n]->shown.path, path) == 0)
            return modules[n];
    return NULL;
}

static struct error *kept_type_find(struct evaluation *v, const struct kept_type *k,
                                    struct type **ret)
{
    Dwarf_Die die;
    struct type *target = NULL;
    if (k->has_die) {
        struct module *m = kept_module(v, k->module);
        if (!m || !module_load_dwarf(m))
            return error_new("the type of the value is in %s, which is not loaded at this moment",
                             k->module);
        if (!dwarf_offdie(m->dwarf, k->offset, &die))
            return error_new("the type of the value was not found again");
        *ret = type_of(v, m, &die);
        return NULL;
    }
    struct error *err = k->target ? kept_type_find(v, k->target, &target) : NULL;
    if (err)
        return err;
    struct type *known = k->name && !k->target && k->kind != TYPE_STRUCT ? type_builtin(v, k->name)
        : NULL;
    struct type *named = k->kind == TYPE_STRUCT && k->name && !k->is_vector ? type_named(v, NULL,
            k->name) : NULL;
    if (k->is_vector)
        known = type_vector(v, k->size);
    if (known || named) {
        *ret = known ? known : named;
        return NULL;
    }
    struct type *t = type_new(v, k->kind, k->name ? values_copy(v, k->name, strlen(k->name)) : NULL,
                              k->size);
    t->is_unsigned = k->is_unsigned;
    t->is_counted = k->is_counted;
    t->is_flag_register = k->is_flag_register;
    t->count = k->count;
    t->target = target;
    *ret = t;
    return NULL;
}

/* --- values ---------------------------------------------------------------------------------- */

static void kept_value_deinit(struct kept_value *k)
{
    free(k->name);
    free(k->bytes);
    free(k->missing);
    kept_type_destroy(k->type);
}

static u8 *kept_copy(const u8 *bytes, u64 size)
{
    u8 *copy = xalloc(size + 1);
    if (bytes)
        memcpy(copy, bytes, size);
    return copy;
}

static struct error *kept_value_make(struct value *value, struct kept_value *ret)
{
    struct evaluation *v = value->evaluation;
    enum type_kind kind = type_plain(v, value->type)->kind;
    struct error *err = kind == TYPE_FUNCTION || kind == TYPE_VOID ? NULL : value_load(value);
    if (err)
        return err;
    bool some = value->bytes != NULL;
    *ret = (struct kept_value){
        .type = kept_type_of(v, value->type, 0), .size = some ? value->size : 0,
        .bytes = kept_copy(value->bytes, some ? value->size : 0),
        .missing = value->missing ? kept_copy(value->missing, value->size) : NULL,
        .in_memory = value->in_memory, .address = value->address,
        .bit_offset = value->bit_offset, .bit_size = value->bit_size,
    };
    return NULL;
}

static struct error *kept_value_find(struct evaluation *v, const struct kept_value *k,
                                     struct value **ret)
{
    struct type *t;
    struct error *err = kept_type_find(v, k->type, &t);
    if (err)
        return err;
    struct value *value = value_new(v, t);
    value->bit_offset = k->bit_offset;
    value->bit_size = k->bit_size;
    value->in_memory = k->in_memory;
    value->address = k->address;
    if (type_plain(v, t)->kind != TYPE_FUNCTION) {
        value->size = k->size;
        value->room = k->size > t->size ? k->size : t->size;
        value->bytes = values_alloc(v, value->room + 1);
        memcpy(value->bytes, k->bytes, k->size);
    }
    if (k->missing) {
        value->missing = values_alloc(v, value->room + 1);
        memcpy(value->missing, k->missing, k->size);
    }
    *ret = value;
    return NULL;
}

/* --- all of them ------------------------------------------------------------------------------ */

void conveniences_create(struct conveniences **ret)
{
    struct conveniences *c = xalloc(sizeof *c);
    *c = (struct conveniences){LIST(struct kept_value), LIST(struct kept_value)};
    *ret = c;
}

static void conveniences_drop(struct list *l)
{
    struct kept_value *all = l->items;
    for (size_t n = 0; n < l->count; n++)
        kept_value_deinit(&all[n]);
    list_deinit(l);
}

void conveniences_destroy(struct conveniences *c)
{
    if (!c)
        return;
    conveniences_drop(&c->history);
    conveniences_drop(&c->variables);
    free(c);
}

struct error *conveniences_record(struct value *value, u64 *ret)
{
    struct conveniences *c = value->evaluation->request.conveniences;
    struct kept_value k;
    if (!c)
        return error_new("there is no history of values here");
    struct error *err = kept_value_make(value, &k);
    if (err)
        return err;
    *(struct kept_value *)list_add(&c->history) = k;
    *ret = c->history.count;
    return NULL;
}

u64 conveniences_last(const struct conveniences *c)
{
    return c->history.count;
}

const char *conveniences_name(const struct conveniences *c, size_t index)
{
    const struct kept_value *all = c->variables.items;
    return index < c->variables.count ? all[c->variables.count - 1 - index].name : NULL;
}

static struct kept_value *conveniences_variable(struct conveniences *c, const char *name)
{
    struct kept_value *all = c->variables.items;
    for (size_t n = 0; n < c->variables.count; n++)
        if (strcmp(all[n].name, name) == 0)
            return &all[n];
    return NULL;
}

static void conveniences_put(struct conveniences *c, const char *name, struct kept_value k)
{
    struct kept_value *there = conveniences_variable(c, name);
    if (there)
        kept_value_deinit(there);
    else
        there = list_add(&c->variables);
    k.name = xformat("%s", name);
    k.in_memory = k.type->kind == TYPE_FUNCTION;
    *there = k;
}

void conveniences_forget(struct conveniences *c, const char *name)
{
    struct kept_value *there = conveniences_variable(c, name), *all = c->variables.items;
    if (!there)
        return;
    kept_value_deinit(there);
    *there = all[--c->variables.count];
}

struct error *conveniences_define(struct value *value, const char *name)
{
    return conveniences_set(value->evaluation, name, NULL, value);
}

void conveniences_define_integer(struct conveniences *c, const char *name, i64 i)
{
    struct kept_type *t = xalloc(sizeof *t);
    *t = (struct kept_type){.kind = TYPE_INTEGER, .name = xformat("%s", i == (i32)i ? "int"
                                                                  : "long"),
                            .size = i == (i32)i ? 4 : 8};
    conveniences_put(c, name, (struct kept_value){
        .type = t, .size = t->size, .bytes = kept_copy((const u8 *)&i, t->size)});
}

struct error *conveniences_set(struct evaluation *v, const char *name, const u64 *offset,
                               struct value *value)
{
    struct conveniences *c = v->request.conveniences;
    struct kept_value k, *there = c ? conveniences_variable(c, name) : NULL;
    if (!c)
        return error_new("there are no convenience variables here");
    struct error *err = kept_value_make(value, &k);
    if (err)
        return err;
    if (!offset) {
        conveniences_put(c, name, k);
        return NULL;
    }
    if (there && *offset <= there->size && k.size <= there->size - *offset)
        memcpy(there->bytes + *offset, k.bytes, k.size);
    kept_value_deinit(&k);
    return NULL;
}

/* Parses `$`, `$$`, `$$3`, `$3`. Numbers count from 1, and `$$3` is the third before the last. */
static bool conveniences_number(const struct conveniences *c, const char *name, u64 *ret)
{
    u64 last = c->history.count, back;
    bool from_end = name[0] == '$';
    const char *digits = name + from_end;
    if (strspn(digits, "0123456789") != strlen(digits))
        return false;
    if (!*digits) {
        *ret = from_end ? (last ? last - 1 : 0) : last;
        return true;
    }
    back = strtoull(digits, NULL, 10);
    *ret = from_end ? (back < last ? last - back : 0) : back;
    return true;
}

struct error *conveniences_find(struct evaluation *v, const char *name, struct value **ret)
{
    struct conveniences *c = v->request.conveniences;
    u64 number;
    if (strcmp(name, "_siginfo") == 0)
        return siginfo_value(v, ret);
    if (!c && (!*name || *name == '$' || (*name >= '0' && *name <= '9')))
        return error_new("there is no history of values here");
    if (!c)
        return error_coded(ERROR_NOT_FOUND, "there is no register %s", name);
    if (conveniences_number(c, name, &number)) {
        const struct kept_value *all = c->history.items;
        bool is_relative = !*name || *name == '$';
        if (number > c->history.count || (!number && !is_relative))
            return error_new("the history of values has not yet reached $%s", name);
        if (number)
            return kept_value_find(v, &all[number - 1], ret);
        *ret = value_of_bytes(v, type_builtin(v, "void"), "", 1);
        return NULL;
    }
    const struct kept_value *k = conveniences_variable(c, name);
    struct error *err = k ? kept_value_find(v, k, ret) : NULL;
    if (!k)
        *ret = value_of_bytes(v, type_builtin(v, "void"), "", 1);
    if (!err)
        (*ret)->home_variable = values_copy(v, name, strlen(name));
    return err;
}
