/* What the files about recordings share. */
#ifndef LOG_RECORDING_INTERNAL_H
#define LOG_RECORDING_INTERNAL_H

#include "log/recording.h"

/* Files that were read and verified: see recording_file.c. */
struct recording_sound *recording_sound_create(void);
void recording_sound_destroy(struct recording_sound *s); /* accepts NULL */

/* Names in a recording's directory, and in files/ of it. */
bool recording_names_log(const char *name);
bool recording_names_copy(const char *name);

#endif
