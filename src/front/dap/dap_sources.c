/* Source files.
 *
 * An editor opens a file by its path if ebb finds it on disk. A file that only the recording has (a
 * packed one contains its sources) gets a number, the reference, by which the editor requests its
 * text. References stay valid as long as the recording is open.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front/dap/dap_internal.h"

static u64 source_reference(struct dap *s, const char *file)
{
    char **all = s->sources.items;
    for (size_t i = 0; i < s->sources.count; i++)
        if (strcmp(all[i], file) == 0)
            return i + 1;
    debug_strings_add(&s->sources, file);
    return s->sources.count;
}

/* True if the text comes from the recording. A packed recording has the original sources; they are
 * used even if this machine has files of the same names. */
static bool is_served(struct dap *s, const char *file)
{
    struct symbols *symbols;
    if (!s->rec->pack && access(file, R_OK) == 0)
        return false;
    struct error *err = debug_symbols(s->debug, &symbols);
    error_destroy(err);
    return !err && symbols_source_lines(symbols, file) > 0;
}

void dap_source_json(struct dap *s, const char *key, struct json *j, const char *file)
{
    const char *slash = strrchr(file, '/');
    json_open(j, key, '{');
    json_string(j, "name", slash ? slash + 1 : file);
    json_string(j, "path", file);
    if (is_served(s, file)) {
        json_unsigned(j, "sourceReference", source_reference(s, file));
        json_string(j, "origin", "from the recording");
    }
    json_close(j, '}');
}

const char *dap_source_path(struct dap *s, const struct json_value *source)
{
    i64 reference = json_member_integer(source, "sourceReference", 0);
    if (reference > 0 && (size_t)reference <= s->sources.count)
        return ((char **)s->sources.items)[reference - 1];
    return json_member_text(source, "path", NULL);
}

struct error *dap_source(struct dap *s, const struct json_value *args)
{
    struct symbols *symbols;
    const struct json_value *source = json_member(args, "source");
    const char *path = dap_source_path(s, source ? source : args);
    struct error *err = debug_symbols(s->debug, &symbols);
    if (err)
        return err;
    unsigned lines = path ? symbols_source_lines(symbols, path) : 0;
    if (!lines)
        return error_coded(ERROR_NOT_FOUND, "there is no source %s",
                           path ? path : "of that number");
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    for (unsigned n = 1; n <= lines; n++) {
        const char *line = symbols_source_line(symbols, path, n);
        fprintf(out, "%s\n", line ? line : "");
    }
    fclose(out);
    json_string(dap_body(s), "content", text);
    free(text);
    return NULL;
}

/* --- which there are -------------------------------------------------------------------------- */

static int compare_source_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct error *dap_loaded_sources(struct dap *s, const struct json_value *args)
{
    struct symbols *symbols;
    struct list files = LIST(const char *);
    size_t count;
    (void)args;
    struct error *err = debug_symbols(s->debug, &symbols);
    if (err)
        return err;
    const struct step_point *points = symbols_step_points(symbols, &count);
    for (size_t i = 0; i < count; i++)
        if (points[i].file && (!i || points[i].file != points[i - 1].file))
            *(const char **)list_add(&files) = points[i].file;
    if (files.count)
        qsort(files.items, files.count, sizeof(char *), compare_source_names);
    struct json *j = dap_body(s);
    const char **all = files.items;
    json_open(j, "sources", '[');
    for (size_t i = 0; i < files.count; i++)
        if (!i || strcmp(all[i], all[i - 1]) != 0)
            dap_source_json(s, NULL, j, all[i]);
    json_close(j, ']');
    list_deinit(&files);
    return NULL;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* Uses the path itself or, if the program was built elsewhere, only the file's name. */
char *dap_line_location(struct dap *s, const char *path, i64 line)
{
    struct symbols *symbols;
    struct code_place *places;
    size_t count;
    const char *slash = strrchr(path, '/');
    char *whole = xformat("%s:%lld", path, (long long)line);
    struct error *err = debug_symbols(s->debug, &symbols);
    if (!err)
        err = symbols_locate(symbols, whole, NULL, &places, &count);
    if (!err) {
        free(places);
        return whole;
    }
    error_destroy(err);
    char *name = xformat("%s:%lld", slash ? slash + 1 : path, (long long)line);
    err = debug_symbols(s->debug, &symbols);
    if (!err)
        err = symbols_locate(symbols, name, NULL, &places, &count);
    if (!err) {
        free(places);
        free(whole);
        return name;
    }
    error_destroy(err);
    free(name);
    return whole;
}

struct error *dap_locate_line(struct dap *s, const char *path, i64 line, struct code_place **ret,
                              size_t *ret_count)
{
    struct symbols *symbols;
    char *location = dap_line_location(s, path, line);
    struct error *err = debug_symbols(s->debug, &symbols);
    if (!err)
        err = symbols_locate(symbols, location, NULL, ret, ret_count);
    free(location);
    return err;
}

static bool is_source_file(const char *file, const char *path)
{
    if (!file || strcmp(file, path) == 0)
        return file;
    const char *a = strrchr(file, '/'), *b = strrchr(path, '/');
    return a && b && strcmp(a, b) == 0 && access(file, F_OK) != 0;
}

static int compare_lines(const void *a, const void *b)
{
    return *(const u32 *)a < *(const u32 *)b ? -1 : *(const u32 *)a > *(const u32 *)b;
}

struct error *dap_breakpoint_locations(struct dap *s, const struct json_value *args)
{
    struct symbols *symbols;
    struct list lines = LIST(u32);
    size_t count;
    i64 first;
    const char *path = dap_source_path(s, json_member(args, "source"));
    struct error *err = path ? dap_integer(args, "line", &first)
                             : error_coded(ERROR_MISUSED, "'source' has no path");
    if (!err)
        err = debug_symbols(s->debug, &symbols);
    if (err)
        return err;
    i64 last = json_member_integer(args, "endLine", first);
    const struct step_point *points = symbols_step_points(symbols, &count);
    for (size_t i = 0; i < count; i++)
        if ((i64)points[i].line >= first + 1 - s->first_line &&
            (i64)points[i].line <= last + 1 - s->first_line && is_source_file(points[i].file, path))
            *(u32 *)list_add(&lines) = points[i].line;
    if (lines.count)
        qsort(lines.items, lines.count, sizeof(u32), compare_lines);
    const u32 *all = lines.items;
    struct json *j = dap_body(s);
    json_open(j, "breakpoints", '[');
    for (size_t i = 0; i < lines.count; i++) {
        if (i && all[i] == all[i - 1])
            continue;
        json_open(j, NULL, '{');
        json_signed(j, "line", (i64)all[i] - 1 + s->first_line);
        json_close(j, '}');
    }
    json_close(j, ']');
    list_deinit(&lines);
    return NULL;
}
