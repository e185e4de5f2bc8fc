/* The tables of fragments: by pc, by guest page, by look-up slot, and the links among them.
 *
 * A fragment is committed (its code is in the cache), entered (it can be found by pc), linked
 * (jumps of other fragments go straight to it), published in the look-up table for indirect jumps,
 * and at last dropped. Dropping undoes each of these; the code itself stays until the cache is
 * reset. See fragment.h for the invariants.
 */
#include "engine/translate/fragment.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/lookup_table.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/emit.h"

enum {
    MOST_FRAGMENTS = 1 << 20,
    MOST_LINKS = 1 << 22,
    PC_HEADS = 1 << 17,
    PAGE_HEADS = 1 << 14,
};

struct fragments fragments;

/* The part of a fragment that a search by pc needs. */
struct fragment_key {
    u32 pc; /* its low half */
    u32 next; /* next with the same hash */
};

static struct {
    u32 count; /* number of fragments; 0 is no fragment */
    u32 link_count;
    u32 *by_pc;                /* PC_HEADS */
    struct fragment_key *keys; /* of all fragments, in a separate array to be close together */
    u32 *by_page;              /* PAGE_HEADS */
} tables;

void fragments_start(void)
{
    fragments.all = pool_map(MOST_FRAGMENTS * sizeof(*fragments.all), PAGE_SIZE);
    fragments.links = pool_map(MOST_LINKS * sizeof(*fragments.links), PAGE_SIZE);
    pool_enlarge_pages((u64)fragments.all, (u64)(fragments.all + MOST_FRAGMENTS));
    pool_enlarge_pages((u64)fragments.links, (u64)(fragments.links + MOST_LINKS));
    tables.keys = pool_map(MOST_FRAGMENTS * sizeof(*tables.keys), PAGE_SIZE);
    tables.by_pc = pool_map(PC_HEADS * sizeof(u32), PAGE_SIZE);
    tables.by_page = pool_map(PAGE_HEADS * sizeof(u32), PAGE_SIZE);
    lookup_start();
    tables.count = 1;
    tables.link_count = 1;
}

static u32 *pc_head(u64 pc)
{
    return &tables.by_pc[(pc ^ pc >> 17) % PC_HEADS];
}

static u32 *page_head(u64 page)
{
    return &tables.by_page[(page ^ page >> 14) % PAGE_HEADS];
}

static u32 fragment_index_of(const struct fragment *f)
{
    return (u32)(f - fragments.all);
}

static struct fragment *find_variant(u64 pc, u8 variant)
{
    for (u32 n = *pc_head(pc); n; n = tables.keys[n].next)
        if (tables.keys[n].pc == (u32)pc && fragments.all[n].pc == pc &&
            fragments.all[n].variant == variant) {
            invariant(2, fragments.all[n].live);
            return &fragments.all[n];
        }
    return NULL;
}

struct fragment *fragment_find(u64 pc)
{
    return find_variant(pc, fragments.variant);
}

void fragments_use(u8 variant)
{
    fragments.variant = variant;
    lookup_use(variant);
}

void fragment_find_soon(u64 pc)
{
    __builtin_prefetch(pc_head(pc));
}

