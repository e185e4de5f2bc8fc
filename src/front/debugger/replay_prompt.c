/* ebb replay: options, and where the commands come from: -c and -x, a terminal, or a pipe. */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/option_value.h"
#include "front/debugger/dbg_internal.h"
#include "front/debugger/debugger.h"
#include "log/channel.h"
#include "log/track_choice.h"

struct prompt_order {
    bool is_file;
    const char *text;
};

struct prompt_options {
    struct track_choice choice;
    bool at_start, json, tui;
    struct list orders; /* struct prompt_order */
};

static int add_order(struct prompt_options *o, bool is_file, int argc, char **argv, int *at)
{
    if (*at + 1 >= argc)
        return complain(CHANNEL_EXIT_USAGE, "%s needs %s", argv[*at],
                        is_file ? "a file of commands" : "a command");
    struct prompt_order *order = list_add(&o->orders);
    *order = (struct prompt_order){is_file, argv[++*at]};
    return 0;
}

static int prompt_add_track(struct prompt_options *o, int argc, char **argv, int *at)
{
    if (*at + 1 >= argc)
        return complain(CHANNEL_EXIT_USAGE, "--track needs a number");
    char *word = xformat("--track=%s", argv[++*at]);
    int status = track_choice_read(&o->choice, "replay", word);
    free(word);
    return status;
}

static int prompt_read_option(struct prompt_options *o, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    if (strcmp(word, "-c") == 0 || strcmp(word, "-ex") == 0)
        return add_order(o, false, argc, argv, at);
    if (strcmp(word, "-x") == 0)
        return add_order(o, true, argc, argv, at);
    if (strcmp(word, "--track") == 0)
        return prompt_add_track(o, argc, argv, at);
    if (strcmp(word, "--start") == 0)
        o->at_start = true;
    else if (strcmp(word, "--json") == 0)
        o->json = true;
    else if (strcmp(word, "--tui") == 0)
        o->tui = true;
    else
        return track_choice_read(&o->choice, "replay", word);
    return 0;
}

/* --- one run ---------------------------------------------------------------------------------- */

/* What is said first is an answer too. */
static void say_opening(struct dbg *d)
{
    dbg_answer_begin(d);
    dbg_say_end(d);
    dbg_say_faults(d);
    dbg_say_here(d);
    json_string(dbg_fields(d), "reason", "open");
    json_unsigned(dbg_fields(d), "track", session_track(d->session));
    dbg_answer_end(d, "open", NULL);
}

/* Lines of -c stand one behind the other, so that `commands` finds what follows it. */
struct order_list {
    const struct prompt_order *at, *end;
};

static char *order_next(struct dbg_input *in, const char *prompt)
{
    struct order_list *list = in->context;
    (void)prompt;
    if (list->at == list->end || list->at->is_file)
        return NULL;
    return xformat("%s", list->at++->text);
}

static void obey_orders(struct dbg *d, const struct prompt_options *o)
{
    const struct prompt_order *all = o->orders.items;
    struct order_list list = {all, all + o->orders.count};
    struct dbg_input in = {.next = order_next, .context = &list};
    while (list.at < list.end && !d->quit) {
        struct error *err = list.at->is_file ? dbg_source_file(d, list.at++->text)
                                             : dbg_read_input(d, &in);
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
    error_destroy(dbg_read_input(d, in));
    dbg_edit_close(in);
    d->failed = false; /* whoever typed it has seen it */
}

static void obey_stdin(struct dbg *d)
{
    struct dbg_input in = {.next = dbg_input_file_next, .file = stdin};
    error_destroy(dbg_read_input(d, &in));
}

static void obey_all(struct dbg *d, const struct prompt_options *o)
{
    bool terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    say_opening(d);
    if (o->orders.count)
        obey_orders(d, o);
    if (o->tui && !d->quit)
        obey_terminal(d, true);
    else if (!o->orders.count && terminal && !o->json)
        obey_terminal(d, false);
    else if (!o->orders.count)
        obey_stdin(d);
}

static void init(struct dbg *d, const struct prompt_options *o)
{
    const char *no_colour = getenv("NO_COLOR");
    *d = (struct dbg){
        .json = o->json,
        .settings = {.context = 2, .listsize = 10, .call_limit = 30},
        .due = LIST(char *), .breakpoints = LIST(struct dbg_breakpoint *),
        .displays = LIST(struct dbg_display), .bookmarks = LIST(struct dbg_bookmark),
        .skips = LIST(char *), .undo = LIST(struct moment), .redo = LIST(struct moment),
        .lives = LIST(struct dbg_life),
    };
    d->settings.colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
    d->at_prompt = isatty(STDERR_FILENO) && isatty(STDOUT_FILENO) && !o->json;
    conveniences_create(&d->conveniences);
}

static struct error *prompt_run(const struct prompt_options *o, bool *failed)
{
    struct dbg d;
    u32 *tracks;
    size_t count;
    init(&d, o);
    struct error *err = recording_open(o->choice.recording, &d.rec);
    if (err)
        return err;
    err = track_choose(&o->choice, d.rec, &tracks, &count);
    if (!err) {
        err = dbg_open_track(&d, tracks[0], o->at_start);
        free(tracks);
    }
    if (!err)
        obey_all(&d, o);
    *failed = d.failed;
    dbg_deinit(&d);
    recording_destroy(d.rec);
    return err;
}

int debugger_replay(int argc, char **argv)
{
    struct prompt_options o = {.orders = LIST(struct prompt_order)};
    bool failed = false;
    int status = 0;
    for (int i = 1; i < argc && !status; i++)
        status = prompt_read_option(&o, argc, argv, &i);
    if (!status && o.tui && (o.json || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
        status = complain(CHANNEL_EXIT_USAGE, "--tui needs a terminal%s", o.json ? " and no --json" : "");
    if (!status) {
        setlocale(LC_CTYPE, "");
        signal(SIGPIPE, SIG_IGN);
        struct error *err = prompt_run(&o, &failed);
        status = err ? error_complain(err, 1) : failed;
    }
    list_deinit(&o.orders);
    int unwritten = complain_if_unwritten();
    return status ? status : unwritten;
}

void debugger_replay_explain(void)
{
    printf("\n"
           "RECORDING is a name that 'ebb ls' shows, or a directory; without it, the latest.\n"
           "\n"
           "Opens a prompt where the run ended or crashed; 'help' there lists what can be done.\n"
           "\n"
           "  --track N   that process image; else the first that dumped core, or, if none did,\n"
           "              what the first process was at its end; see 'ebb info'\n"
           "  --start     begin at the start of the run instead of its end\n"
           "  -c COMMAND  instead of a prompt: this command, or several\n"
           "  -x FILE     instead of a prompt: the commands in a file\n"
           "  --json      each answer one JSON object on a line\n"
           "  --tui       the full screen: source, calls, variables and time; after -c and -x\n"
           "\n"
           "The status is 0 if all commands worked, else 1.\n"
           "\n"
           "  --run       no prompt: repeat the run, print what it printed\n"
           "  --verify    the same; the status tells whether every event came out as recorded\n"
           "  --all       with these: every track, as many at a time as there are cores; prints a\n"
           "              line for each and nothing of what the program printed\n"
           "  --setting=NAME=VALUE  with these: as for exec\n"
           "\n"
           "Their status is 0 only if the whole run was reproduced, 3 if it differed, 1 if the\n"
           "recording is damaged, was cut or cannot be replayed here, 125 if ebb itself failed.\n"
           "With --all it is the worst of all tracks'.\n");
}
