/* What commands share in reading their options. */
#ifndef BASE_OPTION_VALUE_H
#define BASE_OPTION_VALUE_H

#include <stddef.h>
#include <string.h>

/* What follows `prefix`, which ends with '=', in `word`; or NULL. */
static inline const char *option_value(const char *word, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

#endif
