/* Parses expressions of C and C++ into trees, by recursive descent.
 *
 * Only debug information tells whether `(name)` is a cast, so the parser looks names up. A variable
 * of the frame hides a type of the same name.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>

#include "symbols/fortran_internal.h"
#include "symbols/parser.h"
#include "symbols/rust_internal.h"

static const char ANONYMOUS[] = "(anonymous namespace)";

/* --- names and types -------------------------------------------------------------------------- */

static const char *word(struct parser *p)
{
    parse_skip_space(p);
    const char *from = p->at;
    if (!isalpha((u8)*from) && *from != '_')
        return NULL;
    while (parse_is_word(*p->at))
        p->at++;
    return values_copy(p->v, from, (size_t)(p->at - from));
}

/* The length of "<int, foo<3> >" after a name; 0: there is none. */
static size_t template_length(const char *at)
{
    unsigned deep = 0;
    for (size_t n = 0; at[n]; n++) {
        deep += at[n] == '<';
        if (at[n] == '>' && --deep == 0)
            return n + 1;
        if (!deep || !(parse_is_word(at[n]) || strchr("<> ,:*&()[]-", at[n])))
            return 0;
    }
    return 0;
}

static bool names_type(struct parser *p, const char *name)
{
    struct name_found found;
    return names_find(p->v, name, variables_space(p->v), 1u << NAME_TYPE | 1u << NAME_FUNCTION,
                      &found) ||
           names_find_instance(p->v, name, &found);
}

/* A name with its name spaces and template arguments: N::vector<int>::size. */
static const char *qualified(struct parser *p)
{
    parse_skip_space(p);
    const char *from = p->at;
    if (strncmp(p->at, "::", 2) == 0)
        p->at += 2;
    for (;;) {
        if (*p->at == '~')
            p->at++;
        if (strncmp(p->at, ANONYMOUS, sizeof ANONYMOUS - 1) == 0)
            p->at += sizeof ANONYMOUS - 1;
        else if (!word(p))
            break;
        size_t more = *p->at == '<' ? template_length(p->at) : 0;
        if (more && names_type(p, values_copy(p->v, from, (size_t)(p->at - from) + more)))
            p->at += more;
        if (strncmp(p->at, "::", 2) != 0)
            break;
        p->at += 2;
    }
    return p->at == from ? NULL : values_copy(p->v, from, (size_t)(p->at - from));
}

struct type *type_named(struct evaluation *v, const char *keyword, const char *name)
{
    struct name_found found;
    struct name_meaning m;
    struct type *t;
    unsigned tags = keyword ? NAME_ONLY_TAGS : v->cplusplus ? 0 : NAME_NO_TAGS;
    bool known = lookup_name(v, name, 1u << NAME_TYPE | tags, &m);
    if (known || names_find_instance(v, name, &found)) {
        t = known ? type_of(v, m.variable.module, &m.variable.die)
                  : type_of(v, found.module, &found.entry.die);
        struct type *plain = type_plain(v, t);
        bool is_tag = (t->kind == TYPE_STRUCT || t->kind == TYPE_ENUM) && t->language == LANGUAGE_C;
        if ((!keyword && (!is_tag || v->cplusplus)) ||
            (keyword && plain->keyword &&
             (strcmp(plain->keyword, keyword) == 0 || plain->kind == TYPE_STRUCT)))
            return t;
    }
    return keyword ? NULL : type_builtin(v, name);
}

