/* The part of the run that an answer covers: which bytes or expression, in which call, from when to
 * when.
 *
 * Every answer that says "first", "last" or "never" is valid for a stretch of time and a place, and
 * says so. For a local, that is one call of its function, from the local's first write on.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* --- when ------------------------------------------------------------------------------------- */

static void later_of(struct moment *a, struct moment b)
{
    if (moment_compare(*a, b) < 0)
        *a = b;
}

/* Finds where its frame has first written it, from which on it has a value. */
static struct error *cover_from_write(const struct subject *s, struct debug_cover *c,
                                      struct moment begin, struct moment end)
{
    bool found;
    struct error *err = subject_written(s, begin, end, &found, &c->write, &c->interrupted);
    if (err || c->interrupted || !s->slots.count)
        return err;
    c->is_unwritten = !found;
    if (!found)
        return NULL;
    struct moment after = {c->write.after_tick, c->write.after_pc};
    c->from_write = moment_compare(c->from, after) <= 0;
    later_of(&c->from, after);
    return NULL;
}

/* Facts about a frame are cached: finding where main began may take a search over the whole run. */
static struct debug_life *life_known(struct debug *d, const struct subject *s, struct moment alive)
{
    struct debug_life *all = d->lives.items;
    for (size_t n = 0; n < d->lives.count; n++)
        if (all[n].thread == s->thread && all[n].cfa == s->cfa &&
            moment_compare(all[n].begin, alive) <= 0 && moment_compare(alive, all[n].alive_to) <= 0)
            return &all[n];
    return NULL;
}

static struct error *cover_begin(struct debug *d, const struct subject *s, struct moment alive,
                                 struct debug_cover *c, struct moment *begin)
{
    bool found;
    struct debug_life *known = life_known(d, s, alive);
    if (known) {
        *begin = known->begin;
        c->call = known->call;
        return NULL;
    }
    struct error *err =
        subject_frame_begin(s, alive, *begin, &found, begin, &c->call, &c->interrupted);
    if (!err && !c->interrupted && found)
        *(struct debug_life *)list_add(&d->lives) =
            (struct debug_life){s->thread, s->cfa, *begin, c->call, alive};
    return err;
}

struct error *debug_cover(struct debug *d, const struct subject *s, struct moment alive,
                          bool to_end, struct debug_cover *c)
{
    struct moment begin = session_first(d->session), end = session_last(d->session);
    bool returns = false;
    if (!subject_is_local(s))
        return NULL;
    struct error *err = cover_begin(d, s, alive, c, &begin);
    if (!err && !c->interrupted && to_end)
        err = subject_frame_end(s, alive, end, &returns, &end, &c->interrupted);
    if (err || c->interrupted)
        return err;
    c->to_return = returns && moment_compare(end, c->to) <= 0;
    c->from_call = moment_compare(c->from, begin) <= 0;
    later_of(&c->from, begin);
    if (moment_compare(end, c->to) < 0)
        c->to = end;
    return cover_from_write(s, c, begin, end);
}

bool debug_cover_is_empty(const struct debug_cover *c)
{
    return c->interrupted || c->is_unwritten || moment_compare(c->to, c->from) < 0;
}

/* --- how the compiler keeps it ---------------------------------------------------------------- */

enum { KEEPINGS = KEPT_AS_CONSTANT + 1, RANGES_SAID = 6 };

struct kept_lines {
    struct list lines[KEEPINGS]; /* unsigned, sorted: the lines where it is kept in this way */
    struct list all;             /* lines of all statements of the function */
};

static int debug_cover_compare_lines(const void *a, const void *b)
{
    unsigned left = *(const unsigned *)a, right = *(const unsigned *)b;
    return left < right ? -1 : left > right;
}

static void sort_lines(struct list *l)
{
    unsigned *lines = l->items;
    size_t kept = 0;
    if (l->count)
        qsort(lines, l->count, sizeof *lines, debug_cover_compare_lines);
    for (size_t n = 0; n < l->count; n++)
        if (!kept || lines[kept - 1] != lines[n])
            lines[kept++] = lines[n];
    l->count = kept;
}

static void gather_lines(const struct subject *s, struct evaluation *v, size_t index,
                         struct kept_lines *ret)
{
    size_t count;
    const struct step_point *all = symbols_step_points(s->symbols, &count);
    for (size_t n = 0; n < KEEPINGS; n++)
        ret->lines[n] = LIST(unsigned);
    ret->all = LIST(unsigned);
    for (size_t n = 0; n < count; n++)
        if (all[n].function == s->function) {
            enum variable_keeping how = values_kept(v, index, all[n].pc);
            *(unsigned *)list_add(&ret->lines[how]) = all[n].line;
            *(unsigned *)list_add(&ret->all) = all[n].line;
        }
    for (size_t n = 0; n < KEEPINGS; n++)
        sort_lines(&ret->lines[n]);
    sort_lines(&ret->all);
}

static void lines_deinit(struct kept_lines *l)
{
    for (size_t n = 0; n < KEEPINGS; n++)
        list_deinit(&l->lines[n]);
    list_deinit(&l->all);
}

/* Returns the index in `all` of a line of `part`. */
static size_t line_index(const struct list *all, unsigned line)
{
    const unsigned *lines = all->items;
    size_t n = 0;
    while (n < all->count && lines[n] != line)
        n++;
    return n;
}

