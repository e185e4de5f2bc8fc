/* printf and echo: text with values in it.
 *
 * Conversions are those of gdb: d i u o x X c s p e f g E G, with flags, width, precision and the
 * lengths h l ll L z. Values are converted as in gdb: `%d` of a floating-point number is its
 * integer part, `%f` of an integer of 4, 8 or 16 bytes is the number with its bits.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* One conversion. */
struct conversion {
    char flags[32]; /* "%-5.2": what stands before the length */
    bool is_long, is_long_long, is_short, is_size, is_long_double;
    char letter;
};

/* --- escapes ---------------------------------------------------------------------------------- */

static char escaped(char c)
{
    static const char letters[] = "abfnrtve\\\"", bytes[] = "\a\b\f\n\r\t\v\033\\\"";
    const char *found = c ? strchr(letters, c) : NULL;
    return found ? bytes[found - letters] : 0;
}

/* Returns the format between its quotes, which the caller frees; *at moves past it. */
static struct error *read_format(const char **at, char **ret)
{
    struct error *err = NULL;
    char *text = xalloc(strlen(*at) + 1);
    size_t length = 0;
    if (**at != '"') {
        free(text);
        return error_coded(ERROR_MISUSED,
                           "printf begins with a format in quotes: printf \"%%d\\n\", EXPRESSION");
    }
    for ((*at)++; **at && **at != '"' && !err; (*at)++) {
        if (**at != '\\') {
            text[length++] = **at;
            continue;
        }
        (*at)++;
        if (!(text[length] = escaped(**at)))
            err = **at ? error_coded(ERROR_MISUSED, "'\\%c' is not an escape sequence of printf",
                                     **at)
                       : error_coded(ERROR_MISUSED, "the format has no closing quote");
        length++;
    }
    if (!err && **at != '"')
        err = error_coded(ERROR_MISUSED, "the format has no closing quote");
    text[length] = 0;
    if (err)
        free(text);
    else
        (*at)++, *ret = text;
    return err;
}

/* --- conversions ------------------------------------------------------------------------------ */

static size_t take_digits(const char *at)
{
    return strspn(at, "0123456789");
}

static struct error *read_conversion(const char **at, struct conversion *ret)
{
    const char *from = *at, *to = from + 1;
    *ret = (struct conversion){0};
    to += strspn(to, "-+ #0'");
    to += take_digits(to);
    if (*to == '.')
        to += 1 + take_digits(to + 1);
    if (*to == '*')
        return error_coded(ERROR_MISUSED,
                           "'*' is not for printf here: write the width or the precision");
    if ((size_t)(to - from) >= sizeof ret->flags)
        return error_coded(ERROR_MISUSED, "the width or precision is too long");
    memcpy(ret->flags, from, (size_t)(to - from));
    if (*to == 'h')
        ret->is_short = true, to++;
    else if (*to == 'l' && to[1] == 'l')
        ret->is_long_long = true, to += 2;
    else if (*to == 'l')
        ret->is_long = true, to++;
    else if (*to == 'z')
        ret->is_size = true, to++;
    else if (*to == 'L')
        ret->is_long_double = true, to++;
    bool any_length =
        ret->is_short || ret->is_long_long || ret->is_long || ret->is_size || ret->is_long_double;
    bool good = *to && strchr("dioxXucspefgEG", *to);
    if (strchr("efgEG", *to) && any_length && !ret->is_long_double)
        good = false;
    if (*to == 'p' && any_length)
        good = false;
    if (strchr("cs", *to) && any_length && !ret->is_long)
        good = false;
    if (strchr("dioxXu", *to) && ret->is_long_double)
        good = false;
    if (!good)
        return error_coded(ERROR_MISUSED, "'%.*s' is not a conversion of printf",
                           (int)(to - from + (*to != 0)), from);
    ret->letter = *to;
    *at = to + 1;
    return NULL;
}

/* Returns the format for the host's printf: the flags, then the length and letter in `more`. */
static char *host_format(const struct conversion *c, const char *more)
{
    return xformat("%s%s", c->flags, more);
}

__attribute__((format(printf, 2, 0)))
static void say_by(struct dbg *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(d->answer.text, format, args);
    va_end(args);
}

/* The format was checked above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"

static struct error *say_integer(struct dbg *d, const struct conversion *c, struct value *value)
{
    i64 number;
    char more[4] = {0};
    struct error *err = value_integer(value, &number);
    if (err)
        return err;
    bool wide = c->is_long || c->is_long_long || c->is_size;
    snprintf(more, sizeof more, "%s%c", wide ? "ll" : c->is_short ? "h" : "", c->letter);
    char *format = host_format(c, more);
    if (wide)
        say_by(d, format, (long long)number);
    else
        say_by(d, format, (int)number);
    free(format);
    return NULL;
}

static struct error *say_float(struct dbg *d, const struct conversion *c, struct value *value)
{
    long double number;
    struct error *err = value_floating(value, &number);
    if (err)
        return err;
    char more[3] = {'L', c->letter};
    char *format = host_format(c, more);
    say_by(d, format, number);
    free(format);
    return NULL;
}

static struct error *say_pointer(struct dbg *d, const struct conversion *c, struct value *value)
{
    i64 number;
    struct error *err = value_integer(value, &number);
    if (err)
        return err;
    char *word = number ? xformat("0x%llx", (unsigned long long)number) : xformat("(nil)");
    char *flags = xformat("%s", c->flags);
    flags[strcspn(flags, ".")] = 0; /* a precision has no meaning here */
    char *plain = flags;
    for (char *at = flags; *at; at++) /* nor have other flags */
        if (!strchr("+ #'", *at) && !(*at == '0' && at == flags + 1))
            *plain++ = *at;
    *plain = 0;
    char *format = xformat("%ss", flags);
    say_by(d, format, word);
    free(format);
    free(flags);
    free(word);
    return NULL;
}

