/* Detects changes of code before a stale translation runs.
 *
 * Every page from which code was translated has an entry, and so has every page that is
 * write-protected here. Entries are in regions of REGION_PAGES pages, which are never freed. The
 * regions are in a sorted array, so that ranges are walked in order of address and empty parts are
 * skipped.
 *
 * Two mappings of the same page of a file are aliases if the one that is written to is shared. The
 * areas (areas.h) tell which. Few programs have any, so aliases are searched only once there is a
 * shared writable mapping of a file.
 *
 * Invariants
 *   (1) A page with HAS_CODE and without CHECKED cannot be written by the guest, neither there
 *       nor through an alias, without a fault that comes to code_watch_fault().
 *   (2) PROTECTED is set on protected_count pages, where the kernel's protection may be stricter
 *       than the guest's. It may be set needlessly: a fault there checks the areas.
 *
 * Nothing here is visible to the guest, so ticks, which serve as a clock, need not be exact.
 */
#include "engine/memory/code_watch.h"

#include "base/assert.h"
#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/stats.h"
#include "engine/base/stop.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_files.h"
#include "engine/memory/pending.h"

enum {
    REGION_PAGES = 512,
    FIRST_REGIONS = 256,
    FAULTS_MOST = 250, /* a fault costs some microseconds once, a checked page each entry */
    PATIENCE_MOST = 10,
};

/* A page that was not written for this long has settled. */
#define QUIET_TICKS (16ul << 20)

enum {
    HAS_CODE = 1,
    PROTECTED = 2,
    CHECKED = 4,
};

struct watched_page {
    u64 last; /* tick of the last change */
    u8 flags;
    u8 faults;
    u8 patience; /* how often it was checked: the longer it must be quiet */
};

struct region {
    u64 first; /* number of its first page */
    struct watched_page page[REGION_PAGES];
};

static struct {
    struct region **regions;
    u64 region_count, region_room;
    struct region *recent; /* the last region used: the next page is usually near */
    u64 protected_count, checked_count;
    bool aliases_possible;
    bool protection_failed; /* result of protect_alias() */
    void (*drop_translations)(u64 start, u64 end);
} code_watch;

