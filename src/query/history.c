/* The history of a value: see history.h.
 *
 * The stretch is traced (session/trace.h). Where a part begins, and where a pointer to the value
 * has changed, the value is read; in between, stores to its bytes are applied to the known value. A
 * value of more than PLAN_VALUE_KEPT bytes is watched by several sites, whose hits at one
 * instruction are one change.
 *
 * A complete history takes one pass from the oldest change to the newest. A few of the newest
 * changes are found in parts from the end.
 *
 * Invariants
 *   (1) Changes that are kept are in the order in which they happened. They are all the changes in
 *       [from, to] of their entry, or all but left_out of them.
 */
#include "query/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/list.h"
#include "base/xalloc.h"
#include "session/trace.h"

enum { CHANGES_MOST = 1 << 18, ENTRIES_MOST = 64 };

/* What is known about a question. */
struct history_entry {
    char *key;
    struct moment from, to;
    struct history_change *changes;
    size_t count;
    bool unseen;
    u64 left_out; /* (1) number of changes left out */
};

struct history {
    struct session *s;
    struct list entries; /* struct history_entry */
    struct history_entry unkept; /* the answer to a question that has no key or was interrupted */
    struct history_change *lent;
};

/* --- values -------------------------------------------------------------------------------- */

static void change_deinit(struct history_change *c)
{
    history_state_deinit(&c->old);
    history_state_deinit(&c->new);
}

static void entry_deinit(struct history_entry *e)
{
    for (size_t i = 0; i < e->count; i++)
        change_deinit(&e->changes[i]);
    free(e->changes);
    free(e->key);
    *e = (struct history_entry){0};
}

struct error *history_look_at_range(void *context, struct history_value *ret)
{
    const struct history_range *r = context;
    *ret = (struct history_value){.address = r->address, .size = r->size};
    return NULL;
}

/* --- a pass -------------------------------------------------------------------------------- */

struct history_asking {
    struct session *s;
    const struct history_question *q;
    bool begun;                 /* the value is known */
    struct history_state value; /* now */
    struct list sites;          /* struct plan_site */
    struct plan_hit way;        /* the last hit on a pointer to the value */
    struct plan_site way_site;
    bool way_changed;
    bool unseen;                /* the value was optimized out since it was last known */
    bool ever_unseen;
    struct list part;           /* struct history_change, of the current part */
    struct list found;          /* the same, of finished parts; newest first if BACKWARD */
    struct moment reached;      /* BACKWARD: everything from here on is found */
    bool backward;
    bool dropped;               /* older changes were dropped, because there were too many */
    u64 left_out;               /* number of changes left out over the whole stretch */
};

static struct history_change *last_of(struct list *l)
{
    return l->count ? (struct history_change *)l->items + l->count - 1 : NULL;
}

static bool is_of(const struct history_change *c, const struct plan_hit *hit)
{
    return c && c->at.tick == hit->tick && c->at.pc == hit->pc &&
           c->after.tick == hit->after_tick && c->after.pc == hit->after_pc &&
           c->thread == hit->thread;
}

/* Drops the older half of too many changes. */
static void drop_older(struct history_asking *a)
{
    struct history_change *changes = a->part.items;
    size_t gone = a->part.count / 2;
    for (size_t i = 0; i < gone; i++)
        change_deinit(&changes[i]);
    memmove(changes, changes + gone, (a->part.count - gone) * sizeof *changes);
    a->part.count -= gone;
    a->dropped = true;
}

enum { THINNED_TOGETHER = 4 };

/* Chooses two of a few changes to keep: those with the smallest and the largest number, or every
 * second one. */
static void choose_two(const struct history_asking *a, const struct history_change *c,
                       size_t *first, size_t *second)
{
    double value, least = 0, most = 0;
    size_t low = 0, high = 0;
    bool known = a->q->measure != NULL;
    for (size_t i = 0; known && i < THINNED_TOGETHER; i++) {
        known = a->q->measure(a->q->context, &c[i].new, &value);
        if (!i || value < least) {
            least = value;
            low = i;
        }
        if (!i || value > most) {
            most = value;
            high = i;
        }
    }
    *first = known && low != high ? (low < high ? low : high) : 0;
    *second = known && low != high ? (low < high ? high : low) : 2;
}

