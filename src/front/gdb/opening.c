/* Opening a recording for a client: see the header. */
#include "front/gdb/opening.h"

#include <stdlib.h>

struct error *opening_open(const struct opening *o, struct recording **ret_rec, struct rsp **ret)
{
    struct recording *rec;
    u32 *tracks;
    size_t count;
    struct error *err = recording_open(o->track.recording, &rec);
    if (err)
        return err;
    err = track_choose(&o->track, rec, &tracks, &count);
    if (!err) {
        err = rsp_create(rec, tracks[0], o->at_start, ret);
        free(tracks);
    }
    if (err) {
        recording_destroy(rec);
        return err;
    }
    *ret_rec = rec;
    return NULL;
}
