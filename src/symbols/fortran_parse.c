/* Parses Fortran expressions into trees, by recursive descent.
 *
 * The levels are those of the language: .eqv., .or., .and., .not., comparisons, + and - (also as
 * signs), * and /, **; parser.c reads operators by them. As in gdb, the parser also accepts *p, &x,
 * x@n, {type} address, (type) x and $1.
 */
#include <ctype.h>
#include <errno.h>

#include "symbols/fortran_internal.h"
#include "symbols/parser.h"

static struct tree *fortran_expression(struct parser *p);
static struct tree *fortran_unary(struct parser *p);

/* --- literals --------------------------------------------------------------------------------- */

/* True if the dot here begins an operator, as in 1.eq.2. */
static bool begins_operator(const char *at)
{
    size_t letters = 1;
    while (isalpha((u8)at[letters]))
        letters++;
    return letters > 1 && at[letters] == '.';
}

/* Takes a kind suffix such as _8 after a number; false: another suffix follows. */
static bool take_suffix(struct parser *p, unsigned *kind)
{
    char *end;
    if (*p->at != '_')
        return !parse_is_word(*p->at);
    *kind = (unsigned)strtoul(p->at + 1, &end, 10);
    bool good = end > p->at + 1 && !parse_is_word(*end);
    p->at = end;
    return good;
}

static struct tree *real_literal(struct parser *p, size_t length, bool twice)
{
    char text[128];
    const char *from = p->at;
    unsigned kind = twice ? 8 : 0;
    if (length >= sizeof text)
        return parse_fail(p, error_new("the number '%.20s...' is too long", from));
    memcpy(text, from, length);
    text[length] = 0;
    for (char *c = text; *c; c++)
        if (tolower((u8)*c) == 'd')
            *c = 'e';
    p->at += length;
    if (!take_suffix(p, &kind) || (kind && kind != 4 && kind != 8 && kind != 10 && kind != 16))
        return parse_fail(p, error_new("'%.20s' is not a number", from));
    struct type *t = fortran_basic_type(p->v, "real", kind ? kind : 8);
    if (!kind)
        t->name = "real*8"; /* gdb's; a comparison with real(4) takes it as that (operators) */
    return parse_number_node(p, (struct number){.is_float = true, .f = strtold(text, NULL)}, t);
}

/* The length of the real number here; 0: it is an integer. */
static size_t real_length(const char *at, bool *ret_twice)
{
    size_t n = strspn(at, "0123456789"), whole = n;
    *ret_twice = false;
    if (at[n] == '.' && !begins_operator(at + n))
        n += 1 + strspn(at + n + 1, "0123456789");
    char e = (char)tolower((u8)at[n]);
    size_t sign = e == 'e' || e == 'd' ? n + 1 + (at[n + 1] == '+' || at[n + 1] == '-') : 0;
    if (sign && isdigit((u8)at[sign])) {
        *ret_twice = e == 'd';
        n = sign + strspn(at + sign, "0123456789");
    }
    return n > whole ? n : 0;
}

static struct tree *fortran_number(struct parser *p)
{
    bool twice;
    size_t length = real_length(p->at, &twice);
    const char *from = p->at;
    unsigned kind = 0;
    bool hex = from[0] == '0' && tolower((u8)from[1]) == 'x';
    if (length && !hex)
        return real_literal(p, length, twice);
    unsigned __int128 value = 0;
    for (p->at += hex ? 2 : 0; hex ? isxdigit((u8)*p->at) : isdigit((u8)*p->at); p->at++) {
        unsigned digit = isdigit((u8)*p->at) ? (unsigned)(*p->at - '0')
                                             : (unsigned)(tolower((u8)*p->at) - 'a') + 10;
        if (__builtin_mul_overflow(value, hex ? 16 : 10, &value) || value >> 127)
            return parse_fail(p, error_new("the number '%.40s' is too large", from));
        value += digit;
    }
    if (!take_suffix(p, &kind) ||
        (kind && kind != 1 && kind != 2 && kind != 4 && kind != 8 && kind != 16))
        return parse_fail(p, error_new("'%.20s' is not a number", from));
    kind = kind ? kind : value <= INT32_MAX ? 4 : value <= INT64_MAX ? 8 : 16;
    return parse_number_node(p, (struct number){.i = (__int128)value},
                               fortran_basic_type(p->v, "integer", kind));
}

