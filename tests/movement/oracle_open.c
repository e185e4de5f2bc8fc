/* Gathers what the oracle knows, once: the walk, its frames, the step points and the scopes. See
 * oracle.h. All of it is read before the first movement, so that movements of the session cannot
 * influence it. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* --- what there is ---------------------------------------------------------------------------- */

static int by_pc(const void *a, const void *b)
{
    u64 x = ((const struct step_point *)a)->pc, y = ((const struct step_point *)b)->pc;
    return x < y ? -1 : x > y;
}

static const struct step_point *point_at(const struct oracle *o, u64 pc)
{
    struct step_point key = {.pc = pc};
    return o->point_count ? bsearch(&key, o->points, o->point_count, sizeof key, by_pc) : NULL;
}

static bool is_covered(const struct list *modules, u64 pc)
{
    const struct symbols_module *m = modules->items;
    for (size_t n = 0; n < modules->count; n++)
        if (pc >= m[n].start && pc < m[n].end)
            return true;
    return false;
}

/* Symbols at the moment. File names live as long as these symbols, so the points keep copies. */
static void add_points(struct oracle *o, struct list *points, struct list *modules, struct moment at)
{
    struct session_stop stop;
    struct symbols *symbols;
    size_t count;
    must(movement_goto(o->session, at, &stop));
    must(source_symbols(o->source, &symbols));
    const struct symbols_module *m = symbols_modules(symbols, &count);
    scopes_add(m, count);
    for (size_t n = 0; n < count; n++)
        if (!is_covered(modules, m[n].start))
            *(struct symbols_module *)list_add(modules) = m[n];
    const struct step_point *p = symbols_step_points(symbols, &count);
    for (size_t n = 0; n < count; n++) {
        if (p[n].detour || (points->count && bsearch(&p[n], points->items, points->count, sizeof *p, by_pc)))
            continue;
        struct step_point *new = list_add(points);
        *new = p[n];
        new->file = strdup(p[n].file);
    }
    qsort(points->items, points->count, points->item, by_pc);
}

/* Modules come and go: they are asked for where their code is first executed. */
static void find_points(struct oracle *o)
{
    struct list points = LIST(struct step_point), modules = LIST(struct symbols_module);
    u64 unknown = 0;
    add_points(o, &points, &modules, walk_instant(&o->walk, o->walk.instants.count - 1)->at);
    for (size_t n = 0; n < o->walk.instants.count; n++) {
        struct moment at = walk_instant(&o->walk, n)->at;
        if (at.pc >> 12 == unknown || is_covered(&modules, at.pc))
            continue;
        add_points(o, &points, &modules, at);
        unknown = at.pc >> 12;
    }
    list_deinit(&modules);
    o->points = points.items;
    o->point_count = points.count;
}

static u32 inlined_number(struct oracle *o, u64 pc)
{
    struct inlined found;
    scopes_inlined(pc, &found);
    const struct inlined *all = o->inlined.items;
    for (size_t n = 0; n < o->inlined.count; n++)
        if (all[n].function == found.function && all[n].count == found.count && inlined_begins(&all[n], &found))
            return (u32)n;
    *(struct inlined *)list_add(&o->inlined) = found;
    return (u32)o->inlined.count - 1;
}

static void place_codes(struct oracle *o)
{
    const struct code *codes = o->walk.codes.items;
    size_t count = o->walk.codes.count;
    o->inlined = LIST(struct inlined);
    list_add(&o->inlined);
    o->point_of = xalloc(count * sizeof *o->point_of);
    o->inlined_of = xalloc(count * sizeof *o->inlined_of);
    for (size_t n = 0; n < count; n++) {
        o->point_of[n] = point_at(o, codes[n].pc);
        o->inlined_of[n] = inlined_number(o, codes[n].pc);
    }
}

static void list_events(struct oracle *o)
{
    o->events_of = xalloc(o->frames.threads * sizeof *o->events_of);
    for (u32 n = 0; n < o->frames.threads; n++)
        o->events_of[n] = LIST(size_t);
    for (size_t n = 0; n < o->walk.instants.count; n++)
        if (oracle_point(o, n))
            *(size_t *)list_add(&o->events_of[walk_instant(&o->walk, n)->thread]) = n;
}

static void find_ends(struct oracle *o)
{
    struct session_stop stop;
    struct control_thread *alive;
    size_t count;
    must(movement_goto(o->session, walk_instant(&o->walk, o->walk.instants.count - 1)->at, &stop));
    must(session_threads(o->session, &alive, &count));
    o->ends = xalloc(o->frames.threads * sizeof *o->ends);
    for (u32 n = 0; n < o->frames.threads; n++)
        o->ends[n] = true;
    for (size_t n = 0; n < count; n++)
        if (alive[n].thread < o->frames.threads)
            o->ends[alive[n].thread] = false;
    free(alive);
}

void oracle_create(const struct recording *rec, u32 track, struct session *s, struct source *src, struct oracle *ret)
{
    *ret = (struct oracle){.session = s, .source = src};
    walk_all(rec, track, &ret->walk);
    frames_find(&ret->walk, &ret->frames);
    find_points(ret);
    place_codes(ret);
    list_events(ret);
    find_ends(ret);
}

void oracle_deinit(struct oracle *o)
{
    for (u32 n = 0; n < o->frames.threads; n++)
        list_deinit(&o->events_of[n]);
    free(o->events_of);
    free(o->ends);
    for (size_t n = 0; n < o->point_count; n++)
        free((char *)o->points[n].file);
    free(o->points);
    free(o->point_of);
    free(o->inlined_of);
    list_deinit(&o->inlined);
    frames_deinit(&o->frames);
    walk_deinit(&o->walk);
    scopes_close();
}

/* --- for people ------------------------------------------------------------------------------- */

char *oracle_describe(struct oracle *o, struct moment at)
{
    struct session_stop stop;
    struct frame *f;
    size_t count;
    const char *why;
    must(movement_goto(o->session, at, &stop));
    must(source_frames(o->source, CONTROL_THREAD_ANY, 12, &f, &count, &why));
    char *text = xformat("%llu:%#llx", (unsigned long long)at.tick, (unsigned long long)at.pc);
    for (size_t n = 0; n < count; n++) {
        const char *file = f[n].place.file ? strrchr(f[n].place.file, '/') : NULL;
        char *more = xformat("%s%s%s%s %s:%u", text, n ? " <- " : " ", f[n].function ? f[n].function : "?",
                             f[n].inlined ? " (inlined)" : "", file ? file + 1 : "?", f[n].place.line);
        free(text);
        text = more;
    }
    free(f);
    return text;
}
