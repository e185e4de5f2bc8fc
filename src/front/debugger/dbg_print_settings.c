/* How values are printed: `set print`, `show print`, and the options of print itself.
 *
 * Settings have gdb's names and meanings. Numbers may be `unlimited`; on is the default for `on` or
 * `off`.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

const char dbg_print_words[] =
    "address array array-indexes elements entry-values frame-arguments max-depth null-stop object "
    "pretty raw-values repeats static-members symbol union";

enum setting_kind { SETTING_SWITCH, SETTING_LIMIT, SETTING_DEPTH };

static const struct print_setting {
    const char *name;
    enum setting_kind kind;
    size_t offset;
    const char *sentence; /* the sentence of `show print` */
} print_settings[] = {
    {"address", SETTING_SWITCH, offsetof(struct show_settings, address),
     "Printing of addresses is %s."},
    {"array", SETTING_SWITCH, offsetof(struct show_settings, array),
     "Pretty formatting of arrays is %s."},
    {"array-indexes", SETTING_SWITCH, offsetof(struct show_settings, array_indexes),
     "Printing of array indexes is %s."},
    {"elements", SETTING_LIMIT, offsetof(struct show_settings, elements),
     "Limit on string chars or array elements to print is %s."},
    {"max-depth", SETTING_DEPTH, offsetof(struct show_settings, max_depth),
     "Maximum print depth is %s."},
    {"null-stop", SETTING_SWITCH, offsetof(struct show_settings, null_stop),
     "Printing of char arrays to stop at first null char is %s."},
    {"object", SETTING_SWITCH, offsetof(struct show_settings, object),
     "Printing of the class that an object really has is %s."},
    {"pretty", SETTING_SWITCH, offsetof(struct show_settings, pretty),
     "Pretty formatting of structures is %s."},
    {"raw-values", SETTING_SWITCH, offsetof(struct show_settings, raw),
     "Whether to print values in raw form is %s."},
    {"repeats", SETTING_LIMIT, offsetof(struct show_settings, repeats),
     "Threshold for repeated print elements is %s."},
    {"static-members", SETTING_SWITCH, offsetof(struct show_settings, static_members),
     "Printing of C++ static members is %s."},
    {"symbol", SETTING_SWITCH, offsetof(struct show_settings, symbol),
     "Printing of symbols when printing pointers is %s."},
    {"union", SETTING_SWITCH, offsetof(struct show_settings, unions),
     "Printing of unions interior to structures is %s."},
};

static const char *const frame_arguments[] = {"scalars", "all", "none", "presence"};

/* Finds a setting by its name or an unambiguous beginning. */
static struct error *find_setting(const char *word, size_t length, const struct print_setting **ret)
{
    size_t fits = 0;
    for (size_t i = 0; i < countof(print_settings); i++) {
        const struct print_setting *s = &print_settings[i];
        if (strncmp(s->name, word, length) != 0)
            continue;
        *ret = s;
        fits++;
        if (!s->name[length])
            return NULL;
    }
    if (fits == 1)
        return NULL;
    return error_coded(fits ? ERROR_AMBIGUOUS : ERROR_NOT_FOUND,
                       fits ? "'%.*s' is short for several settings of print: %s"
                            : "there is no setting 'print %.*s'; there are %s",
                       (int)length, word, dbg_print_words);
}

/* on, off and their synonyms; false: another word. */
static bool read_on_off(const char *word, size_t length, bool *ret)
{
    static const struct { const char *word; bool value; } words[] = {
        {"on", true}, {"yes", true}, {"1", true}, {"enable", true},
        {"off", false}, {"no", false}, {"0", false}, {"disable", false},
    };
    for (size_t i = 0; i < countof(words); i++)
        if (strlen(words[i].word) == length && strncmp(words[i].word, word, length) == 0) {
            *ret = words[i].value;
            return true;
        }
    return false;
}

static struct error *read_limit(const struct print_setting *s, const char *word, size_t length,
                                u32 *ret)
{
    u64 n;
    if (length && strncmp("unlimited", word, length) == 0) {
        *ret = SHOW_UNLIMITED;
        return NULL;
    }
    if (s->kind == SETTING_DEPTH && length == 2 && strncmp(word, "-1", 2) == 0) {
        *ret = SHOW_UNLIMITED;
        return NULL;
    }
    char *text = xformat("%.*s", (int)length, word);
    struct error *err = debug_number(text, "number, and not 'unlimited'", &n);
    free(text);
    if (!err && n > SHOW_UNLIMITED)
        err = error_coded(ERROR_MISUSED, "that is more than can be shown");
    if (!err)
        *ret = n || s->kind == SETTING_DEPTH ? (u32)n : SHOW_UNLIMITED;
    return err;
}

/* Takes the value of a setting from the text, if there is one. */
static struct error *take_value(const struct print_setting *s, struct show_settings *show,
                                const char **args)
{
    size_t length = strcspn(*args, " \t");
    void *field = (char *)show + s->offset;
    struct error *err = NULL;
    if (s->kind == SETTING_SWITCH) {
        if (!read_on_off(*args, length, field)) {
            *(bool *)field = true;
            length = 0;
        }
    } else if (!length) {
        err = error_coded(ERROR_MISUSED, "say how many, or 'unlimited'");
    } else {
        err = read_limit(s, *args, length, field);
    }
    *args += length;
    *args += strspn(*args, " \t");
    return err;
}

