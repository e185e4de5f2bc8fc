/* Fragments: what the engine knows of each translated block.
 *
 * A fragment has three entries, one after the other in the cache:
 *
 *   from_table   from an indirect jump: is this the right target? if not, on to the next fragment
 *                of the same look-up slot; if so, give back the registers that the jump borrowed
 *   ticked       a counted transfer: count it
 *   body         the guest's instructions
 *
 * The first may be missing: a fragment that is not known to be the target of an indirect jump gets
 * that entry, elsewhere in the cache, when the first such jump comes.
 *
 * Its exits are links: each begins as a jump to a stub that comes to the engine, and is
 * patched to go straight to its target's fragment when that exists.
 *
 * A bare fragment is a single instruction of which the engine knows that it is plain: it loads only
 * the registers that are used, from struct cpu, where the others stay, and puts back what is
 * written.
 *
 * Variants: the same code may be translated in several ways, side by side, that differ in what they
 * check for data sites (data_watch.h).  Only fragments of the current variant are found; links and
 * look-ups stay within one.
 *
 * Invariants
 *   (1) fragments.all[] is in the order of cache addresses; index 0 is no fragment.
 *   (2) A dropped fragment is in no table, and nothing links to it; its code stays until the cache
 *       is reset, because the thread that dropped it may still be inside.
 */
#ifndef ENGINE_FRAGMENT_H
#define ENGINE_FRAGMENT_H

#include "base/types.h"

enum { FRAGMENT_PAGES = 4 };

enum { /* bits of a variant; 0: plain */
    VARIANT_STORES = 1, /* stores are checked */
    VARIANT_LOADS = 2,
    VARIANT_STACK = 4,  /* also those relative to rsp */
    VARIANT_DATA = VARIANT_STORES | VARIANT_LOADS | VARIANT_STACK,
    VARIANT_POINTS = 8, /* points of the plan are counted (plan_points.h) */
    VARIANT_SUMS = 16,  /* they are counted several at once (plan_sums.h); goes with no other */
    VARIANTS = VARIANT_SUMS + 1,
};

struct fragment {
    u64 pc;
    u64 pc_end;     /* after its last instruction, the highest one */
    u64 cut_at;     /* it would go on there, but for a site of the plan; or 0 */
    u32 start;      /* of its code but for the stubs: the marks count from here */
    u32 from_table; /* 0: not made yet */
    u32 ticked;
    u32 body;
    u32 after_site; /* in the body, if that begins with an exit for the plan; otherwise 0 */
    u32 end;        /* of the body */
    u32 stubs;
    u32 stubs_end;
    u32 chain_at;   /* the rel32 of the jump to the next fragment of the slot */
    u32 count_end;  /* the store of the counter that was loaded into rcx; 0: counted in memory */
    u32 marks;      /* struct mark[] */
    u16 mark_count;
    u16 link_count;
    u32 aheads;     /* struct points_ahead[], of sums */
    u16 ahead_count;
    bool sums_first; /* the point that it begins at is in its sums */
    u32 links;      /* the first of its links */
    u32 incoming;   /* links that are patched to it */
    u32 same_slot;  /* in the look-up table's slot */
    u64 page[FRAGMENT_PAGES]; /* numbers of the guest pages it was made of; 0: none */
    u32 same_page[FRAGMENT_PAGES];
    u32 copy;      /* of a checked fragment: the bytes it was made of; otherwise 0 */
    u32 copy_size;
    u8 visits; /* chaos: how often the engine has seen it, up to CHAOS_VISITS (slice.h) */
    u8 variant;
    bool counts; /* its code counts the point that it begins at */
    bool live;
    bool single; /* one instruction, in no table */
    bool bare;   /* the same, and all registers are in struct cpu */
    bool published;
};

struct link {
    u64 target;
    u32 jump_at;  /* the rel32 to patch */
    u32 stub;     /* where it goes while not linked */
    u32 fragment; /* whose exit it is */
    u32 to;       /* the fragment that it is patched to, or 0 */
    u32 next_incoming;
    bool ticked;
};

/* From `offset` (in the fragment) on, the guest's pc is fragment->pc + pc_delta, advancing byte by
 * byte with the cache, until the next mark; and some registers are elsewhere. */
struct mark {
    u16 offset;
    u8 borrowed; /* MARK_* */
    u8 scratch;  /* the register that is in SLOT_SCRATCH, if MARK_SCRATCH */
    i32 pc_delta;
};

/* From `offset` on, sums of points hold so many more than have been met, until the next of
 * these. */
struct points_ahead {
    u16 offset;
    i16 points;
};

enum {
    MARK_RCX = 1,
    MARK_R11 = 2,
    MARK_SCRATCH = 4,
    MARK_STILL = 8,  /* the pc does not advance: one guest instruction made of several of ours */
    MARK_PUSHED = 16, /* rsp is 8 lower than the guest's */
};

extern struct fragments {
    struct fragment *all;
    struct link *links;
    u32 generation; /* counts the times everything was dropped: a pointer kept across is stale */
    u8 variant;     /* the current one */
} fragments;

/* From now on fragments are of this variant. */
void fragments_use(u8 variant);

struct fragment *fragment_find(u64 pc);
/* It is likely to be looked for: have the table at hand. */
void fragment_find_soon(u64 pc);
/* The fragment whose code holds the cache address, dead ones included; NULL: none. */
struct fragment *fragment_at(u32 address);

/* The new one's code has been written: it can be found by cache address. */
void fragment_commit(struct fragment *f);
/* Enters it into the other tables. */
void fragment_enter(struct fragment *f);
/* Makes the link go straight to `to`. */
void fragment_link(struct link *l, struct fragment *to);
/* Puts it into the look-up table for indirect jumps. */
void fragment_publish(struct fragment *f);

/* Room for another one with so many links; NULL: everything must be dropped first. */
struct fragment *fragment_next(u32 links_wanted);

void fragments_start(void);
void fragments_drop(u64 start, u64 end);
void fragments_drop_all(void);
/* All whose variant has one of these bits. */
void fragments_drop_variants(u8 bits);
/* The plan has got a site at this address, or has lost it: drops those that would be made
 * otherwise now. */
void fragments_drop_with(u64 pc);

#endif
