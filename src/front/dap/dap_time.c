/* ebb's own requests, which the protocol does not have: the history of a value, who wrote it, when
 * a condition became true, the time line, moments and bookmarks. docs/dap.md describes them. */
#include <stdlib.h>
#include <string.h>

#include "front/dap/dap_internal.h"
#include "log/event.h"
#include "log/syscall_table.h"

enum { TIMELINE_MOST = 2000 };

/* --- values over time ------------------------------------------------------------------------- */

static void write_row(struct dap *s, struct json *j, const char *key,
                      const struct debug_history_row *r)
{
    json_open(j, key, '{');
    dap_moment(j, "moment", r->at);
    dap_moment(j, "after", r->after);
    json_unsigned(j, "threadId", r->thread + 1);
    json_string(j, "old", r->old);
    json_string(j, "new", r->new);
    if (r->function)
        json_string(j, "function", r->function);
    if (r->file) {
        dap_source_json(s, "source", j, r->file);
        json_signed(j, "line", (i64)r->line - 1 + s->first_line);
    }
    json_close(j, '}');
}

/* Selects the frame that the arguments name, and reads the expression. */
static struct error *read_question(struct dap *s, const struct json_value *args, const char *key,
                                   const char **ret)
{
    struct error *err = dap_text(args, key, ret);
    i64 frame = json_member_integer(args, "frameId", 0);
    if (!err && !(*ret)[strspn(*ret, " \t")])
        err = error_coded(ERROR_MISUSED, "'%s' is empty", key);
    if (!err)
        err = frame ? dap_choose_frame(s, frame) : debug_frames(s->debug);
    return err;
}

static struct error *check_whole(const struct debug_history *h)
{
    return h->answer.interrupted && !h->rows.count
               ? error_coded(ERROR_INTERRUPTED, "cancelled")
               : NULL;
}

struct error *dap_history(struct dap *s, const struct json_value *args)
{
    const char *expression;
    struct debug_history h;
    i64 most = json_member_integer(args, "most", 0);
    struct error *err = read_question(s, args, "expression", &expression);
    if (!err)
        err = debug_history_ask(s->debug,
                                &(struct debug_history_asked){
                                    .expression = expression,
                                    .to = session_last(s->debug->session),
                                    .most = most > 0 ? (u64)most : 0},
                                &h);
    if (err)
        return err;
    err = debug_history_make_rows(s->debug, &h, 0);
    if (!err)
        err = check_whole(&h);
    struct json *j = dap_body(s);
    json_open(j, "changes", '[');
    for (size_t i = 0; i < h.rows.count; i++)
        write_row(s, j, NULL, (struct debug_history_row *)h.rows.items + i);
    json_close(j, ']');
    if (h.has_first)
        write_row(s, j, "first", &h.first);
    json_string(j, "covers", h.covers);
    json_bool(j, "more", h.answer.more);
    json_unsigned(j, "leftOut", h.answer.left_out);
    json_bool(j, "interrupted", h.answer.interrupted);
    debug_history_deinit(&h);
    return err;
}

/* The last change before now, or the first write of a local; with `goto`, one is there
 * afterwards. */
struct error *dap_who_wrote(struct dap *s, const struct json_value *args)
{
    const char *expression;
    struct debug_history h;
    struct session_stop stop;
    struct session_place place;
    struct error *err = read_question(s, args, "expression", &expression);
    session_place(s->debug->session, &place);
    if (!err)
        err = debug_history_ask(s->debug,
                                &(struct debug_history_asked){.expression = expression,
                                                              .to = place.at, .most = 1},
                                &h);
    if (err)
        return err;
    err = debug_history_make_rows(s->debug, &h, 0);
    if (!err)
        err = check_whole(&h);
    const struct debug_history_row *row = h.rows.count ? h.rows.items
                                          : h.has_first ? &h.first : NULL;
    if (!err && !row)
        err = error_coded(ERROR_NOT_FOUND, "nothing changed %s before this moment", expression);
    if (!err) {
        write_row(s, dap_body(s), "change", row);
        if (json_member_truth(args, "goto", false)) {
            dap_answer(s);
            dap_begin_move(s);
            err = debug_goto(s->debug, row->at, &stop);
            if (!err)
                dap_stopped(s, &stop, NULL, NULL);
        }
    }
    debug_history_deinit(&h);
    return err;
}

