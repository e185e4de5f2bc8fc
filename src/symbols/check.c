/* Does an expression mean something at a place?  It parses, and each name in it is known there.  Nothing is evaluated: there need be
 * no frame yet. */
#include "symbols/values_internal.h"

static bool has_member(struct evaluation *v, struct type *t, const char *name, unsigned depth)
{
    size_t count;
    struct type *plain = type_plain(v, t);
    if (plain->kind != TYPE_STRUCT || depth == SHOW_DEPTH)
        return false;
    const struct member *m = type_members(v, plain, &count);
    for (size_t n = 0; n < count; n++)
        if (m[n].name && !m[n].is_base ? strcmp(m[n].name, name) == 0 : has_member(v, m[n].type, name, depth + 1))
            return true;
    return false;
}

static bool is_of_this(struct evaluation *v, const char *name)
{
    struct found_variable this;
    if (!v->cplusplus || !variables_find(v, "this", &this))
        return false;
    struct type *t = type_plain(v, type_attribute(v, this.module, &this.die));
    return t->kind == TYPE_POINTER && has_member(v, type_target(v, t), name, 0);
}

static bool check_is_known(struct evaluation *v, const char *name)
{
    struct found_variable found;
    struct name_found global;
    unsigned kinds = 1u << NAME_VARIABLE | 1u << NAME_FUNCTION | 1u << NAME_ENUMERATOR;
    bool is_code;
    u64 address;
    return variables_find(v, name, &found) || is_of_this(v, name) ||
           names_find(v, name, variables_space(v), kinds, &global) ||
           names_find_symbol(v->symbols, name, &is_code, &address);
}

static struct error *check_tree(struct evaluation *v, const struct tree *t)
{
    if (!t)
        return NULL;
    if ((t->kind == TREE_NAME || t->kind == TREE_ENTRY) && !check_is_known(v, t->text))
        return error_new("there is no symbol %s there", t->text);
    if ((t->kind == TREE_ASSIGN || t->kind == TREE_COUNT) && t->a->kind != TREE_REGISTER)
        return error_new("%s would change the program: use == to compare",
                         t->kind == TREE_ASSIGN ? "an assignment" : t->op == OP_ADD ? "++" : "--");
    struct error *err = check_tree(v, t->a);
    struct tree *const *arguments = t->arguments.items;
    for (size_t n = 0; n < t->arguments.count && !err; n++)
        err = check_tree(v, arguments[n]);
    if (!err)
        err = check_tree(v, t->b);
    return err ? err : check_tree(v, t->c);
}

struct error *values_check(struct evaluation *v, const char *expression, struct code_place place)
{
    struct frame there = {.pc = place.pc};
    struct values_request request = {.frames = &there, .frame_count = 1,
                                     .not_entered = place.inside};
    struct evaluation *evaluation;
    struct tree *t;
    struct error *err = values_open(v->symbols, &request, &evaluation);
    if (err)
        return err;
    err = parse_expression(evaluation, expression, &t);
    if (!err)
        err = check_tree(evaluation, t);
    values_close(evaluation);
    return err;
}
