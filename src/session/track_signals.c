/* The signals in a track's log: the one at the current moment, and faults that the program handled
 * itself. Also decides which signals stop movements by default. No engine is asked. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "log/siginfo_text.h"
#include "session/session_internal.h"

static struct session_signal signal_of(const struct event *e, u64 number)
{
    const struct event_signal *s = (const struct event_signal *)e->payload;
    struct session_signal ret = {
        .at = {e->tick, e->pc}, .thread = e->thread, .event = number, .signal = s->signal,
        .raised = s->flags & SIGNAL_SYNCHRONOUS, .handled = s->fate == SIGNAL_HANDLED,
        .handler = s->handler,
    };
    memcpy(ret.info, s->info, sizeof ret.info);
    return ret;
}

/* Returns the index of the first signal at this tick or later. */
static size_t first_of_tick(const struct track_events *t, const struct track_event_at *all,
                            size_t count, u64 tick)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (track_events_at(t, &all[middle])->tick < tick)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool track_events_signalled(const struct track_events *t, u64 signals, u64 first, u64 last)
{
    size_t count;
    const struct track_event_at *all = signals ? track_events_signals(t, &count) : NULL;
    for (size_t i = all ? first_of_tick(t, all, count, first) : 0; all && i < count; i++) {
        const struct event *e = track_events_at(t, &all[i]);
        u32 signal = ((const struct event_signal *)e->payload)->signal;
        if (e->tick > last)
            return false;
        if (signal - 1 >= 64 || (signals >> (signal - 1) & 1))
            return true;
    }
    return false;
}

bool session_signal_here(const struct session *s, struct session_signal *ret)
{
    const struct track_events *t = s->family.events;
    size_t count;
    const struct track_event_at *all = track_events_signals(t, &count);
    for (size_t i = first_of_tick(t, all, count, s->here.at.tick); i < count; i++) {
        const struct event *e = track_events_at(t, &all[i]);
        if (e->tick != s->here.at.tick)
            return false;
        if (e->pc == s->here.at.pc && e->thread == s->here.thread) {
            *ret = signal_of(e, all[i].number);
            return true;
        }
    }
    return false;
}

void session_handled_faults(const struct session *s, struct session_faults *ret)
{
    size_t count;
    const struct track_event_at *all = track_events_signals(s->family.events, &count);
    *ret = (struct session_faults){0};
    for (size_t i = 0; i < count; i++) {
        struct session_signal found = signal_of(track_events_at(s->family.events, &all[i]),
                                                all[i].number);
        if (!found.raised || !found.handled || !found.event)
            continue;
        if (!ret->count++)
            ret->first = found;
        ret->last = found;
    }
}

static void print_fault(FILE *to, const char *which, const char *go, const struct session_signal *s)
{
    fprintf(to, "%s ", which);
    siginfo_print_short(to, s->signal, s->info);
    fprintf(to, ": '%s %llu'\n", go, (unsigned long long)s->event);
}

char *session_faults_text(const struct session_faults *f, const char *go)
{
    char *ret = NULL;
    size_t size;
    FILE *to = open_memstream(&ret, &size);
    assert(to);
    if (f->count > 1) {
        fprintf(to, "The program handled %llu faults itself.\n", (unsigned long long)f->count);
        print_fault(to, "  the first:", go, &f->first);
        print_fault(to, "  the last: ", go, &f->last);
    } else if (f->count) {
        print_fault(to, "The program handled a fault itself:", go, &f->first);
    }
    fclose(to);
    return ret;
}

const char *session_fault_runtime(const struct session *s)
{
    return s->fault_runtime;
}

/* Everyday signals are those that gdb does not stop at by default: alarms, children and the like.
 * 32 and 33 are used by the C library itself. */
bool session_signal_stops(const struct session *s, u32 signal)
{
    switch (signal) {
    case SIGALRM: case SIGCHLD: case SIGURG: case SIGXCPU: case SIGVTALRM: case SIGPROF:
    case SIGWINCH: case SIGIO: case 32: case 33:
        return false;
    case SIGILL: case SIGTRAP: case SIGBUS: case SIGFPE: case SIGSEGV:
        return !s->fault_runtime;
    default:
        return true;
    }
}