/* Goes to where the condition last became true, will become true next, or was first true. */
struct error *dap_became_true(struct dap *s, const struct json_value *args)
{
    const char *condition;
    const char *direction = json_member_text(args, "direction", "backward");
    bool is_first = strcmp(direction, "first") == 0, is_back = strcmp(direction, "backward") == 0;
    struct debug_order o = {.move = is_first ? MOVE_FIRST : MOVE_UNTIL,
                            .count = 1,
                            .direction = is_back ? BACKWARD : FORWARD};
    struct error *err = read_question(s, args, "condition", &condition);
    if (!err && !is_first && !is_back && strcmp(direction, "forward") != 0)
        err = error_coded(ERROR_MISUSED, "'direction' is backward, forward or first");
    if (!err)
        err = debug_read_goal(s->debug, condition, &o.pcs, &o.pc_count, &o.goal);
    if (!err && !o.goal)
        err = error_coded(ERROR_MISUSED, "'%s' is a place, not a condition", condition);
    if (!err) {
        dap_forget_views(s);
        s->returned = 0;
        struct session_stop stop = {0};
        dap_answer(s);
        err = debug_move(s->debug, &o, &stop);
        static const char *const outcomes[] = {
            [NOT_REACHED] = "was not reached",
            [REACHED] = "became true here",
            [FRAME_ENDED] = "its frame has ended here",
            [FRAME_NOT_BEGUN] = "its frame begins here",
            [HELD] = "held since the start",
        };
        if (!err) {
            char *text = xformat("%s: %s", condition, outcomes[o.goal->outcome]);
            bool is_there = o.goal->outcome == REACHED || o.goal->outcome == HELD;
            dap_stopped(s, &stop, is_there ? "goto" : NULL, text);
            free(text);
        }
    }
    debug_order_deinit(&o);
    return err;
}

/* --- moments ---------------------------------------------------------------------------------- */

struct error *dap_go_to_moment(struct dap *s, const struct json_value *args)
{
    const char *words;
    struct moment to;
    struct session_stop stop;
    struct error *err = dap_text(args, "moment", &words);
    if (!err)
        err = debug_find_moment(s->debug, words, &to);
    if (err)
        return err;
    dap_answer(s);
    dap_begin_move(s);
    err = debug_goto(s->debug, to, &stop);
    if (!err)
        dap_stopped(s, &stop, NULL, NULL);
    return err;
}

struct error *dap_undo(struct dap *s, const struct json_value *args)
{
    struct session_stop stop;
    i64 count = json_member_integer(args, "count", 1);
    bool again = s->request->which;
    if (count < 1)
        return error_coded(ERROR_MISUSED, "'count' is at least 1");
    dap_begin_move(s);
    struct error *err =
        again ? debug_redo(s->debug, (u64)count, &stop) : debug_undo(s->debug, (u64)count, &stop);
    if (err)
        return err;
    dap_answer(s);
    dap_stopped(s, &stop, NULL, NULL);
    return NULL;
}

