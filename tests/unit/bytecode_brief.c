/* Brief conditions: what is taken for one, and that they answer as bytecode_run() does.
 *
 * unit: src/engine/plan/bytecode.c src/engine/plan/bytecode_brief.c src/engine/plan/bytecode_float.c src/base/assert.c src/base/complain.c
 *
 * Rows, then random code of the opcodes that brief ones are made of: whatever is taken for a brief
 * one must come to what running it comes to.
 */
#include <stdio.h>
#include <string.h>

#include "engine/plan/bytecode.h"
#include "engine/plan/bytecode_brief.h"

enum {
    ADD = 2, SUB, MUL, DIVS, DIVU, REMS, REMU, LSH, RSHS, RSHU, TRACE, TRACEQ, NOT, AND, OR, XOR,
    INV, EQ, LTS, LTU, EXT, REF8, REF16, REF32, REF64,
    IFGOTO = 0x20, GOTO, C8, C16, C32, C64, REG, END, DUP, POP, ZEXT, SWAP,
};

enum { TURNS = 200000, CODE_MOST = 48, BRIEF_LEAST = 1000 };

static u64 state = 1;
static u8 memory[16]; /* at 0x1000 */

static u64 draw(u64 below)
{
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % below;
}

static bool read_memory(u64 address, u32 size, u64 *ret)
{
    if (address < 0x1000 || address + size > 0x1000 + sizeof(memory))
        return false;
    *ret = 0;
    memcpy(ret, memory + (address - 0x1000), size);
    return true;
}

static bool read_register(u32 number, u64 *ret)
{
    *ret = number;
    return true;
}

static const struct bytecode_host host = {read_memory, read_register};

#define CODE(...) (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__})
#define AT C16, 0x10, 0

static const struct {
    const char *name;
    const u8 *code;
    u32 size;
    bool is_brief;
} rows[] = {
    {"negative",            CODE(C64, 0, 0, 0, 0, 0, 0, 0x10, 0, REF64, C8, 0, LTS, END), true},
    {"an int, as compiled", CODE(AT, REF32, EXT, 32, C8, 5, SWAP, EXT, 32, SWAP, EXT, 32, EQ, END), true},
    {"the number first",    CODE(C8, 5, AT, REF32, EXT, 32, LTS, END), true},
    {"unequal",             CODE(AT, REF8, C8, 5, EQ, NOT, END), true},
    {"a bit",               CODE(AT, REF8, C8, 4, AND, END), true},
    {"the word itself",     CODE(AT, REF8, END), true},
    {"an element",          CODE(AT, C8, 3, C8, 4, MUL, ADD, REF8, END), true},
    {"a register",          CODE(REG, 0, 7, REF8, END), false},
    {"two words",           CODE(AT, REF8, AT, REF8, EQ, END), false},
    {"the word as address", CODE(AT, REF64, REF8, END), false},
    {"the word twice",      CODE(AT, REF8, DUP, MUL, END), false},
    {"no word",             CODE(C8, 1, END), false},
    {"the word is below",   CODE(AT, REF8, C8, 1, END), false},
    {"a quotient",          CODE(AT, REF8, C8, 2, DIVU, END), false},
    {"an extension of 0",   CODE(AT, REF8, EXT, 0, END), false},
    {"no end",              CODE(AT, REF8), false},
    {"an operand cut",      CODE(AT, REF8, C16, 1), false},
    {"a branch",            CODE(AT, REF8, IFGOTO, 0, 0, C8, 1, END), false},
    {"too few items",       CODE(AT, REF8, ADD, END), false},
};

static bool agrees(const struct brief *b, const u8 *code, u32 size)
{
    u64 wanted = 0, word, got = 0;
    bool came = bytecode_run(code, size, &host, &wanted);
    bool brief_came = read_memory(b->address, b->size, &word);
    if (brief_came)
        got = brief_value(b, word);
    return came == brief_came && (!came || got == wanted);
}

static bool check_rows(void)
{
    bool fine = true;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        struct brief b;
        bool is_brief = brief_read(rows[n].code, rows[n].size, &b);
        if (is_brief == rows[n].is_brief && (!is_brief || agrees(&b, rows[n].code, rows[n].size)))
            continue;
        printf("FAIL bytecode_brief: %s: %s\n", rows[n].name, is_brief ? "is brief" : "is not brief");
        fine = false;
    }
    return fine;
}

static u32 add_constant(u8 *code, u32 at)
{
    u32 bytes = 1u << draw(4);
    code[at++] = (u8)(bytes == 1 ? C8 : bytes == 2 ? C16 : bytes == 4 ? C32 : C64);
    while (bytes--)
        code[at++] = (u8)(draw(3) ? draw(256) : draw(2) * 0xff);
    return at;
}

/* The word, perhaps below a constant, then any opcodes that may follow. */
static u32 draw_code(u8 *code)
{
    static const u8 ops[] = {ADD, SUB, MUL, LSH, RSHS, RSHU, NOT, AND, OR, XOR, INV, EQ, LTS, LTU, SWAP, EXT, ZEXT,
                             DIVS, DUP, POP, REF8, REG};
    u32 at = draw(3) ? 0 : add_constant(code, 0);
    code[at++] = C16;
    code[at++] = 0x10;
    code[at++] = (u8)draw(12);
    code[at++] = (u8)(REF8 + draw(4));
    for (u64 more = draw(6); more--;) {
        if (draw(2))
            at = add_constant(code, at);
        u8 op = ops[draw(sizeof(ops) - (draw(8) ? 5 : 0))];
        code[at++] = op;
        if (op == EXT || op == ZEXT)
            code[at++] = (u8)draw(70);
    }
    code[at++] = END;
    return at;
}

static bool check_random(void)
{
    u64 brief_count = 0;
    for (int turn = 0; turn < TURNS; turn++) {
        u8 code[128];
        struct brief b;
        u32 size = draw_code(code);
        for (size_t n = 0; n < sizeof(memory); n++)
            memory[n] = (u8)(draw(3) ? draw(256) : draw(2) * 0xff);
        if (!brief_read(code, size, &b))
            continue;
        brief_count++;
        if (agrees(&b, code, size))
            continue;
        printf("FAIL bytecode_brief: random code number %d\n", turn);
        return false;
    }
    if (brief_count < BRIEF_LEAST)
        printf("FAIL bytecode_brief: only %lu were brief\n", (unsigned long)brief_count);
    return brief_count >= BRIEF_LEAST;
}

/* Reads any bytes, cut off anywhere: the sanitizer, or the system, reports an access outside of
 * them. */
static void read_random(void)
{
    for (int turn = 0; turn < TURNS; turn++) {
        u8 code[CODE_MOST];
        struct brief b;
        u32 size = (u32)draw(CODE_MOST);
        for (u32 n = 0; n < size; n++)
            code[n] = (u8)draw(0x36);
        if (brief_read(code, size, &b))
            agrees(&b, code, size);
    }
}

int main(void)
{
    bool fine = check_rows() && check_random();
    read_random();
    if (fine)
        printf("ok bytecode_brief\n");
    return !fine;
}
