/* Signals: their names, which of them stop movements, and a description of the one at this moment.
 *
 * Whether a signal stops is decided by the session's default for the track, unless the user has set
 * it with `handle`. Such a setting also applies to other tracks.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "debug/debug_internal.h"
#include "log/siginfo_text.h"

const char *debug_signal_name(u32 number, char room[32])
{
    const char *name = sigabbrev_np((int)number);
    if (name)
        snprintf(room, 32, "SIG%s", name);
    else
        snprintf(room, 32, "SIG%u", number); /* the form that gdb uses */
    return room;
}

struct error *debug_signal_number(const char *name, u64 *ret)
{
    *ret = ~0ull;
    const char *rest = strncmp(name, "SIG", 3) == 0 ? name + 3 : name;
    for (int n = 1; n < DEBUG_SIGNALS; n++) {
        const char *known = sigabbrev_np(n);
        if (known && strcasecmp(rest, known) == 0) {
            *ret = (u64)n;
            return NULL;
        }
    }
    if (!*name || strcmp(name, "all") == 0)
        return NULL;
    struct error *err = isdigit((u8)*rest) ? debug_number(rest, "signal number", ret) : NULL;
    if (!err && (*ret == 0 || *ret >= DEBUG_SIGNALS))
        err = error_coded(ERROR_NOT_FOUND, "there is no signal '%s'", name);
    return err;
}

void debug_default_signals(struct debug *d)
{
    for (u32 i = 1; i < DEBUG_SIGNALS; i++)
        if (!d->signal_chosen[i])
            d->signal_stops[i] = session_signal_stops(d->session, i);
}

void debug_handle(struct debug *d, u32 signal, bool stops)
{
    d->signal_chosen[signal] = true;
    d->signal_stops[signal] = stops;
}

/* A fault is described with its code and address, any other signal by its name. */
char *debug_signal_text(struct debug *d, u32 number)
{
    char room[32];
    struct session_signal s;
    if (!session_signal_here(d->session, &s) || s.signal != number || !s.raised)
        return xformat("%s", debug_signal_name(number, room));
    char *words = NULL;
    size_t size;
    FILE *to = open_memstream(&words, &size);
    assert(to);
    siginfo_print_short(to, s.signal, s.info);
    fclose(to);
    return words;
}
