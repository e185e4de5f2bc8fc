/* Questions over the whole run: gives their words a meaning, and keeps the rows of the last answer.
 *
 * src/query answers them. Moments and memory expressions in a question are evaluated at the current
 * place.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug_internal.h"

/* --- rows ------------------------------------------------------------------------------------- */

enum { ROWS_MOST = 1 << 20 }; /* maximum number of rows for `goto row N` */

bool debug_row_named(const struct debug *d, const char *words)
{
    (void)d;
    return strncmp(words, "row ", 4) == 0;
}

struct error *debug_find_row(struct debug *d, const char *words, struct moment *ret)
{
    u64 number;
    const struct moment *rows = d->rows.items;
    struct error *err = debug_number(words + strlen("row "), "row", &number);
    if (err)
        return err;
    if (!d->rows.count || d->rows_track != session_track(d->session))
        return error_coded(ERROR_NOT_FOUND,
                           "there is no table with rows yet; 'ask' and 'calls' make one");
    if (!number || number > d->rows.count)
        return error_coded(ERROR_NOT_FOUND, "the last table has rows 1 to %zu", d->rows.count);
    *ret = rows[number - 1];
    return NULL;
}

void debug_rows_begin(struct debug *d)
{
    if (!d->rows.item)
        d->rows = LIST(struct moment);
    d->rows.count = 0;
    d->rows_track = session_track(d->session);
}

