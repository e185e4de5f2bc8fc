/* Sharing: see share.h.
 *
 *   not a member --share_update: shared areas--> holds the baton <--share_take-- without it
 *                                                      |----------share_give------->
 *
 * A *view* is a shared area together with the object of the group that it shows. A page of a
 * writable view is
 *
 *   cold    write-protected; a write makes it warm (share_fault)
 *   warm    writable, written in this turn, which is its age; cold again when another process has
 *           had the baton
 *   hot     writable over many turns, with the age of each
 *
 * Copies of pages, made when the baton was given away, show what to log of a page that another
 * process has written: usually a few bytes. A page without a copy is logged as a whole.
 *
 * A page that is writable here has the age of this turn, or will have it before the guest runs. A
 * valid copy has the bytes that the replay of this process has at this point.
 */
#include "engine/share/share.h"

#include "engine/base/kernel.h"
#include "engine/base/kernel_abi.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/log/log.h"
#include "engine/memory/areas.h"
#include "engine/memory/code_watch.h"
#include "engine/memory/guest_memory.h"
#include "engine/memory/mapped_copy.h"
#include "engine/memory/mapping.h"
#include "engine/share/file_writes.h"
#include "engine/share/share_group.h"
#include "engine/share/share_internal.h"
#include "engine/share/share_outside.h"
#include "engine/threads/futex.h"
#include "engine/threads/thread.h"
#include "engine/x86_64/call.h"
#include "log/format.h"
#include "log/syscall_table.h"

enum {
    VIEWS_MOST = 65536, /* as many mappings as the kernel allows a process */
    WARM_MOST = 65536,
    COPIES = 1024, /* a power of two: */
    COPIES_BITS = 10,
    HOT_MOST = 128,
    HOT_AFTER = 3,  /* number of turns in which it was written */
    COLD_AFTER = 64, /* number of turns in which it was not */
    CONTESTED = 64,
    WHOLE_MOST = 256, /* pages */
    GAP = 32, /* equal bytes between two changes that are logged as one */
};

bool share_member;
struct view {
    u64 start, end;
    u32 protection;
    bool writable;
    struct share_object *object;
    u64 first; /* page of the object at `start` */
};

struct page_copy {
    u64 page;
    bool good;
    bool hot;
    u16 writes; /* number of turns in which it was written */
    u16 idle;   /* number of turns since, in which it was not */
};

struct warm_range {
    u64 start, end;
};

static struct {
    bool held;
    bool forked;     /* memory without a name may be in other processes */
    u64 turn;        /* the turn in which this process has, or last had, the baton */
    u64 seen;        /* the turn in which the baton was given away */
    u64 fork_turn;
    u32 contested;   /* other processes had the baton recently */
    u32 areas_known; /* version of the areas for which the views were made */
    bool views_stale; /* all views must be made again */
    struct view *views; /* sorted by address, followed by room for as many new ones */
    u64 view_count;
    struct page_copy copies[COPIES];
    u8 (*copy_bytes)[PAGE_SIZE];
    u32 hot[HOT_MOST];
    u32 hot_count;
    u32 warm_count;
    struct warm_range *warm;
    struct file_writes current; /* the file that the current call writes; 0 if none */
    bool said_too_much, said_stopped; /* each is noted once in the log */
} share;

/* --- views ------------------------------------------------------------------------------------ */

static bool takes_part(const struct area *a)
{
    if (!(a->flags & AREA_SHARED) || !(a->flags & (AREA_FILE | AREA_SHM)))
        return false;
    if ((a->flags & AREA_STAYS) && !(a->protection & PROT_WRITE))
        return false;
    return a->device != MAPPED_COPY_NAMELESS || share.forked;
}

static bool any_takes_part(u64 start, u64 end)
{
    for (const struct area *a = areas_from(start); a && a->start < end; a = areas_from(a->end))
        if (takes_part(a))
            return true;
    return false;
}

static void say_too_much(void)
{
    if (!share.said_too_much)
        log_note(NOTE_LIMIT, "more memory is shared with other processes than can be watched");
    share.said_too_much = true;
}

/* Adds a view after `count` new ones. */
static void add_view(const struct area *a, u64 *count)
{
    u64 first = a->offset / PAGE_SIZE, pages = (a->end - a->start) / PAGE_SIZE;
    struct share_object *o = share_group_object(a->device, a->inode, first + pages);
    if (!o || *count == VIEWS_MOST) {
        say_too_much();
        return;
    }
    share.views[VIEWS_MOST + (*count)++] = (struct view){a->start, a->end, a->protection,
                                        a->protection & PROT_WRITE, o, first};
    if (o->outside)
        share_outside_watch(o->device, o->inode, a->start, a->end);
}

