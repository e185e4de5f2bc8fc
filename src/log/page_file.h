/* A page file: pages of memory that snapshots of a recording refer to.  Hosted.
 *
 *     DIR/pages-K
 *
 * `ebb record` writes one for each snapshot, with those of its pages that no snapshot before it
 * has; the snapshot (log/snapshot_file.h) says in which file each of its pages is.  A file is whole
 * when it gets its name.  When snapshots are removed, pages that none of the others needs are
 * left out of it, and numbers stay as they are.  docs/log-format.md describes the file.
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
/* Is that such a name, or that of one which is being written? */
bool page_file_names(const char *name);

/* Writing one. */

struct page_writer;
struct error *page_writer_create(int dir, const u8 id[16], u32 file, struct page_writer **ret);
struct error *page_writer_add(struct page_writer *w, const u8 *page);
/* It has its name now.  Destroys the writer, also after an error. */
struct error *page_writer_finish(struct page_writer *w, u64 *ret_bytes);
void page_writer_destroy(struct page_writer *w); /* takes back what is not finished; accepts NULL */

/* Reading one. */

struct page_reader;
/* The file begins at `at`; `fd` is taken, also after an error. */
struct error *page_reader_open(int fd, u64 at, const u8 id[16], u32 file,
                               struct page_reader **ret);
/* Is the frame of a page whole?  It is not expanded. */
struct error *page_reader_check(struct page_reader *r, u32 number);
/* The frame that holds a page, valid until the next call. */
struct error *page_reader_frame(struct page_reader *r, u32 number, const u8 **ret);
void page_reader_close(struct page_reader *r); /* accepts NULL */

/* Leaves out pages that are not to be kept, one flag for each: they are zeros then, and frames of
 * nothing else are gone.  *ret_bytes is its size then. */
struct error *page_file_shrink(int dir, const u8 id[16], u32 file, const bool *keep,
                               u64 *ret_bytes);

#endif
