/* The history of an expression as rows: every change with the values before and after, the place
 * in the code and the thread that made it. */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

static void debug_history_add(struct debug_history *h, struct subject *s, struct symbols *symbols,
                              const struct history_change *c)
{
    struct function_info function;
    struct line_place line;
    struct debug_history_row *row = list_add(&h->rows);
    row->at = c->at;
    row->after = c->after;
    row->thread = c->thread;
    row->old = subject_text(s, &c->old);
    row->new = subject_text(s, &c->new);
    if (symbols_function(symbols, c->at.pc, &function) && function.name)
        row->function = symbols_bare_name(function.name);
    if (symbols_line(symbols, c->at.pc, &line) && line.file) {
        row->file = xformat("%s", line.file);
        row->line = line.line;
    }
}

static struct error *ask_history(struct debug *d, struct subject *s, u64 most, struct moment to,
                                 struct history_answer *answer, struct debug_cover *cover)
{
    struct session_place place;
    struct history_question q = {.look = subject_look,
                                 .context = s,
                                 .order = BACKWARD,
                                 .measure = subject_measure,
                                 .points = subject_points(s),
                                 .most = most};
    session_place(d->session, &place);
    *cover = (struct debug_cover){.from = session_first(d->session), .to = to};
    char *key = subject_key(s);
    q.key = key;
    debug_begin_moving(d, COURSE_TO);
    struct error *err = debug_cover(d, s, place.at, true, cover);
    q.from = cover->from;
    q.to = cover->to;
    if (!err && !debug_cover_is_empty(cover) && !s->is_constant)
        err = history_ask(d->history, &q, answer);
    debug_end_moving(d);
    free(key);
    return err;
}

struct error *debug_history_ask(struct debug *d, const char *expression, u64 most, bool to_here,
                                struct debug_history *ret)
{
    struct subject *s;
    struct symbols *symbols;
    struct history_answer answer = {0};
    struct debug_cover cover;
    struct session_place place;
    session_place(d->session, &place);
    struct error *err = debug_subject_over_time(d, expression, &s);
    if (err)
        return err;
    *ret = (struct debug_history){.rows = LIST(struct debug_history_row)};
    err = ask_history(d, s, most, to_here ? place.at : session_last(d->session), &answer, &cover);
    if (!err)
        err = debug_symbols(d, &symbols);
    if (!err) {
        for (size_t i = 0; i < answer.count; i++)
            debug_history_add(ret, s, symbols, &answer.changes[i]);
        ret->left_out = answer.left_out;
        ret->more = answer.more;
        ret->interrupted = answer.interrupted || cover.interrupted;
        ret->covers = debug_cover_text(d, s, &cover);
    }
    subject_destroy(s);
    return err;
}

void debug_history_deinit(struct debug_history *h)
{
    struct debug_history_row *rows = h->rows.items;
    for (size_t i = 0; i < h->rows.count; i++) {
        free(rows[i].old);
        free(rows[i].new);
        free(rows[i].function);
        free(rows[i].file);
    }
    list_deinit(&h->rows);
    free(h->covers);
}
