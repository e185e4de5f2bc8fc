/* Translating: reads a block of guest code, has its pages watched, finds room for the fragment, and
 * lowers the block into it.
 *
 * Watching a page can fail, which makes its blocks *checked* (code_watch.h). A checked block ends
 * elsewhere than a plain one, so reading and watching are repeated until they agree. Single
 * instructions, for stepping, are translated here too, and kept by address.
 */
#include "engine/translate/translate.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/settings.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/code_sites.h"
#include "engine/translate/fragment.h"
#include "engine/translate/listing.h"
#include "engine/translate/lookup_table.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/cpu.h"
#include "engine/x86_64/lower.h"

enum { SINGLES = 1 << 13 };

/* A translation of one instruction. */
struct single {
    u64 pc;
    u64 version; /* of the areas */
    u32 fragment;
    u32 generation; /* of all fragments */
    u32 length;
    u8 bytes[INSN_MAX];
};

static struct block block; /* static because it is large; only the holder of the baton translates */

static struct {
    u32 next_counter;
    struct single *singles, *bare_singles; /* SINGLES each; NULL: never used */
} translator;

/* `loop` is one fast operation on AMD processors, and seven slow ones on Intel's. */
static bool made_by_amd(void)
{
    u32 a = 0, b, c, d;
    __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d));
    return b == 0x68747541; /* "Auth" */
}

void translate_start(void)
{
    fragments_start();
    lower_start(made_by_amd());
    code_watch_start(translate_drop);
}

static bool has_room(struct code_room *ret)
{
    return (fragments.variant != VARIANT_TALLY || code_cache_has_words()) && code_cache_room(ret);
}

/* Makes room for a fragment, if necessary by dropping all others. */
static struct fragment *translate_make_room(struct code_room *ret)
{
    if (lookup_crowded()) {
        lookup_widen();
        translate_drop_all();
    }
    struct fragment *f = has_room(ret) ? fragment_next(LOWER_LINKS) : NULL;
    if (f)
        return f;
    translate_drop_all();
    bool found = has_room(ret);
    assert(found);
    return fragment_next(LOWER_LINKS);
}

static void translate_keep_copy(struct fragment *f, struct code_room *room)
{
    f->copy_size = (u32)(block.end - f->pc);
    f->copy = (u32)(u64)room->cold;
    memcpy(room->cold, gaddr_pointer(gaddr(f->pc)), f->copy_size);
    room->cold += f->copy_size;
}

/* Guesses how guest code will most often enter the new fragment, which shapes its entries. A wrong
 * guess does no harm. */
static enum lower_entry likely_entry(void)
{
    if (block.single || !settings.link)
        return ENTRY_PLAIN;
    if (cpu->exit_reason == EXIT_LOOKUP)
        return ENTRY_INDIRECT;
    bool counted = cpu->exit_reason == EXIT_LINK && fragments.links[cpu->exit_data].ticked;
    return counted ? ENTRY_COUNTED : ENTRY_PLAIN;
}

static struct fragment *make_fragment(u64 pc)
{
    struct code_room room;
    struct fragment *f = translate_make_room(&room);
    f->pc = pc;
    f->variant = block.variant;
    f->pc_end = block.pc[block.count - 1] + block.insn[block.count - 1].length;
    f->cut_at = block.cut_at;
    f->single = block.single;
    for (u32 n = 0; n < block.page_count; n++)
        f->page[n] = block.page[n];
    translator.next_counter = (translator.next_counter + 1) % settings.counters;
    lower(&block, f, &room, translator.next_counter, likely_entry());
    if (block.checked)
        translate_keep_copy(f, &room);
    code_cache_commit(room);
    fragment_commit(f);
    listing_note(&block, f);
    return f;
}

static bool any_checked(void)
{
    for (u32 n = 0; n < block.page_count; n++)
        if (code_watch_checked(block.page[n] * PAGE_SIZE))
            return true;
    return false;
}

/* Reads the block, and watches its pages. A page that cannot be watched becomes checked, which
 * makes it another block. */
static bool read_watched(u64 pc, u64 *fault)
{
    do {
        if (!block_read(&block, pc, fault))
            return false;
        for (u32 n = 0; n < block.page_count; n++)
            code_watch_add(block.page[n] * PAGE_SIZE, (block.page[n] + 1) * PAGE_SIZE);
    } while (!block.checked && any_checked());
    return true;
}

struct fragment *translate(struct gaddr pc, u64 *fault)
{
    u32 most = fragments.variant & VARIANT_DATA ? BLOCK_CHECKED_INSNS : BLOCK_INSNS;
    block.limit = settings.block < most ? settings.block : most;
    block.single = false;
    block.variant = fragments.variant;
    if (!read_watched(pc.at, fault))
        return NULL;
    struct fragment *f = make_fragment(pc.at);
    fragment_enter(f);
    stats.fragments++;
    stats.instructions += block.count;
    return f;
}

/* --- single instructions ------------------------------------------------------------------
 *
 * They are cached by address. Their code is not watched but compared each time. It is certainly
 * readable as long as the areas are unchanged. */

static struct single *single_slot(struct single **table, u64 pc)
{
    if (!*table)
        *table = pool_map(SINGLES * sizeof(**table), PAGE_SIZE);
    return &(*table)[(pc ^ pc >> 13) % SINGLES];
}

static bool single_holds(const struct single *s, u64 pc)
{
    return s->pc == pc && s->fragment && s->version == areas_versions.any &&
           s->generation == fragments.generation &&
           !memcmp(gaddr_pointer(gaddr(pc)), s->bytes, s->length);
}

static void keep_single(struct single *s, const struct fragment *f, u32 length)
{
    *s = (struct single){
        .pc = f->pc,
        .version = areas_versions.any,
        .fragment = (u32)(f - fragments.all),
        .generation = fragments.generation,
        .length = length,
    };
    memcpy(s->bytes, gaddr_pointer(gaddr(f->pc)), s->length);
}

struct fragment *translate_single(struct gaddr pc, u64 *fault)
{
    struct single *s = single_slot(&translator.singles, pc.at);
    if (single_holds(s, pc.at))
        return &fragments.all[s->fragment];
    block.limit = 1;
    block.single = true;
    block.variant = 0;
    if (!block_read(&block, pc.at, fault))
        return NULL;
    struct fragment *f = make_fragment(pc.at);
    keep_single(s, f, block.insn[0].length);
    return f;
}

struct fragment *translate_bare(struct gaddr pc, const struct insn *i)
{
    struct single *s = single_slot(&translator.bare_singles, pc.at);
    if (single_holds(s, pc.at))
        return &fragments.all[s->fragment];
    struct code_room room;
    struct fragment *f = translate_make_room(&room);
    f->pc = pc.at;
    f->pc_end = pc.at + i->length;
    f->single = f->bare = true;
    lower_bare(i, f, &room);
    code_cache_commit(room);
    fragment_commit(f);
    keep_single(s, f, i->length);
    return f;
}

bool translate_late_check(struct fragment *f)
{
    struct code_room room;
    if (!code_cache_room(&room))
        return false;
    lower_late_check(f, &room);
    code_cache_commit(room);
    return true;
}

bool translate_stale(const struct fragment *f)
{
    return f->copy && memcmp(gaddr_pointer(gaddr(f->pc)), (void *)(u64)f->copy, f->copy_size);
}

void translate_drop(u64 start, u64 end)
{
    fragments_drop(start, end);
}

void translate_drop_all(void)
{
    if (code_sites.tally_drop)
        code_sites.tally_drop();
    fragments_drop_all();
    code_cache_reset();
}
