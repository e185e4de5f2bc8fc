/* The text of a recording's meta file: lines KEY=VALUE after a first line that names the format.
 *
 * In a value, bytes below 32, 127 and the backslash are written \xHH, so that each entry is one
 * line and `grep` works. The last line is the checksum of all lines before it. Unknown keys are
 * skipped.
 */
#include "log/meta.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "log/crc32c.h"

static const char first_line[] = "ebb recording ";
enum { META_VERSION = 1 };

static const char *const states[] = {
    [RECORDING_RUNNING] = "running", [RECORDING_ENDED] = "ended", [RECORDING_CUT] = "cut",
};

/* The keys for strings and numbers, with their offsets in the struct. */
enum value_kind { STRING, U64, INT, U32, BOOL };
static const struct field {
    const char *key;
    enum value_kind kind;
    size_t offset;
} fields[] = {
    {"program", STRING, offsetof(struct recording_meta, program)},
    {"directory", STRING, offsetof(struct recording_meta, directory)},
    {"started", U64, offsetof(struct recording_meta, started)},
    {"ended", U64, offsetof(struct recording_meta, ended)},
    {"status", INT, offsetof(struct recording_meta, status)},
    {"signal", INT, offsetof(struct recording_meta, signal)},
    {"core", BOOL, offsetof(struct recording_meta, core)},
    {"snapshot-ns", U64, offsetof(struct recording_meta, snapshot_ns)},
    {"snapshot-pause", U64, offsetof(struct recording_meta, snapshot_pause)},
    {"snapshot-pages", U64, offsetof(struct recording_meta, snapshot_pages)},
    {"program-ns", U64, offsetof(struct recording_meta, program_ns)},
    {"recorder-ns", U64, offsetof(struct recording_meta, recorder_ns)},
    {"snapshot-why", STRING, offsetof(struct recording_meta, snapshot_why)},
    {"tracks", U32, offsetof(struct recording_meta, tracks)},
    {"why", STRING, offsetof(struct recording_meta, why)},
    {"kernel", STRING, offsetof(struct recording_meta, kernel)},
    {"cpu", STRING, offsetof(struct recording_meta, cpu)},
    {"features", STRING, offsetof(struct recording_meta, features)},
    {"recorder", STRING, offsetof(struct recording_meta, recorder)},
};

static const void *meta_place_of(const struct recording_meta *meta, const struct field *f)
{
    return (const char *)meta + f->offset;
}

/* Printing */

char *meta_escape(const char *value)
{
    char *ret = xalloc(4 * strlen(value) + 1), *to = ret;
    for (const u8 *at = (const u8 *)value; *at; at++) {
        if (*at < 32 || *at == 127 || *at == '\\')
            to += sprintf(to, "\\x%02x", *at);
        else
            *to++ = (char)*at;
    }
    *to = '\0';
    return ret;
}

static void print_string(FILE *out, const char *key, const char *value)
{
    char *escaped = meta_escape(value);
    fprintf(out, "%s=%s\n", key, escaped);
    free(escaped);
}

static void print_field(FILE *out, const struct recording_meta *meta, const struct field *f)
{
    const void *at = meta_place_of(meta, f);
    switch (f->kind) {
    case STRING:
        if (*(char *const *)at)
            print_string(out, f->key, *(char *const *)at);
        break;
    case U64:
        fprintf(out, "%s=%llu\n", f->key, (unsigned long long)*(const u64 *)at);
        break;
    case INT:
        fprintf(out, "%s=%d\n", f->key, *(const int *)at);
        break;
    case U32:
        fprintf(out, "%s=%u\n", f->key, *(const u32 *)at);
        break;
    case BOOL:
        fprintf(out, "%s=%d\n", f->key, *(const bool *)at);
        break;
    }
}

char *meta_print(const struct recording_meta *meta)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return xformat("%s", "");
    fprintf(out, "%s%d\nid=", first_line, META_VERSION);
    for (size_t i = 0; i < sizeof meta->id; i++)
        fprintf(out, "%02x", meta->id[i]);
    fprintf(out, "\nstate=%s\n", states[meta->state]);
    for (size_t i = 0; meta->arguments && meta->arguments[i]; i++)
        print_string(out, "argument", meta->arguments[i]);
    for (const struct field *f = fields; f < fields + countof(fields); f++)
        print_field(out, meta, f);
    fflush(out);
    u32 crc = crc32c(text, size);
    fprintf(out, "crc=%08x\n", crc);
    fclose(out);
    return text;
}

/* Reading */

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

