/* The words behind a command. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

struct error *dbg_no_arguments(const char *args)
{
    return *args ? error_new("nothing may follow this command, but here is '%s'", args) : NULL;
}

struct error *dbg_number(const char *args, const char *what, u64 *ret)
{
    char *end;
    errno = 0;
    u64 number = strtoull(args, &end, 0);
    if (!isdigit((u8)*args) || *end || errno)
        return error_new("'%s' is no %s", args, what);
    *ret = number;
    return NULL;
}

struct error *dbg_count(const char *args, u64 *ret)
{
    u64 count = 1;
    if (*args == '-')
        return error_new("a count is at least 1; what goes the other way is a command of its own, "
                         "as bstep is for step: 'help moving' has them");
    struct error *err = *args ? dbg_number(args, "count", &count) : NULL;
    if (!err && count == 0)
        err = error_new("a count is at least 1");
    if (!err)
        *ret = count;
    return err;
}

bool dbg_take_word(const char **args, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*args, word, length) != 0 || ((*args)[length] && !isspace((u8)(*args)[length])))
        return false;
    *args += length;
    *args += strspn(*args, " \t");
    return true;
}

char *dbg_next_word(const char **args)
{
    size_t length = strcspn(*args, " \t");
    if (!length)
        return NULL;
    char *word = xformat("%.*s", (int)length, *args);
    *args += length;
    *args += strspn(*args, " \t");
    return word;
}

/* At the first ` word ` of the text: the condition is behind an `if`, the thread behind a `thread`. */
char *dbg_cut_behind(char *text, const char *word)
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
