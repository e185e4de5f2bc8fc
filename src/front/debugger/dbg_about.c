/* info line, info source, info symbol: what is known of a place in the program. */
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

static void dbg_about_say_row(struct dbg *d, const struct line_place *line)
{
    char *file = dbg_short_path(d, line->file);
    dbg_say(d, "%s:%u is from 0x%llx", file, line->line, (unsigned long long)line->start);
    dbg_say_symbol(d, line->start);
    dbg_say(d, " to 0x%llx", (unsigned long long)line->end);
    dbg_say_symbol(d, line->end);
    dbg_say(d, "\n");
    free(file);
}

/* A location may be at several places; without one it is where one is. */
struct error *dbg_info_line(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    const struct frame *f = dbg_frame(d);
    struct code_place here = {.pc = f ? f->pc : dbg_pc(d)}, *places = &here;
    size_t count = 1, known = 0;
    struct line_place at = f ? f->place : (struct line_place){0}, line;
    struct error *err = dbg_symbols(d, &symbols);
    if (!err && *args)
        err = symbols_locate(symbols, args, &at, &places, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        if (symbols_line(symbols, places[i].pc, &line)) {
            dbg_about_say_row(d, &line);
            known++;
        }
    if (places != &here)
        free(places);
    return known ? NULL : error_new("no line is known there");
}

/* Of the frame that is looked at. */
struct error *dbg_info_source(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    const struct frame *f = dbg_frame(d);
    struct error *err = dbg_no_arguments(args);
    if (!err)
        err = dbg_symbols(d, &symbols);
    if (err)
        return err;
    if (!f || !f->place.file)
        return error_new("this frame has no line information");
    unsigned lines = symbols_source_lines(symbols, f->place.file);
    dbg_say(d, "source  %s\n", f->place.file);
    if (lines)
        dbg_say(d, "lines   %u\n", lines);
    else
        dbg_say(d, "lines   the file is not to be had\n");
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

/* info symbol ADDRESS */
struct error *dbg_info_symbol(struct dbg *d, const char *args)
{
    struct symbols *symbols;
    u64 address;
    struct error *err = *args ? dbg_address_of(d, args, &address) : error_new("the symbol at which address?");
    if (!err)
        err = dbg_symbols(d, &symbols);
    if (err)
        return err;
    const char *module = module_of(symbols, address);
    char *text = symbols_describe(symbols, address);
    if (module && strncmp(text, "0x", 2) != 0)
        dbg_say(d, "%s in %s\n", text, module);
    else
        err = error_new("there is no symbol at 0x%llx%s%s", (unsigned long long)address,
                        module ? ", which is in " : "", module ? module : "");
    free(text);
    return err;
}
