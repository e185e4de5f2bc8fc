/* Commands for several breakpoints: rbreak, clear, save breakpoints. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { RBREAK_MOST = 500 };

/* rbreak REGEXP: on functions with debug information. */
struct error *dbg_rbreak(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct evaluation *v;
    struct listed_name *all;
    struct list names = LIST(char *);
    size_t count;
    (void)c;
    if (!*args)
        return error_coded(ERROR_MISUSED, "say which functions: a regular expression");
    struct error *err = debug_evaluation(d->debug, &v);
    if (err)
        return err;
    err = values_listed(v, LISTED_FUNCTIONS, args, &all, &count);
    for (size_t i = 0; !err && i < count; i++)
        if (!all[i].is_symbol && all[i].file)
            debug_strings_add(&names, all[i].name);
    values_close(v);
    if (!err && !names.count)
        err = error_coded(ERROR_NOT_FOUND, "no function with debug information is named like '%s'",
                          args);
    if (!err && names.count > RBREAK_MOST)
        err = error_coded(ERROR_MISUSED, "%zu functions are named like '%s', which is more than %d",
                          names.count, args, RBREAK_MOST);
    char **name = names.items;
    for (size_t i = 0; i < names.count && !err; i++) {
        struct dbg_field_mark mark = dbg_fields_mark(d);
        struct debug_break_order order = {.location = name[i], .thread = CONTROL_THREAD_ANY};
        if (i && strcmp(name[i], name[i - 1]) == 0)
            continue;
        err = dbg_break_at(d, &order);
        dbg_fields_take_back(d, mark);
    }
    debug_strings_deinit(&names);
    return err;
}

static bool breaks_at(const struct debug_breakpoint *p, const struct code_place *places,
                      size_t count)
{
    const struct debug_location *l = p->locations.items;
    for (size_t i = 0; i < p->locations.count; i++)
        for (size_t n = 0; n < count; n++)
            if (l[i].address == places[n].pc)
                return p->type == BREAK_CODE;
    return false;
}

/* clear [LOCATION]: without one, those at the current line. */
struct error *dbg_clear(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count, gone = 0;
    const struct frame *f = debug_frame(d->debug);
    struct line_place here = f ? f->place : (struct line_place){0};
    char *location = NULL;
    (void)c;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (!err && *args)
        err = debug_fixed_location(d->debug, args, &location);
    else if (!err && here.file)
        location = xformat("%s:%u", here.file, here.line);
    else if (!err)
        err = error_coded(ERROR_MISUSED, "this frame has no line: say which location to clear");
    if (!err)
        err = symbols_locate(symbols, location, &here, &places, &count);
    free(location);
    if (err)
        return err;
    struct debug_breakpoint **all = d->debug->breakpoints.items;
    for (size_t i = d->debug->breakpoints.count; i-- > 0;)
        if (breaks_at(all[i], places, count)) {
            dbg_say(d, "Deleted breakpoint %u\n", all[i]->number);
            debug_breakpoints_remove(d->debug, all[i]);
            gone++;
        }
    free(places);
    return gone ? NULL : error_coded(ERROR_NOT_FOUND, "there is no breakpoint at %s",
                                     *args ? args : "this line");
}

/* save breakpoints FILE: as commands that `source` reads. */
struct error *dbg_save(struct dbg *d, const struct dbg_command *c, const char *args)
{
    static const char *const words[] = {
        [BREAK_CODE] = "break", [BREAK_STORE] = "watch", [BREAK_LOAD] = "rwatch",
        [BREAK_ACCESS] = "awatch", [BREAK_SYSCALL] = "catch syscall",
        [BREAK_SIGNAL] = "catch signal", [BREAK_FORK] = "catch fork", [BREAK_EXEC] = "catch exec",
        [BREAK_EXIT] = "catch exit",
    };
    struct debug_breakpoint **all = d->debug->breakpoints.items;
    (void)c;
    if (!debug_take_word(&args, "breakpoints") || !*args)
        return error_coded(ERROR_MISUSED, "say save breakpoints FILE");
    FILE *file = fopen(args, "we");
    if (!file)
        return error_errno(errno, "cannot write %s", args);
    for (size_t i = 0; i < d->debug->breakpoints.count; i++) {
        const struct debug_breakpoint *p = all[i];
        bool takes = p->type <= BREAK_SIGNAL && strcmp(p->what, "any") != 0;
        fprintf(file, "%s%s%s%s", p->temporary && p->type == BREAK_CODE ? "t" : "", words[p->type],
                takes ? " " : "", takes ? p->what : "");
        if (p->thread != CONTROL_THREAD_ANY)
            fprintf(file, " thread %u", p->thread);
        fprintf(file, p->condition ? " if %s\n" : "\n", p->condition);
        if (p->commands.count) {
            fprintf(file, "commands\n");
            for (size_t n = 0; n < p->commands.count; n++)
                fprintf(file, "  %s\n", ((char **)p->commands.items)[n]);
            fprintf(file, "end\n");
        }
    }
    if (fclose(file) != 0)
        return error_errno(errno, "cannot write %s", args);
    dbg_say(d, "Saved to file '%s'.\n", args);
    return NULL;
}
