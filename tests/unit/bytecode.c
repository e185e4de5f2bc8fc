/* Agent expressions: what each opcode does, and that no bytes can do harm.
 *
 * unit: src/engine/plan/bytecode.c src/engine/plan/bytecode_float.c src/base/assert.c src/base/complain.c
 *
 * Code is written in rows: numbers below 256 are bytes.  Then random bytes, of which only an end is
 * asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/plan/bytecode.h"

enum {
    ADD = 2, SUB, MUL, DIVS, DIVU, REMS, REMU, LSH, RSHS, RSHU, TRACE, TRACEQ, NOT, AND, OR, XOR,
    INV, EQ, LTS, LTU, EXT, REF8, REF16, REF32, REF64, REFFLOAT,
    IFGOTO = 0x20, GOTO, C8, C16, C32, C64, REG, END, DUP, POP, ZEXT, SWAP, GETV,
    TRACENZ = 0x2f, TRACE16, PICK = 0x32, ROT,
};

/* Memory at 0x1000, and registers that are 100 times their number. */
static const u8 memory[16] = {0xf1, 0xe2, 0xd3, 0xc4, 0xb5, 0xa6, 0x97, 0x88, 1, 2, 3, 4, 5, 6, 7, 8};

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
    *ret = number * 100;
    return number < 24;
}

static const struct bytecode_host host = {read_memory, read_register};

#define CODE(...) (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__})
#define MINUS(n) C8, n, C8, 0, SWAP, SUB /* the number -n */

