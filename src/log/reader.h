/* Reads one track, event by event, and checks everything that it returns. Hosted.
 *
 * A file can be cut off (the recorder was killed, or is still writing): then all complete chunks
 * are read, and reader_cut() says so. If the file is damaged, there is an error at that place; the
 * events before it were good.
 */
#ifndef LOG_READER_H
#define LOG_READER_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"

struct reader;

/* `dir` is a descriptor, or AT_FDCWD. */
struct error *reader_open(int dir, const char *name, struct reader **ret);
/* Opens a track that is `size` bytes at `at` of the file open as `fd`, which the caller keeps. */
struct error *reader_open_part(int fd, u64 at, u64 size, const char *name, struct reader **ret);
void reader_close(struct reader *r); /* accepts NULL */

/* Valid as long as the reader. */
const struct format_file *reader_header(const struct reader *r);

/* Returns the next event, valid until the next call; NULL at the end. It was checked by
 * event_malformed(). After an error there are no more events. */
struct error *reader_next(struct reader *r, const struct event **ret);

/* At the end: NULL, or a text that says where the track was cut off. */
const char *reader_cut(const struct reader *r);

/* For the last event of reader_next: its number from 0 in the track, and its time in nanoseconds
 * since 1970 (0 if not known yet). */
u64 reader_number(const struct reader *r);
u64 reader_time(const struct reader *r);

/* Totals so far: chunks, bytes of the events, bytes of the file. */
struct reader_figures {
    u64 events, chunks, raw, stored;
};
struct reader_figures reader_figures(const struct reader *r);

#endif