/* unsigned, long and so on, in any order. */
static struct type *basic_type(struct parser *p)
{
    static const char *const words[] = {"unsigned", "signed", "long", "short", "int",  "char",
                                        "float",    "double", "void", "_Bool", "bool", "__int128"};
    enum {
        UNSIGNED,
        SIGNED,
        LONG,
        SHORT,
        INT,
        CHAR,
        FLOAT,
        DOUBLE,
        VOID,
        C_BOOL,
        BOOL,
        INT128,
        WORDS
    };
    unsigned seen[WORDS] = {0}, all = 0;
    for (bool more = true; more;) {
        more = false;
        for (unsigned n = 0; n < WORDS && !more; n++)
            if (parse_take(p, words[n])) {
                more = true;
                all++;
                seen[n]++;
            }
    }
    if (!all)
        return NULL;
    for (unsigned n = FLOAT; n <= BOOL; n++)
        if (seen[n] && !(n == DOUBLE && seen[LONG]))
            return type_builtin(p->v, words[n]);
    if (seen[DOUBLE])
        return type_builtin(p->v, "long double");
    if (seen[CHAR])
        return type_builtin(p->v, seen[UNSIGNED] ? "unsigned char"
                                  : seen[SIGNED] ? "signed char"
                                                 : "char");
    if (seen[INT128])
        return type_builtin(p->v, seen[UNSIGNED] ? "unsigned __int128" : "__int128");
    const char *size = seen[SHORT]      ? "short"
                       : seen[LONG] > 1 ? "long long"
                       : seen[LONG]     ? "long"
                                        : "int";
    char name[32];
    snprintf(name, sizeof name, "%s%s", seen[UNSIGNED] ? "unsigned " : "", size);
    return type_builtin(p->v, name);
}

/* True if the name is a variable here, and therefore not a type. */
static bool is_variable_name(struct parser *p, const char *name)
{
    struct name_meaning m, type;
    if (!lookup_value(p->v, name, &m) || m.kind == NAME_TYPE)
        return false;
    /* in C++ a constructor has the name of its class */
    return m.kind != NAME_FUNCTION || !p->v->cplusplus ||
           !lookup_name(p->v, name, 1u << NAME_TYPE, &type);
}

static bool take_qualifier(struct parser *p, bool *ret_const)
{
    if (parse_take(p, "const"))
        return *ret_const = true;
    return parse_take(p, "volatile") || parse_take(p, "restrict") || parse_take(p, "typename");
}

/* NULL without an error: there is no type here, and nothing was consumed. */
static struct type *type_specifier(struct parser *p)
{
    static const char *const keywords[] = {"struct", "union", "class", "enum"};
    const char *from = p->at, *keyword = NULL;
    bool is_const = false;
    while (take_qualifier(p, &is_const))
        ;
    struct type *t = basic_type(p);
    for (size_t n = 0; n < countof(keywords) && !t; n++)
        if (!keyword && parse_take(p, keywords[n]))
            keyword = keywords[n];
    if (!t) {
        const char *name = qualified(p);
        if (name && (keyword || !is_variable_name(p, name)))
            t = type_named(p->v, keyword, name);
        if (!t && keyword && !p->error)
            parse_fail(p, name ? error_new("there is no %s %s", keyword, name)
                         : error_new("a name is missing after '%s'", keyword));
    }
    if (!t) {
        p->at = p->error ? p->at : from;
        return NULL;
    }
    while (take_qualifier(p, &is_const))
        ;
    return is_const ? type_const(p->v, t) : t;
}

static struct type *pointers(struct parser *p, struct type *t)
{
    bool is_const = false;
    for (;;) {
        if (parse_take(p, "*")) {
            t = type_pointer(p->v, t);
        } else if (parse_see(p, "&") && !parse_see(p, "&&")) {
            parse_take(p, "&");
            t = type_pointer(p->v, t);
            t->kind = TYPE_REFERENCE;
        } else if (take_qualifier(p, &is_const)) {
            t = is_const ? type_const(p->v, t) : t;
            is_const = false;
        } else {
            return t;
        }
    }
}

static bool integer_literal(struct parser *p, u64 *ret)
{
    char *end;
    parse_skip_space(p);
    if (!isdigit((u8)*p->at))
        return false;
    *ret = strtoull(p->at, &end, 0);
    p->at = end;
    return true;
}

static struct type *type_name(struct parser *p);

/* Parses (int), (char *, long, ...): the parameters are the type's members; with `...` it
 * is_counted. */