/* Returns "lines 12-18, 25". Neighbouring statements form one range. The caller frees it. */
static char *text_of_lines(const struct list *part, const struct list *all)
{
    const unsigned *lines = part->items;
    char *text = xformat("line%s", part->count == 1 ? "" : "s");
    size_t ranges = 0;
    for (size_t n = 0, end; n < part->count; n = end) {
        for (end = n + 1; end < part->count; end++)
            if (line_index(all, lines[end]) != line_index(all, lines[end - 1]) + 1)
                break;
        char *longer = ranges++ == RANGES_SAID ? xformat("%s and others", text)
                       : lines[end - 1] == lines[n]
                           ? xformat("%s%s%u", text, n ? ", " : " ", lines[n])
                           : xformat("%s%s%u-%u", text, n ? ", " : " ", lines[n], lines[end - 1]);
        free(text);
        text = longer;
        if (ranges > RANGES_SAID)
            break;
    }
    return text;
}

static char *keeping_of_variable(const char *name, const struct kept_lines *l)
{
    static const char *const words[KEEPINGS] = {
        "nowhere (optimised out)", "in memory", "in registers",
        "only as what the caller may still have", "as a constant"};
    static const enum variable_keeping order[] = {KEPT_IN_MEMORY, KEPT_IN_REGISTERS,
                                                  KEPT_AS_CONSTANT, KEPT_BY_CALLER, KEPT_NOWHERE};
    char *text = xformat("the compiler keeps %s", name);
    bool some = false;
    for (size_t n = 0; n < countof(order); n++) {
        const struct list *lines = &l->lines[order[n]];
        if (!lines->count)
            continue;
        char *where = text_of_lines(lines, &l->all);
        char *longer = xformat("%s%s %s at %s", text, some ? "," : "", words[order[n]], where);
        free(where);
        free(text);
        text = longer;
        some = true;
    }
    return text;
}

/* Describes each variable of the expression that is not always in one place; NULL: there is none.
 * The caller frees it. */
char *debug_keeping(const struct subject *s)
{
    struct evaluation *v;
    struct value *value;
    char *text = NULL;
    const char *name;
    if (!(s->uses & (VALUES_MOVES | VALUES_CONSTANT)) || !s->function)
        return NULL;
    struct error *err = values_open(s->symbols, &s->request, &v);
    if (err) {
        error_destroy(err);
        return NULL;
    }
    error_destroy(values_evaluate(v, s->expression, &value));
    for (size_t n = 0; (name = values_moving(v, n)); n++) {
        struct kept_lines lines;
        gather_lines(s, v, n, &lines);
        if (lines.all.count) {
            char *one = keeping_of_variable(name, &lines);
            char *both = text ? xformat("%s; %s", text, one) : xformat("%s", one);
            free(one);
            free(text);
            text = both;
        }
        lines_deinit(&lines);
    }
    values_close(v);
    return text;
}

/* --- in words --------------------------------------------------------------------------------- */

/* "the frame of walk"; the caller frees it. */
char *debug_subject_frame(const struct subject *s)
{
    return s->function_name ? xformat("the frame of %s", s->function_name) : xformat("the frame");
}

/* " in this call of walk", or "" if it is not local; the caller frees it. */
char *debug_cover_call(const struct subject *s)
{
    if (!subject_is_local(s))
        return xformat("%s", "");
    char *name = symbols_bare_name(s->function_name ? s->function_name : "its function");
    char *text = xformat(" in this call of %s", name);
    free(name);
    return text;
}

/* "4 bytes at 0x404040", "wherever it leads", ...; the caller frees it. */
static char *cover_place(const struct subject *s)
{
    if (subject_is_looked_at(s))
        return xformat("compared at each statement");
    if (!s->is_fixed && !s->in_memory)
        return xformat("checked when its parts change");
    if (!s->is_fixed)
        return xformat("wherever it leads");
    return xformat("%llu byte%s at 0x%llx", (unsigned long long)s->size, s->size == 1 ? "" : "s",
                   (unsigned long long)s->address);
}

static unsigned percent_of(const struct debug *d, struct moment at)
{
    u64 first = session_first(d->session).tick, last = session_last(d->session).tick;
    if (at.tick <= first || last <= first)
        return 0;
    return (unsigned)((double)(at.tick - first) * 100 / (double)(last - first));
}

static char *cover_time(const struct debug *d, const struct debug_cover *c)
{
    unsigned long long from = c->from.tick, to = c->to.tick;
    bool from_start = moment_compare(c->from, session_first(d->session)) <= 0;
    bool to_end = moment_compare(c->to, session_last(d->session)) >= 0;
    if (from_start && to_end)
        return xformat("over the whole run (tick %llu to %llu)", from, to);
    const char *begin = c->from_here    ? "from here"
                        : c->from_write ? "from its first write"
                        : c->from_call  ? "from the call"
                        : from_start    ? "from the start"
                                        : "from the given moment";
    const char *end = c->to_here     ? "to here"
                      : c->to_return ? "to its return"
                      : to_end       ? "to the end"
                                     : "to the given moment";
    unsigned first = percent_of(d, c->from), last = percent_of(d, c->to);
    return first == last
               ? xformat("%s %s (tick %llu to %llu, at %u%%)", begin, end, from, to, first)
               : xformat("%s %s (tick %llu to %llu, %u%% to %u%%)", begin, end, from, to, first,
                         last);
}

/* Describes the cover, to follow the expression's name; the caller frees it. */
char *debug_cover_text(const struct debug *d, const struct subject *s, const struct debug_cover *c)
{
    char *place = cover_place(s), *call = debug_cover_call(s), *time = cover_time(d, c);
    char *text = c->is_unwritten ? xformat("%s%s, which does not write it", place, call)
                                 : xformat("%s%s, %s", place, call, time);
    free(place);
    free(call);
    free(time);
    return text;
}
