/* Evaluates a context for an event. The result may be unknown: a context can be evaluated before
 * looking at the program, which decides many events without a stop.
 *
 * An expression of the program is evaluated in the innermost frame at the event. If it cannot be
 * evaluated there (an unknown name, a bad pointer), it does not hold.
 */
#include <fnmatch.h>
#include <stdio.h>

#include "query/ask_internal.h"

/* --- looking ---------------------------------------------------------------------------------- */

static bool look_register(void *context, const char *name, u8 *bytes, size_t *size)
{
    struct ask_look *look = context;
    struct control_registers regs;
    const u8 *vector;
    unsigned n;
    if (sscanf(name, "xmm%u", &n) != 1 || n >= VECTOR_REGISTERS)
        return false;
    struct error *err = session_registers(look->session, look->thread, &regs, &vector);
    bool known = !err && xsave_xmm(n) + XMM_SIZE <= regs.vector_size;
    error_destroy(err);
    if (!known)
        return false;
    memcpy(bytes, vector + xsave_xmm(n), XMM_SIZE);
    *size = XMM_SIZE;
    return true;
}

struct error *ask_look_frames(struct ask_look *look, bool all)
{
    enum { FRAMES_FOR_VALUES = 16 };
    if (look->frames && (look->has_all || !all))
        return NULL;
    values_close(look->evaluation);
    look->evaluation = NULL;
    free(look->frames);
    look->frames = NULL;
    look->has_all = all;
    return source_frames(look->source, look->thread, all ? ~(size_t)0 : FRAMES_FOR_VALUES,
                         &look->frames, &look->frame_count, NULL);
}

struct error *ask_look_evaluation(struct ask_look *look, struct evaluation **ret)
{
    struct control_registers regs;
    const u8 *vector;
    struct error *err = ask_look_frames(look, false);
    if (!err && !look->evaluation)
        err = session_registers(look->session, look->thread, &regs, &vector);
    if (err)
        return err;
    if (!look->evaluation) {
        struct values_request q = {.frames = look->frames, .frame_count = look->frame_count,
                                   .fs_base = regs.fs_base, .named_register = look_register,
                                   .show = look->show, .context = look};
        while (look->outermost_inlined && q.selected + 1 < q.frame_count &&
               look->frames[q.selected].inlined)
            q.selected++;
        err = values_open(look->symbols, &q, &look->evaluation);
    }
    *ret = look->evaluation;
    return err;
}

void ask_look_end(struct ask_look *look)
{
    values_close(look->evaluation);
    free(look->frames);
    look->evaluation = NULL;
    look->frames = NULL;
    look->frame_count = 0;
    look->has_all = false;
}

/* --- names ------------------------------------------------------------------------------------ */

/* The last part of a::b::c also matches, as for a breakpoint. */
bool ask_name_fits(const char *pattern, const char *name)
{
    if (!fnmatch(pattern, name, 0))
        return true;
    const char *last = name;
    for (const char *at = name; *at && *at != '<' && *at != '('; at++)
        if (at[0] == ':' && at[1] == ':')
            last = at + 2;
    return last != name && !strstr(pattern, "::") && !fnmatch(pattern, last, 0);
}

static bool file_fits(const char *pattern, const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = strlen(file), wanted = strlen(pattern);
    bool tail = length > wanted && file[length - wanted - 1] == '/' &&
                !strcmp(file + length - wanted, pattern);
    return tail || !fnmatch(pattern, file, 0) || (slash && !fnmatch(pattern, slash + 1, 0));
}

static enum ask_truth truth_of(bool holds)
{
    return holds ? ASK_TRUE : ASK_FALSE;
}

static bool ask_is_known(const struct ask_event *e, enum ask_attribute a)
{
    return e->known >> a & 1;
}

static const char *ask_text_of(const struct ask_event *e, enum ask_attribute a)
{
    switch (a) {
    case HAS_FUNC:
        return e->function;
    case HAS_CALLER:
        return e->caller;
    case HAS_FILE:
        return e->file;
    case HAS_NAME:
        return e->name;
    default:
        return e->text;
    }
}

