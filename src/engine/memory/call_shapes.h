/* Which memory the calls that shape it change. */
#ifndef ENGINE_CALL_SHAPES_H
#define ENGINE_CALL_SHAPES_H

#include "base/types.h"

struct call;

/* What a call that shapes memory is about to put in another's place, or to take away; false:
 * nothing. */
bool call_replaces(const struct call *call, u64 *start, u64 *end);
/* What it has put where nothing was. */
bool call_brought(const struct call *call, i64 result, u64 *start, u64 *end);

#endif
