/* Memory for hosted code: the program ends if memory runs out, so callers need no check. */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stddef.h>

__attribute__((returns_nonnull)) void *xalloc(size_t bytes);

/* Returns a new string, formatted like printf. */
__attribute__((returns_nonnull, format(printf, 1, 2))) char *xformat(const char *format, ...);

/* For clang's analyser, as in base/error.h. */
#if defined(__clang_analyzer__) && !defined(BASE_XALLOC_DEFINITIONS)
static inline void *xalloc_not_null(void *memory)
{
    if (!memory)
        __builtin_unreachable();
    return memory;
}
#define xalloc(bytes) xalloc_not_null(xalloc(bytes))
#define xformat(...) ((char *)xalloc_not_null(xformat(__VA_ARGS__)))
#endif

#endif
