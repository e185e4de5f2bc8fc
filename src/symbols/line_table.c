/* Line tables: the statement that an address belongs to, and the step points.
 *
 * If a line table has several rows at one address, the last that begins a statement gives the line.
 * A function's first row is not a step point; its second one is (docs/movement.md), since its
 * parameters can be read there.
 */
#include <dwarf.h>

#include "base/xalloc.h"
#include "symbols/symbols_internal.h"

/* --- files ------------------------------------------------------------------------------------ */

static const char *directory_of(Dwarf_Die *unit)
{
    Dwarf_Attribute attribute;
    return dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
}

/* "/a/./b/../c" becomes "/a/c", since users set breakpoints by such names. */
static void simplify(char *path)
{
    char *out = path;
    for (char *at = path; *at;) {
        size_t part = 1 + strcspn(at + 1, "/");
        if (at[0] == '/' && part == 2 && at[1] == '.') {
            /* unchanged */
        } else if (at[0] == '/' && part == 3 && at[1] == '.' && at[2] == '.' && out > path) {
            while (out > path && *--out != '/') {
            }
        } else {
            memmove(out, at, part);
            out += part;
        }
        at += part;
    }
    *out = '\0';
}

/* A folder that is not absolute was made so by -ffile-prefix-map, which has changed the names of
 * files, too: those are not relative to the folder any more (Debian's glibc: folder "./stdlib",
 * file "./stdlib/exit.c"). */
const char *unit_file(struct symbols *s, Dwarf_Die *unit, const char *name)
{
    const char *directory;
    bool relative = name[0] != '/' && (directory = directory_of(unit)) && directory[0] == '/';
    char *path = relative ? xformat("%s/%s", directory, name) : xformat("%s", name);
    if (path[0] == '/')
        simplify(path);
    const char *ret = symbols_intern(s, path);
    free(path);
    return ret;
}

const char *line_file(struct symbols *s, Dwarf_Die *unit, Dwarf_Line *line)
{
    const char *name = dwarf_linesrc(line, NULL, NULL);
    return name ? unit_file(s, unit, name) : NULL;
}

/* --- rows ------------------------------------------------------------------------------------- */

struct line_row {
    u64 pc;
    Dwarf_Line *line;
    int number;
    const char *source; /* libdw's name of the file; the same pointer for the same file of a unit */
    bool stmt, end;
};

static bool read_row(Dwarf_Lines *lines, size_t n, u64 bias, struct line_row *ret)
{
    Dwarf_Line *line = dwarf_onesrcline(lines, n);
    Dwarf_Addr pc;
    if (!line || dwarf_lineaddr(line, &pc))
        return false;
    *ret = (struct line_row){.pc = pc + bias, .line = line};
    dwarf_lineno(line, &ret->number);
    dwarf_linebeginstatement(line, &ret->stmt);
    dwarf_lineendsequence(line, &ret->end);
    ret->source = dwarf_linesrc(line, NULL, NULL);
    return true;
}

/* Finds the last row at or below pc, and the address of the next row. */
static bool line_table_find_row(Dwarf_Lines *lines, size_t count, u64 bias, u64 pc,
                                struct line_row *ret, u64 *ret_end)
{
    struct line_row row;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (!read_row(lines, middle, bias, &row))
            return false;
        if (row.pc <= pc)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !read_row(lines, low - 1, bias, ret) || ret->end)
        return false;
    *ret_end = low < count && read_row(lines, low, bias, &row) ? row.pc : ret->pc + 1;
    for (size_t n = low - 1;
         n-- > 0 && read_row(lines, n, bias, &row) && row.pc == ret->pc && !row.end;)
        if (!(ret->stmt && ret->number) && row.stmt && row.number)
            *ret = row;
    return true;
}

bool symbols_line(struct symbols *s, u64 pc, struct line_place *ret)
{
    struct module *m = module_at(s, pc);
    Dwarf_Die unit;
    Dwarf_Lines *lines;
    size_t count;
    struct line_row row;
    u64 end;
    if (!m || !module_unit(m, pc, &unit) || dwarf_getsrclines(&unit, &lines, &count) ||
        !line_table_find_row(lines, count, m->dwarf_bias, pc, &row, &end) || !row.number)
        return false;
    int column = 0;
    dwarf_linecol(row.line, &column);
    *ret = (struct line_place){
        .file = line_file(s, &unit, row.line), .line = (unsigned)row.number,
        .column = (unsigned)column,
        .start = row.pc, .end = end, .is_stmt = row.stmt,
    };
    return ret->file;
}

