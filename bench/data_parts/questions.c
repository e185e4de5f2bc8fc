/* How long questions about data take at the end of a recording: questions RECORDING PLAIN_SECONDS
 * WHAT...
 *
 *   back=NAME,AIM,ADDRESS     back to the last store to the address: `buntil`
 *   history=NAME,AIM,ADDRESS  all changes of the value; then the same again with kept answers
 *
 * PLAIN_SECONDS is the time of a plain replay of the whole recording. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "query/history.h"
#include "session/movement.h"
#include "session/session.h"

static struct session *s;
static double plain;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static void must(struct error *err)
{
    if (err)
        exit(error_complain(err, 1));
}

static void ask_back(const char *name, const char *aim, u64 address)
{
    struct session_stop stop;
    u32 number;
    struct breakpoint b = {.site.kind = SITE_STORE, .site.address = address, .site.size = 8,
                           .site.thread = CONTROL_THREAD_ANY};
    must(movement_goto(s, session_last(s), &stop));
    must(session_add_breakpoint(s, &b, &number));
    double began = now();
    must(movement_continue(s, BACKWARD, 1, &stop));
    double took = now() - began;
    if (stop.why != WHY_BREAKPOINT)
        exit(1);
    must(session_remove_breakpoint(s, number));
    printf("| back to the last store: %s | %.3f s | %s |\n", name, took, aim);
}

static double ask_once(struct history *h, u64 address, size_t *ret)
{
    struct history_range range = {address, 8};
    struct history_question q = {.look = history_look_at_range, .context = &range, .key = "it",
                                 .from = session_first(s), .to = session_last(s), .order = BACKWARD};
    struct history_answer a;
    double began = now();
    must(history_ask(h, &q, &a));
    *ret = a.count;
    return now() - began;
}

static void ask_history(const char *name, const char *aim, u64 address)
{
    struct history *h;
    size_t count;
    history_create(s, &h);
    double first = ask_once(h, address, &count), again = ask_once(h, address, &count);
    printf("| the history of %s, %zu changes; again | %.2f of plain replay; %.4f s | %s |\n", name, count, first / plain,
           again, aim);
    history_destroy(h);
}

int main(int argc, char **argv)
{
    struct recording *rec;
    unsigned long long address;
    char name[64], aim[16];
    if (argc < 4)
        return 2;
    plain = atof(argv[2]);
    must(recording_open(argv[1], &rec));
    must(session_open(rec, &(struct session_options){.track = 0}, &s));
    for (int i = 3; i < argc; i++) {
        if (sscanf(argv[i], "back=%63[^,],%15[^,],%llx", name, aim, &address) == 3)
            ask_back(name, aim, address);
        else if (sscanf(argv[i], "history=%63[^,],%15[^,],%llx", name, aim, &address) == 3)
            ask_history(name, aim, address);
        fflush(stdout);
    }
    session_close(s);
    recording_destroy(rec);
    return 0;
}
