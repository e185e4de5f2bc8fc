/* Translating: from guest code to a fragment in the cache. */
#ifndef ENGINE_TRANSLATE_H
#define ENGINE_TRANSLATE_H

#include "base/types.h"

struct fragment;
struct insn;

void translate_start(void);

/* Makes a new fragment for the guest code at `pc`. NULL if its first instruction cannot be fetched:
 * *fault is the address to report. A full cache is emptied first, which changes
 * fragments.generation. */
struct fragment *translate(struct gaddr pc, u64 *fault);

/* The same for a single instruction, in no table, all of whose exits enter the engine; may be
 * cached. */
struct fragment *translate_single(struct gaddr pc, u64 *fault);

/* Returns a bare fragment (fragment.h) of the instruction `i` there; may be cached. */
struct fragment *translate_bare(struct gaddr pc, const struct insn *i);

/* Adds the entry for indirect jumps to a fragment that was made without; false if there is no
 * room. */
bool translate_late_check(struct fragment *f);

/* True if it was made from bytes that have changed. (For fragments on pages that are written too
 * often to be watched.) */
bool translate_stale(const struct fragment *f);

/* Drops every fragment that was made from code in pages of [start, end): links and look-ups to them
 * are removed, and one that is running is left at its next exit. Needs the baton; may be called
 * from a signal handler that interrupted the cache, or guest_copy. */
void translate_drop(u64 start, u64 end);

/* Drops all of them. */
void translate_drop_all(void);

#endif
