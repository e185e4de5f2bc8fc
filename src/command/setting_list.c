/* Settings for an engine: checks those that a user gives against the table of log/channel.h.
 *
 * Everything is checked here, where a mistake can be reported; the engine gets only valid settings.
 * Paths are made absolute, because the program may change its directory before the engine writes.
 *
 * A list keeps one value per setting, so that giving one again replaces it.
 */
#include "command/setting_list.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "log/channel.h"

struct setting_list_row {
    const char *name;
    enum channel_kind kind;
    u64 least, most, unless;
    const char *what;
};

#define ROW(id, name, kind, least, most, unless, what) {name, kind, least, most, unless, what},
static const struct setting_list_row rows[] = {CHANNEL_SETTINGS(ROW)};
#undef ROW

static const struct setting_list_row *setting_list_find_row(const char *name, size_t length)
{
    for (const struct setting_list_row *r = rows; r < rows + countof(rows); r++)
        if (r->kind != CHANNEL_FD && strlen(r->name) == length &&
            memcmp(r->name, name, length) == 0)
            return r;
    return NULL;
}

/* Reads digits of `base` at *at and moves it past them; false if there are none, or too many. */
static bool setting_list_read_number(const char **at, int base, u64 *ret)
{
    const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
    if (strspn(*at, digits) == 0)
        return false;
    char *end;
    errno = 0;
    *ret = strtoull(*at, &end, base);
    *at = end;
    return errno == 0;
}

/* Returns the power of two for a suffix; -1 if there is no such suffix. */
static int suffix_shift(const char *suffix)
{
    static const char letters[] = "KMG";
    if (!*suffix)
        return 0;
    const char *found = strchr(letters, *suffix);
    return found && !suffix[1] ? 10 * (int)(found - letters + 1) : -1;
}

static bool is_number(const struct setting_list_row *row, const char *value)
{
    u64 number;
    if (!setting_list_read_number(&value, 10, &number))
        return false;
    int shift = row->kind == CHANNEL_BYTES ? suffix_shift(value) : *value ? -1 : 0;
    if (shift < 0 || number > row->most >> shift)
        return false;
    number <<= shift;
    if (row->kind == CHANNEL_POWER && (number & (number - 1)))
        return false;
    return number >= row->least;
}

/* True for a tick with a pc, or a size with an address. */
static bool is_pair(const struct setting_list_row *row, const char *value)
{
    u64 number;
    if (!setting_list_read_number(&value, 10, &number))
        return false;
    if (!*value)
        return row->kind == CHANNEL_MOMENT;
    if (strncmp(value, ":0x", 3) != 0)
        return false;
    value += 3;
    return setting_list_read_number(&value, 16, &number) && !*value;
}

static bool is_valid(const struct setting_list_row *row, const char *value)
{
    switch (row->kind) {
    case CHANNEL_FLAG:
    case CHANNEL_COUNT:
    case CHANNEL_POWER:
    case CHANNEL_BYTES:
        return is_number(row, value);
    case CHANNEL_MOMENT:
    case CHANNEL_PLACE:
        return is_pair(row, value);
    case CHANNEL_PATH:
        return *value && !strchr(value, ',');
    case CHANNEL_FD:
        return false;
    }
    return false;
}

/* Describes the form of a value, for complaints and for the help. */
static char *setting_list_describe(const struct setting_list_row *row)
{
    switch (row->kind) {
    case CHANNEL_FLAG:
        return xformat("0 or 1");
    case CHANNEL_COUNT:
        return xformat("%llu to %llu", (unsigned long long)row->least,
                       (unsigned long long)row->most);
    case CHANNEL_POWER:
        return xformat("a power of two up to %llu", (unsigned long long)row->most);
    case CHANNEL_BYTES:
        return xformat("%lluK to %lluM", (unsigned long long)row->least >> 10,
                       (unsigned long long)row->most >> 20);
    case CHANNEL_MOMENT:
        return xformat("TICK or TICK:0xPC");
    case CHANNEL_PLACE:
        return xformat("SIZE:0xADDRESS");
    case CHANNEL_PATH:
        return xformat("a file name without a comma");
    case CHANNEL_FD:
        break;
    }
    return xformat("nothing");
}

