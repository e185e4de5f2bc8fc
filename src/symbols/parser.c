/* Reading words, making nodes, and operators between two operands: see the header. */
#include "symbols/parser.h"

#include <ctype.h>
#include <strings.h>

struct tree *parse_fail(struct parser *p, struct error *err)
{
    if (p->error)
        error_destroy(err);
    else
        p->error = err;
    p->at += strlen(p->at);
    return NULL;
}

struct tree *parse_node(struct parser *p, enum tree_kind kind, struct tree *a, struct tree *b)
{
    return parse_node_op(p, kind, OP_NONE, a, b);
}

struct tree *parse_node_op(struct parser *p, enum tree_kind kind, enum tree_op op, struct tree *a,
                           struct tree *b)
{
    struct tree *t = values_alloc(p->v, sizeof *t);
    *t = (struct tree){.kind = kind, .op = op, .a = a, .b = b};
    return t;
}

void parse_spell(struct parser *p, struct tree *t, const char *from)
{
    const char *to = p->at;
    while (to > from && isspace((u8)to[-1]))
        to--;
    if (t && !t->spelled)
        t->spelled = values_copy(p->v, from, (size_t)(to - from));
}

struct tree *parse_number_node(struct parser *p, struct number n, struct type *t)
{
    struct tree *tree = parse_node(p, TREE_NUMBER, NULL, NULL);
    tree->number = n;
    tree->type = t;
    return tree;
}

void parse_skip_space(struct parser *p)
{
    while (isspace((u8)*p->at))
        p->at++;
}

bool parse_is_word(char c)
{
    return isalnum((u8)c) || c == '_';
}

bool parse_see(struct parser *p, const char *text)
{
    size_t length = strlen(text);
    parse_skip_space(p);
    bool same = p->language->any_case ? strncasecmp(p->at, text, length) == 0
                                      : strncmp(p->at, text, length) == 0;
    return same && !(parse_is_word(text[length - 1]) && parse_is_word(p->at[length]));
}

bool parse_take(struct parser *p, const char *text)
{
    if (!parse_see(p, text))
        return false;
    p->at += strlen(text);
    return true;
}

bool parse_need(struct parser *p, const char *text)
{
    if (parse_take(p, text))
        return true;
    parse_skip_space(p);
    if (!p->error)
        parse_fail(p, *p->at ? error_new("'%s' is missing before '%.20s'", text, p->at)
                             : error_new("'%s' is missing at the end", text));
    return false;
}

struct tree *parse_unexpected(struct parser *p)
{
    parse_skip_space(p);
    if (!*p->at)
        return parse_fail(p, error_coded(ERROR_MISUSED, "the expression ends too early"));
    return parse_fail(p, error_new("'%.20s' is not expected there", p->at));
}

bool parse_deeper(struct parser *p)
{
    if (p->depth++ <= PARSE_NEST_MOST)
        return true;
    parse_fail(p, error_new("the expression is nested too deeply"));
    return false;
}

const struct parse_operator *parse_next_operator(struct parser *p)
{
    const struct parse_language *l = p->language;
    for (size_t n = 0; n < l->count; n++)
        if (parse_see(p, l->operators[n].text))
            return l->is_other && l->is_other(p, &l->operators[n]) ? NULL : &l->operators[n];
    return NULL;
}

struct tree *parse_operators(struct parser *p, unsigned level)
{
    const struct parse_operator *o;
    if (!parse_deeper(p))
        return NULL;
    parse_skip_space(p);
    const char *from = p->at;
    struct tree *t = p->language->operand(p, level);
    while (t && !p->error && (o = parse_next_operator(p)) && o->level && o->level >= level) {
        p->at += strlen(o->text);
        t = parse_node_op(p, o->kind, o->op, t, parse_operators(p, o->level + !o->from_right));
        parse_spell(p, t, from);
    }
    p->depth--;
    return p->error ? NULL : t;
}
