/* The history of an expression: every change with the values before and after, the place in the
 * code and the thread that made it.
 *
 * The struct history keeps answers as long as the track is open, so repeating a question is fast.
 * Texts are made only of the rows that are to be shown.
 */
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* --- asking ----------------------------------------------------------------------------------- */

/* What has nothing to tell is refused. */
static struct error *history_subject(struct debug *d, const struct debug_history_asked *asked,
                                     struct subject **ret)
{
    if (asked->location)
        return debug_subject_location(d, asked->expression, ret);
    struct error *err = debug_subject_over_time(d, asked->expression, ret);
    if (err)
        return err;
    const struct subject *s = *ret;
    if (s->is_constant && !(s->uses & VALUES_CONSTANT))
        err = error_coded(ERROR_UNAVAILABLE, "%s never changes", s->expression);
    else if (s->is_gone && !s->point_count)
        err = error_coded(ERROR_UNAVAILABLE, "%s is optimised out here", s->expression);
    if (err)
        subject_destroy(*ret);
    return err;
}

static void name_place(struct symbols *symbols, u64 pc, struct debug_history_row *row)
{
    struct line_place line;
    const char *function = symbols_innermost(symbols, pc);
    if (function)
        row->function = symbols_bare_name(function);
    if (symbols_line(symbols, pc, &line) && line.file) {
        row->file = xformat("%s", line.file);
        row->line = line.line;
    }
}

/* The value that a local was first written with, if all changes since are there. */
static struct error *take_first(struct debug *d, struct debug_history *h)
{
    const struct history_answer *a = &h->answer;
    const struct plan_hit *w = &h->cover.write;
    struct history_state state;
    struct symbols *symbols;
    struct moment after = {w->after_tick, w->after_pc};
    if (!h->cover.from_write || a->more || a->interrupted)
        return NULL;
    struct error *err = debug_symbols(d, &symbols);
    if (!err)
        err = subject_state_at(h->subject, after, &state);
    if (err)
        return err;
    h->has_first = true;
    h->first = (struct debug_history_row){.at = {w->tick, w->pc}, .after = after,
                                          .thread = w->thread,
                                          .new = subject_text(h->subject, &state)};
    name_place(symbols, w->pc, &h->first);
    history_state_deinit(&state);
    return NULL;
}

static struct error *history_find(struct debug *d, u64 most, struct debug_history *h)
{
    struct session_place place;
    struct debug_cover *cover = &h->cover;
    session_place(d->session, &place);
    debug_begin_moving(d, COURSE_TO);
    struct error *err = debug_cover(d, h->subject, place.at, true, cover);
    struct subject_stretch stretch = {cover->from, cover->to, BACKWARD, most};
    if (!err && !debug_cover_is_empty(cover) && !h->subject->is_constant)
        err = subject_history(h->subject, d->history, &stretch, &h->answer);
    if (!err && !cover->interrupted)
        err = take_first(d, h);
    debug_end_moving(d);
    h->answer.interrupted |= cover->interrupted;
    return err;
}

struct error *debug_history_ask(struct debug *d, const struct debug_history_asked *asked,
                                struct debug_history *ret)
{
    *ret = (struct debug_history){.cover = {.from = asked->from, .to = asked->to},
                                  .rows = LIST(struct debug_history_row)};
    struct error *err = history_subject(d, asked, &ret->subject);
    if (err)
        return err;
    err = history_find(d, asked->most, ret);
    if (!err && !ret->answer.count && !ret->answer.interrupted && ret->subject->missing)
        err = error_coded(ERROR_UNAVAILABLE,
                          "%s has no value here or at any other moment that was asked about: %s",
                          asked->expression, ret->subject->missing);
    if (err)
        debug_history_deinit(ret);
    else
        ret->covers = debug_cover_text(d, ret->subject, &ret->cover);
    return err;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The new value of one change is the old one of the next: it need not be shown twice. */
static char *new_text(struct debug_history *h, const struct history_change *c,
                      const struct history_change *newer, const struct debug_history_row *newer_row)
{
    const struct history_state *state = &c->new;
    if (newer && newer->old.address == state->address && newer->old.size == state->size &&
        !newer->old.text && !state->text && !memcmp(newer->old.bytes, state->bytes, state->size))
        return xformat("%s", newer_row->old);
    return subject_text(h->subject, state);
}

struct error *debug_history_make_rows(struct debug *d, struct debug_history *h, size_t most)
{
    struct symbols *symbols;
    const struct history_change *changes = h->answer.changes, *newer = NULL;
    size_t all = h->answer.count, count = most && all > most ? most : all;
    struct error *err = debug_symbols(d, &symbols);
    for (size_t n = 0; n < count && !err; n++) {
        const struct history_change *c = &changes[count < all ? n * (all - 1) / (count - 1) : n];
        struct debug_history_row *row = list_add(&h->rows);
        *row = (struct debug_history_row){.at = c->at, .after = c->after, .thread = c->thread,
                                          .is_seen_first = c->old.gone, .unseen = c->unseen};
        row->old = subject_text(h->subject, &c->old);
        row->new = new_text(h, c, newer, row - 1);
        name_place(symbols, c->at.pc, row);
        newer = c;
    }
    return err;
}

static void row_deinit(struct debug_history_row *row)
{
    free(row->old);
    free(row->new);
    free(row->function);
    free(row->file);
}

void debug_history_deinit(struct debug_history *h)
{
    struct debug_history_row *rows = h->rows.items;
    for (size_t i = 0; i < h->rows.count; i++)
        row_deinit(&rows[i]);
    row_deinit(&h->first);
    list_deinit(&h->rows);
    subject_destroy(h->subject);
    free(h->covers);
}
