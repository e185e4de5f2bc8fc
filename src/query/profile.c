/* Profiles and coverage: see profile.h.
 *
 * One pass counts how often each stretch of code between two branches ran (session/tally.h). Here
 * the counts of its instructions are added up by function and by line.
 */
#include "query/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

static int profile_compare_pc(const void *a, const void *b)
{
    const struct plan_tally *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static u64 profile_count_at(const struct session_tally *t, u64 pc)
{
    struct plan_tally key = {.pc = pc};
    const struct plan_tally *found =
        t->count ? bsearch(&key, t->counts, t->count, sizeof key, profile_compare_pc) : NULL;
    return found ? found->count : 0;
}

static int profile_compare_texts(const char *a, const char *b)
{
    return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* --- profiles --------------------------------------------------------------------------------- */

/* Instructions of one function and line. */
struct profile_piece {
    const char *name, *file;
    unsigned line;
    u64 entry; /* of the out-of-line function; 0: inlined code */
    u64 count;
};

static int piece_compare(const void *a, const void *b)
{
    const struct profile_piece *x = a, *y = b;
    int order = profile_compare_texts(x->name, y->name);
    if (!order)
        order = profile_compare_texts(x->file, y->file);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

static void profile_gather(struct symbols *symbols, const struct session_tally *t,
                           struct list *pieces)
{
    struct function_info f = {0};
    struct line_place line = {0};
    bool in_function = false, has_line = false;
    for (size_t i = 0; i < t->count; i++) {
        u64 pc = t->counts[i].pc;
        if (pc < f.start || pc >= f.end) {
            f = (struct function_info){0};
            in_function = symbols_function(symbols, pc, &f);
        }
        if (pc < line.start || pc >= line.end) {
            line = (struct line_place){0};
            has_line = symbols_line(symbols, pc, &line);
        }
        const char *inlined = in_function ? symbols_inlined(symbols, pc) : NULL;
        *(struct profile_piece *)list_add(pieces) = (struct profile_piece){
            .name = inlined ? inlined : in_function ? f.name : NULL,
            .file = has_line ? line.file : NULL, .line = has_line ? line.line : 0,
            .entry = in_function && !inlined ? f.entry : 0, .count = t->counts[i].count,
        };
    }
    qsort(pieces->items, pieces->count, sizeof(struct profile_piece), piece_compare);
}

static struct profile_function *profile_last_function(struct profile *p)
{
    return (struct profile_function *)p->functions.items + p->functions.count - 1;
}

static void profile_add_line(struct profile *p, const struct profile_piece *piece)
{
    u32 function = (u32)p->functions.count - 1;
    struct profile_line *last = (struct profile_line *)p->lines.items + p->lines.count - 1;
    if (!piece->line)
        return;
    if (p->lines.count && last->function == function && last->line == piece->line &&
        !profile_compare_texts(last->file, piece->file)) {
        last->instructions += piece->count;
        return;
    }
    *(struct profile_line *)list_add(&p->lines) =
        (struct profile_line){function, piece->file, piece->line, piece->count};
}

/* The pieces of one function are neighbours, but its entry may be any of several. */
static void profile_sum(struct profile *p, const struct list *pieces, struct symbols *symbols,
                        const struct session_tally *t)
{
    struct line_place place;
    const struct profile_piece *all = pieces->items;
    u64 entry = 0;
    for (size_t i = 0; i < pieces->count; i++) {
        if (!i || profile_compare_texts(all[i].name, all[i - 1].name)) {
            entry = 0;
            *(struct profile_function *)list_add(&p->functions) = (struct profile_function){
                .name = all[i].name ? symbols_bare_name(all[i].name) : xformat("??"),
                .file = all[i].file, .line = all[i].line};
        }
        struct profile_function *f = profile_last_function(p);
        if (!f->file && all[i].file) {
            f->file = all[i].file;
            f->line = all[i].line;
        }
        f->instructions += all[i].count;
        p->instructions += all[i].count;
        if (all[i].entry && all[i].entry != entry) {
            entry = all[i].entry;
            if (!f->entered)
                f->entered = profile_count_at(t, entry);
            if (symbols_line(symbols, entry, &place)) {
                f->file = place.file;
                f->line = place.line;
            }
        }
        profile_add_line(p, &all[i]);
    }
}

static int line_compare(const void *a, const void *b)
{
    const struct profile_line *x = a, *y = b;
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? 1 : -1;
    int order = profile_compare_texts(x->file, y->file);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

/* Functions by their frequency; `order` has their indices. */
static int profile_function_compare(const void *a, const void *b, void *context)
{
    const struct profile_function *all = context, *x = &all[*(const u32 *)a],
                                  *y = &all[*(const u32 *)b];
    if (x->instructions != y->instructions)
        return x->instructions < y->instructions ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void profile_sort(struct profile *p)
{
    struct profile_function *all = p->functions.items;
    struct profile_line *lines = p->lines.items;
    size_t count = p->functions.count;
    u32 *order = xalloc((count + 1) * sizeof *order), *place = xalloc((count + 1) * sizeof *place);
    struct profile_function *sorted = xalloc((count + 1) * sizeof *sorted);
    for (u32 i = 0; i < count; i++)
        order[i] = i;
    qsort_r(order, count, sizeof *order, profile_function_compare, all);
    for (u32 i = 0; i < count; i++) {
        sorted[i] = all[order[i]];
        place[order[i]] = i;
    }
    memcpy(all, sorted, count * sizeof *all);
    for (size_t i = 0; i < p->lines.count; i++)
        lines[i].function = place[lines[i].function];
    qsort(lines, p->lines.count, sizeof *lines, line_compare);
    free(order);
    free(place);
    free(sorted);
}

void profile_make(struct symbols *symbols, const struct session_tally *t, struct profile *ret)
{
    struct list pieces = LIST(struct profile_piece);
    *ret = (struct profile){LIST(struct profile_function), LIST(struct profile_line), 0};
    profile_gather(symbols, t, &pieces);
    profile_sum(ret, &pieces, symbols, t);
    if (ret->functions.count)
        profile_sort(ret);
    list_deinit(&pieces);
}

void profile_deinit(struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++)
        free(((struct profile_function *)p->functions.items)[i].name);
    list_deinit(&p->functions);
    list_deinit(&p->lines);
}

/* --- coverage --------------------------------------------------------------------------------- */

/* A statement: the functions that were inlined there tell apart several copies of a line. */
struct coverage_statement {
    const char *file;
    unsigned line;
    u64 function;
    const char *inlined;
    u64 count;
    bool is_point; /* a statement begins there */
};

static int statement_compare(const void *a, const void *b)
{
    const struct coverage_statement *x = a, *y = b;
    int order = profile_compare_texts(x->file, y->file);
    if (order)
        return order;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return profile_compare_texts(x->inlined, y->inlined);
}

static void coverage_add_executed(struct symbols *symbols, const struct session_tally *t,
                                  struct list *ret)
{
    struct function_info f = {0};
    struct line_place line = {0};
    bool in_function = false;
    for (size_t i = 0; i < t->count; i++) {
        u64 pc = t->counts[i].pc;
        if (pc < f.start || pc >= f.end) {
            f = (struct function_info){0};
            in_function = symbols_function(symbols, pc, &f);
        }
        if ((pc < line.start || pc >= line.end) && !symbols_line(symbols, pc, &line))
            line = (struct line_place){0};
        if (in_function && line.file)
            *(struct coverage_statement *)list_add(ret) = (struct coverage_statement){
                line.file, line.line, f.entry, symbols_inlined(symbols, pc),
                t->counts[i].count, false};
    }
}

static void coverage_gather(struct symbols *symbols, const struct session_tally *t,
                            struct list *ret, struct list *functions)
{
    size_t count;
    u64 last = 0;
    struct function_info info;
    struct line_place place;
    const struct step_point *points = symbols_step_points(symbols, &count);
    for (size_t i = 0; i < count; i++) {
        if (!points[i].line || !points[i].file)
            continue;
        *(struct coverage_statement *)list_add(ret) = (struct coverage_statement){
            points[i].file, points[i].line, points[i].function,
            symbols_inlined(symbols, points[i].pc), 0, true};
        if (!points[i].function || points[i].function == last)
            continue;
        last = points[i].function;
        if (!symbols_function(symbols, last, &info) || !symbols_line(symbols, last, &place))
            continue;
        *(struct coverage_function *)list_add(functions) = (struct coverage_function){
            symbols_bare_name(info.name), place.file, place.line, profile_count_at(t, last)};
    }
    coverage_add_executed(symbols, t, ret);
    qsort(ret->items, ret->count, sizeof(struct coverage_statement), statement_compare);
}

static void coverage_sum(const struct list *statements, struct list *lines)
{
    const struct coverage_statement *all = statements->items;
    for (size_t i = 0; i < statements->count;) {
        size_t first = i;
        u64 most = 0;
        bool is_point = false;
        for (; i < statements->count && !statement_compare(&all[i], &all[first]); i++) {
            most = all[i].count > most ? all[i].count : most;
            is_point |= all[i].is_point;
        }
        struct coverage_line *last = (struct coverage_line *)lines->items + lines->count - 1;
        if (lines->count && last->line == all[first].line &&
            !strcmp(last->file, all[first].file))
            last->count += most;
        else if (is_point)
            *(struct coverage_line *)list_add(lines) =
                (struct coverage_line){all[first].file, all[first].line, most};
    }
}

static int coverage_function_compare(const void *a, const void *b)
{
    const struct coverage_function *x = a, *y = b;
    int order = profile_compare_texts(x->file, y->file);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

void coverage_make(struct symbols *symbols, const struct session_tally *t, struct coverage *ret)
{
    struct list statements = LIST(struct coverage_statement);
    *ret = (struct coverage){LIST(struct coverage_line), LIST(struct coverage_function)};
    coverage_gather(symbols, t, &statements, &ret->functions);
    coverage_sum(&statements, &ret->lines);
    qsort(ret->functions.items, ret->functions.count, sizeof(struct coverage_function),
          coverage_function_compare);
    list_deinit(&statements);
}

void coverage_deinit(struct coverage *c)
{
    for (size_t i = 0; i < c->functions.count; i++)
        free(((struct coverage_function *)c->functions.items)[i].name);
    list_deinit(&c->functions);
    list_deinit(&c->lines);
}

static int coverage_line_compare(const void *a, const void *b)
{
    const struct coverage_line *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    return order ? order : x->line < y->line ? -1 : x->line > y->line;
}

const struct coverage_line *coverage_at(const struct coverage *c, const char *file, unsigned line)
{
    struct coverage_line key = {file, line, 0};
    return c->lines.count ? bsearch(&key, c->lines.items, c->lines.count, sizeof key,
                                    coverage_line_compare)
                          : NULL;
}
