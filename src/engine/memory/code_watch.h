/* Detects changes of code before a stale translation runs.
 *
 * Pages that hold translated code are write-protected without the guest's knowledge (if the guest
 * could write them); a write faults, the translations of the page are dropped, and the page becomes
 * writable again until it is translated anew. A page that faults often, or whose code writes into
 * itself, is *checked* instead: it stays writable, and its blocks compare their bytes at each
 * entry. Memory that is mapped twice (shared mappings of one file) is protected through all its
 * mappings.
 *
 *              code_watch_add                       too many faults, code_watch_own
 *   unwatched ----------------> protected  ------------------------------> checked
 *       ^                           |                                         |
 *       +---------------------------+ code_watch_fault, _release, _changed    |
 *       +---------------------------------------------------------------------+ code_watch_age
 *
 * Duties of other units The translator calls code_watch_add() for what it read, then asks
 *   code_watch_checked(). A checked block compares its bytes at entry (if they differ:
 *   code_watch_differs(), and translate again), and ends after an instruction that writes memory,
 *   so that even code that changes the instruction after the store works. The handler of SIGSEGV
 *   calls code_watch_fault() for writes. If then the fragment it came from has been dropped, the
 *   rest of it must not run: code_watch_own(), recover the state, leave the cache, and go on at the
 *   store. Calls that shape the address space: code_watch_changed() before (and before mremap,
 *   which takes protections along, code_watch_release()), code_watch_apply() after. Calls into
 *   whose buffers the kernel writes: code_watch_release() of the buffer before, so that no call is
 *   cut short (it costs nothing while no page is protected); and of everything if the answer is
 *   EFAULT, then once more.
 */
#ifndef ENGINE_CODE_WATCH_H
#define ENGINE_CODE_WATCH_H

#include "base/types.h"

/* `drop` must drop the translations of a range whose code is about to change. */
void code_watch_start(void (*drop)(u64 start, u64 end));

/* The translator has read code from [start, end): watches its pages. */
void code_watch_add(u64 start, u64 end);
/* True if a block with code from this page must compare the bytes at each entry. */
bool code_watch_checked(u64 page);
/* A checked block made from [start, end) found its code changed: drops the translations there. */
void code_watch_differs(u64 start, u64 end);

/* A write fault at `address`: true if it was caused by the protection here. Translations are
 * dropped and the page is writable: retry. */
bool code_watch_fault(u64 address);
/* The store at `address`, for which code_watch_fault() returned true, came from a block that was
 * dropped by it. */
void code_watch_own(u64 address);

/* The mapping, protection or content of [start, end) is about to change in another way: drops its
 * translations. An mprotect that leaves the code executable need not call this: it calls
 * code_watch_apply(), and the code is dropped only if it is written. */
void code_watch_changed(u64 start, u64 end);

/* The protection that the kernel gets for a guest's range: never PROT_EXEC, and readable where x86
 * makes it readable anyway. */
u32 code_watch_kernel_protection(u32 protection);
/* The same for one page, without PROT_WRITE if it is watched. */
u32 code_watch_protection(u64 page, u32 protection);
/* [start, end) was just mapped, moved there, or given `protection` (as the guest requested), and
 * the kernel has code_watch_kernel_protection() for all of it: protects the watched pages in it.
 * The areas must be up to date. Must be called for every mapping and every change of protection. */
void code_watch_apply(u64 start, u64 end, u32 protection);

/* Makes protected pages in [start, end) writable, or all for 0, ~0. Returns true if there were
 * any. */
bool code_watch_release(u64 start, u64 end);
/* True if any page is protected. */
bool code_watch_protects(void);

/* Protects checked pages again that have not changed for long. Called now and then, in engine
 * context (when a budget of ticks is used up); cheap. */
void code_watch_age(void);

#endif