/* Returns the index of the first region that ends above the page of this number. */
static u64 region_index(u64 number)
{
    u64 low = 0, high = code_watch.region_count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (code_watch.regions[middle]->first + REGION_PAGES <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void make_room_for_region(void)
{
    if (code_watch.region_count < code_watch.region_room)
        return;
    u64 room = code_watch.region_room ? 2 * code_watch.region_room : FIRST_REGIONS;
    struct region **grown = pool_map(room * sizeof(grown[0]), PAGE_SIZE);
    if (code_watch.regions) {
        memcpy(grown, code_watch.regions, code_watch.region_count * sizeof(grown[0]));
        pool_unmap(code_watch.regions, code_watch.region_room * sizeof(grown[0]));
    }
    code_watch.regions = grown;
    code_watch.region_room = room;
}

static struct watched_page *code_watch_find(u64 page)
{
    u64 number = page / PAGE_SIZE;
    if (code_watch.recent && number - code_watch.recent->first < REGION_PAGES)
        return &code_watch.recent->page[number - code_watch.recent->first];
    u64 i = region_index(number);
    if (i == code_watch.region_count || number < code_watch.regions[i]->first)
        return NULL;
    code_watch.recent = code_watch.regions[i];
    return &code_watch.recent->page[number - code_watch.recent->first];
}

static struct watched_page *find_or_make(u64 page)
{
    struct watched_page *found = code_watch_find(page);
    if (found)
        return found;
    make_room_for_region();
    struct region *made = pool_take(sizeof(*made));
    u64 number = page / PAGE_SIZE, i = region_index(number);
    made->first = number & ~(u64)(REGION_PAGES - 1);
    struct region **at = &code_watch.regions[i];
    memmove(at + 1, at, (code_watch.region_count - i) * sizeof(*at));
    *at = made;
    code_watch.region_count++;
    return &made->page[number - made->first];
}

/* Finds the first page at or above *page and below `end` with any of these flags, and stores it in
 * *page; NULL: none. */
static struct watched_page *next_with(u8 flags, u64 *page, u64 end)
{
    u64 number = *page / PAGE_SIZE, last = end / PAGE_SIZE + (end % PAGE_SIZE != 0);
    for (u64 i = region_index(number); i < code_watch.region_count; i++) {
        struct region *r = code_watch.regions[i];
        if (number < r->first)
            number = r->first;
        for (; number < r->first + REGION_PAGES; number++) {
            if (number >= last)
                return NULL;
            if (r->page[number - r->first].flags & flags) {
                *page = number * PAGE_SIZE;
                return &r->page[number - r->first];
            }
        }
    }
    return NULL;
}

static void set_flag(struct watched_page *w, u8 flag, bool on)
{
    u64 *count = flag == PROTECTED ? &code_watch.protected_count
                 : flag == CHECKED ? &code_watch.checked_count
                                   : NULL;
    if (count && on != !!(w->flags & flag)) {
        invariant(2, on || *count);
        *count += on ? 1 : (u64)-1;
    }
    w->flags = on ? w->flags | flag : w->flags & ~flag;
}

void code_watch_start(void (*drop)(u64 start, u64 end))
{
    code_watch.drop_translations = drop;
}

bool code_watch_protects(void)
{
    return code_watch.protected_count != 0;
}

/* Aliases */

static bool is_alias(const struct area *a, const struct area *other, u64 offset)
{
    return (other->flags & (AREA_FILE | AREA_SHM)) && other->device == a->device &&
           other->inode == a->inode && offset >= other->offset &&
           offset - other->offset < other->end - other->start;
}

/* Calls `visit` for the page and for every other page that shows the same page of the same file. */
static void for_aliases(u64 page, void (*visit)(u64 page))
{
    visit(page);
    const struct area *own = areas_find(page);
    if (!code_watch.aliases_possible || !own || !(own->flags & (AREA_FILE | AREA_SHM)))
        return;
    u64 offset = own->offset + (page - own->start);
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        if (!is_alias(own, a, offset))
            continue;
        u64 other = a->start + (offset - a->offset);
        if (other != page)
            visit(other);
    }
}

/* Protecting */

u32 code_watch_kernel_protection(u32 protection)
{
    bool readable = protection & (PROT_READ | PROT_WRITE | PROT_EXEC);
    return (protection & ~(u32)PROT_EXEC) | (readable ? PROT_READ : 0);
}

u32 code_watch_protection(u64 page, u32 protection)
{
    const struct watched_page *w = code_watch_find(page);
    u32 kernel = code_watch_kernel_protection(protection);
    return w && (w->flags & (HAS_CODE | CHECKED)) == HAS_CODE ? kernel & ~(u32)PROT_WRITE : kernel;
}

static void become_checked(struct watched_page *w)
{
    if (!(w->flags & CHECKED) && w->patience < PATIENCE_MOST)
        w->patience++;
    set_flag(w, CHECKED, true);
    w->last = ticks_now();
}

static bool protect(u64 page, const struct area *area)
{
    u32 protection = code_watch_kernel_protection(area->protection) & ~(u32)PROT_WRITE;
    pending_fill(page, page + PAGE_SIZE);
    if (kernel_failed(kernel_call(__NR_mprotect, page, PAGE_SIZE, protection)))
        return false;
    set_flag(find_or_make(page), PROTECTED, true);
    return true;
}

/* A private mapping shows what is written through a shared one, but not vice versa. */
static void protect_alias(u64 page)
{
    const struct watched_page *w = code_watch_find(page);
    const struct area *area = areas_find(page);
    if (!area || !(area->protection & PROT_WRITE) || (w && (w->flags & PROTECTED)))
        return;
    bool own = w && (w->flags & HAS_CODE);
    if ((own || (area->flags & AREA_SHARED)) && !protect(page, area))
        code_watch.protection_failed = true;
}

/* True if a write to the page would be noticed. */
static bool code_watch_guards(u64 page)
{
    const struct watched_page *w = code_watch_find(page);
    const struct area *area = areas_find(page);
    return !area || !(area->protection & PROT_WRITE) || (w && (w->flags & (PROTECTED | CHECKED)));
}

/* Protects the page. If the kernel refuses because there are too many mappings, the code is checked
 * instead. */
static void code_watch_begin(u64 page)
{
    code_watch.protection_failed = false;
    for_aliases(page, protect_alias);
    if (code_watch.protection_failed)
        become_checked(code_watch_find(page));
    invariant(1, code_watch_guards(page));
}

void code_watch_add(u64 start, u64 end)
{
    for (u64 page = page_down(start); page < end; page += PAGE_SIZE) {
        struct watched_page *w = find_or_make(page);
        if (w->flags & HAS_CODE)
            continue;
        set_flag(w, HAS_CODE, true);
        if (!(w->flags & CHECKED))
            code_watch_begin(page);
    }
}

bool code_watch_checked(u64 page)
{
    if (!code_watch.checked_count)
        return false;
    const struct watched_page *w = code_watch_find(page);
    return w && (w->flags & CHECKED);
}

/* Dropping */

static void code_watch_drop(u64 page, struct watched_page *w)
{
    if (!(w->flags & HAS_CODE))
        return;
    set_flag(w, HAS_CODE, false);
    code_watch.drop_translations(page, page + PAGE_SIZE);
}

/* Drops the code of this page, which is about to be written, here or through an alias. */
static void drop_written(u64 page)
{
    struct watched_page *w = code_watch_find(page);
    if (!w || !(w->flags & HAS_CODE))
        return;
    code_watch_drop(page, w);
    u64 now = ticks_now();
    if (now - w->last > QUIET_TICKS)
        w->faults = 0;
    w->last = now;
    if (++w->faults > FAULTS_MOST)
        become_checked(w);
}

void code_watch_differs(u64 start, u64 end)
{
    u64 now = ticks_now(), page = start;
    for (struct watched_page *w; (w = next_with(HAS_CODE, &page, end)); page += PAGE_SIZE) {
        code_watch_drop(page, w);
        w->last = now;
    }
}

void code_watch_changed(u64 start, u64 end)
{
    u64 page = start;
    code_files_spoil(start, end);
    for (struct watched_page *w; (w = next_with(HAS_CODE, &page, end)); page += PAGE_SIZE)
        code_watch_drop(page, w);
}

/* Making writable again */

/* Splitting a mapping needs room in the kernel's list; giving a whole area one protection does
 * not. */
static void unprotect_area(const struct area *area)
{
    u64 page = area->start;
    for (struct watched_page *w; (w = next_with(PROTECTED, &page, area->end)); page += PAGE_SIZE) {
        for_aliases(page, drop_written);
        set_flag(w, PROTECTED, false);
    }
    u32 protection = code_watch_kernel_protection(area->protection);
    u64 size = area->end - area->start;
    pending_fill(area->start, area->end);
    if (kernel_failed(kernel_call(__NR_mprotect, area->start, size, protection)))
        engine_stop("memory that holds code cannot be made writable again", NULL);
    log_opened(area->start, area->end);
}

/* True if the page was protected here, and the guest may write it. */
static bool unprotect(u64 page, struct watched_page *w)
{
    set_flag(w, PROTECTED, false);
    const struct area *area = areas_find(page);
    if (!area || !(area->protection & PROT_WRITE))
        return false;
    stats.code_writes++;
    for_aliases(page, drop_written);
    u32 protection = code_watch_kernel_protection(area->protection);
    if (kernel_failed(kernel_call(__NR_mprotect, page, PAGE_SIZE, protection)))
        unprotect_area(area);
    else
        log_opened(page, page + PAGE_SIZE);
    return true;
}

bool code_watch_fault(u64 address)
{
    u64 page = page_down(address);
    struct watched_page *w = code_watch_find(page);
    return w && (w->flags & PROTECTED) && unprotect(page, w);
}

static void check_if_known(u64 page)
{
    struct watched_page *w = code_watch_find(page);
    if (w && w->last) /* it had code when it was written */
        become_checked(w);
}

void code_watch_own(u64 address)
{
    for_aliases(page_down(address), check_if_known);
}

bool code_watch_release(u64 start, u64 end)
{
    bool any = false;
    if (!code_watch.protected_count)
        return false;
    u64 page = page_down(start);
    for (struct watched_page *w; (w = next_with(PROTECTED, &page, end)); page += PAGE_SIZE)
        any |= unprotect(page, w);
    return any;
}

/* New mappings and protections */

static void forget_protected(u64 start, u64 end)
{
    if (!code_watch.protected_count)
        return;
    u64 page = start;
    for (struct watched_page *w; (w = next_with(PROTECTED, &page, end)); page += PAGE_SIZE)
        set_flag(w, PROTECTED, false);
}

/* Protects code in [start, end) that the guest may write through its own mapping. */
static void protect_code(u64 start, u64 end)
{
    u64 page = start;
    for (struct watched_page *w; (w = next_with(HAS_CODE, &page, end)); page += PAGE_SIZE)
        if (!(w->flags & CHECKED))
            code_watch_begin(page);
}

/* Protects code that was translated from another mapping of what `area`, shared and writable, shows
 * in [start, end). */
static void protect_aliases_of_code(const struct area *area, u64 start, u64 end)
{
    u64 first = area->offset + (start - area->start), last = first + (end - start);
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        if (!(a->flags & (AREA_FILE | AREA_SHM)) || a->device != area->device ||
            a->inode != area->inode)
            continue;
        u64 a_last = a->offset + (a->end - a->start);
        u64 from = a->offset > first ? a->offset : first, to = a_last < last ? a_last : last;
        if (from < to)
            protect_code(a->start + (from - a->offset), a->start + (to - a->offset));
    }
}

void code_watch_apply(u64 start, u64 end, u32 protection)
{
    forget_protected(start, end);
    if (!(protection & PROT_WRITE))
        return;
    code_files_spoil(start, end);
    protect_code(start, end);
    for (const struct area *a = areas_from(start); a && a->start < end; a = areas_from(a->end)) {
        if (!(a->flags & AREA_SHARED) || !(a->flags & (AREA_FILE | AREA_SHM)))
            continue;
        code_watch.aliases_possible = true;
        u64 from = a->start > start ? a->start : start, to = a->end < end ? a->end : end;
        protect_aliases_of_code(a, from, to);
    }
}

void code_watch_age(void)
{
    if (!code_watch.checked_count)
        return;
    u64 now = ticks_now(), page = 0;
    for (struct watched_page *w; (w = next_with(CHECKED, &page, ~0ul)); page += PAGE_SIZE) {
        if (now - w->last < QUIET_TICKS << w->patience)
            continue;
        code_watch_drop(page, w);
        set_flag(w, CHECKED, false);
        w->faults = FAULTS_MOST / 2;
    }
}
