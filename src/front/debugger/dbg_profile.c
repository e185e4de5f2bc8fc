/* profile: how many instructions each function and line executed; coverage: how often each line
 * ran. Both are one pass that counts everything.
 */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { PROFILE_ROWS = 30 };

static const char *last_part(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

static void profile_say_reached(struct dbg *d, const struct debug_tallied *how, int form)
{
    if (how->interrupted && form == FORM_TEXT)
        dbg_say(d, "Interrupted at tick %llu: what ran until then was counted.\n",
                (unsigned long long)how->reached.tick);
    json_bool(dbg_fields(d), "interrupted", how->interrupted);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* A row of either table. */
struct profile_row {
    const char *function; /* NULL: a line of coverage */
    const char *file;
    unsigned line;
    u64 count, share_of;  /* share_of 0: the count is of a line that ran */
    u64 entered;
    bool has_entered;
};

static void profile_json_row(struct json *j, const struct profile_row *row)
{
    json_open(j, NULL, '{');
    if (row->function)
        json_string(j, "function", row->function);
    json_string(j, "file", row->file);
    json_unsigned(j, "line", row->line);
    json_unsigned(j, row->share_of ? "instructions" : "count", row->count);
    if (row->has_entered)
        json_unsigned(j, "entered", row->entered);
    json_close(j, '}');
}

static void profile_csv_row(struct dbg *d, const struct profile_row *row)
{
    if (row->function) {
        dbg_say_quoted(d, row->function);
        dbg_say(d, ",");
    }
    dbg_say_quoted(d, row->file);
    dbg_say(d, ",%u,%llu", row->line, (unsigned long long)row->count);
    if (row->has_entered)
        dbg_say(d, ",%llu", (unsigned long long)row->entered);
    dbg_say(d, "\n");
}

static void profile_text_row(struct dbg *d, const struct profile_row *row)
{
    char *line = row->file ? xformat("%s:%u", last_part(row->file), row->line) : xformat("-");
    dbg_say(d, "%14llu  %5.1f %%  ", (unsigned long long)row->count,
            100.0 * (double)row->count / (double)row->share_of);
    if (row->has_entered)
        dbg_say(d, "%10llu  ", (unsigned long long)row->entered);
    dbg_say(d, "%-24s  %s\n", row->function, line);
    free(line);
}

static void profile_row_out(struct dbg *d, int form, const struct profile_row *row)
{
    struct json j = {.out = d->answer.text};
    if (d->json) {
        profile_json_row(dbg_fields(d), row);
    } else if (form == FORM_JSON) {
        profile_json_row(&j, row);
        dbg_say(d, "\n");
    } else if (form == FORM_CSV) {
        profile_csv_row(d, row);
    } else {
        profile_text_row(d, row);
    }
}

/* --- profile ---------------------------------------------------------------------------------- */

static void say_profile(struct dbg *d, const struct profile *p, bool by_line, int form)
{
    const struct profile_function *f = p->functions.items;
    const struct profile_line *lines = p->lines.items;
    size_t count = by_line ? p->lines.count : p->functions.count, shown = count;
    if (form == FORM_TEXT && !d->json && count > PROFILE_ROWS)
        shown = PROFILE_ROWS;
    if (form == FORM_CSV)
        dbg_say(d, "function,file,line,instructions%s\n", by_line ? "" : ",entered");
    else if (form == FORM_TEXT)
        dbg_say(d, "  instructions    share  %sfunction                  line\n",
                by_line ? "" : "   entered  ");
    for (size_t i = 0; i < shown; i++) {
        struct profile_row row = {.share_of = p->instructions, .has_entered = !by_line};
        const struct profile_function *of = &f[by_line ? lines[i].function : i];
        row.function = of->name;
        row.file = by_line ? lines[i].file : of->file;
        row.line = by_line ? lines[i].line : of->line;
        row.count = by_line ? lines[i].instructions : of->instructions;
        row.entered = of->entered;
        profile_row_out(d, form, &row);
    }
    if (form == FORM_TEXT && shown < count)
        dbg_say(d, "and %zu more, which --csv and --json show\n", count - shown);
    if (form == FORM_TEXT)
        dbg_say(d, "%14llu  instructions in all\n", (unsigned long long)p->instructions);
}

/* True if the text begins with this word, which is taken from it. */
static bool profile_take_word(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) || ((*text)[length] && (*text)[length] != ' '))
        return false;
    *text += length;
    *text += strspn(*text, " ");
    return true;
}

