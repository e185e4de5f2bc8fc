/* The tables of fragments: by pc, by guest page, by look-up slot, and the links among them. */
#include "engine/translate/fragment.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/stats.h"
#include "engine/base/text.h"
#include "engine/translate/code_cache.h"
#include "engine/translate/lookup.h"
#include "engine/translate/translate.h"
#include "engine/x86_64/doors.h"
#include "engine/x86_64/emit.h"

enum {
    MOST_FRAGMENTS = 1 << 20,
    MOST_LINKS = 1 << 22,
    PC_HEADS = 1 << 17,
    PAGE_HEADS = 1 << 14,
};

struct fragment *fragments;
struct link *links;
u32 fragments_generation;
u8 fragment_variant;

/* What finding by pc needs of a fragment. */
struct fragment_key {
    u32 pc; /* its low half */
    u32 next; /* in the list of the same hash */
};

static u32 fragment_count; /* 0 is no fragment */
static u32 link_count;
static u32 *by_pc;   /* PC_HEADS */
static struct fragment_key *keys; /* of all fragments, apart from them to be close together */
static u32 *by_page; /* PAGE_HEADS */
static u32 *by_slot[VARIANTS]; /* LOOKUP_SLOTS each; NULL: never used */

void fragments_start(void)
{
    fragments = pool_map(MOST_FRAGMENTS * sizeof(*fragments), PAGE_SIZE);
    links = pool_map(MOST_LINKS * sizeof(*links), PAGE_SIZE);
    pool_enlarge_pages((u64)fragments, (u64)(fragments + MOST_FRAGMENTS));
    pool_enlarge_pages((u64)links, (u64)(links + MOST_LINKS));
    keys = pool_map(MOST_FRAGMENTS * sizeof(*keys), PAGE_SIZE);
    by_pc = pool_map(PC_HEADS * sizeof(u32), PAGE_SIZE);
    by_page = pool_map(PAGE_HEADS * sizeof(u32), PAGE_SIZE);
    by_slot[0] = pool_map(LOOKUP_SLOTS * sizeof(u32), PAGE_SIZE);
    fragment_count = 1;
    link_count = 1;
}

static u32 *pc_head(u64 pc)
{
    return &by_pc[(pc ^ pc >> 17) % PC_HEADS];
}

static u32 *page_head(u64 page)
{
    return &by_page[(page ^ page >> 14) % PAGE_HEADS];
}

static u32 fragment_index_of(const struct fragment *f)
{
    return (u32)(f - fragments);
}

static struct fragment *find_variant(u64 pc, u8 variant)
{
    for (u32 n = *pc_head(pc); n; n = keys[n].next)
        if (keys[n].pc == (u32)pc && fragments[n].pc == pc && fragments[n].variant == variant)
            return &fragments[n];
    return NULL;
}

struct fragment *fragment_find(u64 pc)
{
    return find_variant(pc, fragment_variant);
}

void fragments_use(u8 variant)
{
    fragment_variant = variant;
    if (by_slot[variant])
        return;
    by_slot[variant] = pool_map(LOOKUP_SLOTS * sizeof(u32), PAGE_SIZE);
    lookup_clear(variant);
}

void fragment_find_soon(u64 pc)
{
    __builtin_prefetch(pc_head(pc));
}

