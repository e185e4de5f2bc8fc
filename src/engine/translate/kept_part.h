/* A range of the engine's memory that is kept in a file (kept_file.h). */
#ifndef ENGINE_KEPT_PART_H
#define ENGINE_KEPT_PART_H

#include "base/types.h"

struct kept_part {
    u64 at; /* a page's start; the rest of the last page belongs to it */
    u64 size;
};

#endif
