/* Assertions: conditions that hold unless ebb has a bug. They are checked in release builds too.
 *
 *     assert(start < end);
 *     invariant(2, holder == t);      the second of the numbered invariants in this file's head
 *
 * The same macros serve ebb and the engine; each has its own assertion_failed().  ebb prints one
 * sentence and aborts (base/assert.c); the engine prints the same sentence and ends the process
 * (engine/base/stop.c).  The sentence ends with the moment: in the engine the guest's, in ebb the
 * one that the session shows.
 *
 * Bad input, whether a recording, a program or a packet, is an error and never an assertion.
 *
 * `invariant` belongs to the numbers of its unit: NAME.c, NAME.h and NAME_internal.h.  The check
 * tools/check-invariants compares the numbers in heads with those that are asserted.
 */
#ifndef BASE_ASSERT_H
#define BASE_ASSERT_H

#include "base/types.h"

struct assertion {
    const char *condition, *file, *function;
    u32 line;
    u32 invariant; /* its number in the head of the file, 0: none */
};

_Noreturn __attribute__((cold, noinline)) void assertion_failed(const struct assertion *a);

/* ebb only: the current moment of the session; tick and pc are 0 before there is one. */
extern struct assertion_moment {
    u64 tick, pc;
} assertion_moment;

/* An assertion costs a compare and a branch that is not taken; everything else is out of line. */
#define ASSERT_(number, condition, text)                                                           \
    (__builtin_expect(!!(condition), 1) ? (void)0 : ({                                             \
        static const struct assertion failed_ = {text, __FILE__, __func__, __LINE__, number};      \
        assertion_failed(&failed_);                                                                \
    }))

#define assert(condition)            ASSERT_(0, condition, #condition)
#define invariant(number, condition) ASSERT_(number, condition, #condition)

#endif
