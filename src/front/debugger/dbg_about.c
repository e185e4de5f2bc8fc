/* info line, info source, info symbol, info address, info scope: facts about a place in the
 * program.
 *
 * The wording follows gdb, so that scripts written for gdb understand the answers.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* Rows of the line table that do not start a statement belong to the row before, as in gdb. */
static void join_rows(struct symbols *symbols, struct line_place *line)
{
    struct line_place other;
    while (symbols_line(symbols, line->end, &other) && other.line == line->line &&
           other.file == line->file && other.end > line->end && !other.is_stmt)
        line->end = other.end;
    while (!line->is_stmt && symbols_line(symbols, line->start - 1, &other) &&
           other.line == line->line && other.file == line->file && other.start < line->start) {
        line->start = other.start;
        line->is_stmt = other.is_stmt;
    }
}

static void dbg_about_say_row(struct dbg *d, const struct line_place *line)
{
    char *file = dbg_short_path(d, line->file);
    dbg_say(d, "Line %u of \"%s\" starts at address 0x%llx", line->line, file,
            (unsigned long long)line->start);
    dbg_say_symbol(d, line->start);
    dbg_say(d, " and ends at 0x%llx", (unsigned long long)line->end);
    dbg_say_symbol(d, line->end);
    dbg_say(d, ".\n");
    free(file);
}

/* For a line without code, says which code follows. */
static void say_no_code(struct dbg *d, unsigned wanted, const struct line_place *line)
{
    char *file = dbg_short_path(d, line->file);
    dbg_say(d, "Line %u of \"%s\" is at address 0x%llx", wanted, file,
            (unsigned long long)line->start);
    dbg_say_symbol(d, line->start);
    dbg_say(d, " but contains no code.\n");
    free(file);
}

/* Returns the line number in a location; 0: it has none. */
static unsigned line_named(const char *location)
{
    const char *colon = strrchr(location, ':');
    const char *digits = colon ? colon + 1 : location;
    return *digits && strspn(digits, "0123456789") == strlen(digits)
               ? (unsigned)strtoul(digits, NULL, 10)
               : 0;
}

/* Finds where the line of a place begins. The first line of a function begins before the place
 * where a breakpoint stops. */
static bool line_of_place(struct symbols *symbols, const struct code_place *place, unsigned wanted,
                          bool exact, struct line_place *ret)
{
    struct function_info info;
    u64 pc = place->pc;
    struct line_place entry;
    if (!exact && !place->inside && symbols_function(symbols, pc, &info) && info.body == pc &&
        info.entry < pc && symbols_line(symbols, info.entry, &entry) &&
        (!wanted || wanted <= entry.line))
        pc = info.entry;
    if (!symbols_line(symbols, pc, ret))
        return false;
    join_rows(symbols, ret);
    return true;
}

/* A location may have several places; the default is the current one. `x/i` continues there. */
struct error *dbg_info_line(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    struct evaluation *v;
    const struct frame *f = debug_frame(d->debug);
    struct code_place here = {.pc = f ? f->pc : dbg_pc(d)}, *places = &here;
    size_t count = 1, known = 0;
    struct line_place at = f ? f->place : (struct line_place){0}, line, last = {0};
    unsigned wanted = line_named(args);
    char *location = NULL;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (!err && *args)
        err = debug_fixed_location(d->debug, args, &location);
    if (!err && *args)
        err = symbols_locate(symbols, location, &at, &places, &count);
    free(location);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        if (line_of_place(symbols, &places[i], wanted, !*args || *args == '*', &line)) {
            if (wanted && wanted != line.line)
                say_no_code(d, wanted, &line);
            else
                dbg_about_say_row(d, &line);
            json_hex(dbg_fields(d), known ? "another" : "start", line.start);
            last = known++ ? last : line;
        }
    if (places != &here)
        free(places);
    if (!known)
        return error_coded(ERROR_NOT_FOUND, "there is no line information for this place");
    d->examine_next = last.start;
    if (!(err = debug_evaluation(d->debug, &v))) {
        error_destroy(conveniences_define(values_pointer(v, last.start), "_"));
        values_close(v);
    }
    return err;
}

/* For the selected frame. */
struct error *dbg_info_source(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    const struct frame *f = debug_frame(d->debug);
    struct error *err = debug_no_arguments(args);
    if (!err)
        err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    if (!f || !f->place.file)
        return error_coded(ERROR_UNAVAILABLE, "this frame has no line information");
    unsigned lines = symbols_source_lines(symbols, f->place.file);
    dbg_say(d, "source  %s\n", f->place.file);
    if (lines)
        dbg_say(d, "lines   %u\n", lines);
    else
        dbg_say(d, "lines   the source file was not found\n");
    dbg_say(d, "module  %s\n", f->module ? f->module : "none");
    return NULL;
}

static const char *module_of(struct symbols *symbols, u64 address)
{
    size_t count;
    const struct symbols_module *m = symbols_modules(symbols, &count);
    for (size_t i = 0; i < count; i++)
        if (address >= m[i].start && address < m[i].end)
            return m[i].path;
    return NULL;
}