static struct type *function_of(struct parser *p, struct type *t)
{
    struct type *f = type_new(p->v, TYPE_FUNCTION, NULL, 1);
    f->target = t;
    while (!parse_see(p, ")") && !p->error && *p->at) {
        struct type *parameter = NULL;
        if (parse_take(p, "..."))
            f->is_counted = true;
        else if (!parse_take(p, ",") && !(parameter = type_name(p)))
            parse_unexpected(p);
        if (parameter && type_plain(p->v, parameter)->kind != TYPE_VOID)
            *(struct member *)list_add(&f->members) = (struct member){.type = parameter};
    }
    *(void **)list_add(&p->v->memory) = f->members.items;
    parse_need(p, ")");
    return f;
}

/* [3][4]: the first is the outermost. */
static struct type *arrays(struct parser *p, struct type *t)
{
    u64 count = 0;
    if (!parse_take(p, "["))
        return t;
    integer_literal(p, &count);
    parse_need(p, "]");
    return type_array(p->v, arrays(p, t), count);
}

static bool is_rust(const struct parser *p)
{
    return p->v->language == LANGUAGE_RUST;
}

/* NULL: there is no type, or a variable has its name. */
static struct type *rust_type_name(struct parser *p)
{
    parse_skip_space(p);
    const char *from = p->at, *name = qualified(p);
    bool is_variable = name && is_variable_name(p, name);
    p->at = from;
    return is_variable ? NULL : rust_type_read(p->v, &p->at);
}

/* A type with an abstract declarator: `char *(*)[3]`. */
static struct type *type_name(struct parser *p)
{
    if (is_rust(p))
        return rust_type_name(p);
    struct type *t = type_specifier(p);
    if (!t || p->depth++ > PARSE_NEST_MOST)
        return NULL;
    t = pointers(p, t);
    const char *from = p->at;
    if (parse_take(p, "(") && parse_see(p, "*")) {
        unsigned stars = 0;
        while (parse_take(p, "*"))
            stars++;
        u64 count = 0;
        bool array = parse_take(p, "[");
        if (array) {
            integer_literal(p, &count);
            parse_need(p, "]");
        }
        parse_need(p, ")");
        t = parse_take(p, "(") ? function_of(p, t) : arrays(p, t);
        while (stars--)
            t = type_pointer(p->v, t);
        if (array)
            t = type_array(p->v, t, count);
    } else {
        p->at = from;
        t = arrays(p, t);
    }
    p->depth--;
    return t;
}

/* --- literals --------------------------------------------------------------------------------- */

static struct tree *float_literal(struct parser *p)
{
    char *end;
    long double f = strtold(p->at, &end);
    p->at = end;
    const char *type = "double";
    if (*p->at == 'f' || *p->at == 'F')
        type = "float", p->at++;
    else if (*p->at == 'l' || *p->at == 'L')
        type = "long double", p->at++;
    if (parse_is_word(*p->at))
        return parse_fail(p, error_new("'%.20s' is not a number", end));
    return parse_number_node(p, (struct number){.is_float = true, .f = f},
                             type_builtin(p->v, type));
}

static bool parse_is_float(const char *at)
{
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    if (hex)
        return false;
    while (isdigit((u8)*at))
        at++;
    return *at == '.' || *at == 'e' || *at == 'E';
}

static u64 digits(struct parser *p, char **ret_end)
{
    if (p->at[0] == '0' && (p->at[1] == 'b' || p->at[1] == 'B')) {
        u64 value = strtoull(p->at + 2, ret_end, 2);
        if (*ret_end == p->at + 2)
            *ret_end = (char *)p->at + 1;
        return value;
    }
    return strtoull(p->at, ret_end, 0);
}

static struct tree *rust_literal(struct parser *p,
                                 struct error *(*read)(struct evaluation *v, const char **at,
                                                       struct number *ret, struct type **ret_type))
{
    struct number n;
    struct type *t;
    struct error *err = read(p->v, &p->at, &n, &t);
    return err ? parse_fail(p, err) : parse_number_node(p, n, t);
}