/* Drops every second change, evenly over the whole stretch; keeps the first and the last few. */
static void thin_out(struct history_asking *a)
{
    struct history_change *changes = a->part.items;
    size_t kept = 1, at = 1, first, second;
    for (; at + 2 * THINNED_TOGETHER <= a->part.count; at += THINNED_TOGETHER) {
        choose_two(a, &changes[at], &first, &second);
        for (size_t i = 0; i < THINNED_TOGETHER; i++)
            if (i != first && i != second)
                change_deinit(&changes[at + i]);
        struct history_change low = changes[at + first], high = changes[at + second];
        changes[kept++] = low;
        changes[kept++] = high;
    }
    memmove(changes + kept, changes + at, (a->part.count - at) * sizeof *changes);
    a->left_out += at - kept;
    a->part.count -= at - kept;
}

/* The maximum number of changes; fewer for large values. */
static size_t changes_most(const struct history_asking *a)
{
    return CHANGES_MOST / (1 + a->value.size / 64);
}

static void make_room(struct history_asking *a)
{
    if (a->part.count < 2 * changes_most(a))
        return;
    if (a->q->most)
        drop_older(a);
    else
        thin_out(a);
}

/* Notes that the hit has changed the value to `now`. Takes ownership of `now`. */
static void note_change(struct history_asking *a, const struct plan_hit *hit,
                        struct history_state now)
{
    struct history_change *c = last_of(&a->part);
    if (is_of(c, hit)) { /* another hit of the same change */
        history_state_deinit(&c->new);
        history_state_deinit(&a->value);
    } else {
        make_room(a);
        c = list_add(&a->part);
        *c = (struct history_change){{hit->tick, hit->pc},
                                     {hit->after_tick, hit->after_pc},
                                     hit->thread,
                                     a->value,
                                     {0},
                                     a->unseen};
    }
    c->new = history_state_copy(&now);
    a->value = now;
    if (history_state_same(&c->old, &c->new)) { /* one hit of the change undid another */
        change_deinit(c);
        a->part.count--;
    }
}

/* --- sites --------------------------------------------------------------------------------- */

static void history_add_site(struct history_asking *a, u64 start, u64 end)
{
    if (start >= end)
        return;
    struct plan_site *site = list_add(&a->sites);
    *site = (struct plan_site){.kind = SITE_STORE, .address = start,
                               .size = end - start, .thread = CONTROL_THREAD_ANY};
}

static void add_sites_of_value(struct history_asking *a)
{
    u64 start = a->value.address, end = start + a->value.size;
    for (; start < end; start += PLAN_VALUE_KEPT)
        history_add_site(a, start, end - start < PLAN_VALUE_KEPT ? end : start + PLAN_VALUE_KEPT);
}

/* --- callbacks of the trace ------------------------------------------------------------------- */

/* The value was missing because its memory was not mapped. It was mapped since, filled with zeros,
 * which is not a store. So the value before the store is known. */
static struct error *take_memory_that_came(struct history_asking *a)
{
    struct history_state before;
    struct session_noted *noted;
    size_t count;
    struct session_patch patch = {a->way_site.address, a->way.old, a->way.value_size};
    if (!a->value.missing || !a->way.written || a->way_site.kind != SITE_STORE)
        return NULL;
    session_pretend(a->s, &patch, 1);
    struct error *err =
        history_state_look(a->s, a->q->look, a->q->context, &before, &noted, &count);
    session_pretend(a->s, NULL, 0);
    if (err)
        return err;
    free(noted);
    history_state_deinit(&a->value);
    a->value = before;
    return NULL;
}

/* The value that was read becomes the current one. Takes ownership of it. */
static void take_look(struct history_asking *a, struct history_state now)
{
    if (a->begun && a->way_changed && !history_state_same(&a->value, &now)) {
        note_change(a, &a->way, now);
    } else {
        history_state_deinit(&a->value);
        a->value = now;
    }
    a->unseen = false;
    a->begun = true;
}

static struct error *history_lay(void *context, struct moment at, struct session_sites *ret)
{
    struct history_asking *a = context;
    struct history_state now;
    struct session_noted *noted;
    size_t count;
    (void)at;
    struct error *err = history_state_look(a->s, a->q->look, a->q->context, &now, &noted, &count);
    if (err)
        return err;
    if (a->begun && a->way_changed && !now.missing)
        err = take_memory_that_came(a);
    if (err) {
        history_state_deinit(&now);
        free(noted);
        return err;
    }
    a->sites.count = 0;
    a->ever_unseen |= now.gone;
    if (now.gone && a->begun) {
        a->unseen = true;
    } else {
        take_look(a, now);
        add_sites_of_value(a);
    }
    a->way_changed = false;
    history_state_lay_way(&now, noted, count, &a->sites);
    if (a->unseen)
        history_state_deinit(&now);
    look_points_lay(&a->q->points, &a->sites);
    free(noted);
    *ret = (struct session_sites){.sites = a->sites.items, .count = a->sites.count};
    return NULL;
}

