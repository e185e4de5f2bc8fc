/* Fragments: the engine's data about each translated block.
 *
 * A fragment has three entries, one after the other in the cache:
 *
 *   from_table   from an indirect jump: checks that this is the right target; if not, goes to the
 *                next fragment of the same look-up slot; if so, restores the registers that the
 *                jump borrowed
 *   ticked       a counted transfer: count it
 *   body         the guest's instructions
 *
 * The first may be missing: a fragment that was not known to be the target of an indirect jump gets
 * this entry, elsewhere in the cache, when the first such jump comes.
 *
 * Its exits are links: each begins as a jump to a stub that enters the engine, and is patched to
 * jump directly to its target's fragment when that exists.
 *
 * A bare fragment is a single plain instruction: it loads only the registers that it uses from
 * struct cpu, where the others stay, and stores those that it writes.
 *
 * Variants: the same code may be translated in several ways, side by side, that differ in what they
 * check for data sites (data_watch.h). Only fragments of the current variant are found; links and
 * look-ups stay within one variant.
 *
 * Invariants
 *   (1) fragments.all[] is in the order of cache addresses; index 0 is no fragment.
 *   (2) A dropped fragment is in no table, and nothing links to it; its code stays until the cache
 *       is reset, because the thread that dropped it may still be inside.
 */
#ifndef ENGINE_FRAGMENT_H
#define ENGINE_FRAGMENT_H

#include "base/types.h"
#include "engine/translate/kept_part.h"

enum { FRAGMENT_PAGES = 4 };

enum { /* bits of a variant; 0: plain */
    VARIANT_STORES = 1, /* stores are checked */
    VARIANT_LOADS = 2,
    VARIANT_STACK = 4,  /* also those relative to rsp */
    VARIANT_DATA = VARIANT_STORES | VARIANT_LOADS | VARIANT_STACK,
    VARIANT_POINTS = 8, /* points of the plan are counted (plan_points.h) */
    /* points are counted several at once (plan_sums.h); not combined with others */
    VARIANT_SUMS = 16,
    /* every instruction is counted (plan_tally.h); not combined with others */
    VARIANT_TALLY = VARIANT_SUMS | VARIANT_POINTS,
    VARIANTS = VARIANT_TALLY + 1,
};

struct fragment {
    u64 pc;
    u64 pc_end;     /* end of its last instruction, the highest one */
    u64 cut_at;     /* the address of the plan's site before which it ends; or 0 */
    u32 start;      /* start of its code without the stubs: marks are relative to it */
    u32 from_table; /* 0: not made yet */
    u32 ticked;
    u32 body;
    u32 after_site; /* in the body, if that begins with an exit for the plan; otherwise 0 */
    u32 end;        /* of the body */
    u32 stubs;
    u32 stubs_end;
    u32 chain_at;   /* address of the rel32 of the jump to the next fragment of the slot */
    u32 count_end;  /* the store of the counter that was loaded into rcx; 0: counted in memory */
    u32 marks;      /* struct mark[] */
    u16 mark_count;
    u16 link_count;
    u32 aheads;     /* struct points_ahead[], of sums */
    u16 ahead_count;
    bool sums_first; /* the point at its beginning is included in its sums */
    u32 links;      /* the first of its links */
    u32 incoming;   /* links that are patched to it */
    u32 same_slot;  /* in the look-up table's slot */
    u64 page[FRAGMENT_PAGES]; /* numbers of the guest pages from which it was made; 0: none */
    u32 same_page[FRAGMENT_PAGES];
    u32 copy;      /* for a checked fragment: the bytes from which it was made; otherwise 0 */
    u32 copy_size;
    u8 visits; /* chaos: how many times the engine has seen it, up to CHAOS_VISITS (slice.h) */
    u8 variant;
    bool counts; /* its code counts the point at its beginning */
    bool live;
    bool single; /* one instruction, in no table */
    bool bare;   /* the same, and all registers are in struct cpu */
    bool published;
};

struct link {
    u64 target;
    u32 jump_at;  /* address of the rel32 to patch */
    u32 stub;     /* its target while not linked */
    u32 fragment; /* the fragment that it leaves */
    u32 to;       /* the fragment to which it is patched, or 0 */
    u32 next_incoming;
    bool ticked;
};

/* From `offset` (in the fragment) on, the guest's pc is fragment->pc + pc_delta, advancing byte by
 * byte with the cache address, until the next mark; and some registers are elsewhere. */
struct mark {
    u16 offset;
    u8 borrowed; /* MARK_* */
    u8 scratch;  /* the register that is in SLOT_SCRATCH, if MARK_SCRATCH */
    i32 pc_delta;
};

/* From `offset` on, sums of points include this many more than were met, until the next entry. */
struct points_ahead {
    u16 offset;
    i16 points;
};

enum {
    MARK_RCX = 1,
    MARK_R11 = 2,
    MARK_SCRATCH = 4,
    MARK_STILL = 8,  /* the pc does not advance: several instructions for one of the guest */
    MARK_PUSHED = 16, /* rsp is 8 lower than the guest's */
};

extern struct fragments {
    struct fragment *all;
    struct link *links;
    /* counts how often everything was dropped: a pointer kept from before is stale */
    u32 generation;
    u8 variant;     /* the current one */
} fragments;

/* Changes the current variant. */
void fragments_use(u8 variant);

struct fragment *fragment_find(u64 pc);
/* Prefetches the table entry of a pc that will probably be looked up. */
void fragment_find_soon(u64 pc);
/* Returns the fragment whose code contains the cache address, including dropped ones; NULL:
 * none. */
struct fragment *fragment_at(u32 address);

/* The code of the new fragment was written: it can be found by cache address. */
void fragment_commit(struct fragment *f);
/* Adds it to the other tables. */
void fragment_enter(struct fragment *f);
/* Makes the link jump directly to `to`. */
void fragment_link(struct link *l, struct fragment *to);
/* Puts it into the look-up table for indirect jumps. */
void fragment_publish(struct fragment *f);

/* Returns room for another one with this many links; NULL: everything must be dropped first. */
struct fragment *fragment_next(u32 links_wanted);

void fragments_start(void);
void fragments_drop(u64 start, u64 end);
void fragments_drop_all(void);
/* Drops all whose variant has one of these bits. */
void fragments_drop_variants(u8 bits);
/* Drops all that were not made from such pages alone, or are not plain. */
void fragments_drop_unless(bool (*keeps)(u64 page));
/* The plan has gained or lost a site at this address: drops fragments that would be made
 * differently now. */
void fragments_drop_with(u64 pc);

/* The tables as they lie in memory, to be kept in a file (kept.h). They are all of a process's
 * fragments but the code itself, if only plain ones exist. */
enum { FRAGMENTS_PARTS = 5 };
struct fragments_held {
    u32 fragments, links; /* both with the first, unused one */
};
struct fragments_held fragments_held(void);
void fragments_parts(struct kept_part parts[FRAGMENTS_PARTS]);
/* Drops all, and leaves the tables of plain ones as they are: they will be replaced. */
void fragments_leave_all(void);
/* They were replaced by what was kept. */
void fragments_resume(const struct fragments_held *held);

#endif
