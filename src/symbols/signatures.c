/* Finds which functions a name written by the user means.
 *
 *     f            f, f(int), N::f(int), int f<char>(char)
 *     N::f         those of N
 *     f<char>      one instance of a template
 *     f(int, const std::string &)        the overload with these parameters
 *
 * Demangled names contain return types (of template instances), full template arguments, `const`
 * after the type, and ABI tags. Users write none of these.
 */
#include <ctype.h>

#include "symbols/values_internal.h"

static bool signatures_is_word(char c)
{
    return isalnum((u8)c) || c == '_';
}

/* Returns the parenthesis that closes the one here. */
static const char *closing(const char *at)
{
    unsigned deep = 0;
    for (; *at; at++) {
        deep += *at == '(';
        if (*at == ')' && --deep == 0)
            break;
    }
    return at;
}

/* Returns the end of a name, where its parameters begin. This is not at "(anonymous namespace)::",
 * nor at the parameters of a function that contains a local class, nor inside of template
 * arguments. */
static const char *parameters_of(const char *name)
{
    unsigned deep = 0;
    for (const char *at = name; *at; at++) {
        if (strncmp(at, "operator", 8) == 0 && !signatures_is_word(at[8])) {
            at += 8 + strspn(at + 8, "<>-=!+*/%&|^~[]");
            at += strncmp(at, "()", 2) == 0 ? 2 : 0;
            if (!*at)
                return at;
        }
        deep += *at == '<' || *at == '{';
        deep -= (*at == '>' || *at == '}') && deep;
        if (*at == '(' && !deep) {
            const char *close = closing(at);
            if (at > name && at[-1] == '.' && strncmp(close, ").", 2) == 0) {
                at = close; /* the receiver of a Go method: main.(*Circle).Area */
                continue;
            }
            if (strncmp(close, ")::", 3) != 0 && strncmp(close, ") const::", 9) != 0)
                return at;
            at = close;
        }
    }
    return name + strlen(name);
}

/* Returns the place after the return type, if there is one. */
static const char *signatures_begin_of(const char *name, const char *end)
{
    const char *begin = name;
    unsigned deep = 0;
    for (const char *at = name; at < end; at++) {
        if (!deep && strncmp(at, "operator", 8) == 0 && !signatures_is_word(at[8]))
            break;
        deep += *at == '<' || *at == '(';
        deep -= (*at == '>' || *at == ')') && deep;
        if (*at == ' ' && !deep)
            begin = at + 1;
    }
    return begin;
}

/* "f<int>[abi:cxx11]" to "f". */
static void cut_arguments(char *name)
{
    char *to = name;
    unsigned deep = 0;
    for (const char *at = name; *at; at++) {
        if (strncmp(at, "operator", 8) == 0 && !signatures_is_word(at[8]) && !deep) {
            size_t length = 8 + strspn(at + 8, "<>-=!+*/%&|^~[]()");
            memmove(to, at, length);
            to += length;
            at += length - 1;
            continue;
        }
        bool opens = *at == '<' || *at == '[', closes = *at == '>' || *at == ']';
        deep += opens;
        if (!deep)
            *to++ = *at;
        deep -= closes && deep;
    }
    *to = 0;
}

/* Returns the qualified name without what users leave out; the caller frees it. */
static char *plain_name(const char *name, bool keep_arguments)
{
    const char *end = parameters_of(name), *begin = signatures_begin_of(name, end);
    char *plain = xformat("%.*s", (int)(end - begin), begin);
    if (!keep_arguments)
        cut_arguments(plain);
    return plain;
}

char *symbols_bare_name(const char *name)
{
    static const char thunk[] = "thunk to ";
    const char *stub = strstr(name, "@plt");
    if (stub && !stub[4])
        return xformat("%s", name);
    const char *rest = strstr(name, thunk); /* "non-virtual thunk to f()" is not f() */
    if (!rest || rest > parameters_of(name))
        return plain_name(name, true);
    rest += sizeof thunk - 1;
    char *plain = plain_name(rest, true);
    char *whole = xformat("%.*s%s", (int)(rest - name), name, plain);
    free(plain);
    return whole;
}

