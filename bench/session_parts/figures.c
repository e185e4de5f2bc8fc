/* Moves in a recording and says how long that took: figures RECORDING PLAIN_SECONDS WHAT...
 *
 * PLAIN_SECONDS is the time of a plain replay of the whole recording. WHAT is open, memory, back,
 * anomaly, stepi, continue or copies; or, with addresses of the program in hexadecimal, watch=NEVER
 * (a variable that is never written), late=ONCE (one that is written a second before the end) or
 * condition=MARK,COUNT (functions; see spender.c). Rows have a third column, the aim. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "session/movement.h"
#include "session/session.h"

static struct session *s;
static double plain;
static const struct session_range NOWHERE;
static struct session_stop stop;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void must(struct error *err)
{
    if (!err)
        return;
    fprintf(stderr, "%s\n", error_text(err));
    exit(1);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* A few instructions back, again and again from the end, as a user would. */
static void figure_back(void)
{
    enum { TIMES = 60 };
    double took[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double began = now();
        must(movement_stepi(s, BACKWARD, CONTROL_THREAD_ANY, 1 + (u64)i % 7, NOWHERE, &stop));
        took[i] = now() - began;
        if (i % 10 == 9)
            must(movement_goto(s, session_moment_of_share(s, 0.99 - 0.002 * i), &stop));
        for (int k = 0; k < 4 && session_idle(s); k++) {
        }
    }
    qsort(took, TIMES, sizeof took[0], compare);
    printf("| a few instructions back: median, most | %.4f s, %.4f s | 0.1 s, 0.3 s |\n", took[TIMES / 2],
           took[TIMES - 1]);
}

static u32 breakpoint_add(struct breakpoint b)
{
    u32 number;
    b.site.thread = CONTROL_THREAD_ANY;
    must(session_add_breakpoint(s, &b, &number));
    return number;
}

/* All the way to the start, for what never happens; and once more, with what is known now. */
static void travel(const char *what, const char *aim, struct breakpoint b)
{
    must(movement_goto(s, session_last(s), &stop));
    u32 number = breakpoint_add(b);
    double began = now();
    must(movement_continue(s, BACKWARD, 1, &stop));
    double first = now() - began;
    must(movement_undo(s));
    began = now();
    must(movement_continue(s, BACKWARD, 1, &stop));
    printf("| %s from the end to the start; again | %.2f; %.2f of plain replay | %s |\n", what,
           first / plain, (now() - began) / plain, aim);
    must(session_remove_breakpoint(s, number));
}

static void figure_continue(void)
{
    travel("reverse-continue", "2.2", (struct breakpoint){.site.kind = SITE_CODE, .site.address = 16});
}

static void figure_watch(u64 never)
{
    travel("reverse-continue with a store watch", "4",
           (struct breakpoint){.site.kind = SITE_STORE, .site.address = never, .site.size = 8});
}

/* Who wrote this?  As it is asked first of all, at the end. */
static void figure_late(u64 once)
{
    must(movement_goto(s, session_last(s), &stop));
    u32 number = breakpoint_add((struct breakpoint){.site.kind = SITE_STORE, .site.address = once, .site.size = 8});
    double began = now();
    must(movement_continue(s, BACKWARD, 1, &stop));
    double took = now() - began;
    u64 way = session_last(s).tick - stop.hit.tick;
    double replayed = plain * (double)way / (double)session_last(s).tick;
    if (stop.why != WHY_BREAKPOINT)
        exit(1);
    printf("| back to the last store to a variable, 1 s of native execution ago | %.2f s, %.2f of its replay | 3 s |\n",
           took, took / replayed);
    must(session_remove_breakpoint(s, number));
}

static double to_next_mark(void)
{
    double began = now();
    must(movement_continue(s, FORWARD, 1, &stop));
    if (stop.why != WHY_BREAKPOINT)
        exit(1);
    return now() - began;
}

/* A breakpoint whose condition is false, in the busiest function, on the way from mark to mark. */
static void figure_condition(u64 mark, u64 busy)
{
    enum { TIMES = 9, CALLS = 8192 * 177 };
    static const u8 false_one[] = {0x26, 0, 5, 0x23, 0x30, 0x39, 0x13, 0x27}; /* rdi == 12345 */
    double without[TIMES], with[TIMES];
    must(movement_goto(s, session_moment_of_share(s, 0.5), &stop));
    u32 goal = breakpoint_add((struct breakpoint){.site.kind = SITE_CODE, .site.address = mark});
    for (int i = 0; i < TIMES; i++)
        without[i] = to_next_mark();
    u32 passed = breakpoint_add((struct breakpoint){.site.kind = SITE_CODE, .site.address = busy,
                                                    .condition = false_one,
                                                    .site.condition_size = sizeof false_one});
    for (int i = 0; i < TIMES; i++)
        with[i] = to_next_mark();
    qsort(without, TIMES, sizeof without[0], compare);
    qsort(with, TIMES, sizeof with[0], compare);
    printf("| a breakpoint with a false condition, each time it is passed, least of 9 | %.0f ns | 100 ns |\n",
           (with[0] - without[0]) / CALLS * 1e9);
    must(session_remove_breakpoint(s, goal));
    must(session_remove_breakpoint(s, passed));
}

static int by_gap(const void *a, const void *b)
{
    return -compare(a, b);
}

/* As a prompt does while its user reads what it has printed. */
static void think(double seconds)
{
    double until = now() + seconds;
    while (now() < until && session_idle(s)) {
    }
}

