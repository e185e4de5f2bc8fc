/* The language of questions: parses text into a struct ask_question; see ask.h.
 *
 *     QUESTION  find|count|list|first|last TYPE [OPERAND] [where CONTEXT] [from A] [to B]
 *     GOTO      [current|first|last|MOMENT] [forward|backward] TYPE [OPERAND] [COUNT]
 *               [where CONTEXT]
 *     CONTEXT   CONTEXT or CONTEXT, CONTEXT and CONTEXT, not CONTEXT, (CONTEXT), LEAF
 *
 * `and`, `or` and `not` are words; && and || belong to expressions of the program. A leaf ends at
 * the next of these words outside of brackets and quotes (ask_leaf.c reads it).
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "query/ask_internal.h"

static const char *const verbs[] = {"find", "count", "list", "first", "last"};

static const struct { const char *name; enum ask_type type; } types[] = {
    {"call", ASK_CALL}, {"return", ASK_RETURN}, {"line", ASK_LINE}, {"block", ASK_BLOCK},
    {"store", ASK_STORE}, {"load", ASK_LOAD}, {"syscall", ASK_SYSCALL}, {"signal", ASK_SIGNAL},
    {"switch", ASK_SWITCH}, {"thread", ASK_THREAD}, {"fork", ASK_FORK}, {"exec", ASK_EXEC},
    {"map", ASK_MAP}, {"output", ASK_OUTPUT}, {"event", ASK_EVENT}, {"exception", ASK_EXCEPTION},
    {"alloc", ASK_ALLOC}, {"free", ASK_FREE},
    {"func_enter", ASK_CALL}, {"func_exit", ASK_RETURN}, {"block_entry", ASK_BLOCK},
    {"thread_switch", ASK_SWITCH}, {"write", ASK_STORE}, {"read", ASK_LOAD},
};

const char *ask_type_name(enum ask_type type)
{
    return types[type].name;
}

/* --- errors ----------------------------------------------------------------------------------- */

struct error *ask_error(const struct ask_question *q, size_t place, const char *format, ...)
{
    char *sentence;
    va_list args;
    va_start(args, format);
    if (vasprintf(&sentence, format, args) < 0)
        abort(); /* out of memory */
    va_end(args);
    struct error *err = error_coded(ERROR_MISUSED, "%s\n  %s\n  %*s^", sentence, q->text,
                                    (int)place, "");
    free(sentence);
    return err;
}

static size_t ask_place_of(const struct ask_cursor *c)
{
    return (size_t)(c->at - c->q->text);
}

/* --- words ------------------------------------------------------------------------------------ */

static void ask_pass_blanks(struct ask_cursor *c)
{
    while (c->at < c->end && isspace((unsigned char)*c->at))
        c->at++;
}

size_t ask_word_length(const char *at, const char *end)
{
    size_t length = 0;
    while (at + length < end && (isalnum((unsigned char)at[length]) || at[length] == '_'))
        length++;
    return length && !isdigit((unsigned char)*at) ? length : 0;
}

/* The length of anything up to a blank. */
static size_t word_here(const struct ask_cursor *c)
{
    size_t length = 0;
    while (c->at + length < c->end && !isspace((unsigned char)c->at[length]))
        length++;
    return length;
}

static bool ask_is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

static bool ask_take_word(struct ask_cursor *c, const char *word)
{
    if (!ask_is_word(c->at, word_here(c), word))
        return false;
    c->at += strlen(word);
    ask_pass_blanks(c);
    return true;
}

static char *ask_copy(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    while (at < end && isspace((unsigned char)end[-1]))
        end--;
    return xformat("%.*s", (int)(end - at), at);
}

const char *ask_pass_bracket(const char *at, const char *end)
{
    char open = *at, close = open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : open;
    for (at++; at < end; at++) {
        if (*at == '\\' && open == close && at + 1 < end) {
            at++;
        } else if (*at == close || (open == '[' && *at == ')')) {
            return at + 1; /* [a,b) is a range */
        } else if (open != close && strchr("([{\"'", *at)) {
            const char *behind = ask_pass_bracket(at, end);
            if (!behind)
                return NULL;
            at = behind - 1;
        }
    }
    return NULL;
}

/* True if a regular expression begins here: a slash after ~. */
static bool begins_pattern(const char *begin, const char *at)
{
    if (*at != '/')
        return false;
    while (at > begin && isspace((unsigned char)at[-1]))
        at--;
    return at > begin && at[-1] == '~';
}

/* Returns the place after the item that begins here: a bracket with its contents, a pattern, a word
 * or one character; NULL: it has no end. */
