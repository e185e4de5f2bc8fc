/* Chooses the recording and the tracks for a command: see the header. */
#include "log/track_choice.h"

#include <stdlib.h>
#include <string.h>

#include "log/reader.h"

/* The time when a track ended by a signal that dumps core; 0: it did not, or cannot be read. */
static u64 core_time(const struct recording *rec, u32 track)
{
    struct reader *r;
    const struct event *e;
    u64 ret = 0;
    struct error *err = recording_open_track(rec, track, &r);
    if (err) {
        error_destroy(err);
        return 0;
    }
    while (!(err = reader_next(r, &e)) && e)
        if (e->kind == EVENT_END && ((const struct event_end *)e->payload)->core)
            ret = reader_time(r);
    error_destroy(err);
    reader_close(r);
    return ret;
}

/* Finds the first track that dumped core; false if none did. That reads all events, so the meta
 * file is checked before. */
static bool find_core(const struct recording *rec, const u32 *tracks, size_t count, u32 *ret)
{
    u64 first = 0;
    if (!rec->meta.core && rec->meta.state == RECORDING_ENDED)
        return false;
    for (size_t i = 0; i < count; i++) {
        u64 time = core_time(rec, tracks[i]);
        if (time && (!first || time < first)) {
            first = time;
            *ret = tracks[i];
        }
    }
    return first != 0;
}

/* True if `track` continues the process of `before` after an exec. */
static bool continues(const struct recording *rec, u32 track, u32 before, u32 pid)
{
    struct reader *r;
    struct error *err = recording_open_track(rec, track, &r);
    if (err) {
        error_destroy(err);
        return false;
    }
    const struct format_file *header = reader_header(r);
    bool ret = header->origin == TRACK_EXECED && header->parent == before && header->pid == pid;
    reader_close(r);
    return ret;
}

/* Wrappers execute one another; the interesting program comes last. Tracks are numbered by time. */
static u32 find_last_of_root(const struct recording *rec, const u32 *tracks, size_t count)
{
    struct reader *r;
    u32 ret = tracks[0];
    struct error *err = recording_open_track(rec, ret, &r);
    if (err) {
        error_destroy(err); /* the error is reported when the track is opened again */
        return ret;
    }
    u32 pid = reader_header(r)->pid;
    reader_close(r);
    for (size_t i = 1; i < count; i++)
        if (continues(rec, tracks[i], ret, pid))
            ret = tracks[i];
    return ret;
}

static struct error *choose_one(const struct track_choice *choice, const struct recording *rec,
                                const u32 *tracks, size_t count, u32 *ret)
{
    if (!choice->one) {
        if (!find_core(rec, tracks, count, ret))
            *ret = find_last_of_root(rec, tracks, count);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (tracks[i] == choice->track) {
            *ret = choice->track;
            return NULL;
        }
    }
    return error_new("%s has no track %u; 'ebb info' lists its tracks", rec->path, choice->track);
}

struct error *track_choose(const struct track_choice *choice, const struct recording *rec,
                           u32 **ret, size_t *ret_count)
{
    u32 *tracks, one = 0;
    size_t count;
    struct error *err = recording_tracks(rec, &tracks, &count);
    if (err)
        return err;
    if (count == 0)
        err = error_new("%s has no tracks", rec->path);
    else if (choice->one || !choice->all)
        err = choose_one(choice, rec, tracks, count, &one);
    if (err) {
        free(tracks);
        return err;
    }
    if (choice->one || !choice->all) {
        tracks[0] = one;
        count = 1;
    }
    *ret = tracks;
    *ret_count = count;
    return NULL;
}