static const struct {
    const char *name;
    const u8 *code;
    u32 size;
    bool fails;
    u64 wanted;
} rows[] = {
    {"const8",         CODE(C8, 0xff, END), 0, 0xff},
    {"const16",        CODE(C16, 0x12, 0x34, END), 0, 0x1234},
    {"const32",        CODE(C32, 0x12, 0x34, 0x56, 0x78, END), 0, 0x12345678},
    {"const64",        CODE(C64, 1, 2, 3, 4, 5, 6, 7, 8, END), 0, 0x0102030405060708},
    {"add",            CODE(C8, 3, C8, 4, ADD, END), 0, 7},
    {"sub",            CODE(C8, 3, C8, 4, SUB, END), 0, -1ul},
    {"mul",            CODE(MINUS(3), C8, 4, MUL, END), 0, -12ul},
    {"div_signed",     CODE(MINUS(7), C8, 2, DIVS, END), 0, -3ul},
    {"div_unsigned",   CODE(MINUS(8), C8, 2, DIVU, END), 0, 0x7ffffffffffffffc},
    {"rem_signed",     CODE(MINUS(7), C8, 2, REMS, END), 0, -1ul},
    {"rem_unsigned",   CODE(C8, 7, C8, 4, REMU, END), 0, 3},
    {"div by -1",      CODE(C64, 0x80, 0, 0, 0, 0, 0, 0, 0, MINUS(1), DIVS, END), 0, 1ul << 63},
    {"rem by -1",      CODE(C64, 0x80, 0, 0, 0, 0, 0, 0, 0, MINUS(1), REMS, END), 0, 0},
    {"div by 0",       CODE(C8, 1, C8, 0, DIVS, END), 1},
    {"rem by 0",       CODE(C8, 1, C8, 0, REMU, END), 1},
    {"lsh",            CODE(C8, 3, C8, 62, LSH, END), 0, 3ul << 62},
    {"lsh by 64",      CODE(C8, 3, C8, 64, LSH, END), 0, 0},
    {"rsh_signed",     CODE(MINUS(8), C8, 1, RSHS, END), 0, -4ul},
    {"rsh_signed 0",   CODE(MINUS(8), C8, 0, RSHS, END), 0, -8ul},
    {"rsh_signed 99",  CODE(MINUS(8), C8, 99, RSHS, END), 0, -1ul},
    {"rsh_unsigned",   CODE(MINUS(8), C8, 1, RSHU, END), 0, 0x7ffffffffffffffc},
    {"log_not",        CODE(C8, 7, NOT, END), 0, 0},
    {"log_not 0",      CODE(C8, 0, NOT, END), 0, 1},
    {"bit_and",        CODE(C8, 12, C8, 10, AND, END), 0, 8},
    {"bit_or",         CODE(C8, 12, C8, 10, OR, END), 0, 14},
    {"bit_xor",        CODE(C8, 12, C8, 10, XOR, END), 0, 6},
    {"bit_not",        CODE(C8, 12, INV, END), 0, ~12ul},
    {"equal",          CODE(C8, 12, C8, 12, EQ, END), 0, 1},
    {"not equal",      CODE(C8, 12, C8, 13, EQ, END), 0, 0},
    {"less_signed",    CODE(MINUS(1), C8, 1, LTS, END), 0, 1},
    {"less_unsigned",  CODE(MINUS(1), C8, 1, LTU, END), 0, 0},
    {"ext",            CODE(C8, 0x80, EXT, 8, END), 0, -128ul},
    {"ext positive",   CODE(C16, 0x12, 0x7f, EXT, 8, END), 0, 0x7f},
    {"ext 64",         CODE(MINUS(5), EXT, 64, END), 0, -5ul},
    {"ext 0",          CODE(C8, 1, EXT, 0, END), 1},
    {"zero_ext",       CODE(MINUS(1), ZEXT, 12, END), 0, 0xfff},
    {"zero_ext 64",    CODE(MINUS(1), ZEXT, 64, END), 0, -1ul},
    {"ref8",           CODE(C16, 0x10, 0, REF8, END), 0, 0xf1},
    {"ref16",          CODE(C16, 0x10, 1, REF16, END), 0, 0xd3e2},
    {"ref32",          CODE(C16, 0x10, 0, REF32, END), 0, 0xc4d3e2f1},
    {"ref64",          CODE(C16, 0x10, 4, REF64, END), 0, 0x040302018897a6b5},
    {"ref fails",      CODE(C16, 0x10, 13, REF32, END), 1},
    {"reg",            CODE(REG, 0, 16, END), 0, 1600},
    {"reg fails",      CODE(REG, 0, 24, END), 1},
    {"goto",           CODE(GOTO, 0, 5, C8, 1, C8, 2, END), 0, 2},
    {"goto out",       CODE(GOTO, 0xff, 0, C8, 1, END), 1},
    {"if_goto taken",  CODE(C8, 1, C8, 1, IFGOTO, 0, 9, C8, 5, END), 0, 1},
    {"if_goto not",    CODE(C8, 1, C8, 0, IFGOTO, 0, 9, C8, 5, END), 0, 5},
    {"loop ends",      CODE(C8, 9, C8, 1, SUB, DUP, IFGOTO, 0, 2, END), 0, 0},
    {"endless loop",   CODE(GOTO, 0, 0), 1},
    {"dup",            CODE(C8, 3, DUP, MUL, END), 0, 9},
    {"pop",            CODE(C8, 3, C8, 4, POP, END), 0, 3},
    {"swap",           CODE(C8, 3, C8, 4, SWAP, SUB, END), 0, 1},
    {"pick 0",         CODE(C8, 3, C8, 4, PICK, 0, END), 0, 4},
    {"pick 2",         CODE(C8, 3, C8, 4, C8, 5, PICK, 2, END), 0, 3},
    {"pick too deep",  CODE(C8, 3, PICK, 1, END), 1},
    {"rot top",        CODE(C8, 1, C8, 2, C8, 3, ROT, END), 0, 2},
    {"rot second",     CODE(C8, 1, C8, 2, C8, 3, ROT, POP, END), 0, 1},
    {"rot third",      CODE(C8, 1, C8, 2, C8, 3, ROT, POP, POP, END), 0, 3},
    {"trace",          CODE(C8, 1, C8, 2, C8, 3, TRACE, END), 0, 1},
    {"trace_quick",    CODE(C8, 1, TRACEQ, 8, END), 0, 1},
    {"trace16",        CODE(C8, 1, TRACE16, 0, 8, END), 0, 1},
    {"tracenz",        CODE(C8, 1, C8, 2, C8, 3, TRACENZ, END), 0, 1},
    {"float",          CODE(C8, 1, 1, END), 1},
    {"ref_float",      CODE(C16, 0x10, 0, REFFLOAT, END), 1},
    {"getv",           CODE(GETV, 0, 1, END), 1},
    {"printf",         CODE(C8, 1, 0x34, END), 1},
    {"opcode 255",     CODE(0xff), 1},
    {"no bytes",       (const u8 *)"", 0, 1},
    {"no end",         CODE(C8, 1), 1},
    {"empty at end",   CODE(END), 1},
    {"stack is short", CODE(C8, 1, ADD, END), 1},
    {"operand cut",    CODE(C64, 1, 2), 1},
    {"stack is full",  CODE(C8, 1, DUP, GOTO, 0, 2), 1},
    {"a member, as gdb asks", CODE(REG, 0, 7, C8, 4, POP, C16, 0x10, 0, C8, 8, ADD, REF32, EXT, 32,
                                   C32, 4, 3, 2, 1, EQ, END), 1 == 2, 1},
};

static bool check_rows(void)
{
    bool fine = true;
    for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
        u64 value = 0;
        bool came = bytecode_run(rows[n].code, rows[n].size, &host, &value);
        if (came == !rows[n].fails && (!came || value == rows[n].wanted))
            continue;
        printf("FAIL bytecode: %s: %s, 0x%lx\n", rows[n].name, came ? "a value" : "none",
               (unsigned long)value);
        fine = false;
    }
    return fine;
}

/* Runs any bytes: the sanitizer, or the system, reports an access outside of the code and the
 * stack. */
static void run_random(u64 seed)
{
    u64 state = seed * 2 + 1;
    for (int turn = 0; turn < 20000; turn++) {
        u8 *code = malloc(64);
        u32 size = (u32)(turn % 64);
        for (u32 n = 0; n < size; n++) {
            state = state * 6364136223846793005 + 1442695040888963407;
            code[n] = (u8)((state >> 33) % 0x36);
        }
        u64 value;
        bytecode_run(code, size, &host, &value);
        free(code);
    }
}

int main(void)
{
    bool fine = check_rows();
    run_random(1);
    if (fine)
        printf("ok bytecode\n");
    return !fine;
}
