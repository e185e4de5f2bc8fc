/* list: source text around a place, or between two places.
 *
 * As in gdb, `list` without arguments continues after the last listed line, and `list -` before it.
 * After a movement, `list` starts again around the current line.
 */
#include <ctype.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { LINE_MOST = 10000000 };

/* After `coverage`: how often the line ran. */
static void say_count(struct dbg *d, const char *file, unsigned line)
{
    u64 count;
    if (debug_coverage_of(d->debug, file, line, &count))
        dbg_say(d, "%10llu  ", (unsigned long long)count);
    else if (d->debug->has_coverage)
        dbg_say(d, "%10s  ", "");
}

static struct error *say_lines(struct dbg *d, const char *file, unsigned first, unsigned last)
{
    struct symbols *symbols;
    const struct frame *f = debug_frame(d->debug);
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    unsigned count = symbols_source_lines(symbols, file);
    if (!count)
        return error_coded(ERROR_UNAVAILABLE, "the source file %s was not found", file);
    if (first > count)
        return error_coded(ERROR_UNAVAILABLE, "the file has only %u lines", count);
    for (unsigned n = first; n <= last && n <= count; n++) {
        bool here = f && f->place.file && f->place.line == n && strcmp(f->place.file, file) == 0;
        const char *text = symbols_source_line(symbols, file, n);
        dbg_say(d, "%s %4u  ", here ? "->" : "  ", n);
        say_count(d, file, n);
        dbg_say(d, "%s\n", text ? text : "");
    }
    debug_set_current_file(d->debug, file, last + 1);
    return NULL;
}

static struct error *say_around(struct dbg *d, const char *file, unsigned line)
{
    unsigned half = d->settings.listsize / 2, first = line > half ? line - half : 1;
    return say_lines(d, file, first, first + d->settings.listsize - 1);
}

/* --- places ----------------------------------------------------------------------------------- */

/* A source line that the user named. */
struct source_line {
    char *file; /* the caller frees it */
    unsigned line;
};

/* Finds the code of a location. */
static struct error *locate_code(struct dbg *d, const char *text, struct source_line *ret)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    const struct frame *f = debug_frame(d->debug);
    struct line_place here = f ? f->place : (struct line_place){0}, entry;
    struct function_info info;
    char *fixed = NULL;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (!err)
        err = debug_fixed_location(d->debug, text, &fixed);
    if (!err)
        err = symbols_locate(symbols, fixed, &here, &places, &count);
    free(fixed);
    if (err)
        return err;
    /* For a function, its first line, not where a breakpoint on it stops. */
    if (*text != '*' && symbols_function(symbols, places[0].pc, &info) &&
        info.body == places[0].pc && !places[0].inside && symbols_line(symbols, info.entry, &entry))
        *ret = (struct source_line){xformat("%s", entry.file), entry.line};
    else if (places[0].file)
        *ret = (struct source_line){xformat("%s", places[0].file), places[0].line};
    else
        err = error_coded(ERROR_UNAVAILABLE, "%s has no line information", text);
    free(places);
    return err;
}

static struct error *dbg_list_read_line(const char *text, unsigned *ret)
{
    u64 n;
    struct error *err = debug_number(text, "line number", &n);
    if (!err && n > LINE_MOST)
        err = error_coded(ERROR_NOT_FOUND, "there is no such line");
    if (!err)
        *ret = n ? (unsigned)n : 1;
    return err;
}

/* FILE:LINE: the file is found by its code, which gives its full name; the line itself need not
 * have code. */
static struct error *dbg_list_locate_in_file(struct dbg *d, const char *text, const char *colon,
                                             struct source_line *ret)
{
    unsigned line;
    struct error *err = dbg_list_read_line(colon + 1, &line);
    if (err)
        return err;
    char *first = xformat("%.*s:1", (int)(colon - text), text);
    err = locate_code(d, first, ret);
    free(first);
    ret->line = line;
    return err;
}

static struct error *dbg_list_locate_line(struct dbg *d, const char *text, struct source_line *ret)
{
    const char *colon = strrchr(text, ':');
    if (colon && isdigit((u8)colon[1]))
        return dbg_list_locate_in_file(d, text, colon, ret);
    if (!isdigit((u8)*text))
        return locate_code(d, text, ret);
    struct error *err = dbg_list_read_line(text, &ret->line);
    if (err)
        return err;
    ret->file = debug_current_file(d->debug);
    return ret->file ? NULL : error_coded(ERROR_NOT_FOUND, "there is no current source file");
}

/* --- the command ------------------------------------------------------------------------------ */

static struct error *list_on(struct dbg *d, const char *file, unsigned line, bool back)
{
    unsigned size = d->settings.listsize;
    if (!back)
        return say_lines(d, file, line, line + size - 1);
    unsigned shown = line > size ? line - size : 1; /* the last listing began here */
    if (shown == 1)
        return error_coded(ERROR_UNAVAILABLE, "this is the beginning of the file");
    unsigned first = shown > size ? shown - size : 1;
    return say_lines(d, file, first, shown - 1);
}

/* list, list -: continues after or before the last listing; at first around the current place, or
 * around main. */
