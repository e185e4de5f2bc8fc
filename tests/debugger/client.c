/* A second client of src/debug, written from debug.h alone. It reads words of the prompt from its
 * input, one movement or question a line, and obeys them. It prints why a movement stopped, or the
 * answer, and then the moment.
 *
 *     client RECORDING <WORDS
 *
 * The suite 88-debugger gives the same words to the prompt and compares.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/debug.h"

static const struct { const char *name; enum debug_move move; enum session_direction direction; } moves[] = {
    {"step", MOVE_STEP, FORWARD}, {"bstep", MOVE_STEP, BACKWARD}, {"next", MOVE_NEXT, FORWARD},
    {"previous", MOVE_NEXT, BACKWARD}, {"continue", MOVE_CONTINUE, FORWARD},
    {"bcontinue", MOVE_CONTINUE, BACKWARD}, {"finish", MOVE_FINISH, FORWARD},
    {"before", MOVE_FINISH, BACKWARD}, {"stepi", MOVE_STEPI, FORWARD}, {"bstepi", MOVE_STEPI, BACKWARD},
    {"until", MOVE_UNTIL, FORWARD}, {"buntil", MOVE_UNTIL, BACKWARD}, {"first", MOVE_FIRST, FORWARD},
    {"out", MOVE_OUT, FORWARD}, {"bout", MOVE_OUT, BACKWARD}, {"nexti", MOVE_NEXTI, FORWARD},
    {"bnexti", MOVE_NEXTI, BACKWARD},
};

static char *text_of(struct debug *d, const char *expression, bool type, struct error **err)
{
    struct evaluation *evaluation;
    struct value *value;
    char *text = NULL;
    *err = debug_evaluation(d, &evaluation);
    if (*err)
        return NULL;
    if (type)
        *err = values_ptype(evaluation, expression, PTYPE_NAME, &text);
    else
        *err = values_evaluate(evaluation, expression, &value);
    if (!*err && !type)
        text = value_show(value, 0);
    values_close(evaluation);
    return text;
}

static void show_displays(struct debug *d)
{
    const struct debug_display *all = d->displays.items;
    for (size_t n = 0; n < d->displays.count; n++) {
        struct error *err;
        char *text = text_of(d, all[n].expression, false, &err);
        printf("%u: %s = %s\n", all[n].number, all[n].expression, err ? error_text(err) : text);
        error_destroy(err);
        free(text);
    }
}

static void show_stop(struct debug *d, const struct session_stop *stop, bool has_goal)
{
    struct debug_stop s;
    debug_describe_stop(d, stop, &s);
    if (!has_goal)
        printf("%s\n", debug_reason_name(s.reason));
    if (!has_goal && s.has_change && s.change.kind == CHANGE_OF_DATA)
        printf("%s -> %s\n", s.change.old, s.change.new);
    if (s.is_followed)
        debug_count_hit(d, s.breakpoint);
    debug_stop_deinit(&s);
    show_displays(d);
}

static struct error *move(struct debug *d, size_t row, const char *args)
{
    struct session_stop stop = {0};
    struct debug_order o = {.move = moves[row].move, .direction = moves[row].direction, .count = 1};
    bool has_goal = o.move == MOVE_UNTIL || o.move == MOVE_FIRST;
    struct error *err = debug_check_thread(d, o.move);
    if (!err && has_goal)
        err = debug_read_goal(d, args, &o.pcs, &o.pc_count, &o.goal);
    else if (!err && o.move != MOVE_OUT)
        err = debug_count(args, &o.count);
    if (!err)
        err = debug_move(d, &o, &stop);
    if (!err)
        show_stop(d, &stop, has_goal);
    if (!err)
        debug_count_hits(d, &stop);
    debug_order_deinit(&o);
    return err;
}

static struct error *print(struct debug *d, const char *expression, bool type)
{
    struct error *err;
    char *text = text_of(d, expression, type, &err);
    if (!err)
        printf("%s\n", text);
    free(text);
    return err;
}

/* --- what stops a movement -------------------------------------------------------------------- */

static struct error *set_break(struct debug *d, const char *line, bool temporary)
{
    char *text = xformat("%s", line), *condition = debug_cut_behind(text, "if");
    struct debug_breakpoint *p;
    struct error *pending = NULL;
    struct debug_break_order order = {.location = text, .condition = condition, .temporary = temporary,
                                      .thread = CONTROL_THREAD_ANY};
    struct error *err = debug_break_add(d, &order, &p, &pending);
    error_destroy(pending);
    free(text);
    return err;
}