static struct error *set_frame_arguments(struct dbg *d, const char *word)
{
    for (unsigned i = 0; i < countof(frame_arguments); i++)
        if (*word && strcmp(word, frame_arguments[i]) == 0) {
            d->settings.frame_arguments = i;
            return NULL;
        }
    return error_coded(ERROR_MISUSED, "frame-arguments is one of scalars, all, none and presence");
}

static struct error *set_entry_values(struct dbg *d, const char *word)
{
    if (strcmp(word, "default") != 0 && strcmp(word, "no") != 0)
        return error_coded(
            ERROR_MISUSED,
            "entry-values is 'default' or 'no' here; 'print name@entry' has one of them");
    d->settings.no_entry_values = *word == 'n';
    return NULL;
}

/* gdb settings that cannot be changed here. */
static const struct { const char *name; bool on; const char *instead; } fixed_settings[] = {
    {"vtbl", false, "'x/8a *(void **)OBJECT' shows the table of virtual functions"},
    {"demangle", true, "names are shown as they were written"},
    {"asm-demangle", true, "names are shown as they were written"},
    {"sevenbit-strings", false, "'print/x' shows the bytes of a string"},
    {"thread-events", false, "'info threads' lists the threads of a moment"},
    {"inferior-events", false, "'info tracks' lists processes"},
    {"finish", true, "finish shows what was returned"},
    {"symbol-filename", false, "'info line *ADDRESS' has the file"},
};

/* False: not one of them. */
static bool fixed_setting(const char *args, struct error **ret)
{
    size_t length = strcspn(args, " \t");
    for (size_t i = 0; i < countof(fixed_settings); i++) {
        const char *name = fixed_settings[i].name, *word = args + length;
        bool on = true;
        if (strlen(name) != length || strncmp(name, args, length) != 0)
            continue;
        word += strspn(word, " \t");
        *ret = *word && !read_on_off(word, strlen(word), &on)
                   ? error_coded(ERROR_MISUSED, "'%s' is neither on nor off", word)
               : on != fixed_settings[i].on
                   ? error_coded(ERROR_MISUSED, "print %s is always %s here: %s", name,
                                 fixed_settings[i].on ? "on" : "off", fixed_settings[i].instead)
                   : NULL;
        return true;
    }
    return false;
}

struct error *dbg_set_print(struct dbg *d, const char *args)
{
    const struct print_setting *s;
    struct error *fixed;
    if (fixed_setting(args, &fixed))
        return fixed;
    if (debug_take_word(&args, "frame-arguments"))
        return set_frame_arguments(d, args);
    if (debug_take_word(&args, "entry-values"))
        return set_entry_values(d, args);
    size_t length = strcspn(args, " \t");
    struct error *err =
        length ? find_setting(args, length, &s)
               : error_coded(ERROR_MISUSED, "set print takes one of: %s", dbg_print_words);
    if (err)
        return err;
    args += length;
    args += strspn(args, " \t");
    struct show_settings changed = d->debug->settings.show;
    err = take_value(s, &changed, &args);
    if (!err && *args)
        err = error_coded(ERROR_MISUSED, "'%s' is neither on nor off", args);
    if (!err)
        d->debug->settings.show = changed;
    return err;
}

static void say_setting(struct dbg *d, const struct print_setting *s, bool named)
{
    const void *field = (const char *)&d->debug->settings.show + s->offset;
    char value[16];
    if (s->kind == SETTING_SWITCH)
        snprintf(value, sizeof value, "%s", *(const bool *)field ? "on" : "off");
    else if (*(const u32 *)field == SHOW_UNLIMITED)
        snprintf(value, sizeof value, "unlimited");
    else
        snprintf(value, sizeof value, "%u", *(const u32 *)field);
    if (named)
        dbg_say(d, "%s:  ", s->name);
    const char *mark = strstr(s->sentence, "%s");
    dbg_say(d, "%.*s%s%s\n", (int)(mark - s->sentence), s->sentence, value, mark + 2);
    json_string(dbg_fields(d), s->name, value);
}

struct error *dbg_show_print(struct dbg *d, const char *args)
{
    const struct print_setting *s;
    if (strcmp(args, "frame-arguments") == 0)
        return dbg_say(d, "Printing of non-scalar frame arguments is \"%s\".\n",
                       frame_arguments[d->settings.frame_arguments]), NULL;
    if (strcmp(args, "entry-values") == 0)
        return dbg_say(d, "Printing of function arguments at function entry is \"%s\".\n",
                       d->settings.no_entry_values ? "no" : "default"), NULL;
    struct error *err = *args ? find_setting(args, strlen(args), &s) : NULL;
    if (err)
        return err;
    for (size_t i = 0; i < countof(print_settings); i++)
        if (!*args || s == &print_settings[i])
            say_setting(d, &print_settings[i], !*args);
    return NULL;
}

/* A word that begins with '-' may be an option or a negative value; `--` ends the options. */
struct error *dbg_print_options(const char **args, struct show_settings *show)
{
    const char *at = *args;
    if (!strstr(at, " -- ") && strncmp(at, "-- ", 3) != 0)
        return NULL;
    while (at[0] == '-' && (isalpha((u8)at[1]) || at[1] == '-')) {
        const struct print_setting *s;
        if (strncmp(at, "-- ", 3) == 0) {
            at += 3 + strspn(at + 3, " \t");
            break;
        }
        size_t length = strcspn(at + 1, " \t");
        struct error *err = find_setting(at + 1, length, &s);
        if (err)
            return err;
        at += 1 + length;
        at += strspn(at, " \t");
        if ((err = take_value(s, show, &at)))
            return err;
    }
    *args = at;
    return NULL;
}