/* Parses z'ff', o'17', b'101'; NULL: not such a literal. */
static struct tree *boz_literal(struct parser *p)
{
    char letter = (char)tolower((u8)p->at[0]), quote = p->at[1], *end;
    int base = letter == 'z' || letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (!base || (quote != '\'' && quote != '"'))
        return NULL;
    u64 value = strtoull(p->at + 2, &end, base);
    if (end == p->at + 2 || *end != quote)
        return parse_fail(p, error_new("'%.20s' is not a number", p->at));
    p->at = end + 1;
    return parse_number_node(p, (struct number){.i = value},
                               fortran_basic_type(p->v, "integer", value > INT32_MAX ? 8 : 4));
}

/* A quote within the text is written twice. */
static struct tree *text_literal(struct parser *p)
{
    char quote = *p->at++, *text = values_alloc(p->v, strlen(p->at) + 1);
    struct tree *t = parse_node(p, TREE_TEXT, NULL, NULL);
    for (; *p->at; p->at++) {
        if (*p->at == quote && p->at[1] != quote)
            break;
        p->at += *p->at == quote;
        text[t->length++] = *p->at;
    }
    if (!*p->at)
        return parse_fail(p, error_new("a string does not end"));
    p->at++;
    t->text = text;
    return t;
}

static struct tree *logical_literal(struct parser *p)
{
    bool yes = parse_take(p, ".true.") || parse_take(p, ".t.");
    if (!yes && !parse_take(p, ".false.") && !parse_take(p, ".f."))
        return NULL;
    unsigned kind = 4;
    take_suffix(p, &kind);
    bool known = kind == 1 || kind == 2 || kind == 8;
    return parse_number_node(p, (struct number){.i = yes},
                               fortran_basic_type(p->v, "logical", known ? kind : 4));
}

/* --- names ------------------------------------------------------------------------------------ */

static bool is_known_name(struct evaluation *v, const char *name)
{
    struct found_variable found;
    struct name_found global;
    bool code;
    u64 address;
    return variables_find(v, name, &found) ||
           names_find(v, name, NULL, NAME_VALUES, &global) ||
           names_find_symbol(v->symbols, name, &code, &address);
}

/* Names are in lower case in debug information, unless they come from C. */
static const char *fortran_word(struct parser *p, bool qualified)
{
    p->at += strspn(p->at, " \t");
    const char *from = p->at;
    if (!isalpha((u8)*from) && *from != '_')
        return NULL;
    for (;;) {
        while (parse_is_word(*p->at))
            p->at++;
        bool more = qualified && strncmp(p->at, "::", 2) == 0;
        if (!more || !(isalpha((u8)p->at[2]) || p->at[2] == '_'))
            break;
        p->at += 2;
    }
    const char *name = values_copy(p->v, from, (size_t)(p->at - from));
    const char *lower = fortran_lower(p->v, name);
    bool as_written = qualified && strcmp(name, lower) != 0 && !is_known_name(p->v, lower) &&
                      is_known_name(p->v, name);
    return as_written ? name : lower;
}

/* Parses an argument; ranges are allowed in subscripts. */
static struct tree *fortran_argument(struct parser *p)
{
    struct tree *from = parse_see(p, ":") ? NULL : fortran_expression(p);
    if (p->error || !parse_take(p, ":"))
        return from;
    struct tree *t = parse_node(p, TREE_RANGE, from, NULL);
    if (!parse_see(p, ":") && !parse_see(p, ",") && !parse_see(p, ")"))
        t->b = fortran_expression(p);
    if (parse_take(p, ":"))
        t->c = fortran_expression(p);
    return t;
}

static struct tree *fortran_arguments(struct parser *p, struct tree *t)
{
    t->arguments = LIST(struct tree *);
    while (!parse_see(p, ")") && !p->error) {
        struct tree *argument = fortran_argument(p);
        if (!p->error)
            *(struct tree **)list_add(&t->arguments) = argument;
        if (!parse_take(p, ",") && !parse_see(p, ")"))
            parse_need(p, ")");
    }
    *(void **)list_add(&p->v->memory) = t->arguments.items;
    parse_need(p, ")");
    return p->error ? NULL : t;
}

static struct tree *fortran_name(struct parser *p)
{
    struct tree *t = parse_node(p, TREE_NAME, NULL, NULL);
    t->text = fortran_word(p, true);
    if (!t->text)
        return parse_unexpected(p);
    size_t length = sizeof "@entry" - 1;
    if (strncmp(p->at, "@entry", length) == 0 && !parse_is_word(p->at[length])) {
        p->at += length;
        t->kind = TREE_ENTRY;
        return t;
    }
    struct found_variable found;
    if (parse_see(p, "(") && fortran_is_intrinsic(t->text) &&
        !variables_find(p->v, t->text, &found)) {
        p->at++;
        t->kind = TREE_INTRINSIC;
        return fortran_arguments(p, t);
    }
    return t;
}

