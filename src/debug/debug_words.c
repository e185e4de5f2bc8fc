/* Parses numbers and words that users type, for all front ends. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

struct error *debug_no_arguments(const char *args)
{
    return *args ? error_coded(ERROR_MISUSED, "this command takes no arguments, but got '%s'", args)
                 : NULL;
}

struct error *debug_number(const char *args, const char *what, u64 *ret)
{
    char *end;
    errno = 0;
    u64 number = strtoull(args, &end, 0);
    if (!isdigit((u8)*args) || *end || errno)
        return error_coded(ERROR_MISUSED, "'%s' is not a %s", args, what);
    *ret = number;
    return NULL;
}

char *debug_moment_text(struct moment at)
{
    return xformat("%llu:0x%llx", (unsigned long long)at.tick, (unsigned long long)at.pc);
}

struct error *debug_count(const char *args, u64 *ret)
{
    u64 count = 1;
    if (*args == '-')
        return error_coded(ERROR_MISUSED,
                           "a count must be at least 1; to go the other way use the twin of the "
                           "command, such as bstep for step: 'help moving' lists them");
    struct error *err = *args ? debug_number(args, "count", &count) : NULL;
    if (!err && count == 0)
        err = error_coded(ERROR_MISUSED, "a count is at least 1");
    if (!err)
        *ret = count;
    return err;
}

bool debug_take_word(const char **args, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*args, word, length) != 0 || ((*args)[length] && !isspace((u8)(*args)[length])))
        return false;
    *args += length;
    *args += strspn(*args, " \t");
    return true;
}

char *debug_next_word(const char **args)
{
    size_t length = strcspn(*args, " \t");
    if (!length)
        return NULL;
    char *word = xformat("%.*s", (int)length, *args);
    *args += length;
    *args += strspn(*args, " \t");
    return word;
}

/* Cuts the text at the first ` word `: the condition follows `if`, the thread `thread`. */
char *debug_cut_behind(char *text, const char *word)
{
    size_t length = strlen(word);
    for (char *at = text; (at = strstr(at, word)); at += length) {
        bool starts = at == text || isspace((u8)at[-1]);
        if (!starts || (at[length] && !isspace((u8)at[length]) && at[length] != '('))
            continue;
        char *behind = at + length + strspn(at + length, " \t");
        while (at > text && isspace((u8)at[-1]))
            at--;
        *at = '\0';
        return behind;
    }
    return NULL;
}

void debug_strings_add(struct list *strings, const char *text)
{
    *(char **)list_add(strings) = xformat("%s", text);
}

void debug_strings_deinit(struct list *strings)
{
    for (size_t i = 0; i < strings->count; i++)
        free(((char **)strings->items)[i]);
    list_deinit(strings);
}

struct error *debug_read_thread(const char *text, u32 *ret)
{
    u64 n;
    struct error *err = debug_number(text, "thread number", &n);
    if (!err && n >= CONTROL_THREAD_ANY)
        err = error_coded(ERROR_NOT_FOUND,
                          "'%s' is not the number of a thread; 'info threads' lists them", text);
    if (!err)
        *ret = (u32)n;
    return err;
}

struct error *debug_size(const char *text, u64 *ret)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    u64 number = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, toupper((u8)*end)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (!isdigit((u8)*text) || errno || (*end && (!unit || end[1])) || number > ~0ull >> shift)
        return error_coded(ERROR_MISUSED,
                           "'%s' is not a size: use a number of bytes, or one with K, M or G",
                           text);
    *ret = number << shift;
    return NULL;
}

struct error *debug_seconds(const char *text, double *ret)
{
    char *end;
    double number = strtod(text, &end);
    if (!isdigit((u8)*text) || (*end && strcmp(end, "s") != 0) || number > 1e9)
        return error_coded(ERROR_MISUSED, "'%s' is not a number of seconds", text);
    *ret = number;
    return NULL;
}
