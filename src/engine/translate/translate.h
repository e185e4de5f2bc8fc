/* Translating: from guest code to a fragment in the cache. */
#ifndef ENGINE_TRANSLATE_H
#define ENGINE_TRANSLATE_H

#include "base/types.h"

struct fragment;
struct insn;

void translate_start(void);

/* A new fragment for the guest code at `pc`.  NULL if its first instruction cannot be fetched:
 * *fault is the address to report.  A full cache is emptied first: fragments.generation tells. */
struct fragment *translate(struct gaddr pc, u64 *fault);

/* The same for a single instruction, in no table, every exit of which comes to the engine;
 * perhaps made before. */
struct fragment *translate_single(struct gaddr pc, u64 *fault);

/* A bare fragment (fragment.h) of the instruction there, `i` being it; perhaps made before. */
struct fragment *translate_bare(struct gaddr pc, const struct insn *i);

/* Gives a fragment the entry for indirect jumps that it was made without; false if there is no
 * room for it. */
bool translate_late_check(struct fragment *f);

/* Was it made of bytes that have changed? (Of fragments on pages that are written too often to
 * be watched.) */
bool translate_stale(const struct fragment *f);

/* Drops every fragment that was made of code in pages of [start, end): links and look-ups to them
 * are gone, and one that is running is left at its next exit.  Needs the baton; may be called from
 * a signal handler that interrupted the cache, or guest_copy. */
void translate_drop(u64 start, u64 end);

/* Drops all of them. */
void translate_drop_all(void);

#endif
