/* The names of flags and other numbers in arguments of system calls.
 *
 * Each way of showing a value (enum arg_show) that is made of names has a list of them: bits that
 * are combined, or one name for one value, or both.
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
    const struct word *kinds; /* the bits of kind_mask are one of these */
    u64 kind_mask;
    const struct word *bits;  /* the others are combined of these */
    const char *none;         /* what 0 is called; NULL: 0 */
};

/* The words for a way of showing; NULL: it is shown by other means. */
const struct words *words_of(enum arg_show show);
extern const struct words words_poll, words_epoll, words_signal_flags, words_message_flags;

/* A value in words; what has no name is a number. */
void words_print(FILE *to, const struct words *words, u64 value);

/* The name of a value in a list, or NULL. */
const char *words_find(const struct word *list, u64 value);

/* "SIGINT", "SIGRT_3", or a number. */
void words_print_signal(FILE *to, u64 number);
/* Without the SIG, as in sets; NULL: none has that number. */
const char *words_signal(u64 number);
const char *words_family(u64 family);

#endif
