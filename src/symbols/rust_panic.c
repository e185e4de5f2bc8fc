/* The message of a panic, from the argument of `rust_panic`: a trait object whose type tells how
 * the message is stored.
 *
 * If the library's debug information has the type, its fields are read. The distributed library has
 * only lines. Then the type is recognized by the names of the functions in the object's table, and
 * all places where the text can be are tried. The text is taken if exactly one of them holds a
 * consistent length, capacity and pointer to UTF-8.
 */
#include "symbols/rust_internal.h"

enum { MESSAGE_MOST = 1 << 14, TABLE_FUNCTIONS = 6 };

/* Unwraps Options and wrappers as long as they hold just one thing. */
static struct value *panic_innermost(struct value *value)
{
    const char *name;
    for (unsigned n = 0; n < SHOW_DEPTH; n++) {
        struct value *variant = rust_variant(value, &name),
                     *inner = variant ? std_member(variant, "__0") : NULL;
        if (!inner)
            return value;
        value = inner;
    }
    return value;
}

static char *panic_of_fields(struct value *object)
{
    static const char *const fields[] = {"string", "inner", "__0"};
    for (size_t n = 0; n < countof(fields); n++) {
        struct value *field = std_member(object, fields[n]);
        const char *name;
        if (!field)
            continue;
        struct value *variant = rust_variant(field, &name);
        if (variant && !std_member(variant, "__0"))
            return NULL; /* the text is of no interest */
        return value_show_variable(panic_innermost(field));
    }
    return NULL;
}

/* --- without types ---------------------------------------------------------------------------- */

static bool panic_is_text(struct evaluation *v, u64 address, u64 length, u8 *bytes)
{
    const struct symbols_host *host = &v->symbols->host;
    u32 c;
    if (!address || !length || length > MESSAGE_MOST ||
        !host->read(host->context, address, bytes, length))
        return false;
    for (u64 at = 0; at < length;) {
        unsigned step = rust_decode(bytes + at, length - at, &c);
        if (!step || !c)
            return false;
        at += step;
    }
    return true;
}

static char *panic_quoted(const u8 *bytes, u64 length)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    rust_show_text(out, bytes, length, false);
    fclose(out);
    return text;
}

/* Finds a String among the words of the object: capacity, pointer and length, in any order that
 * compilers use. */
static char *panic_of_string(struct evaluation *v, const u64 words[4], u8 *bytes)
{
    char *found = NULL;
    for (unsigned first = 0; first < 2; first++) {
        const u64 *w = words + first;
        bool newer = w[2] <= w[0] && w[0] < 1ull << 48 && panic_is_text(v, w[1], w[2], bytes);
        bool older =
            !newer && w[2] <= w[1] && w[1] < 1ull << 48 && panic_is_text(v, w[0], w[2], bytes);
        if (!newer && !older)
            continue;
        if (found) {
            free(found);
            return NULL;
        }
        found = panic_quoted(bytes, w[2]);
    }
    return found;
}

static char *panic_of_words(struct evaluation *v, u64 object, const char *function)
{
    const struct symbols_host *host = &v->symbols->host;
    u64 words[4];
    u8 *bytes = values_alloc(v, MESSAGE_MOST);
    bool borrowed = strstr(function, "StrPayload") || strstr(function, "StrPanicPayload") ||
                    strstr(function, "Payload<&str>");
    bool owned =
        strstr(function, "FormatStringPayload") || strstr(function, "panic_handler::PanicPayload");
    if (!(borrowed || owned) || !host->read(host->context, object, words, borrowed ? 16 : 32))
        return NULL;
    if (owned)
        return panic_of_string(v, words, bytes);
    return panic_is_text(v, words[0], words[1], bytes) ? panic_quoted(bytes, words[1]) : NULL;
}

/* The table has: drop, size, alignment, functions. */
static char *panic_of_table(struct evaluation *v, const u64 payload[2])
{
    const struct symbols_host *host = &v->symbols->host;
    for (u64 n = 3; n < 3 + TABLE_FUNCTIONS; n++) {
        u64 function;
        struct function_info info;
        if (host->read(host->context, payload[1] + 8 * n, &function, 8) &&
            symbols_function(v->symbols, function, &info) && info.entry == function &&
            strstr(info.name, "Payload") && strchr(info.name, '<'))
            return panic_of_words(v, payload[0], info.name);
    }
    return NULL;
}

char *values_panic_message(struct evaluation *v, const u64 payload[2])
{
    struct rust_fat fat = {.address = payload[0], .vtable = payload[1]};
    struct value *object = rust_object(v, &fat, 0);
    char *text = object ? panic_of_fields(object) : NULL;
    return text || object ? text : panic_of_table(v, payload);
}