/* --- step points ------------------------------------------------------------------------------ */

struct pointing {
    struct module *m;
    struct list *to;           /* struct step_point */
    struct function_symbol *f; /* the last function met */
    size_t rows_in_function;
    struct line_row before; /* the previous row of the sequence; pc ~0: none */
    const char *source, *file; /* the last name that was made absolute */
};

static const char *line_table_file_of(struct pointing *p, Dwarf_Die *unit,
                                      const struct line_row *row)
{
    if (row->source != p->source) {
        p->source = row->source;
        p->file = line_file(p->m->owner, unit, row->line);
    }
    return p->file;
}

static bool is_skipped(struct symbols *s, const char *file, struct function_symbol *function)
{
    char **skipped = s->skipped.items;
    for (size_t n = 0; n < s->skipped.count; n++) {
        size_t length = strlen(skipped[n]), all = strlen(file);
        bool at_end = length <= all && strcmp(file + all - length, skipped[n]) == 0 &&
                      (length == all || file[all - length - 1] == '/');
        if (at_end || (function && function_is_named(function, skipped[n])))
            return true;
    }
    return false;
}

/* Adds a point. Of several at one address the last gives the line. */
static void add_point(struct pointing *p, Dwarf_Die *unit, const struct line_row *row, bool entry)
{
    const char *file = line_table_file_of(p, unit, row);
    if (!file || is_skipped(p->m->owner, file, p->f))
        return;
    struct list *points = p->to;
    struct step_point *last =
        points->count ? (struct step_point *)points->items + points->count - 1 : NULL;
    bool again = last && last->pc == row->pc && p->before.pc == row->pc;
    *(again ? last : (struct step_point *)list_add(points)) = (struct step_point){
        .pc = row->pc, .file = file, .line = (u32)row->number,
        .entry = entry || (again && last->entry),
        .function = p->f ? p->f->start : 0,
        .detour = module_is_linker(p->m) || (p->f && p->f->detour),
    };
}

static void enter_function(struct pointing *p, u64 pc)
{
    if (p->f && pc >= p->f->start && pc < p->f->end)
        return;
    p->f = module_function(p->m, pc);
    p->rows_in_function = 0;
}

/* The first row of a function is its prologue, unless there is no other row. If optimized code has
 * the second row at the same address, there is no prologue. */
static void take_row(struct pointing *p, Dwarf_Die *unit, const struct line_row *row,
                     const struct line_row *next)
{
    enter_function(p, row->pc);
    size_t index = p->rows_in_function++;
    bool entered = p->f && !p->f->part;
    bool first = entered && !index && row->pc == p->f->start;
    bool second = entered && index == 1 && p->before.pc == p->f->start;
    bool alone = next->end || next->pc >= (p->f ? p->f->end : 0);
    bool differs =
        p->before.pc == ~0ul || row->number != p->before.number || row->source != p->before.source;
    if (row->stmt && row->number && (first ? alone : differs || second))
        add_point(p, unit, row, first || second);
    p->before = *row;
}

static bool add_unit_points(void *context, Dwarf_Die *unit)
{
    struct pointing *p = context;
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count))
        return true;
    struct line_row row, next;
    p->source = NULL;
    p->before = (struct line_row){.pc = ~0ul};
    for (size_t n = 0; n < count; n++) {
        if (!read_row(lines, n, p->m->dwarf_bias, &row))
            continue;
        if (n + 1 == count || !read_row(lines, n + 1, p->m->dwarf_bias, &next))
            next = (struct line_row){.end = true};
        if (row.end)
            p->before = (struct line_row){.pc = ~0ul};
        else
            take_row(p, unit, &row, &next);
    }
    return true;
}

static int by_pc(const void *a, const void *b)
{
    u64 x = ((const struct step_point *)a)->pc, y = ((const struct step_point *)b)->pc;
    return x < y ? -1 : x > y;
}

static void sort_points(struct list *l)
{
    struct step_point *p = l->items;
    size_t kept = 0;
    if (l->count)
        qsort(p, l->count, sizeof *p, by_pc);
    for (size_t n = 0; n < l->count; n++)
        if (!kept || p[kept - 1].pc != p[n].pc)
            p[kept++] = p[n];
    l->count = kept;
}