static enum ask_truth name_holds(const struct ask_context *c, const struct ask_event *e)
{
    const char *text = ask_text_of(e, c->attribute);
    bool other = c->compare == IS_OTHER || c->compare == IS_UNLIKE;
    if (!ask_is_known(e, c->attribute))
        return ASK_UNKNOWN;
    if (!text)
        return truth_of(other);
    bool fits = c->is_regex                   ? !regexec(&c->regex, text, 0, NULL, 0)
                : c->attribute == HAS_FILE    ? file_fits(c->text, text)
                : c->attribute == HAS_TEXT || c->attribute == HAS_NAME ? !fnmatch(c->text, text, 0)
                                              : ask_name_fits(c->text, text);
    return truth_of(fits != other);
}

static enum ask_truth src_holds(const struct ask_context *c, const struct ask_event *e)
{
    if (!ask_is_known(e, HAS_FILE))
        return ASK_UNKNOWN;
    bool same = e->file && e->line == c->number && file_fits(c->text, e->file);
    return truth_of(same == (c->compare == IS_SAME));
}

/* --- numbers ---------------------------------------------------------------------------------- */

static bool number_of(const struct ask_event *e, enum ask_attribute a, unsigned index, i64 *ret)
{
    const u64 numbers[HAS_ATTRIBUTES] = {
        [HAS_LINE] = e->line, [HAS_THREAD] = e->thread, [HAS_TICK] = e->at.tick,
        [HAS_PC] = e->pc, [HAS_ADDR] = e->addr, [HAS_SIZE] = e->size,
        [HAS_OLDVAL] = (u64)e->old_number, [HAS_NEWVAL] = (u64)e->new_number, [HAS_RET] = e->ret,
        [HAS_NR] = e->nr, [HAS_FD] = e->fd, [HAS_BYTES] = (u64)e->bytes,
    };
    if ((a == HAS_OLDVAL || a == HAS_NEWVAL) && !e->has_numbers)
        return false;
    if (a == HAS_ARG && index >= e->arg_count)
        return false;
    *ret = (i64)(a == HAS_ARG ? e->args[index] : numbers[a]);
    return true;
}

/* For floating-point values in memory. */
static bool floating_of(const struct ask_event *e, enum ask_attribute a, double *ret)
{
    if (!e->is_floating || (a != HAS_OLDVAL && a != HAS_NEWVAL))
        return false;
    *ret = a == HAS_OLDVAL ? e->old_floating : e->new_floating;
    return true;
}

static bool compare_holds(enum ask_compare compare, int order)
{
    switch (compare) {
    case IS_SAME:
        return order == 0;
    case IS_OTHER:
        return order != 0;
    case IS_LESS:
        return order < 0;
    case IS_AT_MOST:
        return order <= 0;
    case IS_MORE:
        return order > 0;
    default:
        return order >= 0;
    }
}

/* True for addresses, sizes and the like, which are never negative. Results, arguments and values
 * may be. */
static bool is_unsigned(enum ask_attribute a)
{
    return a == HAS_ADDR || a == HAS_PC || a == HAS_TICK || a == HAS_SIZE;
}

