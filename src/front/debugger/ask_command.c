/* ebb ask: one question about a recording, without a prompt. */
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/xalloc.h"
#include "command/recording_choice.h"
#include "front/debugger/debugger.h"
#include "log/channel.h"

enum { ASK_TRACK = 1, ASK_AS_JSON, ASK_AS_CSV };

static const struct command_option ask_options[] = {
    TRACK_OPTION(ASK_TRACK),
    {.id = ASK_AS_JSON, .name = "json", .help = "print each row as one JSON object on a line"},
    {.id = ASK_AS_CSV, .name = "csv", .help = "print rows as comma-separated values"},
    {0},
};

struct ask_command {
    struct replay_options replay;
    const char *form;
};

static int ask_take_option(void *context, int id, const char *value)
{
    struct ask_command *a = context;
    if (id == ASK_TRACK)
        return recording_choice_track(&a->replay.choice, value);
    a->form = id == ASK_AS_JSON ? " --json" : " --csv";
    return 0;
}

/* True for questions that are commands of the prompt. */
static bool is_named_question(const char *text)
{
    static const char *const named[] = {"calls", "trace", "output", "events", "profile",
                                        "coverage"};
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < countof(named); i++)
        if (strlen(named[i]) == length && !strncmp(text, named[i], length))
            return true;
    return false;
}

static int ask_command_run(const struct command *c, int argc, char **argv)
{
    struct ask_command a = {.form = ""};
    int at;
    a.replay.orders = LIST(struct replay_order);
    a.replay.is_quiet = true;
    int status = command_read(c, argc, argv, ask_take_option, &a, &at);
    if (status)
        return status;
    if (argc == at)
        return complain(CHANNEL_EXIT_USAGE, "ask what? A question is missing; see 'ebb help ask'");
    if (argc - at > 2)
        return complain(CHANNEL_EXIT_USAGE, "a question is one operand, in quotes; '%s' is one too "
                        "many", argv[at + 2]);
    if (argc - at == 2)
        a.replay.choice.recording = argv[at];
    const char *question = argv[argc - 1];
    char *line = xformat("%s%s%s", is_named_question(question) ? "" : "ask ", question, a.form);
    *(struct replay_order *)list_add(&a.replay.orders) = (struct replay_order){false, line};
    status = debugger_replay(&a.replay);
    replay_options_deinit(&a.replay);
    free(line);
    return status;
}

const struct command debugger_ask = {
    .name = "ask", .run = ask_command_run, .operands = {"[RECORDING] QUESTION"},
    .operand_kind = NAMES_RECORDING, .options = ask_options,
    .summary = "ask which events of a run fit a description",
    .about = RECORDING_HELP
             "QUESTION is one operand: what follows 'ask' at the prompt of 'ebb replay', or a "
             "question with a name: 'calls FUNCTION', trace, output, events, profile or "
             "coverage. "
             "docs/questions.md explains the language.\n",
    .examples = {"ebb ask 'count call where func = main'",
                 "ebb ask myprogram-1 'list output' --csv"},
    .after = "The status is 0 if the question was answered, otherwise 1.\n",
};
