/* What the cases of the audit are written with.
 *
 * A case prepares one system call, all of whose memory is in an arena: in() and text() put bytes
 * there for the kernel to read, out() makes room for it to write, call() says which call it is.
 * The audit makes it, and holds what has changed in the arena against what the table says.
 */
#ifndef AUDIT_H
#define AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void audit_case(void);

void audit_add(const char *name, audit_case *prepare);

#define CASE(name)                                                                                \
    static void case_##name(void);                                                                \
    __attribute__((constructor)) static void add_##name(void)                                     \
    {                                                                                             \
        audit_add(#name, case_##name);                                                            \
    }                                                                                             \
    static void case_##name(void)

/* Room for that many bytes, full of the pattern, apart from everything else. */
void *out(size_t size);
/* A copy of those bytes. */
void *in(const void *bytes, size_t size);
void *text(const char *string);
/* A copy of a 32-bit number, as lengths are. */
uint32_t *length(uint32_t value);

/* The call to be made.  Missing arguments are 0. */
void call_is(long number, const long args[6]);
#define call(number, ...) call_is(number, (const long[6]){__VA_ARGS__})
#define P(pointer) ((long)(pointer))

/* This case wants an error: any other answer, and it is skipped. */
void fails_with(int error);

/* Ends the case: it cannot be tried here. */
void cannot(const char *why);
#define need(condition)                                                                           \
    do {                                                                                          \
        if (!(condition))                                                                         \
            cannot(#condition);                                                                   \
    } while (0)

#endif
