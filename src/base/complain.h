/* One sentence on stderr, "ebb: ...", for hosted programs of the project.
 *
 * Whatever a user did or met, they get one line that says what is wrong; the status that goes
 * with it is the caller's to return.
 */
#ifndef BASE_COMPLAIN_H
#define BASE_COMPLAIN_H

/* Returns `status`, so that complaining and giving up are one statement. */
__attribute__((format(printf, 2, 3))) int complain(int status, const char *format, ...);

/* Makes sure that what was printed has arrived; 0, or 1 after a complaint. */
int complain_if_unwritten(void);

#endif
