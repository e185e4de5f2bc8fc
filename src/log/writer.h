/* Writes one track: events go in, chunks come out.  Hosted. */
#ifndef LOG_WRITER_H
#define LOG_WRITER_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"

struct writer;

/* Makes `name` in the directory `dir` (a descriptor), which must not be there, private to its
 * owner. Magic, version and checksum of the header are filled in here. */
struct error *writer_open(int dir, const char *name, const struct format_file *header,
                          struct writer **ret);

/* Room for events, at least CHUNK_RAW_WANTED bytes; valid until the writer is called again. */
u8 *writer_room(struct writer *w);

/* Whole, well-formed events have been put there; perhaps a chunk is written.  `hurry`: compress
 * quickly rather than well. */
struct error *writer_commit(struct writer *w, u64 size, bool hurry);

/* Writes what has been committed and not yet written. */
struct error *writer_flush(struct writer *w);

/* Ends the file with this event, until something else is written: the process is known to have
 * come that far.  Everything committed has been flushed.  A failure leaves the file without it. */
void writer_tail(struct writer *w, const struct event *e);

/* Flushes, and writes that this was all.  Destroys in any case. */
struct error *writer_close(struct writer *w);

/* Gives up: what was written stays, marked by nothing.  Accepts NULL. */
void writer_destroy(struct writer *w);

u64 writer_events(const struct writer *w);
u64 writer_raw(const struct writer *w);     /* bytes committed */
u64 writer_stored(const struct writer *w);  /* bytes in the file */
u64 writer_pending(const struct writer *w); /* bytes committed and not yet in the file */

#endif