/* Binary search: fragments are in the order of their addresses. */
struct fragment *fragment_at(u32 address)
{
    u32 low = 1, high = tables.count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (fragments.all[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < tables.count && fragments.all[low].start <= address ? &fragments.all[low] : NULL;
}

struct fragment *fragment_next(u32 links_wanted)
{
    if (tables.count == MOST_FRAGMENTS || tables.link_count + links_wanted > MOST_LINKS)
        return NULL;
    struct fragment *f = &fragments.all[tables.count];
    memset(f, 0, sizeof(*f));
    f->links = tables.link_count;
    return f;
}

/* Its code is in the cache: it can be found by address only. */
void fragment_commit(struct fragment *f)
{
    invariant(1, f == &fragments.all[tables.count] && f->start <= f->end);
    invariant(1, tables.count == 1 || f[-1].end <= f->start);
    tables.count++;
    tables.link_count += f->link_count;
}

/* Pages of one fragment that share a list are in it once. */
static bool lists_page(const struct fragment *f, u32 n)
{
    for (u32 before = 0; before < n; before++)
        if (page_head(f->page[before]) == page_head(f->page[n]))
            return false;
    return true;
}

void fragment_enter(struct fragment *f)
{
    u32 index = fragment_index_of(f);
    u32 *head = pc_head(f->pc);
    tables.keys[index] = (struct fragment_key){(u32)f->pc, *head};
    *head = index;
    for (u32 n = 0; n < FRAGMENT_PAGES && f->page[n]; n++) {
        if (!lists_page(f, n))
            continue;
        head = page_head(f->page[n]);
        f->same_page[n] = *head;
        *head = index;
    }
    f->live = true;
}

/* --- links -------------------------------------------------------------------- */

void fragment_link(struct link *l, struct fragment *to)
{
    invariant(2, to->live && fragments.all[l->fragment].live && !l->to);
    l->to = fragment_index_of(to);
    l->next_incoming = to->incoming;
    to->incoming = (u32)(l - fragments.links);
    emit_aim(l->jump_at, l->ticked ? to->ticked : to->body);
}

static void unlink_incoming(struct fragment *f)
{
    u32 next;
    for (u32 n = f->incoming; n; n = next) {
        next = fragments.links[n].next_incoming;
        emit_aim(fragments.links[n].jump_at, fragments.links[n].stub);
        fragments.links[n].to = 0;
    }
    f->incoming = 0;
}

static void unlink_outgoing(struct fragment *f)
{
    for (u32 n = f->links; n < f->links + f->link_count; n++) {
        if (!fragments.links[n].to)
            continue;
        u32 *at = &fragments.all[fragments.links[n].to].incoming;
        while (*at != n)
            at = &fragments.links[*at].next_incoming;
        *at = fragments.links[n].next_incoming;
        emit_aim(fragments.links[n].jump_at, fragments.links[n].stub);
        fragments.links[n].to = 0;
    }
}

/* --- the look-up table ----------------------------------------------------------- */

void fragment_publish(struct fragment *f)
{
    if (f->published || (!f->from_table && !translate_late_check(f)))
        return;
    f->published = true;
    lookup_add(f);
}

static void withdraw(struct fragment *f)
{
    if (!f->published)
        return;
    f->published = false;
    lookup_remove(f);
}

/* --- dropping ---------------------------------------------------------------------- */

static void remove_by_pc(struct fragment *f)
{
    u32 *at = pc_head(f->pc);
    while (*at != fragment_index_of(f))
        at = &tables.keys[*at].next;
    *at = tables.keys[fragment_index_of(f)].next;
}

static u32 page_number(const struct fragment *f, u64 page)
{
    u32 n = 0;
    while (n < FRAGMENT_PAGES && f->page[n] != page)
        n++;
    return n;
}

/* Returns the next in the page's list, which also has fragments of other pages with the same
 * hash. */
static u32 *next_in_list(struct fragment *f, const u32 *head)
{
    for (u32 n = 0; n < FRAGMENT_PAGES && f->page[n]; n++)
        if (page_head(f->page[n]) == head)
            return &f->same_page[n];
    assert(!"a fragment in a list that is not of its pages");
    return NULL;
}

static void remove_by_page(struct fragment *f)
{
    for (u32 n = 0; n < FRAGMENT_PAGES && f->page[n]; n++) {
        if (!lists_page(f, n))
            continue;
        u32 *head = page_head(f->page[n]);
        u32 *at = head;
        while (*at != fragment_index_of(f))
            at = next_in_list(&fragments.all[*at], head);
        *at = f->same_page[n];
    }
}

static void fragment_drop(struct fragment *f)
{
    unlink_incoming(f);
    unlink_outgoing(f);
    withdraw(f);
    remove_by_pc(f);
    remove_by_page(f);
    f->live = false;
    invariant(2, !f->incoming && !f->published);
}

static void drop_page(u64 page)
{
    u32 *head = page_head(page);
    u32 n = *head;
    while (n) {
        struct fragment *f = &fragments.all[n];
        n = *next_in_list(f, head);
        if (page_number(f, page) < FRAGMENT_PAGES)
            fragment_drop(f);
    }
}

static bool touches(const struct fragment *f, u64 first, u64 last)
{
    for (u32 n = 0; n < FRAGMENT_PAGES && f->page[n]; n++)
        if (f->page[n] >= first && f->page[n] <= last)
            return true;
    return false;
}

void fragments_drop(u64 start, u64 end)
{
    u64 first = start / PAGE_SIZE, last = (end - 1) / PAGE_SIZE;
    if (last - first < 256) {
        for (u64 page = first; page <= last; page++)
            drop_page(page);
        return;
    }
    for (u32 n = 1; n < tables.count; n++)
        if (fragments.all[n].live && touches(&fragments.all[n], first, last))
            fragment_drop(&fragments.all[n]);
}

/* Drops fragments that end before a site and continue there. */
static void drop_cut_at(struct fragment *site)
{
    u32 n = site->incoming;
    while (n) {
        struct fragment *from = &fragments.all[fragments.links[n].fragment];
        n = fragments.links[n].next_incoming;
        if (from->cut_at != site->pc || from == site)
            continue;
        fragment_drop(from);
        n = site->incoming; /* the list has changed */
    }
}

void fragments_drop_with(u64 pc)
{
    for (u8 variant = 0; variant < VARIANTS; variant++) {
        struct fragment *site = find_variant(pc, variant);
        if (site)
            drop_cut_at(site);
    }
    u32 *head = page_head(pc / PAGE_SIZE);
    u32 n = *head;
    while (n) {
        struct fragment *f = &fragments.all[n];
        n = *next_in_list(f, head);
        if ((f->pc <= pc && pc < f->pc_end) || f->cut_at == pc)
            fragment_drop(f);
    }
}

static bool made_from(const struct fragment *f, bool (*keeps)(u64 page))
{
    for (u32 n = 0; n < FRAGMENT_PAGES && f->page[n]; n++)
        if (!keeps(f->page[n]))
            return false;
    return true;
}

void fragments_drop_unless(bool (*keeps)(u64 page))
{
    for (u32 n = 1; n < tables.count; n++) {
        struct fragment *f = &fragments.all[n];
        if (f->live && (f->variant || f->copy || !made_from(f, keeps)))
            fragment_drop(f);
    }
}

void fragments_drop_variants(u8 bits)
{
    for (u32 n = 1; n < tables.count; n++)
        if (fragments.all[n].live && fragments.all[n].variant & bits)
            fragment_drop(&fragments.all[n]);
}

static void forget_all(bool plain_too)
{
    lookup_clear(plain_too);
    tables.count = 1;
    tables.link_count = 1;
    fragments.generation++;
}

void fragments_leave_all(void)
{
    forget_all(false);
}

void fragments_drop_all(void)
{
    forget_all(true);
    memset(tables.by_pc, 0, PC_HEADS * sizeof(u32));
    memset(tables.by_page, 0, PAGE_HEADS * sizeof(u32));
    stats.flushes++;
}

/* --- keeping -------------------------------------------------------------------- */

struct fragments_held fragments_held(void)
{
    return (struct fragments_held){tables.count, tables.link_count};
}

void fragments_parts(struct kept_part parts[FRAGMENTS_PARTS])
{
    const struct kept_part all[FRAGMENTS_PARTS] = {
        {(u64)fragments.all, tables.count * sizeof(*fragments.all)},
        {(u64)fragments.links, tables.link_count * sizeof(*fragments.links)},
        {(u64)tables.keys, tables.count * sizeof(*tables.keys)},
        {(u64)tables.by_pc, PC_HEADS * sizeof(u32)},
        {(u64)tables.by_page, PAGE_HEADS * sizeof(u32)},
    };
    memcpy(parts, all, sizeof(all));
}

void fragments_resume(const struct fragments_held *held)
{
    tables.count = held->fragments;
    tables.link_count = held->links;
}
