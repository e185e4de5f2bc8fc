/* Makes the table of the quick decoder (src/engine/x86_64/decode_quick_table.c) by asking decode().
 *
 * An opcode is entered for those values of ModRM.reg with which it is plain, or one of the simple
 * transfers, and has an immediate of the same size, whatever REX and the rest of ModRM are.
 *
 * Usage: cc -Isrc tools/quick-x86_64.c src/engine/x86_64/decode.c src/engine/x86_64/decode_table.c
 *        ./a.out > src/engine/x86_64/decode_quick_table.c
 */
#include <stdio.h>
#include <string.h>

#include "engine/x86_64/decode_quick.h"

static const u8 prefixes[QUICK_SPACES] = {0, 0, 0x66, 0xf3, 0xf2};

enum { REFUSED = -1 };

static bool wanted(const struct insn *i, unsigned space)
{
    if (i->kind == INSN_PLAIN)
        return i->encoding == ENCODING_LEGACY && i->map <= MAP_0F && !i->rip_relative;
    if (i->kind == INSN_RETURN)
        return space == QUICK_ONE && !i->immediate_size;
    return space <= QUICK_0F &&
           (i->kind == INSN_BRANCH || i->kind == INSN_JUMP || i->kind == INSN_CALL);
}

static u8 fill; /* what stands behind ModRM */

/* Decodes one encoding; returns where its ModRM would be. */
static unsigned probe(unsigned space, unsigned opcode, int modrm, unsigned rex, struct insn *ret)
{
    u8 bytes[48], *at = bytes;
    memset(bytes, fill, sizeof(bytes));
    if (prefixes[space])
        *at++ = prefixes[space];
    if (rex)
        *at++ = (u8)rex;
    if (space != QUICK_ONE)
        *at++ = 0x0f;
    *at++ = (u8)opcode;
    *at = (u8)modrm;
    decode(bytes, sizeof(bytes), ret);
    return (unsigned)(at - bytes);
}

/* The size of the immediate of one encoding, and its kind above that. */
static int ask(unsigned space, unsigned opcode, int modrm, unsigned rex, bool *has_modrm)
{
    struct insn i;
    fill = 0;
    unsigned at = probe(space, opcode, modrm, rex, &i), length = i.length;
    if (!wanted(&i, space) || i.opcode != opcode || i.prefixes & (PREFIX_67 | PREFIX_LOCK))
        return REFUSED;
    *has_modrm = i.has_modrm;
    bool has_sib = modrm < 0xc0 && (modrm & 7) == 4;
    unsigned rest = at + (i.has_modrm ? 1 + has_sib : 0) + i.displacement_size;
    return length == rest + i.immediate_size ? i.kind << 4 | i.immediate_size : REFUSED;
}

/* The same for all encodings with that reg, if they agree. */
static int ask_reg(unsigned space, unsigned opcode, unsigned reg, bool memory, bool *has_modrm)
{
    int common = -2;
    for (unsigned mod = memory ? 0 : 3; mod < (memory ? 3u : 4u); mod++)
        for (unsigned rm = 0; rm < 8; rm++)
            for (unsigned rex = 0; rex < 0x50; rex = rex ? rex + 1 : 0x40) {
                if (mod == 0 && rm == 5)
                    continue;
                int got = ask(space, opcode, (int)(mod << 6 | reg << 3 | rm), rex, has_modrm);
                if (common != -2 && got != common)
                    return REFUSED;
                common = got;
            }
    return common;
}

static struct quick_flag_use uses[QUICK_FLAGS_MOST];
static unsigned use_count = 1;

static u8 number_of(struct quick_flag_use use)
{
    for (unsigned n = 1; n < use_count; n++)
        if (uses[n].read == use.read && uses[n].killed == use.killed)
            return (u8)n;
    if (use_count == QUICK_FLAGS_MOST)
        return 0;
    uses[use_count] = use;
    return (u8)use_count++;
}

