/* Finds the places that a user names: `f`, `N::f(int)`, `file.c:12`, `12`, `*0x401000`.
 *
 * A name may mean several places: overloads, instances of a template, copies of a function that was
 * inlined, and a line that has code in several functions. A line without code means the next line
 * that has some.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"

/* --- answers ---------------------------------------------------------------------------------- */

static void places_add(struct symbols *s, struct list *places, u64 pc, u32 inside)
{
    struct code_place *have = places->items;
    for (size_t n = 0; n < places->count; n++)
        if (have[n].pc == pc)
            return;
    struct code_place *p = list_add(places);
    struct line_place line;
    struct function_info function;
    p->pc = pc;
    p->inside = inside;
    if (symbols_place_line(s, p, &line)) {
        p->file = line.file;
        p->line = line.line;
    }
    if (symbols_function(s, pc, &function))
        p->function = function.name;
}

/* --- functions -------------------------------------------------------------------------------- */

static bool places_in_file(struct symbols *s, u64 pc, const char *file)
{
    struct line_place place;
    if (!symbols_line(s, pc, &place))
        return false;
    size_t all = strlen(place.file), length = strlen(file);
    return length <= all && strcmp(place.file + all - length, file) == 0 &&
           (length == all || place.file[all - length - 1] == '/');
}

static void find_functions(struct symbols *s, struct module *m, const char *file, const char *name,
                           struct list *places)
{
    size_t count;
    struct function_symbol *f = module_functions(m, &count);
    for (size_t n = 0; n < count; n++) {
        if (f[n].part || !function_is_named(&f[n], name))
            continue;
        struct function_info info;
        if ((!file || places_in_file(s, f[n].start, file)) &&
            symbols_function(s, f[n].start, &info))
            places_add(s, places, info.body, module_inlined_at(m, info.body, NULL));
    }
}

static void find_inlined(struct symbols *s, struct module *m, const char *file, const char *name,
                         struct list *places)
{
    struct list entries = LIST(struct inlined_entry);
    module_inlined(m, name, &entries);
    const struct inlined_entry *e = entries.items;
    for (size_t n = 0; n < entries.count; n++)
        if (!file || places_in_file(s, e[n].pc, file))
            places_add(s, places, e[n].pc, e[n].inside);
    list_deinit(&entries);
}