static enum ask_truth number_holds(const struct ask_context *c, const struct ask_event *e)
{
    i64 number;
    double floating;
    int order;
    if (!ask_is_known(e, c->attribute))
        return ASK_UNKNOWN;
    if (floating_of(e, c->attribute, &floating))
        order = floating < (double)c->number ? -1 : floating > (double)c->number;
    else if (!number_of(e, c->attribute, c->index, &number))
        return ASK_FALSE;
    else if (is_unsigned(c->attribute))
        order = (u64)number < (u64)c->number ? -1 : (u64)number > (u64)c->number;
    else
        order = number < c->number ? -1 : number > c->number;
    return truth_of(compare_holds(c->compare, order));
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Matches one element of a stack pattern: a name with wildcards, or (a|b). */
static bool frame_fits(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    if (pattern[0] != '(' || pattern[length - 1] != ')')
        return ask_name_fits(pattern, name);
    for (const char *at = pattern + 1; at < pattern + length;) {
        size_t here = strcspn(at, "|)");
        char *one = xformat("%.*s", (int)here, at);
        bool fits = ask_name_fits(one, name);
        free(one);
        if (fits)
            return true;
        at += here + 1;
    }
    return false;
}

/* Matches a stack pattern; both lists are outermost first. */
static bool stack_fits(char *const *pattern, size_t count, char *const *names, size_t depth)
{
    /* the position of the last **, and how many frames it has matched */
    size_t p = 0, n = 0, star = ~(size_t)0, taken = 0;
    while (n < depth) {
        if (p < count && !strcmp(pattern[p], "**")) {
            star = p++;
            taken = n;
        } else if (p < count && frame_fits(pattern[p], names[n])) {
            p++;
            n++;
        } else if (star != ~(size_t)0) {
            p = star + 1;
            n = ++taken;
        } else {
            return false;
        }
    }
    while (p < count && !strcmp(pattern[p], "**"))
        p++;
    return p == count;
}

/* Returns the names of the functions on the stack, outermost first, from main on. */
static char **stack_names(const struct ask_look *look, size_t *ret_count)
{
    size_t depth = look->frame_count, n = 0;
    for (size_t i = 0; i < look->frame_count; i++)
        if (look->frames[i].function && !strcmp(look->frames[i].function, "main"))
            depth = i + 1;
    char **names = xalloc((depth + 2) * sizeof *names);
    for (size_t i = depth; i-- > 0;)
        names[n++] = look->frames[i].function ? symbols_bare_name(look->frames[i].function)
                                              : xformat("??");
    if (look->returned)
        names[n++] = xformat("%s", look->returned);
    *ret_count = n;
    return names;
}

static struct error *stack_holds(const struct ask_context *c, struct ask_look *look,
                                 enum ask_truth *ret)
{
    size_t count;
    struct error *err = ask_look_frames(look, true);
    if (err)
        return err;
    char **names = stack_names(look, &count);
    bool fits = stack_fits(c->names.items, c->names.count, names, count);
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
    *ret = truth_of(fits == (c->compare == IS_SAME));
    return NULL;
}

/* --- expressions ------------------------------------------------------------------------------ */

/* Returns the attribute's value as it is written in an expression of the program; NULL: it is not a
 * number. */
static char *attribute_text(const struct ask_event *e, enum ask_attribute a, unsigned index)
{
    double floating;
    i64 number;
    if (floating_of(e, a, &floating))
        return xformat("(%.17g)", floating);
    if (!number_of(e, a, index, &number))
        return NULL;
    return is_unsigned(a) ? xformat("%lluull", (unsigned long long)number)
                          : xformat("(%lldll)", (long long)number);
}

static bool is_member(const char *begin, const char *at)
{
    return at > begin && (at[-1] == '.' || at[-1] == '$' ||
                          (at - begin > 1 && at[-1] == '>' && at[-2] == '-'));
}

/* Returns the text with attributes replaced by their numbers, which the caller frees; NULL: one is
 * not a number. */
static char *substitute(const struct ask_context *c, const struct ask_event *e)
{
    const char *at = c->text, *end = at + strlen(at);
    char *result = xformat("%s", "");
    enum ask_attribute a;
    while (at < end && result) {
        size_t length = ask_word_length(at, end), passed = length ? length : 1;
        unsigned index = 0;
        char *value = NULL;
        if (length && !is_member(c->text, at) && ask_find_attribute(at, length, &a) &&
            c->uses >> a & 1) {
            if (a == HAS_ARG) {
                sscanf(at + length, "[%u]", &index);
                passed = strcspn(at, "]") + 1;
            }
            value = attribute_text(e, a, index);
            if (!value) {
                free(result);
                return NULL;
            }
        }
        char *longer = value ? xformat("%s%s", result, value)
                             : xformat("%s%.*s", result, (int)passed, at);
        free(value);
        free(result);
        result = longer;
        at += passed;
    }
    return result;
}

/* An expression that cannot be evaluated counts as false. */
static enum ask_truth evaluate_truth(struct evaluation *v, const struct ask_context *c,
                                     const char *text)
{
    struct value *value;
    bool holds = false;
    char *found = NULL;
    struct error *err = values_evaluate(v, text, &value);
    if (!err && c->kind == LEAF_EXPRESSION) {
        err = value_truth(value, &holds);
    } else if (!err) {
        err = value_text(value, false, &found);
        if (err) { /* not text: compare it as it is shown */
            error_destroy(err);
            err = NULL;
            found = value_show(value, 0);
        }
        holds = found && !regexec(&c->regex, found, 0, NULL, 0) == (c->compare == IS_LIKE);
    }
    free(found);
    bool known = !err;
    error_destroy(err);
    return truth_of(known && holds);
}

static struct error *expression_holds(const struct ask_context *c, const struct ask_event *e,
                                      struct ask_look *look, enum ask_truth *ret)
{
    struct evaluation *v;
    char *text = substitute(c, e);
    *ret = ASK_FALSE;
    if (!text)
        return NULL;
    struct error *err = ask_look_evaluation(look, &v);
    if (!err)
        *ret = evaluate_truth(v, c, text);
    free(text);
    return err;
}

/* --- trees ------------------------------------------------------------------------------------ */

static struct error *leaf_holds(const struct ask_context *c, const struct ask_event *e,
                                struct ask_look *look, enum ask_truth *ret)
{
    *ret = ASK_UNKNOWN;
    if (c->is_compiled) {
        *ret = ASK_TRUE;
        return NULL;
    }
    switch (c->kind) {
    case LEAF_NAME:
        *ret = name_holds(c, e);
        return NULL;
    case LEAF_NUMBER:
        *ret = number_holds(c, e);
        return NULL;
    case LEAF_SRC:
        *ret = src_holds(c, e);
        return NULL;
    case LEAF_CHANGED:
        *ret = ask_is_known(e, HAS_CHANGED) ? truth_of(e->changed) : ASK_UNKNOWN;
        return NULL;
    case LEAF_STACK:
        return look ? stack_holds(c, look, ret) : NULL;
    default:
        return look ? expression_holds(c, e, look, ret) : NULL;
    }
}

/* The left side is evaluated first; if it decides, the right one is not evaluated. */
static struct error *both_hold(const struct ask_context *c, const struct ask_event *e,
                               struct ask_look *look, enum ask_truth *ret)
{
    enum ask_truth decides = c->operation == ASK_AND ? ASK_FALSE : ASK_TRUE, right;
    struct error *err = ask_holds(c->left, e, look, ret);
    if (err || *ret == decides)
        return err;
    err = ask_holds(c->right, e, look, &right);
    if (right == decides || *ret != ASK_UNKNOWN)
        *ret = right;
    return err;
}

struct error *ask_holds(const struct ask_context *c, const struct ask_event *e,
                        struct ask_look *look, enum ask_truth *ret)
{
    *ret = ASK_TRUE;
    if (!c)
        return NULL;
    if (c->operation == ASK_LEAF)
        return leaf_holds(c, e, look, ret);
    if (c->operation != ASK_NOT)
        return both_hold(c, e, look, ret);
    struct error *err = ask_holds(c->left, e, look, ret);
    if (*ret != ASK_UNKNOWN)
        *ret = truth_of(*ret == ASK_FALSE);
    return err;
}

bool ask_needs_look(const struct ask_context *c)
{
    if (!c)
        return false;
    if (c->operation != ASK_LEAF)
        return ask_needs_look(c->left) || ask_needs_look(c->right);
    return !c->is_compiled &&
           (c->kind == LEAF_STACK || c->kind == LEAF_EXPRESSION || c->kind == LEAF_TEXT);
}

u32 ask_attributes_used(const struct ask_context *c)
{
    if (!c)
        return 0;
    return c->uses | ask_attributes_used(c->left) | ask_attributes_used(c->right);
}
