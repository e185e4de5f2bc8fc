/* Facts from the log of a track, without running it: which signals came, the program's arguments,
 * how tracks are related. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/xalloc.h"
#include "front/gdb/rsp_internal.h"
#include "log/event.h"
#include "log/lineage.h"
#include "log/reader.h"
#include "log/syscall_table.h"

static void keep_list(const struct event_piece *p, char **list, size_t *size)
{
    char *longer = xalloc(*size + p->size + 1);
    if (*size)
        memcpy(longer, *list, *size);
    memcpy(longer + *size, p + 1, p->size);
    *size += p->size;
    longer[*size] = '\0';
    free(*list);
    *list = longer;
}

static void take_start(struct rsp_facts *f, const struct event *e)
{
    if (e->kind == EVENT_START) {
        const struct event_start *start = (const struct event_start *)e->payload;
        f->ppid = start->ppid;
        f->uid = start->uid;
        f->gid = start->gid;
    }
    for (const struct event_piece *p = NULL; (p = event_next_piece(e, p));) {
        size_t none = 0;
        if (p->kind == PIECE_ARGUMENTS)
            keep_list(p, &f->arguments, &f->arguments_size);
        else if (p->kind == PIECE_ENVIRONMENT)
            keep_list(p, &f->environment, &f->environment_size);
        else if (p->kind == PIECE_DIRECTORY)
            keep_list(p, &f->directory, &none);
    }
}

/* A cheap check: the content is compared when a file is replayed. */
static bool is_changed(const struct event_map *map)
{
    char path[PATH_MAX];
    struct stat st;
    if (map->path_size >= sizeof path)
        return true;
    memcpy(path, map + 1, map->path_size);
    path[map->path_size] = '\0';
    if (path[0] != '/' || !(map->protection & PROT_EXEC))
        return false;
    u64 mtime = 0;
    if (stat(path, &st) == 0)
        mtime = (u64)st.st_mtim.tv_sec * 1000000000u + (u64)st.st_mtim.tv_nsec;
    return !mtime || (u64)st.st_size != map->file_size || mtime != map->mtime;
}

/* Keeps each name once for consecutive mappings. */
static void keep_mapped(struct rsp_facts *f, const struct event_map *map)
{
    char *path = xformat("%.*s", (int)map->path_size, (const char *)(map + 1));
    size_t size = strlen(path) + 1;
    bool again = f->mapped_size >= size &&
                 memcmp(f->mapped + f->mapped_size - size, path, size) == 0;
    if (!again) {
        char *longer = xalloc(f->mapped_size + size);
        if (f->mapped_size)
            memcpy(longer, f->mapped, f->mapped_size);
        memcpy(longer + f->mapped_size, path, size);
        free(f->mapped);
        f->mapped = longer;
        f->mapped_size += size;
    }
    free(path);
}

/* The child's events follow its EVENT_FORK, and the call that made it comes after them. */
static void take_vfork(struct rsp_facts *f, const struct event *e)
{
    const struct event_syscall *call = (const struct event_syscall *)e->payload;
    if (f->vfork_begun != e->thread + 1u || !syscall_has(call->number, EFFECT_MAKES))
        return;
    f->vfork_begun = 0;
    u32 *longer = xalloc((f->vfork_count + 1) * sizeof *longer);
    if (f->vfork_count)
        memcpy(longer, f->vforks, f->vfork_count * sizeof *longer);
    longer[f->vfork_count++] = (u32)call->result;
    free(f->vforks);
    f->vforks = longer;
}

bool rsp_facts_is_vfork(const struct rsp_facts *f, u32 pid)
{
    for (size_t i = 0; i < f->vfork_count; i++)
        if (f->vforks[i] == pid)
            return true;
    return false;
}