static void history_apply(struct history_asking *a, const struct plan_hit *hit)
{
    const struct plan_site *site = (const struct plan_site *)a->sites.items + hit->site;
    if (site->flags & PLAN_ENDS) {
        a->way = *hit;
        a->way_site = *site;
        if (site->kind == SITE_CODE) { /* seen here, but happened before */
            a->way.after_tick = hit->tick;
            a->way.after_pc = hit->pc;
        }
        a->way_changed = true;
        return;
    }
    struct history_state now = history_state_copy(&a->value);
    u64 offset = site->address - now.address;
    memcpy(now.bytes + offset, hit->new, hit->value_size);
    if (history_state_same(&now, &a->value))
        history_state_deinit(&now);
    else
        note_change(a, hit, now);
}

/* One change more than requested shows that there are more. */
static bool is_enough(const struct history_asking *a)
{
    /* the last changes are wanted, and are found last */
    bool from_end = a->q->order == BACKWARD && !a->backward;
    return a->q->most && !from_end && a->part.count + a->found.count > a->q->most;
}

static bool history_take(void *context, const struct plan_hit *hits, size_t count)
{
    struct history_asking *a = context;
    for (size_t i = 0; i < count; i++)
        history_apply(a, &hits[i]);
    return a->backward || a->way_changed || !is_enough(a);
}

static bool history_end_part(void *context, struct moment from, struct moment to)
{
    struct history_asking *a = context;
    const struct history_change *changes = a->part.items;
    (void)to;
    if (!a->backward)
        return true;
    for (size_t i = a->part.count; i-- > 0;)
        *(struct history_change *)list_add(&a->found) = changes[i];
    a->part.count = 0;
    a->begun = false;
    a->reached = from;
    return !is_enough(a);
}

/* --- answers --------------------------------------------------------------------------------- */

/* Adds the changes that were found to the entry. */
static void keep_found(struct history_asking *a, struct history_entry *e, bool whole)
{
    const struct history_change *found = a->found.items;
    size_t count = a->backward ? a->found.count : a->part.count;
    e->changes = xalloc((count + 1) * sizeof *e->changes);
    e->count = count;
    for (size_t i = 0; a->backward && i < count; i++)
        e->changes[i] = found[count - 1 - i];
    if (!a->backward && count)
        memcpy(e->changes, a->part.items, count * sizeof *e->changes);
    if (!a->backward)
        a->part.count = 0;
    e->unseen = a->ever_unseen;
    e->left_out = a->left_out;
    e->from = a->q->from;
    e->to = a->q->to;
    if (a->backward && !whole)
        e->from = a->reached;
    else if (!whole && count)
        e->to = e->changes[count - 1].after;
    if (a->dropped)
        e->from = e->changes[0].after;
    for (size_t i = 1; i < count; i++)
        invariant(1, moment_compare(e->changes[i - 1].after, e->changes[i].after) <= 0);
}

static struct error *history_find(struct history *h, const struct history_question *q,
                                  struct history_entry *ret,
                                  bool *ret_interrupted, struct moment *ret_reached)
{
    struct history_asking a = {.s = h->s, .q = q, .sites = LIST(struct plan_site), .reached = q->to,
                       .part = LIST(struct history_change), .found = LIST(struct history_change),
                       .backward = q->order == BACKWARD && q->most && !q->points.count};
    struct session_trace t = {.from = q->from, .to = q->to,
                              .direction = a.backward ? BACKWARD : FORWARD,
                              .lay = history_lay, .take = history_take, .part = history_end_part,
                              .context = &a,
                              .reached = ret_reached};
    struct error *err = session_trace(h->s, &t, ret_interrupted);
    bool whole = !*ret_interrupted && !is_enough(&a);
    *ret = (struct history_entry){0};
    keep_found(&a, ret, whole);
    for (size_t i = 0; i < a.part.count; i++)
        change_deinit((struct history_change *)a.part.items + i);
    list_deinit(&a.part);
    list_deinit(&a.found);
    list_deinit(&a.sites);
    history_state_deinit(&a.value);
    if (err)
        entry_deinit(ret);
    return err;
}

