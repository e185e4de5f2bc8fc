/* Memory as it is: x. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { EXAMINE_MOST = 65536, LINE_BYTES = 16, STRING_MOST = 200 };

static bool dbg_memory_read_all(struct dbg *d, u64 address, void *to, size_t size)
{
    size_t got = 0;
    struct error *err = session_read(d->session, address, to, size, &got);
    error_destroy(err);
    return !err && got == size;
}

struct error *dbg_address_of(struct dbg *d, const char *expression, u64 *ret)
{
    struct evaluation *evaluation;
    struct value *value;
    u64 size;
    i64 number;
    struct error *err = dbg_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, expression, &value);
    if (!err) {
        err = value_integer(value, &number);
        if (!err) {
            *ret = (u64)number;
        } else if (value_memory(value, ret, &size)) { /* an array or a struct: where it is */
            error_destroy(err);
            err = NULL;
        }
    }
    values_close(evaluation);
    return err;
}

/* --- x ---------------------------------------------------------------------------------------- */

struct format {
    u64 count;
    char letter;
    unsigned size;
};

static struct error *parse_format(const char *text, struct format *f)
{
    static const struct { char letter; unsigned size; } sizes[] = {
        {'b', 1}, {'h', 2}, {'w', 4}, {'g', 8},
    };
    const char *at = text;
    if (isdigit((u8)*at)) {
        char *end;
        f->count = strtoull(at, &end, 10);
        at = end;
    }
    for (; *at; at++) {
        bool is_size = false;
        for (size_t i = 0; i < countof(sizes); i++)
            if (*at == sizes[i].letter) {
                f->size = sizes[i].size;
                is_size = true;
            }
        if (!is_size && !strchr("xduotacfsi", *at))
            return error_new("'/%s' is no format: a count, one of x d u o t a c f s i, and b h w or g",
                             text);
        if (!is_size)
            f->letter = *at;
    }
    if (f->count == 0 || f->count > EXAMINE_MOST)
        return error_new("a count is between 1 and %u", EXAMINE_MOST);
    if (f->letter == 'a')
        f->size = 8;
    if (f->letter == 'c' && !strpbrk(text, "bhwg"))
        f->size = 1;
    if (f->letter == 'f' && f->size < 4)
        f->size = 8;
    return NULL;
}

static void say_binary(struct dbg *d, u64 value, unsigned size)
{
    for (int bit = (int)(8 * size) - 1; bit >= 0; bit--)
        dbg_say(d, "%d", (int)(value >> bit & 1));
}

static void say_float(struct dbg *d, u64 value, unsigned size)
{
    float single;
    double twice;
    memcpy(&single, &value, sizeof single);
    memcpy(&twice, &value, sizeof twice);
    dbg_say(d, size == 4 ? "%.9g" : "%.17g", size == 4 ? (double)single : twice);
}

static void say_unit(struct dbg *d, u64 value, const struct format *f)
{
    unsigned shift = 64 - 8 * f->size;
    i64 whole = (i64)(value << shift) >> shift;
    dbg_say(d, "\t");
    switch (f->letter) {
    case 'd': dbg_say(d, "%lld", (long long)whole); break;
    case 'u': dbg_say(d, "%llu", (unsigned long long)value); break;
    case 'o': dbg_say(d, "0%llo", (unsigned long long)value); break;
    case 't': say_binary(d, value, f->size); break;
    case 'f': say_float(d, value, f->size); break;
    case 'c': dbg_say(d, isprint((int)(value & 0xff)) ? "%lld '%c'" : "%lld '\\%03o'",
                      (long long)whole, (int)(value & 0xff)); break;
    case 'a': dbg_say(d, "0x%llx", (unsigned long long)value); dbg_say_symbol(d, value); break;
    default: dbg_say(d, "0x%0*llx", (int)(2 * f->size), (unsigned long long)value); break;
    }
}

static void say_address(struct dbg *d, u64 address)
{
    dbg_say(d, "0x%llx", (unsigned long long)address);
    dbg_say_symbol(d, address);
    dbg_say(d, ":");
}

static struct error *no_memory(u64 address)
{
    return error_new("there is no memory at 0x%llx", (unsigned long long)address);
}

static struct error *examine_units(struct dbg *d, u64 *at, const struct format *f)
{
    unsigned per_line = LINE_BYTES / f->size;
    for (u64 i = 0; i < f->count; i++) {
        u64 value = 0;
        if (!dbg_memory_read_all(d, *at, &value, f->size)) {
            dbg_say(d, i % per_line ? "\n" : "");
            return no_memory(*at);
        }
        if (i % per_line == 0)
            say_address(d, *at);
        say_unit(d, value, f);
        *at += f->size;
        if ((i + 1) % per_line == 0 || i + 1 == f->count)
            dbg_say(d, "\n");
    }
    return NULL;
}

static void say_character(struct dbg *d, u8 c)
{
    if (c == '\n')
        dbg_say(d, "\\n");
    else if (c == '"' || c == '\\')
        dbg_say(d, "\\%c", c);
    else
        dbg_say(d, isprint(c) ? "%c" : "\\%03o", c);
}

static struct error *examine_string(struct dbg *d, u64 *at)
{
    u8 c;
    if (!dbg_memory_read_all(d, *at, &c, 1))
        return no_memory(*at);
    say_address(d, *at);
    dbg_say(d, "\t\"");
    unsigned length = 0;
    bool more;
    while ((more = dbg_memory_read_all(d, *at, &c, 1) && c) && length < STRING_MOST) {
        say_character(d, c);
        (*at)++, length++;
    }
    dbg_say(d, "\"%s\n", more ? "..." : "");
    *at += !more;
    return NULL;
}

static struct error *examine_code(struct dbg *d, u64 *at, u64 count)
{
    for (; count > 0; count--) {
        dbg_say(d, "%s", *at == dbg_pc(d) ? "=> " : "   ");
        say_address(d, *at);
        dbg_say(d, "\t");
        size_t length = dbg_say_instruction(d, *at, false);
        if (!length)
            return no_memory(*at);
        *at += length;
    }
    return NULL;
}

/* Without an expression it goes on where the last one ended. */
struct error *dbg_examine(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char room[sizeof d->examine_format];
    struct format f = {.count = 1, .letter = 'x', .size = 4};
    (void)c;
    struct error *err = dbg_split_format(&args, room, sizeof room);
    const char *text = room[0] ? room : d->examine_format;
    if (!err)
        err = parse_format(text, &f);
    if (!err && *args)
        err = dbg_address_of(d, args, &d->examine_next);
    if (err)
        return err;
    if (text == room)
        memcpy(d->examine_format, room, sizeof room);
    if (f.letter == 'i')
        return examine_code(d, &d->examine_next, f.count);
    if (f.letter != 's')
        return examine_units(d, &d->examine_next, &f);
    for (u64 i = 0; i < f.count && !err; i++)
        err = examine_string(d, &d->examine_next);
    return err;
}
