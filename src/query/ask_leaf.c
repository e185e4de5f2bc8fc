/* Parses one comparison of a context: its left side, and what it is compared with.
 *
 *     func = list_*            a name and a pattern; ~ /regular expression/
 *     thread = 2, nr < 10      a number and a literal
 *     src = <list.c,7>         a line of a file
 *     stack = <**,a,(b|c),*>   calls, outermost first: ** any number of frames, * one
 *     changed                  a store of another value
 *     newval > limit + 1       an expression of the program, with attributes of the event in it
 *     name ~ /^cleo/           text of the program
 */
#include <ctype.h>
#include <stdio.h>

#include "query/ask_internal.h"

#define TYPE(t) (1u << (t))
enum {
    ALL_TYPES = TYPE(ASK_TYPES) - 1,
    OF_DATA = TYPE(ASK_STORE) | TYPE(ASK_LOAD),
    OF_CALLS = TYPE(ASK_CALL) | TYPE(ASK_RETURN) | TYPE(ASK_EXCEPTION) | TYPE(ASK_ALLOC) |
               TYPE(ASK_FREE),
    OF_HEAP = TYPE(ASK_ALLOC) | TYPE(ASK_FREE),
    OF_KERNEL = TYPE(ASK_SYSCALL) | TYPE(ASK_OUTPUT) | TYPE(ASK_EVENT),
};

static const struct {
    const char *name;
    u32 types;
    bool is_text;
} attributes[HAS_ATTRIBUTES] = {
    [HAS_FUNC] = {"func", ALL_TYPES, true},
    [HAS_CALLER] = {"caller", OF_CALLS, true},
    [HAS_FILE] = {"file", ALL_TYPES, true},
    [HAS_LINE] = {"line", ALL_TYPES, false},
    [HAS_SRC] = {"src", ALL_TYPES, false},
    [HAS_STACK] = {"stack", ALL_TYPES, false},
    [HAS_THREAD] = {"thread", ALL_TYPES, false},
    [HAS_TICK] = {"tick", ALL_TYPES, false},
    [HAS_PC] = {"pc", ALL_TYPES, false},
    [HAS_ADDR] = {"addr", OF_DATA | OF_HEAP | TYPE(ASK_MAP) | TYPE(ASK_SIGNAL), false},
    [HAS_SIZE] = {"size", OF_DATA | TYPE(ASK_ALLOC) | TYPE(ASK_MAP), false},
    [HAS_OLDVAL] = {"oldval", OF_DATA, false},
    [HAS_NEWVAL] = {"newval", OF_DATA, false},
    [HAS_CHANGED] = {"changed", TYPE(ASK_STORE), false},
    [HAS_ARG] = {"arg", OF_CALLS | OF_KERNEL, false},
    [HAS_RET] = {"ret", TYPE(ASK_RETURN) | TYPE(ASK_ALLOC) | OF_KERNEL, false},
    [HAS_NR] = {"nr", OF_KERNEL | TYPE(ASK_SIGNAL) | TYPE(ASK_FORK) | TYPE(ASK_SWITCH), false},
    [HAS_NAME] = {"name", OF_KERNEL | TYPE(ASK_SIGNAL) | TYPE(ASK_MAP), true},
    [HAS_FD] = {"fd", OF_KERNEL, false},
    [HAS_BYTES] = {"bytes", TYPE(ASK_OUTPUT), false},
    [HAS_TEXT] = {"text", OF_KERNEL, true},
};

bool ask_find_attribute(const char *word, size_t length, enum ask_attribute *ret)
{
    for (unsigned i = 0; i < HAS_ATTRIBUTES; i++)
        if (strlen(attributes[i].name) == length && !strncmp(word, attributes[i].name, length)) {
            *ret = (enum ask_attribute)i;
            return true;
        }
    return false;
}

const char *ask_attribute_name(enum ask_attribute a)
{
    return attributes[a].name;
}

bool ask_type_has(enum ask_type type, enum ask_attribute a)
{
    return attributes[a].types >> type & 1;
}

void ask_context_destroy(struct ask_context *c)
{
    if (!c)
        return;
    ask_context_destroy(c->left);
    ask_context_destroy(c->right);
    for (size_t i = 0; i < c->names.count; i++)
        free(((char **)c->names.items)[i]);
    list_deinit(&c->names);
    if (c->is_regex)
        regfree(&c->regex);
    free(c->memory);
    free(c->text);
    free(c);
}

