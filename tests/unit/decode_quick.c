/* The quick decoder against the full one.
 *
 * unit: src/base/assert.c src/base/complain.c src/engine/x86_64/decode.c src/engine/x86_64/decode_table.c
 * unit: src/engine/x86_64/decode_quick.c src/engine/x86_64/decode_quick_table.c
 *
 * Every prefix it knows and some that it does not, every REX, opcode and ModRM, a choice of SIB,
 * then random bytes: where it has an answer, that must be what decode() says.  It must have one
 * for what compilers use most.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/x86_64/decode_quick.h"

enum { RANDOM_CASES = 3000000 };

static unsigned long asked, answered;
static u64 state = 0x9e3779b97f4a7c15;

static u64 next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static bool transfers(const struct insn *i)
{
    return i->kind != INSN_PLAIN;
}

static bool agree(const struct insn *quick, const struct insn *full)
{
    if (!quick->partial || full->partial || quick->kind != full->kind ||
        quick->length != full->length || quick->rip_relative != full->rip_relative)
        return false;
    if (quick->partial == INSN_WITH_FLAGS &&
        (quick->flags_read != full->flags_read ||
         decode_flags_killed(quick) != decode_flags_killed(full)))
        return false;
    if (!transfers(full))
        return true;
    return quick->immediate_size == full->immediate_size &&
           (full->kind == INSN_RETURN || quick->immediate == full->immediate) &&
           (full->kind != INSN_BRANCH || quick->condition == full->condition);
}

static void ask(const u8 *bytes)
{
    struct insn quick, full;
    memset(&quick, 0xee, sizeof(quick));
    asked++;
    unsigned length = decode_quick(bytes, &quick);
    if (!length)
        return;
    answered++;
    decode(bytes, 48, &full);
    if (length == quick.length && agree(&quick, &full))
        return;
    printf("FAIL decode_quick: kind %u length %u instead of kind %u length %u:", quick.kind, length,
           full.kind, full.length);
    for (unsigned n = 0; n < 16; n++)
        printf(" %02x", bytes[n]);
    printf("\n");
    exit(1);
}

/* One opcode after one prefix, with all of ModRM. */
static void ask_opcode(u8 prefix, u8 rex, bool escaped, u8 opcode)
{
    static const u8 sibs[] = {0x00, 0x05, 0x24, 0x25, 0x65, 0xff};
    for (unsigned modrm = 0; modrm < 256; modrm++) {
        u8 bytes[64], *at = bytes;
        for (unsigned n = 0; n < sizeof(bytes); n++)
            bytes[n] = (u8)next_random();
        if (prefix)
            *at++ = prefix;
        if (rex)
            *at++ = rex;
        if (escaped)
            *at++ = 0x0f;
        *at++ = opcode;
        *at++ = (u8)modrm;
        *at = sibs[next_random() % sizeof(sibs)];
        ask(bytes);
    }
}

static void ask_opcodes(void)
{
    static const u8 prefixes[] = {0, 0x66, 0xf3, 0xf2, 0x67, 0x2e, 0x64, 0xf0};
    for (unsigned p = 0; p < sizeof(prefixes); p++)
        for (unsigned rex = 0; rex < 0x50; rex = rex ? rex + 1 : 0x40)
            for (unsigned opcode = 0; opcode < 512; opcode++)
                ask_opcode(prefixes[p], (u8)rex, opcode >= 256, (u8)opcode);
}

static void ask_random(void)
{
    u8 bytes[64];
    for (unsigned n = 0; n < RANDOM_CASES; n++) {
        for (unsigned b = 0; b < sizeof(bytes); b += 8) {
            u64 word = next_random();
            memcpy(bytes + b, &word, 8);
        }
        ask(bytes);
    }
}

/* Checks that there is an answer at all. */
static void ask_common(void)
{
    static const u8 common[][8] = {
        {0x48, 0x89, 0xe5}, {0x55}, {0xc3}, {0x0f, 0x84}, {0x74}, {0xe8}, {0xe9},
        {0x0f, 0xb6, 0xc0}, {0x48, 0x8d, 0x44, 0x24, 0x08}, {0xbf, 1}, {0x48, 0xb8, 1},
        {0xf3, 0x0f, 0x1e, 0xfa}, {0x85, 0xc0}, {0xf2, 0x0f, 0x10, 0x00}, {0x83, 0xc0, 1},
        {0x66, 0x0f, 0x6f, 0xc1}, {0xc7, 0x00}, {0xf7, 0xd8},
    };
    for (unsigned n = 0; n < sizeof(common) / sizeof(common[0]); n++) {
        u8 bytes[64] = {0};
        struct insn i;
        memcpy(bytes, common[n], sizeof(common[n]));
        if (!decode_quick(bytes, &i) || i.partial != INSN_WITH_FLAGS) {
            printf("FAIL decode_quick: no answer for %02x %02x\n", bytes[0], bytes[1]);
            exit(1);
        }
    }
}

int main(void)
{
    ask_common();
    ask_opcodes();
    ask_random();
    printf("ok decode_quick (%lu of %lu answered)\n", answered, asked);
    return 0;
}
