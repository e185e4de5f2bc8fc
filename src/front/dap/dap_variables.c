/* Scopes, variables and expressions.
 *
 * A view is an evaluation that is kept until the next movement. The values that the client unfolds
 * belong to it. Children are made when requested.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"

enum { COMPLETIONS_MOST = 200, CHILDREN_UNASKED = 1000, FETCHED_MOST = 1 << 14 };

/* --- views and references --------------------------------------------------------------------- */

void dap_forget_views(struct dap *s)
{
    struct dap_view **views = s->views.items;
    struct dap_reference *references = s->references.items;
    for (size_t i = 0; i < s->references.count; i++)
        free(references[i].expression);
    for (size_t i = 0; i < s->views.count; i++) {
        values_close(views[i]->evaluation);
        free(views[i]->frames);
        free(views[i]);
    }
    s->views.count = s->references.count = 0;
}

static struct error *open_view(struct dap *s, struct dap_view *view)
{
    struct symbols *symbols;
    struct values_request q;
    struct error *err = debug_symbols(s->debug, &symbols);
    if (!err)
        err = debug_request(s->debug, &q);
    if (err)
        return err;
    view->frames = xalloc(q.frame_count * sizeof *q.frames + 1);
    memcpy(view->frames, q.frames, q.frame_count * sizeof *q.frames);
    q.frames = view->frames;
    q.actions = debug_request_actions();
    err = values_open(symbols, &q, &view->evaluation);
    if (err)
        free(view->frames);
    return err;
}

/* 0: the default frame, if the client has not chosen one. */
struct error *dap_view_of(struct dap *s, i64 frame, struct dap_view **ret)
{
    struct dap_view **views = s->views.items;
    struct error *err = frame ? dap_choose_frame(s, frame) : debug_frames(s->debug);
    if (err)
        return err;
    for (size_t i = 0; i < s->views.count; i++)
        if (views[i]->thread == s->debug->thread && views[i]->level == s->debug->selected) {
            *ret = views[i];
            return NULL;
        }
    struct dap_view *view = xalloc(sizeof *view);
    *view = (struct dap_view){.thread = s->debug->thread, .level = s->debug->selected};
    err = open_view(s, view);
    if (err) {
        free(view);
        return err;
    }
    *(struct dap_view **)list_add(&s->views) = view;
    *ret = view;
    return NULL;
}

/* Takes ownership of the expression. */
static u64 add_reference(struct dap *s, int kind, struct dap_view *view, struct value *value,
                         char *expression)
{
    struct dap_reference *r = list_add(&s->references);
    *r = (struct dap_reference){.view = view, .value = value, .expression = expression};
    r->kind = kind;
    return s->references.count;
}

const struct dap_reference *dap_reference_find(const struct dap *s, i64 number)
{
    const struct dap_reference *all = s->references.items;
    return number > 0 && (u64)number <= s->references.count ? &all[number - 1] : NULL;
}

/* --- one value -------------------------------------------------------------------------------- */

static bool is_path(const char *expression)
{
    for (; *expression; expression++)
        if (!isalnum((u8)*expression) && !strchr("_.$:[]->", *expression))
            return false;
    return true;
}

/* Returns the child's expression, which the caller frees; NULL: there is none. */
static char *child_expression(const char *parent, const char *path)
{
    if (!parent || !path)
        return NULL;
    if (strcmp(path, "*") == 0)
        return xformat(is_path(parent) ? "*%s" : "*(%s)", parent);
    if (!*path)
        return xformat("%s", parent);
    return xformat(is_path(parent) ? "%s%s" : "(%s)%s", parent, path);
}

static void write_memory_reference(struct dap *s, struct json *j, struct value *value)
{
    u64 address, size;
    i64 pointer;
    if (!s->knows_memory)
        return;
    char *type = value_type(value);
    size_t length = strlen(type);
    bool is_pointer = length && type[length - 1] == '*';
    free(type);
    if (is_pointer) {
        struct error *err = value_integer(value, &pointer);
        error_destroy(err);
        if (err)
            return;
        address = (u64)pointer;
    } else if (!value_memory(value, &address, &size)) {
        return;
    }
    json_hex(j, "memoryReference", address);
}

