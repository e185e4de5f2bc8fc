/* Data sites: see data_watch.h.
 *
 * An *event* is one instruction, or what the engine does between two boundaries. During an event,
 * each overlap of an accessed range and a site is *pending*, with the bytes that were there before.
 * At its end pendings are judged, each site once.
 *
 * Invariants
 *   (1) watched[] is sorted by start; the `reach` of an entry is the highest end up to it.
 *   (2) The map is marked for watched[], also between passes: the next one is likely to be similar.
 *   (3) While stack accesses are not checked, no stack in use is in a run of mappings that contains
 *       watched memory.
 */
#include "engine/plan/data_watch.h"

#include "base/assert.h"
#include "engine/base/layout.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/base/ticks.h"
#include "engine/log/observer.h"
#include "engine/memory/areas.h"
#include "engine/memory/call_shapes.h"
#include "engine/memory/guest_memory.h"
#include "engine/plan/plan_internal.h"
#include "engine/plan/touched.h"
#include "engine/threads/thread.h"
#include "engine/translate/data_map.h"
#include "engine/translate/fragment.h"
#include "engine/x86_64/cpu.h"

enum {
    STACK_MARGIN = 8192,
    SAVED_MOST = 64 << 20, /* if more was written, it is assumed to have changed */
};

/* --- what is watched -------------------------------------------------------------------- */

struct watched_range {
    u64 start, end, reach;
    u32 site;
    u32 how; /* DATA_* */
};

struct watched_list {
    struct watched_range *item;
    u32 count;
    u64 room; /* bytes */
};

static struct {
    bool on; /* the pass has data sites */
    struct watched_list lists[2], *watched;
    u32 *judged_in; /* for each site: the event that judged it */
    u64 judged_room;
    u64 areas_seen;
    struct {
        bool open;
        /* the event ends in the tick and thread in which it began: neither need be stored */
        bool brief;
        u32 number;
        u32 thread;
        u64 tick, pc;
    } event;
    struct pending *pending;
    u64 pending_room, pending_count;
    u8 *saved;
    u64 saved_room, saved_used;
    struct touched touched; /* accesses of the instruction that is being executed alone */
    /* those of the instruction at cpu->rip, which is about to be executed and concerns a site */
    bool touched_known;
    bool repeated;          /* the event is a repeated (REP) instruction */
} watch = {.watched = &watch.lists[0]};

static u32 site_how(const struct plan_site *s)
{
    return s->kind == SITE_STORE   ? DATA_STORE
           : s->kind == SITE_LOAD  ? DATA_LOAD
           : s->kind == SITE_ACCESS ? DATA_STORE | DATA_LOAD
                                    : 0;
}

static void *data_watch_make_room(void *old, u64 *room, u64 wanted)
{
    wanted = page_up(wanted);
    if (wanted <= *room)
        return old;
    if (*room)
        pool_unmap(old, *room);
    *room = wanted;
    return pool_map(wanted, PAGE_SIZE);
}

static bool data_watch_lies_before(const struct watched_range *a, const struct watched_range *b)
{
    return a->start < b->start || (a->start == b->start && a->site < b->site);
}

static void sift(struct watched_range *item, u32 at, u32 count)
{
    struct watched_range moved = item[at];
    for (u32 child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && data_watch_lies_before(&item[child], &item[child + 1]))
            child++;
        if (!data_watch_lies_before(&moved, &item[child]))
            break;
        item[at] = item[child];
    }
    item[at] = moved;
}

static void sort(struct watched_list *l)
{
    for (u32 n = l->count / 2; n-- > 0;)
        sift(l->item, n, l->count);
    for (u32 n = l->count; n-- > 1;) {
        struct watched_range last = l->item[n];
        l->item[n] = l->item[0];
        l->item[0] = last;
        sift(l->item, 0, n);
    }
}

static void set_reach(struct watched_list *l)
{
    u64 reach = 0;
    for (u32 n = 0; n < l->count; n++) {
        reach = l->item[n].end > reach ? l->item[n].end : reach;
        l->item[n].reach = reach;
    }
}

