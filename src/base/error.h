/* Errors of the world: what was attempted, and why it did not work.
 *
 * A function that can fail returns NULL or a struct error that its caller owns.  Each level may
 * put what it was doing in front: "opening recording x: reading track 0: not a track file".
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

struct error;

__attribute__((format(printf, 1, 2))) struct error *error_new(const char *format, ...);

/* The same, with what the C library says of `number`, an errno, behind it. */
__attribute__((format(printf, 2, 3))) struct error *error_errno(int number, const char *format, ...);

/* `inner` with a sentence in front. Takes `inner`. */
__attribute__((format(printf, 2, 3)))
struct error *error_within(struct error *inner, const char *format, ...);

/* Valid as long as the error. */
const char *error_text(const struct error *err);

void error_destroy(struct error *err);

/* Says it on stderr and destroys it; returns `status`. */
int error_complain(struct error *err, int status);

#endif
