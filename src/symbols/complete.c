/* Completion: members after a dot or an arrow, registers after $, otherwise variables of the frame,
 * of its file, of the program and of its libraries. */
#include <ctype.h>

#include "symbols/values_internal.h"

struct completion {
    struct list found; /* char * */
    const char *before; /* the text before the word, repeated in each answer */
    size_t before_length;
    const char *word;
    size_t length, most;
    const void *unit; /* only names of this unit; NULL: all */
};

static bool complete_is_listed(const struct completion *c, const char *text)
{
    char **all = c->found.items;
    for (size_t n = 0; n < c->found.count; n++)
        if (strcmp(all[n], text) == 0)
            return true;
    return false;
}

static bool complete_offer(struct completion *c, const char *name)
{
    if (!name || strncmp(name, c->word, c->length) != 0)
        return c->found.count < c->most;
    char *text = xformat("%.*s%s", (int)c->before_length, c->before, name);
    if (c->found.count >= c->most || complete_is_listed(c, text))
        free(text);
    else
        *(char **)list_add(&c->found) = text;
    return c->found.count < c->most;
}

static void offer_members(struct evaluation *v, struct completion *c, struct type *t,
                          unsigned depth)
{
    size_t count;
    struct type *plain = type_plain(v, t);
    if (plain->kind == TYPE_POINTER || plain->kind == TYPE_REFERENCE)
        plain = type_plain(v, type_target(v, plain));
    const struct member *m = type_members(v, plain, &count);
    for (size_t n = 0; n < count && plain->kind == TYPE_STRUCT; n++) {
        if (m[n].name && !m[n].is_base)
            complete_offer(c, m[n].name);
        else if (depth < SHOW_DEPTH)
            offer_members(v, c, m[n].type, depth + 1);
    }
}

static bool offer_entry(void *context, const struct name_entry *e)
{
    const struct completion *c = context;
    bool is_meant = e->kind != NAME_SPACE && (!c->unit || e->unit == c->unit);
    return !is_meant || complete_offer(context, e->name);
}

static void offer_block(struct completion *c, Dwarf_Die *block)
{
    enum { PARAMETER = 0x05, VARIABLE = 0x34 };
    Dwarf_Die child;
    if (dwarf_child(block, &child) != 0)
        return;
    do
        if (dwarf_tag(&child) == VARIABLE || dwarf_tag(&child) == PARAMETER)
            complete_offer(c, dwarf_diename(&child));
    while (dwarf_siblingof(&child, &child) == 0);
}

static void offer_names(struct evaluation *v, struct completion *c)
{
    struct value *object = variables_this(v);
    size_t count;
    struct module **modules = modules_linked(v->symbols, &count);
    for (size_t n = 0; n < v->block_count; n++)
        offer_block(c, &v->blocks[n]);
    if (object)
        offer_members(v, c, object->type, 0);
    if (v->view.module && v->has_unit) {
        c->unit = v->unit.addr;
        names_each(v->view.module, offer_entry, c);
        c->unit = NULL;
    }
    for (size_t n = 0; n < count && c->found.count < c->most; n++)
        names_each(modules[n], offer_entry, c);
}

static void offer_registers(struct completion *c)
{
    static const char *const others[] = {"rip", "pc", "sp", "fp", "eflags", "fs_base"};
    for (unsigned n = 0; n < GENERAL_REGISTERS; n++)
        complete_offer(c, register_name(register_of_gdb(n)));
    for (size_t n = 0; n < countof(others); n++)
        complete_offer(c, others[n]);
}

/* Returns where the operand that ends at `end` begins: a.b[2]->c. */
static const char *operand_start(const char *text, const char *end)
{
    unsigned deep = 0;
    while (end > text) {
        char c = end[-1];
        deep += c == ']' || c == ')';
        if ((c == '[' || c == '(') && !deep)
            break;
        deep -= c == '[' || c == '(';
        if (!deep && c == '>' && end - text > 1 && end[-2] == '-')
            end--;
        else if (!deep && !isalnum((u8)c) && !strchr("_.$[(:", c))
            break;
        end--;
    }
    return end;
}

static void offer_inside(struct evaluation *v, struct completion *c, const char *text,
                         const char *end)
{
    const char *from = operand_start(text, end);
    struct tree *t;
    struct value *value;
    char *operand = values_copy(v, from, (size_t)(end - from));
    struct error *err = parse_expression(v, operand, &t);
    if (!err)
        err = evaluate(v, t, &value);
    if (!err)
        offer_members(v, c, value->type, 0);
    error_destroy(err);
}

void values_complete(struct evaluation *v, const char *beginning, size_t most, char ***ret,
                     size_t *ret_count)
{
    const char *word = beginning + strlen(beginning);
    while (word > beginning && (isalnum((u8)word[-1]) || word[-1] == '_'))
        word--;
    struct completion c = {.found = LIST(char *),
                           .before = beginning,
                           .before_length = (size_t)(word - beginning),
                           .word = word,
                           .length = strlen(word),
                           .most = most};
    size_t before = c.before_length;
    if (before && beginning[before - 1] == '$')
        offer_registers(&c);
    else if (before > 1 && beginning[before - 1] == '.')
        offer_inside(v, &c, beginning, word - 1);
    else if (before > 2 && beginning[before - 2] == '-' && beginning[before - 1] == '>')
        offer_inside(v, &c, beginning, word - 2);
    else
        offer_names(v, &c);
    *ret = c.found.items;
    *ret_count = c.found.count;
}
