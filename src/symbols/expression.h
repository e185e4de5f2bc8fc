/* DWARF expressions: compute where a variable is, or how to find a register of the caller. */
#ifndef SYMBOLS_EXPRESSION_H
#define SYMBOLS_EXPRESSION_H

#include <elfutils/libdw.h>

#include "base/types.h"

struct expression_host {
    bool (*read)(void *context, u64 address, void *to, size_t size);
    bool (*reg)(void *context, unsigned number, u64 *ret);
    /* reads a vector or x87 register; NULL: none */
    bool (*wide)(void *context, unsigned number, u8 bytes[64]);
    bool (*frame_base)(void *context, u64 *ret);                  /* NULL: none */
    bool (*cfa)(void *context, u64 *ret);                         /* NULL: none */
    bool (*tls)(void *context, u64 offset, u64 *ret);             /* NULL: none */
    /* Returns the value that an expression had at the entry of the function. */
    bool (*entry_value)(void *context, const Dwarf_Op *op, Dwarf_Attribute *attribute, u64 *ret);
    /* DW_OP_addr: converts an address in the file to one in memory; NULL: unchanged */
    bool (*address)(void *context, u64 in_file, u64 *ret);
    const u64 *object; /* the address of the object whose type has the expression; NULL: none */
    void *context;
};

enum piece_kind {
    PIECE_IN_MEMORY,
    PIECE_IN_REGISTER,
    PIECE_VALUE,
    PIECE_BYTES,
    PIECE_COMPUTED,
    PIECE_POINTER,
    PIECE_MISSING
};

/* A part of a variable. */
struct piece {
    enum piece_kind kind;
    u64 value;          /* address, register number, or the value */
    const u8 *bytes;    /* PIECE_BYTES: implicit bytes; owned by libdw */
    u8 computed[16];    /* PIECE_COMPUTED: a floating-point number; `value` is its size */
    /* PIECE_POINTER: the pointer was optimized away. It would point into this variable, at the
     * offset `value`. */
    Dwarf_Die target;
    u64 bit_size, bit_offset; /* 0: the whole piece */
};

enum { PIECES_MOST = 16 };

struct location {
    size_t count;
    struct piece pieces[PIECES_MOST];
};

/* Finds the expression of an attribute: the only one, or the one valid at an address in the file.
 * Returns 0 if found. */
int expression_of(Dwarf_Attribute *a, Dwarf_Op **ret, size_t *ret_count);
int expression_at(Dwarf_Attribute *a, u64 pc, Dwarf_Op **ret, size_t *ret_count);

/* Runs an expression. `attribute` is where the ops came from, NULL for CFI. `first` (may be NULL)
 * is pushed before. False: the result cannot be known. */
bool expression_run(const Dwarf_Op *ops, size_t count, Dwarf_Attribute *attribute,
                    const struct expression_host *host, const u64 *first, struct location *ret);

#endif
