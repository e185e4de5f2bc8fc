/* ebb dump: prints the events of a recording, one per line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "command/recording_choice.h"
#include "front/cli/cli.h"
#include "front/cli/event_text.h"
#include "front/cli/figures.h"
#include "base/json_text.h"
#include "log/channel.h"
#include "log/reader.h"
#include "log/recording.h"
#include "log/track_choice.h"

static bool as_json;

static void dump_print_line(const struct reader *r, const struct event *e)
{
    char clock[FIGURES_ROOM], moment[64];
    snprintf(moment, sizeof moment, "%llu:0x%llx", (unsigned long long)e->tick,
             (unsigned long long)e->pc);
    printf("%-8llu %-28s %s %u ", (unsigned long long)reader_number(r), moment,
           figures_clock(clock, reader_time(r)), e->thread);
    event_print(stdout, e);
    putchar('\n');
}

static void dump_print_json(const struct reader *r, const struct event *e)
{
    struct json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_unsigned(&j, "track", reader_header(r)->track);
    json_unsigned(&j, "event", reader_number(r));
    json_unsigned(&j, "thread", e->thread);
    json_unsigned(&j, "tick", e->tick);
    json_hex(&j, "pc", e->pc);
    json_hex(&j, "hash", e->hash);
    json_unsigned(&j, "time", reader_time(r));
    event_print_json(&j, e);
    json_close(&j, '}');
    json_line(&j);
}

static struct error *dump_track(struct recording *rec, u32 track, bool headline)
{
    struct reader *r;
    struct error *err = recording_open_track(rec, track, &r);
    if (err)
        return err;
    if (headline && !as_json)
        printf("track %u, pid %u\n", track, reader_header(r)->pid);
    const struct event *e;
    while (!ferror(stdout) && !(err = reader_next(r, &e)) && e)
        (as_json ? dump_print_json : dump_print_line)(r, e);
    if (!err && reader_cut(r))
        err = error_coded(ERROR_MISUSED, "%s", reader_cut(r));
    reader_close(r);
    return err;
}

static int dump(const struct track_choice *choice)
{
    struct recording *rec;
    struct error *err = recording_open(choice->recording, &rec);
    if (err)
        return error_complain(err, 1);
    u32 *tracks;
    size_t count;
    int status = 0;
    err = track_choose(choice, rec, &tracks, &count);
    for (size_t i = 0; !err && i < count; i++) {
        struct error *bad = dump_track(rec, tracks[i], count > 1);
        fflush(stdout);
        if (bad)
            status = error_complain(error_within(bad, "%s", rec->path), 1);
    }
    if (err)
        status = error_complain(err, 1);
    else
        free(tracks);
    recording_destroy(rec);
    int unwritten = complain_if_unwritten();
    return unwritten ? unwritten : status;
}

enum { DUMP_TRACK = 1, DUMP_JSON };

static const struct command_option dump_options[] = {
    ONE_TRACK_OPTION(DUMP_TRACK),
    {.id = DUMP_JSON, .name = "json",
     .help = "print one object per line, with everything that was recorded; see "
             "docs/log-format.md"},
    {0},
};

static int dump_take(void *context, int id, const char *value)
{
    if (id == DUMP_TRACK)
        return recording_choice_track(context, value);
    as_json = true;
    return 0;
}

static int dump_run(const struct command *c, int argc, char **argv)
{
    struct track_choice choice = {.all = true};
    int at;
    int status = command_read(c, argc, argv, dump_take, &choice, &at);
    if (!status)
        status = recording_choice_operands(&choice, c, argc, argv, at);
    return status ? status : dump(&choice);
}

const struct command cli_dump = {
    .examples = {"ebb dump myprogram-1", "ebb dump --json --track 1 myprogram-1"},
    .name = "dump", .run = dump_run, .operands = {"[RECORDING]"}, .operand_kind = NAMES_RECORDING,
    .options = dump_options, .summary = "print the events of a recording",
    .about = RECORDING_HELP
             "A line has the event's number, its moment (tick and pc), the time of day, the "
             "thread, and what happened.\n",
    .after = "The status is 1 if the recording is damaged or was cut; what can be read is "
             "printed.\n",
};