static void write_bookmarks(struct dap *s, struct json *j)
{
    const struct debug_bookmark *all = s->debug->bookmarks.items;
    json_open(j, "bookmarks", '[');
    for (size_t i = 0; i < s->debug->bookmarks.count; i++) {
        json_open(j, NULL, '{');
        json_string(j, "name", all[i].name);
        json_unsigned(j, "track", all[i].track);
        dap_moment(j, "moment", all[i].at);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* Returns the list of bookmarks, after adding or removing one. */
struct error *dap_bookmarks(struct dap *s, const struct json_value *args)
{
    const char *add = json_member_text(args, "add", NULL);
    const char *remove = json_member_text(args, "remove", NULL);
    struct error *err = add ? debug_bookmark_add(s->debug, add) : NULL;
    if (!err && remove)
        err = debug_bookmark_remove(s->debug, remove);
    if (!err)
        write_bookmarks(s, dap_body(s));
    return err;
}

/* --- the time line ---------------------------------------------------------------------------- */

struct dap_thread_life {
    struct moment first, last;
    bool is_known;
};

struct dap_times {
    struct list threads;          /* struct dap_thread_life, by number */
    struct list signals, outputs; /* struct dap_instant */
    u64 left_out;
    size_t most;
};

struct dap_instant {
    struct moment at;
    u32 thread;
    u64 what;  /* signal; descriptor */
    i64 bytes; /* number of bytes written */
};

static void note_thread(struct dap_times *t, u32 thread, struct moment at)
{
    while (t->threads.count <= thread)
        list_add(&t->threads);
    struct dap_thread_life *life = (struct dap_thread_life *)t->threads.items + thread;
    if (!life->is_known)
        life->first = at;
    life->is_known = true;
    life->last = at;
}

static void note_instant(struct dap_times *t, struct list *to, struct dap_instant i)
{
    if (to->count < t->most)
        *(struct dap_instant *)list_add(to) = i;
    else
        t->left_out++;
}

static bool is_output(u32 number)
{
    const struct syscall_row *row = number < SYSCALL_NUMBERS ? syscall_row_of(number) : NULL;
    return row && row->name &&
           (strcmp(row->name, "write") == 0 || strcmp(row->name, "writev") == 0);
}

static void note_event(struct dap_times *t, const struct event *e)
{
    struct moment at = {e->tick, e->pc};
    if (e->kind == EVENT_START || e->kind == EVENT_NOTE || e->kind & EVENT_OPTIONAL)
        return;
    note_thread(t, e->thread, at);
    if (e->kind == EVENT_SIGNAL) {
        const struct event_signal *signal = (const void *)e->payload;
        note_instant(t, &t->signals, (struct dap_instant){at, e->thread, signal->signal, 0});
    } else if (e->kind == EVENT_SYSCALL) {
        const struct event_syscall *call = (const void *)e->payload;
        const u64 *arguments = event_arguments(e);
        if (is_output(call->number) && call->args && call->result > 0 &&
            (arguments[0] == 1 || arguments[0] == 2))
            note_instant(t, &t->outputs,
                         (struct dap_instant){at, e->thread, arguments[0], call->result});
    }
}

static struct error *read_times(struct dap *s, struct dap_times *t)
{
    struct reader *reader;
    const struct event *e = NULL;
    struct error *err = recording_open_track(s->rec, session_track(s->debug->session), &reader);
    if (err)
        return err;
    while (!(err = reader_next(reader, &e)) && e)
        note_event(t, e);
    reader_close(reader);
    return err;
}

static void write_instants(struct json *j, const char *key, const struct list *list, bool is_signal)
{
    const struct dap_instant *all = list->items;
    char room[32];
    json_open(j, key, '[');
    for (size_t i = 0; i < list->count; i++) {
        json_open(j, NULL, '{');
        dap_moment(j, "moment", all[i].at);
        json_unsigned(j, "threadId", all[i].thread + 1);
        if (is_signal) {
            json_string(j, "signal", debug_signal_name((u32)all[i].what, room));
        } else {
            json_unsigned(j, "fd", all[i].what);
            json_signed(j, "bytes", all[i].bytes);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_lives(struct json *j, const struct list *threads)
{
    const struct dap_thread_life *all = threads->items;
    json_open(j, "threads", '[');
    for (size_t i = 0; i < threads->count; i++) {
        if (!all[i].is_known)
            continue;
        json_open(j, NULL, '{');
        json_unsigned(j, "id", i + 1);
        dap_moment(j, "first", all[i].first);
        dap_moment(j, "last", all[i].last);
        json_close(j, '}');
    }
    json_close(j, ']');
}

struct error *dap_timeline(struct dap *s, const struct json_value *args)
{
    struct session_place place;
    i64 most = json_member_integer(args, "most", TIMELINE_MOST);
    struct dap_times t = {.threads = LIST(struct dap_thread_life),
                          .signals = LIST(struct dap_instant),
                          .outputs = LIST(struct dap_instant),
                          .most = most > 0 ? (size_t)most : TIMELINE_MOST};
    struct error *err = read_times(s, &t);
    if (!err) {
        struct json *j = dap_body(s);
        session_place(s->debug->session, &place);
        dap_moment(j, "first", session_first(s->debug->session));
        dap_moment(j, "last", session_last(s->debug->session));
        dap_moment(j, "here", place.at);
        json_unsigned(j, "track", session_track(s->debug->session));
        write_lives(j, &t.threads);
        write_instants(j, "signals", &t.signals, true);
        write_instants(j, "output", &t.outputs, false);
        write_bookmarks(s, j);
        json_unsigned(j, "leftOut", t.left_out);
    }
    list_deinit(&t.threads);
    list_deinit(&t.signals);
    list_deinit(&t.outputs);
    return err;
}