/* Writes what variables and results of expressions have in common. Takes ownership of the
 * expression. */
static void write_value(struct dap *s, struct json *j, struct dap_view *view, struct value *value,
                        const char *text_key, bool hex, char *expression)
{
    bool is_indexed = false;
    char *text = hex ? value_show(value, 'x') : value_show_variable(value);
    char *type = value_type(value);
    json_string(j, text_key, text);
    json_string(j, "type", type);
    free(text);
    free(type);
    u64 count = value_child_count(value, &is_indexed);
    if (expression && *text_key == 'v')
        json_string(j, "evaluateName", expression);
    write_memory_reference(s, j, value);
    u64 number = 0;
    if (count) {
        json_unsigned(j, is_indexed ? "indexedVariables" : "namedVariables", count);
        number = add_reference(s, UNFOLDS_VALUE, view, value, expression);
    } else {
        free(expression);
    }
    json_unsigned(j, "variablesReference", number);
}

static void write_variable(struct dap *s, struct json *j, struct dap_view *view, const char *name,
                           struct value *value, bool hex, char *expression)
{
    json_open(j, NULL, '{');
    json_string(j, "name", name);
    write_value(s, j, view, value, "value", hex, expression);
    json_close(j, '}');
}

static void write_missing(struct json *j, const char *name, const char *why)
{
    char *text = xformat("<%s>", why);
    json_open(j, NULL, '{');
    json_string(j, "name", name);
    json_string(j, "value", text);
    json_unsigned(j, "variablesReference", 0);
    json_close(j, '}');
    free(text);
}

/* --- scopes ----------------------------------------------------------------------------------- */

static void write_scope(struct dap *s, struct json *j, const char *name, const char *hint,
                        bool is_expensive, int kind, struct dap_view *view)
{
    json_open(j, NULL, '{');
    json_string(j, "name", name);
    if (hint)
        json_string(j, "presentationHint", hint);
    json_bool(j, "expensive", is_expensive);
    json_unsigned(j, "variablesReference", add_reference(s, kind, view, NULL, NULL));
    json_close(j, '}');
}

struct error *dap_scopes(struct dap *s, const struct json_value *args)
{
    i64 frame;
    struct dap_view *view;
    struct variable *list;
    size_t count = 0;
    struct error *err = dap_integer(args, "frameId", &frame);
    if (!err)
        err = frame ? dap_view_of(s, frame, &view)
                    : error_coded(ERROR_MISUSED, "there is no frame 0");
    if (err)
        return err;
    struct json *j = dap_body(s);
    json_open(j, "scopes", '[');
    error_destroy(values_variables(view->evaluation, true, &list, &count));
    if (count)
        write_scope(s, j, "Arguments", "arguments", false, UNFOLDS_ARGUMENTS, view);
    write_scope(s, j, "Locals", "locals", false, UNFOLDS_LOCALS, view);
    if (s->returned && view->level == 0)
        write_scope(s, j, "Value returned", "returnValue", false, UNFOLDS_RETURNED, view);
    if (view->level < s->debug->frame_count && s->debug->frames[view->level].place.file)
        write_scope(s, j, "Globals of the file", "globals", true, UNFOLDS_GLOBALS, view);
    write_scope(s, j, "Registers", "registers", false, UNFOLDS_REGISTERS, view);
    json_close(j, ']');
    return NULL;
}