static struct tree *parse_number(struct parser *p)
{
    if (is_rust(p))
        return rust_literal(p, rust_read_number);
    if (parse_is_float(p->at))
        return float_literal(p);
    char *end;
    const char *from = p->at;
    bool is_unsigned = false;
    unsigned longs = 0;
    errno = 0;
    u64 value = digits(p, &end);
    bool decimal = from[0] != '0';
    if (errno)
        return parse_fail(p, error_new("the number '%.30s' is too large", from));
    for (p->at = end; *p->at && strchr("uUlL", *p->at); p->at++)
        if (tolower((u8)*p->at) == 'u')
            is_unsigned = true;
        else
            longs++;
    if (parse_is_word(*p->at))
        return parse_fail(p, error_new("'%.20s' is not a number", from));
    bool wide = longs || value > UINT32_MAX || (value > INT32_MAX && decimal && !is_unsigned);
    if (value > (wide ? (u64)INT64_MAX : (u64)INT32_MAX))
        is_unsigned = true;
    const char *type = wide          ? (is_unsigned ? "unsigned long" : "long")
                       : is_unsigned ? "unsigned int"
                                     : "int";
    return parse_number_node(p, (struct number){.i = value}, type_builtin(p->v, type));
}

static u32 escape(struct parser *p)
{
    static const char letters[] = "abefnrtv", values[] = "\a\b\033\f\n\r\t\v";
    char c = *p->at++;
    const char *known = c ? strchr(letters, c) : NULL;
    u32 value = 0;
    if (known)
        return (u8)values[known - letters];
    if (c == 'x') {
        while (isxdigit((u8)*p->at))
            value = value * 16 +
                    (isdigit((u8)*p->at) ? *p->at - '0' : (tolower((u8)*p->at) - 'a' + 10)),
            p->at++;
        return value;
    }
    if (c >= '0' && c <= '7') {
        value = c - '0';
        for (unsigned n = 0; n < 2 && *p->at >= '0' && *p->at <= '7'; n++)
            value = value * 8 + *p->at++ - '0';
        return value;
    }
    if (!c)
        p->at--;
    return (u8)c;
}

static struct tree *character(struct parser *p)
{
    if (is_rust(p))
        return rust_literal(p, rust_read_character);
    p->at++;
    u32 value = (u8)*p->at++;
    if (value == '\\')
        value = escape(p);
    if (!value && !p->at[-1])
        return p->at--, parse_fail(p, error_new("a character constant does not end"));
    if (*p->at != '\'')
        return parse_fail(p, error_new("a character constant does not end"));
    p->at++;
    return parse_number_node(p, (struct number){.i = (i8)value}, type_builtin(p->v, "char"));
}

static struct tree *parse_string(struct parser *p)
{
    struct tree *t = parse_node(p, TREE_STRING, NULL, NULL);
    char *text = values_alloc(p->v, strlen(p->at) + 1);
    for (p->at++; *p->at && *p->at != '"';)
        if (*p->at == '\\') {
            p->at++;
            text[t->length++] = (char)escape(p);
        } else {
            text[t->length++] = *p->at++;
        }
    if (!*p->at)
        return parse_fail(p, error_new("a string does not end"));
    p->at++;
    t->text = text;
    return t;
}

/* Parses 'file.c'::name, a quoted name, or a character. */
static struct tree *quoted(struct parser *p)
{
    const char *close = strchr(p->at + 1, '\'');
    bool is_name = close && close > p->at + 2 && p->at[1] != '\\' && !is_rust(p);
    if (is_name && strncmp(close + 1, "::", 2) != 0) {
        struct tree *t = parse_node(p, TREE_NAME, NULL, NULL);
        t->text = values_copy(p->v, p->at + 1, (size_t)(close - p->at - 1));
        p->at = close + 1;
        return t;
    }
    if (!close || strncmp(close + 1, "::", 2) != 0)
        return character(p);
    struct tree *t = parse_node(p, TREE_FILE_NAME, NULL, NULL);
    t->file = values_copy(p->v, p->at + 1, (size_t)(close - p->at - 1));
    p->at = close + 3;
    t->text = qualified(p);
    return t->text ? t : parse_unexpected(p);
}