/* --- a leaf being read ------------------------------------------------------------------------ */

struct ask_leaf {
    const struct ask_question *q;
    const char *begin, *end;   /* of the leaf, without surrounding blanks */
    const char *mark;          /* the comparison operator; NULL: there is none */
    const char *right;         /* what follows the operator */
    enum ask_compare compare;
    bool is_single;            /* a single "=", which is written == in the program's language */
};

static size_t leaf_place(const struct ask_leaf *l, const char *at)
{
    return (size_t)(at - l->q->text);
}

static void ask_trim(const char **at, const char **end)
{
    while (*at < *end && isspace((unsigned char)**at))
        ++*at;
    while (*at < *end && isspace((unsigned char)(*end)[-1]))
        --*end;
}

static const struct { const char *text; enum ask_compare compare; } comparisons[] = {
    {"==", IS_SAME}, {"!=", IS_OTHER}, {"!~", IS_UNLIKE}, {"<=", IS_AT_MOST}, {">=", IS_AT_LEAST},
    {"=", IS_SAME}, {"~", IS_LIKE}, {"<", IS_LESS}, {">", IS_MORE},
};

/* The length of an operator that begins like a comparison but is not one. */
static size_t other_operator(const char *at, const char *end)
{
    static const char *const others[] = {"<<=", ">>=", "<<", ">>", "->", "+=", "-="};
    for (size_t i = 0; i < countof(others); i++) {
        size_t length = strlen(others[i]);
        if ((size_t)(end - at) >= length && !strncmp(at, others[i], length))
            return length;
    }
    return 0;
}

static bool take_comparison(struct ask_leaf *l, const char *at)
{
    for (size_t i = 0; i < countof(comparisons); i++) {
        size_t length = strlen(comparisons[i].text);
        if ((size_t)(l->end - at) < length || strncmp(at, comparisons[i].text, length))
            continue;
        if (comparisons[i].compare == IS_LIKE && at == l->begin)
            return false; /* here ~x is arithmetic */
        l->mark = at;
        l->right = at + length;
        l->compare = comparisons[i].compare;
        l->is_single = length == 1 && *at == '=';
        return true;
    }
    return false;
}

static void find_comparison(struct ask_leaf *l)
{
    for (const char *at = l->begin; at < l->end;) {
        size_t other = other_operator(at, l->end);
        if (!other && take_comparison(l, at))
            return;
        const char *behind = strchr("([{\"'", *at) ? ask_pass_bracket(at, l->end) : NULL;
        at = behind ? behind : at + (other ? other : 1);
    }
}

/* True if the left side is just this attribute. */
static bool left_attribute(const struct ask_leaf *l, enum ask_attribute *ret, unsigned *index)
{
    const char *begin = l->begin, *end = l->mark ? l->mark : l->end;
    ask_trim(&begin, &end);
    size_t length = ask_word_length(begin, end);
    if (!length || !ask_find_attribute(begin, length, ret))
        return false;
    if (*ret != HAS_ARG)
        return begin + length == end;
    return sscanf(begin + length, "[%u]", index) == 1 && end[-1] == ']' && *index < 6;
}

static struct ask_context *new_leaf(const struct ask_leaf *l, enum ask_leaf_kind kind)
{
    struct ask_context *c = xalloc(sizeof *c);
    *c = (struct ask_context){.operation = ASK_LEAF, .kind = kind, .compare = l->compare,
                              .names = LIST(char *), .place = leaf_place(l, l->begin)};
    return c;
}

/* --- patterns --------------------------------------------------------------------------------- */

/* Takes a pattern: /regular expression/ after ~, "text", or text with wildcards. */
static struct error *take_pattern(const struct ask_leaf *l, struct ask_context *c)
{
    const char *begin = l->right, *end = l->end;
    ask_trim(&begin, &end);
    bool regex = l->compare == IS_LIKE || l->compare == IS_UNLIKE;
    if (begin == end)
        return ask_error(l->q, leaf_place(l, begin), "a pattern is missing here");
    if (l->compare != IS_SAME && l->compare != IS_OTHER && !regex)
        return ask_error(l->q, leaf_place(l, l->mark), "text is compared by =, !=, ~ or !~");
    bool quoted = end - begin >= 2 && begin[0] == end[-1] &&
                  (*begin == '"' || *begin == '\'' || (regex && *begin == '/'));
    c->text = xformat("%.*s", (int)(end - begin) - 2 * quoted, begin + quoted);
    if (!regex)
        return NULL;
    c->is_regex = regcomp(&c->regex, c->text, REG_EXTENDED | REG_NOSUB) == 0;
    return c->is_regex ? NULL
                       : ask_error(l->q, leaf_place(l, begin), "this is no regular expression");
}