static struct error *say_string(struct dbg *d, const struct conversion *c, struct value *value)
{
    char *text;
    struct error *err = value_text(value, c->is_long, &text);
    if (err)
        return err;
    char *format = host_format(c, "s");
    say_by(d, format, text ? text : "(null)");
    free(format);
    free(text);
    return NULL;
}

static struct error *say_character(struct dbg *d, const struct conversion *c, struct value *value)
{
    i64 number;
    if (c->is_long)
        return error_coded(ERROR_MISUSED, "printf has %%ls, but no %%lc here");
    struct error *err = value_integer(value, &number);
    if (err)
        return err;
    char *format = host_format(c, "c");
    say_by(d, format, (int)(u8)number);
    free(format);
    return NULL;
}
#pragma GCC diagnostic pop

static struct error *say_conversion(struct dbg *d, const struct conversion *c, struct value *value)
{
    switch (c->letter) {
    case 'c': return say_character(d, c, value);
    case 's': return say_string(d, c, value);
    case 'p': return say_pointer(d, c, value);
    case 'e': case 'f': case 'g': case 'E': case 'G': return say_float(d, c, value);
    default: return say_integer(d, c, value);
    }
}

/* --- the command ------------------------------------------------------------------------------ */

/* Returns where an expression ends: at a comma outside of parentheses and quotes. */
size_t dbg_argument_length(const char *text)
{
    unsigned deep = 0;
    const char *at = text;
    for (char quote = 0; *at && (deep || quote || *at != ','); at++) {
        if (quote) {
            if (*at == '\\' && at[1])
                at++;
            else if (*at == quote)
                quote = 0;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else {
            deep += strchr("([{", *at) != NULL;
            deep -= strchr(")]}", *at) && deep;
        }
    }
    return (size_t)(at - text);
}

/* Evaluates the next argument. */
static struct error *next_value(struct evaluation *v, const char **args, struct value **ret)
{
    *args += strspn(*args, " \t");
    if (**args != ',')
        return error_coded(ERROR_MISUSED, "the format has more conversions than there are values");
    (*args)++;
    size_t length = dbg_argument_length(*args);
    char *text = xformat("%.*s", (int)length, *args);
    struct error *err = text[strspn(text, " \t")]
                            ? values_evaluate(v, text, ret)
                            : error_coded(ERROR_MISUSED, "there is no value between two commas");
    free(text);
    *args += length;
    return err;
}

static struct error *say_formatted(struct dbg *d, struct evaluation *v, const char *format,
                                   const char *args)
{
    struct error *err = NULL;
    struct conversion c;
    struct value *value;
    while (*format && !err) {
        if (*format != '%' || format[1] == '%') {
            dbg_say(d, "%c", *format);
            format += 1 + (*format == '%');
            continue;
        }
        err = read_conversion(&format, &c);
        if (!err)
            err = next_value(v, &args, &value);
        if (!err)
            err = say_conversion(d, &c, value);
    }
    args += strspn(args, " \t");
    if (!err && *args)
        err =
            *args == ','
                ? error_coded(ERROR_MISUSED, "there are more values than conversions in the format")
                : error_coded(ERROR_MISUSED, "a comma must follow the format, and not '%s'", args);
    return err;
}

/* printf "FORMAT", VALUE... */
struct error *dbg_printf(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct evaluation *v;
    char *format = NULL;
    (void)c;
    struct error *err = read_format(&args, &format);
    if (err)
        return err;
    err = debug_evaluation(d->debug, &v);
    if (!err) {
        long began = ftell(d->answer.text);
        err = say_formatted(d, v, format, args);
        values_close(v);
        if (err) /* all or nothing */
            fseek(d->answer.text, began, SEEK_SET);
    }
    free(format);
    return err;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* echo TEXT: without a newline, unless the text has one as an escape. */
struct error *dbg_echo(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    for (const char *at = args; *at; at++) {
        if (*at != '\\') {
            dbg_say(d, "%c", *at);
        } else if (!at[1]) { /* a backslash at the end keeps the blanks before it */
            break;
        } else if (is_octal(at[1])) {
            unsigned value = 0, digits = 0;
            for (; digits < 3 && is_octal(at[1]); digits++)
                value = value * 8 + (unsigned)(*++at - '0');
            dbg_say(d, "%c", (char)value);
        } else {
            at++;
            dbg_say(d, "%c", escaped(*at) ? escaped(*at) : *at);
        }
    }
    return NULL;
}