/* --- operators -------------------------------------------------------------------------------- */

static struct tree *comma(struct parser *p);
static struct tree *parse_assignment(struct parser *p);
static struct tree *parse_unary(struct parser *p);
static struct tree *parse_slice(struct parser *p);

/* Parses $rax, and the debugger's own $, $$, $$3, $1, $name. */
static struct tree *parse_dollar(struct parser *p)
{
    struct tree *t = parse_node(p, TREE_REGISTER, NULL, NULL);
    const char *from = ++p->at;
    p->at += *p->at == '$';
    while (parse_is_word(*p->at))
        p->at++;
    t->text = values_copy(p->v, from, (size_t)(p->at - from));
    return t;
}

/* {int} 0x1000 */
static struct tree *parse_at_type(struct parser *p)
{
    p->at++;
    struct tree *t = parse_node(p, TREE_AT_TYPE, NULL, NULL);
    t->type = type_name(p);
    if (!t->type && !p->error)
        return parse_fail(p, error_coded(ERROR_NOT_FOUND, "there is no type '%.*s'",
                                         (int)strcspn(p->at, "}"), p->at));
    parse_need(p, "}");
    t->a = parse_unary(p);
    return t;
}

static struct tree *parse_name(struct parser *p)
{
    struct tree *t = parse_node(p, TREE_NAME, NULL, NULL);
    if (parse_take(p, "true") || parse_see(p, "false")) {
        bool value = p->at[-1] == 'e' && !parse_see(p, "false");
        if (!value)
            parse_take(p, "false");
        return parse_number_node(p, (struct number){.i = value},
                           type_builtin(p->v, p->v->cplusplus ? "bool" : "_Bool"));
    }
    t->text = qualified(p);
    if (!t->text)
        return parse_unexpected(p);
    if (t->text[strlen(t->text) - 1] == ':')
        return parse_fail(p, error_new("a name is missing after '::'"));
    size_t length = sizeof "@entry" - 1;
    if (strncmp(p->at, "@entry", length) == 0 && !isalnum((u8)p->at[length]) &&
        p->at[length] != '_') {
        p->at += length;
        t->kind = TREE_ENTRY;
    }
    return t;
}

static struct tree *primary(struct parser *p)
{
    parse_skip_space(p);
    char c = *p->at;
    if (c == '(' && !parse_see(p, ANONYMOUS)) {
        p->at++;
        struct tree *t = comma(p);
        parse_need(p, ")");
        return t;
    }
    if (isdigit((u8)c) || (c == '.' && isdigit((u8)p->at[1])))
        return parse_number(p);
    if (c == '"')
        return parse_string(p);
    if (c == '\'')
        return quoted(p);
    if (is_rust(p) && strncmp(p->at, "b'", 2) == 0)
        return character(p);
    if (c == '$')
        return parse_dollar(p);
    if (c == '{')
        return parse_at_type(p);
    return parse_name(p);
}

static struct tree *parse_member(struct parser *p, struct tree *of, enum tree_kind kind)
{
    struct tree *t = parse_node(p, kind, of, NULL);
    size_t digits = is_rust(p) ? strspn(p->at, "0123456789") : 0; /* the index of a tuple's field */
    t->text = digits ? values_copy(p->v, p->at, digits) : qualified(p);
    p->at += digits;
    return t->text ? t : parse_fail(p, error_new("a member's name is missing"));
}

