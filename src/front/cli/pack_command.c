/* ebb pack: the command's options and messages. packer.h does the work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "command/recording_choice.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "log/channel.h"
#include "log/recording.h"
#include "packer/packer.h"

struct pack_options {
    const char *recording, *output;
    bool replace, quiet;
    enum packer_snapshots snapshots;
};

static char *default_output(const struct recording *rec)
{
    const char *slash = strrchr(rec->path, '/');
    return xformat("%s" RECORDING_SUFFIX, slash && slash[1] ? slash + 1 : "recording");
}

static void packing_say_result(const char *output, const struct pack_figures *f)
{
    char size[FIGURES_ROOM], raw[FIGURES_ROOM];
    complain(0, "packed %llu mapped files, %llu of debug information, %llu sources, %s as %s: %s",
             (unsigned long long)f->items[PACK_MAPPED], (unsigned long long)f->items[PACK_DEBUG],
             (unsigned long long)f->items[PACK_SOURCE], figures_bytes(raw, f->raw),
             figures_bytes(size, f->size), output);
}

static int pack(const struct pack_options *options)
{
    struct recording *rec;
    struct pack_figures figures;
    struct error *err = recording_open(options->recording, &rec);
    if (err)
        return error_complain(err, 1);
    char *output = options->output ? xformat("%s", options->output) : default_output(rec);
    err = packer_pack(rec, output, options->replace, options->snapshots, &figures);
    if (!err && !options->quiet)
        packing_say_result(output, &figures);
    free(output);
    recording_destroy(rec);
    return err ? error_complain(err, 1) : 0;
}

enum { PACK_OUTPUT = 1, PACK_FORCE, PACK_SNAPSHOTS, PACK_QUIET };

static const struct command_option pack_option_table[] = {
    {.id = PACK_OUTPUT, .letter = 'o', .name = "output", .value = "FILE.ebb", .kind = NAMES_FILE,
     .help = "the file to write; the default is NAME.ebb in the current directory"},
    {.id = PACK_FORCE, .letter = 'f', .name = "force", .help = "replace an existing file"},
    {.id = PACK_SNAPSHOTS, .name = "snapshots", .value = "WHICH", .kind = NAMES_WORD,
     .words = "all end none",
     .help = "which snapshots of the recording to keep: all (the default), end (only the last one "
             "of each process), or none"},
    {.id = PACK_QUIET, .letter = 'q', .name = "quiet", .help = "print nothing about the result"},
    {0},
};

static int pack_take_snapshots(struct pack_options *options, const char *value)
{
    static const char *const words[] = {
        [PACKER_SNAPSHOTS_ALL] = "all", [PACKER_SNAPSHOTS_END] = "end",
        [PACKER_SNAPSHOTS_NONE] = "none",
    };
    for (size_t i = 0; i < countof(words); i++)
        if (strcmp(value, words[i]) == 0) {
            options->snapshots = (enum packer_snapshots)i;
            return 0;
        }
    return complain(CHANNEL_EXIT_USAGE, "--snapshots is all, end or none, not '%s'", value);
}

static int pack_take(void *context, int id, const char *value)
{
    struct pack_options *options = context;
    switch (id) {
    case PACK_FORCE:
        options->replace = true;
        return 0;
    case PACK_SNAPSHOTS:
        return pack_take_snapshots(options, value);
    case PACK_QUIET:
        options->quiet = true;
        return 0;
    default:
        if (!*value)
            return complain(CHANNEL_EXIT_USAGE, "--output needs the name of a file");
        options->output = value;
        return 0;
    }
}

static int pack_run(const struct command *c, int argc, char **argv)
{
    struct pack_options options = {0};
    struct track_choice choice = {0};
    int at;
    int status = command_read(c, argc, argv, pack_take, &options, &at);
    if (!status)
        status = recording_choice_operands(&choice, c, argc, argv, at);
    options.recording = choice.recording;
    return status ? status : pack(&options);
}

const struct command cli_pack = {
    .examples = {"ebb pack myprogram-1", "ebb pack -o crash.ebb myprogram-1"},
    .name = "pack", .run = pack_run, .operands = {"[RECORDING]"}, .operand_kind = NAMES_RECORDING,
    .options = pack_option_table,
    .summary = "put a recording and everything that it needs into one file",
    .about = RECORDING_HELP
             "The file contains the recording, every file that its programs had mapped (programs, "
             "libraries, interpreter, locales), and their debug information and sources if they "
             "are on this machine. It replays on machines that have none of these files. Every "
             "command that takes a RECORDING takes the file.\n",
    .after = "A file that has changed since it was mapped cannot be packed, so pack soon. The "
             "recording itself stays. The packed file contains everything that the program read: "
             "only you can open it, until you change its permissions.\n",
};
