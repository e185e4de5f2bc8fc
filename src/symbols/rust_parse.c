/* Literals of Rust, where they differ from C's: 1u8, 1_000, 0o17, 1.5f32, 'ß', b'a'. */
#include <ctype.h>
#include <errno.h>

#include "symbols/rust_internal.h"

static const char *const rust_suffixes[] = {
    "i8",  "i16", "i32", "i64",  "i128",  "isize", "u8",
    "u16", "u32", "u64", "u128", "usize", "f32",   "f64",
};

/* Finds the suffix here, after a `_` or not, and returns its length; 0: none. */
static size_t rust_suffix(const char *at, const char **ret)
{
    size_t skipped = strspn(at, "_");
    for (size_t n = 0; n < countof(rust_suffixes); n++) {
        size_t length = strlen(rust_suffixes[n]);
        if (strncmp(at + skipped, rust_suffixes[n], length) == 0 &&
            !isalnum((u8)at[skipped + length]) && at[skipped + length] != '_') {
            *ret = rust_suffixes[n];
            return skipped + length;
        }
    }
    return 0;
}

static unsigned rust_base(const char *at)
{
    return at[0] != '0' ? 10 : at[1] == 'x' ? 16 : at[1] == 'o' ? 8 : at[1] == 'b' ? 2 : 10;
}

static unsigned rust_digit(char c)
{
    return isdigit((u8)c)    ? (unsigned)(c - '0')
           : isxdigit((u8)c) ? (unsigned)(tolower((u8)c) - 'a') + 10
                             : 99;
}

/* 1.5, 1e3, 1.; but not 1..2, nor the 0 of t.0.x. */
static size_t rust_float_length(const char *at)
{
    size_t n = strspn(at, "0123456789_"), whole = n;
    if (at[n] == '.' && at[n + 1] != '.' && !isalpha((u8)at[n + 1]) && at[n + 1] != '_')
        n += 1 + strspn(at + n + 1, "0123456789_");
    if ((at[n] == 'e' || at[n] == 'E') &&
        (isdigit((u8)at[n + 1]) || (strchr("+-", at[n + 1]) && isdigit((u8)at[n + 2]))))
        n += 2 + strspn(at + n + 2, "0123456789_");
    const char *suffix = NULL;
    size_t more = rust_suffix(at + n, &suffix);
    return n > whole || (more && suffix[0] == 'f') ? n : 0;
}

static struct error *rust_read_float(struct evaluation *v, const char **at, size_t length,
                                     struct number *ret, struct type **ret_type)
{
    char text[128];
    const char *suffix = "f64";
    size_t used = 0;
    for (size_t n = 0; n < length && used + 1 < sizeof text; n++)
        if ((*at)[n] != '_')
            text[used++] = (*at)[n];
    text[used] = 0;
    *at += length;
    *at += rust_suffix(*at, &suffix);
    *ret = (struct number){.is_float = true, .f = strtold(text, NULL)};
    *ret_type = rust_basic_type(v, suffix);
    return NULL;
}

struct error *rust_read_number(struct evaluation *v, const char **at, struct number *ret,
                               struct type **ret_type)
{
    const char *from = *at, *suffix = NULL;
    unsigned base = rust_base(from);
    size_t floating = base == 10 ? rust_float_length(from) : 0;
    unsigned __int128 value = 0;
    if (floating)
        return rust_read_float(v, at, floating, ret, ret_type);
    *at += base == 10 ? 0 : 2;
    for (; **at == '_' || rust_digit(**at) < base; ++*at) {
        if (base == 10 && rust_suffix(*at, &suffix))
            break;
        if (**at != '_' && __builtin_mul_overflow(value, base, &value))
            return error_new("the number '%.40s' is too large", from);
        value += **at == '_' ? 0 : rust_digit(**at);
    }
    size_t more = rust_suffix(*at, &suffix);
    *at += more;
    if (isalnum((u8)**at) || **at == '_')
        return error_new("'%.20s' is not a number", from);
    *ret = (struct number){.i = (__int128)value};
    *ret_type = rust_basic_type(v, more                  ? suffix
                                   : value <= INT32_MAX  ? "i32"
                                   : value <= INT64_MAX  ? "i64"
                                   : value <= UINT64_MAX ? "u64"
                                                         : "u128");
    return NULL;
}

/* Reads one character after the quote, perhaps an escape. */
static bool rust_read_escape(const char **at, u32 *ret)
{
    static const char letters[] = "ntr0\\'\"", values[] = "\n\t\r\0\\'\"";
    const char *known = **at ? strchr(letters, **at) : NULL;
    char *end;
    if (known) {
        *ret = (u8)values[known - letters];
        ++*at;
        return true;
    }
    if (**at == 'x' && isxdigit((u8)(*at)[1]) && isxdigit((u8)(*at)[2])) {
        *ret = rust_digit((*at)[1]) * 16 + rust_digit((*at)[2]);
        *at += 3;
        return true;
    }
    if (strncmp(*at, "u{", 2) != 0)
        return false;
    *ret = (u32)strtoul(*at + 2, &end, 16);
    *at = end + 1;
    return *end == '}';
}

struct error *rust_read_character(struct evaluation *v, const char **at, struct number *ret,
                                  struct type **ret_type)
{
    bool byte = **at == 'b';
    u32 c = 0;
    *at += byte ? 2 : 1;
    unsigned length = rust_decode((const u8 *)*at, strnlen(*at, 4), &c);
    bool good = length;
    *at += length;
    if (good && c == '\\')
        good = rust_read_escape(at, &c);
    if (!good || **at != '\'')
        return error_new("a character constant does not end");
    ++*at;
    *ret = (struct number){.i = c};
    *ret_type = rust_basic_type(v, byte ? "u8" : "char");
    return NULL;
}