static bool history_is_within(struct moment at, const struct history_question *q)
{
    return moment_compare(at, q->from) > 0 && moment_compare(at, q->to) <= 0;
}

static size_t count_within(const struct history_entry *e, const struct history_question *q)
{
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++)
        n += history_is_within(e->changes[i].after, q);
    return n;
}

/* True if the entry answers the question. */
static bool history_is_known(const struct history_entry *e, const struct history_question *q)
{
    bool same = !moment_compare(e->from, q->from) && !moment_compare(e->to, q->to) && !q->most;
    if (e->left_out)
        return same;
    bool reaches_back = moment_compare(e->from, q->from) <= 0;
    bool reaches_on = moment_compare(e->to, q->to) >= 0;
    bool many = q->most && count_within(e, q) > q->most;
    return (reaches_back && reaches_on) ||
           (many && (q->order == FORWARD ? reaches_back : reaches_on));
}

/* Makes an answer that refers to the entry's changes, in the order of the question. */
static void history_make_answer(struct history *h, const struct history_entry *e,
                                const struct history_question *q, struct history_answer *ret)
{
    size_t n = 0;
    free(h->lent);
    h->lent = xalloc((e->count + 1) * sizeof *h->lent);
    for (size_t i = 0; i < e->count; i++) {
        const struct history_change *c = &e->changes[q->order == FORWARD ? i : e->count - 1 - i];
        if (history_is_within(c->after, q))
            h->lent[n++] = *c;
    }
    ret->more = (q->most && n > q->most) || moment_compare(e->from, q->from) > 0 ||
                (moment_compare(e->to, q->to) < 0 && !ret->interrupted);
    ret->unseen = e->unseen;
    ret->left_out = e->left_out;
    ret->changes = h->lent;
    ret->count = q->most && n > q->most ? q->most : n;
}

static struct history_entry *entry_of(struct history *h, const char *key)
{
    struct history_entry *entries = h->entries.items;
    for (size_t i = 0; key && i < h->entries.count; i++)
        if (!strcmp(entries[i].key, key))
            return &entries[i];
    return NULL;
}

/* Returns the entry to fill: the question's own, a new one, or that of the oldest question. */
static struct history_entry *entry_for(struct history *h, const char *key)
{
    struct history_entry *e = entry_of(h, key), *entries = h->entries.items;
    if (e) {
        entry_deinit(e);
        return e;
    }
    if (h->entries.count < ENTRIES_MOST)
        return list_add(&h->entries);
    entry_deinit(&entries[0]);
    memmove(entries, entries + 1, (ENTRIES_MOST - 1) * sizeof *entries);
    return &entries[ENTRIES_MOST - 1];
}

static void history_clamp(const struct history *h, struct history_question *q)
{
    struct moment first = session_first(h->s), last = session_last(h->s);
    if (moment_compare(q->from, first) < 0)
        q->from = first;
    if (moment_compare(q->to, last) > 0)
        q->to = last;
}

struct error *history_ask(struct history *h, const struct history_question *asked,
                          struct history_answer *ret)
{
    struct history_question q = *asked;
    struct history_entry *known = entry_of(h, q.key), new;
    *ret = (struct history_answer){0};
    history_clamp(h, &q);
    if (known && history_is_known(known, &q)) {
        history_make_answer(h, known, &q, ret);
        return NULL;
    }
    struct error *err = history_find(h, &q, &new, &ret->interrupted, &ret->reached);
    if (err)
        return err;
    if (q.key && !ret->interrupted) {
        known = entry_for(h, q.key);
        new.key = xformat("%s", q.key);
    } else {
        known = &h->unkept;
        entry_deinit(known);
    }
    *known = new;
    history_make_answer(h, known, &q, ret);
    return NULL;
}

void history_create(struct session *s, struct history **ret)
{
    struct history *h = xalloc(sizeof *h);
    *h = (struct history){.s = s, .entries = LIST(struct history_entry)};
    *ret = h;
}

void history_destroy(struct history *h)
{
    if (!h)
        return;
    for (size_t i = 0; i < h->entries.count; i++)
        entry_deinit((struct history_entry *)h->entries.items + i);
    list_deinit(&h->entries);
    entry_deinit(&h->unkept);
    free(h->lent);
    free(h);
}