/* "const char *" becomes "charconst*": the demangler's order, without blanks. */
static void add_parameter(FILE *out, const char *from, size_t length)
{
    bool leads = length > 6 && strncmp(from, "const ", 6) == 0;
    size_t at = leads ? 6 : 0, core = at;
    unsigned deep = 0;
    for (; core < length && (deep || !strchr("*&", from[core])); core++) {
        deep += from[core] == '<';
        deep -= from[core] == '>' && deep;
    }
    for (; at < length; at++) {
        if (leads && at == core)
            fputs("const", out);
        if (from[at] != ' ')
            fputc(from[at], out);
    }
    if (leads && core == length)
        fputs("const", out);
}

/* Returns the list between the parentheses and what follows it, normalized; the caller frees it. */
static char *plain_parameters(const char *list)
{
    char *text = NULL, *shorter = type_short_name(list);
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const char *at = shorter + (*shorter == '('), *from = at;
    for (unsigned deep = 0; *at; at++) {
        if (!deep && (*at == ',' || *at == ')')) {
            from += strspn(from, " ");
            if (strncmp(from, "void)", 5) != 0)
                add_parameter(out, from, (size_t)(at - from));
            fputc(*at, out);
            from = at + 1;
        }
        deep += *at == '<' || *at == '(';
        deep -= (*at == '>' || *at == ')') && deep;
    }
    for (; *from; from++)
        if (*from != ' ')
            fputc(*from, out);
    fclose(out);
    free(shorter);
    return text;
}

static bool ends_with_name(const char *name, const char *wanted)
{
    size_t all = strlen(name), length = strlen(wanted);
    if (all < length || strcmp(name + all - length, wanted) != 0)
        return false;
    return all == length || (all - length >= 2 && strncmp(name + all - length - 2, "::", 2) == 0);
}

static bool same_parameters(const char *name, const char *wanted)
{
    const char *list = parameters_of(name), *asked = parameters_of(wanted);
    if (!*asked)
        return true;
    char *a = plain_parameters(list), *b = plain_parameters(asked);
    size_t length = strlen(b);
    bool same = strncmp(a, b, length) == 0 && (!a[length] || strcmp(a + length, "const") == 0);
    free(a);
    free(b);
    return same;
}

/* Compares the return type, if the user has written one. It must be in the form in which it is
 * shown; other words before a name are not a return type. */
static bool same_result(const char *name, const char *wanted)
{
    size_t length = (size_t)(signatures_begin_of(wanted, parameters_of(wanted)) - wanted);
    return !length || (length == (size_t)(signatures_begin_of(name, parameters_of(name)) - name) &&
                       strncmp(name, wanted, length) == 0);
}

bool signature_fits(const char *name, const char *wanted)
{
    bool templates = strchr(wanted, '<') && !strstr(wanted, "operator<");
    char *own = plain_name(name, templates), *asked = plain_name(wanted, templates);
    if (templates) {
        char *shorter[] = {type_short_name(own), type_short_name(asked)};
        free(own);
        free(asked);
        own = shorter[0];
        asked = shorter[1];
    }
    const char *plain = strncmp(asked, "::", 2) == 0 ? asked + 2 : asked;
    bool fits = plain == asked ? ends_with_name(own, plain) : strcmp(own, plain) == 0;
    free(own);
    free(asked);
    return fits && same_result(name, wanted) && same_parameters(name, wanted);
}

bool signature_may_fit(const char *raw, const char *wanted)
{
    const char *end = parameters_of(wanted), *begin;
    if (strstr(wanted, "operator") || strchr(wanted, '{'))
        return true;
    unsigned deep = 0;
    while (end > wanted && (deep || !signatures_is_word(end[-1]))) { /* skip template arguments */
        end--;
        deep += *end == '>';
        deep -= *end == '<' && deep;
    }
    for (begin = end; begin > wanted && signatures_is_word(begin[-1]); begin--) {
    }
    return begin == end || memmem(raw, strlen(raw), begin, (size_t)(end - begin));
}