/* What becomes of flags with that reg, if that is always the same, whatever the operands are. */
static u8 ask_flags(unsigned space, unsigned opcode, unsigned reg)
{
    static const u8 fills[] = {0, 1, 2, 7, 9, 0x1f, 0x20, 0x21, 0x3f, 0x40, 0x41, 0xff};
    struct quick_flag_use common = {0, 0};
    bool first = true;
    for (unsigned rm = 0; rm < 32; rm++)
        for (unsigned rex = 0; rex < 0x50; rex = rex ? rex + 1 : 0x40)
            for (unsigned n = 0; n < sizeof(fills); n++) {
                struct insn i;
                fill = fills[n];
                probe(space, opcode, (int)((rm >> 3) << 6 | reg << 3 | (rm & 7)), rex, &i);
                if (!wanted(&i, space))
                    continue;
                struct quick_flag_use use = {i.flags_read, decode_flags_killed(&i)};
                if (!first && (use.read != common.read || use.killed != common.killed))
                    return 0;
                common = use;
                first = false;
            }
    return first ? 0 : number_of(common);
}

static struct quick_form make_form(unsigned space, unsigned opcode)
{
    struct quick_form form = {0};
    int answers[16], best = REFUSED, best_count = 0;
    bool has_modrm = false;
    for (unsigned n = 0; n < 16; n++)
        answers[n] = ask_reg(space, opcode, n & 7, n < 8, &has_modrm);
    for (unsigned n = 0; n < 16; n++) {
        int count = 0;
        for (unsigned m = 0; m < 16; m++)
            count += answers[m] == answers[n];
        if (answers[n] != REFUSED && count > best_count) {
            best = answers[n];
            best_count = count;
        }
    }
    bool wide = space == QUICK_ONE && opcode >= 0xb8 && opcode <= 0xbf; /* mov reg, imm */
    if (wide)
        best = INSN_PLAIN << 4 | 4;
    else if (best == REFUSED || (!has_modrm && best_count < 16))
        return form;
    form.kind = (u8)(best >> 4);
    form.size = (u8)((best & 15) | (has_modrm ? QUICK_MODRM : QUICK_BARE));
    form.size |= wide ? QUICK_WIDE : 0;
    for (unsigned reg = 0; reg < 8; reg++)
        form.flags[reg] = ask_flags(space, opcode, reg);
    for (unsigned n = 0; n < 16 && has_modrm; n++) {
        u8 bit = answers[n] == best ? (u8)(1 << (n & 7)) : 0;
        if (n < 8)
            form.memory |= bit;
        else
            form.registers |= bit;
    }
    return form;
}

static void print_form(const struct quick_form *f)
{
    printf("        {%u, 0x%02x, 0x%02x, 0x%02x, {", f->kind, f->size, f->memory, f->registers);
    for (unsigned reg = 0; reg < 8; reg++)
        printf("%s%u", reg ? ", " : "", f->flags[reg]);
    printf("}},\n");
}

int main(void)
{
    printf("/* The table of the quick decoder.  Made by tools/quick-x86_64.c; do not edit. */\n"
           "#include \"engine/x86_64/decode_quick.h\"\n\n"
           "/* kind, size of the immediate and QUICK_*, values of ModRM.reg for memory and for\n"
           " * registers, flags */\n"
           "const struct quick_form quick_forms[QUICK_SPACES][256] = {\n");
    for (unsigned space = 0; space < QUICK_SPACES; space++) {
        printf("    {\n");
        for (unsigned opcode = 0; opcode < 256; opcode++) {
            struct quick_form f = make_form(space, opcode);
            print_form(&f);
        }
        printf("    },\n");
    }
    printf("};\n\n/* read, killed */\n"
           "const struct quick_flag_use quick_flag_uses[QUICK_FLAGS_MOST] = {\n");
    for (unsigned n = 0; n < use_count; n++)
        printf("    {0x%03x, 0x%03x},\n", uses[n].read, uses[n].killed);
    printf("};\n");
    return 0;
}
