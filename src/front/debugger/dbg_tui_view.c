/* The contents of the full screen at the current moment: frames, source or code, variables, marks
 * of breakpoints.
 *
 * tui_view_update() gathers them once after each command; drawing (dbg_tui_panes.c) only reads
 * them. A variable whose text differs from the previous moment is marked as changed.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_tui_internal.h"

enum { FRAMES_SHOWN = 200, INSTRUCTIONS = 60, VALUE_MOST = 400 };

static void variables_deinit(struct list *variables)
{
    struct tui_variable *all = variables->items;
    for (size_t i = 0; i < variables->count; i++) {
        free(all[i].name);
        free(all[i].value);
    }
    list_deinit(variables);
}

void tui_view_deinit(struct tui_view *v)
{
    free(v->file);
    free(v->short_file);
    free(v->function);
    debug_strings_deinit(&v->code);
    debug_strings_deinit(&v->frames);
    variables_deinit(&v->variables);
    list_deinit(&v->marks);
}

/* --- frames ----------------------------------------------------------------------------------- */

static const char *tui_view_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void tui_view_add_frame(struct tui *t, size_t index)
{
    const struct frame *f = &t->d->debug->frames[index];
    char *name = symbols_bare_name(f->function ? f->function : "??");
    char **line = list_add(&t->view.frames);
    if (f->place.file)
        *line = xformat("#%zu %s  %s:%u", index, name, tui_view_base_name(f->place.file),
                        f->place.line);
    else if (f->module)
        *line = xformat("#%zu %s  %s", index, name, tui_view_base_name(f->module));
    else
        *line = xformat("#%zu %s  0x%llx", index, name, (unsigned long long)f->pc);
    free(name);
}

static void take_frames(struct tui *t)
{
    struct dbg *d = t->d;
    if (!debug_frame(d->debug))
        return;
    size_t shown = debug_shown_frames(d->debug, FRAMES_SHOWN, NULL);
    for (size_t i = 0; i < shown && i < FRAMES_SHOWN; i++)
        tui_view_add_frame(t, i);
    const struct frame *f = debug_frame(d->debug);
    t->view.selected = d->debug->selected;
    t->view.function = f->function ? symbols_bare_name(f->function) : NULL;
}

/* --- source, or instructions ------------------------------------------------------------------ */

const char *tui_source_line(const struct tui *t, unsigned line)
{
    struct symbols *symbols;
    struct error *err = t->view.file ? debug_symbols(t->d->debug, &symbols)
                                     : error_coded(ERROR_NOT_FOUND, "no file");
    const char *text = err ? NULL : symbols_source_line(symbols, t->view.file, line);
    error_destroy(err);
    return text;
}

static void take_code(struct tui *t)
{
    char *line = xformat("x/%di $pc", INSTRUCTIONS), *text = dbg_capture(t->d, line);
    for (char *at = text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        *(char **)list_add(&t->view.code) = xformat("%.*s", (int)(end - at), at);
        end += *end == '\n';
    }
    free(line);
    free(text);
}

static void take_source(struct tui *t)
{
    struct tui_view *v = &t->view;
    struct symbols *symbols;
    const struct frame *f = debug_frame(t->d->debug);
    struct error *err = debug_symbols(t->d->debug, &symbols);
    if (!err && f && f->place.file) {
        v->lines = symbols_source_lines(symbols, f->place.file);
        v->line = f->place.line;
        v->short_file = dbg_short_path(t->d, f->place.file);
        v->file = v->lines ? xformat("%s", f->place.file) : NULL;
    }
    if (!v->file)
        take_code(t);
    error_destroy(err);
}

/* --- variables -------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static const struct tui_variable *variable_named(const struct tui_view *v, const char *name)
{
    const struct tui_variable *all = v->variables.items;
    for (size_t i = 0; i < v->variables.count; i++)
        if (strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static void tui_view_add_variable(struct tui *t, const struct tui_view *before,
                                  const struct variable *v)
{
    char *text = v->value ? value_show(v->value, 0) : xformat("<%s>", v->missing);
    const struct tui_variable *was = same_text(before->function, t->view.function)
                                         ? variable_named(before, v->name) : NULL;
    bool moved = moment_compare(before->place.at, t->view.place.at) != 0;
    struct tui_variable *now = list_add(&t->view.variables);
    now->name = xformat("%s", v->name);
    now->value = xformat("%.*s", VALUE_MOST, text);
    now->changed = was && (moved ? strcmp(was->value, now->value) != 0
                                 : before->selected == t->view.selected && was->changed);
    free(text);
}

static void take_variables(struct tui *t, const struct tui_view *before)
{
    struct evaluation *evaluation;
    const struct frame *f = debug_frame(t->d->debug);
    t->view.no_variables = f && f->place.file ? "none" : "no debug information";
    struct error *err = f && f->place.file ? debug_evaluation(t->d->debug, &evaluation) : NULL;
    for (int parameters = 1; parameters >= 0 && !err && f && f->place.file; parameters--) {
        struct variable *list;
        size_t count;
        err = values_variables(evaluation, parameters, &list, &count);
        for (size_t i = 0; i < count && !err; i++)
            if (!list[i].hidden)
                tui_view_add_variable(t, before, &list[i]);
    }
    if (!err && f && f->place.file)
        values_close(evaluation);
    error_destroy(err);
}

/* --- breakpoints ------------------------------------------------------------------------------ */

const struct tui_mark *tui_mark_at(const struct tui *t, unsigned line)
{
    const struct tui_mark *all = t->view.marks.items;
    for (size_t i = 0; i < t->view.marks.count; i++)
        if (all[i].line == line)
            return &all[i];
    return NULL;
}

static void take_marks_of(struct tui *t, struct symbols *symbols, const struct debug_breakpoint *p)
{
    const struct debug_location *locations = p->locations.items;
    for (size_t i = 0; i < p->locations.count && p->type == BREAK_CODE; i++) {
        struct line_place place;
        if (!symbols_line(symbols, locations[i].address, &place) ||
            strcmp(place.file, t->view.file) != 0)
            continue;
        *(struct tui_mark *)list_add(&t->view.marks) =
            (struct tui_mark){.line = place.line, .number = p->number, .disabled = p->disabled};
    }
}

static void take_marks(struct tui *t)
{
    struct symbols *symbols;
    struct debug_breakpoint *const *all = t->d->debug->breakpoints.items;
    struct error *err = debug_symbols(t->d->debug, &symbols);
    for (size_t i = 0; i < t->d->debug->breakpoints.count && !err && t->view.file; i++)
        take_marks_of(t, symbols, all[i]);
    error_destroy(err);
}

/* --- all of it -------------------------------------------------------------------------------- */

void tui_view_update(struct tui *t)
{
    struct tui_view before = t->view;
    t->view = (struct tui_view){
        .code = LIST(char *), .frames = LIST(char *), .variables = LIST(struct tui_variable),
        .marks = LIST(struct tui_mark),
    };
    session_place(t->d->debug->session, &t->view.place);
    take_frames(t);
    take_source(t);
    take_variables(t, &before);
    take_marks(t);
    bool moved = moment_compare(before.place.at, t->view.place.at) != 0 ||
                 before.selected != t->view.selected;
    if (moved || !same_text(before.file, t->view.file)) {
        t->cursor = t->view.line ? t->view.line : 1;
        t->left = 0;
        t->first_variable = 0;
    }
    tui_view_deinit(&before);
}