static struct tree *parse_call(struct parser *p, struct tree *of)
{
    struct tree *t = parse_node(p, TREE_CALL, of, NULL);
    t->arguments = LIST(struct tree *);
    while (!parse_see(p, ")") && !p->error) {
        struct tree *argument = parse_assignment(p);
        *(struct tree **)list_add(&t->arguments) = argument;
        if (!parse_take(p, ",") && !parse_see(p, ")"))
            parse_need(p, ")");
    }
    *(void **)list_add(&p->v->memory) = t->arguments.items;
    parse_need(p, ")");
    return t;
}

static struct tree *parse_count(struct parser *p, struct tree *of, bool is_before)
{
    struct tree *t = parse_node(p, TREE_COUNT, of, NULL);
    t->op = *p->at == '+' ? OP_ADD : OP_SUB;
    t->is_before = is_before;
    p->at += 2;
    if (is_before)
        t->a = parse_unary(p);
    return t;
}

/* main.total is one name in Go: a variable or function in its package. True: it was consumed, and
 * `t` means it. */
static bool parse_in_package(struct parser *p, struct tree *t)
{
    struct name_meaning m;
    struct name_found found;
    const char *from = p->at;
    p->at++;
    const char *part = t->kind == TREE_NAME && !strchr(t->text, ':') ? word(p) : NULL;
    char *whole = part ? xformat("%s.%s", t->text, part) : NULL;
    bool taken = whole && names_find_whole(p->v, whole, NAME_VALUES, &found) &&
                 !lookup_name(p->v, t->text, NAME_VALUES, &m);
    if (taken)
        t->text = values_copy(p->v, whole, strlen(whole));
    else
        p->at = from;
    free(whole);
    return taken;
}

static struct tree *postfix(struct parser *p)
{
    parse_skip_space(p);
    const char *from = p->at;
    struct tree *t = primary(p);
    while (t && !p->error) {
        parse_spell(p, t, from);
        if (parse_see(p, "++") || parse_see(p, "--"))
            t = parse_count(p, t, false);
        else if (parse_take(p, "->*") || parse_take(p, ".*"))
            t = parse_node(p, TREE_TO_MEMBER, t, parse_unary(p));
        else if (parse_take(p, "->"))
            t = parse_member(p, t, TREE_ARROW);
        else if (parse_take(p, "["))
            t = parse_node(p, TREE_INDEX, t, comma(p)), parse_need(p, "]");
        else if (parse_take(p, "("))
            t = parse_call(p, t);
        else if (is_rust(p) && parse_see(p, ".."))
            return parse_fail(
                p, error_new("a range has no value here: take x[2], or x[2]@3 for three elements"));
        else if (parse_see(p, ".") && parse_in_package(p, t))
            continue;
        else if (parse_see(p, ".") && (is_rust(p) || !isdigit((u8)p->at[1])))
            p->at++, t = parse_member(p, t, TREE_MEMBER);
        else
            return t;
    }
    return NULL;
}

static struct tree *parse_size_of(struct parser *p)
{
    const char *from = p->at;
    if (parse_take(p, "(")) {
        struct type *type = type_name(p);
        if (p->error)
            return NULL;
        if (type) {
            struct tree *t = parse_node(p, TREE_SIZEOF_TYPE, NULL, NULL);
            t->type = type;
            parse_need(p, ")");
            return t;
        }
        p->at = from;
    }
    return parse_node(p, TREE_SIZEOF, parse_unary(p), NULL);
}

/* Parses (type)operand; NULL and no error: it is not a cast. */
static struct tree *parse_cast(struct parser *p)
{
    const char *from = p->at;
    if (!parse_take(p, "("))
        return NULL;
    struct type *type = type_name(p);
    if (p->error)
        return NULL;
    if (!type || !parse_take(p, ")")) {
        p->at = from;
        return NULL;
    }
    struct tree *t = parse_node(p, TREE_CAST, parse_unary(p), NULL);
    t->type = type;
    return t;
}

