/* ebb replay at a prompt: reads commands from -c and -x, a terminal, or a pipe. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "front/debugger/dbg_internal.h"
#include "front/debugger/debugger.h"
#include "log/channel.h"
#include "log/track_choice.h"

/* --- one run ---------------------------------------------------------------------------------- */

/* Prints the first message in the form of an answer. */
static void say_opening(struct dbg *d)
{
    dbg_answer_begin(d);
    dbg_say_opened(d);
    dbg_say_here(d);
    json_string(dbg_fields(d), "reason", "open");
    json_unsigned(dbg_fields(d), "track", session_track(d->debug->session));
    dbg_answer_end(d, "open", NULL);
}

/* Lines of -c are kept in one list, so that `commands` finds the lines after it. */
struct order_list {
    const struct replay_order *at, *end;
};

static char *order_next(struct dbg_input *in, const char *prompt)
{
    struct order_list *list = in->context;
    (void)prompt;
    if (list->at == list->end || list->at->is_file)
        return NULL;
    return xformat("%s", list->at++->text);
}

static void obey_orders(struct dbg *d, const struct replay_options *o)
{
    const struct replay_order *all = o->orders.items;
    struct order_list list = {all, all + o->orders.count};
    struct dbg_input in = {.next = order_next, .context = &list};
    while (list.at < list.end && !d->quit) {
        struct error *err = list.at->is_file ? dbg_source_file(d, list.at++->text, false)
                                             : dbg_read_input(d, &in, false);
        if (err) {
            d->failed = true;
            error_complain(err, 1);
        }
    }
}

static void obey_terminal(struct dbg *d, bool tui)
{
    d->at_prompt = true;
    struct dbg_input *in = dbg_edit_open(d);
    if (tui)
        dbg_obey(d, "layout src");
    error_destroy(dbg_read_input(d, in, false));
    dbg_edit_close(in);
    d->failed = false; /* the user has seen the error */
}

static void obey_stdin(struct dbg *d)
{
    struct dbg_input in = {.next = dbg_input_file_next, .file = stdin};
    error_destroy(dbg_read_input(d, &in, false));
}

/* True if lines will be typed. */
static bool is_typed(const struct replay_options *o)
{
    return o->tui ||
           (!o->orders.count && !o->json && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
}

static void obey_all(struct dbg *d, const struct replay_options *o)
{
    if (!o->is_quiet)
        say_opening(d);
    if (o->orders.count)
        obey_orders(d, o);
    if (o->tui && !d->quit)
        obey_terminal(d, true);
    else if (is_typed(o) && !d->quit)
        obey_terminal(d, false);
    else if (!o->orders.count)
        obey_stdin(d);
}

static void init(struct dbg *d, const struct replay_options *o)
{
    const char *no_colour = getenv("NO_COLOR");
    *d = (struct dbg){
        .json = o->json,
        .settings = {.context = 2, .listsize = 10},
    };
    d->settings.colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
    d->at_prompt = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO) && !o->json;
}

static struct error *prompt_run(const struct replay_options *o, bool *failed)
{
    struct dbg d;
    struct recording *rec;
    u32 *tracks;
    size_t count;
    init(&d, o);
    struct debug_client client = dbg_client(&d);
    struct error *err = recording_open(o->choice.recording, &rec);
    if (err)
        return err;
    err = track_choose(&o->choice, rec, &tracks, &count);
    if (!err) {
        if (is_typed(o))
            dbg_wait_begin(); /* Ctrl-C ends the run to the end of the track; a prompt follows */
        err = debug_open(rec, tracks[0], o->at_start, &client, &d.debug);
        free(tracks);
    }
    if (!err)
        obey_all(&d, o);
    *failed = d.failed;
    dbg_user_commands_deinit(&d);
    debug_close(d.debug);
    recording_destroy(rec);
    return err;
}

int debugger_replay(const struct replay_options *o)
{
    bool failed = false;
    if (o->tui && (o->json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        return complain(CHANNEL_EXIT_USAGE, "--tui needs a terminal%s",
                        o->json ? " and no --json" : "");
    setlocale(LC_CTYPE, "");
    signal(SIGPIPE, SIG_IGN);
    struct error *err = prompt_run(o, &failed);
    int status = err ? error_complain(err, 1) : failed;
    int unwritten = complain_if_unwritten();
    return status ? status : unwritten;
}
