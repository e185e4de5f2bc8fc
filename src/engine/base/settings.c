/* The settings that the engine got at its start.
 *
 * The table of log/channel.h has the settings, their kinds and defaults; this file stores each in
 * struct settings. The front end has checked the user's input, but an engine can also be started by
 * hand, so everything is checked again.
 */
#include "engine/base/settings.h"

#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "log/channel.h"

struct settings settings;

/* A number, or the pointer to a copy of a path. */
struct setting_value {
    u64 number;
    u64 pc;
    const char *path;
};

/* Settings that only an engine passes to its successor: the open file of the program, and which
 * track of the recording continues here. */
enum {
    SETTING_FD = CHANNEL_SETTINGS_COUNT,
    SETTING_PARENT,
    SETTING_PARENT_TICK,
    SETTING_PARENT_PC,
    SETTING_SHARE,
    SETTING_ENGINE,
    SETTING_FILTERS,
    SETTING_LIMIT_SPACE,
    SETTING_LIMIT_SPACE_MOST,
    SETTING_LIMIT_DATA,
    SETTING_LIMIT_DATA_MOST,
    SETTING_LIMIT_CODE,
};

struct setting_row {
    const char *name;
    enum channel_kind kind;
    u64 least, most, unless;
};

#define ROW(id, name, kind, least, most, unless, what) {name, kind, least, most, unless},
static const struct setting_row rows[] = {
    CHANNEL_SETTINGS(ROW)
    {"fd", CHANNEL_COUNT, 0, INT32_MAX, 0},
    {"parent", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"parenttick", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"parentpc", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"share", CHANNEL_COUNT, 0, INT32_MAX, 0},
    {"engine", CHANNEL_COUNT, 0, INT32_MAX, 0},
    {"filters", CHANNEL_COUNT, 0, INT32_MAX, 0},
    {"limitspace", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"limitspacemost", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"limitdata", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"limitdatamost", CHANNEL_COUNT, 0, UINT64_MAX, 0},
    {"limitcode", CHANNEL_COUNT, 0, UINT64_MAX, 0},
};
#undef ROW

static void settings_put(unsigned setting, const struct setting_value *value)
{
    switch (setting) {
    case CHANNEL_SETTING_STATS:
        settings.stats = value->number;
        break;
    case CHANNEL_SETTING_CACHE:
        settings.cache = value->number;
        break;
    case CHANNEL_SETTING_BLOCK:
        settings.block = (u32)value->number;
        break;
    case CHANNEL_SETTING_LINK:
        settings.link = value->number;
        break;
    case CHANNEL_SETTING_COUNTERS:
        settings.counters = (u32)value->number;
        break;
    case CHANNEL_SETTING_RANDOM:
        settings.random = value->number;
        break;
    case CHANNEL_SETTING_STOP:
        settings.stop = true;
        settings.stop_tick = value->number;
        settings.stop_pc = gaddr(value->pc);
        break;
    case CHANNEL_SETTING_DUMP:
        settings.dump = value->path;
        break;
    case CHANNEL_SETTING_ENTRIES:
        settings.entries = value->path;
        break;
    case CHANNEL_SETTING_BLOCKS:
        settings.blocks = value->path;
        break;
    case CHANNEL_SETTING_CHECK:
        settings.check = value->number;
        break;
    case CHANNEL_SETTING_OWN_VDSO:
        settings.own_vdso = value->number;
        break;
    case CHANNEL_SETTING_CHAOS:
        settings.chaos = value->number;
        break;
    case CHANNEL_SETTING_CPU:
        settings.cpu = (u32)value->number;
        break;
    case CHANNEL_SETTING_KEPT:
        settings.kept = value->path;
        break;
    case CHANNEL_SETTING_KEPT_MOST:
        settings.kept_most = value->number;
        break;
    case CHANNEL_SETTING_WATCH:
        settings.watch_size = value->number;
        settings.watch_at = value->pc;
        break;
    case CHANNEL_SETTING_RECORD:
        settings.record = (i32)value->number;
        break;
    case CHANNEL_SETTING_REPLAY:
        settings.replay = (i32)value->number;
        break;
    case SETTING_FD:
        settings.fd = (i32)value->number;
        break;
    case SETTING_PARENT:
        settings.parent = value->number;
        break;
    case SETTING_PARENT_TICK:
        settings.parent_tick = value->number;
        break;
    case SETTING_PARENT_PC:
        settings.parent_pc = value->number;
        break;
    case SETTING_SHARE:
        settings.share = (i32)value->number;
        break;
    case SETTING_ENGINE:
        settings.engine = (i32)value->number;
        break;
    case SETTING_FILTERS:
        settings.filters = (i32)value->number;
        break;
    case SETTING_LIMIT_SPACE:
        settings.limit_space[0] = value->number;
        break;
    case SETTING_LIMIT_SPACE_MOST:
        settings.limit_space[1] = value->number;
        break;
    case SETTING_LIMIT_DATA:
        settings.limit_data[0] = value->number;
        break;
    case SETTING_LIMIT_DATA_MOST:
        settings.limit_data[1] = value->number;
        break;
    case SETTING_LIMIT_CODE:
        settings.limit_code = value->number;
        break;
    }
}

