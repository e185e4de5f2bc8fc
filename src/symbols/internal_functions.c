/* Functions of the debugger itself, as gdb has them: $_strlen(text), $_streq(a, b),
 * $_regex(text, expression), $_memeq(a, b, size), $_isvoid(value), $_as_string(value), and
 * $_caller_is(name, frames) with its relatives, which look at the functions that are active.
 *
 * They are computed from the memory of this moment. Nothing is called in the program, so that they
 * can be used in conditions.
 */
#include <regex.h>

#include "symbols/values_internal.h"

enum { STRING_MOST = 1 << 20, MEMORY_MOST = 1 << 26 };

/* A pointer to characters, or an array of them; to its zero.  To be freed. */
static struct error *read_string(struct value *value, char **ret)
{
    struct evaluation *v = value->evaluation;
    u64 address;
    if (type_plain(v, value->type)->kind == TYPE_ARRAY && !value->in_memory) {
        struct error *err = value_load(value);
        if (!err)
            *ret = xformat("%.*s", (int)value->size, (const char *)value->bytes);
        return err;
    }
    struct error *err = value_decay(value, &value);
    if (!err)
        err = value_pointer(value, &address);
    if (err)
        return err;
    u8 *bytes;
    size_t count;
    bool ended;
    show_read_string(v, address, 1, STRING_MOST, &bytes, &count, &ended);
    if (ended)
        *ret = xformat("%.*s", (int)count, (const char *)bytes);
    else
        err = error_coded(ERROR_UNAVAILABLE, "there is no string at 0x%llx",
                          (unsigned long long)address);
    free(bytes);
    return err;
}

/* A call: its arguments, and its result, which is a number unless `text` is set. */
struct internal_call {
    struct evaluation *v;
    struct value *const *arguments;
    size_t count;
    i64 number;
    char *text; /* to be freed */
};

static struct error *internal_strlen(struct internal_call *c)
{
    char *text;
    struct error *err = read_string(c->arguments[0], &text);
    if (err)
        return err;
    c->number = (i64)strlen(text);
    free(text);
    return NULL;
}

static struct error *internal_streq(struct internal_call *c)
{
    char *one, *other;
    struct error *err = read_string(c->arguments[0], &one);
    if (err)
        return err;
    err = read_string(c->arguments[1], &other);
    if (!err) {
        c->number = strcmp(one, other) == 0;
        free(other);
    }
    free(one);
    return err;
}

/* At the beginning of the text, as gdb does it by Python's re.match. */
static struct error *match_beginning(const char *text, const char *expression, bool *ret)
{
    regex_t compiled;
    struct error *err = NULL;
    char *anchored = xformat("^(%s)", expression);
    if (regcomp(&compiled, anchored, REG_EXTENDED | REG_NOSUB) == 0) {
        *ret = regexec(&compiled, text, 0, NULL, 0) == 0;
        regfree(&compiled);
    } else {
        err = error_coded(ERROR_MISUSED, "'%s' is not a regular expression", expression);
    }
    free(anchored);
    return err;
}

static struct error *internal_regex(struct internal_call *c)
{
    char *text, *expression;
    bool fits = false;
    struct error *err = read_string(c->arguments[0], &text);
    if (err)
        return err;
    err = read_string(c->arguments[1], &expression);
    if (!err) {
        err = match_beginning(text, expression, &fits);
        free(expression);
    }
    c->number = fits;
    free(text);
    return err;
}

static struct error *internal_read_bytes(struct value *value, u64 size, u8 *to)
{
    u64 address;
    const struct symbols_host *host = &value->evaluation->symbols->host;
    struct error *err = value_decay(value, &value);
    if (!err)
        err = value_pointer(value, &address);
    if (!err && !host->read(host->context, address, to, size))
        err = error_coded(ERROR_UNAVAILABLE, "there is no memory at 0x%llx",
                          (unsigned long long)address);
    return err;
}

static struct error *internal_memeq(struct internal_call *c)
{
    i64 size;
    struct value *const *a = c->arguments;
    struct error *err = value_integer(a[2], &size);
    if (!err && (size < 0 || size > MEMORY_MOST))
        err = error_coded(ERROR_MISUSED, "$_memeq compares between 0 and %d bytes", MEMORY_MOST);
    if (err)
        return err;
    u8 *one = xalloc((size_t)size + 1), *other = xalloc((size_t)size + 1);
    err = size ? internal_read_bytes(a[0], (u64)size, one) : NULL;
    if (!err && size)
        err = internal_read_bytes(a[1], (u64)size, other);
    if (!err)
        c->number = memcmp(one, other, (size_t)size) == 0;
    free(one);
    free(other);
    return err;
}

