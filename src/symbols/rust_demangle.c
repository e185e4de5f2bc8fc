/* Demangles the symbols of Rust's compiler.
 *
 *     _ZN6values6shapes5Point6length17h0123456789abcdefE    values::shapes::Point::length
 *     _RNvMNtCs1234_6values6shapesNtB2_5Point6length        <values::shapes::Point>::length
 *
 * The first form is older: that of C++, with unsupported characters written as $..$, and a hash at
 * the end. The second (RFC 2603, "v0") includes types. Its grammar is read by recursive descent;
 * each function below is named after a rule. A backward reference makes the reader read an earlier
 * place again. If a part is malformed, or too long for a name, the whole name is unknown.
 */
#include <ctype.h>

#include "symbols/rust_internal.h"

enum { DEMANGLE_DEEP = 200, DEMANGLE_LONGEST = 1 << 16, IDENTIFIER_MOST = 512 };

struct demangler {
    const char *text; /* after "_R": backward references count from here */
    size_t at, end;
    FILE *out;        /* NULL: skip, do not write */
    size_t written;
    unsigned depth;
    u64 lifetimes;    /* bound by the binders around this place */
    bool failed;
};

static void demangle_put(struct demangler *d, const char *text)
{
    d->written += strlen(text);
    if (d->written > DEMANGLE_LONGEST)
        d->failed = true;
    else if (d->out && !d->failed)
        fputs(text, d->out);
}

static char demangle_peek(const struct demangler *d)
{
    return d->at < d->end && !d->failed ? d->text[d->at] : 0;
}

static char demangle_next(struct demangler *d)
{
    char c = demangle_peek(d);
    if (!c)
        d->failed = true;
    else
        d->at++;
    return c;
}

static bool demangle_take(struct demangler *d, char c)
{
    if (demangle_peek(d) != c)
        return false;
    d->at++;
    return true;
}

/* "_" is 0, "0_" is 1, and so on. */
static u64 demangle_base_62(struct demangler *d)
{
    u64 value = 0;
    if (demangle_take(d, '_'))
        return 0;
    while (!demangle_take(d, '_')) {
        char c = demangle_next(d);
        u64 digit = isdigit((u8)c) ? (u64)(c - '0') : islower((u8)c) ? 10u + (u64)(c - 'a')
                    : isupper((u8)c) ? 36u + (u64)(c - 'A') : 62;
        if (digit == 62 || __builtin_mul_overflow(value, 62, &value) ||
            __builtin_add_overflow(value, digit, &value))
            d->failed = true;
        if (d->failed)
            return 0;
    }
    if (__builtin_add_overflow(value, 1, &value))
        d->failed = true;
    return value;
}

/* 0 if the tag is not there. */
static u64 demangle_optional_62(struct demangler *d, char tag)
{
    return demangle_take(d, tag) ? demangle_base_62(d) + 1 : 0;
}

static u64 demangle_decimal(struct demangler *d)
{
    u64 value = 0;
    if (!isdigit((u8)demangle_peek(d)))
        d->failed = true;
    if (demangle_take(d, '0'))
        return 0;
    while (isdigit((u8)demangle_peek(d)) && value < DEMANGLE_LONGEST)
        value = value * 10 + (u64)(demangle_next(d) - '0');
    return value;
}

/* --- identifiers ------------------------------------------------------------------------------ */

/* Punycode (RFC 3492): reads the next number, in digits a-z, 0-9 of growing weight. */
static bool punycode_delta(const char **at, const char *end, u32 bias, u64 *ret)
{
    u64 delta = 0, weight = 1;
    for (u32 k = 36;; k += 36) {
        u32 low = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (*at == end)
            return false;
        char c = *(*at)++;
        u32 digit = islower((u8)c) ? (u32)(c - 'a') : isdigit((u8)c) ? 26u + (u32)(c - '0') : 36;
        if (digit == 36 || weight > UINT32_MAX || (delta += digit * weight) > UINT32_MAX)
            return false;
        if (digit < low)
            break;
        weight *= 36 - low;
    }
    *ret = delta;
    return true;
}

static u32 punycode_bias(u64 delta, u64 count, bool first)
{
    u32 k = 0;
    delta = first ? delta / 700 : delta / 2;
    delta += delta / count;
    for (; delta > 35 * 26 / 2; k += 36)
        delta /= 35;
    return k + (u32)(36 * delta / (delta + 38));
}

