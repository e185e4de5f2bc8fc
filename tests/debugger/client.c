/* A second client of src/debug, written from debug.h alone: it obeys a few words from its input, one
 * movement or question a line, and prints the moment it stands at, or the value, after each.
 *
 *     client RECORDING <WORDS
 *
 * The suite 88-debugger has the prompt obey the same words and compares.
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
    {"out", MOVE_OUT, FORWARD},
};

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
        debug_count_hits(d, &stop);
    debug_order_deinit(&o);
    return err;
}

static struct error *print(struct debug *d, const char *expression)
{
    struct evaluation *evaluation;
    struct value *value;
    struct error *err = debug_evaluation(d, &evaluation);
    if (err)
        return err;
    err = values_evaluate(evaluation, expression, &value);
    if (!err) {
        char *text = value_show(value, 0);
        printf("%s\n", text);
        free(text);
    }
    values_close(evaluation);
    return err;
}

static struct error *obey(struct debug *d, const char *line)
{
    struct debug_breakpoint *p;
    struct session_stop stop;
    struct moment to;
    struct error *err, *pending;
    for (size_t n = 0; n < countof(moves); n++)
        if (debug_take_word(&line, moves[n].name))
            return move(d, n, line);
    if (debug_take_word(&line, "print"))
        return print(d, line);
    if (debug_take_word(&line, "break")) {
        struct debug_break_order order = {.location = line, .thread = CONTROL_THREAD_ANY};
        err = debug_break_add(d, &order, &p, &pending);
        if (!err)
            error_destroy(pending);
        return err;
    }
    if (debug_take_word(&line, "watch")) {
        struct debug_watch_order order = {.type = BREAK_STORE, .expression = line,
                                          .thread = CONTROL_THREAD_ANY};
        return debug_watch_add(d, &order, &p);
    }
    if (debug_take_word(&line, "catch syscall"))
        return debug_catch_add(d, "syscall", line, false, &p);
    if (debug_take_word(&line, "delete")) {
        p = debug_breakpoints_find(d, (u32)atoi(line));
        if (p)
            debug_breakpoints_remove(d, p);
        return NULL;
    }
    if (debug_take_word(&line, "bookmark"))
        return debug_bookmark_add(d, line);
    if (debug_take_word(&line, "goto")) {
        err = debug_find_moment(d, line, &to);
        return err ? err : debug_goto(d, to, &stop);
    }
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
            printf("error: %s\n", error_text(err));
        else
            printf("%llu:0x%llx\n", (unsigned long long)place.at.tick, (unsigned long long)place.at.pc);
        error_destroy(err);
    }
    debug_close(d);
    recording_destroy(rec);
    return 0;
}
