/* The guest's vector and x87 state, in the processor and in memory.
 *
 * The engine is compiled without vector registers, so those in the processor are always the
 * guest's. In memory the state has the standard (not the compacted) form of `xsave`, with the
 * features that the guest sees.
 */
#ifndef ENGINE_VECTOR_H
#define ENGINE_VECTOR_H

#include "base/registers.h"
#include "base/types.h"

struct touch_vectors;

enum {
    VECTOR_X87 = XSAVE_BIT(XSAVE_X87),
    VECTOR_SSE = XSAVE_BIT(XSAVE_SSE),
    VECTOR_AVX = XSAVE_BIT(XSAVE_AVX),
    VECTOR_PKRU = XSAVE_BIT(XSAVE_PKRU),
};

/* The structure at XSAVE_HEADER. */
struct vector_header {
    u64 present;
    u64 compacted;
    u64 reserved[6];
};

struct vector_shape {
    u64 features; /* features that the guest sees, as bits of XCR0; 0: the processor has no xsave */
    u64 known;      /* XCR0 as the guest sees it: other bits in the header of a frame are refused */
    /* features that the processor has and that are saved: a guest may use what it does not see */
    u64 kept;
    u32 size;       /* size of an image with the visible features; the others follow */
    u32 mxcsr_mask; /* bits that may be set */
};

extern struct vector_shape vector_shape;

void vector_start(void);

/* A replay: the guest saw these features and this mask on another machine. */
void vector_limit(u64 features, u32 mxcsr_mask);

/* `image` is aligned to 64 bytes and has VECTOR_STATE_MAX bytes. */
void vector_save(void *image);

/* The processor may or may not mark a feature as present when it has its initial values, depending
 * on past context switches. Marks only those that differ from their initial values, for an image
 * that the guest sees. */
void vector_settle(void *image);

/* The x87 unit remembers its last instruction, with its address in the code cache and that of its
 * operand. AMD processors forget it when the kernel switches to another process and back, unless an
 * exception is pending, since xsave leaves it out then. So it is shown as forgotten (zeros)
 * whenever that is possible. With an exception pending, only selectors are lost.
 *
 * The forms in which it is stored: */
enum x87_form {
    X87_SHORT_ENVIRONMENT, /* fnstenv, fnsave with operands of 16 bits */
    X87_ENVIRONMENT,
    X87_IMAGE,             /* fxsave, xsave */
    X87_WIDE_IMAGE,        /* the same with addresses of 64 bits */
    X87_SETTLED_MOST = 26,
};

/* The number of bytes from the start that are affected, at most X87_SETTLED_MOST. */
u64 vector_x87_size(enum x87_form form);
/* Applies that to such bytes; false if nothing changed. */
bool vector_settle_x87(u8 *bytes, enum x87_form form);

/* The guest has just saved its state at `at`, requesting `features`: makes the result depend only
 * on the registers. What xsavec left out because of past context switches is written, too. */
void vector_settle_saved(u64 at, u64 features, bool compacted);

/* True if the engine must emulate the guest's xsave, because the processor would save more than the
 * guest sees. */
bool vector_stores(void);
/* The number of bytes that xsavec writes for these features. */
u64 vector_compacted_size(u64 features);
/* Does it: saves `features` at `at`, in the compacted form or not, with addresses of 64 bits
 * (`wide`) or 32. False: it could not be written, and *fault is where. */
bool vector_store(u64 at, u64 features, bool compacted, bool wide, u64 *fault);
/* Replaces the machine's mask in what fxsave wrote at `at` by the guest's. */
void vector_mend_mask(u64 at);

/* Loads `features` of the image; those that it does not contain get their initial values. False,
 * and nothing is changed, if the processor would refuse it. */
bool vector_restore(const void *image, u64 features);

/* Splits an image into registers and masks, each in one piece. */
void vector_spread(const void *image, struct touch_vectors *ret);

/* Sets the state in which a program, and a signal handler, begins. */
void vector_reset(void);

#endif