static struct error *set_watch(struct debug *d, const char *expression, u32 type)
{
    struct debug_breakpoint *p;
    struct debug_watch_order order = {.type = type, .expression = expression, .thread = CONTROL_THREAD_ANY};
    return debug_watch_add(d, &order, &p);
}

/* NUMBER and what follows. */
static struct debug_breakpoint *numbered(struct debug *d, const char **line)
{
    char *word = debug_next_word(line);
    struct debug_breakpoint *p = word ? debug_breakpoints_find(d, (u32)atoi(word)) : NULL;
    free(word);
    return p;
}

static struct error *change_break(struct debug *d, const char *what, const char *line)
{
    struct debug_breakpoint *p = numbered(d, &line);
    if (!p)
        return error_coded(ERROR_NOT_FOUND, "there is no such breakpoint");
    if (strcmp(what, "delete") == 0)
        debug_breakpoints_remove(d, p);
    else if (strcmp(what, "ignore") == 0)
        debug_breakpoint_ignore(d, p, (u64)atoi(line));
    else if (strcmp(what, "condition") == 0)
        return debug_breakpoint_condition(d, p, *line ? line : NULL);
    else
        debug_breakpoint_enable(d, p, strcmp(what, "enable") == 0);
    return NULL;
}

static struct error *handle(struct debug *d, const char *line)
{
    u64 number = 0;
    char *name = debug_next_word(&line);
    struct error *err = debug_signal_number(name ? name : "", &number);
    if (!err)
        debug_handle(d, (u32)number, strcmp(line, "stop") == 0);
    free(name);
    return err;
}

/* --- looking ---------------------------------------------------------------------------------- */

static struct error *history(struct debug *d, const char *expression)
{
    struct subject *s;
    struct history_answer a;
    struct error *err = debug_subject_over_time(d, expression, &s);
    if (err)
        return err;
    struct history_question q = {.look = subject_look, .context = s, .points = subject_points(s),
                                 .from = session_first(d->session), .to = session_last(d->session),
                                 .order = BACKWARD};
    err = history_ask(d->history, &q, &a);
    for (size_t n = 0; !err && n < a.count; n++) {
        char *old = subject_text(s, &a.changes[n].old), *new = subject_text(s, &a.changes[n].new);
        printf("%s -> %s\n", old, new);
        free(old);
        free(new);
    }
    subject_destroy(s);
    return err;
}

static struct error *go_frame(struct debug *d, long by)
{
    struct error *err = debug_frames(d);
    long index = (long)d->selected + by;
    if (err)
        return err;
    if (index < 0 || (size_t)index >= debug_shown_frames(d, (size_t)index + 1, NULL))
        return error_coded(ERROR_UNAVAILABLE, index < 0 ? "this is the innermost frame"
                                                        : "this is the outermost frame");
    debug_choose_frame(d, (size_t)index);
    printf("%s:%u\n", debug_frame(d)->function, debug_frame(d)->place.line);
    return NULL;
}

static struct error *backtrace(struct debug *d)
{
    struct error *err = debug_frames(d);
    size_t count = err ? 0 : debug_shown_frames(d, ~(size_t)0, NULL);
    for (size_t n = 0; n < count; n++)
        printf("%s%s", n ? " " : "", d->frames[n].function);
    if (!err)
        printf("\n");
    return err;
}

static struct error *locals(struct debug *d)
{
    struct evaluation *evaluation;
    struct variable *list;
    size_t count;
    struct error *err = debug_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_variables(evaluation, false, &list, &count);
    for (size_t n = 0; !err && n < count; n++) {
        char *text = list[n].value ? value_show(list[n].value, 0) : NULL;
        printf("%s = %s\n", list[n].name, text);
        free(text);
    }
    values_close(evaluation);
    return err;
}

static struct error *info(struct debug *d, const char *what)
{
    struct control_thread *threads;
    u32 *tracks;
    size_t count;
    struct error *err = NULL;
    if (strcmp(what, "locals") == 0)
        return locals(d);
    if (strcmp(what, "threads") == 0) {
        err = session_threads(d->session, &threads, &count);
        for (size_t n = 0; !err && n < count; n++) {
            struct frame shown, innermost;
            debug_thread_frames(d, threads[n].thread, &shown, &innermost);
            printf("%u %u %.*s %s\n", threads[n].thread, threads[n].tid, (int)sizeof threads[n].name,
                   threads[n].name, shown.function);
        }
        if (!err)
            free(threads);
    } else if (strcmp(what, "tracks") == 0) {
        err = recording_tracks(d->rec, &tracks, &count);
        for (size_t n = 0; !err && n < count; n++) {
            char *about = track_about(d->rec, tracks[n]);
            printf("%c %u: %s\n", tracks[n] == session_track(d->session) ? '*' : ' ', tracks[n], about);
            free(about);
        }
        if (!err)
            free(tracks);
    } else if (strcmp(what, "skip") == 0) {
        for (size_t n = 0; n < d->skips.count; n++)
            printf("%s\n", ((char **)d->skips.items)[n]);
    } else if (strcmp(what, "breakpoints") == 0) {
        for (size_t n = 0; n < d->breakpoints.count; n++)
            printf("%u\n", ((struct debug_breakpoint **)d->breakpoints.items)[n]->number);
    }
    return err;
}

