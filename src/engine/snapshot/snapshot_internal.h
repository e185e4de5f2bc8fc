/* What writing and restoring a snapshot share. */
#ifndef ENGINE_SNAPSHOT_INTERNAL_H
#define ENGINE_SNAPSHOT_INTERNAL_H

#include "base/types.h"

/* A number that is the same on processors whose images of vector registers are laid out alike. */
u64 snapshot_vector_places(void);

#endif