/* Returns the first view that ends above the address. */
static u64 view_from(u64 address)
{
    u64 low = 0, high = share.view_count;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (share.views[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static struct view *view_at(u64 address)
{
    u64 n = view_from(address);
    return n < share.view_count && share.views[n].start <= address ? &share.views[n] : NULL;
}

/* Extends the range to all views that overlap it. */
static struct file_range with_views(struct file_range r)
{
    for (u64 n = view_from(r.from); n < share.view_count && share.views[n].start < r.to; n++) {
        r.from = share.views[n].start < r.from ? share.views[n].start : r.from;
        r.to = share.views[n].end > r.to ? share.views[n].end : r.to;
    }
    return r;
}

/* Makes the views again that overlap the range, or areas joined with it. */
static void renew_views(struct file_range r)
{
    u64 count = 0;
    r = with_views(r);
    for (const struct area *a = areas_from(r.from); a && a->start < r.to; a = areas_from(a->end)) {
        r.from = a->start < r.from ? a->start : r.from;
        r.to = a->end > r.to ? a->end : r.to;
        if (takes_part(a))
            add_view(a, &count);
    }
    u64 first = view_from(r.from), behind = first;
    while (behind < share.view_count && share.views[behind].start < r.to)
        behind++;
    u64 left = share.view_count - behind;
    if (first + count + left > VIEWS_MOST) {
        say_too_much();
        count = VIEWS_MOST - first - left;
    }
    memmove(&share.views[first + count], &share.views[behind], left * sizeof(struct view));
    memcpy(&share.views[first], &share.views[VIEWS_MOST], count * sizeof(struct view));
    share.view_count = first + count + left;
}

void share_watch_outside(const struct share_object *object)
{
    for (u64 n = 0; n < share.view_count; n++)
        if (share.views[n].object == object)
            share_outside_watch(object->device, object->inode, share.views[n].start,
                                share.views[n].end);
}

static u64 page_in_object(const struct view *v, u64 address)
{
    return v->first + (address - v->start) / PAGE_SIZE;
}

static void mark_written(const struct view *v, u64 start, u64 end)
{
    share_group_written(v->object, page_in_object(v, start), page_in_object(v, end - 1) + 1);
}

/* --- copies of pages ------------------------------------------------------------------------ */

static struct page_copy *share_copy_of(u64 page)
{
    return &share.copies[page / PAGE_SIZE * 0x9e3779b97f4a7c15ul >> (64 - COPIES_BITS)];
}

static u8 *share_bytes_of(const struct page_copy *c)
{
    return share.copy_bytes[c - share.copies];
}

static void spoil_all_copies(void)
{
    for (u32 n = 0; n < COPIES; n++)
        share.copies[n].good = false;
}

static void spoil_copies(u64 start, u64 end)
{
    if ((end - start) / PAGE_SIZE >= COPIES) {
        spoil_all_copies();
        return;
    }
    for (u64 page = start; page < end; page += PAGE_SIZE)
        if (share_copy_of(page)->page == page)
            share_copy_of(page)->good = false;
}

static void forget_copies(void)
{
    memset(share.copies, 0, sizeof(share.copies));
    share.hot_count = 0;
}

/* --- cold, warm and hot ----------------------------------------------------------------------- */

static u32 cold_protection(const struct view *v)
{
    return code_watch_kernel_protection(v->protection) & ~(u32)PROT_WRITE;
}

static void make_cold(u64 start, u64 end)
{
    const struct view *v = view_at(start);
    if (v && v->writable && end <= v->end)
        kernel_call(__NR_mprotect, start, end - start, cold_protection(v));
}

static void cool_all(void)
{
    for (u32 n = 0; n < share.warm_count; n++)
        make_cold(share.warm[n].start, share.warm[n].end);
    share.warm_count = 0;
}

static void note_warm(u64 start, u64 end)
{
    struct warm_range *last = share.warm_count ? &share.warm[share.warm_count - 1] : NULL;
    if (last && last->end == start && view_at(last->start) == view_at(start))
        last->end = end;
    else
        share.warm[share.warm_count++] = (struct warm_range){start, end};
}

/* Makes a whole view warm: when the kernel has no room for more mappings, or the engine for more
 * ranges. */
static void warm_view(const struct view *v)
{
    code_watch_release(v->start, v->end);
    kernel_call(__NR_mprotect, v->start, v->end - v->start,
                code_watch_kernel_protection(v->protection));
    mark_written(v, v->start, v->end);
    spoil_copies(v->start, v->end);
    note_warm(v->start, v->end);
}

static void warm_all_views(void)
{
    share.warm_count = 0;
    for (u64 n = 0; n < share.view_count; n++)
        if (share.views[n].writable)
            warm_view(&share.views[n]);
}

/* A page that is written again and again becomes hot. */
static bool becomes_hot(u64 page)
{
    struct page_copy *c = share_copy_of(page);
    if (c->page != page) {
        if (!c->hot)
            *c = (struct page_copy){.page = page, .writes = 1};
        return false;
    }
    c->good = false;
    if (c->hot || ++c->writes < HOT_AFTER || share.hot_count == HOT_MOST)
        return c->hot;
    c->hot = true;
    c->idle = 0;
    share.hot[share.hot_count++] = (u32)(c - share.copies);
    return true;
}

/* The kernel counts the attachments of a segment by its mappings, so small ones are not split. */
static bool stays_whole(const struct view *v)
{
    return v->object->device == MAPPED_COPY_SEGMENT && v->end - v->start <= WHOLE_MOST * PAGE_SIZE;
}

static void open_range(const struct view *v, u64 start, u64 end)
{
    u32 protection = code_watch_kernel_protection(v->protection);
    if (share.warm_count >= WARM_MOST - 1) {
        warm_all_views();
    } else if (stays_whole(v)) {
        warm_view(v);
    } else if (kernel_failed(kernel_call(__NR_mprotect, start, end - start, protection))) {
        warm_view(v);
    } else {
        mark_written(v, start, end);
        spoil_copies(start, end);
        note_warm(start, end);
    }
}

bool share_fault(u64 address)
{
    u64 page = page_down(address);
    const struct view *v = share_member ? view_at(page) : NULL;
    if (!v || !v->writable)
        return false;
    u32 protection = code_watch_kernel_protection(v->protection);
    if (!stays_whole(v) && becomes_hot(page) &&
        !kernel_failed(kernel_call(__NR_mprotect, page, PAGE_SIZE, protection)))
        mark_written(v, page, page + PAGE_SIZE);
    else
        open_range(v, page, page + PAGE_SIZE);
    return true;
}

void share_opened(u64 start, u64 end)
{
    if (!share_member)
        return;
    for (u64 n = 0; n < share.view_count; n++) {
        const struct view *v = &share.views[n];
        u64 from = start > v->start ? start : v->start, to = end < v->end ? end : v->end;
        if (from < to && v->writable)
            open_range(v, from, to);
    }
}

bool share_release(u64 start, u64 end)
{
    bool any = false;
    u64 from = page_down(start), to = page_up(end);
    for (const struct view *v = view_at(from); share_member && from < to && v; v = view_at(from)) {
        u64 part = to < v->end ? to : v->end;
        if (v->writable) {
            open_range(v, from, part);
            any = true;
        }
        from = part;
    }
    return any;
}

/* Releases memory that an argument, or a word that it points to, may point to. */
static bool release_at(u64 address)
{
    enum { LIKELY = 65536 };
    const struct view *v = view_at(address);
    u64 end = v && v->end - address < LIKELY ? v->end : address + LIKELY;
    return v && share_release(address, end);
}

bool share_release_arguments(const u64 args[6])
{
    bool any = false;
    for (int n = 0; share_member && n < 6; n++) {
        u64 words[16] = {0};
        any |= release_at(args[n]);
        if (guest_read(words, gaddr(args[n]), sizeof(words)))
            for (unsigned w = 0; w < countof(words); w++)
                any |= release_at(words[w]);
    }
    return any;
}

void share_written(u64 at, u64 size)
{
    u64 from = page_down(at), to = page_up(at + size);
    for (const struct view *v = view_at(from); from < to && v; v = view_at(from)) {
        u64 part = to < v->end ? to : v->end;
        mark_written(v, from, part);
        spoil_copies(from, part);
        from = part;
    }
}

/* --- what others have changed ----------------------------------------------------------------- */

/* Works also where the guest currently has no access. */
static bool read_page(const struct view *v, u64 page, u8 *ret)
{
    if (guest_read(ret, gaddr(page), PAGE_SIZE))
        return true;
    if (v->protection & (PROT_READ | PROT_WRITE | PROT_EXEC))
        return false; /* after the end of its file */
    kernel_call(__NR_mprotect, page, PAGE_SIZE, PROT_READ);
    bool good = guest_read(ret, gaddr(page), PAGE_SIZE);
    kernel_call(__NR_mprotect, page, PAGE_SIZE, PROT_NONE);
    return good;
}

static bool words_equal(const u8 *a, const u8 *b, u64 at)
{
    return *(const u64 *)(a + at) == *(const u64 *)(b + at);
}

static bool log_differences(bool in_call, u64 page, const u8 *old, const u8 *now)
{
    bool any = false;
    for (u64 at = 0; at < PAGE_SIZE; at += 8) {
        if (words_equal(old, now, at))
            continue;
        u64 end = at + 8;
        for (u64 look = end; look < PAGE_SIZE && look - end < GAP; look += 8)
            if (!words_equal(old, now, look))
                end = look + 8;
        log_shared(in_call, PIECE_MEMORY, page + at, now + at, end - at);
        at = end - 8;
        any = true;
    }
    return any;
}

static bool log_page(const struct view *v, u64 page, bool in_call)
{
    static u8 now[PAGE_SIZE] __attribute__((aligned(8)));
    struct page_copy *c = share_copy_of(page);
    bool any = true;
    if (!read_page(v, page, now))
        return false;
    code_watch_changed(page, page + PAGE_SIZE);
    if (c->page == page && c->good)
        any = log_differences(in_call, page, share_bytes_of(c), now);
    else
        log_shared(in_call, PIECE_MEMORY, page, now, PAGE_SIZE);
    if (c->page != page && c->hot)
        return any;
    if (c->page != page)
        *c = (struct page_copy){.page = page};
    memcpy(share_bytes_of(c), now, PAGE_SIZE);
    c->good = true;
    return any;
}

void share_log_whole_page(u64 page)
{
    const struct view *v = view_at(page);
    spoil_copies(page, page + PAGE_SIZE);
    if (v)
        log_page(v, page, true);
}

bool share_log_page(u64 page, bool in_call)
{
    const struct view *v = view_at(page);
    const struct page_copy *c = share_copy_of(page);
    return v && c->page == page && c->good && log_page(v, page, in_call);
}

static void log_view(const struct view *v, bool in_call)
{
    const struct share_object *o = v->object;
    u64 last = page_in_object(v, v->end);
    if (o->resized > share.seen)
        log_shared(in_call, PIECE_FILE_SIZE, v->start, &o->size, sizeof(o->size));
    for (u64 page = v->first;
         (page = share_group_next_written(o, page, last, share.seen)) < last; page++)
        log_page(v, v->start + (page - v->first) * PAGE_SIZE, in_call);
}

/* Returns the address of an object's page in this process; 0: it has none. */
static u64 share_place_of(const struct share_suspect *s, struct view **ret)
{
    for (u64 n = 0; n < share.view_count; n++) {
        struct view *v = &share.views[n];
        if (v->object->device == s->device && v->object->inode == s->inode && s->page >= v->first &&
            s->page < page_in_object(v, v->end)) {
            *ret = v;
            return v->start + (s->page - v->first) * PAGE_SIZE;
        }
    }
    return 0;
}

static void log_suspects(bool in_call)
{
    u32 count;
    const struct share_suspect *suspects = share_group_suspects(&count);
    for (u32 n = 0; n < count; n++) {
        struct view *v;
        u64 page = share_place_of(&suspects[n], &v);
        if (page)
            log_page(v, page, in_call);
    }
}

/* --- the baton -------------------------------------------------------------------------------- */

static void mark_hot(void)
{
    for (u32 n = 0; n < share.hot_count; n++) {
        u64 page = share.copies[share.hot[n]].page;
        const struct view *v = view_at(page);
        if (v)
            mark_written(v, page, page + PAGE_SIZE);
    }
}

static void share_keep_copy(struct page_copy *c)
{
    static u8 now[PAGE_SIZE] __attribute__((aligned(8)));
    if (!guest_read(now, gaddr(c->page), PAGE_SIZE)) {
        c->good = false;
        return;
    }
    bool same = c->good && !memcmp(share_bytes_of(c), now, PAGE_SIZE);
    c->idle = same ? c->idle + 1 : 0;
    c->good = true;
    if (!same)
        memcpy(share_bytes_of(c), now, PAGE_SIZE);
}

/* While no other process takes the baton, copies cost more than they save. */
static void keep_hot_copies(void)
{
    if (share.contested)
        share.contested--;
    for (u32 n = share.hot_count; n > 0; n--) {
        struct page_copy *c = &share.copies[share.hot[n - 1]];
        if (share.contested)
            share_keep_copy(c);
        else
            c->good = false;
        if (c->idle < COLD_AFTER)
            continue;
        c->hot = false;
        c->writes = 0;
        make_cold(c->page, c->page + PAGE_SIZE);
        share.hot[n - 1] = share.hot[--share.hot_count];
    }
}

void share_keep_page(u64 page)
{
    struct page_copy *c = share_copy_of(page);
    if (c->page != page && c->hot)
        return;
    if (c->page != page)
        *c = (struct page_copy){.page = page};
    share_keep_copy(c);
}

/* Keeps copies of pages with locks, which change if their owner dies. */
static void keep_suspects(void)
{
    u32 count;
    const struct share_suspect *suspects = share_group_suspects(&count);
    for (u32 n = 0; n < count; n++) {
        struct view *v;
        u64 page = share_place_of(&suspects[n], &v);
        if (page)
            share_keep_page(page);
    }
}

static void suspect(u64 address)
{
    const struct view *v = view_at(address);
    if (v)
        share_group_suspect(&(struct share_suspect){v->object->device, v->object->inode,
                                                    page_in_object(v, address)});
}

static void suspect_robust_locks(void)
{
    for (struct thread *t = thread_next(NULL); t; t = thread_next(t))
        futex_each_robust(t, suspect);
}

static void end_turn(void)
{
    suspect_robust_locks();
    keep_hot_copies();
    keep_suspects();
    share_outside_keep();
    share.seen = share.turn;
    share.held = false;
}

void share_give(void)
{
    if (!share.held)
        return;
    end_turn();
    share_group_give();
}

static void begin_turn(bool other, bool in_call)
{
    share.held = true;
    share.turn = share_group_turn();
    if (other) {
        share.contested = CONTESTED;
        cool_all();
        for (u64 n = 0; n < share.view_count; n++)
            log_view(&share.views[n], in_call);
    }
    log_suspects(in_call);
    share_outside_look(in_call);
    log_shared_end();
    share_outside_tell();
    if (other)
        mark_hot();
}

void share_take(bool in_call)
{
    if (share_member && !share.held)
        begin_turn(share_group_take(), in_call);
}

bool share_wanted(void)
{
    return share.held && share_group_wanted();
}

/* Ends a call that ran beside the other processes. */
static void come_back(void)
{
    if (!share.said_stopped)
        log_note(NOTE_LIMIT,
                 "the process was stopped by a signal while it ran on memory that it shares");
    share.said_stopped = true;
    spoil_all_copies();
    share.seen = share.turn;
    share.held = false;
}

void share_yield(void)
{
    if (share_group_lost()) {
        come_back();
    } else if (share_wanted()) {
        end_turn();
        share_group_offer();
    }
    share_take(false);
}

/* --- joining and leaving ---------------------------------------------------------------------- */

static void share_prepare(void)
{
    if (share.views)
        return;
    share.views = pool_map(2 * VIEWS_MOST * sizeof(*share.views), PAGE_SIZE);
    share.warm = pool_map(WARM_MOST * sizeof(*share.warm), PAGE_SIZE);
    share.copy_bytes = pool_map(sizeof(*share.copy_bytes) * COPIES, PAGE_SIZE);
}

static void protect_all(void)
{
    share.warm_count = 0;
    forget_copies();
    for (u64 n = 0; n < share.view_count; n++)
        make_cold(share.views[n].start, share.views[n].end);
}

/* Makes the pages in the range cold: the facts about them are out of date. */
static void protect_range(struct file_range r)
{
    for (u32 n = share.warm_count; n > 0; n--) {
        struct warm_range w = share.warm[n - 1];
        if (w.end <= r.from || w.start >= r.to)
            continue;
        share.warm[n - 1] = share.warm[--share.warm_count];
        if (w.start < r.from)
            make_cold(w.start, r.from);
        if (w.end > r.to)
            make_cold(r.to, w.end);
    }
    for (u32 n = share.hot_count; n > 0; n--)
        if (share.copies[share.hot[n - 1]].page - r.from < r.to - r.from)
            share.hot[n - 1] = share.hot[--share.hot_count];
    for (u32 n = 0; n < COPIES; n++)
        if (share.copies[n].page - r.from < r.to - r.from)
            share.copies[n] = (struct page_copy){0};
    for (u64 n = view_from(r.from); n < share.view_count && share.views[n].start < r.to; n++) {
        const struct view *v = &share.views[n];
        make_cold(v->start > r.from ? v->start : r.from, v->end < r.to ? v->end : r.to);
    }
}

/* Returns where shared areas have changed since the last time: everywhere, if that is not known. */
static struct file_range changed_areas(void)
{
    struct file_range r = {areas_versions.shared_start, areas_versions.shared_end};
    areas_versions.shared_start = areas_versions.shared_end = 0;
    if (share.views_stale || (share_member && !share.held) || share_outside_watches())
        r = (struct file_range){0, ~0ul};
    share.views_stale = false;
    return r;
}

void share_update(void)
{
    if (share.areas_known == areas_versions.shared || !share_group)
        return;
    share.areas_known = areas_versions.shared;
    struct file_range changed = changed_areas();
    if (!share_member && !any_takes_part(changed.from, changed.to))
        return;
    share_prepare();
    if (!share.held) {
        share_group_take();
        share.held = true;
        share.turn = share_group_turn();
    }
    share_outside_forget();
    renew_views(changed);
    share_member = share.view_count;
    if (changed.to == ~0ul)
        protect_all();
    else
        protect_range(changed);
    if (!share_member)
        share_give();
}

bool share_knows(u64 device, u64 inode)
{
    return share_group && share_group_find(device, inode);
}

static bool has_shared_memory(void)
{
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end))
        if (a->flags & AREA_SHARED)
            return true;
    return false;
}

void share_fork_begins(void)
{
    if (!share_group)
        return;
    if (!share.forked && has_shared_memory()) {
        share.forked = true;
        share.areas_known--;
        share.views_stale = true;
    }
    share_update();
    if (!share_member)
        return;
    cool_all();
    share.fork_turn = share.turn;
    share_group_next_turn();
    share.turn = share_group_turn();
    mark_hot();
}

void share_forked(void)
{
    share_group_forked();
    share.held = false;
    if (!share_member)
        return;
    share.seen = share.fork_turn;
    protect_all();
    share_take(true);
}

void share_leave(void)
{
    if (!share_member)
        return;
    share_take(true);
    for (struct thread *t = thread_next(NULL); t; t = thread_next(t))
        futex_process_ends(t);
    share_give();
    share_member = false;
    share.views_stale = true; /* in case the process stays a member */
}

/* --- files ------------------------------------------------------------------------------------ */

bool share_call_begins(const struct call *call)
{
    bool writes = file_writes_call(call->number);
    if (!writes && !(share_member && syscall_has(call->number, EFFECT_READS)))
        return false;
    if (!file_writes_begin(&share.current, call->number, call->args))
        return false;
    if (share_member)
        return true;
    if (!share_group_find(share.current.device, share.current.inode))
        return false;
    share_group_take();
    return true;
}

void share_call_ends(const struct call *call, i64 result)
{
    struct share_object *o = share_group_find(share.current.device, share.current.inode);
    if (o && result >= 0 && file_writes_call(call->number)) {
        struct file_range r = file_writes_range(&share.current, result);
        u64 to = r.to > o->pages * PAGE_SIZE ? o->pages : page_up(r.to) / PAGE_SIZE;
        share_group_written(o, r.from / PAGE_SIZE, to);
        if (share.current.size_after != share.current.size_before) {
            o->resized = share_group_turn();
            o->size = share.current.size_after;
        }
    }
    if (!share_member)
        share_group_give();
}

/* --- other calls ------------------------------------------------------------------------------ */

/* True for a vector or a message: pointers in memory say where these calls write. */
static bool writes_behind_pointers(u64 number)
{
    const struct call_arg *arg = syscall_row_of(number)->args;
    for (unsigned n = 0; n < SYSCALL_ARGS && arg[n].name; n++)
        if ((arg[n].way & ARG_OUT) && arg[n].shape != SHAPE_PLAIN)
            return true;
    return false;
}

bool share_reaches(const struct call *call)
{
    if (share_member && writes_behind_pointers(call->number))
        return true;
    for (int n = 0; share_member && n < 6; n++)
        if (view_at(call->args[n]))
            return true;
    return false;
}