static const char *ask_pass_item(const char *begin, const char *at, const char *end)
{
    if (strchr("([{\"'", *at) || begins_pattern(begin, at))
        return ask_pass_bracket(at, end);
    size_t length = ask_word_length(at, end);
    return at + (length ? length : 1);
}

static struct error *ask_unclosed(const struct ask_question *q, const char *at)
{
    return ask_error(q, (size_t)(at - q->text), "the %c has no end", *at);
}

/* Finds the last such word outside of brackets; NULL: there is none. */
static struct error *find_last_word(const struct ask_cursor *c, const char *word, const char **ret)
{
    *ret = NULL;
    for (const char *at = c->at, *behind; at < c->end; at = behind) {
        behind = ask_pass_item(c->at, at, c->end);
        if (!behind)
            return ask_unclosed(c->q, at);
        bool alone = at == c->at || isspace((unsigned char)at[-1]);
        if (alone && ask_is_word(at, (size_t)(behind - at), word))
            *ret = at;
    }
    return NULL;
}

/* Finds the first such word; `end` if there is none. */
static const char *find_first_word(const struct ask_cursor *c, const char *word)
{
    for (const char *at = c->at, *behind; at < c->end; at = behind) {
        behind = ask_pass_item(c->at, at, c->end);
        if (!behind)
            return c->end;
        if (ask_is_word(at, (size_t)(behind - at), word))
            return at;
    }
    return c->end;
}

/* --- contexts --------------------------------------------------------------------------------- */

static struct error *parse_or(struct ask_cursor *c, struct ask_context **ret);

/* Finds where a leaf ends: at `and` or `or`, or at a closing bracket that it did not open. */
static struct error *leaf_end(const struct ask_cursor *c, const char **ret)
{
    const char *at = c->at;
    while (at < c->end && *at != ')') {
        const char *behind = ask_pass_item(c->at, at, c->end);
        if (!behind)
            return ask_unclosed(c->q, at);
        size_t length = (size_t)(behind - at);
        if (ask_is_word(at, length, "and") || ask_is_word(at, length, "or"))
            break;
        at = behind;
    }
    *ret = at;
    return NULL;
}

/* True if the bracket here contains a context and not a part of an expression. What follows it
 * decides. */
static bool is_group(const struct ask_cursor *c)
{
    const char *behind = ask_pass_bracket(c->at, c->end);
    if (*c->at != '(' || !behind)
        return false;
    while (behind < c->end && isspace((unsigned char)*behind))
        behind++;
    size_t length = ask_word_length(behind, c->end);
    return behind == c->end || *behind == ')' || ask_is_word(behind, length, "and") ||
           ask_is_word(behind, length, "or");
}

static struct ask_context *ask_join(enum ask_operation operation, struct ask_context *left,
                                struct ask_context *right)
{
    struct ask_context *c = xalloc(sizeof *c);
    *c = (struct ask_context){.operation = operation, .left = left, .right = right};
    return c;
}

static struct error *parse_group(struct ask_cursor *c, struct ask_context **ret)
{
    const char *open = c->at++;
    ask_pass_blanks(c);
    struct error *err = parse_or(c, ret);
    if (err)
        return err;
    if (c->at < c->end && *c->at == ')') {
        c->at++;
        ask_pass_blanks(c);
        return NULL;
    }
    ask_context_destroy(*ret);
    return ask_unclosed(c->q, open);
}

static struct error *parse_not(struct ask_cursor *c, struct ask_context **ret)
{
    const char *end = c->at;
    if (ask_take_word(c, "not")) {
        struct error *err = parse_not(c, ret);
        if (!err)
            *ret = ask_join(ASK_NOT, *ret, NULL);
        return err;
    }
    if (c->at == c->end || *c->at == ')')
        return ask_error(c->q, ask_place_of(c), "a condition is missing here");
    if (is_group(c))
        return parse_group(c, ret);
    struct error *err = leaf_end(c, &end);
    if (!err && end == c->at)
        err = ask_error(c->q, ask_place_of(c), "a condition is missing here");
    if (!err)
        err = ask_leaf_parse(c->q, c->at, end, ret);
    c->at = err ? c->at : end;
    ask_pass_blanks(c);
    return err;
}

/* Parses both levels: `and` binds more tightly than `or`. */
static struct error *parse_joined(struct ask_cursor *c, const char *word,
                                  enum ask_operation operation,
                                  struct error *(*parse)(struct ask_cursor *,
                                                         struct ask_context **),
                                  struct ask_context **ret)
{
    struct ask_context *right;
    struct error *err = parse(c, ret);
    while (!err && ask_take_word(c, word)) {
        err = parse(c, &right);
        if (err)
            ask_context_destroy(*ret);
        else
            *ret = ask_join(operation, *ret, right);
    }
    return err;
}

