/* Rows of an answer: see ask_rows.h. */
#include "query/ask_rows.h"

void ask_rows_init(struct ask_rows *r, const struct ask_answering *how, struct ask_answer *answer)
{
    *r = (struct ask_rows){.how = how, .answer = answer, .part = LIST(struct ask_row),
                           .kept = LIST(struct ask_row)};
}

static char *copy_text(const char *text)
{
    return text ? xformat("%s", text) : NULL;
}

struct ask_row ask_row_copy(const struct ask_row *row)
{
    struct ask_row copy = *row;
    copy.function = copy_text(row->function);
    copy.file = copy_text(row->file);
    if (row->text) {
        char *text = xalloc(row->text_size + 1);
        memcpy(text, row->text, row->text_size + 1);
        copy.text = text;
    }
    for (size_t i = 0; i < row->cell_count; i++)
        copy.cells[i] = (struct ask_cell){copy_text(row->cells[i].name),
                                          copy_text(row->cells[i].text)};
    return copy;
}

void ask_row_free(struct ask_row *row)
{
    free((char *)row->function);
    free((char *)row->file);
    free((char *)row->text);
    for (size_t i = 0; i < row->cell_count; i++) {
        free((char *)row->cells[i].name);
        free((char *)row->cells[i].text);
    }
}

void ask_row_cell(struct ask_row *row, const char *name, const char *text)
{
    if (row->cell_count < ASK_CELLS_MOST)
        row->cells[row->cell_count++] = (struct ask_cell){name, text};
}

static void rows_clear(struct list *rows)
{
    for (size_t i = 0; i < rows->count; i++)
        ask_row_free((struct ask_row *)rows->items + i);
    rows->count = 0;
}

void ask_rows_deinit(struct ask_rows *r)
{
    rows_clear(&r->part);
    rows_clear(&r->kept);
    list_deinit(&r->part);
    list_deinit(&r->kept);
}

/* Drops the oldest rows, so that at most `most` stay. */
static void keep_newest(struct list *rows, u64 most)
{
    struct ask_row *all = rows->items;
    if (!most || rows->count <= most)
        return;
    size_t gone = rows->count - most;
    for (size_t i = 0; i < gone; i++)
        ask_row_free(&all[i]);
    memmove(all, all + gone, most * sizeof *all);
    rows->count = most;
}

static bool ask_hand_out(struct ask_rows *r, const struct ask_row *row)
{
    if (r->how->most && r->answer->count == r->how->most) {
        r->answer->more = true;
        return false;
    }
    r->answer->count++;
    return !r->how->row || r->how->row(r->how->context, row);
}

bool ask_rows_add(struct ask_rows *r, const struct ask_row *row)
{
    if (r->enough)
        return false;
    if (!r->how->backward || r->how->counts_only) {
        r->enough = !ask_hand_out(r, row);
        return !r->enough;
    }
    *(struct ask_row *)list_add(&r->part) = ask_row_copy(row);
    if (r->how->most && r->part.count >= 2 * r->how->most + 16)
        keep_newest(&r->part, r->how->most);
    return true;
}

/* The rows of this part happened before those that are kept. */
void ask_rows_end_part(struct ask_rows *r)
{
    struct list both = LIST(struct ask_row);
    const struct list *order[] = {&r->part, &r->kept};
    for (size_t n = 0; n < countof(order); n++)
        for (size_t i = 0; i < order[n]->count; i++)
            *(struct ask_row *)list_add(&both) = ((struct ask_row *)order[n]->items)[i];
    r->part.count = 0;
    list_deinit(&r->kept);
    r->kept = both;
    keep_newest(&r->kept, r->how->most);
    r->enough |= r->how->backward && r->how->most && r->kept.count >= r->how->most;
}

void ask_rows_end(struct ask_rows *r)
{
    ask_rows_end_part(r);
    for (size_t i = 0; r->how->backward && i < r->kept.count; i++)
        if (!ask_hand_out(r, (struct ask_row *)r->kept.items + i))
            break;
}
