/* ebb cache: shows and clears what ebb keeps in the user's cache. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/complain.h"
#include "base/types.h"
#include "base/user_cache.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "log/channel.h"
#include "log/kept_translations.h"
#include "log/known_hashes.h"
#include "log/snapshot_store.h"

static const struct cache_row {
    const char *name;
    char *(*path)(u64 *ret_most);
    const char *variable;
} cache_rows[] = {
    {"translations", kept_translations_path, "EBB_TRANSLATIONS"},
    {"snapshots", snapshot_store_path, "EBB_SNAPSHOTS"},
    {"hashes", known_hashes_path, "HOME"},
};

enum { CACHE_CLEAR = 1 };

static const struct command_option cache_option_table[] = {
    {.id = CACHE_CLEAR, .name = "clear", .value = "WHAT", .may_lack_value = true,
     .kind = NAMES_WORD, .words = "translations snapshots hashes",
     .help = "remove all of it, or only translations, snapshots or hashes"},
    {0},
};

struct cache_options {
    bool clear;
    const char *what; /* NULL: all */
};

static int cache_take(void *context, int id, const char *value)
{
    struct cache_options *options = context;
    (void)id;
    options->clear = true;
    options->what = value;
    for (size_t i = 0; value && i < countof(cache_rows); i++)
        if (strcmp(value, cache_rows[i].name) == 0)
            return 0;
    if (!value)
        return 0;
    return complain(CHANNEL_EXIT_USAGE,
                    "--clear takes translations, snapshots or hashes, not '%s'", value);
}

static void cache_show(const struct cache_row *row, const struct cache_options *options)
{
    u64 most;
    char size[FIGURES_ROOM], limit[FIGURES_ROOM];
    char *path = row->path(&most);
    if (!path) {
        printf("%-13s none: turned off by $%s, or there is no home directory\n", row->name,
               row->variable);
        return;
    }
    bool remove = options->clear && (!options->what || strcmp(options->what, row->name) == 0);
    struct user_cache_content found = user_cache_look(path, remove);
    printf("%-13s %s%llu %s, %s of at most %s, in %s\n", row->name, remove ? "removed " : "",
           (unsigned long long)found.files, found.files == 1 ? "file" : "files",
           figures_bytes(size, found.bytes), figures_bytes(limit, most), path);
    free(path);
}

static int cache_run(const struct command *c, int argc, char **argv)
{
    struct cache_options options = {0};
    int at;
    int status = command_read(c, argc, argv, cache_take, &options, &at);
    if (status)
        return status;
    if (at < argc)
        return command_one_too_many(c, argv[at]);
    for (size_t i = 0; i < countof(cache_rows); i++)
        cache_show(&cache_rows[i], &options);
    return complain_if_unwritten();
}

const struct command cli_cache = {
    .examples = {"ebb cache", "ebb cache --clear=translations"},
    .name = "cache",
    .run = cache_run,
    .operands = {""},
    .operand_kind = NAMES_NOTHING,
    .options = cache_option_table,
    .summary = "show or clear the cache of translations, snapshots and hashes",
    .about =
        "The cache is $XDG_CACHE_HOME/ebb or ~/.cache/ebb. It holds translations of programs and "
        "libraries, which make a program faster from its second run on; snapshots of long "
        "replays, which make a recording open faster; and hashes of files, which tell whether a "
        "file has changed without reading it again. Everything in the cache can be removed at any "
        "time. ebb then makes it again, which costs time and nothing else.\n",
    .after =
        "$EBB_TRANSLATIONS and $EBB_SNAPSHOTS limit the disk space of translations and snapshots, "
        "in bytes or with K, M or G. The defaults are 256M and 1G. The least recently used files "
        "are removed first. 'off' disables that part of the cache.\n",
};
