/* A subject: an expression of the program's language as it was said in a frame, and what it is at
 * other moments.
 *
 * Names mean what they mean there.  A local is that of this one activation of its function: there
 * is no value before its frame begins and after it has ended.  A frame is (thread, canonical frame
 * address, the moment at which its return address was written).
 *
 * A local has no value before its frame has written it, either: what lies there then is what others
 * left on the stack.
 *
 * What lies in memory changes by stores; what is in registers, or kept elsewhere in other parts of
 * the code, is compared at the step points of the frame's function. Where the compiler has
 * optimised the value away it is unknown, and no change is reported.
 */
#ifndef QUERY_SUBJECT_H
#define QUERY_SUBJECT_H

#include "query/became.h"
#include "query/history.h"
#include "session/session.h"
#include "session/source.h"
#include "symbols/values.h"

enum { SUBJECT_SLOTS = 8 };

struct subject {
    struct session *session; /* lent, as are: */
    struct source *source;
    struct symbols *symbols; /* the source's */
    char *expression;
    char *type;              /* NULL: it has had no value yet, since: */
    char *missing;
    /* which of several symbols a name was taken for; NULL: none was in doubt */
    char *note;
    u32 thread;
    struct values_request request; /* its frames are ours */
    u32 uses;                /* VALUES_*, where it was said */
    bool is_condition;       /* a comparison or a logical expression */
    bool is_gone;            /* optimised out where it was said */
    bool is_constant;        /* it depends on nothing */
    bool in_memory;          /* it lies there, where it was said: */
    u64 address, size;
    bool is_fixed;           /* at all times */
    char number_kind;        /* value_number_kind(), where it was said */
    bool is_range;           /* it is bytes, without a type */
    bool is_bits;            /* a bit-field */
    u8 not_first, not_last;  /* of a bit-field: bits that are not its own */
    u64 cfa, return_pc, function; /* of its frame; 0: not known */
    char *function_name;     /* NULL: not known */
    u64 frame_low;           /* where the frame's part of the stack ends; 0: not known */
    struct value_source slots[SUBJECT_SLOTS]; /* what it was read from there, where it was said */
    u32 slot_count;
    u64 *points;             /* where it is looked at, if subject_is_looked_at() */
    size_t point_count;
};

/* `request` is copied, frames and all. It is an error if the expression does not parse or names
 * nothing. Missing memory is not an error: see uses. */
struct error *subject_create(struct session *s, struct source *source, u32 thread,
                             const struct values_request *request, const char *expression,
                             struct subject **ret);
/* A range of memory; `expression` is how it is called. */
struct subject *subject_of_range(struct session *s, struct source *source, const char *expression,
                                 u64 address, u64 size);
void subject_destroy(struct subject *s); /* accepts NULL */

/* Where it lies now; it may lie elsewhere later. False: nowhere. */
bool subject_memory(const struct subject *s, u64 *ret_address, u64 *ret_size);
/* It is asked about in another track; not for locals. */
struct error *subject_rebind(struct subject *s, struct session *session, struct source *source);
enum { SUBJECT_SHOWN_MOST = 4096 }; /* bytes of a value that is shown whole */

/* Has it to be looked at at statements, since no store tells of all its changes? */
bool subject_is_looked_at(const struct subject *s);
/* Of the frame that it is in: has it one that matters? */
bool subject_is_local(const struct subject *s);
bool subject_in_frame(const struct subject *s, u64 address); /* in its part of the stack */
/* The first moment of the frame, and that of the call, looking back from a moment at which it
 * lives; both are untouched if they are not found by `least`. */
struct error *subject_frame_begin(const struct subject *s, struct moment alive, struct moment least,
                                  bool *ret_found, struct moment *ret, struct moment *ret_call,
                                  bool *ret_interrupted);
/* Where the frame has ended, looking on. */
struct error *subject_frame_end(const struct subject *s, struct moment alive, struct moment most,
                                bool *ret_found, struct moment *ret, bool *ret_interrupted);
/* The store with which all slots have been written, looking on from the frame's beginning; not
 * found if there are no slots. */
struct error *subject_written(const struct subject *s, struct moment begin, struct moment most,
                              bool *ret_found, struct plan_hit *ret, bool *ret_interrupted);
/* Is the store at `at` the first to the value in its frame?  False if the value is not in the
 * frame. */
struct error *subject_is_first_write(const struct subject *s, struct moment at, bool *ret);
/* The sites that are hit there: CODE and STORE. */
enum { SUBJECT_ENDS, SUBJECT_BEGINS, SUBJECT_BOUNDS };
bool subject_bound(const struct subject *s, int which, struct breakpoint *ret);

/* For history_question and became_question: `look`, `holds`, `points`; context: struct subject.
 * Values in memory are reported as such; else its text, or why it has no value, which is no error:
 * it may have one at another moment. */
struct error *subject_look(void *context, struct history_value *ret);
struct error *subject_holds(void *context, enum became_truth *ret);
bool subject_measure(void *context, const struct history_state *state, double *ret);
struct look_points subject_points(const struct subject *s);

/* The same question for history.h: to be freed. */
char *subject_key(const struct subject *s);

/* A value as it was: a change of history.h, as the expression's type shows it; to be freed. */
char *subject_text(struct subject *s, const struct history_state *state);
char *subject_bytes_text(const struct history_state *state); /* "bytes 01020304 05"; to be freed */
/* What it is at another moment. */
struct error *subject_state_at(struct subject *s, struct moment at, struct history_state *ret);
/* Its number, for a plot; false if it is not a number. */
bool subject_number(struct subject *s, const struct history_state *state, double *ret);

/* As agent bytecode that may run anywhere while the frame lives; an error says what cannot be
 * compiled. */
struct error *subject_compile(const struct subject *s, u8 **ret, size_t *ret_size);

#endif
