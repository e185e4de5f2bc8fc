/* ebb pack: a recording and all that it needs, in one file.
 *
 * First the recording itself, then every file that a MAP event names (the one that was mapped, or
 * nothing is packed), then what explains the programs among them as far as it is here.
 */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/complain.h"
#include "base/error.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "front/cli/cli.h"
#include "front/cli/figures.h"
#include "log/channel.h"
#include "log/mapped_list.h"
#include "log/pack.h"
#include "log/reader.h"
#include "log/recording.h"
#include "log/recording_file.h"
#include "symbols/debug_files.h"

struct pack_options {
    const char *recording, *output;
    bool replace, quiet;
};

struct packing {
    const struct recording *rec;
    struct pack_writer *writer;
    struct mapped_list mapped;
    void *seen[PACK_SOURCE + 1]; /* paths, trees of tsearch */
    struct error *err;           /* the first, of those who cannot return it */
};

/* The recording itself */

static struct error *add_part(struct packing *p, const char *name)
{
    struct pack_item about = {.kind = PACK_PART, .name = (char *)name};
    int fd = openat(p->rec->dir, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_errno(errno, "opening %s/%s", p->rec->path, name);
    struct error *err = pack_writer_add(p->writer, &about, fd);
    close(fd);
    return err;
}

static void note_mapped(struct packing *p, const struct event_map *map)
{
    struct mapped_file_about about = {
        .copy = map->copy, .size = map->file_size, .device = map->device, .inode = map->inode,
        .mtime = map->mtime,
        .path = xformat("%.*s", (int)map->path_size, (const char *)(map + 1)),
    };
    if (!mapped_list_find(&p->mapped, &about))
        mapped_list_add(&p->mapped, &about);
    free(about.path);
}

/* A track that is cut is packed as it is; one that is damaged is not. */
static struct error *packing_add_track(struct packing *p, u32 track)
{
    struct reader *r;
    const struct event *e;
    struct error *err = recording_open_track(p->rec, track, &r);
    if (err)
        return err;
    while (!(err = reader_next(r, &e)) && e)
        if (e->kind == EVENT_MAP)
            note_mapped(p, (const struct event_map *)e->payload);
    reader_close(r);
    char *name = recording_track_name(track);
    if (!err)
        err = add_part(p, name);
    free(name);
    return err;
}

static struct error *add_recording(struct packing *p)
{
    u32 *tracks;
    size_t count;
    struct error *err = add_part(p, "meta");
    if (!err)
        err = recording_tracks(p->rec, &tracks, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count && !err; i++)
        err = packing_add_track(p, tracks[i]);
    free(tracks);
    return err;
}

/* Files */

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Is it the first time that this path is met? */
static bool is_new(struct packing *p, u32 kind, const char *path)
{
    if (tfind(path, &p->seen[kind], compare_paths))
        return false;
    tsearch(xformat("%s", path), &p->seen[kind], compare_paths);
    return true;
}

/* What cannot be read is as good as not there. */
static void add_debug_file(void *context, enum debug_file_kind found, const char *path)
{
    struct packing *p = context;
    struct pack_item about = {.kind = found == DEBUG_FILE_INFO ? PACK_DEBUG : PACK_SOURCE,
                              .name = (char *)path};
    if (p->err || !is_new(p, about.kind, path))
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    p->err = pack_writer_add(p->writer, &about, fd);
    close(fd);
}

static struct error *add_mapped(struct packing *p, const struct mapped_file_about *about)
{
    struct pack_item item = {
        .kind = PACK_MAPPED, .device = about->device, .inode = about->inode,
        .mtime = about->mtime, .copy = about->copy, .name = about->path,
    };
    int fd;
    struct error *err = recording_file_mapped(p->rec, about, &fd);
    if (err)
        return err;
    err = pack_writer_add(p->writer, &item, fd);
    if (!err && is_new(p, PACK_MAPPED, about->path))
        debug_files_find(fd, about->path, add_debug_file, p);
    close(fd);
    return err ? err : take(p->err);
}

static struct error *add_all(struct packing *p)
{
    struct error *err = add_recording(p);
    for (size_t i = 0; i < p->mapped.count && !err; i++)
        err = add_mapped(p, &p->mapped.files[i]);
    return err;
}

static void packing_deinit(struct packing *p)
{
    mapped_list_deinit(&p->mapped);
    for (size_t kind = 0; kind < countof(p->seen); kind++)
        tdestroy(p->seen[kind], free);
    pack_writer_destroy(p->writer);
}

/* The command */

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

static struct error *pack_to(const struct pack_options *options, const struct recording *rec,
                             const char *output)
{
    struct packing p = {.rec = rec};
    struct pack_figures figures;
    struct error *err = pack_writer_create(output, options->replace, &p.writer);
    if (!err)
        err = add_all(&p);
    if (!err)
        err = pack_writer_finish(p.writer, &figures);
    packing_deinit(&p);
    if (!err && !options->quiet)
        packing_say_result(output, &figures);
    return err;
}

static int pack(const struct pack_options *options)
{
    struct recording *rec;
    struct error *err = recording_open(options->recording, &rec);
    if (err)
        return error_complain(err, 1);
    char *output = options->output ? xformat("%s", options->output) : default_output(rec);
    err = rec->pack ? error_new("it is packed already")
                    : pack_to(options, rec, output);
    if (err)
        err = error_within(err, "cannot pack %s", rec->path);
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
