/* A page file: pages of memory that snapshots of a recording refer to. Hosted.
 *
 *     DIR/pages-K
 *
 * For each snapshot `ebb record` writes a page file with the pages that no earlier snapshot has.
 * The snapshot (log/snapshot_file.h) says in which file each of its pages is. A file gets its name
 * when it is complete. When snapshots are removed, pages that no other snapshot needs are removed
 * from the file; the numbers of the others do not change. docs/log-format.md describes the file.
 */
#ifndef LOG_PAGE_FILE_H
#define LOG_PAGE_FILE_H

#include "base/error.h"
#include "base/types.h"

enum { PAGE_FILE_FRAME = 16 }; /* pages that are compressed together */

/* Where a page is. */
struct page_place {
    u32 file;   /* K, from 1; 0: it is zeros */
    u32 number; /* in the file, from 0 */
};

/* To be freed. */
char *page_file_name(u32 file);
/* True for the name of a page file, or of one that is being written. */
bool page_file_names(const char *name);

/* Writing one. */

struct page_writer;
struct error *page_writer_create(int dir, const u8 id[16], u32 file, struct page_writer **ret);
struct error *page_writer_add(struct page_writer *w, const u8 *page);
/* Completes the file and gives it its name. Destroys the writer, also after an error. */
struct error *page_writer_finish(struct page_writer *w, u64 *ret_bytes);
void page_writer_destroy(struct page_writer *w); /* removes an incomplete file; accepts NULL */

/* Reading one. */

struct page_reader;
/* The file begins at `at`. Takes ownership of `fd`, also after an error. */
struct error *page_reader_open(int fd, u64 at, const u8 id[16], u32 file,
                               struct page_reader **ret);
/* Checks the frame of a page without decompressing it. */
struct error *page_reader_check(struct page_reader *r, u32 number);
/* Returns the frame that contains a page, valid until the next call. */
struct error *page_reader_frame(struct page_reader *r, u32 number, const u8 **ret);
void page_reader_close(struct page_reader *r); /* accepts NULL */

/* Removes the pages that are not to be kept; there is a flag for each page. Removed pages become
 * zeros, and frames with only removed pages become empty. *ret_bytes is the new size of the
 * file. */
struct error *page_file_shrink(int dir, const u8 id[16], u32 file, const bool *keep,
                               u64 *ret_bytes);

#endif
