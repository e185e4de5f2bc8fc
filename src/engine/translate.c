/* Translating: reads a block, has its pages watched, finds room for it, lowers it. */
#include "engine/translate.h"

#include "engine/code_cache.h"
#include "engine/code_watch.h"
#include "engine/fragment.h"
#include "engine/layout.h"
#include "engine/listing.h"
#include "engine/settings.h"
#include "engine/stats.h"
#include "engine/text.h"
#include "engine/x86_64/block.h"
#include "engine/x86_64/lower.h"

static struct block block; /* large, and only the baton's holder translates */
static u32 next_counter;

/* `loop` is one quick operation on AMD's processors, and seven slow ones on Intel's. */
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
}

/* Room for a fragment, if need be by dropping all others. */
static struct fragment *make_room(u8 **ret_at)
{
    *ret_at = code_cache_room();
    struct fragment *f = *ret_at ? fragment_next(LOWER_LINKS) : NULL;
    if (f)
        return f;
    translate_drop_all();
    *ret_at = code_cache_room();
    return fragment_next(LOWER_LINKS);
}

static u8 *keep_copy(struct fragment *f, u8 *at)
{
    f->copy_size = (u32)(block.end - f->pc);
    f->copy = (u32)(u64)at;
    memcpy(at, gaddr_pointer(gaddr(f->pc)), f->copy_size);
    return at + f->copy_size;
}

static struct fragment *make_fragment(u64 pc)
{
    u8 *at;
    struct fragment *f = make_room(&at);
    f->pc = pc;
    for (u32 n = 0; n < block.page_count; n++)
        f->page[n] = block.page[n];
    next_counter = (next_counter + 1) % settings.counters;
    at = lower(&block, f, at, next_counter);
    if (block.checked)
        at = keep_copy(f, at);
    f->end = (u32)(u64)at;
    code_cache_commit(at);
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

/* Reads the block, and has its pages watched.  A page that cannot be watched turns out to be checked, which makes it
 * another block. */
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
    block.limit = settings.block < BLOCK_INSNS ? settings.block : BLOCK_INSNS;
    block.single = false;
    if (!read_watched(pc.at, fault))
        return NULL;
    struct fragment *f = make_fragment(pc.at);
    fragment_enter(f);
    stats.fragments++;
    stats.instructions += block.count;
    return f;
}

struct fragment *translate_single(struct gaddr pc, u64 *fault)
{
    block.limit = 1;
    block.single = true;
    if (!block_read(&block, pc.at, fault))
        return NULL;
    return make_fragment(pc.at);
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
    fragments_drop_all();
    code_cache_reset();
}