/* Takes <file,line> or file:line. */
static struct error *take_src(const struct ask_leaf *l, struct ask_context *c)
{
    const char *begin = l->right, *end = l->end;
    ask_trim(&begin, &end);
    bool bracket = end - begin >= 2 && *begin == '<' && end[-1] == '>';
    begin += bracket;
    end -= bracket;
    const char *cut = end;
    while (cut > begin && isdigit((unsigned char)cut[-1]))
        cut--;
    bool whole = cut < end && cut > begin + 1 && (cut[-1] == ',' || cut[-1] == ':');
    if (!whole || (l->compare != IS_SAME && l->compare != IS_OTHER))
        return ask_error(l->q, leaf_place(l, begin), "src is compared with a line: <list.c,7>");
    c->number = strtoll(cut, NULL, 10);
    const char *name_end = cut - 1;
    ask_trim(&begin, &name_end);
    c->text = xformat("%.*s", (int)(name_end - begin), begin);
    return NULL;
}

static struct error *take_stack(const struct ask_leaf *l, struct ask_context *c)
{
    const char *begin = l->right, *end = l->end;
    ask_trim(&begin, &end);
    if (end - begin < 3 || *begin != '<' || end[-1] != '>' ||
        (l->compare != IS_SAME && l->compare != IS_OTHER))
        return ask_error(l->q, leaf_place(l, begin),
                         "stack is compared with names of functions, outermost first: <**,a,*,b>");
    for (begin++, end--; begin <= end;) {
        const char *cut = begin, *from = begin;
        while (cut < end && *cut != ',')
            cut++;
        const char *to = cut;
        ask_trim(&from, &to);
        if (from == to)
            return ask_error(l->q, leaf_place(l, begin), "the name of a function is missing here");
        *(char **)list_add(&c->names) = xformat("%.*s", (int)(to - from), from);
        begin = cut + 1;
    }
    return NULL;
}

/* --- numbers and expressions ------------------------------------------------------------------ */

static bool ask_is_literal(const char *begin, const char *end, i64 *ret)
{
    char *behind, *text = xformat("%.*s", (int)(end - begin), begin);
    *ret = (i64)strtoll(text, &behind, 0);
    if (*text && *text != '-')
        *ret = (i64)strtoull(text, &behind, 0);
    bool whole = *text && !*behind;
    free(text);
    return whole;
}

/* Notes the attributes that an expression uses. An attribute that the event does not have is an
 * error, unless the word is a member or is called. */
static struct error *note_uses(const struct ask_leaf *l, struct ask_context *c)
{
    enum ask_attribute a;
    for (const char *at = l->begin; at < l->end;) {
        size_t length = ask_word_length(at, l->end);
        bool member = at > l->begin && (at[-1] == '.' || (at[-1] == '>' && at - 1 > l->begin &&
                                                          at[-2] == '-') || at[-1] == '$');
        if (length && !member && ask_find_attribute(at, length, &a) &&
            ask_type_has(l->q->type, a) && (a != HAS_ARG || at[length] == '['))
            c->uses |= 1u << a;
        at += length ? length : 1;
    }
    return NULL;
}

/* True for addr in [a,b). */
static bool is_range(const struct ask_leaf *l)
{
    const char *at = l->begin;
    size_t length = ask_word_length(at, l->end);
    for (at += length; at < l->end && isspace((unsigned char)*at); at++)
        ;
    return length && l->end - at > 4 && !strncmp(at, "in", 2) &&
           strchr(" [", at[2]) && strchr("])", l->end[-1]) &&
           memchr(at, '[', (size_t)(l->end - at));
}