char *meta_unescape(const char *value, size_t length)
{
    char *ret = xalloc(length + 1), *to = ret;
    for (size_t i = 0; i < length; i++) {
        int high, low;
        if (value[i] == '\\' && i + 3 < length && (high = digit(value[i + 2])) >= 0 &&
            (low = digit(value[i + 3])) >= 0) {
            *to++ = (char)(high << 4 | low);
            i += 3;
        } else {
            *to++ = value[i];
        }
    }
    *to = '\0';
    return ret;
}

static void add_argument(struct recording_meta *meta, char *argument)
{
    size_t count = 0;
    while (meta->arguments && meta->arguments[count])
        count++;
    char **longer = xalloc((count + 2) * sizeof *longer);
    if (count)
        memcpy(longer, meta->arguments, count * sizeof *longer);
    longer[count] = argument;
    longer[count + 1] = NULL;
    free(meta->arguments);
    meta->arguments = longer;
}

static void read_field(struct recording_meta *meta, const struct field *f, const char *value,
                       size_t length)
{
    void *at = (char *)meta + f->offset;
    switch (f->kind) {
    case STRING:
        free(*(char **)at);
        *(char **)at = meta_unescape(value, length);
        break;
    case U64:
        *(u64 *)at = strtoull(value, NULL, 10);
        break;
    case INT:
        *(int *)at = (int)strtol(value, NULL, 10);
        break;
    case U32:
        *(u32 *)at = (u32)strtoul(value, NULL, 10);
        break;
    case BOOL:
        *(bool *)at = value[0] == '1';
        break;
    }
}

static bool key_is(const char *line, const char *key)
{
    size_t length = strlen(key);
    return strncmp(line, key, length) == 0 && line[length] == '=';
}

static void meta_read_state(struct recording_meta *meta, const char *value, size_t length)
{
    for (size_t i = 0; i < countof(states); i++)
        if (strlen(states[i]) == length && memcmp(states[i], value, length) == 0)
            meta->state = (enum recording_state)i;
}

static void read_id(struct recording_meta *meta, const char *value, size_t length)
{
    for (size_t i = 0; i < sizeof meta->id && 2 * i + 1 < length; i++) {
        int high = digit(value[2 * i]), low = digit(value[2 * i + 1]);
        if (high < 0 || low < 0)
            return;
        meta->id[i] = (u8)(high << 4 | low);
    }
}

static void meta_read_line(struct recording_meta *meta, const char *line, size_t length)
{
    const char *equals = memchr(line, '=', length);
    if (!equals)
        return;
    const char *value = equals + 1;
    size_t rest = length - (size_t)(value - line);
    if (key_is(line, "argument"))
        add_argument(meta, meta_unescape(value, rest));
    else if (key_is(line, "state"))
        meta_read_state(meta, value, rest);
    else if (key_is(line, "id"))
        read_id(meta, value, rest);
    for (const struct field *f = fields; f < fields + countof(fields); f++)
        if (key_is(line, f->key))
            read_field(meta, f, value, rest);
}

bool meta_recognise(const char *text)
{
    return strncmp(text, first_line, sizeof first_line - 1) == 0;
}

/* True if the last line is the checksum of the text before it. */
static bool is_whole(const char *text)
{
    size_t size = strlen(text), tail = strlen("crc=01234567\n");
    if (size < tail)
        return false;
    char wanted[16];
    snprintf(wanted, sizeof wanted, "crc=%08x\n", crc32c(text, size - tail));
    return strcmp(text + size - tail, wanted) == 0;
}

struct error *meta_parse(const char *text, struct recording_meta *ret)
{
    ret->status = -1;
    if (!meta_recognise(text))
        return error_new("not the meta file of a recording");
    unsigned long version = strtoul(text + sizeof first_line - 1, NULL, 10);
    if (version != META_VERSION)
        return error_new("the meta file has version %lu; this ebb reads %d", version, META_VERSION);
    if (!is_whole(text))
        return error_coded(ERROR_DAMAGED, "the meta file is damaged");
    while (*text) {
        size_t length = strcspn(text, "\n");
        meta_read_line(ret, text, length);
        text += length + (text[length] == '\n');
    }
    return NULL;
}

void meta_deinit(struct recording_meta *meta)
{
    for (size_t i = 0; meta->arguments && meta->arguments[i]; i++)
        free(meta->arguments[i]);
    free(meta->arguments);
    for (const struct field *f = fields; f < fields + countof(fields); f++)
        if (f->kind == STRING)
            free(*(char *const *)meta_place_of(meta, f));
}