/* --- operators -------------------------------------------------------------------------------- */

static struct tree *fortran_dollar(struct parser *p)
{
    struct tree *t = parse_node(p, TREE_REGISTER, NULL, NULL);
    const char *from = ++p->at;
    p->at += *p->at == '$';
    while (parse_is_word(*p->at))
        p->at++;
    t->text = values_copy(p->v, from, (size_t)(p->at - from));
    return t;
}

/* Parses parentheses: a complex number or an expression. */
static struct tree *parenthesis(struct parser *p)
{
    p->at++;
    struct tree *t = fortran_expression(p);
    if (t && parse_take(p, ","))
        t = parse_node(p, TREE_COMPLEX, t, fortran_expression(p));
    parse_need(p, ")");
    return p->error ? NULL : t;
}

static struct tree *fortran_at_type(struct parser *p)
{
    struct tree *t = parse_node(p, TREE_AT_TYPE, NULL, NULL);
    p->at++;
    t->type = fortran_type_read(p->v, &p->at);
    if (!t->type)
        return parse_fail(p, error_coded(ERROR_NOT_FOUND, "there is no type '%.40s'", p->at));
    parse_need(p, "}");
    t->a = fortran_unary(p);
    return p->error ? NULL : t;
}

static struct tree *fortran_primary(struct parser *p)
{
    p->at += strspn(p->at, " \t");
    char c = *p->at;
    struct tree *t;
    if (c == '(')
        return parenthesis(p);
    if (isdigit((u8)c) || (c == '.' && isdigit((u8)p->at[1])))
        return fortran_number(p);
    if (c == '\'' || c == '"')
        return text_literal(p);
    if (c == '$')
        return fortran_dollar(p);
    if (c == '{')
        return fortran_at_type(p);
    if (c == '.' && (t = logical_literal(p)))
        return t;
    if (isalpha((u8)c) && ((t = boz_literal(p)) || p->error))
        return t;
    return fortran_name(p);
}

static struct tree *fortran_postfix(struct parser *p)
{
    parse_skip_space(p);
    const char *from = p->at;
    struct tree *t = fortran_primary(p);
    while (t && !p->error) {
        parse_spell(p, t, from);
        if (parse_take(p, "(")) {
            t = fortran_arguments(p, parse_node(p, TREE_SUBSCRIPT, t, NULL));
        } else if (parse_take(p, "%")) {
            t = parse_node(p, TREE_MEMBER, t, NULL);
            t->text = fortran_word(p, false);
            if (!t->text)
                return parse_fail(p, error_new("a component's name is missing after %%"));
        } else if (parse_see(p, "@")) {
            p->at++;
            t = parse_node(p, TREE_SLICE, t, fortran_unary(p));
        } else {
            return t;
        }
    }
    return NULL;
}

/* Parses (integer(8)) x; NULL and no error: it is not a cast. */
static struct tree *fortran_cast(struct parser *p)
{
    const char *from = p->at;
    if (!parse_take(p, "("))
        return NULL;
    const char *inside = p->at;
    struct found_variable found;
    const char *name = fortran_word(p, true);
    bool is_variable = name && variables_find(p->v, name, &found);
    p->at = inside;
    struct type *type = is_variable ? NULL : fortran_type_read(p->v, &p->at);
    if (!type || !parse_take(p, ")")) {
        p->at = from;
        return NULL;
    }
    struct tree *t = parse_node(p, TREE_CAST, fortran_unary(p), NULL);
    t->type = type;
    return t;
}

static struct tree *fortran_unary(struct parser *p)
{
    struct tree *t = NULL;
    if (!parse_deeper(p))
        return NULL;
    if (parse_see(p, "*") || (parse_see(p, "&") && !parse_see(p, "&&"))) {
        enum tree_op op = *p->at++ == '*' ? OP_DEREF : OP_ADDRESS;
        t = parse_node_op(p, TREE_UNARY, op, fortran_unary(p), NULL);
    } else {
        t = fortran_cast(p);
        if (!t && !p->error)
            t = fortran_postfix(p);
    }
    p->depth--;
    return p->error ? NULL : t;
}

