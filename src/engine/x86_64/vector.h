/* The guest's vector and x87 state, in the processor and in memory.
 *
 * The engine is compiled without vector registers, so that what is in the processor is always the
 * guest's.  In memory it has the form that `xsave` gives it (the standard one, not the compacted),
 * with the features that the guest is shown.
 */
#ifndef ENGINE_VECTOR_H
#define ENGINE_VECTOR_H

#include "base/types.h"

enum {
    VECTOR_LEGACY = 512,                /* what fxsave writes */
    VECTOR_MIN = VECTOR_LEGACY + 64,    /* with the header of xsave */
    VECTOR_X87 = 1,
    VECTOR_SSE = 2,
    VECTOR_PKRU = 1 << 9,
};

/* The header behind the legacy part. */
struct vector_header {
    u64 present;
    u64 compacted;
    u64 reserved[6];
};

struct vector_shape {
    u64 features;   /* saved and restored, as bits of XCR0; 0: the processor has no xsave */
    u64 known;      /* XCR0: others in a header are refused */
    u32 size;       /* of an image */
    u32 mxcsr_mask; /* bits that may be set */
};

extern struct vector_shape vector_shape;

void vector_start(void);

/* `image` is aligned to 64 bytes and has vector_shape.size bytes. */
void vector_save(void *image);

/* The processor says of a feature that it is present also when it holds its first values, or not, as it
 * happened to be switched.  Says so of those alone that do not hold them, for an image that is shown to the
 * guest. */
void vector_settle(void *image);

/* The guest has just saved its state at `at`, asking for `features`: makes of what is there something that
 * depends on the registers alone.  What xsavec leaves out because of how it happened to be switched is written, too. */
void vector_settle_saved(u64 at, u64 features, bool compacted);

/* Loads `features` of the image; those that it does not hold get their first values.  False, and
 * nothing is changed, if the processor would refuse it. */
bool vector_restore(const void *image, u64 features);

/* The state in which a program, and a signal handler, begins. */
void vector_reset(void);

#endif
