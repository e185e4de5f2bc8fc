/* Packs a recording with the files, debug information and sources that a replay needs. */
#ifndef PACKER_PACKER_H
#define PACKER_PACKER_H

#include <stdbool.h>

#include "log/pack.h"

struct recording;
struct error;

/* Which snapshots of the recording are kept. One with which a track begins always is. */
enum packer_snapshots {
    PACKER_SNAPSHOTS_ALL,
    PACKER_SNAPSHOTS_END, /* the last one of each track */
    PACKER_SNAPSHOTS_NONE,
};

/* Writes the file `output`. An existing file is an error unless `replace` is true. A failure leaves
 * no new file. */
struct error *packer_pack(const struct recording *rec, const char *output, bool replace,
                          enum packer_snapshots snapshots, struct pack_figures *ret);

#endif
