/* Finds the functions that a question concerns.
 *
 * Candidates are all functions with lines, and those that the question names. The context is
 * evaluated for each, with only its name and place known. A function for which the context cannot
 * hold gets no sites, and costs nothing in a pass.
 */
#include <stdio.h>

#include "query/ask_internal.h"

static const char *ask_keep_string(struct ask_functions *f, char *text)
{
    *(char **)list_add(&f->strings) = text;
    return text;
}

static int function_compare(const void *a, const void *b)
{
    const struct ask_function *x = a, *y = b;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

struct ask_function *ask_function_at(const struct ask_functions *f, u64 entry)
{
    struct ask_function key = {.entry = entry};
    return f->count ? bsearch(&key, f->list, f->count, sizeof key, function_compare) : NULL;
}

void ask_functions_deinit(struct ask_functions *f)
{
    for (size_t i = 0; i < f->count; i++)
        for (size_t n = 0; n < countof(f->list[i].names); n++)
            free(f->list[i].names[n]);
    for (size_t i = 0; i < f->strings.count; i++)
        free(((char **)f->strings.items)[i]);
    list_deinit(&f->strings);
    free(f->list);
    f->list = NULL;
    f->count = 0;
}

void ask_event_place(struct symbols *symbols, struct ask_event *e)
{
    struct function_info info;
    struct line_place line;
    e->function = symbols_inlined(symbols, e->pc);
    if (!e->function)
        e->function = symbols_function(symbols, e->pc, &info) ? info.name : NULL;
    bool has_line = symbols_line(symbols, e->pc, &line);
    e->file = has_line ? line.file : NULL;
    e->line = has_line ? line.line : 0;
    e->known |= 1u << HAS_FUNC | 1u << HAS_FILE | 1u << HAS_LINE | 1u << HAS_SRC | 1u << HAS_PC |
                1u << HAS_THREAD | 1u << HAS_TICK;
}

/* --- gathering -------------------------------------------------------------------------------- */

struct ask_gathering {
    struct symbols *symbols;
    struct ask_functions *set;
    struct list found; /* struct ask_function */
    const struct ask_question *q; /* NULL: all candidates are taken */
    struct error *err;
};

/* Adds a function. `alias` is the one of its several names that the question used; NULL: its
 * own. */
static void ask_gather(struct ask_gathering *g, u64 pc, const char *alias)
{
    struct function_info info;
    enum ask_truth truth = ASK_TRUE;
    if (!symbols_function(g->symbols, pc, &info))
        return;
    struct ask_event e = {.type = ASK_CALL, .pc = info.body};
    ask_event_place(g->symbols, &e);
    char *bare = alias ? xformat("%s", alias) : symbols_bare_name(info.name);
    e.function = bare;
    e.known &= 1u << HAS_FUNC | 1u << HAS_FILE | 1u << HAS_LINE | 1u << HAS_SRC;
    if (g->q && !g->err)
        g->err = ask_holds(g->q->context, &e, NULL, &truth);
    if (truth == ASK_FALSE) {
        free(bare);
        return;
    }
    *(struct ask_function *)list_add(&g->found) =
        (struct ask_function){.entry = info.entry, .body = info.body,
                              .name = ask_keep_string(g->set, bare), .file = e.file,
                              .line = e.line};
}

/* Adds all functions with lines. */
static void gather_with_lines(struct ask_gathering *g)
{
    size_t count;
    u64 last = 0;
    const struct step_point *points = symbols_step_points(g->symbols, &count);
    for (size_t i = 0; i < count; i++)
        if (points[i].function && points[i].function != last) {
            last = points[i].function;
            ask_gather(g, last, NULL);
        }
}

/* Adds the functions with this name. Places where one is inlined into another are not calls. */
static bool gather_name(struct ask_gathering *g, const char *name)
{
    struct code_place *places;
    struct function_info info;
    size_t count = 0;
    struct error *err = symbols_locate(g->symbols, name, NULL, &places, &count);
    if (err) {
        error_destroy(err);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (!symbols_function(g->symbols, places[i].pc, &info))
            continue;
        char *bare = symbols_bare_name(info.name);
        if (ask_name_fits(name, bare))
            ask_gather(g, places[i].pc, NULL);
        else if (places[i].pc == info.entry || places[i].pc == info.body)
            ask_gather(g, places[i].pc, name);
        else
            g->set->inlined++;
        free(bare);
    }
    free(places);
    return true;
}

/* Adds the names in symbol tables that match a pattern with wildcards. */
static void gather_symbols(struct ask_gathering *g, const char *pattern)
{
    struct evaluation *v;
    struct listed_name *names;
    size_t count = 0;
    struct values_request none = {0};
    struct error *err = values_open(g->symbols, &none, &v);
    if (err) {
        error_destroy(err);
        return;
    }
    err = values_listed(v, LISTED_FUNCTIONS, "", &names, &count);
    for (size_t i = 0; i < count && !err; i++)
        if (names[i].is_symbol && ask_name_fits(pattern, names[i].name))
            ask_gather(g, names[i].address, names[i].name);
    error_destroy(err);
    values_close(v);
}

static bool has_wildcard(const char *pattern)
{
    return strpbrk(pattern, "*?[");
}

/* Adds the functions whose names appear in leaves of a context. */
static struct error *gather_named(struct ask_gathering *g, const struct ask_context *c)
{
    struct error *err = NULL;
    if (!c)
        return NULL;
    if (c->operation != ASK_LEAF) {
        err = gather_named(g, c->left);
        return err ? err : gather_named(g, c->right);
    }
    if (c->kind != LEAF_NAME || c->attribute != HAS_FUNC || c->compare != IS_SAME)
        return NULL;
    if (has_wildcard(c->text) && strcmp(c->text, "*"))
        gather_symbols(g, c->text);
    else if (strcmp(c->text, "*") && !gather_name(g, c->text))
        err = ask_error(g->q, c->place, "there is no function '%s'", c->text);
    return err;
}

/* Sorts by entry and removes duplicates. */
static void gather_end(struct ask_gathering *g)
{
    struct ask_function *all = g->found.items;
    size_t kept = 0;
    if (g->found.count)
        qsort(all, g->found.count, sizeof *all, function_compare);
    for (size_t i = 0; i < g->found.count; i++)
        if (!kept || all[kept - 1].entry != all[i].entry)
            all[kept++] = all[i];
    g->set->list = all;
    g->set->count = kept;
}

struct error *ask_functions_find(const struct ask_question *q, struct symbols *symbols,
                                 struct ask_functions *ret)
{
    *ret = (struct ask_functions){.strings = LIST(char *)};
    struct ask_gathering g = {.symbols = symbols, .set = ret, .q = q,
                              .found = LIST(struct ask_function)};
    gather_with_lines(&g);
    struct error *err = g.err ? g.err : gather_named(&g, q->context);
    gather_end(&g);
    if (err)
        ask_functions_deinit(ret);
    return err;
}

void ask_functions_named(struct symbols *symbols, const char *const *names, size_t count,
                         struct ask_functions *ret)
{
    *ret = (struct ask_functions){.strings = LIST(char *)};
    struct ask_gathering g = {.symbols = symbols, .set = ret, .found = LIST(struct ask_function)};
    for (size_t i = 0; i < count; i++)
        gather_name(&g, names[i]);
    gather_end(&g);
}