enum { LEVEL_NOT = 4, LEVEL_SUM = 6, LEVEL_PRODUCT = 7, LEVEL_POWER = 8 };
static const struct parse_operator fortran_operators[] = {
    {".eqv.", 1, TREE_BINARY, OP_EQ, false},
    {".neqv.", 1, TREE_BINARY, OP_NE, false},
    {".xor.", 1, TREE_BINARY, OP_NE, false},
    {".or.", 2, TREE_OR, OP_NONE, false},
    {"||", 2, TREE_OR, OP_NONE, false},
    {".and.", 3, TREE_AND, OP_NONE, false},
    {"&&", 3, TREE_AND, OP_NONE, false},
    {"==", 5, TREE_BINARY, OP_EQ, false},
    {".eq.", 5, TREE_BINARY, OP_EQ, false},
    {"/=", 5, TREE_BINARY, OP_NE, false},
    {".ne.", 5, TREE_BINARY, OP_NE, false},
    {"!=", 5, TREE_BINARY, OP_NE, false},
    {"<=", 5, TREE_BINARY, OP_LE, false},
    {".le.", 5, TREE_BINARY, OP_LE, false},
    {">=", 5, TREE_BINARY, OP_GE, false},
    {".ge.", 5, TREE_BINARY, OP_GE, false},
    {"<", 5, TREE_BINARY, OP_LT, false},
    {".lt.", 5, TREE_BINARY, OP_LT, false},
    {">", 5, TREE_BINARY, OP_GT, false},
    {".gt.", 5, TREE_BINARY, OP_GT, false},
    {"//", 0, TREE_BINARY, OP_NONE, false}, /* joins texts, which is not possible here */
    {"+", LEVEL_SUM, TREE_BINARY, OP_ADD, false},
    {"-", LEVEL_SUM, TREE_BINARY, OP_SUB, false},
    {"**", LEVEL_POWER, TREE_BINARY, OP_POWER, true},
    {"*", LEVEL_PRODUCT, TREE_BINARY, OP_MUL, false},
    {"/", LEVEL_PRODUCT, TREE_BINARY, OP_DIV, false},
};

/* .not. is before a comparison; a sign is before a product, so that -2**2 is -4. As in gdb a sign
 * may also stand after another operator: 2 * -3. */
static struct tree *fortran_operand(struct parser *p, unsigned level)
{
    if (level <= LEVEL_NOT && !parse_see(p, "!=") &&
        (parse_take(p, ".not.") || parse_take(p, "!")))
        return parse_node_op(p, TREE_UNARY, OP_NOT, parse_operators(p, LEVEL_NOT), NULL);
    bool minus = parse_take(p, "-");
    if (!minus && !parse_take(p, "+"))
        return fortran_unary(p);
    struct tree *t = parse_operators(p, level > LEVEL_PRODUCT ? level : LEVEL_PRODUCT);
    return parse_node_op(p, TREE_UNARY, minus ? OP_NEG : OP_PLUS, t, NULL);
}

static const struct parse_language fortran_language = {
    .operators = fortran_operators, .count = countof(fortran_operators), .any_case = true,
    .operand = fortran_operand,
};

static struct tree *fortran_expression(struct parser *p)
{
    struct tree *t = parse_operators(p, 1);
    if (t && parse_see(p, "//"))
        return parse_fail(p, error_new("texts cannot be joined here"));
    return t;
}

static struct tree *fortran_assignment(struct parser *p)
{
    struct tree *t = fortran_expression(p);
    if (t && parse_take(p, "="))
        t = parse_node(p, TREE_ASSIGN, t, fortran_expression(p));
    return p->error ? NULL : t;
}

/* Parses a type alone, for ptype. A variable of the same name takes precedence. */
static struct tree *fortran_whole_type(struct parser *p)
{
    const char *from = p->at;
    struct found_variable found;
    const char *name = fortran_word(p, true);
    p->at += strspn(p->at, " \t");
    bool is_variable = name && !*p->at && variables_find(p->v, name, &found);
    p->at = from;
    struct type *type = is_variable ? NULL : fortran_type_read(p->v, &p->at);
    p->at += strspn(p->at, " \t");
    if (!type || *p->at) {
        p->at = from;
        return NULL;
    }
    struct tree *t = parse_node(p, TREE_TYPE, NULL, NULL);
    t->type = type;
    return t;
}

struct error *fortran_parse(struct evaluation *v, const char *text, struct tree **ret)
{
    struct parser p = {.language = &fortran_language, .v = v, .at = text};
    p.at += strspn(p.at, " \t");
    if (!*p.at)
        return error_new("an expression is missing");
    struct tree *t = fortran_whole_type(&p);
    if (!t)
        t = fortran_assignment(&p);
    p.at += strspn(p.at, " \t");
    if (!p.error && *p.at)
        parse_unexpected(&p);
    if (!p.error && !t)
        return error_coded(ERROR_MISUSED, "the expression is not understood");
    *ret = t;
    return p.error;
}
