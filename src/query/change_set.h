/* What changed between two moments, in bytes: the memory of one moment is kept, and compared with
 * that of another.
 *
 * All areas are compared except read-only files that are code or large, and memory that is
 * unreadable at either moment. Areas beyond a size limit are left out, and counted.
 */
#ifndef QUERY_CHANGE_SET_H
#define QUERY_CHANGE_SET_H

#include "base/error.h"
#include "base/list.h"
#include "query/value_state.h"
#include "session/session.h"
#include "symbols/values.h"

struct memory_image {
    struct list areas;  /* struct image_area, by address */
    u64 left_out;       /* bytes of areas beyond the limit */
};
struct image_area {
    u64 start, end;     /* the readable part of the area */
    u8 *bytes;
};

enum { IMAGE_MOST = 1 << 30 }; /* bytes */

/* Copies up to `most` bytes. `stopped` (may be NULL) is called repeatedly; if it returns true, the
 * result is an error. */
struct error *memory_image_take(struct session *s, u64 most, bool (*stopped)(void),
                                struct memory_image *ret);
void memory_image_deinit(struct memory_image *m);

struct memory_difference {
    /* struct memory_range, sorted: bytes that exist at both moments and differ */
    struct list ranges;
    u64 bytes;          /* in them */
    u64 gone, new;      /* bytes that exist at only one of the moments */
};
/* Compares the image with the current memory. */
struct error *memory_image_compare(const struct memory_image *m, struct session *s,
                                   bool (*stopped)(void), struct memory_difference *ret);
void memory_difference_deinit(struct memory_difference *d);

/* Returns the bytes of `ranges` that are not in `without`, as a list of struct memory_range. Sorts
 * `without`. */
struct list memory_ranges_without(const struct list *ranges, struct list *without);

/* The last change of a place in a stretch of time. */
struct place_change {
    struct value_place place;
    bool found;
    struct moment at; /* the instruction that made the change */
    u32 thread;
};
struct error *places_changed_last(struct session *s, struct moment from, struct moment to,
                                  struct place_change *changes, size_t count,
                                  bool *ret_interrupted);

/* Tells whether the frame that a thread had at one moment still belongs to the same call at a later
 * one, where its `cfa` and return address are the same. */
struct error *frame_lives_on(struct session *s, u32 thread, u64 cfa, u64 return_pc,
                             struct moment from, struct moment to, bool *ret,
                             bool *ret_interrupted);

#endif