static struct error *parse_and(struct ask_cursor *c, struct ask_context **ret)
{
    return parse_joined(c, "and", ASK_AND, parse_not, ret);
}

static struct error *parse_or(struct ask_cursor *c, struct ask_context **ret)
{
    return parse_joined(c, "or", ASK_OR, parse_and, ret);
}

static struct error *parse_where(struct ask_cursor *c, struct ask_context **ret)
{
    struct error *err = parse_or(c, ret);
    if (!err && c->at < c->end) {
        ask_context_destroy(*ret);
        *ret = NULL;
        err = ask_error(c->q, ask_place_of(c), "'and' or 'or' is missing here");
    }
    return err;
}

/* --- questions -------------------------------------------------------------------------------- */

static bool find_type(const char *at, size_t length, enum ask_type *ret)
{
    for (size_t i = 0; i < countof(types); i++)
        if (ask_is_word(at, length, types[i].name)) {
            *ret = types[i].type;
            return true;
        }
    return false;
}

/* Makes an error that suggests a type with the same beginning or end. */
static struct error *unknown_type(const struct ask_cursor *c, size_t length)
{
    const char *like = NULL;
    for (size_t i = 0; i < countof(types) && length > 1 && !like; i++) {
        size_t has = strlen(types[i].name);
        bool same_letters = has == length || has + 1 == length || has == length + 1;
        if (same_letters && c->at[0] == types[i].name[0] && c->at[1] == types[i].name[1])
            like = types[i].name;
    }
    if (like)
        return ask_error(c->q, ask_place_of(c), "there is no type of event '%.*s'; is it '%s'?",
                         (int)length, c->at, like);
    return ask_error(c->q, ask_place_of(c),
                     "a type of event is missing here: call, return, line, block, store, load, "
                     "syscall, signal, switch, thread, fork, exec, map, output, exception, alloc, "
                     "free or event");
}

static struct error *take_type(struct ask_cursor *c, struct ask_question *q)
{
    size_t length = word_here(c);
    if (!find_type(c->at, length, &q->type))
        return unknown_type(c, length);
    c->at += length;
    ask_pass_blanks(c);
    return NULL;
}

static bool ask_takes_operand(enum ask_type type)
{
    return type == ASK_STORE || type == ASK_LOAD;
}

/* Takes the text between the type and `where`. */
static struct error *take_operand(struct ask_cursor *c, struct ask_question *q, const char *end)
{
    if (c->at == end)
        return NULL;
    if (!ask_takes_operand(q->type))
        return ask_error(c->q, ask_place_of(c), "'where' is missing before this condition");
    q->operand = ask_copy(c->at, end);
    c->at = end;
    return NULL;
}

/* Takes `where` and what follows; the cursor stands after the type. */
static struct error *ask_take_rest(struct ask_cursor *c, struct ask_question *q)
{
    const char *where = find_first_word(c, "where");
    struct error *err = take_operand(c, q, where);
    if (err || where == c->end)
        return err;
    c->at = where + strlen("where");
    ask_pass_blanks(c);
    return parse_where(c, &q->context);
}

/* Takes [from A] [to B] at the end. */
static struct error *cut_range(struct ask_cursor *c, struct ask_question *q)
{
    const char *at;
    struct error *err = find_last_word(c, "to", &at);
    if (!err && at) {
        q->to = ask_copy(at + strlen("to"), c->end);
        c->end = at;
    }
    if (!err)
        err = find_last_word(c, "from", &at);
    if (!err && at) {
        q->from = ask_copy(at + strlen("from"), c->end);
        c->end = at;
    }
    if (!err && ((q->from && !*q->from) || (q->to && !*q->to)))
        err = ask_error(q, (size_t)(c->end - q->text), "a moment is missing after this word");
    while (c->end > c->at && isspace((unsigned char)c->end[-1]))
        c->end--;
    return err;
}

static struct ask_question *ask_new(const char *text, struct ask_cursor *c)
{
    struct ask_question *q = xalloc(sizeof *q);
    *q = (struct ask_question){.text = xformat("%s", text), .count = 1};
    for (char *at = q->text; *at; at++)
        if (isspace((unsigned char)*at))
            *at = ' '; /* a blank keeps the caret under the right place */
    *c = (struct ask_cursor){q, q->text, q->text + strlen(q->text)};
    ask_pass_blanks(c);
    return q;
}