static void put_all_unless(void)
{
    settings = (struct settings){.fd = -1};
    for (unsigned i = 0; i < CHANNEL_SETTINGS_COUNT; i++) {
        enum channel_kind kind = rows[i].kind;
        if (kind != CHANNEL_MOMENT && kind != CHANNEL_PLACE && kind != CHANNEL_PATH)
            settings_put(i, &(struct setting_value){.number = rows[i].unless});
    }
}

/* Returns the power of two for a suffix at *end; moves *end past it. */
static unsigned take_suffix(const char **end)
{
    static const char letters[] = "KMG";
    const char *found = **end ? text_find(letters, **end) : NULL;
    if (!found)
        return 0;
    ++*end;
    return 10 * (unsigned)(found - letters + 1);
}

static bool settings_read_number(const struct setting_row *row, const char *text, u64 *ret)
{
    u64 number;
    const char *end;
    if (!text_parse(text, &number, &end))
        return false;
    unsigned shift = row->kind == CHANNEL_BYTES ? take_suffix(&end) : 0;
    if (*end || number > row->most >> shift)
        return false;
    number <<= shift;
    if (row->kind == CHANNEL_POWER && (number & (number - 1)))
        return false;
    *ret = number;
    return number >= row->least;
}

/* Reads a tick with a pc, or a size with an address. */
static bool read_pair(const struct setting_row *row, const char *text, struct setting_value *ret)
{
    const char *end;
    if (!text_parse(text, &ret->number, &end))
        return false;
    if (!*end)
        return row->kind == CHANNEL_MOMENT;
    return text_starts(end, ":0x") && text_parse(end + 1, &ret->pc, &end) && !*end;
}

static const char *settings_copy(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(pool_take(size), text, size);
}

static bool settings_read_value(const struct setting_row *row, const char *text,
                                struct setting_value *ret)
{
    switch (row->kind) {
    case CHANNEL_FLAG:
    case CHANNEL_COUNT:
    case CHANNEL_POWER:
    case CHANNEL_BYTES:
    case CHANNEL_FD:
        return settings_read_number(row, text, &ret->number);
    case CHANNEL_MOMENT:
    case CHANNEL_PLACE:
        return read_pair(row, text, ret);
    case CHANNEL_PATH:
        ret->path = *text ? settings_copy(text) : NULL;
        return *text;
    }
    return false;
}

/* One "name=value". */
static bool read_setting(char *setting)
{
    char *equals = (char *)text_find(setting, '=');
    if (!equals)
        return false;
    for (unsigned i = 0; i < countof(rows); i++) {
        *equals = '\0';
        bool found = text_equal(rows[i].name, setting);
        *equals = '=';
        struct setting_value value = {0};
        if (!found)
            continue;
        if (!settings_read_value(&rows[i], equals + 1, &value))
            return false;
        settings_put(i, &value);
        return true;
    }
    return false;
}

const char *settings_read(const char *text)
{
    static char part[4096 + 16];
    put_all_unless();
    settings.text = text;
    while (*text) {
        struct text gathered = TEXT(part);
        part[0] = '\0';
        while (*text && *text != ',')
            text_add_char(&gathered, *text++);
        if (!gathered.length || gathered.length == sizeof(part) - 1 || !read_setting(part))
            return part;
        if (*text == ',')
            text++;
    }
    return NULL;
}
