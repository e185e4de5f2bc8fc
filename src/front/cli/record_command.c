/* ebb record: runs a program on the engine and records everything that happens to it.
 *
 * The recorder does the work (recorder/recorder.h). This file reads options, shows the growing
 * size, and prints the result.
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
#include "front/cli/recording_text.h"
#include "command/setting_list.h"
#include "log/channel.h"
#include "log/engine_locate.h"
#include "recorder/recorder.h"

struct record_options {
    const char *output;
    bool quiet, keep_failed, kill;
    u64 snapshots_apart, snapshot_bytes;
    bool snapshots_exact;
    struct setting_list settings;
};

/* What the recorder tells */

static void say_failed(void *context, const struct recording *rec, const struct error *err)
{
    growth_clear(context);
    complain(0, "%s: %s; the program goes on unrecorded", rec->path, error_text(err));
}

/* The run continues, but cannot be replayed once the file has changed. */
static void say_not_copied(void *context, const struct recording *rec, const char *path, int error)
{
    growth_clear(context);
    complain(0, "%s: %s is not copied: %s; a replay will need it as it is now", rec->path,
             path ? path : "a file", strerror(error));
}

/* Returns the names of the processes in one line, shortened with a count if there are many. The
 * caller frees it. */
static char *process_names(const struct recorder_process *processes, size_t count)
{
    enum { SHOWN = 8 };
    char *names = xformat("%s", "");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        char *longer = xformat("%s%s%d (%s)", names, i ? ", " : "", (int)processes[i].pid,
                               processes[i].name);
        free(names);
        names = longer;
    }
    if (count > SHOWN) {
        char *longer = xformat("%s and %zu more", names, count - SHOWN);
        free(names);
        names = longer;
    }
    return names;
}

static void say_waits(void *context, const struct recording *rec,
                      const struct recorder_process *processes, size_t count)
{
    struct growth *growth = context;
    (void)rec;
    growth_clear(growth);
    if (growth->quiet)
        return;
    char *names = process_names(processes, count);
    complain(0, "the program has ended; still recording %s; an interrupt (Ctrl-C) ends the "
                "recording", names);
    free(names);
}

/* The outcome */

static void say_recorded(const struct recording *rec, const struct recorder_outcome *outcome)
{
    char size[FIGURES_ROOM], time[FIGURES_ROOM];
    /* A shell names the signal that ends a program. Here it cannot, since ebb itself exits. */
    char *ending = rec->meta.signal ? recording_text_ending(&rec->meta) : NULL;
    complain(0, "recorded %s%s%s, %s, %llu events: %s",
             figures_time(time, rec->meta.ended - rec->meta.started), ending ? ", died by " : "",
             ending ? ending : "", figures_bytes(size, recording_size_own(rec)),
             (unsigned long long)outcome->events, rec->path);
    free(ending);
    if (outcome->left)
        complain(0, "SIG%s ended the recording; %u %s on unrecorded",
                 sigabbrev_np(outcome->ended_by), outcome->left,
                 outcome->left == 1 ? "process goes" : "processes go");
    for (char *const *remark = outcome->remarks; *remark; remark++)
        complain(0, "%s", *remark);
    if (outcome->limit)
        complain(0, "not all of it can be replayed: %s", outcome->limit);
}

/* True if the engine has already said why the program could not be started. */
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

/* The recorder runs in the other process; this one waits for the program. */
static int end_front(const struct recorder_front *front, int wait_status)
{
    int by;
    if (recorder_front_lost(wait_status, &by)) {
        const char *place = front->place && *front->place ? front->place : "?";
        return complain(CHANNEL_EXIT_OURS,
                        "SIG%s ended the process that writes %s; the program goes on unrecorded, "
                        "and what was written before can be replayed", sigabbrev_np(by), place);
    }
    return end_likewise(wait_status);
}

