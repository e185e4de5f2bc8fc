/* What the parsers of expressions share: reading words, making nodes, and operators between two
 * operands.
 *
 * parse.c reads C, C++, Rust and Go, fortran_parse.c reads Fortran.  A language has a table of its
 * operators and a function that reads an operand with what may stand before it.
 */
#ifndef SYMBOLS_PARSER_H
#define SYMBOLS_PARSER_H

#include "symbols/values_internal.h"

enum { PARSE_NEST_MOST = 260 };

/* The first one that fits is taken, so a text comes before its beginnings. An operator with a
 * higher level binds tighter; one of level 0 ends the expression. */
struct parse_operator {
    const char *text;
    u8 level;
    enum tree_kind kind;
    enum tree_op op;
    bool from_right; /* a ** b ** c is a ** (b ** c) */
};

struct parser;

struct parse_language {
    const struct parse_operator *operators;
    size_t count;
    bool any_case; /* letters may be of either */
    /* An operand of an operator with this level: what binds less cannot stand before it. */
    struct tree *(*operand)(struct parser *p, unsigned level);
    /* It fits, but is the beginning of something else here; may be NULL. */
    bool (*is_other)(const struct parser *p, const struct parse_operator *o);
};

struct parser {
    const struct parse_language *language;
    struct evaluation *v;
    const char *at;
    struct error *error; /* the first */
    unsigned depth;
};

struct tree *parse_fail(struct parser *p, struct error *err); /* NULL */
struct tree *parse_node(struct parser *p, enum tree_kind kind, struct tree *a, struct tree *b);
struct tree *parse_node_op(struct parser *p, enum tree_kind kind, enum tree_op op, struct tree *a,
                           struct tree *b);
/* Remembers for messages how the user wrote the expression, from there to here.  An expression that
 * was remembered before keeps its text; t may be NULL. */
void parse_spell(struct parser *p, struct tree *t, const char *from);
struct tree *parse_number_node(struct parser *p, struct number n, struct type *t);
void parse_skip_space(struct parser *p);
bool parse_is_word(char c);
/* Are these the next characters, and not the beginning of a longer word? */
bool parse_see(struct parser *p, const char *text);
bool parse_take(struct parser *p, const char *text);
bool parse_need(struct parser *p, const char *text); /* false, and an error: it is not there */
struct tree *parse_unexpected(struct parser *p);
/* False, and an error: the expression is nested too deeply.  p->depth-- when it is over. */
bool parse_deeper(struct parser *p);

/* The operator that is next; NULL: none. */
const struct parse_operator *parse_next_operator(struct parser *p);
/* Operands and the operators between them that are of the level or tighter. */
struct tree *parse_operators(struct parser *p, unsigned level);

#endif
