/* The guest's calls that change its address space.
 *
 * The engine chooses every address itself, makes the call with MAP_FIXED_NOREPLACE or as given,
 * updates the areas, and tells code_watch before code is unmapped. All functions return what the
 * guest sees. For ranges of the engine they return ENOMEM or EINVAL, as for addresses outside of
 * user space.
 */
#ifndef ENGINE_ADDRESS_H
#define ENGINE_ADDRESS_H

#include "base/types.h"

struct k_iovec;

i64 address_mmap(u64 at, u64 size, u64 protection, u64 flags, i64 fd, u64 offset);
i64 address_munmap(u64 at, u64 size);
i64 address_mprotect(u64 at, u64 size, u64 protection);
i64 address_pkey_mprotect(u64 at, u64 size, u64 protection, i64 key);
i64 address_mremap(u64 at, u64 old_size, u64 new_size, u64 flags, u64 new_at);
i64 address_brk(u64 at);
i64 address_shmat(i64 id, u64 at, u64 flags);
i64 address_shmdt(u64 at);
i64 address_madvise(u64 at, u64 size, u64 advice);
/* process_madvise of this process, with advice that changes memory. */
bool address_advice_matters(u64 advice);
i64 address_madvise_ranges(const struct k_iovec *ranges, u64 count, u64 advice);
i64 address_mseal(u64 at, u64 size, u64 flags);
/* In a child of fork: removes memory that the guest did not want it to have. */
void address_forked(void);
i64 address_remap_file_pages(u64 at, u64 size, u64 protection, u64 page, u64 flags);

/* Sets the start of the heap (from the loader); brk grows from it. */
void address_set_brk(u64 at);
/* Returns the start and end of the heap; address_restore_heap sets them to those of another
 * engine. */
void address_heap(u64 *ret_start, u64 *ret_now);
void address_restore_heap(u64 start, u64 now);

/* Returns an address for an image (PIE executable or interpreter) of `size` bytes; 0: none. */
u64 address_place_image(u64 size, u64 alignment);

#endif
