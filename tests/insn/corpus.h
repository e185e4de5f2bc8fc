/* The corpus: the file that names every case of the instruction test.
 *
 * `insn-make` writes it, `insn-run` executes it (natively, and on the engine), `insn-judge`
 * compares what came out.  A case is a few bytes of code and a list of fixes; all that the
 * fixes do not name (registers, flags, vector and x87 state, memory) is drawn from the seed
 * and the number of the case, so a case gives the same result alone as among others.
 *
 * Cases come in batches.  A batch is one image of code, written to fresh pages before its
 * first case runs and never touched again, so that a translator is not made to throw its
 * work away for each case.  A batch lies at one of two places, a low and a high one: each
 * has its code and its data, near enough to each other for rip-relative operands.
 *
 *   place + 0         code, whole pages: the exits, the cases, the exits once more
 *         + 0x1ff000  a page that can only be read
 *         + 0x200000  the data: DATA_SIZE bytes, all drawn anew for each case
 *         + 0x202000  to the end of the place: no access
 *
 * The file: struct corpus_header, then batches, cases, fixes and code images, at the offsets
 * that the header gives.
 */
#ifndef TESTS_INSN_CORPUS_H
#define TESTS_INSN_CORPUS_H

#include "base/registers.h"
#include "base/types.h"

#define CORPUS_MAGIC 0x3130736e69626265ul

#define PLACE_SIZE     0x400000ul
#define PLACE_CODE_MAX 0x180000ul
#define PLACE_DATA     0x200000ul
#define DATA_SIZE      0x2000ul
#define DATA_READ_ONLY 0x1000ul  /* as many bytes below the data */

/* Where fs and gs point, from the start of the data. */
#define DATA_FS 0x400ul
#define DATA_GS 0x700ul

#define EXITS      4
#define EXIT_BYTES 16  /* jmp [rip], then the address it goes to */
#define EDGE_BYTES 32  /* the last bytes of the code, after the exits at its end: see flow.c */

/* Where the second set of exits is, in code of the given size. */
static inline u32 exits_at_end(u32 code_size)
{
    return code_size - EDGE_BYTES - EXITS * EXIT_BYTES;
}

enum place { PLACE_LOW, PLACE_HIGH, PLACES };

/* What the state of a case has that chance has not given it. */
enum fix_op {
    FIX_GPR,       /* register reg is value */
    FIX_MEMORY,    /* size bytes of value at off in the data */
    FIX_AND,       /* u64 at off in the data is masked with value */
    FIX_INDEX,     /* vector register reg holds small indices, size bytes each */
    FIX_XSAVE,     /* a valid xsave image at off in the data */
    FIX_MASKED,    /* no floating-point exception is unmasked */
    FIX_OR_ZERO,   /* afterwards: size bytes at off in the data may be value, or 0 */
};

/* Bits of corpus_case.flags. */
#define CASE_BASES  1  /* changes the fs or gs base: look at it, and put it back */
#define CASE_SIGNAL 2  /* of a fault only the signal is compared: the rest is the vendor's choice */

struct corpus_fix {
    u8 op, reg, size, unused;
    u32 off;
    u64 value;
};

struct corpus_case {
    u32 entry, end;  /* offsets in the code of the batch */
    u32 fix, fixes;  /* the first of its fixes, how many */
    /* If a fault comes at fault_at, the flags compared are fault_flags; at any other
     * instruction, other_flags.  The rest are dead there, and a translator may have used them. */
    u32 fault_at, fault_flags, other_flags;
    u32 flags;
};

struct corpus_batch {
    u32 place, first, cases, code_size;
    u64 code;  /* offset in the file */
};

struct corpus_header {
    u64 magic, seed;
    u64 place[PLACES];
    u64 xmask;      /* the state components that are compared; 0: there is no xsave */
    u32 xoffset[8]; /* of component n, in the uncompacted format */
    u32 batches, cases, fixes, unused;
    u64 batch_at, case_at, fix_at;
};

#define XSAVE_MAX 4096

/* What a case has come to.  Zero where it does not apply. */
struct outcome {
    u64 gpr[16];
    u64 rip, rflags;
    u64 exit;    /* which exit it took, 1 to EXITS; 0: a signal */
    u64 signal, code, address, trap, error, cr2;
    u64 fs, gs;  /* with CASE_BASES */
    u8 xstate[XSAVE_MAX];
    u8 data[DATA_SIZE];
};

/* The general registers in the order of their numbers. */

#define FLAGS_ARITHMETIC 0x8d5u
#define FLAGS_DF         0x400u
#define FLAGS_TF         0x100u
#define FLAGS_RF         0x10000u

/* splitmix64: enough for drawing cases, and small enough to be the same on both sides. */
static inline u64 chance_next(u64 *state)
{
    u64 z = *state += 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ z >> 27) * 0x94d049bb133111ebul;
    return z ^ z >> 31;
}

#endif
