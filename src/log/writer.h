/* Writes one track: collects events into chunks. Hosted. */
#ifndef LOG_WRITER_H
#define LOG_WRITER_H

#include "base/error.h"
#include "base/types.h"
#include "log/format.h"

struct writer;

/* Makes `name` in the directory `dir` (a descriptor), which must not exist yet, accessible only to
 * its owner. Fills in magic, version and checksum of the header. */
struct error *writer_open(int dir, const char *name, const struct format_file *header,
                          struct writer **ret);

/* Returns room for events, at least CHUNK_RAW_WANTED bytes; valid until the next call. */
u8 *writer_room(struct writer *w);

/* The caller has put `size` bytes of whole, well-formed events there; a chunk may be written.
 * `hurry`: compress fast rather than well. */
struct error *writer_commit(struct writer *w, u64 size, bool hurry);

/* Writes the committed events that are not yet in the file. */
struct error *writer_flush(struct writer *w);

/* Ends the file with this event until something else is written: the process is known to have come
 * that far. Everything committed was flushed before. If it fails, the file is without it. */
void writer_tail(struct writer *w, const struct event *e);

/* Flushes, and marks the file as complete. Destroys the writer in any case. */
struct error *writer_close(struct writer *w);

/* Gives up: what was written stays, without an end mark. Accepts NULL. */
void writer_destroy(struct writer *w);

u64 writer_events(const struct writer *w);
u64 writer_raw(const struct writer *w);     /* bytes committed */
u64 writer_stored(const struct writer *w);  /* bytes in the file */
u64 writer_pending(const struct writer *w); /* bytes committed but not yet in the file */

#endif
