/* Prints one sentence on stderr, "ebb: ...", for hosted programs of the project.
 *
 * The user gets one line that says what is wrong; the caller returns the exit status.
 */
#ifndef BASE_COMPLAIN_H
#define BASE_COMPLAIN_H

/* Returns `status`, so that complaining and giving up are one statement. */
__attribute__((format(printf, 2, 3))) int complain(int status, const char *format, ...);

/* Checks that the output was really written; returns 0, or 1 after a complaint. */
int complain_if_unwritten(void);

#endif
