/* Values: print, output, display, ptype and whatis, and the variables of a frame.
 *
 * Each command opens an evaluation in the selected frame at the current moment (symbols/values.h),
 * evaluates the expression, and prints the result as text and as JSON fields.
 */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* Takes `/x` from the beginning of the arguments. */
struct error *dbg_split_format(const char **args, char *room, size_t size)
{
    room[0] = '\0';
    if (**args != '/')
        return NULL;
    size_t length = strcspn(*args + 1, " \t");
    if (length >= size)
        return error_coded(ERROR_MISUSED, "'%.*s' is not a format", (int)length + 1, *args);
    memcpy(room, *args + 1, length);
    room[length] = '\0';
    *args += 1 + length;
    *args += strspn(*args, " \t");
    return NULL;
}

/* Reads one letter, and r for raw. */
static struct error *one_letter(const char **args, char *ret, bool *ret_raw)
{
    char room[16];
    struct error *err = dbg_split_format(args, room, sizeof room);
    for (const char *at = room; !err && *at; at++) {
        if (*at == 'r')
            *ret_raw = true;
        else if (strchr("xduotacfsz", *at) && !*ret)
            *ret = *at;
        else
            err = error_coded(
                ERROR_MISUSED,
                "'/%s' is not a format: use one of /x /d /u /o /t /a /c /f /s /z, and r for raw",
                room);
    }
    return err;
}

/* Reads what precedes the expression of print: options and a format. */
static struct error *print_manner(struct dbg *d, const char **args, char *format)
{
    bool raw = false;
    struct error *err = one_letter(args, format, &raw);
    if (!err)
        err = dbg_print_options(args, &d->debug->settings.show);
    if (!err && !*format)
        err = one_letter(args, format, &raw);
    d->debug->settings.show.raw |= raw;
    if (!err && *format)
        d->last_format = *format; /* x uses it, too */
    return err;
}

void dbg_say_note(struct dbg *d, const char *note)
{
    if (!note)
        return;
    dbg_say(d, "(%s)\n", note);
    json_string(dbg_fields(d), "note", note);
}

/* Prints the value as the answer, and adds it to the history. */
static void print_value(struct dbg *d, struct value *value, char format)
{
    u64 number;
    char *text = value_show(value, format), *type = value_type(value);
    char *json = value_json(value);
    dbg_say(d, "%s\n", text);
    json_string(dbg_fields(d), "value", text);
    json_string(dbg_fields(d), "type", type);
    if (json)
        fprintf(dbg_fields(d)->out, ",\"data\":%s", json);
    struct error *err = conveniences_record(value, &number);
    if (!err)
        json_unsigned(dbg_fields(d), "number", number);
    error_destroy(err);
    free(text);
    free(type);
    free(json);
}

/* Converts the value to its dynamic class, as in gdb. */
static struct value *print_as_object(struct dbg *d, struct value *value)
{
    struct value *whole = values_whole_object(value);
    char *type = value_type(whole);
    if (whole != value && type[strlen(type) - 1] != '*')
        dbg_say(d, "(%s) ", type);
    free(type);
    return whole;
}

static struct error *print_expression(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct evaluation *evaluation;
    struct value *value;
    char format = 0;
    struct error *err = print_manner(d, &args, &format);
    if (!err && !*args && c->which)
        err = error_coded(ERROR_MISUSED, "say which function to call, with its arguments");
    if (!err && !*args && !conveniences_last(d->debug->conveniences))
        err = error_coded(ERROR_MISUSED, "say what to print: an expression");
    if (!err)
        err = debug_evaluation(d->debug, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, *args ? args : "$", &value);
    d->debug->copy.changed |= !err && c->which && session_scratch(d->debug->session);
    if (!err)
        err = value_format_check(value, format);
    if (!err && d->debug->settings.show.object)
        value = print_as_object(d, value);
    if (!err && !(c->which && value_is_void(value)))
        print_value(d, value, format);
    if (!err)
        dbg_say_note(d, values_note(evaluation));
    values_close(evaluation);
    return err;
}