/* --- words ------------------------------------------------------------------------------------ */

static struct error *go_to(struct debug *d, const char *words)
{
    struct session_stop stop;
    struct moment to;
    struct error *err = debug_find_moment(d, words, &to);
    return err ? err : debug_goto(d, to, &stop);
}

static struct error *obey(struct debug *d, const char *line)
{
    static const char *const changes[] = {"delete", "disable", "enable", "condition", "ignore"};
    struct debug_breakpoint *p;
    struct session_stop stop;
    for (size_t n = 0; n < countof(moves); n++)
        if (debug_take_word(&line, moves[n].name))
            return move(d, n, line);
    for (size_t n = 0; n < countof(changes); n++)
        if (debug_take_word(&line, changes[n]))
            return change_break(d, changes[n], line);
    if (debug_take_word(&line, "print") || debug_take_word(&line, "call"))
        return print(d, line, false);
    if (debug_take_word(&line, "whatis"))
        return print(d, line, true);
    if (debug_take_word(&line, "break"))
        return set_break(d, line, false);
    if (debug_take_word(&line, "tbreak"))
        return set_break(d, line, true);
    if (debug_take_word(&line, "watch"))
        return set_watch(d, line, BREAK_STORE);
    if (debug_take_word(&line, "rwatch"))
        return set_watch(d, line, BREAK_LOAD);
    if (debug_take_word(&line, "catch syscall"))
        return debug_catch_add(d, "syscall", line, false, &p);
    if (debug_take_word(&line, "catch signal"))
        return debug_catch_add(d, "signal", line, false, &p);
    if (debug_take_word(&line, "handle"))
        return handle(d, line);
    if (debug_take_word(&line, "skip delete"))
        return debug_skip(d, line, false);
    if (debug_take_word(&line, "skip"))
        return debug_skip(d, line, true);
    if (debug_take_word(&line, "display"))
        return debug_display_add(d, 0, line), NULL;
    if (debug_take_word(&line, "undisplay"))
        return debug_display_remove(d, (u64)atoi(line)) ? NULL : error_new("none");
    if (debug_take_word(&line, "history"))
        return history(d, line);
    if (debug_take_word(&line, "up"))
        return go_frame(d, 1);
    if (debug_take_word(&line, "down"))
        return go_frame(d, -1);
    if (debug_take_word(&line, "backtrace"))
        return backtrace(d);
    if (debug_take_word(&line, "info"))
        return info(d, line);
    if (debug_take_word(&line, "thread"))
        return debug_choose_thread(d, (u32)atoi(line)), NULL;
    if (debug_take_word(&line, "track"))
        return debug_open_track(d, (u32)atoi(line), false);
    if (debug_take_word(&line, "bookmark"))
        return debug_bookmark_add(d, line);
    if (debug_take_word(&line, "goto"))
        return go_to(d, line);
    if (debug_take_word(&line, "undo"))
        return debug_undo(d, 1, &stop);
    if (debug_take_word(&line, "redo"))
        return debug_redo(d, 1, &stop);
    return error_new("'%s' is not among the words of this client", line);
}

int main(int argc, char **argv)
{
    struct recording *rec;
    struct debug *d;
    char line[256];
    struct debug_client silent = {0};
    struct error *err = argc == 2 ? recording_open(argv[1], &rec) : error_new("client RECORDING");
    if (!err)
        err = debug_open(rec, 0, false, &silent, &d);
    if (err) {
        fprintf(stderr, "%s\n", error_text(err));
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        struct session_place place;
        line[strcspn(line, "\n")] = '\0';
        err = obey(d, line);
        session_place(d->session, &place);
        if (err)
            printf("error %s: %s\n", error_code_name(error_code(err)), error_text(err));
        else
            printf("%llu:0x%llx\n", (unsigned long long)place.at.tick, (unsigned long long)place.at.pc);
        error_destroy(err);
    }
    debug_close(d);
    recording_destroy(rec);
    return 0;
}
