/* The sources of a packed recording, as files for a debugger that reads them itself. */
#ifndef FRONT_PACKED_SOURCES_H
#define FRONT_PACKED_SOURCES_H

#include "log/recording.h"

/* Below `directory`, which must not be there yet, each by the whole name it had:
 * DIRECTORY/home/me/x.c. Files that cannot be written are left out. Of a recording that is not
 * packed, or has none: nothing is made. */
void packed_sources_unpack(const struct recording *rec, const char *directory);

/* Removes the directory and all in it, if it is there. */
void packed_sources_remove(const char *directory);

#endif
