/* The sources of a packed recording, as files for a debugger that reads them itself. */
#ifndef FRONT_PACKED_SOURCES_H
#define FRONT_PACKED_SOURCES_H

#include "log/recording.h"

/* Writes the sources below `directory`, which must not exist yet, by their full names:
 * DIRECTORY/home/me/x.c. Files that cannot be written are left out. Does nothing if the recording
 * is not packed or has no sources. */
void packed_sources_unpack(const struct recording *rec, const char *directory);

/* Removes the directory and its contents, if it exists. */
void packed_sources_remove(const char *directory);

#endif