/* print, and call, which does not print void. */
struct error *dbg_print(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct show_settings before = d->debug->settings.show;
    struct error *err = print_expression(d, c, args);
    d->debug->settings.show = before;
    return err;
}

/* output: prints only the value, without a newline, for commands of breakpoints. */
struct error *dbg_output_value(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct evaluation *evaluation;
    struct value *value;
    struct show_settings before = d->debug->settings.show;
    char format = 0;
    (void)c;
    struct error *err = print_manner(d, &args, &format);
    if (!err && !*args)
        err = error_coded(ERROR_MISUSED, "say what to print: an expression");
    if (!err)
        err = debug_evaluation(d->debug, &evaluation);
    if (!err) {
        err = values_evaluate(evaluation, args, &value);
        if (!err)
            err = value_format_check(value, format);
        char *text = err ? NULL : value_show(value, format);
        if (text) {
            dbg_say(d, "%s", text);
            json_string(dbg_fields(d), "value", text);
        }
        free(text);
        values_close(evaluation);
    }
    d->debug->settings.show = before;
    return err;
}

struct error *dbg_evaluate_silently(struct dbg *d, const char *expression)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = debug_evaluation(d->debug, &evaluation);
    if (!err) {
        err = values_evaluate(evaluation, expression, &value);
        values_close(evaluation);
    }
    return err;
}

/* --- display ---------------------------------------------------------------------------------- */

char *dbg_display_label(const struct debug_display *display)
{
    if (display->memory)
        return xformat("%u: x/%s %s", display->number, display->memory, display->expression);
    if (display->format)
        return xformat("%u: /%c %s", display->number, display->format, display->expression);
    return xformat("%u: %s", display->number, display->expression);
}

/* Does not change where `x` continues. */
static void say_memory_display(struct dbg *d, const struct debug_display *display)
{
    u64 next = d->examine_next;
    i64 count = d->examine_count;
    char format = d->last_format, size = d->last_size;
    char *label = dbg_display_label(display);
    char *line = xformat("x/%s %s", display->memory, display->expression);
    char *text = dbg_capture(d, line);
    dbg_say(d, "%s\n%s", label, text);
    d->examine_next = next;
    d->examine_count = count;
    d->last_format = format;
    d->last_size = size;
    free(text);
    free(line);
    free(label);
}

/* A copy that a display makes is dropped after it. */
static void say_display(struct dbg *d, const struct debug_display *display)
{
    if (display->memory) {
        say_memory_display(d, display);
        return;
    }
    struct evaluation *evaluation;
    struct value *value;
    bool had_copy = session_scratch(d->debug->session);
    char *label = dbg_display_label(display);
    struct error *err = debug_evaluation(d->debug, &evaluation);
    if (!err) {
        err = values_evaluate(evaluation, display->expression, &value);
        char *text = err ? NULL : value_show(value, display->format);
        if (text)
            dbg_say(d, "%s = %s\n", label, text);
        if (text && values_note(evaluation))
            dbg_say(d, "(%s)\n", values_note(evaluation));
        free(text);
        values_close(evaluation);
    }
    if (err)
        dbg_say(d, "%s: %s\n", label, error_text(err));
    if (!had_copy)
        session_scratch_drop(d->debug->session);
    error_destroy(err);
    free(label);
}

void dbg_say_displays(struct dbg *d)
{
    const struct debug_display *all = d->debug->displays.items;
    for (size_t i = 0; i < d->debug->displays.count; i++)
        say_display(d, &all[i]);
}

