/* Functions of the debugger itself, as gdb has them: $_strlen(text), $_streq(a, b),
 * $_regex(text, expression), $_memeq(a, b, size), $_isvoid(value).
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

static struct error *internal_strlen(struct value *const *a, i64 *ret)
{
    char *text;
    struct error *err = read_string(a[0], &text);
    if (err)
        return err;
    *ret = (i64)strlen(text);
    free(text);
    return NULL;
}

static struct error *internal_streq(struct value *const *a, i64 *ret)
{
    char *one, *other;
    struct error *err = read_string(a[0], &one);
    if (err)
        return err;
    err = read_string(a[1], &other);
    if (!err) {
        *ret = strcmp(one, other) == 0;
        free(other);
    }
    free(one);
    return err;
}

/* At the beginning of the text, as gdb does it by Python's re.match. */
static struct error *internal_regex(struct value *const *a, i64 *ret)
{
    char *text, *expression;
    regex_t compiled;
    struct error *err = read_string(a[0], &text);
    if (err)
        return err;
    err = read_string(a[1], &expression);
    if (!err) {
        char *anchored = xformat("^(%s)", expression);
        if (regcomp(&compiled, anchored, REG_EXTENDED | REG_NOSUB) == 0) {
            *ret = regexec(&compiled, text, 0, NULL, 0) == 0;
            regfree(&compiled);
        } else {
            err = error_coded(ERROR_MISUSED, "'%s' is not a regular expression", expression);
        }
        free(anchored);
        free(expression);
    }
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

static struct error *internal_memeq(struct value *const *a, i64 *ret)
{
    i64 size;
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
        *ret = memcmp(one, other, (size_t)size) == 0;
    free(one);
    free(other);
    return err;
}

static struct error *internal_isvoid(struct value *const *a, i64 *ret)
{
    *ret = value_is_void(a[0]);
    return NULL;
}

static const struct {
    const char *name;
    size_t arguments;
    struct error *(*compute)(struct value *const *arguments, i64 *ret);
} internal_functions[] = {
    {"_strlen", 1, internal_strlen}, {"_streq", 2, internal_streq}, {"_regex", 2, internal_regex},
    {"_memeq", 3, internal_memeq},   {"_isvoid", 1, internal_isvoid},
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
    i64 result = 0;
    while (strcmp(internal_functions[row].name, name) != 0)
        row++;
    if (count != internal_functions[row].arguments)
        return error_coded(ERROR_MISUSED, "$%s takes %zu argument%s", name,
                           internal_functions[row].arguments,
                           internal_functions[row].arguments == 1 ? "" : "s");
    struct error *err = v->only_types ? NULL : internal_functions[row].compute(arguments, &result);
    if (!err)
        *ret = value_of_integer(v, "int", result);
    return err;
}
