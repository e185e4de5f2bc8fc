/* Demangles symbols: Rust's by rust_demangle.c, C++'s by the C++ runtime's own function. */
#include "symbols/rust_internal.h"

/* From libstdc++, whose header is for C++ only. */
char *__cxa_demangle(const char *mangled, char *output, size_t *length, int *status);

char *demangle(const char *raw, bool *ret_rust)
{
    int status;
    char *name = rust_demangle(raw);
    *ret_rust = name;
    if (!name && strncmp(raw, "_Z", 2) == 0)
        name = __cxa_demangle(raw, NULL, NULL, &status);
    return name;
}
