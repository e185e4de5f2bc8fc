/* Parses Fortran expressions into trees, by recursive descent.
 *
 * The levels are those of the language: .eqv., .or., .and., .not., comparisons, + and - (also as
 * signs), * and /, **. As in gdb, the parser also accepts *p, &x, x@n, {type} address, (type) x and
 * $1.
 */
#include <ctype.h>
#include <errno.h>

#include "symbols/fortran_internal.h"

enum { FORTRAN_NEST_MOST = 200 };

struct fortran_parser {
    struct evaluation *v;
    const char *at;
    struct error *error; /* the first */
    unsigned depth;
};

static struct tree *fortran_expression(struct fortran_parser *p);
static struct tree *fortran_unary(struct fortran_parser *p);

static struct tree *fortran_fail(struct fortran_parser *p, struct error *err)
{
    if (p->error)
        error_destroy(err);
    else
        p->error = err;
    p->at += strlen(p->at);
    return NULL;
}

static struct tree *fortran_node(struct fortran_parser *p, enum tree_kind kind, struct tree *a,
                                 struct tree *b)
{
    struct tree *t = values_alloc(p->v, sizeof *t);
    *t = (struct tree){.kind = kind, .a = a, .b = b};
    return t;
}

static struct tree *fortran_node_op(struct fortran_parser *p, enum tree_kind kind, enum tree_op op,
                                    struct tree *a, struct tree *b)
{
    struct tree *t = fortran_node(p, kind, a, b);
    t->op = op;
    return t;
}

static bool fortran_is_word(char c)
{
    return isalnum((u8)c) || c == '_';
}

/* True if the next characters are `text`, in upper or lower case, and not the beginning of a longer
 * word. */
static bool fortran_see(struct fortran_parser *p, const char *text)
{
    size_t length = strlen(text);
    p->at += strspn(p->at, " \t");
    return strncasecmp(p->at, text, length) == 0 &&
           !(fortran_is_word(text[length - 1]) && fortran_is_word(p->at[length]));
}

static bool fortran_take(struct fortran_parser *p, const char *text)
{
    if (!fortran_see(p, text))
        return false;
    p->at += strlen(text);
    return true;
}

static struct tree *fortran_unexpected(struct fortran_parser *p)
{
    p->at += strspn(p->at, " \t");
    return fortran_fail(p, *p->at ? error_new("'%.20s' is not expected there", p->at)
                                  : error_coded(ERROR_MISUSED, "the expression ends too early"));
}

static void fortran_need(struct fortran_parser *p, const char *text)
{
    if (!fortran_take(p, text) && !p->error)
        fortran_fail(p, *p->at ? error_new("'%s' is missing before '%.20s'", text, p->at)
                               : error_new("'%s' is missing at the end", text));
}

/* --- literals --------------------------------------------------------------------------------- */

static struct tree *fortran_number_node(struct fortran_parser *p, struct number n, struct type *t)
{
    struct tree *tree = fortran_node(p, TREE_NUMBER, NULL, NULL);
    tree->number = n;
    tree->type = t;
    return tree;
}

/* True if the dot here begins an operator, as in 1.eq.2. */
static bool begins_operator(const char *at)
{
    size_t letters = 1;
    while (isalpha((u8)at[letters]))
        letters++;
    return letters > 1 && at[letters] == '.';
}

/* Takes a kind suffix such as _8 after a number; false: another suffix follows. */
static bool take_suffix(struct fortran_parser *p, unsigned *kind)
{
    char *end;
    if (*p->at != '_')
        return !fortran_is_word(*p->at);
    *kind = (unsigned)strtoul(p->at + 1, &end, 10);
    bool good = end > p->at + 1 && !fortran_is_word(*end);
    p->at = end;
    return good;
}

static struct tree *real_literal(struct fortran_parser *p, size_t length, bool twice)
{
    char text[128];
    const char *from = p->at;
    unsigned kind = twice ? 8 : 0;
    if (length >= sizeof text)
        return fortran_fail(p, error_new("the number '%.20s...' is too long", from));
    memcpy(text, from, length);
    text[length] = 0;
    for (char *c = text; *c; c++)
        if (tolower((u8)*c) == 'd')
            *c = 'e';
    p->at += length;
    if (!take_suffix(p, &kind) || (kind && kind != 4 && kind != 8 && kind != 10 && kind != 16))
        return fortran_fail(p, error_new("'%.20s' is not a number", from));
    struct type *t = fortran_basic_type(p->v, "real", kind ? kind : 8);
    if (!kind)
        t->name = "real*8"; /* gdb's; a comparison with real(4) takes it as that (operators) */
    return fortran_number_node(p, (struct number){.is_float = true, .f = strtold(text, NULL)}, t);
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

static struct tree *fortran_number(struct fortran_parser *p)
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
            return fortran_fail(p, error_new("the number '%.40s' is too large", from));
        value += digit;
    }
    if (!take_suffix(p, &kind) ||
        (kind && kind != 1 && kind != 2 && kind != 4 && kind != 8 && kind != 16))
        return fortran_fail(p, error_new("'%.20s' is not a number", from));
    kind = kind ? kind : value <= INT32_MAX ? 4 : value <= INT64_MAX ? 8 : 16;
    return fortran_number_node(p, (struct number){.i = (__int128)value},
                               fortran_basic_type(p->v, "integer", kind));
}