const struct step_point *module_points(struct module *m, size_t *ret_count)
{
    if (!m->points_made) {
        struct pointing p = {.m = m, .to = &m->points};
        m->points_made = true;
        module_each_unit(m, add_unit_points, &p);
        sort_points(&m->points);
    }
    *ret_count = m->points.count;
    return m->points.items;
}

const struct step_point *module_points_around(struct module *m, u64 address, size_t *ret_count)
{
    Dwarf_Die unit;
    *ret_count = 0;
    if (m->points_made)
        return module_points(m, ret_count);
    if (!module_unit(m, address, &unit))
        return NULL;
    Dwarf_Off offset = dwarf_dieoffset(&unit);
    if (!m->unit_points.count || offset != m->points_unit) {
        struct pointing p = {.m = m, .to = &m->unit_points};
        m->unit_points.count = 0;
        m->points_unit = offset;
        add_unit_points(&p, &unit);
        sort_points(&m->unit_points);
    }
    *ret_count = m->unit_points.count;
    return m->unit_points.items;
}

void module_drop_points(struct module *m)
{
    list_deinit(&m->points);
    list_deinit(&m->unit_points);
    m->points_made = m->rules_made = false;
}

static int by_module(const void *a, const void *b)
{
    u64 x = (*(struct module *const *)a)->shown.start,
        y = (*(struct module *const *)b)->shown.start;
    return x < y ? -1 : x > y;
}

/* Returns the points of a module with their rules. They are made once, however often other modules
 * are loaded and unloaded. */
static const struct step_point *ruled_points(struct module *m, size_t *ret_count)
{
    module_points(m, ret_count);
    if (!m->rules_made)
        symbols_fill_cfa(m->owner, m->points.items, m->points.count);
    m->rules_made = true;
    return m->points.items;
}

/* Modules do not overlap, so concatenating their points keeps the order. */
static void gather_points(struct symbols *s)
{
    size_t all = 0, count;
    struct module **modules = xalloc((s->modules.count + 1) * sizeof *modules);
    if (s->modules.count)
        memcpy(modules, s->modules.items, s->modules.count * sizeof *modules);
    qsort(modules, s->modules.count, sizeof *modules, by_module);
    for (size_t n = 0; n < s->modules.count; n++) {
        ruled_points(modules[n], &count);
        all += count;
    }
    s->points_number++;
    list_deinit(&s->points);
    struct step_point *to = s->points.items = xalloc((all + 1) * sizeof *to);
    s->points.count = s->points.room = all;
    for (size_t n = 0; n < s->modules.count; n++) {
        const struct step_point *p = ruled_points(modules[n], &count);
        if (count)
            memcpy(to, p, count * sizeof *p);
        to += count;
    }
    free(modules);
}

const struct step_point *symbols_step_points(struct symbols *s, size_t *ret_count)
{
    if (!s->points_made || s->points_version != s->version) {
        s->points_made = true;
        s->points_version = s->version;
        gather_points(s);
    }
    *ret_count = s->points.count;
    return s->points.items;
}

u32 symbols_points_number(struct symbols *s)
{
    size_t count;
    symbols_step_points(s, &count);
    return s->points_number;
}

const struct step_point *symbols_step_point_at(struct symbols *s, u64 pc)
{
    size_t count;
    const struct step_point *p = symbols_step_points(s, &count);
    struct step_point key = {.pc = pc};
    return count ? bsearch(&key, p, count, sizeof *p, by_pc) : NULL;
}

struct error *symbols_skip(struct symbols *s, const char *what, bool skip)
{
    char **skipped = s->skipped.items;
    struct module **modules = s->modules.items;
    size_t n = 0;
    while (n < s->skipped.count && strcmp(skipped[n], what) != 0)
        n++;
    if (!skip && n == s->skipped.count)
        return error_new("%s is not skipped", what);
    if (skip && n == s->skipped.count) {
        *(char **)list_add(&s->skipped) = xformat("%s", what);
    } else if (!skip) {
        free(skipped[n]);
        skipped[n] = skipped[--s->skipped.count];
    }
    s->points_made = false;
    for (size_t i = 0; i < s->modules.count; i++)
        module_drop_points(modules[i]);
    return NULL;
}