/* Functions of the program itself come before those of libraries. */
static void find_named(struct symbols *s, const char *file, const char *name, struct list *places)
{
    struct module **modules = s->modules.items;
    for (size_t n = 0; n < s->modules.count && (n == 0 || !places->count); n++) {
        find_functions(s, modules[n], file, name, places);
        find_inlined(s, modules[n], file, name, places);
    }
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Points of one file follow one another and share its name, so the result for a name is cached. */
struct file_test {
    const char *wanted;
    const char *last;
    bool was;
};

static bool places_is_file(struct file_test *t, const char *path)
{
    if (path == t->last)
        return t->was;
    size_t all = strlen(path), length = strlen(t->wanted);
    t->last = path;
    t->was = length <= all && strcmp(path + all - length, t->wanted) == 0 &&
             (length == all || path[all - length - 1] == '/');
    return t->was;
}

/* Returns the line, or the next one that has code; 0 if there is none. *known: the file is
 * known. */
static unsigned nearest_line(const struct step_point *p, size_t count, const char *file,
                             unsigned line, bool *known)
{
    unsigned nearest = 0;
    struct file_test test = {.wanted = file};
    for (size_t n = 0; n < count; n++) {
        if (!places_is_file(&test, p[n].file))
            continue;
        *known = true;
        if (p[n].line >= line && (!nearest || p[n].line < nearest))
            nearest = p[n].line;
    }
    return nearest;
}

/* The inlined instances in one function for which a point of the line was already found. */
struct line_parts {
    u64 function;
    struct scope_range *scopes;
    size_t scope_count;
    struct list seen; /* u32 */
};

static void begin_function(struct symbols *s, struct line_parts *l, const struct step_point *p)
{
    free(l->scopes);
    l->function = p->function;
    l->seen.count = 0;
    symbols_scopes(s, p->pc, &l->scopes, &l->scope_count);
}

static bool is_first_of_part(struct line_parts *l, u64 pc)
{
    u32 scope = scope_at(l->scopes, l->scope_count, pc);
    const u32 *seen = l->seen.items;
    for (size_t n = 0; n < l->seen.count; n++)
        if (seen[n] == scope)
            return false;
    *(u32 *)list_add(&l->seen) = scope;
    return true;
}

/* Finds the first of the line's step points in each function, and in each instance inlined into
 * it. */
static void find_line(struct symbols *s, const struct step_point *p, size_t count, const char *file,
                      unsigned line, struct list *places)
{
    struct line_parts parts = {.function = ~0ul, .seen = LIST(u32)};
    struct file_test test = {.wanted = file};
    for (size_t n = 0; n < count; n++) {
        if (p[n].line != line || !places_is_file(&test, p[n].file))
            continue;
        if (p[n].function != parts.function)
            begin_function(s, &parts, &p[n]);
        if (is_first_of_part(&parts, p[n].pc))
            places_add(s, places, p[n].pc, 0);
    }
    free(parts.scopes);
    list_deinit(&parts.seen);
}

static struct error *places_locate_line(struct symbols *s, const char *file, unsigned line,
                                        struct list *places)
{
    size_t count;
    bool known = false;
    const struct step_point *p = symbols_step_points(s, &count);
    unsigned found = nearest_line(p, count, file, line, &known);
    if (!known)
        return error_new("no source file named %s", file);
    if (!found)
        return error_new("line %u is after the last line with code in %s", line, file);
    find_line(s, p, count, file, found, places);
    return NULL;
}

/* --- what was written ------------------------------------------------------------------------- */

static bool places_read_number(const char *text, u64 *ret)
{
    char *end;
    errno = 0;
    *ret = strtoull(text, &end, 0);
    return isdigit((unsigned char)*text) && !*end && !errno;
}

static struct error *locate_here(struct symbols *s, const char *text, const struct line_place *here,
                                 struct list *places)
{
    u64 number;
    bool relative = *text == '+' || *text == '-';
    if (!places_read_number(text + relative, &number) || number > 10000000)
        return error_new("%s is not a line number", text);
    if (!here || !here->file)
        return error_new("there is no current source file: say FILE:LINE");
    u64 line = !relative ? number : *text == '+' ? here->line + number
                                  : number < here->line ? here->line - number : 1;
    return places_locate_line(s, here->file, (unsigned)line, places);
}

/* Finds the colon between the file and the rest, which is not one of "N::f". */
static const char *find_colon(const char *text)
{
    const char *at = text;
    while ((at = strchr(at, ':')) && at[1] == ':')
        at += 2;
    return at;
}

static struct error *places_locate_in_file(struct symbols *s, const char *text, const char *colon,
                                           struct list *places)
{
    u64 line;
    char *file = xformat("%.*s", (int)(colon - text), text);
    struct error *err = NULL;
    if (places_read_number(colon + 1, &line))
        err = line <= 10000000 ? places_locate_line(s, file, (unsigned)line, places)
                               : error_new("%s is not a line number", colon + 1);
    else
        find_named(s, file, colon + 1, places);
    free(file);
    return err;
}

static struct error *places_locate(struct symbols *s, const char *text,
                                   const struct line_place *here, struct list *places)
{
    u64 address;
    const char *colon = find_colon(text);
    if (*text == '*') {
        if (!places_read_number(text + 1, &address))
            return error_new("%s is not an address", text + 1);
        places_add(s, places, address, 0);
        return NULL;
    }
    if (*text == '+' || *text == '-' || isdigit((unsigned char)*text))
        return locate_here(s, text, here, places);
    if (colon)
        return places_locate_in_file(s, text, colon, places);
    find_named(s, NULL, text, places);
    return NULL;
}

struct error *symbols_locate(struct symbols *s, const char *text, const struct line_place *here,
                             struct code_place **ret, size_t *ret_count)
{
    struct list places = LIST(struct code_place);
    struct error *err = places_locate(s, text, here, &places);
    if (!err && !places.count)
        err = error_coded(ERROR_NOT_FOUND, "there is no function named %s", text);
    if (err) {
        list_deinit(&places);
        return err;
    }
    *ret = places.items;
    *ret_count = places.count;
    return NULL;
}
