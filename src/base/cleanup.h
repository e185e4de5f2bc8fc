/* Scope guards: a variable's content is released when it goes out of scope, unless it was taken. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stddef.h>

/* `function` is called with a pointer to the variable. */
#define _cleanup_(function) __attribute__((cleanup(function)))

/* Returns the pointer and sets the variable to NULL. */
#define take(pointer)                       \
    ({                                      \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                   \
        taken_;                             \
    })

#endif
