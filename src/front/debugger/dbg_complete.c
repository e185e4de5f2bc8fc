/* The words that may follow the typed text: commands, their words, functions, files, variables and
 * members. */
#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

enum { COMPLETIONS_MOST = 400 };

static void dbg_complete_add(struct list *found, const char *text)
{
    char *const *all = found->items;
    for (size_t i = 0; i < found->count; i++)
        if (strcmp(all[i], text) == 0)
            return;
    if (found->count < COMPLETIONS_MOST)
        debug_strings_add(found, text);
}

static void add_if(struct list *found, const char *text, const char *beginning)
{
    if (strncmp(text, beginning, strlen(beginning)) == 0)
        dbg_complete_add(found, text);
}

static void dbg_complete_add_words(struct list *found, const char *words, const char *beginning)
{
    while (*words) {
        size_t length = strcspn(words, " ");
        char *word = xformat("%.*s", (int)length, words);
        if (length)
            add_if(found, word, beginning);
        free(word);
        words += length + (words[length] == ' ');
    }
}

static void add_commands(struct list *found, const char *beginning)
{
    size_t count;
    const struct dbg_command *all = dbg_commands(&count);
    for (size_t i = 0; i < count; i++)
        add_if(found, all[i].name, beginning);
    for (size_t i = 0; i < count && !found->count; i++) /* other names, if no first name matches */
        dbg_complete_add_words(found, all[i].others, beginning);
}

static void add_functions(struct dbg *d, struct list *found, const char *beginning)
{
    struct symbols *symbols;
    char **names;
    size_t count;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    symbols_complete(symbols, beginning, COMPLETIONS_MOST, &names, &count);
    for (size_t i = 0; i < count; i++) {
        dbg_complete_add(found, names[i]);
        free(names[i]);
    }
    free(names);
}

/* Adds sources by their file name, with the colon of `FILE:LINE`. */
static void dbg_complete_add_sources(struct dbg *d, struct list *found, const char *beginning)
{
    struct symbols *symbols;
    size_t count;
    const char *last = NULL;
    struct error *err = debug_symbols(d->debug, &symbols);
    if (err) {
        error_destroy(err);
        return;
    }
    const struct step_point *points = symbols_step_points(symbols, &count);
    for (size_t i = 0; i < count; i++) {
        if (points[i].file == last)
            continue;
        last = points[i].file;
        char *name = xformat("%s:", strrchr(last, '/') ? strrchr(last, '/') + 1 : last);
        add_if(found, name, beginning);
        free(name);
    }
}

static void add_variables(struct dbg *d, struct list *found, const char *beginning)
{
    struct evaluation *evaluation;
    char **names;
    size_t count;
    struct error *err = debug_evaluation(d->debug, &evaluation);
    if (err) {
        error_destroy(err);
        return;
    }
    values_complete(evaluation, beginning, COMPLETIONS_MOST, &names, &count);
    for (size_t i = 0; i < count; i++) {
        dbg_complete_add(found, names[i]);
        free(names[i]);
    }
    free(names);
    values_close(evaluation);
}

static void add_files(struct list *found, const char *beginning)
{
    const char *slash = strrchr(beginning, '/');
    size_t length = slash ? (size_t)(slash - beginning) + 1 : 0;
    char *folder = length ? xformat("%.*s", (int)length, beginning) : xformat(".");
    DIR *directory = opendir(folder);
    struct dirent *e;
    while (directory && (e = readdir(directory))) {
        char *path = xformat("%.*s%s", (int)length, beginning, e->d_name);
        if (e->d_name[0] != '.')
            add_if(found, path, beginning);
        free(path);
    }
    if (directory)
        closedir(directory);
    free(folder);
}