/* By halving: fragments are in the order of their addresses. */
struct fragment *fragment_at(u32 address)
{
    u32 low = 1, high = fragment_count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (fragments[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < fragment_count && fragments[low].start <= address ? &fragments[low] : NULL;
}

struct fragment *fragment_next(u32 links_wanted)
{
    if (fragment_count == MOST_FRAGMENTS || link_count + links_wanted > MOST_LINKS)
        return NULL;
    struct fragment *f = &fragments[fragment_count];
    memset(f, 0, sizeof(*f));
    f->links = link_count;
    return f;
}

/* Its code is in the cache: it can be found by address, if by nothing else. */
void fragment_commit(struct fragment *f)
{
    assert(f == &fragments[fragment_count]);
    fragment_count++;
    link_count += f->link_count;
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
    keys[index] = (struct fragment_key){(u32)f->pc, *head};
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
    l->to = fragment_index_of(to);
    l->next_incoming = to->incoming;
    to->incoming = (u32)(l - links);
    emit_aim(l->jump_at, l->ticked ? to->ticked : to->body);
}

static void unlink_incoming(struct fragment *f)
{
    u32 next;
    for (u32 n = f->incoming; n; n = next) {
        next = links[n].next_incoming;
        emit_aim(links[n].jump_at, links[n].stub);
        links[n].to = 0;
    }
    f->incoming = 0;
}

static void unlink_outgoing(struct fragment *f)
{
    for (u32 n = f->links; n < f->links + f->link_count; n++) {
        if (!links[n].to)
            continue;
        u32 *at = &fragments[links[n].to].incoming;
        while (*at != n)
            at = &links[*at].next_incoming;
        *at = links[n].next_incoming;
        emit_aim(links[n].jump_at, links[n].stub);
        links[n].to = 0;
    }
}

/* --- the look-up table ----------------------------------------------------------- */

void fragment_publish(struct fragment *f)
{
    if (f->published || (!f->from_table && !translate_late_check(f)))
        return;
    u32 slot = lookup_slot(f->pc);
    u32 first = by_slot[f->variant][slot];
    f->published = true;
    if (first)
        emit_aim(f->chain_at, fragments[first].from_table);
    f->same_slot = first;
    by_slot[f->variant][slot] = fragment_index_of(f);
    lookup_tables[f->variant][slot] = f->from_table;
}

static void withdraw(struct fragment *f)
{
    if (!f->published)
        return;
    u32 slot = lookup_slot(f->pc);
    struct fragment *before = NULL;
    for (u32 n = by_slot[f->variant][slot]; &fragments[n] != f; n = before->same_slot)
        before = &fragments[n];
    f->published = false;
    u32 onward = f->same_slot ? fragments[f->same_slot].from_table : doors.missed;
    if (before) {
        before->same_slot = f->same_slot;
        emit_aim(before->chain_at, onward);
    } else {
        by_slot[f->variant][slot] = f->same_slot;
        lookup_tables[f->variant][slot] = onward;
    }
}

/* --- dropping ---------------------------------------------------------------------- */

static void remove_by_pc(struct fragment *f)
{
    u32 *at = pc_head(f->pc);
    while (*at != fragment_index_of(f))
        at = &keys[*at].next;
    *at = keys[fragment_index_of(f)].next;
}

static u32 page_number(const struct fragment *f, u64 page)
{
    u32 n = 0;
    while (n < FRAGMENT_PAGES && f->page[n] != page)
        n++;
    return n;
}

/* The next in the page's list, which holds fragments of other pages with the same hash, too. */
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
            at = next_in_list(&fragments[*at], head);
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
}

static void drop_page(u64 page)
{
    u32 *head = page_head(page);
    u32 n = *head;
    while (n) {
        struct fragment *f = &fragments[n];
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
    for (u32 n = 1; n < fragment_count; n++)
        if (fragments[n].live && touches(&fragments[n], first, last))
            fragment_drop(&fragments[n]);
}

/* Those that end in front of a site, and go on there. */
static void drop_cut_at(struct fragment *site)
{
    u32 n = site->incoming;
    while (n) {
        struct fragment *from = &fragments[links[n].fragment];
        n = links[n].next_incoming;
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
        struct fragment *f = &fragments[n];
        n = *next_in_list(f, head);
        if ((f->pc <= pc && pc < f->pc_end) || f->cut_at == pc)
            fragment_drop(f);
    }
}

void fragments_drop_variants(u8 bits)
{
    for (u32 n = 1; n < fragment_count; n++)
        if (fragments[n].live && fragments[n].variant & bits)
            fragment_drop(&fragments[n]);
}

void fragments_drop_all(void)
{
    memset(by_pc, 0, PC_HEADS * sizeof(u32));
    memset(by_page, 0, PAGE_HEADS * sizeof(u32));
    for (u32 variant = 0; variant < VARIANTS; variant++) {
        if (!by_slot[variant])
            continue;
        memset(by_slot[variant], 0, LOOKUP_SLOTS * sizeof(u32));
        lookup_clear(variant);
    }
    fragment_count = 1;
    link_count = 1;
    fragments_generation++;
    stats.flushes++;
}
