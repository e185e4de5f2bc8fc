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
#include "base/option_value.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "front/cli/cli.h"
#include "front/cli/cpu_option.h"
#include "front/cli/figures.h"
#include "front/cli/growth.h"
#include "front/cli/program_lookup.h"
#include "front/cli/setting_list.h"
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

/* One option at argv[*at], which moves on to the last word of it. */
static int record_read_option(int argc, char **argv, int *at, struct record_options *options)
{
    const char *word = argv[*at], *value;
    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0) {
        options->quiet = true;
    } else if (strcmp(word, "-o") == 0) {
        if (*at + 1 >= argc || !*argv[*at + 1])
            return complain(CHANNEL_EXIT_USAGE, "-o needs the name of a directory");
        options->output = argv[++*at];
    } else if ((value = option_value(word, "--keep-if="))) {
        if (strcmp(value, "failed") != 0)
            return complain(CHANNEL_EXIT_USAGE, "--keep-if is 'failed', not '%s'", value);
        options->keep_failed = true;
    } else if ((value = option_value(word, "--check="))) {
        return add_check(options, value);
    } else if (strcmp(word, "--chaos") == 0) {
        return add_chaos(options, NULL);
    } else if ((value = option_value(word, "--chaos="))) {
        return add_chaos(options, value);
    } else if ((value = option_value(word, "--cpu="))) {
        return cpu_option_add(&options->settings, value);
    } else if ((value = option_value(word, "--setting="))) {
        return setting_list_add(&options->settings, value);
    } else {
        return complain(CHANNEL_EXIT_USAGE, "record has no option '%s'; see 'ebb help record'",
                        word);
    }
    return 0;
}

static int record_read_options(int argc, char **argv, struct record_options *options, int *ret)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--") == 0) {
            at++;
            break;
        }
        int status = record_read_option(argc, argv, &at, options);
        if (status)
            return status;
    }
    *ret = at;
    return 0;
}

int cli_record(int argc, char **argv)
{
    struct record_options options = {0};
    int at;
    int status = record_read_options(argc, argv, &options, &at);
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

void cli_record_explain(void)
{
    printf("\n"
           "PROGRAM is looked up in PATH and runs as it would without ebb; everything that makes\n"
           "its run what it is goes into a recording, a directory that only you can read.\n"
           "\n"
           "  -o DIRECTORY       where to; must not be there yet, or be empty.  Without it:\n"
           "                     NAME-1, NAME-2, ... in $EBB_RECORDINGS or ~/.local/share/ebb,\n"
           "                     where 'latest' points to it\n"
           "  --keep-if=failed   remove the recording unless the program ended with a status\n"
           "                     other than 0, by a signal, or a process of it dumped core\n"
           "  --check=TICKS      record a hash of memory every so many ticks, for replay to compare\n"
           "  --chaos[=SEED]     give threads time slices of random lengths, to bring out races; the\n"
           "                     seed is printed\n"
           CPU_OPTION_HELP
           "  -q, --quiet        say nothing about the recording\n"
           "  --setting=NAME=VALUE  as for exec\n"
           "\n"
           "The status is the program's, 128+N if signal N ended it, or as for exec.  If an\n"
           "interrupt ended it, ebb ends by one, too.\n");
}
