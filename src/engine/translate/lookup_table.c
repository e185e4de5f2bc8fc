/* The look-up tables for indirect jumps: see lookup_table.h.
 *
 * The slots of a table are in the code cache's mapping, since translated code names them with 32
 * bits. For each slot there is the number of the fragment to which it leads; from there the
 * fragments of a slot are linked by `same_slot`, and their code by jumps.
 */
#include "engine/translate/lookup_table.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/translate/code_cache.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/doors.h"
#include "engine/x86_64/emit.h"

enum {
    CROWD = 4096, /* as many fragments that share a slot with an earlier one make a table wide */
    LONG_CHAIN = 24, /* and so does one slot with so many */
    FEWEST = LOOKUP_SLOTS / 64, /* but not in a small program */
    TARGET_BITS = 32, /* of which a mask may choose */
    TRIED = 10, /* masks */
    SHARE = 32, /* a bit varies if one in so many targets differs from the others */
};

static struct {
    u32 *by_slot[VARIANTS]; /* LOOKUP_SLOTS each; NULL: never used */
    u32 *by_wide_slot;      /* 1 << LOOKUP_WIDE_MOST */
    u32 bits;               /* of the wide table; 0: the plain table is narrow */
    /* plain fragments in the table, and how many of them are not the first of their slot */
    u32 published, crowded;
    u32 again_at; /* the table is not changed before there are so many */
    bool long_chain;
    bool plain_made; /* the narrow plain table is filled */
    enum { PEXT_UNKNOWN, PEXT_SLOW, PEXT_FAST } pext;
} lookup;

/* --- slots ------------------------------------------------------------------------- */

static u32 lookup_extract(u32 from, u32 mask)
{
    u32 result;
    __asm__("pext %2, %1, %0" : "=r"(result) : "r"(from), "rm"(mask));
    return result;
}

bool lookup_is_wide(u8 variant)
{
    return !variant && lookup.bits;
}

u64 lookup_table(u8 variant)
{
    return (u64)(lookup_is_wide(variant) ? code_cache.wide_table : code_cache.tables[variant]);
}

static u32 lookup_slot_of(u8 variant, u64 pc)
{
    return lookup_is_wide(variant) ? lookup_extract((u32)pc, cpu->lookup_mask)
                                   : pc & (LOOKUP_SLOTS - 1);
}

static u32 *lookup_heads(u8 variant)
{
    return lookup_is_wide(variant) ? lookup.by_wide_slot : lookup.by_slot[variant];
}

static u32 plain_slots(void)
{
    return lookup.bits ? 1u << lookup.bits : LOOKUP_SLOTS;
}

static void lookup_fill(u64 *table, u32 slots)
{
    for (u32 slot = 0; slot < slots; slot++)
        table[slot] = doors.missed;
}

void lookup_start(void)
{
    lookup.by_slot[0] = pool_map(LOOKUP_SLOTS * sizeof(u32), PAGE_SIZE);
    lookup.by_wide_slot = pool_map(sizeof(u32) << LOOKUP_WIDE_MOST, PAGE_SIZE);
}

void lookup_use(u8 variant)
{
    if (lookup.by_slot[variant])
        return;
    lookup.by_slot[variant] = pool_map(LOOKUP_SLOTS * sizeof(u32), PAGE_SIZE);
    lookup_fill(code_cache.tables[variant], LOOKUP_SLOTS);
}

void lookup_prepare(void)
{
    if (!lookup.plain_made && !lookup.bits)
        lookup_fill(code_cache.tables[0], LOOKUP_SLOTS);
    lookup.plain_made = true;
}

static void clear_variant(u8 variant)
{
    if (!lookup.by_slot[variant])
        return;
    u32 slots = variant ? LOOKUP_SLOTS : plain_slots();
    memset(lookup_heads(variant), 0, slots * sizeof(u32));
    lookup_fill((u64 *)lookup_table(variant), slots);
}

static void forget_plain(void)
{
    lookup.published = lookup.crowded = lookup.again_at = 0;
    lookup.long_chain = false;
}

void lookup_clear(bool plain_too)
{
    for (u8 variant = plain_too ? 0 : 1; variant < VARIANTS; variant++)
        clear_variant(variant);
    forget_plain();
}

