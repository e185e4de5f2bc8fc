/* Pages of all snapshots of a recording, each content stored once: also between tracks.
 *
 * A page that no file has yet goes into a new page file (log/page_file.h).  References are counted:
 * a page without any is left out of its file, in time.
 */
#ifndef RECORDER_PAGES_INTERNAL_H
#define RECORDER_PAGES_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/page_file.h"
#include "log/recording.h"

struct recorder_pages;

struct recorder_pages *recorder_pages_create(const struct recording *rec);
void recorder_pages_destroy(struct recorder_pages *p); /* of memory only */

/* The place of a content.  The bytes must stay until the next commit or cancel. */
struct error *recorder_pages_put(struct recorder_pages *p, const u8 *page, struct page_place *ret);
/* What was new is in a file now; or, after an error, nowhere. */
struct error *recorder_pages_commit(struct recorder_pages *p);
void recorder_pages_cancel(struct recorder_pages *p);

/* Somebody refers to these places; does so no longer. */
void recorder_pages_hold(struct recorder_pages *p, const struct page_place *places, u64 count);
void recorder_pages_release(struct recorder_pages *p, const struct page_place *places, u64 count);

/* Of all files. */
u64 recorder_pages_bytes(const struct recorder_pages *p);

#endif