static void rsp_facts_take_event(struct rsp_facts *f, const struct event *e)
{
    if (e->kind == EVENT_SIGNAL) {
        u32 signal = ((const struct event_signal *)e->payload)->signal;
        if (signal < RSP_SIGNALS)
            f->signal_came[signal] = true;
    } else if (e->kind == EVENT_MAP) {
        f->files_changed = f->files_changed || is_changed((const struct event_map *)e->payload);
        keep_mapped(f, (const struct event_map *)e->payload);
    } else if (e->kind == EVENT_FORK) {
        f->forks = true;
        f->vfork_begun = e->thread + 1u;
    } else if (e->kind == EVENT_SYSCALL) {
        take_vfork(f, e);
        u32 number = ((const struct event_syscall *)e->payload)->number;
        f->forks |= syscall_has(number, EFFECT_MAKES);
    } else if (e->kind == EVENT_EXEC) {
        f->execs = true;
    }
}

static bool read_header(const struct recording *rec, u32 track, struct format_file *ret)
{
    struct reader *reader;
    struct error *err = recording_open_track(rec, track, &reader);
    if (err) {
        error_destroy(err);
        return false;
    }
    *ret = *reader_header(reader);
    reader_close(reader);
    return true;
}

struct error *rsp_facts_read(const struct recording *rec, u32 track, struct rsp_facts *ret)
{
    struct lineage *l;
    struct format_file h;
    struct error *err = lineage_open(rec, track, true, &l);
    if (err)
        return err;
    ret->forked = read_header(rec, track, &h) && h.origin == TRACK_FORKED;
    if (ret->forked) {
        ret->parent = h.parent;
        ret->birth = (struct moment){h.parent_tick, h.parent_pc};
    }
    const struct event *e;
    bool starts = true;
    while (!(err = lineage_next(l, &e)) && e) {
        starts = starts && (e->kind == EVENT_START || e->kind == EVENT_DATA ||
                            e->kind == EVENT_NOTE);
        if (starts && e->kind != EVENT_NOTE)
            take_start(ret, e);
        else
            rsp_facts_take_event(ret, e);
    }
    lineage_close(l);
    return err;
}

void rsp_facts_deinit(struct rsp_facts *f)
{
    free(f->arguments);
    free(f->environment);
    free(f->directory);
    free(f->mapped);
    *f = (struct rsp_facts){0};
}

/* Returns the last track whose header is accepted by `fits`. */
static u32 find_track(const struct recording *rec,
                      bool (*fits)(const struct format_file *, u32, u32), u32 track, u32 pid)
{
    u32 *tracks, ret = TRACK_NONE;
    size_t count;
    struct error *err = recording_tracks(rec, &tracks, &count);
    if (err) {
        error_destroy(err);
        return ret;
    }
    for (size_t i = 0; i < count; i++) {
        struct reader *reader;
        err = recording_open_track(rec, tracks[i], &reader);
        if (err) {
            error_destroy(err);
            continue;
        }
        if (fits(reader_header(reader), track, pid))
            ret = tracks[i];
        reader_close(reader);
    }
    free(tracks);
    return ret;
}

static bool is_exec(const struct format_file *h, u32 track, u32 pid)
{
    return h->origin == TRACK_EXECED && h->parent == track && h->pid == pid;
}

static bool rsp_facts_is_child(const struct format_file *h, u32 track, u32 pid)
{
    return h->pid == pid && (track == TRACK_NONE || (h->parent == track && h->pid == pid));
}

u32 rsp_facts_exec(const struct recording *rec, u32 track)
{
    struct reader *reader;
    struct error *err = recording_open_track(rec, track, &reader);
    if (err) {
        error_destroy(err);
        return TRACK_NONE;
    }
    u32 pid = reader_header(reader)->pid;
    reader_close(reader);
    return find_track(rec, is_exec, track, pid);
}

bool rsp_facts_executed_by(const struct recording *rec, u32 track, u32 *ret, u32 *ret_pid)
{
    struct format_file h, before;
    if (!read_header(rec, track, &h) || h.origin != TRACK_EXECED ||
        !read_header(rec, h.parent, &before))
        return false;
    *ret = h.parent;
    *ret_pid = before.pid;
    return true;
}

u32 rsp_facts_child(const struct recording *rec, u32 track, u32 pid)
{
    return find_track(rec, rsp_facts_is_child, track, pid);
}