/* The plain characters come before the last '_'; after it follow the others and where to insert
 * them. */
static bool demangle_punycode(const char *text, size_t length, u32 *ret, size_t *ret_count)
{
    const char *mark = memrchr(text, '_', length), *at = mark ? mark + 1 : text,
               *end = text + length;
    u64 point = 128, place = 0, delta;
    u32 bias = 72;
    size_t count = 0;
    for (const char *plain = text; mark && plain < mark && count < IDENTIFIER_MOST; plain++)
        ret[count++] = (u8)*plain;
    for (bool first = true; at < end; first = false) {
        if (count == IDENTIFIER_MOST || !punycode_delta(&at, end, bias, &delta))
            return false;
        place += delta;
        count++;
        bias = punycode_bias(delta, count, first);
        point += place / count;
        place %= count;
        if (point > 0x10ffff)
            return false;
        memmove(ret + place + 1, ret + place, (count - 1 - place) * sizeof *ret);
        ret[place++] = (u32)point;
    }
    *ret_count = count;
    return true;
}

static void demangle_unicode(struct demangler *d, const char *text, size_t length)
{
    u32 points[IDENTIFIER_MOST];
    char bytes[4 * IDENTIFIER_MOST + 1];
    size_t count, size = 0;
    if (!demangle_punycode(text, length, points, &count)) {
        d->failed = true;
        return;
    }
    for (size_t n = 0; n < count; n++)
        size += rust_utf8(points[n], bytes + size);
    bytes[size] = 0;
    demangle_put(d, bytes);
}

/* Returns the length of the identifier, which may be empty. */
static size_t demangle_undisambiguated(struct demangler *d)
{
    bool unicode = demangle_take(d, 'u');
    u64 length = demangle_decimal(d);
    demangle_take(d, '_');
    if (d->failed || length > d->end - d->at || length >= IDENTIFIER_MOST) {
        d->failed = true;
        return 0;
    }
    char name[IDENTIFIER_MOST];
    memcpy(name, d->text + d->at, length);
    name[length] = 0;
    if (unicode)
        demangle_unicode(d, name, length);
    else
        demangle_put(d, name);
    d->at += length;
    return length;
}

/* --- paths ------------------------------------------------------------------------------------ */

static void demangle_path(struct demangler *d, bool in_value);
static void demangle_type(struct demangler *d);
static void demangle_const(struct demangler *d, bool bare);

/* Reads an earlier place again. */
static void demangle_again(struct demangler *d, void (*read)(struct demangler *, bool), bool flag)
{
    size_t start = d->at - 1, back = demangle_base_62(d), here = d->at;
    if (back >= start)
        d->failed = true;
    if (d->failed || !d->out)
        return; /* skipped text need not be read again */
    d->at = back;
    read(d, flag);
    d->at = here;
}

static void demangle_type_again(struct demangler *d, bool unused)
{
    (void)unused;
    demangle_type(d);
}

static void demangle_silent_path(struct demangler *d)
{
    FILE *out = d->out;
    d->out = NULL;
    demangle_path(d, false);
    d->out = out;
}

/* Lifetimes are numbered from the innermost binder outward, but letters count from the
 * outermost. */
static void demangle_lifetime(struct demangler *d, u64 index)
{
    char text[24] = "'_";
    if (index > d->lifetimes) {
        d->failed = true;
        return;
    }
    if (index && d->lifetimes - index < 26)
        snprintf(text, sizeof text, "'%c", (char)('a' + (int)(d->lifetimes - index)));
    else if (index)
        snprintf(text, sizeof text, "'_%llu", (unsigned long long)(d->lifetimes - index));
    demangle_put(d, text);
}

/* Returns how many lifetimes were bound; the caller removes them again. */
static u64 demangle_binder(struct demangler *d)
{
    u64 count = demangle_optional_62(d, 'G');
    if (count > 1000)
        d->failed = true;
    if (d->failed || !count)
        return 0;
    demangle_put(d, "for<");
    for (u64 n = 0; n < count; n++) {
        demangle_put(d, n ? ", " : "");
        d->lifetimes++;
        demangle_lifetime(d, 1);
    }
    demangle_put(d, "> ");
    return count;
}

