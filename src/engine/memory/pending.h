/* Memory whose contents have not come yet: of a guest that goes on from a snapshot.
 *
 * Such ranges are closed for the guest and for the engine alike.  Who touches one meets a fault,
 * the contents around that address are read, and the access is made again: neither notices.  The
 * kernel does not fault but refuses, so whoever gives it an address of the guest's in a replay
 * calls pending_fill() before; and so does who changes mappings or protections, or asks the kernel
 * which pages there are.
 *
 * All of it is private memory without a file.  A copy of the process has the same ranges, and
 * reads them for itself.
 */
#ifndef ENGINE_PENDING_H
#define ENGINE_PENDING_H

#include "base/types.h"

/* Contents are got by this function: of whole pages, which can be written now.  Returns how many
 * of them are not zeros. */
typedef u64 pending_read(void *context, u64 start, u64 end);
void pending_start(pending_read *read, void *context, u64 pages);

/* Closes a range, which is above all others and whose area is known.  False: it cannot be closed,
 * and is as it was. */
bool pending_add(u64 start, u64 end);

/* A fault at `address`: true if it was our doing; the contents are there, retry. */
bool pending_fault(u64 address);

/* Reads what has not come yet of [start, end); 0, ~0: of everything.  True if there was any. */
bool pending_fill(u64 start, u64 end);
/* It is not needed any more: the range has been unmapped. */
void pending_forget(u64 start, u64 end);
/* It becomes zeros. */
void pending_discard(u64 start, u64 end);

/* How many pages were read so far. */
u64 pending_read_count(void);

#endif