bool lookup_intact(void)
{
    const u64 *table = (const u64 *)lookup_table(0);
    if (!lookup.plain_made)
        return true;
    for (u32 slot = 0; slot < plain_slots(); slot++)
        if (table[slot] < code_cache.first || table[slot] >= code_cache.end)
            return false;
    return true;
}

/* --- choosing bits ------------------------------------------------------------------ */

/* AMD processors before Zen 3 execute pext bit by bit. */
static bool pext_is_fast(void)
{
    u32 a = 0, b, c, d, most;
    __asm__("cpuid" : "=a"(most), "=b"(b), "=c"(c), "=d"(d) : "a"(a));
    bool amd = b == 0x68747541 || b == 0x6f677948; /* "Auth", "Hygo" */
    if (most < 7)
        return false;
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1));
    u32 family = (a >> 8 & 15) + (a >> 20 & 255);
    __asm__("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(7), "c"(0));
    return (b >> 8 & 1) && (!amd || family >= 0x19);
}

/* Asked only when it matters: cpuid leaves a virtual machine. */
static bool wide_is_possible(void)
{
    if (!lookup.pext)
        lookup.pext = code_cache.wide_table && pext_is_fast() ? PEXT_FAST : PEXT_SLOW;
    return lookup.pext == PEXT_FAST;
}

static bool is_in_plain_table(const struct fragment *f)
{
    return f->live && f->published && !f->variant;
}

/* The bits of targets that vary, from low to high; returns their number. */
static u32 varying_bits(u8 ret[TARGET_BITS])
{
    u32 ones[TARGET_BITS] = {0}, all = 0, count = 0;
    for (u32 n = 1, end = fragments_held().fragments; n < end; n++) {
        const struct fragment *f = &fragments.all[n];
        if (!is_in_plain_table(f))
            continue;
        all++;
        for (u32 bit = 0; bit < TARGET_BITS; bit++)
            ones[bit] += (u32)f->pc >> bit & 1;
    }
    for (u8 bit = 0; bit < TARGET_BITS; bit++)
        if (ones[bit] > all / SHARE && all - ones[bit] > all / SHARE)
            ret[count++] = bit;
    return count;
}

/* How many targets would have a slot of their own; `seen` has a bit for each slot. */
static u32 slots_used(u32 mask, u8 *seen, u32 bits)
{
    u32 used = 0;
    memset(seen, 0, (1u << bits) / 8);
    for (u32 n = 1, end = fragments_held().fragments; n < end; n++) {
        if (!is_in_plain_table(&fragments.all[n]))
            continue;
        u32 slot = lookup_extract((u32)fragments.all[n].pc, mask);
        used += !(seen[slot / 8] >> slot % 8 & 1);
        seen[slot / 8] |= (u8)(1 << slot % 8);
    }
    return used;
}

/* The bits of the varying ones from number `first` on; if they are too few, others too: targets to
 * come may differ there. */
static u32 lookup_window(const u8 *varies, u32 count, u32 first, u32 bits)
{
    u32 mask = 0, have = 0;
    for (u32 n = first; n < count && have < bits; n++, have++)
        mask |= 1u << varies[n];
    for (u32 bit = 0; have < bits; bit++) {
        have += !(mask >> bit & 1);
        mask |= 1u << bit;
    }
    return mask;
}

/* Tries windows over the bits that vary. */
static u32 choose_mask(u32 bits)
{
    u8 varies[TARGET_BITS];
    u32 count = varying_bits(varies), best = 0, best_used = 0;
    u64 room = page_up((1u << bits) / 8);
    u8 *seen = pool_map(room, PAGE_SIZE);
    for (u32 first = 0; first < TRIED && (!first || first + bits <= count); first++) {
        u32 mask = lookup_window(varies, count, first, bits);
        u32 used = slots_used(mask, seen, bits);
        if (first && used <= best_used)
            continue;
        best = mask;
        best_used = used;
    }
    pool_unmap(seen, room);
    return best;
}

/* --- fragments in a table --------------------------------------------------------- */

static void lookup_put_first(struct fragment *f, u32 *head, u64 *slot)
{
    f->same_slot = *head;
    emit_aim(f->chain_at, *head ? fragments.all[*head].from_table : doors.missed);
    *head = (u32)(f - fragments.all);
    *slot = f->from_table;
}

static bool lookup_chain_is_long(const struct fragment *f)
{
    u32 n = f->same_slot, length = 1;
    while (n && length < LONG_CHAIN) {
        n = fragments.all[n].same_slot;
        length++;
    }
    return length == LONG_CHAIN;
}

