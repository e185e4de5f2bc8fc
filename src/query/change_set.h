/* What changed between two moments, in bytes: memory of one that is kept, and compared with what it
 * is at another.
 *
 * All areas are compared but for files that cannot be written and are code or large, and what
 * cannot be read at either moment.  Areas beyond a bound are left out, and counted.
 */
#ifndef QUERY_CHANGE_SET_H
#define QUERY_CHANGE_SET_H

#include "base/error.h"
#include "base/list.h"
#include "session/session.h"
#include "symbols/values.h"

struct memory_image {
    struct list areas;  /* struct image_area, by address */
    u64 left_out;       /* bytes of areas that were too much */
};
struct image_area {
    u64 start, end;     /* what could be read of it */
    u8 *bytes;
};

enum { IMAGE_MOST = 1 << 30 }; /* bytes */

/* `most`: bytes.  `stopped` (may be NULL) is asked again and again; if it says so, it is an
 * error. */
struct error *memory_image_take(struct session *s, u64 most, bool (*stopped)(void),
                                struct memory_image *ret);
void memory_image_deinit(struct memory_image *m);

struct memory_difference {
    struct list ranges; /* struct memory_range, sorted: bytes that are there at both moments, and
                         * differ */
    u64 bytes;          /* in them */
    u64 gone, new;      /* bytes that are there at one of them only */
};
/* With what is there now. */
struct error *memory_image_compare(const struct memory_image *m, struct session *s,
                                   bool (*stopped)(void), struct memory_difference *ret);
void memory_difference_deinit(struct memory_difference *d);

/* Bytes of `ranges` that are in none of `without`, which is put in order; struct memory_range. */
struct list memory_ranges_without(const struct list *ranges, struct list *without);

/* Is the frame that a thread had at one moment the same call at a later one?  `cfa` and the address
 * that it returns to are the same at both. */
struct error *frame_lives_on(struct session *s, u32 thread, u64 cfa, u64 return_pc,
                             struct moment from, struct moment to, bool *ret,
                             bool *ret_interrupted);

#endif
