/* Finds the functions and variables that a Rust name means.
 *
 * A function of an impl has one of these names, depending on the form of mangling and on where the
 * impl is:
 *
 *     values::shapes::Point::length
 *     <values::shapes::Point>::length
 *     values::shapes::<impl values::shapes::Point>::length
 *     <values::shapes::Point as values::shapes::Area>::area
 *     values::<impl values::shapes::Area for values::shapes::Point>::area
 *
 * A user's name is split the same way: the type, the trait, and what follows.  Each part that the
 * user wrote must be the end of the function's, at a `::`.  "Point::area" and "Area::area" both
 * mean the last two.
 */
#include <ctype.h>

#include "symbols/rust_internal.h"

/* A name in parts, without generic arguments. NULL: it does not have the part. */
struct rust_path {
    char *type, *trait;
    char *rest; /* what follows the impl, or the whole name */
};

static void rust_path_deinit(struct rust_path *p)
{
    free(p->type);
    free(p->trait);
    free(p->rest);
}

/* Returns the place after the bracket that closes the one here. */
static const char *rust_after_bracket(const char *at)
{
    unsigned deep = 0;
    for (; *at; at++) {
        deep += *at == '<';
        if (*at == '>' && at[-1] != '-' && --deep == 0)
            return at + 1;
    }
    return at;
}

/* "core::option::Option<i32>::map::<u8>" becomes "core::option::Option::map". */
static char *rust_without_arguments(const char *from, size_t length)
{
    char *text = xformat("%.*s", (int)length, from), *to = text;
    for (const char *at = text; *at;) {
        if (*at != '<') {
            *to++ = *at++;
            continue;
        }
        at = rust_after_bracket(at);
        if (to - text >= 2 && to[-1] == ':' && to[-2] == ':')
            to -= 2;
    }
    *to = 0;
    return text;
}

/* Finds " as " or " for " outside of brackets. */
static const char *rust_find_word(const char *from, const char *end, const char *word)
{
    unsigned deep = 0;
    size_t length = strlen(word);
    for (const char *at = from; at + length < end; at++) {
        deep += *at == '<';
        deep -= *at == '>' && deep;
        if (!deep && strncmp(at, word, length) == 0)
            return at;
    }
    return NULL;
}

/* Splits the text between the brackets of an impl. */
static void rust_split_impl(const char *from, const char *end, struct rust_path *ret)
{
    bool named = strncmp(from, "impl ", 5) == 0;
    from += named ? 5 : 0;
    const char *between = rust_find_word(from, end, named ? " for " : " as ");
    const char *type = between && named ? between + 5 : from,
               *type_end = between && !named ? between : end;
    ret->type = rust_without_arguments(type, (size_t)(type_end - type));
    if (between) {
        const char *trait = named ? from : between + 4, *trait_end = named ? between : end;
        ret->trait = rust_without_arguments(trait, (size_t)(trait_end - trait));
    }
}

/* The `<` of an impl begins a name or follows `::`, and is not inside of function arguments. */
static const char *rust_find_impl(const char *name)
{
    if (*name == '<')
        return name;
    const char *at = strstr(name, "::<impl ");
    return at ? at + 2 : NULL;
}

static struct rust_path rust_split(const char *name)
{
    struct rust_path p = {0};
    const char *open = rust_find_impl(name), *rest = name;
    if (open) {
        rest = rust_after_bracket(open);
        rust_split_impl(open + 1, rest > open + 1 ? rest - 1 : rest, &p);
        rest += strncmp(rest, "::", 2) == 0 ? 2 : 0;
    }
    p.rest = rust_without_arguments(rest, strlen(rest));
    return p;
}

static bool rust_ends_with(const char *name, const char *wanted)
{
    size_t all = strlen(name), length = strlen(wanted);
    if (strncmp(wanted, "::", 2) == 0)
        return strcmp(name, wanted + 2) == 0;
    return all >= length && strcmp(name + all - length, wanted) == 0 &&
           (all == length || (all - length >= 2 && strncmp(name + all - length - 2, "::", 2) == 0));
}

static bool rust_joined_fits(const char *type, const char *rest, const char *wanted)
{
    char *whole = xformat("%s::%s", type, rest);
    bool fits = rust_ends_with(whole, wanted);
    free(whole);
    return fits;
}

