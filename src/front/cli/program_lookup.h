/* Finding the file of a program by the name a user gave, as a shell would. */
#ifndef FRONT_PROGRAM_LOOKUP_H
#define FRONT_PROGRAM_LOOKUP_H

/* Returns 0 and the path in *ret, which the caller frees; or prints an error and returns a shell's
 * status (126, 127). */
int program_lookup(const char *name, char **ret);

#endif