/* A frame without debug information has none. */
static void write_variables(struct dap *s, struct json *j, const struct dap_reference *r, bool hex)
{
    struct variable *list;
    size_t count;
    struct dap_view *view = r->view;
    struct error *err =
        values_variables(view->evaluation, r->kind == UNFOLDS_ARGUMENTS, &list, &count);
    for (size_t i = 0; i < count && !err; i++) {
        char *name = list[i].hidden ? xformat("%s (hidden, line %u)", list[i].name, list[i].line)
                                    : xformat("%s", list[i].name);
        if (list[i].value)
            write_variable(s, j, view, name, list[i].value, hex,
                           list[i].hidden ? NULL : xformat("%s", list[i].name));
        else
            write_missing(j, name, list[i].missing ? list[i].missing : "not known");
        free(name);
    }
    error_destroy(err);
}

static void write_named(struct dap *s, struct json *j, struct dap_view *view, const char *name,
                        const char *expression, bool hex)
{
    struct value *value;
    struct error *err = values_evaluate(view->evaluation, expression, &value);
    if (err)
        write_missing(j, name, error_text(err));
    else if (*expression == '$' && value_is_gone(value))
        write_missing(j, name, "not saved");
    else if (!value_is_void(value))
        write_variable(s, j, view, name, value, hex, xformat("%s", expression));
    error_destroy(err);
}

static void write_register(struct dap *s, struct json *j, struct dap_view *view, const char *name)
{
    char *expression = xformat("$%s", name);
    bool is_plain =
        strcmp(name, "eflags") != 0 && strcmp(name, "mxcsr") != 0 && strcmp(name, "rip") != 0;
    write_named(s, j, view, name, expression, is_plain && strncmp(name, "st", 2) != 0);
    free(expression);
}

static void write_registers(struct dap *s, struct json *j, const struct dap_reference *r)
{
    static const char *const others[] = {"rip", "eflags", "cs", "ss",      "ds",
                                         "es",  "fs",     "gs", "fs_base", "gs_base"};
    struct dap_view *view = r->view;
    for (unsigned i = 0; i < GENERAL_REGISTERS; i++)
        write_register(s, j, view, register_name(register_of_gdb(i)));
    for (size_t i = 0; i < countof(others); i++)
        write_register(s, j, view, others[i]);
    json_open(j, NULL, '{');
    json_string(j, "name", "vector and floating point");
    json_string(j, "value", "");
    json_unsigned(j, "variablesReference", add_reference(s, UNFOLDS_VECTORS, view, NULL, NULL));
    json_close(j, '}');
}

static void write_vectors(struct dap *s, struct json *j, struct dap_view *view)
{
    char name[16];
    for (unsigned i = 0; i < VECTOR_REGISTERS; i++) {
        snprintf(name, sizeof name, "xmm%u", i);
        write_register(s, j, view, name);
    }
    for (unsigned i = 0; i < ST_REGISTERS; i++) {
        snprintf(name, sizeof name, "st%u", i);
        write_register(s, j, view, name);
    }
    write_register(s, j, view, "mxcsr");
}

static struct error *write_globals(struct dap *s, struct json *j, struct dap_view *view, bool hex)
{
    struct listed_name *names;
    size_t count;
    const char *file = view->frames[view->level].place.file;
    struct error *err = values_listed(view->evaluation, LISTED_VARIABLES, "", &names, &count);
    for (size_t i = 0; i < count && !err && file; i++)
        if (names[i].file && !names[i].is_symbol && strcmp(names[i].file, file) == 0)
            write_named(s, j, view, names[i].name, names[i].name, hex);
    return err;
}

static struct error *write_returned(struct dap *s, struct json *j, struct dap_view *view, bool hex)
{
    struct control_registers regs;
    const u8 *vector;
    struct value *value = NULL;
    struct error *err = session_registers(s->debug->session, view->thread, &regs, &vector);
    if (!err)
        err = values_returned(view->evaluation, s->returned,
                              (const u64[]){regs.reg[RAX], regs.reg[RDX]}, &value);
    if (!err && value)
        write_variable(s, j, view, "value", value, hex, NULL);
    return err;
}

/* --- children --------------------------------------------------------------------------------- */

