/* ebb trim: the command's options and messages.
 *
 * session_trim() does the work. A recording can begin only at a snapshot, so the result may begin a
 * little before the requested moment; the last line says where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "command/recording_choice.h"
#include "debug/debug.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "log/channel.h"
#include "log/recording.h"

struct trim_options {
    struct track_choice choice;
    const char *from, *to, *output;
    bool quiet;
};

static void trim_say_result(const struct session_trimmed *t)
{
    char size[FIGURES_ROOM];
    complain(0, "kept %llu:0x%llx to %llu:0x%llx, %llu events, %s: %s",
             (unsigned long long)t->from.tick, (unsigned long long)t->from.pc,
             (unsigned long long)t->to.tick, (unsigned long long)t->to.pc,
             (unsigned long long)t->events, figures_bytes(size, recording_size_own(t->into)),
             t->into->path);
}

/* Returns NAME for NAME-7: recordings made from it are numbered in the same way. */
static char *base_name(const struct recording *rec)
{
    const char *slash = strrchr(rec->path, '/');
    char *ret = xformat("%s", slash ? slash + 1 : rec->path), *dash = strrchr(ret, '-');
    if (dash && dash != ret && dash[1] && strspn(dash + 1, "0123456789") == strlen(dash + 1))
        *dash = '\0';
    return ret;
}

static struct error *trim_between(struct debug *d, const struct trim_options *o, const char *base,
                                  struct session_trimmed *ret)
{
    struct moment from, to;
    struct error *err = debug_find_moment(d, o->from ? o->from : "start", &from);
    if (!err)
        err = debug_find_moment(d, o->to ? o->to : "end", &to);
    return err ? err : session_trim(d->session, from, to, o->output, base, ret);
}

static struct error *trim_track(const struct trim_options *o, struct recording *rec,
                                struct session_trimmed *ret)
{
    struct debug_client client = {0};
    struct debug *d = NULL;
    u32 *tracks;
    size_t count;
    struct error *err = track_choose(&o->choice, rec, &tracks, &count);
    if (err)
        return err;
    err = debug_open(rec, tracks[0], false, &client, &d);
    free(tracks);
    char *base = base_name(rec);
    if (!err)
        err = trim_between(d, o, base, ret);
    free(base);
    debug_close(d);
    return err;
}

static int trim(const struct trim_options *o)
{
    struct recording *rec;
    struct session_trimmed trimmed = {0};
    struct error *err = recording_open(o->choice.recording, &rec);
    if (err)
        return error_complain(err, 1);
    err = trim_track(o, rec, &trimmed);
    if (!err && !o->quiet)
        trim_say_result(&trimmed);
    recording_destroy(trimmed.into);
    recording_destroy(rec);
    return err ? error_complain(err, 1) : 0;
}

enum { TRIM_FROM = 1, TRIM_TO, TRIM_OUTPUT, TRIM_TRACK, TRIM_QUIET };

static const struct command_option trim_option_table[] = {
    {.id = TRIM_FROM, .name = "from", .value = "MOMENT",
     .help = "the first moment to keep; the default is the start of the run"},
    {.id = TRIM_TO, .name = "to", .value = "MOMENT",
     .help = "the last moment to keep; the default is the end of the run"},
    {.id = TRIM_OUTPUT, .letter = 'o', .name = "output", .value = "DIRECTORY", .kind = NAMES_FILE,
     .help = "where to put the new recording; the default is a new name beside the others"},
    TRACK_OPTION(TRIM_TRACK),
    {.id = TRIM_QUIET, .letter = 'q', .name = "quiet", .help = "print nothing about the result"},
    {0},
};

static int trim_take(void *context, int id, const char *value)
{
    struct trim_options *o = context;
    switch (id) {
    case TRIM_FROM:
        o->from = value;
        return 0;
    case TRIM_TO:
        o->to = value;
        return 0;
    case TRIM_TRACK:
        return recording_choice_track(&o->choice, value);
    case TRIM_QUIET:
        o->quiet = true;
        return 0;
    default:
        if (!*value)
            return complain(CHANNEL_EXIT_USAGE, "--output needs the name of a directory");
        o->output = value;
        return 0;
    }
}

static int trim_run(const struct command *c, int argc, char **argv)
{
    struct trim_options options = {0};
    int at;
    int status = command_read(c, argc, argv, trim_take, &options, &at);
    if (!status)
        status = recording_choice_operands(&options.choice, c, argc, argv, at);
    if (!status && !options.from && !options.to)
        status = complain(CHANNEL_EXIT_USAGE, "trim needs --from or --to; see 'ebb help trim'");
    return status ? status : trim(&options);
}

const struct command cli_trim = {
    .examples = {"ebb trim --from 90% myprogram-1", "ebb trim --from 40% --to 60% myprogram-1"},
    .name = "trim", .run = trim_run, .operands = {"[RECORDING]"}, .operand_kind = NAMES_RECORDING,
    .options = trim_option_table,
    .summary = "make a smaller recording of a part of a run",
    .about = RECORDING_HELP
             "Replays the run and makes a recording that begins at one moment and ends at another. "
             "It contains one track, the snapshot that it begins with, and the events between the "
             "two moments. Every command that takes a RECORDING takes it.\n"
             "MOMENT is what 'goto' takes at the prompt: TICK, TICK:PC, start, end, 40%, 'event "
             "N', 12.5s or a bookmark.\n",
    .after = "The new recording begins with a snapshot. If none can be taken at the first moment, "
             "because a thread is in certain system calls or a child of vfork runs, the new "
             "recording begins at the last possible moment before, and the result says where. The "
             "old recording is not changed. The new one replays only on processors that lay out "
             "vector registers as this one does.\n",
};
