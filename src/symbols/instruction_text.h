/* Disassembles instructions. */
#ifndef SYMBOLS_INSTRUCTION_TEXT_H
#define SYMBOLS_INSTRUCTION_TEXT_H

#include <stddef.h>

#include "base/types.h"

/* maximum number of bytes; of target addresses */
enum { INSTRUCTION_MOST = 15, INSTRUCTION_TARGETS = 2 };

struct instruction_text {
    char text[160];
    u8 length;
    /* Addresses that the instruction names relative to itself: jump targets and data. */
    u64 targets[INSTRUCTION_TARGETS];
    unsigned target_count;
};

/* `att`: AT&T syntax instead of Intel's. False: the bytes are not an instruction. */
bool instruction_text(u64 at, const u8 *bytes, size_t size, bool att, struct instruction_text *ret);

#endif
