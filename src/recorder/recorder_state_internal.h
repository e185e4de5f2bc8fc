/* Converts a snapshot from the form that an engine writes to the form that is stored, in which each
 * page has a place in a page file. */
#ifndef RECORDER_STATE_INTERNAL_H
#define RECORDER_STATE_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/snapshot_file.h"
#include "log/unwritten.h"
#include "recorder/recorder_pages_internal.h"

/* A snapshot as it is stored. */
struct stored_state {
    u8 *bytes; /* records, without SAME */
    u64 size;
    u64 pages;
    struct page_place *places; /* the place of each page, */
    u64 *addresses;            /* and its address; ~0: a page of memory that mappings share */
    struct unwritten_range *unwritten; /* since the snapshot before */
    u64 unwritten_count;
};

/* `base` is the snapshot that SAME refers to; NULL: there is none. */
struct error *recorder_state_make(const struct snapshot_raw *raw, const struct stored_state *base,
                                  struct recorder_pages *pages, struct stored_state *ret);
void recorder_state_deinit(struct stored_state *s);

#endif
