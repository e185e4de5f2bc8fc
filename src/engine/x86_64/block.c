/* Blocks: see block.h.
 *
 * Besides reading blocks, this file finds which flags are dead at a place: by a short walk over the
 * code that follows, on both sides of every branch, until each flag was read or overwritten. If the
 * walk gets too long, the flag counts as read.
 *
 * Invariant
 *   (1) If a flag is found dead at a place, it is also found dead at every later place before it is
 *       overwritten: a walk from there never has a smaller budget than the rest of the first walk.
 */
#include "engine/x86_64/block.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/translate/code_sites.h"
#include "engine/x86_64/decode_quick.h"
#include "engine/x86_64/emulated.h"
#include "engine/x86_64/sums.h"

enum { WALK_LENGTH = 16, WALK_DEPTH = 3 };

/* --- fetching --------------------------------------------------------------- */

/* The current code range: bytes from `start` to `end` can be fetched. */
struct fetch_range {
    u64 start;
    u64 end;
};

static bool block_look_at(struct fetch_range *w, u64 pc)
{
    if (pc < w->start || pc + INSN_MAX > w->end) {
        u64 available = areas_fetchable(pc, PAGE_SIZE);
        if (!available) {
            w->end = pc;
            return false;
        }
        w->start = pc;
        w->end = pc + available;
    }
    return true;
}

static unsigned read_insn(struct fetch_range *w, u64 pc, struct insn *ret)
{
    if (!block_look_at(w, pc))
        return 0;
    return decode(gaddr_pointer(gaddr(pc)), (unsigned)(w->end - pc), ret);
}

/* The same, decoding only what is needed to copy or follow it. */
static unsigned read_insn_quickly(struct fetch_range *w, u64 pc, struct insn *ret)
{
    if (!block_look_at(w, pc))
        return 0;
    unsigned length = 0;
    if (w->end - pc >= QUICK_READ)
        length = decode_quick(gaddr_pointer(gaddr(pc)), ret);
    return length ? length : read_insn(w, pc, ret);
}

/* --- flags ------------------------------------------------------------------ */

/* Adds the pages of [pc, end) to the block's; false if they would be too many. */
static bool add_pages(struct block *b, u64 pc, u64 end)
{
    for (u64 page = pc / PAGE_SIZE; page <= (end - 1) / PAGE_SIZE; page++) {
        u32 n = 0;
        while (n < b->page_count && b->page[n] != page)
            n++;
        if (n < b->page_count)
            continue;
        if (n == FRAGMENT_PAGES)
            return false;
        b->page[b->page_count++] = page;
    }
    return true;
}

/* Other code that a block depends on must be watched like its own code. */
static bool may_rely_on(struct block *b, u64 pc, u64 end)
{
    return !code_watch_checked(pc & PAGE_MASK) && !code_watch_checked((end - 1) & PAGE_MASK) &&
           add_pages(b, pc, end);
}

struct block_walk {
    struct block *block; /* already decoded; may be NULL */
    struct fetch_range fetched;
    struct insn insn;
};

/* Returns the instruction at pc, from the block if it is its number `index`; NULL if it cannot be
 * fetched. */
static const struct insn *walk_insn(struct block_walk *w, u64 pc, u32 index)
{
    if (w->block && index < w->block->count && w->block->pc[index] == pc) {
        struct insn *i = &w->block->insn[index];
        if (i->partial == INSN_WITHOUT_FLAGS)
            read_insn(&w->fetched, pc, i);
        return i;
    }
    if (!read_insn_quickly(&w->fetched, pc, &w->insn) ||
        (w->insn.partial == INSN_WITHOUT_FLAGS && !read_insn(&w->fetched, pc, &w->insn)))
        return NULL;
    if (w->block && !may_rely_on(w->block, pc, pc + w->insn.length))
        return NULL;
    return &w->insn;
}

/* Returns which of `wanted` may be read from pc on. */
static u16 flags_live(struct block_walk *w, u64 pc, u32 index, u16 wanted, int depth)
{
    u16 live = 0;
    for (int steps = WALK_LENGTH >> (WALK_DEPTH - depth); wanted && steps > 0; steps--, index++) {
        const struct insn *i = walk_insn(w, pc, index);
        if (!i)
            return live | wanted;
        live |= wanted & i->flags_read;
        wanted &= ~(i->flags_read | decode_flags_killed(i));
        u64 next = pc + i->length;
        u64 target = next + i->immediate;
        switch (i->kind) {
        case INSN_PLAIN:
        case INSN_XSTATE:
            pc = next;
            break;
        case INSN_JUMP:
        case INSN_CALL:
            pc = target;
            break;
        case INSN_BRANCH:
        case INSN_COUNTED:
            if (depth == 0)
                return live | wanted;
            live |= flags_live(w, target, ~0u >> 1, wanted & ~live, depth - 1);
            wanted &= ~live;
            pc = next;
            break;
        default:
            return live | wanted;
        }
    }
    return live | wanted;
}

u16 block_flags_dead(struct block *b, u32 index)
{
    if (b->checked)
        return 0;
    struct block_walk w = {.block = b};
    return FLAGS_ARITHMETIC & ~flags_live(&w, b->pc[index], index, FLAGS_ARITHMETIC, WALK_DEPTH);
}

u16 block_flags_dead_at(u64 pc)
{
    struct block_walk w = {0};
    return FLAGS_ARITHMETIC & ~flags_live(&w, pc, 0, FLAGS_ARITHMETIC, WALK_DEPTH);
}

/* Checks that flags which were dead at the previous instruction, and not overwritten by it, are
 * dead here, if both were asked about. */