/* Closures are numbered in only one of the two forms: {{closure}}, {closure#0}, {closure_env#0}. */
static char *rust_plain_closures(const char *name)
{
    static const char *const forms[] = {"{{closure}}", "{closure", NULL};
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    while (*name) {
        const char *const *form = forms;
        while (*form && strncmp(name, *form, strlen(*form)) != 0)
            form++;
        if (!*form) {
            fputc(*name++, out);
            continue;
        }
        fputs("{closure}", out);
        name += form == forms ? strlen(*form) : strcspn(name, "}") + 1;
        name -= name[-1] ? 0 : 1;
    }
    fclose(out);
    return text;
}

static bool rust_parts_fit(const struct rust_path *own, const struct rust_path *asked)
{
    if (asked->type)
        return own->type && rust_ends_with(own->type, asked->type) &&
               strcmp(own->rest, asked->rest) == 0 &&
               (!asked->trait || (own->trait && rust_ends_with(own->trait, asked->trait)));
    if (!own->type)
        return rust_ends_with(own->rest, asked->rest);
    return rust_joined_fits(own->type, own->rest, asked->rest) ||
           (own->trait && rust_joined_fits(own->trait, own->rest, asked->rest));
}

bool rust_name_fits(const char *name, const char *wanted)
{
    bool numbered = strstr(name, "{closure#") && strstr(wanted, "{closure#");
    char *plain = numbered ? xformat("%s", name) : rust_plain_closures(name);
    char *plainer = numbered ? xformat("%s", wanted) : rust_plain_closures(wanted);
    /* Rust has no overloads, so the parameters add nothing */
    const char *open = strchr(plainer, '(');
    if (open && open > plainer)
        plainer[open - plainer] = 0;
    struct rust_path own = rust_split(plain), asked = rust_split(plainer);
    bool fits = strcmp(plain, plainer) == 0 || rust_parts_fit(&own, &asked);
    rust_path_deinit(&own);
    rust_path_deinit(&asked);
    free(plain);
    free(plainer);
    return fits;
}

/* --- modules ---------------------------------------------------------------------------------- */

/* Removes the last part, which may be "{impl#0}". */
static void rust_cut_last(char *path)
{
    size_t length = strlen(path);
    unsigned deep = 0;
    while (length) {
        length--;
        deep += path[length] == '}' || path[length] == '>';
        deep -= (path[length] == '{' || path[length] == '<') && deep;
        if (!deep && length && path[length] == ':' && path[length - 1] == ':') {
            path[length - 1] = 0;
            return;
        }
    }
    *path = 0;
}

static bool rust_is_impl(const char *path)
{
    size_t length = strlen(path);
    return length && path[length - 1] == '}';
}

const char *rust_space(struct evaluation *v)
{
    Dwarf_Die function;
    Dwarf_Attribute a;
    if (!v->block_count)
        return NULL;
    function = v->blocks[v->block_count - 1];
    for (unsigned n = 0; n < 4 && (dwarf_attr(&function, 0x31 /* DW_AT_abstract_origin */, &a) ||
                                   dwarf_attr(&function, 0x47 /* DW_AT_specification */, &a)); n++)
        if (!dwarf_formref_die(&a, &function))
            return NULL;
    const char *own = dwarf_diename(&function);
    char *name = own ? names_of_die(v->view.module, own, &function) : NULL;
    if (!name)
        return NULL;
    char *kept = values_copy(v, name, strlen(name));
    free(name);
    do
        rust_cut_last(kept);
    while (rust_is_impl(kept));
    return *kept ? kept : NULL;
}

const char *rust_resolved(struct evaluation *v, const char *name)
{
    const char *space = rust_space(v);
    char *module = values_copy(v, space ? space : "", space ? strlen(space) : 0);
    const char *rest = NULL;
    if (strncmp(name, "crate::", 7) == 0) {
        rest = name + 7;
        module[strcspn(module, ":")] = 0;
    } else if (strncmp(name, "self::", 6) == 0) {
        rest = name + 6;
    }
    for (const char *at = rest && *name == 's' ? rest : name; strncmp(at, "super::", 7) == 0;
         at += 7) {
        rest = at + 7;
        rust_cut_last(module);
    }
    if (!rest || !*module)
        return rest && !*module ? rest : name;
    char *whole = xformat("%s::%s", module, rest);
    char *kept = values_copy(v, whole, strlen(whole));
    free(whole);
    return kept;
}