/* Parses z'ff', o'17', b'101'; NULL: not such a literal. */
static struct tree *boz_literal(struct fortran_parser *p)
{
    char letter = (char)tolower((u8)p->at[0]), quote = p->at[1], *end;
    int base = letter == 'z' || letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
    if (!base || (quote != '\'' && quote != '"'))
        return NULL;
    u64 value = strtoull(p->at + 2, &end, base);
    if (end == p->at + 2 || *end != quote)
        return fortran_fail(p, error_new("'%.20s' is not a number", p->at));
    p->at = end + 1;
    return fortran_number_node(p, (struct number){.i = value},
                               fortran_basic_type(p->v, "integer", value > INT32_MAX ? 8 : 4));
}

/* A quote within the text is written twice. */
static struct tree *text_literal(struct fortran_parser *p)
{
    char quote = *p->at++, *text = values_alloc(p->v, strlen(p->at) + 1);
    struct tree *t = fortran_node(p, TREE_TEXT, NULL, NULL);
    for (; *p->at; p->at++) {
        if (*p->at == quote && p->at[1] != quote)
            break;
        p->at += *p->at == quote;
        text[t->length++] = *p->at;
    }
    if (!*p->at)
        return fortran_fail(p, error_new("a string does not end"));
    p->at++;
    t->text = text;
    return t;
}

