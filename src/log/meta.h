/* Writes and parses the text of a recording's meta file. Hosted. */
#ifndef LOG_META_H
#define LOG_META_H

#include "base/error.h"
#include "log/recording.h"

/* Returns the text; the caller frees it. */
char *meta_print(const struct recording_meta *meta);

/* Parses `text` into zeroed *ret, which owns its strings even after an error. */
struct error *meta_parse(const char *text, struct recording_meta *ret);

/* True if the text looks like the meta file of a recording. */
bool meta_recognise(const char *text);

/* Converts a string to its form in the file, with \xHH for special bytes; and back, from `length`
 * bytes. The caller frees both. */
char *meta_escape(const char *value);
char *meta_unescape(const char *value, size_t length);

void meta_deinit(struct recording_meta *meta);

#endif
