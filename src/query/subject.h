/* A subject: an expression that the user wrote in a frame, and its value at other moments.
 *
 * Names have the meaning that they have in that frame. A local belongs to this one call of its
 * function: it has no value before the frame begins and after it has ended. A frame is identified
 * by its thread, its canonical frame address, and the moment at which its return address was
 * written.
 *
 * A local also has no value before its frame has written it: the memory holds what other functions
 * left on the stack.
 *
 * A value in memory changes by stores. A value in registers, or in different places in different
 * parts of the code, is compared at the step points of the frame's function. Where the compiler has
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

/* The parts of its frame that an expression reads, in the order of the reads. */
struct subject_slots {
    struct value_source slot[SUBJECT_SLOTS];
    u32 count;
};

struct subject {
    struct session *session; /* the caller keeps it open, and: */
    struct source *source;
    struct symbols *symbols; /* the source's */
    char *expression;
    char *type;              /* NULL: it has had no value yet, because of: */
    char *missing;
    /* which of several symbols with the same name was taken; NULL: there was only one */
    char *note;
    u32 thread;
    struct values_request request; /* owns its frames */
    u32 uses;                /* VALUES_*, when it was made */
    bool is_condition;       /* a comparison or a logical expression */
    bool is_gone;            /* optimized out when it was made */
    bool is_constant;        /* it depends on nothing */
    bool in_memory;          /* it is in memory, when it was made: */
    u64 address, size;
    bool is_fixed;           /* it is always at this address */
    char number_kind;        /* value_number_kind(), when it was made */
    bool is_range;           /* plain bytes, without a type */
    bool is_bits;            /* a bit-field */
    /* for a bit-field: bits of the first and last byte that are not its own */
    u8 not_first, not_last;
    u64 cfa, return_pc, function; /* of the local's frame; 0: not known */
    char *function_name;     /* NULL: not known */
    u64 frame_low;           /* the low end of the frame's part of the stack; 0: not known */
    struct subject_slots slots; /* when it was made */
    u64 *points;             /* step points at which it is evaluated, if subject_is_looked_at() */
    size_t point_count;
};

/* Makes a subject. `request` is copied, including its frames. It is an error if the expression does
 * not parse or names nothing. Unmapped memory is not an error: see `uses`. */
struct error *subject_create(struct session *s, struct source *source, u32 thread,
                             const struct values_request *request, const char *expression,
                             struct subject **ret);
/* Makes a subject of a range of memory; `expression` is its name for the user. */
struct subject *subject_of_range(struct session *s, struct source *source, const char *expression,
                                 u64 address, u64 size);
void subject_destroy(struct subject *s); /* accepts NULL */

/* Returns where the value is now; it may be elsewhere later. False: not in memory. */
bool subject_memory(const struct subject *s, u64 *ret_address, u64 *ret_size);
/* Moves the subject to another track; not for locals. */
struct error *subject_rebind(struct subject *s, struct session *session, struct source *source);
enum { SUBJECT_SHOWN_MOST = 4096 }; /* maximum size of a value that is shown whole */

/* True if the value must be evaluated at statements, since stores do not show all its changes. */
bool subject_is_looked_at(const struct subject *s);
/* True if the value depends on a frame. */
bool subject_is_local(const struct subject *s);
/* true if the address is in the frame's part of the stack */
bool subject_in_frame(const struct subject *s, u64 address);
/* Adds a slot, unless it is already there or is not in the frame. */
void subject_add_slot(const struct subject *s, struct subject_slots *slots, u64 address, u64 size);
/* Finds the first moment of the frame and the moment of its call, searching back from a moment at
 * which the frame exists. Both are unchanged if they are not found after `least`. */
struct error *subject_frame_begin(const struct subject *s, struct moment alive, struct moment least,
                                  bool *ret_found, struct moment *ret, struct moment *ret_call,
                                  bool *ret_interrupted);
/* Finds where the frame has ended, searching forward. */
struct error *subject_frame_end(const struct subject *s, struct moment alive, struct moment most,
                                bool *ret_found, struct moment *ret, bool *ret_interrupted);
/* Finds the store after which all slots have been written, searching forward from the frame's
 * beginning. Not found if there are no slots. A pointer that had not been written when the subject
 * was made may have pointed anywhere. What it points to counts only once the pointer was
 * written. */
struct error *subject_written(const struct subject *s, struct moment begin, struct moment most,
                              bool *ret_found, struct plan_hit *ret, bool *ret_interrupted);
/* Sets *ret if the store at `at` is the first to the value in its frame. False if the value is not
 * in the frame. */
struct error *subject_is_first_write(const struct subject *s, struct moment at, bool *ret);
/* The sites that are hit where the frame ends (CODE) and begins (STORE). */
enum { SUBJECT_ENDS, SUBJECT_BEGINS, SUBJECT_BOUNDS };
bool subject_bound(const struct subject *s, int which, struct breakpoint *ret);

/* Functions for history_question and became_question: `look`, `holds`, `points`; their context is a
 * struct subject. A value in memory is returned as its address, any other as text. If it has no
 * value, the text says why; that is not an error, since it may have one at another moment. */
struct error *subject_look(void *context, struct history_value *ret);
struct error *subject_holds(void *context, enum became_truth *ret);
struct look_points subject_points(const struct subject *s);

/* The key that identifies the question for history.h; the caller frees it. */
char *subject_key(const struct subject *s);

/* Finds the changes in a stretch; the fields are those of struct history_question. */
struct subject_stretch {
    struct moment from, to;
    enum session_direction order;
    u64 most;
};
struct error *subject_history(struct subject *s, struct history *h,
                              const struct subject_stretch *stretch, struct history_answer *ret);

/* Returns an expression for the value of a type at an address; the caller frees it. */
char *subject_place_text(const char *type, u64 address);

/* Returns a value of a change (history.h) as text, in the expression's type; the caller frees
 * it. */
char *subject_text(struct subject *s, const struct history_state *state);
/* "bytes 01020304 05"; the caller frees it */
char *subject_bytes_text(const struct history_state *state);
/* Returns the value at another moment. */
struct error *subject_state_at(struct subject *s, struct moment at, struct history_state *ret);
/* Returns the value as a number, for a plot; false if it is not a number. */
bool subject_number(struct subject *s, const struct history_state *state, double *ret);

/* Compiles the expression to agent bytecode that is valid anywhere while the frame exists. An error
 * says what cannot be compiled. */
struct error *subject_compile(const struct subject *s, u8 **ret, size_t *ret_size);

#endif
