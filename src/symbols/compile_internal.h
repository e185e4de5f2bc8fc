/* What the files of compile share: the code so far, and the type of what a tree has left on the
 * stack. */
#ifndef SYMBOLS_COMPILE_INTERNAL_H
#define SYMBOLS_COMPILE_INTERNAL_H

#include "symbols/values_internal.h"

enum { CODE_MOST = 60000 };

enum code {
    CODE_FLOAT = 0x01, CODE_ADD = 0x02, CODE_SUB, CODE_MUL, CODE_DIV_SIGNED, CODE_DIV_UNSIGNED,
    CODE_REM_SIGNED,
    CODE_REM_UNSIGNED, CODE_LSH, CODE_RSH_SIGNED, CODE_RSH_UNSIGNED,
    CODE_LOG_NOT = 0x0e, CODE_AND, CODE_OR, CODE_XOR, CODE_NOT, CODE_EQUAL, CODE_LESS_SIGNED,
    CODE_LESS_UNSIGNED, CODE_EXT, CODE_REF8, CODE_REF16, CODE_REF32, CODE_REF64,
    CODE_IF_GOTO = 0x20, CODE_GOTO, CODE_CONST8, CODE_CONST16, CODE_CONST32, CODE_CONST64, CODE_REG,
    CODE_END, CODE_DUP, CODE_POP, CODE_ZERO_EXT, CODE_SWAP, CODE_PICK = 0x32,
};

/* Follows CODE_FLOAT: engine/plan/bytecode.h. */
enum code_float {
    CODE_FROM_SINGLE = 1, CODE_ROUND_SINGLE, CODE_FROM_SIGNED, CODE_FROM_UNSIGNED, CODE_TO_SIGNED,
    CODE_FLOAT_ADD = 16, CODE_FLOAT_SUB, CODE_FLOAT_MUL, CODE_FLOAT_DIV, CODE_FLOAT_EQUAL,
    CODE_FLOAT_LESS,
    CODE_FLOAT_NOT_MORE,
};

/* What a tree has left on the stack; a float is there as a double. */
struct operand {
    struct type *type;
    bool is_address;          /* the item is its address, not its value */
    u32 bit_offset, bit_size;
};

struct compiler {
    struct evaluation *v;
    struct list code; /* u8 */
    u64 pc;
    bool fixed;
    u64 last_constant; /* the constant that was pushed last, if the code ends with it: */
    size_t constant_start, constant_end;
};

/* --- compile_code.c --------------------------------------------------------------------------- */

void code_byte(struct compiler *c, u64 value);
void code_bytes(struct compiler *c, u64 value, unsigned count); /* most significant byte first */
void code_constant(struct compiler *c, u64 value);
void code_add(struct compiler *c, i64 value); /* adds to the item on top */
void code_float(struct compiler *c, enum code_float op);
/* code_jump emits a jump whose target is not known yet; code_land sets the target to here. */
size_t code_jump(struct compiler *c, enum code code);
void code_land(struct compiler *c, size_t at);
/* By DWARF's register number. */
struct error *code_register(struct compiler *c, u64 number);
/* Truncates and extends the top item to an integral type. */
void code_truncate(struct compiler *c, const struct type *plain);
/* Replaces an address by the value there. Arrays and functions become pointers, floats become
 * doubles. */
struct error *code_load(struct compiler *c, struct operand *o);
/* Replaces a reference by what it refers to. */
struct error *code_refer(struct compiler *c, struct operand *o);
/* Converts the top item from the bits of a floating-point type to a double. */
void code_widen(struct compiler *c, const struct type *plain);
/* code_to_double converts a number to a double, code_from_double a double to a number of the
 * type. */
void code_to_double(struct compiler *c, const struct type *plain);
void code_from_double(struct compiler *c, const struct type *plain);
/* Makes the top item 0 if it is false, and only then. */
void code_truth(struct compiler *c, const struct operand *o);

/* --- compile_place.c -------------------------------------------------------------------------- */

struct error *place_name(struct compiler *c, const struct tree *t, struct operand *ret);
void place_number(struct compiler *c, struct number n);
struct error *place_register(struct compiler *c, const char *text, struct operand *ret);
/* Selects a member of the struct whose address is on the stack. */
struct error *place_member(struct compiler *c, struct operand *o, const char *name,
                           struct operand *ret);

#endif