/* profile [functions | lines] [from A] [to B] */
struct error *dbg_profile(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct profile p;
    struct debug_tallied how;
    char *text;
    int form;
    (void)c;
    struct error *err = dbg_take_form(args, &form, &text);
    if (err)
        return err;
    const char *words = text;
    bool by_line = profile_take_word(&words, "lines");
    if (!by_line)
        profile_take_word(&words, "functions");
    err = debug_profile(d->debug, words, &p, &how);
    free(text);
    if (err)
        return err;
    if (d->json)
        json_open(dbg_fields(d), "rows", '[');
    say_profile(d, &p, by_line, form);
    if (d->json)
        json_close(dbg_fields(d), ']');
    json_unsigned(dbg_fields(d), "instructions", p.instructions);
    profile_say_reached(d, &how, form);
    profile_deinit(&p);
    return NULL;
}

/* --- coverage --------------------------------------------------------------------------------- */

static bool coverage_fits(const char *pattern, const char *file)
{
    return !pattern || !fnmatch(pattern, file, 0) || !fnmatch(pattern, last_part(file), 0);
}

/* One line per source file. */
static void say_files(struct dbg *d, const struct coverage *c)
{
    const struct coverage_line *lines = c->lines.items;
    dbg_say(d, "   lines    that ran  file\n");
    for (size_t i = 0; i < c->lines.count;) {
        const char *file = lines[i].file;
        size_t count = 0, ran = 0;
        for (; i < c->lines.count && !strcmp(lines[i].file, file); i++) {
            count++;
            ran += lines[i].count != 0;
        }
        char *path = dbg_short_path(d, file);
        dbg_say(d, "%8zu  %8zu %3.0f%%  %s\n", count, ran,
                100.0 * (double)ran / (double)count, path);
        free(path);
    }
}

/* A line with its count and its text. */
static void coverage_text_row(struct dbg *d, struct symbols *symbols,
                              const struct coverage_line *line)
{
    const char *text = symbols_source_line(symbols, line->file, line->line);
    dbg_say(d, "%10llu  %6u  %s\n", (unsigned long long)line->count, line->line,
            text ? text : "");
}

static void say_coverage(struct dbg *d, const struct coverage *c, struct symbols *symbols,
                         const char *pattern, int form)
{
    const struct coverage_line *lines = c->lines.items;
    const char *file = NULL;
    if (form == FORM_CSV)
        dbg_say(d, "file,line,count\n");
    for (size_t i = 0; i < c->lines.count; i++) {
        if (!coverage_fits(pattern, lines[i].file))
            continue;
        struct profile_row row = {.file = lines[i].file, .line = lines[i].line,
                                  .count = lines[i].count};
        bool as_text = form == FORM_TEXT && !d->json;
        if (as_text && (!file || strcmp(file, lines[i].file)))
            dbg_say(d, "%s:\n", lines[i].file);
        file = lines[i].file;
        if (as_text)
            coverage_text_row(d, symbols, &lines[i]);
        else
            profile_row_out(d, form, &row);
    }
    if (!file && form == FORM_TEXT)
        dbg_say(d, "No source file with code has that name.\n");
}