struct error *dbg_display(struct dbg *d, const struct dbg_command *c, const char *args)
{
    char format = 0;
    bool raw = false;
    (void)c;
    /* As in gdb, formats with instructions, strings, counts or sizes are shown by `x`. */
    size_t letters = *args == '/' ? strcspn(args, " \t") : 0;
    size_t of_x = strcspn(args, "is0123456789bhwg");
    char *memory = of_x < letters ? xformat("%.*s", (int)letters - 1, args + 1) : NULL;
    struct error *err = NULL;
    if (memory)
        args += letters + strspn(args + letters, " \t");
    else
        err = one_letter(&args, &format, &raw);
    if (err || (memory && !*args)) {
        free(memory);
        return err ? err : error_coded(ERROR_MISUSED, "say which address to display");
    }
    if (*args) {
        struct debug_display *display = debug_display_add(d->debug, format, args);
        display->memory = memory;
        say_display(d, display);
    } else {
        dbg_say_displays(d);
    }
    return NULL;
}

struct error *dbg_undisplay(struct dbg *d, const struct dbg_command *c, const char *args)
{
    u64 number = 0;
    (void)c;
    struct error *err = *args ? debug_number(args, "display number", &number) : NULL;
    if (!err && !debug_display_remove(d->debug, number))
        err = error_coded(ERROR_NOT_FOUND, "there is no display %s", args);
    return err;
}

/* --- types ------------------------------------------------------------------------------------ */

/* whatis prints the type's name, ptype its contents. */
struct error *dbg_ptype(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct evaluation *evaluation;
    char *text, room[8];
    struct error *err = dbg_split_format(&args, room, sizeof room);
    if (!err && room[strspn(room, "omtr")])
        err = error_coded(ERROR_MISUSED, "'/%s' is not for types: ptype/o shows offsets and holes",
                          room);
    if (!err && !*args)
        err = error_coded(ERROR_MISUSED, "say which type, or an expression that has it");
    if (!err)
        err = debug_evaluation(d->debug, &evaluation);
    if (err)
        return err;
    bool offsets = c->which && strchr(room, 'o');
    err = values_ptype(evaluation, args,
                       !c->which ? PTYPE_NAME
                       : offsets ? PTYPE_OFFSETS
                                 : PTYPE_BODY,
                       &text);
    if (!err) {
        bool is_struct = strchr(text, '\n') && text[strlen(text) - 1] == '}';
        dbg_say(d, "%stype = %s\n", offsets && is_struct ? "/* offset      |    size */  " : "",
                text);
        json_string(dbg_fields(d), "type", text);
        dbg_say_note(d, values_note(evaluation));
        free(text);
    }
    values_close(evaluation);
    return err;
}

/* --- variables -------------------------------------------------------------------------------- */

static void say_variable(struct dbg *d, const struct variable *v, const char *before)
{
    char *text = v->value ? value_show_variable(v->value) : xformat("<%s>", v->missing);
    dbg_say(d, "%s%s = %s%s", before, v->name, text, v->hidden ? " (hidden by an inner one)" : "");
    free(text);
}

static void json_variable(struct json *j, const struct variable *v)
{
    json_open(j, NULL, '{');
    json_string(j, "name", v->name);
    if (v->value) {
        char *text = value_show_variable(v->value), *type = value_type(v->value);
        json_string(j, "value", text);
        json_string(j, "type", type);
        free(text);
        free(type);
    } else {
        json_string(j, "missing", v->missing);
    }
    json_close(j, '}');
}

static bool variable_fits(const struct variable *v, const struct dbg_which_variables *which)
{
    if (which->name && regexec(which->name, v->name, 0, NULL, 0) != 0)
        return false;
    if (!which->type || !v->value)
        return !which->type;
    char *type = value_type(v->value);
    bool fits = regexec(which->type, type, 0, NULL, 0) == 0;
    free(type);
    return fits;
}

static void say_no_variables(struct dbg *d, const struct dbg_which_variables *which,
                             const char *indent)
{
    bool some = which->name || which->type;
    if (!which->quiet)
        dbg_say(d, "%sThere are no %s%s.\n", indent, which->parameters ? "arguments" : "locals",
                some ? " of such a name or type" : "");
}