static void demangle_generic_argument(struct demangler *d)
{
    if (demangle_take(d, 'L'))
        demangle_lifetime(d, demangle_base_62(d));
    else if (demangle_take(d, 'K'))
        demangle_const(d, false);
    else
        demangle_type(d);
}

static void demangle_generic_arguments(struct demangler *d)
{
    for (bool some = false; !d->failed && !demangle_take(d, 'E'); some = true) {
        demangle_put(d, some ? ", " : "");
        demangle_generic_argument(d);
    }
}

/* A closure, a shim, or a name of the value or type name space. */
static void demangle_nested(struct demangler *d, bool in_value)
{
    char space = demangle_next(d), text[48];
    demangle_path(d, in_value);
    u64 number = demangle_optional_62(d, 's');
    if (isupper((u8)space)) {
        snprintf(text, sizeof text, "::{%s", space == 'C' ? "closure" : space == 'S' ? "shim" : "");
        demangle_put(d, text);
        if (space != 'C' && space != 'S')
            demangle_put(d, (char[]){space, 0});
        if (isdigit((u8)demangle_peek(d)) && demangle_peek(d) != '0')
            demangle_put(d, ":");
        demangle_undisambiguated(d);
        snprintf(text, sizeof text, "#%llu}", (unsigned long long)number);
        demangle_put(d, text);
    } else if (islower((u8)space)) {
        if (demangle_peek(d) != '0')
            demangle_put(d, "::");
        demangle_undisambiguated(d);
    } else {
        d->failed = true;
    }
}

static void demangle_impl(struct demangler *d, char kind)
{
    if (kind != 'Y') {
        demangle_optional_62(d, 's');
        demangle_silent_path(d); /* the path that contains the impl */
    }
    demangle_put(d, "<");
    demangle_type(d);
    if (kind != 'M') {
        demangle_put(d, " as ");
        demangle_path(d, false);
    }
    demangle_put(d, ">");
}

static void demangle_path(struct demangler *d, bool in_value)
{
    if (d->failed || ++d->depth > DEMANGLE_DEEP) {
        d->failed = true;
        return;
    }
    char kind = demangle_next(d);
    switch (kind) {
    case 'C':
        demangle_optional_62(d, 's');
        demangle_undisambiguated(d);
        break;
    case 'M': case 'X': case 'Y': demangle_impl(d, kind); break;
    case 'N': demangle_nested(d, in_value); break;
    case 'I':
        demangle_path(d, in_value);
        demangle_put(d, in_value ? "::<" : "<");
        demangle_generic_arguments(d);
        demangle_put(d, ">");
        break;
    case 'B': demangle_again(d, demangle_path, in_value); break;
    default: d->failed = true; break;
    }
    d->depth--;
}

/* --- types ------------------------------------------------------------------------------------ */

static const char *demangle_basic(char c)
{
    static const char *const names[26] = {
        "i8",    "bool", "char", "f64", "str",  "f32",  NULL,  "u8", "isize",
        "usize", NULL,   "i32",  "u32", "i128", "u128", "_",   NULL, NULL,
        "i16",   "u16",  "()",   "...", NULL,   "i64",  "u64", "!",
    };
    return islower((u8)c) ? names[c - 'a'] : NULL;
}

static void demangle_abi(struct demangler *d)
{
    demangle_put(d, "extern \"");
    if (demangle_take(d, 'C')) {
        demangle_put(d, "C");
    } else {
        u64 length = demangle_decimal(d);
        demangle_take(d, '_');
        for (u64 n = 0; n < length && !d->failed; n++) {
            char c = demangle_next(d);
            demangle_put(d, (char[]){c == '_' ? '-' : c, 0});
        }
    }
    demangle_put(d, "\" ");
}

static void demangle_function(struct demangler *d)
{
    u64 bound = demangle_binder(d);
    if (demangle_take(d, 'U'))
        demangle_put(d, "unsafe ");
    if (demangle_take(d, 'K'))
        demangle_abi(d);
    demangle_put(d, "fn(");
    for (bool some = false; !d->failed && !demangle_take(d, 'E'); some = true) {
        demangle_put(d, some ? ", " : "");
        demangle_type(d);
    }
    demangle_put(d, ")");
    if (!demangle_take(d, 'u')) {
        demangle_put(d, " -> ");
        demangle_type(d);
    }
    d->lifetimes -= bound;
}

