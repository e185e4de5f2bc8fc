/* Rows of an answer: reported one by one, or only the last ones.
 *
 * Going forward, rows go to the caller at once. If only the last ones are wanted, that many are
 * kept, part by part from the newest, and reported at the end. */
#ifndef QUERY_ASK_ROWS_H
#define QUERY_ASK_ROWS_H

#include "query/ask_internal.h"

struct ask_rows {
    const struct ask_answering *how;
    struct ask_answer *answer;
    struct list part, kept; /* struct ask_row, whose texts are copies */
    bool enough;
};

void ask_rows_init(struct ask_rows *r, const struct ask_answering *how, struct ask_answer *answer);
void ask_rows_deinit(struct ask_rows *r);
/* Adds the next row. Returns false if no more are wanted. */
bool ask_rows_add(struct ask_rows *r, const struct ask_row *row);
/* Called when a part of a backward search is finished. */
void ask_rows_end_part(struct ask_rows *r);
/* Reports the rows that were kept. */
void ask_rows_end(struct ask_rows *r);
/* Adds a cell to a row. The caller keeps ownership of the text. */
void ask_row_cell(struct ask_row *row, const char *name, const char *text);
struct ask_row ask_row_copy(const struct ask_row *row);
void ask_row_free(struct ask_row *row); /* for a copied row */

#endif