/* lcov's format: a record for each source file. */
static struct error *coverage_write_lcov(const struct coverage *c, const char *pattern,
                                         const char *path)
{
    const struct coverage_line *lines = c->lines.items;
    const struct coverage_function *f = c->functions.items;
    FILE *out = fopen(path, "w");
    size_t n = 0;
    if (!out)
        return error_errno(errno, "cannot write %s", path);
    for (size_t i = 0; i < c->lines.count;) {
        const char *file = lines[i].file;
        bool fits = coverage_fits(pattern, file);
        size_t count = 0, ran = 0;
        if (fits)
            fprintf(out, "TN:\nSF:%s\n", file);
        while (n < c->functions.count && strcmp(f[n].file, file) < 0)
            n++;
        for (; n < c->functions.count && !strcmp(f[n].file, file); n++)
            if (fits)
                fprintf(out, "FN:%u,%s\nFNDA:%llu,%s\n", f[n].line, f[n].name,
                        (unsigned long long)f[n].count, f[n].name);
        for (; i < c->lines.count && !strcmp(lines[i].file, file); i++) {
            if (fits)
                fprintf(out, "DA:%u,%llu\n", lines[i].line, (unsigned long long)lines[i].count);
            count++;
            ran += lines[i].count != 0;
        }
        if (fits)
            fprintf(out, "LF:%zu\nLH:%zu\nend_of_record\n", count, ran);
    }
    if (fclose(out))
        return error_errno(errno, "cannot write %s", path);
    return NULL;
}

/* Takes "--lcov PATH" from the text; NULL: it is not there. The caller frees the result. */
static char *take_lcov(char *text)
{
    static const char option[] = "--lcov ";
    char *at = strstr(text, option);
    if (!at)
        return NULL;
    const char *path = at + strlen(option);
    size_t length = strcspn(path, " ");
    char *ret = xformat("%.*s", (int)length, path);
    const char *rest = path + length + strspn(path + length, " ");
    memmove(at, rest, strlen(rest) + 1);
    for (size_t end = strlen(text); end && text[end - 1] == ' ';)
        text[--end] = 0;
    return ret;
}

/* A word that is no part of "from A to B" is a name of files. */
static char *coverage_take_pattern(const char **words)
{
    size_t length = strcspn(*words, " ");
    bool stretch = (length == 4 && !strncmp(*words, "from", 4)) ||
                   (length == 2 && !strncmp(*words, "to", 2));
    if (!length || stretch)
        return NULL;
    char *ret = xformat("%.*s", (int)length, *words);
    *words += length;
    *words += strspn(*words, " ");
    return ret;
}

static struct error *answer_coverage(struct dbg *d, const char *pattern, const char *lcov,
                                     int form)
{
    const struct coverage *c = &d->debug->coverage;
    struct symbols *symbols;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err)
        return err;
    if (lcov)
        return coverage_write_lcov(c, pattern, lcov);
    if (form == FORM_TEXT && !pattern && !d->json)
        say_files(d, c);
    else
        say_coverage(d, c, symbols, pattern, form);
    return NULL;
}

/* coverage [FILE] [from A] [to B]; coverage off */
struct error *dbg_coverage(struct dbg *d, const struct dbg_command *c, const char *args)
{
    struct debug_tallied how;
    char *text;
    int form;
    (void)c;
    if (!strcmp(args, "off")) {
        debug_coverage_forget(d->debug);
        return NULL;
    }
    struct error *err = dbg_take_form(args, &form, &text);
    if (err)
        return err;
    char *lcov = take_lcov(text);
    const char *words = text;
    char *pattern = coverage_take_pattern(&words);
    struct dbg_field_mark mark = dbg_fields_mark(d);
    err = debug_coverage(d->debug, words, &how);
    if (!err && d->json)
        json_open(dbg_fields(d), "rows", '[');
    if (!err)
        err = answer_coverage(d, pattern, lcov, form);
    if (!err && d->json)
        json_close(dbg_fields(d), ']');
    if (err)
        dbg_fields_take_back(d, mark);
    else
        profile_say_reached(d, &how, form);
    free(pattern);
    free(lcov);
    free(text);
    return err;
}
