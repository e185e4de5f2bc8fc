/* Memory for hosted code: see the header. */
#define BASE_XALLOC_DEFINITIONS
#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/complain.h"

enum { EXIT_OUT_OF_MEMORY = 125 };

static _Noreturn void out_of_memory(void)
{
    exit(complain(EXIT_OUT_OF_MEMORY, "out of memory"));
}

void *xalloc(size_t bytes)
{
    void *ret = malloc(bytes ? bytes : 1);
    if (!ret)
        out_of_memory();
    return ret;
}

char *xformat(const char *format, ...)
{
    char *ret;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&ret, format, args);
    va_end(args);
    if (length < 0)
        out_of_memory();
    return ret;
}
