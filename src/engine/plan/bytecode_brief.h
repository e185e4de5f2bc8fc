/* Brief conditions: those about one word of memory, at an address that is known.
 *
 * Most conditions compare a variable with a number, and are asked at each store to it.  Read once,
 * their bytecode becomes a word to be loaded, and few steps from it to the answer, each with a
 * constant.
 */
#ifndef ENGINE_BYTECODE_BRIEF_H
#define ENGINE_BYTECODE_BRIEF_H

#include "base/types.h"

enum { BRIEF_STEPS = 4 };

struct brief {
    u64 address;
    u32 size; /* of the word: 1, 2, 4 or 8 bytes, the lowest first; 0: none yet */
    u32 count;
    struct brief_step {
        u8 op;
        bool constant_first;
        u64 constant;
    } step[BRIEF_STEPS];
};

/* False if it is not a brief one. An expression that fails for every value is not brief either. */
bool brief_read(const u8 *code, u32 size, struct brief *ret);

/* What bytecode_run() would come to, given the word. */
u64 brief_value(const struct brief *b, u64 word);

#endif