static struct error *list_more(struct dbg *d, bool back)
{
    const struct frame *f = debug_frame(d->debug);
    if (d->debug->list_file) {
        char *file = xformat("%s", d->debug->list_file); /* it changes */
        struct error *err = list_on(d, file, d->debug->list_line, back);
        free(file);
        return err;
    }
    if (f && f->place.file)
        return say_around(d, f->place.file, f->place.line);
    struct source_line main = {0};
    struct error *err = locate_code(d, "main", &main);
    if (err) {
        error_destroy(err);
        return error_coded(ERROR_NOT_FOUND,
                           "there is no current source file; 'list FUNCTION' or 'list FILE:LINE'");
    }
    err = say_around(d, main.file, main.line);
    free(main.file);
    return err;
}

/* FIRST,LAST; FIRST, ; ,LAST */
static struct error *list_between(struct dbg *d, const char *from, const char *to)
{
    struct source_line first = {0}, last = {0};
    unsigned size = d->settings.listsize;
    u64 more;
    struct error *err = *from ? dbg_list_locate_line(d, from, &first) : NULL;
    if (!err && *to == '+' && *from) {
        if (!(err = debug_number(to + 1, "number of lines", &more)))
            last = (struct source_line){.line = first.line +
                                                (unsigned)(more < LINE_MOST ? more : LINE_MOST)};
    } else if (!err && *to) {
        err = dbg_list_locate_line(d, to, &last);
    }
    if (!err && !*from && !*to)
        err = error_coded(ERROR_MISUSED, "say which lines: FIRST,LAST");
    if (!err && !*from)
        first.line = last.line >= size ? last.line - size + 1 : 1;
    if (!err && !*to)
        last.line = first.line + size - 1;
    if (!err && last.line < first.line)
        err = error_coded(ERROR_MISUSED, "line %u is before line %u", last.line, first.line);
    if (!err)
        err = say_lines(d, *from ? first.file : last.file, first.line, last.line);
    free(first.file);
    free(last.file);
    return err;
}

/* list, list -, list LOCATION, list FIRST,LAST */
struct error *dbg_list(struct dbg *d, const struct dbg_command *c, const char *args)
{
    (void)c;
    bool back = strcmp(args, "-") == 0;
    const char *comma = strchr(args, ',');
    struct error *err;
    if (!*args || back || strcmp(args, "+") == 0)
        return list_more(d, back);
    if (comma) {
        size_t length = (size_t)(comma - args);
        while (length && isspace((u8)args[length - 1]))
            length--;
        char *from = xformat("%.*s", (int)length, args);
        err = list_between(d, from, comma + 1 + strspn(comma + 1, " \t"));
        free(from);
        return err;
    }
    struct source_line line = {0};
    err = dbg_list_locate_line(d, args, &line);
    if (!err)
        err = say_around(d, line.file, line.line);
    free(line.file);
    return err;
}

/* --- searching -------------------------------------------------------------------------------- */

/* Finds where a search begins: at the last match, at the last listed line, or at the current
 * line. */
static struct error *search_start(struct dbg *d, char **ret_file, unsigned *ret_line)
{
    const struct frame *f = debug_frame(d->debug);
    const struct debug *m = d->debug;
    *ret_file = debug_current_file(d->debug);
    if (!*ret_file)
        return error_coded(ERROR_NOT_FOUND,
                           "there is no current source file; 'list FUNCTION' or 'list FILE:LINE'");
    if (m->list_file && d->searched && d->search_listed == m->list_line)
        *ret_line = d->searched;
    else
        *ret_line = m->list_file ? m->list_line - 1 : f && f->place.file ? f->place.line : 0;
    return NULL;
}

/* search REGEXP, reverse-search REGEXP: `which` is the direction. */
struct error *dbg_search(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct symbols *symbols;
    regex_t wanted;
    char *file = NULL;
    const char *text = NULL;
    unsigned line = 0;
    if (!*args)
        return error_coded(ERROR_MISUSED, "say what to look for: a regular expression");
    struct error *err = debug_symbols(d->debug, &symbols);
    if (!err)
        err = search_start(d, &file, &line);
    if (err)
        return err;
    if (regcomp(&wanted, args, REG_NOSUB)) {
        free(file);
        return error_coded(ERROR_MISUSED, "'%s' is not a regular expression", args);
    }
    unsigned count = symbols_source_lines(symbols, file);
    line = line > count ? count + (c->which < 0) : line;
    do
        text = (line += (unsigned)c->which) ? symbols_source_line(symbols, file, line) : NULL;
    while (text && regexec(&wanted, text, 0, NULL, 0) != 0);
    regfree(&wanted);
    if (text) {
        unsigned half = d->settings.listsize / 2;
        dbg_say(d, "   %4u  %s\n", line, text);
        json_unsigned(dbg_fields(d), "line", line);
        conveniences_define_integer(d->debug->conveniences, "_", line);
        debug_set_current_file(d->debug, file, line > half ? line - half : 1);
        d->searched = line;
        d->search_listed = d->debug->list_line;
    } else {
        err = error_coded(ERROR_NOT_FOUND, "no line %s this one matches '%s'",
                          c->which > 0 ? "after" : "before", args);
    }
    free(file);
    return err;
}