/* Elements of lists and maps are fetched up to the limit for text. */
static void fetch_children(struct dap *s, struct value *value, u64 first, u64 count,
                           struct list *ret)
{
    u32 usual = s->debug->settings.show.elements;
    s->debug->settings.show.elements = FETCHED_MOST;
    value_children(value, first, count, ret);
    s->debug->settings.show.elements = usual;
}

static void write_children(struct dap *s, struct json *j, const struct dap_reference *from,
                           const struct json_value *args, bool hex)
{
    struct list children = LIST(struct value_child);
    const struct dap_reference r = *from; /* copied, because the list of references grows */
    i64 first = json_member_integer(args, "start", 0),
        count = json_member_integer(args, "count", 0);
    const char *filter = json_member_text(args, "filter", "");
    bool is_indexed;
    value_child_count(r.value, &is_indexed);
    if (*filter && (strcmp(filter, "indexed") == 0) != is_indexed)
        return;
    fetch_children(s, r.value, first > 0 ? (u64)first : 0,
                   count > 0 ? (u64)count : CHILDREN_UNASKED, &children);
    const struct value_child *c = children.items;
    for (size_t i = 0; i < children.count; i++) {
        bool is_target = c[i].path && strcmp(c[i].path, "*") == 0;
        char *name =
            is_target && r.expression ? xformat("*%s", r.expression) : xformat("%s", c[i].name);
        char *expression = child_expression(r.expression, c[i].path);
        write_variable(s, j, r.view, name, c[i].value, hex, expression);
        free(name);
    }
    list_deinit(&children);
}

struct error *dap_variables(struct dap *s, const struct json_value *args)
{
    i64 number;
    struct error *err = dap_integer(args, "variablesReference", &number);
    if (err)
        return err;
    const struct dap_reference *found = dap_reference_find(s, number);
    if (!found)
        return error_coded(ERROR_NOT_FOUND, "there is nothing to unfold by the number %lld here",
                           (long long)number);
    const struct dap_reference r = *found;
    bool hex = json_member_truth(json_member(args, "format"), "hex", false);
    err = dap_choose_frame(s, (i64)dap_frame_id(r.view->thread, r.view->level));
    if (err)
        return err;
    struct json *j = dap_body(s);
    json_open(j, "variables", '[');
    switch (r.kind) {
    case UNFOLDS_ARGUMENTS:
    case UNFOLDS_LOCALS:
        write_variables(s, j, &r, hex);
        break;
    case UNFOLDS_REGISTERS:
        write_registers(s, j, &r);
        break;
    case UNFOLDS_VECTORS:
        write_vectors(s, j, r.view);
        break;
    case UNFOLDS_GLOBALS:
        err = write_globals(s, j, r.view, hex);
        break;
    case UNFOLDS_RETURNED:
        err = write_returned(s, j, r.view, hex);
        break;
    default:
        write_children(s, j, &r, args, hex);
        break;
    }
    json_close(j, ']');
    return err;
}

/* Finds a child by its displayed name. */
static struct error *find_named_child(struct dap *s, const struct dap_reference *r,
                                      const char *name, struct value **ret, char **ret_expression)
{
    struct list children = LIST(struct value_child);
    bool is_indexed, found = false;
    u64 count = value_child_count(r->value, &is_indexed), from = 0;
    if (is_indexed && *name == '[')
        from = strtoull(name + 1, NULL, 10);
    fetch_children(s, r->value, from, is_indexed ? 1 : count, &children);
    const struct value_child *c = children.items;
    for (size_t i = 0; i < children.count && !found; i++) {
        found = strcmp(c[i].name, name) == 0 || strcmp(c[i].name, "*") == 0;
        if (found) {
            *ret = c[i].value;
            *ret_expression = child_expression(r->expression, c[i].path);
        }
    }
    list_deinit(&children);
    return found ? NULL : error_coded(ERROR_NOT_FOUND, "there is no '%s' here", name);
}