static struct error *ask_parse_range(struct ask_leaf *l, struct ask_context **ret)
{
    const char *open = memchr(l->begin, '[', (size_t)(l->end - l->begin)), *comma = open;
    while (comma < l->end && *comma != ',')
        comma++;
    if (comma == l->end)
        return ask_error(l->q, leaf_place(l, open), "a range is [FIRST,END)");
    size_t word = ask_word_length(l->begin, l->end);
    struct ask_context *c = new_leaf(l, LEAF_EXPRESSION);
    struct error *err = note_uses(l, c);
    if (word == strlen("addr") && !strncmp(l->begin, "addr", word))
        c->memory = xformat("%.*s", (int)(l->end - open), open);
    c->text = xformat("%.*s >= (%.*s) && %.*s %s (%.*s)", (int)word, l->begin,
                      (int)(comma - open - 1), open + 1, (int)word, l->begin,
                      l->end[-1] == ']' ? "<=" : "<", (int)(l->end - 1 - comma - 1), comma + 1);
    *ret = c;
    return err;
}

static struct error *ask_parse_expression(struct ask_leaf *l, struct ask_context **ret)
{
    bool text = l->mark && (l->compare == IS_LIKE || l->compare == IS_UNLIKE);
    struct ask_context *c = new_leaf(l, text ? LEAF_TEXT : LEAF_EXPRESSION);
    struct error *err = note_uses(l, c);
    if (!err && text) {
        err = take_pattern(l, c);
        free(c->text);
        c->text = xformat("%.*s", (int)(l->mark - l->begin), l->begin);
    } else if (!err) {
        c->text = l->is_single ? xformat("%.*s==%.*s", (int)(l->mark - l->begin), l->begin,
                                         (int)(l->end - l->right), l->right)
                               : xformat("%.*s", (int)(l->end - l->begin), l->begin);
    }
    if (err)
        ask_context_destroy(c);
    else
        *ret = c;
    return err;
}

static struct error *parse_attribute(struct ask_leaf *l, enum ask_attribute a, unsigned index,
                                     struct ask_context **ret)
{
    enum ask_leaf_kind kind = a == HAS_SRC       ? LEAF_SRC
                              : a == HAS_STACK   ? LEAF_STACK
                              : a == HAS_CHANGED ? LEAF_CHANGED
                                                 : LEAF_NAME;
    if (!attributes[a].is_text && kind == LEAF_NAME)
        kind = LEAF_NUMBER;
    struct ask_context *c = new_leaf(l, kind);
    const char *begin = l->right, *end = l->end;
    struct error *err = NULL;
    c->attribute = a;
    c->index = index;
    c->uses = 1u << a;
    if (kind == LEAF_SRC)
        err = take_src(l, c);
    else if (kind == LEAF_STACK)
        err = take_stack(l, c);
    else if (kind == LEAF_NAME)
        err = take_pattern(l, c);
    else if (kind == LEAF_NUMBER) {
        ask_trim(&begin, &end);
        bool literal = l->compare != IS_LIKE && l->compare != IS_UNLIKE &&
                       ask_is_literal(begin, end, &c->number);
        if (!literal) {
            ask_context_destroy(c);
            return begin == end ? ask_error(l->q, leaf_place(l, begin), "a number is missing here")
                                : ask_parse_expression(l, ret);
        }
    }
    if (err)
        ask_context_destroy(c);
    else
        *ret = c;
    return err;
}

struct error *ask_leaf_parse(const struct ask_question *q, const char *at, const char *end,
                             struct ask_context **ret)
{
    struct ask_leaf l = {.q = q, .begin = at, .end = end};
    enum ask_attribute a;
    unsigned index = 0;
    ask_trim(&l.begin, &l.end);
    find_comparison(&l);
    if (!l.mark && is_range(&l))
        return ask_parse_range(&l, ret);
    if (!left_attribute(&l, &a, &index))
        return ask_parse_expression(&l, ret);
    bool alone = a == HAS_CHANGED;
    if (!ask_type_has(q->type, a))
        return attributes[a].is_text || a == HAS_CHANGED || a == HAS_OLDVAL || a == HAS_NEWVAL
                   ? ask_error(q, leaf_place(&l, l.begin), "a %s has no %s",
                               ask_type_name(q->type), attributes[a].name)
                   : ask_parse_expression(&l, ret); /* it is a variable of the program */
    if (alone ? l.mark != NULL : !l.mark)
        return ask_error(q, leaf_place(&l, alone ? l.mark : l.end),
                         alone ? "'changed' stands alone" : "a comparison is missing here");
    struct error *err = parse_attribute(&l, a, index, ret);
    if (!err && a == HAS_ADDR && l.compare == IS_SAME) {
        ask_trim(&l.right, &l.end);
        (*ret)->memory = xformat("%.*s", (int)(l.end - l.right), l.right);
    }
    return err;
}
