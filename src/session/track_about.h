/* Describes a track in words, for a list of tracks. */
#ifndef SESSION_TRACK_ABOUT_H
#define SESSION_TRACK_ABOUT_H

#include "log/recording.h"

/* "pid 17, forked from track 0 at tick 5: ./program its arguments". If the track cannot be read,
 * says why. The caller frees the text. */
char *track_about(const struct recording *rec, u32 track);

/* What its program was started with.  Strings with a zero after each, and a path; both to be
 * freed, "" if it is not known. */
struct error *track_about_start(const struct recording *rec, u32 track, char **ret_arguments,
                                size_t *ret_size, char **ret_directory);

/* Returns an error if the recording has no such track. */
struct error *track_about_check(const struct recording *rec, u32 track);

#endif
