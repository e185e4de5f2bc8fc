/* Memory for hosted code: if memory runs out the program ends, so callers need no check. */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stddef.h>

void *xalloc(size_t bytes);

/* A new string, made as printf would. */
__attribute__((format(printf, 1, 2))) char *xformat(const char *format, ...);

#endif
