/* How the commands of this folder open a recording: which track, and at its start or end. */
#ifndef FRONT_OPENING_H
#define FRONT_OPENING_H

#include "front/gdb/rsp.h"
#include "log/track_choice.h"

struct opening {
    struct track_choice track;
    bool at_start;
};

/* Opens both; the caller ends them with rsp_destroy and recording_destroy. */
struct error *opening_open(const struct opening *o, struct recording **ret_rec, struct rsp **ret);

#endif
