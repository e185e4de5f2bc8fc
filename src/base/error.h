/* Errors: what was attempted, and why it failed.
 *
 * A function that can fail returns NULL or a struct error that its caller owns. Each level may
 * prepend what it was doing: "opening recording x: reading track 0: not a track file".
 *
 * The text is for users. Code that has to distinguish failures uses the code, which stays the same
 * when a level prepends its words.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error;

enum error_code {
    ERROR_OTHER,
    ERROR_INTERRUPTED,  /* the user interrupted it */
    ERROR_DIVERGED,     /* a replay differs from its recording */
    ERROR_UNREPLAYABLE, /* a replay is not possible here */
    ERROR_DAMAGED,      /* a file is not what it should be */
    ERROR_NOT_FOUND,    /* nothing has this name or number */
    ERROR_UNAVAILABLE,  /* it exists, but its value is not known here */
    ERROR_AMBIGUOUS,    /* several things have that name */
    ERROR_MISUSED,      /* the user's input makes no sense */
    ERROR_NO_MEMORY,
    ERROR_LOST, /* a replaying process has failed, or does not answer */
};

/* None of these returns NULL. */
__attribute__((returns_nonnull, format(printf, 1, 2)))
struct error *error_new(const char *format, ...);

__attribute__((returns_nonnull, format(printf, 2, 3)))
struct error *error_coded(enum error_code code, const char *format, ...);

/* The same, followed by the C library's text for the errno `number`. */
__attribute__((returns_nonnull, format(printf, 2, 3)))
struct error *error_errno(int number, const char *format, ...);

/* Prepends a sentence to `inner`, and takes ownership of it. */
__attribute__((returns_nonnull, format(printf, 2, 3)))
struct error *error_within(struct error *inner, const char *format, ...);

/* clang's analyser looks at one file at a time and ignores returns_nonnull: without this it follows
 * paths on which error_new() returns NULL although there was an error. A macro and not a function:
 * at some depth the analyser no longer looks into functions. */
#if defined(__clang_analyzer__) && !defined(BASE_ERROR_DEFINITIONS)
#define error_not_null(made)                                                                       \
    ({                                                                                             \
        struct error *error_made = (made);                                                         \
        if (!error_made)                                                                           \
            __builtin_unreachable();                                                               \
        error_made;                                                                                \
    })
#define error_new(...) error_not_null(error_new(__VA_ARGS__))
#define error_coded(...) error_not_null(error_coded(__VA_ARGS__))
#define error_errno(...) error_not_null(error_errno(__VA_ARGS__))
#define error_within(...) error_not_null(error_within(__VA_ARGS__))
#endif

/* Gives the error a code if it has none; accepts and returns NULL. */
struct error *error_default(struct error *err, enum error_code code);

/* Valid as long as the error. */
const char *error_text(const struct error *err);

enum error_code error_code(const struct error *err);
/* The code in the form for programs: "interrupted", "not-found". */
const char *error_code_name(enum error_code code);

void error_destroy(struct error *err);

/* Prints it on stderr and destroys it; returns `status`. */
int error_complain(struct error *err, int status);

#endif
