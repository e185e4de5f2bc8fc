/* Which memory a program did not write between two snapshots. Hosted.
 *
 *     DIR/unwritten-N     for track N
 *
 * `ebb record` appends a record for each snapshot for which the kernel told which pages were
 * written since the one before. The records stay when snapshots are removed. Who searches for a
 * store to some memory can pass over stretches in which that memory was not written. Equal content
 * would not be enough: a byte may have changed and changed back.
 *
 * The file is an aid: what is missing or damaged only costs time. docs/log-format.md describes it.
 */
#ifndef LOG_UNWRITTEN_H
#define LOG_UNWRITTEN_H

#include "base/error.h"
#include "base/types.h"
#include "log/recording.h"
#include "log/snapshot_file.h"

/* Page-aligned. */
struct unwritten_range {
    u64 start, end;
};

/* Between the states of two snapshots no byte of these ranges was written. */
struct unwritten_stretch {
    u64 from_tick, from_pc, to_tick, to_pc;
    u64 events_met;                 /* at its end, as in struct snapshot_about */
    struct unwritten_range *ranges; /* sorted, not adjacent */
    size_t count;
};

/* The caller frees it. */
char *unwritten_name(u32 track);
/* True for such a name. */
bool unwritten_names(const char *name);

/* Adds a stretch to the file of the track. If it has very many ranges, only the longest are
 * written. *ret_bytes is what the file has grown by. */
struct error *unwritten_append(int dir, const u8 id[16], u32 track,
                               const struct unwritten_stretch *s, u64 *ret_bytes);

/* Reads all stretches of a track, oldest first, up to the first that is damaged. */
struct unwritten_stretch *unwritten_read(const struct recording *rec, u32 track,
                                         size_t *ret_count);
void unwritten_free(struct unwritten_stretch *list, size_t count);

/* True if no byte of the range was written in the stretch. */
bool unwritten_has(const struct unwritten_stretch *s, u64 address, u64 size);

#endif