static struct tree *logical_literal(struct fortran_parser *p)
{
    bool yes = fortran_take(p, ".true.") || fortran_take(p, ".t.");
    if (!yes && !fortran_take(p, ".false.") && !fortran_take(p, ".f."))
        return NULL;
    unsigned kind = 4;
    take_suffix(p, &kind);
    bool known = kind == 1 || kind == 2 || kind == 8;
    return fortran_number_node(p, (struct number){.i = yes},
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
static const char *fortran_word(struct fortran_parser *p, bool qualified)
{
    p->at += strspn(p->at, " \t");
    const char *from = p->at;
    if (!isalpha((u8)*from) && *from != '_')
        return NULL;
    for (;;) {
        while (fortran_is_word(*p->at))
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
static struct tree *fortran_argument(struct fortran_parser *p)
{
    struct tree *from = fortran_see(p, ":") ? NULL : fortran_expression(p);
    if (p->error || !fortran_take(p, ":"))
        return from;
    struct tree *t = fortran_node(p, TREE_RANGE, from, NULL);
    if (!fortran_see(p, ":") && !fortran_see(p, ",") && !fortran_see(p, ")"))
        t->b = fortran_expression(p);
    if (fortran_take(p, ":"))
        t->c = fortran_expression(p);
    return t;
}

static struct tree *fortran_arguments(struct fortran_parser *p, struct tree *t)
{
    t->arguments = LIST(struct tree *);
    while (!fortran_see(p, ")") && !p->error) {
        struct tree *argument = fortran_argument(p);
        if (!p->error)
            *(struct tree **)list_add(&t->arguments) = argument;
        if (!fortran_take(p, ",") && !fortran_see(p, ")"))
            fortran_need(p, ")");
    }
    *(void **)list_add(&p->v->memory) = t->arguments.items;
    fortran_need(p, ")");
    return p->error ? NULL : t;
}

static struct tree *fortran_name(struct fortran_parser *p)
{
    struct tree *t = fortran_node(p, TREE_NAME, NULL, NULL);
    t->text = fortran_word(p, true);
    if (!t->text)
        return fortran_unexpected(p);
    size_t length = sizeof "@entry" - 1;
    if (strncmp(p->at, "@entry", length) == 0 && !fortran_is_word(p->at[length])) {
        p->at += length;
        t->kind = TREE_ENTRY;
        return t;
    }
    struct found_variable found;
    if (fortran_see(p, "(") && fortran_is_intrinsic(t->text) &&
        !variables_find(p->v, t->text, &found)) {
        p->at++;
        t->kind = TREE_INTRINSIC;
        return fortran_arguments(p, t);
    }
    return t;
}

/* --- operators -------------------------------------------------------------------------------- */

static struct tree *fortran_dollar(struct fortran_parser *p)
{
    struct tree *t = fortran_node(p, TREE_REGISTER, NULL, NULL);
    const char *from = ++p->at;
    p->at += *p->at == '$';
    while (fortran_is_word(*p->at))
        p->at++;
    t->text = values_copy(p->v, from, (size_t)(p->at - from));
    return t;
}

/* Parses parentheses: a complex number or an expression. */
static struct tree *parenthesis(struct fortran_parser *p)
{
    p->at++;
    struct tree *t = fortran_expression(p);
    if (t && fortran_take(p, ","))
        t = fortran_node(p, TREE_COMPLEX, t, fortran_expression(p));
    fortran_need(p, ")");
    return p->error ? NULL : t;
}

static struct tree *fortran_at_type(struct fortran_parser *p)
{
    struct tree *t = fortran_node(p, TREE_AT_TYPE, NULL, NULL);
    p->at++;
    t->type = fortran_type_read(p->v, &p->at);
    if (!t->type)
        return fortran_fail(p, error_coded(ERROR_NOT_FOUND, "there is no type '%.40s'", p->at));
    fortran_need(p, "}");
    t->a = fortran_unary(p);
    return p->error ? NULL : t;
}

static struct tree *fortran_primary(struct fortran_parser *p)
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

static struct tree *fortran_postfix(struct fortran_parser *p)
{
    struct tree *t = fortran_primary(p);
    while (t && !p->error) {
        if (fortran_take(p, "(")) {
            t = fortran_arguments(p, fortran_node(p, TREE_SUBSCRIPT, t, NULL));
        } else if (fortran_take(p, "%")) {
            t = fortran_node(p, TREE_MEMBER, t, NULL);
            t->text = fortran_word(p, false);
            if (!t->text)
                return fortran_fail(p, error_new("a component's name is missing after %%"));
        } else if (fortran_see(p, "@")) {
            p->at++;
            t = fortran_node(p, TREE_SLICE, t, fortran_unary(p));
        } else {
            return t;
        }
    }
    return NULL;
}

/* Parses (integer(8)) x; NULL and no error: it is not a cast. */
static struct tree *fortran_cast(struct fortran_parser *p)
{
    const char *from = p->at;
    if (!fortran_take(p, "("))
        return NULL;
    const char *inside = p->at;
    struct found_variable found;
    const char *name = fortran_word(p, true);
    bool is_variable = name && variables_find(p->v, name, &found);
    p->at = inside;
    struct type *type = is_variable ? NULL : fortran_type_read(p->v, &p->at);
    if (!type || !fortran_take(p, ")")) {
        p->at = from;
        return NULL;
    }
    struct tree *t = fortran_node(p, TREE_CAST, fortran_unary(p), NULL);
    t->type = type;
    return t;
}

static struct tree *fortran_unary(struct fortran_parser *p)
{
    struct tree *t = NULL;
    if (p->depth++ > FORTRAN_NEST_MOST)
        return fortran_fail(p, error_new("the expression is nested too deeply"));
    if (fortran_see(p, "*") || (fortran_see(p, "&") && !fortran_see(p, "&&"))) {
        enum tree_op op = *p->at++ == '*' ? OP_DEREF : OP_ADDRESS;
        t = fortran_node_op(p, TREE_UNARY, op, fortran_unary(p), NULL);
    } else {
        t = fortran_cast(p);
        if (!t && !p->error)
            t = fortran_postfix(p);
    }
    p->depth--;
    return p->error ? NULL : t;
}

static struct tree *fortran_sum(struct fortran_parser *p);

/* Exponentiation groups from the right; its exponent may have a sign. */
static struct tree *fortran_factor(struct fortran_parser *p)
{
    struct tree *t = fortran_unary(p);
    if (!t || !fortran_take(p, "**"))
        return t;
    if (p->depth++ > FORTRAN_NEST_MOST)
        return fortran_fail(p, error_new("the expression is nested too deeply"));
    bool minus = fortran_take(p, "-");
    if (!minus)
        fortran_take(p, "+");
    struct tree *b = fortran_factor(p);
    if (minus)
        b = fortran_node_op(p, TREE_UNARY, OP_NEG, b, NULL);
    p->depth--;
    return p->error ? NULL : fortran_node_op(p, TREE_BINARY, OP_POWER, t, b);
}

static struct tree *fortran_product(struct fortran_parser *p)
{
    struct tree *t = fortran_factor(p);
    while (t && !fortran_see(p, "**") && !fortran_see(p, "/=") && !fortran_see(p, "//") &&
           (fortran_see(p, "*") || fortran_see(p, "/"))) {
        enum tree_op op = *p->at++ == '*' ? OP_MUL : OP_DIV;
        t = fortran_node_op(p, TREE_BINARY, op, t, fortran_factor(p));
    }
    return p->error ? NULL : t;
}

/* A sign belongs to the first product: -2**2 is -4. */
static struct tree *fortran_sum(struct fortran_parser *p)
{
    bool minus = fortran_take(p, "-"), plus = !minus && fortran_take(p, "+");
    struct tree *t = minus && fortran_see(p, "-") ? fortran_sum(p) : fortran_product(p);
    if (t && (minus || plus))
        t = fortran_node_op(p, TREE_UNARY, minus ? OP_NEG : OP_PLUS, t, NULL);
    while (t && (fortran_see(p, "+") || fortran_see(p, "-"))) {
        enum tree_op op = *p->at++ == '+' ? OP_ADD : OP_SUB;
        bool negative = fortran_take(p, "-"); /* gdb allows it */
        struct tree *b = fortran_product(p);
        if (negative)
            b = fortran_node_op(p, TREE_UNARY, OP_NEG, b, NULL);
        t = fortran_node_op(p, TREE_BINARY, op, t, b);
    }
    if (t && fortran_see(p, "//"))
        return fortran_fail(p, error_new("texts cannot be joined here"));
    return p->error ? NULL : t;
}

static struct tree *fortran_comparison(struct fortran_parser *p)
{
    static const struct { const char *text; enum tree_op op; } ops[] = {
        {"==", OP_EQ},   {".eq.", OP_EQ}, {"/=", OP_NE},   {".ne.", OP_NE}, {"!=", OP_NE},
        {"<=", OP_LE},   {".le.", OP_LE}, {">=", OP_GE},   {".ge.", OP_GE}, {"<", OP_LT},
        {".lt.", OP_LT}, {">", OP_GT},    {".gt.", OP_GT},
    };
    struct tree *t = fortran_sum(p);
    for (size_t n = 0; t && n < countof(ops); n++)
        if (fortran_take(p, ops[n].text)) {
            t = fortran_node_op(p, TREE_BINARY, ops[n].op, t, fortran_sum(p));
            n = (size_t)-1; /* start again from the first */
        }
    return p->error ? NULL : t;
}

static struct tree *fortran_not(struct fortran_parser *p)
{
    if (p->depth++ > FORTRAN_NEST_MOST)
        return fortran_fail(p, error_new("the expression is nested too deeply"));
    bool negates = fortran_take(p, ".not.") || (!fortran_see(p, "!=") && fortran_take(p, "!"));
    struct tree *t = negates ? fortran_not(p) : fortran_comparison(p);
    p->depth--;
    return p->error || !negates ? t : fortran_node_op(p, TREE_UNARY, OP_NOT, t, NULL);
}

static struct tree *fortran_and(struct fortran_parser *p)
{
    struct tree *t = fortran_not(p);
    while (t && (fortran_take(p, ".and.") || fortran_take(p, "&&")))
        t = fortran_node(p, TREE_AND, t, fortran_not(p));
    return p->error ? NULL : t;
}

static struct tree *fortran_or(struct fortran_parser *p)
{
    struct tree *t = fortran_and(p);
    while (t && (fortran_take(p, ".or.") || fortran_take(p, "||")))
        t = fortran_node(p, TREE_OR, t, fortran_and(p));
    return p->error ? NULL : t;
}

static struct tree *fortran_expression(struct fortran_parser *p)
{
    if (p->depth++ > FORTRAN_NEST_MOST)
        return fortran_fail(p, error_new("the expression is nested too deeply"));
    struct tree *t = fortran_or(p);
    bool same = false;
    while (t && ((same = fortran_take(p, ".eqv.")) || fortran_take(p, ".neqv.") ||
                 fortran_take(p, ".xor.")))
        t = fortran_node_op(p, TREE_BINARY, same ? OP_EQ : OP_NE, t, fortran_or(p));
    p->depth--;
    return p->error ? NULL : t;
}

static struct tree *fortran_assignment(struct fortran_parser *p)
{
    struct tree *t = fortran_expression(p);
    if (t && fortran_take(p, "="))
        t = fortran_node(p, TREE_ASSIGN, t, fortran_expression(p));
    return p->error ? NULL : t;
}

/* Parses a type alone, for ptype. A variable of the same name takes precedence. */
static struct tree *fortran_whole_type(struct fortran_parser *p)
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
    struct tree *t = fortran_node(p, TREE_TYPE, NULL, NULL);
    t->type = type;
    return t;
}

struct error *fortran_parse(struct evaluation *v, const char *text, struct tree **ret)
{
    struct fortran_parser p = {.v = v, .at = text};
    p.at += strspn(p.at, " \t");
    if (!*p.at)
        return error_new("an expression is missing");
    struct tree *t = fortran_whole_type(&p);
    if (!t)
        t = fortran_assignment(&p);
    p.at += strspn(p.at, " \t");
    if (!p.error && *p.at)
        fortran_unexpected(&p);
    if (!p.error && !t)
        return error_coded(ERROR_MISUSED, "the expression is not understood");
    *ret = t;
    return p.error;
}
