/* Checks that an expression is meaningful at a place: it parses, and each name in it is known
 * there. Nothing is evaluated, so no frame is needed yet. */
#include "symbols/values_internal.h"

static bool check_is_known(struct evaluation *v, const char *name)
{
    struct name_meaning m;
    bool is_code;
    u64 address;
    return lookup_name(v, name, NAME_VALUES, &m) ||
           names_find_symbol(v->symbols, name, &is_code, &address);
}

static struct error *check_tree(struct evaluation *v, const struct tree *t)
{
    if (!t)
        return NULL;
    if ((t->kind == TREE_NAME || t->kind == TREE_ENTRY) && !check_is_known(v, t->text))
        return error_coded(ERROR_NOT_FOUND, "there is no symbol %s there", t->text);
    struct name_meaning m;
    if (t->kind == TREE_FILE_NAME && !lookup_in_file(v, t->file, t->text, NAME_VALUES, &m))
        return error_coded(ERROR_NOT_FOUND, "there is no symbol %s in %s", t->text, t->file);
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
