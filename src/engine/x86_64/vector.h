/* The guest's vector and x87 state, in the processor and in memory.
 *
 * The engine is compiled without vector registers, so that what is in the processor is always the
 * guest's.  In memory it has the form that `xsave` gives it (the standard one, not the compacted),
 * with the features that the guest is shown.
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

/* What lies at XSAVE_HEADER. */
struct vector_header {
    u64 present;
    u64 compacted;
    u64 reserved[6];
};

struct vector_shape {
    u64 features;   /* that the guest is shown, as bits of XCR0; 0: the processor has no xsave */
    u64 known;      /* XCR0 as shown to the guest: other bits in the header of a frame are
                     * refused */
    u64 kept;       /* that the processor has and are saved: a guest may use what it is not shown */
    u32 size;       /* of an image with the features that are shown; the others follow */
    u32 mxcsr_mask; /* bits that may be set */
};

extern struct vector_shape vector_shape;

void vector_start(void);

/* A replay: the guest was shown these features and this mask on another machine. */
void vector_limit(u64 features, u32 mxcsr_mask);

/* `image` is aligned to 64 bytes and has VECTOR_STATE_MAX bytes. */
void vector_save(void *image);

/* The processor says of a feature that it is present also when it holds its first values, or not,
 * as it happened to be switched.  Says so of those alone that do not hold them, for an image that
 * is shown to the guest. */
void vector_settle(void *image);

/* The x87 unit remembers its last instruction, with the address that it had in the code cache and
 * that of its operand.  Processors of AMD forget it when the kernel switches to another process and
 * back, unless an exception is pending: xsave leaves it out then.  So it is shown as forgotten,
 * zeros, whenever it may be.  With an exception pending, only selectors are lost.
 *
 * The forms in which it is stored: */
enum x87_form {
    X87_SHORT_ENVIRONMENT, /* fnstenv, fnsave with operands of 16 bits */
    X87_ENVIRONMENT,
    X87_IMAGE,             /* fxsave, xsave */
    X87_WIDE_IMAGE,        /* the same with addresses of 64 bits */
    X87_SETTLED_MOST = 26,
};

/* How many bytes from the start on concern it, at most X87_SETTLED_MOST. */
u64 vector_x87_size(enum x87_form form);
/* Does that to such bytes; false if they were so. */
bool vector_settle_x87(u8 *bytes, enum x87_form form);

/* The guest has just saved its state at `at`, asking for `features`: makes of what is there
 * something that depends on the registers alone.  What xsavec leaves out because of how it happened
 * to be switched is written, too. */
void vector_settle_saved(u64 at, u64 features, bool compacted);

/* Must the engine do the guest's xsave, because the processor would save more than is shown? */
bool vector_stores(void);
/* Does it: saves `features` at `at`, in the compacted form or not, with addresses of 64 bits
 * (`wide`) or 32. False: it could not be written, and *fault is where. */
bool vector_store(u64 at, u64 features, bool compacted, bool wide, u64 *fault);
/* What fxsave wrote at `at` shows the mask of this machine: it gets that of the guest's. */
void vector_mend_mask(u64 at);

/* Loads `features` of the image; those that it does not hold get their first values.  False, and
 * nothing is changed, if the processor would refuse it. */
bool vector_restore(const void *image, u64 features);

/* The registers and masks of an image, each in one piece. */
void vector_spread(const void *image, struct touch_vectors *ret);

/* The state in which a program, and a signal handler, begins. */
void vector_reset(void);

#endif
