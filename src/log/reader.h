/* Reads one track, event by event, and believes nothing that it has not checked.  Hosted.
 *
 * A file can be cut (the recorder was killed, or is still at it): then all whole chunks are read
 * and reader_cut tells.  A file that is not as it was written is an error at the place where that
 * shows; what came before it was good.
 */
#ifndef LOG_READER_H
#define LOG_READER_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"

struct reader;

/* `dir` is a descriptor, or AT_FDCWD. */
struct error *reader_open(int dir, const char *name, struct reader **ret);
/* A track that is `size` bytes at `at` of the file open as `fd`, which is lent for this call. */
struct error *reader_open_part(int fd, u64 at, u64 size, const char *name, struct reader **ret);
void reader_close(struct reader *r); /* accepts NULL */

/* Valid as long as the reader. */
const struct format_file *reader_header(const struct reader *r);

/* The next event, valid until the reader moves; NULL at the end.  All of event_malformed's checks
 * have been made. After an error there is nothing more to be had. */
struct error *reader_next(struct reader *r, const struct event **ret);

/* At the end: NULL, or that and where the track was cut. */
const char *reader_cut(const struct reader *r);

/* Of the event that reader_next gave last: its number from 0 in the track, and when it was, in
 * nanoseconds since 1970 (0 if the track has not said). */
u64 reader_number(const struct reader *r);
u64 reader_time(const struct reader *r);

/* So far: chunks, bytes of the events, bytes of the file. */
struct reader_figures {
    u64 events, chunks, raw, stored;
};
struct reader_figures reader_figures(const struct reader *r);

#endif