struct error *dbg_variables(struct dbg *d, const struct dbg_which_variables *which,
                            const char *indent)
{
    struct evaluation *evaluation;
    struct variable *list;
    size_t count, shown = 0;
    if (!debug_frame(d->debug))
        return error_coded(ERROR_UNAVAILABLE, "this frame has no debug information");
    struct error *err = debug_evaluation(d->debug, &evaluation);
    if (err)
        return err;
    err = values_variables(evaluation, which->parameters, &list, &count);
    if (!err) {
        json_open(dbg_fields(d), which->parameters ? "arguments" : "locals", '[');
        for (size_t i = 0; i < count; i++) {
            if (!variable_fits(&list[i], which))
                continue;
            shown++;
            say_variable(d, &list[i], indent);
            dbg_say(d, "\n");
            json_variable(dbg_fields(d), &list[i]);
        }
        json_close(dbg_fields(d), ']');
        if (!shown)
            say_no_variables(d, which, indent);
    }
    values_close(evaluation);
    return err;
}

/* Prints "n=5", "n=n@entry=5" if it is unchanged since the entry, otherwise "n=6, n@entry=5". */
static void say_argument(struct dbg *d, const struct variable *v)
{
    bool entry = v->entry && !d->settings.no_entry_values;
    bool same = v->value && entry && value_same(v->value, v->entry);
    bool all = d->settings.frame_arguments == ARGUMENTS_ALL;
    if (d->settings.frame_arguments == ARGUMENTS_NONE) {
        dbg_say(d, "%s=...", v->name);
        return;
    }
    char *text = !v->value ? xformat("<%s>", v->missing)
                 : all ? value_show_variable(v->value) : value_show_argument(v->value);
    dbg_say(d, "%s=", v->name);
    if (same)
        dbg_say(d, "%s@entry=", v->name);
    dbg_say(d, "%s", text);
    free(text);
    if (!entry || same)
        return;
    text = value_show_argument(v->entry);
    dbg_say(d, ", %s@entry=%s", v->name, text);
    free(text);
}

/* Prints "(n=5, text=...)" for a frame. */
void dbg_say_arguments(struct dbg *d, size_t frame)
{
    struct evaluation *evaluation;
    struct variable *list;
    size_t count = 0, before = d->debug->selected;
    d->debug->selected = frame;
    struct error *err = debug_evaluation(d->debug, &evaluation);
    d->debug->selected = before;
    dbg_say(d, " (");
    if (!err) {
        err = values_variables(evaluation, true, &list, &count);
        bool presence = d->settings.frame_arguments == ARGUMENTS_PRESENCE;
        dbg_say(d, "%s", presence && !err && count ? "..." : "");
        for (size_t i = 0; i < count && !err && !presence; i++) {
            dbg_say(d, "%s", i ? ", " : "");
            say_argument(d, &list[i]);
        }
        values_close(evaluation);
    }
    error_destroy(err);
    dbg_say(d, ")");
}

void dbg_say_returned(struct dbg *d, u64 function)
{
    struct control_registers regs;
    const u8 *vector;
    struct evaluation *evaluation;
    struct value *value = NULL;
    struct error *err = debug_evaluation(d->debug, &evaluation);
    if (err) {
        error_destroy(err);
        return;
    }
    err = session_registers(d->debug->session, d->debug->thread, &regs, &vector);
    if (!err)
        err = values_returned(evaluation, function, (const u64[]){regs.reg[RAX], regs.reg[RDX]},
                              &value);
    if (!err && value) {
        char *text = value_show(value, 0), *type = value_type(value);
        dbg_say(d, "Value returned: %s\n", text);
        json_string(dbg_fields(d), "value", text);
        json_string(dbg_fields(d), "type", type);
        free(text);
        free(type);
        u64 number;
        err = conveniences_record(value, &number); /* $ is the returned value */
    }
    error_destroy(err);
    values_close(evaluation);
}