void debug_rows_add(struct debug *d, struct moment at)
{
    if (d->rows.count < ROWS_MOST)
        *(struct moment *)list_add(&d->rows) = at;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Reads a range: [FIRST,END), or [FIRST,LAST] with its last byte. */
static struct error *ask_range(struct debug *d, const char *text, struct subject **ret)
{
    u64 first, end = 0;
    char *copy = xformat("%s", text + 1), *comma = strrchr(copy, ',');
    size_t length = strlen(copy);
    bool last = length && copy[length - 1] == ']';
    if (!comma || (!last && copy[length - 1] != ')')) {
        free(copy);
        return error_coded(ERROR_MISUSED, "a range of memory is [FIRST,END)");
    }
    copy[length - 1] = *comma = 0;
    struct error *err = debug_address_of(d, copy, &first);
    if (!err)
        err = debug_address_of(d, comma + 1, &end);
    free(copy);
    end += last;
    if (!err && end <= first)
        err = error_coded(ERROR_MISUSED, "the range ends before it begins");
    if (!err)
        *ret = subject_of_range(d->session, d->source, text, first, end - first);
    return err;
}

/* Reads the memory that an expression names now. &x is the memory of x; a plain address is one
 * byte. */
static struct error *ask_memory(struct debug *d, const char *text, struct subject **ret)
{
    u64 address;
    char *end;
    if (*text == '[')
        return ask_range(d, text, ret);
    address = strtoull(text, &end, 0);
    if (isdigit((u8)*text) && !*end) {
        *ret = subject_of_range(d->session, d->source, text, address, 1);
        return NULL;
    }
    while (*text == '&' || isspace((u8)*text))
        text++;
    return debug_subject(d, text, ret);
}

static struct error *take_memory(struct debug *d, struct ask_question *q,
                                 struct ask_answering *how)
{
    struct session_place place;
    const char *memory = ask_question_memory(q);
    if (!memory || (q->type != ASK_STORE && q->type != ASK_LOAD))
        return NULL;
    struct error *err = ask_memory(d, memory, &how->memory);
    if (err || !subject_is_local(how->memory))
        return err;
    /* for a local, only the current call of its function */
    struct debug_cover cover = {.from = how->from, .to = how->to};
    session_place(d->session, &place);
    err = debug_cover(d, how->memory, place.at, true, &cover);
    if (err)
        return err;
    how->to_end &= moment_compare(how->to, cover.to) <= 0;
    how->from = cover.from;
    how->to = cover.to;
    return NULL;
}

/* --- asking ----------------------------------------------------------------------------------- */

struct debug_ask_rows {
    struct debug *d;
    const struct debug_asking *how;
};

static bool ask_note_row(void *context, const struct ask_row *row)
{
    struct debug_ask_rows *r = context;
    debug_rows_add(r->d, row->at);
    return !r->how->row || r->how->row(r->how->context, row);
}

static struct error *ask_moments(struct debug *d, const struct ask_question *q,
                                 struct ask_answering *how)
{
    struct error *err = NULL;
    how->from = session_first(d->session);
    how->to = session_last(d->session);
    if (q->from)
        err = debug_find_moment(d, q->from, &how->from);
    if (!err && q->to)
        err = debug_find_moment(d, q->to, &how->to);
    how->to_end = moment_compare(how->to, session_last(d->session)) >= 0;
    if (!err && moment_compare(how->to, how->from) < 0)
        err = error_coded(ERROR_MISUSED, "'from' is the earlier moment, 'to' the later");
    return err;
}

static struct error *ask_run(struct debug *d, struct ask_question *q, struct ask_answering *how,
                             struct ask_answer *ret)
{
    *ret = (struct ask_answer){0};
    how->session = d->session;
    how->source = d->source;
    how->rec = d->rec;
    how->show = &d->settings.show;
    debug_begin_moving(d, COURSE_TO);
    struct error *err = take_memory(d, q, how);
    if (!err)
        err = ask_answer(q, how, ret);
    debug_end_moving(d);
    subject_destroy(how->memory);
    return err;
}

struct error *debug_ask(struct debug *d, struct ask_question *q, const struct debug_asking *how,
                        struct ask_answer *ret)
{
    struct debug_ask_rows rows = {d, how};
    struct ask_answering answering = {.counts_only = how->counts_only || q->verb == ASK_COUNT,
                                      .whole_calls = how->whole_calls,
                                      .backward = q->verb == ASK_LAST, .most = how->most,
                                      .shown = how->shown, .shown_count = how->shown_count,
                                      .row = ask_note_row, .context = &rows};
    u64 *points = NULL;
    struct error *err = ask_moments(d, q, &answering);
    if (!err && how->location)
        err = debug_locate(d, how->location, &points, &answering.point_count);
    if (err)
        return err;
    answering.points = points;
    if (answering.counts_only)
        answering.row = NULL;
    else
        debug_rows_begin(d);
    if (q->verb == ASK_FIRST || q->verb == ASK_LAST)
        answering.most = 1;
    err = ask_run(d, q, &answering, ret);
    free(points);
    return err;
}

struct error *debug_ask_rows_apart(struct debug *d, struct ask_question *q,
                                   bool (*row)(void *context, const struct ask_row *row),
                                   void *context, struct ask_answer *ret)
{
    struct ask_answering how = {.row = row, .context = context};
    struct error *err = ask_moments(d, q, &how);
    return err ? err : ask_run(d, q, &how, ret);
}

/* --- goto ------------------------------------------------------------------------------------- */

struct ask_nth {
    struct moment at; /* the moment of the last, or the first, row */
    bool first, any;
};

static bool take_nth(void *context, const struct ask_row *row)
{
    struct ask_nth *n = context;
    if (!n->any || !n->first)
        n->at = row->at;
    n->any = true;
    return true;
}

static bool is_said(const struct ask_question *q, const char *word)
{
    return q->start && strcmp(q->start, word) == 0;
}

/* Finds the moment where the search begins. */
static struct error *ask_start(struct debug *d, const struct ask_question *q, struct moment *ret)
{
    struct session_place place;
    session_place(d->session, &place);
    if (is_said(q, "first"))
        *ret = session_first(d->session);
    else if (is_said(q, "last"))
        *ret = session_last(d->session);
    else if (!q->start || !*q->start || is_said(q, "current"))
        *ret = place.at;
    else
        return debug_find_moment(d, q->start, ret);
    return NULL;
}

struct error *debug_ask_moment(struct debug *d, struct ask_question *q, struct moment *ret)
{
    struct ask_answer answer;
    struct moment start;
    bool backward = q->direction == BACKWARD;
    struct ask_nth nth = {.first = backward};
    struct ask_answering how = {.most = q->count, .backward = backward, .row = take_nth,
                                .context = &nth};
    struct error *err = ask_start(d, q, &start);
    if (err)
        return err;
    how.from = backward ? session_first(d->session) : start;
    how.to = backward ? start : session_last(d->session);
    how.to_end = !backward || is_said(q, "last");
    how.not_from = !backward && !is_said(q, "first");
    err = ask_run(d, q, &how, &answer);
    if (err)
        return err;
    free(answer.note);
    if (answer.interrupted)
        return error_coded(ERROR_INTERRUPTED, "interrupted; you are where you were");
    if (answer.count < q->count)
        return error_coded(ERROR_NOT_FOUND, "there %s only %llu such event%s %s %s",
                           answer.count == 1 ? "is" : "are", (unsigned long long)answer.count,
                           answer.count == 1 ? "" : "s", backward ? "before" : "after",
                           q->start && *q->start && !is_said(q, "current") ? q->start : "here");
    *ret = nth.at;
    return NULL;
}