/* reinterpret_cast<T>(x) and the like mean the same as a plain cast. */
static struct tree *named_cast(struct parser *p)
{
    static const char *const names[] = {"reinterpret_cast", "static_cast", "const_cast",
                                        "dynamic_cast"};
    for (size_t n = 0; n < countof(names); n++)
        if (parse_take(p, names[n])) {
            struct tree *t = parse_node(p, TREE_CAST, NULL, NULL);
            parse_need(p, "<");
            t->type = type_name(p);
            if (!t->type && !p->error)
                parse_unexpected(p);
            parse_need(p, ">");
            parse_need(p, "(");
            t->a = comma(p);
            parse_need(p, ")");
            return t;
        }
    return NULL;
}

static struct tree *parse_unary(struct parser *p)
{
    static const struct {
        char text;
        enum tree_op op;
    } ops[] = {{'-', OP_NEG},    {'+', OP_PLUS},  {'!', OP_NOT},
               {'~', OP_INVERT}, {'*', OP_DEREF}, {'&', OP_ADDRESS}};
    struct tree *t = NULL;
    parse_skip_space(p);
    const char *from = p->at;
    if (!parse_deeper(p))
        return NULL;
    if (parse_see(p, "++") || parse_see(p, "--"))
        t = parse_count(p, NULL, true);
    for (size_t n = 0; n < countof(ops) && !t; n++)
        if (*p->at == ops[n].text) {
            p->at++;
            t = parse_node(p, TREE_UNARY, parse_unary(p), NULL);
            t->op = ops[n].op;
        }
    if (!t && parse_take(p, "sizeof"))
        t = parse_size_of(p);
    if (!t && !p->error && !is_rust(p))
        t = named_cast(p);
    if (!t && !p->error && !is_rust(p) && !parse_see(p, ANONYMOUS))
        t = parse_cast(p);
    if (!t && !p->error)
        t = postfix(p);
    parse_spell(p, t, from);
    p->depth--;
    return p->error ? NULL : t;
}

/* p@10 binds more tightly than any binary operator. */
static struct tree *parse_slice(struct parser *p)
{
    struct tree *t = parse_unary(p);
    while (t && parse_take(p, "@"))
        t = parse_node(p, TREE_SLICE, t, parse_unary(p));
    while (t && is_rust(p) && parse_take(p, "as")) {
        t = parse_node(p, TREE_CAST, t, NULL);
        t->type = rust_type_name(p);
        if (!t->type)
            return parse_fail(p, error_coded(ERROR_NOT_FOUND, "there is no type '%.40s'", p->at));
    }
    return t;
}

/* || to %: as in C. */
enum { LEVEL_EQUALITY = 6, LEVEL_ORDER = 7 };
static const struct parse_operator c_operators[] = {
    {"||", 1, TREE_OR, OP_NONE, false},
    {"&&", 2, TREE_AND, OP_NONE, false},
    {"==", LEVEL_EQUALITY, TREE_BINARY, OP_EQ, false},
    {"!=", LEVEL_EQUALITY, TREE_BINARY, OP_NE, false},
    {"<<", 8, TREE_BINARY, OP_SHL, false},
    {">>", 8, TREE_BINARY, OP_SHR, false},
    {"<=", LEVEL_ORDER, TREE_BINARY, OP_LE, false},
    {">=", LEVEL_ORDER, TREE_BINARY, OP_GE, false},
    {"<", LEVEL_ORDER, TREE_BINARY, OP_LT, false},
    {">", LEVEL_ORDER, TREE_BINARY, OP_GT, false},
    {"|", 3, TREE_BINARY, OP_BOR, false},
    {"^", 4, TREE_BINARY, OP_XOR, false},
    {"&", 5, TREE_BINARY, OP_BAND, false},
    {"+", 9, TREE_BINARY, OP_ADD, false},
    {"-", 9, TREE_BINARY, OP_SUB, false},
    {"*", 10, TREE_BINARY, OP_MUL, false},
    {"/", 10, TREE_BINARY, OP_DIV, false},
    {"%", 10, TREE_BINARY, OP_MOD, false},
};

