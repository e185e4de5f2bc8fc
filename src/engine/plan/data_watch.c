/* Data sites: see data_watch.h.
 *
 * An *event* is one instruction, or what the engine does between two boundaries.  In it, each meeting of a touched range and a site
 * is *pending*, with the bytes that were there; at its end pendings are judged, a site once.
 *
 * Invariants
 *   (1) watched[] is in the order of start; `reach` of one is the highest end up to it.
 *   (2) The map is marked for watched[], also while no pass is under way: the next one is likely to be alike.
 *   (3) While stack accesses are not checked, no stack in use lies in a run of mappings that holds something watched.
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
    SAVED_MOST = 64 << 20, /* of more, that it has changed is taken for granted */
};

bool data_watch_on;

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

static struct watched_list lists[2], *watched = &lists[0];
static u32 *judged_in; /* of each site: the event that judged it */
static u64 judged_room;

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
        invariant(1, l->item[n - 1].start <= l->item[n].start && l->item[n - 1].reach <= l->item[n].reach);
}

/* The number of the first that begins at `at` or above it. */
static u32 data_watch_first_from(u64 at)
{
    u32 low = 0, high = watched->count;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (watched->item[middle].start < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Those that meet [start, end), downward: call with *at = data_watch_first_from(end).
 * NULL: no more. */
static const struct watched_range *next_in(u64 start, u32 *at)
{
    while (*at > 0 && watched->item[*at - 1].reach > start) {
        const struct watched_range *w = &watched->item[--*at];
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
    struct watched_list *new = watched == &lists[0] ? &lists[1] : &lists[0];
    take_sites(new);
    if (!data_watch_same_list(watched, new)) {
        unmark_all(watched);
        mark_all(new);
    }
    watched = new;
    if (watched->count) /* the first stands for all: they are marked together */
        invariant(2, data_map_has(watched->item[0].start, (u8)watched->item[0].how));
}

/* --- the stack ------------------------------------------------------------------------------ */

static u64 areas_seen;

static void mark_run(u64 start, u64 end)
{
    if (any_in(start, end, DATA_STORE | DATA_LOAD))
        data_map_mark_regions(DATA_REGIONS_STACK, start > STACK_MARGIN ? start - STACK_MARGIN : 0,
                              end + STACK_MARGIN);
}

/* Where a stack must not be: runs of mappings, next to each other, that hold something watched. */
static void find_runs(void)
{
    u64 start = 0, end = 0;
    areas_seen = areas_versions.any;
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

/* Now and then, since it is at every boundary: the mapping that the stack is in, if accesses are not checked. */
static void check_stack(void)
{
    enum { EVERY = 64 };
    const struct area *a = ticks_now() % EVERY ? NULL : areas_find(cpu->reg[RSP]);
    invariant(3, !a || fragments.variant & VARIANT_STACK || !any_in(a->start, a->end, DATA_STORE | DATA_LOAD));
}

void data_watch_mind_stack(void)
{
    if (!data_watch_on || fragments.variant & VARIANT_STACK)
        return;
    if (areas_seen != areas_versions.any)
        find_runs();
    if (data_region_has(DATA_REGIONS_STACK, cpu->reg[RSP]))
        fragments_use(fragments.variant | VARIANT_STACK);
    check_stack();
}

/* --- events ----------------------------------------------------------------------------------- */

struct pending {
    u32 site;
    u32 how;        /* TOUCH_* */
    u64 start, size; /* of the site's bytes that were touched */
    bool mapped;    /* by a call that shapes memory: only a change counts */
    u64 kept;       /* those that were there: place in `saved`, or one of these: */
    u8 value[PLAN_VALUE_KEPT]; /* the site's first bytes, as they were */
};
#define NOT_KEPT (~0ul)
#define IN_VALUE (~1ul) /* they are among the first */

static struct {
    bool open;
    bool brief; /* it will end in the tick that it begins in, with the same thread: both need not be noted */
    u32 number;
    u32 thread;
    u64 tick, pc;
} event;

static struct pending *pending;
static u64 pending_room, pending_count;
static u8 *saved;
static u64 saved_room, saved_used;

static void begin_event(bool brief, u64 pc)
{
    event.open = true;
    event.brief = brief;
    event.number++;
    event.pc = pc;
    pending_count = saved_used = 0;
}

/* A thread that is in a call does all there at the moment of the call, however long it takes. */
static void open_event(void)
{
    const struct thread *t = thread_self();
    if (event.open)
        return;
    begin_event(false, t->call.open ? t->call.pc : cpu->rip);
    event.thread = t->ordinal;
    event.tick = t->call.open ? t->call.tick : ticks_now();
}

/* What is not there counts as zeros. */
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

/* Mostly a number. */
static void data_watch_read_value(u8 to[PLAN_VALUE_KEPT], const struct plan_site *s)
{
    u64 number;
    if (s->size <= sizeof(number) && guest_read_number(gaddr(s->address), s->size, &number))
        __builtin_memcpy(to, &number, sizeof(number));
    else
        read_or_zero(to, s->address, value_size(s));
}

/* Keeps what is in [start, start + size). */
static u64 save(u64 start, u64 size, bool was_there)
{
    u64 at = saved_used;
    saved = grown(saved, &saved_room, saved_used, saved_used + size);
    saved_used += size;
    if (was_there)
        read_or_zero(saved + at, start, size);
    else
        memset(saved + at, 0, size);
    return at;
}

enum origin {
    STORED,
    REPLACED, /* something else is mapped there */
    BROUGHT,  /* nothing was mapped there before */
};

/* The site's first bytes are kept in any case, those that were touched if they may be written. */
static void data_watch_keep_bytes(struct pending *p, bool was_there)
{
    const struct plan_site *s = &plan_parts.site[p->site];
    if (was_there)
        data_watch_read_value(p->value, s);
    else
        memset(p->value, 0, sizeof(p->value));
    if (!(p->how & TOUCH_WRITE) || p->start + p->size - s->address <= value_size(s))
        p->kept = IN_VALUE;
    else if (p->size > SAVED_MOST - saved_used % SAVED_MOST)
        p->kept = NOT_KEPT;
    else
        p->kept = save(p->start, p->size, was_there);
}

static void add_pending(const struct watched_range *w, u64 start, u64 end, u32 how,
                        enum origin origin)
{
    u64 from = start > w->start ? start : w->start, to = end < w->end ? end : w->end;
    u64 used = pending_count * sizeof(*pending);
    if (used + sizeof(*pending) > pending_room)
        pending = grown(pending, &pending_room, used, used + sizeof(*pending));
    struct pending *p = &pending[pending_count++];
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

/* --- judging ------------------------------------------------------------------------------------ */

static const u8 *old_bytes(const struct plan_site *s, const struct pending *p)
{
    return p->kept == IN_VALUE ? p->value + (p->start - s->address) : saved + p->kept;
}

/* Of a site whose ends are shared with others. */
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
    if (judged_in[p->site] == event.number || !plan_site_holds(p->site))
        return;
    judged_in[p->site] = event.number;
    struct plan_hit hit = {
        .tick = event.brief ? ticks_now() : event.tick,
        .pc = event.pc,
        .after_tick = ticks_now(),
        .after_pc = cpu->rip,
        .site = p->site,
        .thread = event.brief ? thread_self()->ordinal : event.thread,
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
    event.open = false;
    for (u64 n = 0; n < pending_count; n++)
        if (counts_as_store(&pending[n]))
            data_watch_judge(&pending[n], true);
    for (u64 n = 0; any_loads && n < pending_count; n++)
        if (counts_as_load(&pending[n]))
            data_watch_judge(&pending[n], false);
    pending_count = 0;
}

/* --- instructions ---------------------------------------------------------------------------------- */

static struct touched touched; /* by the instruction that is being executed alone */
static bool touched_known;     /* that at cpu->rip is about to be, and is known to concern us */
static bool repeated;          /* the event is one of `touched`, which is a repeated instruction */

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
    touched_known = touched_find(&touched) && touches_watched(&touched);
    return touched_known;
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
    repeated = false;
    event.open = pending_count;
    return event.open;
}

bool data_watch_before(void)
{
    bool known = touched_known && touched.rip == cpu->rip;
    if (!data_watch_on || (!known && !data_watch_concerned()))
        return false;
    touched_known = false;
    data_watch_settle();
    open_event();
    for (u32 n = 0; n < touched.ranges.count; n++)
        meet_touch(&touched.ranges.touch[n]);
    repeated = touched.insn.rep;
    return true;
}

/* A repeated instruction may have ended early: what it did not come to, it did not read. */
static bool was_read(const struct pending *p)
{
    for (u32 n = 0; n < touched.ranges.count; n++) {
        const struct touch *r = &touched.ranges.touch[n];
        if (r->how & p->how & TOUCH_READ && p->start < r->start + r->size && r->start < p->start + p->size)
            return true;
    }
    return false;
}

static void forget_unread(void)
{
    touched_settle(&touched);
    for (u64 n = 0; n < pending_count; n++)
        if (!was_read(&pending[n]))
            pending[n].how &= ~(u32)TOUCH_READ;
}

void data_watch_after(bool executed)
{
    if (!executed)
        pending_count = 0;
    else if (repeated)
        forget_unread();
    close_event();
}

/* --- what the engine does ------------------------------------------------------------------------------ */

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
    for (u32 n = 0; n < watched->count; n++)
        will_write(watched->item[n].start, watched->item[n].end - watched->item[n].start);
}

void data_watch_settle(void)
{
    if (event.open)
        close_event();
}

/* --- a pass ------------------------------------------------------------------------------------------------ */

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
    data_watch_on = plan_pass.wants & data_kinds;
    event.open = false;
    if (!data_watch_on)
        return NULL;
    if (!data_map_start()) {
        data_watch_on = false;
        return "there is no room for the map of what is watched";
    }
    judged_in = data_watch_make_room(judged_in, &judged_room, plan_parts.head.sites * sizeof(u32));
    memset(judged_in, 0, plan_parts.head.sites * sizeof(u32));
    event.number = 0;
    watch_sites();
    areas_seen = ~areas_versions.any;
    fragments_use(variant_for(watched));
    observer.will_write = will_write;
    observer.call_begins = data_watch_call_begins;
    observer.call_ended = data_watch_call_ended;
    return NULL;
}

void data_watch_end(void)
{
    if (!data_watch_on)
        return;
    data_watch_on = false;
    event.open = false;
    observer.will_write = NULL;
    observer.call_begins = NULL;
    observer.call_ended = NULL;
    fragments_use(0);
}