static int record(const struct recorder_job *job, bool quiet)
{
    struct growth growth;
    struct recorder_host host = {say_failed, say_not_copied, say_waits, &growth};
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

static bool is_digits(const char *text)
{
    return *text && text[strspn(text, "0123456789")] == 0;
}

static int add_check(struct record_options *options, const char *ticks)
{
    if (!is_digits(ticks))
        return complain(CHANNEL_EXIT_USAGE, "--check takes a number of ticks, not '%s'", ticks);
    char *setting = xformat("check=%s", ticks);
    int status = setting_list_add(&options->settings, setting);
    free(setting);
    return status;
}

/* If the user gave no seed, ebb draws one and prints it, so that the run can be repeated with
 * it. */
static int add_chaos(struct record_options *options, const char *seed)
{
    u32 drawn = 0;
    if (seed && !is_digits(seed))
        return complain(CHANNEL_EXIT_USAGE, "--chaos takes a number as its seed, not '%s'", seed);
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

static const u64 SNAPSHOTS_AUTO = 250000000; /* minimum interval in nanoseconds */

static int take_snapshots(struct record_options *options, const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    options->snapshots_exact = true;
    options->snapshots_apart = 0;
    if (strcmp(value, "off") == 0)
        return 0;
    if (strcmp(value, "auto") == 0) {
        options->snapshots_exact = false;
        options->snapshots_apart = SNAPSHOTS_AUTO;
        return 0;
    }
    if (end == value || *end || !(seconds >= 1e-5 && seconds <= 1e6))
        return complain(CHANNEL_EXIT_USAGE,
                        "--snapshots is 'off', 'auto' or a number of seconds, not '%s'", value);
    options->snapshots_apart = (u64)(seconds * 1e9);
    return 0;
}

static int take_snapshot_size(struct record_options *options, const char *value)
{
    char *end;
    u64 bytes = strtoull(value, &end, 10);
    const char *unit = *end ? strchr("KMG", *end) : NULL;
    if (unit)
        end++;
    if (end == value || *end || *value == '-' || !bytes || bytes >> 30 > 1 << 20)
        return complain(CHANNEL_EXIT_USAGE,
                        "--snapshot-size is a number of bytes, with K, M or G, not '%s'", value);
    options->snapshot_bytes = unit ? bytes << 10 * (unit - "KMG" + 1) : bytes;
    return 0;
}

enum {
    RECORD_OUTPUT = 1, RECORD_KEEP_IF, RECORD_KILL, RECORD_CHECK, RECORD_CHAOS, RECORD_CPU,
    RECORD_SNAPSHOTS, RECORD_SNAPSHOT_SIZE, RECORD_QUIET,
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
    {.id = RECORD_KILL, .name = "kill",
     .help = "when a signal ends the recording, end the processes that still run, too"},
    {.id = RECORD_CHAOS, .name = "chaos", .value = "SEED", .may_lack_value = true,
     .help = "give threads time slices of random lengths, to provoke races; the seed is printed"},
    CPU_OPTION(RECORD_CPU),
    {.id = RECORD_CHECK, .name = "check", .value = "TICKS",
     .help = "record a hash of memory every TICKS ticks, for replays to compare"},
    {.id = RECORD_SNAPSHOTS, .name = "snapshots", .value = "SECONDS", .kind = NAMES_WORD,
     .words = "off auto",
     .help = "take a snapshot of each process after every SECONDS of its processor time, even if "
             "snapshots slow the program down; 'auto', the default, takes one every 0.25 seconds, "
             "or less often so that snapshots take at most 2 % of the program's time; 'off' takes "
             "none"},
    {.id = RECORD_SNAPSHOT_SIZE, .name = "snapshot-size", .value = "SIZE",
     .help = "the most disk space that all snapshots may take, in bytes or with K, M or G. The "
             "default is 1G, or a tenth of the free space if that is less. When the limit is "
             "reached, older snapshots are removed; the rest stay evenly spaced"},
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
    case RECORD_KILL:
        options->kill = true;
        return 0;
    case RECORD_CHECK:
        return add_check(options, value);
    case RECORD_CHAOS:
        return add_chaos(options, value);
    case RECORD_SNAPSHOTS:
        return take_snapshots(options, value);
    case RECORD_SNAPSHOT_SIZE:
        return take_snapshot_size(options, value);
    case RECORD_CPU:
        return cpu_option_add(&options->settings, value);
    default:
        return setting_list_add(&options->settings, value);
    }
}

/* $EBB_SNAPSHOTS=off disables all snapshots, unless an option requests them. */
static u64 snapshots_unasked(void)
{
    const char *wish = getenv("EBB_SNAPSHOTS");
    return wish && strcmp(wish, "off") == 0 ? 0 : SNAPSHOTS_AUTO;
}

static int record_run(const struct command *c, int argc, char **argv)
{
    struct record_options options = {.snapshots_apart = snapshots_unasked()};
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
    if (!err)
        err = engine_check_limits();
    if (err)
        return error_complain(err, CHANNEL_EXIT_OURS);
    start.settings = setting_list_text(&options.settings);
    struct recorder_front front;
    int wait_status;
    if (!recorder_front_divide(&front, &wait_status))
        return end_front(&front, wait_status);
    return record(&(struct recorder_job){.start = &start, .output = options.output,
                                         .only_if_failed = options.keep_failed,
                                         .kill = options.kill,
                                         .snapshots_apart = options.snapshots_apart,
                                         .snapshots_exact = options.snapshots_exact,
                                         .snapshot_bytes = options.snapshot_bytes,
                                         .front = &front},
                  options.quiet);
}

const struct command cli_record = {
    .examples = {"ebb record ./myprogram input.txt",
                 "ebb record --chaos --keep-if=failed ./flaky_test"},
    .name = "record", .run = record_run, .operands = {"PROGRAM [ARGUMENT]..."},
    .operand_kind = NAMES_PROGRAM, .runs_program = true, .options = record_option_table,
    .summary = "run a program and record everything that happens to it",
    .about = "PROGRAM is looked up in PATH and runs as it would without ebb. What it reads and "
             "what the kernel tells it goes into a recording, a directory that only you can "
             "read.\n",
    .after = "The exit status is the program's; 128+N if signal N ended it; 127 if there is no "
             "such program, 126 if it cannot be run, 125 if ebb itself fails, 2 for a wrong "
             "command line. If SIGINT ended the program, ebb ends by SIGINT, too.\n\n"
             "SIGINT, SIGQUIT, SIGTERM and SIGHUP that are sent to ebb alone are forwarded to the "
             "program. If the program ends before processes that it started, ebb names them and "
             "records them to their end, or until one of these signals ends the recording. Then "
             "the processes run on without being recorded. With --kill ebb ends them by SIGTERM, "
             "and two seconds later by SIGKILL.\n",
};
