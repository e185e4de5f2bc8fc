/* Instructions as text, for people. */
#ifndef SYMBOLS_INSTRUCTION_TEXT_H
#define SYMBOLS_INSTRUCTION_TEXT_H

#include <stddef.h>

#include "base/types.h"

enum { INSTRUCTION_MOST = 15, INSTRUCTION_TARGETS = 2 }; /* bytes; addresses in one */

struct instruction_text {
    char text[160];
    u8 length;
    /* Addresses that it names relative to itself: where it jumps to, data that it uses. */
    u64 targets[INSTRUCTION_TARGETS];
    unsigned target_count;
};

/* `att`: as AT&T writes them, not Intel.  False: the bytes are no instruction. */
bool instruction_text(u64 at, const u8 *bytes, size_t size, bool att, struct instruction_text *ret);

#endif