static struct error *internal_isvoid(struct internal_call *c)
{
    c->number = value_is_void(c->arguments[0]);
    return NULL;
}

static struct error *internal_as_string(struct internal_call *c)
{
    c->text = value_show(c->arguments[0], 0);
    return NULL;
}

/* --- callers ---------------------------------------------------------------------------------- */

static struct error *fits_frame(const struct frame *f, const char *wanted, bool by_pattern,
                                bool *ret)
{
    char *name = symbols_bare_name(f->function ? f->function : "");
    struct error *err = NULL;
    if (by_pattern)
        err = match_beginning(name, wanted, ret);
    else
        *ret = strcmp(name, wanted) == 0;
    free(name);
    return err;
}

/* Looks at the frame that is as many frames outside of the selected one as the second argument
 * says (1 without it), or at all frames up to it. */
static struct error *look_at_callers(struct internal_call *c, bool by_pattern, bool any)
{
    const struct values_request *q = &c->v->request;
    i64 distance = 1;
    char *wanted;
    bool fits = false;
    struct error *err = c->count > 1 ? value_integer(c->arguments[1], &distance) : NULL;
    if (!err && distance < 0)
        err = error_coded(ERROR_MISUSED, "the number of frames must not be negative");
    if (!err)
        err = read_string(c->arguments[0], &wanted);
    if (err)
        return err;
    for (i64 n = any ? 0 : distance; n <= distance && !fits && !err; n++) {
        if ((u64)n >= q->frame_count - q->selected &&
            (!variables_more_frames(c->v) || (u64)n >= q->frame_count - q->selected))
            break;
        err = fits_frame(&q->frames[q->selected + (size_t)n], wanted, by_pattern, &fits);
    }
    c->number = fits;
    free(wanted);
    return err;
}

static struct error *internal_caller_is(struct internal_call *c)
{
    return look_at_callers(c, false, false);
}

static struct error *internal_caller_matches(struct internal_call *c)
{
    return look_at_callers(c, true, false);
}

static struct error *internal_any_caller_is(struct internal_call *c)
{
    return look_at_callers(c, false, true);
}

static struct error *internal_any_caller_matches(struct internal_call *c)
{
    return look_at_callers(c, true, true);
}

/* --- the table -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t least, most; /* arguments */
    struct error *(*compute)(struct internal_call *c);
} internal_functions[] = {
    {"_strlen", 1, 1, internal_strlen},
    {"_streq", 2, 2, internal_streq},
    {"_regex", 2, 2, internal_regex},
    {"_memeq", 3, 3, internal_memeq},
    {"_isvoid", 1, 1, internal_isvoid},
    {"_as_string", 1, 1, internal_as_string},
    {"_caller_is", 1, 2, internal_caller_is},
    {"_caller_matches", 1, 2, internal_caller_matches},
    {"_any_caller_is", 1, 2, internal_any_caller_is},
    {"_any_caller_matches", 1, 2, internal_any_caller_matches},
};

bool internal_function_is(const char *name)
{
    for (size_t i = 0; i < countof(internal_functions); i++)
        if (strcmp(internal_functions[i].name, name) == 0)
            return true;
    return false;
}

struct error *internal_function_call(struct evaluation *v, const char *name,
                                     struct value *const *arguments, size_t count,
                                     struct value **ret)
{
    size_t row = 0;
    struct internal_call c = {.v = v, .arguments = arguments, .count = count};
    while (strcmp(internal_functions[row].name, name) != 0)
        row++;
    size_t least = internal_functions[row].least, most = internal_functions[row].most;
    if (count < least || count > most)
        return error_coded(ERROR_MISUSED, "$%s takes %zu argument%s%s", name, least,
                           least == 1 ? "" : "s", most > least ? ", or one more" : "");
    struct error *err = v->only_types ? NULL : internal_functions[row].compute(&c);
    if (!err && c.text)
        *ret = value_of_bytes(v, type_array(v, type_builtin(v, "char"), strlen(c.text) + 1),
                              c.text, strlen(c.text) + 1);
    else if (!err)
        *ret = value_of_integer(v, "int", c.number);
    free(c.text);
    return err;
}
