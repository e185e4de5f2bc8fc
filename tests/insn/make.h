/* insn-make, inside: what its files share.
 *
 * forms.c knows which instructions there are; encode.c writes one of a form, with everything
 * that is free drawn by chance; operands.c sees to it that what it addresses is in the data;
 * single.c, sequence.c and flow.c make cases of that; maker.c collects them into a corpus.
 */
#ifndef TESTS_INSN_MAKE_H
#define TESTS_INSN_MAKE_H

#include <Zydis/Zydis.h>

#include "corpus.h"

#define INSN_MAX 15

/* --- forms.c: an instruction form, as its encoding with the operands left open --- */

enum form_encoding { FORM_LEGACY, FORM_3DNOW, FORM_XOP, FORM_VEX, FORM_EVEX };

struct form {
    u64 key;       /* the same for all instructions of this form */
    u8 encoding, map, opcode;
    u8 prefix;     /* 0 none, 1 66, 2 f3, 3 f2, 4 66 f3, 5 66 f2 */
    u8 w, l, b, z, mask;
    u8 reg, rm;    /* where they are part of the opcode */
    bool memory, has_modrm, free_reg, free_rm, free_v, vsib;
    u8 weight;     /* how many of it for one of the least */
};

struct forms {
    struct form *all;
    size_t count;
};

/* An instruction with what Zydis says of it. */
struct insn {
    u8 bytes[INSN_MAX + 9];
    u8 length;
    ZydisDecodedInstruction is;
    ZydisDecodedOperand op[ZYDIS_MAX_OPERAND_COUNT];
};

bool insn_decode(struct insn *insn, size_t available);
u64 insn_key(const struct insn *insn);
u32 insn_flags_written(const struct insn *insn);
void forms_sweep(struct forms *forms, u64 xmask);

/* --- maker.c: the corpus under construction --- */

#define BATCH_CODE  0x30000u
#define BATCH_CASES 4096u

struct list {
    void *items;
    size_t count, room;
};

struct maker {
    u64 chance;
    struct corpus_header header;
    struct list batches, cases, fixes;
    u8 *images;
    size_t image_count;

    /* the batch */
    enum place place;
    u8 *code;
    u32 cursor;

    /* the case */
    struct corpus_case now;
    u32 fixed;       /* registers that have been given a value */
    u64 value[16];
    u64 target;      /* the address of the operand that operands_settle has arranged */
    bool edge_used;  /* the batch's last bytes have their case */
};

void maker_init(struct maker *m, u64 seed, u64 low, u64 high);
void maker_write(struct maker *m, const char *path);

u64 draw(struct maker *m, u64 below);
bool one_in(struct maker *m, u64 n);
u64 draw_bits(struct maker *m);

u64 maker_base(const struct maker *m);
u64 maker_data(const struct maker *m);
u64 maker_here(const struct maker *m);

void case_begin(struct maker *m);
void case_end(struct maker *m);
void case_unfix(struct maker *m);
void emit(struct maker *m, const void *bytes, size_t n);
void emit_exit(struct maker *m, int exit);
#define EMIT(m, ...) emit(m, (const u8[]){__VA_ARGS__}, sizeof((const u8[]){__VA_ARGS__}))

void fix_gpr(struct maker *m, int reg, u64 value);
u64 fix_rsp(struct maker *m);
void fix_memory(struct maker *m, u64 address, u64 value, int size);
void fix_add(struct maker *m, struct corpus_fix fix);

/* --- encode.c --- */

/* What an instruction of a sequence must observe. */
struct rule {
    u32 bases;      /* registers it may address memory with; 0: any, in any manner */
    u32 untouched;  /* registers it must not change */
};

bool insn_draw(struct maker *m, const struct form *form, const struct rule *rule,
               struct insn *insn);

/* --- operands.c --- */

int gpr_of(ZydisRegister reg);
bool operands_settle(struct maker *m, struct insn *insn);
bool stack_is_sound(const struct maker *m);

/* --- the kinds of cases --- */

void single_make(struct maker *m, const struct form *form);
void sequence_init(const struct forms *forms);
void sequence_make(struct maker *m);
void flow_make(struct maker *m);

#endif
