/* Signals: their names, which of them stop movements, and what is said of those that came.
 *
 * Whether a signal stops is the session's default for the track, unless the user has said so with
 * `handle`; that stays when another track is opened.
 */
#include <ctype.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "front/debugger/dbg_internal.h"
#include "log/siginfo_text.h"

const char *dbg_signal_name(u32 number, char room[32])
{
    const char *name = sigabbrev_np((int)number);
    if (name)
        snprintf(room, 32, "SIG%s", name);
    else
        snprintf(room, 32, "SIG%u", number); /* as gdb has it */
    return room;
}

struct error *dbg_signal_number(const char *name, u64 *ret)
{
    *ret = ~0ull;
    const char *rest = strncmp(name, "SIG", 3) == 0 ? name + 3 : name;
    for (int n = 1; n < DBG_SIGNALS; n++) {
        const char *known = sigabbrev_np(n);
        if (known && strcasecmp(rest, known) == 0) {
            *ret = (u64)n;
            return NULL;
        }
    }
    if (!*name || strcmp(name, "all") == 0)
        return NULL;
    struct error *err = isdigit((u8)*rest) ? dbg_number(rest, "signal", ret) : NULL;
    if (!err && (*ret == 0 || *ret >= DBG_SIGNALS))
        err = error_coded(ERROR_NOT_FOUND, "there is no signal '%s'", name);
    return err;
}

/* --- which stop ------------------------------------------------------------------------------ */

void dbg_default_signals(struct dbg *d)
{
    for (u32 i = 1; i < DBG_SIGNALS; i++)
        if (!d->signal_chosen[i])
            d->signal_stops[i] = session_signal_stops(d->session, i);
}

/* gdb's words for what is to be done.  What the program got cannot be changed. */
static struct error *handle_word(const char *word, bool *ret_stop, bool *ret_known)
{
    static const char *const passes[] = {"print", "pass", "noignore"};
    *ret_known = true;
    if (strcmp(word, "stop") == 0)
        return *ret_stop = true, NULL;
    if (strcmp(word, "nostop") == 0 || strcmp(word, "noprint") == 0)
        return *ret_stop = false, NULL;
    if (strcmp(word, "nopass") == 0 || strcmp(word, "ignore") == 0)
        return error_new("the recorded program got its signals: '%s' cannot be", word);
    *ret_known = false;
    for (size_t i = 0; i < countof(passes); i++)
        if (strcmp(word, passes[i]) == 0)
            return *ret_known = true, NULL;
    return NULL;
}

/* handle SIGNAL... stop|nostop */
struct error *dbg_handle(struct dbg *d, const struct dbg_command *c, const char *args)
{
    bool chosen[DBG_SIGNALS] = {0}, stop = true, any = false, said = false;
    struct error *err = NULL;
    (void)c;
    for (char *word; !err && (word = dbg_next_word(&args)); free(word)) {
        u64 number;
        bool known;
        err = handle_word(word, &stop, &known);
        said = said || known;
        if (!err && !known)
            err = dbg_signal_number(word, &number);
        if (err && !known) {
            error_destroy(err);
            err = error_new("'%s' is neither a signal nor 'stop' or 'nostop'", word);
        }
        for (u32 i = 1; i < DBG_SIGNALS && !err && !known; i++)
            any |= chosen[i] |= number == ~0ull || number == i;
    }
    if (!err && (!any || !said))
        err = error_coded(ERROR_MISUSED, "say which signal, and 'stop' or 'nostop'");
    for (u32 i = 1; i < DBG_SIGNALS && !err; i++)
        if (chosen[i]) {
            d->signal_chosen[i] = true;
            d->signal_stops[i] = stop;
        }
    return err;
}

struct error *dbg_info_signals(struct dbg *d, const char *args)
{
    char room[32];
    u64 number;
    struct error *err = dbg_signal_number(args, &number);
    if (err)
        return err;
    for (u32 i = 1; i < DBG_SIGNALS; i++)
        if ((number == i || number == ~0ull) && sigabbrev_np((int)i))
            dbg_say(d, "%-10s %s\n", dbg_signal_name(i, room),
                    d->signal_stops[i] ? "stops" : "does not stop");
    if (session_fault_runtime(d->session))
        dbg_say(d, "%s uses faults in normal operation: by default they do not stop.\n",
                session_fault_runtime(d->session));
    return NULL;
}

/* --- those that came ------------------------------------------------------------------------- */

/* A fault is told with its code and address; of other signals the name says what matters. */
void dbg_say_signal(struct dbg *d, u32 number)
{
    char room[32];
    struct session_signal s;
    if (!session_signal_here(d->session, &s) || s.signal != number || !s.raised) {
        dbg_say(d, "%s", dbg_signal_name(number, room));
        return;
    }
    char *words = NULL;
    size_t size;
    FILE *to = open_memstream(&words, &size);
    assert(to);
    siginfo_print_short(to, s.signal, s.info);
    fclose(to);
    dbg_say(d, "%s", words);
    free(words);
}

/* A program with a crash handler ends in it, or by what that does: the fault is what its user looks
 * for. */
void dbg_say_faults(struct dbg *d)
{
    struct session_place place;
    struct session_faults f;
    session_place(d->session, &place);
    session_handled_faults(d->session, &f);
    if (!place.end || !f.count || session_fault_runtime(d->session))
        return;
    char *text = session_faults_text(&f, "goto event");
    dbg_say(d, "%s", text);
    free(text);
    json_unsigned(dbg_fields(d), "faults", f.count);
    json_unsigned(dbg_fields(d), "first_fault", f.first.event);
    json_unsigned(dbg_fields(d), "last_fault", f.last.event);
}