static void lookup_put(struct fragment *f)
{
    u32 slot = lookup_slot_of(f->variant, f->pc);
    lookup_put_first(f, &lookup_heads(f->variant)[slot], &((u64 *)lookup_table(f->variant))[slot]);
    if (f->variant)
        return;
    lookup.published++;
    lookup.crowded += f->same_slot != 0;
    if (f->same_slot && !lookup.long_chain)
        lookup.long_chain = lookup_chain_is_long(f);
}

/* Puts everything into a table of so many bits, by other bits of the targets. */
static void lookup_rebuild(u32 bits)
{
    u32 published = lookup.published;
    cpu->lookup_mask = choose_mask(bits);
    lookup.bits = bits;
    stats.lookup_slots = plain_slots();
    clear_variant(0);
    forget_plain();
    for (u32 n = 1, end = fragments_held().fragments; n < end; n++)
        if (is_in_plain_table(&fragments.all[n]))
            lookup_put(&fragments.all[n]);
    invariant(1, lookup.published == published);
    lookup.long_chain = false;
    lookup.again_at = 2 * published;
}

static bool is_crowded(u32 most)
{
    return lookup.crowded > most || lookup.long_chain;
}

void lookup_add(struct fragment *f)
{
    lookup_put(f);
    if (!lookup_is_wide(f->variant) || !is_crowded(plain_slots() / 4))
        return;
    if (lookup.bits < LOOKUP_WIDE_MOST)
        lookup_rebuild(lookup.bits + 1);
    else if (lookup.published >= lookup.again_at)
        lookup_rebuild(lookup.bits);
}

void lookup_remove(struct fragment *f)
{
    u32 slot = lookup_slot_of(f->variant, f->pc), *head = &lookup_heads(f->variant)[slot];
    struct fragment *before = NULL;
    for (u32 n = *head; &fragments.all[n] != f; n = before->same_slot) {
        invariant(1, n);
        before = &fragments.all[n];
    }
    if (!f->variant) {
        lookup.published--;
        lookup.crowded -= before || f->same_slot;
    }
    u32 onward = f->same_slot ? fragments.all[f->same_slot].from_table : doors.missed;
    if (before) {
        before->same_slot = f->same_slot;
        emit_aim(before->chain_at, onward);
    } else {
        *head = f->same_slot;
        ((u64 *)lookup_table(f->variant))[slot] = onward;
    }
}

bool lookup_crowded(void)
{
    return !lookup.bits && lookup.published > FEWEST && is_crowded(CROWD) && wide_is_possible();
}

/* The wide table is empty until everything was dropped. */
void lookup_widen(void)
{
    cpu->lookup_mask = choose_mask(LOOKUP_WIDE_FIRST);
    lookup.bits = LOOKUP_WIDE_FIRST;
    stats.lookup_slots = plain_slots();
}

/* --- keeping ------------------------------------------------------------------------ */

struct lookup_held lookup_held(void)
{
    return (struct lookup_held){
        .bits = lookup.bits,
        .mask = lookup.bits ? cpu->lookup_mask : 0,
        .published = lookup.published,
        .crowded = lookup.crowded,
    };
}

void lookup_parts(const struct lookup_held *held, struct kept_part parts[LOOKUP_PARTS])
{
    u64 slots = held->bits ? 1u << held->bits : LOOKUP_SLOTS;
    u64 table = (u64)(held->bits ? code_cache.wide_table : code_cache.tables[0]);
    u64 heads = (u64)(held->bits ? lookup.by_wide_slot : lookup.by_slot[0]);
    parts[0] = (struct kept_part){table, slots * sizeof(u64)};
    parts[1] = (struct kept_part){heads, slots * sizeof(u32)};
}

bool lookup_fits(const struct lookup_held *held)
{
    return !held->bits || (held->bits >= LOOKUP_WIDE_FIRST && held->bits <= LOOKUP_WIDE_MOST &&
                           wide_is_possible());
}

void lookup_resume(const struct lookup_held *held)
{
    lookup.bits = held->bits;
    stats.lookup_slots = plain_slots();
    lookup.published = held->published;
    lookup.crowded = held->crowded;
    lookup.plain_made = true;
    cpu->lookup_mask = held->mask;
}
