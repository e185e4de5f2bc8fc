/* Scope guards: what a variable holds is given back when it goes out of scope, unless taken. */
#ifndef BASE_CLEANUP_H
#define BASE_CLEANUP_H

#include <stddef.h>

/* `function` gets a pointer to the variable. */
#define _cleanup_(function) __attribute__((cleanup(function)))

/* The pointer; the variable becomes NULL. */
#define take(pointer)                       \
    ({                                      \
        __typeof__(pointer) taken_ = (pointer); \
        (pointer) = NULL;                   \
        taken_;                             \
    })

#endif
