/* Describes a track in words: see the header. */
#include "session/track_about.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "log/event.h"
#include "log/lineage.h"

enum { COMMAND_MOST = 160 };

/* Adds the strings of a piece, each after a space. */
static void track_about_add_words(const struct event_piece *p, char *room, size_t *used)
{
    const char *bytes = (const char *)(p + 1);
    for (size_t i = 0; i < p->size && *used < COMMAND_MOST; i++) {
        if (i == 0 || !bytes[i - 1])
            room[(*used)++] = ' ';
        if (bytes[i])
            room[(*used)++] = (u8)bytes[i] < ' ' ? '?' : bytes[i];
    }
}

/* Reads " program argument...", shortened if it is long. A forked track has the command of its
 * parent. */
static void read_command(const struct recording *rec, u32 track, char room[COMMAND_MOST + 8])
{
    struct lineage *l;
    const struct event *e;
    size_t used = 0;
    struct error *err = lineage_open(rec, track, true, &l);
    if (!err) {
        while (!(err = lineage_next(l, &e)) && e &&
               (e->kind == EVENT_START || e->kind == EVENT_DATA || e->kind == EVENT_NOTE))
            for (const struct event_piece *p = NULL;
                 e->kind != EVENT_NOTE && (p = event_next_piece(e, p));)
                if (p->kind == PIECE_ARGUMENTS)
                    track_about_add_words(p, room, &used);
        lineage_close(l);
    }
    error_destroy(err);
    strcpy(room + used, used >= COMMAND_MOST ? "..." : "");
}

static char *track_about_describe(const struct recording *rec, u32 track,
                                  const struct format_file *h)
{
    static const char *const origins[] = {"started", "forked", "executed"};
    char command[COMMAND_MOST + 8];
    const char *origin = h->origin < countof(origins) ? origins[h->origin] : "began";
    read_command(rec, track, command);
    if (h->parent == TRACK_NONE)
        return xformat("pid %u, %s:%s", h->pid, origin, command);
    return xformat("pid %u, %s from track %u at tick %llu:%s", h->pid, origin, h->parent,
                   (unsigned long long)h->parent_tick, command);
}

static void track_about_keep(const struct event_piece *p, char **ret, size_t *size)
{
    char *longer = xalloc(*size + p->size + 1);
    memcpy(longer, *ret, *size);
    memcpy(longer + *size, p + 1, p->size);
    *size += p->size;
    longer[*size] = '\0';
    free(*ret);
    *ret = longer;
}

struct error *track_about_start(const struct recording *rec, u32 track, char **ret_arguments,
                                size_t *ret_size, char **ret_directory)
{
    struct lineage *l;
    const struct event *e;
    size_t directory_size = 0;
    struct error *err = lineage_open(rec, track, true, &l);
    if (err)
        return err;
    *ret_size = 0;
    *ret_arguments = xformat("%s", "");
    *ret_directory = xformat("%s", "");
    while (!(err = lineage_next(l, &e)) && e &&
           (e->kind == EVENT_START || e->kind == EVENT_DATA || e->kind == EVENT_NOTE))
        for (const struct event_piece *p = NULL;
             e->kind != EVENT_NOTE && (p = event_next_piece(e, p));) {
            if (p->kind == PIECE_ARGUMENTS)
                track_about_keep(p, ret_arguments, ret_size);
            else if (p->kind == PIECE_DIRECTORY)
                track_about_keep(p, ret_directory, &directory_size);
        }
    lineage_close(l);
    if (err) {
        free(*ret_arguments);
        free(*ret_directory);
    }
    return err;
}

char *track_about(const struct recording *rec, u32 track)
{
    struct reader *reader;
    struct error *err = recording_open_track(rec, track, &reader);
    char *ret = err ? xformat("%s", error_text(err))
                    : track_about_describe(rec, track, reader_header(reader));
    if (!err)
        reader_close(reader);
    error_destroy(err);
    return ret;
}

struct error *track_about_check(const struct recording *rec, u32 track)
{
    u32 *list;
    size_t count;
    bool found = false;
    struct error *err = recording_tracks(rec, &list, &count);
    if (err)
        return err;
    for (size_t i = 0; i < count; i++)
        found |= list[i] == track;
    free(list);
    return found ? NULL
                 : error_coded(ERROR_NOT_FOUND, "there is no track %u; the recording has %zu",
                               track, count);
}