/* An operator with = after it assigns, as in a += b. */
static bool parse_assigns(const struct parser *p, const struct parse_operator *o)
{
    return o->level > 2 && o->level != LEVEL_EQUALITY && o->level != LEVEL_ORDER &&
           p->at[strlen(o->text)] == '=';
}

static struct tree *parse_operand(struct parser *p, unsigned level)
{
    (void)level;
    return parse_slice(p);
}

static const struct parse_language c_language = {
    .operators = c_operators, .count = countof(c_operators), .operand = parse_operand,
    .is_other = parse_assigns,
};

/* += and its relatives. */
static const struct parse_operator *parse_assigning(struct parser *p)
{
    for (size_t n = 0; n < countof(c_operators); n++)
        if (parse_see(p, c_operators[n].text))
            return parse_assigns(p, &c_operators[n]) ? &c_operators[n] : NULL;
    return NULL;
}

static struct tree *parse_conditional(struct parser *p)
{
    if (!parse_deeper(p))
        return NULL;
    struct tree *t = parse_operators(p, 1);
    if (t && parse_take(p, "?")) {
        struct tree *yes = comma(p);
        parse_need(p, ":");
        t = parse_node(p, TREE_CONDITION, t, yes);
        t->c = parse_conditional(p);
    }
    p->depth--;
    return p->error ? NULL : t;
}

/* a = b = c groups from the right. */
static struct tree *parse_assignment(struct parser *p)
{
    if (!parse_deeper(p))
        return NULL;
    struct tree *t = parse_conditional(p);
    const struct parse_operator *o = t ? parse_assigning(p) : NULL;
    bool plain = t && !o && parse_see(p, "=") && !parse_see(p, "==");
    if (o || plain) {
        p->at += plain ? 1 : strlen(o->text) + 1;
        t = parse_node_op(p, TREE_ASSIGN, plain ? OP_NONE : o->op, t, parse_assignment(p));
    }
    p->depth--;
    return p->error ? NULL : t;
}

static struct tree *comma(struct parser *p)
{
    struct tree *t = parse_assignment(p);
    while (t && parse_take(p, ","))
        t = parse_node(p, TREE_COMMA, t, parse_assignment(p));
    return p->error ? NULL : t;
}

/* A type alone, for ptype. */
static struct tree *whole_type(struct parser *p)
{
    const char *from = p->at;
    struct type *type = type_name(p);
    parse_skip_space(p);
    if (!type || *p->at) {
        error_destroy(p->error);
        p->error = NULL;
        p->at = from;
        p->depth = 0;
        return NULL;
    }
    struct tree *t = parse_node(p, TREE_TYPE, NULL, NULL);
    t->type = type;
    return t;
}

static bool begins_with_keyword(struct parser *p)
{
    return parse_see(p, "struct") || parse_see(p, "union") || parse_see(p, "class") ||
           parse_see(p, "enum");
}

struct error *parse_expression(struct evaluation *v, const char *text, struct tree **ret)
{
    struct parser p = {.language = &c_language, .v = v, .at = text};
    if (v->language == LANGUAGE_FORTRAN)
        return fortran_parse(v, text, ret);
    parse_skip_space(&p);
    if (!*p.at)
        return error_new("an expression is missing");
    if (begins_with_keyword(&p)) {
        struct type *type = type_name(&p);
        parse_skip_space(&p);
        if (p.error)
            return p.error;
        if (type && !*p.at) {
            *ret = parse_node(&p, TREE_TYPE, NULL, NULL);
            (*ret)->type = type;
            return NULL;
        }
        p.at = text;
    }
    struct tree *t = whole_type(&p);
    if (!t)
        t = comma(&p);
    parse_skip_space(&p);
    if (!p.error && *p.at)
        parse_unexpected(&p);
    if (!p.error && !t)
        return error_coded(ERROR_MISUSED, "the expression is not understood");
    *ret = t;
    return p.error;
}
