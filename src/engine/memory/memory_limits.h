/* The guest's limits on address space (RLIMIT_AS), data (RLIMIT_DATA) and code (PR_SET_MDWE).
 *
 * The kernel would count the engine's memory, too. So the kernel's own limits are raised as far as
 * possible, and the engine checks the guest's calls against the guest's areas. The kernel counts
 * the pages of its vDSO and of a stack a little differently: a limit is reached within a few pages
 * of where it is natively.
 *
 * In a replay the recorded results decide: nothing is checked.
 */
#ifndef ENGINE_MEMORY_LIMITS_H
#define ENGINE_MEMORY_LIMITS_H

#include "engine/base/text.h"

/* Takes over the limits of the previous image, or the kernel's. */
void memory_limits_start(void);

/* True if the resource is checked here. */
bool memory_limits_has(u32 resource);
void memory_limits_get(u32 resource, u64 ret[2]);
/* Returns 0, or the error of setrlimit. */
i64 memory_limits_set(u32 resource, const u64 limit[2]);

/* True if the guest has the capability (CAP_*). */
bool memory_limits_capable(u32 capability);

/* The total size of all areas. */
u64 memory_limits_mapped(void);
/* True if this many bytes may be added, of memory with this protection (PROT_*), private or
 * shared. */
bool memory_limits_allow(u64 bytes, u64 protection, bool shared);
/* True if this part of an area may become writable. */
bool memory_limits_allow_writing(u64 bytes);
/* True if the heap and the data of the program may have this size. */
bool memory_limits_allow_heap(u64 bytes);

/* True if everything that is mapped may be locked (RLIMIT_MEMLOCK, which the kernel checks). */
bool memory_limits_allow_locking(void);

/* mlockall: what the flags ask for later mappings (0: they are not locked). */
void memory_limits_lock_future(u64 flags);
u64 memory_limits_future_locks(void);

/* PR_SET_MDWE: memory that was not mapped as code may not become code. The kernel is not told,
 * because the engine's own memory becomes code. Returns 0 or an error of prctl. */
i64 memory_limits_deny_code(u64 bits);
u64 memory_limits_code_denied(void);
/* True if memory with the protection `old` may get another; a new mapping has both. */
bool memory_limits_allow_code(u64 old, u64 new);

/* In a child of fork: drops what it does not inherit. */
void memory_limits_forked(void);

/* A child of vfork changes its own limits, and not those of its parent, whose memory it has. */
struct memory_limits_kept {
    u64 space[2], data[2];
};
void memory_limits_keep(struct memory_limits_kept *ret);
void memory_limits_bring_back(const struct memory_limits_kept *kept);

/* Writes the settings that memory_limits_start() of the next image reads. */
void memory_limits_describe(struct text *out);
/* For an image that runs without the engine: gives the kernel the guest's limits, or takes them
 * away again. */
void memory_limits_apply(bool on);

#endif