/* Writes "main" and "+3" of "main+3" separately, as in gdb. */
static void say_symbol_of(struct dbg *d, const char *text)
{
    const char *plus = strrchr(text, '+');
    if (plus && plus > text && plus[1] && strspn(plus + 1, "0123456789") == strlen(plus + 1))
        dbg_say(d, "%.*s + %s", (int)(plus - text), text, plus + 1);
    else
        dbg_say(d, "%s", text);
}

/* info symbol ADDRESS */
struct error *dbg_info_symbol(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    u64 address;
    struct error *err = *args ? debug_address_of(d->debug, args, &address)
                              : error_coded(ERROR_MISUSED, "the symbol at which address?");
    if (!err)
        err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    const char *module = module_of(symbols, address), *section = symbols_section(symbols, address);
    char *text = symbols_describe_linked(symbols, address);
    if (module && strncmp(text, "0x", 2) != 0) {
        say_symbol_of(d, text);
        dbg_say(d, " in %s%s%s%s\n", section ? "section " : "", section ? section : "",
                section ? " of " : "", module);
        json_string(dbg_fields(d), "symbol", text);
    } else {
        err = error_coded(ERROR_NOT_FOUND, "there is no symbol at 0x%llx%s%s",
                          (unsigned long long)address, module ? ", which is in " : "",
                          module ? module : "");
    }
    free(text);
    return err;
}

/* info address NAME: where a variable or a function is. */
struct error *dbg_info_address(struct dbg *d, const char *args)
{
    struct evaluation *v;
    struct value *value;
    u64 address, size;
    if (!*args)
        return error_coded(ERROR_MISUSED, "the address of which variable or function?");
    if (isdigit((u8)*args) || args[strcspn(args, "+-*&[]()$ ")])
        return error_coded(
            ERROR_MISUSED,
            "'%s' is not the name of a variable or function; 'print &(%s)' takes expressions", args,
            args);
    struct error *err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    err = values_evaluate(v, args, &value); /* main.total is a name in Go */
    if (!err && strchr(args, '.') && !value_function(value, &address))
        err = error_coded(
            ERROR_MISUSED,
            "'%s' is not the name of a variable or function; 'print &(%s)' takes expressions", args,
            args);
    if (!err && value_function(value, &address))
        dbg_say(d, "Symbol \"%s\" is a function at address 0x%llx.\n", args,
                (unsigned long long)address);
    else if (!err && value_is_gone(value))
        dbg_say(d, "Symbol \"%s\" is optimised out.\n", args);
    else if (!err && value_memory(value, &address, &size))
        dbg_say(d, "Symbol \"%s\" is %s at address 0x%llx.\n", args,
                values_uses(v) & VALUES_FRAME ? "a variable of this frame" : "static storage",
                (unsigned long long)address);
    else if (!err)
        dbg_say(d, "Symbol \"%s\" is not in memory: it is in registers, or computed.\n", args);
    if (!err && (value_function(value, &address) || value_memory(value, &address, &size)))
        json_hex(dbg_fields(d), "address", address);
    values_close(v);
    return err;
}

/* info scope LOCATION: the variables that are visible there. */
struct error *dbg_info_scope(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    struct values_request request;
    struct evaluation *v;
    const struct frame *f = debug_frame(d->debug);
    struct line_place at = f ? f->place : (struct line_place){0};
    char *location = NULL;
    struct error *err = *args ? debug_symbols(d->debug, &symbols)
                              : error_coded(ERROR_MISUSED, "the variables of which location?");
    if (!err)
        err = debug_fixed_location(d->debug, args, &location);
    if (!err)
        err = symbols_locate(symbols, location, &at, &places, &count);
    free(location);
    if (err)
        return err;
    u64 pc = places[0].pc;
    size_t inlined = places[0].inside;
    free(places);
    if ((err = debug_request(d->debug, &request)))
        return err;
    request.names_pc = pc;
    request.names_inlined = inlined;
    if ((err = values_open(symbols, &request, &v)))
        return err;
    struct scope_variable *list;
    if (!(err = values_scope(v, &list, &count))) {
        dbg_say(d, count ? "Scope for %s:\n" : "The code at %s has no variables of its own.\n",
                args);
        json_open(dbg_fields(d), "variables", '[');
        for (size_t i = 0; i < count; i++) {
            dbg_say(d, "%s %s, length %llu\n", list[i].is_parameter ? "Parameter" : "Variable",
                    list[i].declaration, (unsigned long long)list[i].size);
            json_open(dbg_fields(d), NULL, '{');
            json_string(dbg_fields(d), "name", list[i].name);
            json_string(dbg_fields(d), "declaration", list[i].declaration);
            json_close(dbg_fields(d), '}');
        }
        json_close(dbg_fields(d), ']');
    }
    values_close(v);
    return err;
}