static double step_back_from(struct moment at, double thought)
{
    must(movement_goto(s, session_last(s), &stop));
    must(movement_goto(s, at, &stop));
    think(thought);
    double began = now();
    must(movement_stepi(s, BACKWARD, CONTROL_THREAD_ANY, 1, NOWHERE, &stop));
    return now() - began;
}

/* Boothe's anomaly (PLDI 2000, section 5.4): a long movement back lands at the end of a long
 * interval between checkpoints, and a short step back from there has to replay the whole interval.
 * This is measured at the longest intervals: at once, and after a second at the prompt, in which
 * the session makes checkpoints in the interval. */
static void figure_anomaly(void)
{
    enum { TIMES = 6, MOST = 256 };
    struct session_checkpoint *list;
    double gaps[MOST][2], took[2][TIMES / 2];
    size_t count, n = 0;
    must(movement_goto(s, session_last(s), &stop));
    session_checkpoints(s, &list, &count);
    for (size_t i = 1; i < count && n < MOST; i++, n++) {
        gaps[n][0] = (double)(list[i].at.tick - list[i - 1].at.tick);
        gaps[n][1] = (double)i;
    }
    if (n < TIMES)
        exit(1);
    qsort(gaps, n, sizeof gaps[0], by_gap);
    for (int i = 0; i < TIMES; i++)
        took[i % 2][i / 2] = step_back_from(list[(size_t)gaps[i][1]].at, i % 2);
    for (int i = 0; i < 2; i++)
        qsort(took[i], TIMES / 2, sizeof took[i][0], compare);
    printf("| a long way back to the end of a long interval, %.2f of plain replay, then a step back at once: "
           "median, most | %.4f s, %.4f s | |\n", gaps[0][0] / (double)session_last(s).tick,
           took[0][TIMES / 4], took[0][TIMES / 2 - 1]);
    printf("| the same after a second at the prompt: median, most | %.4f s, %.4f s | 0.1 s, 0.3 s |\n",
           took[1][TIMES / 4], took[1][TIMES / 2 - 1]);
    free(list);
}

static void figure_stepi(void)
{
    enum { TIMES = 10000 };
    struct control_registers r;
    const u8 *vector;
    must(movement_goto(s, session_moment_of_share(s, 0.9), &stop));
    double began = now();
    for (int i = 0; i < TIMES; i++) {
        must(movement_stepi(s, BACKWARD, CONTROL_THREAD_ANY, 1, NOWHERE, &stop));
        must(session_registers(s, CONTROL_THREAD_ANY, &r, &vector));
    }
    printf("| %d reverse-stepi, with registers | %.2f s | 5 s |\n", TIMES, now() - began);
}

static void figure_copies(void)
{
    enum { TIMES = 20 };
    double took[TIMES];
    u64 word = 0;
    struct control_registers r;
    const u8 *vector;
    must(session_registers(s, CONTROL_THREAD_ANY, &r, &vector));
    for (int i = 0; i < TIMES; i++) {
        double began = now();
        must(session_write(s, r.reg[4], &word, sizeof word)); /* makes a copy */
        took[i] = now() - began;
        session_scratch_drop(s);
    }
    qsort(took, TIMES, sizeof took[0], compare);
    printf("%.1f ms\n", took[TIMES / 2] * 1000);
}

/* What the processes hold of their own. */
static void figure_memory(void)
{
    struct session_checkpoint *list;
    size_t count;
    unsigned long long sum = 0;
    session_checkpoints(s, &list, &count);
    for (size_t i = 0; i < count; i++) {
        char path[64], line[128];
        unsigned long long kilobytes;
        snprintf(path, sizeof path, "/proc/%u/smaps_rollup", list[i].pid);
        FILE *f = fopen(path, "re");
        while (f && fgets(line, sizeof line, f))
            if (sscanf(line, "Private_Dirty: %llu", &kilobytes) == 1)
                sum += kilobytes;
        if (f)
            fclose(f);
    }
    printf("| %zu checkpoints hold of their own | %llu MB | |\n", count, sum / 1024);
    free(list);
}

int main(int argc, char **argv)
{
    struct recording *rec;
    unsigned long long first, second;
    if (argc < 4)
        return 2;
    plain = atof(argv[2]);
    must(recording_open(argv[1], &rec));
    double began = now();
    must(session_open(rec, &(struct session_options){.track = 0}, &s));
    double opened = now() - began;
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "open") == 0)
            printf("| opening at the end | %.2f of plain replay | |\n", opened / plain);
        else if (strcmp(argv[i], "back") == 0)
            figure_back();
        else if (strcmp(argv[i], "continue") == 0)
            figure_continue();
        else if (strcmp(argv[i], "anomaly") == 0)
            figure_anomaly();
        else if (strcmp(argv[i], "stepi") == 0)
            figure_stepi();
        else if (strcmp(argv[i], "memory") == 0)
            figure_memory();
        else if (strcmp(argv[i], "copies") == 0)
            figure_copies();
        else if (sscanf(argv[i], "watch=%llx", &first) == 1)
            figure_watch(first);
        else if (sscanf(argv[i], "late=%llx", &first) == 1)
            figure_late(first);
        else if (sscanf(argv[i], "condition=%llx,%llx", &first, &second) == 2)
            figure_condition(first, second);
        fflush(stdout);
    }
    session_close(s);
    recording_destroy(rec);
    return 0;
}
