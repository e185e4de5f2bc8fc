/* Rows of an answer: handed out one by one, or the last ones kept.
 *
 * Looking forward, rows go to the asker at once.  If the last ones are wanted, as many as that are
 * kept, part by part from the newest, and handed out at the end. */
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
/* The next row.  False: no more are wanted. */
bool ask_rows_add(struct ask_rows *r, const struct ask_row *row);
/* A part of a search from the end is over. */
void ask_rows_end_part(struct ask_rows *r);
/* Hands out what was kept. */
void ask_rows_end(struct ask_rows *r);
/* Adds a cell to a row; the text is lent. */
void ask_row_cell(struct ask_row *row, const char *name, const char *text);
struct ask_row ask_row_copy(const struct ask_row *row);
void ask_row_free(struct ask_row *row); /* of a copy */

#endif
