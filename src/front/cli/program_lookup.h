/* Finding the file of a program by the name a user gave, as a shell would. */
#ifndef FRONT_PROGRAM_LOOKUP_H
#define FRONT_PROGRAM_LOOKUP_H

/* 0 and the path in *ret, to be freed; or the status of a shell (126, 127) after a complaint. */
int program_lookup(const char *name, char **ret);

#endif
