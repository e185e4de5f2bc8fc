/* The guest's limits of address space (RLIMIT_AS) and of data (RLIMIT_DATA).
 *
 * The kernel would count the engine's memory, too.  So the kernel's own limits are raised as far as
 * the process may raise them, and the engine judges the guest's calls by the guest's areas.  The
 * kernel counts the pages of its vDSO and of a stack a little differently: a limit is met within a
 * few pages of where it is met natively.
 *
 * In a replay the recorded answers decide: nothing is judged.
 */
#ifndef ENGINE_MEMORY_LIMITS_H
#define ENGINE_MEMORY_LIMITS_H

#include "engine/base/text.h"

/* Takes over the limits: those of the image before, or the kernel's. */
void memory_limits_start(void);

/* Is it one of those that are judged here? */
bool memory_limits_has(u32 resource);
void memory_limits_get(u32 resource, u64 ret[2]);
/* 0, or as setrlimit fails. */
i64 memory_limits_set(u32 resource, const u64 limit[2]);

/* What areas hold altogether. */
u64 memory_limits_mapped(void);
/* May so many bytes be added, of memory with this protection (PROT_*), private or shared? */
bool memory_limits_allow(u64 bytes, u64 protection, bool shared);
/* May a part of an area become writable? */
bool memory_limits_allow_writing(u64 bytes);
/* May the heap and the data of the program be so long? */
bool memory_limits_allow_heap(u64 bytes);

/* May all that is mapped be locked (RLIMIT_MEMLOCK, which the kernel judges)? */
bool memory_limits_allow_locking(void);

/* For the next image: the settings that memory_limits_start() reads there. */
void memory_limits_describe(struct text *out);
/* For an image that runs without the engine: the kernel's limits are the guest's; or no longer. */
void memory_limits_apply(bool on);

#endif
