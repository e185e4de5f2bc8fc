/* Errors of the world: what was attempted, and why it did not work.
 *
 * A function that can fail returns NULL or a struct error that its caller owns.  Each level may
 * put what it was doing in front: "opening recording x: reading track 0: not a track file".
 *
 * The text is for people.  A program that has to tell one kind of failure from another asks for the
 * code, which stays the same when a level puts its words in front.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error;

enum error_code {
    ERROR_OTHER,
    ERROR_INTERRUPTED,  /* the user asked for it */
    ERROR_DIVERGED,     /* a replay differs from its recording */
    ERROR_UNREPLAYABLE, /* a replay is not possible here */
    ERROR_DAMAGED,      /* a file is not what it should be */
    ERROR_NOT_FOUND,    /* there is nothing of that name or number */
    ERROR_UNAVAILABLE,  /* it exists, but its value is not known here */
    ERROR_AMBIGUOUS,    /* several things have that name */
    ERROR_MISUSED,      /* the user's words make no sense */
    ERROR_NO_MEMORY,
    ERROR_LOST, /* a process that replays has failed, or does not answer */
};

/* None of these returns NULL. */
__attribute__((returns_nonnull, format(printf, 1, 2)))
struct error *error_new(const char *format, ...);

__attribute__((returns_nonnull, format(printf, 2, 3)))
struct error *error_coded(enum error_code code, const char *format, ...);

/* The same, followed by the C library's text for the errno `number`. */
__attribute__((returns_nonnull, format(printf, 2, 3)))
struct error *error_errno(int number, const char *format, ...);

/* `inner` with a sentence in front. Takes `inner`. */
__attribute__((returns_nonnull, format(printf, 2, 3)))
struct error *error_within(struct error *inner, const char *format, ...);

/* clang's analyser looks at one file at a time, and does not use returns_nonnull: without this it
 * follows paths on which error_new() returns NULL although there was an error. */
#if defined(__clang_analyzer__) && !defined(BASE_ERROR_DEFINITIONS)
static inline struct error *error_not_null(struct error *err)
{
    if (!err)
        __builtin_unreachable();
    return err;
}
#define error_new(...) error_not_null(error_new(__VA_ARGS__))
#define error_coded(...) error_not_null(error_coded(__VA_ARGS__))
#define error_errno(...) error_not_null(error_errno(__VA_ARGS__))
#define error_within(...) error_not_null(error_within(__VA_ARGS__))
#endif

/* Gives the error a code if it has none; NULL stays NULL. */
struct error *error_default(struct error *err, enum error_code code);

/* Valid as long as the error. */
const char *error_text(const struct error *err);

enum error_code error_code(const struct error *err);
/* As programs read it: "interrupted", "not-found". */
const char *error_code_name(enum error_code code);

void error_destroy(struct error *err);

/* Says it on stderr and destroys it; returns `status`. */
int error_complain(struct error *err, int status);

#endif
