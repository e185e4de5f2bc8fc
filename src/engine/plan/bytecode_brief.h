/* Brief conditions: those that depend on one word of memory at a known address.
 *
 * Most conditions compare a variable with a number, and are evaluated at each store to it. Their
 * bytecode is converted once to a word to be loaded, and a few steps with constants from it to the
 * result.
 */
#ifndef ENGINE_BYTECODE_BRIEF_H
#define ENGINE_BYTECODE_BRIEF_H

#include "base/types.h"

enum { BRIEF_STEPS = 4 };

struct brief {
    u64 address;
    u32 size; /* size of the word: 1, 2, 4 or 8 bytes, little-endian; 0: none yet */
    u32 count;
    struct brief_step {
        u8 op;
        bool constant_first;
        u64 constant;
    } step[BRIEF_STEPS];
};

/* False if the condition is not brief. An expression that fails for every value is not brief
 * either. */
bool brief_read(const u8 *code, u32 size, struct brief *ret);

/* Returns the result of bytecode_run(), given the word. */
u64 brief_value(const struct brief *b, u64 word);

#endif