static int complain_of_value(const struct setting_list_row *row, const char *value)
{
    char *wanted = setting_list_describe(row);
    complain(CHANNEL_EXIT_USAGE, "setting %s is %s, not '%s'", row->name, wanted, value);
    free(wanted);
    return CHANNEL_EXIT_USAGE;
}

/* Makes a path absolute; NULL after a complaint. */
static char *absolute(const char *path)
{
    if (path[0] == '/')
        return xformat("%s", path);
    char *here = getcwd(NULL, 0);
    if (!here) {
        complain(CHANNEL_EXIT_OURS, "cannot tell the current directory: %s", strerror(errno));
        return NULL;
    }
    char *ret = xformat("%s/%s", here, path);
    free(here);
    return ret;
}

/* Removes the setting of this name from the list, if it is there. */
static void setting_list_drop(struct setting_list *list, const char *name)
{
    size_t length = strlen(name);
    char *at = list->text;
    while (at && *at) {
        char *end = strchrnul(at, ',');
        char *next = *end ? end + 1 : end;
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            memmove(at, next, strlen(next) + 1);
            next = at;
        }
        at = next;
    }
    size_t left = list->text ? strlen(list->text) : 0;
    if (left && list->text[left - 1] == ',')
        list->text[left - 1] = '\0';
}

static void setting_list_append(struct setting_list *list, const char *name, const char *value)
{
    setting_list_drop(list, name);
    const char *before = setting_list_text(list);
    char *text = xformat("%s%s%s=%s", before, *before ? "," : "", name, value);
    free(list->text);
    list->text = text;
}

int setting_list_add(struct setting_list *list, const char *setting)
{
    const char *equals = strchr(setting, '=');
    if (!equals)
        return complain(CHANNEL_EXIT_USAGE, "a setting is NAME=VALUE, not '%s'", setting);
    const struct setting_list_row *row = setting_list_find_row(setting, (size_t)(equals - setting));
    if (!row)
        return complain(CHANNEL_EXIT_USAGE,
                        "there is no setting '%.*s'; 'ebb help exec' lists them",
                        (int)(equals - setting), setting);
    const char *value = equals + 1;
    if (!is_valid(row, value))
        return complain_of_value(row, value);
    if (row->kind != CHANNEL_PATH) {
        setting_list_append(list, row->name, value);
        return 0;
    }
    char *path = absolute(value);
    if (!path)
        return CHANNEL_EXIT_OURS;
    bool fits = is_valid(row, path); /* the current directory may contain a comma, too */
    if (fits)
        setting_list_append(list, row->name, path);
    else
        complain_of_value(row, path);
    free(path);
    return fits ? 0 : CHANNEL_EXIT_USAGE;
}

const char *setting_list_text(const struct setting_list *list)
{
    return list->text ? list->text : "";
}

/* Describes the default, to follow the word "default". */
static char *describe_unless(const struct setting_list_row *row)
{
    if (row->kind == CHANNEL_MOMENT || row->kind == CHANNEL_PLACE || row->kind == CHANNEL_PATH)
        return xformat("none");
    if (row->kind == CHANNEL_BYTES)
        return xformat("%lluM", (unsigned long long)row->unless >> 20);
    return xformat("%llu", (unsigned long long)row->unless);
}

void setting_list_explain(void)
{
    for (const struct setting_list_row *r = rows; r < rows + countof(rows); r++) {
        if (r->kind == CHANNEL_FD)
            continue;
        char *form = setting_list_describe(r);
        char *unless = describe_unless(r);
        printf("    %-9s %s (%s; default %s)\n", r->name, r->what, form, unless);
        free(unless);
        free(form);
    }
}
