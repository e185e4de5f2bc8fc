/* The command line of `ebb replay`: see the header. */
#include "command/replay_options.h"

#include <stdlib.h>

#include "base/complain.h"
#include "command/recording_choice.h"
#include "log/channel.h"

static int add_order(struct replay_options *o, bool is_file, const char *text)
{
    struct replay_order *order = list_add(&o->orders);
    *order = (struct replay_order){is_file, text};
    return 0;
}

enum {
    REPLAY_TRACK = 1, REPLAY_START, REPLAY_COMMAND, REPLAY_FILE, REPLAY_JSON, REPLAY_TUI,
    REPLAY_RUN, REPLAY_VERIFY, REPLAY_ALL, REPLAY_SETTING,
};

const struct command_option replay_option_table[] = {
    TRACK_OPTION(REPLAY_TRACK),
    {.id = REPLAY_START, .name = "start", .form = 1,
     .help = "begin at the start of the run instead of its end"},
    {.id = REPLAY_COMMAND, .letter = 'c', .name = "command", .value = "COMMAND", .repeats = true,
     .form = 1, .help = "run this command instead of opening a prompt; -ex does the same"},
    {.id = REPLAY_FILE, .letter = 'x', .name = "execute", .value = "FILE", .repeats = true,
     .kind = NAMES_FILE, .form = 1,
     .help = "run the commands in a file instead of opening a prompt"},
    {.id = REPLAY_JSON, .name = "json", .form = 1,
     .help = "print each answer as one JSON object on a line; see docs/json.md"},
    {.id = REPLAY_TUI, .name = "tui", .form = 1,
     .help = "open the full screen (source, calls, variables and time) after the commands of -c "
             "and -x"},
    {.id = REPLAY_RUN, .name = "run", .form = 2,
     .help = "open no prompt: repeat the run and print what it printed"},
    {.id = REPLAY_VERIFY, .name = "verify", .form = 2,
     .help = "the same; the status tells whether every event came out as recorded"},
    {.id = REPLAY_ALL, .name = "all", .form = 2,
     .help = "with --run or --verify: repeat every track, as many at a time as there are cores; "
             "print one line per track, and nothing of what the program printed"},
    {.id = REPLAY_SETTING, .name = "setting", .value = "NAME=VALUE", .repeats = true, .form = 2,
     .help = "with --run or --verify: change how the engine works; 'ebb help exec' lists "
             "settings"},
    {0},
};

static int replay_take(void *context, int id, const char *value)
{
    struct replay_options *o = context;
    switch (id) {
    case REPLAY_TRACK:
        return recording_choice_track(&o->choice, value);
    case REPLAY_COMMAND:
    case REPLAY_FILE:
        return add_order(o, id == REPLAY_FILE, value);
    case REPLAY_SETTING:
        return setting_list_add(&o->settings, value);
    case REPLAY_START:
        o->at_start = true;
        break;
    case REPLAY_JSON:
        o->json = true;
        break;
    case REPLAY_TUI:
        o->tui = true;
        break;
    case REPLAY_ALL:
        o->choice.all = true;
        break;
    default:
        o->repeats = true;
    }
    return 0;
}

/* Accepts gdb's spelling -ex, which getopt would take for -e with the value x. */
static void accept_ex(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "-ex") == 0)
            argv[i] = "-c";
}

int replay_options_read(struct replay_options *o, const struct command *c, int argc, char **argv)
{
    int at;
    *o = (struct replay_options){.orders = LIST(struct replay_order)};
    accept_ex(argc, argv);
    int status = command_read(c, argc, argv, replay_take, o, &at);
    if (!status)
        status = recording_choice_operands(&o->choice, c, argc, argv, at);
    if (!status && !o->repeats && (o->choice.all || o->settings.text))
        status = complain(CHANNEL_EXIT_USAGE, "--%s needs --verify or --run; see 'ebb help replay'",
                          o->choice.all ? "all" : "setting");
    if (!status && o->repeats && (o->orders.count || o->json || o->tui || o->at_start))
        status = complain(CHANNEL_EXIT_USAGE, "--verify and --run open no prompt, so they cannot "
                                              "be combined with -c, -x, --json, --tui or --start");
    return status;
}

void replay_options_deinit(struct replay_options *o)
{
    list_deinit(&o->orders);
    free(o->settings.text);
}

const char replay_about[] =
    RECORDING_HELP
    "Opens a prompt where the run ended or crashed; 'help' there lists the commands.\n"
    "Ctrl-C on the way there opens it at the moment that was reached.\n";

const char replay_after[] =
    "The status is 0 if all commands worked, otherwise 1.\n"
    "With --run and --verify the status is 0 only if the whole run was reproduced, 3 if it "
    "differed, 1 if the recording is damaged, was cut or cannot be replayed here, 125 if ebb "
    "itself failed. With --all it is the worst of all tracks'.\n"
    "A run that has snapshots is repeated in parts, on all cores; what it printed comes in "
    "order.\n";