/* Writes the path of a trait without closing its arguments, since bindings of associated types may
 * follow. True: arguments were written. */
static bool demangle_open_path(struct demangler *d)
{
    if (demangle_take(d, 'B')) {
        size_t back = demangle_base_62(d), here = d->at;
        if (back >= here || ++d->depth > DEMANGLE_DEEP)
            d->failed = true;
        if (d->failed)
            return false;
        d->at = back;
        bool open = demangle_open_path(d);
        d->at = here;
        d->depth--;
        return open;
    }
    if (!demangle_take(d, 'I')) {
        demangle_path(d, false);
        return false;
    }
    demangle_path(d, false);
    demangle_put(d, "<");
    demangle_generic_arguments(d);
    return true;
}

static void demangle_dyn(struct demangler *d)
{
    demangle_put(d, "dyn ");
    u64 bound = demangle_binder(d);
    for (bool some = false; !d->failed && !demangle_take(d, 'E'); some = true) {
        demangle_put(d, some ? " + " : "");
        bool open = demangle_open_path(d);
        for (; demangle_take(d, 'p'); open = true) {
            demangle_put(d, open ? ", " : "<");
            demangle_undisambiguated(d);
            demangle_put(d, " = ");
            demangle_type(d);
        }
        demangle_put(d, open ? ">" : "");
    }
    d->lifetimes -= bound;
    if (!demangle_take(d, 'L')) {
        d->failed = true;
        return;
    }
    u64 lifetime = demangle_base_62(d);
    if (lifetime) {
        demangle_put(d, " + ");
        demangle_lifetime(d, lifetime);
    }
}

static void demangle_reference(struct demangler *d, bool is_mutable)
{
    demangle_put(d, "&");
    u64 lifetime = demangle_take(d, 'L') ? demangle_base_62(d) : 0;
    if (lifetime) {
        demangle_lifetime(d, lifetime);
        demangle_put(d, " ");
    }
    demangle_put(d, is_mutable ? "mut " : "");
    demangle_type(d);
}

static void demangle_tuple(struct demangler *d)
{
    unsigned count = 0;
    demangle_put(d, "(");
    for (; !d->failed && !demangle_take(d, 'E'); count++) {
        demangle_put(d, count ? ", " : "");
        demangle_type(d);
    }
    demangle_put(d, count == 1 ? ",)" : ")");
}

static void demangle_sequence(struct demangler *d, bool counted)
{
    demangle_put(d, "[");
    demangle_type(d);
    if (counted) {
        demangle_put(d, "; ");
        demangle_const(d, true);
    }
    demangle_put(d, "]");
}

static void demangle_type(struct demangler *d)
{
    if (d->failed || ++d->depth > DEMANGLE_DEEP) {
        d->failed = true;
        return;
    }
    char kind = demangle_peek(d);
    const char *basic = demangle_basic(kind);
    bool is_path = kind && strchr("CMXYNI", kind);
    d->at += !is_path && kind;
    if (basic)
        demangle_put(d, basic);
    else if (is_path)
        demangle_path(d, false);
    else
        switch (kind) {
        case 'R': case 'Q': demangle_reference(d, kind == 'Q'); break;
        case 'P': demangle_put(d, "*const "), demangle_type(d); break;
        case 'O': demangle_put(d, "*mut "), demangle_type(d); break;
        case 'A': case 'S': demangle_sequence(d, kind == 'A'); break;
        case 'T': demangle_tuple(d); break;
        case 'F': demangle_function(d); break;
        case 'D': demangle_dyn(d); break;
        case 'B': demangle_again(d, demangle_type_again, false); break;
        default: d->failed = true; break;
        }
    d->depth--;
}

/* --- constants -------------------------------------------------------------------------------- */

static void demangle_const_again(struct demangler *d, bool bare)
{
    demangle_const(d, bare);
}

