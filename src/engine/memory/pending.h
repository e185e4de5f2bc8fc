/* Memory whose contents were not read yet, of a guest that was restored from a snapshot.
 *
 * Such ranges are inaccessible for both the guest and the engine. An access faults, the contents
 * around that address are read, and the access is repeated, unnoticed. The kernel does not fault
 * but returns an error. So code that passes a guest address to the kernel in a replay must call
 * pending_fill() before; and so must code that changes mappings or protections, or asks the kernel
 * which pages exist.
 *
 * All such memory is private and without a file. A copy of the process has the same ranges, and
 * reads them itself.
 */
#ifndef ENGINE_PENDING_H
#define ENGINE_PENDING_H

#include "base/types.h"

/* Reads the contents of whole pages, which are writable now. Returns how many of them are not
 * zeros. */
typedef u64 pending_read(void *context, u64 start, u64 end);
void pending_start(pending_read *read, void *context, u64 pages);

/* Makes a range pending, which is above all others and whose area is known. False: it cannot be
 * closed, and is unchanged. */
bool pending_add(u64 start, u64 end);

/* A fault at `address`: true if the memory was pending. Its contents were read: retry. */
bool pending_fault(u64 address);

/* Reads everything pending in [start, end), or everywhere for 0, ~0. Returns true if there was
 * any. */
bool pending_fill(u64 start, u64 end);
/* The range was unmapped: its contents are no longer needed. */
void pending_forget(u64 start, u64 end);
/* The contents of the range become zeros. */
void pending_discard(u64 start, u64 end);

/* The number of pages read so far. */
u64 pending_read_count(void);

#endif
