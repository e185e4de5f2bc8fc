/* Memory for hosted code: when there is none left the program ends, so no caller asks. */
#ifndef BASE_XALLOC_H
#define BASE_XALLOC_H

#include <stddef.h>

void *xalloc(size_t bytes);

/* A new string, made as printf would. */
__attribute__((format(printf, 1, 2))) char *xformat(const char *format, ...);

#endif