struct error *dap_find_child(struct dap *s, const struct dap_reference *from, const char *name,
                             struct value **ret, char **ret_expression)
{
    const struct dap_reference r = *from;
    struct error *err = dap_choose_frame(s, (i64)dap_frame_id(r.view->thread, r.view->level));
    if (err)
        return err;
    if (r.kind == UNFOLDS_VALUE)
        return find_named_child(s, &r, name, ret, ret_expression);
    bool is_register = r.kind == UNFOLDS_REGISTERS || r.kind == UNFOLDS_VECTORS;
    char *expression = xformat("%s%s", is_register ? "$" : "", name);
    err = values_evaluate(r.view->evaluation, expression, ret);
    if (err)
        free(expression);
    else
        *ret_expression = expression;
    return err;
}

/* --- expressions ------------------------------------------------------------------------------ */

static struct error *evaluate_expression(struct dap *s, struct dap_view *view, const char *text,
                                         bool hex)
{
    struct value *value;
    bool had_copy = session_scratch(s->debug->session);
    struct error *err = values_evaluate(view->evaluation, text, &value);
    if (err)
        return err;
    struct json *j = dap_body(s);
    bool has_copy = session_scratch(s->debug->session);
    if (value_is_void(value)) {
        json_string(j, "result", "void");
        json_unsigned(j, "variablesReference", 0);
    } else if (has_copy || had_copy) { /* existing values are no longer valid */
        char *shown = value_show_variable(value), *type = value_type(value);
        json_string(j, "result", shown);
        json_string(j, "type", type);
        json_unsigned(j, "variablesReference", 0);
        free(shown);
        free(type);
    } else {
        write_value(s, j, view, value, "result", hex, xformat("%s", text));
    }
    if (has_copy) {
        dap_forget_views(s);
        dap_answer(s);
        dap_invalidated(s, "variables");
    }
    return NULL;
}

/* A hover or a watch must not change anything. */
static struct error *evaluate_silently(struct dap *s, struct dap_view *view, const char *text,
                                       bool hex)
{
    struct symbols *symbols;
    struct values_request q;
    struct evaluation *v;
    struct value *value;
    struct error *err = debug_symbols(s->debug, &symbols);
    if (!err)
        err = debug_request(s->debug, &q);
    if (err)
        return err;
    q.actions = NULL;
    err = values_open(symbols, &q, &v);
    if (err)
        return err;
    err = values_evaluate(v, text, &value);
    values_close(v);
    return err ? err : evaluate_expression(s, view, text, hex);
}

/* True if a line of the debug console is a command of ebb's prompt, and not an expression with
 * names in scope. After a backquote it is always a command. */
static bool is_command(struct dap_view *view, const char *line)
{
    struct value *value;
    bool moves;
    u64 address;
    if (!interpreter_knows(line, &moves))
        return false;
    if (!view)
        return true;
    struct error *err = values_check(view->evaluation, line, (struct code_place){0});
    if (!err)
        err = values_evaluate(view->evaluation, line, &value);
    bool is_expression = !err && !values_note(view->evaluation) && !value_function(value, &address);
    error_destroy(err);
    return !is_expression;
}

static struct moment moment_now(struct dap *s)
{
    struct session_place place;
    session_place(s->debug->session, &place);
    return place.at;
}

static struct error *console_obey(struct dap *s, const char *line)
{
    bool moves, had_copy = session_scratch(s->debug->session);
    if (!interpreter_knows(line, &moves))
        return error_coded(ERROR_NOT_FOUND, "'%s' is not a command here", line);
    struct moment before = moment_now(s);
    dap_forget_views(s);
    if (moves)
        dap_begin_move(s);
    char *text;
    struct error *err = interpreter_obey(s->interpreter, line, &text);
    size_t length = strlen(text);
    while (length && text[length - 1] == '\n')
        text[--length] = '\0';
    json_string(dap_body(s), "result", text);
    json_unsigned(dap_body(s), "variablesReference", 0);
    free(text);
    if (err)
        return err;
    dap_answer(s);
    if (moment_compare(before, moment_now(s)) != 0) {
        s->returned = 0;
        dap_stopped(s, NULL, "goto", NULL);
    } else if (had_copy || session_scratch(s->debug->session)) {
        dap_invalidated(s, "variables");
    }
    return NULL;
}

