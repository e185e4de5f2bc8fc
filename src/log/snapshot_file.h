/* A snapshot on disk: pages and state of log/snapshot_state.h, compressed.  Hosted.
 *
 * Pages with the same content are stored once, zeros not at all.  Everything has a checksum: a
 * snapshot that is damaged is told from a whole one, and is then of no use.  docs/log-format.md
 * describes the file.
 */
#ifndef LOG_SNAPSHOT_FILE_H
#define LOG_SNAPSHOT_FILE_H

#include "base/error.h"
#include "base/types.h"

/* Whose it is, and when. */
struct snapshot_about {
    u8 id[16];      /* of the recording */
    u32 track;
    u64 tick, pc;
    u64 events_met; /* as in struct snapshot_state */
};

/* What an engine wrote, or reads: pages, and from `state_at` on the state. */
struct snapshot_raw {
    int fd;
    u64 state_at, state_size;
};

/* Writes all of it to `fd`, at its position. */
struct error *snapshot_file_write(int fd, const struct snapshot_about *about,
                                  const struct snapshot_raw *raw);

/* Whose is it?  Reads the header alone; *ret_size is how long the snapshot must be, which begins at
 * `at` in the file. */
struct error *snapshot_file_about(int fd, u64 at, struct snapshot_about *ret, u64 *ret_size);

/* Everything as an engine reads it, in a file without a name. */
struct error *snapshot_file_read(int fd, u64 at, struct snapshot_about *ret,
                                 struct snapshot_raw *ret_raw);

/* A file without a name for what engines write and read. */
struct error *snapshot_temporary(u64 size, int *ret);

#endif
