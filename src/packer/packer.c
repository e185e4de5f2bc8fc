/* The packer: a recording and everything that it needs, in one file.
 *
 * The packer writes the recording itself first. Then it adds each file that a MAP event names. If
 * the file that was mapped no longer exists as it was, packing fails. Debug information and sources
 * of these files are added as far as this machine has them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/types.h"
#include "base/xalloc.h"
#include "log/mapped_list.h"
#include "log/pack.h"
#include "log/reader.h"
#include "log/snapshot_store.h"
#include "log/unwritten.h"
#include "log/recording.h"
#include "log/recording_file.h"
#include "log/trimmed.h"
#include "packer/packer.h"
#include "symbols/debug_files.h"

struct packing {
    const struct recording *rec;
    enum packer_snapshots snapshots;
    struct pack_writer *writer;
    struct mapped_list mapped;
    void *seen[PACK_SOURCE + 1]; /* paths, as tsearch trees */
    struct error *err;           /* the first error of a callback, which cannot return one */
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

/* Adds the snapshot with which a trimmed track begins. */
static struct error *add_beginning(struct packing *p, u32 track)
{
    struct snapshot_about about;
    if (!trimmed_about(p->rec, track, &about))
        return NULL;
    char *name = snapshot_store_name(&about);
    struct error *err = pack_writer_has(p->writer, PACK_PART, name) ? NULL : add_part(p, name);
    free(name);
    return err;
}

/* An incomplete track is packed unchanged; a damaged one is refused. */
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
    return err ? err : add_beginning(p, track);
}

/* True if no later snapshot of the same track exists. The list is ordered by moment. */
static bool is_last_snapshot(const struct snapshot_stored *list, size_t count, size_t which)
{
    for (size_t i = which + 1; i < count; i++)
        if (list[i].about.track == list[which].about.track)
            return false;
    return true;
}

/* Adds one snapshot with all its pages, or nothing if it cannot be read. */
static struct error *add_whole_snapshot(struct packing *p, const struct snapshot_stored *s,
                                        const char *name)
{
    struct pack_item about = {.kind = PACK_PART, .name = (char *)name};
    struct snapshot_raw raw;
    int fd = -1;
    struct error *err = snapshot_store_read(s, &raw);
    if (err) {
        error_destroy(err);
        return NULL;
    }
    err = snapshot_temporary(raw.state_at, &fd);
    if (!err)
        err = snapshot_file_write(fd, &s->about, &raw);
    if (!err)
        lseek(fd, 0, SEEK_SET);
    if (!err)
        err = pack_writer_add(p->writer, &about, fd);
    close(raw.fd);
    if (fd >= 0)
        close(fd);
    return err;
}

/* Adds the page files of the snapshots, and what was not written between them. */
static struct error *add_page_files(struct packing *p)
{
    struct error *err = NULL;
    DIR *dir = opendir(p->rec->path);
    for (const struct dirent *entry; dir && !err && (entry = readdir(dir));)
        if ((page_file_names(entry->d_name) && !strstr(entry->d_name, ".new")) ||
            unwritten_names(entry->d_name))
            err = add_part(p, entry->d_name);
    if (dir)
        closedir(dir);
    return err;
}

/* Adds the snapshots that were taken while the program was recorded, as far as they are wanted. */
static struct error *add_snapshots(struct packing *p)
{
    size_t count;
    struct snapshot_stored *list = snapshot_store_list_own(p->rec, ~0u, &count);
    struct error *err = NULL;
    for (size_t i = 0; i < count && !err; i++) {
        const char *name = strrchr(list[i].path, '/') + 1;
        bool all = p->snapshots == PACKER_SNAPSHOTS_ALL;
        bool end = p->snapshots == PACKER_SNAPSHOTS_END && is_last_snapshot(list, count, i);
        if ((all || end) && !pack_writer_has(p->writer, PACK_PART, name))
            err = all ? add_part(p, name) : add_whole_snapshot(p, &list[i], name);
    }
    if (!err && p->snapshots == PACKER_SNAPSHOTS_ALL)
        err = add_page_files(p);
    snapshot_store_list_free(list, count);
    return err;
}

static struct error *add_recording(struct packing *p)
{
    u32 *tracks;
    size_t count;
    struct error *err = add_part(p, "meta");
    if (!err && faccessat(p->rec->dir, RECORDING_MARKS, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        err = add_part(p, RECORDING_MARKS);
    if (!err)
        err = recording_tracks(p->rec, &tracks, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count && !err; i++)
        err = packing_add_track(p, tracks[i]);
    free(tracks);
    return err ? err : add_snapshots(p);
}

/* Files */

static int compare_paths(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* True if this path is met for the first time. */
static bool is_new(struct packing *p, u32 kind, const char *path)
{
    if (tfind(path, &p->seen[kind], compare_paths))
        return false;
    tsearch(xformat("%s", path), &p->seen[kind], compare_paths);
    return true;
}

/* A file that cannot be read counts as missing. */
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

struct error *packer_pack(const struct recording *rec, const char *output, bool replace,
                          enum packer_snapshots snapshots, struct pack_figures *ret)
{
    struct packing p = {.rec = rec, .snapshots = snapshots};
    if (rec->pack)
        return error_new("%s is already packed", rec->path);
    struct error *err = pack_writer_create(output, replace, &p.writer);
    if (!err)
        err = add_all(&p);
    if (!err)
        err = pack_writer_finish(p.writer, ret);
    packing_deinit(&p);
    return err ? error_within(err, "cannot pack %s", rec->path) : NULL;
}
