/* ebb pack: the options of the command, and its result in words. packer.h does the work. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "log/channel.h"
#include "log/recording.h"
#include "packer/packer.h"

struct pack_options {
    const char *recording, *output;
    bool replace, quiet;
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
    err = packer_pack(rec, output, options->replace, &figures);
    if (!err && !options->quiet)
        packing_say_result(output, &figures);
    free(output);
    recording_destroy(rec);
    return err ? error_complain(err, 1) : 0;
}

int cli_pack(int argc, char **argv)
{
    struct pack_options options = {0};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-f") == 0)
            options.replace = true;
        else if (strcmp(argv[i], "-q") == 0 || strcmp(argv[i], "--quiet") == 0)
            options.quiet = true;
        else if (strcmp(argv[i], "-o") == 0 && i + 1 < argc && *argv[i + 1])
            options.output = argv[++i];
        else if (strcmp(argv[i], "-o") == 0)
            return complain(CHANNEL_EXIT_USAGE, "-o needs the name of a file");
        else if (argv[i][0] == '-')
            return complain(CHANNEL_EXIT_USAGE, "pack has no option '%s'; see 'ebb help pack'",
                            argv[i]);
        else if (options.recording)
            return complain(CHANNEL_EXIT_USAGE, "pack takes one recording at a time");
        else
            options.recording = argv[i];
    }
    return pack(&options);
}

void cli_pack_explain(void)
{
    printf("\n"
           "RECORDING is a name that 'ebb ls' shows, or a directory; without it, the latest.  The\n"
           "file holds the recording, every file that its programs had mapped (programs, libraries,\n"
           "interpreter, locales), their debug information and their sources as far as they are\n"
           "here.  It replays where none of these are, and every command that takes a RECORDING\n"
           "takes it.\n"
           "\n"
           "  -o FILE.ebb   where to; else NAME.ebb in the current directory\n"
           "  -f            replace a file that is there\n"
           "  -q, --quiet   say nothing about it\n"
           "\n"
           "A file that has changed since it was mapped cannot be packed: pack soon.  The recording\n"
           "itself stays.  Like it, the file holds all that the program read: only you can open it,\n"
           "until you let others.\n");
}
