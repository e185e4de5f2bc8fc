/* Recovers the guest's state from a place in the code cache. */
#ifndef ENGINE_RECOVER_H
#define ENGINE_RECOVER_H

#include "engine/base/kernel_abi.h"

/* True if the address is in the code cache (blocks, stubs, doors). */
bool recover_in_cache(u64 pc);

/* A fault in translated code: fills cpu->reg, rip and flags with the guest's state before
 * (or, for traps, after) the instruction. False if `pc` is not in a block's body: the
 * engine is wrong. */
bool recover_state(const struct k_sigcontext *registers);

/* Returns the guest's address for one in a block's body; 0 for others in the cache; an address
 * outside of the cache is returned unchanged. The x87 unit stores the address of its last
 * instruction, and shows it in what it saves. */
u64 recover_code_address(u64 address);

/* True if the address is in a dropped fragment that has more code after it. After
 * code_watch_fault() a handler that finds its context there must leave by EXIT_RETRY
 * (recover_state() first): the rest of the fragment may be stale. */
bool recover_in_dropped(u64 pc);

/* A fault where a door reads the engine's own memory with the guest's alignment checks enabled: the
 * context continues without having read it. False: it is another fault. */
bool recover_unaligned(struct k_sigcontext *registers);

/* An asynchronous signal in the cache is about to call ticks_expire(): if the context is between
 * the load and the store of a counter, sets it back to the load. */
void recover_before_expiry(struct k_sigcontext *registers);

/* The same for a system call that is about to be made in the cache: the engine will see that a
 * signal is waiting. */
void recover_before_call(struct k_sigcontext *registers);

#endif