static struct error *take_verb(struct ask_cursor *c, struct ask_question *q)
{
    for (size_t i = 0; i < countof(verbs); i++)
        if (ask_take_word(c, verbs[i])) {
            q->verb = (enum ask_verb)i;
            return NULL;
        }
    enum ask_type type;
    if (find_type(c->at, word_here(c), &type)) { /* `ask store x` means `ask find store x` */
        q->verb = ASK_FIND;
        return NULL;
    }
    return ask_error(q, ask_place_of(c), "a question begins with find, count, list, first or last");
}

/* Checks the whole question, for instance for an attribute that the type does not have. */
static struct error *ask_finish(struct error *err, struct ask_question *q,
                                struct ask_question **ret)
{
    if (err)
        ask_question_destroy(q);
    else
        *ret = q;
    return err;
}

struct error *ask_parse(const char *text, struct ask_question **ret)
{
    struct ask_cursor c;
    struct ask_question *q = ask_new(text, &c);
    struct error *err = take_verb(&c, q);
    if (!err)
        err = take_type(&c, q);
    if (!err)
        err = cut_range(&c, q);
    if (!err)
        err = ask_take_rest(&c, q);
    return ask_finish(err, q, ret);
}

/* Takes a number after the type or the operand: how many events to go. */
static void take_count(struct ask_cursor *c, struct ask_question *q)
{
    const char *end = find_first_word(c, "where"), *begin = end;
    while (begin > c->at && isspace((unsigned char)begin[-1]))
        begin--;
    const char *last = begin;
    while (begin > c->at && isdigit((unsigned char)begin[-1]))
        begin--;
    bool alone = begin == c->at || isspace((unsigned char)begin[-1]);
    if (begin == last || !alone)
        return;
    q->count = strtoull(begin, NULL, 10);
    char *number = q->text + (begin - q->text);
    memset(number, ' ', (size_t)(last - begin));
}

static struct error *finish_goto(struct ask_cursor *c, struct ask_question *q)
{
    char *whole = xformat("%s", q->text);
    take_count(c, q);
    ask_pass_blanks(c);
    struct error *err =
        q->count ? NULL : ask_error(q, ask_place_of(c), "a count is at least 1");
    if (!err)
        err = ask_take_rest(c, q);
    memcpy(q->text, whole, strlen(whole));
    free(whole);
    return err;
}

/* Takes the words before the type; false: there is no type, so this is not a question. */
static bool ask_take_start(struct ask_cursor *c, struct ask_question *q)
{
    const char *begin = c->at;
    enum ask_type type;
    while (c->at < c->end) {
        size_t length = word_here(c);
        bool forward = ask_is_word(c->at, length, "forward");
        if (find_type(c->at, length, &type)) {
            if (!q->start)
                q->start = ask_copy(begin, c->at);
            return type != ASK_OUTPUT; /* `goto output -1` means something else */
        }
        if (forward || ask_is_word(c->at, length, "backward")) {
            q->direction = forward ? FORWARD : BACKWARD;
            q->start = ask_copy(begin, c->at);
            c->at += length;
            ask_pass_blanks(c);
            return true; /* a type must follow */
        }
        c->at += length;
        ask_pass_blanks(c);
    }
    return false;
}

struct error *ask_parse_goto(const char *text, struct ask_question **ret)
{
    struct ask_cursor c;
    struct ask_question *q = ask_new(text, &c);
    *ret = NULL;
    q->verb = ASK_GOTO;
    if (!ask_take_start(&c, q)) {
        ask_question_destroy(q);
        return NULL;
    }
    struct error *err = take_type(&c, q);
    if (!err)
        err = finish_goto(&c, q);
    return ask_finish(err, q, ret);
}

/* Finds a leaf that every event must satisfy and that names the memory. */
static struct ask_context *memory_leaf(struct ask_context *c)
{
    if (!c || c->operation == ASK_OR || c->operation == ASK_NOT)
        return NULL;
    if (c->operation == ASK_LEAF)
        return c->memory ? c : NULL;
    struct ask_context *left = memory_leaf(c->left);
    return left ? left : memory_leaf(c->right);
}

const char *ask_question_memory(struct ask_question *q)
{
    struct ask_context *leaf = q->operand ? NULL : memory_leaf(q->context);
    if (leaf)
        leaf->is_compiled = true; /* the sites already ensure it */
    return leaf ? leaf->memory : q->operand;
}

void ask_question_destroy(struct ask_question *q)
{
    if (!q)
        return;
    ask_context_destroy(q->context);
    free(q->text);
    free(q->operand);
    free(q->from);
    free(q->to);
    free(q->start);
    free(q);
}
