/* What commands say about a whole recording. */
#ifndef FRONT_RECORDING_TEXT_H
#define FRONT_RECORDING_TEXT_H

#include <stdio.h>

#include "base/json_text.h"
#include "log/recording.h"

/* How it ended, in a few words: "status 0", "SIGSEGV, core dumped", "running, or cut". To be
 * freed. */
char *recording_text_ending(const struct recording_meta *meta);

/* The arguments as a shell would read them.  To be freed. */
char *recording_text_command(const struct recording_meta *meta);

/* The last part of its path. */
const char *recording_text_name(const struct recording *rec);

/* Fields of an open object: all of the meta file. */
void recording_text_json(struct json *j, const struct recording *rec);

#endif