/* Writes up to 64 bits in decimal, longer numbers in hexadecimal. */
static bool demangle_hex(struct demangler *d, u64 *ret, char text[40])
{
    size_t length = 0;
    *ret = 0;
    for (char c; !d->failed && (c = demangle_next(d)) != '_';) {
        if (!isxdigit((u8)c) || isupper((u8)c) || length >= 32)
            d->failed = true;
        else
            text[length++] = c, *ret = *ret * 16 + (u64)(isdigit((u8)c) ? c - '0' : c - 'a' + 10);
    }
    text[length] = 0;
    return length <= 16;
}

static void demangle_character(struct demangler *d, u64 value)
{
    char *text = NULL;
    size_t size;
    if (value > 0x10ffff) {
        d->failed = true;
        return;
    }
    FILE *out = open_memstream(&text, &size);
    rust_show_character(out, (u32)value);
    fclose(out);
    demangle_put(d, text);
    free(text);
}

static void demangle_integer(struct demangler *d, char kind)
{
    char hex[40], text[48];
    u64 value;
    bool negative = strchr("aslxni", kind) && demangle_take(d, 'n');
    bool is_small = demangle_hex(d, &value, hex);
    if (kind == 'b' && value < 2)
        demangle_put(d, value ? "true" : "false");
    else if (kind == 'c')
        demangle_character(d, value);
    else if (kind == 'b')
        d->failed = true;
    else if (is_small)
        snprintf(text, sizeof text, "%s%llu", negative ? "-" : "", (unsigned long long)value),
            demangle_put(d, text);
    else
        snprintf(text, sizeof text, "%s0x%s", negative ? "-" : "", hex), demangle_put(d, text);
}

/* Text is in hexadecimal, too. */
static void demangle_text(struct demangler *d)
{
    u8 bytes[IDENTIFIER_MOST];
    size_t count = 0;
    for (char c; !d->failed && (c = demangle_next(d)) != '_'; count++) {
        char low = demangle_next(d), pair[3] = {c, low, 0};
        if (count == sizeof bytes || !isxdigit((u8)c) || !isxdigit((u8)low))
            d->failed = true;
        else
            bytes[count] = (u8)strtoul(pair, NULL, 16);
    }
    if (d->out && !d->failed)
        rust_show_text(d->out, bytes, count, false);
}

static void demangle_consts(struct demangler *d, const char *open, const char *close)
{
    demangle_put(d, open);
    for (bool some = false; !d->failed && !demangle_take(d, 'E'); some = true) {
        demangle_put(d, some ? ", " : "");
        demangle_const(d, true);
    }
    demangle_put(d, close);
}

static void demangle_const_fields(struct demangler *d)
{
    demangle_put(d, " { ");
    for (bool some = false; !d->failed && !demangle_take(d, 'E'); some = true) {
        demangle_put(d, some ? ", " : "");
        demangle_optional_62(d, 's');
        demangle_undisambiguated(d);
        demangle_put(d, ": ");
        demangle_const(d, true);
    }
    demangle_put(d, " }");
}

static void demangle_const_struct(struct demangler *d)
{
    demangle_path(d, true);
    switch (demangle_next(d)) {
    case 'U': break;
    case 'T': demangle_consts(d, "(", ")"); break;
    case 'S': demangle_const_fields(d); break;
    default: d->failed = true; break;
    }
}

/* Among types, a constant that is not a single literal is put in braces. */
static void demangle_const(struct demangler *d, bool bare)
{
    if (d->failed || ++d->depth > DEMANGLE_DEEP) {
        d->failed = true;
        return;
    }
    char kind = demangle_next(d);
    bool braces = !bare && kind && strchr("eRQATV", kind);
    demangle_put(d, braces ? "{" : "");
    if (kind == 'p')
        demangle_put(d, "_");
    else if (kind == 'B')
        demangle_again(d, demangle_const_again, bare);
    else if (kind == 'e')
        demangle_put(d, "*"), demangle_text(d);
    else if (kind == 'R' && demangle_take(d, 'e'))
        demangle_text(d);
    else if (kind == 'R' || kind == 'Q')
        demangle_put(d, kind == 'R' ? "&" : "&mut "), demangle_const(d, true);
    else if (kind == 'A')
        demangle_consts(d, "[", "]");
    else if (kind == 'T')
        demangle_consts(d, "(", ")");
    else if (kind == 'V')
        demangle_const_struct(d);
    else if (kind && strchr("abchijlmnostxy", kind))
        demangle_integer(d, kind);
    else
        d->failed = true;
    demangle_put(d, braces ? "}" : "");
    d->depth--;
}

