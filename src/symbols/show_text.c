/* Characters and strings as text, in gdb's form: escapes, repeats, and the limit on characters.
 *
 * A string is converted unit by unit (1, 2 or 4 bytes), so that invalid sequences show as escapes.
 * Repeats longer than the threshold are written as 'a' <repeats 20 times>.
 */
#include "symbols/values_internal.h"

/* --- characters ------------------------------------------------------------------------------- */

void show_character(FILE *out, u32 c, char prefix, char quote)
{
    static const char special[] = "\a\b\f\n\r\t\v", letters[] = "abfnrtv";
    const char *found = c && c < 128 ? strchr(special, (int)c) : NULL;
    if (c == (u8)quote || c == '\\')
        fprintf(out, "\\%c", (char)c);
    else if (found)
        fprintf(out, "\\%c", letters[found - special]);
    else if (c >= 32 && c < 127)
        fputc((int)c, out);
    else if (prefix == ' ')
        fprintf(out, "\\%03o", c & 0xff);
    else if (c < 128 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        fprintf(out, c < 0x200 ? "\\%03o" : "\\x%x", c);
    else if (c < 0x800)
        fprintf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 63));
    else if (c < 0x10000)
        fprintf(out, "%c%c%c", 0xe0 | c >> 12, 0x80 | (c >> 6 & 63), 0x80 | (c & 63));
    else
        fprintf(out, "%c%c%c%c", 0xf0 | c >> 18, 0x80 | (c >> 12 & 63), 0x80 | (c >> 6 & 63),
                0x80 | (c & 63));
}

static u32 unit_at(const u8 *bytes, u64 index, unsigned width)
{
    u32 c = 0;
    memcpy(&c, bytes + index * width, width);
    return c;
}

/* The number of UTF-8 bytes that form one character; 0: not valid. */
static unsigned utf8_length(const u8 *s, u64 left)
{
    unsigned need = s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (!need || need > left || s[0] >= 0xf5)
        return 0;
    for (unsigned n = 1; n < need; n++)
        if ((s[n] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90))
        return 0;
    return need;
}

/* Writes one character of a string; returns how many units it used. */
static u64 show_unit(FILE *out, const u8 *bytes, u64 at, u64 count, unsigned width, char prefix,
                     char quote)
{
    unsigned utf8 = width == 1 ? utf8_length(bytes + at, count - at) : 0;
    if (utf8) {
        fwrite(bytes + at, 1, utf8, out);
        return utf8;
    }
    u32 c = unit_at(bytes, at, width), low;
    if (prefix == 'u' && c >= 0xd800 && c < 0xdc00 && at + 1 < count &&
        (low = unit_at(bytes, at + 1, width)) >= 0xdc00 && low < 0xe000) {
        show_character(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00), 'U', quote);
        return 2;
    }
    show_character(out, c, prefix, quote);
    return 1;
}

/* Prefix 4 is for Fortran's wide characters. */
static void show_prefix(FILE *out, char prefix)
{
    if (prefix != ' ')
        fputc(prefix, out);
    if (prefix == '4')
        fputc('_', out);
}

static void open_quotes(FILE *out, bool *quoted, bool *some, char prefix, char quote)
{
    if (*quoted)
        return;
    fputs(*some ? ", " : "", out);
    show_prefix(out, prefix);
    fputc(quote, out);
    *quoted = *some = true;
}

static void show_repeat(FILE *out, u32 c, char prefix, char quote, u64 times, bool *quoted,
                        bool *some)
{
    if (*quoted)
        fputc(quote, out);
    fputs(*some ? ", " : "", out);
    show_prefix(out, prefix);
    fputc('\'', out);
    show_character(out, c, prefix, '\'');
    fprintf(out, "' <repeats %llu times>", (unsigned long long)times);
    *quoted = false;
    *some = true;
}

static u64 run_length(const u8 *bytes, u64 at, u64 count, unsigned width)
{
    u64 n = 1;
    while (at + n < count && memcmp(bytes + at * width, bytes + (at + n) * width, width) == 0)
        n++;
    return n;
}

