/* Shortens the names of templates: without default arguments.
 *
 *     std::map<int, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>
 *     >, std::less<int>, ...> std::map<int, std::string>
 *
 * A name is read from left to right; template arguments are names themselves, and are shortened
 * first.
 */
#include <ctype.h>

#include "symbols/values_internal.h"

enum { ARGUMENTS_MOST = 32, NAMES_DEEP = 64 };

struct name_reader {
    const char *at;
    unsigned depth;
    bool failed, changed;
};

static bool type_names_is_word(char c)
{
    return isalnum((u8)c) || c == '_';
}

/* Returns where the qualified name at the end of the text begins. */
static const char *name_at_end(const char *text, size_t length)
{
    while (length && (type_names_is_word(text[length - 1]) || text[length - 1] == ':'))
        length--;
    return text + length;
}

static bool ends_with_operator(const char *text)
{
    size_t length = strlen(text);
    return length >= 8 && strcmp(text + length - 8, "operator") == 0;
}

/* True if the argument is TEMPLATE<first>, the default argument. */
static bool is_default(const char *argument, const char *first)
{
    static const char *const templates[] = {"allocator",      "less",  "char_traits",
                                            "default_delete", "hash",  "equal_to",
                                            "deque",          "vector"};
    if (strncmp(argument, "std::", 5) != 0)
        return false;
    for (size_t n = 0; n < countof(templates); n++) {
        size_t length = strlen(templates[n]);
        const char *inner = argument + 5 + length + 1;
        if (strncmp(argument + 5, templates[n], length) != 0 || argument[5 + length] != '<')
            continue;
        size_t size = strlen(inner);
        bool same = size == strlen(first) + 1 && strncmp(inner, first, size - 1) == 0;
        return same || (n == 0 && strncmp(inner, "std::pair<", 10) == 0);
    }
    return false;
}

static bool is_container_adapter(const char *name)
{
    return strcmp(name, "std::stack") == 0 || strcmp(name, "std::queue") == 0 ||
           strcmp(name, "std::priority_queue") == 0;
}

static size_t drop_defaults(const char *name, char **arguments, size_t count)
{
    if (strncmp(name, "std::", 5) != 0)
        return count;
    while (count > 1 && is_default(arguments[count - 1], arguments[0])) {
        bool container = strncmp(arguments[count - 1], "std::deque", 10) == 0 ||
                         strncmp(arguments[count - 1], "std::vector", 11) == 0;
        if (container && !is_container_adapter(name))
            break;
        count--;
    }
    return count;
}

/* Returns the usual name of an instance, such as std::string; NULL: it has none. */
static const char *type_names_own_name(const char *name, const char *argument)
{
    static const char *const names[][3] = {
        {"std::__cxx11::basic_string", "char", "std::string"},
        {"std::basic_string", "char", "std::string"},
        {"std::__cxx11::basic_string", "wchar_t", "std::wstring"},
        {"std::__cxx11::basic_string", "char16_t", "std::u16string"},
        {"std::__cxx11::basic_string", "char32_t", "std::u32string"},
        {"std::basic_string_view", "char", "std::string_view"},
        {"std::basic_string_view", "wchar_t", "std::wstring_view"},
        {"std::basic_ostream", "char", "std::ostream"},
        {"std::basic_istream", "char", "std::istream"},
        {"std::__cxx11::basic_stringstream", "char", "std::stringstream"},
        {"std::__cxx11::basic_ostringstream", "char", "std::ostringstream"},
        {"std::__cxx11::basic_istringstream", "char", "std::istringstream"},
    };
    for (size_t n = 0; n < countof(names); n++)
        if (strcmp(name, names[n][0]) == 0 && strcmp(argument, names[n][1]) == 0)
            return names[n][2];
    return NULL;
}

static char *type_names_read_name(struct name_reader *r, bool inside);

/* Reads from after the `<` to after its `>`. Takes ownership of `before`, and returns it with the
 * arguments. */
