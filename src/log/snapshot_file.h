/* A snapshot on disk: pages and state of log/snapshot_state.h, compressed.  Hosted.
 *
 * A snapshot has all its pages itself, or says in which page files of the recording they are
 * (log/page_file.h). Pages with the same content are stored once, zeros not at all. Everything has
 * a checksum, so damaged snapshots are detected and not used. docs/log-format.md describes the
 * file.
 */
#ifndef LOG_SNAPSHOT_FILE_H
#define LOG_SNAPSHOT_FILE_H

#include "base/error.h"
#include "base/types.h"
#include "log/page_file.h"

/* The recording, track and moment of a snapshot. */
struct snapshot_about {
    u8 id[16];      /* of the recording */
    u32 track;
    u64 tick, pc;
    u64 events_met; /* as in struct snapshot_state */
};

/* The form that engines write and read: pages, and the state from `state_at` on. */
struct snapshot_raw {
    int fd;
    u64 state_at, state_size;
};

/* Writes a snapshot to `fd`, at its position. */
struct error *snapshot_file_write(int fd, const struct snapshot_about *about,
                                  const struct snapshot_raw *raw);

/* Writes a snapshot whose pages are in page files, one place for each. */
struct error *snapshot_file_write_placed(int fd, const struct snapshot_about *about,
                                         const void *state, u64 state_size,
                                         const struct page_place *places, u64 pages);
/* Reads the places of its pages; the caller frees them. A snapshot with pages of its own has no
 * places. */
struct error *snapshot_file_places(int fd, u64 at, struct page_place **ret, u64 *ret_pages);

/* Reads only the header of a snapshot that begins at `at` in the file; *ret_size is the size that
 * it must have. */
struct error *snapshot_file_about(int fd, u64 at, struct snapshot_about *ret, u64 *ret_size);

/* A snapshot that is read in parts. Opening reads all of it and verifies the checksums, but
 * decompresses only the state; pages are decompressed when requested. */
struct snapshot_reader;
struct error *snapshot_reader_open(int fd, u64 at, struct snapshot_about *ret_about,
                                   struct snapshot_reader **ret);
/* How page files are opened; *ret_at is where one begins in the file. */
struct page_source {
    struct error *(*open)(void *context, u32 file, int *ret, u64 *ret_at);
    void *context;
};
/* The same for a snapshot whose pages may be in page files; the context must stay. */
struct error *snapshot_reader_open_from(int fd, u64 at, const struct page_source *source,
                                        struct snapshot_about *ret_about,
                                        struct snapshot_reader **ret);
void snapshot_reader_close(struct snapshot_reader *r); /* accepts NULL */
/* Returns the state, in a file without a name. */
struct error *snapshot_reader_state(const struct snapshot_reader *r, struct snapshot_raw *ret);
u64 snapshot_reader_count(const struct snapshot_reader *r);
/* Reads pages by their numbers in the snapshot. Only one thread at a time may call it. */
struct error *snapshot_reader_pages(struct snapshot_reader *r, u64 first, u64 count, u8 *to);

/* Reads a snapshot into a file without a name, in the form that engines read. */
struct error *snapshot_file_read(int fd, u64 at, struct snapshot_about *ret,
                                 struct snapshot_raw *ret_raw);

struct error *snapshot_file_read_from(int fd, u64 at, const struct page_source *source,
                                      struct snapshot_about *ret, struct snapshot_raw *ret_raw);

/* Makes a file without a name for what engines write and read. */
struct error *snapshot_temporary(u64 size, int *ret);

#endif