/* Returns where the typed word begins: in an expression, a path of members. */
static size_t word_start(const char *line, const struct dbg_command *c)
{
    size_t at = strlen(line);
    bool expression = c && c->argument == TAKES_EXPRESSION;
    while (at > 0) {
        char before = line[at - 1];
        bool arrow = before == '>' && at > 1 && line[at - 2] == '-';
        bool dash = before == '-' && line[at] == '>';
        if (isspace((u8)before))
            break;
        if (expression && !isalnum((u8)before) && !strchr("_.:$[]", before) && !arrow && !dash)
            break;
        at--;
    }
    return at;
}

static void dbg_complete_add_arguments(struct dbg *d, const struct dbg_command *c, const char *line,
                                       size_t start, struct list *found)
{
    const char *beginning = line + start;
    switch (c->argument) {
    case TAKES_LOCATION:
        add_functions(d, found, beginning);
        if (*beginning)
            dbg_complete_add_sources(d, found, beginning);
        break;
    case TAKES_EXPRESSION: add_variables(d, found, beginning); break;
    case TAKES_COMMAND:
        add_commands(found, beginning);
        dbg_complete_add_words(found, dbg_help_words, beginning);
        break;
    case TAKES_FILE: add_files(found, beginning); break;
    case TAKES_WORD: dbg_complete_add_words(found, c->words, beginning); break;
    default: break;
    }
    const struct debug_bookmark *marks = d->debug->bookmarks.items;
    for (size_t i = 0; i < d->debug->bookmarks.count && strcmp(c->name, "goto") == 0; i++)
        add_if(found, marks[i].name, beginning);
}

/* Returns whole words; *ret_start is where in the line they begin. */
static struct list find_words(struct dbg *d, const char *line, size_t *ret_start, bool *ret_goes_on)
{
    const struct dbg_command *c = NULL;
    struct list found = LIST(char *);
    size_t first = strspn(line, " \t"), length = strcspn(line + first, " \t/");
    if (!line[first + length]) {
        *ret_start = first;
        add_commands(&found, line + first);
    } else {
        struct error *err = dbg_find_command(line + first, length, &c);
        *ret_start = word_start(line, c);
        if (!err)
            dbg_complete_add_arguments(d, c, line, *ret_start, &found);
        error_destroy(err);
    }
    *ret_goes_on = c && c->argument == TAKES_EXPRESSION;
    return found;
}

/* --- what is done with them ------------------------------------------------------------------- */

static size_t common_length(char *const *words, size_t count)
{
    size_t length = strlen(words[0]);
    for (size_t i = 1; i < count; i++) {
        size_t same = 0;
        while (same < length && words[i][same] == words[0][same])
            same++;
        length = same;
    }
    return length;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char *in_columns(char **words, size_t count, unsigned width)
{
    char *text;
    size_t size, longest = 1;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        abort(); /* memory is out */
    qsort(words, count, sizeof *words, by_name);
    for (size_t i = 0; i < count; i++)
        longest = strlen(words[i]) > longest ? strlen(words[i]) : longest;
    size_t columns = width / (longest + 2) ? width / (longest + 2) : 1;
    for (size_t i = 0; i < count; i++) {
        bool last = (i + 1) % columns == 0 || i + 1 == count;
        fprintf(out, "%-*s%s", last ? 0 : (int)longest + 2, words[i], last ? "\n" : "");
    }
    fclose(out);
    return text;
}

char *dbg_complete_tab(struct dbg *d, const char *line, unsigned width, char **ret_choices)
{
    size_t start;
    bool goes_on; /* the completion need not be the whole word */
    struct list found = find_words(d, line, &start, &goes_on);
    char **words = found.items, *more = NULL;
    *ret_choices = NULL;
    if (found.count) {
        size_t typed = strlen(line) - start, common = common_length(words, found.count);
        goes_on |= common && strchr(":/", words[0][common - 1]);
        more = xformat("%.*s%s", (int)(common > typed ? common - typed : 0),
                       words[0] + (typed < common ? typed : common),
                       found.count == 1 && !goes_on ? " " : "");
        if (found.count > 1 && common <= typed)
            *ret_choices = in_columns(words, found.count, width);
    }
    debug_strings_deinit(&found);
    return more ? more : xformat("%s", "");
}