static void take_sites(struct watched_list *l)
{
    l->item = data_watch_make_room(l->item, &l->room,
                                   plan_parts.head.sites * sizeof(struct watched_range));
    l->count = 0;
    for (u32 n = 0; n < plan_parts.head.sites; n++) {
        const struct plan_site *s = &plan_parts.site[n];
        u64 end = s->address + s->size < s->address ? ~0ul : s->address + s->size;
        if (site_how(s) && s->size)
            l->item[l->count++] = (struct watched_range){s->address, end, 0, n, site_how(s)};
    }
    sort(l);
    set_reach(l);
    for (u32 n = 1; n < l->count; n++)
        invariant(1, l->item[n - 1].start <= l->item[n].start &&
                         l->item[n - 1].reach <= l->item[n].reach);
}

/* Returns the index of the first entry that begins at or above `at`. */
static u32 data_watch_first_from(u64 at)
{
    u32 low = 0, high = watch.watched->count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (watch.watched->item[middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Iterates downward over entries that overlap [start, end): call with *at =
 * data_watch_first_from(end). NULL: no more. */
static const struct watched_range *next_in(u64 start, u32 *at)
{
    while (*at > 0 && watch.watched->item[*at - 1].reach > start) {
        const struct watched_range *w = &watch.watched->item[--*at];
        if (w->end > start)
            return w;
    }
    return NULL;
}

static bool any_in(u64 start, u64 end, u32 how)
{
    u32 at = data_watch_first_from(end);
    for (const struct watched_range *w; (w = next_in(start, &at));)
        if (w->how & how)
            return true;
    return false;
}

/* --- the map ------------------------------------------------------------------------------ */

static bool data_watch_same_list(const struct watched_list *a, const struct watched_list *b)
{
    return a->count == b->count && !memcmp(a->item, b->item, a->count * sizeof(a->item[0]));
}

static void mark_all(const struct watched_list *l)
{
    for (u32 n = 0; n < l->count; n++)
        data_map_mark(l->item[n].start, l->item[n].end, (u8)l->item[n].how);
}

static void unmark_all(const struct watched_list *l)
{
    for (u32 n = 0; n < l->count; n++)
        data_map_unmark(l->item[n].start, l->item[n].end);
    data_map_clear_regions(DATA_REGIONS_WATCHED);
}

static void watch_sites(void)
{
    struct watched_list *new = watch.watched == &watch.lists[0] ? &watch.lists[1] : &watch.lists[0];
    take_sites(new);
    if (!data_watch_same_list(watch.watched, new)) {
        unmark_all(watch.watched);
        mark_all(new);
    }
    watch.watched = new;
    if (new->count) /* the first stands for all: they are marked together */
        invariant(2, data_map_has(new->item[0].start, (u8)new->item[0].how));
}

/* --- the stack ------------------------------------------------------------------------------ */

static void mark_run(u64 start, u64 end)
{
    if (any_in(start, end, DATA_STORE | DATA_LOAD))
        data_map_mark_regions(DATA_REGIONS_STACK, start > STACK_MARGIN ? start - STACK_MARGIN : 0,
                              end + STACK_MARGIN);
}

/* Finds where a stack must not be: runs of adjacent mappings that contain watched memory. */
static void find_runs(void)
{
    u64 start = 0, end = 0;
    watch.areas_seen = areas_versions.any;
    data_map_clear_regions(DATA_REGIONS_STACK);
    for (const struct area *a = areas_from(0); a; a = areas_from(a->end)) {
        if (a->start != end) {
            if (end)
                mark_run(start, end);
            start = a->start;
        }
        end = a->end;
    }
    if (end)
        mark_run(start, end);
}

/* Checked only now and then, since it is called at every boundary: the mapping that contains the
 * stack, if accesses are not checked. */
static void check_stack(void)
{
    enum { EVERY = 64 };
    const struct area *a = ticks_now() % EVERY ? NULL : areas_find(cpu->reg[RSP]);
    invariant(3, !a || fragments.variant & VARIANT_STACK ||
                     !any_in(a->start, a->end, DATA_STORE | DATA_LOAD));
}

void data_watch_mind_stack(void)
{
    if (!watch.on || fragments.variant & VARIANT_STACK)
        return;
    if (watch.areas_seen != areas_versions.any)
        find_runs();
    if (data_region_has(DATA_REGIONS_STACK, cpu->reg[RSP]))
        fragments_use(fragments.variant | VARIANT_STACK);
    check_stack();
}

/* --- events ----------------------------------------------------------------------------------- */

struct pending {
    u32 site;
    u32 how;        /* TOUCH_* */
    u64 start, size; /* the accessed bytes of the site */
    bool mapped;    /* by a call that changes mappings: only a change counts */
    u64 kept;       /* the old bytes: offset in `saved`, or one of these: */
    u8 value[PLAN_VALUE_KEPT]; /* the old first bytes of the site */
};
#define NOT_KEPT (~0ul)
#define IN_VALUE (~1ul) /* they are within `value` */

static void begin_event(bool brief, u64 pc)
{
    watch.event.open = true;
    watch.event.brief = brief;
    watch.event.number++;
    watch.event.pc = pc;
    watch.pending_count = watch.saved_used = 0;
}

/* Everything that a thread does in a call happens at the moment of the call, however long it
 * takes. */
static void open_event(void)
{
    const struct thread *t = thread_self();
    if (watch.event.open)
        return;
    begin_event(false, t->call.open ? t->call.pc : cpu->rip);
    watch.event.thread = t->ordinal;
    watch.event.tick = t->call.open ? t->call.tick : ticks_now();
}

/* Unmapped memory counts as zeros. */
static void read_or_zero(u8 *to, u64 from, u64 size)
{
    if (guest_read(to, gaddr(from), size))
        return;
    for (u64 done = 0; done < size;) {
        u64 at = from + done, part = page_down(at) + PAGE_SIZE - at;
        part = part < size - done ? part : size - done;
        if (!guest_read(to + done, gaddr(at), part))
            memset(to + done, 0, part);
        done += part;
    }
}

static void *grown(void *old, u64 *room, u64 used, u64 wanted)
{
    if (wanted <= *room)
        return old;
    u64 size = page_up(wanted > 2 * *room ? wanted : 2 * *room);
    u8 *new = pool_map(size, PAGE_SIZE);
    memcpy(new, old, used);
    if (*room)
        pool_unmap(old, *room);
    *room = size;
    return new;
}

static u64 value_size(const struct plan_site *s)
{
    return s->size < PLAN_VALUE_KEPT ? s->size : PLAN_VALUE_KEPT;
}

/* The value is usually a number. */
static void data_watch_read_value(u8 to[PLAN_VALUE_KEPT], const struct plan_site *s)
{
    u64 number;
    if (s->size <= sizeof(number) && guest_read_number(gaddr(s->address), s->size, &number))
        __builtin_memcpy(to, &number, sizeof(number));
    else
        read_or_zero(to, s->address, value_size(s));
}

/* Saves the content of [start, start + size). */
static u64 save(u64 start, u64 size, bool was_there)
{
    u64 at = watch.saved_used;
    watch.saved = grown(watch.saved, &watch.saved_room, watch.saved_used, watch.saved_used + size);
    watch.saved_used += size;
    if (was_there)
        read_or_zero(watch.saved + at, start, size);
    else
        memset(watch.saved + at, 0, size);
    return at;
}

enum origin {
    STORED,
    REPLACED, /* something else is mapped there */
    BROUGHT,  /* nothing was mapped there before */
};

/* Keeps the site's first bytes in any case, and the accessed bytes if they may be written. */
static void data_watch_keep_bytes(struct pending *p, bool was_there)
{
    const struct plan_site *s = &plan_parts.site[p->site];
    if (was_there)
        data_watch_read_value(p->value, s);
    else
        memset(p->value, 0, sizeof(p->value));
    if (!(p->how & TOUCH_WRITE) || p->start + p->size - s->address <= value_size(s))
        p->kept = IN_VALUE;
    else if (p->size > SAVED_MOST - watch.saved_used % SAVED_MOST)
        p->kept = NOT_KEPT;
    else
        p->kept = save(p->start, p->size, was_there);
}

static void add_pending(const struct watched_range *w, u64 start, u64 end, u32 how,
                        enum origin origin)
{
    u64 from = start > w->start ? start : w->start, to = end < w->end ? end : w->end;
    u64 used = watch.pending_count * sizeof(*watch.pending);
    if (used + sizeof(*watch.pending) > watch.pending_room)
        watch.pending = grown(watch.pending, &watch.pending_room, used,
                              used + sizeof(*watch.pending));
    struct pending *p = &watch.pending[watch.pending_count++];
    p->site = w->site;
    p->how = how;
    p->start = from;
    p->size = to - from;
    p->mapped = origin != STORED;
    data_watch_keep_bytes(p, origin != BROUGHT);
}

static void data_watch_meet(u64 start, u64 end, u32 how, enum origin origin)
{
    u32 wanted = (how & TOUCH_WRITE ? DATA_STORE : 0) | (how & TOUCH_READ ? DATA_LOAD : 0);
    u32 at = data_watch_first_from(end);
    for (const struct watched_range *w; (w = next_in(start, &at));)
        if (w->how & wanted)
            add_pending(w, start, end, how, origin);
}

/* --- judging ---------------------------------------------------------------------------------- */

static const u8 *old_bytes(const struct plan_site *s, const struct pending *p)
{
    return p->kept == IN_VALUE ? p->value + (p->start - s->address) : watch.saved + p->kept;
}

/* For a site that shares its first or last byte with others. */
static bool has_changed_within(const struct plan_site *s, const struct pending *p)
{
    const u8 *old = old_bytes(s, p);
    for (u64 n = 0; n < p->size; n++) {
        u64 at = p->start + n;
        u8 now, counts = 0xff;
        read_or_zero(&now, at, 1);
        if (at == s->address)
            counts &= (u8)~s->not_first;
        if (at == s->address + s->size - 1)
            counts &= (u8)~s->not_last;
        if ((now ^ old[n]) & counts)
            return true;
    }
    return false;
}

static bool has_changed(const struct pending *p)
{
    u8 now[256];
    u64 number, old_number = 0;
    const struct plan_site *s = &plan_parts.site[p->site];
    if (p->kept == NOT_KEPT)
        return true;
    if (s->not_first || s->not_last)
        return has_changed_within(s, p);
    const u8 *old = old_bytes(s, p);
    if (p->size <= sizeof(number) && guest_read_number(gaddr(p->start), p->size, &number)) {
        memcpy(&old_number, old, p->size);
        return number != old_number;
    }
    for (u64 done = 0; done < p->size;) {
        u64 part = p->size - done < sizeof(now) ? p->size - done : sizeof(now);
        read_or_zero(now, p->start + done, part);
        if (memcmp(now, old + done, part))
            return true;
        done += part;
    }
    return false;
}

static void data_watch_judge(const struct pending *p, bool written)
{
    const struct plan_site *s = &plan_parts.site[p->site];
    if (watch.judged_in[p->site] == watch.event.number || !plan_site_holds(p->site))
        return;
    watch.judged_in[p->site] = watch.event.number;
    struct plan_hit hit = {
        .tick = watch.event.brief ? ticks_now() : watch.event.tick,
        .pc = watch.event.pc,
        .after_tick = ticks_now(),
        .after_pc = cpu->rip,
        .site = p->site,
        .thread = watch.event.brief ? thread_self()->ordinal : watch.event.thread,
        .address = p->start,
        .value_size = (u32)value_size(s),
        .written = written,
    };
    data_watch_read_value(hit.new, s);
    memcpy(hit.old, p->value, value_size(s));
    plan_add_hit(&hit);
}

static bool counts_as_store(const struct pending *p)
{
    const struct plan_site *s = &plan_parts.site[p->site];
    if (!(p->how & TOUCH_WRITE) || s->kind == SITE_LOAD)
        return false;
    bool any = s->kind == SITE_ACCESS || s->flags & PLAN_ANY_STORE;
    return (any && !p->mapped) || has_changed(p);
}

static bool counts_as_load(const struct pending *p)
{
    return p->how & TOUCH_READ && plan_parts.site[p->site].kind != SITE_STORE;
}

static void close_event(void)
{
    bool any_loads = plan_wants(SITE_LOAD) || plan_wants(SITE_ACCESS);
    watch.event.open = false;
    for (u64 n = 0; n < watch.pending_count; n++)
        if (counts_as_store(&watch.pending[n]))
            data_watch_judge(&watch.pending[n], true);
    for (u64 n = 0; any_loads && n < watch.pending_count; n++)
        if (counts_as_load(&watch.pending[n]))
            data_watch_judge(&watch.pending[n], false);
    watch.pending_count = 0;
}

/* --- instructions ----------------------------------------------------------------------------- */

static u32 data_how(u32 how)
{
    return (how & TOUCH_WRITE ? DATA_STORE : 0) | (how & TOUCH_READ ? DATA_LOAD : 0);
}

static bool touches_watched(const struct touched *t)
{
    for (u32 n = 0; n < t->ranges.count; n++) {
        const struct touch *r = &t->ranges.touch[n];
        if (any_in(r->start, r->start + r->size ? r->start + r->size : ~0ul, data_how(r->how)))
            return true;
    }
    return false;
}

bool data_watch_concerned(void)
{
    watch.touched_known = touched_find(&watch.touched) && touches_watched(&watch.touched);
    return watch.touched_known;
}

static void meet_touch(const struct touch *r)
{
    data_watch_meet(r->start, r->start + r->size ? r->start + r->size : ~0ul, r->how, STORED);
}

bool data_watch_before_touch(const struct touch *touch)
{
    data_watch_settle();
    begin_event(true, cpu->rip);
    meet_touch(touch);
    watch.repeated = false;
    watch.event.open = watch.pending_count;
    return watch.event.open;
}

bool data_watch_before(void)
{
    bool known = watch.touched_known && watch.touched.rip == cpu->rip;
    if (!watch.on || (!known && !data_watch_concerned()))
        return false;
    watch.touched_known = false;
    data_watch_settle();
    open_event();
    for (u32 n = 0; n < watch.touched.ranges.count; n++)
        meet_touch(&watch.touched.ranges.touch[n]);
    watch.repeated = watch.touched.insn.rep;
    return true;
}

/* A repeated instruction may have ended early: it did not read what it did not reach. */
static bool was_read(const struct pending *p)
{
    for (u32 n = 0; n < watch.touched.ranges.count; n++) {
        const struct touch *r = &watch.touched.ranges.touch[n];
        if (r->how & p->how & TOUCH_READ && p->start < r->start + r->size &&
            r->start < p->start + p->size)
            return true;
    }
    return false;
}

static void forget_unread(void)
{
    touched_settle(&watch.touched);
    for (u64 n = 0; n < watch.pending_count; n++)
        if (!was_read(&watch.pending[n]))
            watch.pending[n].how &= ~(u32)TOUCH_READ;
}

void data_watch_after(bool executed)
{
    if (!executed)
        watch.pending_count = 0;
    else if (watch.repeated)
        forget_unread();
    close_event();
}

/* --- what the engine does --------------------------------------------------------------------- */

static void will_write(u64 at, u64 size)
{
    u64 end = at + size < at ? ~0ul : at + size;
    if (!any_in(at, end, DATA_STORE))
        return;
    open_event();
    data_watch_meet(at, end, TOUCH_WRITE, STORED);
}

static void data_watch_call_begins(const struct call *call)
{
    u64 start, end;
    if (call_replaces(call, &start, &end) && start < end) {
        open_event();
        data_watch_meet(start, end, TOUCH_WRITE, REPLACED);
    }
}

static void data_watch_call_ended(const struct call *call, i64 result)
{
    u64 start, end;
    if (call_brought(call, result, &start, &end) && start < end) {
        open_event();
        data_watch_meet(start, end, TOUCH_WRITE, BROUGHT);
    }
}

void data_watch_expect_any(void)
{
    for (u32 n = 0; n < watch.watched->count; n++)
        will_write(watch.watched->item[n].start,
                   watch.watched->item[n].end - watch.watched->item[n].start);
}

void data_watch_settle(void)
{
    if (watch.event.open)
        close_event();
}

/* --- a pass ----------------------------------------------------------------------------------- */

static u8 variant_for(const struct watched_list *l)
{
    u32 how = 0;
    for (u32 n = 0; n < l->count; n++)
        how |= l->item[n].how;
    return (how & DATA_STORE ? VARIANT_STORES : 0) | (how & DATA_LOAD ? VARIANT_LOADS : 0);
}

const char *data_watch_begin(void)
{
    const u32 data_kinds = 1u << SITE_STORE | 1u << SITE_LOAD | 1u << SITE_ACCESS;
    watch.on = plan_pass.wants & data_kinds;
    watch.event.open = false;
    if (!watch.on)
        return NULL;
    if (!data_map_start()) {
        watch.on = false;
        return "there is no room for the map of what is watched";
    }
    watch.judged_in = data_watch_make_room(watch.judged_in, &watch.judged_room,
                                           plan_parts.head.sites * sizeof(u32));
    memset(watch.judged_in, 0, plan_parts.head.sites * sizeof(u32));
    watch.event.number = 0;
    watch_sites();
    watch.areas_seen = ~areas_versions.any;
    fragments_use(variant_for(watch.watched));
    observer.will_write = will_write;
    observer.call_begins = data_watch_call_begins;
    observer.call_ended = data_watch_call_ended;
    return NULL;
}

void data_watch_end(void)
{
    if (!watch.on)
        return;
    watch.on = false;
    watch.event.open = false;
    observer.will_write = NULL;
    observer.call_begins = NULL;
    observer.call_ended = NULL;
    fragments_use(0);
}