struct error *dap_evaluate(struct dap *s, const struct json_value *args)
{
    const char *text;
    struct dap_view *view = NULL;
    const char *context = json_member_text(args, "context", "");
    bool hex = json_member_truth(json_member(args, "format"), "hex", false);
    bool is_typed = strcmp(context, "repl") == 0;
    struct error *err = dap_text(args, "expression", &text);
    if (err)
        return err;
    text += strspn(text, " \t");
    bool is_forced = is_typed && *text == '`';
    err = dap_view_of(s, json_member_integer(args, "frameId", 0), &view);
    if (err && !is_typed)
        return err;
    if (err)
        view = NULL;
    if (is_forced || (is_typed && is_command(view, text))) {
        error_destroy(err);
        return console_obey(s, text + is_forced);
    }
    if (err)
        return err;
    return is_typed ? evaluate_expression(s, view, text, hex)
                    : evaluate_silently(s, view, text, hex);
}

struct error *dap_set_variable(struct dap *s, const struct json_value *args)
{
    const char *value = json_member_text(args, "value", "VALUE");
    const char *name = json_member_text(args, "name", NULL);
    (void)s;
    if (!name)
        name = json_member_text(args, "expression", "NAME");
    return error_coded(ERROR_MISUSED,
                       "the past cannot be changed. In the debug console '%s = %s' changes a copy "
                       "of the process, which the next movement drops",
                       name, value);
}

/* --- completions ------------------------------------------------------------------------------ */

/* Returns where the expression to complete begins: after an operator or a bracket. */
static size_t beginning_of(const char *text, size_t end)
{
    size_t at = end;
    while (at && (isalnum((u8)text[at - 1]) || strchr("_.$:", text[at - 1]) ||
                  (text[at - 1] == '>' && at > 1 && text[at - 2] == '-') ||
                  (text[at - 1] == '-' && text[at] == '>')))
        at--;
    return at;
}

static void write_completion(struct dap *s, struct json *j, const char *whole, size_t from,
                             size_t word, size_t length)
{
    json_open(j, NULL, '{');
    json_string(j, "label", whole + word);
    json_string(j, "text", whole + word);
    json_signed(j, "start", (i64)(from + word) + s->first_column - 1);
    json_unsigned(j, "length", length - word);
    json_close(j, '}');
}

struct error *dap_completions(struct dap *s, const struct json_value *args)
{
    const char *text;
    i64 column;
    struct dap_view *view;
    struct error *err = dap_text(args, "text", &text);
    if (!err)
        err = dap_integer(args, "column", &column);
    if (!err)
        err = dap_view_of(s, json_member_integer(args, "frameId", 0), &view);
    if (err)
        return err;
    i64 end = column - s->first_column;
    if (end < 0 || end > (i64)strlen(text))
        end = (i64)strlen(text);
    size_t from = beginning_of(text, (size_t)end), count = 0;
    char *beginning = xformat("%.*s", (int)((size_t)end - from), text + from), **found = NULL;
    size_t length = strlen(beginning), word = length;
    while (word && (isalnum((u8)beginning[word - 1]) || beginning[word - 1] == '_'))
        word--;
    values_complete(view->evaluation, beginning, COMPLETIONS_MOST, &found, &count);
    struct json *j = dap_body(s);
    json_open(j, "targets", '[');
    for (size_t i = 0; i < count; i++) {
        if (strncmp(found[i], beginning, length) == 0)
            write_completion(s, j, found[i], from, word, length);
        free(found[i]);
    }
    json_close(j, ']');
    free(found);
    free(beginning);
    return NULL;
}