static char *with_arguments(struct name_reader *r, char *before)
{
    char *arguments[ARGUMENTS_MOST], *whole;
    size_t count = 0;
    do {
        if (count == ARGUMENTS_MOST) {
            r->failed = true;
            break;
        }
        while (*r->at == ' ')
            r->at++;
        arguments[count++] = type_names_read_name(r, true);
    } while (!r->failed && *r->at++ == ',');
    size_t length = strlen(before);
    const char *name = name_at_end(before, length);
    size_t kept = r->failed ? 0 : drop_defaults(name, arguments, count);
    const char *own = kept == 1 ? type_names_own_name(name, arguments[0]) : NULL;
    r->changed |= own || kept < count;
    if (own) {
        whole = xformat("%.*s%s", (int)(name - before), before, own);
    } else {
        whole = xformat("%s<", before);
        for (size_t n = 0; n < kept; n++) {
            char *longer = xformat("%s%s%s", whole, n ? ", " : "", arguments[n]);
            free(whole);
            whole = longer;
        }
        char *closed = xformat("%s>", whole);
        free(whole);
        whole = closed;
    }
    for (size_t n = 0; n < count; n++)
        free(arguments[n]);
    free(before);
    return whole;
}

/* Reads a name; `inside` of template arguments it ends before `,` and `>`. */
static char *type_names_read_name(struct name_reader *r, bool inside)
{
    char *text = xformat("%s", "");
    unsigned parentheses = 0;
    if (++r->depth > NAMES_DEEP)
        r->failed = true;
    while (*r->at && !r->failed) {
        size_t plain = strcspn(r->at, "<>,()");
        if (plain) {
            char *longer = xformat("%s%.*s", text, (int)plain, r->at);
            free(text);
            text = longer;
            r->at += plain;
            continue;
        }
        char c = *r->at;
        bool arrow = c == '>' && *text && text[strlen(text) - 1] == '-';
        if (inside && !parentheses && (c == ',' || (c == '>' && !arrow)))
            break;
        r->at++;
        parentheses += c == '(';
        parentheses -= c == ')' && parentheses;
        if (c == '<' && *text && type_names_is_word(text[strlen(text) - 1]) &&
            !ends_with_operator(text)) {
            text = with_arguments(r, text);
            continue;
        }
        char *longer = xformat("%s%c", text, c);
        free(text);
        text = longer;
    }
    if (inside && !*r->at)
        r->failed = true;
    r->depth--;
    size_t length = strlen(text);
    while (inside && length && text[length - 1] == ' ')
        text[--length] = 0;
    return text;
}

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Shortens gcc's names of integers in template arguments. Takes ownership of `text`. */
static char *with_short_integers(char *text)
{
    static const char *const names[][2] = {
        {"long long unsigned int", "unsigned long long"}, {"long unsigned int", "unsigned long"},
        {"short unsigned int", "unsigned short"}, {"long long int", "long long"},
        {"long int", "long"}, {"short int", "short"},
    };
    if (!strchr(text, '<') || !strstr(text, " int"))
        return text;
    for (size_t n = 0; n < countof(names); n++) {
        size_t old = strlen(names[n][0]), new = strlen(names[n][1]);
        for (char *at = text; (at = strstr(at, names[n][0])); at += new) {
            if ((at > text && is_word(at[-1])) || is_word(at[old]))
                continue;
            memcpy(at, names[n][1], new);
            memmove(at + new, at + old, strlen(at + old) + 1);
        }
    }
    return text;
}

char *type_short_name(const char *name)
{
    struct name_reader r = {.at = name};
    if (!strstr(name, "std::") || !strchr(name, '<'))
        return with_short_integers(xformat("%s", name));
    char *text = type_names_read_name(&r, false);
    if (!r.failed && r.changed)
        return with_short_integers(text);
    free(text);
    return with_short_integers(xformat("%s", name));
}

/* True if the names differ only in blanks: `> >` and `>>`, `<int,int>` and `<int, int>`. */
static bool same_but_for_blanks(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (*a != *b)
            return false;
        if (!*a)
            return true;
    }
}

bool type_same_name(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    if (!strchr(a, '<') && !strchr(b, '<'))
        return false;
    char *x = type_short_name(a), *y = type_short_name(b);
    bool same = same_but_for_blanks(x, y);
    free(x);
    free(y);
    return same;
}
