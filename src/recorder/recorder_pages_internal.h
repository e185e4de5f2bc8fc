/* The pages of all snapshots of a recording. Each content is stored once, even if several tracks
 * have it.
 *
 * A page that no file has yet goes into a new page file (log/page_file.h). References are counted.
 * A page without references is removed from its file later.
 */
#ifndef RECORDER_PAGES_INTERNAL_H
#define RECORDER_PAGES_INTERNAL_H

#include "base/error.h"
#include "base/types.h"
#include "log/page_file.h"
#include "log/recording.h"

struct recorder_pages;

struct recorder_pages *recorder_pages_create(const struct recording *rec);
void recorder_pages_destroy(struct recorder_pages *p); /* the files stay */

/* Finds or makes the place of a page's content. The bytes must stay until the next commit or
 * cancel. */
struct error *recorder_pages_put(struct recorder_pages *p, const u8 *page, struct page_place *ret);
/* Completes the file of the new pages. After an error they are not stored. */
struct error *recorder_pages_commit(struct recorder_pages *p);
void recorder_pages_cancel(struct recorder_pages *p);

/* Add and remove references to these places. */
void recorder_pages_hold(struct recorder_pages *p, const struct page_place *places, u64 count);
void recorder_pages_release(struct recorder_pages *p, const struct page_place *places, u64 count);

/* Returns the size of all files. */
u64 recorder_pages_bytes(const struct recorder_pages *p);

#endif