void show_characters(FILE *out, const u8 *bytes, u64 count, const struct show_text *how)
{
    bool quoted = false, some = false;
    unsigned width = how->width;
    char prefix = how->prefix, quote = how->quote ? how->quote : '"';
    u64 at = 0;
    for (u64 shown = 0; at < count && shown < how->most;) {
        u64 run = run_length(bytes, at, count, width);
        if (run > how->repeats) {
            show_repeat(out, unit_at(bytes, at, width), prefix, quote, run, &quoted, &some);
            at += run;
        } else { /* all equal ones, even if they exceed the limit */
            open_quotes(out, &quoted, &some, prefix, quote);
            for (u64 end = at + run; at < end;)
                at += show_unit(out, bytes, at, count, width, prefix, quote);
        }
        shown += run;
    }
    if (!some)
        open_quotes(out, &quoted, &some, prefix, quote);
    if (quoted)
        fputc(quote, out);
    if (at < count || how->ellipsis)
        fputs("...", out);
}

/* --- for printf ------------------------------------------------------------------------------- */

struct error *value_floating(struct value *value, long double *ret)
{
    struct number n;
    struct error *err = value_referred(value, &value);
    if (!err)
        err = value_number(value, &n);
    if (err)
        return err;
    u64 size = value->type->size;
    if (n.is_float) {
        *ret = n.f;
    } else if (size == 4 || size == 8 || size == 16) {
        struct type *t = type_builtin(value->evaluation,
                                      size == 4 ? "float" : size == 8 ? "double" : "long double");
        float_number(t, (const u8 *)&n.i, ret);
    } else {
        *ret = (long double)n.i;
    }
    return NULL;
}

static char *utf8_of(const u8 *bytes, size_t count, unsigned width)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (size_t n = 0; n < count; n++) {
        u32 c = unit_at(bytes, n, width);
        if (width == 1 || c < 128)
            fputc((int)c, out);
        else
            show_character(out, c, 'U', 0);
    }
    fclose(out);
    return text;
}

bool value_is_text(const struct value *value)
{
    struct evaluation *v = value->evaluation;
    struct type *plain = type_plain(v, value->type);
    return (plain->kind == TYPE_POINTER || plain->kind == TYPE_ARRAY) &&
           type_character(v, type_target(v, plain)) == ' ';
}

struct error *value_text(struct value *value, bool wide, char **ret)
{
    enum { TEXT_LONGEST = 1 << 16 };
    struct evaluation *v = value->evaluation;
    unsigned width = wide ? 4 : 1;
    u8 *bytes;
    size_t count;
    bool ended;
    i64 address;
    struct error *err = value_referred(value, &value);
    if (err)
        return err;
    bool is_array = type_plain(v, value->type)->kind == TYPE_ARRAY;
    if (is_array && !value->in_memory) {
        if ((err = value_load(value)))
            return err;
        for (count = 0; count < value->size / width && unit_at(value->bytes, count, width);)
            count++;
        *ret = utf8_of(value->bytes, count, width);
        return NULL;
    }
    if (is_array)
        address = (i64)value->address;
    else if ((err = value_integer(value, &address)))
        return err;
    *ret = NULL;
    if (!address)
        return NULL;
    bool good = show_read_string(v, (u64)address, width, TEXT_LONGEST, &bytes, &count, &ended);
    if (good)
        *ret = utf8_of(bytes, count, width);
    else
        err = error_coded(ERROR_UNAVAILABLE, "there is no memory at 0x%llx",
                          (unsigned long long)address + count * width);
    free(bytes);
    return err;
}

void show_json_text(FILE *out, const u8 *bytes, size_t count)
{
    fputc('"', out);
    for (size_t n = 0; n < count;) {
        unsigned utf8 = utf8_length(bytes + n, count - n);
        u8 c = bytes[n];
        if (utf8)
            fwrite(bytes + n, 1, utf8, out);
        else if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c >= 32 && c < 127)
            fputc(c, out);
        else
            fprintf(out, "\\u%04x", c);
        n += utf8 ? utf8 : 1;
    }
    fputc('"', out);
}

/* Reads up to the end of a page at a time, so that the last readable byte is included. */
bool show_read_string(struct evaluation *v, u64 address, unsigned width, size_t most, u8 **ret,
                      size_t *ret_count, bool *ret_ended)
{
    const struct symbols_host *host = &v->symbols->host;
    u8 *bytes = xalloc((most + 1) * width);
    size_t count = 0;
    bool good = true;
    *ret_ended = false;
    while (count < most && !*ret_ended) {
        u64 at = address + count * width, left = (4096 - at % 4096) / width;
        size_t step = left < most - count ? left : most - count;
        step = step ? step : 1;
        good = host->read(host->context, at, bytes + count * width, step * width);
        if (!good)
            break;
        for (size_t n = 0; n < step && !*ret_ended; n++) {
            *ret_ended = unit_at(bytes, count, width) == 0;
            count += !*ret_ended;
        }
    }
    *ret = bytes;
    *ret_count = count;
    return good;
}
