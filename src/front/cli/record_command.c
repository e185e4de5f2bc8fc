/* ebb record: a program on the engine, and everything that happens to it written down.
 *
 * The recorder does the work (recorder/recorder.h).  This file reads options, shows the recording
 * grow, and says what came of it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "front/cli/cli.h"
#include "command/cpu_option.h"
#include "front/cli/figures.h"
#include "front/cli/growth.h"
#include "front/cli/program_lookup.h"
#include "command/setting_list.h"
#include "log/channel.h"
#include "log/engine_locate.h"
#include "recorder/recorder.h"

struct record_options {
    const char *output;
    bool quiet, keep_failed;
    struct setting_list settings;
};

/* What the recorder tells */

static void say_failed(void *context, const struct recording *rec, const struct error *err)
{
    growth_clear(context);
    complain(0, "%s: %s; the program goes on unrecorded", rec->path, error_text(err));
}

/* The run goes on, but cannot be replayed when the file has changed. */
static void say_not_copied(void *context, const struct recording *rec, const char *path, int error)
{
    growth_clear(context);
    complain(0, "%s: %s is not copied: %s; a replay will need it as it is now", rec->path,
             path ? path : "a file", strerror(error));
}

/* What came of it */

static void say_recorded(const struct recording *rec, const struct recorder_outcome *outcome)
{
    char size[FIGURES_ROOM], time[FIGURES_ROOM];
    complain(0, "recorded %s, %s, %llu events: %s",
             figures_time(time, rec->meta.ended - rec->meta.started),
             figures_bytes(size, recording_size(rec)), (unsigned long long)outcome->events,
             rec->path);
    if (outcome->limit)
        complain(0, "not all of it can be replayed: %s", outcome->limit);
}

/* If the program could not be started, the engine has said why. */
static bool is_explained(const struct recorder_outcome *outcome)
{
    int status = engine_exit_status(outcome->wait_status);
    return outcome->failed || (status >= CHANNEL_EXIT_OURS && status <= CHANNEL_EXIT_NOT_FOUND);
}

static void say_outcome(const struct recording *rec, const struct recorder_outcome *outcome,
                        bool quiet)
{
    if (outcome->result == RECORDER_NOTHING && !is_explained(outcome))
        complain(0, "the program was not recorded");
    if (outcome->result == RECORDER_REMOVED && !outcome->err && !quiet)
        complain(0, "the program did not fail; its recording is removed");
    if (outcome->result == RECORDER_KEPT && !quiet)
        say_recorded(rec, outcome);
    if (outcome->err)
        error_complain(outcome->err, 0);
}

static int end_likewise(int wait_status)
{
    engine_end_likewise(wait_status);
    return engine_exit_status(wait_status);
}

static int record(const struct recorder_job *job, bool quiet)
{
    struct growth growth;
    struct recorder_host host = {say_failed, say_not_copied, &growth};
    struct recorder_outcome outcome;
    struct recorder *r;
    growth_init(&growth, quiet, job->front->group);
    struct error *err = recorder_start(job, &host, &r);
    if (err)
        return error_complain(err, CHANNEL_EXIT_OURS);
    while (!recorder_is_over(r)) {
        recorder_turn(r, growth_wait(&growth));
        growth_show(&growth, recorder_stored(r));
    }
    growth_clear(&growth);
    recorder_finish(r, &outcome);
    say_outcome(recorder_recording(r), &outcome, quiet);
    recorder_destroy(r);
    return end_likewise(outcome.wait_status);
}

/* The command line */

static int add_check(struct record_options *options, const char *ticks)
{
    char *setting = xformat("check=%s", ticks);
    int status = setting_list_add(&options->settings, setting);
    free(setting);
    return status;
}

/* A seed that nobody gave is drawn, and told: with it the run can be tried again. */
static int add_chaos(struct record_options *options, const char *seed)
{
    u32 drawn = 0;
    while (!seed && !drawn)
        if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn)
            drawn = (u32)time(NULL) | 1;
    char *setting = seed ? xformat("chaos=%s", seed) : xformat("chaos=%u", drawn);
    int status = setting_list_add(&options->settings, setting);
    if (!status && !options->quiet)
        fprintf(stderr, "ebb: %s\n", setting);
    free(setting);
    return status;
}