static bool stays_dead(const struct block *b, u32 n)
{
    const struct insn *before = &b->insn[n - 1];
    bool asked = before->memory && b->insn[n].memory;
    bool follows = before->kind == INSN_PLAIN && b->pc[n] == b->pc[n - 1] + before->length;
    return !asked || !follows || !(b->dead[n - 1] & ~decode_flags_killed(before) & ~b->dead[n]);
}

static void find_dead(struct block *b)
{
    for (u32 n = 0; n < b->count; n++) {
        b->dead[n] = b->insn[n].memory ? block_flags_dead(b, n) : 0;
        invariant(1, n == 0 || stays_dead(b, n));
    }
}

/* --- reading ---------------------------------------------------------------- */

bool block_ends_at(const struct insn *i)
{
    switch (i->kind) {
    case INSN_PLAIN:
    case INSN_PRIVILEGED:
    case INSN_JUMP:
    case INSN_BRANCH:
    case INSN_COUNTED:
        return false;
    case INSN_RDTSC:
    case INSN_RDRAND:
    case INSN_RDPID:
        return emulated_clock(i);
    default:
        return true;
    }
}

static bool on_new_page(const struct block *b, u64 pc, u64 length)
{
    return b->page_count == 0 || b->page[b->page_count - 1] != pc / PAGE_SIZE ||
           pc / PAGE_SIZE != (pc + length - 1) / PAGE_SIZE;
}

/* Code on a page that is checked instead of watched must be in checked blocks. True if this
 * instruction would mix both in one block. */
static bool mixes(struct block *b, u64 pc, u64 end)
{
    if (b->checked)
        return false;
    bool checked = code_watch_checked(pc & PAGE_MASK) || code_watch_checked((end - 1) & PAGE_MASK);
    if (checked && b->count == 0)
        b->checked = true;
    return checked && b->count > 0;
}

static bool loops_back(const struct block *b, const struct insn *i, u64 pc)
{
    return (i->kind == INSN_BRANCH || i->kind == INSN_JUMP) &&
           pc + i->length + (u64)i->immediate == b->pc[0];
}

/* How often a loop of this many instructions and branches is repeated in its block. */
static u32 loop_copies(u32 count, u32 branches)
{
    u32 copies = count <= 4 ? 8 : count <= 8 ? 4 : count <= 20 ? 2 : 1;
    while (copies * branches + 2 > BLOCK_EXITS)
        copies /= 2;
    return copies;
}

static void unroll(struct block *b, u32 branches)
{
    const u16 dec_changes = FLAGS_ARITHMETIC & ~FLAG_CF;
    u32 count = b->count, copies = loop_copies(count, branches);
    b->loop = 0;
    if (b->checked || b->site || b->point ||
        b->limit < (b->variant & VARIANT_DATA ? BLOCK_CHECKED_INSNS : BLOCK_INSNS) || copies < 2 ||
        !loops_back(b, &b->insn[count - 1], b->pc[count - 1]) ||
        (b->flags_dead & dec_changes) != dec_changes)
        return;
    b->loop = count;
    for (; b->count < count * copies; b->count++) {
        b->insn[b->count] = b->insn[b->count - count];
        b->pc[b->count] = b->pc[b->count - count];
        b->dead[b->count] = b->dead[b->count - count];
    }
}

/* Returns where reading continues after `i`: 0, if the block ends. */
static u64 read_on_at(const struct block *b, const struct insn *i, u64 pc, u32 branches)
{
    u64 next = pc + i->length;
    if (block_ends_at(i) || b->count == b->limit)
        return 0;
    if (b->checked && (i->memory & MEMORY_WRITE || i->kind != INSN_PLAIN))
        return 0;
    if (loops_back(b, i, pc))
        return 0;
    if (i->kind == INSN_JUMP)
        return next + i->immediate > pc ? next + i->immediate : 0;
    if (i->kind == INSN_BRANCH || i->kind == INSN_COUNTED)
        return branches < BLOCK_BRANCHES ? next : 0;
    return next;
}

bool block_read(struct block *b, u64 pc, u64 *fault)
{
    struct fetch_range w = {0};
    u32 branches = 0;
    b->count = 0;
    b->page_count = 0;
    b->checked = false;
    b->site = !b->single && code_site_at(pc);
    b->cuts = b->variant & VARIANT_POINTS && b->variant != VARIANT_TALLY;
    b->point = b->cuts ? code_point_at(pc) : NULL;
    b->cut_at = 0;
    b->end = pc;
    *fault = pc;
    while (pc) { /* nothing is mapped at 0 */
        struct insn *i = &b->insn[b->count];
        if (!read_insn_quickly(&w, pc, i)) {
            if (b->count == 0)
                *fault = w.end;
            break;
        }
        if (on_new_page(b, pc, i->length) &&
            (mixes(b, pc, pc + i->length) || !add_pages(b, pc, pc + i->length)))
            break;
        if ((b->checked || b->variant & VARIANT_DATA) && i->partial)
            read_insn(&w, pc, i);
        b->pc[b->count++] = pc;
        branches += i->kind == INSN_BRANCH || i->kind == INSN_COUNTED;
        b->end = pc + i->length;
        pc = read_on_at(b, i, pc, branches);
        if (pc)
            b->end = pc;
        if (pc && code_site_at(pc)) {
            b->cut_at = pc;
            break;
        }
        if (pc && b->cuts && code_point_at(pc))
            break;
    }
    if (!b->count)
        return false;
    b->flags_dead = block_flags_dead(b, 0);
    if (b->variant & VARIANT_DATA)
        find_dead(b);
    unroll(b, branches);
    if (b->variant == VARIANT_SUMS || b->variant == VARIANT_TALLY)
        sums_place(b);
    return true;
}
