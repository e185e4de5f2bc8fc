/* The names of flags and other numbers in arguments of system calls.
 *
 * Each form (enum arg_show) that prints names has a list of them: bits that are combined, one name
 * for one value, or both.
 */
#ifndef LOG_SYSCALL_WORDS_INTERNAL_H
#define LOG_SYSCALL_WORDS_INTERNAL_H

#include <stdio.h>

#include "log/syscall_table.h"

struct word {
    const char *name; /* NULL ends a list */
    u64 value;
};

struct words {
    const struct word *kinds; /* the bits of kind_mask have one of these values */
    u64 kind_mask;
    const struct word *bits;  /* the other bits are combinations of these */
    const char *none;         /* what 0 is called; NULL: 0 */
};

/* Returns the words for a form; NULL: it is printed in another way. */
const struct words *words_of(enum arg_show show);
extern const struct words words_poll, words_epoll, words_signal_flags, words_message_flags;

/* Prints a value by names; a part without a name is a number. */
void words_print(FILE *to, const struct words *words, u64 value);

/* The name of a value in a list, or NULL. */
const char *words_find(const struct word *list, u64 value);

/* "SIGINT", "SIGRT_3", or a number. */
void words_print_signal(FILE *to, u64 number);
/* Without the SIG, as in sets; NULL: there is no such signal. */
const char *words_signal(u64 number);
const char *words_family(u64 family);

#endif
