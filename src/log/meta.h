/* The text of a recording's meta file, made and read.  Hosted. */
#ifndef LOG_META_H
#define LOG_META_H

#include "base/error.h"
#include "log/recording.h"

/* The text, to be freed. */
char *meta_print(const struct recording_meta *meta);

/* Reads `text` into zeroed *ret, which owns strings even after an error. */
struct error *meta_parse(const char *text, struct recording_meta *ret);

/* Does the text claim to be that of a recording at all? */
bool meta_recognise(const char *text);

/* A string as it stands in the file, with \xHH for what would disturb a line; and back, of `length`
 * bytes.  Both to be freed. */
char *meta_escape(const char *value);
char *meta_unescape(const char *value, size_t length);

void meta_deinit(struct recording_meta *meta);

#endif
