/* What commands say about a whole recording. */
#ifndef FRONT_RECORDING_TEXT_H
#define FRONT_RECORDING_TEXT_H

#include <stdio.h>

#include "base/json_text.h"
#include "log/recording.h"

/* Describes how it ended: "status 0", "SIGSEGV, core dumped", "running, or cut". The caller frees
 * it. */
char *recording_text_ending(const struct recording_meta *meta);

/* Returns the arguments, quoted for a shell. The caller frees them. */
char *recording_text_command(const struct recording_meta *meta);

/* The last component of its path. */
const char *recording_text_name(const struct recording *rec);

/* Writes the whole meta file as fields of an open JSON object. */
void recording_text_json(struct json *j, const struct recording *rec);

#endif