/* True for a suffix that LLVM or the linker added to a name. */
static bool demangle_is_suffix(const char *at)
{
    return !*at || *at == '.' || *at == '$';
}

static char *demangle_new(const char *mangled)
{
    char *text = NULL;
    size_t size;
    size_t length = strcspn(mangled + 2, ".$");
    struct demangler d = {.text = mangled + 2, .end = length};
    if (!length || !isupper((u8)mangled[2]))
        return NULL;
    d.out = open_memstream(&text, &size);
    demangle_path(&d, true);
    if (!d.failed && d.at < d.end)
        demangle_silent_path(&d); /* the crate that instantiated it */
    bool good = !d.failed && d.at == d.end;
    fclose(d.out);
    if (good)
        return text;
    free(text);
    return NULL;
}

/* --- the older form --------------------------------------------------------------------------- */

/* Writes what an escape such as $LT$ means. The result is its length; 0: not an escape. */
static size_t demangle_escape(const char *at, const char *end, FILE *out)
{
    static const char *const escapes[][2] = {
        {"$SP$", "@"}, {"$BP$", "*"}, {"$RF$", "&"}, {"$LT$", "<"},
        {"$GT$", ">"}, {"$LP$", "("}, {"$RP$", ")"}, {"$C$", ","},
    };
    for (size_t n = 0; n < countof(escapes); n++) {
        size_t length = strlen(escapes[n][0]);
        if ((size_t)(end - at) >= length && strncmp(at, escapes[n][0], length) == 0)
            return fputs(escapes[n][1], out), length;
    }
    char *close, bytes[8];
    if (end - at < 4 || strncmp(at, "$u", 2) != 0)
        return 0;
    unsigned long point = strtoul(at + 2, &close, 16);
    if (*close != '$' || close >= end || point > 0x10ffff)
        return 0;
    fwrite(bytes, 1, rust_utf8((u32)point, bytes), out);
    return (size_t)(close + 1 - at);
}

static void demangle_legacy_part(const char *at, size_t length, FILE *out)
{
    const char *end = at + length;
    if (length > 1 && at[0] == '_' && at[1] == '$')
        at++; /* an identifier must not begin with $ */
    while (at < end) {
        size_t escape = *at == '$' ? demangle_escape(at, end, out) : 0;
        if (escape)
            at += escape;
        else if (at[0] == '.' && end - at > 1 && at[1] == '.')
            fputs("::", out), at += 2;
        else
            fputc(*at++, out);
    }
}

/* True for h and 16 digits that are varied enough for a hash. */
static bool demangle_is_hash(const char *at, size_t length)
{
    return length == 17 && at[0] == 'h' && strspn(at + 1, "0123456789abcdef") >= 16;
}

/* Takes the next element such as "5Point"; false: there is none. */
static bool demangle_legacy_next(const char **at, const char **ret, size_t *ret_length)
{
    char *end;
    if (!isdigit((u8)**at))
        return false;
    unsigned long length = strtoul(*at, &end, 10);
    if (!length || length > strlen(end))
        return false;
    *ret = end;
    *ret_length = length;
    *at = end + length;
    return true;
}

static char *demangle_legacy(const char *mangled)
{
    const char *at = mangled + 3, *part, *last = NULL;
    size_t length, last_length = 0, parts = 0, size;
    while (demangle_legacy_next(&at, &part, &length)) {
        last = part;
        last_length = length;
        parts++;
    }
    if (*at != 'E' || !demangle_is_suffix(at + 1) || parts < 2 ||
        !demangle_is_hash(last, last_length))
        return NULL;
    char *text = NULL;
    FILE *out = open_memstream(&text, &size);
    at = mangled + 3;
    for (size_t n = 0; n + 1 < parts && demangle_legacy_next(&at, &part, &length); n++) {
        fputs(n ? "::" : "", out);
        demangle_legacy_part(part, length, out);
    }
    fclose(out);
    return text;
}

char *rust_demangle(const char *mangled)
{
    if (strncmp(mangled, "_R", 2) == 0)
        return demangle_new(mangled);
    return strncmp(mangled, "_ZN", 3) == 0 ? demangle_legacy(mangled) : NULL;
}
