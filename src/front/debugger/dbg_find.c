/* find: searches memory for a pattern of bytes.
 *
 * The pattern is a sequence of values, each with its own bytes or, if a size was given, as an
 * integer of that size. Matches may overlap. `$numfound` is their number, `$_` the last one.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { FIND_PIECE = 1 << 16, FIND_PATTERN_MOST = 1 << 16 };

struct find {
    u64 start, length;
    u64 most;        /* maximum number of matches; ~0: all */
    unsigned size;   /* size of an integer; 0: that of the value */
    u8 *pattern;
    size_t pattern_size;
};

/* /b /h /w /g and a count, in any order. */
static struct error *find_options(const char **args, struct find *f)
{
    if (**args != '/')
        return NULL;
    for ((*args)++; **args && !isspace((u8)**args);) {
        static const char letters[] = "bhwg";
        const char *size = strchr(letters, **args);
        char *end;
        if (size) {
            f->size = 1u << (size - letters);
            (*args)++;
        } else if (isdigit((u8)**args)) {
            f->most = strtoull(*args, &end, 10);
            *args = end;
            if (!f->most)
                return error_coded(ERROR_MISUSED, "the number of places must be at least 1");
        } else {
            return error_coded(ERROR_MISUSED,
                               "find takes sizes b h w g and a count after '/', not '%c'", **args);
        }
    }
    *args += strspn(*args, " \t");
    return NULL;
}

/* Takes the next expression, up to a comma; NULL: there is none. The caller frees it. */
static char *find_take(const char **args)
{
    *args += strspn(*args, " \t");
    if (!**args)
        return NULL;
    size_t length = dbg_argument_length(*args);
    char *text = xformat("%.*s", (int)length, *args);
    *args += length + ((*args)[length] == ',');
    return text;
}

/* START, +LENGTH or START, END */
static struct error *find_range(struct dbg *d, const char **args, struct find *f)
{
    char *from = find_take(args), *to = from ? find_take(args) : NULL;
    struct error *err = NULL;
    u64 number;
    const char *text = to ? to + strspn(to, " \t") : "";
    if (!from || !to)
        err = error_coded(ERROR_MISUSED,
                          "find START, +LENGTH or END, VALUE...: the range is missing");
    if (!err)
        err = debug_address_of(d->debug, from, &f->start);
    if (!err && *text == '+')
        err = debug_integer(d->debug, text + 1, &f->length);
    else if (!err && !(err = debug_address_of(d->debug, text, &number))) {
        if (number < f->start)
            err = error_coded(ERROR_MISUSED, "the range ends before it begins");
        f->length = number - f->start + 1;
    }
    if (!err && (f->length == 0 || f->start + f->length - 1 < f->start))
        err = error_coded(ERROR_MISUSED, "the range is empty, or leaves the address space");
    free(from);
    free(to);
    return err;
}

static struct error *find_add(struct find *f, struct value *value)
{
    u8 *bytes;
    u64 size;
    i64 number;
    struct error *err;
    if (f->size) {
        if ((err = value_integer(value, &number)))
            return err;
        bytes = xalloc(f->size);
        memcpy(bytes, &number, f->size);
        size = f->size;
    } else if ((err = value_contents(value, &bytes, &size))) {
        return err;
    }
    if (size > FIND_PATTERN_MOST - f->pattern_size) {
        free(bytes);
        return error_coded(ERROR_MISUSED, "the pattern is longer than %u bytes", FIND_PATTERN_MOST);
    }
    u8 *longer = xalloc(f->pattern_size + size + 1);
    if (f->pattern_size)
        memcpy(longer, f->pattern, f->pattern_size);
    memcpy(longer + f->pattern_size, bytes, size);
    free(f->pattern);
    free(bytes);
    f->pattern = longer;
    f->pattern_size += size;
    return NULL;
}

static struct error *find_pattern(struct dbg *d, const char *args, struct find *f)
{
    struct evaluation *v;
    struct value *value;
    struct error *err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    for (char *text; !err && (text = find_take(&args)); free(text)) {
        err = values_evaluate(v, text, &value);
        if (!err)
            err = find_add(f, value);
    }
    values_close(v);
    if (!err && !f->pattern_size)
        err = error_coded(ERROR_MISUSED, "say what to find: one value or several");
    if (!err && f->pattern_size > f->length)
        err = error_coded(ERROR_MISUSED, "the range is shorter than what is to be found");
    return err;
}

static void find_say(struct dbg *d, u64 address)
{
    dbg_say(d, "0x%llx", (unsigned long long)address);
    dbg_say_symbol(d, address);
    dbg_say(d, "\n");
    json_open(dbg_fields(d), NULL, '{');
    json_hex(dbg_fields(d), "address", address);
    json_close(dbg_fields(d), '}');
}

/* Searches piece by piece, each with as much of the next as a pattern may extend into. */
static struct error *find_all(struct dbg *d, const struct find *f, u64 *ret_count, u64 *ret_last)
{
    u8 *piece = xalloc(FIND_PIECE + f->pattern_size);
    u64 at = f->start, left = f->length;
    struct error *err = NULL;
    bool short_read = false;
    while (left >= f->pattern_size && *ret_count < f->most && !short_read && !debug_interrupted()) {
        u64 wanted =
            left < FIND_PIECE + f->pattern_size - 1 ? left : FIND_PIECE + f->pattern_size - 1;
        size_t got = 0;
        if ((err = session_read(d->debug->session, at, piece, wanted, &got)))
            break;
        short_read = got < wanted;
        size_t n = 0;
        while (got >= f->pattern_size && n + f->pattern_size <= got && *ret_count < f->most) {
            u8 *first = memchr(piece + n, f->pattern[0], got - f->pattern_size + 1 - n);
            if (!first) {
                n = got - f->pattern_size + 1;
                break;
            }
            n = (size_t)(first - piece);
            if (memcmp(first, f->pattern, f->pattern_size) == 0) {
                *ret_last = at + n;
                (*ret_count)++;
                find_say(d, at + n);
            }
            n++;
        }
        if (short_read)
            dbg_say(d, "There is no memory at 0x%llx: the search ends there.\n",
                    (unsigned long long)(at + got));
        at += n;
        left -= n;
    }
    free(piece);
    return err;
}

/* find [/SIZE COUNT] START, +LENGTH | END, VALUE... */
struct error *dbg_find(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct find f = {.most = ~(u64)0};
    u64 count = 0, last = 0;
    struct evaluation *v;
    (void)c;
    struct error *err = find_options(&args, &f);
    if (!err)
        err = find_range(d, &args, &f);
    if (!err)
        err = find_pattern(d, args, &f);
    if (!err) {
        json_open(dbg_fields(d), "found", '[');
        err = find_all(d, &f, &count, &last);
        json_close(dbg_fields(d), ']');
    }
    free(f.pattern);
    if (err)
        return err;
    conveniences_define_integer(d->debug->conveniences, "numfound", (i64)count);
    if (count && !(err = debug_evaluation(d->debug, &v))) {
        error_destroy(conveniences_define(values_pointer(v, last), "_"));
        values_close(v);
    }
    if (!count)
        dbg_say(d, "Pattern not found.\n");
    else
        dbg_say(d, "%llu pattern%s found.\n", (unsigned long long)count, count == 1 ? "" : "s");
    return err;
}