enum {
    RECORD_OUTPUT = 1, RECORD_KEEP_IF, RECORD_CHECK, RECORD_CHAOS, RECORD_CPU, RECORD_QUIET,
    RECORD_SETTING,
};

static const struct command_option record_option_table[] = {
    {.id = RECORD_OUTPUT, .letter = 'o', .name = "output", .value = "DIRECTORY",
     .kind = NAMES_FOLDER,
     .help = "where to put the recording; the directory must be new or empty. The default is "
             "NAME-1, NAME-2, ... in $EBB_RECORDINGS or ~/.local/share/ebb, where 'latest' "
             "points to the newest one"},
    {.id = RECORD_KEEP_IF, .name = "keep-if", .value = "failed", .kind = NAMES_WORD,
     .words = "failed",
     .help = "remove the recording unless the program ended with a status other than 0 or by a "
             "signal, or one of its processes dumped core"},
    {.id = RECORD_CHAOS, .name = "chaos", .value = "SEED", .may_lack_value = true,
     .help = "give threads time slices of random lengths, to provoke races; the seed is printed"},
    CPU_OPTION(RECORD_CPU),
    {.id = RECORD_CHECK, .name = "check", .value = "TICKS",
     .help = "record a hash of memory every TICKS ticks, for replays to compare"},
    {.id = RECORD_QUIET, .letter = 'q', .name = "quiet",
     .help = "print nothing about the recording"},
    SETTING_OPTION(RECORD_SETTING, "change how the engine works; 'ebb help exec' lists settings"),
    {0},
};

static int record_take(void *context, int id, const char *value)
{
    struct record_options *options = context;
    switch (id) {
    case RECORD_QUIET:
        options->quiet = true;
        return 0;
    case RECORD_OUTPUT:
        if (!*value)
            return complain(CHANNEL_EXIT_USAGE, "--output needs the name of a directory");
        options->output = value;
        return 0;
    case RECORD_KEEP_IF:
        if (strcmp(value, "failed") != 0)
            return complain(CHANNEL_EXIT_USAGE, "--keep-if is 'failed', not '%s'", value);
        options->keep_failed = true;
        return 0;
    case RECORD_CHECK:
        return add_check(options, value);
    case RECORD_CHAOS:
        return add_chaos(options, value);
    case RECORD_CPU:
        return cpu_option_add(&options->settings, value);
    default:
        return setting_list_add(&options->settings, value);
    }
}

static int record_run(const struct command *c, int argc, char **argv)
{
    struct record_options options = {0};
    int at;
    int status = command_read(c, argc, argv, record_take, &options, &at);
    if (status)
        return status;
    if (at >= argc)
        return complain(CHANNEL_EXIT_USAGE, "record needs a program to run; see 'ebb help record'");
    struct engine_start start = {.argc = argc - at, .argv = argv + at};
    status = program_lookup(argv[at], &start.program);
    if (status)
        return status;
    struct error *err = engine_locate(&start.engine);
    if (err)
        return error_complain(err, CHANNEL_EXIT_OURS);
    start.settings = setting_list_text(&options.settings);
    struct recorder_front front;
    int wait_status;
    if (!recorder_front_divide(&front, &wait_status))
        return end_likewise(wait_status);
    return record(&(struct recorder_job){.start = &start, .output = options.output,
                                         .only_if_failed = options.keep_failed, .front = &front},
                  options.quiet);
}

const struct command cli_record = {
    .name = "record", .run = record_run, .operands = {"PROGRAM [ARGUMENT]..."},
    .operand_kind = NAMES_PROGRAM, .runs_program = true, .options = record_option_table,
    .summary = "run a program and record everything that happens to it",
    .about = "PROGRAM is looked up in PATH and runs as it would without ebb. What it reads and "
             "what the kernel tells it goes into a recording, a directory that only you can "
             "read.\n",
    .after = "The status is the program's, 128+N if signal N ended it, or as for exec. If an "
             "interrupt ended it, ebb ends by one, too.\n",
};
