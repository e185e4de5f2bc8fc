/* Finds the memory that calls are about to map or unmap. */
#ifndef ENGINE_CALL_SHAPES_H
#define ENGINE_CALL_SHAPES_H

#include "base/types.h"

struct call;

/* The range that a call is about to replace or unmap; false: nothing. */
bool call_replaces(const struct call *call, u64 *start, u64 *end);
/* The range that a call has mapped where nothing was. */
bool call_brought(const struct call *call, i64 result, u64 *start, u64 *end);

#endif
