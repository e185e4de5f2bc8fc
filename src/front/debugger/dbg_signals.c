/* Signals: handle, info signals, and messages about signals. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "front/debugger/dbg_internal.h"

/* --- which stop ------------------------------------------------------------------------------ */

/* gdb's words for handling a signal. What the program received cannot be changed. */
static struct error *handle_word(const char *word, bool *ret_stop, bool *ret_known)
{
    static const char *const passes[] = {"print", "pass", "noignore"};
    *ret_known = true;
    if (strcmp(word, "stop") == 0)
        return *ret_stop = true, NULL;
    if (strcmp(word, "nostop") == 0 || strcmp(word, "noprint") == 0)
        return *ret_stop = false, NULL;
    if (strcmp(word, "nopass") == 0 || strcmp(word, "ignore") == 0)
        return error_coded(
            ERROR_MISUSED,
            "'%s' is not possible: a replay delivers the signals that were recorded; "
            "use 'stop' or 'nostop'",
            word);
    *ret_known = false;
    for (size_t i = 0; i < countof(passes); i++)
        if (strcmp(word, passes[i]) == 0)
            return *ret_known = true, NULL;
    return NULL;
}

/* handle SIGNAL... stop|nostop */
struct error *dbg_handle(struct dbg *d, const struct dbg_command *c, const char *args)
{
    bool chosen[DEBUG_SIGNALS] = {0}, stop = true, any = false, said = false;
    struct error *err = NULL;
    (void)c;
    for (char *word; !err && (word = debug_next_word(&args)); free(word)) {
        u64 number;
        bool known;
        err = handle_word(word, &stop, &known);
        said = said || known;
        if (!err && !known)
            err = debug_signal_number(word, &number);
        if (err && !known) {
            error_destroy(err);
            err =
                error_coded(ERROR_MISUSED, "'%s' is neither a signal nor 'stop' or 'nostop'", word);
        }
        for (u32 i = 1; i < DEBUG_SIGNALS && !err && !known; i++)
            any |= chosen[i] |= number == ~0ull || number == i;
    }
    if (!err && (!any || !said))
        err = error_coded(ERROR_MISUSED, "say which signal, and 'stop' or 'nostop'");
    for (u32 i = 1; i < DEBUG_SIGNALS && !err; i++)
        if (chosen[i])
            debug_handle(d->debug, i, stop);
    return err;
}

struct error *dbg_info_signals(struct dbg *d, const char *args)
{
    char room[32];
    u64 number;
    struct error *err = debug_signal_number(args, &number);
    if (err)
        return err;
    for (u32 i = 1; i < DEBUG_SIGNALS; i++)
        if ((number == i || number == ~0ull) && sigabbrev_np((int)i))
            dbg_say(d, "%-10s %s\n", debug_signal_name(i, room),
                    d->debug->signal_stops[i] ? "stops" : "does not stop");
    if (session_fault_runtime(d->debug->session))
        dbg_say(d, "%s uses faults in normal operation: by default they do not stop.\n",
                session_fault_runtime(d->debug->session));
    return NULL;
}

/* --- those that came ------------------------------------------------------------------------- */

void dbg_say_signal(struct dbg *d, u32 number)
{
    char *text = debug_signal_text(d->debug, number);
    dbg_say(d, "%s", text);
    free(text);
}

/* A program with a crash handler ends in it, or by what it does. The user is looking for the
 * original fault. */
void dbg_say_faults(struct dbg *d)
{
    struct session_place place;
    struct session_faults f;
    session_place(d->debug->session, &place);
    session_handled_faults(d->debug->session, &f);
    if (!place.end || !f.count || session_fault_runtime(d->debug->session))
        return;
    char *text = session_faults_text(&f, "goto event");
    dbg_say(d, "%s", text);
    free(text);
    json_unsigned(dbg_fields(d), "faults", f.count);
    json_unsigned(dbg_fields(d), "first_fault", f.first.event);
    json_unsigned(dbg_fields(d), "last_fault", f.last.event);
}
