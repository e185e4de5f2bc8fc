/* The shape of the decoder's table; decode_table.c holds its content.
 *
 * An instruction is found by three facts.  Its *space*: the encoding and opcode map, for
 * VEX and EVEX the mandatory prefix as well.  Its opcode.  Its *variant*: what else changes
 * its meaning (prefixes, W, vector length, broadcast).  decode_rows[space][opcode] is the
 * place of a row of cells, one for each variant.  A cell names a form, or another run of
 * cells to be chosen from by ModRM.
 *
 * The table is made by `make opcodes` (tools/opcodes-x86_64.c), and not edited.
 */
#ifndef ENGINE_DECODE_TABLE_H
#define ENGINE_DECODE_TABLE_H

#include "base/types.h"

enum decode_space {
    SPACE_LEGACY = 0, /* + 0..3: one byte, 0F, 0F38, 0F3A */
    SPACE_VEX = 4,    /* + 4 * (map - 1) + pp, maps 1..3 */
    SPACE_XOP = 16,   /* + map - 8, maps 8..10 */
    SPACE_EVEX = 19,  /* + 4 * slot + pp, slots 0..4 for maps 1, 2, 3, 5, 6 */
    SPACES = 39,
};

/* Variants: legacy (F3: 1, F2: 2) * 4 + 66 * 2 + W; VEX and XOP W * 2 + L;
 * EVEX b * 8 + W * 4 + LL. */
enum { VARIANTS_LEGACY = 12, VARIANTS_VEX = 4, VARIANTS_EVEX = 16 };

/* A cell: two bits of what it is, and which.  Runs of cells start at multiples of CELL_ALIGN. */
enum {
    CELL_FORM = 0x0000,  /* decode_forms[] */
    CELL_GROUP = 0x4000, /* sixteen cells: (mod == 3) * 8 + reg */
    CELL_RM = 0x8000,    /* eight cells: rm */
    CELL_KIND = 0xc000,
    CELL_INDEX = 0x3fff,
    CELL_ALIGN = 4,
};

enum { /* bits of decode_form.roles: of those fields that name general registers */
    ROLE_VVVV_READ = 1,
    ROLE_VVVV_WRITTEN = 2,
    ROLE_REG_BYTE = 4, /* 8 bits wide: without REX, 4..7 are ah ch dh bh */
    ROLE_RM_BYTE = 8,
};

enum { /* what an encoding states; a form refuses some of it */
    STATES_B = 0x0001,
    STATES_X = 0x0002,
    STATES_R = 0x0004,
    STATES_R2 = 0x0008,            /* EVEX.R' */
    STATES_V2 = 0x0010,            /* EVEX.V' */
    STATES_VVVV_HIGH = 0x0020,     /* register 8..15 in vvvv */
    STATES_VVVV_LOW = 0x0040,      /* not 0 or 8 in vvvv */
    STATES_MASK = 0x0080,          /* EVEX.aaa not 0 */
    STATES_NO_MASK = 0x0100,       /* EVEX.aaa 0 */
    STATES_ZERO = 0x0200,          /* EVEX.z with a mask */
    STATES_ZERO_NO_MASK = 0x0400,  /* EVEX.z without */
    STATES_LOCK = 0x0800,
    STATES_FORM = 0x1000,          /* always; refused where there is no such form */
};

enum { /* bits of decode_form.parts */
    PART_MODRM = 1,
    PART_REP = 2, /* a string instruction that is repeated */
};

/* What is kept of the sign-extended first immediate; decode_form.immediate_mask. */
enum { IMMEDIATE_NONE, IMMEDIATE_SIGNED, IMMEDIATE_U8, IMMEDIATE_U16, IMMEDIATE_U32 };

enum { /* bits of decode_form.special: what a table cannot say */
    SPECIAL_SHIFT = 0x01,            /* shifts by an immediate: flags depend on the count */
    SPECIAL_NOP = 0x02,              /* 90: with REX.B it is xchg */
    SPECIAL_SUFFIX = 0x04,           /* 3DNow: the opcode stands last */
    SPECIAL_OFFSET = 0x08,           /* the immediate is an address: 8 bytes, 4 with 67 */
    SPECIAL_REG_IS_NOT_RM = 0x10,    /* (or is not the vector index) or #UD */
    SPECIAL_REG_IS_NOT_VVVV = 0x20,
    SPECIAL_VVVV_IS_NOT_RM = 0x40,
    SPECIAL_NO_MEMORY = 0x80,        /* mov to cr0 ...: mod is not looked at */
};

/* Pairs are for an encoding without and with a memory operand by ModRM.  Uses of registers
 * have those read in the low half, those written in the high half: for a field the bits
 * 0 and 16, to be shifted by the number in the field. */
struct decode_form {
    u8 kind; /* enum insn_kind */
    u8 special;
    u8 parts;
    u8 roles;
    u8 immediate_size;  /* all immediates */
    u8 immediate_shift; /* 64 less the bits of the first, modulo 64 */
    u8 immediate_mask;
    u8 scale;           /* log2 of what an 8-bit displacement is multiplied with */
    u8 flags;           /* decode_flags[] */
    u8 memory[2];       /* MEMORY_* */
    u16 memory_size[2];
    u16 refused[2];     /* STATES_* */
    u32 reg_use;        /* of ModRM.reg */
    u32 rm_use;         /* of ModRM.rm; without ModRM, of the low bits of the opcode */
    u32 other_use;      /* of registers that no field names */
};

/* What does not exist: known by the opcode, or only with ModRM. */
enum { FORM_INVALID = 0, FORM_INVALID_MODRM = 1 };

struct decode_flag_use {
    u16 read;
    u16 written;
    u16 undefined;
    u16 may_write;
};

extern const u16 decode_rows[SPACES][256]; /* in units of CELL_ALIGN */
extern const u16 decode_cells[];
extern const struct decode_form decode_forms[]; /* see FORM_* */
extern const struct decode_flag_use decode_flags[];
extern const u32 decode_3dnow[8]; /* bits: suffixes that exist */

#endif
